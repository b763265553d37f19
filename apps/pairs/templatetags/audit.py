"""The audit log in words."""

from datetime import datetime
from typing import Any
from zoneinfo import ZoneInfo

from django import template
from django.db.models import Field as ModelField
from django.template.defaultfilters import yesno
from django.utils.translation import gettext
from django.utils.translation import gettext_noop as _

from apps.clock.models import AuditEntry
from apps.pairs.models import Entry, Event, Seat, Session, Swiss
from apps.pairs.selectors.oversight import THEMSELVES
from apps.pairs.services.setup import ON_EVENT, ON_SWISS
from apps.results.models import Contestant, Field, Member, Penalty
from apps.results.templatetags.notation import minus
from apps.users.names import isolated
from apps.users.templatetags.names import in_text

register = template.Library()

ACTIONS = {
    "pairs.set up": _("set up"),
    "pairs.announced": _("announced"),
    "pairs.published": _("published"),
    "pairs.unpublished": _("publication was taken back"),
    "pairs.changed": _("settings changed"),
    "pairs.started": _("begun"),
    "pairs.finished": _("finished"),
    "pairs.official": _("the result is final"),
    "pairs.entered": _("a pair entered"),
    "pairs.present": _("a pair was noted as here"),
    "pairs.withdrawn": _("a pair was withdrawn"),
    "pairs.substituted": _("a substitute came"),
    "pairs.disqualified": _("a pair was disqualified"),
    "pairs.reinstated": _("a disqualification was taken back"),
    "pairs.penalized": _("points were taken off a pair, or given to it"),
    "pairs.ranked again": _("the event was ranked again"),
    "pairs.missing": _("a pair was reported missing"),
    "pairs.decided": _("a board was decided"),
    "pairs.doubted": _("a doubtful result was asked about"),
    "pairs.asked afterwards": _("the director was asked about a board"),
    "pairs.let stand": _("asked about a board, the director lets its result stand"),
    "pairs.corrected as asked": _("asked about a board, the director corrected its result"),
    "pairs.left unanswered": _("asked about a board, nobody answered in time"),
    "pairs.time changed": _("the bell was moved"),
    "pairs.bell rung": _("the bell was rung"),
    "pairs.round opened": _("a round was opened early"),
    "pairs.rounds changed": _("the number of rounds was changed"),
    "pairs.paired again": _("the round was seated anew"),
    "pairs.suspended": _("the clock was stopped"),
    "pairs.resumed": _("the clock went on"),
    "pairs.postponed": _("the start was moved"),
    "pairs.cancelled": _("cancelled"),
    "pairs.reopened": _("the result is not final any more"),
    "pairs.stuck": _("the clock could not go on"),
    "pairs.outage": _("the service was away"),
    "pairs.decided after outage": _("the rule for long interruptions was followed"),
}
BY_THEMSELVES = {
    "pairs.present": _("a pair said that it is here"),
    "pairs.withdrawn": _("a pair withdrew"),
}
CHANGED = "pairs.changed"
WORDS = {
    "state": _("state"),
    "pair": _("pair"),
    "players": _("players"),
    "player": _("player"),
    "round": _("round"),
    "rounds": _("rounds"),
    "table": _("table"),
    "board": _("board"),
    "boards": _("boards"),
    "minutes": _("minutes"),
    "points": _("points"),
    "said": _("result"),
    "starts_at": _("start"),
    "local_start": _("start"),
    "closes_at": _("bell"),
    "reported by": _("reported by"),
    "seconds": _("seconds"),
    "error": _("error"),
    "rule": _("rule"),
    "number": _("number"),
}
SETTINGS: dict[str, ModelField[Any, Any]] = {
    field.name: field
    for model, names in (
        (Member, {"player", "position"}),
        (Penalty, {"session", "points", "reason"}),
        (Contestant, {"label", "direction", "status"}),
        (Session, {"number", "board_set"}),
        (Swiss, {*ON_SWISS, "invited"}),
        (Event, {*ON_EVENT, "venue", "played_on", "winners"}),
        (Field, {"method"}),
    )
    for field in (*model._meta.fields, *model._meta.many_to_many)
    if field.name in names
}
"""What is set up, or edited in the administration, each with the field that holds it: its name is the model's, and so are the names of its choices."""

CHOICES: dict[str, dict[Any, Any]] = {
    "state": dict((*Swiss.State.choices, *Entry.State.choices)),
    "rule": dict(Swiss.AfterOutage.choices),
    "reported by": dict(Seat.Side.choices),
} | {
    name: {str(value): label for value, label in setting.flatchoices}
    for name, setting in SETTINGS.items()
    if setting.flatchoices
}
LENGTHY = 3  # facts more than these are summed up


@register.filter
def action(entry: AuditEntry) -> str:
    """What was done, and whether a pair did it for itself: see `log_of`."""
    words = ACTIONS | (BY_THEMSELVES if getattr(entry, "by_themselves", False) else {})
    return gettext(words[entry.action]) if entry.action in words else entry.action


@register.filter
def why(entry: AuditEntry) -> str:
    """A person's reason as it was typed, the clock's in the reader's language."""
    return entry.reason if entry.actor_id else gettext(entry.reason)


@register.simple_tag
def facts(entry: AuditEntry, zone: str) -> str:
    """What changed: `bell 20:30 → 20:35 · round 3`. A plan that was set up is not told in full."""
    before, after = entry.before or {}, entry.after or {}
    if entry.action == "pairs.set up" or not isinstance(before, dict) or not isinstance(after, dict):
        return ""
    told = []
    for key in [*after, *(key for key in before if key not in after)]:
        if key == THEMSELVES:
            continue
        old, new = _value(key, before.get(key), zone), _value(key, after.get(key), zone)
        word = _word(key, is_setting=entry.action == CHANGED)
        if old != new and (entry.action == CHANGED or (old and new)):
            told.append(f"{word} {old or '–'} → {new or '–'}")
        elif (old or new) and not (old == new and len(after) > LENGTHY):
            told.append(f"{word} {new or old}")
    return " · ".join(told)


def _word(key: str, *, is_setting: bool) -> str:
    if key in SETTINGS and (is_setting or key not in WORDS):
        return str(SETTINGS[key].verbose_name)
    return gettext(WORDS[key]) if key in WORDS else key.replace("_", " ")


def _value(key: str, value: Any, zone: str) -> str:
    match value:
        case None | "":
            return ""
        case str() if value in CHOICES.get(key, ()):
            return str(CHOICES[key][value])
        case bool():
            return str(yesno(value))
        case list() if key == "invited":
            return str(len(value))
        case {"text": text}:
            return str(text)
        case list():
            return in_text(map(str, value))
        case str() if len(value) >= 19 and value[4:5] == "-" and value[10:11] == "T":
            at = datetime.fromisoformat(value)  # what the clocks of the zone showed has no zone of its own
            return f"{at.astimezone(ZoneInfo(zone)) if at.tzinfo else at:%Y-%m-%d %H:%M:%S}"
        case _:
            return isolated(minus(value))
