"""The grammar of PBN: text becomes records, a record is tags, and a tag has the words that follow it.

Lines that begin with % are skipped, an empty line outside a comment ends a record, and a value that begins with #
stands for an earlier one. What fits nowhere is reported with its line and left out.
"""

import re
from bisect import bisect_right
from collections.abc import Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from bridge.formats.records import RecordError, note

_TOKEN = re.compile(
    r"""
      (?P<space> \s+ )
    | \{ (?P<comment> [^}]*+ ) (?P<closed> \}? )
    | ; (?P<rest> [^\n]*+ )
    | \[ \s*+ (?P<name> [A-Za-z0-9_]++ ) \s*+ "
        (?: (?P<value> (?: [^"\\\n] | \\[^\n] )*+ ) " \s*+ \]
          | (?P<plain> [^"\n]*+ ) " \s*+ \] )
    | " (?P<string> (?: [^"\\\n] | \\[^\n] )*+ ) "
    | (?P<word> [^\s{};"\[\]]++ )
    | (?P<stray> ["\[] [^\n]*+ | . )
    """,
    re.X,
)
_EMPTY_LINE = re.compile(r"\n[ \t\f\v]*\n")
_BEGIN = frozenset({"Event", "Board", "Deal"})  # a second one begins a record, even without an empty line
_REPEATED = frozenset({"Note"})
_STANDING = 20  # names that `##` may stand for


class Word(NamedTuple):
    """A word, a quoted string without its quotes, or a comment."""

    line: int
    text: str
    is_comment: bool = False


@dataclass(slots=True)
class Tag:
    """A tag pair, and everything up to the next one: calls, cards, rows of a table."""

    name: str
    value: str
    line: int
    words: list[Word] = field(default_factory=list)

    def rows(self) -> list[tuple[int, list[str]]]:
        """The words line by line, without comments; each row with its line."""
        rows: dict[int, list[str]] = {}
        for word in self.words:
            if not word.is_comment:
                rows.setdefault(word.line, []).append(word.text)
        return list(rows.items())


@dataclass(slots=True)
class Record:
    """The tags of one game in their order, the comments before the first, and what fits nowhere."""

    line: int
    comments: list[str]
    warnings: list[RecordError] = field(default_factory=list)
    tags: list[Tag] = field(default_factory=list)
    _by_name: dict[str, Tag] = field(default_factory=dict)

    def __contains__(self, name: str) -> bool:
        return name in self._by_name

    def add(self, tag: Tag) -> None:
        self.tags.append(tag)
        self._by_name.setdefault(tag.name, tag)

    def tag(self, name: str) -> Tag | None:
        return self._by_name.get(name)

    def text(self, name: str) -> str:
        """The value of a tag; empty when there is none."""
        return self._by_name[name].value.strip() if name in self else ""

    def at(self, name: str) -> int:
        """The line of a tag, else the record's."""
        return self._by_name[name].line if name in self else self.line


def records(text: str) -> list[Record]:
    """The records of a text."""
    text, numbers = _without_escapes(text)
    starts = [0, *(match.end() for match in re.finditer("\n", text))]
    found: list[Record] = []
    record: Record | None = None
    tag = Tag("", "", 0)  # whose words follow
    comments: list[str] = []  # these two wait for the first tag of a record
    warnings: list[RecordError] = []
    for match in _TOKEN.finditer(text):
        line = numbers[bisect_right(starts, match.start()) - 1]
        if match["space"] is not None:
            if _EMPTY_LINE.search(match["space"]):
                record, comments = None, []
        elif match["name"] is not None:
            tag = Tag(match["name"], _value(match), line)
            if record is None or (tag.name in _BEGIN and tag.name in record):
                record = Record(line, comments, warnings)
                comments, warnings = [], []
                found.append(record)
            if tag.name in record and tag.name not in _REPEATED:
                note(
                    record.warnings, RecordError("The tag %(tag)s stands here once more.", line, tag=tag.name)
                )
            else:
                record.add(tag)
        elif match["comment"] is not None or match["rest"] is not None:
            comment = _laid_out(match["comment"] or match["rest"] or "")
            if match["closed"] == "":
                note(record.warnings if record else warnings, RecordError("This comment has no end.", line))
            if not comment:
                continue
            if record is None:
                comments.append(comment)
            else:
                tag.words.append(Word(line, comment, is_comment=True))
        elif match["stray"] is not None or record is None:
            said = record.warnings if record else warnings
            if not said or said[-1].line != line:
                text_of_it = match[0].strip()[:40]
                note(said, RecordError("“%(text)s” belongs to no tag.", line, text=text_of_it))
        else:
            string = match["string"]
            tag.words.append(Word(line, match[0] if string is None else _unescaped(string)))
    if found:
        found[-1].warnings += warnings
    _inherit(found)
    return found


def _without_escapes(text: str) -> tuple[str, list[int]]:
    """The text without the lines that begin with %, and the number that each line of it had."""
    kept = [(number, line) for number, line in enumerate(text.split("\n"), 1) if not line.startswith("%")]
    return "\n".join(line for _, line in kept), [number for number, _ in kept] or [1]


def _laid_out(comment: str) -> str:
    """A comment without the white space around it; one of several lines may be a drawing and keeps its indents."""
    return comment.strip("\n").rstrip() if "\n" in comment.strip() else comment.strip()


def _value(match: re.Match[str]) -> str:
    return _unescaped(match["value"]) if match["value"] is not None else match["plain"]


def _unescaped(text: str) -> str:
    return re.sub(r'\\([\\"])', r"\1", text)


def _inherit(found: Sequence[Record]) -> None:
    """Write out `#`, the value of the nearest record before, and `##text`, a value for all records that follow."""
    last: dict[str, str] = {}
    standing: dict[str, str] = {}
    for record in found:
        for tag in record.tags:
            if tag.value.startswith("##"):
                tag.value = tag.value[2:]
                if len(standing) < _STANDING:
                    standing[tag.name] = tag.value
            elif tag.value == "#":
                tag.value = last.get(tag.name, "")
            last[tag.name] = tag.value
            if tag.name in standing:
                standing[tag.name] = tag.value
        for name, value in standing.items():
            if name not in record:
                record.add(Tag(name, value, record.line))
