"""The EBU's example of Neuberg's formula: a board with ten results where eleven were expected."""

import csv
import json
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bridge.comparison import Method, Rules, compare_board, compare_boards
from bridge.matchpoints import matchpoints, neuberg
from tests.real.conftest import REAL

ITEM = "mp-neuberg-example"


@pytest.fixture
def scores() -> list[int]:
    with (REAL / "anonymised" / ITEM / "board.csv").open(newline="") as file:
        return [int(row["ns_score"]) for row in csv.DictReader(file)]


@pytest.fixture
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        (REAL / "expectations" / f"{ITEM}.json").read_text(), parse_float=Fraction
    )
    return data


def test_all_ten_results_get_the_matchpoints_of_the_article(
    scores: list[int], expected: dict[str, Any]
) -> None:
    points = compare_board(scores, Rules(Method.MP, expected=expected["expected_results"]))
    rows = list(zip(scores, points.ns, strict=True))

    assert rows == [(score, printed) for score, printed in expected["ns_score_and_mp"]]
    assert len(rows) == expected["checks"]["mp_ok"] == 10
    assert expected["checks"]["mp_bad"] == 0


def test_the_column_sums_to_ten_averages_and_both_sides_to_the_top(
    scores: list[int], expected: dict[str, Any]
) -> None:
    points = compare_board(scores, Rules(Method.MP, expected=expected["expected_results"]))

    assert points.top == 20
    assert sum(points.ns) == sum(points.ew) == 100
    assert [ns + ew for ns, ew in zip(points.ns, points.ew, strict=True)] == [20] * 10


def test_the_formula_on_plain_matchpoints_gives_the_same_figures(
    scores: list[int], expected: dict[str, Any]
) -> None:
    results, of = len(scores), expected["expected_results"]

    assert [neuberg(points, results, of) for points in matchpoints(scores)] == [
        printed for _, printed in expected["ns_score_and_mp"]
    ]


def test_beside_a_board_with_eleven_results_the_ten_are_brought_to_eleven(
    scores: list[int], expected: dict[str, Any]
) -> None:
    full = [*scores, -100]
    board = np.array([0] * len(scores) + [1] * len(full))
    points = compare_boards(board, np.array(scores + full), Rules(Method.MP), boards=2)

    assert [Fraction(int(ns), int(points.denominator[0])) for ns in points.ns[: len(scores)]] == [
        printed for _, printed in expected["ns_score_and_mp"]
    ]
    assert (points.top / points.denominator).tolist() == [20, 20]
