"""What a visitor does with published events, in a real browser."""

import re
from collections.abc import Callable
from pathlib import Path
from typing import Literal

import pytest
from django.contrib.staticfiles import finders
from django.urls import reverse
from django.utils import translation
from django.utils.translation import gettext
from playwright.sync_api import Browser, BrowserContext, Page, expect

from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.results.models import Result
from apps.results.services import change_result
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from tests.factories import Entry, make_event

pytestmark = pytest.mark.django_db(transaction=True)

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
SCORES: list[Entry] = ["4S N =", "4S N +1", "3NT S -1", "2S N +2", "4SX N -1", "4S N ="]


@pytest.fixture
def event() -> Event:
    event = make_event([SCORES, SCORES[::-1]], method=Method.BUTLER, deals={1: DEAL}, title="Orchid Trophy")
    ruled = Result.objects.filter(field_board__field=event.field).latest("pk")
    change_result(result_id=ruled.pk, by=None, reason="A hesitation.", ruling=Ruling(Grade.PLUS, Grade.MINUS))
    ruled.ns.penalties.create(points=1, reason="Late")
    publish_event(event_id=event.pk, by=None)
    return event


@pytest.fixture
def addresses(event: Event) -> list[str]:
    pages = ["event", "scorecards", "cross_table", "travellers", "all_travellers", "boards", "about"]
    return [
        reverse("pairs:events"),
        *(reverse(f"pairs:{page}", args=[event.pk]) for page in pages),
        reverse("pairs:scorecard", args=[event.pk, 1]),
        reverse("pairs:board", args=[event.pk, 1, 1]),
        reverse("masterpoints:ranking"),
        reverse("pages:players"),
    ]


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("zh-hans", "dark")])
def test_a_visitor_finds_an_event_a_score_card_and_a_board(
    page: Page,
    context: BrowserContext,
    site: str,
    event: Event,
    language: str,
    scheme: Literal["light", "dark"],
) -> None:
    context.add_cookies([{"name": "django_language", "value": language, "url": site}])
    page.emulate_media(color_scheme=scheme)

    def said(words: str, **params: object) -> str:
        with translation.override(language):
            return gettext(words) % params

    page.goto("/")
    page.get_by_role("link", name=said("Events"), exact=True).first.click()
    page.get_by_role("searchbox").fill("orchid")
    page.get_by_role("button", name=said("Find")).click()
    page.get_by_role("link", name="Orchid Trophy").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Orchid Trophy")

    page.get_by_role("link", name=said("Score cards"), exact=True).click()
    expect(page).to_have_url(re.compile(rf"/events/{event.pk}/pairs/$"))
    page.get_by_role("link", name="Nora 1 – Sue 1").click()
    expect(page.get_by_role("heading", level=2)).to_contain_text("Nora 1 – Sue 1")

    page.get_by_role("rowheader", name="2", exact=True).get_by_role("link").click()
    expect(page.get_by_role("heading", level=2).first).to_contain_text(said("Board %(number)s", number=2))
    page.get_by_role("link", name=f"‹ {said('Board %(number)s', number=1)}").click()
    expect(page.get_by_text("K Q 7 4")).to_be_visible()
    expect(page.locator("tr.datum")).to_contain_text(said("Datum"))
    assert said("Datum") == {"en": "Datum", "zh-hans": "基准分"}[language]


def test_the_tabs_work_from_the_keyboard_alone(page: Page, event: Event) -> None:
    page.goto(event.get_absolute_url())
    page.keyboard.press("Tab")
    expect(page.get_by_role("link", name="Skip to content")).to_be_focused()
    page.keyboard.press("Enter")
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("document.activeElement.textContent.trim()") == "Travellers":
            break
    page.keyboard.press("Enter")
    expect(page.get_by_role("heading", name="Board 1")).to_be_visible()


IN_VIEW = """() => {
  const tab = document.querySelector(".tabs [aria-current]").getBoundingClientRect();
  const bar = document.querySelector(".tabs").getBoundingClientRect();
  return tab.left >= bar.left - 1 && tab.right <= bar.right + 1;
}"""


@pytest.mark.parametrize("how", ["stylesheet alone", "script alone", "both"])
def test_the_tab_of_a_page_is_in_view_on_a_phone(browser: Browser, site: str, event: Event, how: str) -> None:
    context = browser.new_context(
        base_url=site, viewport={"width": 360, "height": 780}, java_script_enabled=how != "stylesheet alone"
    )
    page = context.new_page()
    if how == "script alone":  # a browser that does not know the property yet
        page.route(
            "**/datum.css",
            lambda route: route.fulfill(body=without_initial_target(), content_type="text/css"),
        )
    for name in ("event", "cross_table", "about"):
        page.goto(reverse(f"pairs:{name}", args=[event.pk]))
        assert page.evaluate(IN_VIEW), name
        assert page.evaluate("scrollY") == 0, name  # nothing but the bar moved
    if how != "stylesheet alone":
        page.locator(".tabs a").first.click()  # which only swaps what changes
        page.wait_for_url(f"**{event.get_absolute_url()}")
        expect(page.locator(".tabs [aria-current]")).to_have_text("Standings")
        assert page.evaluate(IN_VIEW)
    context.close()


def without_initial_target() -> str:
    stylesheet = finders.find("pages/datum.css")
    assert isinstance(stylesheet, str)
    text = Path(stylesheet).read_text("utf-8")
    assert "scroll-initial-target" in text
    return text.replace("scroll-initial-target", "--unknown")


def test_no_page_moves_sideways_on_a_phone(page: Page, addresses: list[str]) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    for address in addresses:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address


def test_the_hands_fit_into_their_frame_on_a_phone(page: Page, event: Event) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(reverse("pairs:board", args=[event.pk, 1, 1]))

    frame = page.locator(".dealbox").bounding_box()
    assert frame
    for hand in page.locator(".hand").all():
        box = hand.bounding_box()
        assert box
        assert box["x"] >= frame["x"]
        assert box["x"] + box["width"] <= frame["x"] + frame["width"]


def test_the_cross_table_moves_inside_its_frame_and_keeps_its_heads_in_view(page: Page) -> None:
    event = make_event([SCORES * 5] * 2, method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    page.set_viewport_size({"width": 360, "height": 780})
    page.goto(event.get_absolute_url())
    page.get_by_role("link", name="Cross-table").click()
    frame = page.get_by_role("region", name="North–South against East–West")
    head = frame.get_by_role("columnheader", name="Pair")
    row = frame.get_by_role("rowheader").nth(12)
    expect(row).to_be_attached()
    before = head.bounding_box()

    frame.evaluate("frame => frame.scrollTo(200, 200)")

    assert frame.evaluate("frame => [frame.scrollLeft, frame.scrollTop]") == [200, 200]
    assert head.bounding_box() == before
    named, frame_box = row.bounding_box(), frame.bounding_box()
    assert named
    assert frame_box
    assert named["x"] - frame_box["x"] < 2
    assert page.evaluate("document.documentElement.scrollWidth") <= 360


def test_a_visitor_takes_files_along(page: Page, event: Event) -> None:
    page.goto(reverse("pairs:about", args=[event.pk]))
    for link, name in {
        "Standings (CSV)": "Orchid_Trophy_standings.csv",
        "Travellers (CSV)": "Orchid_Trophy_travellers.csv",
        "The event (PBN)": "Orchid_Trophy_event.pbn",
        "The event (JSON)": "Orchid_Trophy_event.json",
    }.items():
        with page.expect_download() as downloaded:
            page.get_by_role("link", name=link).click()
        assert downloaded.value.suggested_filename == name
    page.goto(reverse("pairs:board", args=[event.pk, 1, 1]))
    with page.expect_download() as downloaded:
        page.get_by_role("link", name="PBN").click()
    assert DEAL.partition(" ")[0] in downloaded.value.path().read_text("utf-8")


def test_a_board_and_its_traveller_stay_on_one_sheet_of_paper(page: Page, event: Event) -> None:
    page.emulate_media(media="print")
    page.goto(reverse("pairs:all_travellers", args=[event.pk]))

    sheets = page.locator(".sheet")
    expect(sheets).to_have_count(2)
    expect(sheets.first).to_have_css("break-inside", "avoid")
    expect(page.locator("nav.tabs")).to_be_hidden()
    expect(sheets.first.get_by_text("K Q 7 4")).to_be_visible()


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_is_free_of_barriers(
    page: Page, addresses: list[str], axe: Callable[[Page], None], scheme: str
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    for address in addresses:
        page.goto(address)
        axe(page)


def test_a_visitor_reads_the_event_in_chinese(page: Page, event: Event) -> None:
    page.goto(event.get_absolute_url())
    page.get_by_role("button", name="中文").click()

    expect(page.locator("html")).to_have_attribute("lang", "zh-Hans")
    expect(page).to_have_url(re.compile(f"{event.get_absolute_url()}$"))
    for tab in page.locator("nav.tabs a").all():
        expect(tab).to_have_text(re.compile("[\u4e00-\u9fff]"))
    expect(page.get_by_role("heading", level=1)).to_have_text("Orchid Trophy")
