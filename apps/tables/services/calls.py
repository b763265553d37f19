"""Calls for the director. A live table has one at a time, and whoever opened it hears of it in the same transaction."""

from datetime import datetime
from uuid import UUID, uuid5

from django.db.models import Q

from apps.tables.models import DirectorCall, Table
from apps.tables.signals import director_answered, director_called


def own_command(table: Table, key: str) -> UUID:
    """The id of something that the table's keeper does once; version 5, while those of people are of version 4."""
    return uuid5(table.uuid, key)


def open_call(table: Table, *, command: UUID, at: datetime, seat: str = "", text: str = "") -> bool:
    """Have a table that is held ask for the director; whether that is new. While a call is open another changes nothing."""
    if table.director_calls.filter(Q(command=command) | Q(settled_at=None, afterwards=False)).exists():
        return False
    DirectorCall.objects.create(
        table=table, table_board_id=table.current_id, command=command, at=at, seat=seat, text=text
    )
    director_called.send(sender=DirectorCall, table=table)
    return True


def settle_open_calls(table: Table, *, at: datetime, by_id: int | None) -> int:
    """What a table that is held called for is settled; returns how many calls that were."""
    settled = table.director_calls.filter(settled_at=None, afterwards=False).update(
        settled_at=at, settled_by=by_id
    )
    if settled:
        director_answered.send(sender=DirectorCall, table=table)
    return settled
