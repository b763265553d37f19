"""Master points for a place in an event, and the titles they lead to."""

from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction

from bridge.errors import BridgeError

PAID_PLACES = 10


def award(rank: int, finishers: int, *, min_finishers: int = 1) -> int:
    """Master points of each player of the pair in this place: 3 to the first, 2 to the next three, 1 to the rest paid.

    Half of those who finished are paid, rounded down, ten at the most; the first always is. With fewer than
    `min_finishers` nobody is.

    Args:
        rank: Counted from 1.
        finishers: Pairs that finished.
        min_finishers: How many make an event that counts.

    >>> [award(rank, 8) for rank in (1, 4, 5)]
    [3, 2, 0]
    >>> award(1, 3, min_finishers=4)
    0
    """
    if not 1 <= rank <= finishers:
        raise BridgeError("There is no place %(rank)s among %(finishers)s.", rank=rank, finishers=finishers)
    paid = min(PAID_PLACES, finishers // 2)
    if finishers < min_finishers:
        return 0
    if rank == 1:
        return 3
    if rank > paid:
        return 0
    return 2 if rank <= 4 else 1


def shared_awards(ranks: Sequence[int | None]) -> list[Decimal]:
    """Awards of a whole ranking list; pairs that share a rank share the awards of the places they take.

    Args:
        ranks: Competition ranks (1 1 3); None for a pair that is not ranked.

    Returns:
        One award per rank, in the same order, the average of the places rounded half up to 0.01.

    >>> [str(points) for points in shared_awards([1, 1, 3, 4, None])]
    ['2.50', '2.50', '0.00', '0.00', '0.00']
    """
    finishers = sum(rank is not None for rank in ranks)
    scale = [award(place, finishers) for place in range(1, finishers + 1)]
    return split_places(ranks, [Decimal(points) for points in scale])


def split_places(ranks: Sequence[int | None], scale: Sequence[Decimal]) -> list[Decimal]:
    """`scale` gives the award of each place; equal ranks share those of the places they take together."""
    together = Counter(rank for rank in ranks if rank is not None)
    awards = []
    for rank in ranks:
        if rank is None:
            awards.append(Decimal("0.00"))
            continue
        taken = scale[rank - 1 : rank - 1 + together[rank]]
        mean = Fraction(sum(map(Fraction, taken), Fraction(0)), together[rank])
        awards.append((Decimal(mean.numerator) / mean.denominator).quantize(Decimal("0.01"), ROUND_HALF_UP))
    return awards


@dataclass(frozen=True, slots=True)
class Title:
    """A title and the master points it takes."""

    level: int
    name: str
    points: int


TITLES = tuple(
    Title(level, name, points)
    for level, (name, points) in enumerate(
        [
            ("No title", 0),
            ("Graded Player", 1),
            ("Intermediate Player", 5),
            ("Advanced Player", 15),
            ("Summit Player", 30),
            ("Summit Expert", 60),
            ("Summit Master", 100),
            ("Summit Star", 200),
            ("Honoured Guest of Bridge", 350),
            ("Association Master", 600),
            ("Honorary Master", 1000),
            ("Professional", 2000),
        ]
    )
)


def title(points: Decimal | int, titles: Sequence[Title] = TITLES) -> Title:
    """The highest title that so many points reach.

    >>> title(Decimal("14.99")).name
    'Intermediate Player'
    """
    return max(
        (each for each in titles if each.points <= points), key=lambda each: each.points, default=titles[0]
    )
