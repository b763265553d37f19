"""The tables of a pairs event: what happened on a board, and what the pairs are called and have won."""

import re
from collections.abc import Iterator, Sequence
from decimal import Decimal
from fractions import Fraction

from bridge.awards import Award, Grade, Mixture, Ruling, Stated
from bridge.cards import Card
from bridge.errors import BridgeError
from bridge.formats.pbn import facts
from bridge.formats.pbn.facts import attempt, known
from bridge.formats.pbn.lexer import Record, Tag
from bridge.formats.records import PairRecord, PlayerRecord, PublishedStanding, RecordError, RowRecord
from bridge.seats import Side

TOTAL_VPS = "TotalScoreVP"  # what programs write beside the standard's names
ROUND_SCORES = "RoundScores"  # ours: what each round brought, for a total that no sum of boards gives
_TOTALS = (TOTAL_VPS, "TotalScoreMP", "TotalMP", "TotalScoreIMP", "TotalIMP", "TotalScore")


def _table(tag: Tag | None) -> Iterator[tuple[int, dict[str, str]]]:
    """The rows of a table, each with its line; cells by the name of their column, without what orders and aligns it."""
    if tag is None:
        return
    columns = [column.split("\\")[0].strip().lstrip("+-") for column in tag.value.split(";")]
    for line, cells in tag.rows():
        yield line, dict(zip(columns, cells, strict=False))


def rows_of(record: Record, errors: list[RecordError]) -> Iterator[RowRecord]:
    for line, cells in _table(record.tag("ScoreTable")):
        row = None if _sits_out(cells) else attempt(errors, _row, cells, line)
        if row is not None:
            yield row


def _sits_out(cells: dict[str, str]) -> bool:
    """Whether a row says that one pair had nobody to play against."""
    names = [known(cells.get(name, "")) for name in ("PairId_NS", "PairId_EW")]
    results = [cells.get(name, "") for name in ("Contract", "Score_NS", "Score_EW", "Ruling_NS", "Ruling_EW")]
    return names.count(None) == 1 and not any(map(known, results))


def _row(cells: dict[str, str], line: int) -> RowRecord:
    if known(cells.get("PairId_NS", "")) is None or known(cells.get("PairId_EW", "")) is None:
        raise RecordError("A row of the score table names no two pairs.", line)
    contract = facts.contract_in(cells.get("Contract", ""), cells.get("Declarer", ""), line)
    return RowRecord(
        cells["PairId_NS"],
        cells["PairId_EW"],
        contract,
        cells.get("Contract", "").upper() in facts.PASSED,
        facts.tricks_in(cells.get("Result", ""), line) if contract else None,
        _lead(cells.get("Lead", "")),
        _score(cells, line),
        _ruling(cells, line),
        _points(cells, Side.NS, line),
        _points(cells, Side.EW, line),
        known(cells.get("Section", "")),
        int(cells["Round"]) if re.fullmatch("[0-9]{1,4}", cells.get("Round", ""), re.ASCII) else None,
        known(cells.get("Table", "")),
        line,
    )


def _lead(text: str) -> Card | None:
    try:
        return Card.from_text(text)
    except BridgeError:
        return None


def _score(cells: dict[str, str], line: int) -> int | None:
    for name, sign in (("Score_NS", 1), ("Score_EW", -1)):
        value = facts.figure(cells.get(name, ""), line)
        if value is not None:
            if value % 10 or abs(value) > 7600:
                raise RecordError("No board scores %(score)s.", line, score=value)
            return sign * int(value)
    return None


def _points(cells: dict[str, str], side: Side, line: int) -> Decimal | None:
    points = (facts.figure(cells.get(f"{unit}_{side.value}", ""), line) for unit in ("MP", "IMP", "Points"))
    return next((value for value in points if value is not None), None)


def _ruling(cells: dict[str, str], line: int) -> Ruling | None:
    texts = [cells.get(f"Ruling_{side.value}", "-") for side in Side]
    if texts == ["-", "-"]:
        return None
    with facts.at(line):
        return Ruling(*(_award(text, line) for text in texts))


def award_text(award: Award) -> str:
    """An award as our tables write it: `A+`, `60%`, or scores with their weights `1/3*140,2/3*-170`."""
    match award:
        case Grade():
            return award.value
        case Stated():
            return f"{award.percent}%"
        case Mixture():
            return ",".join(f"{weight}*{score}" for weight, score in award.parts)


def _award(text: str, line: int) -> Award:
    if text in [grade.value for grade in Grade]:
        return Grade(text)
    fraction = r"[0-9]{1,6}(?:/[1-9][0-9]{0,5})?"
    if re.fullmatch(f"{fraction}%", text, re.ASCII):
        return Stated(Fraction(text[:-1]))
    parts = [re.fullmatch(rf"({fraction})\*(-?[0-9]{{1,4}})", part, re.ASCII) for part in text.split(",")]
    if None in parts:
        raise RecordError("“%(text)s” is not an adjusted score.", line, text=text[:40])
    return Mixture(tuple((Fraction(part[1]), int(part[2])) for part in parts if part))


def in_section(section: str | None, number: str) -> str:
    """The label of a pair in an event whose sections are numbered apart, such as `A3` or `2-3`.

    >>> in_section("A", "3"), in_section("2", "3"), in_section(None, "3")
    ('A3', '2-3', '3')
    """
    return number if section is None else f"{section}{'-' * section[-1:].isdigit()}{number}"


def entries_of(
    found: Sequence[Record], errors: list[RecordError], *, apart: bool
) -> Iterator[tuple[PairRecord, PublishedStanding | None]]:
    """The pairs of the TotalScoreTables and what these say of their rank; each pair once.

    Args:
        found: The records of the file.
        errors: What cannot be read is added here.
        apart: Whether every section numbers its own pairs.
    """
    seen: set[str] = set()
    for record in found:
        for line, cells in _table(record.tag("TotalScoreTable")):
            label = known(cells.get("PairId", ""))
            if label and apart:
                label = in_section(known(cells.get("Section", "")), label)
            if label and label not in seen:
                seen.add(label)
                entry = attempt(errors, _entry, label, cells, line)
                if entry:
                    yield entry


def _entry(label: str, cells: dict[str, str], line: int) -> tuple[PairRecord, PublishedStanding | None]:

    def figure(name: str) -> Decimal | None:
        return facts.figure(cells.get(name, ""), line)

    names = (name.strip() for name in cells.get("Names", "").split(";"))
    side = cells.get("Direction", "")
    pair = PairRecord(
        label,
        tuple(PlayerRecord(name) for name in names if known(name)),
        Side(side) if side in ("NS", "EW") else None,
        figure("Handicap"),
        figure("CarryOver"),
        figure("Adjustment"),
        known(cells.get("Section", "")) or "",
        line,
    )
    totals = map(figure, _TOTALS)
    standing = PublishedStanding(
        label,
        next((total for total in totals if total is not None), None),
        figure("TotalPercentage"),
        known(cells.get("Rank", "")),
        figure("MasterPoints"),
        rounds=_rounds(cells.get(ROUND_SCORES, ""), line),
        line=line,
    )
    return pair, None if standing == PublishedStanding(label) else standing


def _rounds(text: str, line: int) -> tuple[Decimal, ...]:
    figures = [facts.figure(each, line) for each in text.split(";")]
    return tuple(figure for figure in figures if figure is not None)


def counts_vps(found: Sequence[Record]) -> bool:
    """Whether the TotalScoreTables give victory points."""
    return any(TOTAL_VPS in cells for record in found for _, cells in _table(record.tag("TotalScoreTable")))
