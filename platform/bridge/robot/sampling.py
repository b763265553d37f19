"""Deals of the cards that a player does not see, such as the auction and the play so far leave possible.

What a deal has to fit is given up in this order, one step for each deal that is missing (`Fit`): that every call is one
of the hand's own; that points are within what was shown; that they are within three of it; that lengths are. Suits that a
player has shown out of, and the cards that were played, are never given up: they are facts.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import IntEnum

import numpy as np
from numpy.typing import NDArray

from bridge.auction import Auction, Call
from bridge.cards import Card, Suit
from bridge.robot.holding import Holding
from bridge.robot.meanings import Meaning, Shown
from bridge.robot.sight import Sight
from bridge.robot.system import meanings_of, picture
from bridge.seats import Seat

Hands = tuple[frozenset[Card], ...]
"""What each seat still holds, North first."""

TRIED = 3000
"""Deals that are dealt at a time."""
ROUNDS = 4
"""How often, before something is given up."""
NEAR = 3
"""Points by which a hand may differ from what was shown, when no other is found."""


class Fit(IntEnum):
    """How well a deal fits the auction, the best first."""

    CALLS = 0
    POINTS = 1
    NEARLY = 2
    LENGTHS = 3
    ANYTHING = 4


@dataclass(frozen=True, slots=True)
class Sample:
    hands: Hands
    fit: Fit


def deals(sight: Sight, auction: Auction, *, count: int, seed: int) -> list[Sample]:
    """Deals that this player can imagine, the best fitting ones; the same for the same seed.

    Args:
        sight: What the player sees.
        auction: The whole of it.
        seed: Of what is drawn.
        count: How many at the most. Fewer when there are not so many: with two cards unseen there are two.
    """
    unseen = sorted(sight.hidden)
    seats = [seat for seat in Seat if sight.hands[seat] is None]
    if not seats or not unseen:
        return [Sample(tuple(map(sight.held, Seat)), Fit.CALLS)]
    dealer = _Dealer.of(sight, auction, unseen, seats)
    draw = np.random.Generator(np.random.PCG64(seed))
    found: dict[bytes, tuple[int, NDArray[np.int8]]] = {}
    for _ in range(ROUNDS):
        owners = dealer.deal(draw, TRIED if len(dealer.free) > 6 else 200)
        for fit, row in dealer.ranked(owners, count):
            found.setdefault(row.tobytes(), (fit, row))
        if sum(fit <= Fit.POINTS for fit, _ in found.values()) >= count:
            break
    best = sorted(found.values(), key=lambda each: each[0])[: 3 * count]
    exact = [
        (Fit.CALLS if fit == Fit.POINTS and dealer.calls_fit(row) else Fit(fit), row) for fit, row in best
    ]
    exact.sort(key=lambda each: each[0])
    return [Sample(dealer.hands(row), fit) for fit, row in exact[:count]]


@dataclass(frozen=True, slots=True)
class _Dealer:
    """The unseen cards and whose they may be. An owner is a place in `seats`."""

    sight: Sight
    unseen: Sequence[Card]
    seats: Sequence[Seat]
    fixed: NDArray[np.int8]
    free: NDArray[np.intp]
    rooms: Sequence[int]
    shown: Sequence[Shown]
    before: Sequence[frozenset[Card]]
    said: Sequence[Sequence[Sequence[Meaning]]]

    @classmethod
    def of(cls, sight: Sight, auction: Auction, unseen: Sequence[Card], seats: Sequence[Seat]) -> "_Dealer":
        fixed = np.full(len(unseen), -1, np.int8)
        for place, card in enumerate(unseen):
            may = [owner for owner, seat in enumerate(seats) if card.suit not in sight.voids[seat]]
            if len(may) == 1:
                fixed[place] = may[0]
        rooms = [sight.counts[seat] - int((fixed == owner).sum()) for owner, seat in enumerate(seats)]
        if min(rooms) < 0:  # what is remembered cannot be: a trick was forgotten
            fixed[:] = -1
            rooms = [sight.counts[seat] for seat in seats]
        seen = picture(auction)
        said = [list(_said(auction, seat)) for seat in seats]
        return cls(
            sight,
            unseen,
            seats,
            fixed,
            np.flatnonzero(fixed < 0),
            rooms,
            [seen.shown[seat] for seat in seats],
            [sight.played(seat) for seat in seats],
            said,
        )

    def deal(self, draw: np.random.Generator, count: int) -> NDArray[np.int8]:
        """So many deals: for each unseen card its owner, a row a deal."""
        owners = np.repeat(self.fixed[None, :], count, axis=0)
        places = np.repeat(np.arange(len(self.rooms), dtype=np.int8), self.rooms)
        if len(places) < len(self.free):  # an owner too few: a trick was forgotten
            places = np.resize(places, len(self.free))
        order = draw.random((count, len(self.free))).argsort(axis=1)
        owners[:, self.free] = places[order]
        return owners

    def ranked(self, owners: NDArray[np.int8], count: int) -> Iterator[tuple[int, NDArray[np.int8]]]:
        """The best of these deals and how they fit the ranges that were shown."""
        suits = np.array([card.suit for card in self.unseen])
        points = np.array([card.high_card_points for card in self.unseen])
        wrong_length = np.zeros(len(owners), int)
        off = np.zeros(len(owners), int)
        for owner, (shown, before) in enumerate(zip(self.shown, self.before, strict=True)):
            holds = owners == owner
            longer = np.zeros(len(owners), int)
            for suit in Suit:
                low, high = shown.lengths[suit]
                length = holds[:, suits == suit].sum(axis=1) + sum(card.suit is suit for card in before)
                wrong_length += np.maximum(low - length, 0) + np.maximum(length - high, 0)
                longer += np.maximum(length - 4, 0)
            worth = holds @ points + sum(card.high_card_points for card in before)
            low, high = shown.points
            off += np.maximum(low - worth - longer, 0) + np.maximum(worth - high, 0)
        fit = np.select(
            [(wrong_length == 0) & (off == 0), (wrong_length == 0) & (off <= NEAR), wrong_length == 0],
            [Fit.POINTS, Fit.NEARLY, Fit.LENGTHS],
            Fit.ANYTHING,
        )
        for place in np.lexsort((wrong_length + off, fit))[: 3 * count]:
            yield int(fit[place]), owners[place]

    def calls_fit(self, row: NDArray[np.int8]) -> bool:
        """Whether each call of each unseen hand is one that this hand makes."""
        for owner, (said, before) in enumerate(zip(self.said, self.before, strict=True)):
            hand = Holding.of(
                [*before, *(card for card, whose in zip(self.unseen, row, strict=True) if whose == owner)]
            )
            if not all(any(meaning.fits(hand) for meaning in meant) for meant in said):
                return False
        return True

    def hands(self, row: NDArray[np.int8]) -> Hands:
        held = [set(self.sight.held(seat)) for seat in Seat]
        for card, owner in zip(self.unseen, row, strict=True):
            held[self.seats[owner]].add(card)
        return tuple(map(frozenset, held))


def _said(auction: Auction, seat: Seat) -> Iterator[Sequence[Meaning]]:
    """What each call of a seat may have meant; calls that the system does not have say nothing."""
    calls: tuple[Call, ...] = auction.calls
    for place in range((seat - auction.dealer) % 4, len(calls), 4):
        if meant := meanings_of(picture(Auction(auction.dealer, calls[:place])), calls[place]):
            yield meant
