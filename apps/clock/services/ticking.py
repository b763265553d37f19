"""One round of the clock.

Any number of clocks may tick at once. An advisory lock keeps two from the same piece of work, and what one of them has
done is noted in the transaction of its effects, on the condition that nobody has done, moved or dropped it meanwhile.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from datetime import datetime, timedelta
from math import ceil

from django.db import OperationalError, connection, transaction
from django.db.models import QuerySet

from apps.clock.models import DueWork, Outage, Pulse
from apps.clock.selectors import OUTAGE, due_now
from apps.clock.services.audit import record
from apps.clock.services.bounded import bounded, is_lost
from apps.clock.services.outbox import deliver_once, first_line
from apps.clock.services.planning import under_way
from apps.clock.signals import service_resumed
from apps.clock.time import Moment
from apps.clock.transitions import transitions

TRIES = 5  # after so many failures a piece of work waits for a person
SLOWEST = 60  # seconds, the longest pause between two tries
CLOCKS = 20  # more than ever tick at once: as many pieces are looked at for one that nobody has in hand
WORKING = 0x576F726B  # the space of the advisory locks on due work

log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Ticked:
    """What was done; false when nothing was to do."""

    done: int = 0
    failed: int = 0
    sent: int = 0

    def __bool__(self) -> bool:
        return bool(self.done or self.failed or self.sent)

    def __add__(self, other: "Ticked") -> "Ticked":
        return Ticked(self.done + other.done, self.failed + other.failed, self.sent + other.sent)


def tick(*, limit: int | None = None) -> Ticked:
    """Move the pulse, make the transitions that are due, then deliver what waits; each in a transaction of its own.

    Args:
        limit: At most so many pieces of work. With 1, a loop can stop between any two, and keeps the pulse moving.
    """
    move_pulse()
    total, pieces = Ticked(), 0
    while (limit is None or pieces < limit) and (ticked := _work_once() or _deliver_once()):
        total, pieces = total + ticked, pieces + 1
    return total


def move_pulse() -> None:
    """Say that a clock is going. The first one after an outage has the time given back, before anything is due."""
    with bounded(idle=5):  # a clock that is stopped just here must not look like an outage
        pulse = Pulse.objects.annotate(moment=Moment()).select_for_update(skip_locked=True).first()
        if pulse is None:  # another clock has it in hand, or this is the first ever
            Pulse.objects.get_or_create(defaults={"at": Moment()})
            return
        if pulse.moment - pulse.at > OUTAGE:
            _resume(pulse.at, pulse.moment)
        Pulse.objects.update(at=max(pulse.at, pulse.moment))


def _resume(began_at: datetime, ended_at: datetime) -> None:
    seconds, handled = ceil((ended_at - began_at).total_seconds()), True
    try:
        with transaction.atomic():
            service_resumed.send(sender=Outage, began_at=began_at, ended_at=ended_at, seconds=seconds)
    except OperationalError:  # a lock, or the database is away again: the next tick does it
        raise
    except Exception:
        log.exception("the outage of %s s from %s on was not handled", seconds, began_at)
        handled = False
    Outage.objects.create(began_at=began_at, ended_at=ended_at, seconds=seconds, handled=handled)


def _work_once() -> Ticked:
    work = session = None
    try:
        with bounded():
            work = _take()
            if work is None:
                return Ticked()
            session = connection.connection
            _run(work)
            if not _still(work).update(state=DueWork.State.DONE, done_at=Moment()):
                raise _Overtaken
    except _Overtaken:
        return Ticked()
    except Exception as error:
        if work is None or is_lost(session):
            raise
        log.exception("%s failed", work)
        _put_off(work, first_line(error))
        return Ticked(failed=1)
    return Ticked(done=1)


class _Overtaken(Exception):
    """Somebody moved or dropped the work while it was under way: nothing of it has happened."""


def _take() -> DueWork | None:
    """The first piece of due work that no other clock has in hand; it is kept from them until the transaction ends."""
    return next((work for work in due_now()[:CLOCKS] if _lock(work) and _still(work).exists()), None)


def _lock(work: DueWork) -> bool:
    """Not of the row: whoever moves the work meanwhile need not wait, and never waits in a circle with its transition."""
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_try_advisory_xact_lock(%s, %s)", [WORKING, work.pk % 2**31])
        return bool(cursor.fetchone()[0])


def _still(work: DueWork) -> QuerySet[DueWork]:
    """The row, as long as it is as it was read."""
    return DueWork.objects.filter(
        pk=work.pk, state=DueWork.State.PLANNED, due_at=work.due_at, attempts=work.attempts
    )


def _run(work: DueWork) -> None:
    with _in_hand(work):
        transitions[work.kind].run(subject=work.subject, number=work.number)


@contextmanager
def _in_hand(work: DueWork) -> Iterator[None]:
    """What is planned meanwhile leaves the row of this work alone."""
    token = under_way.set(work.pk)
    try:
        yield
    finally:
        under_way.reset(token)


def _put_off(work: DueWork, error: str) -> None:
    """Try again later; after five failures take the subject out of service, so that it never holds up the others."""
    attempts = work.attempts + 1
    stuck = attempts >= TRIES
    with bounded():
        failed = _still(work).update(
            attempts=attempts,
            state=DueWork.State.STUCK if stuck else DueWork.State.PLANNED,
            next_try_at=Moment() + timedelta(seconds=min(SLOWEST, 2**attempts)),
            last_error=error,
        )
        if failed and stuck:
            _give_up(work, error)


def _give_up(work: DueWork, error: str) -> None:
    record(
        actor=None,
        action="clock.stuck",
        subject_kind=work.kind,
        subject_id=work.subject,
        after={"number": work.number},
        reason=error,
    )
    if on_stuck := transitions[work.kind].on_stuck:
        try:
            with transaction.atomic(), _in_hand(work):  # it stays stuck until it is planned again
                on_stuck(subject=work.subject, number=work.number, error=error)
        except Exception:
            log.exception("%s is stuck and could not be suspended", work)


def _deliver_once() -> Ticked:
    delivered = deliver_once()
    return Ticked() if delivered is None else Ticked(sent=delivered, failed=not delivered)
