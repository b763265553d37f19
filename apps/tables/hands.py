"""What lies on a table: the one place in this app that reads the cards of a board.

A board is folded from its log by the engine, and leaves this module as what one viewer may see. What was folded is kept
in the process, and only ever from rows that are there: an event that was rolled back is never built upon.
"""

from collections.abc import Iterable
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
from bridge.seats import Seat, Side, Vulnerability
from bridge.table import (
    Action,
    DecidedBy,
    TableRules,
    TableState,
    View,
    Viewer,
    action_from_data,
    apply,
    open_board,
    seats_to_act,
    seen_by,
)

KEPT = 2000  # boards in one process, some 20 KB each
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
        at: When the table began to wait for whom it waits for.
        asked: Which event of the log asked for what is not answered yet, a claim or an undo; 0 when nothing is open.
        ns_used, ew_used: For how long it waited for each side until then.
    """

    state: TableState
    moved: int
    at: datetime
    last: int = 0
    sequence: int = 0
    asked: int = 0
    ns_used: timedelta = timedelta()
    ew_used: timedelta = timedelta()

    @sensitive_variables()
    def after(self, event: TableEvent) -> "Folded":
        """With one more event of the log."""
        if event.action["do"] == RESUMED:
            after = self
        else:
            seat = Seat.from_letter(event.seat) if event.seat else None
            action = action_from_data(event.action, keeper=True)
            after = self.with_action(seat, action, event.version, event.sequence, event.at)
        return replace(after, last=event.pk, sequence=event.sequence, at=event.at)

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
        return replace(
            self,
            state=state,
            moved=version if state.moved_at == state.version else self.moved,
            at=at,
            asked=0 if not is_open else self.asked if was_open else sequence,
            ns_used=used.ns,
            ew_used=used.ew,
        )

    @property
    def waits_for(self) -> frozenset[Side]:
        """The sides whose time is running."""
        return frozenset(seat.side for seat in seats_to_act(self.state))

    def used(self, now: datetime) -> "Used":
        """For how long the table has waited for each side until now."""
        since, waits_for = max(now - self.at, timedelta()), self.waits_for
        return Used(
            self.ns_used + (since if Side.NS in waits_for else timedelta()),
            self.ew_used + (since if Side.EW in waits_for else timedelta()),
        )

    @sensitive_variables()
    def seen_by(self, viewer: Seat | Viewer) -> View:
        return seen_by(self.state, viewer)


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
    kept = _kept.get(table.current_id or 0)
    log = Q(table_board=table.current_id, sequence__gte=kept.sequence if kept else 0)
    if command:
        log |= Q(table=table, command=command)
    found = list(TableEvent.objects.filter(log).order_by("sequence"))
    done = next((event for event in found if event.command == command), None)
    if table.current_id is None:
        return None, done
    events = [event for event in found if event.table_board_id == table.current_id]
    if kept and not any(event.pk == kept.last for event in events):  # what was folded has been rolled back
        kept, events = (
            None,
            list(TableEvent.objects.filter(table_board=table.current_id).order_by("sequence")),
        )
    folded = kept or _opened([table.current_id])[table.current_id]
    for event in events:
        if event.sequence > folded.sequence:
            folded = folded.after(event)
    if folded.last:
        _keep(table.current_id, folded)
    return folded, done


@sensitive_variables()
def read_boards(table_boards: Iterable[int]) -> dict[int, Folded]:
    """Many boards, by id, in two queries: for the bell."""
    boards = _opened(table_boards)
    for event in TableEvent.objects.filter(table_board__in=boards).order_by("sequence"):
        boards[event.table_board_id] = boards[event.table_board_id].after(event)
    return boards


_kept: dict[int, Folded] = {}
"""What this process has folded, by the id of the board at its table."""
_keeping = Lock()


def _keep(table_board_id: int, folded: Folded) -> None:
    with _keeping:
        _kept[table_board_id] = folded
        if len(_kept) > KEPT:
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
        opened[each.pk] = Folded(state, each.opened_version, each.opened_at)
    return opened
