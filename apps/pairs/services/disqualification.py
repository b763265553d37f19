"""A pair is disqualified, and that is taken back: with a reason, until the result is final.

It is seated no more, and has neither rank nor master points. What was played against it stands for all alike: who met it
keeps what he won or lost there.
"""

from django.db import transaction

from apps.clock.selectors import audit_of
from apps.clock.services import record
from apps.pairs.models import Entry, Round, Seat, Swiss
from apps.pairs.selectors.decisions import DISQUALIFIED, REINSTATED
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import tell
from apps.pairs.services.ranking import rank_anew
from apps.pairs.services.registration import (
    Refused,
    entry_of,
    hold_players,
    players_of,
    refuse_who_plays_elsewhere,
)
from apps.pairs.services.slips import refuse_when_settled
from apps.pairs.services.tables import leave_round_table
from apps.results.models import Contestant
from apps.users.models import Player, User


@transaction.atomic
def disqualify_pair(*, event_id: int, order: int, by: User, reason: str) -> bool:
    """Take a pair out of the ranking. From a table at which it has no result yet it is missing; one of this site ends.

    Returns whether this call did it.

    Raises:
        Refused: The event has not begun, is final, or was cancelled.
    """
    swiss = lock_event(event_id)
    entry = entry_of(swiss, order)
    if entry.contestant.status == Contestant.Status.DISQUALIFIED:
        return False
    refuse_when_settled(swiss)
    if swiss.state == Swiss.State.ANNOUNCED:
        raise Refused("%(event)s has not begun. Withdraw the pair instead.", event=swiss.event.title)
    before = entry.state
    _put(swiss, entry, state=Entry.State.WITHDRAWN, status=Contestant.Status.DISQUALIFIED)
    leave_round_table(swiss, players_of(entry.pk))
    _conclude(swiss, entry, DISQUALIFIED, by, reason, before=before)
    return True


@transaction.atomic
def reinstate_pair(*, event_id: int, order: int, by: User, reason: str) -> bool:
    """Take a disqualification back: the pair is what it was before, and has its rank again.

    Returns whether this call did it.

    Raises:
        Refused: The event is final or was cancelled, or one of the pair plays elsewhere by now.
    """
    swiss = lock_event(event_id)
    refuse_when_settled(swiss)
    entry = entry_of(swiss, order)
    if entry.contestant.status != Contestant.Status.DISQUALIFIED:
        return False
    said = audit_of("pairs.event", event_id).filter(action=DISQUALIFIED, before__pair=order).first()
    state = said.before["state"] if said and isinstance(said.before, dict) else entry.state
    if state != Entry.State.WITHDRAWN and not swiss.is_over:
        players = list(Player.objects.filter(pk__in=players_of(entry.pk)))
        hold_players(player.pk for player in players)
        refuse_who_plays_elsewhere(swiss, players)
    withdrawn = state == Entry.State.WITHDRAWN
    status = Contestant.Status.WITHDRAWN if withdrawn else Contestant.Status.ACTIVE
    before = entry.state
    _put(swiss, entry, state=state, status=status)
    _conclude(swiss, entry, REINSTATED, by, reason, before=before)
    return True


def _put(swiss: Swiss, entry: Entry, *, state: str, status: str) -> None:
    entry.state = state
    entry.save(update_fields=["state"])
    Contestant.objects.filter(pk=entry.pk).update(status=status)
    seats = Seat.objects.filter(round__swiss=swiss, round__state=Round.State.OPEN, contestant=entry.pk)
    seats.exclude(table=None).update(missing=state != Entry.State.PLAYING)


def _conclude(swiss: Swiss, entry: Entry, action: str, by: User, reason: str, *, before: str) -> None:
    """Write it into the log, tell the players, and rank what was played without the pair, or with it again."""
    order = entry.contestant.order
    record(
        actor=by,
        action=action,
        subject_kind="pairs.event",
        subject_id=swiss.pk,
        before={"pair": order, "state": before},
        after={"pair": order, "state": entry.state},
        reason=reason,
    )
    what = action.removeprefix("pairs.")
    tell(swiss, what, players_of(entry.pk), key=f"{order} {swiss.version}", pair=order, reason=reason)
    if Round.objects.filter(swiss=swiss, state=Round.State.CLOSED).exists():
        rank_anew(swiss=swiss)
    touch(swiss)
