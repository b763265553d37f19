"""How a board goes at one table: an auction in which both sides weigh what they can make, a lead, and the play.

Nobody sees all the cards. What a side believes it can take lies between what its points and fit promise and what the
cards hold, and the better the pair the smaller the error. The side whose turn it is does what scores best by its own
belief: passes, bids on, or doubles. The play ends near the double-dummy number, more often above it the better
declarer is than the defence.
"""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import erf
from random import Random
from typing import NamedTuple

from bridge.cards import Card, Deal, Hand, Suit
from bridge.contracts import Contract, Doubling, Strain
from bridge.scoring import duplicate_score
from bridge.seats import Seat, Side, Vulnerability

_TABLE_SEATS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
_TABLE_STRAINS = tuple(reversed(Strain))
_SEATS = {Side.NS: (Seat.NORTH, Seat.SOUTH), Side.EW: (Seat.EAST, Seat.WEST)}


class Outcome(NamedTuple):
    """What a table wrote down: no contract is a board passed out."""

    contract: Contract | None
    tricks: int | None = None
    lead: str = ""


@dataclass(frozen=True)
class KnownDeal:
    """A deal and what it makes with all cards seen."""

    deal: Deal
    makes: Mapping[tuple[Seat, Strain], int]

    @classmethod
    def from_text(cls, pbn: str, tricks: str) -> "KnownDeal":
        places = [(seat, strain) for seat in _TABLE_SEATS for strain in _TABLE_STRAINS]
        return cls(
            Deal.from_pbn(pbn), {place: int(digit, 16) for place, digit in zip(places, tricks, strict=True)}
        )

    def hand(self, seat: Seat) -> Hand:
        hand = self.deal[seat]
        assert hand is not None  # noqa: S101 - the deals of the demo are complete
        return hand


class Bid(NamedTuple):
    level: int
    strain: Strain


BIDS = tuple(Bid(level, strain) for level in range(1, 8) for strain in Strain)


@dataclass(frozen=True)
class Board:
    """A deal at the number it is played under."""

    known: KnownDeal
    dealer: Seat
    vulnerability: Vulnerability
    points: Mapping[Side, int]
    openings: Mapping[Seat, float]
    fits: Mapping[tuple[Side, Suit], int]
    longest: Mapping[tuple[Side, Suit], int]
    promise: Mapping[tuple[Side, Strain], float]
    luck: Mapping[tuple[Seat, Strain], int]

    @classmethod
    def of(cls, known: KnownDeal, dealer: Seat, vulnerability: Vulnerability, random: Random) -> "Board":
        """The board, with what every table has in common: how the cards tempt to bid, and how they tempt to play."""
        points = {side: sum(known.hand(seat).high_card_points for seat in _SEATS[side]) for side in Side}
        lengths = {(seat, suit): len(known.hand(seat).suit(suit)) for seat in Seat for suit in Suit}
        pairs = [(side, suit) for side in Side for suit in Suit]
        fits = {(side, suit): sum(lengths[seat, suit] for seat in _SEATS[side]) for side, suit in pairs}
        promise = {}
        for side in Side:
            for strain in Strain:
                cards = sum(known.makes[seat, strain] for seat in _SEATS[side]) / 2
                fit = None if strain is Strain.NOTRUMP else fits[side, Suit(strain)]
                promise[side, strain] = 0.55 * cards + 0.45 * _expected_tricks(points[side], fit)
        return cls(
            known=known,
            dealer=dealer,
            vulnerability=vulnerability,
            points=points,
            openings={seat: _opening_points(known.hand(seat)) for seat in Seat},
            fits=fits,
            longest={(side, suit): max(lengths[seat, suit] for seat in _SEATS[side]) for side, suit in pairs},
            promise=promise,
            luck={place: random.choices((-1, 0, 1), (10, 78, 12))[0] for place in known.makes},
        )

    def play(self, skill: Mapping[Side, float], random: Random) -> Outcome:
        """One table's result; a skill is about -1 to 1."""
        return _Table(self, skill, random).play()


def _expected_tricks(points: int, fit: int | None) -> float:
    """What points and fit promise before anyone sees the cards; no fit is notrump."""
    if fit is None:
        return 6.7 + 0.37 * (points - 20)
    return 8 + (points - 20) / 3.1 + 0.65 * (fit - 8)


@cache
def _chance(margin: int) -> float:
    """The chance to win so many tenths of a trick that are believed to be there."""
    return (1 + erf(margin / 10 / 1.35)) / 2


@cache
def _worth(bid: Bid, doubled: bool, vulnerable: bool, tenths: int) -> float:
    """The score to be expected by a side that believes in so many tenths of tricks."""
    contract = Contract(bid.level, bid.strain, Doubling(int(doubled)))
    worth = 0.0
    for tricks in range(14):
        share = _chance(tenths - 10 * tricks + 5) - (_chance(tenths - 10 * tricks - 5) if tricks < 13 else 0)
        worth += share * duplicate_score(contract, tricks, vulnerable=vulnerable)
    return worth


class _Table:
    """The four players of one table during one board."""

    def __init__(self, board: Board, skill: Mapping[Side, float], random: Random) -> None:
        self.board, self.skill, self.random = board, skill, random
        self.belief = {side: self._belief(side) for side in Side}

    def _belief(self, viewer: Side) -> dict[tuple[Side, Strain], int]:
        """Tenths of tricks that this side expects either side to take in each strain."""
        spread = 0.55 - 0.2 * self.skill[viewer]
        mood = {side: self.random.gauss(0, spread) for side in Side}
        return {
            (side, strain): round(10 * (promise + mood[side] + self.random.gauss(0, 0.7 * spread)))
            for (side, strain), promise in self.board.promise.items()
        }

    def play(self) -> Outcome:
        auction = self._auction()
        if auction is None:
            return Outcome(None)
        side, bid, doubling = auction
        declarer = self._declarer(side, bid.strain)
        contract = Contract(bid.level, bid.strain, doubling, declarer)
        return Outcome(contract, self._tricks(contract, declarer), self._lead(declarer, bid.strain))

    # The auction

    def _auction(self) -> tuple[Side, Bid, Doubling] | None:
        opener = self._opener()
        if opener is None:
            return None
        side, last = opener, self._opening_contract(opener)
        for _ in range(5):
            side = side.opponents
            answer = self._answer(side, last)
            if answer is None:
                return side.opponents, last, Doubling.UNDOUBLED
            if isinstance(answer, Doubling):
                return side.opponents, last, self._redouble(side.opponents, last)
            last = answer
        return side, last, Doubling.UNDOUBLED

    def _opener(self) -> Side | None:
        """The side that has the better of the bidding; None when nobody finds an opening bid."""
        board = self.board
        opens = any(points + self.random.gauss(0, 0.5) >= 11.3 for points in board.openings.values())
        strength = {
            side: board.points[side]
            + 0.5 * max(board.fits[side, suit] - 7 for suit in Suit)
            + self.random.gauss(0, 0.8)
            for side in Side
        }
        return max(Side, key=strength.__getitem__) if opens else None

    def _vulnerable(self, side: Side) -> bool:
        return self.board.vulnerability.of(side)

    def _opening_contract(self, side: Side) -> Bid:
        """Where this side would stop if nobody disturbed it."""
        points = self.board.points[side] + self.random.gauss(0, 0.7)
        vulnerable = self._vulnerable(side)

        def value(bid: Bid) -> float:
            worth = _worth(bid, False, vulnerable, self.belief[side][side, bid.strain])
            return worth - self._shyness(bid, points) - (40 if bid.strain <= Strain.DIAMONDS else 0)

        return max(self._sensible(side, points), key=value)

    def _shyness(self, bid: Bid, points: float) -> float:
        """What keeps people from contracts that look well only with all cards in view."""
        needed = {6: 30, 7: 34}.get(bid.level, 0) or (25 if _is_game(bid) else 0)
        if bid.strain in (Strain.CLUBS, Strain.DIAMONDS) and bid.level == 5:
            needed = 26
        fear = 140 if bid.level == 6 else 250 if bid.level == 7 else 0
        return fear + 28 * max(0.0, needed - points)

    def _sensible(self, side: Side, points: float) -> Iterator[Bid]:
        for bid in BIDS:
            if bid.strain is Strain.NOTRUMP:
                if bid.level in (1, 3, 6, 7) or (bid.level == 2 and 22 <= points < 25):
                    yield bid
                continue
            held = side, Suit(bid.strain)
            fit, longest = self.board.fits[held], self.board.longest[held]
            if fit < 7 or (fit == 7 and longest < 5) or (bid.level == 1 and self.random.random() < 0.85):
                continue
            yield bid

    def _answer(self, side: Side, last: Bid) -> Bid | Doubling | None:
        """What this side does about the opponents' bid: a bid of its own, a double, or nothing."""
        belief, board = self.belief[side], self.board
        theirs = belief[side.opponents, last.strain]
        vulnerable, they = self._vulnerable(side), self._vulnerable(side.opponents)
        best: Bid | Doubling | None = None
        best_value = -_worth(last, False, they, theirs) + (0 if _is_game(last) else 25)
        short = 10 * (last.level + 6) - theirs
        if short >= 14 and (last.level >= 3 or short >= 22) and self.random.random() < 0.55:
            best, best_value = Doubling.DOUBLED, -_worth(last, True, they, theirs) - 60
        for suit in Suit:
            strain = Strain(suit)
            if board.fits[side, suit] < 8 and board.longest[side, suit] < 6:
                continue
            bid = Bid(last.level + (strain <= last.strain), strain)
            if bid.level > 7 or (bid.level > 5 and not _is_game(last)):
                continue
            ours = belief[side, strain]
            doubled = 10 * (bid.level + 6) - ours > 12 or (_is_game(last) and ours < 10 * (bid.level + 6))
            value = _worth(bid, doubled, vulnerable, ours) - (35 if bid.level >= 3 else 10)
            if value > best_value and self.random.random() < 0.7 + 0.2 * self.skill[side]:
                best, best_value = bid, value
        return best

    def _redouble(self, side: Side, bid: Bid) -> Doubling:
        sure = self.belief[side][side, bid.strain] - 10 * (bid.level + 6)
        return Doubling.REDOUBLED if sure >= 9 and self.random.random() < 0.3 else Doubling.DOUBLED

    def _declarer(self, side: Side, strain: Strain) -> Seat:
        """Who named the strain first: as a rule the longer holding, in notrump the better hand."""
        first, second = _SEATS[side]

        def claim(seat: Seat) -> float:
            hand = self.board.known.hand(seat)
            length = 0 if strain is Strain.NOTRUMP else 4 * len(hand.suit(Suit(strain)))
            return length + hand.high_card_points + self.random.gauss(0, 2.0)

        return first if claim(first) >= claim(second) else second

    # The play

    def _tricks(self, contract: Contract, declarer: Seat) -> int:
        place = declarer, contract.strain
        edge = self.skill[declarer.side] - self.skill[declarer.side.opponents]
        weights = (3 - edge, 17 - 5 * edge, 52, 20 + 5 * edge, 5 + edge)
        slip = self.random.choices((-2, -1, 0, 1, 2), weights)[0]
        tricks = self.board.known.makes[place] + self.board.luck[place] + slip
        return max(0, min(13, tricks))

    def _lead(self, declarer: Seat, strain: Strain) -> str:
        """The opening lead of the hand on declarer's left."""
        hand = self.board.known.hand(declarer.left)
        options = [suit for suit in Suit if hand.suit(suit)]
        likes = [self._liking(hand, suit, strain, declarer.side) for suit in options]
        best = max(range(len(options)), key=lambda place: likes[place] + self.random.gauss(0, 0.9))
        return Card(options[best], _card_to_lead(hand.suit(options[best]), strain)).text

    def _liking(self, hand: Hand, suit: Suit, strain: Strain, declaring: Side) -> float:
        cards = hand.suit(suit)
        liking = -0.7 * (self.board.fits[declaring, suit] - 6)
        if _sequence(cards):
            liking += 2.5
        if strain is Strain.NOTRUMP:
            return liking + 1.0 * len(cards)
        if Strain(suit) is strain:
            return liking - 1.5
        if len(cards) == 1:
            liking += 2.5
        if cards[0] == "A" and not cards.startswith("AK"):
            liking -= 2.5
        return liking


@cache
def _is_game(bid: Bid) -> bool:
    return duplicate_score(Contract(bid.level, bid.strain), bid.level + 6, vulnerable=False) >= 300


def _opening_points(hand: Hand) -> float:
    lengths = sorted((len(hand.suit(suit)) for suit in Suit), reverse=True)
    return (
        hand.high_card_points
        + 0.5 * (lengths[0] - 4)
        + 0.3 * (lengths[1] - 3)
        + (2 if lengths[0] >= 7 else 0)
    )


def _sequence(cards: str) -> bool:
    return cards[:2] in ("AK", "KQ", "QJ", "JT") and len(cards) >= 3


def _card_to_lead(cards: str, strain: Strain) -> int:
    """Top of a sequence or of nothing, low from two or three with an honour, fourth best from length."""
    if _sequence(cards) or len(cards) <= 2:
        chosen = cards[0]
    elif strain is not Strain.NOTRUMP and cards[0] == "A":
        chosen = "A"
    elif cards[0] in "AKQJ" or len(cards) >= 5:
        chosen = cards[min(3, len(cards) - 1)]
    else:
        chosen = cards[0] if len(cards) == 3 else cards[1]
    return "23456789TJQKA".index(chosen) + 2
