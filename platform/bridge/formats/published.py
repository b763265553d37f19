"""By which rules the figures of a file were made, and which of its figures no rule explains.

A file rarely says how its datum was trimmed, whether its matchpoints stand before or after Neuberg's formula, whether
its sections were compared with one another, or how totals were made of unequal numbers of boards. `explain` scores the
event by every rule in use and keeps the one that leaves the fewest figures unexplained; among equals the first, which
is ours.
"""

from collections import Counter
from collections.abc import Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from decimal import Decimal
from fractions import Fraction
from itertools import chain, product

from bridge.comparison import Method, Rules, compare_board
from bridge.datum import KNOWN_RULES, Rounding
from bridge.errors import Sentence
from bridge.formats.records import BoardRecord, EventRecord, PublishedStanding, RowRecord, SessionRecord
from bridge.standings import Place, has_finished, places


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
        record: The event as it was compared: sections that were compared apart are sessions of their own.
        rules: How its boards are compared.
        finish_percent: Share of the boards that a pair had to play to be ranked.
        carried: Whether points that pairs carried over count in the totals.
        sentences: The rule in words.
        differences: What it does not explain.
    """

    record: EventRecord
    rules: Rules
    finish_percent: int
    carried: bool
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


def explain(record: EventRecord) -> Explanation:
    """The rule that a file was scored by, and what differs all the same.

    Args:
        record: An event whose `method` is known.
    """
    assert record.method is not None  # noqa: S101 - who reads a file settles the method first
    layouts: list[tuple[EventRecord, tuple[Sentence, ...]]] = [(record, ())]
    if len({row.section for _, board in record.boards() for row in board.rows}) > 1:
        layouts = [
            (record, (Sentence("Boards are compared across the sections."),)),
            (apart(record), (Sentence("Each section is compared by itself."),)),
        ]
    best = min(
        (
            candidate
            for layout, words in layouts
            for rules in _rules(record.method)
            for candidate in _candidates(layout, words, rules)
        ),
        key=lambda candidate: len(candidate.differences),
    )
    return replace(
        best,
        sentences=(*best.sentences, *_remarks(best)),
        differences=(*_given(best.record), *best.differences),
    )


def apart(record: EventRecord) -> EventRecord:
    """The event with every section a session of its own, so that its boards are compared within the section."""
    sessions: list[SessionRecord] = []
    numbers: dict[tuple[int, str], int] = {}
    for session in record.sessions:
        for section in sorted({row.section or "" for board in session.boards for row in board.rows}):
            numbers[session.number, section] = number = len(sessions) + 1
            boards = tuple(
                replace(board, rows=rows)
                for board in session.boards
                if (rows := tuple(row for row in board.rows if (row.section or "") == section))
            )
            title = " ".join(filter(None, (session.title, section)))
            sessions.append(SessionRecord(number, boards, title or None, session.date))
    section_of = {pair.label: pair.section for pair in record.pairs}
    standings = tuple(
        replace(each, session=each.session and numbers.get((each.session, section_of.get(each.pair, ""))))
        for each in record.standings
    )
    return replace(record, sessions=tuple(sessions), standings=standings)


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


def _candidates(record: EventRecord, layout: tuple[Sentence, ...], rules: Rules) -> Iterator[Explanation]:
    scored, datums = _scored(record, rules)
    uneven = len({len(board.outcomes()) for _, board in record.boards() if board.outcomes()}) > 1
    rows, row_words = min(_row_views(scored, record, rules, uneven), key=lambda view: len(view[0]))
    if record.by_rounds:
        yield Explanation(
            replace(record, pairs=tuple(replace(pair, adjustment=None) for pair in record.pairs)),
            rules,
            70,
            False,
            (*_words(rules, uneven), *layout, *row_words, _BY_ROUNDS),
            (*_datum_differences(datums, rules), *rows, *_sum_differences(record)),
        )
        return
    carries = any(pair.carry_over for pair in record.pairs)
    for carried in (True, False) if carries else (False,):
        lists = _lists(record, scored, carried)
        totals, total_words = min(_total_views(record, lists, rules), key=lambda view: len(view[0]))
        carry_words = (_CARRIED[carried],) if carries else ()
        for finish_percent in (70, 0):
            ranks, rank_words = min(
                _rank_views(record, lists, rules, finish_percent), key=lambda view: len(view[0])
            )
            yield Explanation(
                record,
                rules,
                finish_percent,
                carried,
                (*_words(rules, uneven), *layout, *row_words, *total_words, *carry_words, *rank_words),
                (*_datum_differences(datums, rules), *rows, *totals, *ranks),
            )


_BY_ROUNDS = Sentence(
    "The file adds up rounds: victory points, byes and penalties do not follow from its boards. Here every board counts,"
    " so totals and ranks may differ."
)
_CARRIED = {
    True: Sentence("What pairs carried over from an earlier stage counts in their totals."),
    False: Sentence(
        "The file names points carried over that its totals do not count; they do not count here either."
    ),
}


def _scored(
    record: EventRecord, rules: Rules
) -> tuple[list[_Row], list[tuple[int, BoardRecord, int | None]]]:
    fullest: Counter[int] = Counter()  # results of a board: of the event, or of its round
    for session, board in record.boards():
        among = session.number if record.by_rounds else 0
        fullest[among] = max(fullest[among], len(board.outcomes()))
    scored: list[_Row] = []
    datums: list[tuple[int, BoardRecord, int | None]] = []
    for session, board in record.boards():
        played = board.outcomes()
        if not played:
            continue
        expected = fullest[session.number if record.by_rounds else 0]
        points = compare_board([outcome for _, outcome in played], rules, expected)
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


@dataclass(frozen=True, slots=True)
class _List:
    """A ranking list: of the whole event (`session` None) or of one session; what pairs won, what the file says."""

    session: int | None
    pairs: Mapping[str, _Pair]
    said: Sequence[PublishedStanding]


def _lists(record: EventRecord, scored: Sequence[_Row], carried: bool) -> list[_List]:
    """The ranking lists that the file prints. What the director gave or took counts in a pair's first session."""
    first: dict[str, int] = {}
    for each in scored:
        for label in (each.row.ns, each.row.ew):
            first.setdefault(label, each.session)
    lists: list[_List] = []
    for session in sorted({0} | {standing.session or 0 for standing in record.standings}):
        rows = [each for each in scored if session in (0, each.session)]
        pairs = _pairs((pair.label for pair in record.pairs if not session), rows)
        for entry in record.pairs:
            if session in (0, first.get(entry.label)) and entry.label in pairs:
                pairs[entry.label].won += Fraction(entry.adjustment or 0)
            if carried and not session:
                pairs[entry.label].won += Fraction(entry.carry_over or 0)
        said = [standing for standing in record.standings if (standing.session or 0) == session]
        lists.append(_List(session or None, pairs, said))
    return lists


def _pairs(labels: Iterable[str], rows: Iterable[_Row]) -> dict[str, _Pair]:
    """What pairs won on their boards."""
    pairs = {label: _Pair() for label in labels}
    for each in rows:
        for label, points in ((each.row.ns, each.ns), (each.row.ew, each.ew)):
            pair = pairs.setdefault(label, _Pair())
            pair.won += points
            pair.tops += each.top or 0
            pair.boards += 1
    return pairs


def _total_views(record: EventRecord, lists: Sequence[_List], rules: Rules) -> Iterator[View]:
    """Totals as they add up, or brought to the number of boards of those who played most."""
    rest = tuple(chain.from_iterable(_percent_differences(each, rules) for each in lists))
    plain = [{label: pair.won for label, pair in each.pairs.items()} for each in lists]
    figures: list[tuple[list[dict[str, Fraction]], tuple[Sentence, ...]]] = [(plain, ())]
    if rules.method is Method.MP:
        factored = Sentence("Totals are brought to the number of boards of those who played most.")
        everybody = [{pair.label for pair in record.pairs}]
        figures += [
            ([_factored(each.pairs, groups) for each in lists], (factored,))
            for groups in (everybody, _by_direction(record))
        ]
        figures += [
            ([{label: total / 2 for label, total in totals.items()} for totals in made], words)
            for made, words in figures
        ]
    rounded = Sentence("The file adds rounded figures: the last digit of a total may differ by one.")
    for units, more in ((Fraction(1, 2), ()), (Fraction(1), (rounded,))):
        for made, words in figures:
            totals = (_total_differences(*both, units) for both in zip(lists, made, strict=True))
            yield (*chain.from_iterable(totals), *rest), (*words, *more)


def _factored(pairs: Mapping[str, _Pair], groups: Iterable[Collection[str]]) -> dict[str, Fraction]:
    figures: dict[str, Fraction] = {}
    for labels in groups:
        playing = [label for label in labels if label in pairs]
        most = max((pairs[label].tops for label in playing), default=Fraction(0))
        figures |= {label: pairs[label].percent() * most / 100 for label in playing}
    return figures


def _sum_differences(record: EventRecord) -> Iterator[Difference]:
    """Totals that are not the sum of their rounds and of what the director gave or took, each printed with two decimals."""
    given = {pair.label: pair.adjustment or Decimal(0) for pair in record.pairs}
    for standing in record.standings:
        if not standing.rounds or standing.total is None:
            continue
        ours = sum(standing.rounds, given.get(standing.pair, Decimal(0)))
        if 200 * abs(standing.total - ours) > len(standing.rounds) + 1:
            yield Difference("total", str(standing.total), str(ours), standing.pair, line=standing.line)


def _by_direction(record: EventRecord) -> list[set[str]]:
    sides: dict[str, set[str]] = {}
    for pair in record.pairs:
        sides.setdefault(pair.direction.value if pair.direction else "", set()).add(pair.label)
    return list(sides.values())


def _total_differences(
    ranked: _List, figures: Mapping[str, Fraction], units: Fraction
) -> Iterator[Difference]:
    fits = _fits((standing.total for standing in ranked.said), units)
    for standing in ranked.said:
        ours = figures.get(standing.pair)
        if ours is not None and not fits(standing.total, ours):
            yield Difference(
                "total",
                str(standing.total),
                fits.shown(ours),
                standing.pair,
                ranked.session,
                line=standing.line,
            )


def _percent_differences(ranked: _List, rules: Rules) -> Iterator[Difference]:
    fits = _fits(standing.percent for standing in ranked.said)
    for standing in ranked.said:
        if rules.method is Method.MP and standing.pair in ranked.pairs:
            ours = ranked.pairs[standing.pair].percent()
            if not fits(standing.percent, ours):
                yield Difference(
                    "percentage",
                    str(standing.percent),
                    fits.shown(ours),
                    standing.pair,
                    ranked.session,
                    line=standing.line,
                )


def _rank_views(
    record: EventRecord, lists: Sequence[_List], rules: Rules, finish_percent: int
) -> Iterator[View]:
    """Ranks among all pairs, or among those of a direction; then the same within each section."""
    groups = [{pair.label for pair in record.pairs}] if record.winners == 1 else _by_direction(record)
    sections: dict[str, set[str]] = {}
    for pair in record.pairs:
        sections.setdefault(pair.section, set()).add(pair.label)
    within = [group & section for group in groups for section in sections.values()]
    views: list[tuple[Sequence[Collection[str]], tuple[Sentence, ...]]] = [(groups, ())]
    if len(sections) > 1:
        views.append((within, (Sentence("The file ranks each section by itself."),)))
    for among, words in views:
        ranks = (_rank_differences(each, rules, finish_percent, among) for each in lists)
        yield tuple(chain.from_iterable(ranks)), words


def _rank_differences(
    ranked: _List, rules: Rules, finish_percent: int, groups: Iterable[Collection[str]]
) -> Iterator[Difference]:
    ours: dict[str, Place] = {}
    for group in groups:
        ours |= _ranks(
            {label: ranked.pairs[label] for label in group if label in ranked.pairs}, rules, finish_percent
        )
    for standing in ranked.said:
        place = (standing.place or "").strip().rstrip("=").strip()
        if (
            place.isdecimal()
            and len(place) < 9
            and standing.pair in ours
            and int(place) != ours[standing.pair].rank
        ):
            yield Difference(
                "rank",
                standing.place or "",
                str(ours[standing.pair]),
                standing.pair,
                ranked.session,
                line=standing.line,
            )


def _ranks(pairs: Mapping[str, _Pair], rules: Rules, finish_percent: int) -> dict[str, Place]:
    most = max((pair.boards for pair in pairs.values()), default=0)
    figures = [pair.percent() if rules.method is Method.MP else pair.won for pair in pairs.values()]
    finished = [
        pair.boards > 0 and has_finished(pair.boards, most, finish_percent) for pair in pairs.values()
    ]
    return dict(zip(pairs, places(figures, finished), strict=True))


def _remarks(found: Explanation) -> Iterator[Sentence]:
    if any(pair.handicap for pair in found.record.pairs):
        yield Sentence("The file names handicaps; totals and ranks here are without them.")
    if not found.record.by_rounds and any(each.what == "total" for each in found.differences):
        yield from _before_rulings(found)


def _before_rulings(found: Explanation) -> Iterator[Sentence]:
    """Scores that may have stood where rulings stand now, when with them every printed total comes out.

    A program may have printed its totals before the director ruled. Matchpoints only, and two rulings at the most:
    more scores than that would fit by chance.
    """
    record, rules = found.record, found.rules
    scored, _ = _scored(record, rules)
    ruled = [each for each in scored if each.row.ruling]
    boards = [(each.session, each.board.number) for each in ruled]
    if rules.method is not Method.MP or not 1 <= len(ruled) <= 2 or len(set(boards)) < len(ruled):
        return
    settled = [each for each in scored if (each.session, each.board.number) not in boards]
    (event, *_) = _lists(record, settled, found.carried)
    fits = _fits(standing.total for standing in event.said)
    won, none = {label: pair.won for label, pair in event.pairs.items()}, Fraction(0)
    for way in product(*(_as_played(each, rules) for each in ruled)):
        if all(
            fits(each.total, sum((points.get(each.pair, none) for _, points in way), won[each.pair]))
            for each in event.said
        ):
            scores = [
                f"{each.board.number}, {_names(each.row)}: {f'{score:+}'.replace('-', '−')}"
                for each, (score, _) in zip(ruled, way, strict=True)
            ]
            yield Sentence(
                "The totals of the file were made before its rulings: all of them come out with scores such as these in"
                " their place: %(scores)s.",
                scores="; ".join(scores),
            )
            return


def _as_played(ruled: _Row, rules: Rules) -> Iterator[tuple[int, dict[str, Fraction]]]:
    """The board's points for each score that a ruled row may have had: one of the others', or between two of them."""
    rows = [row for row, _ in ruled.board.outcomes()]
    scores = {
        outcome
        for row, outcome in ruled.board.outcomes()
        if row is not ruled.row and isinstance(outcome, int)
    }
    for score in sorted(scores | {each + 10 for each in scores} | {min(scores, default=0) - 10}):
        outcomes = [score if row is ruled.row else outcome for row, outcome in ruled.board.outcomes()]
        points = compare_board(outcomes, rules, len(outcomes))
        yield (
            score,
            {row.ns: ns for row, ns in zip(rows, points.ns, strict=True)}
            | {row.ew: ew for row, ew in zip(rows, points.ew, strict=True)},
        )


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
