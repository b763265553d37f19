"""Who scored what against whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db import connection

from apps.pairs.models import Event
from apps.pairs.selectors.events import being_played
from apps.pairs.selectors.standings import Line, Pair, RankingList
from apps.pairs.selectors.travellers import share_of_top


@dataclass(frozen=True, slots=True)
class Encounter:
    """What one pair scored against another in all their boards."""

    boards: int
    points: Fraction
    top: Fraction

    @property
    def percent(self) -> Fraction | None:
        return share_of_top(self.points, self.top)


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A pair's line: what it scored against each of the columns, None where they did not meet."""

    line: Line
    cells: list[Encounter | None]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Who scored what against whom: rows of one ranking list, columns in the order of the standings."""

    direction: str
    columns: list[Pair]
    rows: list[CrossRow]


MOST_CELLS = 8_000  # more are no table that anybody reads


def has_cross_table(event: Event, pairs: int) -> bool:
    """Whether the cross-tables of so many pairs are small enough to be shown."""
    return pairs * pairs // event.winners <= MOST_CELLS


_ENCOUNTERS = """
    SELECT result.ns_id, result.ew_id, comparison.denominator, count(*), sum(points.ns)::bigint, sum(points.ew)::bigint,
           sum(coalesce(comparison.top, 0))::bigint
    FROM results_fieldboard board
    JOIN results_comparison comparison ON comparison.field_board_id = board.id
    CROSS JOIN unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS points(result, ns, ew)
    JOIN results_result result ON result.id = points.result
    WHERE board.field_id = %s AND board.session <> ALL(%s)
    GROUP BY result.ns_id, result.ew_id, comparison.denominator
"""


def cross_tables(event: Event, lists: Sequence[RankingList]) -> list[CrossTable]:
    """For each ranking list what its pairs scored against each opponent. Two queries."""
    met: dict[tuple[int, int], Encounter] = {}
    with connection.cursor() as cursor:
        cursor.execute(_ENCOUNTERS, [event.field_id, list(being_played(event))])
        for ns, ew, over, boards, ns_points, ew_points, top in cursor.fetchall():
            for pair, opponent, points in ((ns, ew, ns_points), (ew, ns, ew_points)):
                before = met.get((pair, opponent), Encounter(0, Fraction(0), Fraction(0)))
                met[pair, opponent] = Encounter(
                    before.boards + boards,
                    before.points + Fraction(points, over),
                    before.top + Fraction(top, over),
                )
    everybody = [line.pair for ranking in lists for line in ranking.lines]
    tables = []
    for ranking in lists:
        own = {line.pair.pk for line in ranking.lines}
        opponents = {opponent for pair, opponent in met if pair in own}
        columns = [pair for pair in everybody if pair.pk in opponents]
        rows = [
            CrossRow(line, [met.get((line.pair.pk, column.pk)) for column in columns])
            for line in ranking.lines
        ]
        tables.append(CrossTable(ranking.direction, columns, rows))
    return tables
