"""One lock a table: its row, taken first of all; then the board, those who sit there, the log."""

from collections.abc import Iterable
from functools import partial
from uuid import UUID

from django.db import transaction

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


def tell(tables: Iterable[Table]) -> None:
    """After commit, tell those who look on. What goes wrong with that is not the player's trouble."""
    versions = {table.pk: table.version for table in tables}
    transaction.on_commit(partial(hints.announce, versions), robust=True)
