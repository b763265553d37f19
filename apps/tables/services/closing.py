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
from apps.tables.models import Sitting, Table, TableBoard, TableEvent
from apps.tables.services.boards import GONE, NEXT, TURN, close_table, in_order, is_under_way, seated
from apps.tables.services.calls import own_command
from apps.tables.services.locks import hold, lock_table, touch_all
from apps.tables.services.playing import SILENCE, break_off
from apps.tables.services.seating import get_up
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
    return hold(Table.objects.filter(purpose=purpose, occasion=occasion).exclude(state=Table.State.OVER))


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
    DueWork.objects.filter(
        kind__in=[GONE, NEXT, SILENCE, TURN], subject__in=tables, state=DueWork.State.PLANNED
    ).update(state=DueWork.State.DROPPED)
    touch_all(tables, state=Table.State.OVER, why=why, closed_at=at)


@transaction.atomic
@sensitive_variables()
def leave_for_good(*, table_id: int, players: Collection[int]) -> None:
    """These players do not play on: the board ends at once, broken off by them. Again, it changes nothing.

    A casual table has free seats then; any other is over, and what was to come there is broken off by them as well.
    """
    table = lock_table(table_id)
    leaving = list(table.sittings.filter(player__in=players))
    if table.is_over or not leaving:
        return
    plays, seats = is_under_way(table), in_order(sitting.seat for sitting in leaving)
    if table.casual:
        table.sittings.filter(pk__in=[sitting.pk for sitting in leaving]).update(leaving=True)
    if plays:
        break_off(table, seats=seats, command=own_command(table, f"left {table.current_id} {seats}"))
    elif table.casual:
        for sitting in leaving:
            get_up(table, sitting)
    if table.casual or table.is_over:
        return
    at = now()
    table.boards.filter(state=TableBoard.State.WAITING).update(
        state=TableBoard.State.OVER,
        how=TableBoard.How.ABANDONED,
        ended_at=at,
        gone=seats,
        players=seated(table),
    )
    close_table(table, Table.Why.LEFT, at=at)


@transaction.atomic
def dismiss(*, user_id: int) -> None:
    """An account is closed: its player leaves the casual tables at once. Other tables are the business of who opened them."""
    sittings = Sitting.objects.filter(player__user=user_id, table__casual=True)
    for table_id, player in sittings.exclude(table__state=Table.State.OVER).values_list("table", "player"):
        leave_for_good(table_id=table_id, players=[player])


@transaction.atomic
def move_bell(*, purpose: str, occasion: str, closes_at: datetime | None) -> None:
    """Say at the tables of an occasion when the bell will ring. It is rung by whoever opened them."""
    touch_all(_held(purpose, occasion), closes_at=closes_at)


@transaction.atomic
def void_table(*, table_id: int, by: User | None, reason: str) -> None:
    """Call a table off: what is not finished there counts for nothing. Again, it changes nothing."""
    table = lock_table(table_id)
    if table.is_over:
        return
    at = now()
    _end_boards({each.pk: NO_TIME for each in _unfinished([table.pk])}, TableBoard.How.VOID, at)
    close_table(table, Table.Why.VOID, at=at)
    record(
        actor=by,
        action="tables.void",
        subject_kind="tables.table",
        subject_id=table.pk,
        reason=reason,
    )
