"""What the clock does to events, each with the service that does it."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from apps.clock.signals import service_resumed
from apps.clock.transitions import transition
from apps.pairs.selectors.tables import UNANSWERED
from apps.pairs.services import desk, direction, rounds, series


@transition(rounds.START, on_stuck=direction.suspend_stuck)
def start(*, subject: int, number: int) -> None:
    rounds.start(event_id=subject, call=number)


@transition(rounds.OPEN, on_stuck=direction.suspend_stuck)
def open_round(*, subject: int, number: int) -> None:
    rounds.open_round(event_id=subject, number=number)


@transition(rounds.CLOSE, on_stuck=direction.suspend_stuck)
def close_round(*, subject: int, number: int) -> None:
    rounds.close_round(event_id=subject, number=number)


@transition(rounds.SETTLE)
def settle_round(*, subject: int, number: int) -> None:
    rounds.settle_round(event_id=subject, number=number)


@transition(rounds.FINISH, on_stuck=direction.suspend_stuck)
def finish(*, subject: int, number: int) -> None:
    rounds.finish(event_id=subject)


@transition(rounds.OFFICIAL)
def make_official(*, subject: int, number: int) -> None:
    rounds.make_official(event_id=subject, reopened=number > 0)


@transition(UNANSWERED)
def leave_unanswered(*, subject: int, number: int) -> None:
    rounds.stop_waiting(event_id=subject, answered=False)


@transition(desk.ENTER)
def enter_from_desk(*, subject: int, number: int) -> None:
    desk.enter_from_desk(event_id=subject)


@transition(direction.AFTER_OUTAGE)
def after_outage(*, subject: int, number: int) -> None:
    direction.decide_after_outage(event_id=subject)


@transition(series.EXTEND)
def extend_series(*, subject: int, number: int) -> None:
    series.extend_series(series_id=subject)


@receiver(service_resumed)
def give_time_back(began_at: datetime, ended_at: datetime, **_: Any) -> None:
    direction.give_outage_back(began_at=began_at, ended_at=ended_at)
