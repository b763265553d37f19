"""A cluster with the migrated database, made once in a run of tests: who needs one of its own takes a copy."""

import fcntl
import os
import shutil
import subprocess
import sys
from pathlib import Path

from devstack.embedded import Postgres, wait_until_ready

FOLDER = "DATUM_TEST_FOLDER"
"""Names, in the environment, the folder of this run of tests."""


def migrated(folder: Path) -> Postgres:
    return Postgres(folder / "m", durable=False)


def migrated_postgres() -> Path:
    """The data of a stopped cluster, for `Postgres.create`. The first who asks makes it, others wait."""
    postgres = migrated(Path(os.environ[FOLDER]))
    made = postgres.state / "made"
    with Path(os.environ[FOLDER], "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not made.exists():
            postgres.create()
            _migrate(postgres)
            made.touch()
    return postgres.data


def _migrate(postgres: Postgres) -> None:
    server = subprocess.Popen(
        postgres.command(),
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        preexec_fn=postgres.before_exec,
    )
    try:
        wait_until_ready(postgres, server)
        postgres.ensure_database()
        own = {"DJANGO_SETTINGS_MODULE": "config.settings.test", "PYTHONPATH": os.pathsep.join(sys.path)}
        subprocess.run(
            [sys.executable, "-W", "error", "-m", "django", "migrate", "-v0"],
            env=os.environ | {"REDIS_URL": "redis://127.0.0.1:1/0"} | postgres.environment() | own,
            check=True,
        )
    finally:
        server.send_signal(postgres.stop_signal)
        server.wait()
        shutil.rmtree(postgres.sockets, ignore_errors=True)
