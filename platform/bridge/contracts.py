"""Contracts and how they end, and their text in the many ways people write it."""

import re
from dataclasses import dataclass
from enum import IntEnum

from bridge.errors import ImpossibleContract, ImpossibleResult
from bridge.seats import Seat


class Strain(IntEnum):
    """The five denominations, lowest first."""

    CLUBS = 0
    DIAMONDS = 1
    HEARTS = 2
    SPADES = 3
    NOTRUMP = 4

    @classmethod
    def from_text(cls, text: str) -> "Strain":
        return cls(["C", "D", "H", "S", "NT"].index(text))

    @property
    def text(self) -> str:
        return ("C", "D", "H", "S", "NT")[self]


class Doubling(IntEnum):
    """Whether the contract was doubled or redoubled."""

    UNDOUBLED = 0
    DOUBLED = 1
    REDOUBLED = 2

    @property
    def text(self) -> str:
        return ("", "X", "XX")[self]


@dataclass(frozen=True, slots=True)
class Contract:
    """Level 1 to 7, strain, doubling, and the seat that plays it when that is known."""

    level: int
    strain: Strain
    doubling: Doubling = Doubling.UNDOUBLED
    declarer: Seat | None = None

    def __post_init__(self) -> None:
        if not 1 <= self.level <= 7:
            raise ImpossibleContract("A contract has a level from 1 to 7, not %(level)s.", level=self.level)

    @property
    def text(self) -> str:
        """The contract without its declarer, as files write it: `4SX`, `3NT`."""
        return f"{self.level}{self.strain.text}{self.doubling.text}"

    @property
    def tricks_needed(self) -> int:
        return self.level + 6


PASSED_OUT = None  # the contract of a board on which everybody passed

_SYMBOLS = str.maketrans(
    {"♣": "C", "♦": "D", "♥": "H", "♠": "S", "−": "-", "–": "-", "×": "X", "*": "X", "\ufe0e": None}
)
_CONTRACT = re.compile(
    r"([0-9])\s*(NT|SA|[CDHSN])\s*(X{0,2}|DBL|RDBL)\s*(NORTH|EAST|SOUTH|WEST|[NESW])?\s*(=|[+-]\s*[0-9]{1,2})?",
    re.ASCII,
)
_PASSED = {"PASS", "PASSED", "PASSED OUT", "PASSOUT", "PASS OUT", "ALL PASS", "P", "AP", "0"}


def read_contract(text: str) -> tuple[Contract | None, int | None]:
    """A contract as people write it, with declarer and result where they are given.

    Args:
        text: `4SX N +1`, `3NT=`, `4♠× E −2`, `4Hxx-2`, `2 d w`, `Pass`.

    Returns:
        The contract (None: passed out) and the tricks that declarer won (None: not said).

    Raises:
        ImpossibleContract: The text is not a contract.
        ImpossibleResult: The result does not fit the contract.

    >>> read_contract("4♠X N +1")
    (Contract(level=4, strain=<Strain.SPADES: 3>, doubling=<Doubling.DOUBLED: 1>, declarer=<Seat.NORTH: 0>), 11)
    >>> read_contract("all pass")
    (None, None)
    """
    plain = " ".join(text.translate(_SYMBOLS).upper().split())
    if plain in _PASSED:
        return PASSED_OUT, None
    match = _CONTRACT.fullmatch(plain)
    if not match:
        raise ImpossibleContract("“%(text)s” is not a contract.", text=text)
    level, strain, doubling, declarer, result = match.groups()
    contract = Contract(
        int(level),
        Strain.NOTRUMP if strain in ("N", "NT", "SA") else Strain.from_text(strain),
        Doubling({"X": 1, "DBL": 1, "XX": 2, "RDBL": 2}.get(doubling, 0)),
        Seat.from_letter(declarer) if declarer else None,
    )
    return contract, None if result is None else tricks_of(contract, result)


def tricks_of(contract: Contract, result: str) -> int:
    """The tricks won when the result is `=`, `+2` or `-1`.

    >>> tricks_of(Contract(4, Strain.SPADES), "-2")
    8
    """
    plain = result.translate(_SYMBOLS).replace(" ", "")
    try:
        tricks = contract.tricks_needed + (0 if plain == "=" else int(plain))
    except ValueError:
        raise ImpossibleResult("“%(result)s” is not a result: =, +1 or -1.", result=result) from None
    return possible_tricks(tricks)


def possible_tricks(tricks: int) -> int:
    """The number itself, when it is one of 0 to 13."""
    if not 0 <= tricks <= 13:
        raise ImpossibleResult("A board has 13 tricks: %(tricks)s cannot be won.", tricks=tricks)
    return tricks


def result_text(contract: Contract, tricks: int) -> str:
    """How the contract ended: `=`, `+1` or `−2` (with a minus sign).

    >>> result_text(Contract(3, Strain.NOTRUMP), 7)
    '−2'
    """
    over = tricks - contract.tricks_needed
    return "=" if over == 0 else f"+{over}" if over > 0 else f"−{-over}"
