from celery import shared_task

from apps.pages import services


@shared_task
def be_seen(queue: str = "datum") -> None:
    """A sign of life of the worker that runs this."""
    services.say_seen(queue=queue)
