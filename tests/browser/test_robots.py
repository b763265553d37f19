"""A visitor without an account plays a board with robots on a phone: from the click to what could have been made of it."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Browser, BrowserContext, Page, expect

from apps.boards.services import solve_plays, solve_unsolved
from apps.users.models import User
from tests.browser.conftest import PHONE, ROOT, watch
from tests.browser.test_chinese import left_in_english, ours
from tests.browser.test_table import ON_TURN, assert_fits, lay
from tests.faults.test_worker import database_url

pytestmark = pytest.mark.django_db(transaction=True)

__all__ = ["ours"]
AT_ONCE = 10_000  # milliseconds from the click until the first call can be made
WHAT_TO_DO = """() => {
  const table = document.querySelector("#table");
  const shown = (selector) => [...table.querySelectorAll(selector)].some((each) => each.offsetParent);
  if (table.dataset.phase === "over") return "over";
  if (shown("#claim-request [data-answers]")) return "claim";
  if (shown("#undo-request [data-answers]")) return "undo";
  return table.classList.contains("on-turn") && table.dataset.phase;
}"""


@pytest.fixture
def robots(live: None, tmp_path: Path) -> Iterator[None]:
    """The process that thinks for the robots, on the database of the test."""
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "ROBOT_SAMPLES": "0",
    }
    with (tmp_path / "robots").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "-m", "django", "robots"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
        while "the robots are there" not in (tmp_path / "robots").read_text():
            assert process.poll() is None, (tmp_path / "robots").read_text()
            time.sleep(0.1)
        yield
        assert process.poll() is None, (tmp_path / "robots").read_text()
        process.terminate()
        process.wait(20)


@pytest.fixture
def visitor(browser: Browser, site: str, page_errors: list[str]) -> Iterator[Callable[[str], Page]]:
    """Nobody that the site knows, on a phone, in some language."""
    contexts: list[BrowserContext] = []

    def visitor(locale: str) -> Page:
        contexts.append(browser.new_context(base_url=site, locale=locale, reduced_motion="reduce", **PHONE))
        contexts[-1].set_default_timeout(20_000)
        page = contexts[-1].new_page()
        watch(page, page_errors)
        return page

    yield visitor
    for context in contexts:
        context.close()
    assert not page_errors, "\n".join(page_errors)


def bid_something(page: Page) -> None:
    """The lowest bid there is at first, and then a pass: somebody plays the board."""
    first = page.locator("[data-level]:not([hidden]) [data-call]:not([aria-disabled])").first
    bids = page.evaluate("[...document.querySelectorAll('#auction tbody td')].map((cell) => cell.innerText)")
    chosen = page.locator("[data-call='Pass']") if len(bids) > 4 else first
    chosen.click()
    page.locator("#confirm").click()


def play_to_the_end(page: Page) -> None:
    while (what := page.wait_for_function(WHAT_TO_DO, timeout=30_000, polling=100).json_value()) != "over":
        if what == "auction":
            bid_something(page)
        elif what == "play":
            lay(page)
        else:
            page.locator(f"#{what}-request [data-answers] .go").click()
            expect(page.locator(f"#{what}-request [data-answers]")).to_be_hidden()
        page.wait_for_timeout(50)


def test_a_visitor_plays_a_whole_board_with_robots_and_looks_at_it_again_in_both_languages(
    robots: None,
    visitor: Callable[[str], Page],
    axe: Callable[[Page], None],
    ours: list[re.Pattern[str]],
) -> None:
    english = visitor("en-GB")
    play_now(english, "en")
    look_again(english)
    axe(english)
    chinese = visitor("zh-CN")
    play_now(chinese, "zh-Hans")
    look_again(chinese)
    assert not left_in_english(chinese, ours)
    assert User.objects.filter(is_guest=True).count() == 2


def play_now(page: Page, language: str) -> None:
    """From the click on the first page to the end of the board."""
    page.goto("/")
    assert page.locator("html").get_attribute("lang") == language
    assert_fits(page)
    page.locator(".play-now").click()
    expect(page.locator(ON_TURN)).to_be_visible(timeout=AT_ONCE)
    expect(page.locator(".plate .robot")).to_have_count(3)
    expect(page.locator("[data-me=S] .seat[data-seat=S] button.card")).to_have_count(13)
    assert_fits(page)
    play_to_the_end(page)


def look_again(page: Page) -> None:
    """What could have been made of it, as the solver answers; and from the first call on once more."""
    page.locator("#ending .again").click()
    expect(page.locator("#sum")).to_be_visible()
    solve_plays()
    solve_unsolved()
    expect(page.locator("[hx-trigger]")).to_have_count(0)  # the page has asked again by itself
    assert_fits(page)
    page.locator(".told tbody th a").first.click()
    expect(page.locator("#moment")).to_be_visible()
    assert_fits(page)
    again = page.context.new_page()
    again.goto(page.url)
    again.locator("#moment form button").click()
    expect(again.locator(ON_TURN)).to_be_visible(timeout=AT_ONCE)
    again.close()
