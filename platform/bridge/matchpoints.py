"""Matchpoints (Law 78A), and Neuberg's formula for boards with fewer results than the others."""

from bisect import bisect_left, bisect_right
from collections.abc import Sequence
from fractions import Fraction


def matchpoints(scores: Sequence[int]) -> list[int]:
    """Matchpoints of each score against all the others, in the same order (Law 78A).

    Args:
        scores: One side's duplicate scores on one board, one per table.

    Returns:
        One integer per score: 2 for each score beaten, 1 for each equal; 0 to 2 * (len(scores) - 1), together
        n * (n - 1).

    >>> matchpoints([620, -100, 630, 620, 1100])
    [3, 0, 6, 3, 8]
    """
    ordered = sorted(scores)
    return [bisect_left(ordered, score) + bisect_right(ordered, score) - 1 for score in scores]


def neuberg(points: Fraction | int, results: int, expected: int) -> Fraction:
    """Matchpoints on a board with fewer results, made comparable with the other boards.

    Each of the results counts `expected / results` times: M' = (M + 1) * N / n - 1. Source: the EBU's article on the
    Neuberg formula. Not rounded.

    >>> [float(neuberg(points, 10, 11)) for points in (18, 0)]
    [19.9, 0.1]
    """
    return (Fraction(points) + 1) * expected / results - 1


def top(expected: int) -> int:
    """The most matchpoints to be had on a board that is expected to have so many results."""
    return 2 * (expected - 1)
