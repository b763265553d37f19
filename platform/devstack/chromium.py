"""The browser of the browser tests: Debian's chromium, best without its windows, or the one that `CHROMIUM` names.

`chromium-headless-shell` is the same engine and takes half of the processor time: the other one starts all of its user
interface to show nothing.
"""

import os
import shutil
import subprocess

SHELL = "chromium-headless-shell"
MISSING = f"The browser tests need chromium, and there is none. On Debian: apt-get install --no-install-recommends {SHELL}"
PATIENCE = 120  # seconds for an installation that tests could do without


def find() -> str | None:
    if named := os.environ.get("CHROMIUM"):
        return named
    return next(filter(None, map(shutil.which, (SHELL, "chromium", "google-chrome"))), None)


def install() -> str | None:
    """Find it, or install it where this user may do that."""
    apt = shutil.which("apt-get")
    if os.environ.get("CHROMIUM") or shutil.which(SHELL) or os.geteuid() != 0 or not apt:
        return find()
    print(f"Installing {SHELL} for the browser tests.", flush=True)
    quick = ("-qq", "-o", "Acquire::Retries=0", "-o", "Acquire::http::Timeout=10")
    wanted = [apt, *quick, "install", "--yes", "--no-install-recommends", SHELL]
    if not _done(wanted) and _done([apt, *quick, "update"]):  # what it knows of packages may be old
        _done(wanted)
    return find()


def _done(command: list[str]) -> bool:
    environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
    try:
        ended = subprocess.run(
            command, env=environment, stdin=subprocess.DEVNULL, timeout=PATIENCE, check=False
        )
    except subprocess.TimeoutExpired:
        return False
    return ended.returncode == 0
