"""The play of the cards (Laws 41 to 45): whose turn it is, which cards are legal, who wins a trick."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from bridge.cards import Card, Deal, Hand, Suit
from bridge.contracts import Contract, Strain
from bridge.errors import IllegalCard
from bridge.seats import Seat, Side

_SEATS = tuple(Seat)
_CLOCKWISE = tuple(tuple(_SEATS[(leader + place) % 4] for place in range(4)) for leader in _SEATS)


def winning_place(cards: Sequence[Card], trumps: Strain) -> int:
    """The place, from 0, of the card that wins so far: the highest trump, else the highest of the suit led."""
    trump = trumps.value
    best, suit, rank = 0, cards[0].suit, cards[0].rank
    for place, card in enumerate(cards):
        if card.suit is suit:
            if card.rank > rank:
                best, rank = place, card.rank
        elif card.suit == trump:
            best, suit, rank = place, card.suit, card.rank
    return best


def legal_cards(hand: Iterable[Card], led: Suit | None) -> frozenset[Card]:
    """What a hand may play: the suit led when it can, else anything (Law 44)."""
    cards = frozenset(hand)
    return frozenset(card for card in cards if card.suit is led) or cards


@dataclass(frozen=True, slots=True)
class Trick:
    """The cards of one trick in the order in which they were played."""

    leader: Seat
    cards: tuple[Card, ...] = ()

    @property
    def is_complete(self) -> bool:
        return len(self.cards) == 4

    @property
    def led(self) -> Suit | None:
        return self.cards[0].suit if self.cards else None

    def seat_of(self, place: int) -> Seat:
        """Whose hand the card at a place, counted from 0, came from."""
        return _CLOCKWISE[self.leader][place]

    def winner(self, trumps: Strain) -> Seat:
        """Who wins it, or would, with the cards there are."""
        return _CLOCKWISE[self.leader][winning_place(self.cards, trumps)]


@dataclass(frozen=True, slots=True)
class Play:
    """The cards of a board after so many were played.

    Attributes:
        hands: What each seat still holds, North first.
        tricks: Those that are complete.
        trick: The one that is being played, with no card yet before a lead; None when all 13 are complete.
        turn: Whose hand plays next; None when all 13 tricks are complete.
        won: Tricks of declarer's side.
    """

    contract: Contract
    declarer: Seat
    hands: tuple[Hand, Hand, Hand, Hand]
    tricks: tuple[Trick, ...]
    trick: Trick | None
    turn: Seat | None
    won: int

    @classmethod
    def begin(cls, contract: Contract, deal: Deal) -> "Play":
        """Before the opening lead. The contract has its declarer, the deal all four hands."""
        north, east, south, west = deal.hands
        if contract.declarer is None or north is None or east is None or south is None or west is None:
            raise TypeError("cards are played in a contract with its declarer, from four hands")
        leader = contract.declarer.left
        return cls(contract, contract.declarer, (north, east, south, west), (), Trick(leader), leader, 0)

    @property
    def dummy(self) -> Seat:
        return self.declarer.partner

    @property
    def actor(self) -> Seat | None:
        """Who chooses the next card: declarer for dummy, else the hand's own player."""
        return self.declarer if self.turn is self.dummy else self.turn

    @property
    def is_over(self) -> bool:
        return self.trick is None

    @property
    def has_begun(self) -> bool:
        """Whether the opening lead was made, and dummy lies open."""
        return bool(self.tricks) or bool(self.trick and self.trick.cards)

    @property
    def lead(self) -> Card | None:
        """The opening lead."""
        first = self.tricks[0] if self.tricks else self.trick
        return first.cards[0] if first and first.cards else None

    @property
    def remaining(self) -> int:
        """Tricks that are not complete."""
        return 13 - len(self.tricks)

    def won_by(self, side: Side) -> int:
        """Tricks that a side has won so far."""
        return self.won if side is self.declarer.side else len(self.tricks) - self.won

    def cards(self) -> tuple[Card, ...]:
        """All cards that were played, in their order."""
        open_trick = self.trick.cards if self.trick else ()
        return (*(card for trick in self.tricks for card in trick.cards), *open_trick)

    def legal_cards(self) -> frozenset[Card]:
        """What the hand whose turn it is may play; nothing when all cards are played."""
        if self.turn is None or self.trick is None:
            return frozenset()
        return legal_cards(self.hands[self.turn].cards, self.trick.led)

    def after(self, card: Card) -> "Play":
        """The play after one more card of the hand whose turn it is.

        Raises:
            IllegalCard: That hand does not hold it, or has to follow suit.
        """
        trick, turn = self.trick, self.turn
        if trick is None or turn is None:
            raise IllegalCard("All cards are played.")
        cards = self.hands[turn].cards
        if card not in cards:
            raise IllegalCard("The hand whose turn it is does not hold this card.")
        if trick.cards:
            led = trick.cards[0].suit
            if card.suit is not led and any(held.suit is led for held in cards):
                raise IllegalCard("A card of the suit that was led must be played.")
        left = Hand(cards - {card})
        hands = (
            left if turn == 0 else self.hands[0],
            left if turn == 1 else self.hands[1],
            left if turn == 2 else self.hands[2],
            left if turn == 3 else self.hands[3],
        )
        played = Trick(trick.leader, (*trick.cards, card))
        contract, declarer = self.contract, self.declarer
        if not played.is_complete:
            return Play(contract, declarer, hands, self.tricks, played, turn.left, self.won)
        winner = played.winner(contract.strain)
        tricks, won = (*self.tricks, played), self.won + (winner.side is declarer.side)
        if len(tricks) == 13:
            return Play(contract, declarer, hands, tricks, None, None, won)
        return Play(contract, declarer, hands, tricks, Trick(winner), winner, won)
