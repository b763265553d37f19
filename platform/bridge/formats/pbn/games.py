"""One record of PBN as one game: its calls with their notes, its cards in the order in which they were played."""

import re
from collections.abc import Iterator
from dataclasses import dataclass, field, replace
from decimal import Decimal
from typing import TypeVar

from bridge.auction import LONGEST_AUCTION, PASS, is_over, read_call
from bridge.contracts import Contract, Strain
from bridge.formats.game import (
    CallRecord,
    CardRecord,
    GameRecord,
    TableRecord,
    TrickRecord,
    contract_of,
    play_warnings,
    tricks_won,
    trumps_of,
    winner,
)
from bridge.formats.pbn import facts
from bridge.formats.pbn.facts import attempt, known
from bridge.formats.pbn.lexer import Record, Tag, records
from bridge.formats.records import RecordError, is_figure, note, refuse
from bridge.seats import Seat

T = TypeVar("T")

PLAYERS = ("North", "East", "South", "West")
SECTIONS = ("Auction", "Play")
MANDATORY = (
    *("Event", "Site", "Date", "Board", "West", "North", "East", "South"),
    *("Dealer", "Vulnerable", "Deal", "Scoring", "Declarer", "Contract", "Result"),
)
_FIELDS = {*MANDATORY, *SECTIONS, "Score", "ScoreIMP", "DoubleDummyTricks"}
_NOTE = re.compile(r"([0-9]{1,3})\s*:\s*(.*)", re.ASCII | re.DOTALL)
_REFERENCE = re.compile(r"=([0-9]{1,3})=", re.ASCII)
_MARK = re.compile(r"[!?]{1,2}|\$[0-9]{1,3}", re.ASCII)
_GAPS = ("-", "--", "^S")  # nobody called or played here
_IRREGULAR = ("^I", "^R", "^L")  # the next word is an insufficient bid, a revoke, a lead out of turn


def read_games(data: bytes, encoding: str | None = None) -> tuple[GameRecord, ...]:
    """All records of a file, one game each.

    Raises:
        RecordError: Cards, calls or contracts that cannot be; with the line, and the others behind the first.
    """
    errors: list[RecordError] = []
    games = [_Reader(record, errors).game() for record in records(facts.text_of(data, encoding))]
    refuse(errors)
    return tuple(games)


@dataclass(slots=True)
class _Step:
    """A word of the auction or the play, with what is said about it."""

    line: int
    text: str
    note: str | None = None
    marks: list[str] = field(default_factory=list)
    comments: list[str] = field(default_factory=list)

    @property
    def mark(self) -> str:
        return " ".join(self.marks)

    @property
    def comment(self) -> str:
        return "\n".join(self.comments)


class _Reader:
    """Reads one record. What cannot be goes to the errors of the file, what cannot be right to our warnings."""

    def __init__(self, record: Record, errors: list[RecordError]) -> None:
        self.record = record
        self.errors = errors
        self.warnings = list(record.warnings)
        self.comments = list(record.comments)
        self.kept: set[str] = set()  # tags whose value no field can say
        self.notes = _notes(record)
        self.noted: set[tuple[str, int]] = set()  # those that a call or a card refers to

    def game(self) -> GameRecord:
        record, errors = self.record, self.errors
        number = attempt(errors, facts.number_of, record)
        dealer = attempt(errors, facts.dealer_of, record)
        vulnerability = attempt(errors, facts.vulnerability_of, record)
        deal = attempt(errors, facts.deal_of, record)
        auction = self.auction(dealer)
        if auction and dealer is None:
            dealer = auction[0].seat
        contract, passed_out = self.contract(auction)
        play = self.play(trumps_of(contract, auction))
        self.warn(*play_warnings(deal, play, record.at("Play")))
        if number is not None:
            self.warn(*facts.number_warnings(record, number, dealer, vulnerability))
        declarer = contract.declarer if contract else None
        tricks = self.tricks(contract, play)
        score, ns_imps = self.of_ns("Score", declarer), self.of_ns("ScoreIMP", declarer)
        date = self.kept_unless("Date", facts.date_in(record.text("Date")))
        north, east, south, west = (known(record.text(name)) or "" for name in PLAYERS)
        double_dummy = facts.double_dummy_of(record)
        tables = tuple(self.tables(double_dummy))
        tags = tuple(sorted(self.tags(double_dummy), key=_mandatory_first))
        return GameRecord(
            board=number,
            dealer=dealer,
            vulnerability=vulnerability,
            deal=deal,
            players=(north, east, south, west),
            contract=contract,
            passed_out=passed_out,
            tricks=tricks,
            ns_score=None if score is None else int(score),
            ns_imps=ns_imps,
            auction=auction,
            play=play,
            event=known(record.text("Event")),
            site=known(record.text("Site")),
            date=date,
            scoring=known(record.text("Scoring")),
            double_dummy=double_dummy,
            tables=tables,
            tags=tags,
            comments=tuple(self.comments),
            line=record.line,
            warnings=tuple(self.warnings),
        )

    def warn(self, *warnings: RecordError) -> None:
        for warning in warnings:
            note(self.warnings, warning)

    def kept_unless(self, name: str, value: T | None) -> T | None:
        """The value; when there is none though the tag says something, the tag is kept as it stands."""
        if value is None and known(self.record.text(name)):
            self.kept.add(name)
        return value

    def contract(self, auction: tuple[CallRecord, ...]) -> tuple[Contract | None, bool]:
        """The contract, and whether all four passed: as the tags say, else as the auction ended."""
        text, declarer = self.record.text("Contract"), self.record.text("Declarer")
        if known(text) is None:
            calls = [each.call for each in auction]
            self.kept_unless("Declarer", contract_of(auction))
            return contract_of(auction), is_over(calls) and set(calls) == {PASS}
        if text.upper() in facts.PASSED:
            return None, True
        if declarer.startswith("^"):  # not the one who named the strain first
            self.kept.add("Declarer")
        contract = attempt(
            self.errors, facts.contract_in, text, declarer.lstrip("^"), self.record.at("Contract")
        )
        called = contract_of(auction)
        if contract and called and (contract.text, contract.declarer) != (called.text, called.declarer):
            self.warn(
                RecordError(
                    "The auction does not end in the contract that is named.", self.record.at("Contract")
                )
            )
        return contract, False

    def tricks(self, contract: Contract | None, play: tuple[TrickRecord, ...]) -> int | None:
        """Declarer's tricks: `9`, `NS 9 EW 4`, `EW 4`; when the tag says none, those that were played out."""
        text, line = self.record.text("Result"), self.record.at("Result")
        played = tricks_won(play, contract) if contract else None
        if known(text) is None:
            return played
        if re.fullmatch("[0-9]{1,2}", text, re.ASCII):
            tricks = attempt(self.errors, facts.tricks_in, text, line)
        else:
            tricks = self.kept_unless(
                "Result", facts.tricks_of_declarer(text, contract.declarer if contract else None)
            )
        if None is not played != tricks is not None:
            self.warn(
                RecordError(
                    "The play gives %(played)s tricks, the file says %(said)s.",
                    line,
                    played=played,
                    said=tricks,
                )
            )
        return tricks

    def of_ns(self, name: str, declarer: Seat | None) -> Decimal | None:
        value = facts.of_ns(self.record.text(name), declarer)
        if value is not None and ((name == "Score" and value % 10) or not is_figure(value)):
            value = None
        return self.kept_unless(name, value)

    def auction(self, dealer: Seat | None) -> tuple[CallRecord, ...]:
        """The calls, from the first that was made; `AP` is all the passes that end the auction."""
        tag = self.record.tag("Auction")
        seat = self.first_seat(tag)
        if tag is None or seat is None:
            return ()
        calls: list[CallRecord] = []
        begun = over = False
        for step in self.steps(tag):
            if len(calls) > LONGEST_AUCTION:
                note(self.errors, RecordError("An auction has 319 calls at the most.", step.line))
                break
            if not begun and step.text != "-":
                begun = True
                if seat is not (seat if dealer is None else dealer):
                    self.warn(RecordError("The dealer does not call first.", tag.line))
            if over:
                self.warn(_after_plus(step))
            elif step.text == "+":
                over = True
            elif step.text.upper() == "AP":
                while not is_over([each.call for each in calls[-4:]]):
                    calls.append(CallRecord(seat, PASS))
                    seat = seat.left
                if calls and step.comment:
                    calls[-1] = replace(calls[-1], comment=step.comment)
            else:
                call = read_call(step.text)
                if call is not None:
                    calls.append(CallRecord(seat, call, step.note, step.mark, step.comment))
                elif step.text not in _GAPS:
                    note(
                        self.errors, RecordError("“%(text)s” is not a call.", step.line, text=step.text[:40])
                    )
                seat = seat.left
        return tuple(calls)

    def play(self, strain: Strain | None) -> tuple[TrickRecord, ...]:
        """The tricks. PBN prints each player's cards in one column; here they follow one another as they were played."""
        tag = self.record.tag("Play")
        leader = self.first_seat(tag)
        if tag is None or leader is None:
            return ()
        steps = list(self.steps(tag))
        columns = [Seat((leader + place) % 4) for place in range(4)]
        tricks: list[TrickRecord] = []
        if len(steps) > 52:
            note(self.errors, RecordError("A board has 13 tricks.", steps[52].line))
        for start in range(0, min(len(steps), 52), 4):
            row = dict(zip(columns, steps[start : start + 4], strict=False))
            in_turn = [Seat((leader + place) % 4) for place in range(4)]
            found = [self.card(seat, row[seat]) for seat in in_turn if seat in row]
            trick = tuple(card for card in found if card)
            self.warn(*_after_plus_in(row, in_turn))
            tricks.append(trick)
            if trick and strain is not None:
                leader = winner(trick, strain)
        while tricks and not tricks[-1]:
            tricks.pop()
        if tricks and strain is None:
            self.warn(RecordError("Who won the tricks is not known, because the contract is not.", tag.line))
        return tuple(tricks)

    def card(self, seat: Seat, step: _Step) -> CardRecord | None:
        if step.text in (*_GAPS, "+"):
            return None
        card = attempt(self.errors, facts.card_in, step.text, step.line)
        return CardRecord(seat, card, step.note, step.mark, step.comment) if card else None

    def first_seat(self, tag: Tag | None) -> Seat | None:
        """Whose column comes first."""
        return attempt(self.errors, facts.seat_in, tag.value, tag.line) if tag else None

    def steps(self, tag: Tag) -> Iterator[_Step]:
        """The words of a section up to `*`, each with the notes, signs and comments that follow it."""
        step: _Step | None = None
        before: list[str] = []
        ended = False
        for word in tag.words:
            if word.is_comment and (step is None or ended):
                self.comments.append(word.text)
            elif ended or word.text == "*":
                ended = True
            elif step and word.is_comment:
                step.comments.append(word.text)
            elif step and (reference := _REFERENCE.fullmatch(word.text)):
                step.note = self.note(tag.name, int(reference[1]))
            elif step and _MARK.fullmatch(word.text):
                step.marks.append(word.text)
            elif word.text in _IRREGULAR:
                before.append(word.text)
            else:
                if step:
                    yield step
                text = word.text.rstrip("!?") or word.text
                sign = word.text[len(text) :]
                step, before = _Step(word.line, text, marks=[*before, sign] if sign else before), []
        if step:
            yield step

    def note(self, section: str, number: int) -> str:
        """What a note says. It stands after its own section; when it does not, it is looked for in the other."""
        places = [(name, number) for name in sorted(SECTIONS, key=lambda name: name != section)]
        place = next((place for place in places if place in self.notes), None)
        if place is None:
            return ""
        self.noted.add(place)
        return self.notes[place]

    def tables(self, double_dummy: str | None) -> Iterator[TableRecord]:
        """Tables that no field holds, as they stand; on the way, comments of all tags, and words that are out of place."""
        for tag in self.record.tags:
            if tag.name in SECTIONS:
                continue
            self.comments += [word.text for word in tag.words if word.is_comment]
            rows = tag.rows()
            if not tag.name.endswith("Table"):
                for line, cells in rows:
                    self.warn(RecordError("“%(text)s” belongs to no tag.", line, text=" ".join(cells)[:40]))
            elif tag.name != "OptimumResultTable" or double_dummy is None:
                yield TableRecord(tag.name, tag.value, tuple(tuple(cells) for _, cells in rows))

    def tags(self, double_dummy: str | None) -> Iterator[tuple[str, str]]:
        """Tags that no field holds, as they stand."""
        section = SECTIONS[0]
        for tag in self.record.tags:
            section = tag.name if tag.name in SECTIONS else section
            match tag.name:
                case "Note":
                    held = (section, _number_of_note(tag.value)) in self.noted
                case "DoubleDummyTricks":
                    held = double_dummy is not None
                    if double_dummy is not None and not facts.agrees(tag.value, double_dummy):
                        self.warn(RecordError("The two tables of makeable tricks differ.", tag.line))
                case name:
                    held = name.endswith("Table") or (name in _FIELDS and name not in self.kept)
            if not held:
                yield tag.name, tag.value


def _mandatory_first(tag: tuple[str, str]) -> int:
    """Where export format has a tag; those that it does not know follow in the order of the file."""
    return MANDATORY.index(tag[0]) if tag[0] in MANDATORY else len(MANDATORY)


def _notes(record: Record) -> dict[tuple[str, int], str]:
    """The notes of a record by section and number."""
    notes: dict[tuple[str, int], str] = {}
    section = SECTIONS[0]
    for tag in record.tags:
        section = tag.name if tag.name in SECTIONS else section
        if tag.name == "Note" and (found := _NOTE.fullmatch(tag.value.strip())):
            notes.setdefault((section, int(found[1])), found[2])
    return notes


def _number_of_note(value: str) -> int | None:
    found = _NOTE.fullmatch(value.strip())
    return int(found[1]) if found else None


def _after_plus(step: _Step) -> RecordError:
    return RecordError(
        "“%(text)s” stands after + though nothing followed yet.", step.line, text=step.text[:40]
    )


def _after_plus_in(row: dict[Seat, _Step], in_turn: list[Seat]) -> Iterator[RecordError]:
    """What follows the card that was still to be played."""
    steps = [row[seat] for seat in in_turn if seat in row]
    waiting = next((place for place, step in enumerate(steps) if step.text == "+"), len(steps))
    return (_after_plus(step) for step in steps[waiting + 1 :] if step.text not in _GAPS)
