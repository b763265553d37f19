"""Names in a text without markup, such as a title, an attribute or a mail."""

from unicodedata import bidirectional

DASH = " – "


def isolated(name: str) -> str:
    """A name that is written from right to left, between the marks that are `<bdi>` to Unicode; any other as it is."""
    return f"\u2068{name}\u2069" if any(bidirectional(letter) in ("R", "AL") for letter in name) else name
