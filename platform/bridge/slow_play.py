"""A board that the bell cuts off, judged by the table's own clock: who was slow, and what each side gets (Law 12C2)."""

from dataclasses import dataclass
from fractions import Fraction

from bridge.awards import Grade, Ruling
from bridge.seats import Side

SLOW_SHARE = Fraction(60, 100)
SLOW_MARGIN = 120  # seconds


@dataclass(frozen=True, slots=True)
class TimeUsed:
    """For how many seconds a table waited for each side, on all boards of a round together."""

    ns: int
    ew: int

    def of(self, side: Side) -> int:
        return self.ns if side is Side.NS else self.ew


def slow_side(used: TimeUsed) -> Side | None:
    """The side that used clearly more than its share: over 60 % of the time, and two minutes more than the other.

    >>> slow_side(TimeUsed(ns=500, ew=300))
    <Side.NS: 'NS'>
    >>> slow_side(TimeUsed(ns=200, ew=100)) is None
    True
    """
    for side in Side:
        own, other = used.of(side), used.of(side.opponents)
        if own > SLOW_SHARE * (own + other) and own - other >= SLOW_MARGIN:
            return side
    return None


def cut_by_the_clock(used: TimeUsed, *, allowed: int) -> Ruling:
    """What both sides get on a board of the round that was not finished.

    Average minus for the side that was clearly slow. The other gets average plus while it stayed within its half of the
    time, and average when it did not: then it was partly at fault itself. Where no side was clearly slow, both were partly
    at fault, and get average.

    Args:
        used: On all boards of the round, the one that was cut included.
        allowed: How many seconds the round had, for both sides together.
    """
    slow = slow_side(used)
    if slow is None:
        return Ruling(Grade.AVERAGE, Grade.AVERAGE)
    other = Grade.PLUS if 2 * used.of(slow.opponents) <= allowed else Grade.AVERAGE
    return Ruling(Grade.MINUS, other) if slow is Side.NS else Ruling(other, Grade.MINUS)
