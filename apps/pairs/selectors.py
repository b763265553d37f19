"""Questions about pairs events. What the pages show is one query each, whatever the number of rows."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Prefetch, Q, QuerySet, Subquery
from django.db.models.functions import Coalesce, TruncDate

from apps.boards.models import Board
from apps.boards.selectors import double_dummy_of
from apps.pairs.models import Event, Session, Standing
from apps.results.models import Contestant, FieldBoard, Member, Result
from apps.users import models as users
from apps.users.models import name_key
from bridge.awards import Award, Ruling
from bridge.standings import Place


def events_of_field(field_id: int) -> list[int]:
    """The event that this field belongs to: one id, or none."""
    return list(Event.objects.filter(field_id=field_id).values_list("pk", flat=True))


def unranked_events() -> list[int]:
    """Events whose boards were compared since they were ranked."""
    return list(Event.objects.exclude(ranked_version=F("field__version")).values_list("pk", flat=True))


def visible_events(user: object) -> QuerySet[Event]:
    """Published events; drafts too for those who direct."""
    events = Event.objects.select_related("field")
    if isinstance(user, users.User) and user.directs:
        return events
    return events.filter(state=Event.State.PUBLISHED)


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

    Args:
        events: The events the viewer may see.
        method: Only those scored by this method.
        text: Only those with this in their title, their organisation or the name of a player.
        after: Continue after the event of this day and id.
        size: How many events make a page.
    """
    found = events.annotate(day=Coalesce("played_on", TruncDate("created_at")))
    if method:
        found = found.filter(field__method=method)
    if text:
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
    """Two queries."""
    counted = FieldBoard.objects.filter(field_id=event.field_id).aggregate(
        boards=Count("pk"), compared=Count("pk", filter=Q(compared_version=F("results_version")))
    )
    return Head(pairs, counted["boards"], counted["compared"], list(event.sessions.order_by("number")))


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
    "pk", "field_board__session", "field_board__board__number", "ns_id", "ew_id", "round", "table", "kind", "level",
    "strain", "doubling", "declarer", "tricks", "lead", "ns_score", "ruling", "field_board_id",
)  # fmt: skip


def rows_of_board(field_board_id: int) -> list[Row]:
    """The traveller of a board: by North–South's score from high to low, then what has none. Two queries."""
    results = Result.objects.filter(field_board_id=field_board_id)
    return _rows(results.order_by(F("ns_score").desc(nulls_last=True), "pk"))


def rows_of_pair(contestant_id: int) -> list[Row]:
    """The results of a pair in the order they were played. Two queries."""
    results = Result.objects.filter(Q(ns=contestant_id) | Q(ew=contestant_id))
    return _rows(results.order_by("field_board__session", "round", "field_board__board__number"))


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
        cursor.execute(_POINTS, [[columns[-1] for columns in found], [columns[0] for columns in found]])
        points = {columns[0]: columns[1:] for columns in cursor.fetchall()}
    rows = []
    for *facts, ruling, _field_board in found:
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


# ---- a pair's score card


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

    session: int
    round: int | None
    opponents: Pair
    lines: list[CardLine]

    @property
    def points(self) -> Fraction:
        return sum((line.points for line in self.lines if line.points is not None), Fraction(0))

    @property
    def percent(self) -> Fraction | None:
        counted = [line.row.top for line in self.lines if line.points is not None and line.row.top]
        return 100 * self.points / sum(counted) if counted else None


def score_card(pair: Pair, pairs: dict[int, Pair]) -> list[Meeting]:
    """What a pair did, meeting by meeting. Two queries."""
    meetings: list[Meeting] = []
    running = Fraction(0)
    for row in rows_of_pair(pair.pk):
        is_ns = row.ns == pair.pk
        points = row.ns_points if is_ns else row.ew_points
        running += points or 0
        opponents = pairs[row.ew if is_ns else row.ns]
        met = (row.session, row.round, opponents.pk)
        if not meetings or (meetings[-1].session, meetings[-1].round, meetings[-1].opponents.pk) != met:
            meetings.append(Meeting(row.session, row.round, opponents, []))
        meetings[-1].lines.append(
            CardLine(
                row,
                is_ns,
                row.ns_score if is_ns else row.ew_score,
                points,
                row.ns_percent if is_ns else row.ew_percent,
                running,
            )
        )
    return meetings


@dataclass(frozen=True, slots=True)
class Role:
    """How a pair fared in one role: points a board, or percent."""

    boards: int
    average: Fraction


def by_role(meetings: Sequence[Meeting]) -> dict[str, Role]:
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
    """All boards of the event in order. One query, two with the tricks."""
    places = list(
        FieldBoard.objects.filter(field_id=event.field_id)
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
