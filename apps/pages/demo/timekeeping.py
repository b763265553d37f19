"""Time, as a simulation has to do with it: a clock when there is none, a database that is away, how late steps came."""

import logging
import time
from collections.abc import Callable
from datetime import UTC, datetime, timedelta
from typing import ParamSpec, TypeVar

from django.db import InterfaceError, OperationalError, connection
from django.db.models import Q

from apps.clock.models import DueWork, Pulse
from apps.clock.selectors import pulse_age
from apps.clock.services import tick
from apps.clock.time import now
from apps.masterpoints.transitions import AWARD
from apps.pairs.services.rounds import STEPS

P = ParamSpec("P")
R = TypeVar("R")
log = logging.getLogger(__name__)

ALONE = 3.0  # seconds without another clock's pulse, after which a simulation ticks itself
PATIENCE = 0.5  # seconds between two looks at a database that is away


def patiently(do: Callable[P, R], *arguments: P.args, **named: P.kwargs) -> R:
    """Do it, however often the database goes away meanwhile: for what changes nothing when it is done again."""
    while True:
        try:
            return do(*arguments, **named)
        except (OperationalError, InterfaceError) as error:
            log.warning("the database is away: %s", str(error).partition("\n")[0])
            connection.close()
            time.sleep(PATIENCE)


class Timekeeper:
    """Ticks as long as no other clock does."""

    def __init__(self) -> None:
        self.pulse: datetime | None = None
        self.moved = 0.0

    def look(self) -> None:
        """Tick, unless somebody else moved the pulse lately."""
        pulse = Pulse.objects.values_list("at", flat=True).first()
        if pulse != self.pulse:
            age = pulse_age()
            self.pulse = pulse
            self.moved = time.monotonic() - (age.total_seconds() if age is not None else ALONE)
        if time.monotonic() - self.moved >= ALONE:
            tick()
            self.pulse = Pulse.objects.values_list("at", flat=True).first()


def lateness(event_id: int) -> list[float]:
    """By how many seconds each step of an event came after its time, the least late first."""
    steps = DueWork.objects.filter(Q(kind__in=STEPS) | Q(kind=AWARD), subject=event_id, done_at__isnull=False)
    return sorted(
        (done - due).total_seconds() for due, done in steps.values_list("due_at", "done_at") if done
    )


def full_minute(minutes: int) -> datetime:
    """A full minute of UTC, as its clocks show it, so many minutes ahead."""
    ahead = now().astimezone(UTC) + timedelta(minutes=minutes)
    return ahead.replace(tzinfo=None, second=0, microsecond=0)
