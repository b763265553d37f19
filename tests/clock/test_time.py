"""One clock: the database's; moved only where a setting allows it."""

from datetime import timedelta

import pytest
from django.db import connection

from apps.clock.models import ClockOffset
from apps.clock.selectors import pulse_age
from apps.clock.services import tick
from apps.clock.time import move, now

pytestmark = pytest.mark.django_db


def test_time_goes_on_within_a_transaction() -> None:
    first = now()
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_sleep(0.002)")
    assert timedelta(milliseconds=2) <= now() - first < timedelta(seconds=5)


def test_tests_may_move_the_clock_and_the_pulse_goes_along() -> None:
    tick()
    first = now()
    move(timedelta(hours=1))
    move(timedelta(hours=1))
    assert timedelta(hours=2) <= now() - first < timedelta(hours=2, seconds=5)
    age = pulse_age()
    assert age is not None and age < timedelta(seconds=5)


def test_a_site_does_not_see_that_its_clock_was_moved_and_does_not_move_it(settings: object) -> None:
    first = now()
    ClockOffset.objects.create(offset=timedelta(hours=1))
    settings.CLOCK_MAY_BE_MOVED = False  # type: ignore[attr-defined]
    assert now() - first < timedelta(seconds=5)
    with pytest.raises(RuntimeError):
        move(timedelta(hours=1))
