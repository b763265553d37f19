"""`manage.py clock` with bad luck of its own.

`CUT=7`: of every seventh COMMIT it never hears whether it was done. `SKEW=300`: its machine's clock is five minutes fast.
`CLOCKS=4`: so many at once, children of this process; whichever falls is replaced in a moment.
"""

import os
import time
from datetime import timedelta
from typing import Any

import django
from django.core.management import call_command
from django.db import OperationalError
from django.db.backends.postgresql.base import DatabaseWrapper
from django.utils import timezone


def cut(every: int) -> None:
    """Close the connection when a COMMIT has been sent and not yet answered."""
    commit, commits = DatabaseWrapper._commit, 0  # type: ignore[attr-defined]

    def unheard(self: Any) -> None:
        nonlocal commits
        commits += 1
        if commits % every or self.connection is None:
            commit(self)
            return
        server = self.connection.pgconn
        server.send_query(b"COMMIT")
        server.flush()
        server.finish()
        raise OperationalError("cut off after COMMIT was sent")

    DatabaseWrapper._commit = unheard  # type: ignore[attr-defined]


def skew(seconds: float) -> None:
    """Have this process take another moment for now."""
    moment, ahead = timezone.now, timedelta(seconds=seconds)
    timezone.now = lambda: moment() + ahead
    seconds_since = time.time
    time.time = lambda: seconds_since() + seconds


def keep_going(clocks: int) -> None:
    """In this process, replace those that fall; return in each child."""
    going: set[int] = set()
    while True:
        while len(going) < clocks:
            pid = os.fork()
            if not pid:
                return
            going.add(pid)
        going.discard(os.wait()[0])


def main() -> None:
    django.setup()
    if every := int(os.environ.get("CUT", "0")):
        cut(every)
    if seconds := float(os.environ.get("SKEW", "0")):
        skew(seconds)
    if clocks := int(os.environ.get("CLOCKS", "0")):
        keep_going(clocks)
    call_command("clock")


if __name__ == "__main__":
    main()
