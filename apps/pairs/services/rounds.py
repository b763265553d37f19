"""The life of an event that runs itself: each step one transaction, and nothing when it was done before.

announced ── start ──▸ running: open_round ──▸ close_round ──▸ … ──▸ finish ──▸ finished ── official ──▸ official
"""

from contextlib import suppress
from datetime import datetime, timedelta

from django.db import transaction
from django.db.models import F, Q, Value
from django.db.models.functions import Greatest
from django.utils.translation import gettext_noop as _

from apps.boards.services import deal_boards, reveal_seal
from apps.clock.services import drop, record, schedule
from apps.clock.time import now
from apps.pairs.models import Entrant, Entry, Event, Round, RoundScore, Session, Standing, Swiss
from apps.pairs.selectors.tables import UNANSWERED, open_questions
from apps.pairs.services.corrections import answer_what_was_corrected, close_questions
from apps.pairs.services.locks import lock_event, step
from apps.pairs.services.notices import Words, settle, tell, tell_directors, tell_each, tell_seats
from apps.pairs.services.registration import (
    admits,
    hold_players,
    plays_elsewhere,
    tell_left_out,
    withdraw_invitations,
)
from apps.pairs.services.round_scores import rank_by_rounds, standing_order, write_round_scores
from apps.pairs.services.seating import seat_round
from apps.pairs.services.slips import cut_boards
from apps.pairs.services.tables import (
    cut_round_tables,
    move_table_bells,
    open_round_tables,
    resume_round_tables,
    void_round_tables,
)
from apps.pairs.signals import event_finished
from apps.results.models import Contestant
from apps.results.services import compare_changes, play_boards
from bridge.dealing import DealingError

SHORTEST_PERIOD = timedelta(minutes=30)  # for corrections, when a result that was final is opened again
LONGEST_WAIT = timedelta(hours=24)  # for an answer of the director, when the time for corrections is over
START, OPEN, CLOSE, SETTLE, FINISH, OFFICIAL = (
    "pairs.start",
    "pairs.open_round",
    "pairs.close_round",
    "pairs.settle_round",
    "pairs.finish",
    "pairs.official",
)
TOO_FEW = _("There were too few pairs.")
STEPS = (START, OPEN, CLOSE, FINISH, OFFICIAL, UNANSWERED)


def schedule_start(swiss: Swiss) -> None:
    """Have an event that the caller has locked begin at its hour, instead of at any other that was planned.

    Each time under a number of its own: work that was done, before the grace for instance, is not done again.
    """
    drop(kind=START, subject=swiss.pk)
    number = 2 * (swiss.schedule_version + 1)
    schedule(kind=START, subject=swiss.pk, number=number, due_at=swiss.starts_at)


@transaction.atomic
def start(*, event_id: int, call: int = 0) -> bool:
    """Begin the event: at its hour, or after the grace when pairs are missing. Returns whether this call did it.

    Args:
        event_id: The event.
        call: Even at the hour; odd after the grace, when those who are missing are left out until they come.
    """
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.ANNOUNCED:
        return False
    entries = Entry.objects.filter(swiss=swiss, state=Entry.State.PLAYING)
    hold_players(Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True))
    not_there = Q(pk__in=plays_elsewhere(swiss).values("entry"))
    if swiss.presence_minutes:
        not_there |= Q(present_at=None)
    missing = entries.filter(not_there)
    if missing.exists() and call % 2 == 0 and swiss.grace:
        hour = max(swiss.starts_at, now())  # who could not say so while the service was away still can
        late = hour + timedelta(minutes=swiss.grace)
        schedule(kind=START, subject=event_id, number=call + 1, due_at=late)
        return False
    if entries.count() - missing.count() < swiss.min_pairs:
        call_off(swiss, why=TOO_FEW)
        return True
    tell_left_out(swiss)
    missing.update(state=Entry.State.AWAY)
    moment = now()
    Round.objects.bulk_create(_timetable(swiss, moment))
    Swiss.objects.filter(pk=event_id).update(state=Swiss.State.RUNNING)
    drop(kind=START, subject=event_id)
    schedule(kind=OPEN, subject=event_id, number=1, due_at=moment)
    record(actor=None, action="pairs.started", subject_kind="pairs.event", subject_id=event_id)
    step(swiss)
    return True


def _timetable(swiss: Swiss, opens_at: datetime) -> list[Round]:
    length, pause = timedelta(minutes=swiss.minutes), timedelta(minutes=swiss.pause)
    return [
        Round(
            swiss=swiss,
            number=number,
            opens_at=opens_at + (number - 1) * (length + pause),
            closes_at=opens_at + (number - 1) * (length + pause) + length,
        )
        for number in range(1, swiss.rounds + 1)
    ]


@transaction.atomic
def open_round(*, event_id: int, number: int) -> bool:
    """Seat the pairs by their standings, deal the boards, start the time. Returns whether this call did it.

    With fewer than two pairs left there is no further round: the event finishes with the standings as they are.
    """
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.RUNNING or swiss.current_round != number - 1:
        return False
    assert swiss.seal_id is not None  # noqa: S101 - an announced event has a seal
    moment = now()
    standings = standing_order(swiss=swiss)
    if sum(each.state == Entry.State.PLAYING for each in standings) < 2:
        if number == 1:
            call_off(swiss, why=TOO_FEW)
        else:
            finish(event_id=event_id)
        return True
    board_set = deal_boards(
        seal_id=swiss.seal_id,
        round_number=number,
        numbers=range((number - 1) * swiss.boards + 1, number * swiss.boards + 1),
        title=swiss.event.title,
    )
    session = Session.objects.create(event_id=event_id, number=number, board_set=board_set)
    play_boards(field=swiss.event.field, board_set=board_set, session=number)
    opened = Round.objects.get(swiss=swiss, number=number)
    sits_out = seat_round(swiss, opened, standings)
    closes_at = moment + timedelta(minutes=swiss.minutes)
    slip = closes_at - opened.closes_at  # the timetable of the rounds to come keeps in step
    opened.state, opened.session = Round.State.OPEN, session
    opened.opens_at, opened.opened_at, opened.closes_at = moment, moment, closes_at
    opened.save(update_fields=["state", "opens_at", "opened_at", "closes_at", "session", "certificate"])
    swiss.current_round = number
    if not admits(swiss):
        withdraw_invitations(swiss)
    later = Round.objects.filter(swiss=swiss, number__gt=number)
    later.update(opens_at=F("opens_at") + slip, closes_at=F("closes_at") + slip)
    if sits_out and swiss.barometer:  # that pair knows its score at once
        write_round_scores(swiss=swiss, rounds=[opened])
        rank_by_rounds(swiss=swiss)
    schedule(kind=CLOSE, subject=event_id, number=number, due_at=closes_at)
    open_round_tables(swiss, opened, closes_at)
    tell_seats(swiss, opened, key=f"{number}")
    step(swiss, current_round=number)
    return True


@transaction.atomic
def settle_round(*, event_id: int, number: int) -> None:
    """What people were told of a round is settled: its seats are past, its slips decided, its calls answered.

    The bell leaves it to the clock, for nobody waits for it.
    """
    swiss = Swiss.objects.get(pk=event_id)
    of_round = ("seated NS", "seated EW", "sits out", "director called")
    settle(swiss, "to confirm", *[f"{what} {number}" for what in of_round])


@transaction.atomic
def close_round(*, event_id: int, number: int) -> bool:
    """The bell: cut what is not finished, compare, rank, and have the next round opened, or the event finished.

    A result whose slip was written before the bell counts, and so does a card that was played at a table; what comes
    later finds the round closed, for both wait for a lock that the bell takes. Returns whether this call did it.
    """
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.RUNNING or swiss.current_round != number:
        return False
    closing = (
        Round.objects.select_for_update().filter(swiss=swiss, number=number, state=Round.State.OPEN).first()
    )
    if closing is None:
        return False
    if swiss.has_tables:
        cut_round_tables(swiss, closing)
    else:
        cut_boards(swiss, closing)
    compared = compare_changes(field=swiss.event.field)
    alone = compared.changed <= {number} and (  # no correction of an earlier round waits
        compared.version == swiss.event.ranked_version + bool(compared.changed)
    )
    closing.state, closing.closed_at = Round.State.CLOSED, max(now(), closing.opened_at or closing.opens_at)
    closing.save(update_fields=["state", "closed_at"])
    kinds = write_round_scores(swiss=swiss, rounds=[closing] if alone else None)
    if RoundScore.Kind.ABSENT in kinds:
        _withdraw_absent(swiss, number)
    rank_by_rounds(swiss=swiss, version=compared.version)
    schedule(kind=SETTLE, subject=event_id, number=number, due_at=closing.closed_at)
    if number < swiss.rounds:
        opens_at = closing.closed_at + timedelta(minutes=swiss.pause)
        schedule(kind=OPEN, subject=event_id, number=number + 1, due_at=opens_at)
        later = Round.objects.filter(swiss=swiss, number__gt=number)  # their timetable follows the bell
        slip = opens_at - later.earliest("number").opens_at
        later.update(opens_at=F("opens_at") + slip, closes_at=F("closes_at") + slip)
    else:
        schedule(kind=FINISH, subject=event_id, due_at=closing.closed_at)
    step(swiss)
    return True


def _withdraw_absent(swiss: Swiss, number: int) -> None:
    """A pair that was not there twice in a row is not seated any more until it says that it is there, and is told so."""
    twice = (
        RoundScore.objects.filter(round__swiss=swiss, round__number=number, kind=RoundScore.Kind.ABSENT)
        .filter(
            contestant__round_scores__round__number=number - 1,
            contestant__round_scores__round__swiss=swiss,
            contestant__round_scores__kind=RoundScore.Kind.ABSENT,
        )
        .exclude(contestant__entry__state=Entry.State.WITHDRAWN)
        .values_list("contestant_id", "contestant__order")
    )
    gone = dict(twice)
    Entry.objects.filter(pk__in=gone).update(state=Entry.State.WITHDRAWN)
    Contestant.objects.filter(pk__in=gone, status=Contestant.Status.ACTIVE).update(
        status=Contestant.Status.WITHDRAWN
    )
    for pair in gone.values():
        record(
            actor=None,
            action="pairs.withdrawn",
            subject_kind="pairs.event",
            subject_id=swiss.pk,
            after={"pair": pair},
            reason=_("absent twice in a row"),
        )
    players = Entrant.objects.filter(entry__in=gone).values_list("player_id", "entry__contestant__order")
    told: list[tuple[int, Words]] = [(player, {"pair": order}) for player, order in players]
    tell_each(swiss, "withdrawn", told, key=f"at the bell {number}")


@transaction.atomic
def finish(*, event_id: int) -> bool:
    """The last bell has rung: the ranking, what it awards, the secret of the deals. Returns whether this call did it."""
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.RUNNING:
        return False
    if Round.objects.filter(swiss=swiss, state=Round.State.OPEN).exists():
        return False
    moment = now()
    swiss.state = Swiss.State.FINISHED
    Swiss.objects.filter(pk=event_id).update(state=swiss.state)
    Round.objects.filter(swiss=swiss, state=Round.State.PENDING).delete()
    event = swiss.event
    event.state, event.published_at = Event.State.PUBLISHED, moment
    event.save(update_fields=["state", "published_at"])
    withdraw_invitations(swiss)  # there may be fewer rounds than late pairs were promised
    rank_by_rounds(swiss=swiss)
    if swiss.seal_id:
        reveal_seal(seal_id=swiss.seal_id)
    for kind in (OPEN, CLOSE, FINISH):
        drop(kind=kind, subject=event_id)
    schedule(
        kind=OFFICIAL,
        subject=event_id,
        due_at=moment + timedelta(minutes=swiss.correction_minutes),
    )
    record(actor=None, action="pairs.finished", subject_kind="pairs.event", subject_id=event_id)
    settle(swiss, "resumed")
    _tell_ranks(swiss)
    event_finished.send(sender=Event, event_id=event_id)
    step(swiss)
    return True


def _tell_ranks(swiss: Swiss) -> None:
    standings = Standing.objects.filter(event_id=swiss.pk, session=0)
    ranks = dict(standings.values_list("contestant_id", "rank"))
    pairs = sum(rank is not None for rank in ranks.values())
    ranked: list[tuple[int, Words]] = []
    unranked: list[int] = []
    for pair, player in Entrant.objects.filter(swiss=swiss).values_list("entry_id", "player_id"):
        rank = ranks.get(pair)
        if rank is None:
            unranked.append(player)
        else:
            ranked.append((player, {"rank": rank, "pairs": pairs}))
    tell_each(swiss, "ranked", ranked)
    tell(swiss, "unranked", unranked)


def correction_period(swiss: Swiss, *, reopened: bool) -> timedelta:
    """How long results of an event that is over can be corrected: long enough, where they were opened again for that."""
    period = timedelta(minutes=swiss.correction_minutes)
    return max(period, SHORTEST_PERIOD) if reopened else period


@transaction.atomic
def make_official(*, event_id: int, reopened: bool = False) -> bool:
    """The correction period is over: what players may ask for is decided, and the result is final.

    While they wait for the director's answer it is not, for as long again; directors are told once. Returns whether this
    call made it final.

    Args:
        event_id: The event.
        reopened: Whether it was final before.
    """
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.FINISHED:
        return False
    answer_what_was_corrected(swiss)
    further = min(correction_period(swiss, reopened=reopened), LONGEST_WAIT)
    if not (further and open_questions(swiss).exists()):
        _make_final(swiss)
        return True
    final_at, number = now() + further, swiss.schedule_version + 1
    schedule(kind=UNANSWERED, subject=event_id, number=number, due_at=final_at)
    tell_directors(swiss, "still asked", key=f"{number}", final_at=final_at.isoformat())
    step(swiss)
    return False


@transaction.atomic
def stop_waiting(*, event_id: int, answered: bool) -> bool:
    """A result that waited for the director's answer is final: it was given, or the time is over and its askers are told.

    Args:
        event_id: The event.
        answered: Only when nothing is asked any more.
    """
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.FINISHED or (answered and open_questions(swiss).exists()):
        return False
    drop(kind=UNANSWERED, subject=event_id)
    _make_final(swiss)
    return True


def _make_final(swiss: Swiss) -> None:
    close_questions(swiss)
    Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.OFFICIAL)
    record(actor=None, action="pairs.official", subject_kind="pairs.event", subject_id=swiss.pk)
    settle(swiss, "still asked", players=[])
    step(swiss)


def cancel_locked(swiss: Swiss, *, why: str) -> None:
    """Cancel an event that the caller has locked: nothing of it will happen any more, and its round is over unscored.

    Its deals are never played again, so their secret is opened as after the last bell; one that cannot be read any more
    stays where it is, and the event is cancelled all the same.
    """
    Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.CANCELLED, why=why, suspended_at=None)
    swiss.state = Swiss.State.CANCELLED
    for kind in (*STEPS, SETTLE):
        drop(kind=kind, subject=swiss.pk)
    void_round_tables(swiss)
    Round.objects.filter(swiss=swiss, state=Round.State.OPEN).update(
        state=Round.State.CLOSED, closed_at=Greatest(F("opened_at"), Value(now()))
    )
    Round.objects.filter(swiss=swiss, state=Round.State.PENDING).delete()
    if swiss.seal_id:
        with suppress(DealingError):
            reveal_seal(seal_id=swiss.seal_id)
    players = Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True)
    withdraw_invitations(swiss)
    settle(swiss)
    tell(swiss, "too few" if why == TOO_FEW else "cancelled", list(players))
    close_questions(swiss)
    step(swiss)


def call_off(swiss: Swiss, *, why: str) -> None:
    """Cancel as the rules of the event say, and not by a director."""
    cancel_locked(swiss, why=why)
    record(actor=None, action="pairs.cancelled", subject_kind="pairs.event", subject_id=swiss.pk, reason=why)


def suspend_locked(swiss: Swiss, *, why: str, since: datetime | None = None) -> bool:
    """Stop the clock of an event that the caller has locked; the time that is left is kept.

    Args:
        swiss: The event.
        why: Told to everybody.
        since: When play really stopped; now, when left out.
    """
    if swiss.state != Swiss.State.RUNNING:
        return False
    swiss.state, swiss.suspended_at, swiss.why = Swiss.State.SUSPENDED, since or now(), why
    Swiss.objects.filter(pk=swiss.pk).update(state=swiss.state, suspended_at=swiss.suspended_at, why=why)
    for kind in STEPS:
        drop(kind=kind, subject=swiss.pk)
    move_table_bells(swiss)
    players = Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True)
    settle(swiss, "resumed")
    tell(swiss, "suspended", list(players), key=f"{swiss.suspended_at:%Y%m%d%H%M%S}")
    step(swiss)
    return True


def resume_locked(swiss: Swiss) -> bool:
    """Let the clock of a suspended event, locked by the caller, go on where it stopped."""
    if swiss.state != Swiss.State.SUSPENDED or swiss.suspended_at is None:
        return False
    began = swiss.suspended_at
    lost = now() - began
    swiss.state, swiss.suspended_at = Swiss.State.RUNNING, None
    Swiss.objects.filter(pk=swiss.pk).update(state=swiss.state, suspended_at=None, why="")
    give_time(swiss, lost)
    resume_round_tables(swiss, since=began)
    schedule_next_step(swiss)
    players = Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True)
    settle(swiss, "suspended", "waits")
    tell(swiss, "resumed", list(players), key=f"{began:%Y%m%d%H%M%S}")
    step(swiss)
    return True


def give_time(swiss: Swiss, lost: timedelta) -> None:
    """Move the end of the open round, and all rounds to come, later."""
    Round.objects.filter(swiss=swiss, state=Round.State.OPEN).update(closes_at=F("closes_at") + lost)
    Round.objects.filter(swiss=swiss, state=Round.State.PENDING).update(
        opens_at=F("opens_at") + lost, closes_at=F("closes_at") + lost
    )
    move_table_bells(swiss)


def schedule_next_step(swiss: Swiss) -> None:
    """The one step that a running event waits for, from where it stands."""
    current = Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
    if current:
        schedule(kind=CLOSE, subject=swiss.pk, number=current.number, due_at=current.closes_at)
        return
    coming = Round.objects.filter(swiss=swiss, state=Round.State.PENDING).order_by("number").first()
    if coming:
        schedule(kind=OPEN, subject=swiss.pk, number=coming.number, due_at=coming.opens_at)
    else:
        schedule(kind=FINISH, subject=swiss.pk, due_at=now())
