"""Results with their points, and the travellers that they make."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction
from itertools import groupby
from operator import attrgetter
from typing import Any

from django.db import connection
from django.db.models import F, QuerySet

from apps.pairs.models import Event
from apps.pairs.selectors.events import shown_results
from apps.pairs.selectors.standings import Pair
from apps.results.models import Result
from bridge.awards import Ruling
from bridge.slow_play import TimeUsed


@dataclass(frozen=True, slots=True)
class Row:
    """What happened at one table on one board, and the points it gave.

    `used` is how long the table waited for each side in that round, where the board was cut by its clock.
    """

    pk: int
    field_board: int
    session: int
    number: int
    ns: int
    ew: int
    round: int | None
    table: str
    kind: str
    level: int | None
    strain: str
    doubling: int
    declarer: str
    tricks: int | None
    lead: str
    ns_score: int | None
    ruling: Ruling | None
    ns_points: Fraction | None
    ew_points: Fraction | None
    dropped: bool
    top: Fraction | None
    datum: int | None
    used: TimeUsed | None

    @property
    def ns_percent(self) -> Fraction | None:
        return share_of_top(self.ns_points, self.top)

    @property
    def ew_percent(self) -> Fraction | None:
        return share_of_top(self.ew_points, self.top)

    @property
    def compared_score(self) -> int | None:
        """The score that others are compared with: what the director gave to both sides goes before what was played."""
        return self.ruling.score if self.ruling else self.ns_score

    @property
    def ew_score(self) -> int | None:
        return None if self.ns_score is None else -self.ns_score


def share_of_top(points: Fraction | None, top: Fraction | None) -> Fraction | None:
    return 100 * points / top if points is not None and top else None


_COLUMNS = (
    "pk", "field_board_id", "field_board__session", "field_board__board__number", "ns_id", "ew_id", "round", "table",
    "kind", "level", "strain", "doubling", "declarer", "tricks", "lead", "ns_score", "ruling",
)  # fmt: skip


_POINTS = """
    SELECT at.result, comparison.ns_points[at.place], comparison.ew_points[at.place],
           comparison.dropped[at.place], comparison.denominator, comparison.top, comparison.datum
    FROM results_comparison comparison
    CROSS JOIN LATERAL unnest(comparison.results) WITH ORDINALITY AS at(result, place)
    WHERE comparison.field_board_id = ANY(%s) AND at.result = ANY(%s)
"""


_USED = """
    SELECT result.id, ns.seconds, ew.seconds
    FROM results_result result JOIN results_fieldboard board ON board.id = result.field_board_id
    JOIN pairs_event event ON event.field_id = board.field_id
    JOIN pairs_swiss swiss ON swiss.event_id = event.id AND swiss.cut = 'clock'
    JOIN pairs_round round ON round.swiss_id = swiss.event_id AND round.number = board.session
    JOIN pairs_seat ns ON ns.round_id = round.id AND ns.contestant_id = result.ns_id AND ns.seconds IS NOT NULL
    JOIN pairs_seat ew ON ew.round_id = round.id AND ew.contestant_id = result.ew_id AND ew.seconds IS NOT NULL
    WHERE result.id = ANY(%s)
"""


def time_used(cut: Sequence[int]) -> dict[int, TimeUsed]:
    """For how long their tables waited for each side, of results that the clock of the table cut. One query, or none."""
    if not cut:
        return {}
    with connection.cursor() as cursor:
        cursor.execute(_USED, [list(cut)])
        return {result: TimeUsed(ns, ew) for result, ns, ew in cursor.fetchall()}


def result_rows(results: QuerySet[Result]) -> list[Row]:
    """Two queries, and one more where boards were cut."""
    found: list[tuple[Any, ...]] = list(results.values_list(*_COLUMNS))
    used = time_used([columns[0] for columns in found if columns[8] == Result.Kind.CUT])
    with connection.cursor() as cursor:
        cursor.execute(_POINTS, [[columns[1] for columns in found], [columns[0] for columns in found]])
        points = {columns[0]: columns[1:] for columns in cursor.fetchall()}
    rows = []
    for *facts, ruling in found:
        ns, ew, dropped, over, top, datum = points.get(facts[0], (None, None, False, 1, None, None))
        columns: tuple[Any, ...] = (
            *facts,
            Ruling.from_json(ruling) if ruling else None,
            None if ns is None else Fraction(ns, over),
            None if ew is None else Fraction(ew, over),
            dropped,
            None if top is None else Fraction(top, over),
            datum,
            used.get(facts[0]),
        )
        rows.append(Row(*columns))
    return rows


Entry = tuple[Row, Pair, Pair]  # what happened, North–South, East–West


@dataclass(frozen=True, slots=True)
class Traveller:
    """What everybody did on one board: by North–South's score from high to low, then what has none.

    Attributes:
        parts: The entries above the datum and those below it; one part when there is no datum.
        counted, kept, dropped: How many results count, how many of them the datum is the mean of, and how many wild ones
            it leaves out.
        outside: How many of them are no one score for both sides, so that no datum can be made of them.
        longest: The most points that one result got, for the bars.
        expected: How many results the points are scaled to.
    """

    entries: list[Entry]
    parts: list[list[Entry]]
    datum: int | None
    counted: int
    kept: int
    dropped: int
    outside: int
    longest: Fraction
    expected: int
    is_short: bool
    has_leads: bool
    has_rulings: bool
    own_entry: Entry | None


_HIGH_TO_LOW = (F("ns_score").desc(nulls_last=True), "pk")


def traveller_of(event: Event, pairs: dict[int, Pair], field_board_id: int) -> Traveller:
    """The traveller of one board. Two queries."""
    results = shown_results(event).filter(field_board_id=field_board_id)
    return _traveller(event, pairs, result_rows(results.order_by(*_HIGH_TO_LOW)))


def travellers_of(event: Event, pairs: dict[int, Pair]) -> dict[int, Traveller]:
    """The travellers of all boards of the event that have results, by field board. Two queries."""
    rows = result_rows(shown_results(event).order_by("field_board_id", *_HIGH_TO_LOW))
    return {
        field_board: _traveller(event, pairs, list(together))
        for field_board, together in groupby(rows, key=attrgetter("field_board"))
    }


def _traveller(event: Event, pairs: dict[int, Pair], rows: list[Row]) -> Traveller:
    entries = [(row, pairs[row.ns], pairs[row.ew]) for row in rows]
    counted = [row for row in rows if row.ns_points is not None]
    datum = next((row.datum for row in counted), None)
    top = next((row.top for row in counted), None)
    above = sum(row.ns_score is not None and row.ns_score >= (datum or 0) for row in rows)
    expected = int(top) // 2 + 1 if top is not None else len(counted)
    return Traveller(
        entries=entries,
        parts=[entries] if datum is None else [entries[:above], entries[above:]],
        datum=datum,
        counted=len(counted),
        kept=sum(not row.dropped and row.compared_score is not None for row in counted),
        dropped=sum(row.dropped for row in counted),
        outside=sum(row.compared_score is None for row in counted),
        longest=max(
            (abs(row.ns_points) for row in counted if row.ns_points is not None), default=Fraction(0)
        ),
        expected=expected,
        is_short=event.field.neuberg and len(counted) < expected,
        has_leads=any(row.lead for row in rows),
        has_rulings=any(row.ruling for row in rows),
        own_entry=next((each for each in entries if each[1].own or each[2].own), None),
    )
