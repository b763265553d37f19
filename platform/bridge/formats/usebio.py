"""USEBIO, the XML of British and Australian clubs (versions 1.0 to 1.3): pairs events with their travellers."""

import re
from dataclasses import dataclass, field
from typing import Any
from xml.parsers.expat import errors  # only the names; the parsing is defusedxml's

from defusedxml.common import DefusedXmlException
from defusedxml.ElementTree import DefusedXMLParser, ParseError

from bridge.awards import Grade
from bridge.comparison import Method
from bridge.formats.records import (
    EventRecord,
    RecordError,
)
from bridge.formats.text import declared_in_xml, read_text

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
_DATES = (re.compile(r"(?P<d>\d{1,2})[/.-](?P<m>\d{1,2})[/.-](?P<y>\d{4})"), re.compile(r"(?P<y>\d{4})-(?P<m>\d\d)-(?P<d>\d\d)"))


def looks_like_usebio(data: bytes) -> bool:
    """Whether the bytes begin as a USEBIO file does, or at least as XML."""
    return data.lstrip(b"\xef\xbb\xbf \t\r\n\xff\xfe\x00")[:1] == b"<"


def read(data: bytes) -> EventRecord:
    """The pairs event in a USEBIO file.

    Raises:
        RecordError: The file is not whole and sound XML, or what it says is no pairs event; with the line.
    """
    root = _parse(read_text(data, declared_in_xml(data)))
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
                "The DOCTYPE declares names of its own; such a file is not read.", self.parser.CurrentLineNumber
            )


def _parse(text: str) -> _Node:
    tree = _Tree()
    parser = _Parser(target=tree, forbid_dtd=True, forbid_entities=True, forbid_external=True)
    tree.parser = parser.parser
    try:
        parser.feed(text)
        node = parser.close()
    except DefusedXmlException:
        raise RecordError("The file names an entity; such a file is not read.", tree.parser.CurrentLineNumber) from None
    except ParseError as error:
        line = error.position[0]
        if errors.messages[error.code] in _BROKEN_OFF:
            raise RecordError("The file breaks off here.", line) from None
        if len(tree.open) == 1 and not tree.open[0].children:
            raise RecordError("This is not XML.", line) from None
        raise RecordError("This is not well-formed XML: %(reason)s.", line, reason=str(error).partition(":")[0]) from None
    assert isinstance(node, _Node)  # noqa: S101 - the tree's own close
    return node


_BROKEN_OFF = {errors.XML_ERROR_NO_ELEMENTS, errors.XML_ERROR_UNCLOSED_TOKEN, errors.XML_ERROR_PARTIAL_CHAR, errors.XML_ERROR_UNCLOSED_CDATA_SECTION}
