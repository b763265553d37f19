"""What is to be done when.

Rows of due work are locked last, after the rows that a transition changes: the clock and everybody else reach them in
that order, and none waits for the other in a circle. The work under way is left alone by all three: the clock settles
it when the transition has returned, and a transition that wants to be called again schedules another number.
"""

from collections.abc import Iterable, Mapping
from contextvars import ContextVar
from datetime import datetime, timedelta

from django.db import connection
from django.db.models import F, QuerySet

from apps.clock.models import DueWork
from apps.clock.transitions import transitions

State = DueWork.State
under_way: ContextVar[int] = ContextVar(
    "under_way", default=0
)  # the id of the work that the clock has in hand


def schedule(*, kind: str, subject: int, number: int = 0, due_at: datetime) -> None:
    """Have a transition made at this moment, instead of any other that was planned for it.

    Work that was dropped or got stuck is taken up again; work that is done stays done.
    """
    schedule_all(kind=kind, due={subject: due_at}, number=number)


def schedule_all(*, kind: str, due: Mapping[int, datetime], number: int = 0) -> None:
    """As `schedule`, for many subjects with the moment of each, in one statement."""
    if kind not in transitions:
        raise LookupError(f"nobody registered a transition {kind}")
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO clock_duework AS work (kind, subject, number, due_at, state, attempts, last_error)
               SELECT %s, subject, %s, due_at, 'planned', 0, ''
               FROM unnest(%s::bigint[], %s::timestamptz[]) AS due (subject, due_at) ORDER BY subject
               ON CONFLICT (kind, subject, number) DO UPDATE
               SET due_at = excluded.due_at, state = 'planned', attempts = 0, next_try_at = NULL, last_error = ''
               WHERE work.state <> 'done' AND work.id <> %s""",
            [kind, number, list(due), list(due.values()), under_way.get()],
        )


def drop(*, kind: str, subject: int, number: int | None = None) -> int:
    """Call off what is not done, one number or all; returns how many."""
    work = _undone([kind], [subject], State.PLANNED, State.STUCK)
    if number is not None:
        work = work.filter(number=number)
    return work.update(state=State.DROPPED)


def shift(*, kinds: Iterable[str], subjects: Iterable[int], seconds: int) -> int:
    """Put off what is planned by so many seconds; returns how many."""
    return _undone(kinds, subjects, State.PLANNED).update(due_at=F("due_at") + timedelta(seconds=seconds))


def _undone(kinds: Iterable[str], subjects: Iterable[int], *states: State) -> QuerySet[DueWork]:
    return DueWork.objects.filter(kind__in=kinds, subject__in=subjects, state__in=states).exclude(
        pk=under_way.get()
    )
