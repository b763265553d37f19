from celery import shared_task

from apps.results import selectors, services


@shared_task
def compare_field(field_id: int) -> None:
    services.compare_field(field_id=field_id)


@shared_task
def sweep() -> None:
    """Compare every field that has boards with changed results."""
    for field_id in selectors.stale_fields():
        services.compare_field(field_id=field_id)
