"""The browser of the browser tests: Debian's chromium, or the one that `CHROMIUM` names."""

import os
import shutil
import subprocess

MISSING = "The browser tests need chromium, and there is none. On Debian: apt-get install --no-install-recommends chromium"


def find() -> str | None:
    return os.environ.get("CHROMIUM") or shutil.which("chromium") or shutil.which("google-chrome")


def install() -> str | None:
    """Find it, or install it where this user may do that."""
    if not find() and os.geteuid() == 0 and (apt := shutil.which("apt-get")):
        print("Installing chromium for the browser tests.", flush=True)
        environment = os.environ | {"DEBIAN_FRONTEND": "noninteractive"}
        for command in (
            ["update", "-qq"],
            ["install", "-qq", "--yes", "--no-install-recommends", "chromium"],
        ):
            subprocess.run([apt, *command], env=environment, stdin=subprocess.DEVNULL, check=False)
    return find()
