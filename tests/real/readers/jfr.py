"""Pages of JFR Pary, the Polish scoring program: one traveller per board, and the final ranking."""

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from html.parser import HTMLParser

from bridge.contracts import Contract, read_contract, tricks_of
from bridge.seats import Seat


@dataclass(frozen=True, slots=True)
class Row:
    """One table's line of a traveller.

    Attributes:
        ns, ew: Numbers of the pairs.
        ruled: Whether the director gave points in place of a result; contract, tricks and score are then None.
        contract: None also when the board was passed out.
        score: The score from North–South's side, as printed.
        ns_points, ew_points: IMPs or percent, as printed.
    """

    ns: int
    ew: int
    ruled: bool
    contract: Contract | None
    tricks: int | None
    score: int | None
    ns_points: Fraction
    ew_points: Fraction


@dataclass(frozen=True, slots=True)
class Traveller:
    """All tables of one board, and the datum where the page prints one."""

    rows: tuple[Row, ...]
    datum: int | None


@dataclass(frozen=True, slots=True)
class Line:
    """One pair of the ranking; the adjustment is already in the total."""

    rank: int
    pair: int
    adjustment: Fraction
    total: Fraction


class _Cells(HTMLParser):
    """The text of every cell, row by row; a picture stands for its alternative text."""

    def __init__(self) -> None:
        super().__init__()
        self.rows: list[list[str]] = []
        self._inside = False

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if tag == "tr":
            self.rows.append([])
        elif tag == "td":
            self.rows[-1].append("")
            self._inside = True
        elif tag == "img":
            self.handle_data(dict(attrs).get("alt") or "")

    def handle_endtag(self, tag: str) -> None:
        if tag == "td":
            self._inside = False

    def handle_data(self, data: str) -> None:
        if self._inside:
            self.rows[-1][-1] += data


def _cells(html: str) -> Iterable[list[str]]:
    parser = _Cells()
    parser.feed(html)
    parser.close()
    return ([cell.strip() for cell in row] for row in parser.rows)


def read_traveller(html: str) -> Traveller:
    """The traveller of one board; a row that is neither a heading nor understood is an error."""
    rows: list[Row] = []
    datum = None
    for cells in _cells(html):
        if cells and cells[0].startswith("średnia rozdania"):
            datum = int(cells[1])
        elif len(cells) > 2 and cells[1].isdecimal():
            rows.append(_row(cells[1:]))
        elif any(cell.isdecimal() for cell in cells):
            raise ValueError(cells)
    return Traveller(tuple(rows), datum)


def _row(cells: list[str]) -> Row:
    ns, ew, contract, declarer, _lead, result, *score, ns_points, ew_points = cells
    numbers = int(ns), int(ew)
    points = Fraction(ns_points), Fraction(ew_points)
    if contract == "TD":
        return Row(*numbers, True, None, None, None, *points)
    if contract == "PASS":
        return Row(*numbers, False, None, None, int(score[0]), *points)
    ns_score, ew_score = score
    played, _ = read_contract(f"{contract} {declarer}")
    if played is None or played.declarer is not Seat.from_letter(declarer):
        raise ValueError(cells)
    printed = int(ns_score) if ns_score else -int(ew_score)
    return Row(*numbers, False, played, tricks_of(played, result), printed, *points)


def read_ranking(html: str) -> list[Line]:
    """The final ranking, in the page's order; a pair that shares the rank above it has a blank there."""
    lines: list[Line] = []
    columns: dict[str, int] = {}
    for cells in _cells(html):
        if "m-ce" in cells:
            columns = {name: place for place, name in enumerate(cells) if name}
        elif columns and len(cells) > columns["nr"] and cells[columns["nr"]].isdecimal():
            total = next(place for name, place in columns.items() if name.startswith("wynik"))
            rank = cells[columns["m-ce"]]
            adjustment = cells[columns["±"]] if "±" in columns else ""
            lines.append(
                Line(
                    int(rank) if rank else lines[-1].rank,
                    int(cells[columns["nr"]]),
                    Fraction(adjustment or 0),
                    Fraction(cells[total]),
                )
            )
    return lines
