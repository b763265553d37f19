"""Questions about master points."""

from typing import Any

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
