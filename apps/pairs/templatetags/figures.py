"""How the points of pairs are written and shaded, and their names."""

from collections.abc import Sequence
from decimal import Decimal
from fractions import Fraction
from functools import cache
from typing import Protocol

from django import template
from django.urls import reverse
from django.utils.html import escape
from django.utils.safestring import SafeString, mark_safe
from django.utils.translation import gettext as _
from django.utils.translation import ngettext

from apps.pairs.models import Swiss
from apps.pairs.selectors import CrossRow, Pair, Player
from apps.results.templatetags.notation import fixed, signed
from apps.users.names import DASH
from apps.users.templatetags.names import bdi, flag, in_text, together

register = template.Library()

Exact = Fraction | Decimal | int


@register.filter
def short(value: Exact | None) -> str:
    """A figure with as many decimals as it needs, two at the most: 12, 12.5, 12.33."""
    return "" if value is None else fixed(value).rstrip("0").rstrip(".")


@register.filter
def planned(swiss: Swiss) -> str:
    """`6 rounds of 4 boards`."""
    rounds = ngettext("%(count)s round", "%(count)s rounds", swiss.rounds) % {"count": swiss.rounds}
    boards = ngettext("%(count)s board", "%(count)s boards", swiss.boards) % {"count": swiss.boards}
    return _("%(rounds)s of %(boards)s") % {"rounds": rounds, "boards": boards}


@register.filter
def plus(value: Exact | None) -> str:
    """The same with its sign."""
    return "" if value is None else signed(value, 2).rstrip("0").rstrip(".")


@register.filter
def imps(value: Exact | None, usual: int) -> str:
    """IMPs with their sign and the usual decimals, or more where they need them, two at the most: +6, +4.2."""
    return max(plus(value), signed(value, usual), key=len) if value is not None else ""


@register.filter
def taken(penalty: Exact) -> str:
    """A penalty as it stands in a sum: `−2`; `+3` when the director gave points."""
    return plus(-penalty)


@register.filter
def shade(percent: Exact | None) -> str:
    """The class that shades a percentage: top, good, poor, bottom."""
    if percent is None or percent == 50:
        return ""
    if percent > 50:
        return "sh-top" if percent >= 100 else "sh-hi"
    return "sh-bot" if percent <= 0 else "sh-lo"


@register.filter
def shade_imps(imps: Exact | None) -> str:
    """The class that shades IMPs: ten and more are a top or a bottom."""
    if not imps:
        return ""
    if imps > 0:
        return "sh-top" if imps >= 10 else "sh-hi"
    return "sh-bot" if imps <= -10 else "sh-lo"


@cache
def _players() -> str:
    """The address of a player's page up to his number: asked for once, for it is written a thousand times a page."""
    return reverse("pages:player", args=[0]).removesuffix("0/")


@register.simple_tag
def player_link(pk: int, name: str, country: str = "") -> SafeString:
    """A player's name, a link to his page; before it his flag."""
    return mark_safe(f'{flag(country)}<a href="{_players()}{pk}/">{bdi(name)}</a>')  # noqa: S308 - the name is escaped


@register.simple_tag
def names(pair: Pair, *, flags: bool = False) -> SafeString:
    """The players of a pair, each a link to his page; the pair's number when nobody is named."""
    links = [player_link(player.pk, player.name, player.country if flags else "") for player in pair.players]
    return mark_safe(DASH.join(links)) if links else escape(pair.label)  # noqa: S308 - made of safe parts


class Named(Protocol):
    """A pair as any of our pages knows it."""

    @property
    def label(self) -> str: ...

    @property
    def players(self) -> Sequence[Player]: ...


@register.filter
def who(pair: Named) -> SafeString:
    """The players of a pair without links; the pair's number when nobody is named."""
    return together(player.name for player in pair.players) or escape(pair.label)


@register.filter
def who_in_text(pair: Named) -> str:
    """The same where no markup can stand: a title, an attribute."""
    return in_text(player.name for player in pair.players) or pair.label


@register.simple_tag
def encounters(row: CrossRow, columns: Sequence[Pair]) -> SafeString:
    """The cells of a line of the cross-table, made in one go: a table has thousands."""
    cells = []
    for column, met in zip(columns, row.cells, strict=True):
        mine = " mine" if column.own else ""
        if column.pk == row.line.pair.pk:
            cells.append('<td class="n self"></td>')
        elif met is None:
            cells.append(f'<td class="n quiet{mine}">·</td>')
        elif met.percent is not None:
            cells.append(f'<td class="n {shade(met.percent)}{mine}">{short(met.points)}</td>')
        else:
            cells.append(f'<td class="n {shade(50 + met.points)}{mine}">{plus(met.points)}</td>')
    return mark_safe("".join(cells))  # noqa: S308 - figures only


@register.filter
def turned(score: int) -> int:
    """A score from the other side."""
    return -score
