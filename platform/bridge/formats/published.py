"""By which rules the figures of a file were made, and which of its figures no rule explains.

A file rarely says how its datum was trimmed, whether its matchpoints stand before or after Neuberg's formula, or how
totals were made of unequal numbers of boards. `explain` scores the event by every rule in use and keeps the one that
leaves the fewest figures unexplained; among equals the first, which is ours.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from typing import Any

from bridge.comparison import Method, Rules, compare_board
from bridge.datum import KNOWN_RULES, Rounding
from bridge.formats.records import BoardRecord, EventRecord, PublishedStanding, RowRecord
from bridge.standings import Place, has_finished, places


class Sentence:
    """A sentence in English with named places, which whoever shows it translates and fills with `params`."""

    def __init__(self, message: str, **params: Any) -> None:
        self.message, self.params = message, params

    def __str__(self) -> str:
        return self.message % self.params


@dataclass(frozen=True, slots=True)
class Difference:
    """A figure of the file that our sums do not give.

    Attributes:
        what: `score`, `datum`, `matchpoints`, `IMPs`, `total`, `percentage` or `rank`.
        published, ours: Both as text; of a row, North–South's and East–West's points.
    """

    what: str
    published: str
    ours: str
    pair: str = ""
    session: int | None = None
    board: int | None = None
    line: int | None = None


@dataclass(frozen=True, slots=True)
class Explanation:
    """The rule that reproduces a file best.

    Attributes:
        rules: How its boards are compared.
        finish_percent: Share of the boards that a pair had to play to be ranked.
        sentences: The rule in words.
        differences: What it does not explain.
    """

    rules: Rules
    finish_percent: int
    sentences: tuple[Sentence, ...]
    differences: tuple[Difference, ...]


@dataclass(frozen=True, slots=True)
class _Row:
    """A row that was compared."""

    session: int
    board: BoardRecord
    row: RowRecord
    ns: Fraction
    ew: Fraction
    top: Fraction | None


@dataclass(slots=True)
class _Pair:
    """What a pair won."""

    won: Fraction = Fraction(0)
    tops: Fraction = Fraction(0)
    boards: int = 0

    def percent(self) -> Fraction:
        return 100 * self.won / self.tops if self.tops else Fraction(0)


@dataclass(frozen=True, slots=True)
class _Candidate:
    """One way in which the whole file may have been made."""

    rules: Rules
    differences: tuple[Difference, ...]
    sentences: tuple[Sentence, ...]
    finish_percent: int = 70


def explain(record: EventRecord) -> Explanation:
    """The rule that a file was scored by, and what differs all the same.

    Args:
        record: An event whose `method` is known.
    """
    assert record.method is not None  # noqa: S101 - who reads a file settles the method first
    given = tuple(_given(record))
    best = min(
        (candidate for rules in _rules(record.method) for candidate in _candidates(record, rules)),
        key=lambda candidate: len(candidate.differences),
    )
    return Explanation(best.rules, best.finish_percent, best.sentences, given + best.differences)


def _rules(method: Method) -> Iterator[Rules]:
    match method:
        case Method.BUTLER:
            yield from (Rules(method, datum_rule) for datum_rule in KNOWN_RULES)
        case Method.MP:
            yield from (Rules(method), Rules(method, neuberg=False))
        case Method.CROSS_IMP:
            yield from (Rules(method), Rules(Method.TOTAL_IMP), Rules(Method.TOTAL_IMP, neuberg=False))
        case Method.TOTAL_IMP:
            yield from (Rules(method), Rules(method, neuberg=False), Rules(Method.CROSS_IMP))


def _given(record: EventRecord) -> Iterator[Difference]:
    """Scores that do not follow from contract, tricks and vulnerability, whatever the rule."""
    for session, board in record.boards():
        for row in board.rows:
            ours = row.score(board.vulnerability)
            if row.ns_score is not None and row.ruling is None and ours != row.ns_score:
                yield Difference(
                    "score", str(row.ns_score), str(ours), _names(row), session.number, board.number, row.line
                )


def _candidates(record: EventRecord, rules: Rules) -> Iterator[_Candidate]:
    scored, datums = _scored(record, rules)
    uneven = len({len(board.outcomes()) for _, board in record.boards() if board.outcomes()}) > 1
    rows, row_words = min(_row_views(scored, record, rules, uneven), key=lambda view: len(view[0]))
    for finish_percent in (70, 0):
        totals, total_words = min(
            _total_views(record, scored, rules, finish_percent), key=lambda view: len(view[0])
        )
        differences = (*_datum_differences(datums, rules), *rows, *totals)
        yield _Candidate(
            rules, differences, (*_words(rules, uneven), *row_words, *total_words), finish_percent
        )


def _scored(
    record: EventRecord, rules: Rules
) -> tuple[list[_Row], list[tuple[int, BoardRecord, int | None]]]:
    fullest = max((len(board.outcomes()) for _, board in record.boards()), default=0)
    scored: list[_Row] = []
    datums: list[tuple[int, BoardRecord, int | None]] = []
    for session, board in record.boards():
        played = board.outcomes()
        if not played:
            continue
        points = compare_board([outcome for _, outcome in played], rules, fullest)
        datums.append((session.number, board, points.datum))
        scored += [
            _Row(session.number, board, row, ns, ew, points.top)
            for (row, _), ns, ew in zip(played, points.ns, points.ew, strict=True)
        ]
    return scored, datums


View = tuple[tuple[Difference, ...], tuple[Sentence, ...]]


def _row_views(scored: list[_Row], record: EventRecord, rules: Rules, uneven: bool) -> Iterator[View]:
    """The points of the rows: as they are, on the scale of 1 and ½, and, of matchpoints, before Neuberg."""
    if not any(row.row.ns_points is not None for row in scored):
        yield (), (Sentence("The file prints no points; these are ours."),)
        return
    yield _row_differences(scored, rules, Fraction(1)), ()
    if rules.method is not Method.MP:
        return
    half = Sentence("The file counts 1 for a score beaten and ½ for an equal one; Datum counts 2 and 1.")
    before = Sentence("The rows of the file are printed before the formula, its totals after it.")
    yield _row_differences(scored, rules, Fraction(1, 2)), (half,)
    if rules.neuberg and uneven:
        plain, _ = _scored(record, Rules(Method.MP, neuberg=False))
        yield _row_differences(plain, rules, Fraction(1)), (before,)
        yield _row_differences(plain, rules, Fraction(1, 2)), (half, before)


def _row_differences(scored: list[_Row], rules: Rules, scale: Fraction) -> tuple[Difference, ...]:
    fits = _fits(figure for each in scored for figure in (each.row.ns_points, each.row.ew_points))
    what = "matchpoints" if rules.method is Method.MP else "IMPs"
    return tuple(
        Difference(
            what,
            _both(each.row.ns_points, each.row.ew_points),
            _both(fits.shown(each.ns * scale), fits.shown(each.ew * scale)),
            _names(each.row),
            each.session,
            each.board.number,
            each.row.line,
        )
        for each in scored
        if not (fits(each.row.ns_points, each.ns * scale) and fits(each.row.ew_points, each.ew * scale))
    )


def _datum_differences(
    datums: list[tuple[int, BoardRecord, int | None]], rules: Rules
) -> Iterator[Difference]:
    if rules.method is not Method.BUTLER:
        return
    for session, board, ours in datums:
        said = board.published_datum
        if said is not None and ours is not None and said != ours:
            yield Difference("datum", str(said), str(ours), "", session, board.number, board.line)


def _total_views(
    record: EventRecord, scored: list[_Row], rules: Rules, finish_percent: int
) -> Iterator[View]:
    """Totals as they add up, or brought to the number of boards of those who played most."""
    said = [standing for standing in record.standings if not standing.session]
    pairs = _pairs(record, scored)
    rest = (
        *_percent_differences(pairs, said, rules),
        *_rank_differences(record, pairs, said, rules, finish_percent),
    )

    plain = {label: pair.won for label, pair in pairs.items()}
    figures: list[tuple[Mapping[str, Fraction], tuple[Sentence, ...]]] = [(plain, ())]
    if rules.method is Method.MP:
        factored = Sentence("Totals are brought to the number of boards of those who played most.")
        for among in ({"": set(pairs)}, _by_direction(record)):
            most = {
                label: max((pairs[each].tops for each in labels if each in pairs), default=Fraction(0))
                for labels in among.values()
                for label in labels
            }
            figures.append(
                ({label: pairs[label].percent() * most[label] / 100 for label in most}, (factored,))
            )
        figures += [
            ({label: total / 2 for label, total in totals.items()}, words) for totals, words in figures
        ]
    rounded = Sentence("The file adds rounded figures: the last digit of a total may differ by one.")
    for units, more in ((Fraction(1, 2), ()), (Fraction(1), (rounded,))):
        for totals, words in figures:
            yield (*_total_differences(totals, said, units), *rest), (*words, *more)


def _pairs(record: EventRecord, scored: list[_Row]) -> dict[str, _Pair]:
    pairs = {pair.label: _Pair() for pair in record.pairs}
    for each in scored:
        for label, points in ((each.row.ns, each.ns), (each.row.ew, each.ew)):
            pair = pairs.setdefault(label, _Pair())
            pair.won += points
            pair.tops += each.top or 0
            pair.boards += 1
    for entry in record.pairs:
        pairs[entry.label].won += Fraction(entry.adjustment or 0)
    return pairs


def _by_direction(record: EventRecord) -> dict[str, set[str]]:
    sides: dict[str, set[str]] = {}
    for pair in record.pairs:
        sides.setdefault(pair.direction.value if pair.direction else "", set()).add(pair.label)
    return sides


def _total_differences(
    figures: Mapping[str, Fraction], said: Sequence[PublishedStanding], units: Fraction
) -> Iterator[Difference]:
    fits = _fits((standing.total for standing in said), units)
    for standing in said:
        ours = figures.get(standing.pair)
        if ours is not None and not fits(standing.total, ours):
            yield Difference(
                "total", str(standing.total), fits.shown(ours), standing.pair, line=standing.line
            )


def _percent_differences(
    pairs: Mapping[str, _Pair], said: Sequence[PublishedStanding], rules: Rules
) -> Iterator[Difference]:
    fits = _fits(standing.percent for standing in said)
    for standing in said:
        if rules.method is Method.MP and standing.pair in pairs:
            ours = pairs[standing.pair].percent()
            if not fits(standing.percent, ours):
                yield Difference(
                    "percentage", str(standing.percent), fits.shown(ours), standing.pair, line=standing.line
                )


def _rank_differences(
    record: EventRecord,
    pairs: Mapping[str, _Pair],
    said: Sequence[PublishedStanding],
    rules: Rules,
    finish_percent: int,
) -> Iterator[Difference]:
    ours = _ranks(record, pairs, rules, finish_percent)
    for standing in said:
        place = (standing.place or "").strip().rstrip("=").strip()
        if (
            place.isdecimal()
            and len(place) < 9
            and standing.pair in ours
            and int(place) != ours[standing.pair].rank
        ):
            yield Difference(
                "rank", standing.place or "", str(ours[standing.pair]), standing.pair, line=standing.line
            )


def _ranks(
    record: EventRecord, pairs: Mapping[str, _Pair], rules: Rules, finish_percent: int
) -> dict[str, Place]:
    sides = list(_by_direction(record).values()) if record.winners != 1 else [set(pairs)]
    ranks: dict[str, Place] = {}
    for side in sides:
        labels = [label for label in pairs if label in side]
        most = max((pairs[label].boards for label in labels), default=0)
        figures = [
            pairs[label].percent() if rules.method is Method.MP else pairs[label].won for label in labels
        ]
        finished = [
            pairs[label].boards > 0 and has_finished(pairs[label].boards, most, finish_percent)
            for label in labels
        ]
        ranks |= dict(zip(labels, places(figures, finished), strict=True))
    return ranks


@dataclass(frozen=True, slots=True)
class _Fits:
    """Whether a printed figure is ours, rounded to as many decimals as the file prints of its kind."""

    decimals: int
    units: Fraction

    def __call__(self, printed: Decimal | None, ours: Fraction) -> bool:
        return printed is None or abs(Fraction(printed) - ours) * 10**self.decimals <= self.units

    def shown(self, ours: Fraction) -> str:
        units = (2 * abs(ours.numerator) * 10**self.decimals + ours.denominator) // (2 * ours.denominator)
        text = f"{Decimal(units).scaleb(-self.decimals):f}"
        text = text.rstrip("0").rstrip(".") if "." in text else text
        return f"-{text}" if ours < 0 and units else text


def _fits(printed: Iterable[Decimal | None], units: Fraction = Fraction(1, 2)) -> _Fits:
    decimals = [-int(figure.as_tuple().exponent) for figure in printed if figure is not None]
    return _Fits(max((0, *decimals)) if decimals else 2, units)


def _both(ns: object, ew: object) -> str:
    return f"{'–' if ns is None else ns} / {'–' if ew is None else ew}"


def _names(row: RowRecord) -> str:
    return f"{row.ns} – {row.ew}"


_ROUNDINGS: Mapping[Rounding, Sentence] = {
    Rounding.HALF_EVEN: Sentence("The mean is rounded to a multiple of 10, an exact half to the even ten."),
    Rounding.HALF_AWAY: Sentence("The mean is rounded to a multiple of 10, an exact half away from zero."),
    Rounding.HALF_ZERO: Sentence("The mean is rounded to a multiple of 10, an exact half towards zero."),
    Rounding.HALF_UP: Sentence("The mean is rounded to a multiple of 10, an exact half upwards."),
    Rounding.TOWARD_ZERO: Sentence("The mean is cut to a multiple of 10, towards zero."),
}


def _words(rules: Rules, uneven: bool) -> Iterator[Sentence]:
    match rules.method:
        case Method.BUTLER:
            trim = rules.datum_rule.trim
            if trim.share:
                yield Sentence(
                    "IMPs against the datum: the mean of the scores without the highest and lowest %(percent)s %%.",
                    percent=str(100 * trim.share),
                )
            elif trim.fixed:
                yield Sentence(
                    "IMPs against the datum: the mean of the scores, %(number)s left out at each end.",
                    number=trim.fixed,
                )
            else:
                yield Sentence("IMPs against the datum: the mean of all scores.")
            yield _ROUNDINGS[rules.datum_rule.rounding]
        case Method.CROSS_IMP:
            yield Sentence("Cross-IMPs: the mean of the IMPs against every other table.")
        case Method.TOTAL_IMP:
            yield Sentence("Total IMPs: the sum of the IMPs against every other table.")
        case Method.MP:
            yield Sentence("Matchpoints: 2 for every score beaten, 1 for every equal one.")
    if uneven and rules.method in (Method.MP, Method.TOTAL_IMP):
        if rules.neuberg and rules.method is Method.MP:
            yield Sentence(
                "Boards with fewer results than the fullest are brought to its top by Neuberg's formula."
            )
        elif rules.neuberg:
            yield Sentence("Boards with fewer results than the fullest are brought to its scale.")
        else:
            yield Sentence("Every board counts by its own number of results.")
