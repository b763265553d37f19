"""Bytes become text, events of USEBIO become records, and the rule that a file was scored by is found."""

import re
from dataclasses import replace
from decimal import Decimal
from fractions import Fraction
from pathlib import Path

import pytest

from bridge.comparison import Method
from bridge.formats import pbn, usebio
from bridge.formats.published import Explanation, explain
from bridge.formats.records import EventRecord, RecordError
from bridge.formats.text import declared_in_pbn, read_text

EVENTS = Path(__file__).parents[1] / "data" / "events"


def event(name: str) -> EventRecord:
    return usebio.read((EVENTS / f"{name}.xml").read_bytes())


def scaled(record: EventRecord, factor: str) -> EventRecord:
    """The same file from a program that prints matchpoints on another scale."""
    sessions = tuple(
        replace(
            session,
            boards=tuple(
                replace(
                    each,
                    rows=tuple(
                        replace(
                            row,
                            ns_points=None if row.ns_points is None else row.ns_points * Decimal(factor),
                            ew_points=None if row.ew_points is None else row.ew_points * Decimal(factor),
                        )
                        for row in each.rows
                    ),
                )
                for each in session.boards
            ),
        )
        for session in record.sessions
    )
    standings = tuple(
        replace(each, total=None if each.total is None else each.total * Decimal(factor))
        for each in record.standings
    )
    return replace(record, sessions=sessions, standings=standings)


def words(found: Explanation) -> str:
    return " ".join(map(str, found.sentences))


def test_the_datum_rule_of_a_butler_is_found() -> None:
    found = explain(event("butler"))
    assert str(found.rules.datum_rule) == "fixed1+share0,least3,keep1;half-away"
    assert found.differences == ()


def test_matchpoints_on_the_scale_of_a_half_are_known_again() -> None:
    found = explain(scaled(event("mitchell"), "0.5"))
    assert "½" in words(found)
    assert [each for each in found.differences if each.what == "matchpoints"] == []


def test_a_figure_that_no_rule_explains_is_a_difference_with_its_place() -> None:
    record = event("cross_imp")
    standing = replace(record.standings[0], total=Decimal("99.99"), place="1")
    found = explain(replace(record, standings=(standing, *record.standings[1:])))
    assert found.rules.method is Method.CROSS_IMP
    assert {each.what for each in found.differences} <= {"total", "rank"}
    total = next(each for each in found.differences if each.what == "total")
    assert (total.pair, total.published, total.line) == (standing.pair, "99.99", standing.line)
    assert abs(Fraction(total.ours)) < 99


@pytest.mark.parametrize("name", ["hex", "base64", "zip", "no-such-letters"])
def test_an_encoding_that_makes_no_text_is_refused(name: str) -> None:
    with pytest.raises(RecordError, match="is not known"):
        usebio.read(f'<?xml version="1.0" encoding="{name}"?><USEBIO/>'.encode())


def test_pbn_without_a_charset_is_latin_1_by_its_standard() -> None:
    """Without the header of the standard, letters that are not UTF-8 are refused with their line."""
    assert read_text(b"% PBN 2.1\nJ\xfcrgen", declared_in_pbn(b"% PBN 2.1\nJ\xfcrgen")).endswith("Jürgen")
    assert read_text("% PBN 2.1\nŁuczak".encode(), declared_in_pbn("% PBN 2.1\nŁuczak".encode())).endswith(
        "Łuczak"
    )
    with pytest.raises(RecordError) as refused:
        read_text(b"one\nJ\xfcrgen", declared_in_pbn(b"one\nJ\xfcrgen"))
    assert refused.value.line == 2


def test_names_in_national_encodings_come_out_alike_without_their_mark() -> None:
    """A byte order mark, 8-bit letters and combining accents give one name."""
    name = "Jürgen Müller-Łuczak"
    assert read_text(b"\xef\xbb\xbf" + name.encode()) == name
    assert read_text(name.encode("iso-8859-2"), "iso-8859-2") == name
    assert read_text(name.encode("windows-1250"), "windows-1250") == name
    assert read_text("Zoe\u0308".encode()) == "Zo\u00eb"
    with pytest.raises(RecordError, match="lost"):
        read_text("J\ufffdrgen".encode())


@pytest.mark.parametrize("figure", ["1E99999999999", "1E-999999999", "1E40", "Infinity", "123456789"])
def test_a_figure_beyond_all_bridge_is_refused_at_once(figure: str) -> None:
    text = (EVENTS / "butler.xml").read_text(encoding="utf-8")
    changed = re.sub(r"<TOTAL_SCORE>[^<]*<", f"<TOTAL_SCORE>{figure}<", text, count=1)
    assert changed != text
    with pytest.raises(RecordError, match="is not a number"):
        usebio.read(changed.encode())


def test_the_number_of_a_board_has_four_digits_at_most() -> None:
    with pytest.raises(RecordError, match="not the number of a board"):
        pbn.read_boards(b'[Board "' + b"9" * 5000 + b'"]')


@pytest.mark.parametrize("data", [b'[Event "a\0b"]', "a\ud800".encode("utf-16-le", "surrogatepass")])
def test_what_is_no_letter_is_refused(data: bytes) -> None:
    with pytest.raises(RecordError):
        read_text(data, "utf-16-le" if data.startswith(b"a") else None)
