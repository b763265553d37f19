"""From a draft that directors see to an event that everybody sees."""

from functools import partial

from django.db import transaction

from apps.clock.services import record
from apps.clock.time import now
from apps.pairs.models import Event, Swiss
from apps.pairs.services.ranking import rank_event
from apps.pairs.signals import event_ranked
from apps.results.models import Contestant, Field, Member, Penalty, Result
from apps.results.services import compare_field
from apps.users.models import Player, User
from bridge.errors import BridgeError


@transaction.atomic
def publish_event(*, event_id: int, by: User | None) -> bool:
    """Show the event to everybody, compared and ranked; returns whether this call did it.

    Pressing twice has one effect: the second call finds it done.

    Raises:
        BridgeError: The event has boards with an unusual dealer or vulnerability, and nobody said that it is right.
    """
    event = Event.objects.select_for_update(of=["self"]).get(pk=event_id)
    if event.state == Event.State.PUBLISHED:
        return False
    if Swiss.objects.filter(pk=event_id).exists():
        raise BridgeError(
            "%(event)s runs itself: it is published when its last round ends.", event=event.title
        )
    if event.source.get("unusual_boards") and not event.source.get("conditions_checked"):
        raise BridgeError(
            "Dealer or vulnerability of boards %(boards)s is not that of their numbers. The event is published when"
            " somebody has checked them.",
            boards=", ".join(map(str, event.source["unusual_boards"])),
        )
    event.state, event.published_at, event.published_by = Event.State.PUBLISHED, now(), by
    event.save(update_fields=["state", "published_at", "published_by"])
    _note(event, "pairs.published", by)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event_id)
    return True


@transaction.atomic
def unpublish_event(*, event_id: int, by: User | None) -> bool:
    """Make the event a draft again; its master points are taken back. Returns whether this call did it."""
    event = Event.objects.select_for_update(of=["self"]).get(pk=event_id)
    if event.state == Event.State.DRAFT or Swiss.objects.filter(pk=event_id).exists():
        return False  # one that runs itself is cancelled, or its corrections are opened again
    event.state, event.published_at, event.published_by = Event.State.DRAFT, None, None
    event.save(update_fields=["state", "published_at", "published_by"])
    _note(event, "pairs.unpublished", by)
    transaction.on_commit(partial(event_ranked.send, sender=Event, event_id=event_id), robust=True)
    return True


def _note(event: Event, action: str, by: User | None) -> None:
    record(actor=by, action=action, subject_kind="pairs.event", subject_id=event.pk)


@transaction.atomic
def discard_event(*, event_id: int) -> bool:
    """Delete a draft and all that was read with it; returns whether it did.

    A published event stays, and so does one that was published before: the ledger of master points names it.
    """
    event = Event.objects.select_for_update(of=["self"]).filter(pk=event_id, state=Event.State.DRAFT).first()
    if event is None or event.awards.exists():
        return False
    field, sets = event.field, [session.board_set for session in event.sessions.select_related("board_set")]
    Result.objects.filter(field_board__field=field).delete()
    Penalty.objects.filter(contestant__field=field).delete()
    event.delete()
    members = Member.objects.filter(contestant__field=field)
    players = list(members.values_list("player_id", flat=True))
    members.delete()
    Player.objects.filter(pk__in=players, memberships=None, user=None).delete()  # known from this draft alone
    Contestant.objects.filter(field=field).delete()
    Field.objects.filter(pk=field.pk).delete()
    for board_set in sets:
        board_set.delete()
    return True
