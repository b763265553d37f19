"""What a call means, in the reader's language.

A robot says in the log what its calls mean, in English and in a few fixed parts joined by semicolons. Here each part has its
translation. What is not made of these parts was written by a person, and stays as it is.
"""

import re
from collections.abc import Mapping

from django import template
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext, pgettext_lazy

from bridge.robot.meanings import BETWEEN

register = template.Library()

VALUES: Mapping[str, object] = {
    "spades": _("spades"),
    "hearts": _("hearts"),
    "diamonds": _("diamonds"),
    "clubs": _("clubs"),
}
WORDS: Mapping[str, object] = {
    "asks for a major of four": _("asks for a major of four"),
    "asks for aces": _("asks for aces"),
    "no ace or all four": _("no ace or all four"),
    "one ace": _("one ace"),
    "two aces": _("two aces"),
    "three aces": _("three aces"),
    "no major of four": _("no major of four"),
    "no four hearts": _("no four hearts"),
    "transfer": pgettext_lazy("what a call means", "transfer"),
    "waiting": pgettext_lazy("what a call means", "waiting"),
    "as asked": pgettext_lazy("what a call means", "as asked"),
    "strong": pgettext_lazy("what a call means", "strong"),
    "weak": pgettext_lazy("what a call means", "weak"),
    "for takeout": _("for takeout"),
    "for penalties": _("for penalties"),
    "pass or correct": _("pass or correct"),
    "{low}-{high} points": _("{low}-{high} points"),
    "{low}+ points": _("{low}+ points"),
    "up to {high} points": _("up to {high} points"),
    "{low}+ {suit}": _("{low}+ {suit}"),
    "{low}-{high} {suit}": _("{low}-{high} {suit}"),
    "{low} {suit}": _("{low} {suit}"),
    "balanced": pgettext_lazy("what a call means", "balanced"),
    "forcing": pgettext_lazy("what a call means", "forcing"),
}
"""By the part as the log has it: those of `bridge.robot.meanings.PARTS`, and no others."""

_PLACE = re.compile(r"\\\{(\w+)\\\}")


def _pattern(part: str) -> re.Pattern[str]:
    """A part with anything in its places: numbers, and suits where suits stand."""
    return re.compile(
        _PLACE.sub(
            lambda place: f"(?P<{place[1]}>{'|'.join(VALUES) if place[1] == 'suit' else '[0-9]+'})",
            re.escape(part),
        )
    )


_PATTERNS = {part: _pattern(part) for part in WORDS}


@register.filter
def in_readers_words(text: str) -> str:
    """What was said of a call: a robot's words translated, a person's own as they are."""
    parts = [_translated(part) for part in text.split(BETWEEN)]
    between = pgettext("between the parts of a meaning", "; ")
    return text if None in parts else between.join(part for part in parts if part)


def _translated(part: str) -> str | None:
    for known, pattern in _PATTERNS.items():
        if found := pattern.fullmatch(part):
            values = {name: str(VALUES.get(value, value)) for name, value in found.groupdict().items()}
            return str(WORDS[known]).format(**values)
    return None


@register.simple_tag
def meaning_parts() -> dict[str, Mapping[str, object]]:
    """The same for the scripts of the table."""
    return {"words": WORDS, "values": VALUES}
