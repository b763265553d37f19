"""The pairs of an event and how they stand."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from itertools import groupby
from operator import itemgetter
from typing import Any

from django.db.models import Count, F, Prefetch, Q
from django.utils.translation import gettext as _

from apps.pairs.models import Event, RoundScore, Session, Standing
from apps.results.models import Contestant, FieldBoard, Member
from bridge.comparison import Method
from bridge.standings import Place


@dataclass(frozen=True, slots=True)
class Player:
    """A player as a page names him."""

    pk: int
    name: str
    country: str = ""


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
            "members__player__country",
            "members__player__user_id",
        )
    )
    pairs = {}
    for pk, members in groupby(rows, key=itemgetter(0)):
        together = list(members)
        _, order, label, direction, status, *_ = together[0]
        players = tuple(Player(row[5], row[6], row[7]) for row in together if row[5] is not None)
        own = viewer is not None and any(row[8] == viewer for row in together)
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
    if counts_vps(event):
        return _("VPs")
    return "%" if event.field.method == Method.MP else _("IMPs")


def counts_vps(event: Event) -> bool:
    """Whether the totals are victory points."""
    return runs_itself(event) and event.swiss.by_vps


def is_unsigned(event: Event) -> bool:
    """Whether the totals are written without a sign: only IMPs go below nothing."""
    return counts_vps(event) or event.field.method == Method.MP


def round_scores(event: Event, pair: Pair) -> list[RoundScore]:
    """What each round that counts brought to a pair of an event that runs itself. One query."""
    scores = RoundScore.objects.filter(round__swiss=event.pk, contestant=pair.pk)
    return list(scores.select_related("round").order_by("round__number"))


def scores_of_rounds(event: Event) -> dict[int, list[RoundScore]]:
    """What each round that counts brought, by pair; nothing for an event that is not played in rounds. One query."""
    if not runs_itself(event):
        return {}
    found: dict[int, list[RoundScore]] = {}
    scores = RoundScore.objects.filter(round__swiss=event.pk)
    for score in scores.select_related("round").order_by("round__number"):
        found.setdefault(score.contestant_id, []).append(score)
    return found


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
