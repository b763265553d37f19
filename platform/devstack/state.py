"""The state folder: everything a copy of Datum writes, held by one process at a time."""

import fcntl
import json
import os
import sys
import time
from pathlib import Path
from typing import Any

ROOT = Path(__file__).resolve().parents[2]
ADDRESSES = ("DATABASE_URL", "REDIS_URL")


def state_folder() -> Path:
    """`DATUM_STATE`, or a hidden folder in the checkout; written back whole, for the children read it too."""
    folder = Path(os.environ.get("DATUM_STATE") or ROOT / ".state").absolute()
    os.environ["DATUM_STATE"] = str(folder)
    return folder


class State:
    """Who holds the folder is who has the lock on `lock`; the file says where its servers are.

    Files are locked, not written: the kernel drops a lock with its process, so a hard kill leaves nothing to mend.
    """

    def __init__(self, folder: Path) -> None:
        folder.mkdir(parents=True, exist_ok=True)
        self.folder = folder
        self._lock = (folder / "lock").open("a+", encoding="utf-8")
        self._users = (folder / "users").open("a+", encoding="utf-8")

    def take(self) -> bool:
        """Become the holder; False when another process is."""
        try:
            fcntl.flock(self._lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            return False
        self.announce("")
        return True

    def announce(self, site: str) -> None:
        """Say where the servers are, and the site when it is up."""
        facts = {"pid": os.getpid(), "site": site} | {name: os.environ.get(name, "") for name in ADDRESSES}
        self._lock.seek(0)
        self._lock.truncate()
        json.dump(facts, self._lock)
        self._lock.flush()

    def holder(self) -> dict[str, Any]:
        """What the holder announced; empty while it is writing."""
        self._lock.seek(0)
        try:
            facts: dict[str, Any] = json.load(self._lock)
        except ValueError:
            return {}
        return facts

    def use(self, seconds: float = 60) -> bool:
        """Take the holder's servers for this process, waiting until they are up; False when the holder is gone."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            facts = self.holder()
            if all(facts.get(name) for name in ADDRESSES):
                fcntl.flock(self._users, fcntl.LOCK_SH)
                os.environ.update({name: facts[name] for name in ADDRESSES})
                return True
            if self.take():
                return False
            time.sleep(0.2)
        sys.exit(
            f"Another process (pid {self.holder().get('pid')}) holds {self.folder} and its servers are not up."
        )

    def wait_for_users(self) -> None:
        """Wait until no other command uses the servers of this process."""
        fcntl.flock(self._users, fcntl.LOCK_EX)
