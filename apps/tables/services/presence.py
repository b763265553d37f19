"""Who is there. A player is gone after a minute without a sign, and a board does not wait for ever.

A sign of life is an open socket or any request. Who is gone is judged by the processes that hold the sockets: while none
of them works nobody can be seen, and nobody is gone. After an outage everybody starts afresh.
"""

from collections.abc import Collection, Mapping
from datetime import datetime, timedelta
from math import ceil

from django.db import transaction
from django.db.models import F, Q, QuerySet
from django.db.models.functions import Coalesce
from django.views.decorators.debug import sensitive_variables

from apps.clock.services import drop, shift
from apps.clock.time import Moment, now
from apps.tables.hands import RESUMED
from apps.tables.models import Sitting, Table, TableBoard, TableEvent
from apps.tables.services.boards import GONE, is_excused, is_under_way, wait_for_return
from apps.tables.services.calls import own_command
from apps.tables.services.locks import hold, lock_table, touch, touch_all
from apps.tables.services.playing import SILENCE, break_off
from apps.tables.services.seating import get_up

FRESH = timedelta(seconds=15)  # a sign of life is not written down more often than that
SILENT = timedelta(seconds=60)  # without a sign of life, and a player is gone


def see(*, sittings: Collection[int]) -> None:
    """There is a sign of life of these: one statement, but at tables where somebody comes or comes back.

    The one statement holds no table; where it meets another of the kind, the database ends one, and the next sign counts.
    """
    seen = Sitting.objects.filter(pk__in=sittings).exclude(table__state=Table.State.OVER)
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
def arrive(*, table_id: int, sittings: Collection[int]) -> None:
    """Players come, or come back, and the others see it. What somebody was away counts on the board, and nothing else."""
    table = lock_table(table_id)
    at, arrived = now(), list(table.sittings.filter(_COMES, pk__in=sittings))
    for sitting in arrived:
        if sitting.gone_at and is_under_way(table):
            sitting.away += int((at - sitting.gone_at).total_seconds())
        sitting.gone_at, sitting.last_seen = None, at
        sitting.save(update_fields=["gone_at", "last_seen", "away"])
    if arrived:
        if not table.sittings.exclude(gone_at=None).exists():
            drop(kind=GONE, subject=table.pk)
        touch(table)


def _silent() -> QuerySet[Sitting]:
    """Those of whom nothing was heard for too long and who do not count as gone yet; robots are always there."""
    heard = Coalesce(F("last_seen"), F("sat_at"))
    return Sitting.objects.annotate(heard=heard).filter(
        gone_at=None,
        heard__lt=Moment() - SILENT,
        table__state__in=[Table.State.WAITING, Table.State.PLAYING],
        player__is_robot=False,
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
        if plays:
            left = timedelta(seconds=max(table.reconnect_seconds - sitting.away, 0))
            wait_for_return(table, sitting, until=at + left)
    if not table.is_over:
        touch(table)
    return len(silent)


@transaction.atomic
@sensitive_variables()
def end_absence(*, table_id: int) -> None:
    """A board on which a player is away for too long ends. Nothing, when nobody is.

    Where players of both sides are gone nobody is at fault. At a casual table those who are gone lose their seats.
    """
    table = lock_table(table_id)
    gone, at = list(table.sittings.exclude(gone_at=None)), now()
    away = max((each.away + (at - (each.gone_at or at)).total_seconds() for each in gone), default=0)
    if not gone or away < table.reconnect_seconds or not is_under_way(table) or is_excused(table):
        return
    seats = [each.seat for each in gone]
    if table.casual:
        table.sittings.filter(seat__in=seats).update(leaving=True)
    break_off(table, seats=seats, command=own_command(table, f"absence {table.current_id}"))


@transaction.atomic
def forgive_all() -> None:
    """Nobody is gone who could not be seen: after an outage, or when the processes that hold the sockets start."""
    _forgive(hold(Table.objects.exclude(state=Table.State.OVER)))


def _forgive(held: Mapping[int, Table]) -> None:
    """Everybody at these tables, which are held, starts afresh: as one of whom something was heard just now."""
    sittings = Sitting.objects.filter(table__in=held)
    back = set(sittings.exclude(gone_at=None).values_list("table", flat=True))
    sittings.exclude(last_seen=None).update(gone_at=None, last_seen=Moment())
    sittings.filter(last_seen=None).update(gone_at=None, sat_at=Moment())
    touch_all({pk: table for pk, table in held.items() if pk in back})


@transaction.atomic
def resume_all(*, began_at: datetime, ended_at: datetime) -> None:
    """After an outage: nobody thought while the site was away, nor could answer, and nobody is gone.

    The log says so at every live board.
    """
    held = hold(Table.objects.exclude(state=Table.State.OVER))
    _resume(held, began_at, ended_at)
    _forgive(held)
    shift(kinds=[SILENCE], subjects=held, seconds=ceil((ended_at - began_at).total_seconds()))


@transaction.atomic
def resume_tables(*, purpose: str, occasion: str, since: datetime) -> None:
    """Tables of an occasion have stood still and go on: nobody thought meanwhile, and nobody is gone."""
    live = Table.objects.filter(purpose=purpose, occasion=occasion).exclude(state=Table.State.OVER)
    held = hold(live)
    _resume(held, since, now())
    _forgive(held)


def _resume(held: Mapping[int, Table], began_at: datetime, ended_at: datetime) -> None:
    playing = TableBoard.objects.filter(table__in=held, state=TableBoard.State.PLAYING)
    tables = {table_board: held[table] for table_board, table in playing.values_list("pk", "table")}
    TableEvent.objects.bulk_create(
        TableEvent(
            table=table,
            table_board_id=table_board,
            sequence=table.sequence + 1,
            version=table.version + 1,
            command=own_command(table, f"resumed {table.sequence + 1}"),
            at=ended_at,
            action={"do": RESUMED, "since": began_at.isoformat()},
        )
        for table_board, table in tables.items()
    )
    touch_all({table.pk: table for table in tables.values()}, sequence=F("sequence") + 1)
