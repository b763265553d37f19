"""Bo Haglund's double-dummy solver, through endplay.

endplay's package start imports matplotlib, for plots that nobody draws here; an empty package of the same name stands
in for it, and only the solver's modules are loaded, when they are first needed.
"""

import importlib.util
import re
import sys
import threading
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

from bridge.cards import Card, Deal, Suit
from bridge.contracts import Contract, Strain
from bridge.play import Play
from bridge.robot.solving import Position
from bridge.seats import Seat

BATCH = 32
"""Deals solved in one call; the solver takes 40 at the most."""
MOST = 100
"""Positions solved in one call; the solver takes 200 at the most."""

_ONE_AT_A_TIME = threading.Lock()  # the solver keeps its work in globals: two threads in it end the process
_ORDER_OF_SEATS = "NSEW"
_ORDER_OF_STRAINS = ("nt", "spades", "hearts", "diamonds", "clubs")
_DOUBLED = re.compile(r"([NESW])(x+)")  # endplay writes the doubling after the seat
_VULNERABLE = {"None": "none", "NS": "ns", "EW": "ew", "Both": "both"}


@cache
def _solver() -> Any:
    if "endplay" not in sys.modules:
        spec = importlib.util.find_spec("endplay")
        if spec is None or spec.submodule_search_locations is None:
            raise ImportError("endplay is not installed")
        package = ModuleType("endplay")
        package.__path__ = list(spec.submodule_search_locations)
        package.__spec__ = spec
        sys.modules["endplay"] = package
    import endplay.dds
    import endplay.types

    return endplay


def solve(deals: Sequence[str]) -> list[str]:
    """How many tricks each seat makes in each strain.

    Args:
        deals: Complete deals in PBN form, any number.

    Returns:
        For each deal twenty hexadecimal digits: seats N S E W, in each the strains NT S H D C.
    """
    types, dds = _solver().types, _solver().dds
    digits = []
    for start in range(0, len(deals), BATCH):
        with _ONE_AT_A_TIME:
            tables = dds.calc_all_tables([types.Deal(deal) for deal in deals[start : start + BATCH]])
        digits += [
            "".join(
                f"{table[getattr(types.Denom, strain), types.Player.find(seat)]:x}"
                for seat in _ORDER_OF_SEATS
                for strain in _ORDER_OF_STRAINS
            )
            for table in tables
        ]
    return digits


def par(tricks: str, dealer: str, vulnerable: str) -> tuple[int, str]:
    """North–South's score at par, and the contracts that reach it, such as `3♦XN-1, 3♦XS-1`.

    Args:
        tricks: The twenty digits of `solve`.
        dealer: A seat's letter.
        vulnerable: None, NS, EW or Both.
    """
    types, dds = _solver().types, _solver().dds
    from endplay._dds import ddTableResults

    table = ddTableResults()
    strains = {strain: getattr(types.Denom, strain) for strain in _ORDER_OF_STRAINS}
    for place, digit in enumerate(tricks):
        seat, strain = _ORDER_OF_SEATS[place // 5], _ORDER_OF_STRAINS[place % 5]
        table.resTable[strains[strain]][types.Player.find(seat)] = int(digit, 16)
    with _ONE_AT_A_TIME:
        found = dds.par(_table(table), getattr(types.Vul, _VULNERABLE[vulnerable]), types.Player.find(dealer))
    contracts = ", ".join(
        _DOUBLED.sub(lambda match: match[2].upper() + match[1], str(each)) for each in found
    )
    return int(found.score), contracts


def solve_play(deal: str, strain: str, declarer: str, cards: Sequence[str]) -> list[dict[str, int]]:
    """What each card of a play, and each that could have been played instead, would bring to declarer's side.

    Args:
        deal: A complete deal in PBN form.
        strain: NT, S, H, D or C.
        declarer: A seat's letter.
        cards: What was played, in its order, such as `SA`; any number, none is asked about the lead alone.

    Returns:
        For each card that was played the tricks that declarer's side takes of all 13 when both sides play on with all cards
        seen, by every card that the hand could play; and the same of the next card, unless all 52 were played.

    Raises:
        IllegalCard: The play is not one that the Laws allow.
        ImpossibleDeal: Text that is no deal, or no card.
    """
    contract = Contract(1, Strain.from_text(strain), declarer=Seat.from_letter(declarer))
    play = Play.begin(contract, Deal.from_pbn(deal))
    positions = [play]
    for card in cards:
        play = play.after(Card.from_text(card))
        positions.append(play)
    return _solve_positions([play for play in positions if not play.is_over])


def _solve_positions(plays: Sequence[Play]) -> list[dict[str, int]]:
    """By card, for declarer's side: what was won already counts."""
    positions = []
    for play in plays:
        assert play.trick  # noqa: S101 - the play is not over
        hands = tuple(hand.cards for hand in play.hands)
        positions.append(Position(hands, play.trick.cards, play.trick.leader, play.contract.strain))
    tricks = []
    for play, found in zip(plays, solve_positions(positions), strict=True):
        ours = play.turn is not None and play.turn.side is play.declarer.side
        tricks.append(
            {
                card.text: play.won + (won if ours else play.remaining - won)
                for card, won in sorted(found.items(), reverse=True)
            }
        )
    return tricks


def solve_positions(positions: Sequence[Position]) -> list[dict[Card, int]]:
    """All cards of any number of positions: a `bridge.robot.solving.Solver`.

    Raises:
        RuntimeError: The solver refused, for instance hands that no play leaves.
    """
    return [
        tricks
        for start in range(0, len(positions), MOST)
        for tricks in _solve_batch(positions[start : start + MOST])
    ]


def _solve_batch(positions: Sequence[Position]) -> list[dict[Card, int]]:
    dds = _solver()._dds
    asked, found = dds.boards(), dds.solvedBoards()
    for place, position in enumerate(positions):
        _write_position(asked.deals[place], position)
        asked.target[place], asked.solutions[place], asked.mode[place] = -1, 3, 1
    asked.noOfBoards = len(positions)
    with _ONE_AT_A_TIME:
        dds.SolveAllBoardsBin(asked, found)
    return [_by_card(found.solvedBoard[place]) for place in range(len(positions))]


def _write_position(deal: Any, position: Position) -> None:
    """As the solver wants it: strains and suits from spades down, ranks as bits."""
    strain = position.trumps
    deal.trump = strain if strain is Strain.NOTRUMP else 3 - strain
    deal.first = position.leader
    for place, card in enumerate(position.trick):
        deal.currentTrickSuit[place], deal.currentTrickRank[place] = 3 - card.suit, card.rank
    for seat, hand in enumerate(position.hands):
        for card in hand:
            deal.remainCards[seat][3 - card.suit] |= 1 << card.rank


def _by_card(solved: Any) -> dict[Card, int]:
    """The answer for one position, for the side on turn. The solver names the highest of equal cards."""
    tricks = {}
    for place in range(solved.cards):
        suit, ranks = Suit(3 - solved.suit[place]), 1 << solved.rank[place] | solved.equals[place]
        for rank in range(2, 15):
            if ranks >> rank & 1:
                tricks[Card(suit, rank)] = solved.score[place]
    return tricks


def _table(data: Any) -> Any:
    from endplay.dds.ddtable import DDTable

    return DDTable(data)
