"""How figures and results are written: minus signs, thin spaces, contracts with drawn suits."""

from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext

from apps.results.models import Result
from bridge.contracts import Contract, Doubling, Strain, result_text

register = template.Library()

MINUS = "−"
THIN_SPACE = "\u2009"
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}


@register.filter
def fixed(value: Fraction | Decimal | int | None, places: int = 2) -> str:
    """A figure with so many decimals, rounded half up from zero, with a minus sign and thin spaces."""
    if value is None:
        return "–"
    fraction = Fraction(value)
    scaled = int(abs(fraction) * 10**places + Fraction(1, 2))
    text = f"{Decimal(scaled).scaleb(-places):,.{places}f}".replace(",", THIN_SPACE)
    return MINUS + text if fraction < 0 and scaled else text


@register.filter
def signed(value: Fraction | Decimal | int | None, places: int = 0) -> str:
    """The same with a plus sign where it is above 0."""
    text = fixed(value, places)
    return f"+{text}" if value is not None and value > 0 else text


@register.filter
def decimal(value: Decimal) -> str:
    """A decimal without needless zeros: 3, 2.5."""
    return fixed(value, 0 if value == value.to_integral_value() else 2)


@cache
def _suit(letter: str, language: str) -> SafeString:
    return format_html('<span class="su su-{}">{}\ufe0e</span>', letter.lower(), SYMBOLS[letter])


@register.simple_tag
def suit(letter: str) -> SafeString:
    """A suit, drawn; the character stays in the text for readers and for copying."""
    return _suit(letter, get_language() or "")


@cache
def _contract(
    level: int, strain: str, doubling: int, declarer: str, tricks: int, language: str
) -> SafeString:
    contract = Contract(level, Strain.from_text(strain), Doubling(doubling))
    drawn = (
        _suit(strain, language) if strain in SYMBOLS else format_html('<b class="nt">{}</b>', gettext("NT"))
    )
    return format_html(
        '<span class="ct"><b>{}</b>{}{} <i>{}</i> {}</span>',
        level,
        drawn,
        contract.doubling.text,
        declarer,
        result_text(contract, tricks),
    )


@register.filter
def contract(result: Result) -> SafeString | str:
    """What was played and how it ended: `4♠X N +1`; or in words why there is no contract."""
    if result.level:
        return _contract(
            result.level,
            result.strain,
            result.doubling,
            result.declarer,
            result.tricks or 0,
            get_language() or "",
        )
    if result.level == 0:
        return gettext("passed out")
    if result.kind == Result.Kind.NOT_PLAYED:
        return gettext("not played")
    return gettext("adjusted") if result.kind == Result.Kind.RULED else "–"


@register.filter
def card(text: str) -> SafeString | str:
    """A card such as `HQ`: the suit drawn, then the rank."""
    if len(text) != 2:
        return ""
    return format_html("{}{}", _suit(text[0], get_language() or ""), text[1].replace("T", "10"))


@register.filter
def level_made(tricks: str) -> str:
    """The level that so many tricks (one hexadecimal digit) make, or a dash."""
    level = int(tricks, 16) - 6
    return str(level) if level > 0 else "–"


@register.simple_tag
def bar(points: Fraction, longest: Fraction | int) -> SafeString:
    """A bar from the datum line: to the right above it, to the left below it."""
    width = int(42 * abs(points) / longest) if longest else 0
    return format_html(
        '<svg class="dev" viewBox="0 0 90 14" width="90" height="14" aria-hidden="true">'
        '<rect x="{}" y="3" width="{}" height="8"/><path class="ax" d="M45 0v14"/></svg>',
        45 if points >= 0 else 45 - width,
        width,
    )
