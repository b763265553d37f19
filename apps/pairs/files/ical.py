"""An event for a calendar (RFC 5545)."""

from datetime import UTC, datetime

from django.utils.translation import gettext as _

from apps.pairs.models import Swiss
from apps.pairs.services.setup import plan_of
from apps.pairs.templatetags.figures import planned

LINE = 75  # octets


def event_ics(swiss: Swiss, *, url: str, host: str, stamp: datetime) -> bytes:
    """The event with its start and end as instants (UTC), so that no calendar can take them for another zone's.

    Args:
        swiss: The event.
        url: Its page.
        host: The site, which names the event together with its number.
        stamp: Now.
    """
    plan = plan_of(swiss)
    local = swiss.starts_at.astimezone(swiss.tz)
    said = _("%(plan)s. Start: %(start)s, %(zone)s.") % {
        "plan": planned(swiss),
        "start": f"{local:%Y-%m-%d %H:%M}",
        "zone": swiss.zone,
    }
    lines = [
        "BEGIN:VCALENDAR",
        "VERSION:2.0",
        "PRODID:-//Datum//Datum//EN",
        "METHOD:PUBLISH",
        "BEGIN:VEVENT",
        f"UID:event-{swiss.pk}@{host}",
        f"DTSTAMP:{_instant(stamp)}",
        f"SEQUENCE:{swiss.schedule_version}",
        f"DTSTART:{_instant(swiss.starts_at)}",
        f"DTEND:{_instant(swiss.starts_at + plan.lasts)}",
        f"SUMMARY:{_text(swiss.event.title)}",
        f"DESCRIPTION:{_text(said)}",
        f"URL:{url}",
        f"STATUS:{'CANCELLED' if swiss.state == Swiss.State.CANCELLED else 'CONFIRMED'}",
        "END:VEVENT",
        "END:VCALENDAR",
    ]
    return b"".join(_folded(line) for line in lines)


def _instant(moment: datetime) -> str:
    return f"{moment.astimezone(UTC):%Y%m%dT%H%M%SZ}"


def _text(text: str) -> str:
    for plain, written in (("\\", "\\\\"), (";", "\\;"), (",", "\\,"), ("\r\n", "\\n"), ("\n", "\\n")):
        text = text.replace(plain, written)
    return text


def _folded(line: str) -> bytes:
    """A line in pieces of at most 75 octets, never within a character; each but the first begins with a blank."""
    pieces, piece = [], b""
    for character in line:
        octets = character.encode()
        if len(piece) + len(octets) > LINE:
            pieces.append(piece)
            piece = b" "
        piece += octets
    return b"\r\n".join([*pieces, piece]) + b"\r\n"
