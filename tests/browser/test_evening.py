"""An evening at the club: two enter at the desk, four browsers play three rounds, and the clock is a process of its own."""

import os
import re
import subprocess
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import suppress
from datetime import timedelta
from pathlib import Path
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from playwright.sync_api import Browser, BrowserContext, Error, Page, Route, expect

from apps.boards.selectors import deal_faults
from apps.clock.time import move, now
from apps.masterpoints.models import Award
from apps.pairs.models import Entry, Round, Slip, Swiss
from apps.pairs.services import desk, direction
from apps.pairs.services.slips import Said, say_result
from apps.users.models import Player
from bridge.comparison import Method
from tests.browser.conftest import watch
from tests.faults.test_worker import database_url
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, reload, start

pytestmark = pytest.mark.django_db(transaction=True)

ROOT = Path(__file__).resolve().parents[2]
PHONE = {"width": 360, "height": 740}
SOON = 20_000


@pytest.fixture
def clock(tmp_path: Path) -> Iterator[None]:
    """`manage.py clock`, on the database of the test."""
    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
    }
    with (tmp_path / "clock").open("wb") as log:
        process = subprocess.Popen(
            [sys.executable, "manage.py", "clock"], cwd=ROOT, env=environment, stdout=log, stderr=log
        )
        while "the clock is going" not in (tmp_path / "clock").read_text():
            assert process.poll() is None, (tmp_path / "clock").read_text()
            time.sleep(0.1)
        yield
        process.terminate()
        assert process.wait(20) == 0, (tmp_path / "clock").read_text()


Open = Callable[..., Page]


@pytest.fixture
def open_as(browser: Browser, site: str, page_errors: list[str]) -> Iterator[Open]:
    """Opens the browser of a player, on a phone unless told otherwise."""
    contexts: list[BrowserContext] = []

    def open_as(player: Player | None, **options: object) -> Page:
        chosen = {"viewport": PHONE, "locale": "en-GB", "base_url": site} | options
        context = browser.new_context(**chosen)  # type: ignore[arg-type]
        context.set_default_timeout(SOON)
        contexts.append(context)
        if player:
            client = Client()
            assert player.user
            client.force_login(player.user)
            cookie = {"name": "sessionid", "value": client.cookies["sessionid"].value, "url": site}
            context.add_cookies([cookie])  # type: ignore[list-item]
        page = context.new_page()
        watch(page, page_errors)
        return page

    yield open_as
    for context in contexts:
        context.close()
    assert not page_errors, "\n".join(page_errors)


def press(page: Page, name: str, value: str) -> None:
    """A key of the pad, as a finger finds it: by its label."""
    page.locator(f"label:has(input[name={name}][value='{value}'])").click()


def enter(page: Page, board: int, *, strain: str = "S", ending: str = "=") -> None:
    """Say what happened on a board, by the keys; the score is there before anything is saved."""
    page.locator(f"#slip-{board}").click()
    for name, value in (("level", "3"), ("strain", strain), ("declarer", "N"), ("ending", ending)):
        press(page, name, value)
    expect(page.locator("#saving .score")).to_contain_text("for ", timeout=SOON)
    page.locator("#save").click()
    page.wait_for_url(re.compile(r"/events/\d+/$"))


def test_two_enter_at_the_desk_each_on_a_phone(
    open_as: Open, clock: None, axe: Callable[[Page], None]
) -> None:
    swiss = make_swiss(hold=60)  # until we let the time pass
    nora, sue = (open_as(player) for player in make_members(2, "Desk"))
    for page in (nora, sue):
        page.goto(swiss.event.get_absolute_url())
    nora.get_by_role("button", name="Sit down at a free table").click()
    expect(nora.locator("#live")).to_contain_text("You sit at desk table 1", timeout=SOON)
    axe(nora)

    sue.get_by_role("button", name="Sit down opposite").click()  # it came by itself
    expect(nora.locator("#live")).to_contain_text("Opposite you: Desk 2", timeout=SOON)
    nora.locator("#act-hand-up").click()
    expect(sue.locator("#live")).to_contain_text("hand up", timeout=SOON)
    sue.locator("#act-hand-up").focus()
    sue.keyboard.press("Enter")
    expect(nora.locator("progress")).to_be_visible(timeout=SOON)
    move(timedelta(seconds=swiss.hold))
    for page in (nora, sue):
        expect(page.locator("#live")).to_contain_text("You are entered as pair 1", timeout=SOON)
        expect(page.locator("#invite")).to_be_hidden(timeout=SOON)
    axe(sue)
    assert Entry.objects.count() == 1


def test_a_press_counts_although_the_page_is_just_fetching_what_is_new(open_as: Open) -> None:
    swiss = make_swiss()
    page = open_as(make_members(1, "Haste")[0])
    page.goto(swiss.event.get_absolute_url())
    fetching: list[Route] = []
    page.route("**/live/**", lambda route: fetching.append(route))  # no answer comes
    page.evaluate("htmx.trigger('#live', 'poll')")
    expect(page.locator("#live.htmx-request")).to_be_visible(timeout=SOON)
    page.get_by_role("button", name="Sit down at a free table").click()
    expect(page.locator("#live")).to_contain_text("You sit at desk table 1", timeout=SOON)
    assert fetching
    for route in fetching:
        with suppress(Error):  # the page has given it up already
            route.abort("aborted")


def test_a_partner_is_asked_by_name_and_what_is_typed_stays(open_as: Open) -> None:
    swiss = make_swiss()
    nora, sue, ed = make_members(3, "Guest")
    asking, asked = open_as(nora), open_as(sue)
    for page in (asking, asked):
        page.goto(swiss.event.get_absolute_url())
    name = asking.locator("#invite-name")
    name.press_sequentially("gue")
    desk.sit_down(event_id=swiss.pk, player=ed)
    expect(asking.locator("#live")).to_contain_text("Guest 3", timeout=SOON)
    expect(name).to_be_focused(timeout=SOON)
    expect(name).to_have_value("gue", timeout=SOON)
    asking.get_by_role("button", name="Guest 2").click()
    expect(asking.locator("#live")).to_contain_text("You asked Guest 2", timeout=SOON)
    asked.get_by_role("button", name="Play together").click()
    for page in (asking, asked):
        expect(page.locator("#live")).to_contain_text("You are entered as pair 1", timeout=SOON)


def test_four_browsers_play_three_rounds_by_the_clock(
    open_as: Open, clock: None, axe: Callable[[Page], None], tmp_path: Path
) -> None:
    """Four pairs at two tables; a browser for each pair. Every result goes over two phones."""
    swiss = make_swiss(
        method=Method.CROSS_IMP, rounds=3, boards=1, minutes=10, pause=1, title="Harbour Swiss"
    )
    entries = enter_pairs(swiss, 4)
    players = [Player.objects.filter(entrants__entry=entry).order_by("pk")[0] for entry in entries]
    pages = [open_as(player) for player in players]
    for page in pages:
        page.goto(swiss.event.get_absolute_url())
        expect(page.locator("#live")).to_contain_text("You are entered as pair", timeout=SOON)
    move(swiss.starts_at - now())

    for number in (1, 2, 3):
        for page in pages:
            expect(page.locator("#live h2").first).to_contain_text("You sit", timeout=SOON)
            expect(page.locator("#live")).to_contain_text(f"Round {number} of 3 closes in", timeout=SOON)
        north_south = [
            page for page in pages if page.get_by_role("heading", name="You sit North–South").is_visible()
        ]
        east_west = [page for page in pages if page not in north_south]
        for turn, page in enumerate(north_south):
            enter(page, number, strain="SH"[turn], ending=("=", "+1", "-1")[number - 1])
        for page in east_west:
            expect(page.locator(f"#slip-{number}")).to_contain_text("Confirm", timeout=SOON)
            page.locator(f"#slip-{number}").click()
            page.locator("#confirm").click()
            page.wait_for_url(re.compile(r"/events/\d+/$"))
        for page in pages:
            expect(page.locator(".slips")).to_contain_text("confirmed", timeout=SOON)
        assert Slip.objects.filter(round__number=number, state=Slip.State.CONFIRMED).count() == 2
        if number == 1:
            axe(pages[0])
            assert pages[0].evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
        current = Round.objects.get(swiss=swiss, number=number)
        move(current.closes_at - now() + timedelta(milliseconds=1))
        if number < 3:
            for page in pages:
                expect(page.locator("#live")).to_contain_text(
                    f"Round {number + 1} of 3 opens in", timeout=SOON
                )
                expect(page.locator("#standings-now")).to_contain_text(f"After round {number}", timeout=SOON)
            coming = Round.objects.get(swiss=swiss, number=number + 1)
            move(coming.opens_at - now() + timedelta(milliseconds=1))

    for page in pages:  # the page finds out by itself that the event is over
        expect(page.locator("[aria-current=page]").get_by_text("Standings")).to_be_visible(timeout=SOON)
        expect(page.locator("table tr.own .n").first).to_have_text(re.compile(r"[1-4]"), timeout=SOON)
    assert reload(swiss).state == Swiss.State.FINISHED
    for page in pages[:1]:
        page.reload()
        expect(page.locator("thead")).to_contain_text(
            "MP", timeout=SOON
        )  # the master points came by themselves
    assert Award.objects.filter(event=swiss.pk).count() == 4

    page = pages[0]
    page.goto(reverse("pairs:round", args=[swiss.pk, 2]))
    page.get_by_role("link", name="Check it now").click()
    expect(page.get_by_role("status")).to_contain_text("nothing is wrong with it", timeout=SOON)
    axe(page)
    page.goto(reverse("pairs:deals", args=[swiss.pk]))
    expect(page.get_by_role("status")).to_contain_text("Every deal was dealt again", timeout=SOON)
    axe(page)
    with page.expect_download() as record:
        page.get_by_role("link", name="deals.json").click()
    record.value.save_as(tmp_path / "deals.json")
    with page.expect_download() as program:
        page.get_by_role("link", name="verify.py").click()
    program.value.save_as(tmp_path / "verify.py")
    seal = reload(swiss).seal
    assert seal
    assert not deal_faults(seal)
    check = [sys.executable, "verify.py", "deals.json", seal.commitment]
    done = subprocess.run(check, cwd=tmp_path, capture_output=True, text=True, check=True)
    assert len(done.stdout.splitlines()) == 3


@pytest.fixture
def playing() -> Swiss:
    swiss = make_swiss(rounds=2, boards=2, minutes=20)
    enter_pairs(swiss, 4)
    start(swiss)
    return reload(swiss)


def first_player(swiss: Swiss) -> Player:
    seats = Round.objects.get(swiss=swiss, number=1).seats.filter(table=1, side="NS")
    return Player.objects.filter(entrants__entry__in=seats.values("contestant")).order_by("pk")[0]


def test_a_wrong_browser_clock_makes_no_difference(open_as: Open, playing: Swiss) -> None:
    page = open_as(first_player(playing))
    page.clock.install(time="2001-01-01T12:00:00")
    page.goto(playing.event.get_absolute_url())
    expect(page.locator("#live .clock")).to_have_text(re.compile(r"1\d:\d\d|20:00"), timeout=SOON)
    page.clock.fast_forward(60_000)
    expect(page.locator("#live .clock")).to_have_text(re.compile(r"1[89]:\d\d"), timeout=SOON)


def test_a_hidden_tab_asks_for_nothing(open_as: Open, playing: Swiss) -> None:
    page = open_as(None)
    page.add_init_script("Object.defineProperty(document, 'hidden', {get: () => window.away ?? false})")
    page.goto(playing.event.get_absolute_url())
    with page.expect_response(re.compile("/live/")) as answer:
        pass
    assert answer.value.status == 204
    asked: list[str] = []
    page.evaluate("window.away = true")
    page.on("request", lambda request: asked.append(request.url))
    page.wait_for_timeout(6000)
    assert not asked
    page.evaluate("window.away = false")
    with page.expect_response(re.compile("/live/")):
        pass


def test_a_result_is_entered_with_the_keyboard_and_an_answer_comes_while_one_looks(
    open_as: Open, playing: Swiss, axe: Callable[[Page], None]
) -> None:
    page = open_as(first_player(playing))
    page.goto(reverse("pairs:slip", args=[playing.pk, 1]))
    axe(page)
    for name, value in (("level", "4"), ("strain", "H"), ("declarer", "W"), ("ending", "-1")):
        page.locator(f"input[name={name}][value='{value}']").press("Space")
    expect(page.locator("#saving .score")).to_have_text("50 for North–South", timeout=SOON)
    axe(page)
    seat = Round.objects.get(swiss=playing, number=1).seats.get(table=1, side="EW")
    east = Player.objects.filter(entrants__entry=seat.contestant_id)[0]
    assert east.user
    say_result(
        event_id=playing.pk,
        board=1,
        said=Said.read("4H W ="),
        by=east.user,
        player=east,
        command=uuid4(),
    )
    expect(page.locator("#slip")).to_contain_text("Your opponents say", timeout=SOON)
    expect(page.locator("input[name=level][value='4']")).to_be_checked(
        timeout=SOON
    )  # nothing that was pressed is lost
    page.locator("#save").press("Enter")
    page.wait_for_url(re.compile(r"/events/\d+/$"))
    expect(page.locator(".slips")).to_contain_text("disputed", timeout=SOON)


def test_everything_works_without_scripts(open_as: Open, playing: Swiss) -> None:
    page = open_as(first_player(playing), java_script_enabled=False)
    page.goto(playing.event.get_absolute_url())
    expect(page.get_by_role("link", name="Refresh this page")).to_be_visible(timeout=SOON)
    page.locator("#slip-1").click()
    for name, value in (("level", "1"), ("strain", "NT"), ("declarer", "S"), ("ending", "+2")):
        press(page, name, value)
    page.locator("#show").click()
    expect(page.locator("#saving .score")).to_have_text("150 for North–South", timeout=SOON)
    page.locator("#save").click()
    expect(page.locator(".slips")).to_contain_text("waits for your opponents", timeout=SOON)
    page.locator("#act-call").click()
    expect(page.locator("#live")).to_contain_text("director called", timeout=SOON)


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_every_page_fits_a_phone_and_has_no_barrier(
    scheme: str, open_as: Open, playing: Swiss, axe: Callable[[Page], None]
) -> None:
    page = open_as(first_player(playing), color_scheme=scheme)
    coming = make_swiss(title="Next week", presence_minutes=60)
    enter_pairs(coming, 2, "Other")
    addresses = [
        reverse("pages:home"),
        reverse("pairs:events"),
        coming.event.get_absolute_url(),
        playing.event.get_absolute_url(),
        reverse("pairs:slip", args=[playing.pk, 1]),
        reverse("pairs:rounds", args=[playing.pk]),
        reverse("pairs:round", args=[playing.pk, 1]),
        reverse("pairs:deals", args=[playing.pk]),
        reverse("pairs:screen", args=[playing.pk]),
    ]
    for address in addresses:
        page.goto(address)
        assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"], address
        axe(page)


def test_all_pairs_are_a_tap_away_and_stay_while_the_page_fetches_itself(open_as: Open) -> None:
    swiss = make_swiss(rounds=2, boards=1)
    enter_pairs(swiss, 24)
    start(swiss)
    pass_time(minutes=21)
    page = open_as(Player.objects.get(name="Player 41"))
    page.goto(swiss.event.get_absolute_url())
    rows = page.locator("#rest table").first.locator("tbody tr")
    expect(rows).to_have_count(8)
    page.get_by_role("link", name="All 24 pairs").click()
    expect(rows).to_have_count(24)
    expect(page.locator("#standings-now")).to_be_in_viewport()
    seat = page.locator("#live").get_attribute("hx-get")
    player = Player.objects.get(name="Player 41")
    direction.call_director(event_id=swiss.pk, player=player)
    expect(page.locator("#live")).not_to_have_attribute("hx-get", seat or "", timeout=SOON)
    expect(rows).to_have_count(24)
    page.get_by_role("link", name="Show less").first.click()
    expect(rows).to_have_count(8)


def test_the_wall_turns_its_own_pages(open_as: Open) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 60)
    page = open_as(None, viewport={"width": 1280, "height": 720})
    page.goto(reverse("pairs:screen", args=[swiss.pk]))
    top = "document.getElementById('wall-list').scrollTop"
    assert page.evaluate(top) == 0
    expect(page.locator("#wall-list tbody tr").first).not_to_be_in_viewport()


def test_the_browser_writes_the_own_hour_of_whoever_chose_no_zone(browser: Browser, site: str) -> None:
    swiss = make_swiss()
    with browser.new_context(timezone_id="America/Bogota") as context:
        page = context.new_page()
        for address in (
            reverse("pairs:events"),
            reverse("pairs:deals", args=[swiss.pk]),
            swiss.event.get_absolute_url(),
        ):
            page.goto(site + address)
            expect(page.locator("[data-yours]").first).to_contain_text("America/Bogota")
        assert {cookie["name"]: cookie["value"] for cookie in context.cookies()}["zone"] == "America/Bogota"
