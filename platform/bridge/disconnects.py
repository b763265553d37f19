"""What follows when a player leaves a board that is not finished and does not come back in time.

Once a player and a board. A board whose result is certain, by its last card or an accepted claim, is scored as ever.
"""

from collections.abc import Collection
from dataclasses import dataclass
from enum import StrEnum

from bridge.awards import Grade, Ruling
from bridge.seats import Seat, Side


class Game(StrEnum):
    """What the board was played for."""

    HIGH_CARDS = "high cards"
    """The single board, set against its high-card points."""
    WEEKLY = "weekly"
    """The pool of boards behind the week's points and the Rate."""
    EVENT = "event"
    """Pairs events, team matches and ladder matches."""


@dataclass(frozen=True, slots=True)
class Penalties:
    """The points that a site may set; all are given as they are written, without a sign.

    Attributes:
        high_cards: Taken from the leaver.
        high_cards_others: Given to each of the other three.
        weekly: Taken from the leaver's points of the week; about what a large swing costs.
    """

    high_cards: int = 20
    high_cards_others: int = 5
    weekly: int = 16


USUAL = Penalties()


@dataclass(frozen=True, slots=True)
class Consequence:
    """What each player and the board come to.

    Attributes:
        points: Of each seat, North first.
        ruling: The score in place of a result (Law 12C2): average minus for the side that left.
        rate_zero: Seats for which the board counts, with a Rate of 0.
        void: Whether the board counts for nobody else.
    """

    points: tuple[int, int, int, int] = (0, 0, 0, 0)
    ruling: Ruling | None = None
    rate_zero: frozenset[Seat] = frozenset()
    void: bool = True


def consequence(
    game: Game, gone: Collection[Seat], *, server_fault: bool = False, penalties: Penalties = USUAL
) -> Consequence:
    """What follows when the board ends because these seats are gone.

    Nobody is to blame when the server failed or when players of both sides are gone: the board is void for all.

    >>> consequence(Game.WEEKLY, {Seat.EAST}).points
    (0, -16, 0, 0)
    """
    sides = {seat.side for seat in gone}
    if server_fault or len(sides) != 1:
        return Consequence()
    match game:
        case Game.HIGH_CARDS:
            return Consequence(_points(gone, penalties.high_cards, penalties.high_cards_others))
        case Game.WEEKLY:
            return Consequence(_points(gone, penalties.weekly, 0), rate_zero=frozenset(gone))
        case Game.EVENT:
            left = Side.NS if Side.NS in sides else Side.EW
            awards = {left: Grade.MINUS, left.opponents: Grade.PLUS}
            return Consequence(ruling=Ruling(awards[Side.NS], awards[Side.EW]), void=False)


def _points(gone: Collection[Seat], taken: int, given: int) -> tuple[int, int, int, int]:
    north, east, south, west = (-taken if seat in gone else given for seat in Seat)
    return north, east, south, west
