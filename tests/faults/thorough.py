"""How much of a long test is done: a part of it in the suite, all of it when somebody asks for it.

`DATUM_THOROUGH=1 .venv/bin/pytest tests/faults` does all.
"""

import os

THOROUGH = bool(os.environ.get("DATUM_THOROUGH"))


def often(whole: int, *, usual: int) -> int:
    """So many times, or as many as usual."""
    return whole if THOROUGH else usual
