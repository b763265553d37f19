"""Clocks that count down by the site's clock, and what players do with one press."""

from datetime import datetime
from typing import Any

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import gettext as _

register = template.Library()

DAY = 86_400


@register.simple_tag
def clock(until: datetime, at: datetime, kind: str = "big") -> SafeString:
    """The time left until a moment; a script counts it down from the site's clock, whatever the browser's says."""
    return format_html(
        '<span class="clock {}" role="timer" data-until="{}" data-days="{}">{}</span>',
        kind,
        until.isoformat(),
        _("%(days)s d %(hours)s h"),
        time_left(until, at),
    )


@register.filter
def time_left(until: datetime, at: datetime) -> str:
    """`12:05`, `1:02:05`, `2 d 3 h`; `0:00` when it has passed."""
    seconds = max(int((until - at).total_seconds()), 0)
    if seconds >= DAY:
        return _("%(days)s d %(hours)s h") % {"days": seconds // DAY, "hours": seconds % DAY // 3600}
    hours, rest = divmod(seconds, 3600)
    minutes, seconds = divmod(rest, 60)
    return f"{hours}:{minutes:02}:{seconds:02}" if hours else f"{minutes}:{seconds:02}"


@register.simple_tag(takes_context=True)
def part(context: Any, number: int, *, alone: bool = False) -> str:
    """Where in an event a board is played: `session 2`, or `round 2` when the event runs itself. `Round 2` when it is alone."""
    in_rounds = getattr(context["event"], "swiss", None)
    if alone:
        said = _("Round %(number)s") if in_rounds else _("Session %(number)s")
    else:
        said = _("round %(number)s") if in_rounds else _("session %(number)s")
    return said % {"number": number}


@register.simple_tag(takes_context=True)
def decided(context: Any, row: Any) -> SafeString | str:
    """Why the director decided a board at a table; nothing where he did not."""
    reason = context.get("reasons", {}).get((row.session, row.number, row.table))
    if reason is None:
        return ""
    return format_html('<span class="small quiet">{} {}</span>', _("director:"), reason)


@register.inclusion_tag("pairs/live/_act.html", takes_context=True)
def act(
    context: Any, name: str, label: str, kind: str = "", field: str = "", value: Any = ""
) -> dict[str, Any]:
    """A button that does one of the things that a player can do."""
    return {
        "event": context["event"],
        "csrf_token": context.get("csrf_token"),
        "whole": context.get("whole"),
        "name": name,
        "label": label,
        "kind": kind,
        "field": field,
        "value": value,
    }


@register.simple_tag(takes_context=True)
def replay(context: Any, row: Any) -> SafeString | str:
    """The way to the play of a result, or to its auction, where it was played at a table of this site and all may see it."""
    found = context.get("replays", {}).get(row.table)
    if found is None:
        return ""
    words = _("Look at the play") if found.has_cards else _("Look at the auction")
    return format_html('<a class="small no-print" href="{}">{}</a>', found.url, words)
