"""What the page of a table is made of."""

import re
from pathlib import Path

from apps.masterpoints.titles import NAMES

ROOT = Path(__file__).resolve().parents[2]
SCRIPTS = sorted((ROOT / "apps/tables/static/tables").glob("*.js"))
TEMPLATES = sorted((ROOT / "templates/tables").glob("*.html"))
WORDS = re.findall(r'data-word="([^"]+)"', (ROOT / "templates/tables/_words.html").read_text())


def plain(key: str) -> str:
    """A sentence's key, without its form for one or for many."""
    return re.sub(r"\.(one|other)$", "", key)


def test_the_template_has_every_sentence_that_the_scripts_ask_for() -> None:
    source = "".join(path.read_text() for path in SCRIPTS)
    asked = set(re.findall(r'\b(?:word|sentence|counted|refuse)\("([^"]+)"', source))
    assert len(asked) > 50
    assert asked <= {plain(key) for key in WORDS}


def test_no_sentence_of_the_template_is_left_over() -> None:
    source = (
        "".join(path.read_text() for path in SCRIPTS) + (ROOT / "templates/tables/table.html").read_text()
    )
    names = set(re.findall(r'"([\w. ]+)"', source))
    starts = {start for start in re.findall(r"`([\w.]+)\$", source) if start}
    assert len(set(WORDS)) == len(WORDS)
    for key in map(plain, WORDS):
        parts = {key, key.rpartition(".")[0], f".{key.rpartition('.')[2]}"}
        assert parts & names or any(key.startswith(start) for start in starts), key


def test_the_template_names_every_title_that_stands_beside_a_player() -> None:
    assert {f"title.{name}" for name in NAMES[1:]} == {key for key in WORDS if key.startswith("title.")}


def test_every_place_that_the_scripts_look_for_is_on_the_page() -> None:
    source = "".join(path.read_text() for path in SCRIPTS)
    asked = set(re.findall(r'"#([a-z-]+)', source))
    there = set(re.findall(r' id="([a-zA-Z-]+)"', "".join(path.read_text() for path in TEMPLATES)))
    assert len(asked) > 50
    assert asked - there == {"view", "settings"}  # which Django writes
