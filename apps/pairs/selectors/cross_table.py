"""Who scored what against whom."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction

from django.db import connection

from apps.pairs.models import Event
from apps.pairs.selectors.standings import Line, Pair, RankingList, runs_itself
from apps.pairs.selectors.travellers import share_of_top
from bridge.comparison import Method


@dataclass(frozen=True, slots=True)
class Encounter:
    """What one pair scored against another in all their boards, of the most that can be had where there is a most."""

    boards: int = 0
    points: Fraction = Fraction(0)
    top: Fraction = Fraction(0)

    def __add__(self, other: "Encounter") -> "Encounter":
        return Encounter(self.boards + other.boards, self.points + other.points, self.top + other.top)

    @property
    def percent(self) -> Fraction | None:
        return share_of_top(self.points, self.top)


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A pair's line, which adds up to its total before penalties.

    Attributes:
        cells: What it scored against each of the columns, None where they did not meet.
        alone: What rounds without an opponent brought: byes, walkovers, absences; None where there were none.
    """

    line: Line
    cells: list[Encounter | None]
    alone: Fraction | None


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


Met = dict[tuple[int, int | None], Encounter]  # by pair and opponent

_ON_BOARDS = """
    SELECT result.ns_id, result.ew_id, comparison.denominator, count(*), sum(points.ns)::bigint, sum(points.ew)::bigint,
           sum(coalesce(comparison.top, 0))::bigint
    FROM results_fieldboard board
    JOIN results_comparison comparison ON comparison.field_board_id = board.id
    CROSS JOIN unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS points(result, ns, ew)
    JOIN results_result result ON result.id = points.result
    WHERE board.field_id = %s
    GROUP BY result.ns_id, result.ew_id, comparison.denominator
"""
_IN_ROUNDS = """
    SELECT score.contestant_id, opponent.contestant_id, score.numerator, score.denominator,
           CASE round.state WHEN 'open' THEN score.completed ELSE %s END
    FROM pairs_round round
    JOIN pairs_roundscore score ON score.round_id = round.id AND score.kind <> 'missed'
    LEFT JOIN pairs_seat seat
         ON seat.round_id = round.id AND seat.contestant_id = score.contestant_id AND score.kind = 'played'
    LEFT JOIN pairs_seat opponent
         ON opponent.round_id = round.id AND opponent."table" = seat."table" AND opponent.side <> seat.side
    WHERE round.swiss_id = %s
"""
_MOST_VPS = 20  # a round


def cross_tables(event: Event, lists: Sequence[RankingList]) -> list[CrossTable]:
    """For each ranking list what its pairs scored against each opponent. One query.

    It is counted as the event counts: by boards, or where it is played in rounds by what each round brought.
    """
    met = _met_in_rounds(event) if runs_itself(event) else _met_on_boards(event)
    everybody = [line.pair for ranking in lists for line in ranking.lines]
    tables = []
    for ranking in lists:
        own = {line.pair.pk for line in ranking.lines}
        opponents = {opponent for pair, opponent in met if pair in own}
        columns = [pair for pair in everybody if pair.pk in opponents]
        rows = [_row(line, columns, met) for line in ranking.lines]
        tables.append(CrossTable(ranking.direction, columns, rows))
    return tables


def _row(line: Line, columns: Sequence[Pair], met: Met) -> CrossRow:
    alone = met.get((line.pair.pk, None))
    cells = [met.get((line.pair.pk, column.pk)) for column in columns]
    return CrossRow(line, cells, alone.points if alone else None)


def _met_on_boards(event: Event) -> Met:
    met: Met = {}
    with connection.cursor() as cursor:
        cursor.execute(_ON_BOARDS, [event.field_id])
        for ns, ew, over, boards, ns_points, ew_points, top in cursor.fetchall():
            for pair, opponent, points in ((ns, ew, ns_points), (ew, ns, ew_points)):
                here = Encounter(boards, Fraction(points, over), Fraction(top, over))
                met[pair, opponent] = met.get((pair, opponent), Encounter()) + here
    return met


def _met_in_rounds(event: Event) -> Met:
    """Percentages of boards summed, victory points, or IMPs; rounds without an opponent stand under None."""
    met: Met = {}
    with connection.cursor() as cursor:
        cursor.execute(_IN_ROUNDS, [event.swiss.boards, event.pk])
        for pair, opponent, points, over, boards in cursor.fetchall():
            top = _MOST_VPS if event.swiss.by_vps else 100 * boards if event.field.method == Method.MP else 0
            here = Encounter(boards, Fraction(points, over), Fraction(top))
            met[pair, opponent] = met.get((pair, opponent), Encounter()) + here
    return met
