"""What is done on a board: by the players, by a director, by the clock. Each is a row of the log, or nothing at all."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil
from typing import TypedDict
from uuid import UUID

from django.db import transaction
from django.views.decorators.debug import sensitive_variables
from django_stubs_ext import WithAnnotations

from apps.clock.services import record, schedule
from apps.clock.time import Moment, now
from apps.tables.hands import Folded, meaning_key, read_board
from apps.tables.models import Sitting, StoredMeaning, Table, TableEvent
from apps.tables.refusals import Closed, Refused, Stale
from apps.tables.selectors import PROMPT_LASTS, prompt_of, waits_since
from apps.tables.services.boards import TURN, finish_board, in_order, is_excused, patience_of
from apps.tables.services.calls import calls_at, open_call, own_command, settle_own_calls
from apps.tables.services.locks import lock_table, touch
from apps.users.models import User
from bridge.seats import Seat
from bridge.table import (
    Abandon,
    Action,
    AnswerUndo,
    AskAbout,
    Explain,
    KeeperAction,
    MakeCall,
    PlayerAction,
    PlayOn,
    Silence,
    TableState,
    action_to_data,
    seats_to_act,
    waits_for_director,
)

SILENCE = "tables.silence"
PROMPTED = "tables.prompted"
ANSWER_SECONDS = 60  # without an answer to a claim or an undo, it is refused
DIRECTOR_SECONDS = 300  # without a director who decides about one, play goes on
MOST_QUESTIONS = 3  # that a player asks about one call
MOST_EXPLANATIONS = 60  # that a player gives on a board
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
        Refused: The pause after a jump is not over.
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
    if isinstance(action, MakeCall) and seat in seats_to_act(folded.state):
        _check_pause(folded, sitting.moment)
    if isinstance(action, AskAbout):
        _check_questions(table, seat, action.place)
    if isinstance(action, Explain):
        _check_explanations(table, seat)
    done_now = _do(table, folded, seat, action, at=sitting.moment, by=user, command=command)
    if isinstance(action, MakeCall | Explain) and action.explanation:
        _remember(sitting.player_id, folded.state, action, sitting.moment)
    return done_now


@transaction.atomic
@sensitive_variables()
def act_as_robot(*, table_id: int, seat: Seat, sequence: int, action: PlayerAction) -> Done | None:
    """A robot acts, as it decided after so many events of the log; None when something else was done there meanwhile.

    Whoever decided, and however often: what a robot does after an event has one identity, and so one effect.

    Raises:
        Sitting.DoesNotExist: No robot sits there any more.
        Closed: Nothing is played there.
        Refused: The pause after a jump is not over.
        IllegalAction: The engine does not allow it.
    """
    table = lock_table(table_id)
    sitting = table.sittings.annotate(moment=Moment()).get(seat=seat.letter, player__is_robot=True)
    command = own_command(table, f"robot {sequence} {seat.letter}")
    folded, done = read_board(table, command)
    if done:
        return Done(done.version, again=True)
    if table.state != Table.State.PLAYING or folded is None:
        raise Closed("Nothing is being played at this table.")
    if folded.sequence > sequence:
        return None
    if isinstance(action, MakeCall):
        _check_pause(folded, sitting.moment)
    return _do(table, folded, seat, action, at=sitting.moment, by=None, command=command)


@sensitive_variables()
def repeat(table: Table, seat: Seat, action: PlayerAction, *, at: datetime, command: UUID) -> None:
    """What was done on a board before is done on it again, at a table that is held. Again, it changes nothing."""
    folded, done = read_board(table, command)
    if folded and not done:
        _do(table, folded, seat, action, at=at, by=None, command=command)


class _Moment(TypedDict):
    moment: datetime


def sitting_of(table: Table, user: User) -> "WithAnnotations[Sitting, _Moment]":
    """Who sits there for this user, with the moment by the one clock, read after the table was taken in hand.

    Raises:
        Sitting.DoesNotExist: Nobody does, or the account is closed.
    """
    mine = Sitting.objects.filter(player__user=user, player__user__is_active=True)
    return mine.annotate(moment=Moment()).get(table=table)


def _check_pause(folded: Folded, moment: datetime) -> None:
    """Whether the next player may call already.

    Raises:
        Refused: The pause after a jump is not over.
    """
    until = folded.stop_ends_at
    if until and moment < until:
        seconds = ceil((until - moment).total_seconds())
        raise Refused("After a jump you wait before you call: %(seconds)s s more.", seconds=seconds)


def _check_questions(table: Table, seat: Seat, place: int) -> None:
    """Whether a player may ask about a call once more.

    Raises:
        Refused: It was enough.
    """
    asked = table.events.filter(
        table_board=table.current_id, seat=seat.letter, action__do="ask", action__place=place
    )
    if asked.count() >= MOST_QUESTIONS:
        raise Refused("You have asked enough about this call. Please call the director.")


def _check_explanations(table: Table, seat: Seat) -> None:
    """Whether a player may explain once more: each explanation is kept for ever.

    Raises:
        Refused: It was enough.
    """
    given = table.events.filter(table_board=table.current_id, seat=seat.letter, action__do="explain")
    if given.count() >= MOST_EXPLANATIONS:
        raise Refused("You have explained much on this board. Please call the director.")


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
    """The time to answer a claim or an undo, or to decide about it, has run out. Nothing, when that was done before."""
    table = lock_table(table_id)
    folded, _ = read_board(table)
    if folded is None or table.state != Table.State.PLAYING or folded.asked != sequence:
        return
    contested = folded.state.claim and folded.state.claim.contested
    action = PlayOn() if contested else Silence()
    _keep(table, action, command=own_command(table, f"silence {sequence}"))


@sensitive_variables()
def break_off(table: Table, *, seats: Collection[str], command: UUID) -> None:
    """The board of a table that is held ends, because these players left it. Again, it changes nothing.

    Where they are of both sides nobody is at fault.
    """
    sides = {Seat.from_letter(seat).side for seat in seats}
    action = Abandon(sides.pop() if len(sides) == 1 else None)
    _keep(table, action, command=command, gone=in_order(seats))


@sensitive_variables()
def _keep(table: Table, action: KeeperAction, *, command: UUID, gone: str = "") -> None:
    """The clock acts on the board of a table that is held. Again, it changes nothing."""
    folded, done = read_board(table, command)
    if folded and not done and not folded.state.is_over:
        _do(table, folded, None, action, at=now(), by=None, command=command, gone=gone)


@transaction.atomic
@sensitive_variables()
def prompt(*, table_id: int | UUID, user: User) -> Done:
    """A player asks whoever has let a casual table wait for long to act. While that is asked, again changes nothing.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Closed: Nothing is played there.
        Refused: It is one's own turn, the others have not waited for long, or it is they who owe an answer.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    folded, _ = read_board(table)
    if table.state != Table.State.PLAYING or folded is None:
        raise Closed("Nothing is being played at this table.")
    asked = prompt_of(table, folded, table.sittings.all())
    if asked is None or asked.seat.letter == sitting.seat:
        raise Refused("There is nobody to be asked now.")
    if asked.ends_at:
        return Done(table.version, again=True)
    if sitting.moment < asked.may_at:
        raise Refused("A call or card may take a while. Please wait a little longer.")
    _check_answered(table, folded.state, asked.seat, Seat.from_letter(sitting.seat))
    table.prompted_at, table.prompted_by = sitting.moment, sitting.seat
    touch(table, "prompted_at", "prompted_by", around=False)
    schedule(kind=PROMPTED, subject=table.pk, number=table.version, due_at=sitting.moment + PROMPT_LASTS)
    return Done(table.version)


@sensitive_variables()
def _check_answered(table: Table, state: TableState, silent: Seat, seat: Seat) -> None:
    """Whether a player who lets the others wait is not waiting himself: for the director, or for an answer of this seat.

    Of a question only who was asked learns: whoever else owes nothing may ask him to act, and `end_prompt` decides.

    Raises:
        Refused: He is.
    """
    if _called(table, silent):
        raise Refused("Whose turn it is has called the director. Please wait.")
    if seat in _owing(state, silent):
        raise Refused("You have been asked what your call means. Please answer first.")


def _owing(state: TableState, asker: Seat) -> set[Seat]:
    """Who has not answered yet what a player asked about a call."""
    return {
        state.auction.seat_of(place)
        for place, meaning in enumerate(state.meanings)
        if asker in meaning.asked_by
    }


def _has_waited(table: Table, state: TableState, seat: Seat) -> bool:
    """Whether a player who was asked to act waits for an answer about a call, or got one since."""
    if _owing(state, seat):
        return True
    done = table.events.filter(table_board=table.current_id)
    asked = done.filter(seat=seat.letter, action__do="ask").values_list("action__place", flat=True)
    answers = done.filter(action__do="explain", action__place__in=list(asked), at__gte=table.prompted_at)
    return answers.exists()


def _called(table: Table, seat: Seat) -> bool:
    """Whether the player on a seat has called the director, who has not been there."""
    return any(call.is_of(seat.letter) for call in calls_at(table))


@transaction.atomic
@sensitive_variables()
def end_prompt(*, table_id: int) -> None:
    """Whoever was asked to act has not: the board ends, broken off by that player, and the seat is free.

    Nothing, when there was a call or card, somebody else took the seat, or the time that was given is not over. Who has
    called the director keeps the seat, and so does who waited for an answer about a call meanwhile; both can be asked
    again later.
    """
    table = lock_table(table_id)
    folded, _ = read_board(table)
    playing = folded and table.state == Table.State.PLAYING
    asked = prompt_of(table, folded, table.sittings.all()) if folded and playing else None
    if folded is None or asked is None or asked.ends_at is None or now() < asked.ends_at:
        return
    if _called(table, asked.seat) or _has_waited(table, folded.state, asked.seat):  # he waits, too
        table.prompted_at, table.prompted_by = None, ""
        touch(table, "prompted_at", "prompted_by", around=False)
        return
    table.sittings.filter(seat=asked.seat.letter).update(leaving=True)
    break_off(table, seats=[asked.seat.letter], command=own_command(table, f"silent {folded.moved}"))


@transaction.atomic
@sensitive_variables()
def watch_turn(*, table_id: int, number: int) -> None:
    """See to a table that has waited too long for one call or card, and look again in time.

    First the director is called. If none comes, and nothing happens for as long as a player may be away, whoever lets
    the others wait has left the board, as one whose line is gone: nobody waits for ever where nobody is in charge. Where
    the event has set no limit, the bell judges instead.

    It looks at the turn that there is when it comes, so that no call and no card has to move it: whatever turn began
    later also ends later. A call of the clock is over with its turn.
    """
    table = lock_table(table_id)
    patience = patience_of(table)
    if table.is_over or patience is None:
        return
    folded, _ = read_board(table)
    moment = now()
    due_at = moment + patience
    if folded and seats_to_act(folded.state) and not is_excused(table):
        late_at = waits_since(folded, table.sittings.all()) + patience
        lost_at = late_at + timedelta(seconds=table.reconnect_seconds) if table.turn_seconds else None
        if moment < late_at:
            due_at = late_at
            if settle_own_calls(table, at=moment):
                touch(table)
        elif lost_at is None or moment < lost_at:
            due_at = min(lost_at or due_at, due_at)
            if open_call(table, command=own_command(table, f"turn {folded.moved}"), at=moment):
                touch(table)
        elif not _was_helped(table, since=folded.turn_at):
            seats = [seat.letter for seat in seats_to_act(folded.state)]
            break_off(table, seats=seats, command=own_command(table, f"lost {folded.moved}"))
    if not table.is_over:
        schedule(kind=TURN, subject=table.pk, number=number + 1, due_at=due_at)


def _was_helped(table: Table, *, since: datetime) -> bool:
    """Whether a director has settled a call of this table; who takes back his own is no director."""
    settled = table.director_calls.filter(settled_at__gte=since, settled_by__isnull=False)
    return settled.exclude(settled_by__player__in=table.sittings.values("player")).exists()


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
    gone: str = "",
) -> Done:
    """Write it into the log of a table that is held, with all that follows from it.

    Args:
        gone: The seats of those who left, where the board is broken off.

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
        seconds = DIRECTOR_SECONDS if waits_for_director(after.state) else ANSWER_SECONDS
        due_at = at + timedelta(seconds=seconds)
        schedule(kind=SILENCE, subject=table.pk, number=table.sequence, due_at=due_at)
    waited = waits_for_director(folded.state)
    calls = waits_for_director(after.state) and not waited
    patience = patience_of(table)
    late = patience is not None and at - folded.turn_at >= patience
    ends = after.moved != folded.moved and (late or (waited and seat is not None))
    settled = ends and settle_own_calls(table, at=at) > 0
    if calls:
        asking = seat.letter if seat is not None else ""
        open_call(table, command=own_command(table, f"wait {table.sequence}"), at=at, seat=asking)
    if after.state.is_over:
        finish_board(table, after, at=at, gone=gone)
    else:
        touch(table, "sequence", around=calls or settled)
    return Done(table.version)


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
