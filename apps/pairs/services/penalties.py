"""Points are taken off a pair, or given back: with a reason, until the result is final.

A penalty stays. What takes it back is another one, of the opposite points.
"""

from decimal import Decimal
from uuid import UUID

from django.db import transaction
from django.db.models import Sum

from apps.clock.services import record
from apps.pairs.models import Round
from apps.pairs.selectors.decisions import PENALIZED
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import tell
from apps.pairs.services.ranking import rank_anew
from apps.pairs.services.registration import Refused, entry_of, players_of
from apps.pairs.services.slips import refuse_when_settled
from apps.results.models import Penalty
from apps.users.models import User, counted

MOST = Decimal(9999)  # points that all penalties of a pair come to


@transaction.atomic
def penalize_pair(
    *, event_id: int, order: int, points: Decimal, by: User, reason: str, command: UUID
) -> bool:
    """Take points off a pair, or give it some by a negative number. Its players are told, and read the reason.

    One command penalizes once. Returns whether this call did it.

    Raises:
        Refused: The event is final, or was cancelled; or the penalties of the pair would come to more than `MOST`.
    """
    swiss = lock_event(event_id)
    if Penalty.objects.filter(command=command).exists():
        return False
    refuse_when_settled(swiss)
    pair = entry_of(swiss, order).contestant
    before = pair.penalties.aggregate(sum=Sum("points", default=Decimal(0)))["sum"]
    if abs(before + points) > max(MOST, abs(before)):
        raise Refused(
            "All penalties of a pair together come to %(most)s points at most; those of pair %(pair)s come to %(sum)s.",
            most=int(MOST),
            pair=order,
            sum=format(before.normalize(), "f"),
        )
    Penalty.objects.create(
        contestant=pair,
        session=max(swiss.current_round, 1),
        points=points,
        reason=reason,
        given_by=by,
        command=command,
    )
    record(
        actor=by,
        action=PENALIZED,
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"pair": order, "points": f"{-points.normalize():+f}"},
        reason=reason,
    )
    tell(
        swiss,
        "points off" if points > 0 else "points given",
        players_of(pair.pk),
        key=f"{order} {swiss.version}",
        points=counted("%(number)s point", "%(number)s points", f"{abs(points).normalize():f}"),
        reason=reason,
    )
    if Round.objects.filter(swiss=swiss, state=Round.State.CLOSED).exists():
        rank_anew(swiss=swiss)
    touch(swiss)
    return True
