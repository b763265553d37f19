"""USEBIO, the XML of British and Australian clubs (versions 1.0 to 1.3): pairs events with their travellers."""

import datetime as dt
import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
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
from bridge.seats import Seat, Side, Vulnerability, dealer, vulnerability

_METHODS = {
    "MP_PAIRS": Method.MP,
    "PAIRS": None,  # which method it is, another element says
    "BUTLER_PAIRS": Method.BUTLER,
    "CROSS_IMP": Method.CROSS_IMP,
    "CROSS_IMPS": Method.CROSS_IMP,
    "CROSS_IMP_PAIRS": Method.CROSS_IMP,
}
_SCORING = {
    "MATCH_POINTS": Method.MP,
    "BUTLER": Method.BUTLER,
    "BUTLER_IMPS": Method.BUTLER,
    "CROSS_IMP": Method.CROSS_IMP,
    "CROSS_IMPS": Method.CROSS_IMP,
}
_POINTS = {
    "MATCH_POINTS": Method.MP,
    "BUTLER_POINTS": Method.BUTLER,
    "CROSS_IMP_POINTS": Method.CROSS_IMP,
    "CROSS_IMPS": Method.CROSS_IMP,
    "XIMP_POINTS": Method.CROSS_IMP,
    "IMPS": None,
}
_SEATS = {name: seat for seat in Seat for name in (seat.letter, seat.name)}
_VULNERABLE = {
    "LOVE": Vulnerability.NONE,
    "NONE": Vulnerability.NONE,
    "NS": Vulnerability.NS,
    "NORTHSOUTH": Vulnerability.NS,
    "EW": Vulnerability.EW,
    "EASTWEST": Vulnerability.EW,
    "ALL": Vulnerability.BOTH,
    "BOTH": Vulnerability.BOTH,
    "GAMEALL": Vulnerability.BOTH,
}
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
    if kind not in _METHODS:
        raise RecordError(
            "Events of the type “%(kind)s” cannot be read: only pairs events scored by matchpoints, Butler or cross-IMPs.",
            event.line,
            kind=kind,
        )
    return _Reader(root, event, _METHODS[kind]).record()


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

    def __init__(self, root: _Node, event: _Node, method: Method | None) -> None:
        self.root, self.event = root, event
        self.warnings: list[RecordError] = []
        self.pairs: dict[str, PairRecord] = {}
        self.over_all: set[str] = set()  # pairs that stand among the participants of the whole event
        self.labels: dict[tuple[str, str, Side | None], str] = {}
        self.standings: list[PublishedStanding] = []
        self.several_sections = len(set(self._section_names())) > 1
        self.method = method or self._method()

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

    def _section_names(self) -> Iterator[str]:
        for _, name, part in self._parts():
            yield from filter(None, (name,))
            for participants in part.all("PARTICIPANTS"):
                yield from filter(None, (node.text("SECTION_ID") for node in participants.all("PAIR")))

    def _method(self) -> Method | None:
        """How an event of pairs is scored, as it says or as its rows show; None when neither does."""
        if said := self.event.text("BOARD_SCORING_METHOD"):
            return _SCORING.get(said.upper())
        for _, _, part in self._parts():
            for line in (line for board in part.all("BOARD") for line in board.all("TRAVELLER_LINE")):
                for name, method in _POINTS.items():
                    if line.child(f"NS_{name}"):
                        return method
        return None

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
        nodes = [
            (node.text("SECTION_ID") or section, self._number(node), node)
            for node in participants.all("PAIR")
        ]
        often = Counter((section, number) for section, number, _ in nodes)
        for section, number, node in nodes:
            side = _side(node.text("DIRECTION"))
            label = number
            if self.several_sections:
                label = f"{section}{'-' if section[-1:].isdigit() else ''}{number}"
            if often[section, number] > 1 and side:
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
                section=section if self.several_sections else "",
                line=node.line,
            )
            known = self.pairs.setdefault(label, pair)
            if session is None:
                self.over_all.add(label)
            elif known is not pair and label not in self.over_all and pair.adjustment:
                self.pairs[label] = replace(known, adjustment=(known.adjustment or 0) + pair.adjustment)
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
            for written in (number or "", f"{section}{number}"):
                if (label := self.labels.get((known[0], written, known[1]))) is not None:
                    return label
        return number or ""

    def _sessions(self) -> Iterator[SessionRecord]:
        for number, session in enumerate(self._session_nodes(), 1):
            hands = self._hands(session)
            boards: dict[int, BoardRecord] = {}
            for of, section, part in self._parts():
                if of == number:
                    for node in part.all("BOARD"):
                        self._read_board(node, section, boards, hands)
            for missing in sorted(hands.keys() - boards.keys()):
                node = hands[missing]
                boards[missing] = BoardRecord(
                    missing, *self._conditions(node, missing), _deal(node), line=node.line
                )
                self._check_conditions(boards[missing])
            yield SessionRecord(
                number,
                tuple(boards[each] for each in sorted(boards)),
                session.text("SESSION_TITLE", "TITLE") if session is not self.event else None,
                self._date(session),
            )

    def _read_board(
        self, node: _Node, section: str, boards: dict[int, BoardRecord], hands: dict[int, _Node]
    ) -> None:
        number = _board_number(node)
        average = _decimal(node, "BOARD_AVERAGE")
        rows = tuple(self._row(line, section) for line in node.all("TRAVELLER_LINE"))
        dealt = hands.get(number)
        board = BoardRecord(
            number,
            *self._conditions(node, number, dealt),
            _deal(dealt) if dealt else None,
            published_datum=None if average is None else int(average),
            rows=rows,
            line=node.line,
        )
        if known := boards.get(number):  # in another section
            same = known.published_datum == board.published_datum
            board = replace(
                known, rows=known.rows + rows, published_datum=known.published_datum if same else None
            )
        else:
            self._check_conditions(board)
        boards[number] = board

    def _conditions(self, node: _Node, number: int, dealt: _Node | None = None) -> tuple[Seat, Vulnerability]:
        """Dealer and vulnerability of a board, as it or its hands say, or as its number gives."""
        said_dealer, said_vulnerable = (
            node.text(*tags) or (dealt and dealt.text(*tags))
            for tags in (("DEALER",), ("VULNERABILITY", "VULNERABLE"))
        )
        seat, vulnerable = dealer(number), vulnerability(number)
        if said_dealer:
            if said_dealer.upper() not in _SEATS:
                raise RecordError("“%(text)s” is no dealer.", node.line, text=said_dealer)
            seat = _SEATS[said_dealer.upper()]
        if said_vulnerable:
            key = re.sub("[^A-Z]", "", said_vulnerable.upper())
            if key not in _VULNERABLE:
                raise RecordError("“%(text)s” is no vulnerability.", node.line, text=said_vulnerable)
            vulnerable = _VULNERABLE[key]
        return seat, vulnerable

    def _check_conditions(self, board: BoardRecord) -> None:
        number = board.number
        if board.dealer is not dealer(number):
            self.warnings.append(
                RecordError(
                    "Board %(board)s: the file says dealer %(said)s, the number says %(ours)s; the file is followed.",
                    board.line,
                    board=number,
                    said=board.dealer.letter,
                    ours=dealer(number).letter,
                )
            )
        if board.vulnerability is not vulnerability(number):
            self.warnings.append(
                RecordError(
                    "Board %(board)s: the file says vulnerable %(said)s, the number says %(ours)s; the file is followed.",
                    board.line,
                    board=number,
                    said=board.vulnerability.value,
                    ours=vulnerability(number).value,
                )
            )

    def _row(self, node: _Node, section: str) -> RowRecord:
        section = node.text("SECTION_ID") or section
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

    def _hands(self, session: _Node) -> dict[int, _Node]:
        """Where the cards stand: in a HANDSET beside or inside the event, or in the boards themselves.

        With several sessions a number names several deals, and only what stands inside a session is its own.
        """
        shared = [*self.root.all("HANDSET"), *self.event.all("HANDSET")]
        if len(self._session_nodes()) > 1:
            if shared and session is self._session_nodes()[0]:
                self.warnings.append(
                    RecordError(
                        "These hands do not say which session they belong to; they are left out.",
                        shared[0].line,
                    )
                )
            shared = []
        holders = [*shared, *session.all("HANDSET"), session]
        for section in session.all("SECTION"):
            holders += [*section.all("HANDSET"), section]
        return {
            _board_number(node): node
            for holder in holders
            for node in holder.all("BOARD")
            if node.all("HAND")
        }

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
