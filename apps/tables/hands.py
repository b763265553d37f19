"""What lies on a table: the one place in this app that reads the cards of a board.

A board is folded from its log by the engine, and leaves this module as what one viewer may see. What was folded is kept
in the process, and only ever from rows that are there: an event that was rolled back is never built upon.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, fields, replace
from datetime import datetime, timedelta
from itertools import dropwhile
from threading import Lock
from typing import Any
from uuid import UUID

from django.db.models import Q
from django.views.decorators.debug import sensitive_variables

from apps.tables.models import Table, TableBoard, TableEvent
from bridge.auction import PASS, Call
from bridge.cards import Deal
from bridge.errors import BridgeError
from bridge.seats import Seat, Side, Vulnerability
from bridge.table import (
    Action,
    DecidedBy,
    MakeCall,
    PlayCard,
    TableRules,
    TableState,
    View,
    Viewer,
    action_from_data,
    apply,
    open_board,
    seats_to_act,
    seen_by,
    waits_for_director,
)

KEPT = 2000  # boards in one process, some 20 KB each
STOP = timedelta(seconds=8)  # that the next player waits after a jump, where the rules ask for it
RESUMED = "resumed"  # in the log, of no action: the site was away, and nobody thought until then


def rules_to_data(rules: TableRules) -> dict[str, Any]:
    """What differs from the rules of an ordinary table, ready for JSON."""
    return {
        field.name: getattr(rules, field.name)
        for field in fields(rules)
        if getattr(rules, field.name) != field.default
    }


def rules_from_data(data: dict[str, Any]) -> TableRules:
    decided_by: dict[str, Any] = {name: DecidedBy(data[name]) for name in ("undo", "claims") if name in data}
    return TableRules(**data | decided_by)


def meaning_key(calls: Iterable[Call], call: Call) -> str:
    """Under which a player's usual meaning of a call is kept: the calls before it, from the first bid on, and itself."""
    bidding = dropwhile(lambda each: each == PASS, calls)
    return " ".join(each.text for each in (*bidding, call))


@dataclass(frozen=True, slots=True, repr=False)
class Folded:
    """A board with all that was done on it.

    Attributes:
        last: The last event that is in it; 0 when there is none.
        sequence: Its number in the table's log.
        moved: The table's version when something was last done that all four could see.
        at: When the last event was, until which the time is counted.
        turn_at: When something was last done that all four could see, or play went on: since then the turn lasts.
        called_at: When the last call was made.
        asked: Which event of the log asked for what is not answered yet, a claim or an undo, or handed it to the director;
            0 when nothing is open.
        ns_used, ew_used: For how long it waited for each side until then.
    """

    state: TableState
    moved: int
    at: datetime
    turn_at: datetime
    called_at: datetime
    last: int = 0
    sequence: int = 0
    asked: int = 0
    ns_used: timedelta = timedelta()
    ew_used: timedelta = timedelta()

    @sensitive_variables()
    def after(self, event: TableEvent) -> "Folded":
        """With one more event of the log."""
        if event.action["do"] == RESUMED:
            after = self._resumed(event)
        else:
            seat = Seat.from_letter(event.seat) if event.seat else None
            action = action_from_data(event.action, keeper=True)
            after = self.with_action(seat, action, event.version, event.sequence, event.at)
        return replace(after, last=event.pk, sequence=event.sequence)

    def _resumed(self, event: TableEvent) -> "Folded":
        """Time was lost, and nobody thought from the moment on that the event names."""
        since = datetime.fromisoformat(event.action["since"]) if "since" in event.action else self.at
        used, at = self.used(since), max(self.at, event.at)
        return replace(self, ns_used=used.ns, ew_used=used.ew, at=at, turn_at=at)

    @sensitive_variables()
    def with_action(
        self, seat: Seat | None, action: Action, version: int, sequence: int, at: datetime
    ) -> "Folded":
        """With one more action, which makes this version, as this event of the log.

        Raises:
            IllegalAction: It is not allowed now, or not to this seat.
        """
        before, used = self.state, self.used(at)
        state = apply(before, seat, action)
        is_open, was_open = bool(state.claim or state.undo), bool(before.claim or before.undo)
        goes_on = was_open and waits_for_director(before) is waits_for_director(state)
        is_seen = state.moved_at == state.version
        return replace(
            self,
            state=state,
            moved=version if is_seen else self.moved,
            at=at,
            turn_at=at if is_seen else self.turn_at,
            called_at=at if isinstance(action, MakeCall) else self.called_at,
            asked=0 if not is_open else self.asked if goes_on else sequence,
            ns_used=used.ns,
            ew_used=used.ew,
        )

    @property
    def waits_for(self) -> frozenset[Side]:
        """The sides whose time is running."""
        return frozenset(seat.side for seat in seats_to_act(self.state))

    @property
    def stop_ends_at(self) -> datetime | None:
        """When the next player may call, after a jump and where the rules ask for a pause; else None."""
        return self.called_at + STOP if self.state.stops else None

    def used(self, now: datetime) -> "Used":
        """For how long the table has waited for each side until now."""
        since, waits_for = max(now - self.at, timedelta()), self.waits_for
        return Used(
            self.ns_used + (since if Side.NS in waits_for else timedelta()),
            self.ew_used + (since if Side.EW in waits_for else timedelta()),
        )

    @sensitive_variables()
    def seen_by(self, viewer: Seat | Viewer, *, is_shared: bool = False) -> View:
        return seen_by(self.state, viewer, is_shared=is_shared)


@dataclass(frozen=True, slots=True)
class Used:
    """For how long a table waited for each side."""

    ns: timedelta
    ew: timedelta


@sensitive_variables()
def read_board(table: Table, command: UUID | None = None) -> tuple[Folded | None, TableEvent | None]:
    """The board that lies on a table, as its log has it, and the event that a command has made already, if it has.

    One query, and another for a board that this process does not know yet.
    """
    made = Q(table=table, command=command) if command else Q()
    boards, events = _read([table.current_id] if table.current_id else [], made)
    done = next((event for event in events if event.command == command), None)
    return boards.get(table.current_id or 0), done


@sensitive_variables()
def read_lying(tables: Iterable[Table]) -> dict[int, Folded]:
    """The boards that lie on these tables, by their ids.

    One query, and another for boards that this process does not know yet.
    """
    boards, _events = _read([table.current_id for table in tables if table.current_id], Q())
    return boards


@sensitive_variables()
def _read(table_boards: Iterable[int], also: Q) -> tuple[dict[int, Folded], list[TableEvent]]:
    """Boards as their logs have them, by id, and the events that were read for it, with those that were asked for."""
    kept = {each: _kept.get(each) for each in table_boards}
    for each, folded in kept.items():
        also |= Q(table_board=each, sequence__gte=folded.sequence if folded else 0)
    events = list(TableEvent.objects.filter(also).order_by("sequence")) if also else []
    there = {event.pk for event in events}
    boards = {each: folded for each, folded in kept.items() if folded and folded.last in there}
    if unknown := [each for each, folded in kept.items() if folded is None]:
        boards |= _opened(unknown)
    for event in events:
        folded = boards.get(event.table_board_id)
        if folded and event.sequence > folded.sequence:
            boards[event.table_board_id] = folded.after(event)
    if lost := kept.keys() - boards.keys():  # what was folded has been rolled back
        boards |= read_boards(lost)
    _keep(boards)
    return boards, events


@sensitive_variables()
def read_boards(table_boards: Iterable[int]) -> dict[int, Folded]:
    """Many boards, by id, in two queries: for the bell."""
    boards = _opened(table_boards)
    for event in TableEvent.objects.filter(table_board__in=boards).order_by("sequence"):
        boards[event.table_board_id] = boards[event.table_board_id].after(event)
    return boards


@sensitive_variables()
def done_on(table_board_id: int) -> list[tuple[Seat, MakeCall | PlayCard]]:
    """The calls and cards that stood when a board was over, with the seats that chose them and what was said of the calls."""
    state = read_boards([table_board_id])[table_board_id].state
    auction, meanings = state.auction, state.meanings
    done: list[tuple[Seat, MakeCall | PlayCard]] = [
        (auction.seat_of(place), MakeCall(call, meaning.alert, meaning.text))
        for place, (call, meaning) in enumerate(zip(auction.calls, meanings, strict=True))
    ]
    play = state.play
    if play is None:
        return done
    for trick in (*play.tricks, *((play.trick,) if play.trick else ())):
        for place, card in enumerate(trick.cards):
            hand = trick.seat_of(place)
            done.append((play.declarer if hand is play.dummy else hand, PlayCard(card)))
    return done


@sensitive_variables()
def replay_boards(table_boards: Sequence[int]) -> dict[int, Folded | None]:
    """As `read_boards`; None for a board that cannot be, by its cards or by what its log says."""
    try:
        return {**read_boards(table_boards)}
    except BridgeError:  # one of them: it is found by halves
        if len(table_boards) == 1:
            return {table_boards[0]: None}
        half = len(table_boards) // 2
        return replay_boards(table_boards[:half]) | replay_boards(table_boards[half:])


_kept: dict[int, Folded] = {}
"""What this process has folded, by the id of the board at its table."""
_keeping = Lock()


def _keep(boards: Mapping[int, Folded]) -> None:
    """Keep what was folded; what was not asked for longest goes first."""
    with _keeping:
        for table_board_id, folded in boards.items():
            _kept.pop(table_board_id, None)
            if folded.last:
                _kept[table_board_id] = folded
        while len(_kept) > KEPT:
            del _kept[next(iter(_kept))]


@sensitive_variables()
def _opened(table_boards: Iterable[int]) -> dict[int, Folded]:
    """Boards before their first event, by id. One query."""
    opened = {}
    for each in TableBoard.objects.filter(pk__in=list(table_boards)).select_related("board", "table"):
        if each.opened_at is None or each.opened_version is None:
            raise LookupError(f"board {each.position} of table {each.table_id} was not opened")
        state = open_board(
            each.board.number,
            Deal.from_pbn(each.board.deal),
            rules_from_data(each.table.rules),
            dealer=Seat.from_letter(each.board.dealer),
            vulnerability=Vulnerability(each.board.vulnerable),
        )
        at = each.opened_at
        opened[each.pk] = Folded(state, each.opened_version, at, turn_at=at, called_at=at)
    return opened
