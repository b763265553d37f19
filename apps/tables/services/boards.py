"""A board at a table comes, and goes: it opens, ends, and what it came to is written down."""

from datetime import datetime, timedelta
from functools import partial
from typing import Any

from django.db import transaction

from apps.clock.services import drop, schedule
from apps.clock.time import now
from apps.tables.hands import Folded
from apps.tables.models import LETTERS, Sitting, Table, TableBoard
from apps.tables.services.locks import lock_table, touch
from apps.tables.signals import board_finished, table_closed
from bridge.scoring import ns_score
from bridge.seats import Seat

NEXT = "tables.next"
TURN = "tables.turn"
GONE = "tables.gone"


@transaction.atomic
def open_next(*, table_id: int, position: int) -> None:
    """Open a board of the queue when its time has come. Nothing, when it lies there already or somebody is missing."""
    table = lock_table(table_id)
    waiting = table.boards.filter(state=TableBoard.State.WAITING).order_by("position").first()
    if not table.is_over and waiting and waiting.position == position and not is_under_way(table):
        begin_board(table, waiting, at=now())


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
    if table.turn_seconds and table.current_id is None:
        schedule(kind=TURN, subject=table.pk, due_at=at + timedelta(seconds=table.turn_seconds))
    Sitting.objects.filter(table=table).update(ready=False, away=0)
    Sitting.objects.filter(table=table).exclude(gone_at=None).update(gone_at=at)
    for sitting in sittings:
        if sitting.gone_at:
            wait_for_return(
                table, table_board, sitting, until=at + timedelta(seconds=table.reconnect_seconds)
            )
    table.current, table.state = table_board, Table.State.PLAYING
    touch(table, "current", "state")


def wait_for_return(table: Table, table_board: TableBoard, sitting: Sitting, *, until: datetime) -> None:
    """Plan what happens to a board when a player who is gone does not come back: once a board and player."""
    schedule(kind=GONE, subject=table.pk, number=absence(table_board, sitting.seat), due_at=until)


def absence(table_board: TableBoard, seat: str) -> int:
    """The number of a player's absence from a board of a table."""
    return 4 * table_board.position + Seat.from_letter(seat)


def finish_board(table: Table, folded: Folded, *, at: datetime) -> None:
    """Write down what a board came to, at a table that is held, and see what comes next there."""
    table_board = table.current
    assert table_board  # noqa: S101 - it has just been played
    for field, value in written(folded, at).items():
        setattr(table_board, field, value)
    table_board.players = seated(table)
    if table_board.how == TableBoard.How.ABANDONED:
        table_board.gone = gone_from(table)
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
    following = table.boards.filter(state=TableBoard.State.WAITING).order_by("position").first()
    if following is None:
        close_table(table, Table.Why.FINISHED, at=at)
    elif table.casual and not table.sittings.exists():
        close_table(table, Table.Why.EMPTY, at=at)
    else:
        due_at = at + timedelta(seconds=table.pause_seconds)
        schedule(kind=NEXT, subject=table.pk, number=following.position, due_at=due_at)
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


def gone_from(table: Table) -> str:
    """The seats whose players are gone, in the order of the seats."""
    gone = set(table.sittings.exclude(gone_at=None).values_list("seat", flat=True))
    return "".join(letter for letter in LETTERS if letter in gone)


def close_table(table: Table, why: Table.Why, *, at: datetime) -> None:
    """Nothing more happens at a table that is held."""
    table.state, table.why, table.closed_at = Table.State.OVER, why, at
    touch(table, "sequence", "state", "why", "closed_at")
    for kind in (NEXT, TURN, GONE):
        drop(kind=kind, subject=table.pk)
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
