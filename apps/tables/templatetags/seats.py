"""Who sits where."""

from django import template

from apps.tables.models import Sitting, Table

register = template.Library()


@register.filter
def sitting_at(table: Table, letter: str) -> Sitting | None:
    """Who has this seat of a table, which has read its sittings; a robot counts as somebody here."""
    return next((sitting for sitting in table.sittings.all() if sitting.seat == letter), None)
