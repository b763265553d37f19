"""Questions that several apps answer together."""

import shutil
from collections.abc import Callable, Hashable, Iterable
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal
from fractions import Fraction

import redis
from django.conf import settings
from django.core.cache import cache
from django.db import DatabaseError, connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum, TextChoices
from django.db.models.functions import Coalesce
from django.utils import timezone
from django.utils.translation import gettext_lazy as _
from redis.backoff import NoBackoff
from redis.retry import Retry

from apps.boards.models import Board
from apps.clock.models import Outage
from apps.clock.selectors import OUTAGE, half_sent, late_work, pulse_age, stuck_work, unsent
from apps.clock.time import now
from apps.masterpoints.models import Award
from apps.pairs.models import Event, Standing
from apps.pairs.selectors import unranked_events
from apps.results.models import Field, FieldBoard, Member
from apps.users.models import Player, name_key
from bridge.masterpoints import Title, title


def known_players() -> QuerySet[Player]:
    """Players whom everybody may know of: with an account, or in a published event. A draft's names stay with it.

    Guests and house robots are not among them.
    """
    published = Member.objects.filter(
        player=OuterRef("pk"), contestant__field__event__state=Event.State.PUBLISHED
    )
    return Player.objects.filter(Q(user__is_guest=False) | Exists(published))


def find_players(*, text: str = "", after: int | None = None, size: int) -> list[Player]:
    """A page of players by name, each with the number of his published `events`. One query, along an index.

    Args:
        text: Only players whose name has these letters.
        after: Continue after this player.
        size: How many players make a page.
    """
    published = (
        Member.objects.filter(player=OuterRef("pk"), contestant__field__event__state=Event.State.PUBLISHED)
        .order_by()
        .values("player")
        .annotate(number=Count("pk"))
        .values("number")
    )
    players = known_players().annotate(events=Coalesce(Subquery(published), 0))
    if text:
        players = players.filter(name_key__contains=name_key(text))
    if after is not None:
        start = Player.objects.filter(pk=after).values("name_key")
        players = players.filter(Q(name_key__gt=Subquery(start)) | Q(name_key=Subquery(start), pk__gt=after))
    return list(players.order_by("name_key", "pk")[:size])


# ---- a player's page

EVENTS_A_PAGE = 25
PARTNERS_SHOWN = 50


class Unit(TextChoices):
    """In what a player's averages are told: methods that count in one unit are averaged together, others never."""

    PERCENT = "%", "%"
    IMPS = "IMP", _("IMPs")
    TOTAL_IMPS = "total IMP", _("total IMPs")


UNITS = {
    Field.Method.MP: Unit.PERCENT,
    Field.Method.BUTLER: Unit.IMPS,
    Field.Method.CROSS_IMP: Unit.IMPS,
    Field.Method.TOTAL_IMP: Unit.TOTAL_IMPS,
}


class Role(TextChoices):
    """What a player was on a board. Where nobody wrote down who sat in which seat, only his side is known."""

    DECLARER = "declarer", _("declarer")
    DUMMY = "dummy", _("dummy")
    LEADER = "leader", _("on lead")
    PARTNER = "partner", _("partner of the leader")
    DECLARING = "declaring", _("declaring side, seat not recorded")
    DEFENDING = "defending", _("defending side, seat not recorded")


@dataclass(frozen=True, slots=True)
class Average:
    """So many boards and what they brought a board."""

    unit: Unit
    boards: int
    points: Fraction


@dataclass(frozen=True, slots=True)
class Figures:
    """Averages of one role: one for each unit that the player's events use, None where there are no boards."""

    label: str
    averages: tuple[Average | None, ...]

    @property
    def boards(self) -> int:
        return sum(average.boards for average in self.averages if average)


@dataclass(frozen=True, slots=True)
class Partnership:
    """What two players did together."""

    pk: int
    name: str
    events: int
    since: date | None
    until: date | None
    averages: tuple[Average | None, ...]

    @property
    def boards(self) -> int:
        return sum(average.boards for average in self.averages if average)


@dataclass(frozen=True, slots=True)
class Career:
    """What a player's page shows."""

    points: Decimal
    title: Title
    events: int
    boards: int
    standings: list[Standing]
    best: list[Standing]
    units: list[Unit]
    methods: list[tuple[str, Average]]
    roles: list[Figures]
    partners: int
    partnerships: list[Partnership]


def career(player: Player, *, page: int = 1) -> Career:
    """Events, partners, averages and master points of a player. Eight queries, whatever he played."""
    points = Award.objects.filter(player=player).aggregate(sum=Sum("points"))["sum"] or Decimal(0)
    standings = _standings(player)
    shown = (
        standings.select_related("event__field", "contestant")
        .prefetch_related("contestant__members__player")
        .order_by("-event__played_on", "-event_id")[(page - 1) * EVENTS_A_PAGE : page * EVENTS_A_PAGE]
    )
    tally = _tally(player)
    units = [unit for unit in Unit if any(UNITS[row.method] is unit for row in tally)]
    partners = _partners(player)
    by_role, by_partner = _averages(tally, lambda row: row.role), _averages(tally, lambda row: row.partner)
    return Career(
        points=points,
        title=title(points),
        events=standings.count(),
        boards=sum(row.boards for row in tally),
        standings=list(shown),
        best=_best(standings, 5),
        units=units,
        methods=[
            (str(method.label), average)
            for method in Field.Method
            if (average := _averages(tally, lambda row: row.method).get((method, UNITS[method])))
        ],
        roles=[
            Figures(str(role.label), tuple(by_role.get((role, unit)) for unit in units))
            for role in Role
            if any((role, unit) in by_role for unit in units)
        ],
        partners=partners[0][-1] if partners else 0,
        partnerships=[
            Partnership(pk, name, events, since, until, tuple(by_partner.get((pk, unit)) for unit in units))
            for pk, name, events, since, until, _all in partners
        ],
    )


def _standings(player: Player) -> QuerySet[Standing]:
    return Standing.objects.filter(
        session=0, contestant__members__player=player, event__state=Event.State.PUBLISHED
    )


def _best(standings: QuerySet[Standing], limit: int) -> list[Standing]:
    """The best places, each with the number of pairs that were ranked there (`among`)."""
    ranked = (
        Standing.objects.filter(event=OuterRef("event"), session=0, rank__isnull=False)
        .filter(Q(event__winners=1) | Q(contestant__direction=OuterRef("contestant__direction")))
        .order_by()
        .values("event")
        .annotate(number=Count("pk"))
        .values("number")
    )
    best = standings.filter(rank__isnull=False).select_related("event__field", "contestant")
    return list(best.annotate(among=Subquery(ranked)).order_by("rank", "-masterpoints", "-event_id")[:limit])


@dataclass(frozen=True, slots=True)
class _Tally:
    """Boards of one kind that have one top and one denominator, and the sum of their points."""

    method: Field.Method
    role: str
    partner: int | None
    top: int | None
    denominator: int
    boards: int
    points: int


_TALLY = """
    WITH mine AS MATERIALIZED (
      SELECT member.contestant_id, field.method,
             array_agg(other.player_id) FILTER (WHERE other.player_id IS NOT NULL) AS partners
      FROM results_member member
      JOIN results_contestant contestant ON contestant.id = member.contestant_id
      JOIN results_field field ON field.id = contestant.field_id
      JOIN pairs_event event ON event.field_id = field.id AND event.state = 'published'
      LEFT JOIN results_member other
        ON other.contestant_id = member.contestant_id AND other.player_id <> member.player_id
      WHERE member.player_id = %(player)s
      GROUP BY member.contestant_id, field.method
    ),
    scored AS MATERIALIZED (
      SELECT mine.method, mine.partners, played.*, points.*
      FROM mine
      CROSS JOIN LATERAL (
        SELECT id, field_board_id, kind, declarer, true AS is_ns, north_id AS one, south_id AS other, 0 AS seat
        FROM results_result WHERE ns_id = mine.contestant_id
        UNION ALL
        SELECT id, field_board_id, kind, declarer, false, east_id, west_id, 1
        FROM results_result WHERE ew_id = mine.contestant_id
      ) AS played
      CROSS JOIN LATERAL (
        SELECT (CASE WHEN is_ns THEN ns_points ELSE ew_points END)[array_position(results, played.id)] AS points,
               top, denominator
        FROM results_comparison WHERE field_board_id = played.field_board_id LIMIT 1
      ) AS points
    )
    SELECT method,
           CASE WHEN kind <> 'played' OR declarer = '' THEN ''
             ELSE coalesce(
               CASE (CASE %(player)s WHEN one THEN seat WHEN other THEN seat + 2 END
                     - strpos('NESW', declarer) + 5) %% 4
                 WHEN 0 THEN 'declarer' WHEN 1 THEN 'leader' WHEN 2 THEN 'dummy' WHEN 3 THEN 'partner' END,
               CASE WHEN (declarer IN ('N', 'S')) = is_ns THEN 'declaring' ELSE 'defending' END)
           END AS role,
           CASE %(player)s WHEN one THEN other WHEN other THEN one
             ELSE CASE WHEN cardinality(partners) = 1 THEN partners[1] END END AS partner,
           top, denominator, count(*), sum(points)::bigint
    FROM scored
    WHERE points IS NOT NULL AND (one IS NULL OR other IS NULL OR %(player)s IN (one, other))
    GROUP BY 1, 2, 3, 4, 5
"""


def _tally(player: Player) -> list[_Tally]:
    """What a player scored, summed in the database. One query."""
    with connection.cursor() as cursor:
        cursor.execute(_TALLY, {"player": player.pk})
        return [_Tally(Field.Method(method), *rest) for method, *rest in cursor.fetchall()]


def _averages(
    tally: Iterable[_Tally], kind: Callable[[_Tally], Hashable]
) -> dict[tuple[Hashable, Unit], Average]:
    """Exact averages by kind and unit. A board that has no top, for it has one result, has no percentage."""
    boards: dict[tuple[Hashable, Unit], int] = {}
    sums: dict[tuple[Hashable, Unit], dict[int, int]] = {}  # points by what they are out of
    for row in tally:
        unit = UNITS[row.method]
        over = row.top if unit is Unit.PERCENT else row.denominator
        if over:
            key = kind(row), unit
            boards[key] = boards.get(key, 0) + row.boards
            own = sums.setdefault(key, {})
            own[over] = own.get(over, 0) + row.points * (100 if unit is Unit.PERCENT else 1)
    return {
        key: Average(key[1], boards[key], sum(map(Fraction, own.values(), own), Fraction(0)) / boards[key])
        for key, own in sums.items()
    }


def _partners(player: Player) -> list[tuple[int, str, int, date | None, date | None, int]]:
    """With whom a player played most: id, name, events, first and last day, and how many partners there are in all."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT player.id, player.name, count(*), min(event.played_on), max(event.played_on), count(*) OVER ()
               FROM results_member member
               JOIN results_member other
                 ON other.contestant_id = member.contestant_id AND other.player_id <> member.player_id
               JOIN users_player player ON player.id = other.player_id
               JOIN results_contestant contestant ON contestant.id = member.contestant_id
               JOIN pairs_event event ON event.field_id = contestant.field_id AND event.state = 'published'
               WHERE member.player_id = %s
               GROUP BY player.id ORDER BY 3 DESC, player.name_key, player.id LIMIT %s""",
            [player.pk, PARTNERS_SHOWN],
        )
        return list(cursor.fetchall())


def latest_standings(player: Player, limit: int) -> list[Standing]:
    """The player's places in the newest published events."""
    newest = _standings(player).order_by("-event__played_on", "-event_id")
    return list(newest.select_related("event__field", "contestant")[:limit])


# ---- the state of the site


STALE_BOARD = timedelta(minutes=2)  # how long a board may wait for its comparison before the site says so
SILENT_WORKER = timedelta(minutes=2)  # how long a worker may not be heard of
LATE = 30  # seconds that due work may be late
REMEMBERED = timedelta(days=7)  # how long the site speaks of what went wrong and cannot be mended any more
DISK_LOW = 2**30  # bytes
REDIS_PATIENCE = 1  # seconds; the health page itself must answer
QUEUES = ("datum", "solver")


@dataclass(frozen=True, slots=True)
class Clock:
    """Whether what is due is done.

    Attributes:
        pulse_age: Seconds since a clock was last seen going; None when there never was one.
        late: Pieces of work that should have been done half a minute ago.
        stuck: Pieces of work of the last week that failed so often that they wait for a person.
        unsent: Messages that wait for longer than a minute.
        half_sent: Messages of the last week of which nobody knows whether they left the house.
        unhandled_outages: Interruptions of the last week after which the time could not be given back.
    """

    pulse_age: int | None
    late: int
    stuck: int
    unsent: int
    half_sent: int
    unhandled_outages: int

    @property
    def is_going(self) -> bool:
        return self.pulse_age is not None and self.pulse_age <= OUTAGE.total_seconds()


@dataclass(frozen=True, slots=True)
class Health:
    """The state of the site: `down` without a database, `warn` when something needs a look, else `ok`.

    Attributes:
        warnings: What needs a look: `clock`, `late work`, `stuck work`, `unsent`, `half sent`, `outages`, `redis`,
            `stale boards`, `worker datum`, `worker solver`, `disk`.
        clock: What the clock does; None without a database.
        waiting: How much work is not done yet, by kind.
        stale_board_age: Seconds since the oldest result that is not compared; None when all are.
        workers_seen: For each queue the seconds since a worker was last heard of; None when never.
        disk_free: Bytes.
    """

    status: str
    database: str
    redis: str
    warnings: list[str]
    clock: Clock | None
    waiting: dict[str, int] | None
    stale_board_age: int | None
    workers_seen: dict[str, int | None]
    disk_free: int


def health() -> Health:
    """Whether the site can serve and whether its work gets done. Every part that is away is said to be."""
    database, redis_answers, clock, work, stale = "ok", _redis_answers(), None, None, None
    seen: dict[str, int | None] = dict.fromkeys(QUEUES)
    try:
        clock, work, stale, seen = clock_state(), waiting(), stale_board_age(), workers_seen()
    except DatabaseError:
        database = "away"
    free = shutil.disk_usage(settings.STATE_DIR if settings.STATE_DIR.exists() else settings.BASE_DIR).free
    checks = {
        "clock": clock is None or clock.is_going,
        "late work": not (clock and clock.late),
        "stuck work": not (clock and clock.stuck),
        "unsent": not (clock and clock.unsent),
        "half sent": not (clock and clock.half_sent),
        "outages": not (clock and clock.unhandled_outages),
        "redis": redis_answers,
        "stale boards": stale is None or stale <= STALE_BOARD.total_seconds(),
        **{f"worker {queue}": _is_recent(seconds) for queue, seconds in seen.items()},
        "disk": free >= DISK_LOW,
    }
    warnings = [name for name, is_well in checks.items() if not is_well]
    return Health(
        status="down" if database == "away" else "warn" if warnings else "ok",
        database=database,
        redis="ok" if redis_answers else "away",
        warnings=warnings,
        clock=clock,
        waiting=work,
        stale_board_age=stale,
        workers_seen=seen,
        disk_free=free,
    )


def clock_state() -> Clock:
    """Whether a clock is going, and what it could not do."""
    age, lately = pulse_age(), now() - REMEMBERED
    return Clock(
        pulse_age=None if age is None else int(age.total_seconds()),
        late=late_work(seconds=LATE).count(),
        stuck=stuck_work().filter(due_at__gt=lately).count(),
        unsent=unsent().count(),
        half_sent=half_sent().filter(claimed_at__gt=lately).count(),
        unhandled_outages=Outage.objects.filter(handled=False, ended_at__gt=lately).count(),
    )


def _is_recent(seconds: int | None) -> bool:
    return seconds is not None and seconds <= SILENT_WORKER.total_seconds()


def _redis_answers() -> bool:
    client = redis.Redis.from_url(
        settings.REDIS_URL,
        socket_connect_timeout=REDIS_PATIENCE,
        socket_timeout=REDIS_PATIENCE,
        retry=Retry(NoBackoff(), 0),
    )
    try:
        return bool(client.ping())
    except redis.RedisError:
        return False
    finally:
        client.close()


def worker_key(queue: str) -> str:
    """Where the moment is kept at which a worker of the queue was last heard of."""
    return f"worker-seen-{queue}"


def workers_seen() -> dict[str, int | None]:
    """For each queue the seconds since a worker was last heard of."""
    moments = cache.get_many([worker_key(queue) for queue in QUEUES])
    moment = timezone.now().timestamp()
    return {
        queue: max(0, int(moment - moments[key])) if (key := worker_key(queue)) in moments else None
        for queue in QUEUES
    }


def stale_board_age() -> int | None:
    """Seconds since the oldest result, or change of one, that its board's comparison does not know yet."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT extract(epoch FROM clock_timestamp() - min(coalesce(
                 (SELECT min(moment) FROM (
                    SELECT result.recorded_at AS moment FROM results_result result
                    WHERE result.field_board_id = board.id
                    UNION ALL
                    SELECT change.at FROM results_resultchange change
                    JOIN results_result result ON result.id = change.result_id
                    WHERE result.field_board_id = board.id) AS moments
                  WHERE comparison.id IS NULL OR moment > comparison.compared_at),
                 comparison.compared_at)))::bigint
               FROM results_fieldboard board
               LEFT JOIN results_comparison comparison ON comparison.field_board_id = board.id
               WHERE board.compared_version < board.results_version"""
        )
        (seconds,) = cursor.fetchone()
    return None if seconds is None else max(0, seconds)


def waiting() -> dict[str, int]:
    """How much work is not done yet: the workers and the sweeps bring each of them to 0."""
    return {
        "boards_to_compare": FieldBoard.objects.filter(compared_version__lt=F("results_version")).count(),
        "events_to_rank": len(unranked_events()),
        "deals_to_solve": Board.objects.filter(par_score=None).exclude(deal="").count(),
    }
