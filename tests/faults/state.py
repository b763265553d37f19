"""What a database says, in words that do not depend on ids or moments."""

from typing import Any

from django.apps import apps

from apps.masterpoints.models import Award
from apps.pairs.models import Event, Standing
from apps.results.models import Comparison

_PASSING = {
    "id",
    "at",
    "due_at",
    "done_at",
    "created_at",
    "recorded_at",
    "solved_at",
    "compared_at",
    "awarded_at",
    "given_at",
    "published_at",
}
_COUNTERS = {"version", "results_version", "compared_version", "ranked_version"}


def digest() -> dict[str, list[str]]:
    """Every row of every table of ours, without ids of its own, moments and version counters."""
    rows = {}
    for model in apps.get_models():
        if model.__module__.startswith("apps."):
            names = [field.attname for field in model._meta.concrete_fields]
            names = [name for name in names if name not in _PASSING | _COUNTERS]
            if names:  # the pulse is nothing but a moment
                rows[model.__name__] = sorted(map(repr, model._default_manager.values_list(*names)))
    return rows


def figures(event: Event) -> dict[str, list[Any]]:
    """What an event says to its players: points, standings, master points."""
    return {
        "points": list(
            Comparison.objects.filter(field_board__field=event.field_id)
            .order_by("field_board__board__number")
            .values_list(
                "field_board__board__number", "ns_points", "ew_points", "denominator", "top", "datum"
            )
        ),
        "standings": list(
            Standing.objects.filter(event=event)
            .order_by("session", "contestant__order")
            .values_list("session", "contestant__label", "rank", "tied", "score_numerator", "masterpoints")
        ),
        "awards": sorted(Award.objects.filter(event=event).values_list("player__name", "points")),
    }
