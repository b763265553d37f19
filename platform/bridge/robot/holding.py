"""A hand of thirteen cards as a bidder counts it."""

from collections.abc import Iterable
from dataclasses import dataclass
from functools import cached_property

from bridge.cards import Card, Suit

_SHORTNESS = {True: (5, 3, 1), False: (3, 2, 1)}
"""For a void, a singleton and a doubleton, with four trumps or more, and with fewer."""


@dataclass(frozen=True)
class Holding:
    """Lengths and ranks by suit, clubs first, and the counts of points that follow from them.

    Attributes:
        temper: By how many points its bidder likes the hand better than it is, or worse.
    """

    ranks: tuple[tuple[int, ...], ...]
    temper: int = 0

    @classmethod
    def of(cls, cards: Iterable[Card], temper: int = 0) -> "Holding":
        """The cards of one hand; each suit from high to low."""
        held: tuple[list[int], ...] = ([], [], [], [])
        for card in cards:
            held[card.suit].append(card.rank)
        return cls(tuple(tuple(sorted(ranks, reverse=True)) for ranks in held), temper)

    @cached_property
    def lengths(self) -> tuple[int, ...]:
        return tuple(map(len, self.ranks))

    @cached_property
    def high_cards(self) -> int:
        """Ace 4, king 3, queen 2, jack 1, and the temper."""
        return max(0, sum(map(self.suit_points, Suit)) + self.temper)

    @cached_property
    def total(self) -> int:
        """High cards, and a point for every card after the fourth of a suit."""
        return self.high_cards + sum(max(0, length - 4) for length in self.lengths)

    @cached_property
    def aces(self) -> int:
        return sum(14 in ranks for ranks in self.ranks)

    @cached_property
    def is_balanced(self) -> bool:
        """4333, 4432 or 5332."""
        return min(self.lengths) >= 2 and max(self.lengths) <= 5 and sorted(self.lengths)[1] > 2

    def suit_points(self, suit: Suit) -> int:
        return sum(max(0, rank - 10) for rank in self.ranks[suit])

    def support(self, trumps: Suit) -> int:
        """High cards, and points for shortness in the other suits: what the hand is worth when these are trumps."""
        if self.lengths[trumps] < 3:
            return self.high_cards
        worth = _SHORTNESS[self.lengths[trumps] >= 4]
        short = (length for suit, length in enumerate(self.lengths) if suit != trumps and length < 3)
        return self.high_cards + sum(worth[length] for length in short)

    def stops(self, suit: Suit) -> bool:
        """Whether an opponents' suit cannot be run at once: the ace, a guarded king, a queen with two, four to a jack."""
        ranks = self.ranks[suit]
        return any(rank in ranks and len(ranks) >= 15 - rank for rank in (14, 13, 12, 11))

    def is_good(self, suit: Suit) -> bool:
        """Whether the suit is worth showing over an opponent's opening."""
        return self.suit_points(suit) >= 4 or (self.suit_points(suit) >= 2 and self.lengths[suit] >= 6)

    @cached_property
    def opening_suit(self) -> Suit:
        """What an opening of one shows: a major of five, else the longer minor."""
        majors = [suit for suit in (Suit.SPADES, Suit.HEARTS) if self.lengths[suit] >= 5]
        clubs, diamonds = self.lengths[Suit.CLUBS], self.lengths[Suit.DIAMONDS]
        minor = Suit.CLUBS if clubs > diamonds or clubs == diamonds == 3 else Suit.DIAMONDS
        longest = max(majors, key=lambda suit: self.lengths[suit], default=minor)
        return longest if self.lengths[longest] >= self.lengths[minor] or self.lengths[minor] < 5 else minor

    def best(self, suits: Iterable[Suit], least: int) -> Suit | None:
        """The suit to show first: the longest; of two fives the higher, of two fours the lower."""
        long_enough = [suit for suit in suits if self.lengths[suit] >= least]
        return max(
            long_enough,
            key=lambda suit: (self.lengths[suit], suit if self.lengths[suit] >= 5 else -suit),
            default=None,
        )
