"""The one clock that transitions go by: the database's, however many machines there are and whatever theirs say."""

from datetime import datetime, timedelta
from typing import Any

from django.conf import settings
from django.db import connection, transaction
from django.db.models import DateTimeField, Expression, F
from django.utils.translation import gettext

from apps.clock.models import ClockOffset, Pulse


class Moment(Expression):
    """The moment in SQL, also within a transaction, where the database's own `now()` stands still."""

    output_field = DateTimeField()

    def as_sql(self, *_: Any, **__: Any) -> tuple[str, tuple[()]]:
        return f"({_moment()})", ()

    def __str__(self) -> str:
        """For a page that shows a row which is not written yet."""
        return gettext("when it is saved")


def now() -> datetime:
    """The moment."""
    with connection.cursor() as cursor:
        cursor.execute(_moment())
        moment: datetime = cursor.fetchone()[0]
        return moment


def _moment() -> str:
    """As a query: within another one it is asked once, and that one can use an index."""
    offset = """ + coalesce((SELECT "offset" FROM clock_clockoffset), interval '0')"""
    return f"SELECT clock_timestamp(){offset if settings.CLOCK_MAY_BE_MOVED else ''}"


@transaction.atomic
def move(by: timedelta, *, outage: bool = False) -> None:
    """Move the site's clock, where it may be moved: in tests and simulations.

    Args:
        by: How far ahead.
        outage: Whether it is to look like a time in which no clock was going.
    """
    if not settings.CLOCK_MAY_BE_MOVED:
        raise RuntimeError("The clock of this site is not moved.")
    ClockOffset.objects.get_or_create(defaults={"offset": timedelta()})
    ClockOffset.objects.update(offset=F("offset") + by)
    if not outage:
        Pulse.objects.update(at=F("at") + by)
