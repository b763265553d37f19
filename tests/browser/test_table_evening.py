"""Tables that belong to an evening: the next round's comes by itself, the director looks on, a phone speaks Chinese."""

from collections.abc import Callable
from typing import Any
from uuid import uuid4

import pytest
from django.urls import reverse
from playwright.sync_api import Page, Route, expect

from apps.pairs.models import Swiss
from apps.tables.models import Table
from apps.tables.services.opening import House
from apps.tables.services.talk import call_director
from apps.users.models import Player
from bridge.auction import BIDS, PASS
from bridge.table import MakeCall, TableRules
from tests.browser.conftest import PHONE, Open
from tests.browser.test_chinese import english, left_in_english
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, reload, start
from tests.tables.tables import do, make_cast, make_member, make_table, play_board, user_of, who_acts

pytestmark = pytest.mark.django_db(transaction=True)

FOUR_HEARTS = BIDS[17]


def event_at_tables(**settings: object) -> Swiss:
    """An event of two tables whose first round is open."""
    swiss = make_swiss(play=Swiss.Play.TABLES, **settings)  # type: ignore[arg-type]
    enter_pairs(swiss, 4)
    start(swiss)
    return reload(swiss)


def live_tables() -> list[Table]:
    return list(Table.objects.exclude(state=Table.State.OVER).order_by("pk"))


def someone_at(table: Table, seat: str = "N") -> Player:
    return Player.objects.get(sittings__table=table, sittings__seat=seat)


def test_the_table_of_the_next_round_opens_under_the_players_eyes(
    open_for: Open, axe: Callable[[Page], None]
) -> None:
    swiss = event_at_tables(boards=1)
    table = live_tables()[0]
    north, south = open_for(someone_at(table)), open_for(someone_at(table, "S"))
    for page in (north, south):
        page.clock.install()
        page.goto(reverse("pairs:own_table", args=[swiss.pk]))
    play_board(table)
    for page in (north, south):
        expect(page.locator("#closed")).to_have_text("This table has finished.")
        expect(page.locator("#goes-on")).to_be_visible()

    pass_time(minutes=21)
    expect(north.locator("#leaves-in")).to_contain_text("You go there in")
    north.locator("#stay").click()
    expect(north.locator("#leaves-in")).to_have_text("")
    axe(north)
    for page in (north, south):
        page.clock.fast_forward(60_000)
    south.wait_for_url(next_address(table, "S"))  # where nothing was pressed
    north.locator("#go-on").click()
    north.wait_for_url(next_address(table, "N"))
    for page in (north, south):
        expect(page.locator("#about")).to_contain_text("Board 2")


def next_address(before: Table, seat: str) -> str:
    """Of the table at which a player sits after another."""
    player = someone_at(before, seat)
    return Table.objects.get(sittings__player=player, state=Table.State.PLAYING).get_absolute_url()


def test_a_director_sees_all_hands_of_a_live_table_and_one_who_plays_in_the_event_sees_none(
    open_for: Open, page_errors: list[str], axe: Callable[[Page], None]
) -> None:
    swiss = event_at_tables()
    one, other = live_tables()
    call_director(
        table_id=one.pk, user=user_of(someone_at(one)), command=uuid4(), text="They have misexplained."
    )
    dora = open_for(make_member("Dora", director=True))
    dora.goto(reverse("pairs:direct", args=[swiss.pk]))
    dora.locator("#called-1").click()
    expect(dora.locator(".hand")).to_have_count(4)
    expect(dora.locator(".hand [data-card]")).to_have_count(52)
    axe(dora)
    do(one, who_acts(one), MakeCall(FOUR_HEARTS))
    expect(dora.locator("#auction tbody .call")).to_have_text(["4♥\ufe0e"])
    do(one, who_acts(one), MakeCall(PASS))
    expect(dora.locator("#auction tbody .call")).to_have_count(2)
    dora.get_by_label("The decision").select_option("take_back")  # of what she sees now
    dora.locator("[name=calls]").fill("1")
    dora.locator("#id_reason").fill("misinformed")
    dora.get_by_role("button", name="Decide").click()
    expect(dora.locator("#auction tbody .call")).to_have_count(1)
    expect(dora.locator("#director")).to_be_hidden()

    nora = someone_at(other)
    user = user_of(nora)
    user.is_director = True
    user.save()
    playing = open_for(nora)
    answer = playing.goto(f"{one.get_absolute_url()}?as=director")
    assert answer
    assert answer.status == 403
    expect(playing.locator("h1")).to_have_text("This page is not open to you")
    assert "data-card" not in playing.content()
    assert '"cards"' not in playing.content()
    assert [error for error in page_errors if "403" not in error] == []
    page_errors.clear()


def test_a_seat_on_a_phone_speaks_chinese(open_for: Open, site: str, axe: Callable[[Page], None]) -> None:
    ours = [*english()]
    cast = make_cast()
    table = make_table(cast, house=House(rules=TableRules(undo_cards=True), pause_seconds=600))
    phone = open_for(cast["N"], **PHONE, locale="zh-CN")
    phone.context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": site}])
    phone.goto(table.get_absolute_url())

    def check() -> None:
        assert set(left_in_english(phone, ours)) <= {"Enter"}  # the key
        assert phone.evaluate("document.documentElement.scrollWidth") <= PHONE["viewport"]["width"]
        axe(phone)

    expect(phone.locator("#box-title")).to_have_text("请您叫牌")
    check()
    for upright in (False, True):  # one hand does it all without scrolling
        height, width = sorted(PHONE["viewport"].values(), reverse=upright)
        phone.set_viewport_size({"width": width, "height": height})
        for place in ("[data-seat=N] .cards", "#box .pass", "#confirm"):
            expect(phone.locator(place)).to_be_in_viewport(ratio=1)
    phone.locator("[data-call='1H']").tap()
    phone.locator("#alert").check()
    phone.locator("#alert-text").fill("五张红心")
    check()
    phone.locator("#confirm").tap()
    expect(phone.locator("#auction td.turn")).to_be_visible()
    for call in (PASS, FOUR_HEARTS, PASS, PASS, PASS):
        do(table, who_acts(table), MakeCall(call))
    play_board(table, until=lambda state: bool(state.play and len(state.play.tricks) == 2))
    expect(phone.locator("#won")).to_be_visible()
    check()
    phone.locator("#open-help").tap()
    check()
    phone.locator("#help button").tap()
    phone.locator("#open-preferences").tap()
    check()
    with phone.expect_response("**/tables/settings/") as answer:
        phone.locator("[data-preference=sounds]").check()
    assert answer.value.status == 204
    phone.reload()
    expect(phone.locator("[data-preference=sounds]")).to_be_checked()
    play_board(table)
    expect(phone.locator("#ending")).to_be_visible()
    check()


def test_where_sockets_are_blocked_the_question_waits_for_its_answer(
    live: None, open_for: Open, site: str, settings: Any, page_errors: list[str]
) -> None:
    sockets = settings.LIVE_URL.replace("ws:", "http:")
    settings.LIVE_URL = f"{site}/live".replace("http:", "ws:")  # behind a proxy that passes no sockets
    cast = make_cast()
    table = make_table(cast)
    page = open_for(cast["S"])
    answers: list[int] = []

    def pass_on(route: Route) -> None:
        answer = route.fetch(url=route.request.url.replace(f"{site}/live", sockets))
        answers.append(answer.status)
        route.fulfill(response=answer)

    page.route(f"{site}/live/**", pass_on)
    with page.expect_request("**/view?since=*&wait=25", timeout=60_000):
        page.goto(table.get_absolute_url())
    do(table, who_acts(table), MakeCall(FOUR_HEARTS))
    expect(page.locator("#auction tbody .call")).to_have_count(1)
    assert answers == [200]
    page.unroute_all(behavior="ignoreErrors")
    page.close()  # it asks the blocked address on and on
    page_errors.clear()  # the sockets
