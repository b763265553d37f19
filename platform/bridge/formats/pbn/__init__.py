"""PBN 2.1: single boards with auction and play, and pairs events whose boards carry a ScoreTable.

lexer     text -> records of tags
facts     what the tags say, one value at a time
games     a record -> a game
events    records with score tables -> a pairs event
writing   games and events -> bytes
"""

import re

from bridge.formats.pbn.events import read, read_boards, scoring_of
from bridge.formats.pbn.games import read_games
from bridge.formats.pbn.writing import write, write_event

_TAG = re.compile(rb'^[ \t]*\[[ \t]*\w+[ \t]*"', re.MULTILINE)


def looks_like_pbn(data: bytes) -> bool:
    """Whether the bytes hold a line such as `[Board "1"]`, or begin as PBN does."""
    return data.lstrip(b"\xef\xbb\xbf").startswith(b"% PBN") or bool(_TAG.search(data.replace(b"\x00", b"")))


__all__ = ["looks_like_pbn", "read", "read_boards", "read_games", "scoring_of", "write", "write_event"]
