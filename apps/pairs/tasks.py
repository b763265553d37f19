from celery import shared_task

from apps.boards.tasks import for_each
from apps.pairs import selectors
from apps.pairs.services import ranking


@shared_task
def rank_field(field_id: int) -> None:
    """Rank the event of this field, when it has one."""
    for event_id in selectors.events_of_field(field_id):
        ranking.rank_event(event_id=event_id)


@shared_task
def sweep() -> None:
    """Rank every event whose boards were compared since it was ranked."""
    for_each(selectors.unranked_events(), lambda event_id: ranking.rank_event(event_id=event_id))
