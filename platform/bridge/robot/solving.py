"""What a robot asks of a double-dummy solver. The solver itself is native code and lives outside of the game."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

from bridge.cards import Card
from bridge.contracts import Strain
from bridge.seats import Seat


@dataclass(frozen=True, slots=True)
class Position:
    """The play at some moment, with all cards seen.

    Attributes:
        hands: What each seat still holds, North first.
        trick: The cards on the table.
        leader: Who led to them, or is to lead.
    """

    hands: tuple[frozenset[Card], ...]
    trick: tuple[Card, ...]
    leader: Seat
    trumps: Strain


Solver = Callable[[Sequence[Position]], Sequence[Mapping[Card, int]]]
"""For each position: how many of the tricks that are not complete the side on turn takes, by the card that it plays now.

It may raise whatever it likes; whoever asks plays by rules of thumb then.
"""
