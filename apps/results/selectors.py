"""Questions about results."""

from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime
from fractions import Fraction
from itertools import groupby
from json import loads
from operator import itemgetter
from typing import Any

import numpy as np
from django.db import connection
from django.db.models import F, Max, Prefetch, Q, QuerySet
from numpy.typing import NDArray

from apps.results.models import Contestant, FieldBoard, Member, Result, ResultChange
from bridge.awards import Ruling
from bridge.cards import Card, Deal
from bridge.contracts import Contract, Doubling, Strain, result_text
from bridge.doubts import Doubt, doubts, odd_ones_out
from bridge.seats import Seat


def stale_fields() -> list[int]:
    """Fields with a board whose results changed since it was compared."""
    stale = FieldBoard.objects.filter(compared_version__lt=F("results_version"))
    return list(stale.order_by("field_id").values_list("field_id", flat=True).distinct())


@dataclass(frozen=True, slots=True)
class BoardRows:
    """The results of some boards that count, flat: `board` is the place in `boards`, ascending."""

    boards: list[int]
    board: NDArray[np.int64]
    result: NDArray[np.int64]
    score: NDArray[np.int64]
    rulings: dict[int, Ruling]  # by row


def rows_to_compare(field_boards: list[int]) -> BoardRows:
    """The results of these boards that count, in the order of their ids. One query, however many there are."""
    counted = [Result.Kind.PLAYED, Result.Kind.RULED, Result.Kind.CUT]
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT field_board_id, array_agg(id ORDER BY id), array_agg(coalesce(ns_score, 0) ORDER BY id),
                      jsonb_object_agg(id, ruling) FILTER (WHERE ruling IS NOT NULL)
               FROM results_result WHERE field_board_id = ANY(%s) AND kind = ANY(%s) GROUP BY field_board_id""",
            [field_boards, counted],
        )
        found = {board: columns for board, *columns in cursor.fetchall()}
    in_order = [found.get(board, ([], [], None)) for board in field_boards]
    result = np.array([each for ids, _, _ in in_order for each in ids], np.int64)
    ruled = {int(pk): ruling for *_, rulings in in_order if rulings for pk, ruling in loads(rulings).items()}
    rows_ruled = np.flatnonzero(np.isin(result, list(ruled))).tolist() if ruled else []
    return BoardRows(
        boards=field_boards,
        board=np.repeat(np.arange(len(field_boards)), [len(ids) for ids, _, _ in in_order]),
        result=result,
        score=np.array([score for _, scores, _ in in_order for score in scores], np.int64),
        rulings={row: Ruling.from_json(ruled[int(result[row])]) for row in rows_ruled},
    )


def pairs_of(results: list[int]) -> dict[int, tuple[int, int]]:
    """Who sat North–South and who East–West, by result."""
    rows = Result.objects.filter(pk__in=results).values_list("pk", "ns_id", "ew_id")
    return {result: (ns, ew) for result, ns, ew in rows.iterator(chunk_size=10000)}


# ---- one result: its points, what was changed


def results_with_names(results: Iterable[int]) -> QuerySet[Result]:
    """Results with their boards, and with their pairs' players at hand."""
    members = Member.objects.select_related("player")
    return (
        Result.objects.filter(pk__in=list(results))
        .select_related("field_board__board__board_set", "field_board__field", "ns", "ew")
        .prefetch_related(Prefetch("ns__members", members), Prefetch("ew__members", members))
    )


def results_there(result_id: int, board: FieldBoard, ns: Contestant, ew: Contestant) -> list[Result]:
    """The other results that one of these pairs has on the board."""
    pairs = [ns, ew]
    return list(
        Result.objects.filter(Q(ns__in=pairs) | Q(ew__in=pairs), field_board=board).exclude(pk=result_id)
    )


@dataclass(frozen=True, slots=True)
class PointsOfResult:
    """The points of a result for each side, and the top that they are out of where there is one."""

    ns: Fraction
    ew: Fraction
    top: Fraction | None

    @property
    def ns_percent(self) -> Fraction | None:
        return 100 * self.ns / self.top if self.top else None

    @property
    def ew_percent(self) -> Fraction | None:
        return 100 * self.ew / self.top if self.top else None


def points_of(results: Sequence[int]) -> dict[int, PointsOfResult]:
    """The points of those of the results that were compared."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT result.id, comparison.ns_points[at.place], comparison.ew_points[at.place],
                      comparison.denominator, comparison.top
               FROM results_result result
               JOIN results_comparison comparison ON comparison.field_board_id = result.field_board_id
               CROSS JOIN LATERAL array_position(comparison.results, result.id) AS at(place)
               WHERE result.id = ANY(%s) AND at.place IS NOT NULL""",
            [list(results)],
        )
        return {
            result: PointsOfResult(
                Fraction(ns, over), Fraction(ew, over), None if top is None else Fraction(top, over)
            )
            for result, ns, ew, over, top in cursor.fetchall()
        }


def doubts_about(result: Result, contract: Contract | None) -> tuple[Doubt, ...]:
    """What makes one ask whether a result with this contract was written down right. One query.

    About a ruling there is no question.
    """
    if result.kind != Result.Kind.PLAYED:
        return ()
    board = result.field_board.board
    played = Result.objects.filter(field_board=result.field_board_id, kind=Result.Kind.PLAYED)
    others = list(
        played.exclude(pk=result.pk).values_list("ns_score", "level", "strain", "declarer", "tricks")
    )
    plays = [
        (Contract(level, Strain.from_text(strain), declarer=Seat.from_letter(declarer)), tricks)
        for _, level, strain, declarer, tricks in others
        if level
    ]
    return doubts(
        contract=contract,
        lead=Card.from_text(result.lead) if result.lead else None,
        deal=Deal.from_pbn(board.deal) if board.deal else None,
        ns_score=result.ns_score,
        field_scores=[score for score, *_ in others if score is not None],
        odd_one_out=odd_ones_out([(contract, result.tricks), *plays])[0],
    )


@dataclass(frozen=True, slots=True)
class DoubtfulResult:
    """A result of a field that one asks about, as it was written down."""

    session: int
    board: int
    table: str
    ns: int
    ew: int
    said: str
    ns_score: int | None
    doubts: tuple[Doubt, ...]


def doubtful_results(field_id: int) -> list[DoubtfulResult]:
    """The results of a field that may have been written down wrong, as `doubts_about` says of each. One query."""
    rows = (
        Result.objects.filter(field_board__field=field_id, kind=Result.Kind.PLAYED)
        .order_by("field_board__session", "field_board__board__number", "pk")
        .values_list(
            "field_board_id", "field_board__session", "field_board__board__number", "field_board__board__deal",
            "table", "ns_id", "ew_id", "level", "strain", "doubling", "declarer", "tricks", "lead", "ns_score",
        )
    )  # fmt: skip
    return [
        doubtful
        for _, results in groupby(rows, key=itemgetter(0))
        for doubtful in _doubtful_on_board(list(results))
    ]


def _doubtful_on_board(rows: Sequence[tuple[Any, ...]]) -> Iterator[DoubtfulResult]:
    contracts = [
        Contract(level, Strain.from_text(strain), Doubling(doubling), Seat.from_letter(declarer)) if level else None
        for *_, level, strain, doubling, declarer, _, _, _ in rows
    ]  # fmt: skip
    odd = odd_ones_out([(contract, row[-3]) for contract, row in zip(contracts, rows, strict=True)])
    deal = Deal.from_pbn(rows[0][3]) if rows[0][3] else None
    scores = sorted(row[-1] for row in rows if row[-1] is not None)
    for row, contract, is_odd in zip(rows, contracts, odd, strict=True):
        _, session, board, _, table, ns, ew, *_, tricks, lead, ns_score = row
        found = doubts(
            contract=contract,
            lead=Card.from_text(lead) if lead else None,
            deal=deal,
            ns_score=ns_score,
            field_scores=[] if ns_score is None else _around(ns_score, scores),
            odd_one_out=is_odd,
        )
        if found:
            said = "Pass"
            if contract and contract.declarer is not None and tricks is not None:
                said = f"{contract.text} {contract.declarer.letter} {result_text(contract, tricks)}"
            yield DoubtfulResult(session, board, table, ns, ew, said, ns_score, found)


def _around(score: int, scores: Sequence[int]) -> list[int]:
    """Of the sorted scores those that tell how far this one is from the others: the next on both sides, and the ends."""
    place = bisect_left(scores, score)
    if len(scores) < 7:
        return [*scores[:place], *scores[place + 1 :]]
    others = [*scores[max(place - 2, 0) : place], *scores[place + 1 : place + 3]]
    return [*scores[: min(place, 1)], *others, *scores[max(len(scores) - 1, place + 1) :]]


def said_of(result: Result) -> str:
    """A result as one writes it: `4S N +1`, `Pass`; nothing when neither a contract nor a pass is known."""
    if result.level == 0:
        return "Pass"
    if not result.level or result.tricks is None:
        return ""
    strain, seat = Strain.from_text(result.strain), Seat.from_letter(result.declarer)
    contract = Contract(result.level, strain, Doubling(result.doubling), seat)
    return f"{contract.text} {result.declarer} {result_text(contract, result.tricks)}"


def last_change_of(result_id: int) -> int:
    """The last change of a result, 0 when there is none."""
    return ResultChange.objects.filter(result=result_id).aggregate(last=Max("pk"))["last"] or 0


@dataclass(frozen=True, slots=True)
class Change:
    """A correction: the result as it was and as it became, each with its board and its pairs."""

    pk: int
    at: datetime
    by: str
    reason: str
    before: Result
    after: Result

    @property
    def is_moved(self) -> bool:
        before, after = self.before, self.after
        return (before.field_board_id, before.ns_id, before.ew_id) != (
            after.field_board_id,
            after.ns_id,
            after.ew_id,
        )

    @property
    def pairs(self) -> dict[int, Contestant]:
        """All whom it concerns: those who had the result and those who have it."""
        return {pair.pk: pair for pair in (self.before.ns, self.before.ew, self.after.ns, self.after.ew)}


def changes_of_result(result_id: int) -> list[Change]:
    """The corrections of a result, the newest first. Four queries."""
    return _changes(ResultChange.objects.filter(result=result_id))


def changes_of_field(field_id: int) -> list[Change]:
    """All corrections of a field, the newest first. Four queries."""
    return _changes(ResultChange.objects.filter(result__field_board__field=field_id))


def changes_of_contestant(contestant: int) -> list[Change]:
    """The corrections that concern a pair: of its results, and of those that were taken for its own."""
    own = Q(result__ns=contestant) | Q(result__ew=contestant)
    own |= Q(before__ns=contestant) | Q(before__ew=contestant)
    own |= Q(after__ns=contestant) | Q(after__ew=contestant)
    in_field = Q(result__field_board__field__contestants=contestant)
    return _changes(ResultChange.objects.filter(in_field, own))


def change_of(change_id: int) -> Change:
    (change,) = _changes(ResultChange.objects.filter(pk=change_id))
    return change


def _changes(rows: QuerySet[ResultChange]) -> list[Change]:
    found = list(rows.select_related("by", "result").order_by("-at", "-pk"))
    states = [_state(change, side) for change in found for side in (change.before, change.after)]
    members = Prefetch("members", Member.objects.select_related("player"))
    pairs = Contestant.objects.prefetch_related(members).in_bulk(
        {pair for state in states for pair in (state.ns_id, state.ew_id)}
    )
    boards = FieldBoard.objects.select_related("board").in_bulk({state.field_board_id for state in states})
    for state in states:
        state.field_board = boards[state.field_board_id]
        state.ns, state.ew = pairs[state.ns_id], pairs[state.ew_id]
    return [
        Change(
            change.pk,
            change.at,
            change.by.get_username() if change.by else "",
            change.reason,
            states[2 * place],
            states[2 * place + 1],
        )
        for place, change in enumerate(found)
    ]


def _state(change: ResultChange, columns: dict[str, Any]) -> Result:
    """The result as these columns have it; what they do not tell is as it is now."""
    now, state = change.result, Result(pk=change.result_id)
    for field in Result._meta.concrete_fields:
        setattr(state, field.attname, columns.get(field.name, getattr(now, field.attname)))
    return state
