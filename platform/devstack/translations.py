"""The catalogue of translations without GNU gettext: Babel reads, writes and compiles, Django makes templates readable.

Compiling needs no settings; extracting needs Django's, for its templates.
"""

import os
import re
from collections.abc import Iterator
from io import BytesIO
from pathlib import Path

from babel.messages.catalog import Catalog, Message
from babel.messages.extract import DEFAULT_KEYWORDS, extract
from babel.messages.mofile import write_mo
from babel.messages.pofile import read_po, write_po

from devstack.state import ROOT

LOCALE = ROOT / "platform" / "locale"
LANGUAGE = "zh_Hans"
CATALOGUE = LOCALE / LANGUAGE / "LC_MESSAGES" / "django.po"
HEADER = "# Datum in Simplified Chinese. `deploy/manage messages` keeps the entries, people write the translations."
KEYWORDS = DEFAULT_KEYWORDS | {
    f"{name}_lazy": DEFAULT_KEYWORDS[name] for name in ("gettext", "ngettext", "pgettext", "npgettext")
}
KEYWORDS["gettext_noop"] = DEFAULT_KEYWORDS["gettext"]
KEYWORDS["counted"] = DEFAULT_KEYWORDS["ngettext"]
# What bridge finds wrong is said in English there and translated where it is shown.
ERRORS = (
    "BridgeError",
    "Closed",
    "DealingError",
    "Fault",
    "IllegalAction",
    "IllegalCall",
    "IllegalCard",
    "ImpossibleAward",
    "ImpossibleContract",
    "ImpossibleDeal",
    "ImpossibleResult",
    "Malformed",
    "PairingError",
    "Reason",
    "RecordError",
    "Refused",
    "Sentence",
    "Stale",
)
KEYWORDS |= dict.fromkeys(ERRORS)
PLACEHOLDER = re.compile(r"%\(\w+\)[a-z]|\{\w*(?:[.:!][^}]*)?\}|%[sd]|</?\w+[^>]*>")


def compile_catalogues() -> None:
    """Write each .mo that is older than its .po; by a rename, for servers read it."""
    for source in LOCALE.glob("*/LC_MESSAGES/*.po"):
        target = source.with_suffix(".mo")
        if target.exists() and target.stat().st_mtime_ns >= source.stat().st_mtime_ns:
            continue
        new = target.with_suffix(f".{os.getpid()}")
        with source.open("rb") as read, new.open("wb") as write:
            write_mo(write, read_po(read, locale=source.parts[-3]))
        os.replace(new, target)


def sources() -> Iterator[Path]:
    for folder, pattern in (
        ("apps", "*.py"),
        ("platform", "*.py"),
        ("templates", "*"),
        ("apps", "templates/**/*"),
    ):
        yield from (
            path
            for path in sorted((ROOT / folder).rglob(pattern))
            if path.is_file() and path.suffix != ".pyc"
        )


def extracted() -> Catalog:
    """All sentences of the source. Files are named, lines are not: they would change with every edit."""
    from django.utils.translation import templatize

    catalogue = Catalog(locale=LANGUAGE, charset="utf-8")
    for path in sources():
        content = path.read_text(encoding="utf-8")
        if path.suffix != ".py":
            lines = templatize(content, origin=str(path)).splitlines()
            content = "\n".join(line.lstrip() for line in lines)  # indented as HTML is, which Python refuses
        place = (path.relative_to(ROOT).as_posix(), 1)
        file = BytesIO(content.encode())
        for _line, sentence, comments, context in extract("python", file, KEYWORDS, ["Translators:"]):
            catalogue.add(sentence, locations=[place], auto_comments=comments, context=context)
    return catalogue


def stored() -> Catalog:
    if not CATALOGUE.exists():
        return Catalog(locale=LANGUAGE, charset="utf-8")
    with CATALOGUE.open("rb") as file:
        return read_po(file, locale=LANGUAGE)


def updated() -> bytes:
    """What the catalogue should be: every sentence of the source, each with the translation it has already."""
    new, old = extracted(), stored()
    for message in new:
        if not message.id:
            continue
        known = old.get(_key(message), message.context)
        if known and known.pluralizable == message.pluralizable:
            message.string = known.string
            message.user_comments = known.user_comments
            message.flags |= known.flags & {"fuzzy"}
    text = BytesIO()
    write_po(text, new, omit_header=True, sort_output=True, include_lineno=False, width=110)
    return f"{HEADER}\n{_head(new)}\n".encode() + text.getvalue().strip() + b"\n"


def _head(catalogue: Catalog) -> str:
    fields = {
        "Language": LANGUAGE,
        "MIME-Version": "1.0",
        "Content-Type": "text/plain; charset=utf-8",
        "Content-Transfer-Encoding": "8bit",
        "Plural-Forms": catalogue.plural_forms,
    }
    lines = "\n".join(f'"{name}: {value}\\n"' for name, value in fields.items())
    return f'msgid ""\nmsgstr ""\n{lines}\n'


def _key(message: Message) -> str:
    return message.id if isinstance(message.id, str) else message.id[0]


def update() -> bool:
    """Write the catalogue; whether it changed."""
    new = updated()
    if CATALOGUE.exists() and CATALOGUE.read_bytes() == new:
        return False
    CATALOGUE.parent.mkdir(parents=True, exist_ok=True)
    CATALOGUE.write_bytes(new)
    return True


def faults() -> list[str]:
    """What keeps the catalogue from being complete and current, a sentence each."""
    found = []
    if not CATALOGUE.exists() or CATALOGUE.read_bytes() != updated():
        found.append("The catalogue is not what the source says: run `deploy/manage messages`.")
    for message in stored():
        if not message.id:
            continue
        written = [message.string] if isinstance(message.string, str) else list(message.string or [])
        if message.fuzzy:
            found.append(f"Unsure: {_key(message)!r}")
        if not all(written):
            found.append(f"Not translated: {_key(message)!r}")
        elif not _same_placeholders(message, written):
            found.append(f"Other placeholders than the source: {_key(message)!r}")
    return found


def _same_placeholders(message: Message, written: list[str]) -> bool:
    """Compared with the plural, where there is one: a language with one form uses that."""
    source = message.id if isinstance(message.id, str) else message.id[-1]
    wanted = sorted(PLACEHOLDER.findall(source))
    return all(sorted(PLACEHOLDER.findall(text)) == wanted for text in written)
