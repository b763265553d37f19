"""What holds on every page: keyboard, phones, dark, print, without JavaScript, one language for another."""

from collections.abc import Callable

import pytest
from playwright.sync_api import Browser, Page, expect

PATHS = (
    "/",
    "/help/",
    "/help/scoring/?contract=4SX+N+%2B1",
    "/health/",
    "/events/",
    "/players/",
    "/masterpoints/",
)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_pages_hold_no_barrier(page: Page, scheme: str, axe: Callable[[Page], None]) -> None:
    page.emulate_media(color_scheme=scheme)  # type: ignore[arg-type]
    for path in PATHS:
        page.goto(path)
        axe(page)


def test_nothing_sticks_out_of_a_phone(page: Page) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    for path in (*PATHS, "/accounts/signup/"):
        page.goto(path)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path


def test_the_first_tab_leads_past_the_navigation(page: Page) -> None:
    page.goto("/")
    page.keyboard.press("Tab")
    expect(page.locator(".skip")).to_be_focused()
    expect(page.locator(".skip")).to_be_in_viewport()
    page.keyboard.press("Enter")
    expect(page.locator("main")).to_be_focused()


def test_a_visitor_changes_the_language_and_stays_on_the_page(page: Page) -> None:
    page.goto("/help/scoring/?contract=3NT")
    page.locator(".languages button").click()
    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    assert page.url.endswith("/help/scoring/?contract=3NT")
    page.locator(".languages button").click()
    expect(page.locator("html")).to_have_attribute("lang", "en")


def test_the_calculator_answers_without_loading_the_page(page: Page) -> None:
    page.goto("/help/scoring/")
    page.evaluate("window.stays = true")
    page.locator("[name=contract]").fill("4SX N +1")
    page.locator("[name=vulnerable]").check()
    page.locator("#calculator button").click()
    expect(page.locator("#calculator dd.sum")).to_have_text("+990")
    page.locator("[name=contract]").fill("8S")
    page.locator("#calculator button").click()
    expect(page.locator("#calculator .err")).to_contain_text("from 1 to 7")
    assert page.evaluate("window.stays")


def test_the_calculator_works_without_javascript(browser: Browser, site: str) -> None:
    context = browser.new_context(base_url=site, java_script_enabled=False)
    page = context.new_page()
    page.goto("/help/scoring/")
    page.locator("[name=contract]").fill("6♠XX =")
    page.locator("[name=contract]").press("Enter")
    expect(page.locator("#calculator dd.sum")).to_have_text("+1\u2009620")
    context.close()


def test_print_leaves_the_navigation_out_and_shows_the_suits_character(page: Page) -> None:
    page.goto("/help/scoring/?contract=4S")
    page.emulate_media(media="print")
    expect(page.locator(".nav")).to_be_hidden()
    assert page.locator(".su").first.evaluate("node => getComputedStyle(node).maskImage") == "none"


def test_a_page_that_is_not_there_says_so(
    page: Page, page_errors: list[str], axe: Callable[[Page], None]
) -> None:
    page.goto("/nothing-here/")
    expect(page.locator("h1")).to_have_text("There is nothing at this address")
    axe(page)
    page_errors.clear()
