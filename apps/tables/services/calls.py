"""Calls for the director, of which whoever opened the table hears in the same transaction.

A live table has one at a time; but what a player says is never lost because the clock has called before.
"""

from datetime import datetime
from uuid import UUID, uuid5

from django.db.models import QuerySet

from apps.tables.models import DirectorCall, Table
from apps.tables.signals import director_answered, director_called


def own_command(table: Table, key: str) -> UUID:
    """The id of something that the table's keeper does once; version 5, while those of people are of version 4."""
    return uuid5(table.uuid, key)


def calls_at(table: Table) -> "QuerySet[DirectorCall]":
    """What a table that is played asks the director for, the oldest first."""
    return table.director_calls.filter(settled_at=None, afterwards=False).order_by("pk")


def open_call(table: Table, *, command: UUID, at: datetime, seat: str = "", text: str = "") -> bool:
    """Have a table that is held ask for the director; whether that is new.

    While a call is open another changes nothing; a player's stands beside one of the table's keeper.
    """
    call = DirectorCall(
        table=table, table_board_id=table.current_id, command=command, at=at, seat=seat, text=text
    )
    there = list(calls_at(table))
    if any(each.is_of_player or not call.is_of_player for each in there):
        return False
    if table.director_calls.filter(command=command).exists():
        return False
    call.save()
    director_called.send(sender=DirectorCall, table=table)
    return True


def settle_open_calls(table: Table, *, at: datetime, by_id: int | None) -> int:
    """What a table that is held called for is settled; returns how many calls that were."""
    return _settle(table, calls_at(table), at=at, by_id=by_id)


def settle_call(table: Table, call: DirectorCall, *, at: datetime, by_id: int | None) -> int:
    """This call of a table that is held is settled, and no other."""
    return _settle(table, calls_at(table).filter(pk=call.pk), at=at, by_id=by_id)


def settle_own_calls(table: Table, *, at: datetime) -> int:
    """What the keeper of a table that is held called for is over; returns how many calls that were."""
    own = [call.pk for call in calls_at(table) if not call.is_of_player]
    return _settle(table, calls_at(table).filter(pk__in=own), at=at, by_id=None) if own else 0


def _settle(table: Table, calls: "QuerySet[DirectorCall]", *, at: datetime, by_id: int | None) -> int:
    """As long as another is open those who direct are still told to come."""
    settled = calls.order_by().update(settled_at=at, settled_by=by_id)
    if settled and not calls_at(table).exists():
        director_answered.send(sender=DirectorCall, table=table)
    return settled
