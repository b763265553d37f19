"""The database is brought up to date without holding up an evening that is being played."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import psycopg
import pytest
from django.core.management import CommandError, call_command
from django.core.management.commands import migrate
from django.db import OperationalError, connection
from django.db.models.signals import pre_migrate

pytestmark = pytest.mark.django_db(transaction=True)


@contextmanager
def being_read() -> Iterator[None]:
    """Somebody else reads the pulse, and is not done with it."""
    address = connection.get_connection_params()
    known = {
        name: address[name] for name in ("dbname", "user", "password", "host", "port") if address.get(name)
    }
    with psycopg.connect(**known) as reader:
        reader.execute("SELECT * FROM clock_pulse")
        yield


def needs_the_table(**_: Any) -> None:
    """As a migration that changes it."""
    with connection.cursor() as cursor:
        cursor.execute("ALTER TABLE clock_pulse ALTER COLUMN at SET NOT NULL")


@pytest.fixture
def _needs_a_table() -> Iterator[None]:
    pre_migrate.connect(needs_the_table)
    yield
    pre_migrate.disconnect(needs_the_table)


def lock_timeout() -> str:
    with connection.cursor() as cursor:
        cursor.execute("SHOW lock_timeout")
        return str(cursor.fetchone()[0])


@pytest.mark.usefixtures("_needs_a_table")
def test_it_gives_up_soon_when_a_table_is_in_use_and_says_what_to_do() -> None:
    before, began = lock_timeout(), time.monotonic()
    with being_read(), pytest.raises(CommandError, match=r"A table is in use.*Run the command again"):
        call_command("migrate", verbosity=0)
    assert 1.5 < time.monotonic() - began < 20
    assert lock_timeout() == before


@pytest.mark.usefixtures("_needs_a_table")
def test_without_that_it_would_wait_as_long_as_the_table_is_in_use() -> None:
    with connection.cursor() as cursor:
        cursor.execute("SET statement_timeout = '4s'")
    try:
        with being_read(), pytest.raises(OperationalError, match="statement timeout"):
            call_command(migrate.Command(), verbosity=0)
    finally:
        with connection.cursor() as cursor:
            cursor.execute("RESET statement_timeout")


@pytest.mark.usefixtures("_needs_a_table")
def test_it_runs_when_the_table_is_free_and_leaves_the_connection_as_it_was() -> None:
    before = lock_timeout()
    call_command("migrate", verbosity=0)
    assert lock_timeout() == before
