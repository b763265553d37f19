"""Victory points: the WBF's continuous scale of 2013."""

from decimal import ROUND_HALF_UP, Decimal, localcontext
from fractions import Fraction
from functools import cache
from itertools import count, takewhile

from bridge.errors import BridgeError


@cache
def winners_scale(boards: int) -> tuple[int, ...]:
    """The winner's victory points in hundredths for a margin of 0, 1, 2 … IMPs; the last is 2000.

    V(I) = 10 + 10 * (1 - R^(I/X)) / (1 - R) with R = ((√5 - 1) / 2)^3 and X = 15 * √boards, rounded half up. Where
    rounding makes a step larger than the one before it, 0.01 is added below it, until no step grows any more
    (the WBF's concavity correction).

    Args:
        boards: The scheduled number of boards, 1 or more.
    """
    if boards < 1:
        raise BridgeError("A match has at least one board, not %(boards)s.", boards=boards)
    with localcontext(prec=50):
        ratio = ((Decimal(5).sqrt() - 1) / 2) ** 3
        blitz = 15 * Decimal(boards).sqrt()
        scale = [
            int(
                (1000 + 1000 * (1 - ratio ** (margin / blitz)) / (1 - ratio)).quantize(
                    Decimal(1), ROUND_HALF_UP
                )
            )
            for margin in takewhile(lambda margin: margin < blitz, map(Decimal, count()))
        ]
    scale.append(2000)
    growing = True
    while growing:
        growing = False
        for margin in range(1, len(scale) - 1):
            if scale[margin + 1] - scale[margin] > scale[margin] - scale[margin - 1]:
                scale[margin] += 1
                growing = True
    return tuple(scale)


def victory_points(margin: int | Fraction, boards: int) -> tuple[Decimal, Decimal]:
    """Victory points of both teams, which sum to 20.

    Args:
        margin: IMPs of the first team less those of the second. A fraction, after a weighted ruling, lies on the
            straight line between its neighbours in the table and is rounded half up.
        boards: The scheduled number of boards.

    Returns:
        The first team's and the second team's points, with two decimals.

    >>> victory_points(23, 8)
    (Decimal('17.11'), Decimal('2.89'))
    """
    scale = winners_scale(boards)
    whole, part = divmod(abs(Fraction(margin)), 1)
    low = scale[min(int(whole), len(scale) - 1)]
    high = scale[min(int(whole) + 1, len(scale) - 1)]
    winner = int(low + part * (high - low) + Fraction(1, 2))
    first = winner if margin >= 0 else 2000 - winner
    return Decimal(first).scaleb(-2), Decimal(2000 - first).scaleb(-2)
