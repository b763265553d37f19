"""How figures and results are written: minus signs, thin spaces, contracts with drawn suits.

A page may show five hundred results: what is drawn is made once for each language and kept.
"""

import re
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from functools import cache
from typing import Protocol

from django import template
from django.utils.html import format_html
from django.utils.safestring import SafeString
from django.utils.translation import get_language, gettext, ngettext, pgettext

from apps.results.models import Result, ResultChange
from bridge.awards import Award, Grade, Mixture, Ruling, Stated
from bridge.contracts import Contract, Doubling, Strain, result_text

register = template.Library()

MINUS = "−"
THIN_SPACE = "\u2009"
SYMBOLS = {"S": "♠", "H": "♥", "D": "♦", "C": "♣"}
LETTERS = {symbol: letter for letter, symbol in SYMBOLS.items()}

Figure = Fraction | Decimal | int


@register.filter
def because(reason: str) -> str:
    """Why a result was changed: as it was typed, or in the reader's language when nobody had to type it."""
    given = (ResultChange.AGREED, ResultChange.UNCONTRADICTED)
    return gettext(reason) if reason in given else reason


_HYPHEN = re.compile(r"(?<![\w.])-(?=\d)")


@register.filter
def minus(figures: object) -> str:
    """Figures as a file or a record has them, with the minus sign of our own: `-5.00`, `-3 / 3`."""
    return _HYPHEN.sub(MINUS, str(figures))


@register.filter
def fixed(value: Figure | None, places: int = 2) -> str:
    """A figure with so many decimals, rounded half up from zero, with a minus sign and thin spaces."""
    if value is None:
        return "–"
    fraction = Fraction(value)
    scaled = int(abs(fraction) * 10**places + Fraction(1, 2))
    text = f"{Decimal(scaled).scaleb(-places):,.{places}f}".replace(",", THIN_SPACE)
    return MINUS + text if fraction < 0 and scaled else text


@register.filter
def signed(value: Figure | None, places: int = 0) -> str:
    """The same with a plus sign where it is above 0."""
    text = fixed(value, places)
    return f"+{text}" if value is not None and value > 0 and text.strip("0.") else text


@register.filter
def decimal(value: Decimal) -> str:
    """A decimal without needless zeros: 3, 2.5, 0.33."""
    exact = Decimal(value).quantize(Decimal("0.01"), ROUND_HALF_UP)
    places = 0 if exact == exact.to_integral_value() else 1 if exact == exact.quantize(Decimal("0.1")) else 2
    return fixed(exact, places)


class Ranked(Protocol):
    """Something with a place in a ranking list."""

    rank: int | None
    tied: bool


@register.filter
def rank(place: Ranked) -> str:
    """`3`, `3=` when others share the place, a dash when it is not ranked."""
    if place.rank is None:
        return "–"
    return f"{place.rank}=" if place.tied else str(place.rank)


@register.simple_tag
def suit(letter: str) -> SafeString:
    """A suit, drawn; the character stays in the text for readers and for copying."""
    return _suit(letter)


@cache
def _suit(letter: str) -> SafeString:
    return format_html('<span class="su su-{}">{}\ufe0e</span>', letter.lower(), SYMBOLS[letter])


@register.filter
def contract(result: Result) -> SafeString | str:
    """What was played and how it ended: `4♠X N +1`; or in words why there is no contract."""
    if result.level and result.tricks is not None:
        language = get_language() or ""
        return _contract(
            result.level, result.strain, result.doubling, result.declarer, result.tricks, language
        )
    if result.level == 0:
        return gettext("passed out")
    if result.kind == Result.Kind.NOT_PLAYED:
        return gettext("not played")
    if result.kind == Result.Kind.CUT:
        return gettext("not finished in time")
    return gettext("adjusted") if result.kind == Result.Kind.RULED else "–"


@cache
def _contract(
    level: int, strain: str, doubling: int, declarer: str, tricks: int, language: str
) -> SafeString:
    bid = Contract(level, Strain.from_text(strain), Doubling(doubling))
    return format_html(
        '<span class="ct" role="img" aria-label="{}"><b>{}{}{}</b> <i>{}</i> {}</span>',
        in_words(bid, declarer, tricks),
        level,
        _strain(strain),
        bid.doubling.text,
        declarer,
        result_text(bid, tricks),
    )


def _strain(text: str) -> SafeString | str:
    return _suit(text) if text in SYMBOLS else gettext("NT")


def in_words(bid: Contract, declarer: str, tricks: int) -> str:
    """A contract and its end as one says them: `4 spades doubled by North, one overtrick`."""
    strain = {
        Strain.CLUBS: ngettext("%(level)s club", "%(level)s clubs", bid.level),
        Strain.DIAMONDS: ngettext("%(level)s diamond", "%(level)s diamonds", bid.level),
        Strain.HEARTS: ngettext("%(level)s heart", "%(level)s hearts", bid.level),
        Strain.SPADES: ngettext("%(level)s spade", "%(level)s spades", bid.level),
        Strain.NOTRUMP: ngettext("%(level)s no trump", "%(level)s no trumps", bid.level),
    }[bid.strain] % {"level": bid.level}
    seat = {"N": gettext("North"), "E": gettext("East"), "S": gettext("South"), "W": gettext("West")}[
        declarer
    ]
    said = {
        Doubling.UNDOUBLED: gettext("%(contract)s by %(seat)s"),
        Doubling.DOUBLED: gettext("%(contract)s doubled by %(seat)s"),
        Doubling.REDOUBLED: gettext("%(contract)s redoubled by %(seat)s"),
    }[bid.doubling] % {"contract": strain, "seat": seat}
    over = tricks - bid.tricks_needed
    if over > 0:
        end = ngettext("%(count)s overtrick", "%(count)s overtricks", over) % {"count": over}
    elif over < 0:
        end = ngettext("%(count)s down", "%(count)s down", -over) % {"count": -over}
    else:
        end = pgettext("a contract", "made")
    return gettext("%(contract)s, %(end)s") % {"contract": said, "end": end}


_PAR = re.compile(r"([1-7])(NT|[NSHDC♠♥♦♣])(X{0,2})([NESW]{0,2})((?:[=+-]|−)?\d*)", re.IGNORECASE)


@register.filter
def contracts(text: str) -> SafeString:
    """Contracts in plain text, such as those at par (`4♠N=, 4♠S=`), with their suits drawn."""
    return format_html('<span class="ct">{}</span>', _drawn(text))


@cache
def _drawn(text: str) -> SafeString:
    parts: list[SafeString | str] = []
    end = 0
    for match in _PAR.finditer(text):
        level, strain, doubling, seats, result = match.groups()
        strain = LETTERS.get(strain, strain.upper())
        drawn = _strain("NT" if strain == "N" else strain)
        called = format_html("<b>{}{}{}</b>", level, drawn, doubling.upper())
        by = format_html(" <i>{}</i>", seats) if seats else ""
        parts += [text[end : match.start()], called, by, f" {result}".rstrip().replace("-", MINUS)]
        end = match.end()
    return format_html("{}" * (len(parts) + 1), *parts, text[end:])


@register.filter
def award(value: Award | None) -> str:
    """What the director gave to a side: `A+`, `60 %`, `+620`, `60 % +620 · 40 % −100`."""
    match value:
        case Grade():
            return value.value.replace("-", MINUS)
        case Stated():
            return f"{_plain(value.percent)} %"
        case Mixture():
            if value.score is not None:
                return signed(value.score)
            return " · ".join(f"{_plain(100 * weight)} % {signed(score)}" for weight, score in value.parts)
        case _:
            return ""


def _plain(percent: Fraction) -> str:
    return fixed(percent).rstrip("0").rstrip(".")


@register.filter
def ruled(ruling: Ruling) -> str:
    """What North–South and East–West were given: `A+ / A−`; once where both got the same scores."""
    if ruling.ns == ruling.ew and isinstance(ruling.ns, Mixture):
        return award(ruling.ns)
    return f"{award(ruling.ns)} / {award(ruling.ew)}"


@register.filter
def ruling(result: Result) -> str:
    """The same of a result; nothing when there is no ruling."""
    return ruled(Ruling.from_json(result.ruling)) if result.ruling else ""


@register.filter
def card(text: str) -> SafeString | str:
    """A card such as `HQ`: the suit drawn, then the rank."""
    return _card(text) if len(text) == 2 else ""


@cache
def _card(text: str) -> SafeString:
    return format_html('<span class="ct">{}{}</span>', _suit(text[0]), text[1].replace("T", "10"))


@register.filter
def level_made(tricks: str) -> str:
    """The level that so many tricks (one hexadecimal digit) make, or a dash."""
    level = int(tricks, 16) - 6
    return str(level) if level > 0 else "–"


@register.simple_tag
def bar(points: Figure, longest: Figure) -> SafeString:
    """A bar from the datum line: filled to the right above it, hollow to the left below it."""
    width = int(58 * abs(Fraction(points)) / Fraction(longest)) if longest else 0
    below = points < 0
    return format_html(
        '<svg class="dev" viewBox="0 0 120 16" preserveAspectRatio="none" aria-hidden="true">'
        '<rect class="{}" x="{}" y="3" width="{}" height="10"/><path class="ax" d="M60 0v16"/></svg>',
        "neg" if below else "pos",
        60 - width if below else 60,
        width,
    )
