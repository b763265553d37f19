"""Fixtures of all tests."""

import functools
import gc
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
import redis
from celery.contrib.testing.worker import start_worker
from django.conf import settings
from django.core.cache import cache
from django.db import connection
from django.test import TransactionTestCase
from pytest_django import DjangoDbBlocker
from xdist.scheduler import LoadFileScheduling

from config.celery import app

DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}
SLOWEST_FIRST = ("road", "faults", "devstack", "browser", "tables")
"""Folders whose files take minutes: begun last, one of them would be waited for by all other processors."""


class InOrder(LoadFileScheduling):
    """A file goes to one worker; all that goes over the road to one as well, which starts the whole of Datum once.

    The last worker begins at the end: so what waits for processes and what keeps a processor busy run side by side.
    """

    def _split_scope(self, nodeid: str) -> str:
        return "tests/road" if nodeid.startswith("tests/road/") else nodeid.partition("::")[0]

    def _assign_work_unit(self, node: Any) -> None:
        if len(self.nodes) > 1 and node is self.nodes[-1]:
            self.workqueue.move_to_end(next(reversed(self.workqueue)), last=False)
        super()._assign_work_unit(node)


def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> InOrder:
    return InOrder(config, log)


@pytest.hookimpl(trylast=True)
def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """The order of the folders. And what was imported by now stays: Python needs not look through it for rubbish again."""
    gc.freeze()
    gc.set_threshold(50_000, 20, 100)  # an eighth of the processor time of a test of pages
    tests = Path(__file__).parent
    order = {tests / folder: place for place, folder in enumerate(SLOWEST_FIRST)}
    items.sort(key=lambda item: order.get(item.path.parent, len(order)))


@pytest.fixture(scope="session")
def django_db_setup(django_db_setup: None, django_db_blocker: DjangoDbBlocker) -> Iterator[None]:
    """The test database, which goes at the end whoever may still be in it."""
    yield
    with django_db_blocker.unblock(), connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )
        connection.close()


@functools.cache
def _emptying() -> str:
    """What `manage.py flush` does, for a tenth of its price: that gives every table, filled or not, a new file.

    Content types and permissions, which it makes again, stay. Locked, for a process that a test left may still write.
    """
    names = set(connection.introspection.django_table_names(only_existing=True, include_views=False))
    tables = [f'"{name}"' for name in sorted(names - {"django_content_type", "auth_permission"})]
    return "; ".join(
        [
            "BEGIN",
            "SET LOCAL session_replication_role = replica",  # no triggers, no foreign keys
            f"LOCK TABLE {', '.join(tables)} IN EXCLUSIVE MODE",
            *(f"DELETE FROM {table}" for table in tables),
            "COMMIT",
        ]
    )


def _empty_all_tables(_case: TransactionTestCase) -> None:
    with connection.cursor() as cursor:
        cursor.execute(_emptying())


TransactionTestCase._fixture_teardown = _empty_all_tables  # type: ignore[attr-defined]


@pytest.fixture(autouse=True)
def _nothing_kept(request: pytest.FixtureRequest) -> None:
    """Nothing is cached and nothing queued when a test with a database begins; the others have no servers to ask."""
    if DATABASE_FIXTURES & set(request.fixturenames) or request.node.get_closest_marker("django_db"):
        with redis.Redis.from_url(settings.REDIS_URL) as valkey:
            valkey.flushdb()
        request.getfixturevalue("django_db_setup")
        with request.getfixturevalue("django_db_blocker").unblock():
            cache.clear()


@pytest.fixture
def worker(transactional_db: None) -> Iterator[Any]:
    """A Celery worker on both queues, in a thread: real messages, the test's own database."""
    with _running_worker() as running:
        yield running


@contextmanager
def _running_worker() -> Iterator[Any]:
    with start_worker(
        app,
        pool="threads",
        concurrency=1,
        perform_ping_check=False,
        queues=["datum", "solver"],
        loglevel="warning",
    ) as running:
        yield running
