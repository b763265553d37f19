"""What a file of results says, in our words and in no format's own. What it does not say is None."""

import datetime as dt
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

from bridge.awards import Ruling
from bridge.cards import Card, Deal
from bridge.comparison import Method
from bridge.contracts import Contract
from bridge.errors import BridgeError
from bridge.scoring import ns_score
from bridge.seats import Seat, Side, Vulnerability
from bridge.seats import dealer as dealer_of
from bridge.seats import vulnerability as vulnerability_of


def is_figure(value: Decimal) -> bool:
    """Whether a number can be a figure of a bridge event: finite, below 100 000, with eight decimals at the most."""
    return value.is_finite() and (not value or value.adjusted() <= 4) and int(value.as_tuple().exponent) >= -8


class RecordError(BridgeError):
    """A file that cannot be read; `line` is where, when that is known.

    `others` are what else is wrong with the same file, so that a person can mend all of it at once.
    """

    def __init__(self, message: str, line: int | None = None, **params: Any) -> None:
        super().__init__(message, **params)
        self.line = line
        self.others: tuple[RecordError, ...] = ()

    def __str__(self) -> str:
        said = super().__str__()
        return said if self.line is None else f"Line {self.line}: {said}"


_MOST = 200


def note(found: list[RecordError], error: RecordError) -> None:
    """Add to what is wrong with a file. After 200 a person has seen enough, and a hostile file gets no further."""
    if len(found) < _MOST:
        found.append(error)


def refuse(errors: Sequence[RecordError]) -> None:
    """Raise the first of these errors, with the others behind it; nothing happens when there is none."""
    if errors:
        first, *others = errors
        first.others = tuple(others)
        raise first


@dataclass(frozen=True, slots=True)
class PlayerRecord:
    """One player of a pair."""

    name: str
    national_id: str | None = None
    club_id: str | None = None
    country: str | None = None


@dataclass(frozen=True, slots=True)
class PairRecord:
    """A pair. `label` names it once in the event; `direction` is the side it keeps, when it keeps one.

    Attributes:
        handicap: What the file adds to its score in a ranking by handicap.
        carry_over: Points of an earlier stage.
        adjustment: Points given or, below zero, taken by the director.
        section: Where it plays, in an event of several sections.
        line: Where it is named in the file.
    """

    label: str
    players: tuple[PlayerRecord, ...]
    direction: Side | None = None
    handicap: Decimal | None = None
    carry_over: Decimal | None = None
    adjustment: Decimal | None = None
    section: str = ""
    line: int | None = field(default=None, compare=False)


@dataclass(frozen=True, slots=True)
class RowRecord:
    """One line of a traveller: what two pairs did on a board.

    Attributes:
        ns, ew: Labels of the pairs; empty where the file names none.
        contract: None when passed out or when the file does not say.
        passed_out: Whether all four passed.
        tricks: Won by declarer's side.
        ns_score: The score as the file prints it, from North–South's side.
        ruling: What the director gave in place of a score.
        ns_points, ew_points: Matchpoints or IMPs as the file prints them.
        line: Where the row stands in the file.
    """

    ns: str
    ew: str
    contract: Contract | None = None
    passed_out: bool = False
    tricks: int | None = None
    lead: Card | None = None
    ns_score: int | None = None
    ruling: Ruling | None = None
    ns_points: Decimal | None = None
    ew_points: Decimal | None = None
    section: str | None = None
    round: int | None = None
    table: str | None = None
    line: int | None = field(default=None, compare=False)

    def score(self, vulnerability: Vulnerability) -> int | None:
        """North–South's score: from contract and tricks where they are known, else as printed."""
        if self.passed_out:
            return 0
        if self.contract is None or self.contract.declarer is None or self.tricks is None:
            return self.ns_score
        return ns_score(self.contract, self.tricks, vulnerability)

    def outcome(self, vulnerability: Vulnerability) -> int | Ruling | None:
        """What is compared: a ruling, else a score; None when the board was not played or nobody recorded it."""
        return self.ruling or self.score(vulnerability)

    @property
    def played(self) -> bool:
        return self.outcome(Vulnerability.NONE) is not None


@dataclass(frozen=True, slots=True)
class BoardRecord:
    """A board of a session with everything that happened on it.

    Attributes:
        double_dummy: The tricks that the file says can be made: 20 hex digits, seats N S E W by strains NT S H D C.
        warnings: What the file says of this board that cannot be right, though it can be read; each with its line.
    """

    number: int
    dealer: Seat
    vulnerability: Vulnerability
    deal: Deal | None = None
    published_datum: int | None = None
    double_dummy: str | None = None
    rows: tuple[RowRecord, ...] = ()
    line: int | None = field(default=None, compare=False)
    warnings: tuple[RecordError, ...] = field(default=(), compare=False)

    @property
    def fits_number(self) -> bool:
        """Whether dealer and vulnerability are those that the board's number has by Law 2."""
        return (self.dealer, self.vulnerability) == (
            dealer_of(self.number),
            vulnerability_of(self.number),
        )

    @property
    def complete_deal(self) -> Deal | None:
        """The deal when all four hands are known: only then can it be played or analysed."""
        return self.deal if self.deal and self.deal.is_complete else None

    def outcomes(self) -> list[tuple[RowRecord, int | Ruling]]:
        """The rows that are compared, each with its outcome."""
        pairs = ((row, row.outcome(self.vulnerability)) for row in self.rows)
        return [(row, outcome) for row, outcome in pairs if outcome is not None]


@dataclass(frozen=True, slots=True)
class PublishedStanding:
    """A line of a ranking list as the file prints it; `session` None is the whole event.

    `rounds` are what each round brought, where these are added up: percentages of boards summed, IMPs or victory points.
    """

    pair: str
    total: Decimal | None = None
    percent: Decimal | None = None
    place: str | None = None
    master_points: Decimal | None = None
    session: int | None = None
    line: int | None = field(default=None, compare=False)
    rounds: tuple[Decimal, ...] = ()


@dataclass(frozen=True, slots=True)
class SessionRecord:
    """One session, counted from 1."""

    number: int
    boards: tuple[BoardRecord, ...]
    title: str | None = None
    date: dt.date | None = None


@dataclass(frozen=True, slots=True)
class EventRecord:
    """A whole pairs event.

    Attributes:
        method: None when the file does not name a method that we know.
        winners: 1 or 2 ranking lists.
        by_vps: Whether totals are victory points.
        warnings: What the file says that cannot be right, though it can be read; each with its line.
    """

    title: str
    sessions: tuple[SessionRecord, ...]
    pairs: tuple[PairRecord, ...]
    standings: tuple[PublishedStanding, ...] = ()
    method: Method | None = None
    winners: int | None = None
    by_vps: bool = False
    date: dt.date | None = None
    organisation: str | None = None
    club_id: str | None = None
    venue: str | None = None
    program: str | None = None
    warnings: tuple[RecordError, ...] = field(default=(), compare=False)

    def boards(self) -> Iterator[tuple[SessionRecord, BoardRecord]]:
        """All boards, session by session."""
        return ((session, board) for session in self.sessions for board in session.boards)

    @property
    def by_rounds(self) -> bool:
        """Whether what rounds brought is added up, and not the points of boards."""
        return self.by_vps or any(standing.rounds for standing in self.standings)

    @property
    def rows(self) -> int:
        return sum(len(board.rows) for _, board in self.boards())
