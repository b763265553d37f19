"""An event that is played here: its tables open with the round, end with its bell, and what happened becomes results.

A board that was played out is a result at once. What was cut, broken off or called off is judged at the bell, when it is
known who was there at all. The order of locks: event, round, tables, their boards, boards of the field. Whoever takes
results holds the round shared; the bell waits for them and then takes what is left itself.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import QuerySet, Sum
from django.urls import reverse

from apps.clock.services import record
from apps.clock.time import now
from apps.pairs.models import Round, Seat, Swiss
from apps.pairs.selectors.tables import FINISHED, PURPOSE, occasion_of, rounds_of, table_number, untaken
from apps.pairs.services.notices import lately, settle, tell, tell_directors
from apps.results.models import Contestant, FieldBoard, Result
from apps.results.services import Play, cut_unfinished, record_results
from apps.tables.hands import RESUMED
from apps.tables.models import DirectorCall, Sitting, Table, TableBoard, TableEvent
from apps.tables.selectors import boards_of
from apps.tables.services.closing import cut_tables, leave_for_good, move_bell, void_tables
from apps.tables.services.opening import Chair, House, Plan, lead_on, open_tables
from apps.tables.services.presence import resume_tables
from apps.tables.services.seating import substitute
from apps.tables.services.taking import take_boards
from apps.users.models import Player, User
from bridge.awards import Ruling
from bridge.comparison import Method
from bridge.contracts import read_contract
from bridge.disconnects import Game, consequence
from bridge.round_scores import Cut, cut_ruling
from bridge.seats import Seat as PlayingSeat
from bridge.slow_play import TimeUsed, cut_by_the_clock
from bridge.table import DecidedBy, TableRules

ANSWERS = {
    DirectorCall.Verdict.STANDS: "let stand",
    DirectorCall.Verdict.CORRECTED: "corrected as asked",
    DirectorCall.Verdict.NONE: "left unanswered",
}

# ---- a round opens


def open_round_tables(swiss: Swiss, opened: Round, closes_at: datetime) -> None:
    """Open the tables of a round whose pairs are seated. Nothing, where the event is played elsewhere.

    Of each pair the player who was entered first sits North or East; a substitute takes the seat there is.
    """
    if not swiss.has_tables:
        return
    assert opened.session_id is not None  # noqa: S101 - an open round has boards
    boards = list(
        FieldBoard.objects.filter(field=swiss.event.field_id, session=opened.number)
        .order_by("board__number")
        .values_list("board", flat=True)
    )
    plans = [
        Plan(
            subject=f"{opened.pk}/{number}/{swiss.schedule_version}",
            title=swiss.event.title,
            place=(opened.number, number),
            chairs={seat: Chair(player) for seat, player in players.items()},
            boards=boards,
            back=swiss.event.get_absolute_url(),
        )
        for number, players in _players_by_table(opened).items()
    ]
    rules = TableRules(undo=DecidedBy(swiss.undo), stop_after_jump=swiss.stop)
    house = House(rules=rules, turn_seconds=swiss.turn_seconds, closes_at=closes_at)
    open_tables(purpose=PURPOSE, occasion=occasion_of(opened), plans=plans, house=house)
    before = Round.objects.filter(swiss=swiss, number=opened.number - 1).first()
    if before:
        lead_on(purpose=PURPOSE, occasion=occasion_of(before))


def _players_by_table(opened: Round) -> dict[int, dict[str, int]]:
    """By table the player in each seat. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT seat."table", seat.side, array_agg(entrant.player_id ORDER BY entrant.id)
               FROM pairs_seat seat JOIN pairs_entrant entrant ON entrant.entry_id = seat.contestant_id
               WHERE seat.round_id = %s AND seat."table" IS NOT NULL
               GROUP BY seat."table", seat.side ORDER BY seat."table" """,
            [opened.pk],
        )
        tables: dict[int, dict[str, int]] = {}
        for number, side, players in cursor.fetchall():
            tables.setdefault(number, {}).update(zip(side, players, strict=True))
    return tables


# ---- what was played becomes results


@transaction.atomic
def take_results(*, round_id: int) -> int:
    """Record what was finished at the tables of a round and is not recorded yet; returns how many boards that were.

    When the round is over there is nothing left, for the bell has taken it. Several may do it at once.
    """
    with connection.cursor() as cursor:  # the bell waits for those who take
        cursor.execute("SELECT state FROM pairs_round WHERE id = %s FOR SHARE", [round_id])
        row = cursor.fetchone()
    if row is None or row[0] != Round.State.OPEN:
        return 0
    each = Round.objects.select_related("swiss__event__field").get(pk=round_id)
    return take_finished(each.swiss, each)


def take_finished(swiss: Swiss, each: Round) -> int:
    """The same for who holds the round already."""
    finished = untaken(each).filter(how__in=FINISHED)
    held = list(finished.select_for_update(of=["self"], no_key=True))
    _record(swiss, each, held)
    return take_boards(boards=[board.pk for board in held]) if held else 0


def _record(swiss: Swiss, each: Round, boards: Sequence[TableBoard]) -> None:
    """Record what these boards came to. Where the director has decided already, that stands."""
    if not boards:
        return
    field_boards = {
        board.board_id: board
        for board in FieldBoard.objects.filter(field=swiss.event.field_id, session=each.number)
        .select_related("board")
        .defer("board__deal")
    }
    pairs: dict[int, dict[str, int]] = {}
    for number, side, pair in _seats(each).values_list("table", "side", "contestant_id"):
        pairs.setdefault(number or 0, {})[side] = pair
    there = set(
        Result.objects.filter(field_board__in=field_boards.values()).values_list("field_board_id", "ns_id")
    )
    plays = (
        _play(each, board, field_boards[board.board_id], pairs[table_number(board.table.subject)])
        for board in boards
    )
    new = [play for play in plays if (play.field_board.pk, play.ns.pk) not in there]
    if new:
        record_results(field=swiss.event.field, plays=new, source=Result.Source.PLAYED)


def _seats(each: Round) -> "QuerySet[Seat]":
    return Seat.objects.filter(round=each).exclude(table=None)


def _play(each: Round, board: TableBoard, field_board: FieldBoard, pairs: Mapping[str, int]) -> Play:
    """What a board at a table came to, as a result; one that counts for nobody has none."""
    play = Play(
        field_board=field_board,
        ns=Contestant(pk=pairs["NS"]),
        ew=Contestant(pk=pairs["EW"]),
        round=each.number,
        table=str(table_number(board.table.subject)),
        seats=_players(board),
    )
    match board.how:
        case TableBoard.How.VOID:
            return play
        case TableBoard.How.ABANDONED:
            gone = [PlayingSeat.from_letter(letter) for letter in board.gone]
            return replace(play, ruling=consequence(Game.EVENT, gone).ruling)
        case TableBoard.How.PASSED_OUT:
            return replace(play, passed_out=True)
    contract = read_contract(f"{board.contract} {board.declarer}")[0] if board.contract else None
    return replace(
        play,
        contract=contract,
        tricks=board.tricks,
        lead=board.lead,
        ruling=Ruling.from_json(board.ruling) if board.ruling else None,
    )


def _players(board: TableBoard) -> tuple[Player | None, Player | None, Player | None, Player | None]:
    """Who sat North, East, South, West, as far as that is known."""
    north, east, south, west = (Player(pk=player) if player else None for player in board.players or [0] * 4)
    return north, east, south, west


# ---- the bell


def cut_round_tables(swiss: Swiss, closing: Round) -> None:
    """The bell: all tables end at once, what was finished counts, and the rest is judged. The caller holds the round."""
    cut_tables(purpose=PURPOSE, occasion=occasion_of(closing))
    take_finished(swiss, closing)
    tables = _at_tables(swiss, closing)
    left = list(untaken(closing))
    walkovers = {table.number for table in tables if table.is_walkover}
    judged = [board for board in left if board.how != TableBoard.How.CUT]
    _record(swiss, closing, [board for board in judged if table_number(board.table.subject) not in walkovers])
    if left:
        take_boards(boards=[board.pk for board in left])
    _write_seconds(closing, tables)
    allowed = time_allowed(closing)
    rulings: dict[Ruling, list[tuple[str, int, int]]] = {}
    for table in tables:
        if not table.is_walkover:
            alike = rulings.setdefault(_cut_ruling(swiss, table.used, allowed), [])
            alike.append((str(table.number), table.ns, table.ew))
    for ruling, alike in rulings.items():
        cut_unfinished(field=swiss.event.field, session=closing.number, tables=alike, ruling=ruling)


def time_allowed(closing: Round) -> int:
    """How many seconds a round had until now, without those in which it stood still. One query.

    It stood still where some board says so that was being played then; a pause between boards has no log.
    """
    began = closing.opened_at or closing.opens_at
    events = TableEvent.objects.filter(
        table__in=_tables_of(closing), action__do=RESUMED, action__has_key="since"
    )
    lost, until = timedelta(), began
    for since, at in sorted({(action["since"], at) for action, at in events.values_list("action", "at")}):
        begin = max(datetime.fromisoformat(since), until)
        lost, until = lost + max(at - begin, timedelta()), max(at, until)
    return int((now() - began - lost).total_seconds())


def _tables_of(each: Round) -> "QuerySet[Table]":
    return Table.objects.filter(purpose=PURPOSE, occasion=occasion_of(each))


def _cut_ruling(swiss: Swiss, used: TimeUsed, allowed: int) -> Ruling:
    """What both sides of a table get on a board that the bell cut off."""
    if swiss.cut == Swiss.Cut.CLOCK:
        return cut_by_the_clock(used, allowed=allowed)
    return cut_ruling(Method(swiss.event.field.method), Cut(swiss.cut))


@dataclass(frozen=True, slots=True)
class _AtTable:
    """A table at the bell: who sat there, for how long it waited for each side, and whether one pair was not there."""

    number: int
    ns: int
    ew: int
    used: TimeUsed
    is_walkover: bool


def _at_tables(swiss: Swiss, closing: Round) -> list[_AtTable]:
    """The tables at the bell. Sides that were not there are noted as missing, and their opponents have a walkover.

    A pair was there when it has a result, or when one of its players came to the table and the pair did not withdraw.
    """
    results = Result.objects.filter(
        field_board__field=swiss.event.field_id, field_board__session=closing.number
    )
    played = {pair for both in results.values_list("ns", "ew") for pair in both}
    never_came = _never_came(closing)
    used = {
        table_number(subject): TimeUsed(ns, ew)
        for subject, ns, ew in boards_of(PURPOSE, occasion_of(closing))
        .exclude(how=TableBoard.How.VOID)
        .order_by()
        .values_list("table__subject")
        .annotate(Sum("ns_seconds"), Sum("ew_seconds"))
    }
    seats = list(_seats(closing))
    missing = {
        seat.pk
        for seat in seats
        if seat.contestant_id not in played and (seat.missing or (seat.table, seat.side) in never_came)
    }
    _mark_missing(seats, missing)
    sides: dict[int, dict[str, Seat]] = {}
    for seat in seats:
        sides.setdefault(seat.table or 0, {})[seat.side] = seat
    return [
        _AtTable(
            number,
            both["NS"].contestant_id,
            both["EW"].contestant_id,
            used.get(number, TimeUsed(0, 0)),
            is_walkover=any(seat.pk in missing for seat in both.values()),
        )
        for number, both in sorted(sides.items())
    ]


def _mark_missing(seats: Iterable[Seat], missing: set[int]) -> None:
    for is_missing in (True, False):
        wrong = [
            seat.pk for seat in seats if (seat.pk in missing) is is_missing and seat.missing is not is_missing
        ]
        if wrong:
            Seat.objects.filter(pk__in=wrong).update(missing=is_missing)


def _never_came(closing: Round) -> set[tuple[int | None, str]]:
    """Sides of tables of which neither player was ever seen or did anything. Two queries."""
    unseen: dict[tuple[int, int, str], set[str]] = {}
    sittings = Sitting.objects.filter(
        table__purpose=PURPOSE, table__occasion=occasion_of(closing), last_seen=None
    ).exclude(table__why=Table.Why.VOID)
    for table, subject, seat in sittings.values_list("table", "table__subject", "seat"):
        side = PlayingSeat.from_letter(seat).side.value
        unseen.setdefault((table, table_number(subject), side), set()).add(seat)
    quiet = {place for place, gone in unseen.items() if len(gone) == 2}  # both players of the side
    if not quiet:
        return set()
    acts = TableEvent.objects.filter(table__in={table for table, _, _ in quiet}).exclude(seat="")
    acted = {
        (table, PlayingSeat.from_letter(seat).side.value)
        for table, seat in acts.order_by().values_list("table", "seat").distinct()
    }
    return {(number, side) for table, number, side in quiet if (table, side) not in acted}


def _write_seconds(closing: Round, tables: Sequence[_AtTable]) -> None:
    """Keep with the seats for how long each table waited for whom: who was slow can be read there afterwards."""
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE pairs_seat seat SET seconds = CASE seat.side WHEN 'NS' THEN used.ns ELSE used.ew END
               FROM unnest(%s::int[], %s::int[], %s::int[]) AS used("table", ns, ew)
               WHERE seat.round_id = %s AND seat."table" = used."table" """,
            [
                [table.number for table in tables],
                [table.used.ns for table in tables],
                [table.used.ew for table in tables],
                closing.pk,
            ],
        )


# ---- what else happens to a round


def move_table_bells(swiss: Swiss) -> None:
    """Tell the tables of the open round, if there is one, when it will end: nobody knows while the event is suspended."""
    current = _open_round(swiss)
    if current:
        closes_at = None if swiss.suspended_at else current.closes_at
        move_bell(purpose=PURPOSE, occasion=occasion_of(current), closes_at=closes_at)


def resume_round_tables(swiss: Swiss, *, since: datetime) -> None:
    """The event was suspended since then and goes on: at its tables nobody thought meanwhile, and nobody is gone."""
    current = _open_round(swiss)
    if current:
        resume_tables(purpose=PURPOSE, occasion=occasion_of(current), since=since)


def void_round_tables(swiss: Swiss) -> None:
    """Call off the tables of the open round, if there is one: what was finished there is kept, the rest is nothing."""
    current = _open_round(swiss)
    if current is None:
        return
    Round.objects.select_for_update().get(pk=current.pk)  # whoever takes results is done
    void_tables(purpose=PURPOSE, occasion=occasion_of(current))
    take_finished(swiss, current)
    take_boards(boards=list(untaken(current).values_list("pk", flat=True)))


def change_player(swiss: Swiss, *, out: Player, into: Player, by: User | None, reason: str) -> None:
    """Give a substitute the seat at the table of the open round, in the middle of a board too."""
    current = _open_round(swiss)
    if current is None:
        return
    sitting = (
        Sitting.objects.filter(table__purpose=PURPOSE, table__occasion=occasion_of(current), player=out)
        .exclude(table__state=Table.State.OVER)
        .first()
    )
    if sitting:
        substitute(table_id=sitting.table_id, seat=sitting.seat, player=into, by=by, reason=reason)


def leave_round_table(swiss: Swiss, players: Sequence[int]) -> None:
    """A pair does not play on: its table of the open round ends at once, and its opponents there are told.

    What was finished counts. The other boards were broken off by the pair, which the bell judges; if it has no result at
    all it was not there.
    """
    current = _open_round(swiss)
    if current is None:
        return
    live = _tables_of(current).filter(sittings__player__in=players).exclude(state=Table.State.OVER)
    for table in live.distinct():
        leave_for_good(table_id=table.pk, players=players)
        others = table.sittings.exclude(player__in=players).values_list("player_id", flat=True)
        tell(swiss, "opponents left", others, key=str(table.pk), round=current.number)


# ---- calls for the director


def tell_of_call(table: Table) -> None:
    """A table calls the director: all who may direct its event are told, once within five minutes."""
    for each, number in _event_table(table):
        key = lately(f"{each.number} {number}")
        tell_directors(each.swiss, "director called", key=key, table=number)


def call_is_answered(table: Table) -> None:
    """The director has been at a table: who else was told need not come any more."""
    for each, number in _event_table(table):
        settle(each.swiss, f"director called {each.number} {number}", players=[])


def tell_of_question(call: DirectorCall, *, by: User) -> None:
    """A side asks about a board of a table that is closed: all who may direct its event are told, and its log tells it."""
    for each, number in _event_table(call.table):
        assert call.table_board  # noqa: S101 - it is asked about a board
        _write_down(each, number, call, "asked afterwards", by=by, said=call.text)
        tell_directors(
            each.swiss,
            "asked afterwards",
            key=str(call.pk),
            url=reverse("tables:calls"),
            round=each.number,
            table=number,
            board=call.table_board.board.number,
        )


def tell_of_answer(call: DirectorCall) -> None:
    """What was asked afterwards is answered: both pairs are told that a result stands, as they are of a correction.

    The log of the event tells either.
    """
    for each, number in _event_table(call.table):
        assert call.table_board  # noqa: S101 - it was asked about a board
        action = ANSWERS[DirectorCall.Verdict(call.verdict)]
        _write_down(each, number, call, action, by=call.settled_by, said=call.answer)
        settle(each.swiss, f"asked afterwards {call.pk}", players=[])
        if call.verdict == DirectorCall.Verdict.STANDS:
            tell(
                each.swiss,
                "stands",
                call.table_board.players,
                key=str(call.pk),
                board=call.table_board.board.number,
                reason=call.answer,
            )
        if call.verdict == DirectorCall.Verdict.NONE:
            side = PlayingSeat.from_letter(call.seat).side
            askers = [
                player
                for seat, player in zip("NESW", call.table_board.players, strict=True)
                if PlayingSeat.from_letter(seat).side is side
            ]
            cancelled = each.swiss.state == Swiss.State.CANCELLED
            what = "asked in vain" if cancelled else "unanswered"
            tell(each.swiss, what, askers, key=str(call.pk), board=call.table_board.board.number)


def _write_down(
    each: Round, number: int, call: DirectorCall, action: str, *, by: User | None, said: str
) -> None:
    assert call.table_board  # noqa: S101 - it is about a board
    record(
        actor=by,
        action=f"pairs.{action}",
        subject_kind="pairs.event",
        subject_id=each.swiss_id,
        after={"round": each.number, "table": number, "board": call.table_board.board.number},
        reason=said,
    )


def _event_table(table: Table) -> Iterator[tuple[Round, int]]:
    """The round of an event to which a table belongs, and its number in it; nothing when it belongs to none."""
    for each in Round.objects.filter(pk__in=rounds_of(table.purpose, table.subject)).select_related(
        "swiss__event"
    ):
        yield each, table_number(table.subject)


def has_begun(each: Round) -> bool:
    """Whether anything was done at a table of a round."""
    return TableEvent.objects.filter(table__in=_tables_of(each)).exclude(seat="").exists()


def was_looked_at(each: Round) -> bool:
    """Whether a player was at a table of a round, and has seen a hand of its boards."""
    return Sitting.objects.filter(table__in=_tables_of(each)).exclude(last_seen=None).exists()


def _open_round(swiss: Swiss) -> Round | None:
    if not swiss.has_tables:
        return None
    return Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
