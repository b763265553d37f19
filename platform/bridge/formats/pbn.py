"""PBN 2.1: deals, and pairs events whose boards carry a ScoreTable."""

import datetime as dt
import re
from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal, InvalidOperation

from bridge.cards import Card, Deal
from bridge.comparison import Method
from bridge.contracts import Contract, possible_tricks, read_contract
from bridge.errors import BridgeError
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    RecordError,
    RowRecord,
    SessionRecord,
    is_figure,
)
from bridge.formats.text import declared_in_pbn, read_text
from bridge.seats import Seat, Side, Vulnerability, dealer, vulnerability

_TAG = re.compile(r'\[\s*(\w+)\s+"([^"\n]*)"\s*\]')
_TAG_BYTES = re.compile(rb'^\s*\[\s*\w+\s+"', re.M)
_COMMENT = re.compile(r'("[^"\n]*")|\{[^}]*\}|;[^\n]*')
_CELL = re.compile(r'"([^"]*)"|(\S+)')
_IN_COMMENT = "\x01"  # stands for an end of line inside a comment, which ends no record
_VULNERABLE = {
    "NONE": Vulnerability.NONE,
    "LOVE": Vulnerability.NONE,
    "-": Vulnerability.NONE,
    "NS": Vulnerability.NS,
    "EW": Vulnerability.EW,
    "ALL": Vulnerability.BOTH,
    "BOTH": Vulnerability.BOTH,
}
_SCORING = {
    "MP": Method.MP,
    "MATCHPOINTS": Method.MP,
    "BUTLER": Method.BUTLER,
    "IMP;BUTLER": Method.BUTLER,
    "CROSS": Method.CROSS_IMP,
    "IMP;CROSS": Method.CROSS_IMP,
}
_UNKNOWN = ("", "?", "-")


def looks_like_pbn(data: bytes) -> bool:
    """Whether the bytes hold a line such as `[Board "1"]`, or begin as PBN does."""
    return data.lstrip(b"\xef\xbb\xbf").startswith(b"% PBN") or bool(
        _TAG_BYTES.search(data.replace(b"\x00", b""))
    )


@dataclass(slots=True)
class _Game:
    """One record: its tags with their lines, and the rows of the table that a tag begins."""

    line: int
    tags: dict[str, tuple[str, int]] = field(default_factory=dict)
    tables: dict[str, list[tuple[int, str]]] = field(default_factory=dict)

    def text(self, name: str) -> str:
        return self.tags.get(name, ("", 0))[0].strip()

    def at(self, name: str) -> int:
        return self.tags.get(name, ("", self.line))[1]


def read_boards(data: bytes, encoding: str | None = None) -> tuple[BoardRecord, ...]:
    """All boards of a file, each number once: a later record of a number adds what the earlier left out.

    Raises:
        RecordError: A board, deal or table that cannot be; with the line.
    """
    warnings: list[RecordError] = []
    return tuple(_boards(_games(data, encoding), warnings).values())


def read(data: bytes, encoding: str | None = None) -> EventRecord:
    """The pairs event in a PBN file.

    Raises:
        RecordError: What cannot be read, with the line.
    """
    games = _games(data, encoding)
    if not games:
        raise RecordError("The file holds no board.")
    warnings: list[RecordError] = []
    boards = _boards(games, warnings)
    two_lines = _two_lines(boards.values())
    if two_lines:
        boards = {number: _in_two_lines(board) for number, board in boards.items()}
    labels = {label: None for board in boards.values() for row in board.rows for label in (row.ns, row.ew)}
    first = games[0]
    site = first.text("Site")
    return EventRecord(
        title=_known(first.text("Event")) or "?",
        sessions=(SessionRecord(1, tuple(boards[number] for number in sorted(boards))),),
        pairs=tuple(
            PairRecord(label, (), (Side.NS if label.endswith("NS") else Side.EW) if two_lines else None)
            for label in sorted(labels, key=_natural)
        ),
        method=_SCORING.get(first.text("Scoring").upper()),
        winners=2 if two_lines else 1,
        date=_date(first.text("Date")),
        organisation=_known(site),
        program=_known(first.text("Creator")),
        warnings=tuple(warnings),
    )


def _known(text: str) -> str | None:
    return None if text in _UNKNOWN else text


def _games(data: bytes, encoding: str | None) -> list[_Game]:
    text = read_text(data, encoding or declared_in_pbn(data)).replace("\r\n", "\n").replace("\r", "\n")
    text = re.sub(r"^%.*$", _IN_COMMENT, text, flags=re.M)
    text = _COMMENT.sub(
        lambda match: match[1] or match[0].count("\n") * f"{_IN_COMMENT}\n" + _IN_COMMENT, text
    )
    games: list[_Game] = []
    game: _Game | None = None
    table: list[tuple[int, str]] | None = None
    for number, line in enumerate(text.split("\n"), 1):
        if not line.strip():
            game, table = None, None
            continue
        match = _TAG.match(line.strip(f" \t{_IN_COMMENT}"))
        if match is None:
            if table is not None and line.strip(f" \t{_IN_COMMENT}"):
                table.append((number, line.replace(_IN_COMMENT, "")))
            continue
        name, value = match.groups()
        if game is None or name in game.tags:
            game = _Game(number)
            games.append(game)
        if value.startswith("#"):
            value = next((each.text(name) for each in reversed(games[:-1]) if name in each.tags), "")
        game.tags[name] = value, number
        table = game.tables.setdefault(name, [])
    return [game for game in games if game.text("Board")]


def _boards(games: list[_Game], warnings: list[RecordError]) -> dict[int, BoardRecord]:
    boards: dict[int, BoardRecord] = {}
    for game in games:
        board = _board(game, warnings)
        known = boards.get(board.number)
        if known is None:
            boards[board.number] = board
        else:
            boards[board.number] = BoardRecord(
                board.number,
                known.dealer,
                known.vulnerability,
                known.deal or board.deal,
                double_dummy=known.double_dummy or board.double_dummy,
                rows=known.rows + board.rows,
                line=known.line,
            )
    return boards


def _board(game: _Game, warnings: list[RecordError]) -> BoardRecord:
    text = game.text("Board")
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) >= 1):
        raise RecordError("“%(text)s” is not the number of a board.", game.at("Board"), text=text)
    number = int(text)
    seat, vulnerable = dealer(number), vulnerability(number)
    try:
        if game.text("Dealer") not in _UNKNOWN:
            seat = Seat.from_letter(game.text("Dealer"))
        deal = Deal.from_pbn(game.text("Deal")) if game.text("Deal") not in _UNKNOWN else None
    except BridgeError as error:
        raise RecordError(error.message, game.at("Deal"), **error.params) from None
    said = game.text("Vulnerable").upper()
    if said and said != "?":
        if said not in _VULNERABLE:
            raise RecordError(
                "“%(text)s” is no vulnerability.", game.at("Vulnerable"), text=game.text("Vulnerable")
            )
        vulnerable = _VULNERABLE[said]
    if seat is not dealer(number):
        warnings.append(
            RecordError(
                "Board %(board)s: the file says dealer %(said)s, the number says %(ours)s; the file is followed.",
                game.at("Dealer"),
                board=number,
                said=seat.letter,
                ours=dealer(number).letter,
            )
        )
    if vulnerable is not vulnerability(number):
        warnings.append(
            RecordError(
                "Board %(board)s: the file says vulnerable %(said)s, the number says %(ours)s; the file is followed.",
                game.at("Vulnerable"),
                board=number,
                said=vulnerable.value,
                ours=vulnerability(number).value,
            )
        )
    return BoardRecord(number, seat, vulnerable, deal, rows=tuple(_rows(game)), line=game.line)


def _rows(game: _Game) -> Iterator[RowRecord]:
    columns = [column.split("\\")[0].strip() for column in game.text("ScoreTable").split(";")]
    for line, text in game.tables.get("ScoreTable", []):
        cells = [quoted or bare for quoted, bare in _CELL.findall(text)]
        row = dict(zip(columns, cells, strict=False))
        if not {"PairId_NS", "PairId_EW"} <= row.keys():
            raise RecordError("A row of the score table names no two pairs.", line)
        contract, passed_out, tricks = _contract(row, line)
        yield RowRecord(
            row["PairId_NS"],
            row["PairId_EW"],
            contract,
            passed_out,
            tricks,
            _lead(row.get("Lead", "")),
            _score(row, line),
            None,
            _decimal(row, ("MP_NS", "IMP_NS"), line),
            _decimal(row, ("MP_EW", "IMP_EW"), line),
            _known(row.get("Section", "")),
            int(row["Round"]) if re.fullmatch("[0-9]{1,4}", row.get("Round", "")) else None,
            _known(row.get("Table", "")),
            line,
        )


def _contract(row: dict[str, str], line: int) -> tuple[Contract | None, bool, int | None]:
    text = row.get("Contract", "")
    if text in _UNKNOWN:
        return None, False, None
    declarer, result = row.get("Declarer", ""), row.get("Result", "")
    try:
        passed = text.upper() in ("PASS", "AP")
        contract, _ = read_contract(text if passed or declarer in _UNKNOWN else f"{text} {declarer}")
        if contract is None:
            return None, True, None
        return contract, False, None if result in _UNKNOWN else possible_tricks(int(result))
    except BridgeError as error:
        raise RecordError(error.message, line, **error.params) from None
    except ValueError:
        raise RecordError("“%(text)s” is not a number of tricks.", line, text=result) from None


def _score(row: dict[str, str], line: int) -> int | None:
    for name, sign in (("Score_NS", 1), ("Score_EW", -1)):
        value = _decimal(row, (name,), line)
        if value is not None:
            if value % 10 or abs(value) > 7600:
                raise RecordError("No board scores %(score)s.", line, score=value)
            return sign * int(value)
    return None


def _decimal(row: dict[str, str], names: tuple[str, ...], line: int) -> Decimal | None:
    text = next((row[name] for name in names if row.get(name, "") not in _UNKNOWN), None)
    if text is None:
        return None
    try:
        value = Decimal(text)
    except InvalidOperation:
        value = Decimal("NaN")
    if not is_figure(value):
        raise RecordError("“%(text)s” is not a number.", line, text=text)
    return value


def _lead(text: str) -> Card | None:
    try:
        return Card.from_text(text) if text not in _UNKNOWN else None
    except BridgeError:
        return None


def _two_lines(boards: Iterable[BoardRecord]) -> bool:
    """Whether North–South and East–West count from 1 each: one number sits both ways at one board."""
    return any({row.ns for row in board.rows} & {row.ew for row in board.rows} for board in boards)


def _in_two_lines(board: BoardRecord) -> BoardRecord:
    return replace(board, rows=tuple(replace(row, ns=f"{row.ns}NS", ew=f"{row.ew}EW") for row in board.rows))


def _natural(label: str) -> tuple[int, int, str]:
    digits = re.match(r"\d*", label)
    return label.endswith("EW"), int(digits[0][:9] or 0) if digits else 0, label


def _date(text: str) -> dt.date | None:
    match = re.fullmatch(r"(\d{4})\.(\d{2})\.(\d{2})", text)
    try:
        return dt.date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
