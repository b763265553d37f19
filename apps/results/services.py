"""Changes to results, and the one service that turns results into points."""

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, replace
from enum import Enum
from fractions import Fraction
from functools import partial
from json import dumps
from math import lcm
from struct import pack
from typing import Any

import numpy as np
from django.db import connection, transaction
from django.db.models import F, QuerySet
from django.forms import model_to_dict
from django.utils import timezone
from numpy.typing import NDArray

from apps.boards.models import BoardSet
from apps.results.models import Comparison, Contestant, Field, FieldBoard, Member, Result, ResultChange
from apps.results.selectors import BoardRows, pairs_of, rows_to_compare
from apps.results.signals import field_compared, results_changed
from apps.users.models import Player, User
from bridge.awards import Grade, Mixture, Ruling
from bridge.comparison import NO_DATUM, FieldPoints, Method, Rules, compare_boards, settle
from bridge.contracts import Contract, Doubling, Strain, possible_tricks
from bridge.errors import ImpossibleResult
from bridge.scoring import ns_score
from bridge.seats import Seat, Vulnerability


def create_field(*, rules: Rules) -> Field:
    """A field that is compared by these rules."""
    return Field.objects.create(
        method=rules.method, datum_rule=str(rules.datum_rule), expected=rules.expected, neuberg=rules.neuberg
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


@transaction.atomic
def add_boards(*, field: Field, board_set: BoardSet, session: int = 1) -> dict[int, FieldBoard]:
    """Let the field play all boards of a set; returns them by number."""
    made = FieldBoard.objects.bulk_create(
        FieldBoard(field=field, board=board, session=session) for board in board_set.boards.order_by("number")
    )
    return {field_board.board.number: field_board for field_board in made}


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
    """The row of a play, or an error in a player's words when it cannot be."""
    north, east, south, west = (player.pk if player else None for player in play.seats)
    result = Result(  # by ids: for a model the rows themselves cost half of the time
        field_board_id=play.field_board.pk,
        ns_id=play.ns.pk,
        ew_id=play.ew.pk,
        north_id=north,
        east_id=east,
        south_id=south,
        west_id=west,
        source=source,
        lead=play.lead,
        round=play.round,
        table=play.table,
        ruling=play.ruling.to_json() if play.ruling else None,
    )
    _fill_in_contract(result, play)
    if play.ruling:
        result.kind = Result.Kind.RULED
    elif result.ns_score is None:
        result.kind = Result.Kind.NOT_PLAYED
    else:
        result.kind = Result.Kind.PLAYED
    return result


def _fill_in_contract(result: Result, play: Play) -> None:
    contract = play.contract
    if contract and play.tricks is not None:
        if contract.declarer is None:
            raise ImpossibleResult("The contract %(contract)s has no declarer.", contract=contract.text)
        result.level, result.strain, result.doubling = contract.level, contract.strain.text, contract.doubling
        result.declarer, result.tricks = contract.declarer.letter, possible_tricks(play.tricks)
        result.ns_score = ns_score(contract, play.tricks, Vulnerability(play.field_board.board.vulnerable))
    elif play.passed_out:
        result.level, result.ns_score = 0, 0
    else:
        result.ns_score = play.score
        if play.score is not None and (play.score % 10 or abs(play.score) > 7600):
            raise ImpossibleResult("No board scores %(score)s.", score=play.score)


@transaction.atomic
def record_results(*, field: Field, plays: Iterable[Play], source: str) -> int:
    """Record many results of a field at once; returns how many. The boards are compared soon after.

    Raises:
        BridgeError: One of them cannot be; then none is recorded.
        IntegrityError: A pair has a result on one of the boards already; then none is recorded.
    """
    results = [_result_of(play, source) for play in plays]
    with _boards_changing(field.pk, {result.field_board_id for result in results}):
        _insert(results)
    return len(results)


def _insert(results: Sequence[Result]) -> None:
    """New results by COPY, which takes a fifth of the time of an INSERT."""
    now = timezone.now()
    columns = [field for field in Result._meta.concrete_fields if not field.primary_key]
    names = ", ".join(connection.ops.quote_name(str(field.column)) for field in columns)
    with (
        connection.wrap_database_errors,
        connection.cursor() as cursor,
        cursor.copy(f"COPY {Result._meta.db_table} ({names}) FROM STDIN") as copy,
    ):
        for result in results:
            result.recorded_at = now
            copy.write_row([_plain(getattr(result, field.attname)) for field in columns])


def _plain(value: object) -> object:
    """A value as COPY takes it."""
    if isinstance(value, dict):
        return dumps(value)
    return value.value if isinstance(value, Enum) else value


@transaction.atomic
def change_result(*, result_id: int, by: User | None, reason: str, **changes: Any) -> Result:
    """Change what happened on a board, or what the director ruled there; what it was before is kept.

    Args:
        result_id: The result.
        by: Who changes it.
        reason: Why, for those who read the history.
        changes: Any of `contract`, `passed_out`, `tricks`, `score`, `ruling`, `lead`, as in `Play`. What is played and
            what is ruled is given whole: a contract without a ruling takes the ruling back.

    Nothing is written when nothing changes.
    """
    result = (
        Result.objects.select_for_update(of=["self"], no_key=True)
        .select_related("field_board__board", "ns", "ew")
        .get(pk=result_id)
    )
    play = Play(field_board=result.field_board, ns=result.ns, ew=result.ew, lead=result.lead)
    changed = _result_of(replace(play, **changes), result.source)
    columns = ["kind", "level", "strain", "doubling", "declarer", "tricks", "lead", "ns_score", "ruling"]
    before, after = model_to_dict(result, columns), model_to_dict(changed, columns)
    if before == after:
        return result
    for column in columns:
        setattr(result, column, getattr(changed, column))
    with _boards_changing(result.field_board.field_id, {result.field_board_id}):
        result.save(update_fields=columns)
        ResultChange.objects.create(result=result, by=by, reason=reason, before=before, after=after)
    return result


@transaction.atomic
def move_result(*, result_id: int, to: FieldBoard, by: User | None, reason: str) -> Result:
    """Give a result that was entered under the wrong number to the board it belongs to, and score it there."""
    result = (
        Result.objects.select_for_update(of=["self"], no_key=True)
        .select_related("field_board")
        .get(pk=result_id)
    )
    came_from = result.field_board
    if came_from.pk == to.pk:
        return result
    if came_from.field_id != to.field_id:
        raise ImpossibleResult("A result stays in its event.")
    columns = ["field_board", "ns_score"]
    before = model_to_dict(result, columns)
    result.field_board = to
    if result.level and result.declarer:
        result.ns_score = ns_score(contract_of(result), result.tricks, Vulnerability(to.board.vulnerable))
    after = model_to_dict(result, columns)
    with _boards_changing(to.field_id, {came_from.pk, to.pk}):
        result.save(update_fields=columns)
        ResultChange.objects.create(result=result, by=by, reason=reason, before=before, after=after)
    return result


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
    locked = [board.pk for board in _locked(FieldBoard.objects.filter(pk__in=field_boards))]
    yield
    FieldBoard.objects.filter(pk__in=locked).update(results_version=F("results_version") + 1)
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


@transaction.atomic
def compare_field(*, field_id: int, everything: bool = False) -> int:
    """Write the points of every board of the field whose results changed; returns how many boards that were.

    Args:
        field_id: The field.
        everything: Compare all its boards, changed or not.

    Repeating it changes nothing. Boards are locked in the order of their ids, so several workers may do it at once: a
    result that is recorded meanwhile waits for the lock, and its board is then compared again. Where the number of
    results expected is left to the fullest board, or where average plus follows a pair's own percentage, one board
    depends on the others, and all are compared.
    """
    field = Field.objects.get(pk=field_id)
    boards = _locked(FieldBoard.objects.filter(field=field))
    stale = [board.pk for board in boards if board.compared_version < board.results_version]
    if not stale and not everything:
        return 0
    rows = rows_to_compare([board.pk for board in boards])
    points = compare_boards(rows.board, rows.score, field.rules, boards=len(boards), rulings=rows.rulings)
    if field.rules.method is Method.MP and any(_is_graded(ruling) for ruling in rows.rulings.values()):
        _settle(rows, points, [board.session for board in boards])
    _write(rows, points, field.rules.method)
    FieldBoard.objects.filter(pk__in=rows.boards, compared_version__lt=F("results_version")).update(
        compared_version=F("results_version")
    )
    Field.objects.filter(pk=field_id).update(version=F("version") + 1)
    transaction.on_commit(partial(field_compared.send, sender=Field, field_id=field_id), robust=True)
    return len(boards)


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
    """Write one comparison a board: COPY in PostgreSQL's binary form, which NumPy makes at once, then one upsert."""
    ends = np.cumsum(np.bincount(rows.board, minlength=len(rows.boards)))
    starts = np.concatenate(([0], ends[:-1]))
    bigints = [_BIGINTS.elements(column) for column in (rows.result, points.ns, points.ew)]
    dropped = _BOOLEANS.elements(points.dropped)
    with connection.cursor() as cursor:
        cursor.execute(
            """CREATE TEMPORARY TABLE written (field_board_id bigint, results bigint[], ns_points bigint[],
                 ew_points bigint[], dropped boolean[], denominator bigint, top bigint, datum smallint)"""
        )
        with cursor.copy("COPY written FROM STDIN (FORMAT BINARY)") as copy:
            copy.write(_COPY_HEADER)
            for place, field_board in enumerate(rows.boards):
                own = slice(starts[place], ends[place])
                datum = int(points.datum[place])
                copy.write(
                    b"\0\x08"  # eight columns
                    + _bigint(field_board)
                    + b"".join(_BIGINTS.array(column[own]) for column in bigints)
                    + _BOOLEANS.array(dropped[own])
                    + _bigint(int(points.denominator[place]))
                    + (_bigint(int(points.top[place])) if method is Method.MP else _NULL)
                    + (_NULL if datum == NO_DATUM else pack(">ih", 2, datum))
                )
            copy.write(_COPY_END)
        columns = "results, ns_points, ew_points, dropped, denominator, top, datum, compared_at"
        cursor.execute(
            f"""INSERT INTO {Comparison._meta.db_table} (field_board_id, {columns})
                SELECT *, clock_timestamp() FROM written
                ON CONFLICT (field_board_id) DO UPDATE
                SET ({columns}) = ({", ".join("excluded." + column for column in columns.split(", "))})"""  # noqa: S608
        )
        cursor.execute("DROP TABLE written")


_COPY_HEADER = b"PGCOPY\n\xff\r\n\0" + bytes(8)
_COPY_END = b"\xff\xff"
_NULL = pack(">i", -1)


def _bigint(value: int) -> bytes:
    return pack(">iq", 8, value)


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
