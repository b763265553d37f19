"""The audit log."""

from django.contrib.auth.base_user import AbstractBaseUser

from apps.clock.models import AuditEntry
from apps.clock.time import Moment


def record(
    *,
    actor: AbstractBaseUser | None,
    action: str,
    subject_kind: str,
    subject_id: int,
    before: object = None,
    after: object = None,
    reason: str = "",
) -> None:
    """Write down who did what, in the transaction of the change. Without an actor it was the clock."""
    AuditEntry.objects.create(
        at=Moment(),
        actor_id=actor.pk if actor else None,
        actor_name=actor.get_username() if actor else "",
        action=action,
        subject_kind=subject_kind,
        subject_id=subject_id,
        before=before,
        after=after,
        reason=reason,
    )
