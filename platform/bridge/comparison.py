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

from bridge.awards import Award, Grade, Mixture, Ruling, Stated, turned
from bridge.datum import DEFAULT_RULE, DatumRule, datum
from bridge.imps import IMPS_BY_TENS, imps
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
        turned(_award(row, 1)) if score is None else -score for row, score in zip(rows, scores, strict=True)
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
_CELLS_AT_ONCE = 2**15  # so that places fit into 16 bits, and what is counted into the processor's cache


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
    apart: dict[int, Ruling] = {}
    tens = (score // 10).astype(np.int16)
    for row, ruling in (rulings or {}).items():
        tens[row] = (ruling.score or 0) // 10
        if ruling.score is None:
            apart[row] = ruling
    columns = np.arange(tens.min(initial=0), tens.max(initial=0) + 2, dtype=np.int64)
    column = tens - np.int16(columns[0])
    column[list(apart)] = len(columns) - 1

    ends = np.searchsorted(board, np.arange(boards + 1, dtype=board.dtype))
    counts = ends[1:] - ends[:-1]
    fullest = int(counts.max(initial=0))
    starts: list[int] = ends.tolist()
    expected = counts
    if rules.neuberg:
        expected = np.maximum(counts, rules.expected or fullest)
    elif apart:
        expected = counts - np.bincount(board[list(apart)], minlength=boards)
    expected = np.maximum(expected, 2)  # a single result is matchpointed as one of two
    points = FieldPoints(
        ns=np.empty(len(board), np.int64),
        ew=np.empty(len(board), np.int64),
        denominator=np.ones(boards, np.int64),
        top=np.zeros(boards, np.int64),
        datum=np.full(boards, NO_DATUM),
        dropped=np.zeros(len(board), bool),
    )
    step = max(1, _CELLS_AT_ONCE // max(fullest, len(columns)))
    for first in range(0, boards, step):
        places = slice(first, min(first + step, boards))
        rows = slice(starts[places.start], starts[places.stop])
        tally = _tally(counts[places], column[rows], columns)
        _compare_plain(_part(points, places, rows), tally, expected[places], rules)

    # Boards with a weighted or split score are few: they go the plain way.
    special = {int(board[row]) for row, ruling in apart.items() if not ruling.is_artificial}
    for row, ruling in apart.items():
        place = int(board[row])
        if place not in special:
            rows = slice(starts[place], starts[place + 1])
            _give(points, place, rows, row, ruling, rules, int(expected[place]))
    for place in special:
        rows = slice(starts[place], starts[place + 1])
        own = [apart.get(row, 10 * int(tens[row])) for row in range(rows.start, rows.stop)]
        _put(points, place, rows, compare_board(own, rules, fullest))
    return points


def _part(points: FieldPoints, places: slice, rows: slice) -> FieldPoints:
    """The points of some boards: what is written there is written in the whole."""
    return FieldPoints(
        points.ns[rows],
        points.ew[rows],
        points.denominator[places],
        points.top[places],
        points.datum[places],
        points.dropped[rows],
    )


def _give(
    points: FieldPoints, place: int, rows: slice, row: int, ruling: Ruling, rules: Rules, expected: int
) -> None:
    """Write an artificial score into its row; the board's denominator grows when the points ask for it."""
    scale = expected - 1 if rules.method is Method.TOTAL_IMP else 1
    given = []
    for award in (ruling.ns, ruling.ew):
        assert not isinstance(award, Mixture)  # noqa: S101 - the caller keeps mixtures apart
        if rules.method is Method.MP:
            given.append(award.percent * top(expected) / 100)
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


@dataclass(frozen=True, slots=True)
class _Tally:
    """How often each score stands on each of some boards. There are few scores: points are worked out once for each.

    Attributes:
        tens: The scores in tens, one a column, ascending without a gap; but the last column counts rows without a
            score, which nobody is compared with.
        count: How many rows, one line a board.
        up_to: The sums of `count` from the left.
        cell: Where each row was counted: a place in `count` when that is flat.
    """

    tens: Ints
    count: Ints
    up_to: Ints
    cell: Ints

    @property
    def rows(self) -> Ints:
        """How many rows each board has."""
        return self.up_to[:, -1]

    @property
    def real(self) -> Ints:
        """How many of them have a score."""
        return self.up_to[:, -2]


def _tally(rows: Ints, column: NDArray[np.int16], tens: Ints) -> _Tally:
    """Count the rows, so many of each board, each of which has its score in a column."""
    first = np.arange(len(rows), dtype=np.int16) * np.int16(len(tens))
    cell = (np.repeat(first, rows) + column).astype(np.int64)
    count = np.bincount(cell, minlength=len(rows) * len(tens)).reshape(-1, len(tens))
    return _Tally(tens, count, count.cumsum(axis=1), cell)


def _compare_plain(points: FieldPoints, tally: _Tally, expected: Ints, rules: Rules) -> None:
    """Write the points of some boards; in rows without a score they mean nothing."""
    match rules.method:
        case Method.MP:
            table, points.denominator[:] = _matchpoints_of(tally, expected)
            points.top[:] = 2 * (expected - 1) * points.denominator
        case Method.BUTLER:
            datums, points.dropped[:] = _datums(tally, rules.datum_rule)
            table = IMPS_BY_TENS.take(tally.tens - datums[:, None] // 10)
            np.copyto(points.datum, datums, where=tally.real > 0)
        case Method.CROSS_IMP:
            table = _total_imps(tally)
            points.denominator[:] = np.maximum(tally.real - 1, 1)
        case Method.TOTAL_IMP:
            table = _total_imps(tally)
            short = (tally.real != expected) & (tally.real > 1)
            table *= np.where(short, expected - 1, 1)[:, None]
            points.denominator[:] = np.where(short, tally.real - 1, 1)
    points.ns[:] = table.take(tally.cell)
    np.negative(points.ns, out=points.ew)
    if rules.method is Method.MP:
        points.ew[:] += np.repeat(points.top, tally.rows)


def _matchpoints_of(tally: _Tally, expected: Ints) -> tuple[Ints, Ints]:
    """Matchpoints of each score, brought to `expected` by Neuberg's formula, and their denominators.

    A score gets 2 for each score beaten and 1 for each other equal one. Twice the scores up to it, less those equal
    to it, is 1 more than that, for it meets itself too; and that is what the formula asks for.
    """
    short = (tally.real != expected) & (tally.real > 0)
    denominator = np.where(short, tally.real, 1)
    table = 2 * tally.up_to - tally.count
    table *= np.where(short, expected, 1)[:, None]
    table -= denominator[:, None]
    return table, denominator


_GO, _STAY, _LAST_GO, _FIRST_GO = range(4)  # what becomes of the rows with one score when a datum is made
_GO_STAY_GO = np.array([True, False, True])


def _datums(tally: _Tally, rule: DatumRule) -> tuple[Ints, NDArray[np.bool_]]:
    """The datum of each board, and which rows it left out."""
    sizes: list[int] = tally.real.tolist()
    trim_of = {size: rule.trim(size) for size in set(sizes)}
    trim = np.array([trim_of[size] for size in sizes], np.int64)
    least, most = trim[:, None], (tally.real - trim)[:, None]
    before = tally.up_to - tally.count
    kept = np.clip(tally.up_to, least, most) - np.clip(before, least, most)
    total, number = 10 * (kept @ tally.tens), np.maximum(tally.real - 2 * trim, 1)
    # Where only some of equal scores stay, the first rows are the lowest: some go, some stay, the others go.
    low = np.maximum(least - before, 0)
    some_stay = kept > 0
    split = some_stay & (kept < tally.count)
    fate = some_stay.view(np.int8) + split + (split & (low > 0))
    fate[:, -1] = _STAY
    fates = fate.take(tally.cell)
    dropped = fates == _GO
    for each in (_LAST_GO, _FIRST_GO):
        cells = np.flatnonzero(fate == each)
        go, stay, equal = low.take(cells), kept.take(cells), tally.count.take(cells)
        runs = np.array([go, stay, equal - go - stay]).T
        dropped[fates == each] = np.repeat(np.tile(_GO_STAY_GO, len(cells)), runs.ravel())
    return rule.rounding.of_many(total, number), dropped


def _total_imps(tally: _Tally) -> Ints:
    """The sum of the IMPs of each score against all scores of its board."""
    table = np.zeros_like(tally.count)
    for line, count in zip(table, tally.count[:, :-1], strict=True):
        met = np.flatnonzero(count)
        line[met] = IMPS_BY_TENS[np.subtract.outer(met, met)] @ count[met]
    return table


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
