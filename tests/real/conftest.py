"""Files from the real world lie beside the repository, at `../shared/data/real`.

Where they are missing these tests are not collected; in CI they must be there.
"""

import os
from pathlib import Path

REAL = Path(__file__).parents[3] / "shared" / "data" / "real"

if not REAL.exists():
    if os.environ.get("CI"):
        raise FileNotFoundError(REAL)
    collect_ignore_glob = ["*"]
