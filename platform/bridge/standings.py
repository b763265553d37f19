"""From totals to ranks: shared ranks, who has finished, and what is not ranked at all."""

from collections.abc import Sequence
from dataclasses import dataclass
from fractions import Fraction


@dataclass(frozen=True, slots=True)
class Place:
    """A rank counted from 1 and whether others share it; a rank of None is not ranked."""

    rank: int | None
    tied: bool = False

    def __str__(self) -> str:
        return "–" if self.rank is None else f"{self.rank}=" if self.tied else str(self.rank)


def has_finished(completed: int, scheduled: int, percent: int) -> bool:
    """Whether a pair that completed so many of its boards is ranked: completed ≥ ⌈percent * scheduled / 100⌉.

    >>> [has_finished(boards, 24, 70) for boards in (16, 17)]
    [False, True]
    """
    return 100 * completed >= percent * scheduled


def places(totals: Sequence[Fraction | int], ranked: Sequence[bool] | None = None) -> list[Place]:
    """Ranks by total, highest first; equal totals share a rank and the next ranks are left out: 1 1 1 4.

    Args:
        totals: Exact totals, in any order. Sums of rounded figures would split ties that are none.
        ranked: Which of them take part; all when left out.

    Returns:
        One place per total, in the same order.

    >>> [str(place) for place in places([60, 55, 60, 50], [True, True, True, False])]
    ['1=', '3', '1=', '–']
    """
    taking_part = [True] * len(totals) if ranked is None else ranked
    ordered = sorted(
        (total for total, counts in zip(totals, taking_part, strict=True) if counts), reverse=True
    )
    first: dict[Fraction | int, int] = {}
    shared: set[Fraction | int] = set()
    for rank, total in enumerate(ordered, 1):
        if total in first:
            shared.add(total)
        first.setdefault(total, rank)
    return [
        Place(first[total], total in shared) if counts else Place(None)
        for total, counts in zip(totals, taking_part, strict=True)
    ]
