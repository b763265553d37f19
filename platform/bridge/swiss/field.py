"""What a round is drawn from, and what is drawn: pairs in standings order, earlier rounds, tables."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from math import lcm

from bridge.errors import BridgeError


class PairingError(BridgeError):
    """Pairs or earlier rounds that no event can have."""


@dataclass(frozen=True, slots=True)
class Entrant:
    """A pair of the event as it stands before the round.

    Attributes:
        pair: Its number, unique in the event.
        registration: The order in which pairs registered, unique; it breaks every tie.
        total: Exact, in the unit of the event's method.
        completed: Boards completed; those of a bye count.
        playing: False when the pair has withdrawn or is absent: it is not drawn, but its meetings count.
    """

    pair: int
    registration: int
    total: Fraction | int = 0
    completed: int = 0
    playing: bool = True


@dataclass(frozen=True, slots=True)
class PlayedRound:
    """An earlier round as it was drawn.

    Attributes:
        tables: The pairs that met, North–South first.
        byes: The pairs that sat out.
    """

    tables: tuple[tuple[int, int], ...]
    byes: tuple[int, ...] = ()


@dataclass(frozen=True, slots=True)
class Table:
    """Two pairs that meet; `meetings` is how often they have met before."""

    number: int
    ns: int
    ew: int
    meetings: int = 0


@dataclass(frozen=True, slots=True)
class Round:
    """A round that was drawn; with fewer than two pairs there are no tables, and no round can be played.

    Attributes:
        tables: In the order of their better-ranked pairs.
        bye: The pair that sits out.
        optimal: Whether the search claims that no other pairing is better; beyond 400 pairs it may not.
    """

    tables: tuple[Table, ...]
    bye: int | None = None
    optimal: bool = True


def standings_order(entrants: Iterable[Entrant]) -> list[Entrant]:
    """By total, then boards completed, both highest first, then the earlier registration.

    >>> [each.pair for each in standings_order([Entrant(1, 1, 5, 7), Entrant(2, 2, 5, 8), Entrant(3, 3, 5, 8)])]
    [2, 3, 1]
    """
    pairs = list(entrants)
    common = lcm(*(each.total.denominator for each in pairs))  # whole numbers sort faster than fractions

    def place(each: Entrant) -> tuple[int, int, int]:
        total = each.total.numerator * (common // each.total.denominator)
        return -total, -each.completed, each.registration

    return sorted(pairs, key=place)
