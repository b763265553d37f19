"""Who takes part: pairs enter, say that they are there, withdraw, come back, send a substitute."""

from collections.abc import Iterable, Iterator, Sequence
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import Exists, Max, OuterRef, Q, QuerySet
from django.utils.translation import gettext_noop as _

from apps.clock.services import record
from apps.clock.time import now
from apps.pairs.models import DeskSeat, Entrant, Entry, Event, Invitation, Seat, Swiss
from apps.pairs.selectors.oversight import THEMSELVES, first_who_directs
from apps.pairs.services.locks import lock_event, touch
from apps.pairs.services.notices import settle, tell
from apps.pairs.services.round_scores import rank_by_rounds, write_round_scores
from apps.pairs.services.tables import change_player, leave_round_table
from apps.results.models import Contestant, Member
from apps.users.models import Player, User
from bridge.errors import BridgeError

MOST_RETURNS = 3
UNDER_WAY = (Swiss.State.RUNNING, Swiss.State.SUSPENDED)
GOING_ON = (Swiss.State.ANNOUNCED, *UNDER_WAY)


class Refused(BridgeError):
    """What a player asked for cannot be; worded for the player."""


def check_admission(swiss: Swiss, players: Sequence[Player]) -> None:
    """Whether these players could enter now.

    Raises:
        Refused: Why not.
    """
    if not admits(swiss):
        raise Refused("Entries for %(event)s are closed.", event=swiss.event.title)
    _refuse_when_full(swiss)
    if swiss.admission == Swiss.Admission.INVITED:
        invited = set(
            swiss.invited.filter(pk__in=[player.pk for player in players]).values_list("pk", flat=True)
        )
        for player in players:
            if player.pk not in invited:
                raise Refused("%(player)s is not on the list of players who may enter.", player=player.name)
    for entrant in Entrant.objects.filter(swiss=swiss, player__in=players).select_related("player"):
        raise Refused("%(player)s is entered already.", player=entrant.player.name)
    if swiss.current_round:
        _refuse_who_played(swiss, players)
    _refuse_who_directs(swiss, players)
    refuse_who_plays_elsewhere(swiss, players)


def _refuse_when_full(swiss: Swiss) -> None:
    """A pair that is away keeps its place, one that withdrew has given it to whoever comes."""
    entries = Entry.objects.filter(swiss=swiss).exclude(state=Entry.State.WITHDRAWN)
    if swiss.max_pairs and entries.count() >= swiss.max_pairs:
        raise Refused(
            "%(event)s is full: it takes %(pairs)s pairs.", event=swiss.event.title, pairs=swiss.max_pairs
        )


def hold_players(players: Iterable[int]) -> None:
    """Let nobody else decide meanwhile in which event these players play. They are locked after the event."""
    held = Player.objects.select_for_update(no_key=True).filter(pk__in=list(players)).order_by("pk")
    list(held.values_list("pk", flat=True))


def refuse_who_plays_elsewhere(swiss: Swiss, players: Sequence[Player]) -> None:
    """Nobody is entered in two events that are played at the same time.

    Raises:
        Refused: One of them is entered in such an event.
    """
    for entrant in _entered_at_the_same_time(swiss, [player.pk for player in players]):
        raise Refused(
            "%(player)s is entered in %(event)s, which is played at the same time.",
            player=entrant.player.name,
            event=entrant.swiss.event.title,
        )


def _entered_at_the_same_time(swiss: Swiss, players: Iterable[int]) -> Iterator[Entrant]:
    """Where these players are entered in another event whose hours overlap with those of this one."""
    others = Entrant.objects.filter(player__in=list(players), swiss__state__in=GOING_ON).exclude(swiss=swiss)
    others = others.exclude(entry__state=Entry.State.WITHDRAWN).select_related("player", "swiss__event")
    for entrant in others.annotate(last=Max("swiss__all_rounds__closes_at")).order_by("pk"):
        begins, ends = _hours(swiss, swiss.all_rounds.aggregate(last=Max("closes_at"))["last"])
        begins_there, ends_there = _hours(entrant.swiss, entrant.last)
        if begins < ends_there and begins_there < ends:
            yield entrant


def _hours(swiss: Swiss, last_bell: datetime | None) -> tuple[datetime, datetime]:
    """When the event is played; `last_bell` by its timetable, which there is from the start on."""
    stopped = now() - swiss.suspended_at if swiss.suspended_at else timedelta()
    return swiss.starts_at, (last_bell or swiss.planned_end) + stopped


def plays_elsewhere(swiss: Swiss) -> QuerySet[Entrant]:
    """Those entered who sit in another event that has begun, because it, or this one, was put off."""
    there = Entrant.objects.filter(
        player=OuterRef("player"), swiss__state__in=UNDER_WAY, entry__state=Entry.State.PLAYING
    )
    return Entrant.objects.filter(Exists(there.exclude(swiss=swiss)), swiss=swiss)


def tell_of_overlaps(swiss: Swiss) -> None:
    """An event was put off: tell the pairs that may be left out of it, or of another, whichever begins later."""
    taking_part = Entrant.objects.filter(swiss=swiss).exclude(entry__state=Entry.State.WITHDRAWN)
    pairs = dict(taking_part.values_list("player_id", "entry_id"))
    for entrant in _entered_at_the_same_time(swiss, pairs):
        first, later = sorted((swiss, entrant.swiss), key=lambda each: (each.starts_at, each.pk))
        pair = pairs[entrant.player_id] if later == swiss else entrant.entry_id
        tell(
            later,
            "overlaps",
            players_of(pair),
            key=f"{first.pk} {first.starts_at:%Y%m%d%H%M} {later.starts_at:%Y%m%d%H%M}",
            other=first.event.title,
            player=entrant.player.name,
        )


def tell_left_out(swiss: Swiss) -> None:
    """The event begins without pairs of which somebody still plays in another one: tell both of each."""
    left_out = plays_elsewhere(swiss).filter(entry__state=Entry.State.PLAYING).select_related("player")
    for entrant in left_out.order_by("pk"):
        there = Entrant.objects.filter(
            player=entrant.player_id, swiss__state__in=UNDER_WAY, entry__state=Entry.State.PLAYING
        ).exclude(swiss=swiss)
        other = there.values_list("swiss__event__title", flat=True)[0]
        tell(swiss, "left out", players_of(entrant.entry_id), other=other, player=entrant.player.name)


def players_of(pair: int) -> list[int]:
    """Who plays in an entry now."""
    return list(Entrant.objects.filter(entry=pair).values_list("player_id", flat=True))


def _refuse_who_played(swiss: Swiss, players: Sequence[Player], *, but: int = 0) -> None:
    """Nobody plays for two pairs of an event, one after the other: he would be ranked, and awarded, in both.

    Raises:
        Refused: One of them sat with another pair than `but`.
    """
    sat = Member.objects.filter(contestant__entry__swiss=swiss, contestant__seats__isnull=False)
    for member in sat.filter(player__in=players).exclude(contestant=but).select_related("player"):
        raise Refused("%(player)s has played in this event with another pair.", player=member.player.name)


def _refuse_who_directs(swiss: Swiss, players: Sequence[Player]) -> None:
    """Whoever may have looked into the hands of an event that is being played does not take a seat in it.

    Raises:
        Refused: One of them directs.
    """
    director = first_who_directs(swiss, players) if swiss.state != Swiss.State.ANNOUNCED else None
    if director:
        raise Refused(
            "%(player)s is a director and can see everything of %(event)s: a director enters before it begins.",
            player=director.name,
            event=swiss.event.title,
        )


def admits(swiss: Swiss) -> bool:
    """Whether pairs can still enter: until the start, later as the event allows."""
    if swiss.state == Swiss.State.ANNOUNCED:
        return swiss.event.state == Event.State.ANNOUNCED
    return swiss.state == Swiss.State.RUNNING and 1 <= swiss.current_round < min(
        swiss.late_until, swiss.rounds
    )


@transaction.atomic
def enter_pair(*, event_id: int, players: Sequence[Player], by: User | None, present: bool = False) -> Entry:
    """Enter a pair; its number is the next one. Entering the same pair twice returns the entry that stands.

    Raises:
        Refused: Why these two cannot enter.
    """
    swiss = lock_event(event_id)
    if len({player.pk for player in players}) != 2:
        raise Refused("A pair is two different players.")
    same = (
        Entry.objects.filter(swiss=swiss, entrants__player=players[0])
        .filter(entrants__player=players[1])
        .first()
    )
    if same:
        return same
    hold_players(player.pk for player in players)
    check_admission(swiss, players)
    moment = now()
    field_id = swiss.event.field_id
    order = (Contestant.objects.filter(field_id=field_id).aggregate(last=Max("order"))["last"] or 0) + 1
    contestant = Contestant.objects.create(field_id=field_id, label=str(order), order=order)
    Member.objects.bulk_create(
        Member(contestant=contestant, player=player, position=position)
        for position, player in enumerate(players, 1)
    )
    entry = Entry.objects.create(
        contestant=contestant, swiss=swiss, entered_at=moment, present_at=moment if present else None
    )
    Entrant.objects.bulk_create(Entrant(swiss=swiss, entry=entry, player=player) for player in players)
    DeskSeat.objects.filter(swiss=swiss, player__in=players).delete()
    withdraw_invitations(swiss, Q(by__in=players) | Q(to__in=players))
    if swiss.current_round:  # late: the rounds before are rounds that it missed
        write_round_scores(swiss=swiss)
        rank_by_rounds(swiss=swiss)
    names = [player.name for player in players]
    record(
        actor=by,
        action="pairs.entered",
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"pair": order, "players": names} | _noted(by, [player.pk for player in players]),
    )
    tell(
        swiss,
        "entered",
        [player.pk for player in players],
        key=f"{order}",
        pair=order,
        names=" – ".join(names),
    )
    touch(swiss)
    return entry


def withdraw_invitations(swiss: Swiss, which: Q | None = None) -> None:
    """Nobody need answer them any more: one of the two is entered, or entries are closed. The caller holds the event."""
    asked = Invitation.objects.filter(which or Q(), swiss=swiss, state=Invitation.State.OPEN)
    moot = dict(asked.values_list("pk", "to_id"))
    if moot:
        Invitation.objects.filter(pk__in=moot).update(state=Invitation.State.WITHDRAWN, answered_at=now())
        settle(swiss, *[f"invited {invitation}" for invitation in moot], players=moot.values())


@transaction.atomic
def say_present(*, event_id: int, order: int, by: User | None) -> Entry:
    """A pair says that it is there: before the start, or when others said that it is missing, or to come back.

    Repeating it changes nothing.

    Raises:
        Refused: The pair withdrew too often, or before the start, its place is taken, it plays elsewhere, or the event
            is over.
    """
    swiss = lock_event(event_id)
    if swiss.is_over:
        raise Refused("%(event)s is over.", event=swiss.event.title)
    entry = entry_of(swiss, order)
    back = entry.state != Entry.State.PLAYING
    missing = Seat.objects.filter(round__swiss=swiss, round__state="open", contestant=entry.pk, missing=True)
    if entry.present_at and not back and not missing.exists():
        return entry
    if back:
        if entry.returns >= MOST_RETURNS:
            raise Refused("Your pair came back %(times)s times already.", times=entry.returns)
        if entry.contestant.status == Contestant.Status.DISQUALIFIED:
            raise Refused("Your pair was disqualified.")
        players = [entrant.player for entrant in entry.entrants.select_related("player")]
        if not players:
            raise Refused("Pair %(pair)s withdrew before the start. Its players can enter anew.", pair=order)
        if entry.state == Entry.State.WITHDRAWN:
            _refuse_when_full(swiss)
        hold_players(player.pk for player in players)
        refuse_who_plays_elsewhere(swiss, players)
        entry.returns += swiss.current_round > 0
    before = entry.state
    entry.state, entry.present_at = Entry.State.PLAYING, now()
    entry.save(update_fields=["state", "present_at", "returns"])
    Contestant.objects.filter(pk=entry.pk, status=Contestant.Status.WITHDRAWN).update(
        status=Contestant.Status.ACTIVE
    )
    missing.update(missing=False)
    record(
        actor=by,
        action="pairs.present",
        subject_kind="pairs.event",
        subject_id=event_id,
        before={"pair": order, "state": before},
        after={"pair": order, "state": entry.state}
        | _noted(by, entry.entrants.values_list("player_id", flat=True)),
    )
    touch(swiss)
    return entry


@transaction.atomic
def withdraw_pair(*, event_id: int, order: int, by: User | None, reason: str = "") -> bool:
    """Take a pair out: it is not seated any more. Before the start its entry is gone, and its players may enter anew.

    Its results stand for those who met it. From a table at which it has none yet it is missing, and its opponents have
    a walkover. A table of this site ends at once. Returns whether this call did it.
    """
    swiss = lock_event(event_id)
    if swiss.is_over:
        raise Refused("%(event)s is over.", event=swiss.event.title)
    entry = entry_of(swiss, order)
    if entry.state == Entry.State.WITHDRAWN:
        return False
    players = list(entry.entrants.values_list("player_id", flat=True))
    if swiss.current_round == 0:
        Entrant.objects.filter(entry=entry).delete()
    entry.state = Entry.State.WITHDRAWN
    entry.save(update_fields=["state"])
    Contestant.objects.filter(pk=entry.pk, status=Contestant.Status.ACTIVE).update(
        status=Contestant.Status.WITHDRAWN
    )
    seats = Seat.objects.filter(round__swiss=swiss, round__state="open", contestant=entry.pk)
    seats.exclude(table=None).update(missing=True)  # until the bell, which finds whether it has results
    leave_round_table(swiss, players)
    record(
        actor=by,
        action="pairs.withdrawn",
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"pair": order} | _noted(by, players),
        reason=reason,
    )
    tell(swiss, "withdrawn", players, key=f"{order}/{entry.returns}", pair=order)
    touch(swiss)
    return True


@transaction.atomic
def withdraw_player(*, user: User, by: User | None) -> None:
    """An account is closed: the pair of its player is taken out of all events that are to come or being played."""
    entries = Entry.objects.filter(entrants__player__user=user, swiss__state__in=GOING_ON)
    entered = entries.exclude(state=Entry.State.WITHDRAWN).order_by("swiss")
    for event_id, order in list(entered.values_list("swiss", "contestant__order")):
        withdraw_pair(event_id=event_id, order=order, by=by, reason=_("A player’s account was closed."))


@transaction.atomic
def substitute(
    *, event_id: int, order: int, out: Player, into: Player, by: User | None, reason: str = ""
) -> None:
    """Let a player play on in another's place, from now on. Boards played keep who played them.

    Raises:
        Refused: The new player takes part already, or did with another pair, or elsewhere at the same time, or the old
            one is not of this pair.
    """
    swiss = lock_event(event_id)
    if swiss.is_over:
        raise Refused("%(event)s is over.", event=swiss.event.title)
    entry = entry_of(swiss, order)
    entrant = Entrant.objects.filter(entry=entry, player=out).first()
    if entrant is None:
        if Entrant.objects.filter(entry=entry, player=into).exists():
            return
        raise Refused("%(player)s does not play in this pair.", player=out.name)
    if Entrant.objects.filter(swiss=swiss, player=into).exists():
        raise Refused("%(player)s is entered already.", player=into.name)
    _refuse_who_played(swiss, [into], but=entry.pk)
    _refuse_who_directs(swiss, [into])
    hold_players([into.pk])
    refuse_who_plays_elsewhere(swiss, [into])
    entrant.player = into
    entrant.save(update_fields=["player"])
    member = Member.objects.filter(contestant=entry.pk, player=out)
    if swiss.current_round == 0:
        member.update(player=into)
    elif not Member.objects.filter(contestant=entry.pk, player=into).exists():
        last = Member.objects.filter(contestant=entry.pk).aggregate(last=Max("position"))["last"]
        Member.objects.create(contestant_id=entry.pk, player=into, position=last + 1)
    DeskSeat.objects.filter(swiss=swiss, player=into).delete()
    change_player(swiss, out=out, into=into, by=by, reason=reason)
    record(
        actor=by,
        action="pairs.substituted",
        subject_kind="pairs.event",
        subject_id=event_id,
        before={"pair": order, "player": out.name},
        after={"pair": order, "player": into.name},
        reason=reason,
    )
    tell(
        swiss, "substituted", [out.pk, into.pk], key=f"{order}/{out.pk}/{into.pk}", pair=order, name=into.name
    )
    touch(swiss)


def _noted(by: User | None, pair: Iterable[int]) -> dict[str, bool]:
    """For the log: whether one of the pair did it, and not a director for it."""
    themselves = by is not None and Player.objects.filter(pk__in=list(pair), user=by).exists()
    return {THEMSELVES: True} if themselves else {}


def entry_of(swiss: Swiss, order: int) -> Entry:
    """The entry with this number.

    Raises:
        Refused: There is none.
    """
    entry = Entry.objects.select_related("contestant").filter(swiss=swiss, contestant__order=order).first()
    if entry is None:
        raise Refused("There is no pair %(pair)s.", pair=order)
    return entry
