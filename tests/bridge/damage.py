"""Damaged files, and what a reader says of them."""

from collections.abc import Callable
from random import Random

from bridge.formats.records import RecordError


def refusal(read: Callable[[bytes], object], data: bytes) -> RecordError | None:
    """Why a file is refused; None when it is read. No other error may come out."""
    try:
        read(data)
    except RecordError as error:
        return error
    return None


def mutants(data: bytes, count: int, seed: int) -> list[bytes]:
    """The file with bytes changed, left out, doubled, cut off, and pieces of it in other places."""
    draw = Random(seed)
    pieces = [
        b'"',
        b"[",
        b"]",
        b"{",
        b"}",
        b";",
        b"%",
        b"#",
        b"\\",
        b"\n\n",
        b"=1=",
        b"AP",
        b"*",
        b"-",
        b"|",
        b"\xff",
        b"9" * 30,
    ]
    found = []
    for _ in range(count):
        text = bytearray(data)
        for _ in range(draw.randint(1, 6)):
            start = draw.randrange(len(text) + 1)
            end = min(len(text), start + draw.choice([0, 1, 1, 3, 20, 200]))
            other = draw.randrange(len(text) + 1)
            text[start:end] = draw.choice(
                [draw.choice(pieces), bytes([draw.randrange(256)]), bytes(text[other : other + 30]), b""]
            )
        found.append(bytes(text))
    return found
