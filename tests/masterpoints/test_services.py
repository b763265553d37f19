from decimal import Decimal

import pytest
from django.db.models import Sum

from apps.masterpoints.models import Award
from apps.masterpoints.selectors import unbalanced_events
from apps.masterpoints.services import award_event
from apps.masterpoints.tasks import sweep
from apps.pairs.models import Event, Standing
from apps.pairs.services.publishing import publish_event, unpublish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant
from tests.factories import make_event

TEN_TABLES = [[-10 * table for table in range(10)] for _ in range(2)]


@pytest.fixture
def event(db: None) -> Event:
    made = make_event(TEN_TABLES)
    publish_event(event_id=made.pk, by=None)
    return made


def points_of(label: str) -> Decimal:
    ledger = Award.objects.filter(player__memberships__contestant__label=label)
    return Decimal(ledger.aggregate(Sum("points"))["points__sum"] or 0)


def test_a_draft_awards_nothing(db: None) -> None:
    event = make_event(TEN_TABLES)
    rank_event(event_id=event.pk)
    assert award_event(event_id=event.pk) == 0
    assert unbalanced_events() == []


def test_the_sweep_awards_what_a_lost_message_left_out(event: Event) -> None:
    assert unbalanced_events() == [event.pk]
    sweep()
    assert unbalanced_events() == []
    entries = Award.objects.count()
    sweep()
    assert Award.objects.count() == entries


def test_an_event_that_awards_none_has_no_ledger(db: None) -> None:
    made = make_event(TEN_TABLES)
    Event.objects.filter(pk=made.pk).update(awards_masterpoints=False)
    publish_event(event_id=made.pk, by=None)
    assert award_event(event_id=made.pk) == 0


def test_publication_taken_back_takes_the_points_back_by_new_entries(event: Event) -> None:
    award_event(event_id=event.pk)
    entries = list(Award.objects.order_by("pk").values_list("pk", "points"))
    assert unpublish_event(event_id=event.pk, by=None)
    assert not unpublish_event(event_id=event.pk, by=None)
    sweep()
    assert Award.objects.aggregate(Sum("points"))["points__sum"] == 0
    assert list(Award.objects.order_by("pk").values_list("pk", "points"))[: len(entries)] == entries
    assert publish_event(event_id=event.pk, by=None)
    sweep()
    assert set(Award.objects.values_list("entry", flat=True)) == {1, 2, 3}
    assert Award.objects.aggregate(Sum("points"))["points__sum"] == sum(points for _, points in entries)


def test_disqualified_pairs_lose_rank_and_points_and_the_others_move_up(event: Event) -> None:
    """Those ranked 2 and 7 of 10; the boards stay as they were compared."""
    award_event(event_id=event.pk)
    north_south = Standing.objects.filter(event=event, session=0, contestant__direction="NS")
    assert len({standing.rank for standing in north_south}) < 10  # IMPs tie
    ordered = [standing.contestant_id for standing in north_south.order_by("position")]
    for place in (2, 7):
        Contestant.objects.filter(pk=ordered[place - 1]).update(status=Contestant.Status.DISQUALIFIED)
    rank_event(event_id=event.pk)
    award_event(event_id=event.pk)
    after = list(north_south.order_by("position"))
    assert [standing.contestant_id for standing in after[8:]] == [ordered[1], ordered[6]]
    assert [standing.rank for standing in after[8:]] == [None, None]
    assert [standing.position for standing in after] == list(range(1, 11))
    for standing in Standing.objects.filter(event=event, session=0).select_related("contestant"):
        assert points_of(standing.contestant.label) == 2 * standing.masterpoints
