"""Which card a robot plays: the one that gains most over deals that it can imagine, each solved with all cards seen.

Solving sees all cards, and so believes that every guess will be right. What it finds about as good is therefore left to
the rules of thumb, which know nothing of the solver: they keep a finesse for later, play the lowest of equals, lead the
top of a sequence.
"""

from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from enum import Enum
from statistics import fmean

from bridge.auction import Auction
from bridge.cards import Card
from bridge.contracts import Contract
from bridge.imps import imps
from bridge.robot.sampling import deals
from bridge.robot.sight import Sight
from bridge.robot.solving import Position, Solver
from bridge.scoring import duplicate_score

BATCH = 8
"""Deals that are solved between two looks at the clock."""


class Scoring(Enum):
    """What a trick is worth."""

    IMPS = "imps"
    MATCHPOINTS = "matchpoints"
    TOTAL = "total"


@dataclass(frozen=True, slots=True)
class Strength:
    """How hard a robot thinks about a card.

    Attributes:
        samples: Deals that it imagines.
        seconds: After so long it plays by what it has solved.
    """

    samples: int
    seconds: float


DEFAULT = Strength(24, 1.2)

NEAR = {Scoring.IMPS: 0.15, Scoring.MATCHPOINTS: 0.04, Scoring.TOTAL: 15.0}
"""What a card may gain more and still be about as good."""


@dataclass(frozen=True, slots=True)
class Thought:
    """How a robot thinks about a card.

    Attributes:
        clock: Seconds, for the limit of the strength; without one all deals are solved, and the same card comes out.
    """

    solver: Solver
    strength: Strength = DEFAULT
    scoring: Scoring = Scoring.IMPS
    clock: Callable[[], float] | None = None


@dataclass(frozen=True, slots=True)
class Stakes:
    """What stands outside of the play. `vulnerable`: whether declarer's side is."""

    auction: Auction
    contract: Contract
    vulnerable: bool


def best_card(
    sight: Sight,
    legal: Sequence[Card],
    rule_of_thumb: Card,
    stakes: Stakes,
    thought: Thought,
    *,
    seed: int,
) -> Card:
    """The card to play from `legal`, of which there are two or more that are not alike.

    Args:
        sight: What the player sees.
        legal: The cards to choose from.
        stakes: The contract.
        thought: How hard, and by whose help.
        rule_of_thumb: The card to play where no other gains more.
        seed: Makes one robot imagine other deals than another.
    """
    clock, strength, scoring = thought.clock, thought.strength, thought.scoring
    began = clock() if clock else 0.0
    imagined = deals(sight, stakes.auction, count=strength.samples, seed=seed)
    tricks: list[Mapping[Card, int]] = []
    for start in range(0, len(imagined), BATCH):
        if clock and tricks and clock() - began > strength.seconds:
            break
        positions = [
            Position(sample.hands, sight.trick, sight.leader, sight.trumps)
            for sample in imagined[start : start + BATCH]
        ]
        tricks += thought.solver(positions)
    gains = [_gains(sight, solved, legal, stakes, scoring) for solved in tricks]
    gain = {card: fmean(each[card] for each in gains) for card in legal}
    most = max(gain.values())
    good = {card for card in legal if gain[card] >= most - NEAR[scoring]}
    if rule_of_thumb in good:
        return rule_of_thumb
    return _careful(sight, [card for card in good if gain[card] == most])


def _gains(
    sight: Sight, solved: Mapping[Card, int], legal: Sequence[Card], stakes: Stakes, scoring: Scoring
) -> dict[Card, float]:
    """What each card brings in one deal, from the player's side, beside each of the others on average."""
    won = {card: sight.won + solved[card] for card in legal}
    often = Counter(won.values())
    worth = {tricks: _worth(sight, tricks, stakes) for tricks in often}
    gain = {
        tricks: sum(number * _swing(mine - worth[other], scoring) for other, number in often.items())
        / len(legal)
        for tricks, mine in worth.items()
    }
    # a hundredth for a trick: of cards that score alike, the one with more tricks
    return {card: gain[tricks] + 0.01 * tricks for card, tricks in won.items()}


def _worth(sight: Sight, tricks: int, stakes: Stakes) -> int:
    """The score of the player's side with so many tricks."""
    declares = sight.me.side is sight.declarer.side
    points = duplicate_score(
        stakes.contract, tricks if declares else 13 - tricks, vulnerable=stakes.vulnerable
    )
    return points if declares else -points


def _swing(difference: int, scoring: Scoring) -> float:
    if scoring is Scoring.IMPS:
        return imps(difference)
    return difference if scoring is Scoring.TOTAL else (difference > 0) - (difference < 0)


def _careful(sight: Sight, cards: Sequence[Card]) -> Card:
    """Of cards that are as good as each other: the top of a sequence on lead, else the lowest of the longest suit."""
    suits = {card.suit for card in cards}
    suit = max(suits, key=lambda each: (len(sight.mine[each]), each))
    held = [card for card in sight.mine[suit] if card in cards]
    return held[0] if not sight.trick and _touch(held) else held[-1]


def _touch(cards: Sequence[Card]) -> bool:
    return len(cards) > 1 and cards[0].rank >= 10 and cards[0].rank - cards[1].rank == 1


def are_alike(sight: Sight, legal: Sequence[Card]) -> bool:
    """Whether it does not matter which of these is played: one suit, and nobody else holds a card between them."""
    low, high = min(legal), max(legal)
    if low.suit is not high.suit:
        return False
    return sum(low <= card <= high for card in sight.unplayed) == len(legal)
