from contextlib import suppress

from celery import shared_task

from apps.clock.workers import for_each
from apps.results import selectors, services
from apps.results.models import Field


@shared_task
def compare_field(field_id: int) -> None:
    with suppress(Field.DoesNotExist):  # the draft was discarded while the message waited
        services.compare_field(field_id=field_id)


@shared_task
def sweep() -> None:
    """Compare every field that has boards with changed results."""
    for_each(selectors.stale_fields(), compare_field)
