"""A director sets up an event that runs itself, and directs it while it is played."""

from collections.abc import Callable
from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Page, expect

from apps.pairs.models import Event, Round, Seat, Swiss
from apps.pairs.services.direction import change_time
from apps.pairs.services.slips import Said, say_result
from apps.users.models import Player, User
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_swiss, reload, start

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def dora(sign_in: Callable[[User], None]) -> User:
    dora = make_user("dora", director=True)
    sign_in(dora)
    return dora


@pytest.fixture
def evening() -> Swiss:
    """Six pairs play the first of three rounds, and table 1 does not agree on a board."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 6)
    start(swiss)
    for side, text in (("NS", "4S N +1"), ("EW", "4S N =")):
        seat = Seat.objects.get(round__swiss=swiss, table=1, side=side)
        player = Player.objects.filter(entrants__entry=seat.contestant_id)[0]
        assert player.user
        say_result(
            event_id=swiss.pk, board=1, said=Said.read(text), by=player.user, player=player, command=uuid4()
        )
    return reload(swiss)


@pytest.mark.parametrize(("language", "scheme"), [("en", "light"), ("zh-hans", "dark")])
def test_a_director_fills_in_an_event_looks_at_it_and_announces_it_every_week(
    language: str,
    scheme: str,
    page: Page,
    page_errors: list[str],
    context: BrowserContext,
    site: str,
    dora: User,
    axe: Callable[[Page], None],
) -> None:
    context.add_cookies([{"name": "django_language", "value": language, "url": site}])
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.goto(reverse("pairs:new"))
    axe(page)
    page.fill("[name=title]", "Harbour Swiss")
    page.fill("[name=start_date]", "2027-03-28")
    page.fill("[name=start_time]", "03:30")
    page.select_option("[name=zone]", "Europe/Athens")
    page.click("main form button.go")
    expect(page.get_by_role("alert")).to_contain_text("03:30")
    axe(page)
    assert all("422" in error for error in page_errors)  # the browser notes the status of a refused form
    page_errors.clear()

    page.fill("[name=start_time]", "20:00")
    page.click("main form button.go")
    page.wait_for_url("**/setup/")
    expect(page.get_by_role("heading", level=1)).to_have_text("Harbour Swiss")
    expect(page.locator("table tbody tr")).to_have_count(6)
    expect(page.locator(".lede")).to_contain_text("Europe/Athens")
    axe(page)

    page.check("[name=weekly]")
    page.click("aside form button.go")
    page.wait_for_url("**/series/")
    expect(page.locator(".list li").first).to_contain_text("20:00")
    axe(page)
    assert Event.objects.exclude(state=Event.State.ANNOUNCED).count() == 0


def test_the_state_keeps_fresh_while_the_director_types(page: Page, dora: User, evening: Swiss) -> None:
    page.goto(reverse("pairs:direct", args=[evening.pk]))
    page.locator("#do-suspend summary").click()
    reason = page.locator("#do-suspend [name=reason]")
    reason.press_sequentially("The lights ")
    change_time(event_id=evening.pk, minutes=5, expected=evening.schedule_version, by=dora, reason="late")

    expect(page.locator("#status [role=status]")).to_contain_text("moved on")
    expect(reason).to_be_focused()
    reason.press_sequentially("went out")
    expect(reason).to_have_value("The lights went out")


def test_the_focus_stays_on_a_link_in_the_part_that_fetches_itself(
    page: Page, dora: User, evening: Swiss
) -> None:
    page.goto(reverse("pairs:direct", args=[evening.pk]))
    page.locator("#slip-2-1").focus()
    page.evaluate("document.querySelector('#status').dataset.old = 'yes'")

    expect(page.locator("#status:not([data-old])")).to_be_visible(timeout=10_000)
    expect(page.locator("#slip-2-1")).to_be_focused()


def test_of_two_directors_the_second_sees_how_it_is_and_decides_again(
    page: Page, page_errors: list[str], context: BrowserContext, dora: User, evening: Swiss
) -> None:
    page.goto(reverse("pairs:direct", args=[evening.pk]))
    other = context.new_page()
    other.goto(reverse("pairs:direct", args=[evening.pk]))
    for each in (page, other):
        each.locator("#do-time summary").click()
        each.fill("#do-time [name=minutes]", "7")
    bell = Round.objects.get(swiss=evening, state=Round.State.OPEN).closes_at
    other.click("#do-time button")
    other.wait_for_url("**/direct/")
    other.close()

    page.click("#do-time button")
    expect(page.get_by_role("alert")).to_contain_text("moved on")
    assert all("409" in error for error in page_errors)
    page_errors.clear()
    assert (Round.objects.get(swiss=evening, state=Round.State.OPEN).closes_at - bell).seconds == 7 * 60
    page.click("#do-time button")
    expect(page.locator(".bar.ok")).to_be_visible()
    assert (Round.objects.get(swiss=evening, state=Round.State.OPEN).closes_at - bell).seconds == 14 * 60


def test_a_disputed_board_is_decided_with_the_keyboard(
    page: Page, dora: User, evening: Swiss, axe: Callable[[Page], None]
) -> None:
    page.goto(reverse("pairs:direct", args=[evening.pk]))
    axe(page)
    page.locator("#decide-1-1-1").focus()
    page.keyboard.press("Enter")
    page.wait_for_url("**/direct/boards/1/1/1/")
    axe(page)
    page.get_by_role("radio").first.focus()
    page.keyboard.press("Space")
    page.locator("[name=reason]").focus()
    page.keyboard.type("the cards were looked at again")
    page.keyboard.press("Enter")

    page.wait_for_url("**/direct/")
    expect(page.locator("#disputes")).to_have_count(0)
    expect(page.locator("table").last).to_contain_text("the cards were looked at again")


def test_every_page_of_the_director_fits_a_phone(
    page: Page, dora: User, evening: Swiss, axe: Callable[[Page], None]
) -> None:
    page.set_viewport_size({"width": 360, "height": 740})
    addresses = [
        reverse("pairs:new"),
        reverse("pairs:series"),
        reverse("pairs:setup", args=[evening.pk]),
        reverse("pairs:direct", args=[evening.pk]),
        f"{reverse('pairs:direct_pairs', args=[evening.pk])}?pair=1",
        reverse("pairs:direct_log", args=[evening.pk]),
        reverse("pairs:decide", args=[evening.pk, 1, 1, 1]),
    ]
    for address in addresses:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, address
        axe(page)


def test_everything_works_without_scripts(
    browser: Browser, context: BrowserContext, site: str, dora: User, evening: Swiss
) -> None:
    plain = browser.new_context(
        base_url=site, java_script_enabled=False, storage_state=context.storage_state()
    )
    page = plain.new_page()
    page.goto(reverse("pairs:direct", args=[evening.pk]))
    page.locator("#do-suspend summary").click()
    page.fill("#do-suspend [name=reason]", "fire drill")
    page.click("#do-suspend button")
    expect(page.locator("#status")).to_contain_text("fire drill")
    plain.close()
    assert reload(evening).state == Swiss.State.SUSPENDED
