"""Questions about tables. Hands leave only through `Snapshot.seen_by`, which asks the engine what a viewer may see."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, TypeVar
from uuid import UUID

from django.core.exceptions import PermissionDenied
from django.db.models import Count, F, Prefetch, Q, QuerySet, Window
from django.db.models.functions import RowNumber
from django.http import Http404
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from apps.clock.models import AuditEntry
from apps.clock.time import Moment, now
from apps.tables.hands import Folded, meaning_key, read_boards, read_lying
from apps.tables.models import LETTERS, DirectorCall, Sitting, StoredMeaning, Table, TableBoard, TableWord
from apps.tables.refusals import Refused
from apps.tables.signals import (
    correction_page_asked,
    correction_period_asked,
    director_view_asked,
    publication_asked,
    titles_asked,
    verdict_asked,
)
from apps.users.models import Player, User
from bridge.seats import Seat, Side
from bridge.table import View, Viewer, seats_to_act

WORDS = 50
MOST_ASKED_AFTERWARDS = 2  # by one side about one board
PROMPT_AFTER = timedelta(minutes=2)  # without a call or card the others may ask for one at a casual table
PROMPT_LASTS = timedelta(minutes=1)  # and so long they wait for it then
LOOKED = "tables.looked"
"""In the audit log: a director saw all hands of a live board."""
LEFT = "tables.left"
"""In the audit log: a player gave up a seat while a board was played there."""


@dataclass(frozen=True, slots=True, repr=False, eq=False, weakref_slot=True)
class Surroundings:
    """What is at a table beside the log of its board. Each is only like itself: what was made of it can be kept with it.

    Attributes:
        number: The table's `around` when it was looked at.
        sittings: In the order of the seats; an empty seat has none.
        boards: The queue, in the order of play.
        words: The last that were said, the oldest first.
        call: For the director, when one is open; a player's, when the clock has called as well.
    """

    number: int
    sittings: tuple[Sitting, ...]
    boards: tuple[TableBoard, ...]
    words: tuple[TableWord, ...]
    call: DirectorCall | None


def surroundings(tables: Collection[Table]) -> dict[int, Surroundings]:
    """What is at these tables, by their ids. Four queries."""
    sittings = _by_table(Sitting.objects.filter(table__in=tables).select_related("player"))
    boards = TableBoard.objects.filter(table__in=tables).select_related("board").defer("board__deal")
    queues = _by_table(boards.order_by("position"))
    place = Window(RowNumber(), partition_by=F("table"), order_by=F("pk").desc())
    words = TableWord.objects.filter(table__in=tables).annotate(place=place).filter(place__lte=WORDS)
    said = _by_table(words.order_by("pk"))
    waiting = DirectorCall.objects.filter(table__in=tables, settled_at=None, afterwards=False)
    calls = _by_table(waiting.order_by("pk"))
    return {
        table.pk: Surroundings(
            table.around,
            tuple(sorted(sittings[table.pk], key=lambda each: LETTERS.index(each.seat))),
            tuple(queues[table.pk]),
            tuple(said[table.pk]),
            min(calls[table.pk], key=lambda call: (not call.is_of_player, call.pk), default=None),
        )
        for table in tables
    }


AtTable = TypeVar("AtTable", Sitting, TableBoard, TableWord, DirectorCall)


def _by_table(rows: Iterable[AtTable]) -> Mapping[int, list[AtTable]]:
    by_table: defaultdict[int, list[AtTable]] = defaultdict(list)
    for row in rows:
        by_table[row.table_id].append(row)
    return by_table


@dataclass(frozen=True, slots=True, repr=False)
class Snapshot:
    """A table at a moment, by the one clock, with everything about it, before anybody looks at it.

    Attributes:
        meanings: What the calls that may be made now meant before to whose turn it is, after the same calls; by key.
    """

    table: Table
    moment: datetime
    around: Surroundings
    folded: Folded | None
    meanings: Mapping[str, str] = field(default_factory=dict)

    @property
    def sittings(self) -> tuple[Sitting, ...]:
        return self.around.sittings

    @property
    def boards(self) -> tuple[TableBoard, ...]:
        return self.around.boards

    @property
    def current(self) -> TableBoard | None:
        return next((board for board in self.boards if board.pk == self.table.current_id), None)

    @property
    def next_at(self) -> datetime | None:
        """When the next board comes by itself; None while one is played, and after the last."""
        current = self.current
        if self.table.state != Table.State.PLAYING or current is None or current.ended_at is None:
            return None
        if not any(board.state == TableBoard.State.WAITING for board in self.boards):
            return None
        return current.ended_at + timedelta(seconds=self.table.pause_seconds)

    def used(self, side: Side) -> timedelta:
        """For how long the table has waited for a side, on all boards together."""
        over = [board for board in self.boards if board.state == TableBoard.State.OVER]
        seconds = sum(board.ns_seconds if side is Side.NS else board.ew_seconds for board in over)
        running = timedelta()
        if self.folded and self.table.state == Table.State.PLAYING and not self.folded.state.is_over:
            used = self.folded.used(self.moment)
            running = used.ns if side is Side.NS else used.ew
        return timedelta(seconds=seconds) + running

    @sensitive_variables()
    def seen_by(self, viewer: Seat | Viewer) -> View | None:
        """The board that lies there, as this viewer may see it; None when none does, or the table was called off."""
        if self.folded is None or self.table.why == Table.Why.VOID:
            return None
        return self.folded.seen_by(viewer, is_shared=not self.table.casual)

    def heard_by(self, viewer: Seat | Viewer) -> list[TableWord]:
        """What was said, as far as it is for this viewer: nobody's partner hears what is for the opponents."""
        if viewer is Viewer.PUBLIC:
            return []
        return [word for word in self.around.words if _is_for(word, viewer)]


@dataclass(frozen=True, slots=True)
class Prompt:
    """Whom the others may ask to call or play, where no clock does it.

    Attributes:
        may_at: From when on.
        by: The seat that has asked; empty until one does.
        ends_at: Until when they wait, once one has asked.
    """

    seat: Seat
    may_at: datetime
    by: str = ""
    ends_at: datetime | None = None


@sensitive_variables()
def waits_since(folded: Folded, sittings: Iterable[Sitting]) -> datetime:
    """Since when a table waits for those who are to act: who sat down in the middle of a turn has it from then on."""
    letters = {seat.letter for seat in seats_to_act(folded.state)}
    return max([folded.turn_at, *(each.sat_at for each in sittings if each.seat in letters)])


@sensitive_variables()
def prompt_of(table: Table, folded: Folded, sittings: Iterable[Sitting]) -> Prompt | None:
    """Whom a casual table without a limit of the turn waits for; None when it waits for nobody, or for an answer.

    What one player was asked ends when another takes the seat.
    """
    seats = seats_to_act(folded.state)
    if not table.casual or table.turn_seconds or folded.asked or len(seats) != 1:
        return None
    (seat,), may_at = seats, waits_since(folded, sittings) + PROMPT_AFTER
    if table.prompted_at is None or table.prompted_at < may_at:
        return Prompt(seat, may_at)
    return Prompt(seat, may_at, table.prompted_by, table.prompted_at + PROMPT_LASTS)


def _is_for(word: TableWord, viewer: Seat | Viewer) -> bool:
    if word.to == TableWord.To.TABLE or not isinstance(viewer, Seat):
        return True
    return not word.seat or Seat.from_letter(word.seat) is not viewer.partner


def onward(snapshot: Snapshot, viewer: Seat | Viewer) -> Table | None:
    """Where a player is to go. One query, and none while a table is played that is not casual.

    After a table that is over it is the newest live one of the same purpose; from a casual one, what an event has opened.
    """
    table = snapshot.table
    if not (table.is_over or table.casual) or not isinstance(viewer, Seat):
        return None
    player = next((each.player_id for each in snapshot.sittings if each.seat == viewer.letter), None)
    live = Table.objects.filter(sittings__player=player, casual=False)
    if not table.casual:
        live = live.filter(purpose=table.purpose)
    return live.exclude(state=Table.State.OVER).order_by("-pk").first()


@sensitive_variables()
def snapshot(*, table_id: int) -> Snapshot:
    """A table as it is now. Six queries, one more in an auction, and one for a board that this process does not know.

    Raises:
        Table.DoesNotExist: There is none.
    """
    found = snapshots({table_id: None})
    if table_id not in found:
        raise Table.DoesNotExist
    return found[table_id]


@sensitive_variables()
def snapshots(known: Mapping[int, Surroundings | None]) -> dict[int, Snapshot]:
    """Tables as they are now, by their ids. Three queries, and four more where surroundings are not known.

    Args:
        known: By the table's id, what was there at an earlier look: it is read again only when it has changed.
    """
    tables = Table.objects.annotate(moment=Moment()).in_bulk(list(known))
    around = {pk: kept for pk, table in tables.items() if (kept := known[pk]) and kept.number == table.around}
    if changed := [table for pk, table in tables.items() if pk not in around]:
        around |= surroundings(changed)
    lying = read_lying(tables.values())
    folded = {pk: lying.get(table.current_id or 0) for pk, table in tables.items()}
    meanings = _stored_meanings({pk: (around[pk], board) for pk, board in folded.items() if board})
    return {
        pk: Snapshot(table, table.moment, around[pk], folded[pk], meanings.get(pk, {}))
        for pk, table in tables.items()
    }


def _stored_meanings(lying: Mapping[int, tuple[Surroundings, Folded]]) -> dict[int, dict[str, str]]:
    """What the calls that may be made now meant before, by table and key. One query where somebody is to call."""
    asked, meant = Q(), {}
    for pk, (around, folded) in lying.items():
        auction = folded.state.auction
        caller = None if auction.turn is None else auction.turn.letter
        player = next((each.player_id for each in around.sittings if each.seat == caller), None)
        if player and not folded.state.is_over:
            keys = frozenset(meaning_key(auction.calls, call) for call in auction.legal_calls())
            meant[pk] = player, keys
            asked |= Q(player=player, key__in=keys)
    if not meant:
        return {}
    known = list(StoredMeaning.objects.filter(asked).values_list("player", "key", "text"))
    return {
        pk: {key: text for each, key, text in known if each == player and key in keys}
        for pk, (player, keys) in meant.items()
    }


@dataclass(frozen=True, slots=True)
class Place:
    """A user before a table: the seat that the user has there, if any."""

    table: Table
    user: User
    sitting: Sitting | None

    @property
    def viewer(self) -> Seat | Viewer | None:
        """As what the user sees the table; None when it is not for this user.

        Players see it from their seats. Casual tables show to everybody who sits there, and nothing that is played.
        """
        if self.sitting:
            return Seat.from_letter(self.sitting.seat)
        return Viewer.PUBLIC if self.table.casual else None


def place_at(*, user: User, uuid: UUID) -> Place | None:
    """A user before the table of this public id; None when there is none. Two queries."""
    table = Table.objects.filter(uuid=uuid).first()
    return Place(table, user, seat_of(user=user, table=table)) if table else None


def seat_of(*, user: User, table: Table) -> Sitting | None:
    """Where a user sits at a table."""
    return Sitting.objects.filter(table=table, player__user=user).select_related("player").first()


def table_for(*, user: User, uuid: UUID) -> Place:
    """A user before a table that the user may see.

    Raises:
        Http404: There is none, or it is not for this user: nobody learns which.
    """
    place = place_at(user=user, uuid=uuid)
    if place is None or place.viewer is None:
        raise Http404
    return place


def titles_of(players: Collection[int]) -> dict[int, str]:
    """What stands beside the names of these players, by id; nothing for those who have no title."""
    answers: list[Any] = [found for _receiver, found in titles_asked.send(sender=Sitting, players=players)]
    return {player: title for found in answers for player, title in found.items()}


def check_director(*, table: Table, user: User) -> None:
    """Whether a user may see all hands of a table.

    Raises:
        PermissionDenied: The user does not direct, or takes part in what the table belongs to.
    """
    if not user.directs:
        raise PermissionDenied(_("Only directors may do this."))
    plays = Sitting.objects.filter(
        table__purpose=table.purpose, table__occasion=table.occasion, player__user=user
    )
    if plays.exists():
        raise PermissionDenied(_("You play in this event yourself."))
    director_view_asked.send(sender=Table, table=table, user=user)


def has_looked(*, table_id: int, user_id: int, board: int | None = None) -> bool:
    """Whether a director has seen all hands of a table, or of one of its boards."""
    looks = AuditEntry.objects.filter(
        subject_kind="tables.table", subject_id=table_id, actor_id=user_id, action=LOOKED
    )
    return looks.filter(**({} if board is None else {"after__board": board})).exists()


def has_sat(*, table: Table, player: Player, but: str) -> bool:
    """Whether a player has given up a seat, another than this one, during the board that lies there."""
    left = AuditEntry.objects.filter(subject_kind="tables.table", subject_id=table.pk, action=LEFT)
    of_player = left.filter(after__board=table.current_id, after__player=player.pk)
    return of_player.exclude(after__seat=but).exists()


def usual_meanings(snapshot: Snapshot, view: View | None) -> dict[str, str]:
    """What the calls that a player may make now meant before, after the same calls."""
    if view is None or not view.legal_calls or not isinstance(view.viewer, Seat):
        return {}
    calls = [seen.call for seen in view.calls]
    keys = {meaning_key(calls, call): call.text for call in view.legal_calls}
    return {keys[key]: text for key, text in snapshot.meanings.items() if key in keys}


# ---- tables


def with_sittings(tables: QuerySet[Table]) -> QuerySet[Table]:
    """Tables with those who sit there and the number of their boards. Two queries."""
    sittings = Prefetch("sittings", Sitting.objects.select_related("player").order_by("seat"))
    return tables.prefetch_related(sittings).annotate(board_count=Count("boards"))


def tables_to_join(purpose: str) -> QuerySet[Table]:
    """Casual tables where a seat is free or a robot's, the newest first."""
    taken = Count(
        "sittings", filter=Q(sittings__gone_at=None, sittings__player__is_robot=False), distinct=True
    )
    live = Table.objects.filter(purpose=purpose, casual=True).exclude(state=Table.State.OVER)
    free = live.annotate(taken=taken).filter(taken__lt=len(LETTERS), taken__gt=0)
    return Table.objects.filter(pk__in=free.values("pk")).order_by("-pk")


def tables_of(user: User) -> QuerySet[Table]:
    """Live tables where a user sits."""
    return Table.objects.filter(sittings__player__user=user).exclude(state=Table.State.OVER).order_by("-pk")


def calls_for_director(user: User) -> list[DirectorCall]:
    """Tables that ask for the director, the oldest first: each until it was helped, or until its bell.

    A call that came with the last card is there as well, and what was asked afterwards until it is answered; those of an
    event in which the director plays are not.
    """
    done = Q(table__why=Table.Why.FINISHED, table__closes_at__gt=Moment())
    calls = (
        DirectorCall.objects.filter(
            ~Q(table__state=Table.State.OVER) | done | Q(afterwards=True), settled_at=None
        )
        .select_related("table", "table_board__board")
        .defer("table_board__board__deal")
        .order_by("pk")
    )
    may: dict[tuple[str, str], bool] = {}
    for call in calls:
        occasion = call.table.purpose, call.table.occasion
        if occasion not in may:
            may[occasion] = _may_direct(call.table, user)
    return [call for call in calls if may[call.table.purpose, call.table.occasion]]


def _may_direct(table: Table, user: User) -> bool:
    try:
        check_director(table=table, user=user)
    except PermissionDenied:
        return False
    return True


def version_of(uuid: UUID) -> int:
    """The version of a table by its public id; 0 when there is none."""
    return Table.objects.filter(uuid=uuid).values_list("version", flat=True).first() or 0


def finished_board(*, user: User | None, uuid: UUID, position: int) -> TableBoard:
    """A board that was begun and is over, for somebody who may see all its cards: who sat there to its end, and who directs.

    Everybody may when nobody can play it any more: whoever opened the table knows.

    Raises:
        Http404: There is none, or it is not for this user.
        PermissionDenied: The director takes part in what the table belongs to.
    """
    over = TableBoard.objects.select_related("table", "board").defer("board__deal")
    over = over.exclude(opened_at=None).exclude(how=TableBoard.How.VOID)  # its cards may be played elsewhere
    found = over.filter(table__uuid=uuid, position=position, state=TableBoard.State.OVER).first()
    if found is None:
        raise Http404
    if found.table.casual or any(
        shown for _receiver, shown in publication_asked.send(sender=TableBoard, table_board=found)
    ):
        return found
    if user is None:
        raise Http404
    if not found.is_broken_off and (
        seat_of(user=user, table=found.table)
        or Player.objects.filter(user=user, pk__in=found.players).exists()
    ):
        return found
    if not user.directs:
        raise Http404
    check_director(table=found.table, user=user)
    return found


def seat_then(*, table_board: TableBoard, user: User | None) -> str | None:
    """Where a user sat when a board ended; None for whoever did not."""
    player = Player.objects.filter(user=user, pk__in=table_board.players).first() if user else None
    return LETTERS[table_board.players.index(player.pk)] if player else None


def may_direct(*, table: Table, user: User | None) -> bool:
    """Whether a user directs, and takes no part in what a table belongs to."""
    return user is not None and user.directs and _may_direct(table, user)


def questions_about(*, table_board: TableBoard, user: User | None) -> QuerySet[DirectorCall]:
    """What the director was asked about a board afterwards: for those who played it, and for who directs there."""
    asked = DirectorCall.objects.filter(table_board=table_board, afterwards=True).order_by("pk")
    concerned = seat_then(table_board=table_board, user=user) or may_direct(
        table=table_board.table, user=user
    )
    return asked if concerned else asked.none()


def correction_page_of(table_board: TableBoard) -> str:
    """Where a director corrects what a board came to; empty when there is no such page."""
    answers = correction_page_asked.send(sender=TableBoard, table_board=table_board)
    return next((str(address) for _receiver, address in answers if address), "")


@dataclass(frozen=True, slots=True)
class Verdict:
    """What counts for a board by the director's word, whatever its table came to: a result that can be drawn, and why."""

    result: object
    reason: str


def verdict_of(table_board: TableBoard) -> Verdict | None:
    """None when what its table came to stands."""
    answers: Iterable[tuple[object, object]] = verdict_asked.send(sender=TableBoard, table_board=table_board)
    return next((each for _receiver, each in answers if isinstance(each, Verdict)), None)


def is_correctable(table_board: TableBoard) -> bool:
    """Whether what a board came to can still be corrected: whoever opened the table knows."""
    answers = correction_period_asked.send(sender=TableBoard, table_board=table_board)
    return any(open_now for _receiver, open_now in answers)


def why_no_question(*, table_board: TableBoard, seat: str | None) -> Refused | None:
    """Why whoever sat there may not ask the director about a board afterwards; None when that is possible."""
    if seat is None:
        return Refused("You have not played this board.")
    table = table_board.table
    if not table.is_over or table.casual:
        return Refused("At the table you call the director from there.")
    if not is_correctable(table_board):
        return Refused("Its result is final: the time to ask about this board is over.")
    side = [each.letter for each in Seat if each.side is Seat.from_letter(seat).side]
    asked = DirectorCall.objects.filter(table_board=table_board, afterwards=True, seat__in=side)
    if asked.filter(settled_at=None).exists():
        return Refused("Your side has asked about this board. The director will answer.")
    if asked.count() >= MOST_ASKED_AFTERWARDS:
        return Refused("Your side has asked enough about this board.")
    return None


@dataclass(frozen=True, slots=True, repr=False)
class Record:
    """A board that is over, with all its cards, and who sat there at its end, by seat."""

    table_board: TableBoard
    moment: datetime
    view: View
    players: Mapping[str, Player]

    def seat_of(self, user: User | None) -> str | None:
        return next(
            (seat for seat, player in self.players.items() if user and player.user_id == user.pk), None
        )


@sensitive_variables()
def record_of(table_board: TableBoard) -> Record:
    """Everything about a board that is over."""
    if table_board.state != TableBoard.State.OVER:
        raise LookupError("the board is not over")
    players = Player.objects.in_bulk(table_board.players)
    view = read_boards([table_board.pk])[table_board.pk].seen_by(Viewer.DIRECTOR)
    by_seat = {
        seat: players[pk] for seat, pk in zip(LETTERS, table_board.players, strict=True) if pk in players
    }
    return Record(table_board, now(), view, by_seat)


def sealed_board(*, user: User, uuid: UUID) -> TableBoard:
    """A board of a casual table, with the seal that its cards come from: for whoever may see the table.

    Raises:
        Http404: There is none, or it is not for this user.
    """
    place = table_for(user=user, uuid=uuid)
    boards = place.table.boards.select_related("table", "board__board_set__seal").defer("board__deal")
    found = boards.exclude(board__board_set__seal=None).order_by("position").first()
    if found is None or not place.table.casual:
        raise Http404
    return found


# ---- what whoever opened the tables asks


def boards_to_take(purpose: str) -> QuerySet[TableBoard]:
    """Boards that are over and whose result nobody has taken yet, in the order in which they ended."""
    return (
        TableBoard.objects.filter(table__purpose=purpose, state=TableBoard.State.OVER, taken_at=None)
        .select_related("table", "board")
        .defer("board__deal")
        .order_by("ended_at", "pk")
    )


def boards_of(purpose: str, occasion: str) -> QuerySet[TableBoard]:
    """All boards at the tables of an occasion."""
    return (
        TableBoard.objects.filter(table__purpose=purpose, table__occasion=occasion)
        .select_related("table", "board")
        .defer("board__deal")
        .order_by("table_id", "position")
    )


# ---- what the processes that hold sockets ask


def versions_of(tables: Iterable[int]) -> dict[int, int]:
    """The versions of these tables. One query."""
    return dict(Table.objects.filter(pk__in=list(tables)).values_list("pk", "version"))
