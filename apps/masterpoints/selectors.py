"""Questions about master points."""

from dataclasses import dataclass
from decimal import Decimal

from django.db import connection

from apps.users.models import name_key


@dataclass(frozen=True, slots=True)
class Ranked:
    """A player in the ranking by master points."""

    player_id: int
    name: str
    points: Decimal
    rank: int
    tied: bool


def ranking(*, text: str = "", after: int | None = None, size: int = 100) -> list[Ranked]:
    """A page of the players by master points; equal points share a rank. One query, which reads along an index.

    Args:
        text: Only players with these letters in their name; they keep their rank among all.
        after: Continue after this player.
        size: How many players make a page.
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
                  SELECT total.player_id, player.name, total.points
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
                SELECT page.player_id, page.name, page.points,
                       above.players + shared.so_far - shared.players + 1, shared.players > 1
                FROM page JOIN shared USING (points) CROSS JOIN above ORDER BY page.points DESC, page.player_id""",  # noqa: S608
            {"text": name_key(text), "after": after, "size": size},
        )
        return [
            Ranked(player_id, name, points, int(rank), tied)
            for player_id, name, points, rank, tied in cursor.fetchall()
        ]


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
