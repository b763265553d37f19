"""One lock a table: its row, taken first of all; then the board, those who sit there, the log."""

from collections.abc import Iterable, Mapping
from functools import partial
from typing import Any
from uuid import UUID

from django.db import transaction
from django.db.models import F, QuerySet

from apps.tables.hints import hints
from apps.tables.models import Table


def lock_table(table_id: int | UUID) -> Table:
    """The table of this id, or this public one, as it stands now, held until the transaction ends.

    What happens at one table happens in a row.

    Raises:
        Table.DoesNotExist: There is none.
    """
    key = "uuid" if isinstance(table_id, UUID) else "pk"
    return Table.objects.select_for_update(no_key=True).get(**{key: table_id})


def touch(table: Table, *fields: str, around: bool = True) -> None:
    """Save these fields of a table that is held, and let those who look on see that something changed.

    Args:
        around: Whether anything but the log did.
    """
    table.version += 1
    table.around += around
    table.save(update_fields=["version", "around", *fields])
    tell([table])


def hold(tables: QuerySet[Table]) -> dict[int, Table]:
    """Many tables by their ids, held until the transaction ends; everybody who holds several takes them in this order."""
    return {table.pk: table for table in tables.select_for_update(no_key=True).order_by("pk")}


def touch_all(held: Mapping[int, Table], **changes: Any) -> None:
    """As `touch`, for many tables that are held, with what else of all of them is to be written. One statement."""
    Table.objects.filter(pk__in=held).update(version=F("version") + 1, around=F("around") + 1, **changes)
    for table in held.values():
        table.version += 1
    tell(held.values())


def tell(tables: Iterable[Table]) -> None:
    """After commit, tell those who look on. What goes wrong with that is not the player's trouble."""
    versions = {table.pk: table.version for table in tables}
    transaction.on_commit(partial(hints.announce, versions), robust=True)
