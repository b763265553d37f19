from celery import shared_task

from apps.clock.workers import for_each
from apps.masterpoints import selectors, services


@shared_task
def award_event(event_id: int) -> None:
    services.award_event(event_id=event_id)


@shared_task
def sweep() -> None:
    """Bring the ledger to the standings wherever the two differ."""
    for_each(selectors.unbalanced_events(), award_event)
