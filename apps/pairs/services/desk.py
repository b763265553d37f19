"""The registration desk: two sit down opposite each other and hold their hands up, and the pair is entered."""

from datetime import timedelta

from django.db import transaction

from apps.clock.services import schedule
from apps.clock.time import now
from apps.pairs.models import DeskSeat, Entry, Invitation
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import settle, tell
from apps.pairs.services.registration import Refused, check_admission, enter_pair, hold_players
from apps.users.models import Player, User

ENTER = "pairs.enter_desk"
TABLES = 200  # more than a desk ever needs at once
MOST_INVITATIONS = 3  # of one player by another, for each is told, by mail too
MOST_OPEN, MOST_ASKED = 10, 20  # invitations by one player to an event: that wait for an answer, and in all


@transaction.atomic
def sit_down(*, event_id: int, player: Player, table: int | None = None) -> DeskSeat:
    """Sit down at a table of the desk: a free one, or opposite somebody who waits. Sitting there already is fine.

    Raises:
        Refused: The player is entered, may not enter, or both chairs are taken.
    """
    swiss = lock_event(event_id)
    check_admission(swiss, [player])
    taken = {(seat.table, seat.seat): seat for seat in DeskSeat.objects.filter(swiss=swiss)}
    own = next((seat for seat in taken.values() if seat.player_id == player.pk), None)
    if own and table in (None, own.table):
        return own
    if table is None:
        table = next(
            (each for each in range(1, TABLES + 1) if not {(each, 1), (each, 2)} & taken.keys()), None
        )
    if table is None:
        raise Refused("The desk is full. Please sit down opposite somebody who waits.")
    if not 1 <= table <= TABLES:
        raise Refused("There is no table %(table)s at the desk.", table=table)
    free = next((chair for chair in (1, 2) if (table, chair) not in taken), None)
    if free is None:
        raise Refused("Both chairs at table %(table)s are taken.", table=table)
    if own:
        _leave(own)
    made = DeskSeat.objects.create(swiss=swiss, table=table, seat=free, player=player, sat_at=now())
    touch(swiss)
    return made


@transaction.atomic
def stand_up(*, event_id: int, player: Player) -> bool:
    """Leave the desk; the partner opposite keeps the chair and takes the hand down."""
    swiss = lock_event(event_id)
    seat = DeskSeat.objects.filter(swiss=swiss, player=player).first()
    if seat is None:
        return False
    _leave(seat)
    touch(swiss)
    return True


@transaction.atomic
def ask_to_leave(*, event_id: int, player: Player) -> bool:
    """Ask whoever sits opposite to leave: he stands up. Returns whether somebody did."""
    swiss = lock_event(event_id)
    seat = DeskSeat.objects.filter(swiss=swiss, player=player).first()
    opposite = seat and DeskSeat.objects.filter(swiss=swiss, table=seat.table).exclude(pk=seat.pk).first()
    if not opposite:
        return False
    _leave(opposite)
    touch(swiss)
    return True


def _leave(seat: DeskSeat) -> None:
    DeskSeat.objects.filter(swiss=seat.swiss_id, table=seat.table).update(hand_at=None)
    seat.delete()


@transaction.atomic
def raise_hand(*, event_id: int, player: Player, up: bool = True) -> DeskSeat:
    """Put the hand up, or down. When both have held theirs up for the seconds of the event, the clock enters them.

    Raises:
        Refused: The player does not sit at the desk.
    """
    swiss = lock_event(event_id)
    seat = DeskSeat.objects.filter(swiss=swiss, player=player).first()
    if seat is None:
        raise Refused("Sit down at a table of the desk first.")
    if (seat.hand_at is not None) == up:
        return seat
    seat.hand_at = now() if up else None
    seat.save(update_fields=["hand_at"])
    hands = DeskSeat.objects.filter(swiss=swiss, table=seat.table, hand_at__isnull=False).count()
    if seat.hand_at and hands == 2:
        held = seat.hand_at + timedelta(seconds=swiss.hold)
        schedule(
            kind=ENTER, subject=event_id, number=swiss.version, due_at=held
        )  # a number of its own each time
    touch(swiss)
    return seat


@transaction.atomic
def enter_from_desk(*, event_id: int) -> int:
    """Enter every pair whose hands have both been up for the seconds of the event; returns how many.

    Who took the hand down meanwhile, or left, is not entered. Where the rules of the event refuse a pair, both hands go
    down, and the page says why when they go up again.
    """
    swiss = lock_event(event_id)
    moment = now()
    held = moment - timedelta(seconds=swiss.hold)
    tables: dict[int, list[Player]] = {}
    up = DeskSeat.objects.filter(swiss=swiss, hand_at__lte=held).select_related("player")
    for seat in up.order_by("table", "seat"):
        tables.setdefault(seat.table, []).append(seat.player)
    hold_players(player.pk for players in tables.values() for player in players)
    begins = swiss.starts_at - timedelta(minutes=swiss.presence_minutes)
    entered = 0
    for table, players in tables.items():
        if len(players) != 2:
            continue
        try:
            with transaction.atomic():
                enter_pair(event_id=event_id, players=players, by=None, present=moment >= begins)
                entered += 1
        except Refused:
            DeskSeat.objects.filter(swiss=swiss, table=table).update(hand_at=None)
            touch(swiss)
    return entered


@transaction.atomic
def invite(*, event_id: int, player: Player, partner: Player, by: User) -> Invitation:
    """Ask somebody by name to play together. Asking again while the question is open changes nothing.

    Raises:
        Refused: One of the two is entered or may not enter, or the answer has been no too often, or so many were asked.
    """
    swiss = lock_event(event_id)
    if player.pk == partner.pk:
        raise Refused("A pair is two different players.")
    if partner.user_id is None:
        raise Refused("%(player)s has no account and cannot answer.", player=partner.name)
    check_admission(swiss, [player, partner])
    open_one = Invitation.objects.filter(
        swiss=swiss, by=player, to=partner, state=Invitation.State.OPEN
    ).first()
    if open_one:
        return open_one
    if Invitation.objects.filter(swiss=swiss, by=player, to=partner).count() >= MOST_INVITATIONS:
        raise Refused("You have asked %(player)s often enough.", player=partner.name)
    asked = Invitation.objects.filter(swiss=swiss, by=player)
    if asked.filter(state=Invitation.State.OPEN).count() >= MOST_OPEN:
        raise Refused(
            "%(number)s players have your question already. Wait for an answer, or take one back.",
            number=MOST_OPEN,
        )
    if asked.count() >= MOST_ASKED:
        raise Refused("You have asked %(number)s times in this event; that is the most.", number=MOST_ASKED)
    made = Invitation.objects.create(swiss=swiss, by=player, to=partner, made_at=now())
    tell(swiss, "invited", [partner.pk], key=f"{made.pk}", name=player.name)
    touch(swiss)
    return made


@transaction.atomic
def answer_invitation(*, invitation_id: int, player: Player, accept: bool, by: User) -> Entry | None:
    """Accept, which enters the pair at once, or decline; the one who asked may take it back by declining.

    Raises:
        Refused: The question is not for this player or not open any more, or the pair cannot enter.
    """
    invitation = Invitation.objects.select_related("by", "to").get(pk=invitation_id)
    swiss = lock_event(invitation.swiss_id)
    invitation.refresh_from_db(fields=["state"])
    if player.pk not in (invitation.to_id, invitation.by_id) or (accept and player.pk != invitation.to_id):
        raise Refused("This invitation is not for you.")
    if invitation.state == Invitation.State.ACCEPTED and accept:
        return Entry.objects.filter(swiss=swiss, entrants__player=player).first()
    if invitation.state != Invitation.State.OPEN:
        raise Refused("This invitation is not open any more.")
    declined = Invitation.State.DECLINED if player.pk == invitation.to_id else Invitation.State.WITHDRAWN
    invitation.state, invitation.answered_at = Invitation.State.ACCEPTED if accept else declined, now()
    invitation.save(update_fields=["state", "answered_at"])
    settle(swiss, f"invited {invitation.pk}", players=[invitation.to_id])
    touch(swiss)
    if accept:
        return enter_pair(event_id=swiss.pk, players=[invitation.by, invitation.to], by=by)
    if declined == Invitation.State.DECLINED:
        tell(swiss, "declined", [invitation.by_id], key=f"{invitation.pk}", name=player.name)
    return None
