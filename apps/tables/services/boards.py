"""A board at a table comes, and goes: it opens, ends, and what it came to is written down."""

from collections.abc import Collection, Iterable
from contextlib import suppress
from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from apps.boards.services import reveal_seal
from apps.clock.services import drop, schedule
from apps.clock.time import now
from apps.tables.hands import Folded
from apps.tables.models import LETTERS, Sitting, Table, TableBoard
from apps.tables.services.calls import settle_open_calls
from apps.tables.services.locks import lock_table, touch
from apps.tables.signals import absence_asked, board_finished, table_closed
from apps.users.services import robots
from bridge.errors import BridgeError
from bridge.scoring import ns_score
from bridge.seats import Seat

SLOW = timedelta(minutes=3)  # for one call or card, and the director is called where nobody has set a limit

NEXT = "tables.next"
TURN = "tables.turn"
GONE = "tables.gone"


@transaction.atomic
def open_next(*, table_id: int, position: int) -> None:
    """Open a board of the queue when its time has come. Nothing, when it lies there already or somebody is missing."""
    table = lock_table(table_id)
    waiting = following(table)
    if not table.is_over and waiting and waiting.position == position and not is_under_way(table):
        begin_board(table, waiting, at=now())


def following(table: Table) -> TableBoard | None:
    """The next board of the queue of a table."""
    return table.boards.filter(state=TableBoard.State.WAITING).order_by("position").first()


def is_under_way(table: Table) -> bool:
    """Whether a board is being played at a table that is held."""
    return table.boards.filter(state=TableBoard.State.PLAYING).exists()


def begin_board(table: Table, table_board: TableBoard, *, at: datetime) -> None:
    """Lay a board on a table that is held, or wait where a seat is empty."""
    sittings = list(table.sittings.all())
    if len(sittings) < len(LETTERS):
        if table.state != Table.State.WAITING:
            table.state = Table.State.WAITING
            touch(table, "state")
        return
    table_board.state, table_board.opened_at = TableBoard.State.PLAYING, at
    table_board.opened_version = table.version + 1
    table_board.save(update_fields=["state", "opened_at", "opened_version"])
    # From the first board on it is looked at again and again.
    if (patience := patience_of(table)) and table.current_id is None:
        schedule(kind=TURN, subject=table.pk, due_at=at + patience)
    Sitting.objects.filter(table=table, player__is_robot=False).update(ready=False, away=0)
    Sitting.objects.filter(table=table).exclude(gone_at=None).update(gone_at=at)
    for sitting in sittings:
        if sitting.gone_at:
            wait_for_return(table, sitting, until=at + timedelta(seconds=table.reconnect_seconds))
    table.current, table.state = table_board, Table.State.PLAYING
    touch(table, "current", "state")


def people_at(table: Table) -> bool:
    """Whether anybody sits at a table but robots, who do not play alone."""
    return table.sittings.filter(player__is_robot=False).exists()


def seat_robots(tables: Iterable[Table], seats: Collection[str]) -> None:
    """Robots sit down on these seats of these tables, where nobody sits: they are there, and always ready."""
    there, at = robots(), now()
    Sitting.objects.bulk_create(
        Sitting(table=table, seat=seat, player=there[seat], sat_at=at, ready=True)
        for table in tables
        for seat in seats
    )


def patience_of(table: Table) -> timedelta | None:
    """How long one call or card may take before the director is called; None where nobody directs and nobody set a limit."""
    if table.turn_seconds:
        return timedelta(seconds=table.turn_seconds)
    return None if table.casual else SLOW


def wait_for_return(table: Table, sitting: Sitting, *, until: datetime) -> None:
    """Have it looked at then whether a player who is gone has come back: each absence under a number of its own."""
    number = 4 * table.version + Seat.from_letter(sitting.seat)
    schedule(kind=GONE, subject=table.pk, number=number, due_at=until)


def is_excused(table: Table) -> bool:
    """Whether whoever opened a table lets it stand still: nobody is blamed there for doing nothing."""
    return any(excused for _receiver, excused in absence_asked.send(sender=Table, table=table))


def in_order(seats: Iterable[str]) -> str:
    """Seats in their order, as `TableBoard.gone` has them."""
    return "".join(sorted(seats, key=LETTERS.index))


def finish_board(table: Table, folded: Folded, *, at: datetime, gone: str = "") -> None:
    """Write down what a board came to, at a table that is held, and see what comes next there.

    Args:
        gone: The seats of those who left, where it was broken off.
    """
    table_board = table.current
    assert table_board  # noqa: S101 - it has just been played
    for field, value in written(folded, at).items():
        setattr(table_board, field, value)
    table_board.players, table_board.gone = seated(table), gone
    table_board.save()
    drop(kind=GONE, subject=table.pk)  # nobody is waited for any more
    transaction.on_commit(
        partial(
            board_finished.send,
            sender=TableBoard,
            table_board_id=table_board.pk,
            purpose=table.purpose,
            subject=table.subject,
        ),
        robust=True,
    )
    if table.casual:
        table.sittings.filter(leaving=True).delete()
        settle_open_calls(table, at=at, by_id=None)  # nobody has to come for a board that is over
    coming = following(table)
    if coming is None:
        close_table(table, Table.Why.FINISHED, at=at)
    elif table.casual and not people_at(table):
        close_table(table, Table.Why.EMPTY, at=at)
    else:
        due_at = at + timedelta(seconds=table.pause_seconds)
        schedule(kind=NEXT, subject=table.pk, number=coming.position, due_at=due_at)
        touch(table, "sequence")


def written(folded: Folded, at: datetime) -> dict[str, Any]:
    """What is written down about a board that has ended."""
    state, used = folded.state, folded.used(at)
    ending, outcome = state.ending, state.outcome
    assert ending is not None  # noqa: S101 - it has ended
    facts: dict[str, Any] = {
        "state": TableBoard.State.OVER,
        "ended_at": at,
        "how": ending.how.value,
        "ruling": ending.ruling.to_json() if ending.ruling else None,
        "ns_seconds": int(used.ns.total_seconds()),
        "ew_seconds": int(used.ew.total_seconds()),
    }
    if outcome and outcome.contract and outcome.contract.declarer is not None:
        facts |= {
            "contract": outcome.contract.text,
            "declarer": outcome.contract.declarer.letter,
            "tricks": outcome.tricks,
        }
    if outcome:
        facts["lead"] = outcome.lead
    if outcome and (outcome.contract or outcome.passed_out):
        facts["ns_score"] = ns_score(outcome.contract, outcome.tricks, state.board.vulnerability)
    return facts


def seated(table: Table) -> list[int]:
    """The players' ids, North, East, South, West; 0 where nobody sits."""
    by_seat = dict(table.sittings.values_list("seat", "player_id"))
    return [by_seat.get(letter, 0) for letter in LETTERS]


def close_table(table: Table, why: Table.Why, *, at: datetime) -> None:
    """Nothing more happens at a table that is held."""
    table.state, table.why, table.closed_at = Table.State.OVER, why, at
    touch(table, "sequence", "state", "why", "closed_at")
    for kind in (NEXT, TURN, GONE):
        drop(kind=kind, subject=table.pk)
    if table.casual:
        _open_seals(table)
    transaction.on_commit(
        partial(
            table_closed.send,
            sender=Table,
            table_id=table.pk,
            purpose=table.purpose,
            subject=table.subject,
        ),
        robust=True,
    )


def _open_seals(table: Table) -> None:
    """Show where the cards of a casual table came from: they were for this table alone, and nobody plays them any more.

    Where a board is played again the seed waits for both tables: it tells of the boards that are still to come at either.
    """
    seals = table.boards.exclude(board__board_set__seal=None).order_by("board__board_set__seal")
    played = TableBoard.objects.exclude(table=table.pk).exclude(table__state=Table.State.OVER)
    played = played.exclude(board__board_set__seal=None)
    seals = seals.exclude(board__board_set__seal__in=played.values("board__board_set__seal"))
    for seal in seals.values_list("board__board_set__seal", flat=True).distinct():
        with suppress(BridgeError):  # one that cannot be read any more stays closed
            reveal_seal(seal_id=seal)
