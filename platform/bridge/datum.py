"""The datum: the mean of a board's scores without the wildest, the yardstick of IMPs against the field ("Butler").

How many scores are left out at each end, and how the mean is rounded to a score, differs from program to program.
A `DatumRule` names one such way; `KNOWN_RULES` holds those that are in use.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction

import numpy as np
from numpy.typing import NDArray

from bridge.errors import BridgeError


class Rounding(StrEnum):
    """How a mean becomes a multiple of 10."""

    HALF_EVEN = "half-even"  # an exact 5 goes to the even ten: 425 -> 420, 435 -> 440 (ACBLscore, Datum)
    HALF_AWAY = "half-away"  # 425 -> 430, -425 -> -430 (Compscore)
    HALF_ZERO = "half-zero"  # 425 -> 420, -425 -> -420
    HALF_UP = "half-up"  # 425 -> 430, -425 -> -420 (programs that add a half and cut)
    TOWARD_ZERO = "toward-zero"  # 429 -> 420, -429 -> -420 (JFR)

    def __call__(self, mean: Fraction) -> int:
        tens = abs(mean) / 10
        whole, rest = divmod(tens, 1)
        half = Fraction(1, 2)
        match self:
            case Rounding.HALF_EVEN:
                up = rest > half or (rest == half and whole % 2 == 1)
            case Rounding.HALF_AWAY:
                up = rest >= half
            case Rounding.HALF_ZERO:
                up = rest > half
            case Rounding.HALF_UP:
                up = rest > half or (rest == half and mean > 0)
            case Rounding.TOWARD_ZERO:
                up = False
        size = 10 * (int(whole) + up)
        return size if mean >= 0 else -size

    def of_many(self, total: NDArray[np.int64], number: NDArray[np.int64]) -> NDArray[np.int64]:
        """The same for many means `total / number` at once; numbers are positive."""
        ten = 10 * number
        whole, rest = np.divmod(np.abs(total), ten)
        twice = 2 * rest
        match self:
            case Rounding.HALF_EVEN:
                up = (twice > ten) | ((twice == ten) & (whole % 2 == 1))
            case Rounding.HALF_AWAY:
                up = twice >= ten
            case Rounding.HALF_ZERO:
                up = twice > ten
            case Rounding.HALF_UP:
                up = (twice > ten) | ((twice == ten) & (total > 0))
            case Rounding.TOWARD_ZERO:
                up = np.zeros(total.shape, bool)
        size = 10 * (whole + up)
        rounded: NDArray[np.int64] = np.where(total < 0, -size, size)
        return rounded


@dataclass(frozen=True, slots=True)
class Trim:
    """How many scores are left out at each end: a fixed number, or a share of the results rounded half up.

    `fixed` and `share` may both be given: the larger number counts. Fewer than `least` results are not trimmed, and
    at least `keep` always remain.
    """

    fixed: int = 0
    share: Fraction = Fraction(0)
    least: int = 1
    keep: int = 1

    def __call__(self, results: int) -> int:
        """Scores left out at each end of so many results."""
        if results < self.least:
            return 0
        share = (2 * results * self.share.numerator + self.share.denominator) // (2 * self.share.denominator)
        each = max(self.fixed, share)
        return max(0, min(each, (results - self.keep) // 2))


@dataclass(frozen=True, slots=True)
class DatumRule:
    """A way to make a datum. `str` and `from_text` turn it into one word and back."""

    trim: Trim = Trim(fixed=1, share=Fraction(1, 10), least=5, keep=3)
    rounding: Rounding = Rounding.HALF_EVEN

    def __str__(self) -> str:
        """One word for a database column.

        >>> str(DatumRule())
        'fixed1+share1/10,least5,keep3;half-even'
        """
        trim = self.trim
        return f"fixed{trim.fixed}+share{trim.share},least{trim.least},keep{trim.keep};{self.rounding}"

    @classmethod
    def from_text(cls, text: str) -> "DatumRule":
        """The rule of which `text` is the `str`."""
        try:
            trim, rounding = text.split(";")
            drop, least, keep = trim.split(",")
            fixed, share = drop.split("+")
            return cls(
                Trim(
                    int(fixed.removeprefix("fixed")),
                    Fraction(share.removeprefix("share")),
                    int(least.removeprefix("least")),
                    int(keep.removeprefix("keep")),
                ),
                Rounding(rounding),
            )
        except ValueError:
            raise BridgeError("“%(text)s” is not a rule for a datum.", text=text) from None


DEFAULT_RULE = DatumRule()
"""A tenth at each end, at least one from 5 results on; an exact half goes to the even ten (domain 2.5)."""

_TRIMS = (
    DEFAULT_RULE.trim,
    Trim(fixed=1, least=3),  # one at each end, as Compscore does
    Trim(),  # nothing left out
    Trim(fixed=2, least=5),
    Trim(share=Fraction(1, 20), least=5),
    Trim(share=Fraction(1, 10), least=5),
    Trim(share=Fraction(1, 5), least=5),
    Trim(share=Fraction(1, 4), least=4),
)
KNOWN_RULES = tuple(DatumRule(trim, rounding) for trim in _TRIMS for rounding in Rounding)
"""The rules that a file may have been scored by, ours first."""


@dataclass(frozen=True, slots=True)
class Datum:
    """The datum of a board.

    Attributes:
        score: The datum in points, a multiple of 10, from North–South's side.
        mean: The mean before it was rounded.
        dropped: For each score, in the order given, whether it was left out. Among equals the first are the lowest.
    """

    score: int
    mean: Fraction
    dropped: tuple[bool, ...]


def datum(scores: Sequence[int], rule: DatumRule = DEFAULT_RULE) -> Datum | None:
    """The datum of a board's scores; None when there are none.

    Args:
        scores: North–South's scores at every table that has a real result.
        rule: How many are left out and how the mean is rounded.

    >>> datum([450, 420, -800, -50, 420, 420])
    Datum(score=300, mean=Fraction(605, 2), dropped=(True, False, True, False, False, False))
    """
    if not scores:
        return None
    each = rule.trim(len(scores))
    order = sorted(range(len(scores)), key=lambda place: (scores[place], place))
    kept = set(order[each : len(order) - each])
    mean = Fraction(sum(scores[place] for place in kept), len(kept))
    return Datum(rule.rounding(mean), mean, tuple(place not in kept for place in range(len(scores))))
