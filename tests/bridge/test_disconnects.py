"""Who leaves a board pays for it, by the vectors; nobody does when nobody is to blame."""

import csv

import pytest

from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules, compare_board
from bridge.disconnects import Consequence, Game, Penalties, consequence
from bridge.seats import Seat, Side
from tests.bridge.test_vectors import VECTORS

LEAVER, PARTNER = Seat.EAST, Seat.WEST
OTHERS = [seat for seat in Seat if seat is not LEAVER]


def vectors() -> dict[str, dict[str, str]]:
    with (VECTORS / "penalty.csv").open(encoding="utf-8", newline="") as file:
        return {row["case"]: row for row in csv.DictReader(file)}


def points(case: str) -> int:
    return int(vectors()[case]["points"])


def test_the_vectors_are_all_there() -> None:
    assert list(vectors()) == [f"P0{number}" for number in range(1, 10)]


def test_in_the_high_card_game_the_leaver_pays_the_other_three() -> None:
    follows = consequence(Game.HIGH_CARDS, {LEAVER})
    assert follows.points[LEAVER] == points("P01")
    assert {follows.points[seat] for seat in OTHERS} == {points("P02")}
    assert sum(follows.points) == -5
    assert (follows.ruling, follows.rate_zero, follows.void) == (None, frozenset(), True)


def test_in_the_weekly_pool_the_leaver_alone_loses_points_and_rate() -> None:
    follows = consequence(Game.WEEKLY, {LEAVER})
    assert follows.points[LEAVER] == points("P03")
    assert follows.points[PARTNER] == points("P04")
    assert {follows.points[seat] for seat in OTHERS} == {points("P05")}
    assert (follows.rate_zero, follows.void) == (frozenset({LEAVER}), True)


@pytest.mark.parametrize("method", [Method.BUTLER, Method.CROSS_IMP])
def test_in_an_event_by_imps_the_side_that_left_gets_minus_three(method: Method) -> None:
    ruling = consequence(Game.EVENT, {LEAVER}).ruling
    assert ruling is not None
    given = compare_board([420, -50, 170, ruling], Rules(method))
    assert given.ew[3] == points("P06")
    assert given.ns[3] == points("P07")


def test_in_an_event_by_matchpoints_it_is_40_to_60() -> None:
    ruling = consequence(Game.EVENT, {Seat.NORTH, Seat.SOUTH}).ruling
    assert ruling is not None
    assert isinstance(ruling.ns, Grade)
    assert isinstance(ruling.ew, Grade)
    assert f"{ruling.ns.percent}% / {ruling.ew.percent}%" == vectors()["P08"]["points"]


@pytest.mark.parametrize("game", Game)
def test_nobody_pays_when_the_server_failed_or_both_sides_are_gone(game: Game) -> None:
    for gone, failed in (({LEAVER}, True), ({LEAVER, Seat.NORTH}, False), (set(Seat), False)):
        follows = consequence(game, gone, server_fault=failed)
        assert follows == Consequence()
        assert set(follows.points) == {points("P09")}
        assert follows.void


@pytest.mark.parametrize("side", Side)
def test_average_minus_goes_to_the_side_that_left(side: Side) -> None:
    gone = {seat for seat in Seat if seat.side is side}
    follows = consequence(Game.EVENT, gone)
    expected = {side: Grade.MINUS, side.opponents: Grade.PLUS}
    assert follows.ruling == Ruling(expected[Side.NS], expected[Side.EW])
    assert not follows.void


def test_both_partners_pay_when_both_left_and_a_site_sets_its_own_figures() -> None:
    own = Penalties(high_cards=30, high_cards_others=10, weekly=8)
    assert consequence(Game.HIGH_CARDS, {LEAVER, PARTNER}, penalties=own).points == (10, -30, 10, -30)
    assert consequence(Game.WEEKLY, {LEAVER, PARTNER}, penalties=own).points == (0, -8, 0, -8)
