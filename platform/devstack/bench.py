"""Runs one of tests/benchmarks with servers that are thrown away afterwards: `deploy/bench NAME [--short]`."""

import os
import shutil
import signal
import subprocess
import sys
import tempfile
from pathlib import Path

from devstack.embedded import ServerError
from devstack.servers import start_servers
from devstack.state import ROOT
from devstack.supervisor import Supervisor

FOLDER = ROOT / "tests" / "benchmarks"


def names() -> list[str]:
    """Every module that can be run; the others are their helpers."""
    return sorted(path.stem for path in FOLDER.glob("*.py") if '__name__ == "__main__"' in path.read_text())


def main() -> int:
    name, *options = sys.argv[1:] or [""]
    if name not in names():
        print(f"deploy/bench NAME [--short], NAME one of: {', '.join(names())}", file=sys.stderr)
        return 2
    signal.signal(signal.SIGTERM, signal.default_int_handler)
    state, supervisor = Path(tempfile.mkdtemp(prefix="datum-bench-")), Supervisor()
    os.environ["DATUM_STATE"] = str(state)
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    try:
        start_servers(supervisor, state)
        return subprocess.run(
            [sys.executable, "-m", f"tests.benchmarks.{name}", *options], check=False
        ).returncode
    except ServerError as error:
        print(error, file=sys.stderr)
        return 1
    except KeyboardInterrupt:
        return 130
    finally:
        supervisor.stop()
        shutil.rmtree(state, ignore_errors=True)


if __name__ == "__main__":
    sys.exit(main())
