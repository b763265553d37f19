"""Makes `.venv` in the checkout as the lock files say; run by the commands in deploy/ with any Python that fits.

Standard library only, and run by its path: nothing is installed yet.
"""

import fcntl
import hashlib
import json
import os
import shutil
import subprocess
import sys
import venv
from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
VENV = ROOT / ".venv"
PYTHON = VENV / "bin" / "python"
RECORD = VENV / "installed.json"
LOCKS = {"run": ROOT / "deploy" / "requirements.lock", "dev": ROOT / "deploy" / "requirements-dev.lock"}


def main(kind: str) -> None:
    try:
        with (ROOT / ".venv.lock").open("w") as lock:
            fcntl.flock(lock, fcntl.LOCK_EX)  # two commands at once: the second finds the work done
            if not is_satisfied(kind):
                make(kind)
    except PermissionError as error:
        sys.exit(f"This user may not write {error.filename}: the environment belongs into the checkout.")
    except subprocess.CalledProcessError as error:
        sys.exit(f"The packages could not be installed (status {error.returncode}); what pip says is above.")
    except KeyboardInterrupt:
        sys.exit(130)


def hashes() -> dict[str, str]:
    return {kind: hashlib.sha256(lock.read_bytes()).hexdigest() for kind, lock in LOCKS.items()}


def installed() -> dict[str, str]:
    """Which lock files are installed whole: their hashes. The file is written last, so a killed attempt has none."""
    try:
        record: dict[str, str] = json.loads(RECORD.read_text())
    except (OSError, ValueError):
        return {}
    return record if PYTHON.exists() else {}  # a Python that was removed leaves a dead link


def is_satisfied(kind: str) -> bool:
    return installed().get(kind) == hashes()[kind]


def make(kind: str) -> None:
    """Install what is missing; from scratch when nothing whole is there, else on top of what a server may be using."""
    before = installed()
    if not before:
        print("Making the environment in .venv (once).", file=sys.stderr)
        if VENV.is_dir():
            shutil.rmtree(VENV)
        venv.create(VENV, with_pip=True)
    if before.get("dev") and kind == "run":
        kind = "dev"  # what the tests need stays as new as the rest
    RECORD.unlink(missing_ok=True)
    print(f"Installing {LOCKS[kind].name}.", file=sys.stderr)
    options = [
        "--no-deps",
        "--require-hashes",
        "--no-compile",
        "-qq",
        "--disable-pip-version-check",
        "--no-input",
    ]
    subprocess.run(
        [PYTHON, "-m", "pip", "install", *options, "-r", LOCKS[kind]], check=True, stdout=sys.stderr
    )
    packages = next((VENV / "lib").glob("python3.*/site-packages"))
    (packages / "datum.pth").write_text(f"{ROOT}\n{ROOT / 'platform'}\n")
    now = hashes()
    new = RECORD.with_suffix(".new")
    new.write_text(json.dumps(now if kind == "dev" else {"run": now["run"]}))
    os.replace(new, RECORD)


if __name__ == "__main__":
    main(sys.argv[1])
