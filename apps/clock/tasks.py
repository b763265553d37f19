import time

from celery import shared_task

from apps.clock import services

WINDOW = 1.0  # seconds, the distance to the next call


@shared_task
def tick() -> None:
    """A second belt: the timetable lets a worker tick too, for at most a second."""
    end = time.monotonic() + WINDOW
    while services.tick(limit=1) and time.monotonic() < end:
        pass
