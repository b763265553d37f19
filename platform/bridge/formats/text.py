"""Bytes to text. A file is read in the encoding it declares, else as UTF-8; letters are never guessed or replaced.

Text comes out composed (Unicode's form C), so that one name is one name however it was typed.
"""

import codecs
import re
from unicodedata import normalize

from bridge.formats.records import RecordError

_MARKS = (
    (codecs.BOM_UTF8, "utf-8"),
    (codecs.BOM_UTF16_LE, "utf-16-le"),
    (codecs.BOM_UTF16_BE, "utf-16-be"),
)
_NO_LETTER = re.compile("[\0\ud800-\udfff]")  # a database keeps neither
_XML_ENCODING = re.compile(rb"""\A\s*<\?xml[^>]*?encoding\s*=\s*["']([A-Za-z0-9._-]+)["']""")
_PBN_CHARSET = re.compile(rb"^%[ \t]*content-type:[^\r\n]*?charset\s*=\s*\"?([A-Za-z0-9._-]+)", re.I | re.M)


def read_text(data: bytes, declared: str | None = None) -> str:
    """The text of a file.

    Args:
        data: Its bytes.
        declared: The encoding it declares or a person named; a byte order mark goes before it.

    Raises:
        RecordError: An encoding that nobody knows, or bytes that are no letters in it, with the line.
    """
    for mark, name in _MARKS:
        if data.startswith(mark):
            data, declared = data[len(mark) :], name
            break
    try:
        text = data.decode(declared or "utf-8")
    except LookupError:
        raise RecordError("The encoding “%(name)s” is not known.", 1, name=declared) from None
    except UnicodeError as error:
        start = error.start if isinstance(error, UnicodeDecodeError) else 0
        line = _line_of(data[:start])
        if declared is None:
            raise RecordError(
                "These letters are not UTF-8, and the file does not say its encoding.", line
            ) from None
        raise RecordError(
            "These letters are not %(name)s, which the file says it is.", line, name=declared
        ) from None
    text = text.removeprefix("\ufeff")
    if nothing := _NO_LETTER.search(text):
        raise RecordError(
            "The file holds something here that is no letter.", text.count("\n", 0, nothing.start()) + 1
        )
    if "\ufffd" in text:
        lost = _line_of(text[: text.index("\ufffd")].encode())
        raise RecordError("A letter was lost here (�) before the file came to us.", lost)
    return normalize("NFC", text)


def declared_in_xml(data: bytes) -> str | None:
    """The encoding in an XML declaration."""
    match = _XML_ENCODING.match(data[:400])
    return match.group(1).decode("ascii") if match else None


def declared_in_pbn(data: bytes) -> str | None:
    """The charset in a line such as `%Content-type: text/x-pbn; charset=ISO-8859-1`.

    A file that begins with `% PBN` and says no charset is Latin-1 by PBN's standard, unless it is UTF-8.
    """
    match = _PBN_CHARSET.search(data[:4000])
    if match:
        return match.group(1).decode("ascii")
    try:
        data.decode()
    except UnicodeDecodeError:
        return "iso-8859-1" if data.lstrip().startswith(b"% PBN") else None
    return None


def _line_of(before: bytes) -> int:
    return len(before.replace(b"\r\n", b"\n").replace(b"\r", b"\n").split(b"\n"))
