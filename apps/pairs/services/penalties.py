"""Points are taken off a pair, or given back: with a reason, until the result is final.

A penalty stays. What takes it back is another one, of the opposite points.
"""

from decimal import Decimal

from django.db import transaction

from apps.clock.services import record
from apps.pairs.models import Round
from apps.pairs.selectors.decisions import PENALIZED
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import tell
from apps.pairs.services.ranking import rank_anew
from apps.pairs.services.registration import entry_of, players_of
from apps.pairs.services.slips import refuse_when_settled
from apps.results.models import Penalty
from apps.users.models import User


@transaction.atomic
def penalize_pair(*, event_id: int, order: int, points: Decimal, by: User, reason: str) -> bool:
    """Take points off a pair, or give it some by a negative number. Its players are told, and read the reason.

    Taking off once more what was taken off last, for the same reason, does nothing. Returns whether this call did it.

    Raises:
        Refused: The event is final, or was cancelled.
    """
    swiss = lock_event(event_id)
    refuse_when_settled(swiss)
    pair = entry_of(swiss, order).contestant
    last = pair.penalties.order_by("pk").last()
    if last and (last.points, last.reason) == (points, reason):
        return False
    Penalty.objects.create(
        contestant=pair, session=max(swiss.current_round, 1), points=points, reason=reason, given_by=by
    )
    record(
        actor=by,
        action=PENALIZED,
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"pair": order, "points": f"{-points:+}"},
        reason=reason,
    )
    tell(
        swiss,
        "points off" if points > 0 else "points given",
        players_of(pair.pk),
        key=f"{order} {swiss.version}",
        points=f"{abs(points).normalize():f}",
        reason=reason,
    )
    if Round.objects.filter(swiss=swiss, state=Round.State.CLOSED).exists():
        rank_anew(swiss=swiss)
    touch(swiss)
    return True
