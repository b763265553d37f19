"""Cards, hands and deals, and their text as PBN writes it."""

from collections.abc import Iterable
from dataclasses import dataclass
from enum import IntEnum

from bridge.errors import ImpossibleDeal
from bridge.seats import Seat, Side

RANKS = "23456789TJQKA"


class Suit(IntEnum):
    """The four suits, lowest first."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3

    @property
    def letter(self) -> str:
        return "CDHS"[self]


@dataclass(frozen=True, slots=True, order=True)
class Card:
    """One card; `rank` is 2 to 14, the ace is 14."""

    suit: Suit
    rank: int

    @classmethod
    def from_text(cls, text: str) -> "Card":
        """A card such as `SA`, `h10` or `D7`: suit, then rank.

        >>> Card.from_text("h10").text
        'HT'
        """
        suit, rank = text[:1].upper(), text[1:].upper().replace("10", "T")
        if not suit or suit not in "CDHS" or len(rank) != 1 or rank not in RANKS:
            raise ImpossibleDeal("“%(text)s” is not a card.", text=text)
        return cls(Suit("CDHS".index(suit)), RANKS.index(rank) + 2)

    @property
    def text(self) -> str:
        return self.suit.letter + RANKS[self.rank - 2]

    @property
    def high_card_points(self) -> int:
        return max(0, self.rank - 10)


@dataclass(frozen=True, slots=True)
class Hand:
    """The cards of one player, in any number: 13 at the start of a board."""

    cards: frozenset[Card]

    @classmethod
    def from_pbn(cls, text: str) -> "Hand":
        """A hand such as `KQ74.A6.KJ83.Q94`: spades, hearts, diamonds, clubs; a suit without cards is left empty."""
        suits = text.upper().replace("10", "T").replace("-", "").split(".")
        if len(suits) != 4:
            raise ImpossibleDeal("The hand “%(text)s” does not name four suits.", text=text)
        cards: list[Card] = []
        for suit, ranks in zip(reversed(Suit), suits, strict=True):
            for rank in ranks:
                if rank not in RANKS:
                    raise ImpossibleDeal(
                        "“%(rank)s” in the hand “%(text)s” is not a card.", rank=rank, text=text
                    )
                cards.append(Card(suit, RANKS.index(rank) + 2))
        hand = cls(frozenset(cards))
        if len(hand.cards) != len(cards):
            raise ImpossibleDeal("The hand “%(text)s” holds a card twice.", text=text)
        return hand

    def suit(self, suit: Suit) -> str:
        """The ranks held in a suit, highest first; empty when void."""
        ranks = sorted((card.rank for card in self.cards if card.suit == suit), reverse=True)
        return "".join(RANKS[rank - 2] for rank in ranks)

    @property
    def pbn(self) -> str:
        return ".".join(self.suit(suit) for suit in reversed(Suit))

    @property
    def high_card_points(self) -> int:
        """Ace 4, king 3, queen 2, jack 1."""
        return sum(card.high_card_points for card in self.cards)


@dataclass(frozen=True, slots=True)
class Deal:
    """Four hands, North first; `None` is a hand that nobody recorded."""

    hands: tuple[Hand | None, Hand | None, Hand | None, Hand | None]

    def __post_init__(self) -> None:
        seen: set[Card] = set()
        for seat, hand in zip(Seat, self.hands, strict=True):
            if hand is None:
                continue
            if len(hand.cards) != 13:
                raise ImpossibleDeal(
                    "%(seat)s has %(count)s cards and not 13.", seat=seat.name.title(), count=len(hand.cards)
                )
            if twice := seen & hand.cards:
                raise ImpossibleDeal("Two hands hold the card %(card)s.", card=min(twice).text)
            seen |= hand.cards

    @classmethod
    def from_pbn(cls, text: str) -> "Deal":
        """A deal such as `N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 …`: the first seat, then four hands clockwise.

        A hand written `-` is not known. One missing hand is not filled in: the file did not say it.

        Raises:
            ImpossibleDeal: A hand without 13 cards, a card twice, or text that is not a deal.
        """
        first, colon, rest = text.strip().partition(":")
        hands = rest.split()
        if not colon or len(first) != 1 or first.upper() not in "NESW" or len(hands) != 4:
            raise ImpossibleDeal("“%(text)s” is not a deal of four hands.", text=text)
        start = Seat.from_letter(first)
        clockwise = [None if hand == "-" else Hand.from_pbn(hand) for hand in hands]
        north, east, south, west = (clockwise[(seat - start) % 4] for seat in Seat)
        return cls((north, east, south, west))

    def __getitem__(self, seat: Seat) -> Hand | None:
        return self.hands[seat]

    @property
    def pbn(self) -> str:
        """The one text of this deal: North first, ranks from high to low."""
        return "N:" + " ".join("-" if hand is None else hand.pbn for hand in self.hands)

    @property
    def is_complete(self) -> bool:
        return None not in self.hands

    def high_card_points(self, side: Side) -> int | None:
        """The points of a side's two hands; None when one of them is not known."""
        hands = [self.hands[seat] for seat in Seat if seat.side is side]
        return None if None in hands else sum(hand.high_card_points for hand in hands if hand)


def deck() -> Iterable[Card]:
    """The 52 cards, lowest club first."""
    return (Card(suit, rank) for suit in Suit for rank in range(2, 15))
