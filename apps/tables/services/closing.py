"""The bell, and what else ends tables before their boards are played."""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta

from django.db import connection, transaction
from django.db.models import F
from django.views.decorators.debug import sensitive_variables

from apps.clock.models import DueWork
from apps.clock.services import record
from apps.clock.time import now
from apps.tables.hands import Used, read_boards
from apps.tables.models import Table, TableBoard, TableEvent
from apps.tables.services.boards import GONE, NEXT, TURN, close_table
from apps.tables.services.locks import lock_table, tell
from apps.tables.services.playing import SILENCE, own_command
from apps.users.models import User
from bridge.table import CutBoard, action_to_data

NO_TIME = Used(timedelta(), timedelta())


@transaction.atomic
@sensitive_variables()
def cut_tables(*, purpose: str, occasion: str) -> list[TableBoard]:
    """The bell: end all tables of an occasion, in the caller's transaction. Again, it finds nothing left.

    A call or card that was accepted is in the log before it; one that comes later finds the table closed, for both want
    the table's lock. The number of statements does not grow with that of tables.

    Returns:
        The boards that were not finished, with the seconds of both sides; those that nobody began have none. They are
        the caller's to deal with, and not announced one by one.
    """
    tables = _held(purpose, occasion)
    if not tables:
        return []
    at, unfinished = now(), _unfinished(tables)
    began = read_boards(each.pk for each in unfinished if each.opened_at)
    TableEvent.objects.bulk_create(
        _cut(tables[each.table_id], each, at) for each in unfinished if each.pk in began
    )
    used = {each.pk: began[each.pk].used(at) if each.pk in began else NO_TIME for each in unfinished}
    _end_boards(used, TableBoard.How.CUT, at)
    Table.objects.filter(current__in=began).update(sequence=F("sequence") + 1)
    _close(tables, Table.Why.CUT, at)
    return list(
        TableBoard.objects.filter(pk__in=used).select_related("board").order_by("table_id", "position")
    )


@transaction.atomic
def void_tables(*, purpose: str, occasion: str) -> None:
    """Call off all tables of an occasion, in the caller's transaction: what is not finished counts for nothing."""
    tables = _held(purpose, occasion)
    if tables:
        at = now()
        _end_boards({each.pk: NO_TIME for each in _unfinished(tables)}, TableBoard.How.VOID, at)
        _close(tables, Table.Why.VOID, at)


def _held(purpose: str, occasion: str) -> dict[int, Table]:
    """The live tables of an occasion by their ids, held until the transaction ends."""
    live = Table.objects.filter(purpose=purpose, occasion=occasion).exclude(state=Table.State.OVER)
    return {table.pk: table for table in live.select_for_update(no_key=True).order_by("pk")}


def _unfinished(tables: Collection[int]) -> list[TableBoard]:
    boards = TableBoard.objects.filter(table__in=tables).exclude(state=TableBoard.State.OVER)
    return list(boards.order_by("table_id", "position"))


def _cut(table: Table, table_board: TableBoard, at: datetime) -> TableEvent:
    """The bell as an event of the log."""
    return TableEvent(
        table=table,
        table_board=table_board,
        sequence=table.sequence + 1,
        version=table.version + 1,
        command=own_command(table, f"bell {table_board.position}"),
        at=at,
        action=action_to_data(CutBoard()),
    )


def _end_boards(used: Mapping[int, Used], how: TableBoard.How, at: datetime) -> None:
    """Write down of many boards that they have ended, who sat there, and for how long the tables waited."""
    seconds = [(int(each.ns.total_seconds()), int(each.ew.total_seconds())) for each in used.values()]
    with connection.cursor() as cursor:
        cursor.execute(
            """UPDATE tables_tableboard board SET state = 'over', how = %s, ended_at = %s, ns_seconds = used.ns,
                 ew_seconds = used.ew, players = ARRAY(
                   SELECT coalesce(sitting.player_id, 0)
                   FROM unnest('{N,E,S,W}'::text[]) WITH ORDINALITY AS seat (letter, place)
                   LEFT JOIN tables_sitting sitting
                     ON sitting.table_id = board.table_id AND sitting.seat = seat.letter
                   ORDER BY seat.place)
               FROM unnest(%s::bigint[], %s::int[], %s::int[]) AS used (id, ns, ew) WHERE board.id = used.id""",
            [how, at, list(used), [ns for ns, _ in seconds], [ew for _, ew in seconds]],
        )


def _close(tables: Mapping[int, Table], why: Table.Why, at: datetime) -> None:
    """Nothing more happens at these tables, which are held."""
    Table.objects.filter(pk__in=tables).update(
        version=F("version") + 1, around=F("around") + 1, state=Table.State.OVER, why=why, closed_at=at
    )
    DueWork.objects.filter(
        kind__in=[GONE, NEXT, SILENCE, TURN], subject__in=tables, state=DueWork.State.TODO
    ).update(state=DueWork.State.DROPPED)
    for table in tables.values():
        table.version += 1
    tell(tables.values())


@transaction.atomic
def move_bell(*, purpose: str, occasion: str, closes_at: datetime | None) -> None:
    """Say at the tables of an occasion when the bell will ring. It is rung by whoever opened them."""
    held = list(_held(purpose, occasion).values())
    for table in held:
        table.closes_at, table.version = closes_at, table.version + 1
    Table.objects.bulk_update(held, ["closes_at", "version"])
    tell(held)


@transaction.atomic
def void_table(*, table_id: int, by: User | None, reason: str) -> None:
    """Call a table off: what is not finished there counts for nothing. Again, it changes nothing."""
    table = lock_table(table_id)
    if table.is_over:
        return
    at = now()
    table.boards.exclude(state=TableBoard.State.OVER).update(
        state=TableBoard.State.OVER, how=TableBoard.How.VOID, ended_at=at
    )
    close_table(table, Table.Why.VOID, at=at)
    record(
        actor=by,
        action="tables.void",
        subject_kind="tables.table",
        subject_id=table.pk,
        reason=reason,
    )
