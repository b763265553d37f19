from celery import shared_task

from apps.users import services


@shared_task
def forget_guests() -> None:
    services.forget_guests()
