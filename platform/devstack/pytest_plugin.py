"""A throw-away PostgreSQL and Valkey for one run of pytest, shared by its xdist workers.

With several workers the migrations run once, and each worker's database is a copy.

Given with `-p` in pyproject.toml: a hook in conftest.py would come after pytest-django has read the settings.
`DATABASE_URL` and `REDIS_URL`, when both are set, name servers to use instead.
"""

import os
import shutil
import subprocess
import tempfile
from collections.abc import Generator
from pathlib import Path

import pytest

from devstack.embedded import Postgres, Server, Valkey, wait_until_ready
from devstack.migrated import FOLDER, migrated, migrated_postgres

_running: list[tuple[Server, "subprocess.Popen[bytes]"]] = []
_folders: list[Path] = []


@pytest.hookimpl(wrapper=True, tryfirst=True)
def pytest_load_initial_conftests(early_config: pytest.Config) -> Generator[None, object, object]:
    worker = os.environ.get("PYTEST_XDIST_WORKER")
    if worker:  # the controller's servers, a Valkey database of one's own
        url, _, _ = os.environ["REDIS_URL"].partition("?")
        os.environ["REDIS_URL"] = f"{url}?db={1 + int(worker.removeprefix('gw')) % 15}"
    else:
        folder = Path(tempfile.mkdtemp(prefix="datum-test-"))
        _folders.extend({folder, migrated(folder).state})
        os.environ[FOLDER] = str(folder)
        if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
            several = bool(early_config.known_args_namespace.numprocesses)
            start_servers(migrated_postgres() if several else None)
            if several:
                os.environ["DATABASE_TEMPLATE"] = "datum"
    return (yield)


def start_servers(like: Path | None = None) -> None:
    """Servers until `pytest_unconfigure`, named in the environment; PostgreSQL's data as a copy of others if given."""
    state = Path(tempfile.mkdtemp(prefix="datum-test-"))
    postgres, valkey = Postgres(state, durable=False), Valkey(state, durable=False)
    _folders.extend({state, postgres.state, postgres.sockets})
    postgres.create(like)
    log = (state / "log").open("wb")
    for server in (postgres, valkey):
        process = subprocess.Popen(
            server.command(),
            stdin=subprocess.DEVNULL,
            stdout=log,
            stderr=log,
            start_new_session=True,
            preexec_fn=server.before_exec,
        )
        _running.append((server, process))
        wait_until_ready(server, process)
        os.environ.update(server.environment())
    log.close()
    postgres.ensure_database()


def pytest_unconfigure() -> None:
    while _running:
        server, process = _running.pop()
        process.send_signal(server.stop_signal)
        try:
            process.wait(10)
        except subprocess.TimeoutExpired:
            process.kill()
            process.wait()
    while _folders:
        shutil.rmtree(_folders.pop(), ignore_errors=True)
