"""Work on boards that needs no page to wait for it."""

import logging
from collections.abc import Callable, Iterable
from typing import Any

from celery import Task, shared_task
from kombu.exceptions import OperationalError

from apps.boards import services
from apps.boards.double_dummy import BATCH

log = logging.getLogger(__name__)


def start_soon(task: "Task[..., Any]", *ids: int) -> None:
    """Hand a task to the workers. A broker that is away costs time, not work: the sweep finds what was not done."""
    try:
        task.apply_async(ids)
    except OperationalError as error:
        log.warning("%s waits for the sweep: %s", task.name, error)


def for_each(ids: Iterable[int], work: Callable[[int], object]) -> None:
    """Sweep: do the work for every id. One that fails is logged and does not hold up the others."""
    for each in ids:
        try:
            work(each)
        except Exception:
            log.exception("%s failed for %s", work, each)


@shared_task
def sweep() -> None:
    """Solve boards until none is left or a minute is nearly over; the timetable calls again."""
    services.solve_unsolved(limit=4 * BATCH)
