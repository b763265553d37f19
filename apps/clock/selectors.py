"""Questions about time, due work and what was done."""

from datetime import timedelta

from django.db.models import Exists, Q, QuerySet

from apps.clock.models import AuditEntry, DueWork, Outgoing, Pulse
from apps.clock.time import Moment, now
from apps.clock.transitions import deliveries, transitions

OUTAGE = timedelta(seconds=20)  # a pulse older than this means that no clock was going


def due_now() -> QuerySet[DueWork]:
    """What a clock does next, in this order. Nothing while the pulse is old: the time is given back first.

    Kinds that this process does not know are left to one that does, while a new release takes over.
    """
    return DueWork.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=Moment()),
        Exists(Pulse.objects.filter(at__gte=Moment() - OUTAGE)),
        state=DueWork.State.PLANNED,
        due_at__lte=Moment(),
        kind__in=transitions,
    ).order_by("due_at", "pk")


def late_work(*, seconds: int = 30) -> QuerySet[DueWork]:
    """What should have been done so many seconds ago."""
    return DueWork.objects.filter(
        state=DueWork.State.PLANNED, due_at__lt=Moment() - timedelta(seconds=seconds)
    ).order_by("due_at", "pk")


def stuck_work() -> QuerySet[DueWork]:
    """What failed so often that it waits for a person."""
    return DueWork.objects.filter(state=DueWork.State.STUCK).order_by("due_at", "pk")


def pulse_age() -> timedelta | None:
    """How long ago a clock was last seen going; None when there never was one."""
    at = Pulse.objects.values_list("at", flat=True).first()
    return None if at is None else max(now() - at, timedelta())


def to_deliver() -> QuerySet[Outgoing]:
    """What waits to be delivered and may be tried now, the oldest first."""
    return Outgoing.objects.filter(
        Q(next_try_at=None) | Q(next_try_at__lte=Moment()), sent_at=None, claimed_at=None, kind__in=deliveries
    ).order_by("pk")


def unsent(*, seconds: int = 60) -> QuerySet[Outgoing]:
    """Messages that wait for longer than this."""
    return Outgoing.objects.filter(
        sent_at=None, claimed_at=None, created_at__lt=Moment() - timedelta(seconds=seconds)
    ).order_by("pk")


def half_sent(*, seconds: int = 60) -> QuerySet[Outgoing]:
    """Messages of which nobody knows whether they left the house. They are not sent again."""
    return Outgoing.objects.filter(
        sent_at=None, claimed_at__lt=Moment() - timedelta(seconds=seconds)
    ).order_by("pk")


def audit_of(subject_kind: str, subject_id: int) -> QuerySet[AuditEntry]:
    """What was done to a subject, the newest first."""
    return AuditEntry.objects.filter(subject_kind=subject_kind, subject_id=subject_id).order_by("-pk")
