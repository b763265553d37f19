"""The high-card corrected score of a single board: what a side won against what its cards were worth."""

from bridge.errors import BridgeError
from bridge.imps import imps

BASE = 20
"""Half of the 40 high-card points of a deck: the sum for both sides is 0."""


def high_card_result(ns_score: int, ns_points: int, base: int = BASE) -> int:
    """North–South's result: IMPs of the score, plus the base, less the side's high-card points; East–West the negative.

    A board that was passed out is void in this game; whoever plays it does not call this.

    Args:
        ns_score: The duplicate score from North–South's side.
        ns_points: High-card points of the two hands, 0 to 37.
        base: Points that an average pair holds.

    >>> high_card_result(620, 22)
    10
    """
    if not 0 <= ns_points <= 40:
        raise BridgeError("Two hands hold 0 to 40 points, not %(points)s.", points=ns_points)
    return imps(ns_score) + base - ns_points
