"""What a director does at a table, beside decisions on the board: looks at all hands, and that is never unseen."""

from django.db import transaction

from apps.clock.services import record
from apps.tables.models import Table
from apps.tables.selectors import LOOKED, check_director, has_looked
from apps.users.models import User


@transaction.atomic
def look(*, table: Table, by: User) -> None:
    """A director is going to see all hands of a live board: it is written down, once a board and director.

    Raises:
        PermissionDenied: The user does not direct, or takes part in what the table belongs to.
    """
    check_director(table=table, user=by)
    board = table.current_id or 0
    if not table.is_over and not has_looked(table_id=table.pk, user_id=by.pk, board=board):
        record(
            actor=by, action=LOOKED, subject_kind="tables.table", subject_id=table.pk, after={"board": board}
        )
