"""A real worker, killed in the middle of scoring; a broker that is emptied. In the end the figures are the same."""

import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any
from urllib.parse import quote

import pytest
import redis
from django.conf import settings
from django.db import connection, transaction

from apps.masterpoints.selectors import unbalanced_events
from apps.masterpoints.services import award_event
from apps.pairs.models import Event
from apps.pairs.selectors import unranked_events
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Comparison, Field, Result
from apps.results.selectors import stale_fields
from apps.results.services import change_result, compare_field
from bridge.awards import Ruling
from config.celery import app
from config.schedule import BEAT_SCHEDULE
from tests.factories import make_event
from tests.faults.state import figures

pytestmark = pytest.mark.django_db(transaction=True)
BOARDS = [[420, 450, 400, 420], [50, 100, 50, 50], [-50, 110, 110, 140]]


def database_url() -> str:
    """The test database, as another process finds it."""
    named = connection.settings_dict
    user, password = quote(named["USER"] or ""), quote(named["PASSWORD"] or "")
    return f"postgresql://{user}:{password}@/{named['NAME']}?host={quote(named['HOST'])}&port={named['PORT'] or 5432}"


@contextmanager
def worker() -> Iterator["subprocess.Popen[bytes]"]:
    command = [sys.executable, "-m", "celery", "-A", "config.celery", "worker", "-P", "solo", "-Q", "datum"]
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    process = subprocess.Popen(
        [*command, "--without-mingle", "--without-gossip", "--without-heartbeat", "-l", "ERROR"],
        env=environment,
    )
    try:
        yield process
    finally:
        process.kill()
        process.wait()


def until(done: Callable[[], Any], *, each: Callable[[], object] = lambda: None, seconds: float = 60) -> None:
    """Wait until something holds; `each` is done every half second meanwhile."""
    end, next_call = time.monotonic() + seconds, 0.0
    while not done():
        assert time.monotonic() < end, "it never came"
        if time.monotonic() > next_call:
            each()
            next_call = time.monotonic() + 0.5
        time.sleep(0.05)


def sweep() -> None:
    """What beat does, more often."""
    for entry in BEAT_SCHEDULE.values():
        app.send_task(str(entry["task"]))


def waits_for_a_lock() -> bool:
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT 1 FROM pg_locks waiting JOIN pg_locks held USING (pid) JOIN pg_database ON oid = held.database
               WHERE NOT waiting.granted AND datname = current_database()"""
        )
        return cursor.fetchone() is not None


def all_done() -> bool:
    return not stale_fields() and not unranked_events() and not unbalanced_events()


def broker() -> "redis.Redis":
    return redis.Redis.from_url(settings.REDIS_URL)


@pytest.fixture
def event() -> Event:
    """A published event of which a ruling was changed: boards, standings and master points are to be made again."""
    broker().flushdb()
    made = make_event(BOARDS)
    publish_event(event_id=made.pk, by=None)
    award_event(event_id=made.pk)
    for result in Result.objects.filter(ns__label="2 NS"):
        change_result(result_id=result.pk, by=None, reason="ruling", ruling=Ruling.assigned(-1100))
    return made


def undisturbed(event: Event) -> dict[str, list[Any]]:
    """The figures of a run without faults, taken back again."""
    with transaction.atomic():
        compare_field(field_id=event.field_id)
        rank_event(event_id=event.pk)
        award_event(event_id=event.pk)
        right = figures(event)
        transaction.set_rollback(True)
    assert stale_fields() == [event.field_id]
    return right


def test_a_worker_killed_in_the_middle_of_scoring_leaves_nothing_half_done(event: Event) -> None:
    before, right = figures(event), undisturbed(event)
    assert before != right
    with worker() as killed:
        with transaction.atomic():  # the worker has written all points and waits for the field's row
            Field.objects.select_for_update().get(pk=event.field_id)
            until(waits_for_a_lock, each=sweep)
            killed.send_signal(signal.SIGKILL)
            killed.wait()
        until(lambda: not waits_for_a_lock())
        assert figures(event) == before
        assert stale_fields() == [event.field_id]
    with worker():
        until(all_done, each=sweep)
    assert figures(event) == right


def test_a_broker_emptied_while_an_event_is_scored_costs_time_only(event: Event) -> None:
    right = undisturbed(event)
    broker().flushdb()
    assert stale_fields() == [event.field_id]
    with worker():
        with transaction.atomic():
            Field.objects.select_for_update().get(pk=event.field_id)
            until(waits_for_a_lock, each=sweep)
            broker().flushdb()
        until(all_done, each=sweep)
    assert figures(event) == right
    assert Comparison.objects.count() == len(BOARDS)
