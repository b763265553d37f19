"""What a round brings to a pair that did not play it out, and how its points become victory points."""

from enum import StrEnum
from fractions import Fraction

from bridge.awards import Grade, Ruling, Stated
from bridge.comparison import Method
from bridge.vps import victory_points

BYE_PERCENT = 60
BYE_VPS = 12
BYE_IMPS = 1  # a board; between 12 victory points, worth 0.4–0.9 IMPs a board, and 60 %, worth 1.5
ABSENT_PERCENT = 40


class Cut(StrEnum):
    """What both pairs get on a board that the bell cut off. It is not played later, and not completed."""

    MINUS = "minus"  # 0 IMPs, or 40 % of the matchpoints: average minus
    AVERAGE = "average"  # 0 IMPs, or 50 %
    NOTHING = "nothing"  # 0 IMPs, or 0 %


def cut_ruling(method: Method, cut: Cut) -> Ruling:
    """The ruling that stands for a board cut off.

    Stated, and not a `Grade`: average minus never follows a pair's own percentage here, for nobody judged a fault.
    """
    if method is not Method.MP:
        return Ruling(Grade.AVERAGE, Grade.AVERAGE)
    share = Stated(Fraction({Cut.MINUS: 40, Cut.AVERAGE: 50, Cut.NOTHING: 0}[cut]))
    return Ruling(share, share)


def bye_score(method: Method, *, by_vps: bool, boards: int, tables: int) -> Fraction:
    """The score of a round for a pair that sits out, or whose opponents are not there; its boards are completed.

    Args:
        method: How the event is scored.
        by_vps: Whether rounds count in victory points.
        boards: Boards of the round.
        tables: Tables that play it; total IMPs grow with them.

    Returns:
        Percentages of boards summed (MP), victory points, or IMPs.
    """
    if by_vps:
        return Fraction(BYE_VPS)
    match method:
        case Method.MP:
            return Fraction(BYE_PERCENT * boards)
        case Method.TOTAL_IMP:
            return Fraction(BYE_IMPS * boards * max(tables - 1, 0))
        case Method.BUTLER | Method.CROSS_IMP:
            return Fraction(BYE_IMPS * boards)


def absent_score(method: Method, *, by_vps: bool, boards: int) -> Fraction:
    """The score of a round for a pair that was seated and did not come: 40 % of the boards, 0 IMPs, 0 VPs."""
    return Fraction(ABSENT_PERCENT * boards if method is Method.MP and not by_vps else 0)


def round_vps(imps: Fraction, boards: int) -> Fraction:
    """Victory points of a pair that won so many IMPs net in a round of so many boards."""
    return Fraction(victory_points(imps, boards)[0])
