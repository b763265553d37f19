"""The web server of `deploy/run`: granian with two processes, one for each core of a small machine.

Granian's own command does the same, but its processes outlive it when it is killed hard, and keep the port.
"""

import signal
import sys
from collections.abc import Callable
from typing import Any

from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from devstack.embedded import before_exec

PROCESSES = 2
THREADS = 4  # in each process; they wait for the database, so more than cores, and few connections


def load(_target: str) -> Callable[..., Any]:
    """Runs in each serving process."""
    before_exec(signal.SIGTERM)()  # ends with granian's main process
    from config.wsgi import application

    return application


def main(port: int) -> None:
    Granian(
        "config.wsgi:application",
        port=port,
        interface=Interfaces.WSGI,
        workers=PROCESSES,
        blocking_threads=THREADS,
        workers_kill_timeout=5,
        respawn_failed_workers=True,
        log_level=LogLevels.warning,
    ).serve(target_loader=load)


if __name__ == "__main__":
    main(int(sys.argv[1]))
