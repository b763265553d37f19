"""The one door to scoring: the results of boards and a method go in, the points of every row come out.

`compare_board` is the definition, written with the plain functions of the other modules. `compare_boards` does the
same for a whole event at once with NumPy; the product calls it, and tests hold that the two agree. Points are exact:
integers over one denominator a board.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from math import lcm
from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.awards import Award, Grade, Mixture, Ruling, Stated
from bridge.datum import DEFAULT_RULE, DatumRule, datum
from bridge.imps import IMPS_BY_TENS, imps, imps_of
from bridge.matchpoints import neuberg, top

Ints = NDArray[np.int64]


class Method(StrEnum):
    """How results on a board become points."""

    BUTLER = "BUTLER"  # IMPs against the trimmed datum
    CROSS_IMP = "CROSS_IMP"  # the mean of the IMPs against every other result
    TOTAL_IMP = "TOTAL_IMP"  # their sum
    MP = "MP"  # matchpoints


@dataclass(frozen=True, slots=True)
class Rules:
    """By which rules a field is compared.

    Attributes:
        method: How points are made.
        datum_rule: How the datum is trimmed and rounded (BUTLER).
        expected: Results that every board was to have, artificial ones included; None is as many as the fullest has.
        neuberg: Whether boards with fewer results are brought to the scale of `expected` (MP by Neuberg's formula,
            TOTAL_IMP in proportion). Without it every board stands on its own number of results.
        artificial_imps: IMPs of average plus (Law 12C2b).
    """

    method: Method
    datum_rule: DatumRule = DEFAULT_RULE
    expected: int | None = None
    neuberg: bool = True
    artificial_imps: int = 3


@dataclass(frozen=True, slots=True)
class BoardPoints:
    """The points of one board's rows, in the order the rows were given.

    Attributes:
        ns, ew: Points of each side: IMPs, or matchpoints on the 2/1/0 scale.
        top: The most matchpoints to be had; None unless the method is MP.
        datum: The score that IMPs were counted from (BUTLER), when there is a real result.
        dropped: Which rows the datum left out.
    """

    ns: tuple[Fraction, ...]
    ew: tuple[Fraction, ...]
    top: Fraction | None
    datum: int | None
    dropped: tuple[bool, ...]


def compare_board(rows: Sequence[int | Ruling], rules: Rules, expected: int | None = None) -> BoardPoints:
    """The points of every row of one board.

    Args:
        rows: North–South's score at each table, or what the director ruled there. Tables without a result are left
            out by the caller.
        rules: The rules of the field.
        expected: The number of results when `rules.expected` leaves it to the fullest board of the field.

    An artificial score enters nobody's comparison, though it counts as a result that was expected (2.4). A weighted
    score is compared part by part; other pairs are matchpointed against it, but it stays out of datums and of other
    pairs' cross-IMPs.
    """
    scores = [row if isinstance(row, int) else row.score for row in rows]
    plain = [score for score in scores if score is not None]
    yardstick = datum(plain, rules.datum_rule) if rules.method is Method.BUTLER else None
    ns_view = [_award(row, 0) if score is None else score for row, score in zip(rows, scores, strict=True)]
    ew_view = [
        _turned(_award(row, 1)) if score is None else -score for row, score in zip(rows, scores, strict=True)
    ]
    real = max(_real(ns_view), _real(ew_view))
    results = max(len(rows), rules.expected or expected or 0) if rules.neuberg else real
    dropped = iter(yardstick.dropped if yardstick else ())
    return BoardPoints(
        ns=tuple(_side(ns_view, rules, results, yardstick.score if yardstick else None)),
        ew=tuple(_side(ew_view, rules, results, -yardstick.score if yardstick else None)),
        top=Fraction(_top(results)) if rules.method is Method.MP else None,
        datum=yardstick.score if yardstick else None,
        dropped=tuple(next(dropped, False) if score is not None else False for score in scores),
    )


View = int | Award  # what one side sees of a row: its own score, or what it was awarded


def _award(row: int | Ruling, side: int) -> Award:
    assert isinstance(row, Ruling)  # noqa: S101 - rows with a score do not come here
    return (row.ns, row.ew)[side]


def _turned(award: Award) -> Award:
    """The award as East–West see it: scores change their sign."""
    if isinstance(award, Mixture):
        return Mixture(tuple((weight, -score) for weight, score in award.parts))
    return award


def _real(view: Sequence[View]) -> int:
    return sum(isinstance(row, int | Mixture) for row in view)


def _top(results: int) -> int:
    """The top of a board; a board with one result has a top of 2, of which the one result gets half."""
    return top(max(results, 2))


def _side(view: Sequence[View], rules: Rules, results: int, yardstick: int | None) -> list[Fraction]:
    match rules.method:
        case Method.MP:
            return _matchpoints(view, results)
        case Method.BUTLER:
            return _imps(
                view, rules, lambda own, _: Fraction(imps(own - yardstick) if yardstick is not None else 0), 1
            )
        case Method.CROSS_IMP | Method.TOTAL_IMP:
            plain = Counter(row for row in view if isinstance(row, int))
            others = plain.total()
            scale = 1 if rules.method is Method.CROSS_IMP else max(results, others) - 1

            def points(own: int, is_row: bool) -> Fraction:
                total = sum(imps(own - score) * count for score, count in plain.items())
                compared = others - 1 if is_row else others
                if compared < 1:
                    return Fraction(0)
                mean = Fraction(total, compared)
                if rules.method is Method.CROSS_IMP:
                    return mean
                return mean * scale if rules.neuberg else Fraction(total)

            return _imps(view, rules, points, max(scale, 1))


def _imps(view: Sequence[View], rules: Rules, points: Any, scale: int) -> list[Fraction]:
    def of(row: View) -> Fraction:
        match row:
            case int():
                return Fraction(points(row, True))
            case Mixture():
                return sum((weight * points(score, False) for weight, score in row.parts), Fraction(0))
            case Grade() | Stated():
                return Fraction(rules.artificial_imps * scale * row.sign)

    return _each(view, of)


def _matchpoints(view: Sequence[View], results: int) -> list[Fraction]:
    """Matchpoints of one side, every real result compared with every other, brought to `results` by Neuberg."""
    weights: Counter[int] = Counter()
    mixed: dict[int, Fraction] = {}
    for row in view:
        if isinstance(row, int):
            weights[row] += 1
        elif isinstance(row, Mixture):
            for weight, score in row.parts:
                mixed[score] = mixed.get(score, Fraction(0)) + weight
    real = _real(view)
    field = {score: weights[score] + mixed.get(score, Fraction(0)) for score in weights.keys() | mixed.keys()}
    against_all: dict[int, Fraction] = {}
    below = Fraction(0)
    for score in sorted(field):
        against_all[score] = 2 * below + field[score]
        below += field[score]

    def against(own: Sequence[tuple[Fraction, int]]) -> Fraction:
        """Points against all results but oneself; a mixture meets its own parts in itself, which is taken off."""
        with_itself = sum(
            (
                weight * other * (2 * (score > rival) + (score == rival))
                for weight, score in own
                for other, rival in own
            ),
            Fraction(0),
        )
        return sum((weight * against_all[score] for weight, score in own), Fraction(0)) - with_itself

    def of(row: View) -> Fraction:
        match row:
            case Grade() | Stated():
                return row.percent * _top(results) / 100
            case Mixture():
                points = against(row.parts)
            case int():
                points = against(((Fraction(1), row),))
        if max(results, real) == 1:
            return Fraction(1)
        return neuberg(points, real, max(results, real))

    return _each(view, of)


def _each(view: Sequence[View], of: Callable[[View], Fraction]) -> list[Fraction]:
    """`of` every row, worked out once for rows that are alike."""
    points = {row: of(row) for row in set(view)}
    return [points[row] for row in view]


@dataclass(frozen=True, slots=True)
class FieldPoints:
    """The points of all rows of many boards, in the order the rows were given.

    Attributes:
        ns, ew: Numerators of each side's points, one a row.
        denominator: One a board.
        top: Numerators of the top, one a board; zeros unless the method is MP.
        datum: One a board; `NO_DATUM` where there is none.
        dropped: One a row.
    """

    ns: Ints
    ew: Ints
    denominator: Ints
    top: Ints
    datum: Ints
    dropped: NDArray[np.bool_]


NO_DATUM = -32768
_BINS = 1521  # scores from -7600 to 7600 in tens
_MIDDLE = 760


def compare_boards(
    board: NDArray[Any],
    score: NDArray[Any],
    rules: Rules,
    *,
    boards: int,
    rulings: Mapping[int, Ruling] | None = None,
) -> FieldPoints:
    """`compare_board` for all boards of a field at once.

    Args:
        board: For each row the board's place, 0 to boards - 1, in ascending order.
        score: North–South's score in each row; whatever stands there in a row with a ruling is not read.
        rules: The rules of the field.
        boards: How many boards there are; some may have no row.
        rulings: What the director ruled, by row.
    """
    score = np.array(score, np.int64)
    board = np.asarray(board, np.int64)
    counts = np.diff(np.searchsorted(board, np.arange(boards + 1)))
    fullest = int(counts.max(initial=0))
    artificial: dict[int, Ruling] = {}
    mixed: dict[int, Ruling] = {}
    for row, ruling in (rulings or {}).items():
        if ruling.score is not None:
            score[row] = ruling.score
        else:
            (artificial if ruling.is_artificial else mixed)[row] = ruling
    if not artificial and not mixed:
        return _compare_plain(board, score, counts, _expected(counts, counts, rules, fullest), rules)

    special = np.zeros(boards, bool)
    special[board[list(mixed)]] = True
    present = ~special[board] if mixed else np.ones(len(board), bool)
    present[list(artificial)] = False
    real = np.diff(np.searchsorted(board[present], np.arange(boards + 1)))
    expected = _expected(counts, real, rules, fullest)
    bulk = _compare_plain(board[present], score[present], real, expected, rules)
    points = FieldPoints(
        ns=np.zeros(len(board), np.int64),
        ew=np.zeros(len(board), np.int64),
        denominator=bulk.denominator,
        top=bulk.top,
        datum=bulk.datum,
        dropped=np.zeros(len(board), bool),
    )
    points.ns[present], points.ew[present], points.dropped[present] = bulk.ns, bulk.ew, bulk.dropped
    ends = np.cumsum(counts)
    rows_of = [slice(int(end - count), int(end)) for end, count in zip(ends, counts, strict=True)]
    for row, ruling in artificial.items():
        place = int(board[row])
        if not special[place]:
            _give(points, place, rows_of[place], row, ruling, rules, int(expected[place]))
    # Boards with a weighted or split score are few: they go the plain way.
    apart = artificial | mixed
    for place in np.flatnonzero(special).tolist():
        rows = range(len(board))[rows_of[place]]
        one = compare_board([apart.get(row, int(score[row])) for row in rows], rules, fullest)
        _put(points, place, rows_of[place], one)
    return points


def _expected(counts: Ints, real: Ints, rules: Rules, fullest: int) -> Ints:
    """The results that each board is brought to."""
    return np.maximum(counts, rules.expected or fullest) if rules.neuberg else real


def _give(
    points: FieldPoints, place: int, rows: slice, row: int, ruling: Ruling, rules: Rules, expected: int
) -> None:
    """Write an artificial score into its row; the board's denominator grows when the points ask for it."""
    scale = max(expected - 1, 1) if rules.method is Method.TOTAL_IMP else 1
    given = []
    for award in (ruling.ns, ruling.ew):
        assert not isinstance(award, Mixture)  # noqa: S101 - the caller keeps mixtures apart
        if rules.method is Method.MP:
            given.append(award.percent * _top(expected) / 100)
        else:
            given.append(Fraction(rules.artificial_imps * scale * award.sign))
    common = lcm(int(points.denominator[place]), *(each.denominator for each in given))
    factor = common // int(points.denominator[place])
    if factor > 1:
        for column in (points.ns, points.ew):
            column[rows] *= factor
        for column in (points.top, points.denominator):
            column[place] *= factor
    points.ns[row], points.ew[row] = (int(each * common) for each in given)


def _put(points: FieldPoints, place: int, rows: slice, one: BoardPoints) -> None:
    """Write the points of a board that was compared alone."""
    top = one.top or Fraction(0)
    common = lcm(top.denominator, *(each.denominator for each in (*one.ns, *one.ew)))
    points.ns[rows] = [int(each * common) for each in one.ns]
    points.ew[rows] = [int(each * common) for each in one.ew]
    points.dropped[rows] = one.dropped
    points.denominator[place] = common
    points.top[place] = int(top * common)
    points.datum[place] = NO_DATUM if one.datum is None else one.datum


def _compare_plain(board: Ints, score: Ints, counts: Ints, expected: Ints, rules: Rules) -> FieldPoints:
    """Boards on which every row has a score; `counts` and `expected` are results, one number a board."""
    boards, ones = len(counts), np.ones(len(counts), np.int64)
    none = np.full(boards, NO_DATUM, np.int64)
    nothing = np.zeros(boards, np.int64)
    kept = np.zeros(len(board), bool)
    match rules.method:
        case Method.MP:
            short = (expected != counts) & (counts > 0)
            denominator = np.where(short, counts, 1)
            tops = 2 * (np.maximum(expected, 2) - 1) * denominator
            # Neuberg's formula; a single result where no more were expected gets 1 of 2.
            factor = np.where(short, expected, 1)
            extra = np.where(short, expected - counts, np.where(expected == 1, 1, 0))
            ns = _matchpoints_of(board, score, boards, factor, extra)
            return FieldPoints(ns, np.repeat(tops, counts) - ns, denominator, tops, none, kept)
        case Method.BUTLER:
            datums, dropped = _datums(board, score, counts, rules.datum_rule)
            ns = imps_of(score - np.repeat(datums, counts))
            return FieldPoints(ns, -ns, ones, nothing, datums, dropped)
        case Method.CROSS_IMP:
            ns = _total_imps(board, score, counts)
            return FieldPoints(ns, -ns, np.maximum(counts - 1, 1), nothing, none, kept)
        case Method.TOTAL_IMP:
            ns = _total_imps(board, score, counts)
            short = (expected != counts) & (counts > 1)
            denominator = np.where(short, counts - 1, 1)
            if short.any():
                ns = np.where(short[board], ns * (expected[board] - 1), ns)
            return FieldPoints(ns, -ns, denominator, nothing, none, kept)


def _matchpoints_of(board: Ints, score: Ints, boards: int, factor: Ints, extra: Ints) -> Ints:
    """2 for each score of the board beaten, 1 for each other equal one; times the board's factor, plus its extra."""
    key = board * _BINS + (score // 10 + _MIDDLE)
    if len(board) > 400 * boards:  # large fields: counting beats sorting
        tally = np.bincount(key, minlength=boards * _BINS).reshape(boards, _BINS)
        below = np.cumsum(tally, axis=1) - tally
        table: Ints = (2 * below + tally - 1) * factor[:, None] + extra[:, None]
        counted: Ints = table.ravel()[key]
        return counted
    distinct, place, tally = np.unique(key, return_inverse=True, return_counts=True)
    before = np.cumsum(tally) - tally
    first_of_board = np.searchsorted(distinct, (distinct // _BINS) * _BINS)
    points = 2 * (before - before[first_of_board]) + tally - 1
    of = distinct // _BINS
    sorted_out: Ints = (points * factor[of] + extra[of])[place]
    return sorted_out


def _datums(board: Ints, score: Ints, counts: Ints, rule: DatumRule) -> tuple[Ints, NDArray[np.bool_]]:
    sizes: list[int] = counts.tolist()
    trim_of = {size: rule.trim(size) for size in set(sizes)}
    trim = np.array([trim_of[size] for size in sizes], np.int64)
    tens = score // 10
    key = board * _BINS + (tens + _MIDDLE)
    large = len(board) > _BINS * len(counts)
    total, low, high = (_ends_by_counting if large else _ends_by_sorting)(key, counts, trim)
    datums = np.where(
        counts > 0, rule.rounding.of_many(10 * total, np.maximum(counts - 2 * trim, 1)), NO_DATUM
    )
    low, high = np.where(trim > 0, low, -_BINS), np.where(trim > 0, high, _BINS)
    if large:
        boards = np.split(tens, np.cumsum(counts)[:-1])
        return datums, np.concatenate([*map(_dropped_of_one, boards, trim, low, high)])
    return datums, _dropped(board, tens, trim, low, high)


def _ends_by_counting(key: Ints, counts: Ints, trim: Ints) -> tuple[Ints, Ints, Ints]:
    """For each board, in tens: the sum of the scores kept, the last score left out below and the first above."""
    tally = np.bincount(key, minlength=len(counts) * _BINS).reshape(-1, _BINS)
    up_to = np.cumsum(tally, axis=1)
    least, most = trim[:, None], (counts - trim)[:, None]
    kept = np.diff(np.clip(up_to, least, most), axis=1, prepend=least).astype(np.int64, copy=False)
    total = kept @ np.arange(-_MIDDLE, _MIDDLE + 1)
    return total, (up_to < least).sum(axis=1) - _MIDDLE, (up_to <= most).sum(axis=1) - _MIDDLE


def _ends_by_sorting(key: NDArray[Any], counts: Ints, trim: Ints) -> tuple[Ints, Ints, Ints]:
    """The same for boards with few results each."""
    if len(counts) * _BINS < 2**31:
        key = key.astype(np.int32)  # half the bytes sort in half the time
    ordered = (np.sort(key) % _BINS).astype(np.int64) - _MIDDLE
    ends = np.cumsum(counts)
    starts = ends - counts
    sums = np.concatenate(([0], np.cumsum(ordered)))
    low, high = np.zeros(len(counts), np.int64), np.zeros(len(counts), np.int64)
    cut = np.flatnonzero(trim)
    low[cut], high[cut] = ordered[starts[cut] + trim[cut] - 1], ordered[ends[cut] - trim[cut]]
    return sums[ends - trim] - sums[starts + trim], low, high


def _dropped(board: Ints, tens: Ints, trim: Ints, low: Ints, high: Ints) -> NDArray[np.bool_]:
    """Which rows were left out: all beyond the last score left out, and of those equal to it the first or the last."""
    low_of_row, high_of_row = low[board], high[board]
    dropped = tens < low_of_row
    _add_equals(dropped, board, np.flatnonzero(tens == low_of_row), trim)
    above = tens > high_of_row
    _add_equals(above, board, np.flatnonzero(tens == high_of_row)[::-1], trim)
    return dropped | above


def _dropped_of_one(tens: Ints, trim: int, low: int, high: int) -> NDArray[np.bool_]:
    """The same for one large board."""
    below, above = tens < low, tens > high
    dropped: NDArray[np.bool_] = below | above
    dropped[np.flatnonzero(tens == low)[: trim - np.count_nonzero(below)]] = True
    dropped[np.flatnonzero(tens == high)[::-1][: trim - np.count_nonzero(above)]] = True
    return dropped


def _add_equals(dropped: NDArray[np.bool_], board: Ints, equals: Ints, trim: Ints) -> None:
    """Of the rows equal to the limit, in the order given, as many as the board has still to leave out."""
    missing = trim - np.bincount(board[dropped], minlength=len(trim))
    of = board[equals]
    group = np.flatnonzero(np.diff(of, prepend=-1))
    rank = np.arange(len(of)) - np.repeat(group, np.diff(np.append(group, len(of))))
    dropped[equals[rank < missing[of]]] = True


def _total_imps(board: Ints, score: Ints, counts: Ints) -> Ints:
    """The sum of the IMPs against every other row of the board: distinct scores against distinct scores."""
    result = np.empty(len(board), np.int64)
    tens = score // 10
    ends = np.cumsum(counts)
    for start, end in zip((ends - counts).tolist(), ends.tolist(), strict=True):
        mine = tens[start:end]
        if end - start > 64:
            tally = np.bincount(mine + _MIDDLE, minlength=_BINS)
            distinct = np.flatnonzero(tally)
            sums = np.zeros(_BINS, np.int64)
            sums[distinct] = _signed_imps(distinct) @ tally[distinct]
            result[start:end] = sums[mine + _MIDDLE]
        else:
            result[start:end] = _signed_imps(mine).sum(axis=1)
    return result


def _signed_imps(tens: Ints) -> Ints:
    return IMPS_BY_TENS[np.subtract.outer(tens, tens)]


def totals(
    contestant: NDArray[Any], numerator: NDArray[Any], denominator: NDArray[Any], contestants: int
) -> list[Fraction]:
    """Exact sums of many rows for each contestant.

    Args:
        contestant: For each row whose it is, 0 to contestants - 1.
        numerator: For each row the points over its denominator.
        denominator: For each row; there are few different ones.
        contestants: How many there are.
    """
    if not len(contestant):
        return [Fraction(0)] * contestants
    different = np.unique(denominator)
    common = lcm(*(int(each) for each in different))
    sums = [0] * contestants
    for each in different:
        mine = denominator == each
        part = np.zeros(contestants, np.int64)
        np.add.at(part, contestant[mine], numerator[mine])
        factor = common // int(each)
        sums = [total + factor * points for total, points in zip(sums, part.tolist(), strict=True)]
    return [Fraction(total, common) for total in sums]


def settle(grade: Grade, own_percent: Fraction | None) -> Fraction:
    """The percentage of an artificial score once the session has ended (Law 12C2c).

    Average plus is 60 % or, if that is more, the pair's own percentage on the boards where it has a real result;
    average minus 40 % or, if that is less, the same.

    Args:
        grade: What the director gave.
        own_percent: None when the pair has no real result.

    >>> settle(Grade.PLUS, Fraction(125, 2))
    Fraction(125, 2)
    """
    if own_percent is None or grade is Grade.AVERAGE:
        return grade.percent
    return max(grade.percent, own_percent) if grade is Grade.PLUS else min(grade.percent, own_percent)
