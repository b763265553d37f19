"""Several at once, on real connections. Each promise is tried again with its lock off, and then it must break."""

import threading
from functools import partial
from typing import Any

import pytest
from django.db.models import QuerySet

from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pairs.models import Event, Standing
from apps.pairs.services import publishing
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event, rescore_event
from apps.results import services
from apps.results.models import Comparison, Result
from apps.results.selectors import rows_to_compare, stale_fields
from apps.results.services import Play, change_result, compare_field, record_results
from bridge.awards import Ruling
from bridge.comparison import Method
from tests.factories import make_event, make_play
from tests.faults.state import digest, figures
from tests.faults.threads import at_once

pytestmark = pytest.mark.django_db(transaction=True)
BOARDS = [[420, 450, 400, 420], [50, 100, 50, 50], [-50, 110, 110, 140]]


def taken_out(event: Event, number: int) -> list[Play]:
    """Results of board 1 that are deleted, and the plays that record them again."""
    plays = []
    for result in Result.objects.filter(field_board__field=event.field_id, field_board__board__number=1)[
        :number
    ]:
        assert result.ns_score is not None
        plays.append(make_play(result.ns_score, result.field_board, result.ns, result.ew))
        result.delete()
    return plays


def unlocked(query: "QuerySet[Any]", *_: object, **__: object) -> "QuerySet[Any]":
    return query


@pytest.fixture(params=[True, False], ids=["lock on", "lock off"])
def locked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr(QuerySet, "select_for_update", unlocked)
    return bool(request.param)


def test_a_comparison_never_claims_a_result_that_it_has_not_read(
    locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    event = make_event(BOARDS)
    (play,) = taken_out(event, 1)
    read, recorded = threading.Event(), threading.Event()

    def read_and_wait(boards: list[int]) -> Any:
        rows = rows_to_compare(boards)
        read.set()
        recorded.wait(0.5 if locked else 20)
        return rows

    def record() -> None:
        read.wait(30)
        record_results(field=event.field, plays=[play], source="entered")
        recorded.set()

    monkeypatch.setattr(services, "rows_to_compare", read_and_wait)
    at_once(lambda: compare_field(field_id=event.field_id), record)
    compared = Comparison.objects.get(field_board=play.field_board)
    assert len(compared.results) == 3
    assert (stale_fields() == [event.field_id]) is locked


def test_an_event_is_published_once_however_many_press(locked: bool, monkeypatch: pytest.MonkeyPatch) -> None:
    event = make_event(BOARDS)
    inside = threading.Barrier(2)

    def compare_together(*, field_id: int) -> None:
        try:
            inside.wait(0.5 if locked else 20)
        except threading.BrokenBarrierError:
            compare_field(field_id=field_id)

    monkeypatch.setattr(publishing, "compare_field", compare_together)
    monkeypatch.setattr(publishing, "rank_event", lambda **_: None)
    answers = at_once(*[lambda: publish_event(event_id=event.pk, by=None)] * 2)
    assert (sorted(map(str, answers)) == ["False", "True"]) is locked


def test_two_tables_record_results_of_one_board_at_once() -> None:
    for _ in range(10):
        event = make_event(BOARDS)
        first, second = taken_out(event, 2)
        field = event.field
        answers = at_once(
            *[
                partial(record_results, field=field, plays=[play], source="entered")
                for play in (first, second)
            ],
            partial(compare_field, field_id=field.pk),
        )
        assert answers[:2] == [1, 1]
        compare_field(field_id=field.pk)
        assert len(Comparison.objects.get(field_board=first.field_board).results) == 4


def test_of_two_results_for_one_pair_and_board_one_stays() -> None:
    event = make_event(BOARDS)
    (play,) = taken_out(event, 1)
    answers = at_once(*[lambda: record_results(field=event.field, plays=[play], source="entered")] * 4)
    assert answers.count(1) == 1
    assert play.field_board.results.count() == 4


def test_two_directors_rule_at_once_and_the_history_holds_both() -> None:
    event = make_event(BOARDS)
    result = Result.objects.earliest("pk")
    at_once(
        *[
            partial(
                change_result, result_id=result.pk, by=None, reason=str(score), ruling=Ruling.assigned(score)
            )
            for score in (100, 200)
        ]
    )
    first, second = result.changes.all()
    assert first.after == second.before
    assert first.before["ruling"] is None
    assert stale_fields() == [event.field_id]


def test_everything_at_once_ends_in_the_same_figures() -> None:
    event = make_event(BOARDS, method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    undisturbed, rows = figures(event), digest()
    answers = at_once(
        lambda: compare_field(field_id=event.field_id, everything=True),
        lambda: rank_event(event_id=event.pk),
        lambda: rescore_event(event_id=event.pk),
        lambda: award_event(event_id=event.pk),
        lambda: publish_event(event_id=event.pk, by=None),
        lambda: rescore_event(event_id=event.pk),
    )
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert figures(event) == undisturbed
    assert digest() == rows


def test_the_ledger_gets_each_award_once(locked: bool) -> None:
    """The lock keeps two workers apart; without it the key of the table refuses what would be a second award."""
    event = make_event(BOARDS)
    publish_event(event_id=event.pk, by=None)
    answers = at_once(*[lambda: award_event(event_id=event.pk)] * 4)
    if locked:
        assert not [answer for answer in answers if isinstance(answer, Exception)]
    deserved = sum(2 * each.masterpoints for each in Standing.objects.filter(event=event, session=0))
    assert sum(award.points for award in Award.objects.all()) == deserved
