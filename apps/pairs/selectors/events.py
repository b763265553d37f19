"""Questions about pairs events. What the pages show is one query each, whatever the number of rows."""

import unicodedata
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import attrgetter, itemgetter
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery, Sum
from django.db.models.functions import MD5, Coalesce, TruncDate
from django.utils.translation import gettext as _

from apps.boards.models import Board
from apps.boards.selectors import double_dummy_of
from apps.pairs.models import Event, Round, RoundScore, Session, Standing
from apps.results.models import Contestant, FieldBoard, Member, Penalty, Result
from apps.results.selectors import Change, changes_of_contestant, changes_of_field
from apps.users import models as users
from apps.users.models import name_key
from bridge.awards import Award, Ruling
from bridge.comparison import Method
from bridge.standings import Place


def unranked_events(field_id: int | None = None) -> list[int]:
    """Events whose boards were compared since they were ranked: all of them, or that of one field."""
    unranked = Event.objects.exclude(ranked_version=F("field__version"))
    if field_id is not None:
        unranked = unranked.filter(field=field_id)
    return list(unranked.values_list("pk", flat=True))


def untold_corrections() -> list[int]:
    """Corrections of the last day in published events of which a player with an account was not told."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT DISTINCT change.id
               FROM results_resultchange change
               JOIN results_result result ON result.id = change.result_id
               JOIN results_fieldboard board ON board.id = result.field_board_id
               JOIN pairs_event event ON event.field_id = board.field_id AND event.published_at <= change.at
               JOIN results_member member
                 ON member.contestant_id IN ((change.before ->> 'ns')::bigint, (change.before ->> 'ew')::bigint,
                                             (change.after ->> 'ns')::bigint, (change.after ->> 'ew')::bigint)
               JOIN users_player player ON player.id = member.player_id AND player.user_id IS NOT NULL
               WHERE change.at > now() - interval '1 day' AND NOT EXISTS (
                 SELECT FROM users_notice notice
                 WHERE notice.user_id = player.user_id AND notice.key = 'result corrected ' || change.id)
               ORDER BY change.id"""
        )
        return [change for (change,) in cursor.fetchall()]


def visible_events(user: object) -> QuerySet[Event]:
    """Published events and those announced; drafts too for those who direct."""
    events = Event.objects.select_related("field", "swiss")
    if isinstance(user, users.User) and user.directs:
        return events
    return events.exclude(state=Event.State.DRAFT)


def being_played(event: Event) -> QuerySet[Round, int]:
    """The number of the round that is being played, where there is one: its cards and results are nobody's business yet."""
    return Round.objects.filter(swiss=event.pk, state=Round.State.OPEN).values_list("number", flat=True)


def shown_results(event: Event) -> QuerySet[Result]:
    """The results of the event, without those of a round that is being played."""
    results = Result.objects.filter(field_board__field_id=event.field_id)
    return results.exclude(field_board__session__in=being_played(event))


def shown_changes(event: Event, contestant: int | None = None) -> list[Change]:
    """The corrections of the event, or of a pair, newest first, without those in a round that is being played.

    Five queries.
    """
    hidden = set(being_played(event))
    changes = changes_of_contestant(contestant) if contestant else changes_of_field(event.field_id)
    return [
        change
        for change in changes
        if not {change.before.field_board.session, change.after.field_board.session} & hidden
    ]


def versions_of(event_id: int) -> tuple[Any, ...] | None:
    """What changes whenever a page of a published event does, whoever looks; None when it is not public. One query."""
    names = (
        Member.objects.filter(contestant__field=OuterRef("field"))
        .order_by()
        .values("contestant__field")
        .annotate(names=StringAgg("player__name", "\n", order_by=("contestant__order", "position")))
    )
    boards = (
        FieldBoard.objects.filter(field=OuterRef("field"))
        .order_by()
        .values("field")
        .annotate(recorded=Sum("results_version"), solved=Count("board__par_score"))
    )
    event = Event.objects.filter(pk=event_id, state=Event.State.PUBLISHED).annotate(
        names=MD5(Subquery(names.values("names"))),
        recorded=Subquery(boards.values("recorded")),
        solved=Subquery(boards.values("solved")),
    )
    columns = (
        "field__version",
        "ranked_version",
        "published_at",
        "title",
        "organisation",
        "venue",
        "played_on",
    )
    return event.values_list(*columns, "names", "recorded", "solved").first()


# ---- the list of events

EVENTS_A_PAGE = 30


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """An event in the list, with those who won it."""

    event: Event
    day: date
    pairs: int
    boards: int
    winners: tuple[str, ...]


Keyset = tuple[date, int]


def list_events(
    events: QuerySet[Event],
    *,
    method: str = "",
    text: str = "",
    after: Keyset | None = None,
    size: int = EVENTS_A_PAGE,
) -> tuple[list[ListedEvent], Keyset | None]:
    """A page of events, newest first, and after which one the next page begins. Two queries.

    An event without a day stands under that of its publication on the site's clocks, whoever reads the list. Those that
    are only announced, or being played, are not among them.

    Args:
        events: The events the viewer may see.
        method: Only those scored by this method.
        text: Only those with this in their title, their organisation or the name of a player.
        after: Continue after the event of this day and id.
        size: How many events make a page.
    """
    done = events.exclude(state=Event.State.ANNOUNCED)
    begun = TruncDate(Coalesce("published_at", "created_at"), tzinfo=ZoneInfo(settings.TIME_ZONE))
    found = done.annotate(day=Coalesce("played_on", begun))
    if method:
        found = found.filter(field__method=method)
    if text := unicodedata.normalize("NFC", text):
        named = Member.objects.filter(
            contestant__field=OuterRef("field"), player__name_key__contains=name_key(text)
        )
        found = found.filter(Q(title__icontains=text) | Q(organisation__icontains=text) | Exists(named))
    if after:
        found = found.filter(Q(day__lt=after[0]) | Q(day=after[0], pk__lt=after[1]))
    pairs = _count(Contestant.objects.filter(field=OuterRef("field")), "field")
    boards = _count(FieldBoard.objects.filter(field=OuterRef("field")), "field")
    ordered = found.annotate(pairs=pairs, boards=boards).order_by("-day", "-pk")[: size + 1]
    page, more = list(ordered)[:size], len(ordered) > size
    winners = _winners([event.pk for event in page])
    listed = [
        ListedEvent(event, event.day, event.pairs, event.boards, tuple(winners.get(event.pk, {}).values()))
        for event in page
    ]
    return listed, (page[-1].day, page[-1].pk) if more else None


def _count(rows: QuerySet[Any], group: str) -> Coalesce:
    counted = rows.order_by().values(group).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def _winners(event_ids: Sequence[int]) -> dict[int, dict[int, str]]:
    """By event and pair the names of those who stand first."""
    first = (
        Standing.objects.filter(event__in=event_ids, session=0, rank=1)
        .order_by("event_id", "contestant__order", "contestant__members__position")
        .values_list("event_id", "contestant_id", "contestant__members__player__name")
    )
    names: dict[int, dict[int, str]] = {}
    for event, contestant, name in first:
        pair = names.setdefault(event, {})
        if name:
            pair[contestant] = f"{pair[contestant]} – {name}" if contestant in pair else name
    return names


# ---- pairs and their standings


@dataclass(frozen=True, slots=True)
class Player:
    """A player as a page names him."""

    pk: int
    name: str


@dataclass(frozen=True, slots=True)
class Pair:
    """A pair of an event with its players; `own` when the viewer is one of them."""

    pk: int
    order: int
    label: str
    direction: str
    status: str
    players: tuple[Player, ...]
    own: bool

    @property
    def names(self) -> str:
        return " – ".join(player.name for player in self.players) or self.label


def pairs_of(field_id: int, *, viewer: int | None = None) -> dict[int, Pair]:
    """All pairs of a field by id, in the order of their registration. One query.

    Args:
        field_id: The field.
        viewer: The account that looks.
    """
    rows: Iterable[tuple[Any, ...]] = (
        Contestant.objects.filter(field_id=field_id)
        .order_by("order", "members__position")
        .values_list(
            "pk",
            "order",
            "label",
            "direction",
            "status",
            "members__player_id",
            "members__player__name",
            "members__player__user_id",
        )
    )
    pairs = {}
    for pk, members in groupby(rows, key=itemgetter(0)):
        together = list(members)
        _, order, label, direction, status, *_ = together[0]
        players = tuple(Player(row[5], row[6]) for row in together if row[5] is not None)
        own = viewer is not None and any(row[7] == viewer for row in together)
        pairs[pk] = Pair(pk, order, label, direction, status, players, own)
    return pairs


@dataclass(frozen=True, slots=True)
class Head:
    """What the head of every page of an event says."""

    pairs: int
    boards: int
    compared: int
    sessions: list[Session]


def head_of(event: Event, pairs: int) -> Head:
    """Two queries. The rounds of an event that runs itself are no sessions to a reader."""
    counted = FieldBoard.objects.filter(field_id=event.field_id).aggregate(
        boards=Count("pk"), compared=Count("pk", filter=Q(compared_version=F("results_version")))
    )
    sessions = [] if runs_itself(event) else list(event.sessions.order_by("number"))
    return Head(pairs, counted["boards"], counted["compared"], sessions)


def runs_itself(event: Event) -> bool:
    """Whether the event is played by the clock, in rounds that have boards of their own."""
    return hasattr(event, "swiss")


def unit_of(event: Event) -> str:
    """What the totals of the event are counted in."""
    if runs_itself(event) and event.swiss.by_vps:
        return _("VPs")
    return "%" if event.field.method == Method.MP else _("IMPs")


def round_scores(event: Event, pair: Pair) -> list[RoundScore]:
    """What each round that counts brought to a pair of an event that runs itself. One query."""
    scores = RoundScore.objects.filter(round__swiss=event.pk, contestant=pair.pk)
    return list(scores.select_related("round").order_by("round__number"))


def ranked_sessions(event: Event, sessions: Sequence[Session]) -> list[int]:
    """The sessions that have ranking lists of their own: all, when there are several and they are not rounds."""
    return [] if runs_itself(event) or len(sessions) < 2 else [session.number for session in sessions]


@dataclass(frozen=True, slots=True)
class Line:
    """A line of a ranking list. `sessions` holds the pair's score in each session, when there are several."""

    pair: Pair
    rank: int | None
    tied: bool
    boards: int
    score: Fraction
    total: Fraction
    penalty: Decimal
    masterpoints: Decimal
    sessions: tuple[Fraction | None, ...] = ()

    @property
    def place(self) -> str:
        return str(Place(self.rank, self.tied))


@dataclass(frozen=True, slots=True)
class RankingList:
    """One ranking list: of a direction, or of everybody (direction empty)."""

    direction: str
    ranked: list[Line]
    unranked: list[Line]

    @property
    def lines(self) -> list[Line]:
        return [*self.ranked, *self.unranked]


_STANDING = (
    "session",
    "contestant_id",
    "rank",
    "tied",
    "boards",
    "score_numerator",
    "score_denominator",
    "total_numerator",
    "total_denominator",
    "penalty",
    "masterpoints",
)


def ranking_lists(
    event: Event, pairs: dict[int, Pair], *, session: int = 0, sessions: Sequence[int] = ()
) -> list[RankingList]:
    """The ranking lists of the event (`session` 0) or of one session: one, or two when two pairs win. One query.

    Args:
        event: The event.
        pairs: Its pairs by id.
        session: Whose lists.
        sessions: The sessions whose scores stand beside the total.
    """
    standings = Standing.objects.filter(event=event, session__in={session, *sessions})
    rows = list(standings.order_by("session", "position").values_list(*_STANDING))
    by_session = {(row[0], row[1]): Fraction(row[5], row[6]) for row in rows}
    lists: dict[str, RankingList] = {}
    for number, contestant, rank, tied, boards, score, score_of, total, total_of, penalty, points in rows:
        if number != session:
            continue
        pair = pairs[contestant]
        beside = tuple(by_session.get((each, contestant)) for each in sessions)
        line = Line(
            pair,
            rank,
            tied,
            boards,
            Fraction(score, score_of),
            Fraction(total, total_of),
            penalty,
            points,
            beside,
        )
        direction = pair.direction if event.winners == 2 else ""
        ranking = lists.setdefault(direction, RankingList(direction, [], []))
        (ranking.unranked if rank is None else ranking.ranked).append(line)
    return [lists[direction] for direction in ("", "NS", "EW") if direction in lists]


def ranking(event: Event) -> list[Standing]:
    """The overall standings in order, with the pairs and their players at hand. Three queries."""
    standings = event.standings.filter(session=0).select_related("contestant").order_by("position")
    members = Member.objects.select_related("player")
    return list(standings.prefetch_related(Prefetch("contestant__members", members)))


# ---- results with their points


@dataclass(frozen=True, slots=True)
class Row:
    """What happened at one table on one board, and the points it gave."""

    pk: int
    field_board: int
    session: int
    number: int
    ns: int
    ew: int
    round: int | None
    table: str
    kind: str
    level: int | None
    strain: str
    doubling: int
    declarer: str
    tricks: int | None
    lead: str
    ns_score: int | None
    ruling: Ruling | None
    ns_points: Fraction | None
    ew_points: Fraction | None
    dropped: bool
    top: Fraction | None
    datum: int | None

    @property
    def ns_percent(self) -> Fraction | None:
        return _percent(self.ns_points, self.top)

    @property
    def ew_percent(self) -> Fraction | None:
        return _percent(self.ew_points, self.top)

    @property
    def ew_score(self) -> int | None:
        return None if self.ns_score is None else -self.ns_score


def _percent(points: Fraction | None, top: Fraction | None) -> Fraction | None:
    return 100 * points / top if points is not None and top else None


_COLUMNS = (
    "pk", "field_board_id", "field_board__session", "field_board__board__number", "ns_id", "ew_id", "round", "table",
    "kind", "level", "strain", "doubling", "declarer", "tricks", "lead", "ns_score", "ruling",
)  # fmt: skip


_POINTS = """
    SELECT at.result, comparison.ns_points[at.place], comparison.ew_points[at.place],
           comparison.dropped[at.place], comparison.denominator, comparison.top, comparison.datum
    FROM results_comparison comparison
    CROSS JOIN LATERAL unnest(comparison.results) WITH ORDINALITY AS at(result, place)
    WHERE comparison.field_board_id = ANY(%s) AND at.result = ANY(%s)
"""


def _rows(results: QuerySet[Result]) -> list[Row]:
    found: list[tuple[Any, ...]] = list(results.values_list(*_COLUMNS))
    with connection.cursor() as cursor:
        cursor.execute(_POINTS, [[columns[1] for columns in found], [columns[0] for columns in found]])
        points = {columns[0]: columns[1:] for columns in cursor.fetchall()}
    rows = []
    for *facts, ruling in found:
        ns, ew, dropped, over, top, datum = points.get(facts[0], (None, None, False, 1, None, None))
        columns: tuple[Any, ...] = (
            *facts,
            Ruling.from_json(ruling) if ruling else None,
            None if ns is None else Fraction(ns, over),
            None if ew is None else Fraction(ew, over),
            dropped,
            None if top is None else Fraction(top, over),
            datum,
        )
        rows.append(Row(*columns))
    return rows


# ---- travellers


Entry = tuple[Row, Pair, Pair]  # what happened, North–South, East–West


@dataclass(frozen=True, slots=True)
class Traveller:
    """What everybody did on one board: by North–South's score from high to low, then what has none.

    Attributes:
        parts: The entries above the datum and those below it; one part when there is no datum.
        counted, kept, dropped: How many results count, and how many of them the datum takes in and leaves out.
        longest: The most points that one result got, for the bars.
        expected: How many results the points are scaled to.
    """

    entries: list[Entry]
    parts: list[list[Entry]]
    datum: int | None
    counted: int
    kept: int
    dropped: int
    longest: Fraction
    expected: int
    is_short: bool
    has_leads: bool
    has_rulings: bool
    own_entry: Entry | None


_HIGH_TO_LOW = (F("ns_score").desc(nulls_last=True), "pk")


def traveller_of(event: Event, pairs: dict[int, Pair], field_board_id: int) -> Traveller:
    """The traveller of one board. Two queries."""
    results = shown_results(event).filter(field_board_id=field_board_id)
    return _traveller(event, pairs, _rows(results.order_by(*_HIGH_TO_LOW)))


def travellers_of(event: Event, pairs: dict[int, Pair]) -> dict[int, Traveller]:
    """The travellers of all boards of the event that have results, by field board. Two queries."""
    rows = _rows(shown_results(event).order_by("field_board_id", *_HIGH_TO_LOW))
    return {
        field_board: _traveller(event, pairs, list(together))
        for field_board, together in groupby(rows, key=attrgetter("field_board"))
    }


def _traveller(event: Event, pairs: dict[int, Pair], rows: list[Row]) -> Traveller:
    entries = [(row, pairs[row.ns], pairs[row.ew]) for row in rows]
    counted = [row for row in rows if row.ns_points is not None]
    datum = next((row.datum for row in counted), None)
    top = next((row.top for row in counted), None)
    above = sum(row.ns_score is not None and row.ns_score >= (datum or 0) for row in rows)
    expected = int(top) // 2 + 1 if top is not None else len(counted)
    return Traveller(
        entries=entries,
        parts=[entries] if datum is None else [entries[:above], entries[above:]],
        datum=datum,
        counted=len(counted),
        kept=sum(not row.dropped and row.ns_score is not None for row in counted),
        dropped=sum(row.dropped for row in counted),
        longest=max(
            (abs(row.ns_points) for row in counted if row.ns_points is not None), default=Fraction(0)
        ),
        expected=expected,
        is_short=event.field.neuberg and len(counted) < expected,
        has_leads=any(row.lead for row in rows),
        has_rulings=any(row.ruling for row in rows),
        own_entry=next((each for each in entries if each[1].own or each[2].own), None),
    )


# ---- a pair's score card


def _percent_of(lines: Iterable["CardLine"]) -> Fraction | None:
    counted = [(line.points, line.row.top) for line in lines if line.points is not None and line.row.top]
    tops = sum(top for _, top in counted)
    return 100 * sum((points for points, _ in counted), Fraction(0)) / tops if tops else None


@dataclass(frozen=True, slots=True)
class CardLine:
    """A board on a score card, from the pair's side; `running` is the total so far."""

    row: Row
    is_ns: bool
    score: int | None
    points: Fraction | None
    percent: Fraction | None
    running: Fraction

    @property
    def award(self) -> Award | None:
        ruling = self.row.ruling
        if ruling is None:
            return None
        return ruling.ns if self.is_ns else ruling.ew


@dataclass(frozen=True, slots=True)
class Meeting:
    """The boards that a pair played in a row against the same opponents."""

    round: int | None
    opponents: Pair
    lines: list[CardLine]

    @property
    def points(self) -> Fraction:
        return sum((line.points for line in self.lines if line.points is not None), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


@dataclass(frozen=True, slots=True)
class SitOut:
    """A round that others played and this pair did not.

    Attributes:
        boards: Those it missed, where that can be told.
        gone: Whether it had withdrawn by then.
    """

    round: int
    boards: list[int]
    gone: bool


@dataclass(frozen=True, slots=True)
class CardSession:
    """A session on a score card: its rounds in order, what was taken off, and the sums."""

    number: int
    rounds: list[Meeting | SitOut]
    penalties: list[Penalty]

    @property
    def meetings(self) -> list[Meeting]:
        return [each for each in self.rounds if isinstance(each, Meeting)]

    @property
    def lines(self) -> list[CardLine]:
        return [line for meeting in self.meetings for line in meeting.lines]

    @property
    def boards(self) -> int:
        """How many boards gave points."""
        return sum(line.points is not None for line in self.lines)

    @property
    def points(self) -> Fraction:
        """What the boards gave, before penalties."""
        return sum((meeting.points for meeting in self.meetings), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


@dataclass(frozen=True, slots=True)
class ScoreCard:
    """What a pair did in an event."""

    sessions: list[CardSession]

    @property
    def meetings(self) -> list[Meeting]:
        return [meeting for session in self.sessions for meeting in session.meetings]

    @property
    def lines(self) -> list[CardLine]:
        return [line for session in self.sessions for line in session.lines]

    @property
    def penalties(self) -> list[Penalty]:
        return [penalty for session in self.sessions for penalty in session.penalties]

    @property
    def boards(self) -> int:
        return sum(session.boards for session in self.sessions)

    @property
    def points(self) -> Fraction:
        """What the boards gave, before penalties."""
        return sum((session.points for session in self.sessions), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        return _percent_of(self.lines)


def score_card(event: Event, pair: Pair, pairs: dict[int, Pair]) -> ScoreCard:
    """What a pair did, session by session and round by round, with the rounds it sat out. Four queries."""
    results = shown_results(event).filter(Q(ns=pair.pk) | Q(ew=pair.pk))
    rows = _rows(results.order_by("field_board__session", "round", "field_board__board__number"))
    met: dict[int, list[Meeting]] = {}
    running = Fraction(0)
    for row in rows:
        is_ns = row.ns == pair.pk
        points = row.ns_points if is_ns else row.ew_points
        running += points or 0
        opponents = pairs[row.ew if is_ns else row.ns]
        meetings = met.setdefault(row.session, [])
        if not meetings or (meetings[-1].round, meetings[-1].opponents.pk) != (row.round, opponents.pk):
            meetings.append(Meeting(row.round, opponents, []))
        score, percent = (row.ns_score, row.ns_percent) if is_ns else (row.ew_score, row.ew_percent)
        meetings[-1].lines.append(CardLine(row, is_ns, score, points, percent, running))
    penalties: dict[int, list[Penalty]] = {}
    for penalty in Penalty.objects.filter(contestant=pair.pk).order_by("session", "pk"):
        penalties.setdefault(penalty.session, []).append(penalty)
    in_rounds = _boards_in_rounds(event)
    return ScoreCard(
        [
            CardSession(
                session,
                _with_sit_outs(met.get(session, []), in_rounds.get(session, {}), pair),
                penalties.get(session, []),
            )
            for session in sorted({*met, *penalties})
        ]
    )


def _boards_in_rounds(event: Event) -> dict[int, dict[int, set[int]]]:
    """By session and round the numbers of the boards that were on the tables. One query."""
    results = shown_results(event).filter(round__isnull=False)
    boards: dict[int, dict[int, set[int]]] = {}
    for session, number, board in results.values_list(
        "field_board__session", "round", "field_board__board__number"
    ).distinct():
        boards.setdefault(session, {}).setdefault(number or 0, set()).add(board)
    return boards


def _with_sit_outs(
    meetings: list[Meeting], in_rounds: dict[int, set[int]], pair: Pair
) -> list[Meeting | SitOut]:
    """The rounds of a session in order. Where a round of some meeting is not known, no sit-out can be told."""
    played = {meeting.round or 0 for meeting in meetings}
    if not played or 0 in played:
        return [*meetings]
    seen = {line.row.number for meeting in meetings for line in meeting.lines}
    size = max(len(meeting.lines) for meeting in meetings)
    rounds: list[Meeting | SitOut] = [*meetings]
    for number in in_rounds.keys() - played:
        missed = sorted(in_rounds[number] - seen)
        gone = pair.status != Contestant.Status.ACTIVE and number > max(played)
        rounds.append(SitOut(number, missed if len(missed) <= size else [], gone))
    return sorted(rounds, key=lambda each: each.round or 0)


@dataclass(frozen=True, slots=True)
class Role:
    """How a pair fared in one role: points a board, or percent."""

    boards: int
    average: Fraction


def by_role(meetings: Iterable[Meeting]) -> dict[str, Role]:
    """The average as the declaring side and as the defending one, where the declarer is known."""
    values: dict[str, list[Fraction]] = {"declaring": [], "defending": []}
    for line in (line for meeting in meetings for line in meeting.lines):
        value = line.points if line.percent is None else line.percent
        if line.row.declarer and value is not None:
            declares = (line.row.declarer in "NS") == line.is_ns
            values["declaring" if declares else "defending"].append(value)
    return {
        role: Role(len(each), sum(each, Fraction(0)) / len(each)) for role, each in values.items() if each
    }


# ---- boards


@dataclass(frozen=True, slots=True)
class BoardPlace:
    """A board of an event: its place in the field, its cards, how many tricks can be made with them."""

    field_board: int
    session: int
    board: Board
    is_compared: bool
    tricks: str | None


def boards_of(event: Event, *, with_tricks: bool = True) -> list[BoardPlace]:
    """All boards of the event in order, without those of a round that is being played. One query, two with the tricks."""
    places = list(
        FieldBoard.objects.filter(field_id=event.field_id)
        .exclude(session__in=being_played(event))
        .select_related("board")
        .order_by("session", "board__number")
    )
    tricks = double_dummy_of(place.board.deal for place in places) if with_tricks else {}
    return [
        BoardPlace(
            place.pk,
            place.session,
            place.board,
            place.compared_version == place.results_version,
            tricks.get(place.board.deal),
        )
        for place in places
    ]


@dataclass(frozen=True, slots=True)
class WholeEvent:
    """All that is known of an event, for a file. `travellers` are by field board; boards without results have none."""

    event: Event
    pairs: dict[int, Pair]
    sessions: list[Session]
    lists: list[RankingList]
    places: list[BoardPlace]
    travellers: dict[int, Traveller]

    def entries(self, place: BoardPlace) -> list[Entry]:
        traveller = self.travellers.get(place.field_board)
        return traveller.entries if traveller else []


def whole_event(event: Event) -> WholeEvent:
    """Seven queries."""
    pairs = pairs_of(event.field_id)
    sessions = list(event.sessions.order_by("number"))
    several = ranked_sessions(event, sessions)
    return WholeEvent(
        event,
        pairs,
        sessions,
        ranking_lists(event, pairs, sessions=several),
        boards_of(event),
        travellers_of(event, pairs),
    )


# ---- the cross-table


@dataclass(frozen=True, slots=True)
class Encounter:
    """What one pair scored against another in all their boards."""

    boards: int
    points: Fraction
    top: Fraction

    @property
    def percent(self) -> Fraction | None:
        return _percent(self.points, self.top)


@dataclass(frozen=True, slots=True)
class CrossRow:
    """A pair's line: what it scored against each of the columns, None where they did not meet."""

    line: Line
    cells: list[Encounter | None]


@dataclass(frozen=True, slots=True)
class CrossTable:
    """Who scored what against whom: rows of one ranking list, columns in the order of the standings."""

    direction: str
    columns: list[Pair]
    rows: list[CrossRow]


MOST_CELLS = 8_000  # more are no table that anybody reads


def has_cross_table(event: Event, pairs: int) -> bool:
    """Whether the cross-tables of so many pairs are small enough to be shown."""
    return pairs * pairs // event.winners <= MOST_CELLS


_ENCOUNTERS = """
    SELECT result.ns_id, result.ew_id, comparison.denominator, count(*), sum(points.ns)::bigint, sum(points.ew)::bigint,
           sum(coalesce(comparison.top, 0))::bigint
    FROM results_fieldboard board
    JOIN results_comparison comparison ON comparison.field_board_id = board.id
    CROSS JOIN unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS points(result, ns, ew)
    JOIN results_result result ON result.id = points.result
    WHERE board.field_id = %s AND board.session <> ALL(%s)
    GROUP BY result.ns_id, result.ew_id, comparison.denominator
"""


def cross_tables(event: Event, lists: Sequence[RankingList]) -> list[CrossTable]:
    """For each ranking list what its pairs scored against each opponent. Two queries."""
    met: dict[tuple[int, int], Encounter] = {}
    with connection.cursor() as cursor:
        cursor.execute(_ENCOUNTERS, [event.field_id, list(being_played(event))])
        for ns, ew, over, boards, ns_points, ew_points, top in cursor.fetchall():
            for pair, opponent, points in ((ns, ew, ns_points), (ew, ns, ew_points)):
                before = met.get((pair, opponent), Encounter(0, Fraction(0), Fraction(0)))
                met[pair, opponent] = Encounter(
                    before.boards + boards,
                    before.points + Fraction(points, over),
                    before.top + Fraction(top, over),
                )
    everybody = [line.pair for ranking in lists for line in ranking.lines]
    tables = []
    for ranking in lists:
        own = {line.pair.pk for line in ranking.lines}
        opponents = {opponent for pair, opponent in met if pair in own}
        columns = [pair for pair in everybody if pair.pk in opponents]
        rows = [
            CrossRow(line, [met.get((line.pair.pk, column.pk)) for column in columns])
            for line in ranking.lines
        ]
        tables.append(CrossTable(ranking.direction, columns, rows))
    return tables


# ---- what the director decided


@dataclass(frozen=True, slots=True)
class Decision:
    """A result that the director adjusted, and the reason, when it was given here."""

    row: Row
    ns: Pair
    ew: Pair
    reason: str


def rulings_of(event: Event, pairs: dict[int, Pair], changes: Sequence[Change]) -> list[Decision]:
    """The adjusted scores of the event by board, with the reasons found in the `changes`, newest first. Two queries."""
    reasons = {change.after.pk: change.reason for change in reversed(changes) if change.after.ruling}
    results = shown_results(event).filter(kind=Result.Kind.RULED)
    rows = _rows(results.order_by("field_board__session", "field_board__board__number", "pk"))
    return [Decision(row, pairs[row.ns], pairs[row.ew], reasons.get(row.pk, "")) for row in rows]


def penalties_of(event: Event, pairs: dict[int, Pair]) -> list[tuple[Pair, Penalty]]:
    """The penalties of the event, each with its pair. One query."""
    penalties = Penalty.objects.filter(contestant__field_id=event.field_id)
    return [
        (pairs[each.contestant_id], each) for each in penalties.order_by("session", "contestant__order", "pk")
    ]
