"""One lock an event, taken first of all: event, round, slip, boards."""

from django.db.models import F

from apps.pairs.models import Swiss


def lock_event(event_id: int) -> Swiss:
    """The event as it stands now, held until the transaction ends. What happens to one event happens in a row.

    Raises:
        Swiss.DoesNotExist: The event does not run itself.
    """
    locked = Swiss.objects.select_for_update(of=["event"], no_key=True).select_related("event__field")
    return locked.get(pk=event_id)


def touch(swiss: Swiss) -> None:
    """Let the open pages of the event see that something changed."""
    Swiss.objects.filter(pk=swiss.pk).update(version=F("version") + 1)
    swiss.version += 1


def step(swiss: Swiss) -> None:
    """As `touch`, when the course of the event changed: whoever decided on what it was before is told to look again."""
    Swiss.objects.filter(pk=swiss.pk).update(
        version=F("version") + 1, schedule_version=F("schedule_version") + 1
    )
    swiss.version += 1
    swiss.schedule_version += 1
