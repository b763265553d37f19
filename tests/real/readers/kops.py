"""The pages that KoPS2www, the Polish scoring program, writes: one for each board, and the ranking."""

from dataclasses import dataclass
from decimal import Decimal
from pathlib import Path

from bridge.contracts import Contract, read_contract
from tests.real.readers.tables import rows_of


@dataclass(frozen=True, slots=True)
class Row:
    """One result, with the score and the IMPs that the program printed."""

    board: int
    ns: int
    ew: int
    contract: Contract | None
    tricks: int | None
    ns_score: int
    ns_points: Decimal
    ew_points: Decimal


@dataclass(frozen=True, slots=True)
class Bye:
    """A row that the director (“sędzia”) filled because the other pair is missing; it carries no IMPs."""

    board: int
    ns: int
    ew: int


@dataclass(frozen=True, slots=True)
class PairLine:
    """One line of the ranking."""

    rank: int
    pair: int
    imps: Decimal


@dataclass(frozen=True, slots=True)
class Event:
    """Results board by board in the order of the boards, what was not played, and the ranking."""

    boards: int
    rows: tuple[Row, ...]
    byes: tuple[Bye, ...]
    ranking: tuple[PairLine, ...]


def read_event(folder: Path) -> Event:
    pages = list(folder.glob("p*.html"))
    rows: list[Row] = []
    byes: list[Bye] = []
    for board in range(1, len(pages) + 1):
        for row in _rows_of(folder / f"p{board}.html"):
            match row:
                case [ns, ew, "sędzia", "średnia", "", "", ""]:
                    byes.append(Bye(board, int(ns), int(ew)))
                case [ns, ew, contract, declarer, _lead, result, plus, minus, ns_points, ew_points, ""]:
                    rows.append(
                        Row(
                            board,
                            int(ns),
                            int(ew),
                            *read_contract(f"{contract} {declarer} {result}"),
                            int(plus or minus),
                            Decimal(ns_points),
                            Decimal(ew_points),
                        )
                    )
                case _:
                    raise ValueError(f"board {board}: {row}")
    ranking = tuple(
        PairLine(int(line[0]), int(line[1]), Decimal(line[7])) for line in _rows_of(folder / "wyn.html")
    )
    return Event(len(pages), tuple(rows), tuple(byes), ranking)


def _rows_of(page: Path) -> list[list[str]]:
    return rows_of(page.read_text("iso-8859-2"), "niep", "parz")
