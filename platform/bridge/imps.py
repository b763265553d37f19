"""International match points (Law 78B), and IMPs against every other result."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Sequence

import numpy as np
from numpy.typing import NDArray

from bridge.errors import ImpossibleResult

BOUNDS = (
    20, 50, 90, 130, 170, 220, 270, 320, 370, 430, 500, 600,
    750, 900, 1100, 1300, 1500, 1750, 2000, 2250, 2500, 3000, 3500, 4000,
)  # fmt: skip
"""The smallest difference for 1, 2, 3 … 24 IMPs."""


def imps(difference: int) -> int:
    """IMPs for a difference of scores, with its sign (Law 78B).

    Raises:
        ImpossibleResult: The difference is not a multiple of 10.

    >>> imps(420 - -1660)
    19
    """
    if difference % 10:
        raise ImpossibleResult(
            "Scores differ by a multiple of 10, not by %(difference)s.", difference=difference
        )
    won = bisect_right(BOUNDS, abs(difference))
    return won if difference > 0 else -won


IMPS_BY_TENS: NDArray[np.int64] = np.array(
    [imps(10 * tens) for tens in (*range(1521), *range(-1520, 0))], np.int64
)
"""IMPs by a tenth of the difference, which may be negative: such a place counts from the end, where its IMPs stand.

15 200 is the largest difference of two scores.
"""


def total_imps(scores: Sequence[int]) -> list[int]:
    """For each score the sum of its IMPs against all the others, in the same order; together 0.

    >>> total_imps([420, 170, 300])
    [9, -10, 1]
    """
    counts = Counter(scores)
    sums = {own: sum(imps(own - other) * count for other, count in counts.items()) for own in counts}
    return [sums[score] for score in scores]
