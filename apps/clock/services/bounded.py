"""Transactions that cannot hold anything for ever."""

from collections.abc import Iterator
from contextlib import contextmanager

from django.db import connection, transaction

IDLE = 30  # seconds


@contextmanager
def bounded(*, idle: int | None = None) -> Iterator[None]:
    """One transaction with limits: for a lock, for a statement, and for `idle` seconds in which its process stands still.

    The last one is the database's remedy against a process that is stopped while it holds rows.
    """
    with transaction.atomic():
        with connection.cursor() as cursor:
            cursor.execute(
                "SET LOCAL lock_timeout = '3s'; SET LOCAL statement_timeout = '20s'; "
                f"SET LOCAL idle_in_transaction_session_timeout = '{idle or IDLE:d}s'"
            )
        yield


def is_lost(session: object) -> bool:
    """Whether an error was the end of this session, `connection.connection` before it; Django may have a new one."""
    return connection.connection is not session or not connection.is_usable()
