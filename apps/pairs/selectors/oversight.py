"""What those who direct see: how a running event stands, what waits for them, and the series."""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from decimal import Decimal
from typing import Any, TypedDict

from django.core.exceptions import PermissionDenied
from django.db.models import Exists, OuterRef, Prefetch, Q, QuerySet, Sum, TextField
from django.db.models.fields.json import KT
from django.db.models.functions import Cast, Coalesce
from django.utils.translation import gettext as _
from django_stubs_ext import WithAnnotations

from apps.clock.models import AuditEntry, DueWork
from apps.clock.selectors import audit_of, pulse_age
from apps.clock.time import now
from apps.pairs.models import Entrant, Entry, Round, Seat, Series, Slip, Swiss
from apps.pairs.selectors import Pair, pairs_of
from apps.pairs.selectors.tables import (
    PURPOSE,
    UNANSWERED,
    boards_at_tables,
    occasion_of,
    open_questions,
    rounds_of,
    table_number,
)
from apps.results.models import Contestant, FieldBoard, Member, Result
from apps.results.selectors import doubtful_results, last_change_of
from apps.tables.models import DirectorCall, TableBoard
from apps.tables.models import Table as TableHere
from apps.users.models import Player, User

SETTLED = (Slip.State.CONFIRMED, Slip.State.RULED, Slip.State.UNCONFIRMED)


@dataclass(frozen=True, slots=True)
class SlipMark:
    """A board at a table: the state of its slip, empty when nobody has said anything; in words where it was played here."""

    number: int
    state: str
    how: str = ""

    @property
    def said(self) -> str:
        return self.how or (str(Slip.State(self.state).label) if self.state else "")


@dataclass(frozen=True, slots=True)
class Table:
    """A table of the open round."""

    number: int
    ns: Pair
    ew: Pair
    missing: tuple[Pair, ...]
    called_at: datetime | None
    boards: tuple[SlipMark, ...]
    url: str = ""  # of the table of this site, for its director

    @property
    def settled(self) -> int:
        return sum(mark.state in SETTLED for mark in self.boards)


@dataclass(frozen=True, slots=True)
class Dispute:
    """A board of which the two sides say different things."""

    round: int
    table: int
    board: int
    ns: Pair
    ew: Pair
    ns_says: Any  # `Said` as it is stored
    ew_says: Any


@dataclass(frozen=True, slots=True)
class Question:
    """What a side asks about a board when its table is closed, and where it is answered."""

    round: int
    table: int
    board: int
    at: datetime
    url: str


@dataclass(frozen=True, slots=True)
class Course:
    """How an event stands at a moment.

    Attributes:
        open: The round that is being played.
        coming: The next round, with the time at which it is to open.
        out: Pairs that sit out the open round.
        next_step: What the clock does next, and when.
        stuck: What it could not do, and has given up.
        silent_for: How long no clock was seen, when that is long enough to matter.
    """

    swiss: Swiss
    at: datetime
    open: Round | None
    coming: Round | None
    tables: list[Table]
    out: list[Pair]
    disputes: list[Dispute]
    questions: list[Question]
    entries: Counter[str]
    next_step: DueWork | None
    stuck: list[DueWork]
    silent_for: timedelta | None

    @property
    def waits_for_answers(self) -> bool:
        """Whether it would be final if nothing were asked any more."""
        return self.next_step is not None and self.next_step.kind == UNANSWERED

    @property
    def calls(self) -> list[Table]:
        return [table for table in self.tables if table.called_at]

    @property
    def missing(self) -> list[Table]:
        return [table for table in self.tables if table.missing]


SILENCE = timedelta(seconds=20)
MAY_DIRECT = Q(is_director=True) | Q(is_superuser=True)

BY_ITSELF = (
    "pairs.started",
    "pairs.finished",
    "pairs.ranked again",
    "pairs.official",
    "pairs.doubted",
    "pairs.missing",
    "pairs.asked afterwards",
)
BY_PAIRS = ("pairs.entered", "pairs.present", "pairs.withdrawn")
THEMSELVES = "themselves"  # noted with these when it was one of the pair that did it, whatever else he may do


class _Done(TypedDict):
    """What a question adds to an entry of the log."""

    by_themselves: bool


def log_of(swiss: Swiss) -> "QuerySet[WithAnnotations[AuditEntry, _Done]]":
    """All that was done about an event, the newest first, each with whether a pair did it for itself: `by_themselves`.

    Of entries that do not say so, for that was not always noted, the actor is looked for among the players of the pair.
    """
    pair = Contestant.objects.annotate(number=Cast("order", TextField()))
    own = pair.filter(
        field=swiss.event.field_id, number=OuterRef("pair"), members__player__user=OuterRef("actor_id")
    )
    noted = Q(after__contains={THEMSELVES: True})
    return (
        audit_of("pairs.event", swiss.pk)
        .annotate(pair=KT("after__pair"))
        .annotate(by_themselves=Q(action__in=BY_PAIRS) & (noted | Exists(own)))
    )


def decisions_of(swiss: Swiss) -> QuerySet[AuditEntry]:
    """What was decided about an event, the newest first: not what every event brings, nor what pairs do for themselves.

    What the rules for bad luck did in place of a director is among it.
    """
    log = log_of(swiss).exclude(action__in=BY_ITSELF).exclude(by_themselves=True)
    return log.exclude(actor_id=None, action__in=BY_PAIRS).exclude(
        action="pairs.present", before__state=Entry.State.PLAYING
    )


def refuse_players(field_id: int, user: User) -> None:
    """Keep a director who takes part in an event from what the others do not see, and from ruling on it, until it is final.

    Raises:
        PermissionDenied: He does.
    """
    if events_played_by(user).filter(event__field=field_id).exists():
        raise PermissionDenied(
            _("You play in this event. Until its result is final, somebody else directs it.")
        )


def events_played_by(user: User) -> QuerySet[Swiss]:
    """The events that a user plays in and whose result is not final."""
    going_on = [Swiss.State.RUNNING, Swiss.State.SUSPENDED, Swiss.State.FINISHED]
    own = _those_who_play().filter(player__user=user)
    return Swiss.objects.filter(state__in=going_on, pk__in=own.values("contestant__entry__swiss"))


def tables_not_for(user: User) -> QuerySet[TableHere]:
    """The tables of the events that a user plays in: what is said at others is not for him."""
    rounds = Round.objects.filter(swiss__in=events_played_by(user))
    occasions = rounds.annotate(occasion=Cast("pk", TextField())).values("occasion")
    return TableHere.objects.filter(purpose=PURPOSE, occasion__in=occasions)


def entries_not_for(user: User) -> Q:
    """What the audit log says about the events that a user plays in, and their tables."""
    return Q(subject_kind="pairs.event", subject_id__in=events_played_by(user).values("pk")) | Q(
        subject_kind="tables.table", subject_id__in=tables_not_for(user).values("pk")
    )


def _those_who_play() -> QuerySet[Member]:
    """The players of events that run themselves, and who left one after it began. Who withdrew before is not among them."""
    return Member.objects.filter(contestant__entry__entrants__isnull=False)


def refuse_director(table: TableHere, user: User) -> None:
    """Keep a director who takes part in an event from the hands of its tables.

    Raises:
        PermissionDenied: He does.
    """
    for round_id in rounds_of(table.purpose, table.subject):
        for field_id in Round.objects.filter(pk=round_id).values_list("swiss__event__field", flat=True):
            refuse_players(field_id, user)


def directors_of(swiss: Swiss) -> QuerySet[User]:
    """All who may direct the event now: the directors of the site, without those who play in it."""
    directing = User.objects.filter(MAY_DIRECT, is_active=True)
    return directing.exclude(
        player__in=_those_who_play().filter(contestant__entry__swiss=swiss).values("player")
    )


def first_who_directs(swiss: Swiss, players: Sequence[Player]) -> Player | None:
    """The first of these players who may see everything of an event, or has decided something about it."""
    decided = decisions_of(swiss).filter(actor_id__isnull=False).values("actor_id")
    directing = User.objects.filter(MAY_DIRECT | Q(pk__in=decided))
    return Player.objects.filter(pk__in=[each.pk for each in players], user__in=directing).first()


def course_of(swiss: Swiss) -> Course:
    """Ten queries, and five more at tables of this site, however large the event is."""
    going_on = swiss.state in (Swiss.State.RUNNING, Swiss.State.SUSPENDED)
    rounds = list(Round.objects.filter(swiss=swiss).exclude(state=Round.State.CLOSED).order_by("number"))
    current = next((each for each in rounds if going_on and each.state == Round.State.OPEN), None)
    pairs = pairs_of(swiss.event.field_id)
    work = DueWork.objects.filter(kind__startswith="pairs.", subject=swiss.pk).order_by("due_at", "pk")
    steps = list(work.filter(state__in=[DueWork.State.PLANNED, DueWork.State.STUCK]))
    tables, out = _tables(swiss, current, pairs) if current else ([], [])
    silent_for = pulse_age()
    return Course(
        swiss=swiss,
        at=now(),
        open=current,
        coming=next((each for each in rounds if each.state == Round.State.PENDING), None),
        tables=tables,
        out=out,
        disputes=_disputes(swiss, pairs),
        questions=list(_questions(swiss)) if swiss.has_tables else [],
        entries=Counter(Entry.objects.filter(swiss=swiss).order_by().values_list("state", flat=True)),
        next_step=next((step for step in steps if step.state == DueWork.State.PLANNED), None),
        stuck=[step for step in steps if step.state == DueWork.State.STUCK],
        silent_for=silent_for if silent_for and silent_for > SILENCE else None,
    )


def _tables(swiss: Swiss, current: Round, pairs: dict[int, Pair]) -> tuple[list[Table], list[Pair]]:
    seats: dict[int, dict[str, Seat]] = {}
    out = []
    for seat in Seat.objects.filter(round=current).order_by("table", "-side"):
        if seat.table is None:
            out.append(pairs[seat.contestant_id])
        else:
            seats.setdefault(seat.table, {})[seat.side] = seat
    boards = FieldBoard.objects.filter(field__event=current.swiss_id, session=current.number)
    numbers = list(boards.order_by("board__number").values_list("board__number", flat=True))
    slips = Slip.objects.filter(round=current).values_list("table", "field_board__board__number", "state")
    marks = {(table, board): SlipMark(board, state) for table, board, state in slips}
    here = _tables_here(current) if swiss.has_tables else {}
    calls = dict(_calls_here(current)) if swiss.has_tables else {}
    for number, played in here.items():
        for each in played.boards.all():
            if each.state == TableBoard.State.OVER and each.how != TableBoard.How.VOID:
                mark = SlipMark(each.board.number, Slip.State.CONFIRMED, each.get_how_display())
                marks.setdefault((number, mark.number), mark)
    tables = []
    for number, sides in seats.items():
        ns, ew = sides[Seat.Side.NS], sides[Seat.Side.EW]
        tables.append(
            Table(
                number=number,
                ns=pairs[ns.contestant_id],
                ew=pairs[ew.contestant_id],
                missing=tuple(pairs[seat.contestant_id] for seat in (ns, ew) if seat.missing),
                called_at=ns.called_at or ew.called_at or calls.get(number),
                boards=tuple(marks.get((number, board), SlipMark(board, "")) for board in numbers),
                url=f"{here[number].get_absolute_url()}?as=director" if number in here else "",
            )
        )
    return tables, out


def _tables_here(current: Round) -> dict[int, TableHere]:
    """The tables of this site that play a round, with their boards, by number. Two queries."""
    boards = Prefetch("boards", TableBoard.objects.select_related("board").defer("board__deal"))
    there = TableHere.objects.filter(purpose=PURPOSE, occasion=occasion_of(current)).order_by("pk")
    return {table_number(table.subject): table for table in there.prefetch_related(boards)}


def _calls_here(current: Round) -> Iterator[tuple[int, datetime]]:
    """Tables that ask for the director, and since when; also such as have played their last card. One query."""
    calls = DirectorCall.objects.filter(
        table__purpose=PURPOSE, table__occasion=occasion_of(current), settled_at=None, afterwards=False
    ).filter(table__why__in=["", TableHere.Why.FINISHED])
    for subject, at in calls.order_by("-pk").values_list("table__subject", "at"):
        yield table_number(subject), at


def _questions(swiss: Swiss) -> Iterator[Question]:
    """What was asked about the boards of closed tables and has no answer yet, the oldest first. Two queries."""
    rounds = {occasion_of(each): each.number for each in swiss.all_rounds.all()}
    asked = open_questions(swiss).select_related("table", "table_board__board")
    for call in asked.defer("table_board__board__deal").order_by("pk"):
        assert call.table_board  # noqa: S101 - it is asked about a board
        yield Question(
            round=rounds[call.table.occasion],
            table=table_number(call.table.subject),
            board=call.table_board.board.number,
            at=call.at,
            url=call.get_absolute_url(),
        )


def _disputes(swiss: Swiss, pairs: dict[int, Pair]) -> list[Dispute]:
    rows = (
        Slip.objects.filter(round__swiss=swiss, state=Slip.State.DISPUTED)
        .order_by("round__number", "table", "field_board__board__number")
        .values_list(
            "round__number", "table", "field_board__board__number", "ns_id", "ew_id", "ns_says", "ew_says"
        )
    )
    return [
        Dispute(number, table, board, pairs[ns], pairs[ew], ns_says, ew_says)
        for number, table, board, ns, ew, ns_says, ew_says in rows
    ]


@dataclass(frozen=True, slots=True)
class DoubtfulBoard:
    """A result at a table that may have been written down wrong; `what` makes one ask."""

    round: int
    table: int
    board: int
    ns: Pair
    ew: Pair
    said: str
    score: int | None
    what: tuple[str, ...]


def doubtful_boards(swiss: Swiss) -> list[DoubtfulBoard]:
    """The doubtful results of an event that can still be corrected, without those that a director decided. Three queries."""
    if swiss.state not in (Swiss.State.RUNNING, Swiss.State.SUSPENDED, Swiss.State.FINISHED):
        return []
    decided = Slip.objects.filter(round__swiss=swiss, state=Slip.State.RULED)
    ruled = set(decided.values_list("round__number", "field_board__board__number", "ns_id"))
    pairs = pairs_of(swiss.event.field_id)
    return [
        DoubtfulBoard(
            round=each.session,
            table=int(each.table),
            board=each.board,
            ns=pairs[each.ns],
            ew=pairs[each.ew],
            said=each.said,
            score=each.ns_score,
            what=tuple(_(doubt.message) for doubt in each.doubts),
        )
        for each in doubtful_results(swiss.event.field_id)
        if (each.session, each.board, each.ns) not in ruled
    ]


@dataclass(frozen=True, slots=True)
class EnteredPair:
    """An entry with those who play in it now."""

    entry: Entry
    order: int
    players: tuple[Player, ...]
    penalty: Decimal

    @property
    def label(self) -> str:
        return str(self.order)


def entered_pairs(swiss: Swiss) -> list[EnteredPair]:
    """The entries by number; one that was withdrawn before the start shows who it was. Three queries."""
    entries = (
        Entry.objects.filter(swiss=swiss)
        .select_related("contestant")
        .annotate(penalty=Coalesce(Sum("contestant__penalties__points"), Decimal(0)))
    )
    listed = entries.prefetch_related(
        Prefetch("entrants", Entrant.objects.select_related("player").order_by("pk")),
        "contestant__players",
    ).order_by("contestant__order")
    return [
        EnteredPair(
            entry,
            entry.contestant.order,
            tuple(entrant.player for entrant in entry.entrants.all())
            or tuple(entry.contestant.players.all()),
            entry.penalty,
        )
        for entry in listed
    ]


@dataclass(frozen=True, slots=True)
class BoardAtTable:
    """A board of a round at one table: who sits there, what they say, what counts.

    `here` is the board at the table of this site where it is played.
    """

    round: Round
    table: int
    board: int
    ns: Pair
    ew: Pair
    slip: Slip | None
    result: Result | None
    here: TableBoard | None
    log: Sequence[Any]

    @property
    def is_open(self) -> bool:
        """Whether its table goes on with it."""
        return self.here is not None and self.here.state != TableBoard.State.OVER

    @property
    def seen(self) -> str:
        return state_of(self.slip, self.result)


def state_of(slip: Slip | None, result: Result | None) -> str:
    """Another one whenever what is said of a board changes, or what counts. One query."""
    counts = f"{result.pk} {last_change_of(result.pk)}" if result else "–"
    return f"{slip.version if slip else 0} {counts}"


def board_at_table(swiss: Swiss, *, number: int, table: int, board: int) -> BoardAtTable | None:
    """None when there is no such round, table or board."""
    each = Round.objects.filter(swiss=swiss, number=number).exclude(state=Round.State.PENDING).first()
    seats = dict(
        Seat.objects.filter(round__swiss=swiss, round__number=number, table=table).values_list(
            "side", "contestant_id"
        )
    )
    boards = FieldBoard.objects.filter(field=swiss.event.field_id, session=number, board__number=board)
    laid = boards.first()
    if each is None or len(seats) != 2 or laid is None:
        return None
    pairs = pairs_of(swiss.event.field_id)
    ns, ew = pairs[seats[Seat.Side.NS]], pairs[seats[Seat.Side.EW]]
    slip = Slip.objects.filter(round=each, table=table, field_board__board__number=board).first()
    log = list(slip.log.select_related("by").order_by("pk")) if slip else []
    result = Result.objects.filter(field_board=laid, ns=ns.pk, ew=ew.pk).first()
    here = boards_at_tables(laid).filter(table__subject__startswith=f"{each.pk}/{table}/")
    last = here.exclude(how=TableBoard.How.VOID).select_related("table").order_by("-pk").first()
    return BoardAtTable(each, table, board, ns, ew, slip, result, last, log)


@dataclass(frozen=True, slots=True)
class ComingEvent:
    """An event of a series that is to come; `moved` when its hour is not the series', for the clocks change."""

    swiss: Swiss
    moved: bool


@dataclass(frozen=True, slots=True)
class ListedSeries:
    """A series with its events that are to come."""

    series: Series
    title: str
    coming: list[ComingEvent]


def all_series(moment: datetime) -> list[ListedSeries]:
    """Those that go on first. Two queries."""
    events = Swiss.objects.select_related("event").order_by("starts_at")
    listed = Series.objects.prefetch_related(Prefetch("events", events)).order_by("stopped", "weekday", "pk")
    return [_listed(series, moment) for series in listed]


def _listed(series: Series, moment: datetime) -> ListedSeries:
    events = list(series.events.all())
    coming = [
        ComingEvent(swiss, swiss.starts_at.astimezone(swiss.tz).time() != series.local_time)
        for swiss in events
        if swiss.starts_at > moment and not swiss.is_over
    ]
    return ListedSeries(series, events[-1].event.title if events else "", coming)
