"""Time zones by the towns that people know, each under one name: aliases such as `US/Pacific` lead to theirs."""

from datetime import datetime
from functools import cache
from zoneinfo import ZoneInfo, available_timezones

from babel.core import Locale, get_global
from babel.dates import get_timezone_location
from django.utils.translation import get_language, gettext, to_locale
from django.utils.translation import gettext_noop as _

from apps.users.countries import place_in_list

REGIONS = {
    "Africa": _("Africa"),
    "America": _("America"),
    "Antarctica": _("Antarctica"),
    "Arctic": _("Arctic"),
    "Asia": _("Asia"),
    "Atlantic": _("Atlantic Ocean"),
    "Australia": _("Australia"),
    "Europe": _("Europe"),
    "Indian": _("Indian Ocean"),
    "Pacific": _("Pacific Ocean"),
}
"""What the part before the stroke means, in the order of the list."""

UTC = "UTC"
NOWHERE = {"localtime", "Factory"}  # files beside the zones: what a machine is set to, or not yet

_NOBODYS = {"Antarctica/Troll": "AQ"}  # CLDR has it as a zone of the world


@cache
def towns() -> dict[str, str]:
    """The zones that are offered, each with the country of its town: one for each place whose clocks went their own way."""
    return {
        zone: _NOBODYS.get(zone, country)
        for zone, country in get_global("zone_territories").items()
        if zone.partition("/")[0] in REGIONS and exists(zone)
    }


def canonical(zone: str) -> str:
    """The name under which a zone is offered; itself when there is no other.

    >>> canonical("US/Pacific"), canonical("Asia/Calcutta"), canonical("Etc/UTC"), canonical("Etc/GMT-8")
    ('America/Los_Angeles', 'Asia/Kolkata', 'UTC', 'Etc/GMT-8')
    """
    named: str = get_global("zone_aliases").get(zone, zone)
    if named == "Etc/UTC":
        return UTC
    return named if named in towns() else zone


def exists(zone: object) -> bool:
    """Whether the world has a zone of this name, alias or not."""
    return isinstance(zone, str) and zone in _zones()


@cache
def _zones() -> frozenset[str]:
    """Found once: it takes a walk through the files of a machine."""
    return frozenset(available_timezones() - NOWHERE)


def choices(at: datetime) -> list[tuple[str, list[tuple[str, str]]]]:
    """The towns by region, for a list in the reader's language: country, town, and what its clocks differ by now."""
    labels = _labels(to_locale(get_language() or "en"))
    return [
        (
            gettext(region),
            [(zone, f"{label} ({at.astimezone(ZoneInfo(zone)):UTC%z})") for label, zone in labels[name]],
        )
        for name, region in REGIONS.items()
    ]


@cache
def _labels(language: str) -> dict[str, list[tuple[str, str]]]:
    locale = Locale.parse(language)
    found: dict[str, list[tuple[str, str]]] = {name: [] for name in REGIONS}
    for zone, country in towns().items():
        place = get_timezone_location(zone, locale=locale, return_city=True)
        name = locale.territories.get(country, country)
        found[zone.partition("/")[0]].append((name if name == place else f"{name}: {place}", zone))
    return {
        name: sorted(labels, key=lambda label: (place_in_list(label[0]), label))
        for name, labels in found.items()
    }
