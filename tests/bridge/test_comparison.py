"""The vectorised comparison does what the plain one says, on everything."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.awards import Award, Grade, Mixture, Ruling, Stated
from bridge.comparison import NO_DATUM, Method, Rules, compare_board, compare_boards, totals
from bridge.datum import KNOWN_RULES, DatumRule, Rounding, Trim

SCORES = st.sampled_from([0, 50, -50, 90, 110, -110, 140, 170, 420, 450, -420, 620, -800, 1430, 7600, -7600])
MIXTURES = st.one_of(
    SCORES.map(lambda score: Mixture(((Fraction(1), score),))),
    st.tuples(SCORES, SCORES).map(lambda two: Mixture(((Fraction(1, 3), two[0]), (Fraction(2, 3), two[1])))),
)
AWARDS: st.SearchStrategy[Award] = st.one_of(
    st.sampled_from(list(Grade)), st.sampled_from([40, 55, 60]).map(lambda p: Stated(Fraction(p))), MIXTURES
)
ROWS = st.one_of(
    SCORES, SCORES, SCORES, SCORES, st.builds(Ruling, AWARDS, AWARDS), SCORES.map(Ruling.assigned)
)
FIELDS = st.lists(st.lists(ROWS, max_size=9), min_size=1, max_size=4) | st.lists(
    st.lists(SCORES, min_size=66, max_size=90), min_size=1, max_size=2
)
RULES = st.builds(
    Rules,
    st.sampled_from(list(Method)),
    st.sampled_from(KNOWN_RULES),
    st.sampled_from([None, None, 5, 12]),
    st.booleans(),
)


def agree(field: list[list[int | Ruling]], rules: Rules) -> None:
    """The points of a whole field are those of its boards one by one."""
    flat = [row for board in field for row in board]
    sizes = [len(board) for board in field]
    at_once = compare_boards(
        np.repeat(np.arange(len(field)), sizes),
        np.array([row if isinstance(row, int) else 0 for row in flat], np.int16),
        rules,
        boards=len(field),
        rulings={place: row for place, row in enumerate(flat) if isinstance(row, Ruling)},
    )
    start = 0
    for number, board in enumerate(field):
        one = compare_board(board, rules, max(sizes))
        denominator, end = int(at_once.denominator[number]), start + len(board)
        assert tuple(Fraction(int(points), denominator) for points in at_once.ns[start:end]) == one.ns
        assert tuple(Fraction(int(points), denominator) for points in at_once.ew[start:end]) == one.ew
        assert tuple(at_once.dropped[start:end]) == one.dropped
        if board:
            assert at_once.datum[number] == (NO_DATUM if one.datum is None else one.datum)
            assert Fraction(int(at_once.top[number]), denominator) == (one.top or 0)
        start = end


@settings(max_examples=300, deadline=None, derandomize=True)
@given(FIELDS, RULES)
def test_whole_fields_are_scored_as_their_boards_are(field: list[list[int | Ruling]], rules: Rules) -> None:
    agree(field, rules)


@settings(max_examples=40, deadline=None, derandomize=True)
@given(st.lists(st.lists(ROWS, max_size=5), min_size=45, max_size=70), RULES)
def test_many_boards_with_scores_of_every_size_are_scored_as_each_is(
    field: list[list[int | Ruling]], rules: Rules
) -> None:
    """So many that they are not counted all at once."""
    agree([[7600, -7600], *field], rules)


@settings(max_examples=12, deadline=None, derandomize=True)
@given(st.lists(ROWS, min_size=2, max_size=60), st.integers(0, 999), RULES)
def test_one_board_of_tens_of_thousands_is_scored_as_the_plain_way_says(
    rows: list[int | Ruling], seed: int, rules: Rules
) -> None:
    draw = np.random.default_rng(seed)
    agree([[rows[place] for place in draw.integers(0, len(rows), 2**15 + 1).tolist()], [420]], rules)


@pytest.mark.parametrize("method", list(Method))
@pytest.mark.parametrize(
    "rule", [DatumRule(), DatumRule(Trim(fixed=700), Rounding.HALF_UP), DatumRule(Trim())]
)
def test_a_field_of_thousands_is_scored_as_a_small_one_is(method: Method, rule: DatumRule) -> None:
    """Large boards are counted, small ones sorted."""
    draw = np.random.default_rng(40)
    scores = 10 * draw.choice([-80, -62, -5, 0, 5, 11, 14, 42, 45], size=3400)
    scores[1700:] = 420  # a board on which everybody has the same
    board = np.repeat([0, 1], 1700)
    rulings = {
        3: Ruling(Grade.PLUS, Stated(Fraction(85, 2))),
        1699: Ruling(Grade.MINUS, Grade.AVERAGE),
        1700: Ruling(Grade.PLUS, Grade.PLUS),
    }
    rules = Rules(method, rule, expected=1702)
    at_once = compare_boards(board, scores, rules, boards=2, rulings=rulings)
    for number in (0, 1):
        rows = range(1700 * number, 1700 * (number + 1))
        one = compare_board([rulings.get(row, int(scores[row])) for row in rows], rules)
        mine = slice(rows.start, rows.stop)
        denominator = int(at_once.denominator[number])
        assert at_once.ns[mine].tolist() == [points * denominator for points in one.ns]
        assert at_once.ew[mine].tolist() == [points * denominator for points in one.ew]
        assert at_once.dropped[mine].tolist() == list(one.dropped)
        assert at_once.datum[number] == (NO_DATUM if one.datum is None else one.datum)


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(SCORES, min_size=1, max_size=12), st.integers(0, 20))
def test_matchpoints_of_a_board_average_half_its_top(scores: list[int], missing: int) -> None:
    points = compare_board(scores, Rules(Method.MP, expected=len(scores) + missing))
    assert points.top is not None
    assert sum(points.ns) == points.top * len(scores) / 2
    assert all(ns + ew == points.top for ns, ew in zip(points.ns, points.ew, strict=True))


@settings(max_examples=200, deadline=None, derandomize=True)
@given(st.lists(SCORES, min_size=1, max_size=12), st.sampled_from([Method.CROSS_IMP, Method.TOTAL_IMP]))
def test_imps_against_every_other_result_sum_to_nothing(scores: list[int], method: Method) -> None:
    assert sum(compare_board(scores, Rules(method)).ns) == 0


def test_a_board_with_six_of_seven_results_counts_as_much_as_the_others() -> None:
    """10, 5 and 0 of a top of 10 become 11.83, 6.00 and 0.17."""
    points = compare_board([50, 40, 30, 20, 10, 0], Rules(Method.MP, expected=7))
    assert points.ns[0] == Fraction(71, 6)
    assert points.ns[5] == Fraction(1, 6)
    assert points.top == 12


def test_other_pairs_are_matchpointed_against_a_weighted_score() -> None:
    weighted = Ruling.weighted(((Fraction(33, 100), 140), (Fraction(67, 100), 170)))
    points = compare_board([170, weighted, 140, 140], Rules(Method.MP))
    assert points.ns[0] == 4 + 2 * Fraction(33, 100) + Fraction(67, 100)
    assert sum(points.ns) == 4 * 3


def test_an_artificial_score_enters_no_datum() -> None:
    points = compare_board([420, 420, Ruling(Grade.PLUS, Grade.MINUS), 450], Rules(Method.BUTLER))
    assert points.datum == 430
    assert list(points.ns) == [0, 0, 3, 1]


@pytest.mark.parametrize("rule", KNOWN_RULES)
def test_a_rule_is_read_back_from_its_text(rule: DatumRule) -> None:
    assert DatumRule.from_text(str(rule)) == rule


@pytest.mark.parametrize("rounding", list(Rounding))
def test_many_means_are_rounded_as_one_is(rounding: Rounding) -> None:
    tops = np.arange(-1300, 1300, 5)
    for number in (1, 2, 3, 4, 7):
        several = rounding.of_many(tops, np.full(len(tops), number))
        assert several.tolist() == [rounding(Fraction(int(total), number)) for total in tops]


def test_totals_are_exact() -> None:
    """0.1 + 0.2 + 0.3 in any order is 0.6."""
    owner = np.repeat(np.arange(4), 3)
    tenths = np.array([1, 2, 3, 3, 2, 1, 2, 1, 3, 6, 0, 0])
    assert totals(owner, tenths, np.full(12, 10), 4) == [Fraction(6, 10)] * 4
    assert totals(np.array([0, 0]), np.array([1, 1]), np.array([3, 7]), 2) == [Fraction(10, 21), 0]
