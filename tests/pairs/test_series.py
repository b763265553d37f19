"""Events that come back every week at one hour, whatever the clocks of their zone do."""

from datetime import UTC, date, datetime, timedelta
from functools import partial

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.clock.models import DueWork
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.pairs.forms.setup import AnnounceForm
from apps.pairs.models import Event, Series, Swiss
from apps.pairs.services.registration import Refused
from apps.pairs.services.rounds import START
from apps.pairs.services.series import EXTEND, create_series, extend_series, stop_series
from apps.pairs.services.setup import Plan, announce_swiss, create_swiss
from apps.users.models import User
from tests.factories import make_user
from tests.faults.threads import at_once

pytestmark = pytest.mark.django_db

QUERIES = 6  # of the page: those of the reader, the moment, the series, their events


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


def wall(text: str) -> datetime:
    """What the clocks of some zone show."""
    return datetime.fromisoformat(text)


def move_to(moment: datetime) -> None:
    move(moment - now())


def weekly(by: User, zone: str, local_start: datetime, last_date: date | None = None) -> Series:
    move_to(local_start.replace(tzinfo=UTC) - timedelta(days=3))
    plan = Plan(title="Weekly Swiss", zone=zone, local_start=local_start, max_pairs=20)
    swiss = create_swiss(plan=plan, by=by, key="a form")
    return create_series(event_id=swiss.pk, last_date=last_date, by=by)


def walls(series: Series) -> list[str]:
    """What the clocks of the zone show at the starts of the events."""
    events = series.events.order_by("starts_at")
    return [f"{each.starts_at.astimezone(each.tz):%m-%d %H:%M}" for each in events]


def test_the_events_of_four_weeks_are_announced_and_each_has_its_start_scheduled(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))

    assert walls(series) == ["06-06 20:00", "06-13 20:00", "06-20 20:00", "06-27 20:00"]
    events = list(series.events.select_related("event"))
    assert {each.event.state for each in events} == {Event.State.ANNOUNCED}
    assert {each.max_pairs for each in events} == {20}
    assert len({each.seal_id for each in events}) == 4
    due = DueWork.objects.filter(kind=START).values_list("subject", "due_at")
    assert set(due) == {(each.pk, each.starts_at) for each in events}


def test_a_series_that_begins_later_than_in_four_weeks_starts_with_one_event_as_the_page_says(
    dora: User,
) -> None:
    move_to(datetime(2026, 12, 1, 12, 0, tzinfo=UTC))
    plan = Plan(title="Weekly Swiss", zone="Europe/Athens", local_start=wall("2027-03-07 20:00"))
    swiss = create_swiss(plan=plan, by=dora, key="a form")
    series = create_series(event_id=swiss.pk, last_date=None, by=dora)

    assert walls(series) == ["03-07 20:00"]
    said = str(AnnounceForm.base_fields["weekly"].help_text)
    assert said.startswith("This event is announced at once, and so are those that begin within four weeks")
    move_to(datetime(2027, 2, 20, 12, 0, tzinfo=UTC))
    extend_series(series_id=series.pk)
    assert walls(series) == ["03-07 20:00", "03-14 20:00"]


def test_the_hour_on_the_wall_stays_across_both_changes_of_the_clocks(dora: User) -> None:
    spring = weekly(dora, "Europe/Athens", wall("2027-03-14 20:00"))
    starts = list(spring.events.order_by("starts_at").values_list("starts_at", flat=True))

    assert walls(spring) == ["03-14 20:00", "03-21 20:00", "03-28 20:00", "04-04 20:00"]
    assert [each.astimezone(UTC).hour for each in starts] == [18, 18, 17, 17]


def test_an_hour_that_the_clocks_skip_begins_at_the_first_minute_after_it(dora: User) -> None:
    series = weekly(dora, "Europe/London", wall("2027-03-21 01:30"))

    assert walls(series) == ["03-21 01:30", "03-28 02:00", "04-04 01:30", "04-11 01:30"]


def test_an_hour_that_comes_twice_is_the_first_of_the_two(dora: User) -> None:
    series = weekly(dora, "Europe/London", wall("2027-10-24 01:30"))

    assert walls(series) == ["10-24 01:30", "10-31 01:30", "11-07 01:30", "11-14 01:30"]
    assert series.events.filter(starts_at=datetime(2027, 10, 31, 0, 30, tzinfo=UTC)).exists()


def test_the_page_of_the_series_takes_as_many_queries_for_five_as_for_one(
    dora: User, client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    client.force_login(dora)
    start = wall("2027-03-14 20:00")
    for number in range(1, 6):
        swiss = create_swiss(
            plan=Plan(title="Weekly Swiss", zone="Europe/Athens", local_start=start), by=dora, key=f"{number}"
        )
        move_to(start.replace(tzinfo=UTC) - timedelta(days=3))
        create_series(event_id=swiss.pk, last_date=None, by=dora)
        if number in (1, 5):
            with django_assert_num_queries(QUERIES):
                page = client.get(reverse("pairs:series"))
            assert [len(each.coming) for each in page.context["listed"]] == [4] * number


def test_the_clock_announces_one_more_event_each_week(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))
    tick()
    for week in range(1, 4):
        move(timedelta(weeks=1))
        tick()
        assert series.events.count() == 4 + week
    assert walls(series)[-1] == "07-18 20:00"
    assert DueWork.objects.filter(kind=EXTEND, state=DueWork.State.PLANNED).count() == 1


def test_extending_twice_makes_nothing_twice(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))

    assert extend_series(series_id=series.pk) == 0
    Series.objects.filter(pk=series.pk).update(made_until=date(2027, 6, 13))
    assert extend_series(series_id=series.pk) == 0
    assert series.events.count() == 4


def test_after_a_long_silence_no_event_is_announced_in_the_past(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))

    move_to(datetime(2027, 8, 4, 12, 0, tzinfo=UTC))
    assert extend_series(series_id=series.pk) == 4
    assert walls(series)[4:] == ["08-08 20:00", "08-15 20:00", "08-22 20:00", "08-29 20:00"]


def test_a_later_event_is_like_the_latest_there_is(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))
    latest = series.events.order_by("starts_at").last()
    assert latest is not None
    Swiss.objects.filter(pk=latest.pk).update(rounds=7)

    move(timedelta(weeks=1))
    extend_series(series_id=series.pk)
    assert [each.rounds for each in series.events.order_by("starts_at")] == [6, 6, 6, 7, 7]


def test_a_series_ends_with_its_last_date(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"), date(2027, 6, 15))

    assert walls(series) == ["06-06 20:00", "06-13 20:00"]
    assert not DueWork.objects.filter(kind=EXTEND).exists()


def test_a_series_that_was_stopped_announces_nothing_more_and_what_is_announced_stays(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))

    assert stop_series(series_id=series.pk, by=dora)
    assert not stop_series(series_id=series.pk, by=dora)
    move(timedelta(weeks=2))
    tick()

    assert series.events.count() == 4
    assert not DueWork.objects.filter(kind=EXTEND, state=DueWork.State.PLANNED).exists()


def test_making_an_event_weekly_twice_makes_one_series(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))
    first = series.events.order_by("starts_at").first()
    assert first is not None

    assert create_series(event_id=first.pk, last_date=None, by=dora) == series
    assert Series.objects.count() == 1


def test_a_series_cannot_end_before_it_begins(dora: User) -> None:
    with pytest.raises(Refused, match="before the first"):
        weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"), date(2027, 6, 5))
    assert not Series.objects.exists()


def test_an_announced_event_can_become_weekly(dora: User) -> None:
    move_to(datetime(2027, 6, 1, tzinfo=UTC))
    plan = Plan(title="Once", zone="Asia/Shanghai", local_start=wall("2027-06-06 20:00"))
    swiss = create_swiss(plan=plan, by=dora, key="a form")
    announce_swiss(event_id=swiss.pk, by=dora)

    series = create_series(event_id=swiss.pk, last_date=None, by=dora)

    assert walls(series)[0] == "06-06 20:00"
    assert series.events.count() == 4


@pytest.mark.django_db(transaction=True)
def test_four_clocks_that_extend_a_series_at_once_announce_each_event_once(dora: User) -> None:
    series = weekly(dora, "Europe/Athens", wall("2027-06-06 20:00"))
    move(timedelta(weeks=2))

    made = at_once(*[partial(extend_series, series_id=series.pk)] * 4)

    assert sorted(made, key=str) == [0, 0, 0, 2]
    assert walls(series)[3:] == ["06-27 20:00", "07-04 20:00", "07-11 20:00"]
