"""What can be seen of a line: signs that show nothing hide a name in a name, or words from those who should read them."""

from itertools import pairwise
from unicodedata import category

MOST_MARKS = 3  # on one letter, one above the other
_BLANKS = frozenset(
    "\u115f\u1160\u2065\u2800\u3164\uffa0\ufff0\ufff1\ufff2\ufff3\ufff4\ufff5\ufff6\ufff7\ufff8\ufffc"
    "\U00013441\U00013442\U00016fe4\U0001d159"
)
"""Letters and signs that show nothing, and places kept for such."""
_JOINERS = frozenset("\u200c\u200d")
_TEXT_OR_EMOJI = frozenset("\ufe0e\ufe0f")
_SELECTORS = frozenset(map(chr, (0x34F, 0x17B4, 0x17B5, *range(0x180B, 0x1810), *range(0xFE00, 0xFE10))))
_KEYCAP = "\u20e3"
_LAYOUT = frozenset("\t\n")  # the only control characters that a text has


def legible(line: str) -> str:
    r"""The line without what nobody sees or what turns the letters of others round; empty when nothing is to be seen.

    Signs that join stay between letters of scripts that join, and within emoji.

    >>> legible("Ve\u200bra ♠"), legible("\u2060 \u00ad")
    ('Vera ♠', '')
    """
    if line.isascii() and line.isprintable():
        return line if line.strip() else ""
    kept = [""]
    marks = 0
    for sign, behind in pairwise(f"{line} "):
        before = kept[-1]
        marks = marks + 1 if category(sign) in ("Mn", "Me") else 0
        if sign in _JOINERS:
            seen = _joins(before) and _joins(behind)
        elif sign in _TEXT_OR_EMOJI:
            seen = _is_emoji(before) or (before in "0123456789#*" and behind == _KEYCAP)
        elif sign in _BLANKS or sign in _SELECTORS or "\U000e0000" <= sign <= "\U000e0fff":
            seen = False
        elif marks:
            seen = before != "" and not before.isspace() and marks <= MOST_MARKS
        else:
            seen = sign in _LAYOUT or category(sign) not in ("Cc", "Cf")
        if seen:
            kept.append(sign)
    return "".join(kept) if any(category(sign)[0] not in "CZ" for sign in kept[1:]) else ""


def unknown_sign(line: str) -> str | None:
    r"""The first sign of a line of which nobody can say how it looks: Unicode has none there, or leaves it to anybody.

    Emoji and Chinese characters may be younger than the Python that reads them here.

    >>> unknown_sign("Vera\ue000"), unknown_sign("Vera \U0001fae9")
    ('\ue000', None)
    """
    unknown = (sign for sign in line if category(sign) in ("Cn", "Co") and not _is_young(sign))
    return next(unknown, None)


def _is_young(sign: str) -> bool:
    return _is_emoji(sign) or "\U00020000" <= sign <= "\U0003fffd"


def _is_emoji(sign: str) -> bool:
    if not sign or sign < "\u2000":
        return sign in ("©", "®")
    return category(sign) in ("So", "Sm", "Sk") or sign in "‼⁉〰" or "\U0001f000" <= sign <= "\U0001faff"


def _joins(sign: str) -> bool:
    """Whether something can be joined to it: a letter from Arabic to the scripts of India and beyond, or an emoji."""
    letter = "\u0600" <= sign <= "\u1cff" and category(sign)[0] in "LM" and sign not in _SELECTORS
    return letter or sign == "\ufe0f" or _is_emoji(sign)
