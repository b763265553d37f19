"""Work on boards that needs no page to wait for it."""

from celery import shared_task

from apps.boards import services
from apps.boards.double_dummy import BATCH


@shared_task
def solve_asked(board_id: int, play_id: int) -> None:
    services.solve_asked(board_id=board_id, play_id=play_id)


@shared_task
def sweep() -> None:
    """Solve plays and boards until none is left or a minute is nearly over; the timetable calls again."""
    services.solve_plays(limit=BATCH)
    services.solve_unsolved(limit=4 * BATCH)
