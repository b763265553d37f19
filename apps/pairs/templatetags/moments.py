"""Moments, never without the zone whose clocks show them."""

from collections.abc import Callable
from datetime import datetime
from zoneinfo import ZoneInfo

from django import template
from django.template import Context
from django.utils import timezone
from django.utils.dateformat import format as date_format
from django.utils.formats import get_format
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

from bridge.seats import Side
from bridge.slow_play import TimeUsed, slow_side

register = template.Library()


@register.simple_tag(takes_context=True)
def moment(context: Context, at: datetime, zone: str) -> SafeString:
    """Day and time on the clocks of the zone with its name; the reader's own in brackets where they differ.

    Who has chosen no zone reads that of the browser, see `yours`.
    """
    return day_and_time(at, zone) + _beside(context, at, zone, lambda own: day_and_time(at, own))


@register.simple_tag(takes_context=True)
def hour_of_zone(context: Context, at: datetime, zone: str, until: datetime | None = None) -> SafeString:
    """As `moment`, for what is near: the time alone, or from when until when."""
    return hour_and_zone(at, zone, until) + beside(context, at, zone, until)


@register.simple_tag(takes_context=True)
def beside(context: Context, at: datetime, zone: str, until: datetime | None = None) -> SafeString:
    """The reader's own time, after one on the clocks of the zone; with the day where that is another."""

    def own_time(own: str) -> SafeString:
        is_same_day = at.astimezone(ZoneInfo(own)).date() == at.astimezone(ZoneInfo(zone)).date()
        return hour_and_zone(at, own, until) if is_same_day else day_and_time(at, own)

    return _beside(context, at, zone, own_time)


def _beside(context: Context, at: datetime, zone: str, show: Callable[[str], SafeString]) -> SafeString:
    if not getattr(context.get("user"), "zone", None):
        return yours(at, zone)
    own = timezone.get_current_timezone_name()
    if at.astimezone(ZoneInfo(own)).utcoffset() == at.astimezone(ZoneInfo(zone)).utcoffset():
        return SafeString()
    return format_html(' <span class="quiet">({} {})</span>', _("for you:"), show(own))


@register.simple_tag
def yours(at: datetime, zone: str) -> SafeString:
    """Where the browser writes the reader's own time, when it is another than on the clocks of the zone."""
    return format_html('<span class="yours" data-yours="{}" data-zone="{}"></span>', at.isoformat(), zone)


@register.simple_tag
def day_and_time(at: datetime, zone: str) -> SafeString:
    """Day and time on the clocks of the zone, with its name."""
    local = at.astimezone(ZoneInfo(zone))
    shown = f"{date_format(local, get_format('DATE_FORMAT'))}, {date_format(local, 'H:i')}"
    return format_html(
        '<time datetime="{}">{}</time> <span class="nw">{}</span>', at.isoformat(), shown, zone
    )


@register.simple_tag
def hour_and_zone(at: datetime, zone: str, until: datetime | None = None) -> SafeString:
    """The time on the clocks of the zone, or from when until when, with its name."""
    times = format_html("{}–{}", hour(at, zone), hour(until, zone)) if until else hour(at, zone)
    return format_html('{} <span class="nw">{}</span>', times, zone)


@register.simple_tag
def hour(at: datetime, zone: str) -> SafeString:
    """The time alone, for columns whose head names the zone."""
    return format_html(
        '<time datetime="{}">{}</time>', at.isoformat(), f"{at.astimezone(ZoneInfo(zone)):%H:%M}"
    )


@register.simple_tag
def day_and_hour(at: datetime, zone: str) -> SafeString:
    """Day, hour, minute and second in figures, for columns whose head names the zone."""
    local = at.astimezone(ZoneInfo(zone))
    return format_html('<time datetime="{}">{}</time>', at.isoformat(), f"{local:%Y-%m-%d %H:%M:%S}")


def _minutes(seconds: int) -> str:
    return f"{seconds // 60}:{seconds % 60:02}"


@register.filter
def who_was_slow(used: TimeUsed) -> str:
    """What the clock of a table says at the bell, in a sentence: who was clearly slower, and by which figures."""
    says = {
        Side.NS: _(
            "North–South were clearly slower: the table waited %(ns)s for them, %(ew)s for East–West."
        ),
        Side.EW: _(
            "East–West were clearly slower: the table waited %(ew)s for them, %(ns)s for North–South."
        ),
        None: _(
            "Neither side was clearly slower: the table waited %(ns)s for North–South, %(ew)s for East–West."
        ),
    }
    return says[slow_side(used)] % {"ns": _minutes(used.ns), "ew": _minutes(used.ew)}
