"""Questions about master points."""

from typing import Any

from django.db import connection
from django.db.models import F, QuerySet, Sum, Window
from django.db.models.functions import Rank

from apps.masterpoints.models import Award
from apps.users.models import name_key


def ranking(text: str) -> "QuerySet[Award, dict[str, Any]]":
    """Players by master points: `player`, `name`, `points`, `events`, `rank`; equal points share a rank."""
    rows = Award.objects.values("player_id", "player__name", "player__name_key").annotate(
        points=Sum("points")
    )
    rows = rows.filter(points__gt=0).annotate(rank=Window(Rank(), order_by=F("points").desc()))
    if text:
        rows = rows.filter(player__name_key__contains=name_key(text))
    return rows.order_by("-points", "player__name_key", "player_id")


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
