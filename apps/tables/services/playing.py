"""What is done on a board: by the players, by a director, by the clock. Each is a row of the log, or nothing at all."""

from dataclasses import dataclass
from datetime import datetime, timedelta
from typing import Any
from uuid import UUID, uuid5

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from apps.clock.services import record, schedule
from apps.clock.time import Moment, now
from apps.tables.hands import Folded, meaning_key, read_board
from apps.tables.models import DirectorCall, Sitting, StoredMeaning, Table, TableEvent
from apps.tables.refusals import Closed, Refused, Stale
from apps.tables.services.boards import TURN, finish_board
from apps.tables.services.locks import lock_table, touch
from apps.users.models import User
from bridge.seats import Seat
from bridge.table import (
    Action,
    AnswerUndo,
    AskAbout,
    Explain,
    KeeperAction,
    MakeCall,
    PlayerAction,
    Silence,
    TableState,
    action_to_data,
    waits_for_director,
)

SILENCE = "tables.silence"
ANSWER_SECONDS = 60  # without an answer to a claim or an undo, it is refused
LONGEST_KEY = 60  # of a stored meaning: some twenty calls before it


@dataclass(frozen=True, slots=True)
class Done:
    """What a command has made: this version of the table; `again` when it had been done before."""

    version: int
    again: bool = False


@transaction.atomic
@sensitive_variables()
def act(*, table_id: int | UUID, user: User, command: UUID, expect: int, action: PlayerAction) -> Done:
    """A player acts. One command has one effect, however often it comes.

    Args:
        expect: The version of the table as the player saw it. What nobody else could notice does not count.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Closed: Nothing is played there.
        Stale: The player decided on something that has changed meanwhile.
        IllegalAction: The engine does not allow it.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    folded, done = read_board(table, command)
    if done:
        return Done(done.version, again=True)
    if table.state != Table.State.PLAYING or folded is None:
        raise Closed("Nothing is being played at this table.")
    if not folded.moved <= expect <= table.version and not isinstance(action, Explain | AskAbout):
        raise Stale("The table has changed meanwhile. Please look again.")
    seat = Seat.from_letter(sitting.seat)
    done_now = _do(table, folded, seat, action, at=sitting.moment, by=user, command=command)
    if isinstance(action, MakeCall | Explain) and action.explanation:
        _remember(sitting.player_id, folded.state, action, sitting.moment)
    return done_now


def sitting_of(table: Table, user: User) -> Any:
    """Who sits there for this user, with the moment by the one clock, read after the table was taken in hand.

    Raises:
        Sitting.DoesNotExist: Nobody does.
    """
    return Sitting.objects.annotate(moment=Moment()).get(table=table, player__user=user)


@transaction.atomic
@sensitive_variables()
def direct(
    *,
    table_id: int | UUID,
    by: User,
    command: UUID,
    action: KeeperAction | AnswerUndo,
    reason: str,
    expect: int | None = None,
) -> Done:
    """A director decides on the board that is being played: rules, has play go on, or takes something back.

    Raises:
        Closed: Nothing is played there.
        Stale: The board has moved since the director looked.
        IllegalAction: The engine does not allow it.
    """
    table = lock_table(table_id)
    folded, done = read_board(table, command)
    if done:
        return Done(done.version, again=True)
    if table.state != Table.State.PLAYING or folded is None:
        raise Closed("Nothing is being played at this table.")
    if expect is not None and not folded.moved <= expect <= table.version:
        raise Stale("The table has changed meanwhile. Please look again.")
    if not reason.strip():
        raise Refused("A decision has its reason.")
    record(
        actor=by,
        action="tables.directed",
        subject_kind="tables.table",
        subject_id=table.pk,
        after={"board": table.current_id, "sequence": table.sequence + 1} | action_to_data(action),
        reason=reason,
    )
    return _do(table, folded, None, action, at=now(), by=by, command=command)


@transaction.atomic
@sensitive_variables()
def end_silence(*, table_id: int, sequence: int) -> None:
    """The time to answer a claim or an undo has run out. Nothing, when it was answered or withdrawn before."""
    table = lock_table(table_id)
    folded, _ = read_board(table)
    if folded is None or table.state != Table.State.PLAYING or folded.asked != sequence:
        return
    keep_board(table, Silence(), command=own_command(table, f"silence {sequence}"))


@sensitive_variables()
def keep_board(table: Table, action: KeeperAction, *, command: UUID) -> None:
    """The clock acts on the board of a table that is held. Again, it changes nothing."""
    folded, done = read_board(table, command)
    if folded and not done and not folded.state.is_over:
        _do(table, folded, None, action, at=now(), by=None, command=command)


@transaction.atomic
@sensitive_variables()
def watch_turn(*, table_id: int, number: int) -> None:
    """Call the director to a table that has waited too long for one call or card, and look again in time.

    It looks at the turn that there is when it comes, so that no call and no card has to move it: whatever turn began
    later also ends later.
    """
    table = lock_table(table_id)
    if table.is_over or table.turn_seconds is None:
        return
    folded, _ = read_board(table)
    moment, patience = now(), timedelta(seconds=table.turn_seconds)
    due_at = moment + patience
    if folded and not folded.state.is_over and folded.waits_for:
        if folded.at + patience > moment:
            due_at = folded.at + patience
        else:
            if call_director_once(table, seat="", key=f"turn {table.sequence}", at=moment):
                touch(table)
    schedule(kind=TURN, subject=table.pk, number=number + 1, due_at=due_at)


@sensitive_variables()
def _do(
    table: Table,
    folded: Folded,
    seat: Seat | None,
    action: Action,
    *,
    at: datetime,
    by: User | None,
    command: UUID,
) -> Done:
    """Write it into the log of a table that is held, with all that follows from it.

    Raises:
        IllegalAction: The engine does not allow it.
    """
    assert table.current_id is not None  # noqa: S101 - it was folded
    after = folded.with_action(seat, action, table.version + 1, table.sequence + 1, at)
    table.sequence += 1
    TableEvent.objects.create(
        table=table,
        table_board_id=table.current_id,
        sequence=table.sequence,
        version=table.version + 1,
        command=command,
        at=at,
        seat=seat.letter if seat is not None else "",
        actor_id=by.pk if by else None,
        action=action_to_data(action),
    )
    if after.asked == table.sequence:
        due_at = at + timedelta(seconds=ANSWER_SECONDS)
        schedule(kind=SILENCE, subject=table.pk, number=table.sequence, due_at=due_at)
    calls = waits_for_director(after.state) and not waits_for_director(folded.state)
    if calls:
        call_director_once(
            table, seat=seat.letter if seat is not None else "", key=f"wait {table.sequence}", at=at
        )
    if after.state.is_over:
        finish_board(table, after, at=at)
    else:
        touch(table, "sequence", around=calls)
    return Done(table.version)


def call_director_once(table: Table, *, seat: str, key: str, at: datetime) -> bool:
    """Have a table that is held ask for the director; the same reason asks once. Whether it is new."""
    command = own_command(table, key)
    if table.director_calls.filter(command=command).exists():
        return False
    DirectorCall.objects.create(
        table=table, table_board_id=table.current_id, command=command, at=at, seat=seat
    )
    return True


def own_command(table: Table, key: str) -> UUID:
    """The id of something that the table's keeper does once."""
    return uuid5(table.uuid, key)


def _remember(player_id: int, state: TableState, action: MakeCall | Explain, at: datetime) -> None:
    """Keep what a call means to its player, for the next time it comes up after the same calls."""
    place = action.place if isinstance(action, Explain) else len(state.auction.calls)
    call = action.call if isinstance(action, MakeCall) else state.auction.calls[place]
    key = meaning_key(state.auction.calls[:place], call)
    if len(key) <= LONGEST_KEY:
        StoredMeaning.objects.bulk_create(
            [StoredMeaning(player_id=player_id, key=key, text=action.explanation, used_at=at)],
            update_conflicts=True,
            unique_fields=["player", "key"],
            update_fields=["text", "used_at"],
        )
