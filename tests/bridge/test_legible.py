"""Of a line that others read everything can be seen, and no script or sign in use is taken from anybody."""

import pytest

from bridge.errors import BridgeError
from bridge.legible import legible
from bridge.table import check_text


@pytest.mark.parametrize(
    "line",
    [
        "",
        "Zoë Zoe\u0308 Việt e\u0323\u0302",
        "می\u200cخواهم",
        "क्\u200dष",
        "王小明",
        "♠\ufe0f ♥\ufe0e 1\ufe0f\u20e3 ©\ufe0f 🇨🇳",
        "👨🏽\u200d⚕\ufe0f 🏳\ufe0f\u200d🌈 🧑\u200d🤝\u200d🧑",
    ],
)
def test_what_can_be_seen_stays(line: str) -> None:
    assert legible(line) == line
    check_text(line, 100)


@pytest.mark.parametrize(
    ("line", "seen"),
    [
        ("Ve\u200b\u2060\u00ad\ufeffra", "Vera"),
        ("Ve\u200d\u200cra", "Vera"),
        ("\u200eVera\u200f\u061c\u202e\u2066", "Vera"),
        ("Vera\ufe0f\U000e0041\U000e0100", "Vera"),
        ("1\ufe0f", "1"),
        ("Ve\x07ra\x7f\x9d", "Vera"),
        ("Vera\u3164\u115f\u1160\uffa0\u2800", "Vera"),
        ("Ve\ufff0ra\ufff8\ufffc\U0001d159", "Vera"),
        ("\u0301Vera \u0301", "Vera "),
        ("Z" + "\u0301" * 4, "Z\u0301\u0301\u0301"),
        ("♠\ufe0f\ufe0f", "♠\ufe0f"),
        ("♠\u200dVera", "♠Vera"),
        (" \u200b\u3000", ""),
    ],
)
def test_what_nobody_sees_goes(line: str, seen: str) -> None:
    assert legible(line) == seen
    with pytest.raises(BridgeError, match="one line"):
        check_text(line, 100)


def test_a_text_keeps_its_lines_and_tabs() -> None:
    assert legible("one\n\ttwo\r") == "one\n\ttwo"
