"""What was corrected, where its readers look for it."""

from typing import Any

from django import template

from apps.results.selectors import changes_of_contestant, changes_of_field

register = template.Library()


@register.inclusion_tag("results/_corrections.html")
def corrections(*, contestant: int | None = None, field: int | None = None) -> dict[str, Any]:
    """The corrections that concern a pair, or all of a field; nothing when there is none."""
    if contestant is not None:
        return {"changes": changes_of_contestant(contestant)}
    return {"changes": changes_of_field(field) if field is not None else []}
