"""A director brings an event in from a file."""

from collections.abc import Callable
from pathlib import Path

import pytest
from playwright.sync_api import BrowserContext, Page, expect

from apps.users.models import User
from tests.factories import make_user

EVENTS = Path(__file__).parents[1] / "data" / "events"


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("zh-hans", "dark")])
def test_a_director_uploads_a_file_sees_rule_and_differences_and_publishes(
    language: str,
    scheme: str,
    page: Page,
    context: BrowserContext,
    site: str,
    sign_in: Callable[[User], None],
    axe: Callable[[Page], None],
    tmp_path: Path,
) -> None:
    sign_in(make_user("dora", director=True))
    context.add_cookies([{"name": "django_language", "value": language, "url": site}])
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    changed = tmp_path / "butler.xml"
    text = (EVENTS / "butler.xml").read_text().replace("</TOTAL_SCORE>", ".5</TOTAL_SCORE>", 1)
    changed.write_text(text)

    page.goto("/events/import/")
    axe(page)
    page.set_input_files("input[name=file]", changed)
    page.click("main form button.go")
    page.wait_for_url("**/preview/")
    expect(page.locator("#rule + p")).not_to_be_empty()
    expect(page.locator("[role=region][aria-labelledby=differences] tbody tr")).to_have_count(1)
    expect(page.get_by_text("林月白").first).to_be_visible()
    axe(page)

    page.fill("input[name=title]", "Harbour Butler")
    page.click("form[action$='/publish/'] button")
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Butler")
    expect(page.locator(".bar[role=status]").first).to_be_visible()
    page.goto("/events/")
    expect(page.get_by_role("link", name="Harbour Butler")).to_be_visible()


def test_a_bad_file_shows_its_sentence_and_the_form_stays(
    page: Page,
    page_errors: list[str],
    sign_in: Callable[[User], None],
    axe: Callable[[Page], None],
    tmp_path: Path,
) -> None:
    sign_in(make_user("dora", director=True))
    broken = tmp_path / "butler.xml"
    broken.write_bytes((EVENTS / "butler.xml").read_bytes()[:5000])
    page.goto("/events/import/")
    page.set_input_files("input[name=file]", broken)
    page.click("main form button.go")
    expect(page.get_by_role("alert")).to_contain_text("The file breaks off here.")
    expect(page.get_by_role("alert")).to_contain_text("Line ")
    axe(page)
    assert all("422" in error for error in page_errors)  # the browser notes the status of a refused form
    page_errors.clear()


def test_unusual_boards_and_doubtful_results_are_shown_and_ticked_before_publication(
    page: Page,
    sign_in: Callable[[User], None],
    axe: Callable[[Page], None],
    tmp_path: Path,
) -> None:
    sign_in(make_user("dora", director=True))
    rows = "".join(f"{number} {number + 10} 4S W 10\n" for number in range(1, 6))
    home = tmp_path / "home.pbn"
    home.write_text(
        '[Event "Home"]\n[Board "2"]\n[Dealer "N"]\n[Vulnerable "NS"]\n[Scoring "MP"]\n'
        f'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n{rows}6 16 4S N 10\n'
    )
    page.goto("/events/import/")
    page.set_input_files("input[name=file]", home)
    page.click("main form button.go")
    page.wait_for_url("**/preview/")
    doubts = page.locator("[role=region][aria-labelledby=doubts] tbody tr")
    expect(doubts).to_have_count(2)  # far from the field, and by the other side
    axe(page)
    doubts.first.get_by_role("button", name="I have asked").click()
    expect(doubts.get_by_role("button")).to_have_count(1)
    axe(page)
    page.click("form[action$='/publish/'] button")
    expect(page.locator("input[name=conditions_checked]:invalid")).to_have_count(1)
    page.check("input[name=conditions_checked]")
    page.click("form[action$='/publish/'] button")
    expect(page.get_by_role("heading", level=1)).to_have_text("Home")


def test_a_file_that_is_too_large_is_answered_with_a_sentence_and_not_with_a_broken_line(
    page: Page, page_errors: list[str], sign_in: Callable[[User], None], tmp_path: Path
) -> None:
    sign_in(make_user("dora", director=True))
    huge = tmp_path / "huge.xml"
    with huge.open("wb") as file:
        file.truncate(45 * 2**20)
    page.goto("/events/import/")
    page.set_input_files("input[name=file]", huge)
    page.click("main form button.go")
    expect(page.get_by_role("alert")).to_contain_text("events are not larger than 20 MB")
    assert all("422" in error for error in page_errors)
    page_errors.clear()
