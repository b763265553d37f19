"""Setting up an event that runs itself: planned as a draft, changed, announced."""

from dataclasses import dataclass, fields
from datetime import datetime, timedelta
from typing import Any
from zoneinfo import ZoneInfo, available_timezones

from django.db import connection, transaction

from apps.boards.services import seal_deals
from apps.clock.services import record
from apps.pairs.models import Entry, Event, Series, Swiss
from apps.pairs.services.direction import LONGEST, Stale, too_long
from apps.pairs.services.local_time import check_start, first_instant, the_instant
from apps.pairs.services.locks import lock_event, step
from apps.pairs.services.registration import Refused
from apps.pairs.services.rounds import schedule_start
from apps.results.models import Field
from apps.results.services import create_field
from apps.users.models import User
from bridge.comparison import Method, Rules

BOUNDS = {
    "rounds": (1, 40),
    "boards": (1, 36),
    "minutes": (1, 600),
    "pause": (0, 120),
    "presence_minutes": (0, 240),
    "grace": (0, 60),
    "late_until": (1, 40),
    "min_pairs": (2, 1000),
    "max_pairs": (2, 1000),
    "hold": (1, 60),
    "min_finishers": (1, 100),
    "finish_percent": (60, 80),
    "turn_seconds": (15, 600),
    "correction_minutes": (0, 14 * 24 * 60),
}
_SETTING_UP = 0x53657455  # the advisory lock of `create_swiss`
WITH_VPS = (Method.BUTLER, Method.CROSS_IMP)


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """What an administrator fills in. `local_start` is what the clocks of `zone` show when the event starts."""

    title: str
    organisation: str = ""
    method: Method = Method.BUTLER
    by_vps: bool = False
    zone: str
    local_start: datetime
    rounds: int = 6
    boards: int = 4
    minutes: int = 30
    pause: int = 2
    cut: Swiss.Cut = Swiss.Cut.MINUS
    barometer: bool = False
    play: Swiss.Play = Swiss.Play.ENTERED
    undo: Swiss.Undo = Swiss.Undo.PLAYERS
    stop: bool = False
    turn_seconds: int | None = None
    presence_minutes: int = 10
    grace: int = 3
    late_until: int = 1
    admission: Swiss.Admission = Swiss.Admission.EVERYBODY
    invited: tuple[int, ...] = ()  # players by id
    min_pairs: int = 4
    max_pairs: int | None = None
    hold: int = 3
    finish_percent: int = 70
    awards_masterpoints: bool = True
    min_finishers: int = 1
    correction_minutes: int = 30
    after_outage: Swiss.AfterOutage = Swiss.AfterOutage.RESUME

    @property
    def starts_at(self) -> datetime:
        return first_instant(self.local_start, ZoneInfo(self.zone))

    @property
    def lasts(self) -> timedelta:
        return timedelta(minutes=self.rounds * self.minutes + (self.rounds - 1) * self.pause)

    def as_json(self) -> dict[str, Any]:
        return {each.name: getattr(self, each.name) for each in fields(self)}


ON_EVENT = {"title", "organisation", "finish_percent", "awards_masterpoints"}
ON_SWISS = {each.name for each in fields(Plan)} - ON_EVENT - {"method", "local_start", "invited"}
ENTERED_FOR = {
    "method",
    "by_vps",
    "zone",
    "local_start",
    "rounds",
    "boards",
    "minutes",
    "pause",
    "cut",
    "barometer",
    "play",
    "undo",
    "stop",
    "turn_seconds",
    "finish_percent",
    "awards_masterpoints",
    "min_finishers",
}


def plan_of(swiss: Swiss) -> Plan:
    """How the event is set up."""
    own = {name: getattr(swiss, name) for name in ON_SWISS}
    of_event = {name: getattr(swiss.event, name) for name in ON_EVENT}
    return Plan(
        method=Method(swiss.event.field.method),
        local_start=datetime.fromisoformat(swiss.local_start),
        invited=tuple(swiss.invited.order_by("pk").values_list("pk", flat=True)),
        **own,
        **of_event,
    )


def faults_of(plan: Plan, *, weekly: bool = False) -> dict[str, Refused]:
    """What is wrong with a plan, by the field that has to change; empty when nothing is.

    Args:
        plan: What is planned.
        weekly: Whether a start that comes twice, for the clocks go back, may stand: it is the first of the two.
    """
    found = {
        name: Refused("Choose a number from %(least)s to %(most)s.", least=least, most=most)
        for name, (least, most) in BOUNDS.items()
        if getattr(plan, name) is not None and not least <= getattr(plan, name) <= most
    }

    def fault(name: str, message: Refused) -> None:
        found.setdefault(name, message)

    if not plan.title.strip():
        fault("title", Refused("The event needs a name."))
    if plan.zone not in available_timezones():
        fault("zone", Refused("There is no time zone %(zone)s.", zone=plan.zone))
    else:
        try:
            starts_at = plan.starts_at if weekly else the_instant(plan.local_start, ZoneInfo(plan.zone))
            check_start(starts_at)
        except Refused as refused:
            fault("local_start", refused)
        except OverflowError:
            fault("local_start", Refused("Please choose another day."))
    if plan.boards > plan.minutes:
        fault(
            "minutes",
            Refused(
                "%(boards)s boards do not fit into %(minutes)s minutes: a board takes at least one.",
                boards=plan.boards,
                minutes=plan.minutes,
            ),
        )
    if not found.keys() & {"rounds", "minutes", "pause"} and plan.lasts > LONGEST:
        fault("rounds", too_long(plan.lasts))
    if plan.by_vps and plan.method not in WITH_VPS:
        fault(
            "by_vps",
            Refused("Victory points are made of IMPs: choose IMPs against the datum, or cross-IMPs."),
        )
    if plan.cut == Swiss.Cut.CLOCK and plan.play != Swiss.Play.TABLES:
        fault(
            "cut",
            Refused("Only tables of this site have a clock. Choose another rule, or have it played here."),
        )
    if plan.late_until > plan.rounds:
        fault("late_until", Refused("There are only %(rounds)s rounds.", rounds=plan.rounds))
    if plan.max_pairs is not None and plan.max_pairs < plan.min_pairs:
        fault("max_pairs", Refused("This is less than the smallest number of pairs."))
    if plan.admission == Swiss.Admission.INVITED and len(plan.invited) < 2 * plan.min_pairs:
        fault(
            "invited",
            Refused(
                "The list has %(players)s players, but %(pairs)s pairs are needed.",
                players=len(plan.invited),
                pairs=plan.min_pairs,
            ),
        )
    return found


@transaction.atomic
def create_swiss(*, plan: Plan, by: User | None, key: str, series: Series | None = None) -> Swiss:
    """Set up an event as a draft, which only directors see. Repeated with the same key: the event there is.

    Args:
        plan: How it is to be.
        by: Who sets it up; nobody when the clock extends a series.
        key: Names this event among all that are set up; a form has one of its own each time it is opened.
        series: The series that it belongs to.

    Raises:
        Refused: The plan has a fault.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_SETTING_UP])
    there = Swiss.objects.select_related("event__field").filter(event__source_key=key).first()
    if there:
        return there
    _refuse(plan, weekly=series is not None)
    field = create_field(rules=Rules(plan.method), by_session=True)
    event = Event(field=field, created_by=by, source_key=key)
    swiss = Swiss(event=event, series=series)
    _write(swiss, plan)
    record(
        actor=by,
        action="pairs.set up",
        subject_kind="pairs.event",
        subject_id=event.pk,
        after=plan.as_json(),
    )
    return swiss


def _refuse(plan: Plan, *, weekly: bool = False) -> None:
    for refused in faults_of(plan, weekly=weekly).values():
        raise refused


def _write(swiss: Swiss, plan: Plan) -> None:
    """Bring event and settings to the plan."""
    event = swiss.event
    for name in ON_EVENT:
        setattr(event, name, getattr(plan, name))
    event.played_on = (
        plan.local_start.date()
    )  # the day in the zone of the event, whatever day it is elsewhere
    event.save()
    Field.objects.filter(pk=event.field_id).update(method=plan.method)
    for name in ON_SWISS:
        setattr(swiss, name, getattr(plan, name))
    swiss.event = event
    swiss.local_start, swiss.starts_at = f"{plan.local_start:%Y-%m-%dT%H:%M}", plan.starts_at
    swiss.save()
    swiss.invited.set(plan.invited)


@transaction.atomic
def announce_swiss(*, event_id: int, by: User | None) -> bool:
    """Show the event to everybody, promise its deals, and let the clock start it. Returns whether this call did it.

    Raises:
        Refused: The plan has a fault by now; its start has passed, for instance.
    """
    swiss = lock_event(event_id)
    event = swiss.event
    if event.state != Event.State.DRAFT:
        return False
    _refuse(plan_of(swiss), weekly=swiss.series_id is not None)
    seal = seal_deals(name=f"pairs-{event_id}")
    Swiss.objects.filter(pk=event_id).update(seal=seal)
    event.state = Event.State.ANNOUNCED
    event.save(update_fields=["state"])
    record(actor=by, action="pairs.announced", subject_kind="pairs.event", subject_id=event_id)
    schedule_start(swiss)
    step(swiss)
    return True


@transaction.atomic
def change_swiss(*, event_id: int, plan: Plan, expected: int, by: User) -> bool:
    """Change how an event is set up, until it begins. Returns whether anything changed.

    What pairs entered for stays once a pair has entered: when it starts, how it is scored, what is played.

    Raises:
        Stale: It has changed since the administrator looked.
        Refused: It has begun, the plan has a fault, or pairs entered for what would change.
    """
    swiss = lock_event(event_id)
    if swiss.schedule_version != expected:
        raise Stale("The event has moved on since you looked at it. Please look again.")
    if swiss.state != Swiss.State.ANNOUNCED:
        raise Refused("The event has begun.")
    before = plan_of(swiss)
    changed = {name for name in before.as_json() if getattr(before, name) != getattr(plan, name)}
    if not changed:
        return False
    _refuse(plan, weekly="local_start" not in changed and swiss.series_id is not None)
    pairs = Entry.objects.filter(swiss=swiss).exclude(state=Entry.State.WITHDRAWN).count()
    if pairs and changed & ENTERED_FOR:
        raise Refused(
            "Pairs have entered, and what they entered for stays: start, scoring, rounds, boards and minutes. The"
            " director's page can start it at another time or change the number of rounds, with a reason."
        )
    if plan.max_pairs is not None and pairs > plan.max_pairs:
        raise Refused("%(pairs)s pairs have entered already.", pairs=pairs)
    _write(swiss, plan)
    record(
        actor=by,
        action="pairs.changed",
        subject_kind="pairs.event",
        subject_id=event_id,
        before={name: before.as_json()[name] for name in sorted(changed)},
        after={name: plan.as_json()[name] for name in sorted(changed)},
    )
    if swiss.event.state == Event.State.ANNOUNCED:
        schedule_start(swiss)
    step(swiss)
    return True
