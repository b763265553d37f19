"""What a call says about the hand behind it, and the picture of the four hands that an auction paints.

A bidding system is one function: from the picture so far to the calls that have a meaning now, the preferred one first.
Whoever bids takes the first that fits the hand; whoever listens reads the same list. So a call means to the others
exactly what it meant to its caller.
"""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from bridge.auction import PASS, Auction, Call
from bridge.auction import bid as bid_of
from bridge.cards import Suit
from bridge.contracts import Strain
from bridge.robot.holding import Holding
from bridge.seats import Seat, Side, Vulnerability

Range = tuple[int, int]
MOST_POINTS = 40
_ANY: tuple[Range, ...] = ((0, 13),) * 4


@dataclass(frozen=True, slots=True)
class Meaning:
    """A call and the hands that make it.

    Attributes:
        points: From and to, high cards; with length for a bid in a suit, with shortness where `trumps` are named.
        lengths: Of each suit, clubs first, from and to.
        also: What else the hand must have; nobody reads it out of the call.
        is_forcing: Partner does not pass.
        is_final: Partner passes.
        name: What it is called when it is not natural, one of `NAMES`.
        is_alerted: Whether opponents are to be told at once.
    """

    call: Call
    points: Range = (0, MOST_POINTS)
    lengths: tuple[Range, ...] = _ANY
    trumps: Suit | None = None
    is_balanced: bool = False
    also: Callable[[Holding], bool] | None = None
    is_forcing: bool = False
    is_final: bool = False
    name: str = ""
    is_alerted: bool = False

    @property
    def high_cards(self) -> Range:
        """In high cards, however the points are counted."""
        low, high = self.points
        return (max(0, low - _MOST_FOR_SHAPE) if self.trumps is not None else low, high)

    @property
    def parts(self) -> tuple[tuple[str, dict[str, str]], ...]:
        """What it means in words: parts of `PARTS`, each with what fills its places."""
        return tuple(_parts(self))

    @property
    def text(self) -> str:
        """The same as one line, as the log has it: `12-21 points; 5+ hearts`. A pass without a name says nothing."""
        return BETWEEN.join(part.format(**values) for part, values in self.parts)

    def fits(self, hand: Holding) -> bool:
        low, high = self.points
        if self.trumps is not None:
            worth = hand.support(self.trumps)
        elif self.call.strain is None or self.call.strain is Strain.NOTRUMP:
            worth = hand.high_cards
        else:
            worth = hand.total
        return (
            low <= worth <= high
            and all(
                least <= length <= most
                for length, (least, most) in zip(hand.lengths, self.lengths, strict=True)
            )
            and (hand.is_balanced or not self.is_balanced)
            and (self.also is None or self.also(hand))
        )


PARTS = (
    "asks for a major of four",
    "asks for aces",
    "no ace or all four",
    "one ace",
    "two aces",
    "three aces",
    "no major of four",
    "no four hearts",
    "transfer",
    "waiting",
    "as asked",
    "strong",
    "weak",
    "for takeout",
    "for penalties",
    "pass or correct",
    "{low}-{high} points",
    "{low}+ points",
    "up to {high} points",
    "{low}+ {suit}",
    "{low}-{high} {suit}",
    "{low} {suit}",
    "balanced",
    "forcing",
)
"""What the words of a meaning are made of, so that each can be said in the reader's language. Suits are named in English."""
BETWEEN = "; "
SUITS = {Suit.CLUBS: "clubs", Suit.DIAMONDS: "diamonds", Suit.HEARTS: "hearts", Suit.SPADES: "spades"}
_MOST_FOR_SHAPE = 8
"""Points that a hand may have for shortness and no more, but for freaks."""
_MUCH = 37
"""More points are not worth a limit."""


def _parts(meaning: Meaning) -> Iterator[tuple[str, dict[str, str]]]:
    if meaning.call == PASS and not meaning.name:
        return
    if meaning.name:
        yield meaning.name, {}
    low, high = meaning.points
    if low > 0 and high < _MUCH:
        yield "{low}-{high} points", {"low": str(low), "high": str(high)}
    elif low > 0:
        yield "{low}+ points", {"low": str(low)}
    elif high < _MUCH:
        yield "up to {high} points", {"high": str(high)}
    for suit in reversed(Suit):
        least, most = meaning.lengths[suit]
        if least < 3 and meaning.call.strain != Strain(suit):
            continue
        if least == 0 and most == 13:
            continue
        values = {"low": str(least), "suit": SUITS[suit]}
        if most == least:
            yield "{low} {suit}", values
        elif most >= 9:
            yield "{low}+ {suit}", values
        else:
            yield "{low}-{high} {suit}", {**values, "high": str(most)}
    if meaning.is_balanced:
        yield "balanced", {}
    if meaning.is_forcing:
        yield "forcing", {}


def hull_of(meant: Sequence[Meaning]) -> Meaning:
    """What is true of a call whichever of these it means."""
    hull = meant[0]
    for other in meant[1:]:
        hull = replace(
            hull,
            points=_hull(hull.high_cards, other.high_cards)
            if hull.trumps != other.trumps
            else _hull(hull.points, other.points),
            lengths=tuple(map(_hull, hull.lengths, other.lengths)),
            trumps=hull.trumps if hull.trumps == other.trumps else None,
            is_balanced=hull.is_balanced and other.is_balanced,
            also=None,
            is_forcing=hull.is_forcing and other.is_forcing,
            is_final=hull.is_final and other.is_final,
            name=hull.name if hull.name == other.name else "",
            is_alerted=hull.is_alerted or other.is_alerted,
        )
    return hull


def suits(**named: int | Range) -> tuple[Range, ...]:
    """Lengths by the names of suits: a number is the least, a pair from and to."""
    lengths = list(_ANY)
    for name, length in named.items():
        lengths[Suit[name.upper()]] = (length, 13) if isinstance(length, int) else length
    return tuple(lengths)


def suit_of(suit: Suit, least: int, most: int = 13) -> tuple[Range, ...]:
    """So many cards of one suit."""
    return (*_ANY[:suit], (least, most), *_ANY[suit + 1 :])


@dataclass(frozen=True, slots=True)
class Shown:
    """What a player has shown so far."""

    points: Range = (0, MOST_POINTS)
    lengths: tuple[Range, ...] = _ANY
    last: Meaning | None = None

    def and_now(self, told: Meaning) -> "Shown":
        """With one more call."""
        lengths = told.lengths
        if told.is_balanced:
            lengths = tuple((max(2, least), min(5, most)) for least, most in lengths)
        return Shown(_both(self.points, told.points), tuple(map(_both, self.lengths, lengths)), told)

    def least(self, suit: Suit) -> int:
        return self.lengths[suit][0]


def _hull(one: Range, other: Range) -> Range:
    return min(one[0], other[0]), max(one[1], other[1])


def _both(before: Range, now: Range) -> Range:
    """What is true of both; the later word counts where they do not agree."""
    low, high = max(before[0], now[0]), min(before[1], now[1])
    return (low, high) if low <= high else now


@dataclass(frozen=True, slots=True)
class Picture:
    """An auction with what each seat has shown in it, North first, as seen by whoever calls next."""

    auction: Auction
    vulnerability: Vulnerability = Vulnerability.NONE
    shown: tuple[Shown, ...] = (Shown(),) * 4

    @property
    def me(self) -> Seat:
        return self.auction.seat_of(len(self.auction.calls))

    @property
    def is_vulnerable(self) -> bool:
        return self.vulnerability.of(self.me.side)

    @property
    def mine(self) -> Shown:
        return self.shown[self.me]

    @property
    def partner(self) -> Shown:
        return self.shown[self.me.partner]

    def calls_of(self, seat: Seat) -> list[Call]:
        """All calls of a seat but passes."""
        first = (seat - self.auction.dealer) % 4
        return [call for call in self.auction.calls[first::4] if call != PASS]

    @property
    def bids(self) -> list[tuple[Seat, Call]]:
        calls = enumerate(self.auction.calls)
        return [(self.auction.seat_of(place), call) for place, call in calls if call.is_bid]

    @property
    def last_bid(self) -> Call | None:
        return self.auction.last_bid

    @property
    def is_ours(self) -> bool:
        """Whether the last bid is our side's."""
        bids = self.bids
        return bool(bids) and bids[-1][0].side is self.me.side

    @property
    def before_me(self) -> Call:
        """The call of the opponent on the right."""
        return self.auction.calls[-1] if self.auction.calls else PASS

    @property
    def is_last_chance(self) -> bool:
        """Whether a pass would end the auction."""
        return len(self.auction.calls) >= 3 and self.auction.calls[-2:] == (PASS, PASS)

    def suits_of(self, side: Side) -> list[Suit]:
        """What a side has bid as suits of its own: at least three cards, as a minor at the one level shows."""
        return [
            suit
            for suit in Suit
            if any(
                seat.side is side and call.strain is Strain(suit) and self.shown[seat].least(suit) >= 3
                for seat, call in self.bids
            )
        ]

    def cheapest(self, strain: Strain | Suit, jump: int = 0) -> Call | None:
        """The lowest bid in a strain, or so many levels higher."""
        lowest = 1 + (self.last_bid.rank if self.last_bid else -1)
        level = 1 + max(0, -(-(lowest - strain) // 5)) + jump
        return bid_of(level, Strain(strain)) if level <= 7 else None

    def allows(self, call: Call) -> bool:
        if call.is_bid:
            return self.last_bid is None or call.rank > self.last_bid.rank
        return call == PASS or call in self.auction.legal_calls()
