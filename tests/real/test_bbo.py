"""A tournament on Bridge Base Online, scored again from its travellers: cross-IMPs, all of it as published."""

import json
from collections import defaultdict
from decimal import Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules, compare_boards
from bridge.scoring import ns_score
from bridge.seats import vulnerability
from bridge.standings import places
from tests.real.conftest import REAL
from tests.real.readers.bbo import Pair, Row, Tournament, read_tournament

ITEM = "bbo-2196"


@pytest.fixture(scope="module")
def tournament() -> Tournament:
    return read_tournament(REAL / "anonymised" / ITEM)


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{ITEM}.json").read_text())
    return data


@pytest.fixture(scope="module")
def cross_imps(tournament: Tournament) -> list[tuple[Row, Fraction, Fraction]]:
    """Every row with our points of both sides, from the scores that our table gives to its contract."""
    rows = tournament.rows
    board = np.array([row.board - 1 for row in rows])
    score = np.array([0 if row.ns_score is None else score_of(row) for row in rows])
    points = compare_boards(
        board,
        score,
        Rules(Method.CROSS_IMP),
        boards=tournament.boards,
        rulings={
            place: Ruling(Grade.AVERAGE, Grade.AVERAGE)
            for place, row in enumerate(rows)
            if row.ns_score is None
        },
    )
    return [
        (row, Fraction(int(ns), int(each)), Fraction(int(ew), int(each)))
        for row, ns, ew, each in zip(rows, points.ns, points.ew, points.denominator[board], strict=True)
    ]


@pytest.fixture(scope="module")
def totals(cross_imps: list[tuple[Row, Fraction, Fraction]]) -> dict[Pair, Fraction]:
    sums: dict[Pair, Fraction] = defaultdict(Fraction)
    for row, ns, ew in cross_imps:
        sums[row.ns] += ns
        sums[row.ew] += ew
    return sums


def score_of(row: Row) -> int:
    return ns_score(row.contract, row.tricks, vulnerability(row.board))


def printed(points: Fraction) -> Decimal:
    """With two decimals, as published: sixths of an IMP never lie halfway between two of them."""
    assert 6 % points.denominator == 0
    return Decimal(round(points * 100)).scaleb(-2)


def pair_of(names: list[str]) -> Pair:
    return frozenset("Robot" if name == "GiB" else name for name in names)


def test_the_reader_finds_every_row_that_the_tournament_is_known_to_hold(
    tournament: Tournament, expected: dict[str, Any]
) -> None:
    assert [
        (row.board, row.ns, row.ew, row.tricks, row.ns_score, row.ns_points) for row in tournament.rows
    ] == [
        (
            int(board),
            pair_of(row["ns"]),
            pair_of(row["ew"]),
            row.get("tricks"),
            row.get("ns_score"),
            Decimal(row["score_pub"]),
        )
        for board, rows in expected["board_results"].items()
        for row in rows
    ]
    assert [(line.pair, line.imps, line.rank) for line in tournament.totals] == [
        (pair_of(line["pair"]), Decimal(line["score"]), int(line["rank"]))
        for line in expected["published_standings"]
    ]
    assert (tournament.boards, len(tournament.rows)) == (11, 44)


def test_every_contract_scores_what_was_published(tournament: Tournament, expected: dict[str, Any]) -> None:
    played = [row for row in tournament.rows if row.ns_score is not None]
    different = [row for row in played if score_of(row) != row.ns_score]
    assert different == []
    assert (len(played), len(different)) == (42, expected["checks"]["contract_scores_bad"])


def test_every_result_has_the_published_mean_of_its_imps_against_the_other_tables(
    cross_imps: list[tuple[Row, Fraction, Fraction]], expected: dict[str, Any]
) -> None:
    played = [(row, ns, ew) for row, ns, ew in cross_imps if row.ns_score is not None]
    different = [
        (row, ns, ew)
        for row, ns, ew in played
        if (printed(ns), printed(ew)) != (row.ns_points, -row.ns_points)
    ]
    assert different == []
    checks = expected["checks"]
    assert (len(played), len(different)) == (checks["rows_ok"], checks["rows_bad"]) == (42, 0)


def test_an_average_counts_zero_for_both_and_enters_nobodys_mean(
    cross_imps: list[tuple[Row, Fraction, Fraction]],
) -> None:
    averages = [(row, ns, ew) for row, ns, ew in cross_imps if row.ns_score is None]
    assert len(averages) == 2
    assert all(ns == ew == row.ns_points == 0 for row, ns, ew in averages)
    for average, _, _ in averages:
        means = [ns for row, ns, _ in cross_imps if row.board == average.board and row is not average]
        assert len(means) == 3
        assert all(2 % mean.denominator == 0 for mean in means)


def test_every_pair_has_its_published_total_and_rank(
    tournament: Tournament, totals: dict[Pair, Fraction], expected: dict[str, Any]
) -> None:
    different = [line for line in tournament.totals if printed(totals[line.pair]) != line.imps]
    assert different == []
    checks = expected["checks"]
    assert (len(tournament.totals), len(different)) == (checks["standings_ok"], checks["standings_bad"])
    assert (len(tournament.totals), len(totals)) == (8, 8)
    ranks = places([totals[line.pair] for line in tournament.totals])
    assert [str(rank) for rank in ranks] == [str(line.rank) for line in tournament.totals]
