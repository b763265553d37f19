from celery import shared_task

from apps.masterpoints import services


@shared_task
def award_event(event_id: int) -> None:
    services.award_event(event_id=event_id)
