"""The countries of the world under their codes of ISO 3166: what they are called in the reader's language, their flags."""

import unicodedata
from collections.abc import Mapping
from functools import cache

from babel import Locale
from django.conf import settings
from django.utils.translation import get_language, to_locale

_NO_COUNTRIES = {"AC", "CP", "CQ", "DG", "EA", "EU", "EZ", "IC", "QO", "TA", "UN", "XA", "XB", "ZZ"}
"""What CLDR has a name for beside countries: parts of one, unions of many, and words for programs."""

_FIRST_LETTER = 0x1F1E6  # the regional indicator A


def country_name(code: str) -> str:
    """What a country is called in the reader's language; its code, when no country has that any more."""
    return _names(get_language() or settings.LANGUAGE_CODE).get(code, code)


def country_choices() -> list[tuple[str, str]]:
    """Every country, in the order of its name in the reader's language."""
    return list(_names(get_language() or settings.LANGUAGE_CODE).items())


def flag_of(code: str) -> str:
    """The flag, as Unicode writes it with the letters of the code."""
    return "".join(chr(_FIRST_LETTER + ord(letter) - ord("A")) for letter in code)


@cache
def _names(language: str) -> Mapping[str, str]:
    named = Locale.parse(to_locale(language)).territories.items()
    countries = [(code, name) for code, name in named if len(code) == 2 and code not in _NO_COUNTRIES]
    return dict(sorted(countries, key=lambda country: place_in_list(country[1])))


def place_in_list(name: str) -> tuple[str, bytes]:
    """Where a name stands among others: without its accents, and Chinese characters by their sound, as GB 2312 has them."""
    letters = (letter for letter in unicodedata.normalize("NFKD", name) if not unicodedata.combining(letter))
    plain = "".join(letters).casefold()
    return ("", plain.encode("gb18030")) if plain[0] > "\u2e80" else (plain, b"")
