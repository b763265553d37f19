"""The servers a command needs: the embedded ones, or those that `DATABASE_URL` and `REDIS_URL` name."""

import os
from pathlib import Path

from devstack.embedded import Postgres, Server, ServerError, Valkey, wait_until_ready
from devstack.supervisor import Supervisor


def start_servers(supervisor: Supervisor, folder: Path, *, durable: bool = True) -> bool:
    """Start what is not named, name it in the environment, see that both answer.

    Django's settings read the two addresses once, when they are loaded: this comes before.

    Returns:
        Whether the database is new.
    """
    new = False
    if os.environ.get("DATABASE_URL"):
        _ask_database(os.environ["DATABASE_URL"])
    else:
        postgres = Postgres(folder, durable=durable)
        postgres.create()
        _start(supervisor, postgres)
        new = postgres.ensure_database()
    if os.environ.get("REDIS_URL"):
        _ask_redis(os.environ["REDIS_URL"])
    else:
        _start(supervisor, Valkey(folder, durable=durable))
    return new


def _start(supervisor: Supervisor, server: Server) -> None:
    program = supervisor.start(
        server.name,
        server.command,
        essential=True,
        stop_signal=server.stop_signal,
        before_exec=server.before_exec,
    )
    wait_until_ready(server, program.process)
    os.environ.update(server.environment())


def _ask_database(url: str) -> None:
    import psycopg

    try:
        psycopg.connect(url, connect_timeout=10).close()
    except psycopg.Error as error:
        raise ServerError(f"The database that DATABASE_URL names does not answer: {error}") from error


def _ask_redis(url: str) -> None:
    import redis

    try:
        with redis.Redis.from_url(url, socket_connect_timeout=10) as client:
            client.ping()
    except (redis.RedisError, ValueError) as error:
        raise ServerError(f"The server that REDIS_URL names does not answer: {error}") from error
