"""What a director, or the rules for bad luck, may do to an event that runs itself. Everything is kept in the audit log.

A director says which `expected` course of the event the decision was made on (`Swiss.schedule_version`): of two who
decide at once, the second is told to look again.
"""

import logging
from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime, timedelta
from math import ceil
from typing import Any

from django.db import OperationalError, transaction
from django.db.models import F, Q
from django.utils.translation import gettext_noop as _

from apps.clock.services import drop, record, schedule, shift
from apps.clock.time import now
from apps.pairs.models import Entrant, Entry, Event, Round, Seat, Slip, Swiss
from apps.pairs.selectors.tables import UNANSWERED
from apps.pairs.services.local_time import check_start
from apps.pairs.services.locks import lock_event, step, touch
from apps.pairs.services.notices import lately, settle, tell, tell_directors, tell_seats
from apps.pairs.services.registration import Refused, tell_of_overlaps
from apps.pairs.services.round_scores import rank_by_rounds, standing_order, write_round_scores
from apps.pairs.services.rounds import (
    CLOSE,
    FINISH,
    OFFICIAL,
    OPEN,
    START,
    call_off,
    cancel_locked,
    correction_period,
    give_time,
    resume_locked,
    schedule_next_step,
    schedule_start,
    settle_round,
    suspend_locked,
)
from apps.pairs.services.seating import seat_round
from apps.pairs.services.slips import seat_of
from apps.pairs.services.tables import has_begun, open_round_tables, void_round_tables, was_looked_at
from apps.results.models import Result
from apps.users.models import Player, User

log = logging.getLogger(__name__)

AFTER_OUTAGE = "pairs.after_outage"
SHORT_OUTAGE = timedelta(minutes=15)  # so much time is given back without asking
LONGEST = timedelta(hours=24)  # an event
PATIENCE = timedelta(minutes=30)  # for a director to decide after a longer one


class Stale(Refused):
    """The event moved on since the director looked."""


def too_long(lasts: timedelta) -> Refused:
    return Refused(
        "The event would last %(hours)s hours; 24 is the most.", hours=-(-lasts // timedelta(hours=1))
    )


@contextmanager
def _directing(
    event_id: int, expected: int, by: User, action: str, reason: str, **said: Any
) -> Iterator[Swiss]:
    with transaction.atomic():
        swiss = lock_event(event_id)
        if swiss.schedule_version != expected:
            raise Stale("The event has moved on since you looked at it. Please look again.")
        before = _course(swiss)
        yield swiss
        step(swiss)
        swiss.refresh_from_db(fields=["state", "current_round", "rounds", "starts_at"])
        record(
            actor=by,
            action=f"pairs.{action}",
            subject_kind="pairs.event",
            subject_id=event_id,
            before=before,
            after=_course(swiss) | said,
            reason=reason,
        )


def _course(swiss: Swiss) -> dict[str, Any]:
    current = Round.objects.filter(swiss=swiss, state=Round.State.OPEN).first()
    return {
        "state": swiss.state,
        "round": swiss.current_round,
        "rounds": swiss.rounds,
        "starts_at": swiss.starts_at.isoformat(),
        "closes_at": current.closes_at.isoformat() if current else None,
    }


def _open_round(swiss: Swiss) -> Round:
    current = Round.objects.select_for_update().filter(swiss=swiss, state=Round.State.OPEN).first()
    if current is None or swiss.state != Swiss.State.RUNNING:
        raise Refused("No round is being played.")
    return current


def change_time(*, event_id: int, minutes: int, expected: int, by: User, reason: str) -> None:
    """Make the open round longer, or shorter by a negative number; later rounds follow. It never ends in the past."""
    with _directing(event_id, expected, by, "time changed", reason, minutes=minutes) as swiss:
        current = _open_round(swiss)
        moved = max(current.closes_at + timedelta(minutes=minutes), now()) - current.closes_at
        give_time(swiss, moved)
        schedule(kind=CLOSE, subject=event_id, number=current.number, due_at=current.closes_at + moved)


def ring_bell(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """End the open round now, as the clock would."""
    with _directing(event_id, expected, by, "bell rung", reason) as swiss:
        current = _open_round(swiss)
        moment = max(now(), current.opens_at + timedelta(microseconds=1))
        Round.objects.filter(pk=current.pk).update(closes_at=moment)
        schedule(kind=CLOSE, subject=event_id, number=current.number, due_at=moment)


def open_next_round(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Open the next round now instead of after the pause."""
    with _directing(event_id, expected, by, "round opened", reason) as swiss:
        coming = Round.objects.filter(swiss=swiss, state=Round.State.PENDING).order_by("number").first()
        if swiss.state != Swiss.State.RUNNING or coming is None or coming.number != swiss.current_round + 1:
            raise Refused("There is no round to open.")
        if Round.objects.filter(swiss=swiss, state=Round.State.OPEN).exists():
            raise Refused("Round %(round)s is still being played.", round=swiss.current_round)
        schedule(kind=OPEN, subject=event_id, number=coming.number, due_at=now())


def change_rounds(*, event_id: int, rounds: int, expected: int, by: User, reason: str) -> None:
    """Play fewer or more rounds than planned, not fewer than have begun."""
    with _directing(event_id, expected, by, "rounds changed", reason) as swiss:
        if swiss.state not in (Swiss.State.RUNNING, Swiss.State.SUSPENDED, Swiss.State.ANNOUNCED):
            raise Refused("%(event)s is over.", event=swiss.event.title)
        if not max(swiss.current_round, 1) <= rounds <= 40:
            raise Refused("The event can have %(least)s to 40 rounds.", least=max(swiss.current_round, 1))
        lasts = timedelta(minutes=rounds * swiss.minutes + (rounds - 1) * swiss.pause)
        if rounds > swiss.rounds and lasts > LONGEST:
            raise too_long(lasts)
        swiss.rounds, swiss.late_until = rounds, min(swiss.late_until, rounds)
        swiss.save(update_fields=["rounds", "late_until"])
        if swiss.state == Swiss.State.ANNOUNCED:
            return
        Round.objects.filter(swiss=swiss, number__gt=rounds).delete()
        last = Round.objects.filter(swiss=swiss).order_by("-number").first()
        assert last is not None  # noqa: S101 - a running event has rounds
        length, pause = timedelta(minutes=swiss.minutes), timedelta(minutes=swiss.pause)
        Round.objects.bulk_create(
            Round(
                swiss=swiss,
                number=number,
                opens_at=last.closes_at + pause + (number - last.number - 1) * (length + pause),
                closes_at=last.closes_at + (number - last.number) * (length + pause),
            )
            for number in range(last.number + 1, rounds + 1)
        )
        for kind in (OPEN, FINISH):
            drop(kind=kind, subject=event_id)
        if swiss.state == Swiss.State.RUNNING:
            schedule_next_step(swiss)


def suspend(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Stop the clock of the event until somebody lets it go on."""
    with _directing(event_id, expected, by, "suspended", reason) as swiss:
        if not suspend_locked(swiss, why=reason):
            raise Refused("The event is not being played.")


def resume(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Let the clock of a suspended event go on with the time that was left."""
    with _directing(event_id, expected, by, "resumed", reason) as swiss:
        if not resume_locked(swiss):
            raise Refused("The event is not suspended.")
        drop(kind=AFTER_OUTAGE, subject=event_id)


def cancel(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Call the event off; what was played is kept and counts for nothing."""
    with _directing(event_id, expected, by, "cancelled", reason) as swiss:
        if swiss.is_over:
            raise Refused("%(event)s is over.", event=swiss.event.title)
        cancel_locked(swiss, why=reason)


def postpone(
    *, event_id: int, starts_at: datetime, local_start: str, expected: int, by: User, reason: str
) -> None:
    """Start an event that has not begun at another time."""
    with _directing(event_id, expected, by, "postponed", reason) as swiss:
        if swiss.state != Swiss.State.ANNOUNCED:
            raise Refused("The event has begun.")
        check_start(starts_at)
        Swiss.objects.filter(pk=event_id).update(starts_at=starts_at, local_start=local_start)
        Event.objects.filter(pk=event_id).update(played_on=starts_at.astimezone(swiss.tz).date())
        swiss.starts_at = starts_at
        schedule_start(swiss)
        entered = Entrant.objects.filter(swiss=swiss).values_list("player_id", flat=True)
        start = starts_at.isoformat()
        tell(swiss, "postponed", list(entered), key=f"{swiss.schedule_version}", starts_at=start)
        tell_of_overlaps(swiss)


def pair_again(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Seat the open round anew, for the pairs that take part now. Only while no result was entered in it."""
    with _directing(event_id, expected, by, "paired again", reason) as swiss:
        current = _open_round(swiss)
        results = Result.objects.filter(
            field_board__field=swiss.event.field_id, field_board__session=current.number
        )
        if results.exists() or Slip.objects.filter(round=current).exists():
            raise Refused("Results were entered in this round already.")
        if swiss.has_tables and has_begun(current):
            raise Refused("The round has begun: somebody has called already.")
        if swiss.has_tables and was_looked_at(current):
            raise Refused("Somebody was at a table already and has seen a hand of this round.")
        standings = standing_order(swiss=swiss)
        if sum(each.state == Entry.State.PLAYING for each in standings) < 2:
            raise Refused("Fewer than two pairs take part.")
        void_round_tables(swiss)
        Seat.objects.filter(round=current).delete()
        seat_round(swiss, current, standings)
        current.save(update_fields=["certificate"])
        open_round_tables(swiss, current, current.closes_at)
        write_round_scores(swiss=swiss, rounds=[current])
        rank_by_rounds(swiss=swiss)
        settle_round(event_id=event_id, number=current.number)
        tell_seats(swiss, current, key=f"{current.number} again {swiss.schedule_version}")


def reopen_corrections(*, event_id: int, expected: int, by: User, reason: str) -> None:
    """Take back that the result is final, for another correction period."""
    with _directing(event_id, expected, by, "reopened", reason) as swiss:
        if swiss.state != Swiss.State.OFFICIAL:
            raise Refused("The result is not final.")
        Swiss.objects.filter(pk=event_id).update(state=Swiss.State.FINISHED)
        period = correction_period(swiss, reopened=True)
        schedule(kind=OFFICIAL, subject=event_id, number=swiss.schedule_version + 1, due_at=now() + period)


@transaction.atomic
def report_missing(*, event_id: int, player: Player, by: User) -> bool:
    """A pair says that its opponents are not there. They take it back by saying that they are. Returns whether it is new."""
    swiss = lock_event(event_id)
    if swiss.has_tables:
        raise Refused("The table sees by itself who is there.")
    seat = (
        Seat.objects.filter(
            round__swiss=swiss, round__state=Round.State.OPEN, contestant__entry__entrants__player=player
        )
        .exclude(table=None)
        .first()
    )
    if seat is None:
        raise Refused("No round is being played in which you sit at a table.")
    if (
        not Seat.objects.filter(round=seat.round_id, table=seat.table, missing=False)
        .exclude(pk=seat.pk)
        .update(missing=True)
    ):
        return False
    record(
        actor=by,
        action="pairs.missing",
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"round": swiss.current_round, "table": seat.table, "reported by": seat.side},
    )
    touch(swiss)
    return True


@transaction.atomic
def call_director(*, event_id: int, player: Player, calling: bool = True) -> bool:
    """A side of a table asks for the director, or has been helped. Returns whether that is new.

    All who may direct the event are told of a call once, however often and by whom the table presses until it is helped.
    """
    swiss = lock_event(event_id)
    at = seat_of(swiss=swiss, player=player)
    if at is None:
        if calling:
            raise Refused("No round is being played in which you sit at a table.")
        return False
    calls = Seat.objects.filter(round=at.round, table=at.table).exclude(called_at=None)
    own = Seat.objects.filter(round=at.round, contestant=at.ns if at.side == "NS" else at.ew)
    was_open = calls.exists()
    if calling:
        changed = own.filter(called_at=None).update(called_at=now())
    else:
        changed = own.exclude(called_at=None).update(called_at=None)
    if not changed:
        return False
    call = f"{at.round.number} {at.table}"
    if not was_open:
        tell_directors(swiss, "director called", key=lately(call), table=at.table)
    elif not calls.exists():
        settle(swiss, f"director called {call}")
    touch(swiss)
    return True


def suspend_stuck(*, subject: int, number: int, error: str) -> None:
    """A step failed again and again: this event waits for a director, and all others go on."""
    swiss = lock_event(subject)
    if swiss.state == Swiss.State.ANNOUNCED:  # it could not even start
        call_off(swiss, why=_("It could not be started."))
    else:
        suspend_locked(swiss, why=_("The clock could not make the next step. A director has been called."))
        tell_directors(swiss, "waits", key=f"stuck {swiss.schedule_version}")
    record(
        actor=None,
        action="pairs.stuck",
        subject_kind="pairs.event",
        subject_id=subject,
        after={"number": number, "error": error[:500]},
    )


def give_outage_back(*, began_at: datetime, ended_at: datetime) -> None:
    """After the service was away: events that were being played get the time back, or wait for a decision.

    An event to which that cannot be done waits for a director; the others go on.
    """
    under_way = Q(state__in=(Swiss.State.RUNNING, Swiss.State.SUSPENDED, Swiss.State.FINISHED))
    in_grace = Q(state=Swiss.State.ANNOUNCED, starts_at__lte=began_at)
    for event_id in Swiss.objects.filter(under_way | in_grace).order_by("pk").values_list("pk", flat=True):
        try:
            with transaction.atomic():
                _give_outage_back(event_id, began_at, ended_at)
        except OperationalError:  # the database is away again: the clock asks once more
            raise
        except Exception as error:
            log.exception("event %s got no time back", event_id)
            with transaction.atomic():
                suspend_stuck(subject=event_id, number=0, error=str(error))


def _give_outage_back(event_id: int, began_at: datetime, ended_at: datetime) -> None:
    swiss, gap = lock_event(event_id), ended_at - began_at
    if swiss.state != Swiss.State.RUNNING:  # the grace, the time for a decision, corrections, an answer
        kinds = [START, AFTER_OUTAGE, OFFICIAL, UNANSWERED]
        shift(kinds=kinds, subjects=[event_id], seconds=ceil(gap.total_seconds()))
        return
    if gap <= SHORT_OUTAGE:
        give_time(swiss, gap)
        schedule_next_step(swiss)
        step(swiss)
    else:
        suspend_locked(swiss, why=_("The service was away for some time."), since=began_at)
        tell_directors(swiss, "waits", key=f"outage {began_at:%Y%m%d%H%M%S}")
        schedule(
            kind=AFTER_OUTAGE, subject=event_id, number=int(began_at.timestamp()), due_at=ended_at + PATIENCE
        )
    record(
        actor=None,
        action="pairs.outage",
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"seconds": int(gap.total_seconds()), "state": swiss.state},
    )


@transaction.atomic
def decide_after_outage(*, event_id: int) -> bool:
    """Nobody decided after a long outage: do what the event said it would. Returns whether this call did it."""
    swiss = lock_event(event_id)
    if swiss.state != Swiss.State.SUSPENDED:
        return False
    if swiss.after_outage == Swiss.AfterOutage.CANCEL:
        call_off(swiss, why=_("The service was away for too long."))
    else:
        resume_locked(swiss)
        if swiss.after_outage == Swiss.AfterOutage.CUT:
            Round.objects.filter(swiss=swiss, state=Round.State.OPEN, closes_at__gt=F("opens_at")).update(
                closes_at=now()
            )
            schedule_next_step(swiss)
    record(
        actor=None,
        action="pairs.decided after outage",
        subject_kind="pairs.event",
        subject_id=event_id,
        after={"rule": swiss.after_outage},
    )
    return True
