"""Who is there. A player is gone after a minute without a sign, and a board does not wait for ever.

A sign of life is an open socket or any request. Who is gone is judged by the processes that hold the sockets: while none
of them works nobody can be seen, and nobody is gone. After an outage everybody starts afresh.
"""

from collections.abc import Iterable
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.views.decorators.debug import sensitive_variables

from apps.clock.services import drop
from apps.clock.time import Moment, now
from apps.tables.hands import RESUMED
from apps.tables.models import LETTERS, Sitting, Table, TableBoard, TableEvent
from apps.tables.services.boards import GONE, absence, is_under_way, wait_for_return
from apps.tables.services.locks import lock_table, tell, touch
from apps.tables.services.playing import keep_board, own_command
from apps.tables.services.seating import get_up
from apps.tables.signals import absence_asked
from bridge.seats import Seat
from bridge.table import Abandon

FRESH = timedelta(seconds=15)  # a sign of life is not written down more often than that
SILENT = timedelta(seconds=60)  # without a sign of life, and a player is gone


def see(*, sittings: Iterable[int]) -> None:
    """There is a sign of life of these: one statement, but at tables where somebody comes or comes back."""
    seen = Sitting.objects.filter(pk__in=list(sittings)).exclude(table__state=Table.State.OVER)
    seen.filter(gone_at=None, last_seen__isnull=False).update(last_seen=Moment())
    for table_id in sorted(set(seen.filter(_COMES).values_list("table_id", flat=True))):
        arrive(table_id=table_id, sittings=sittings)


_COMES = ~Q(gone_at=None) | Q(last_seen=None)


def see_request(sitting: Sitting) -> None:
    """A player has asked for something."""
    heard = Sitting.objects.filter(pk=sitting.pk, gone_at=None, last_seen__gt=Moment() - FRESH)
    if not heard.exists():
        see(sittings=[sitting.pk])


@transaction.atomic
def arrive(*, table_id: int, sittings: Iterable[int]) -> None:
    """Players come, or come back, and the others see it. What somebody was away counts on the board, and nothing else."""
    table = lock_table(table_id)
    at, arrived = now(), list(table.sittings.filter(_COMES, pk__in=list(sittings)))
    for sitting in arrived:
        if sitting.gone_at and table.current and is_under_way(table):
            sitting.away += int((at - sitting.gone_at).total_seconds())
            drop(kind=GONE, subject=table.pk, number=absence(table.current, sitting.seat))
        sitting.gone_at, sitting.last_seen = None, at
        sitting.save(update_fields=["gone_at", "last_seen", "away"])
    if arrived:
        touch(table)


def _silent() -> QuerySet[Sitting]:
    """Those of whom nothing was heard for too long and who do not count as gone yet."""
    heard = Coalesce(F("last_seen"), F("sat_at"))
    return Sitting.objects.annotate(heard=heard).filter(
        gone_at=None, heard__lt=Moment() - SILENT, table__state__in=[Table.State.WAITING, Table.State.PLAYING]
    )


def miss_silent() -> int:
    """Notice who is gone; returns how many. Several processes may do it at once."""
    missed = 0
    for table_id in sorted(set(_silent().values_list("table_id", flat=True))):
        missed += miss_at(table_id=table_id)
    return missed


@transaction.atomic
def miss_at(*, table_id: int) -> int:
    """Notice who is gone at one table. Between boards of a casual one, the seat becomes free."""
    table = lock_table(table_id)
    silent = list(_silent().filter(table=table))
    if table.is_over or not silent:
        return 0
    at, plays = now(), is_under_way(table)
    for sitting in silent:
        if table.casual and not plays:
            get_up(table, sitting)
            continue
        table.sittings.filter(pk=sitting.pk).update(gone_at=at)
        if plays and table.current:
            left = timedelta(seconds=max(table.reconnect_seconds - sitting.away, 0))
            wait_for_return(table, table.current, sitting, until=at + left)
    if not table.is_over:
        touch(table)
    return len(silent)


@transaction.atomic
@sensitive_variables()
def end_absence(*, table_id: int, number: int) -> None:
    """A player was away for too long: the board ends. Nothing, when the player came back, or the board is another one.

    Where players of both sides are gone nobody is at fault. At a casual table those who are gone lose their seats.
    """
    table = lock_table(table_id)
    position, place = divmod(number, 4)
    if table.current is None or table.current.position != position or not is_under_way(table):
        return
    gone = list(table.sittings.exclude(gone_at=None))
    if LETTERS[place] not in [sitting.seat for sitting in gone]:
        return
    if any(excused for _receiver, excused in absence_asked.send(sender=Table, table=table)):
        return
    sides = {Seat.from_letter(sitting.seat).side for sitting in gone}
    if table.casual:
        table.sittings.filter(pk__in=[sitting.pk for sitting in gone]).update(leaving=True)
    action = Abandon(sides.pop() if len(sides) == 1 else None)
    keep_board(table, action, command=own_command(table, f"absence {position}"))


def forgive_all() -> None:
    """Nobody is gone who could not be seen: after an outage, or when the processes that hold the sockets start."""
    _forgive(Sitting.objects.exclude(table__state=Table.State.OVER))


def _forgive(live: QuerySet[Sitting]) -> None:
    gone = sorted(set(live.exclude(gone_at=None).values_list("table_id", flat=True)))
    live.filter(gone_at=None, last_seen__isnull=False).update(last_seen=Moment())
    live.filter(gone_at=None, last_seen=None).update(sat_at=Moment())
    for table_id in gone:
        _forgive_at(table_id=table_id)


@transaction.atomic
def _forgive_at(*, table_id: int) -> None:
    table = lock_table(table_id)
    if table.sittings.exclude(gone_at=None).update(gone_at=None, last_seen=Moment()):
        drop(kind=GONE, subject=table.pk)
        touch(table)


@transaction.atomic
def resume_all(*, ended_at: datetime) -> None:
    """After an outage: nobody thought while the site was away, and nobody is gone. The log says so at every live board."""
    _resume(TableBoard.objects.filter(state=TableBoard.State.PLAYING), ended_at)
    forgive_all()


@transaction.atomic
def resume_tables(*, purpose: str, occasion: str) -> None:
    """Tables of an occasion stood still and go on: nobody thought meanwhile, and nobody is gone."""
    of_occasion = {"table__purpose": purpose, "table__occasion": occasion}
    _resume(TableBoard.objects.filter(state=TableBoard.State.PLAYING, **of_occasion), now())
    _forgive(Sitting.objects.filter(**of_occasion).exclude(table__state=Table.State.OVER))


def _resume(playing: QuerySet[TableBoard], ended_at: datetime) -> None:
    held = Table.objects.select_for_update(no_key=True).filter(current__in=playing).order_by("pk")
    tables = {table.pk: table for table in held}
    events = []
    for table_board in playing.filter(table__in=tables):
        table = tables[table_board.table_id]
        table.sequence, table.version = table.sequence + 1, table.version + 1
        events.append(
            TableEvent(
                table=table,
                table_board=table_board,
                sequence=table.sequence,
                version=table.version,
                command=own_command(table, f"resumed {table.sequence}"),
                at=ended_at,
                action={"do": RESUMED},
            )
        )
    TableEvent.objects.bulk_create(events)
    Table.objects.bulk_update(tables.values(), ["sequence", "version"])
    tell(tables.values())
