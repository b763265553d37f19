"""What the scripts of the site leave in a browser: nothing that a neighbour could read there."""

import re
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted(path for path in (ROOT / "apps").glob("*/static/**/*.js"))
LEFT_BEHIND = re.compile(
    r"\bconsole\s*\.|\bdebugger\b|sourceMappingURL|\b(?:window|globalThis)\.\w+\s*=[^=]|"
    r"\b(?:localStorage|sessionStorage|indexedDB|caches)\b|\bdocument\.cookie\s*="
)
KEPT = {
    "preferences.js": {"localStorage"},  # what a player likes at the table, such as sounds
    "hours.js": {"document.cookie ="},  # the zone of the device
}


@pytest.mark.parametrize("path", SCRIPTS, ids=lambda path: path.name)
def test_no_script_writes_cards_where_the_browser_shows_or_keeps_them(path: Path) -> None:
    found = {match[0] for match in LEFT_BEHIND.finditer(path.read_text("utf-8"))}
    assert found <= KEPT.get(path.name, set())


@pytest.mark.parametrize(
    "line",
    [
        "console.log(view.board.hands);",
        "  debugger;",
        "//# sourceMappingURL=table.js.map",
        "window.view = view;",
        'localStorage.setItem("view", JSON.stringify(view));',
        "caches.open('views')",
    ],
)
def test_what_is_left_behind_is_found(line: str) -> None:
    assert LEFT_BEHIND.search(line)


def test_all_scripts_are_looked_at() -> None:
    assert {"table.js", "transport.js", "hand.js"} <= {path.name for path in SCRIPTS}
