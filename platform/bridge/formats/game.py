"""One board as one table played it, in our words: dealt, called, played card by card, scored."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal

from bridge.auction import Call, is_over, standing_contract
from bridge.cards import Card, Deal
from bridge.contracts import Contract, Strain
from bridge.formats.records import RecordError
from bridge.play import winning_place
from bridge.seats import Seat, Vulnerability, dealer, vulnerability


@dataclass(frozen=True, slots=True)
class CallRecord:
    """One call.

    Attributes:
        note: What it means, as its side or a commentator explained; empty when it was alerted and not explained.
        mark: Signs that stand with it, such as `!` or `$13`; LIN's `!` is an alert.
        comment: What a commentator said after it.
    """

    seat: Seat
    call: Call
    note: str | None = None
    mark: str = ""
    comment: str = ""


@dataclass(frozen=True, slots=True)
class CardRecord:
    """One card that was played, and by which hand; the rest is as for a call."""

    seat: Seat
    card: Card
    note: str | None = None
    mark: str = ""
    comment: str = ""


TrickRecord = tuple[CardRecord, ...]


@dataclass(frozen=True, slots=True)
class TableRecord:
    """A table of PBN that we keep and do not read: its head, and the cells of each row."""

    name: str
    head: str
    rows: tuple[tuple[str, ...], ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class GameRecord:
    """What a file says about one board at one table. What it does not say is None or empty.

    Attributes:
        players: North, East, South, West.
        contract: With its declarer, when that is known.
        tricks: Won by declarer's side.
        ns_imps: IMPs of North–South as the file prints them.
        auction: Calls in their order.
        play: Tricks; in each the cards as they were played, the lead first.
        scoring: In PBN's words, such as `MP` or `IMP;Cross`.
        double_dummy: 20 hex digits, seats N S E W by strains NT S H D C.
        comments: Comments that belong to no call and no card.
        tags: What PBN says besides, by name. A tag of a field above stands here when the field cannot say its value.
        tables: PBN's tables that no field holds.
        line: Where the record begins.
        warnings: What cannot be right, though it can be read.
    """

    board: int | None = None
    dealer: Seat | None = None
    vulnerability: Vulnerability | None = None
    deal: Deal | None = None
    players: tuple[str, str, str, str] = ("", "", "", "")
    contract: Contract | None = None
    passed_out: bool = False
    tricks: int | None = None
    ns_score: int | None = None
    ns_imps: Decimal | None = None
    auction: tuple[CallRecord, ...] = ()
    play: tuple[TrickRecord, ...] = ()
    event: str | None = None
    site: str | None = None
    date: dt.date | None = None
    scoring: str | None = None
    double_dummy: str | None = None
    comments: tuple[str, ...] = ()
    tags: tuple[tuple[str, str], ...] = ()
    tables: tuple[TableRecord, ...] = ()
    line: int | None = field(default=None, compare=False)
    warnings: tuple[RecordError, ...] = field(default=(), compare=False)

    @property
    def complete_deal(self) -> Deal | None:
        """The deal when all four hands are known: only then can it be played or analysed."""
        return self.deal if self.deal and self.deal.is_complete else None


def contract_of(auction: Sequence[CallRecord]) -> Contract | None:
    """The contract that an auction ended in; None when nobody bid or it is not over."""
    calls = [(each.seat, each.call) for each in auction]
    return standing_contract(calls) if is_over([call for _, call in calls]) else None


def trumps_of(contract: Contract | None, auction: Sequence[CallRecord]) -> Strain | None:
    """The strain that cards were played in, when it is known."""
    contract = contract or contract_of(auction)
    return contract.strain if contract else None


def winner(trick: TrickRecord, strain: Strain) -> Seat:
    """Who wins a trick."""
    return trick[winning_place([each.card for each in trick], strain)].seat


def tricks_won(play: Sequence[TrickRecord], contract: Contract) -> int | None:
    """The tricks of declarer's side when all 13 were played out."""
    if contract.declarer is None or len(play) != 13 or any(len(trick) != 4 for trick in play):
        return None
    return sum(winner(trick, contract.strain).side is contract.declarer.side for trick in play)


def misplayed(deal: Deal | None, play: Sequence[TrickRecord]) -> Iterator[tuple[int, CardRecord]]:
    """Cards that the hand which played them does not hold, or not any more; each with the number of its trick."""
    gone: set[Card] = set()
    for number, trick in enumerate(play, 1):
        for each in trick:
            hand = deal[each.seat] if deal else None
            if each.card in gone or (hand is not None and each.card not in hand.cards):
                yield number, each
            gone.add(each.card)


def play_warnings(deal: Deal | None, play: Sequence[TrickRecord], line: int | None) -> list[RecordError]:
    """What is wrong with the cards of a play, in words."""
    return [
        RecordError(
            "Trick %(trick)s: %(seat)s plays %(card)s, which that hand does not hold.",
            line,
            trick=number,
            seat=each.seat.letter,
            card=each.card.text,
        )
        for number, each in misplayed(deal, play)
    ]


def unlike_number(
    number: int,
    seat: Seat | None,
    vulnerable: Vulnerability | None,
    dealer_line: int | None,
    vulnerability_line: int | None,
) -> list[RecordError]:
    """Where a board's dealer and vulnerability are not those that its number has by Law 2, in words."""
    found: list[RecordError] = []
    if seat is not None and seat is not dealer(number):
        found.append(
            RecordError(
                "Board %(board)s: the file says dealer %(said)s, the number says %(ours)s; the file is followed.",
                dealer_line,
                board=number,
                said=seat.letter,
                ours=dealer(number).letter,
            )
        )
    if vulnerable is not None and vulnerable is not vulnerability(number):
        found.append(
            RecordError(
                "Board %(board)s: the file says vulnerable %(said)s, the number says %(ours)s; the file is followed.",
                vulnerability_line,
                board=number,
                said=vulnerable.value,
                ours=vulnerability(number).value,
            )
        )
    return found
