"""What pairs earned in rounds, reckoned from what happened at the tables: for whoever checks what was written down.

Nothing here reads a comparison, the score of a round or a standing. Boards are compared one by one, by the definition;
and as every correction keeps what it changed, that can be done as of any moment.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from functools import cache
from typing import Any

from django.db.models import Q

from apps.pairs.models import Entry, Seat, Swiss
from apps.results.models import FieldBoard, Result, ResultChange
from bridge.awards import Award, Grade, Mixture, Ruling
from bridge.comparison import BoardPoints, Method, compare_board, settle
from bridge.round_scores import absent_score, bye_score, round_vps

COUNTED = (Result.Kind.PLAYED, Result.Kind.RULED, Result.Kind.CUT)


@dataclass(frozen=True, slots=True)
class Outcome:
    """What stands for a table on a board."""

    board: int
    ns: int
    ew: int
    kind: str
    row: int | Ruling  # as `compare_board` takes it

    @classmethod
    def read(cls, columns: Mapping[str, Any]) -> "Outcome":
        """From the columns of a result, now or as a correction has kept them."""
        ruling = columns["ruling"]
        row = Ruling.from_json(ruling) if ruling else columns["ns_score"] or 0
        return cls(columns["field_board"], columns["ns"], columns["ew"], columns["kind"], row)


_COLUMNS = ("field_board", "ns", "ew", "kind", "ns_score", "ruling")


@dataclass(frozen=True, slots=True)
class Step:
    """A change of what stands: a correction by its number, or a result that came, of number 0. `board` as people say it."""

    at: datetime
    number: int
    board: int
    result: int
    before: Outcome | None


@dataclass(frozen=True, slots=True)
class History:
    """The results of earlier rounds as they stand now, and the last steps that led there, the oldest first."""

    now: Mapping[int, Outcome]
    steps: Sequence[Step]

    def after(self, steps: int) -> list[Outcome]:
        """What stood when only so many of the steps had been taken."""
        stood: dict[int, Outcome | None] = dict(self.now)
        for step in reversed(self.steps[steps:]):
            stood[step.result] = step.before
        return [outcome for outcome in stood.values() if outcome]


def history_of(swiss: Swiss, *, before: int, bell: datetime, since: datetime) -> History:
    """The results of the rounds before one, and how they came to stand so.

    Three queries.

    Args:
        swiss: The event.
        before: The round.
        bell: Of the round before it: a result that came later is a step.
        since: A correction made later is a step; but not what both sides agreed on, for the bell has waited for that.
    """
    boards = FieldBoard.objects.filter(field=swiss.event.field_id, session__lt=before)
    earlier = set(boards.values_list("pk", flat=True))
    changes = ResultChange.objects.filter(result__field_board__field=swiss.event.field_id, at__gt=since)
    changes = changes.exclude(reason__in=[ResultChange.AGREED, ResultChange.UNCONTRADICTED])
    changed = list(changes.order_by("pk").values_list("pk", "at", "result", "before"))
    concerned = Q(field_board__in=earlier) | Q(pk__in={result for _, _, result, _ in changed})
    results = Result.objects.filter(concerned, field_board__field=swiss.event.field_id)
    columns = results.values("pk", *_COLUMNS, "recorded_at", "field_board__board__number")
    rows = {row["pk"]: row for row in columns}
    steps = [
        Step(row["recorded_at"], 0, row["field_board__board__number"], pk, None)
        for pk, row in rows.items()
        if row["field_board"] in earlier and row["recorded_at"] > bell
    ]
    for number, at, result, was in changed:
        row, outcome = rows[result], Outcome.read(rows[result] | was)
        if earlier & {row["field_board"], outcome.board}:  # or else it is of another round
            steps.append(Step(at, number, row["field_board__board__number"], result, outcome))
    steps.sort(key=lambda step: (step.at, step.number))
    return History({pk: Outcome.read(row) for pk, row in rows.items()}, steps)


@dataclass(frozen=True, slots=True)
class Earned:
    """What a pair earned, and the boards that count as completed."""

    points: Fraction = Fraction(0)
    completed: int = 0

    def __add__(self, other: "Earned") -> "Earned":
        return Earned(self.points + other.points, self.completed + other.completed)


@dataclass(frozen=True, slots=True)
class _Share:
    """What one side of a table got on a board, and the award by which it got it, if any."""

    pair: int
    points: Fraction
    top: Fraction | None
    award: Award | None
    is_completed: bool


class Reckoning:
    """The rounds of an event before one of them: to be reckoned for any results. Four queries, to begin with."""

    def __init__(self, swiss: Swiss, *, before: int) -> None:
        rules = swiss.event.field.rules
        self._swiss, self._method, self._rounds = swiss, rules.method, range(1, before)
        boards = FieldBoard.objects.filter(field=swiss.event.field_id, session__lt=before)
        self._round_of = dict(boards.values_list("pk", "session"))
        self._pairs = list(Entry.objects.filter(swiss=swiss).values_list("pk", flat=True))
        seats = Seat.objects.filter(round__swiss=swiss, round__number__lt=before)
        self._seats = {
            (number, pair): (table, missing)
            for number, pair, table, missing in seats.values_list(
                "round__number", "contestant", "table", "missing"
            )
        }

        @cache  # most boards are the same however often the rounds are reckoned
        def compare(rows: tuple[int | Ruling, ...], fullest: int) -> BoardPoints:
            return compare_board(rows, rules, fullest)

        self._compare = compare

    def earned(self, outcomes: Iterable[Outcome]) -> dict[tuple[int, int], Earned]:
        """What each round brought to each pair, by round and pair, where this is what happened."""
        on_boards: dict[int, dict[int, list[Outcome]]] = {number: {} for number in self._rounds}
        for outcome in outcomes:
            if outcome.kind in COUNTED and outcome.board in self._round_of:
                number = self._round_of[outcome.board]
                on_boards[number].setdefault(outcome.board, []).append(outcome)
        return {
            (number, pair): earned
            for number, boards in on_boards.items()
            for pair, earned in self._of_round(number, self._won(list(boards.values())))
        }

    def _won(self, boards: Sequence[list[Outcome]]) -> dict[int, Earned]:
        """What pairs won at the tables of a round."""
        fullest = max(map(len, boards), default=0)
        shares = [share for rows in boards for share in self._shares(rows, fullest)]
        own = _own_percentages(shares) if self._method is Method.MP else {}
        won: dict[int, Earned] = defaultdict(Earned)
        for share in shares:
            points = share.points
            if share.top is not None:
                points = 100 * points / share.top
                if isinstance(share.award, Grade):
                    points = settle(share.award, own.get(share.pair))
            won[share.pair] += Earned(points, int(share.is_completed))
        return won

    def _shares(self, rows: Sequence[Outcome], fullest: int) -> Iterator[_Share]:
        points = self._compare(tuple(outcome.row for outcome in rows), fullest)
        for outcome, ns, ew in zip(rows, points.ns, points.ew, strict=True):
            is_completed, ns_award, ew_award = outcome.kind != Result.Kind.CUT, None, None
            if isinstance(outcome.row, Ruling):
                ns_award, ew_award = outcome.row.ns, outcome.row.ew
            yield _Share(outcome.ns, ns, points.top, ns_award, is_completed)
            yield _Share(outcome.ew, ew, points.top, ew_award, is_completed)

    def _of_round(self, number: int, won: Mapping[int, Earned]) -> Iterator[tuple[int, Earned]]:
        """What the round brought to every pair, with those that did not play it out."""
        swiss = self._swiss
        seats = {pair: self._seats.get((number, pair)) for pair in self._pairs}
        tables = {seat[0] for seat in seats.values() if seat and seat[0] is not None}
        empty = {seat[0] for seat in seats.values() if seat and seat[1]}
        how: dict[str, Any] = {"by_vps": swiss.by_vps, "boards": swiss.boards}
        bye = Earned(bye_score(self._method, tables=len(tables), **how), swiss.boards)
        absent = Earned(absent_score(self._method, **how))
        for pair, seat in seats.items():
            if seat is None:
                yield pair, Earned()
            elif seat[1]:
                yield pair, absent
            elif seat[0] is None or seat[0] in empty:
                yield pair, bye
            else:
                gained = won.get(pair, Earned())
                points = round_vps(gained.points, swiss.boards) if swiss.by_vps else gained.points
                yield pair, Earned(points, gained.completed)


def _own_percentages(shares: Iterable[_Share]) -> dict[int, Fraction]:
    """By pair its percentage on the boards of the round on which it has a score (Law 12C2c)."""
    won: dict[int, Fraction] = defaultdict(Fraction)
    tops: dict[int, Fraction] = defaultdict(Fraction)
    for share in shares:
        if share.award is None or isinstance(share.award, Mixture):
            won[share.pair] += share.points
            tops[share.pair] += share.top or 0
    return {pair: 100 * won[pair] / top for pair, top in tops.items() if top}
