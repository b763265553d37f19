"""Names of people, which nobody's direction of writing carries across what stands beside them."""

from collections.abc import Iterable

from django import template
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe

from apps.users.names import DASH, isolated

register = template.Library()


@register.filter
def bdi(name: str) -> SafeString:
    """A name, isolated: one in Hebrew or Arabic turns nothing around it."""
    return mark_safe(f"<bdi>{escape(name)}</bdi>")  # noqa: S308 - the name is escaped


@register.filter
def together(names: Iterable[str]) -> SafeString:
    """The names of partners, the first first, in whatever scripts they are."""
    return mark_safe(DASH.join(map(bdi, names)))  # noqa: S308 - made of safe parts


@register.filter
def in_text(names: Iterable[str]) -> str:
    """The same where no markup can stand: the title of a page, an attribute."""
    return DASH.join(map(isolated, names))
