"""One lock an event, taken first of all: event, round, slip, boards."""

from django.db.models import F

from apps.pairs.models import Event, Swiss


def lock_event(event_id: int) -> Swiss:
    """The event as it stands now, held until the transaction ends. What happens to one event happens in a row.

    Raises:
        Swiss.DoesNotExist: The event does not run itself.
    """
    # Two statements: what a join reads beside the locked row may be older than the lock.
    event = Event.objects.select_for_update(of=["self"], no_key=True).select_related("field").get(pk=event_id)
    swiss = Swiss.objects.get(pk=event_id)
    swiss.event = event
    return swiss


def touch(swiss: Swiss) -> None:
    """Let the open pages of the event see that something changed."""
    Swiss.objects.filter(pk=swiss.pk).update(version=F("version") + 1)
    swiss.version += 1


def step(swiss: Swiss, **changes: object) -> None:
    """As `touch`, when the course of the event changed: whoever decided on what it was before is told to look again.

    Args:
        swiss: The event, locked by the caller.
        changes: What else of it is to be written.
    """
    Swiss.objects.filter(pk=swiss.pk).update(
        version=F("version") + 1, schedule_version=F("schedule_version") + 1, **changes
    )
    swiss.version += 1
    swiss.schedule_version += 1
