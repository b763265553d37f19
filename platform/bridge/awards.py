"""Adjusted scores (Laws 12C and 86): what a director gives to each side in place of, or after, a result.

A ruling holds one award for each side, and the two need not balance. An award is one of

- a `Grade`: average plus, average, average minus, for the side that was not, partly, or directly at fault;
- a `Stated` percentage, such as 60/40 without a reason in the Laws' own terms;
- a `Mixture` of scores with weights, the scores seen from North–South. One score of weight 1 is an assigned score;
  different scores for the two sides are a split score.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from enum import StrEnum
from fractions import Fraction
from typing import Any

from bridge.errors import ImpossibleAward


class Grade(StrEnum):
    """The artificial scores of Law 12C2."""

    PLUS = "A+"
    AVERAGE = "A"
    MINUS = "A-"

    @property
    def percent(self) -> Fraction:
        return Fraction({"A+": 60, "A": 50, "A-": 40}[self.value])

    @property
    def sign(self) -> int:
        return {"A+": 1, "A": 0, "A-": -1}[self.value]


@dataclass(frozen=True, slots=True)
class Stated:
    """A percentage of a top, 0 to 100."""

    percent: Fraction

    def __post_init__(self) -> None:
        if not 0 <= self.percent <= 100:
            raise ImpossibleAward(
                "A percentage lies between 0 and 100, not at %(percent)s.", percent=str(self.percent)
            )

    @property
    def sign(self) -> int:
        return (self.percent > 50) - (self.percent < 50)


@dataclass(frozen=True, slots=True)
class Mixture:
    """Scores of North–South with their weights, which sum to 1."""

    parts: tuple[tuple[Fraction, int], ...]

    def __post_init__(self) -> None:
        if sum(weight for weight, _ in self.parts) != 1 or any(weight <= 0 for weight, _ in self.parts):
            raise ImpossibleAward("The weights of a weighted score are above 0 and sum to 1.")
        if any(score % 10 or abs(score) > 7600 for _, score in self.parts):
            raise ImpossibleAward("A score is a multiple of 10 between −7600 and 7600.")

    @property
    def score(self) -> int | None:
        """The one score, when there is only one."""
        return self.parts[0][1] if len(self.parts) == 1 else None


Award = Grade | Stated | Mixture


def turned(award: Award) -> Award:
    """The award as East–West see it: scores change their sign."""
    if isinstance(award, Mixture):
        return Mixture(tuple((weight, -score) for weight, score in award.parts))
    return award


@dataclass(frozen=True, slots=True)
class Ruling:
    """What each side gets on a board."""

    ns: Award
    ew: Award

    @classmethod
    def assigned(cls, ns_score: int) -> "Ruling":
        """One score for both sides, which then counts as any other result."""
        return cls.weighted(((Fraction(1), ns_score),))

    @classmethod
    def weighted(cls, parts: tuple[tuple[Fraction, int], ...]) -> "Ruling":
        mixture = Mixture(parts)
        return cls(mixture, mixture)

    @property
    def score(self) -> int | None:
        """The score, when both sides got the same single one: an assigned score is a normal result (2.4)."""
        return self.ns.score if isinstance(self.ns, Mixture) and self.ns == self.ew else None

    @property
    def is_artificial(self) -> bool:
        """Whether neither side got a score: such a row never enters another pair's comparison."""
        return not isinstance(self.ns, Mixture) and not isinstance(self.ew, Mixture)

    def to_json(self) -> dict[str, Any]:
        return {"ns": _award_to_json(self.ns), "ew": _award_to_json(self.ew)}

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Ruling":
        """The ruling that `to_json` wrote.

        Raises:
            ImpossibleAward: The data is not a ruling.

        >>> Ruling.from_json({"ns": {"grade": "A+"}, "ew": {"percent": "40"}})
        Ruling(ns=<Grade.PLUS: 'A+'>, ew=Stated(percent=Fraction(40, 1)))
        """
        try:
            return cls(_award_from_json(data["ns"]), _award_from_json(data["ew"]))
        except (KeyError, TypeError, ValueError, ZeroDivisionError) as error:
            if isinstance(error, ImpossibleAward):
                raise
            raise ImpossibleAward("“%(data)s” is not an adjusted score.", data=str(data)) from None


def _award_to_json(award: Award) -> dict[str, Any]:
    match award:
        case Grade():
            return {"grade": award.value}
        case Stated():
            return {"percent": str(award.percent)}
        case Mixture():
            return {"scores": [[str(weight), score] for weight, score in award.parts]}


def _award_from_json(data: Mapping[str, Any]) -> Award:
    if "grade" in data:
        return Grade(data["grade"])
    if "percent" in data:
        return Stated(Fraction(data["percent"]))
    return Mixture(tuple((Fraction(weight), int(score)) for weight, score in data["scores"]))


_MINUS_SIGNS = str.maketrans("−–", "--")
_PART = re.compile(r"(?:(?P<share>\d+/\d+)|(?P<percent>\d+(?:\.\d+)?) *%)? *(?P<score>[+-]? *\d+)?", re.ASCII)


def read_award(text: str) -> Award:
    """An award as people write it: `A+`, `60%`, `+620`, or scores with their weights.

    Raises:
        ImpossibleAward: The text is not an award.

    >>> read_award("60% +620, 40% −100")
    Mixture(parts=((Fraction(3, 5), 620), (Fraction(2, 5), -100)))
    >>> read_award("1/3 +620, 2/3 -100").parts[0]
    (Fraction(1, 3), 620)
    """
    plain = text.translate(_MINUS_SIGNS).strip().upper()
    if plain in {grade.value for grade in Grade}:
        return Grade(plain)
    matches = [_PART.fullmatch(part.strip()) for part in re.split("[,;·]", plain)]
    parts = [match.groupdict() for match in matches if match]
    if len(parts) == 1 and parts[0]["percent"] and not parts[0]["score"]:
        return Stated(Fraction(parts[0]["percent"]))
    if len(parts) < len(matches) or not all(part["score"] for part in parts):
        raise ImpossibleAward("“%(data)s” is not an adjusted score.", data=text)
    try:
        return Mixture(tuple((_weight(part), int(part["score"].replace(" ", ""))) for part in parts))
    except ZeroDivisionError:
        raise ImpossibleAward("“%(data)s” is not an adjusted score.", data=text) from None


def _weight(part: Mapping[str, str | None]) -> Fraction:
    if part["percent"]:
        return Fraction(part["percent"]) / 100
    return Fraction(part["share"] or 1)
