"""Names of people, which nobody's direction of writing carries across what stands beside them."""

from collections.abc import Iterable
from functools import cache

from django import template
from django.utils.html import escape, format_html
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext

from apps.users.countries import country_name, flag_of
from apps.users.models import Player
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


@register.filter
def flag(country: str) -> SafeString:
    """The flag that stands before a player's name, with a space; it says which country it is of.

    Where the device has no flags, the letters of the country stand there (`users/flags.js`).
    """
    return _flag(country, country_name(country)) if country else SafeString()


@cache
def _flag(country: str, called: str) -> SafeString:
    """Made once: a page of standings has a thousand."""
    return format_html(
        '<span class="flag" role="img" aria-label="{0}" title="{0}" data-flag="{1}"><i>{2}</i></span>&nbsp;',
        called,
        flag_of(country),
        country,
    )


@register.filter
def with_flag(country: str) -> SafeString:
    """A country in words, and its flag."""
    return format_html(
        '<span><span class="flag" aria-hidden="true" data-flag="{}"><i>{}</i></span> {}</span>',
        flag_of(country),
        country,
        country_name(country),
    )


@register.filter
def shown_name(player: Player) -> SafeString:
    """The name of a player at a table: a guest's in the reader's language, and that of a robot says that it is one."""
    if player.is_robot:
        return format_html('{} <span class="bd robot">{}</span>', bdi(player.name), gettext("robot"))
    return bdi(guest_name(player.name))


def guest_name(name: str) -> str:
    """`Guest 1234` in the reader's language; any other name as it is."""
    number = name.removeprefix("Guest ")
    return gettext("Guest %(number)s") % {"number": number} if name != number and number.isdecimal() else name
