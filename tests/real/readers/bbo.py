"""The pages of a tournament on Bridge Base Online: a traveller for each board, and the view with the totals."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from bridge.contracts import Contract, read_contract
from tests.real.readers.tables import rows_of

AVERAGE = "A=="

Pair = frozenset[str]


@dataclass(frozen=True, slots=True)
class Row:
    """One row of a traveller; without a score it was adjusted to an average, and `tricks` is None."""

    board: int
    ns: Pair
    ew: Pair
    contract: Contract | None
    tricks: int | None
    ns_score: int | None
    ns_points: Decimal


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of the section's totals."""

    pair: Pair
    imps: Decimal
    rank: int


@dataclass(frozen=True, slots=True)
class Tournament:
    """Results board by board in the order of the boards, and the totals of the only section."""

    boards: int
    rows: tuple[Row, ...]
    totals: tuple[PairLine, ...]


def read_tournament(folder: Path) -> Tournament:
    travellers = list(folder.glob("traveller*.html"))
    rows = tuple(
        _row(board, cells)
        for board in range(1, len(travellers) + 1)
        for cells in rows_of((folder / f"traveller{board:02}.html").read_text("utf-8"), "tourney")
    )
    totals = tuple(
        PairLine(_pair(*cells[0].split("+")), Decimal(cells[1]), int(cells[2]))
        for cells in rows_of((folder / "tview.html").read_text("utf-8"), "odd", "even")
        if len(cells) == 5  # the list of honour has three: the same pairs again
    )
    return Tournament(len(travellers), rows, totals)


def _row(board: int, cells: list[str]) -> Row:
    _number, _time, north, south, east, west, result, score, points, _movie = cells
    ns, ew = _pair(north, south), _pair(east, west)
    if result == AVERAGE and score == "N/A":
        return Row(board, ns, ew, None, None, None, Decimal(points))
    return Row(board, ns, ew, *read_contract(result), int(score), Decimal(points))


def _pair(*names: str) -> Pair:
    """The two players; the program that plays is `GiB` in the travellers and `Robot` in the totals."""
    return frozenset("Robot" if name == "GiB" else name for name in names)
