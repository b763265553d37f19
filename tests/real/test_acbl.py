"""A club game of the ACBL, Howell with six tables: contracts in, printed scores, matchpoints and ranking out."""

import json
from collections import Counter
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from typing import Any

import numpy as np
import pytest

from bridge.comparison import FieldPoints, Method, Rules, compare_board, compare_boards, totals
from bridge.contracts import result_text
from bridge.scoring import ns_score
from bridge.seats import vulnerability
from bridge.standings import places
from tests.real.conftest import REAL
from tests.real.readers.acbl import Game, Row, read_game

ITEM = "acbl-club-howell-6t"
RULES = Rules(Method.MP)
OURS_PER_ACBL = 2  # ACBL counts 1 for a pair beaten, we count 2


@pytest.fixture(scope="module")
def game() -> Game:
    return read_game(REAL / "anonymised" / ITEM / "game.json")


@pytest.fixture(scope="module")
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{ITEM}.json").read_text())
    return data


def score_of(row: Row) -> int:
    return ns_score(row.contract, row.tricks, vulnerability(row.board))


def compared(game: Game) -> FieldPoints:
    """The matchpoints of the whole game, from scores that were computed from the contracts."""
    board = np.array([row.board - 1 for row in game.rows])
    score = np.array([score_of(row) for row in game.rows])
    return compare_boards(board, score, RULES, boards=game.boards)


def totals_of(game: Game) -> dict[str, Fraction]:
    """Each pair's sum on ACBL's scale."""
    points = compared(game)
    denominator = points.denominator[[row.board - 1 for row in game.rows]]
    pairs = [line.pair for line in game.standings]
    place = {pair: number for number, pair in enumerate(pairs)}
    ns, ew = ([place[getattr(row, side)] for row in game.rows] for side in ("ns", "ew"))
    sums = totals(
        np.array(ns + ew),
        np.concatenate((points.ns, points.ew)),
        np.concatenate((denominator, denominator)),
        len(pairs),
    )
    return {pair: total / OURS_PER_ACBL for pair, total in zip(pairs, sums, strict=True)}


def boards_played(game: Game) -> Counter[str]:
    return Counter(pair for row in game.rows for pair in (row.ns, row.ew))


def rounded(value: Fraction) -> Decimal:
    return (Decimal(value.numerator) / value.denominator).quantize(Decimal("0.01"), ROUND_HALF_UP)


def test_the_file_holds_the_rows_that_the_expectation_lists(game: Game, expected: dict[str, Any]) -> None:
    read = {}
    for row in game.rows:
        assert row.contract is not None and row.contract.declarer is not None and row.tricks is not None
        read[row.board, row.round, row.table] = (
            row.ns,
            row.ew,
            f"{row.contract.level} {row.contract.strain.text}{row.contract.doubling.text}",
            row.contract.declarer.letter,
            result_text(row.contract, row.tricks).replace("−", "-"),
            str(row.ns_score),
            str(row.ns_points),
            str(row.ew_points),
        )
    assert read == {
        (int(board), row[0], row[1]): tuple(row[2:])
        for board, rows in expected["board_results"].items()
        for row in rows
    }


def test_every_contract_is_worth_the_score_that_acbl_printed(game: Game, expected: dict[str, Any]) -> None:
    wrong = [row for row in game.rows if score_of(row) != row.ns_score]

    assert wrong == []
    assert len(game.rows) == expected["checks"]["contract_scores_ok"] == 90
    assert expected["checks"]["contract_scores_bad"] == 0


def test_the_printed_matchpoints_are_half_of_ours_in_every_row(game: Game, expected: dict[str, Any]) -> None:
    points = compared(game)
    wrong = []
    for place, row in enumerate(game.rows):
        denominator = int(points.denominator[row.board - 1]) * OURS_PER_ACBL
        ours = Fraction(int(points.ns[place]), denominator), Fraction(int(points.ew[place]), denominator)
        if ours != (Fraction(row.ns_points), Fraction(row.ew_points)):
            wrong.append((row, ours))

    assert wrong == []
    assert len(game.rows) == expected["checks"]["matchpoints_ok"] == 90
    assert expected["checks"]["matchpoints_bad"] == 0


def test_one_board_at_a_time_gives_the_printed_matchpoints_and_top(game: Game) -> None:
    for board in range(1, game.boards + 1):
        rows = [row for row in game.rows if row.board == board]
        points = compare_board([score_of(row) for row in rows], RULES)

        assert [each / OURS_PER_ACBL for each in points.ns] == [Fraction(row.ns_points) for row in rows]
        assert [each / OURS_PER_ACBL for each in points.ew] == [Fraction(row.ew_points) for row in rows]
        assert points.top == game.top * OURS_PER_ACBL


def test_every_pair_has_the_score_and_the_percentage_that_acbl_printed(
    game: Game, expected: dict[str, Any]
) -> None:
    sums, played = totals_of(game), boards_played(game)
    ours = {}
    for line in game.standings:
        score = rounded(sums[line.pair] * game.boards / played[line.pair])
        percent = rounded(100 * Fraction(score) / (game.boards * game.top))
        ours[line.pair] = played[line.pair], score, percent

    assert ours == {line.pair: (line.boards, line.score, line.percent) for line in game.standings}
    assert ours == {
        line["pair"]: (line["boards"], Decimal(line["score"]), Decimal(line["pct"]))
        for line in expected["published_standings"]
    }
    assert len(ours) == expected["checks"]["pct_ok"] == expected["checks"]["pct_rows"] == 11


def test_the_exact_scores_rank_the_first_pairs_as_acbl_did(game: Game) -> None:
    sums, played = totals_of(game), boards_played(game)
    order = places([sums[line.pair] / played[line.pair] for line in game.standings])
    ours = {line.pair: str(place) for line, place in zip(game.standings, order, strict=True)}

    printed = {line.pair: line.ranks[1] for line in game.standings if 1 in line.ranks}

    assert printed == {"5": "1/2", "6": "1/2", "1": "3", "2": "4"}
    assert {pair: ours[pair] for pair in printed} == {"5": "1=", "6": "1=", "1": "3", "2": "4"}
