"""Work on boards that needs no page to wait for it."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

from celery import Task, current_app, shared_task
from kombu import pools
from kombu.exceptions import KombuError

from apps.boards import services
from apps.boards.double_dummy import BATCH

log = logging.getLogger(__name__)

SLOW = 1.0  # seconds: a broker that takes longer is as good as away
_QUICKLY = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}


class Broker:
    """What hands tasks to the workers. After a failure, or a slow answer, nobody asks it for a while.

    A broker that stands still would hold up every page that changes something; so it holds up one, and once in a while
    another that looks whether it is back.
    """

    REST = 30.0  # seconds; the sweeps come more often than that

    def __init__(self) -> None:
        self.resting_until = 0.0

    def hand_over(self, task: "Task[..., Any]", ids: tuple[int, ...]) -> None:
        """Hand it over, or leave it to the sweep."""
        began = time.monotonic()
        if began < self.resting_until:
            return
        if self.resting_until:
            self.resting_until = began + self.REST  # the others need not look as well
        try:
            self._publish(task, ids)
        except KombuError as error:
            log.warning("%s waits for the sweep: %s", task.name, error)
            self.resting_until = time.monotonic() + self.REST
        else:
            slow = time.monotonic() - began > SLOW
            self.resting_until = time.monotonic() + self.REST if slow else 0.0

    def _publish(self, task: "Task[..., Any]", ids: tuple[int, ...]) -> None:
        connection = current_app.connection_for_write(transport_options=_QUICKLY)
        with pools.producers[connection].acquire(block=True, timeout=SLOW) as producer:
            task.apply_async(ids, producer=producer)


broker = Broker()


def start_soon(task: "Task[..., Any]", *ids: int) -> None:
    """Hand a task to the workers. A broker that is away costs time, not work: the sweep finds what was not done."""
    broker.hand_over(task, ids)


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
