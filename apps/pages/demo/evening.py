"""The demo shows an event in progress: one simulated evening after the other, in which visitors can play."""

import logging
from datetime import timedelta

from apps.clock.time import now
from apps.pages.demo.cast import KEY, Cast
from apps.pages.demo.load import ORGANISATION, is_loaded
from apps.pages.demo.simulation import DIRECTOR, Ended, Simulation, set_up
from apps.pages.demo.timekeeping import full_minute, patiently
from apps.pairs.models import Swiss
from apps.pairs.services import direction
from apps.pairs.services.setup import Plan
from apps.users.models import User
from bridge.comparison import Method

log = logging.getLogger(__name__)

METHODS = (Method.MP, Method.BUTLER, Method.CROSS_IMP)  # in turn
FIRST = 2  # minutes from the announcement to the start when nothing was played lately
EVERY = 60  # minutes at least from one start to the next: so the demo's database grows slowly
FIELDS = 5  # of members, who come in turn
VISITOR = "player"


def keep_one_going() -> None:
    """Play one evening after the other, for ever."""
    while True:
        event_id = patiently(coming_evening)
        try:
            Simulation(event_id).run()
        except Ended as ended:
            log.warning("%s", ended)


def coming_evening() -> int:
    """The evening that is not over, or else a new one; its id. One that an interruption stopped goes on."""
    evenings = Swiss.objects.select_related("event").filter(
        event__organisation=ORGANISATION, event__source_key__startswith=KEY
    )
    last = evenings.order_by("-pk").first()
    if last and not last.is_over:
        if last.state == Swiss.State.SUSPENDED:
            by = User.objects.get(username=DIRECTOR)
            why = "The site is back. 网站已恢复。"
            direction.resume(event_id=last.pk, expected=last.schedule_version, by=by, reason=why)
        event_id: int = last.pk
        return event_id
    ahead = FIRST
    if last:
        next_one = last.starts_at + timedelta(minutes=EVERY)
        ahead = max(FIRST, round((next_one - now()).total_seconds() / 60))
    number = evenings.count() + 1
    plan = Plan(
        title=f"现场演示 Live demonstration {number}",
        organisation=ORGANISATION,
        zone="UTC",
        local_start=full_minute(ahead),
        method=METHODS[number % len(METHODS)],
        rounds=6,
        boards=2,
        minutes=8,
        pause=1,
        play=Swiss.Play.TABLES,
        cut=Swiss.Cut.CLOCK,
        barometer=True,
        presence_minutes=60,
        grace=0,
        late_until=5,
        min_pairs=4,
        hold=3,
        awards_masterpoints=is_loaded(),
    )
    return set_up(plan, Cast(seed=number % FIELDS, pairs=16, visitor=VISITOR, run=f"evening {number}"))
