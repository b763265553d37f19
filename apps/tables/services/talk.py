"""What is said at a table: to all, or to the opponents, never to partner alone; and calls for the director."""

from datetime import timedelta
from uuid import UUID

from django.db import transaction

from apps.clock.services import record
from apps.clock.time import now
from apps.tables.models import TableWord
from apps.tables.refusals import Closed, Refused
from apps.tables.services.calls import calls_at, open_call, settle_call, settle_open_calls
from apps.tables.services.locks import lock_table, touch
from apps.tables.services.playing import Done, sitting_of
from apps.users.models import User
from bridge.table.actions import check_text

LONGEST_WORD = 300
MOST_WORDS, IN_SECONDS = 10, 30  # a player says no more at a table


@transaction.atomic
def say(*, table_id: int | UUID, user: User, command: UUID, to: TableWord.To, text: str) -> Done:
    """A player says something. One command says it once.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Closed: The table is over.
        Refused: It is too long, too much, or nothing at all.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    if TableWord.objects.filter(table=table, command=command).exists():
        return Done(table.version, again=True)
    if table.is_over:
        raise Closed("This table is closed.")
    since = sitting.moment - timedelta(seconds=IN_SECONDS)
    if table.words.filter(seat=sitting.seat, at__gt=since).count() >= MOST_WORDS:
        raise Refused("You have said much in a short time. Please wait a moment.")
    TableWord.objects.create(
        table=table,
        command=command,
        at=sitting.moment,
        seat=sitting.seat,
        user=user,
        to=to,
        text=spoken(text),
    )
    touch(table)
    return Done(table.version)


@transaction.atomic
def say_as_director(*, table_id: int | UUID, by: User, command: UUID, text: str) -> Done:
    """A director says something to a table. One command says it once."""
    table = lock_table(table_id)
    if TableWord.objects.filter(table=table, command=command).exists():
        return Done(table.version, again=True)
    TableWord.objects.create(
        table=table, command=command, at=now(), user=by, to=TableWord.To.TABLE, text=spoken(text)
    )
    touch(table)
    return Done(table.version)


def spoken(text: str) -> str:
    """What can be said: one line, not too long, without signs that nobody sees.

    Raises:
        BridgeError: It cannot.
    """
    said = " ".join(text.split())
    if not said:
        raise Refused("There is nothing to say.")
    check_text(said, LONGEST_WORD)
    return said


@transaction.atomic
def call_director(*, table_id: int | UUID, user: User, command: UUID, text: str = "") -> Done:
    """A player calls the director; while a player's call is open, another changes nothing.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Closed: The table is over.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    if table.director_calls.filter(command=command).exists():
        return Done(table.version, again=True)
    if table.is_over:
        raise Closed("This table is closed.")
    said = spoken(text) if text.strip() else ""
    is_new = open_call(table, command=command, at=sitting.moment, seat=sitting.seat, text=said)
    if is_new:
        touch(table)
    return Done(table.version, again=not is_new)


@transaction.atomic
def take_back_call(*, table_id: int | UUID, user: User) -> Done:
    """Whoever called the director does not need one any more. Again, it changes nothing.

    Raises:
        Sitting.DoesNotExist: The user does not sit there.
        Refused: Somebody else called, or play waits for the director.
    """
    table = lock_table(table_id)
    sitting = sitting_of(table, user)
    calls = list(calls_at(table))
    if not calls:
        return Done(table.version, again=True)
    mine = next((call for call in calls if call.is_of(sitting.seat)), None)
    if mine is None:
        raise Refused("Only who has called the director can take it back.")
    settle_call(table, mine, at=sitting.moment, by_id=user.pk)
    touch(table)
    return Done(table.version)


@transaction.atomic
def settle_calls(*, table_id: int | UUID, by: User) -> int:
    """A director has settled what a table called for; returns how many calls that were."""
    table = lock_table(table_id)
    settled = settle_open_calls(table, at=now(), by_id=by.pk)
    if settled:
        record(actor=by, action="tables.settled", subject_kind="tables.table", subject_id=table.pk)
        touch(table)
    return settled
