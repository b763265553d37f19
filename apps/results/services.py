"""Changes to results, and the one service that turns results into points."""

from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from fractions import Fraction
from functools import lru_cache, partial
from json import dumps
from math import lcm
from operator import itemgetter
from struct import pack
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import F, QuerySet, Subquery
from django.forms import model_to_dict
from numpy.typing import NDArray

from apps.boards.models import BoardSet
from apps.clock.time import now
from apps.results.bulk import copy_rows
from apps.results.models import Comparison, Contestant, Field, FieldBoard, Member, Result, ResultChange
from apps.results.selectors import (
    BoardRows,
    PointsOfResult,
    last_change_of,
    pairs_of,
    points_of,
    results_there,
    results_with_names,
    rows_to_compare,
)
from apps.results.signals import correction_asked, field_compared, result_corrected, results_changed
from apps.users.models import Player, User
from bridge.awards import Grade, Mixture, Ruling
from bridge.comparison import NO_DATUM, FieldPoints, Method, Rules, compare_boards, settle
from bridge.contracts import Contract, Doubling, Strain, possible_tricks
from bridge.errors import ImpossibleResult
from bridge.scoring import ns_score
from bridge.seats import Seat, Vulnerability


def create_field(*, rules: Rules, by_session: bool = False) -> Field:
    """A field that is compared by these rules: all of it together, or the boards of each session for themselves."""
    return Field.objects.create(
        method=rules.method,
        datum_rule=str(rules.datum_rule),
        expected=rules.expected,
        neuberg=rules.neuberg,
        by_session=by_session,
    )


@dataclass(frozen=True, slots=True)
class ContestantFacts:
    """A pair to be entered: its number, its direction in an event with two rankings, its players."""

    label: str
    players: Sequence[Player]
    direction: str = ""
    status: str = Contestant.Status.ACTIVE


@transaction.atomic
def add_contestants(*, field: Field, contestants: Sequence[ContestantFacts]) -> dict[str, Contestant]:
    """Enter pairs, in the order of their registration; returns them by label."""
    made = Contestant.objects.bulk_create(
        Contestant(
            field=field, label=facts.label, order=order, direction=facts.direction, status=facts.status
        )
        for order, facts in enumerate(contestants, 1)
    )
    Member.objects.bulk_create(
        Member(contestant=contestant, player=player, position=position)
        for contestant, facts in zip(made, contestants, strict=True)
        for position, player in enumerate(facts.players, 1)
    )
    return {contestant.label: contestant for contestant in made}


@transaction.atomic(savepoint=False)
def add_boards(*, field: Field, board_set: BoardSet, session: int = 1) -> dict[int, FieldBoard]:
    """Let the field play all boards of a set; returns them by number."""
    play_boards(field=field, board_set=board_set, session=session)
    made = FieldBoard.objects.filter(field=field, board__board_set=board_set).select_related("board")
    return {field_board.board.number: field_board for field_board in made}


def play_boards(*, field: Field, board_set: BoardSet, session: int) -> None:
    """Let the field play all boards of a set in a session. One statement."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO results_fieldboard (field_id, board_id, session, results_version, compared_version)
               SELECT %s, id, %s, 0, 0 FROM boards_board WHERE board_set_id = %s ORDER BY number""",
            [field.pk, session, board_set.pk],
        )


@dataclass(frozen=True, slots=True)
class Play:
    """What happened at one table on one board.

    A board that was played has a contract with declarer and tricks, or was `passed_out`, or has only a score. A ruling
    stands in place of, or beside, what was played. A board with nothing of all that was not played.
    """

    field_board: FieldBoard
    ns: Contestant
    ew: Contestant
    contract: Contract | None = None
    passed_out: bool = False
    tricks: int | None = None
    score: int | None = None
    ruling: Ruling | None = None
    lead: str = ""
    round: int | None = None
    table: str = ""
    seats: tuple[Player | None, Player | None, Player | None, Player | None] = (None, None, None, None)


def _result_of(play: Play, source: str) -> Result:
    return Result(**_columns_of(play, source))


def _columns_of(play: Play, source: str) -> dict[str, Any]:
    """The row of a play, or an error in a player's words when it cannot be."""
    north, east, south, west = play.seats
    level, strain, doubling, declarer, tricks, score = _outcome(play)
    if play.ruling:
        kind = Result.Kind.RULED
    else:
        kind = Result.Kind.NOT_PLAYED if score is None else Result.Kind.PLAYED
    return {
        "field_board_id": play.field_board.pk,
        "ns_id": play.ns.pk,
        "ew_id": play.ew.pk,
        "north_id": north and north.pk,
        "east_id": east and east.pk,
        "south_id": south and south.pk,
        "west_id": west and west.pk,
        "round": play.round,
        "table": play.table,
        "kind": kind,
        "source": source,
        "level": level,
        "strain": strain,
        "doubling": doubling,
        "declarer": declarer,
        "tricks": tricks,
        "lead": play.lead,
        "ns_score": score,
        "ruling": play.ruling and play.ruling.to_json(),
    }


_Outcome = tuple[int | None, str, int, str, int | None, int | None]
"""Level, strain, doubling, declarer, tricks and North–South's score, as columns."""


def _outcome(play: Play) -> _Outcome:
    if play.contract and play.tricks is not None:
        return _played(play.contract, play.tricks, play.field_board.board.vulnerable)
    if play.passed_out:
        return 0, "", 0, "", None, 0
    if play.score is not None and (play.score % 10 or abs(play.score) > 7600):
        raise ImpossibleResult("No board scores %(score)s.", score=play.score)
    return None, "", 0, "", None, play.score


@lru_cache(maxsize=4096)  # the tables of a field play the same few contracts
def _played(contract: Contract, tricks: int, vulnerable: str) -> _Outcome:
    if contract.declarer is None:
        raise ImpossibleResult("The contract %(contract)s has no declarer.", contract=contract.text)
    score = ns_score(contract, possible_tricks(tricks), Vulnerability(vulnerable))
    return contract.level, contract.strain.text, contract.doubling, contract.declarer.letter, tricks, score


@transaction.atomic
def record_results(*, field: Field, plays: Iterable[Play], source: str) -> int:
    """Record many results of a field at once; returns how many. The boards are compared soon after.

    Raises:
        BridgeError: One of them cannot be; then none is recorded.
        IntegrityError: A pair has a result on one of the boards already; then none is recorded.
    """
    moment = now()
    rows = [_in_order(_columns_of(play, source) | {"recorded_at": moment}) for play in plays]
    with _boards_changing(field.pk, {row[0] for row in rows}):
        copy_rows(Result, _TYPES, rows)
    return len(rows)


_TYPES = {
    "field_board_id": "int8",
    "ns_id": "int8",
    "ew_id": "int8",
    "north_id": "int8",
    "east_id": "int8",
    "south_id": "int8",
    "west_id": "int8",
    "round": "int2",
    "table": "text",
    "kind": "text",
    "source": "text",
    "level": "int2",
    "strain": "text",
    "doubling": "int2",
    "declarer": "text",
    "tricks": "int2",
    "lead": "text",
    "ns_score": "int2",
    "ruling": "jsonb",
    "recorded_at": "timestamptz",
}
"""The columns of a new result, with their types in PostgreSQL."""
_in_order = itemgetter(*_TYPES)

_HAPPENED = ("kind", "level", "strain", "doubling", "declarer", "tricks", "lead", "ns_score", "ruling")
_PLACE = ("field_board", "ns", "ew", "north", "east", "south", "west")


@transaction.atomic
def change_result(
    *, result_id: int, by: User | None, reason: str, seen: int | None = None, **changes: Any
) -> Result:
    """Change what happened on a board, or what the director ruled there; what it was before is kept.

    Args:
        result_id: The result.
        by: Who changes it.
        reason: Why, for those who read the history.
        seen: The last change that `by` knew of, 0 when he knew of none; left out, nothing is asked.
        changes: Any of `contract`, `passed_out`, `tricks`, `score`, `ruling`, `lead`, as in `Play`. What is played and
            what is ruled is given whole: a contract without a ruling takes the ruling back.

    Nothing is written when nothing changes.

    Raises:
        BridgeError: It cannot be, or somebody else changed the result meanwhile.
    """
    (result,) = _held([result_id])
    _refuse_when_changed_since(result, seen)
    play = Play(field_board=result.field_board, ns=result.ns, ew=result.ew, lead=result.lead)
    changed = _result_of(replace(play, **changes), result.source)
    before = model_to_dict(result, [*_HAPPENED, *_PLACE])
    for column in _HAPPENED:
        setattr(result, column, getattr(changed, column))
    if before != model_to_dict(result, [*_HAPPENED, *_PLACE]):
        with _boards_changing(result.field_board.field_id, {result.field_board_id}):
            _save_change(result, before, by, reason)
    return result


@transaction.atomic
def move_result(
    *,
    result_id: int,
    by: User | None,
    reason: str,
    to: FieldBoard | None = None,
    ns: Contestant | None = None,
    ew: Contestant | None = None,
    seen: int | None = None,
) -> Result:
    """Give a result that was entered under a wrong number to the board and the pairs it belongs to; it is scored there.

    Where these pairs have a result on that board already, the two change places, as they do when two lines of a score
    sheet were mixed up.

    Args:
        result_id: The result.
        by: Who moves it.
        reason: Why, for those who read the history.
        to: The board; left out, the one it is on.
        ns: Who sat North–South; left out, as it is.
        ew: Who sat East–West; left out, as it is.
        seen: As in `change_result`.

    Raises:
        ImpossibleResult: One of the pairs has another result there, or somebody else changed the result meanwhile.
    """
    place = Result.objects.select_related("field_board__board", "ns", "ew").get(pk=result_id)
    board, north_south, east_west = to or place.field_board, ns or place.ns, ew or place.ew
    if {board.field_id, north_south.field_id, east_west.field_id} != {place.field_board.field_id}:
        raise ImpossibleResult("A result stays in its event.")
    if north_south == east_west:
        raise ImpossibleResult("A pair does not play against itself.")
    there = results_there(result_id, board, north_south, east_west)
    if any((other.ns_id, other.ew_id) != (north_south.pk, east_west.pk) for other in there):
        raise ImpossibleResult(
            "One of these pairs has another result on board %(number)s. Move that one first.",
            number=board.board.number,
        )
    held = {each.pk: each for each in _held([result_id, *(other.pk for other in there)])}
    result = held.pop(result_id)
    _refuse_when_changed_since(result, seen)
    if (result.field_board_id, result.ns_id, result.ew_id) == (board.pk, north_south.pk, east_west.pk):
        return result
    before = {each.pk: model_to_dict(each, [*_HAPPENED, *_PLACE]) for each in (result, *held.values())}
    with _boards_changing(board.field_id, {result.field_board_id, board.pk}):
        if {other.pk for other in results_there(result_id, board, north_south, east_west)} != held.keys():
            raise ImpossibleResult("Somebody else changed these results meanwhile. Look at them once more.")
        for other in held.values():
            for column in _HAPPENED:
                mine, theirs = getattr(result, column), getattr(other, column)
                setattr(result, column, theirs)
                setattr(other, column, mine)
        if not held:
            _place(result, board, north_south, east_west)
        for each in (result, *held.values()):
            if each.level and each.declarer:
                vulnerable = Vulnerability(each.field_board.board.vulnerable)
                each.ns_score = ns_score(contract_of(each), each.tricks, vulnerable)
            _save_change(each, before[each.pk], by, reason)
    return result


@transaction.atomic
def correct_results(change: Callable[[], Result], *, results: Sequence[int], by: User) -> Result:
    """Make a change of these results for a director, unless whoever keeps their event refuses it.

    It is asked about before and after, for what is moved may become his own.

    Raises:
        PermissionDenied: He may not correct them, or not now.
        BridgeError: The change cannot be made.
    """
    correction_asked.send(sender=Result, results=results, user=by)
    changed = change()
    correction_asked.send(sender=Result, results=results, user=by)
    return changed


def _held(results: Sequence[int]) -> list[Result]:
    """Results under lock, in the order of their ids; a writer locks results first and boards then."""
    rows = Result.objects.select_for_update(of=["self"], no_key=True).filter(pk__in=results).order_by("pk")
    held = list(rows.select_related("field_board__board", "ns", "ew"))
    if len(held) < len(set(results)):
        raise Result.DoesNotExist
    return held


def _place(result: Result, board: FieldBoard, ns: Contestant, ew: Contestant) -> None:
    """Put a result where it belongs. Who sat in which seat is not known of pairs that take the place of others."""
    if result.ns_id != ns.pk:
        result.north = result.south = None
    if result.ew_id != ew.pk:
        result.east = result.west = None
    result.field_board, result.ns, result.ew = board, ns, ew


def _refuse_when_changed_since(result: Result, seen: int | None) -> None:
    if seen is not None and seen != last_change_of(result.pk):
        raise ImpossibleResult("Somebody else changed this result meanwhile. Look at it once more.")


def _save_change(result: Result, before: dict[str, Any], by: User | None, reason: str) -> None:
    """The result as it is now, a line in its history, and word of it to whoever listens."""
    result.save(update_fields=[*_HAPPENED, *_PLACE])
    after = model_to_dict(result, [*_HAPPENED, *_PLACE])
    held = FieldBoard.objects.filter(pk=result.field_board_id).values("results_version")
    change = ResultChange.objects.create(
        result=result, by=by, reason=reason, before=before, after=after, version=Subquery(held) + 1
    )
    transaction.on_commit(partial(result_corrected.send, sender=Result, change_id=change.pk), robust=True)


@dataclass(frozen=True, slots=True)
class Effect:
    """What a change does to one result: the result and its points, before and after."""

    before: Result
    after: Result
    points_before: PointsOfResult | None
    points_after: PointsOfResult | None


def effects_of(change: Callable[[], Result], *, results: Sequence[int]) -> list[Effect]:
    """What a change would do to these results: it is made, its field is compared, and all of it is taken back.

    Raises:
        BridgeError: The change cannot be made.
    """
    with transaction.atomic():
        before, points_before = _rows_by_id(results), points_of(results)
        changed = change()
        compare_field(field_id=changed.field_board.field_id)
        after, points_after = _rows_by_id(results), points_of(results)
        transaction.set_rollback(True)
    return [
        Effect(before[pk], after[pk], points_before.get(pk), points_after.get(pk))
        for pk in dict.fromkeys(results)
    ]


def _rows_by_id(results: Sequence[int]) -> dict[int, Result]:
    return {result.pk: result for result in results_with_names(results)}


def contract_of(result: Result) -> Contract | None:
    """The contract of a result; None when it was passed out or is not known."""
    if not result.level:
        return None
    return Contract(
        result.level,
        Strain.from_text(result.strain),
        Doubling(result.doubling),
        Seat.from_letter(result.declarer),
    )


@contextmanager
def _boards_changing(field_id: int, field_boards: set[int]) -> Iterator[None]:
    """Hold boards while their results change, and mark them as not compared.

    They are locked in the order of their ids, so two writers never wait for one another.
    """
    locked = _locked(FieldBoard.objects.filter(pk__in=field_boards))
    yield
    _mark_changed(field_id, locked)


def _mark_changed(field_id: int, locked: Sequence[FieldBoard]) -> None:
    """Have boards compared again, now or soon."""
    boards = FieldBoard.objects.filter(pk__in=[board.pk for board in locked])
    boards.update(results_version=F("results_version") + 1)
    transaction.on_commit(partial(results_changed.send, sender=Field, field_id=field_id), robust=True)


def _locked(boards: "QuerySet[FieldBoard]") -> list[FieldBoard]:
    """Boards under lock, in the order of their ids.

    The lock lets foreign keys be: with a stronger one, two results that point to one board could wait for one another.
    """
    return list(boards.select_for_update(no_key=True).order_by("pk"))


@transaction.atomic
def reconsider_field(*, field_id: int) -> None:
    """Have the standings made again after a penalty or the status of a pair changed; points stay as they are."""
    Field.objects.filter(pk=field_id).update(version=F("version") + 1)
    transaction.on_commit(partial(field_compared.send, sender=Field, field_id=field_id), robust=True)


def rank_corrections(*, field_id: int) -> list[int]:
    """The field is ranked from its boards as they are compared now; returns the changes of results that this counts first.

    One statement, before the ranking reads the points: what is compared meanwhile belongs to the next one.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH ranked AS (
                 UPDATE results_fieldboard board SET ranked_version = board.compared_version
                 FROM (SELECT id, ranked_version FROM results_fieldboard
                       WHERE field_id = %s AND ranked_version < compared_version
                       ORDER BY id FOR NO KEY UPDATE) AS before
                 WHERE board.id = before.id
                 RETURNING board.id, before.ranked_version AS since, board.compared_version AS version
               )
               SELECT change.id FROM results_fieldboard board
               JOIN results_result result ON result.field_board_id = board.id
               JOIN results_resultchange change ON change.result_id = result.id
               JOIN ranked ON ranked.id = (change.after ->> 'field_board')::bigint
                           AND change.version > ranked.since AND change.version <= ranked.version
               WHERE board.field_id = %s""",
            [field_id, field_id],
        )
        return [change for (change,) in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Compared:
    """What a comparison did: how many boards it wrote, the sessions that had changed, the field's version after it."""

    boards: int
    changed: frozenset[int]
    version: int


@transaction.atomic(savepoint=False)
def compare_field(*, field_id: int, everything: bool = False) -> int:
    """As `compare_changes`, and have the standings made again soon; returns how many boards were compared."""
    compared = compare_changes(field=Field.objects.get(pk=field_id), everything=everything)
    if compared.boards:
        transaction.on_commit(partial(field_compared.send, sender=Field, field_id=field_id), robust=True)
    return compared.boards


@transaction.atomic(savepoint=False)
def compare_changes(*, field: Field, everything: bool = False) -> Compared:
    """Write the points of every board of the field whose results changed. What follows from them is the caller's task.

    Args:
        field: The field.
        everything: Compare all its boards, changed or not.

    Repeating it changes nothing. Boards are locked in the order of their ids, so several workers may do it at once: a
    result that is recorded meanwhile waits for the lock, and its board is then compared again. Where the number of
    results expected is left to the fullest board, or where average plus follows a pair's own percentage, one board
    depends on the others, and all are compared: all of the field, or all of a session where the field says so.
    """
    boards = _locked(FieldBoard.objects.filter(field=field))
    changed = frozenset(board.session for board in boards if board.compared_version < board.results_version)
    if not changed and not everything:
        versions = Field.objects.values_list("version", flat=True)  # the caller's field may be an older one
        return Compared(0, changed, versions.get(pk=field.pk))
    sessions = {board.session for board in boards} if everything else changed
    groups = [
        group for group in _groups(field, boards) if not field.by_session or group[0].session in sessions
    ]
    for group in groups:
        _compare(field, group)
    return Compared(sum(map(len, groups)), changed, _next_version(field.pk))


def _groups(field: Field, boards: Sequence[FieldBoard]) -> list[list[FieldBoard]]:
    """Boards that may depend on one another: all of the field, or those of each session."""
    of_session: dict[int, list[FieldBoard]] = {}
    for board in boards:
        of_session.setdefault(board.session if field.by_session else 0, []).append(board)
    return [of_session[session] for session in sorted(of_session)]


def boards_compared_wrongly(*, field_id: int) -> list[int]:
    """Boards of the field whose points are not those that their results make now: none, ever.

    They are worked out as `compare_changes` does, and not written. Nothing is said of a field of which results or points
    are changing meanwhile. Six queries.
    """
    field = Field.objects.get(pk=field_id)
    boards = list(FieldBoard.objects.filter(field=field).order_by("pk"))
    stored = {
        board: points
        for board, *points in Comparison.objects.filter(field_board__field=field).values_list(
            "field_board", "results", "ns_points", "ew_points", "dropped", "denominator", "top", "datum"
        )
    }
    wrong: list[int] = []
    for group in _groups(field, boards):
        rows, points = _worked_out(field, group)
        ends = np.cumsum(np.bincount(rows.board, minlength=len(group))).tolist()
        columns = [column.tolist() for column in (rows.result, points.ns, points.ew, points.dropped)]
        for place, board in enumerate(group):
            own = slice(ends[place - 1] if place else 0, ends[place])
            top, datum = int(points.top[place]), int(points.datum[place])
            ours = [
                *(column[own] for column in columns),
                int(points.denominator[place]),
                top if field.rules.method is Method.MP else None,
                None if datum == NO_DATUM else datum,
            ]
            if stored.get(board.pk, ours if not ours[0] else None) != ours:
                wrong.append(board.pk)
    is_changing = FieldBoard.objects.filter(field=field, compared_version__lt=F("results_version")).exists()
    return (
        wrong if Field.objects.filter(pk=field_id, version=field.version).exists() and not is_changing else []
    )


def _next_version(field_id: int) -> int:
    with connection.cursor() as cursor:
        cursor.execute(
            "UPDATE results_field SET version = version + 1 WHERE id = %s RETURNING version", [field_id]
        )
        version: int = cursor.fetchone()[0]
        return version


def _compare(field: Field, boards: Sequence[FieldBoard]) -> None:
    """Compare boards that may depend on one another, all of them."""
    rows, points = _worked_out(field, boards)
    _write(rows, points, field.rules.method)
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE results_fieldboard SET compared_version = results_version
               WHERE id = ANY(%s) AND compared_version < results_version""",
            [rows.boards],
        )


def _worked_out(field: Field, boards: Sequence[FieldBoard]) -> tuple[BoardRows, FieldPoints]:
    """The results of boards that may depend on one another, and their points. Two queries."""
    rows = rows_to_compare([board.pk for board in boards])
    points = compare_boards(rows.board, rows.score, field.rules, boards=len(boards), rulings=rows.rulings)
    if field.rules.method is Method.MP and any(_is_graded(ruling) for ruling in rows.rulings.values()):
        _settle(rows, points, [board.session for board in boards])
    return rows, points


def _is_graded(ruling: Ruling) -> bool:
    return any(isinstance(award, Grade) and award is not Grade.AVERAGE for award in (ruling.ns, ruling.ew))


def _settle(rows: BoardRows, points: FieldPoints, sessions: Sequence[int]) -> None:
    """Bring average plus and average minus to the pair's own percentage where that is more, or less (Law 12C2c).

    A pair's own percentage is that of its boards of the session on which it has a score.
    """
    pairs = pairs_of(rows.result.tolist())
    graded = {row: ruling for row, ruling in rows.rulings.items() if _is_graded(ruling)}
    concerned = {pair for row in graded for pair in pairs[int(rows.result[row])]}
    won: dict[tuple[int, int], Fraction] = {}
    tops: dict[tuple[int, int], Fraction] = {}
    for row, (result, board) in enumerate(zip(rows.result.tolist(), rows.board.tolist(), strict=True)):
        if concerned.isdisjoint(pairs[result]):
            continue
        denominator, ruling = int(points.denominator[board]), rows.rulings.get(row)
        awards = (ruling.ns, ruling.ew) if ruling else (None, None)
        for pair, gained, award in zip(pairs[result], (points.ns[row], points.ew[row]), awards, strict=True):
            if award is None or isinstance(award, Mixture):
                key = pair, sessions[board]
                won[key] = won.get(key, Fraction(0)) + Fraction(int(gained), denominator)
                tops[key] = tops.get(key, Fraction(0)) + Fraction(int(points.top[board]), denominator)
    for row, ruling in graded.items():
        board = int(rows.board[row])
        top = Fraction(int(points.top[board]), int(points.denominator[board]))
        sides = zip(pairs[int(rows.result[row])], (ruling.ns, ruling.ew), (points.ns, points.ew), strict=True)
        for pair, award, side in sides:
            if isinstance(award, Grade):
                key = pair, sessions[board]
                own = 100 * won[key] / tops[key] if tops.get(key) else None
                _put(points, rows, board, side, row, settle(award, own) * top / 100)


def _put(points: FieldPoints, rows: BoardRows, board: int, side: Any, row: int, value: Fraction) -> None:
    """Put a value into one row; the board's denominator grows as far as the value needs."""
    factor = lcm(int(points.denominator[board]), value.denominator) // int(points.denominator[board])
    of_board = rows.board == board
    points.ns[of_board] *= factor
    points.ew[of_board] *= factor
    points.denominator[board] *= factor
    points.top[board] *= factor
    side[row] = int(value * int(points.denominator[board]))


def _write(rows: BoardRows, points: FieldPoints, method: Method) -> None:
    """Write one comparison a board, in place of the one before, by COPY in PostgreSQL's binary form: NumPy makes that."""
    ends = np.cumsum(np.bincount(rows.board, minlength=len(rows.boards)))
    starts = np.concatenate(([0], ends[:-1]))
    bigints = [_BIGINTS.elements(column) for column in (rows.result, points.ns, points.ew)]
    dropped, moment = _BOOLEANS.elements(points.dropped), _moment(now())
    with connection.cursor() as cursor:
        cursor.execute("DELETE FROM results_comparison WHERE field_board_id = ANY(%s)", [rows.boards])
        with cursor.copy(
            """COPY results_comparison (field_board_id, results, ns_points, ew_points, dropped, denominator, top, datum,
                 compared_at) FROM STDIN (FORMAT BINARY)"""
        ) as copy:
            copy.write(_COPY_HEADER)
            for place, field_board in enumerate(rows.boards):
                own = slice(starts[place], ends[place])
                datum = int(points.datum[place])
                copy.write(
                    b"\0\x09"  # nine columns
                    + _bigint(field_board)
                    + b"".join(_BIGINTS.array(column[own]) for column in bigints)
                    + _BOOLEANS.array(dropped[own])
                    + _bigint(int(points.denominator[place]))
                    + (_bigint(int(points.top[place])) if method is Method.MP else _NULL)
                    + (_NULL if datum == NO_DATUM else pack(">ih", 2, datum))
                    + moment
                )
            copy.write(_COPY_END)


_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"
_NULL = pack(">i", -1)


def _bigint(value: int) -> bytes:
    return pack(">iq", 8, value)


def _moment(at: datetime) -> bytes:
    return _bigint((at - datetime(2000, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1))


@dataclass(frozen=True, slots=True)
class _Elements:
    """PostgreSQL's binary form of arrays of one type: each element after its size in bytes."""

    oid: int
    type: str

    def elements(self, column: NDArray[Any]) -> NDArray[Any]:
        made = np.empty(len(column), np.dtype([("size", ">i4"), ("value", self.type)]))
        made["size"], made["value"] = made.dtype["value"].itemsize, column
        return made

    def array(self, elements: NDArray[Any]) -> bytes:
        dimensions = (
            pack(">5i", 1, 0, self.oid, len(elements), 1) if len(elements) else pack(">3i", 0, 0, self.oid)
        )
        return pack(">i", len(dimensions) + elements.nbytes) + dimensions + elements.tobytes()


_BIGINTS = _Elements(20, ">i8")
_BOOLEANS = _Elements(16, ">i1")


@transaction.atomic(savepoint=False)
def cut_unfinished(
    *, field: Field, session: int, tables: Sequence[tuple[str, int, int]], ruling: Ruling
) -> int:
    """Give a ruling to boards of a session that tables did not finish in time; returns how many that were.

    Args:
        field: The field.
        session: The session, or round, whose time is over.
        tables: For each its name, and the ids of the pairs that sat North–South and East–West.
        ruling: What both get on each of these boards.

    Boards that have a result keep it, so repeating it writes nothing.
    """
    boards = _locked(FieldBoard.objects.filter(field=field, session=session))
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO results_result (field_board_id, ns_id, ew_id, round, "table", kind, source, strain, doubling,
                   declarer, lead, ruling, recorded_at)
               SELECT board.id, seat.ns, seat.ew, %s, seat.name, %s, %s, '', 0, '', '', %s, clock_timestamp()
               FROM unnest(%s::bigint[]) AS board(id)
               CROSS JOIN unnest(%s::text[], %s::bigint[], %s::bigint[]) AS seat(name, ns, ew)
               WHERE (board.id, seat.ns, seat.ew) NOT IN (
                   SELECT field_board_id, ns_id, ew_id FROM results_result WHERE field_board_id = ANY(%s))""",
            [
                session,
                Result.Kind.CUT,
                Result.Source.ENTERED,
                dumps(ruling.to_json()),
                [board.pk for board in boards],
                [name for name, _, _ in tables],
                [ns for _, ns, _ in tables],
                [ew for _, _, ew in tables],
                [board.pk for board in boards],
            ],
        )
        cut: int = cursor.rowcount
    if cut:
        _mark_changed(field.pk, boards)
    return cut
