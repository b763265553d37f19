"""A whole event with known answers: seats, byes, totals, ranks and master points of the vector's seven pairs."""

import json
from pathlib import Path
from typing import Any

import pytest

from apps.clock.time import now
from apps.pairs.models import Round, RoundScore, Seat, Standing, Swiss
from apps.pairs.services import rounds
from apps.pairs.services.round_scores import rank_by_rounds, standing_order
from bridge.comparison import Method
from bridge.round_scores import bye_score
from tests.pairs.evening import enter_pairs, make_swiss, reload, start

pytestmark = pytest.mark.django_db
VECTORS = Path(__file__).parents[1] / "data" / "vectors"


def test_the_known_event_of_seven_pairs_comes_out_as_it_should() -> None:
    known = json.loads((VECTORS / "swiss_small.json").read_text())["tournament"]
    swiss = make_swiss(method=Method.BUTLER, rounds=3, boards=4)
    swiss.event.finish_percent = 75  # nine of twelve boards
    swiss.event.save()
    order = {entry.pk: entry.contestant.order for entry in enter_pairs(swiss, 7)}
    start(swiss)
    for number, expected in enumerate(known["rounds"], 1):
        if number > 1:
            assert rounds.open_round(event_id=swiss.pk, number=number)
        current = Round.objects.get(swiss=swiss, number=number)
        seats = {
            (seat.table, seat.side): order[seat.contestant_id] for seat in Seat.objects.filter(round=current)
        }
        assert seats == _expected_seats(expected)
        _score(swiss, current, expected, {pair: pk for pk, pair in order.items()})
        totals = {
            str(order[each.contestant]): [each.total, each.completed]
            for each in standing_order(swiss=reload(swiss))
        }
        assert totals == expected["totals_after"]
    assert rounds.finish(event_id=swiss.pk)
    standings = list(Standing.objects.filter(event_id=swiss.pk))
    assert [order[standing.contestant_id] for standing in standings] == known["final_ranking"]
    assert {str(order[each.contestant_id]): each.masterpoints for each in standings} == known["master_points"]
    assert rank_by_rounds(swiss=reload(swiss)) == 7


def _expected_seats(expected: dict[str, Any]) -> dict[tuple[int | None, str], int]:
    seats: dict[tuple[int | None, str], int] = {(None, ""): expected["bye"]}
    for table in expected["tables"]:
        seats |= {(table["table"], "NS"): table["ns"], (table["table"], "EW"): table["ew"]}
    return seats


def _score(swiss: Swiss, current: Round, expected: dict[str, Any], pair: dict[int, int]) -> None:
    """What the results of the round sum to, and the score of the bye."""
    sits_out = pair[expected["bye"]]
    bye = bye_score(Method.BUTLER, by_vps=False, boards=swiss.boards, tables=len(expected["tables"]))
    RoundScore.objects.create(
        round=current,
        contestant_id=sits_out,
        kind=RoundScore.Kind.BYE,
        numerator=bye.numerator,
        completed=swiss.boards,
    )
    for table, result in zip(expected["tables"], expected["results"], strict=True):
        for side, sign in (("ns", 1), ("ew", -1)):
            RoundScore.objects.create(
                round=current,
                contestant_id=pair[table[side]],
                kind=RoundScore.Kind.PLAYED,
                numerator=sign * result["ns_imps"],
                completed=result["boards_completed"],
            )
    Round.objects.filter(pk=current.pk).update(state=Round.State.CLOSED, closed_at=now())
