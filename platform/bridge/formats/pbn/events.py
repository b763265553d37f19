"""Records with score tables: the boards of a pairs event, its pairs and its standings."""

import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from bridge.comparison import Method
from bridge.formats.pbn import facts
from bridge.formats.pbn.facts import attempt, known
from bridge.formats.pbn.lexer import Record, records
from bridge.formats.pbn.tables import counts_vps, entries_of, in_section, rows_of
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    RecordError,
    RowRecord,
    SessionRecord,
    note,
    refuse,
)
from bridge.seats import Side, dealer, vulnerability

_METHODS = {
    "MP": Method.MP,
    "MATCHPOINTS": Method.MP,
    "BUTLER": Method.BUTLER,
    "CROSS": Method.CROSS_IMP,
    "TOTAL": Method.TOTAL_IMP,
}
_SCORING = {
    Method.MP: "MP",
    Method.BUTLER: "IMP;Butler",
    Method.CROSS_IMP: "IMP;Cross",
    Method.TOTAL_IMP: "IMP;Total",
}
Place = tuple[int, int]  # a session and the number of a board


def scoring_of(method: Method | None) -> str | None:
    """A method in PBN's words; None is never turned into a method.

    >>> scoring_of(Method.CROSS_IMP)
    'IMP;Cross'
    """
    return None if method is None else _SCORING[method]


def method_of(scoring: str) -> Method | None:
    """The method that a Scoring tag names; None when it names none that we know.

    >>> method_of("IMP;Butler-2")
    <Method.BUTLER: 'BUTLER'>
    """
    words = [re.sub(r"[-0-9]+$", "", word.strip()) for word in scoring.upper().split(";")]
    return next((_METHODS[word] for word in reversed(words) if word in _METHODS), None)


def read_boards(data: bytes, encoding: str | None = None) -> tuple[BoardRecord, ...]:
    """All boards of a file, each number once: a later record of a number adds what the earlier left out.

    Raises:
        RecordError: Boards, deals or tables that cannot be; with the line, and the others behind the first.
    """
    errors: list[RecordError] = []
    boards = _boards(records(facts.text_of(data, encoding)), errors)
    refuse(errors)
    return tuple(boards.values())


def read(data: bytes, encoding: str | None = None) -> EventRecord:
    """The pairs event in a PBN file.

    Raises:
        RecordError: What cannot be read, with the line, and the others behind the first.
    """
    text = facts.text_of(data, encoding)
    found = [record for record in records(text) if "Board" in record]
    if not found:
        raise RecordError("The file holds no board.")
    errors: list[RecordError] = []
    boards = _boards(found, errors)
    apart = numbered_by_section(boards.values())
    if apart:
        boards = {place: _named_by_section(board) for place, board in boards.items()}
    entries = list(entries_of(found, errors, apart=apart))
    two_lines = not any(pair.direction for pair, _ in entries) and in_two_lines(boards.values())
    if two_lines:
        boards = {place: _named_by_side(board) for place, board in boards.items()}
    for error in _against_themselves(boards.values()):
        note(errors, error)
    refuse(errors)
    labels = _labels(boards.values())
    if two_lines:
        entries = [entry for entry in entries if entry[0].label in labels]
    named = {pair.label: pair for pair, _ in entries}
    pairs = tuple(
        named.get(label) or PairRecord(label, (), Side(label[-2:]) if two_lines else None)
        for label in sorted({*labels, *named}, key=_natural)
    )
    first = _first_words(found)
    dated = any(record.text("EventDate") for record in found)
    return EventRecord(
        title=first.get("Event", "?"),
        sessions=tuple(_sessions(found, boards, dated=dated)),
        pairs=pairs,
        standings=tuple(standing for _, standing in entries if standing),
        method=method_of(first.get("Scoring", "")),
        winners=2 if pairs and all(pair.direction for pair in pairs) else 1,
        by_vps=counts_vps(found),
        date=facts.date_in(first.get("EventDate" if dated else "Date", "")),
        organisation=first.get("Site"),
        program=facts.creator_in(text) or first.get("Creator"),
        warnings=tuple(warning for board in boards.values() for warning in board.warnings),
    )


def numbered_by_section(boards: Iterable[BoardRecord]) -> bool:
    """Whether every section counts its pairs from 1, so that A 3 and B 3 are two pairs.

    A pair sits once at a board. Where the sections are numbered apart, a number sits there on one side in two of them,
    and that at nearly every board; where they are not, only at the boards with a wrong row. So they are apart when it
    happens at more than half of the boards that several sections play.
    """
    shared = repeated = 0
    for board in boards:
        seats = {
            (row.section, side, label)
            for row in board.rows
            for side, label in (("NS", row.ns), ("EW", row.ew))
        }
        shared += len({section for section, _, _ in seats}) > 1
        repeated += len({seat[1:] for seat in seats}) < len(seats)
    return 2 * repeated > shared


def _named_by_section(board: BoardRecord) -> BoardRecord:
    named = [
        replace(row, ns=in_section(row.section, row.ns), ew=in_section(row.section, row.ew))
        for row in board.rows
    ]
    return replace(board, rows=tuple(named))


def in_two_lines(boards: Iterable[BoardRecord]) -> bool:
    """Whether North–South and East–West are numbered apart, so that NS 3 and EW 3 are two pairs.

    A pair sits once at a board. When a number sits there both ways, either it means two pairs or a row is wrong.
    Where the lines are numbered apart this happens in nearly every row, where they are not only in the wrong ones; so
    the lines are apart when it happens in more than half of all rows.
    """
    rows = doubled = 0
    for board in boards:
        both = {row.ns for row in board.rows} & {row.ew for row in board.rows}
        rows += len(board.rows)
        doubled += sum(row.ns in both or row.ew in both for row in board.rows)
    return 2 * doubled > rows


def _named_by_side(board: BoardRecord) -> BoardRecord:
    return replace(board, rows=tuple(replace(row, ns=f"{row.ns}NS", ew=f"{row.ew}EW") for row in board.rows))


def _against_themselves(boards: Iterable[BoardRecord]) -> Iterator[RecordError]:
    for board in boards:
        for row in board.rows:
            if row.ns == row.ew:
                yield RecordError(
                    "Pair %(pair)s plays against itself on board %(board)s.",
                    row.line,
                    pair=row.ns,
                    board=board.number,
                )


def _labels(boards: Iterable[BoardRecord]) -> set[str]:
    return {label for board in boards for row in board.rows for label in (row.ns, row.ew)}


def _natural(label: str) -> tuple[bool, str, int, str]:
    """Numbers in the order of numbers, section by section, East–West after North–South."""
    section, number = re.findall(r"\A([^0-9]*)([0-9]{0,9})", label, re.ASCII)[0]
    return label.endswith("EW"), section, int(number or 0), label


def _first_words(found: Sequence[Record]) -> dict[str, str]:
    """What the first record that says it says of the event."""
    names = ("Event", "Site", "Date", "EventDate", "Scoring", "Creator")
    words = ((name, known(record.text(name))) for record in reversed(found) for name in names)
    return {name: text for name, text in words if text is not None}


def _sessions(
    found: Sequence[Record], boards: dict[Place, BoardRecord], *, dated: bool
) -> Iterator[SessionRecord]:
    first: dict[int, Record] = {}
    for record in found:
        first.setdefault(_session(record), record)
    for number in sorted({session for session, _ in boards}):
        record = first[number]
        yield SessionRecord(
            number,
            tuple(boards[place] for place in sorted(boards) if place[0] == number),
            known(record.text("Stage")),
            facts.date_in(record.text("Date")) if dated else None,
        )


def _session(record: Record) -> int:
    text = record.text("Session")
    return int(text) if re.fullmatch("[1-9][0-9]?", text, re.ASCII) else 1


def _boards(found: Sequence[Record], errors: list[RecordError]) -> dict[Place, BoardRecord]:
    boards: dict[Place, BoardRecord] = {}
    rows: dict[Place, list[RowRecord]] = {}
    for record in found:
        board = _board(record, errors)
        if board is None:
            continue
        place = _session(record), board.number
        known_board = boards.setdefault(place, board)
        rows.setdefault(place, []).extend(rows_of(record, errors))
        if known_board is not board:
            boards[place] = replace(
                known_board,
                deal=known_board.deal or board.deal,
                double_dummy=known_board.double_dummy or board.double_dummy,
                warnings=known_board.warnings + board.warnings,
            )
    return {place: replace(board, rows=tuple(rows[place])) for place, board in boards.items()}


def _board(record: Record, errors: list[RecordError]) -> BoardRecord | None:
    number = attempt(errors, facts.number_of, record)
    seat = attempt(errors, facts.dealer_of, record)
    vulnerable = attempt(errors, facts.vulnerability_of, record)
    deal = attempt(errors, facts.deal_of, record)
    if number is None:
        return None
    return BoardRecord(
        number,
        dealer(number) if seat is None else seat,
        vulnerable or vulnerability(number),
        deal,
        double_dummy=facts.double_dummy_of(record),
        line=record.line,
        warnings=(*facts.number_warnings(record, number, seat, vulnerable), *record.warnings),
    )
