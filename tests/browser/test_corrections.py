"""A director corrects a result, and those whom it concerns are told."""

from collections.abc import Callable
from typing import Any

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page, expect

from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant, Result
from apps.users.models import User
from bridge.comparison import Method
from tests.factories import Entry, make_event, make_user

pytestmark = pytest.mark.django_db(transaction=True)

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
BOARDS: list[list[Entry]] = [["4S N =", "4S N +1", "3NT S -1"], ["2H E =", "2H E -1", "Pass"]]


@pytest.fixture
def event() -> Event:
    event = make_event(BOARDS, method=Method.MP, deals={1: DEAL}, title="Orchid Trophy")
    publish_event(event_id=event.pk, by=None)
    return event


@pytest.fixture
def nora(event: Event) -> User:
    """The account of Nora 1, who sits North at table 1."""
    player = Contestant.objects.get(field=event.field, label="1 NS").players.earliest("pk")
    player.user = make_user("nora")
    player.save()
    return player.user


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_director_corrects_a_result_and_the_player_is_told(
    scheme: str,
    page: Page,
    context: BrowserContext,
    site: str,
    event: Event,
    nora: User,
    worker: Any,
    sign_in: Callable[[User], None],
    axe: Callable[[Page], None],
) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    sign_in(make_user("dora", director=True))
    board = reverse("pairs:board", args=[event.pk, 1, 1])
    page.goto(board)
    page.get_by_role("row", name="Nora 1").get_by_role("link", name="Correct").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Correct board 1")
    axe(page)

    page.get_by_role("group", name="Declarer").get_by_label("South").check()
    page.get_by_label("Result", exact=True).fill("-1")
    page.get_by_label("Reason").fill("One trick was revoked")
    page.get_by_role("button", name="Show what it does").click()
    expect(page.locator("#effect tr.own")).to_contain_text("−50")
    axe(page)
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_role("status").first).to_contain_text("The result is corrected")
    expect(page).to_have_url(f"{site}{board}")
    expect(page.get_by_role("row", name="Nora 1")).to_contain_text("4♠")

    context.clear_cookies()
    sign_in(nora)

    def is_told() -> bool:
        page.goto("/")
        return page.get_by_role("link", name="1 new notice").is_visible()

    for _ in range(50):  # the worker is at it
        if is_told():
            break
        page.wait_for_timeout(200)
    page.get_by_role("link", name="1 new notice").click()
    expect(page.get_by_role("heading", level=1)).to_have_text("Notices")
    axe(page)
    page.get_by_role("link", name="One trick was revoked").click()
    expect(page.locator(".corrections")).to_contain_text("corrected: One trick was revoked")
    axe(page)
    page.goto("/")
    expect(page.get_by_role("link", name="new notice")).to_have_count(0)


def test_a_result_is_moved_and_a_ruling_given_by_the_keyboard_on_a_phone(
    page: Page, event: Event, sign_in: Callable[[User], None], axe: Callable[[Page], None]
) -> None:
    page.set_viewport_size({"width": 360, "height": 780})
    sign_in(make_user("dora", director=True))
    result = Result.objects.filter(field_board__field=event.field).earliest("pk")
    page.goto(reverse("results:correct", args=[result.pk]))
    page.get_by_label("Contract and tricks").focus()
    for _ in range(4):
        page.keyboard.press("ArrowDown")
    expect(page.get_by_label("Artificial adjusted score")).to_be_checked()
    expect(page.get_by_role("group", name="Level")).to_be_hidden()
    page.get_by_label("North–South get").first.select_option("A+")
    page.get_by_label("Reason").fill("Fouled by a spectator")
    page.keyboard.press("Enter")
    expect(page.locator("#effect tr.own")).to_contain_text("A+ / A")
    axe(page)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360

    page.get_by_label("Another board or other pairs").check()
    page.get_by_label("Board", exact=True).select_option(label="Board 2")
    page.get_by_role("button", name="Show what it does").click()
    expect(page.locator("#effect tr.own")).to_have_count(2)
    page.get_by_role("button", name="Save the correction").click()
    expect(page.get_by_role("status").first).to_contain_text("The result is corrected")
    expect(page.locator(".changes li")).to_have_count(1)
    axe(page)


def test_the_page_of_a_player_is_free_of_barriers_and_fits_a_phone(
    page: Page, event: Event, axe: Callable[[Page], None]
) -> None:
    player = Contestant.objects.get(field=event.field, label="1 NS").players.earliest("pk")
    page.goto(player.get_absolute_url())
    expect(page.get_by_role("heading", name="By role")).to_be_visible()
    axe(page)
    page.set_viewport_size({"width": 360, "height": 780})
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    page.emulate_media(color_scheme="dark")
    page.reload()
    axe(page)
