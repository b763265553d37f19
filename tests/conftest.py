"""Fixtures of all tests."""

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

import pytest
from celery.contrib.testing.worker import start_worker
from django.core.cache import cache

from config.celery import app

DATABASE_FIXTURES = {"db", "transactional_db", "live_server"}


@pytest.fixture(autouse=True)
def _empty_valkey(request: pytest.FixtureRequest) -> None:
    """Nothing is cached and nothing queued when a test with a database begins; the others have no servers to ask."""
    if DATABASE_FIXTURES & set(request.fixturenames) or request.node.get_closest_marker("django_db"):
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
