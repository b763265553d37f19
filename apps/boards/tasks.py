"""Work on boards that needs no page to wait for it."""

from celery import shared_task

from apps.boards import services
from apps.boards.double_dummy import BATCH


@shared_task
def sweep() -> None:
    """Solve boards until none is left or a minute is nearly over; the timetable calls again."""
    services.solve_unsolved(limit=4 * BATCH)
