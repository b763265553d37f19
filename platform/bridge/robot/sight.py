"""What a robot makes of the view it is given: cards by hand and suit, what is still out, who has shown out.

A view shows the current trick and the last one, no others; whoever plays has to remember (Law 66). `remember` does.
"""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from bridge.cards import Card, Suit, deck
from bridge.contracts import Strain
from bridge.play import winning_place
from bridge.seats import Seat

Tricks = tuple[tuple[Seat, tuple[Card, ...]], ...]
"""The tricks of a board that a player remembers, each with its leader."""

Whims = tuple[float, float, float, float]
EVEN: Whims = (0.0, 0.0, 0.0, 0.0)

CARDS = {card.text: card for card in deck()}
SEATS = {seat.letter: seat for seat in Seat}
_DECK = frozenset(CARDS.values())


def remember(tricks: Tricks, board: Mapping[str, Any]) -> Tricks:
    """What a player knows of the tricks after one more look at the board.

    Args:
        tricks: What was known before; of another board, or of tricks that were taken back since, nothing stays.
        board: The view of the board, as `view_to_data` gives it.
    """
    if board["phase"] != "play":
        return ()
    played = sum(board["tricks_won"].values())
    last = board["last_trick"]
    known = tricks[: played - 1] if last else ()
    return (*known, _trick(last)) if last else ()


def _trick(data: Mapping[str, Any]) -> tuple[Seat, tuple[Card, ...]]:
    return SEATS[data["leader"]], tuple(CARDS[card] for card in data["cards"])


@dataclass(frozen=True)
class Sight:
    """The play, seen from one seat.

    Attributes:
        me: Who looks.
        hand: Whose card is to be played: mine, or dummy's when I am declarer.
        hands: Of each seat, North first; None is hidden.
        counts: How many cards each seat has.
        trick: The cards on the table.
        leader: Who led to them, or is to lead.
        tricks: What I remember.
        won: Tricks of my side.
        whims: How much I like to lead each suit, clubs first, where little else tells them apart.
    """

    me: Seat
    hand: Seat
    hands: tuple[frozenset[Card] | None, ...]
    counts: tuple[int, ...]
    trumps: Strain
    level: int
    declarer: Seat
    trick: tuple[Card, ...]
    leader: Seat
    tricks: Tricks
    won: int
    whims: Whims = EVEN

    @classmethod
    def of(cls, board: Mapping[str, Any], tricks: Tricks, whims: Whims = EVEN) -> "Sight":
        me = SEATS[board["viewer"]]
        hands = [board["hands"][seat.letter] for seat in Seat]
        trick = board["trick"]
        return cls(
            me,
            SEATS[board["turn"]],
            tuple(
                None if hand["cards"] is None else frozenset(map(CARDS.__getitem__, hand["cards"]))
                for hand in hands
            ),
            tuple(hand["count"] for hand in hands),
            Strain.from_text(board["contract"]["strain"]),
            board["contract"]["level"],
            SEATS[board["contract"]["declarer"]],
            tuple(CARDS[card] for card in trick["cards"]),
            SEATS[trick["leader"]],
            remember(tricks, board),
            board["tricks_won"][me.side.value],
            whims,
        )

    @property
    def dummy(self) -> Seat:
        return self.declarer.partner

    @property
    def is_declaring(self) -> bool:
        return self.me is self.declarer

    @property
    def trump(self) -> Suit | None:
        return None if self.trumps is Strain.NOTRUMP else Suit(self.trumps)

    @property
    def needed(self) -> int:
        """How many more tricks my side needs to make or to defeat the contract; below 1 when it has them."""
        return (6 + self.level if self.me.side is self.declarer.side else 8 - self.level) - self.won

    @property
    def remaining(self) -> int:
        """Tricks to come, the current one with them."""
        return max(self.counts)

    def held(self, seat: Seat) -> frozenset[Card]:
        """The cards of a hand that is seen; none of one that is not."""
        return self.hands[seat] or frozenset()

    @cached_property
    def mine(self) -> dict[Suit, list[Card]]:
        """The hand to play from, by suits, high cards first."""
        return by_suit(self.held(self.hand))

    @cached_property
    def opposite(self) -> dict[Suit, list[Card]]:
        """The other hand of that side, where it is seen."""
        return by_suit(self.held(self.hand.partner))

    @cached_property
    def unplayed(self) -> frozenset[Card]:
        """Cards that somebody still holds, as far as I remember."""
        return _DECK.difference(self.trick, *(cards for _, cards in self.tricks))

    @cached_property
    def hidden(self) -> frozenset[Card]:
        """Those of them that are in hands that I do not see."""
        return self.unplayed.difference(*map(self.held, Seat))

    @cached_property
    def out(self) -> dict[Suit, list[Card]]:
        """The hidden cards by suits, high cards first."""
        return by_suit(self.hidden)

    @cached_property
    def against(self) -> dict[Suit, list[Card]]:
        """Cards that an opponent of the hand to play may hold, high cards first."""
        if self.is_declaring:
            return self.out
        return by_suit(self.hidden | self.held(self.dummy))

    @cached_property
    def voids(self) -> tuple[frozenset[Suit], ...]:
        """Suits that each seat has not followed to."""
        shown: tuple[set[Suit], ...] = (set(), set(), set(), set())
        for leader, cards in (*self.tricks, (self.leader, self.trick)):
            for place, card in enumerate(cards):
                if card.suit is not cards[0].suit:
                    shown[(leader + place) % 4].add(cards[0].suit)
        return tuple(map(frozenset, shown))

    def played(self, seat: Seat) -> frozenset[Card]:
        """The cards that a seat has played, as far as I remember."""
        return frozenset(
            cards[place]
            for leader, cards in (*self.tricks, (self.leader, self.trick))
            if (place := (seat - leader) % 4) < len(cards)
        )

    @property
    def winner(self) -> Seat:
        """Whose card wins the trick so far."""
        return Seat((self.leader + winning_place(self.trick, self.trumps)) % 4)

    @property
    def best(self) -> Card:
        """The card that wins the trick so far."""
        return self.trick[winning_place(self.trick, self.trumps)]

    def beats(self, card: Card) -> bool:
        """Whether a card would win the trick as it is."""
        return winning_place((*self.trick, card), self.trumps) == len(self.trick)

    def is_high(self, card: Card) -> bool:
        """Whether no opponent can have a higher card of the suit."""
        against = self.against[card.suit]
        return not against or against[0] < card

    def above(self, card: Card) -> int:
        """How many higher cards of the suit I do not see."""
        return sum(other > card for other in self.out[card.suit])


def by_suit(cards: Iterable[Card]) -> dict[Suit, list[Card]]:
    """Cards by suit, high cards first."""
    suits: dict[Suit, list[Card]] = {suit: [] for suit in Suit}
    for card in sorted(cards, reverse=True):
        suits[card.suit].append(card)
    return suits
