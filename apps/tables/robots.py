"""The house robots: what waits for one of them is a query; whoever finds it thinks, and acts through a service.

Any number of processes may do it. A table is held by one of them for as long as it thinks there, by a lock that falls with
its connection; and what a robot does after an event of the log has one identity, so that it is done once in any case.
"""

import logging
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from zlib import crc32

from django.conf import settings
from django.db import connection
from django.views.decorators.debug import sensitive_variables

from apps.clock.time import now
from apps.tables.hands import Folded, read_lying
from apps.tables.models import Sitting, Table
from apps.tables.refusals import Refused
from apps.tables.services.playing import act_as_robot
from apps.tables.thinking import Thinkers
from bridge.errors import BridgeError
from bridge.robot import Tricks, choose
from bridge.seats import Seat
from bridge.table import PlayerAction, TableState, action_from_data, seats_to_act, view_to_data

BATCH = 8
"""Robots that are thought for between two looks."""
_THINKING = 0x526F626F  # the advisory locks of tables at which a robot is thought for

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, repr=False)
class Turn:
    """A table waits for one of its robots.

    Attributes:
        due_at: When the robot acts; it lets people see what was done before.
    """

    table: Table
    folded: Folded
    seat: Seat
    due_at: datetime

    @property
    def order(self) -> tuple[bool, datetime]:
        """Tables of events go before those that are open to everybody; then who has waited longest."""
        return self.table.casual, self.due_at

    @property
    def tricks(self) -> Tricks:
        """What everybody at the table has seen."""
        play = self.folded.state.play
        return tuple((trick.leader, trick.cards) for trick in play.tricks) if play else ()

    @property
    def seed(self) -> int:
        return crc32(f"{self.table.pk} {self.table.current_id} {self.seat.letter}".encode())

    @sensitive_variables()
    def seen(self) -> dict[str, Any]:
        """The board as this robot sees it."""
        return view_to_data(self.folded.seen_by(self.seat))


@sensitive_variables()
def turns() -> list[Turn]:
    """The robots that tables wait for, in the order in which they act. Three queries, however many there are."""
    sittings = Sitting.objects.filter(
        player__is_robot=True, table__state=Table.State.PLAYING, table__current__state="playing"
    ).select_related("table")
    tables = {sitting.table_id: sitting.table for sitting in sittings}
    lying = read_lying(tables.values())
    found = []
    for sitting in sittings:
        table, seat = tables[sitting.table_id], Seat.from_letter(sitting.seat)
        folded = lying.get(table.current_id or 0)
        if folded and not folded.state.is_over and _is_asked(folded.state, seat):
            found.append(Turn(table, folded, seat, _due_at(folded)))
    return sorted(found, key=lambda turn: turn.order)


def _is_asked(state: TableState, seat: Seat) -> bool:
    """Whether a seat is to act, or to say what one of its calls means."""
    asked = (
        state.auction.seat_of(place) is seat for place, each in enumerate(state.meanings) if each.asked_by
    )
    return seat in seats_to_act(state) or any(asked)


def _due_at(folded: Folded) -> datetime:
    pause = timedelta(seconds=settings.ROBOT_PAUSE)
    return max(folded.at + pause, folded.stop_ends_at or folded.at)


@sensitive_variables()
def act_for_robots(thinkers: Thinkers) -> tuple[int, float]:
    """Do what robots have to do now; how many acted, and for how many seconds the next one waits at least."""
    waiting, at = turns(), now()
    due = [turn for turn in waiting if turn.due_at <= at]
    soon = min(((turn.due_at - at).total_seconds() for turn in waiting if turn.due_at > at), default=1.0)
    acted = 0
    with _held(due[:BATCH]) as mine:
        for turn, data in _decided(mine, thinkers):
            acted += data is not None and _act(turn, action_from_data(data))
    return acted, 0.0 if acted or len(due) > BATCH else max(0.02, min(soon, 1.0))


@contextmanager
def _held(due: Sequence[Turn]) -> Iterator[list[Turn]]:
    """Those of these turns at whose tables nobody else thinks just now."""
    mine: list[Turn] = []
    held: set[int] = set()
    with connection.cursor() as cursor:
        try:
            for turn in due:
                cursor.execute("SELECT pg_try_advisory_lock(%s, %s)", [_THINKING, turn.table.pk])
                (is_held,) = cursor.fetchone() or (False,)
                if is_held and turn.table.pk not in held:
                    held.add(turn.table.pk)
                    mine.append(turn)
                elif is_held:  # two robots of one table: the second one's turn comes at the next look
                    cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_THINKING, turn.table.pk])
            yield mine
        finally:
            for table_id in held:
                cursor.execute("SELECT pg_advisory_unlock(%s, %s)", [_THINKING, table_id])


@sensitive_variables()
def _decided(due: Sequence[Turn], thinkers: Thinkers) -> Iterator[tuple[Turn, dict[str, Any] | None]]:
    """What each robot does: at once what needs no thought, then what does, side by side."""
    hard = {}
    for place, turn in enumerate(due):
        board = turn.seen()
        plays = "play" in board["may"] and len(board["legal_cards"] or ()) > 1
        if thinkers.strength.samples and (plays or "answer_claim" in board["may"]):
            hard[place] = (board, turn.tricks, turn.seed)
        else:
            yield turn, choose(board, seed=turn.seed, tricks=turn.tricks)
    if hard:
        for place, data in thinkers.decide(hard).items():
            yield due[place], data


@sensitive_variables()
def _act(turn: Turn, action: Any) -> bool:
    """Whether it was done; what the table does not allow any more is decided anew at the next look."""
    assert isinstance(action, PlayerAction)  # noqa: S101 - a robot keeps no table
    try:
        done = act_as_robot(
            table_id=turn.table.pk, seat=turn.seat, sequence=turn.folded.sequence, action=action
        )
    except Refused:  # the pause after a jump
        return False
    except (BridgeError, Sitting.DoesNotExist, Table.DoesNotExist) as refusal:
        log.info("a robot is refused: %s", refusal)
        return False
    return done is not None and not done.again
