"""A Polish club's evening of cross-IMPs, scored again from its pages; KoPS took two IMPs off one comparison."""

import json
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bridge.comparison import Method, Rules, compare_boards
from bridge.imps import imps
from bridge.scoring import ns_score
from bridge.seats import vulnerability
from bridge.standings import places
from tests.real.conftest import REAL
from tests.real.readers.kops import Event, Row, read_event

ITEM = "kops-sm0807"


@pytest.fixture(scope="module")
def event() -> Event:
    return read_event(REAL / "anonymised" / ITEM)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{ITEM}.json").read_text())
    return data


@pytest.fixture(scope="module")
def cross_imps(event: Event) -> list[tuple[Row, Fraction, Fraction]]:
    """Every row with our points of both sides, from the scores that our table gives to its contract."""
    board = np.array([row.board - 1 for row in event.rows])
    score = np.array([score_of(row) for row in event.rows])
    points = compare_boards(board, score, Rules(Method.CROSS_IMP), boards=event.boards)
    return [
        (row, Fraction(int(ns), int(each)), Fraction(int(ew), int(each)))
        for row, ns, ew, each in zip(event.rows, points.ns, points.ew, points.denominator[board], strict=True)
    ]


@pytest.fixture(scope="module")
def totals(cross_imps: list[tuple[Row, Fraction, Fraction]]) -> dict[int, Fraction]:
    sums: dict[int, Fraction] = defaultdict(Fraction)
    for row, ns, ew in cross_imps:
        sums[row.ns] += ns
        sums[row.ew] += ew
    return sums


def score_of(row: Row) -> int:
    return ns_score(row.contract, row.tricks, vulnerability(row.board))


def printed(points: Fraction, digits: int) -> Decimal:
    """As the program prints it: thirds of an IMP never lie halfway between two decimals."""
    assert points.denominator in (1, 3)
    return Decimal(round(points * 10**digits)).scaleb(-digits)


def test_the_reader_finds_every_result_that_the_event_is_known_to_hold(
    event: Event, expected: dict[str, Any]
) -> None:
    known = [
        (int(board), row["ns"], row["ew"], row["tricks"], row["ns_score"], row["ns_pub"], row["ew_pub"])
        for board, rows in expected["board_results"].items()
        for row in rows
    ]
    read = [
        (row.board, row.ns, row.ew, row.tricks, row.ns_score, float(row.ns_points), float(row.ew_points))
        for row in event.rows
    ]
    assert sorted(read) == sorted(known)
    ranking = [{"rank": line.rank, "pair": line.pair, "imps": float(line.imps)} for line in event.ranking]
    assert ranking == expected["published_standings"]


def test_the_pair_that_meets_the_missing_number_sits_out_once_on_every_board(event: Event) -> None:
    assert [bye.board for bye in event.byes] == list(range(1, 28))
    assert {6 in (bye.ns, bye.ew) for bye in event.byes} == {True}


def test_every_contract_scores_what_was_printed(event: Event, expected: dict[str, Any]) -> None:
    different = [row for row in event.rows if score_of(row) != row.ns_score]
    assert different == []
    checks = expected["checks"]
    assert (len(event.rows), len(different)) == (108, 0)
    assert (checks["contract_scores_ok"], checks["contract_scores_bad"]) == (108, 0)


def test_cross_imps_differ_in_the_two_rows_of_board_22_and_nowhere_else(
    cross_imps: list[tuple[Row, Fraction, Fraction]], expected: dict[str, Any]
) -> None:
    different = {
        (row.board, row.ns, row.ew): (ns, row.ns_points)
        for row, ns, ew in cross_imps
        if (printed(ns, 1), printed(ew, 1)) != (row.ns_points, row.ew_points)
    }
    assert different == {
        (22, 1, 10): (Fraction(46, 3), Decimal("14.7")),
        (22, 5, 9): (Fraction(-49, 3), Decimal("-15.7")),
    }
    assert [list(row) for row in different] == expected["known_inconsistent_rows"]
    checks = expected["checks"]
    assert (len(cross_imps) - len(different), len(different)) == (106, 2)
    assert (checks["ximp_ok"], checks["ximp_bad"]) == (106, 2)


def test_a_difference_of_2080_points_is_19_imps_and_was_printed_as_17(
    cross_imps: list[tuple[Row, Fraction, Fraction]],
) -> None:
    (plus, minus) = (
        (row, ns) for row, ns, _ in cross_imps if row.board == 22 and row.ns_score in (420, -1660)
    )
    assert plus[0].ns_score - minus[0].ns_score == 2080
    assert imps(2080) == 19
    lost = Fraction(19 - 17, 3)
    assert printed(plus[1] - lost, 1) == plus[0].ns_points
    assert printed(minus[1] + lost, 1) == minus[0].ns_points


def test_five_totals_are_the_printed_ones_and_four_are_off_by_two_thirds_of_an_imp(
    event: Event, totals: dict[int, Fraction], expected: dict[str, Any]
) -> None:
    published = {line.pair: Fraction(round(3 * line.imps), 3) for line in event.ranking}
    assert [printed(published[line.pair], 2) for line in event.ranking] == [
        line.imps for line in event.ranking
    ]
    off = {pair: totals[pair] - total for pair, total in published.items() if totals[pair] != total}
    two_thirds = Fraction(2, 3)
    assert off == {1: two_thirds, 9: two_thirds, 5: -two_thirds, 10: -two_thirds}
    checks = expected["checks"]
    assert (len(event.ranking) - len(off), len(off)) == (5, 4)
    assert (checks["standings_ok"], checks["standings_bad"]) == (5, 4)


def test_the_ranks_are_the_printed_ones(event: Event, totals: dict[int, Fraction]) -> None:
    ranks = places([totals[line.pair] for line in event.ranking])
    assert [str(rank) for rank in ranks] == [str(line.rank) for line in event.ranking]
    assert sorted(totals) == [1, 2, 3, 4, 5, 7, 8, 9, 10]
