"""What the clocks of a zone show, and the instants that it names: one; two where they go back; none where they go forward."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

from apps.clock.time import now
from apps.pairs.services.registration import Refused


def instants_of(local: datetime, zone: ZoneInfo) -> list[datetime]:
    """The instants at which the clocks of the zone show this, the earlier first.

    >>> london = ZoneInfo("Europe/London")
    >>> [each.hour for each in instants_of(datetime(2027, 10, 31, 1, 30), london)]
    [0, 1]
    >>> instants_of(datetime(2027, 3, 28, 1, 30), london)
    []
    """
    found = {local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1)}
    shown = local.replace(tzinfo=None, fold=0)
    return sorted(each for each in found if each.astimezone(zone).replace(tzinfo=None, fold=0) == shown)


FARTHEST = timedelta(days=2 * 366)


def check_start(starts_at: datetime) -> None:
    """Whether an event can start then.

    Raises:
        Refused: It lies in the past, or so far ahead that it was mistyped.
    """
    if starts_at <= now():
        raise Refused("The start lies in the past.")
    if starts_at > now() + FARTHEST:
        raise Refused("The start lies more than two years ahead.")


def the_instant(local: datetime, zone: ZoneInfo) -> datetime:
    """The one instant that is meant.

    Raises:
        Refused: No calendar goes so far, or on that day the clocks are put forward or back, and this time does not exist, or comes twice.
    """
    try:
        found = instants_of(local, zone)
    except OverflowError:
        raise Refused("Please choose another day.") from None
    if len(found) == 1:
        return found[0]
    words = {"date": f"{local:%Y-%m-%d}", "time": f"{local:%H:%M}", "zone": zone.key}
    if found:
        raise Refused(
            "On %(date)s the clocks of %(zone)s go back, and %(time)s comes twice. Please choose another time.",
            **words,
        )
    after = f"{first_instant(local, zone).astimezone(zone):%H:%M}"
    raise Refused(
        "On %(date)s the clocks of %(zone)s go forward, and %(time)s does not exist: it is %(next)s at once."
        " Please choose another time.",
        **words,
        next=after,
    )


def first_instant(local: datetime, zone: ZoneInfo) -> datetime:
    """When an event of a series starts: at the first instant that is meant, or the first after those that do not exist.

    >>> london = ZoneInfo("Europe/London")
    >>> str(first_instant(datetime(2027, 3, 28, 1, 30), london).astimezone(london))
    '2027-03-28 02:00:00+01:00'
    """
    found = instants_of(local, zone)
    if found:
        return found[0]
    before, after = sorted(local.replace(tzinfo=zone, fold=fold).astimezone(UTC) for fold in (0, 1))
    new = after.astimezone(zone).utcoffset()
    while after - before > timedelta(seconds=1):  # the clocks are put forward between these two
        middle = before + (after - before) // 2
        if middle.astimezone(zone).utcoffset() == new:
            after = middle
        else:
            before = middle
    return after.replace(microsecond=0)
