"""Events that come back every week: at one hour of their zone, whatever the clocks of that zone do."""

from collections.abc import Iterator
from dataclasses import replace
from datetime import date, datetime, timedelta
from zoneinfo import ZoneInfo

from django.db import transaction

from apps.clock.services import drop, record, schedule
from apps.clock.time import now
from apps.pairs.models import Series, Swiss
from apps.pairs.services.local_time import first_instant
from apps.pairs.services.locks import lock_event
from apps.pairs.services.registration import Refused
from apps.pairs.services.setup import announce_swiss, create_swiss, plan_of
from apps.users.models import User

EXTEND = "pairs.extend_series"
WEEK = timedelta(weeks=1)
AHEAD = 4 * WEEK  # so far ahead are events announced


@transaction.atomic
def create_series(*, event_id: int, last_date: date | None, by: User) -> Series:
    """Let an event come back every week on its weekday, at its hour. It is announced, and so are those that follow.

    Repeated: the series there is.

    Raises:
        Refused: The event has begun, cannot be announced, or is later than the last date.
    """
    swiss = lock_event(event_id)
    if swiss.series:
        return swiss.series
    if swiss.state != Swiss.State.ANNOUNCED:
        raise Refused("The event has begun.")
    start = datetime.fromisoformat(swiss.local_start)
    if last_date and last_date < start.date():
        raise Refused("The last date lies before the first.")
    series = Series.objects.create(
        weekday=start.weekday(),
        local_time=start.time(),
        zone=swiss.zone,
        first_date=start.date(),
        last_date=last_date,
        made_until=start.date(),
    )
    announce_swiss(event_id=event_id, by=by)
    Swiss.objects.filter(pk=event_id).update(series=series)
    _record(series, "begun", by)
    extend_series(series_id=series.pk)
    return series


@transaction.atomic
def extend_series(*, series_id: int) -> int:
    """Announce the events of the next four weeks, each like the latest there is, and have this done again in a week.

    An hour that the clocks skip begins at the first minute after it; one that comes twice is the first of the two.
    Returns how many events are new: none when the call is repeated, or the series was stopped.
    """
    series = Series.objects.select_for_update().get(pk=series_id)
    latest = series.events.order_by("-starts_at").select_related("event__field").first()
    if series.stopped or latest is None:
        return 0
    moment, zone = now(), ZoneInfo(series.zone)
    today = moment.astimezone(zone).date()
    plan, made = plan_of(latest), 0
    for day in _days(series, today + AHEAD):
        starts_at = first_instant(datetime.combine(day, series.local_time), zone)
        if starts_at > moment:
            local_start = starts_at.astimezone(zone).replace(tzinfo=None)
            new = create_swiss(
                plan=replace(plan, zone=series.zone, local_start=local_start),
                by=latest.event.created_by,
                key=f"series-{series_id}-{day}",
                series=series,
            )
            made += announce_swiss(event_id=new.pk, by=None)
        series.made_until = day
    series.save(update_fields=["made_until"])
    if series.last_date is None or series.last_date > today + AHEAD:
        again = moment + WEEK
        schedule(kind=EXTEND, subject=series_id, number=again.date().toordinal() // 7, due_at=again)
    return made


def _days(series: Series, until: date) -> Iterator[date]:
    """The days of the series after those that exist, up to this one."""
    day = series.made_until + WEEK if series.made_until else series.first_date
    while day <= min(until, series.last_date or until):
        yield day
        day += WEEK


@transaction.atomic
def stop_series(*, series_id: int, by: User) -> bool:
    """Announce no further event of the series; those that are announced take place. Returns whether this call did it."""
    series = Series.objects.select_for_update().get(pk=series_id)
    if series.stopped:
        return False
    series.stopped = True
    series.save(update_fields=["stopped"])
    _record(series, "stopped", by)
    drop(kind=EXTEND, subject=series_id)
    return True


def _record(series: Series, what: str, by: User) -> None:
    record(
        actor=by, action=f"pairs.series {what}", subject_kind="pairs.series", subject_id=series.pk,
        after={"series": str(series)},
    )  # fmt: skip
