"""Seats, sides, and the board number that fixes dealer and vulnerability (Law 2)."""

from enum import IntEnum, StrEnum

from bridge.errors import BridgeError


class Side(StrEnum):
    """The two sides of a table."""

    NS = "NS"
    EW = "EW"

    @property
    def opponents(self) -> "Side":
        return Side.EW if self is Side.NS else Side.NS


class Seat(IntEnum):
    """The four seats, clockwise."""

    NORTH = 0
    EAST = 1
    SOUTH = 2
    WEST = 3

    @classmethod
    def from_letter(cls, letter: str) -> "Seat":
        """The seat of `N`, `E`, `S` or `W`, or of its name, in upper or lower case.

        >>> Seat.from_letter("w"), Seat.from_letter("South")
        (<Seat.WEST: 3>, <Seat.SOUTH: 2>)
        """
        for seat in cls:
            if letter.upper() in (seat.letter, seat.name):
                return seat
        raise BridgeError("“%(letter)s” is not a seat: N, E, S or W.", letter=letter)

    @property
    def letter(self) -> str:
        return "NESW"[self]

    @property
    def left(self) -> "Seat":
        """The left-hand opponent, who acts next."""
        return Seat((self + 1) % 4)

    @property
    def partner(self) -> "Seat":
        return Seat((self + 2) % 4)

    @property
    def opponents(self) -> "frozenset[Seat]":
        return frozenset((self.left, self.partner.left))

    @property
    def side(self) -> Side:
        return Side.EW if self % 2 else Side.NS


class Vulnerability(StrEnum):
    """Who is vulnerable."""

    NONE = "None"
    NS = "NS"
    EW = "EW"
    BOTH = "Both"

    def of(self, side: Side) -> bool:
        """Whether this side is vulnerable.

        >>> Vulnerability.NS.of(Side.EW)
        False
        """
        return self is Vulnerability.BOTH or self.value == side.value


_CYCLE = (
    Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW, Vulnerability.BOTH,
    Vulnerability.NS, Vulnerability.EW, Vulnerability.BOTH, Vulnerability.NONE,
    Vulnerability.EW, Vulnerability.BOTH, Vulnerability.NONE, Vulnerability.NS,
    Vulnerability.BOTH, Vulnerability.NONE, Vulnerability.NS, Vulnerability.EW,
)  # fmt: skip


def dealer(board_number: int) -> Seat:
    """The dealer of a board, counted from 1 (Law 2): North, East, South, West, and again.

    >>> dealer(15)
    <Seat.SOUTH: 2>
    """
    return Seat((_counted_from_one(board_number) - 1) % 4)


def vulnerability(board_number: int) -> Vulnerability:
    """Who is vulnerable on a board, counted from 1 (Law 2): a cycle of 16 boards.

    >>> vulnerability(15)
    <Vulnerability.NS: 'NS'>
    """
    return _CYCLE[(_counted_from_one(board_number) - 1) % 16]


def _counted_from_one(board_number: int) -> int:
    if board_number < 1:
        raise BridgeError("Boards are numbered from 1, not %(number)s.", number=board_number)
    return board_number
