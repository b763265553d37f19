"""The auction (Laws 17 to 22): which calls are legal, whose turn it is, when it ends and in which contract."""

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from bridge.contracts import Contract, Doubling, Strain
from bridge.errors import IllegalCall
from bridge.seats import Seat, Side


@dataclass(frozen=True, slots=True)
class Call:
    """One of the 38 calls: `PASS`, `DOUBLE`, `REDOUBLE` or one of `BIDS`.

    Attributes:
        text: As records write it: `Pass`, `X`, `XX`, or a bid such as `1NT`.
        level: 1 to 7 of a bid, 0 of other calls.
        strain: Of a bid.
    """

    text: str
    level: int = 0
    strain: Strain | None = None

    @property
    def is_bid(self) -> bool:
        return self.level > 0

    @property
    def rank(self) -> int:
        """A bid is sufficient when its rank is higher than the last one's (Law 18): 0 for 1♣ to 34 for 7NT."""
        return -1 if self.strain is None else 5 * (self.level - 1) + self.strain


PASS, DOUBLE, REDOUBLE = Call("Pass"), Call("X"), Call("XX")
BIDS = tuple(Call(f"{level}{strain.text}", level, strain) for level in range(1, 8) for strain in Strain)
"""The 35 bids, lowest first."""
CALLS = (PASS, DOUBLE, REDOUBLE, *BIDS)
LONGEST_AUCTION = 319

_SEATS = tuple(Seat)
_BY_TEXT = {call.text: call for call in CALLS}
_SIGNS = {
    **dict.fromkeys(("PASS", "P"), PASS),
    **dict.fromkeys(("X", "D", "DBL", "DOUBLE"), DOUBLE),
    **dict.fromkeys(("XX", "R", "RDBL", "REDOUBLE"), REDOUBLE),
}
_BID = re.compile(r"([1-7])(NT?|[CDHS])", re.ASCII)


def bid(level: int, strain: Strain) -> Call:
    """The bid of a level from 1 to 7 in a strain."""
    return BIDS[5 * (level - 1) + strain]


def read_call(text: str) -> Call | None:
    """A call as people and files write it; None when the text is no call.

    >>> [call and call.text for call in map(read_call, ("p", "dbl", "2n", "1h", "8C"))]
    ['Pass', 'X', '2NT', '1H', None]
    """
    plain = text.upper()
    if plain in _SIGNS:
        return _SIGNS[plain]
    match = _BID.fullmatch(plain)
    return _BY_TEXT[match[1] + ("NT" if match[2] == "N" else match[2])] if match else None


def is_over(calls: Sequence[Call]) -> bool:
    """Whether an auction has ended: three passes after a bid, or four at the start (Law 22)."""
    return len(calls) >= 4 and calls[-1] == calls[-2] == calls[-3] == PASS


def standing_contract(calls: Iterable[tuple[Seat, Call]]) -> Contract | None:
    """The contract that the calls leave standing, whether the auction is over or not; None when nobody bid.

    Declarer is who first bid the strain for the side that bids it last.
    """
    first_bid: dict[tuple[Side, Strain], Seat] = {}
    contract = None
    for seat, call in calls:
        if call.strain is not None:
            declarer = first_bid.setdefault((seat.side, call.strain), seat)
            contract = Contract(call.level, call.strain, Doubling.UNDOUBLED, declarer)
        elif contract and call == DOUBLE:
            contract = replace(contract, doubling=Doubling.DOUBLED)
        elif contract and call == REDOUBLE:
            contract = replace(contract, doubling=Doubling.REDOUBLED)
    return contract


@dataclass(frozen=True, slots=True)
class Auction:
    """The calls so far, from the dealer on.

    >>> Auction(Seat.NORTH).after(BIDS[0]).after(DOUBLE).turn
    <Seat.SOUTH: 2>
    """

    dealer: Seat
    calls: tuple[Call, ...] = ()

    @property
    def is_over(self) -> bool:
        return is_over(self.calls)

    @property
    def is_passed_out(self) -> bool:
        """Four passes: the board scores 0 and is not dealt again (Law 22)."""
        return len(self.calls) == 4 and self.is_over and self.calls[0] == PASS

    @property
    def turn(self) -> Seat | None:
        """Who calls next; None when the auction is over."""
        return None if self.is_over else self.seat_of(len(self.calls))

    def seat_of(self, place: int) -> Seat:
        """Who made, or will make, the call at a place counted from 0."""
        return _SEATS[(self.dealer + place) % 4]

    @property
    def contract(self) -> Contract | None:
        """What will be played; None while the auction lasts and when everybody passed."""
        if not self.is_over:
            return None
        return standing_contract((self.seat_of(place), call) for place, call in enumerate(self.calls))

    @property
    def last_bid(self) -> Call | None:
        return next((call for call in reversed(self.calls) if call.is_bid), None)

    def legal_calls(self) -> tuple[Call, ...]:
        """What whoever's turn it is may call; nothing when the auction is over."""
        if self.is_over:
            return ()
        last = self.last_bid
        doubles = tuple(call for call in (DOUBLE, REDOUBLE) if self._objection(call) is None)
        return (PASS, *doubles, *BIDS[last.rank + 1 if last else 0 :])

    def after(self, call: Call) -> "Auction":
        """The auction with one more call.

        Raises:
            IllegalCall: The Laws do not allow it now.
        """
        if self.is_over:
            raise IllegalCall("The auction is over.")
        if error := self._objection(call):
            raise error
        return Auction(self.dealer, (*self.calls, call))

    @property
    def is_jump(self) -> bool:
        """Whether the last call is a bid at a higher level than its strain needed."""
        if not self.calls or not self.calls[-1].is_bid:
            return False
        before = Auction(self.dealer, self.calls[:-1]).last_bid
        return self.calls[-1].rank - (before.rank if before else -1) > 5

    def _objection(self, call: Call) -> IllegalCall | None:
        """What the Laws have against a call now (Laws 18 and 19); None when it is legal."""
        if call == PASS:
            return None
        if call.is_bid:
            last = self.last_bid
            enough = last is None or call.rank > last.rank
            return None if enough else IllegalCall("A bid must be higher than the last one.")
        passes = 0
        for standing in reversed(self.calls):
            if standing != PASS:
                break
            passes += 1
        else:
            return IllegalCall("Nobody has bid yet.")
        by_opponents = passes % 2 == 0
        if call == DOUBLE:
            if standing.is_bid and by_opponents:
                return None
            return IllegalCall("Only a bid of the opponents that is not doubled can be doubled.")
        if standing == DOUBLE and by_opponents:
            return None
        return IllegalCall("Only a double by the opponents can be redoubled.")
