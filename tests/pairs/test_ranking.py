from decimal import Decimal
from fractions import Fraction

import pytest
from django.test import Client

from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pairs.models import Event, Standing
from apps.pairs.selectors import unranked_events
from apps.pairs.services.publishing import discard_event, publish_event, unpublish_event
from apps.pairs.services.ranking import rank_event, rescore_event
from apps.results.models import Contestant, Penalty, Result
from apps.results.services import change_result, compare_field, record_results
from bridge.awards import Ruling
from bridge.comparison import Method
from tests.factories import make_event, make_play, make_user

BOARDS = [[420, 450, 400, 420], [50, 100, 50, 50], [-50, 110, 110, 140]]


def ranks(event: Event, direction: str = "NS") -> list[tuple[str, str, Fraction]]:
    return [
        (str(standing.rank or "–") + "=" * standing.tied, standing.contestant.label, standing.score)
        for standing in Standing.objects.filter(event=event, session=0, contestant__direction=direction)
        .select_related("contestant")
        .order_by("position")
    ]


def rows(event: Event) -> list[tuple[object, ...]]:
    fields = (
        "contestant",
        "session",
        "rank",
        "tied",
        "position",
        "boards",
        "score_numerator",
        "masterpoints",
    )
    return list(Standing.objects.filter(event=event).order_by("session", "contestant").values_list(*fields))


@pytest.mark.django_db
def test_two_winners_have_two_lists() -> None:
    event = make_event(BOARDS, method=Method.MP)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    assert ranks(event) == [
        ("1", "2 NS", Fraction(15, 18) * 100),
        ("2", "4 NS", Fraction(11, 18) * 100),
        ("3=", "1 NS", Fraction(5, 18) * 100),
        ("3=", "3 NS", Fraction(5, 18) * 100),
    ]
    assert [row[0] for row in ranks(event, "EW")] == ["1=", "1=", "3", "4"]


@pytest.mark.django_db
def test_equal_pairs_keep_one_order_whatever_was_entered_first(client: Client) -> None:
    event = make_event([[50, 50, 50, 110]], method=Method.MP, winners=1)
    publish_event(event_id=event.pk, by=None)

    def shown() -> list[tuple[str, str]]:
        (ranking,) = client.get(event.get_absolute_url()).context["lists"]
        return [(line.place, line.pair.label) for line in ranking.lines]

    first = shown()
    equal = [("2=", "1 EW"), ("2=", "2 EW"), ("2=", "3 EW"), ("5=", "1 NS"), ("5=", "2 NS"), ("5=", "3 NS")]
    assert [line for line in first if line[0].endswith("=")] == equal
    assert [shown() for _ in range(10)] == [first] * 10

    change_result(result_id=Result.objects.get(ns__label="4 NS").pk, by=None, reason="overtrick", score=140)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    assert shown() == first

    rows = list(Result.objects.select_related("field_board__board", "ns", "ew").order_by("pk"))
    plays = [make_play(row.ns_score or 0, row.field_board, row.ns, row.ew) for row in rows]
    Result.objects.all().delete()
    for play in reversed(plays):
        record_results(field=event.field, plays=[play], source=Result.Source.ENTERED)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    assert shown() == first


@pytest.mark.django_db
def test_ranking_twice_writes_the_same_rows() -> None:
    event = make_event(BOARDS)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    first = rows(event)
    rank_event(event_id=event.pk)
    rescore_event(event_id=event.pk)
    assert rows(event) == first
    assert unranked_events() == []


@pytest.mark.django_db
def test_withdrawn_pairs_and_those_with_too_few_boards_are_not_ranked() -> None:
    event = make_event([*BOARDS, [None, 50, 50, 50], [None, 0, 0, 0]])
    Contestant.objects.filter(field=event.field, label="2 NS").update(status="withdrawn")
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    assert [row[:2] for row in ranks(event)][2:] == [("–", "2 NS"), ("–", "1 NS")]
    assert [row[0].rstrip("=") for row in ranks(event)][:2] == ["1", "2"]


@pytest.mark.django_db
def test_a_penalty_is_taken_off_and_named() -> None:
    event = make_event(BOARDS)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    before = Standing.objects.get(event=event, contestant__label="2 NS")
    Penalty.objects.create(contestant=before.contestant, points=Decimal("2.50"), reason="slow play")
    rank_event(event_id=event.pk)
    after = Standing.objects.get(event=event, contestant__label="2 NS")
    assert before.score - after.score == Fraction(5, 2)
    assert after.penalty == Decimal("2.50")


@pytest.mark.django_db
def test_publishing_twice_has_one_effect_and_awards_once() -> None:
    event, director = make_event(BOARDS), make_user(director=True)
    assert publish_event(event_id=event.pk, by=director)
    assert not publish_event(event_id=event.pk, by=director)
    assert award_event(event_id=event.pk) > 0
    assert award_event(event_id=event.pk) == 0
    assert set(Award.objects.values_list("entry", flat=True)) == {1}
    total = sum(standing.masterpoints * 2 for standing in Standing.objects.filter(event=event, session=0))
    assert sum(Award.objects.values_list("points", flat=True)) == total


@pytest.mark.django_db
def test_a_later_ruling_corrects_the_ledger_by_an_entry_of_its_own() -> None:
    event = make_event(BOARDS)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    first = list(Award.objects.order_by("pk").values_list("pk", "points"))
    best = Standing.objects.get(event=event, session=0, contestant__direction="NS", rank=1).contestant
    for result in Result.objects.filter(ns=best):
        change_result(result_id=result.pk, by=None, reason="wrong pair", ruling=Ruling.assigned(-1100))
    compare_field(field_id=event.field_id)
    assert unranked_events() == [event.pk]
    rank_event(event_id=event.pk)
    assert award_event(event_id=event.pk) > 0
    assert list(Award.objects.order_by("pk").values_list("pk", "points"))[: len(first)] == first
    for player in best.players.all():
        standing = Standing.objects.get(event=event, session=0, contestant=best)
        assert (
            sum(Award.objects.filter(player=player).values_list("points", flat=True)) == standing.masterpoints
        )


@pytest.mark.django_db
def test_a_draft_is_discarded_whole_and_a_published_event_stays() -> None:
    draft = make_event(BOARDS)
    assert discard_event(event_id=draft.pk)
    assert not discard_event(event_id=draft.pk)
    assert not Event.objects.exists()
    assert not Result.objects.exists()
    event = make_event(BOARDS)
    publish_event(event_id=event.pk, by=None)
    assert not discard_event(event_id=event.pk)
    assert Event.objects.filter(pk=event.pk).exists()


@pytest.mark.django_db
def test_an_event_that_gave_master_points_is_not_discarded() -> None:
    event = make_event(BOARDS)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    unpublish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    assert not discard_event(event_id=event.pk)
    assert sum(Award.objects.values_list("points", flat=True)) == 0
