"""What a plan means: when its rounds are, how many boards they make, and what is unusual about it."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from zoneinfo import ZoneInfo

from apps.pairs.models import Round
from apps.pairs.services.setup import Plan
from bridge.errors import Sentence


@dataclass(frozen=True, slots=True)
class RoundTimes:
    """When a round is to be, if nobody has to wait; or when it was, as far as it has come: `state` says which.

    What has not come is None when nobody knows: the event stands still, or is over.
    """

    number: int
    opens_at: datetime
    closes_at: datetime | None
    state: Round.State = Round.State.PENDING


@dataclass(frozen=True, slots=True)
class Outlook:
    """What a plan means.

    Attributes:
        ends_at: When the ranking is to stand; None when nobody knows, or it does.
        boards: Boards of the whole event.
        to_finish: How many of them a pair completes at least, to be ranked.
        minutes_a_board: Time for each board.
        most_rounds: How many rounds the smallest field can play without meeting anybody twice.
        advice: What an administrator may want to think over.
    """

    rounds: list[RoundTimes]
    ends_at: datetime | None
    boards: int
    to_finish: int
    minutes_a_board: Fraction
    most_rounds: int
    advice: list[Sentence]


def outlook_of(plan: Plan, rounds: Sequence[Round] = (), *, goes_on: bool = True) -> Outlook:
    """What this plan means.

    Args:
        plan: The plan.
        rounds: Those of an event that has begun, as the clock has them.
        goes_on: Whether it does, or will: what is still to come has its times only then.
    """
    boards = plan.rounds * plan.boards
    times = [_times(each, goes_on) for each in rounds if goes_on or each.opened_at]
    if goes_on and not times:
        times = _planned(plan)
    return Outlook(
        rounds=times,
        ends_at=times[-1].closes_at if goes_on else None,
        boards=boards,
        to_finish=-(-plan.finish_percent * boards // 100),
        minutes_a_board=Fraction(plan.minutes, plan.boards),
        most_rounds=_most_rounds(plan.min_pairs),
        advice=_advice(plan),
    )


def _times(each: Round, goes_on: bool) -> RoundTimes:
    closes_at = each.closed_at or (each.closes_at if goes_on else None)
    return RoundTimes(each.number, each.opened_at or each.opens_at, closes_at, Round.State(each.state))


def _planned(plan: Plan) -> list[RoundTimes]:
    length, pause = timedelta(minutes=plan.minutes), timedelta(minutes=plan.pause)
    opens = [plan.starts_at + at * (length + pause) for at in range(plan.rounds)]
    return [RoundTimes(number, at, at + length) for number, at in enumerate(opens, 1)]


def _most_rounds(pairs: int) -> int:
    """In an odd field a pair sits out each round, so that it takes one round more to meet everybody."""
    return pairs - 1 if pairs % 2 == 0 else pairs


def _advice(plan: Plan) -> list[Sentence]:
    advice = []
    if plan.minutes < 5 * plan.boards:
        advice.append(
            Sentence("A board has less than 5 minutes: the bell will cut many. 7 to 8 minutes are usual.")
        )
    if plan.by_vps and plan.boards < 5:
        advice.append(Sentence("Victory points say little about rounds of fewer than 5 boards."))
    if plan.rounds > _most_rounds(plan.min_pairs):
        advice.append(
            Sentence(
                "Should only %(pairs)s pairs come, some of them meet twice after round %(rounds)s.",
                pairs=plan.min_pairs,
                rounds=_most_rounds(plan.min_pairs),
            )
        )
    if plan.late_until > 1 and plan.finish_percent * plan.rounds > 100 * (plan.rounds - plan.late_until + 1):
        advice.append(
            Sentence(
                "A pair that enters for round %(round)s can no longer complete %(percent)s %% of the boards.",
                round=plan.late_until,
                percent=plan.finish_percent,
            )
        )
    zone = ZoneInfo(plan.zone)
    start, end = plan.starts_at.astimezone(zone), (plan.starts_at + plan.lasts).astimezone(zone)
    if start.utcoffset() != end.utcoffset():
        advice.append(
            Sentence(
                "The clocks of %(zone)s change while it is played. Rounds keep their length.", zone=plan.zone
            )
        )
    return advice
