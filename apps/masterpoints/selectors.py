"""Questions about master points."""

from collections.abc import Collection
from dataclasses import dataclass
from datetime import date
from decimal import Decimal
from typing import Any

from django.conf import settings
from django.db import connection

from apps.masterpoints.models import Period, Ranking, Total
from apps.users.models import name_key
from bridge.masterpoints import title


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player in the ranking by master points."""

    player_id: int
    name: str
    country: str
    points: Decimal
    rank: int
    tied: bool


def ranking(*, text: str = "", after: int | None = None, size: int | None = 100) -> list[Ranked]:
    """A page of the players by master points; equal points share a rank. One query, which reads along an index.

    Args:
        text: Only players with these letters in their name; they keep their rank among all.
        after: Continue after this player.
        size: How many players make a page; None for all of them.
    """
    named, begun = "", ""
    if text:
        named = "AND strpos(player.name_key, %(text)s) > 0"
    if after is not None:
        begun = """AND total.points <= (SELECT points FROM start)
                   AND (total.points < (SELECT points FROM start) OR total.player_id > %(after)s)"""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH start AS (
                  SELECT points FROM masterpoints_total WHERE player_id = %(after)s
                ), page AS MATERIALIZED (
                  SELECT total.player_id, player.name, player.country, total.points
                  FROM masterpoints_total total JOIN users_player player ON player.id = total.player_id
                  WHERE total.points > 0 {named} {begun}
                  ORDER BY total.points DESC, total.player_id LIMIT %(size)s
                ), shared AS (
                  SELECT points, count(*) AS players, sum(count(*)) OVER (ORDER BY points DESC) AS so_far
                  FROM masterpoints_total
                  WHERE points > 0 AND points >= (SELECT min(points) FROM page)
                    AND points <= (SELECT max(points) FROM page) GROUP BY points
                ), above AS (
                  SELECT count(*) AS players FROM masterpoints_total
                  WHERE points > 0 AND points > (SELECT max(points) FROM page)
                )
                SELECT page.player_id, page.name, page.country, page.points,
                       above.players + shared.so_far - shared.players + 1, shared.players > 1
                FROM page JOIN shared USING (points) CROSS JOIN above ORDER BY page.points DESC, page.player_id""",  # noqa: S608
            {"text": name_key(text), "after": after, "size": size},
        )
        return [
            Ranked(player_id, name, country, points, int(rank), tied)
            for player_id, name, country, points, rank, tied in cursor.fetchall()
        ]


# ---- months and years

_DAY = "coalesce(event.played_on, (event.published_at AT TIME ZONE %(zone)s)::date)"
"""The day under which the site lists an event; without one of its own, that of its publication on the site's clocks."""

DIGEST = "coalesce(md5(string_agg(player_id || ':' || points, ',' ORDER BY player_id)), '')"
"""What a ranking says, in short; empty when nobody is in it."""


def ledger(period: Period) -> tuple[str, dict[str, Any]]:
    """The query, with its parameters, for what the ledger says about a period now: player_id, points, rank, tied."""
    query = f"""SELECT player_id, points, rank() OVER (ORDER BY points DESC) AS rank,
                       count(*) OVER (PARTITION BY points) > 1 AS tied
                FROM (SELECT award.player_id, sum(award.points) AS points
                      FROM masterpoints_award award JOIN pairs_event event ON event.id = award.event_id
                      WHERE {_DAY} >= %(starts_on)s AND {_DAY} < %(ends_on)s
                      GROUP BY award.player_id HAVING sum(award.points) > 0) AS won"""  # noqa: S608
    return query, {
        "zone": settings.TIME_ZONE,
        "starts_on": period.starts_on,
        "ends_on": period.ends_on,
    }


def ledger_digest(period: Period) -> str:
    """What the ledger says about a period now, in short; empty when nobody has points from it."""
    counted, params = ledger(period)
    with connection.cursor() as cursor:
        cursor.execute(f"SELECT {DIGEST} FROM ({counted}) AS ledger", params)  # noqa: S608
        return str(cursor.fetchone()[0])


def versions_of(period: Period) -> list[Ranking]:
    """The published rankings of a period, the latest first."""
    found = Ranking.objects.filter(kind=period.kind, starts_on=period.starts_on)
    return list(found.select_related("by").order_by("-version"))


def latest_ranking(period: Period) -> Ranking | None:
    return next(iter(versions_of(period)), None)


def published_periods() -> list[Period]:
    """The months and years with a published ranking, the latest first."""
    found = Ranking.objects.filter(version=1).order_by("-starts_on", "kind").values_list("kind", "starts_on")
    return [Period(Ranking.Kind(kind), starts_on) for kind, starts_on in found]


def published_rows(
    ranking: Ranking, *, text: str = "", after: int | None = None, size: int | None = 100
) -> list[Ranked]:
    """A page of a published ranking; arguments as in `ranking`. One query, which reads along an index."""
    named, begun = "", ""
    if text:
        named = "AND strpos(player.name_key, %(text)s) > 0"
    if after is not None:
        begun = """AND (place.rank, place.player_id) > (SELECT rank, player_id FROM masterpoints_rankingrow
                                                        WHERE ranking_id = %(ranking)s AND player_id = %(after)s)"""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""SELECT place.player_id, player.name, player.country, place.points, place.rank, place.tied
                FROM masterpoints_rankingrow place JOIN users_player player ON player.id = place.player_id
                WHERE place.ranking_id = %(ranking)s {named} {begun}
                ORDER BY place.rank, place.player_id LIMIT %(size)s""",  # noqa: S608
            {"ranking": ranking.pk, "text": name_key(text), "after": after, "size": size},
        )
        return [Ranked(*row) for row in cursor.fetchall()]


@dataclass(frozen=True, slots=True)
class Previewed:
    """A player in the ranking as it would be published, and in the version that stands.

    `points` is 0 and `rank` None for one who would leave it, `points_before` and `rank_before` are None for a new one.
    """

    player_id: int
    name: str
    points: Decimal
    rank: int | None
    tied: bool
    points_before: Decimal | None
    rank_before: int | None


@dataclass(frozen=True, slots=True)
class Preview:
    """The ranking of a period as the ledger has it now.

    Attributes:
        digest: What it says, in short.
        players: How many have points.
        points: All points together.
        changed: How many players have other points than in the version that stands.
        rows: A page of it; or of the changed players alone.
    """

    digest: str
    players: int
    points: Decimal
    changed: int
    rows: list[Previewed]


def preview(
    period: Period, published: Ranking | None, *, only_changed: bool = False, skip: int = 0, size: int = 100
) -> Preview:
    """What would be published now, beside what stands. Two queries, each over the period's entries alone."""
    counted, params = ledger(period)
    both = f"""WITH ledger AS ({counted}), before AS (
                 SELECT player_id, points, rank FROM masterpoints_rankingrow WHERE ranking_id = %(published)s
               ), both_lists AS (
                 SELECT player_id, coalesce(ledger.points, 0) AS points, ledger.rank, coalesce(ledger.tied, false) AS tied,
                        before.points AS points_before, before.rank AS rank_before,
                        coalesce(ledger.points, 0) <> coalesce(before.points, 0) AS changed
                 FROM ledger FULL JOIN before USING (player_id)
               )"""  # noqa: S608
    params |= {"published": published and published.pk, "skip": skip, "size": size}
    chosen = "WHERE changed" if only_changed else ""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""{both} SELECT (SELECT {DIGEST} FROM ledger), count(rank), coalesce(sum(points), 0),
                              count(*) FILTER (WHERE changed) FROM both_lists""",  # noqa: S608
            params,
        )
        digest, players, points, changed = cursor.fetchone()
        cursor.execute(
            f"""{both} SELECT player_id, player.name, points, rank, tied, points_before, rank_before
                FROM both_lists JOIN users_player player ON player.id = player_id {chosen}
                ORDER BY rank NULLS LAST, player_id LIMIT %(size)s OFFSET %(skip)s""",  # noqa: S608
            params,
        )
        rows = [Previewed(*row) for row in cursor.fetchall()]
    return Preview(digest, players, points, changed, rows)


@dataclass(frozen=True, slots=True)
class PeriodState:
    """How the ledger and the publication of a period stand to each other. `published` is None when there is none yet."""

    period: Period
    players: int
    points: Decimal
    published: Ranking | None
    is_current: bool


def period_states() -> list[PeriodState]:
    """All months and years from which somebody has points, or that were published; the latest first. Two queries."""
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH won AS (
                  SELECT {_DAY} AS day, player_id, points
                  FROM masterpoints_award award JOIN pairs_event event ON event.id = award.event_id
                ), sums AS (
                  SELECT kind, starts_on, player_id, sum(points) AS points
                  FROM won CROSS JOIN LATERAL (VALUES ('month', date_trunc('month', day)::date),
                                                      ('year', date_trunc('year', day)::date)) AS p (kind, starts_on)
                  WHERE day IS NOT NULL GROUP BY kind, starts_on, player_id HAVING sum(points) > 0
                )
                SELECT kind, starts_on, count(*), sum(points), {DIGEST} FROM sums GROUP BY kind, starts_on""",  # noqa: S608
            {"zone": settings.TIME_ZONE},
        )
        counted = {(kind, day): (players, points, digest) for kind, day, players, points, digest in cursor}
    versions = Ranking.objects.order_by("kind", "starts_on", "-version").distinct("kind", "starts_on")
    latest = {(ranking.kind, ranking.starts_on): ranking for ranking in versions}
    states = []
    for kind, starts_on in sorted(counted.keys() | latest.keys(), key=_latest_first):
        players, points, digest = counted.get((kind, starts_on), (0, Decimal(0), ""))
        published = latest.get((kind, starts_on))
        period = Period(Ranking.Kind(kind), starts_on)
        current = published is not None and published.digest == digest
        states.append(PeriodState(period, players, points, published, current))
    return states


def _latest_first(place: tuple[str, date]) -> tuple[int, bool, int]:
    kind, starts_on = place
    return -starts_on.year, kind != Ranking.Kind.YEAR, -starts_on.month


# ---- the ledger


def titles_of(players: Collection[int]) -> dict[int, str]:
    """The titles of these players, by id and in English; who has none is left out. One query."""
    totals = Total.objects.filter(player__in=players).values_list("player", "points")
    titles = {player: title(points) for player, points in totals}
    return {player: held.name for player, held in titles.items() if held.level}


def unbalanced_events() -> list[int]:
    """Events whose ledger does not say what their standings say: published and not awarded, or changed since."""
    with connection.cursor() as cursor:
        cursor.execute(
            """WITH deserved AS (
                 SELECT standing.event_id, member.player_id, standing.masterpoints AS points
                 FROM pairs_standing standing
                 JOIN pairs_event event ON event.id = standing.event_id AND event.state = 'published'
                 JOIN results_member member ON member.contestant_id = standing.contestant_id
                 WHERE standing.session = 0 AND standing.masterpoints > 0
               ), ledger AS (
                 SELECT event_id, player_id, sum(points) AS points
                 FROM masterpoints_award GROUP BY event_id, player_id
               )
               SELECT DISTINCT event_id FROM deserved FULL JOIN ledger USING (event_id, player_id)
               WHERE coalesce(deserved.points, 0) <> coalesce(ledger.points, 0) ORDER BY event_id"""
        )
        return [event_id for (event_id,) in cursor.fetchall()]
