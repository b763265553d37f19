"""What a director does at a table: decides there, and looks at all hands, which is never unseen."""

from uuid import UUID

from django.db import transaction
from django.views.decorators.debug import sensitive_variables

from apps.clock.services import record
from apps.tables.models import Table
from apps.tables.selectors import LOOKED, check_director, has_looked
from apps.tables.services.playing import Done, direct
from apps.tables.services.talk import say_as_director, settle_calls
from apps.users.models import User
from bridge.table import AnswerUndo, KeeperAction


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


@transaction.atomic
@sensitive_variables()
def decide(
    *,
    table_id: int,
    by: User,
    command: UUID,
    action: KeeperAction | AnswerUndo,
    reason: str,
    expect: int | None = None,
) -> Done:
    """A director decides on the board: the four at the table read why, and what they have called for is settled.

    Again, it changes nothing: it does not settle what the table has called for since.

    Raises:
        BridgeError: As `playing.direct`, or the reason cannot be said.
    """
    done = direct(table_id=table_id, by=by, command=command, action=action, reason=reason, expect=expect)
    if not done.again:
        say_as_director(table_id=table_id, by=by, command=command, text=reason)
        settle_calls(table_id=table_id, by=by)
    return done
