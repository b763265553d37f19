"""Questions about pairs events."""

from django.db.models import F

from apps.pairs.models import Event


def events_of_field(field_id: int) -> list[int]:
    """The event that this field belongs to: one id, or none."""
    return list(Event.objects.filter(field_id=field_id).values_list("pk", flat=True))


def unranked_events() -> list[int]:
    """Events whose boards were compared since they were ranked."""
    return list(Event.objects.exclude(ranked_version=F("field__version")).values_list("pk", flat=True))
