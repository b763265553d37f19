"""USEBIO, the XML of British and Australian clubs (versions 1.0 to 1.3): pairs events with their travellers."""

import datetime as dt
import re
from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal, InvalidOperation
from fractions import Fraction
from typing import Any
from xml.parsers.expat import errors  # only the names; the parsing is defusedxml's

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from bridge.awards import Award, Grade, Ruling, Stated
from bridge.cards import Card, Deal, Hand
from bridge.comparison import Method
from bridge.contracts import Contract, possible_tricks, read_contract
from bridge.errors import BridgeError
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    PlayerRecord,
    PublishedStanding,
    RecordError,
    RowRecord,
    SessionRecord,
    is_figure,
)
from bridge.formats.text import declared_in_xml, read_text
from bridge.seats import Seat, Side, dealer, vulnerability

METHODS = {
    "MP_PAIRS": Method.MP,
    "PAIRS": Method.MP,
    "BUTLER_PAIRS": Method.BUTLER,
    "CROSS_IMP": Method.CROSS_IMP,
    "CROSS_IMPS": Method.CROSS_IMP,
    "CROSS_IMP_PAIRS": Method.CROSS_IMP,
}
_POINTS = ("MATCH_POINTS", "BUTLER_POINTS", "CROSS_IMP_POINTS", "CROSS_IMPS", "XIMP_POINTS")
_ARTIFICIAL = re.compile(r"A(\d\d)(\d\d)", re.ASCII)
_GRADES = {60: Grade.PLUS, 50: Grade.AVERAGE, 40: Grade.MINUS}
_DATES = (
    re.compile(r"(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>\d{4})"),
    re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"),
)


def looks_like_usebio(data: bytes) -> bool:
    """Whether the bytes begin as a USEBIO file does, or at least as XML."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n\xff\xfe\x00")[:1] == b"<"


def read(data: bytes, encoding: str | None = None) -> EventRecord:
    """The pairs event in a USEBIO file.

    Args:
        data: The file.
        encoding: The encoding that a person named; it goes before the one that the file declares.

    Raises:
        RecordError: The file is not whole and sound XML, or what it says is no pairs event; with the line.
    """
    root = _parse(read_text(data, encoding or declared_in_xml(data)))
    if root.tag != "USEBIO":
        raise RecordError("This is XML but not USEBIO: it begins with “%(tag)s”.", root.line, tag=root.tag)
    event = root.child("EVENT")
    if event is None:
        raise RecordError("The file holds no event.", root.line)
    kind = event.attributes.get("EVENT_TYPE", "").strip().upper()
    if kind not in METHODS:
        raise RecordError(
            "Events of the type “%(kind)s” cannot be read: only pairs events scored by matchpoints, Butler or cross-IMPs.",
            event.line,
            kind=kind,
        )
    return _Reader(root, event, METHODS[kind]).record()


@dataclass(slots=True)
class _Node:
    """An element and where it stands."""

    tag: str
    attributes: dict[str, str]
    line: int
    content: str = ""
    children: list["_Node"] = field(default_factory=list)

    def all(self, tag: str) -> list["_Node"]:
        return [child for child in self.children if child.tag == tag]

    def child(self, *tags: str) -> "_Node | None":
        return next((child for child in self.children if child.tag in tags), None)

    def text(self, *tags: str) -> str | None:
        """What the first of these children says; None when there is none or it is empty."""
        child = self.child(*tags)
        return (" ".join(child.content.split()) or None) if child else None


class _Tree:
    """Builds nodes from what the parser meets."""

    parser: Any = None

    def __init__(self) -> None:
        self.open: list[_Node] = [_Node("", {}, 0)]

    def start(self, tag: str, attributes: dict[str, str]) -> None:
        node = _Node(tag, dict(attributes), self.parser.CurrentLineNumber)
        self.open[-1].children.append(node)
        self.open.append(node)
        if len(self.open) > 100:
            raise RecordError("The elements are nested too deeply.", node.line)

    def data(self, text: str) -> None:
        self.open[-1].content += text

    def end(self, tag: str) -> None:
        self.open.pop()

    def close(self) -> _Node:
        return self.open[0].children[0]


class _Parser(DefusedXMLParser):
    """Accepts a DOCTYPE that only names the DTD, which is never fetched; refuses one that declares things itself."""

    def defused_start_doctype_decl(
        self, name: str, sysid: str | None, pubid: str | None, has_internal_subset: int
    ) -> None:
        if has_internal_subset:
            raise RecordError(
                "The DOCTYPE declares names of its own; such a file is not read.",
                self.parser.CurrentLineNumber,
            )


def _parse(text: str) -> _Node:
    tree = _Tree()
    parser = _Parser(target=tree, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    tree.parser = parser.parser
    try:
        parser.feed(text)
        node: Any = parser.close()
    except DefusedXmlException:
        raise RecordError(
            "The file names an entity; such a file is not read.", tree.parser.CurrentLineNumber
        ) from None
    except ParseError as error:
        line = error.position[0]
        if errors.messages[error.code] in _BROKEN_OFF:
            raise RecordError("The file breaks off here.", line) from None
        if len(tree.open) == 1 and not tree.open[0].children:
            raise RecordError("This is not XML.", line) from None
        raise RecordError(
            "This is not well-formed XML: %(reason)s.", line, reason=str(error).partition(":")[0]
        ) from None
    root: _Node = node
    return root


_BROKEN_OFF = {
    errors.XML_ERROR_NO_ELEMENTS,
    errors.XML_ERROR_UNCLOSED_TOKEN,
    errors.XML_ERROR_PARTIAL_CHAR,
    errors.XML_ERROR_UNCLOSED_CDATA_SECTION,
}


class _Reader:
    """Reads the parts of an event; pairs are told apart by section, number and direction."""

    def __init__(self, root: _Node, event: _Node, method: Method) -> None:
        self.root, self.event, self.method = root, event, method
        self.warnings: list[RecordError] = []
        self.pairs: dict[str, PairRecord] = {}
        self.labels: dict[tuple[str, str, Side | None], str] = {}
        self.standings: list[PublishedStanding] = []
        self.several_sections = len({name for _, name, _ in self._parts() if name}) > 1

    def record(self) -> EventRecord:
        for session, section, part in self._parts():
            for participants in part.all("PARTICIPANTS"):
                self._read_pairs(participants, section, None if part is self.event else session)
        if not self.pairs:
            raise RecordError("The event names no pairs.", self.event.line)
        club = self.root.child("CLUB")
        winners = self.event.text("WINNER_TYPE")
        date = self._date(self.event)
        return EventRecord(
            title=self.event.text("EVENT_DESCRIPTION", "TITLE") or self.event.text("TITLE") or "?",
            sessions=tuple(self._sessions()),
            pairs=tuple(self.pairs.values()),
            standings=tuple(self.standings),
            method=self.method,
            winners=int(winners) if winners in ("1", "2") else None,
            date=date,
            organisation=club.text("CLUB_NAME") if club else None,
            club_id=club.text("CLUB_ID_NUMBER") if club else None,
            venue=self.event.text("VENUE"),
            program=" ".join(
                filter(None, (self.event.text("PROGRAM_NAME"), self.event.text("PROGRAM_VERSION")))
            )
            or None,
            warnings=tuple(self.warnings),
        )

    def _session_nodes(self) -> list[_Node]:
        return self.event.all("SESSION") or [self.event]

    def _parts(self) -> Iterator[tuple[int, str, _Node]]:
        """Everything that may hold pairs and boards: the event, its sessions, their sections."""
        sessions = self._session_nodes()
        if sessions != [self.event]:
            yield 0, "", self.event
        for number, session in enumerate(sessions, 1):
            yield number, "", session
            for section in session.all("SECTION"):
                yield number, section.attributes.get("SECTION_ID", "").strip(), section

    def _read_pairs(self, participants: _Node, section: str, session: int | None) -> None:
        met: set[str] = set()
        numbers = [self._number(node) for node in participants.all("PAIR")]
        for node, number in zip(participants.all("PAIR"), numbers, strict=True):
            side = _side(node.text("DIRECTION"))
            label = f"{section}{number}" if self.several_sections else number
            if numbers.count(number) > 1 and side:
                label += side.value
            if label in met:
                raise RecordError("Pair %(pair)s stands twice among the participants.", node.line, pair=label)
            met.add(label)
            self.labels[section, number, side] = label
            pair = PairRecord(
                label,
                tuple(_player(player) for player in node.all("PLAYER")),
                side,
                handicap=_decimal(node, "HANDICAP"),
                carry_over=_decimal(node, "CARRY_FORWARD", "CARRY_OVER"),
                adjustment=_decimal(node, "ADJUSTMENT", "PENALTY"),
            )
            self.pairs.setdefault(label, pair)
            self.standings.append(
                PublishedStanding(
                    label,
                    _decimal(node, "TOTAL_SCORE"),
                    _decimal(node, "PERCENTAGE"),
                    node.text("PLACE"),
                    _decimal(node, "MASTER_POINTS_AWARDED", "MASTER_POINTS"),
                    session if len(self._session_nodes()) > 1 else None,
                    node.line,
                )
            )

    def _number(self, node: _Node) -> str:
        number = node.text("PAIR_NUMBER")
        if number is None:
            raise RecordError("A pair has no number.", node.line)
        return number

    def _label(self, section: str, number: str | None, side: Side) -> str:
        """The label of the pair of that number, of this side if both sides count from 1."""
        for known in (
            (section, side),
            (section, None),
            (section, side.opponents),
            ("", side),
            ("", None),
            ("", side.opponents),
        ):
            if (label := self.labels.get((known[0], number or "", known[1]))) is not None:
                return label
        return number or ""

    def _sessions(self) -> Iterator[SessionRecord]:
        for number, session in enumerate(self._session_nodes(), 1):
            deals = self._deals(session)
            boards: dict[int, BoardRecord] = {}
            for of, section, part in self._parts():
                if of == number:
                    for node in part.all("BOARD"):
                        self._read_board(node, section, boards, deals)
            for missing in sorted(deals.keys() - boards.keys()):
                boards[missing] = BoardRecord(
                    missing, dealer(missing), vulnerability(missing), deals[missing]
                )
            yield SessionRecord(
                number,
                tuple(boards[each] for each in sorted(boards)),
                session.text("SESSION_TITLE", "TITLE") if session is not self.event else None,
                self._date(session),
            )

    def _read_board(
        self, node: _Node, section: str, boards: dict[int, BoardRecord], deals: dict[int, Deal]
    ) -> None:
        number = _board_number(node)
        average = _decimal(node, "BOARD_AVERAGE")
        known = boards.get(number)
        rows = tuple(self._row(line, section) for line in node.all("TRAVELLER_LINE"))
        boards[number] = BoardRecord(
            number,
            dealer(number),
            vulnerability(number),
            deals.get(number),
            published_datum=None if average is None else int(average),
            rows=(known.rows if known else ()) + rows,
            line=node.line,
        )

    def _row(self, node: _Node, section: str) -> RowRecord:
        score = node.text("SCORE")
        ruling = None
        if score and (match := _ARTIFICIAL.fullmatch(score.upper())):
            ruling, score = Ruling(*(_award(int(percent)) for percent in match.groups())), None
        contract, passed_out, tricks = _contract(node)
        points = [
            next((value for each in _POINTS if (value := _decimal(node, f"{side}_{each}")) is not None), None)
            for side in ("NS", "EW")
        ]
        return RowRecord(
            self._label(section, node.text("NS_PAIR_NUMBER"), Side.NS),
            self._label(section, node.text("EW_PAIR_NUMBER"), Side.EW),
            contract,
            passed_out,
            tricks,
            _lead(node.text("LEAD")),
            _score(score, node),
            ruling,
            points[0],
            points[1],
            section or None,
            line=node.line,
        )

    def _deals(self, session: _Node) -> dict[int, Deal]:
        """The cards: in a HANDSET beside or inside the event, or in the boards themselves."""
        holders = [*self.root.all("HANDSET"), *self.event.all("HANDSET"), *session.all("HANDSET")]
        for section in session.all("SECTION"):
            holders += section.all("HANDSET")
        deals: dict[int, Deal] = {}
        for node in (board for holder in (*holders, session) for board in holder.all("BOARD")):
            if node.all("HAND"):
                deals[_board_number(node)] = _deal(node)
        return deals

    def _date(self, node: _Node) -> dt.date | None:
        text = node.text("DATE")
        for pattern in _DATES:
            if text and (match := pattern.fullmatch(text)):
                try:
                    return dt.date(int(match["y"]), int(match["m"]), int(match["d"]))
                except ValueError:
                    break
        if text:
            self.warnings.append(RecordError("“%(text)s” is not a date.", node.line, text=text))
        return None


def _player(node: _Node) -> PlayerRecord:
    return PlayerRecord(
        node.text("PLAYER_NAME") or "?",
        node.text("NATIONAL_ID_NUMBER"),
        node.text("CLUB_ID_NUMBER"),
        node.text("COUNTRY"),
    )


def _side(text: str | None) -> Side | None:
    return {"NS": Side.NS, "EW": Side.EW}.get((text or "").upper().replace("-", "").replace("/", ""))


def _decimal(node: _Node, *tags: str) -> Decimal | None:
    text = node.text(*tags)
    if text is None:
        return None
    try:
        value = Decimal(text.replace("−", "-").removesuffix("%"))
    except InvalidOperation:
        raise RecordError("“%(text)s” is not a number.", node.line, text=text) from None
    if not is_figure(value):
        raise RecordError("“%(text)s” is not a number.", node.line, text=text)
    return value


def _board_number(node: _Node) -> int:
    text = node.text("BOARD_NUMBER") or ""
    if not (text.isascii() and text.isdecimal() and len(text) <= 4 and int(text) >= 1):
        raise RecordError("“%(text)s” is not the number of a board.", node.line, text=text)
    return int(text)


def _award(percent: int) -> Award:
    return _GRADES.get(percent) or Stated(Fraction(percent))


def _score(text: str | None, node: _Node) -> int | None:
    if not text:
        return None
    try:
        score = int(text.replace("−", "-"))
    except ValueError:
        raise RecordError("“%(text)s” is not a score.", node.line, text=text) from None
    if score % 10 or abs(score) > 7600:
        raise RecordError("No board scores %(score)s.", node.line, score=score)
    return score


def _contract(node: _Node) -> tuple[Contract | None, bool, int | None]:
    """Contract, whether all passed, and tricks."""
    text = node.text("CONTRACT")
    if text is None:
        return None, False, None
    try:
        contract, _ = read_contract(
            f"{text} {node.text('PLAYED_BY') or ''}" if text.upper() != "PASS" else text
        )
        tricks = node.text("TRICKS")
        if contract is None:
            return None, True, None
        return contract, False, None if tricks is None else possible_tricks(int(tricks))
    except BridgeError as error:
        raise RecordError(error.message, node.line, **error.params) from None
    except ValueError:
        raise RecordError(
            "“%(text)s” is not a number of tricks.", node.line, text=node.text("TRICKS")
        ) from None


def _lead(text: str | None) -> Card | None:
    """A lead, written rank first or suit first; one that cannot be read is left out."""
    if not text:
        return None
    for written in (text, text[-1] + text[:-1]):
        try:
            return Card.from_text(written)
        except BridgeError:
            continue
    return None


def _deal(board: _Node) -> Deal:
    """The four hands of a board; a hand that is not there is not known."""
    hands: dict[str, Hand] = {}
    try:
        for node in board.all("HAND"):
            suits = ".".join(node.text(suit) or "" for suit in ("SPADES", "HEARTS", "DIAMONDS", "CLUBS"))
            if suits != "...":
                hands[(node.text("DIRECTION") or "?")[:1].upper()] = Hand.from_pbn(suits)
        north, east, south, west = (hands.get(seat.letter) for seat in Seat)
        return Deal((north, east, south, west))
    except BridgeError as error:
        raise RecordError(error.message, board.line, **error.params) from None
