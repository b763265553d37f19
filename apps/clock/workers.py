"""How work gets to the workers: at once where the broker is there, and by a sweep of what was left undone else."""

import logging
import time
from collections.abc import Callable, Iterable
from typing import Any

from celery import Task, current_app
from kombu import pools
from kombu.exceptions import KombuError

from apps.clock.rest import Rest

log = logging.getLogger(__name__)

SLOW = 1.0  # seconds: a broker that takes longer is as good as away
REST = 30.0  # seconds; the sweeps come more often than that
_QUICKLY = {"socket_timeout": 0.5, "socket_connect_timeout": 0.5}


class Broker:
    """What hands tasks to the workers. After a failure, or a slow answer, nobody asks it for a while.

    A broker that stands still would hold up every page that changes something; so it holds up one, and once in a while
    another that looks whether it is back.
    """

    def __init__(self) -> None:
        self.rest = Rest(REST)

    def hand_over(self, task: "Task[..., Any]", ids: tuple[int, ...]) -> None:
        """Hand it over, or leave it to the sweep."""
        if self.rest.is_on():
            return
        began = time.monotonic()
        try:
            self._publish(task, ids)
        except KombuError as error:
            log.warning("%s waits for the sweep: %s", task.name, error)
            self.rest.begin()
        else:
            if time.monotonic() - began > SLOW:
                self.rest.begin()
            else:
                self.rest.end()

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
