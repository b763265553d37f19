"""What the tags of a record say, one value at a time: for games and for the boards of events."""

import datetime as dt
import re
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import TypeVar

from bridge.cards import Card, Deal
from bridge.contracts import Contract, Strain, possible_tricks, read_contract
from bridge.errors import BridgeError
from bridge.formats.game import unlike_number
from bridge.formats.pbn.lexer import Record, Tag
from bridge.formats.records import RecordError, is_figure, note
from bridge.formats.text import declared_in_pbn, read_text
from bridge.seats import Seat, Side, Vulnerability

T = TypeVar("T")

UNKNOWN = ("", "?", "-")
PASSED = ("PASS", "AP")
VULNERABLE = {
    "NONE": Vulnerability.NONE,
    "LOVE": Vulnerability.NONE,
    "-": Vulnerability.NONE,
    "NS": Vulnerability.NS,
    "EW": Vulnerability.EW,
    "ALL": Vulnerability.BOTH,
    "BOTH": Vulnerability.BOTH,
}
SEATS_OF_TRICKS = (Seat.NORTH, Seat.SOUTH, Seat.EAST, Seat.WEST)
STRAINS_OF_TRICKS = tuple(reversed(Strain))
_NUMBER = r"([+-]?[0-9]{1,6}(?:\.[0-9]{0,6})?)"
_SIDES = re.compile(rf"(?:(NS|EW)\s*)?{_NUMBER}(?:\s+(NS|EW)\s*{_NUMBER})?", re.ASCII)
_TRICKS = re.compile(r"[0-9A-Da-d]{20}", re.ASCII)
_ABILITY = re.compile(r"([NESW]):([0-9A-D]{5})", re.ASCII)


def text_of(data: bytes, encoding: str | None) -> str:
    """The text of a file, each line ended by one line feed."""
    text = read_text(data, encoding or declared_in_pbn(data))
    return text.replace("\r\n", "\n").replace("\r", "\n")


def creator_in(text: str) -> str | None:
    """The program that a line such as `%Creator: Bridgewebs` names."""
    match = re.search(r"^%[ \t]*Creator:[ \t]*([^\n]*)", text, re.IGNORECASE | re.MULTILINE)
    return known(match[1].strip()) if match else None


@contextmanager
def at(line: int | None) -> Iterator[None]:
    """Give an error of bridge the line where it stands."""
    try:
        yield
    except RecordError:
        raise
    except BridgeError as error:
        params = {
            name: value[:80] if isinstance(value, str) else value for name, value in error.params.items()
        }
        raise RecordError(error.message, line, **params) from None


def attempt(errors: list[RecordError], read: Callable[..., T], *arguments: object) -> T | None:
    """What `read` finds; None when it cannot, and then its error goes to the others of the file."""
    try:
        return read(*arguments)
    except RecordError as error:
        note(errors, error)
        return None


def known(text: str) -> str | None:
    return None if text in UNKNOWN else text


def number_of(record: Record) -> int | None:
    """The number of the board; None when the record has none."""
    text = known(record.text("Board"))
    if text is not None and not re.fullmatch("0*[1-9][0-9]{0,3}", text, re.ASCII):
        raise RecordError("“%(text)s” is not the number of a board.", record.at("Board"), text=text[:40])
    return None if text is None else int(text)


def dealer_of(record: Record) -> Seat | None:
    text = known(record.text("Dealer"))
    with at(record.at("Dealer")):
        return None if text is None else Seat.from_letter(text)


def vulnerability_of(record: Record) -> Vulnerability | None:
    text = record.text("Vulnerable")
    if text in ("", "?"):
        return None
    if text.upper() not in VULNERABLE:
        raise RecordError("“%(text)s” is no vulnerability.", record.at("Vulnerable"), text=text)
    return VULNERABLE[text.upper()]


def deal_of(record: Record) -> Deal | None:
    text = known(record.text("Deal"))
    with at(record.at("Deal")):
        return None if text is None else Deal.from_pbn(text)


def seat_in(text: str, line: int | None) -> Seat:
    with at(line):
        return Seat.from_letter(text.strip())


def card_in(text: str, line: int | None) -> Card:
    with at(line):
        return Card.from_text(text)


def number_warnings(
    record: Record, number: int, seat: Seat | None, vulnerable: Vulnerability | None
) -> list[RecordError]:
    """Where dealer and vulnerability are not those that the number of the board has."""
    return unlike_number(number, seat, vulnerable, record.at("Dealer"), record.at("Vulnerable"))


def contract_in(text: str, declarer: str, line: int | None) -> Contract | None:
    """A contract that was played, from its text and its declarer's letter; None when it is not known."""
    if text in UNKNOWN or text.upper() in PASSED:
        return None
    with at(line):
        return read_contract(text if declarer in UNKNOWN else f"{text} {declarer}")[0]


def tricks_in(text: str, line: int | None) -> int | None:
    """A number of tricks; None when it is not known."""
    if text in UNKNOWN:
        return None
    if not re.fullmatch("[0-9]{1,4}", text, re.ASCII):
        raise RecordError("“%(text)s” is not a number of tricks.", line, text=text[:40])
    with at(line):
        return possible_tricks(int(text))


def tricks_of_declarer(text: str, declarer: Seat | None) -> int | None:
    """Declarer's tricks when they are given by sides, such as `NS 9 EW 4`; None when that is not clear."""
    match = _SIDES.fullmatch(text)
    if match is None or match[1] is None or declarer is None or not re.fullmatch("[0-9]{1,2}", match[2]):
        return None
    tricks = int(match[2])
    if tricks > 13 or (match[3] and (match[3] == match[1] or match[4] != str(13 - tricks))):
        return None
    return tricks if Side(match[1]) is declarer.side else 13 - tricks


def of_ns(text: str, declarer: Seat | None) -> Decimal | None:
    """A score from North–South's side: `NS 100`, `EW 100`, `NS 4 EW -4`, or declarer's; None when that is not clear."""
    match = _SIDES.fullmatch(text)
    if match is None or (match[1] is None and (declarer is None or match[3])):
        return None
    value = Decimal(match[2])
    if match[3] and (match[3] == match[1] or Decimal(match[4]) != -value):
        return None
    ours = match[1] == Side.NS.value if match[1] else declarer is not None and declarer.side is Side.NS
    return value if ours else -value


def double_dummy_of(record: Record) -> str | None:
    """The tricks that can be made: 20 hex digits, seats N S E W by strains NT S H D C."""
    return (
        table_of(record.tag("OptimumResultTable"))
        or _from_digits(record.text("DoubleDummyTricks"))
        or _from_ability(record.text("Ability"))
    )


def agrees(digits: str, table: str) -> bool:
    """Whether DoubleDummyTricks say the same as a table; programs may write 1 for all that is below seven."""
    return len(digits) == 20 and all(
        one.lower() == other or (one == "1" and other < "7") for one, other in zip(digits, table, strict=True)
    )


def table_of(tag: Tag | None) -> str | None:
    """The tricks of an OptimumResultTable; None when it does not give all twenty."""
    if tag is None:
        return None
    names = [column.split("\\")[0].strip() for column in tag.value.split(";")]
    tricks: dict[tuple[str, str], str] = {}
    for _, cells in tag.rows():
        row = dict(zip(names, cells, strict=False))
        result = row.get("Result", "")
        if re.fullmatch("[0-9]|1[0-3]", result, re.ASCII):
            tricks[row.get("Declarer", ""), row.get("Denomination", "")] = f"{int(result):x}"
    places = [(seat.letter, strain.text) for seat in SEATS_OF_TRICKS for strain in STRAINS_OF_TRICKS]
    return "".join(tricks[place] for place in places) if tricks.keys() >= set(places) else None


def _from_digits(text: str) -> str | None:
    """Without a table that tells them apart, a 1 beside no other figure below 7 may mean any figure below 7."""
    censored = "1" in text and not set("023456") & set(text)
    return None if censored or not _TRICKS.fullmatch(text) else text.lower()


def _from_ability(text: str) -> str | None:
    tricks = dict(_ABILITY.findall(text))
    return "".join(tricks[seat.letter] for seat in SEATS_OF_TRICKS).lower() if len(tricks) == 4 else None


def figure(text: str, line: int | None) -> Decimal | None:
    """A figure of an event; None when it is not known."""
    if text in UNKNOWN:
        return None
    if not re.fullmatch(r"[+-]?[0-9]{1,9}(\.[0-9]{0,9})?|\.[0-9]{1,9}", text, re.ASCII) or not is_figure(
        Decimal(text)
    ):
        raise RecordError("“%(text)s” is not a number.", line, text=text[:40])
    return Decimal(text)


def date_in(text: str) -> dt.date | None:
    """A date such as `2026.11.30`; None when a part of it is not known."""
    match = re.fullmatch(r"([0-9]{4})\.([0-9]{2})\.([0-9]{2})", text, re.ASCII)
    try:
        return dt.date(*map(int, match.groups())) if match else None
    except ValueError:
        return None
