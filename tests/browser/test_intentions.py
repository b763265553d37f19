"""What a player thinks of doing is nobody's business: nothing leaves the browser before it is done."""

import json

import pytest
from playwright.sync_api import Page, Request, WebSocket, expect

from apps.tables.models import Table
from apps.tables.services.opening import House
from bridge.auction import BIDS, PASS
from bridge.table import MakeCall, TableRules
from tests.browser.conftest import PHONE, Open
from tests.tables.tables import do, make_cast, make_table

pytestmark = pytest.mark.django_db(transaction=True)

CASUAL = House(rules=TableRules(undo_cards=True), casual=True, pause_seconds=600)


class Said:
    """All that a page sends but requests for what there is: posts, and frames that are more than a sign of life."""

    def __init__(self, page: Page) -> None:
        self.acts: list[str] = []
        page.on("request", self.hear)
        page.on("websocket", self.listen)

    def hear(self, request: Request) -> None:
        if request.method != "GET":
            self.acts.append(json.loads(request.post_data or "{}").get("do", {}).get("act", request.url))

    def listen(self, socket: WebSocket) -> None:
        socket.on("framesent", lambda frame: self.acts.extend(json.loads(frame).keys() - {"sync"}))


def test_what_is_chosen_and_put_back_is_known_to_nobody(live: None, open_for: Open) -> None:
    cast = make_cast()
    table = make_table(cast, house=CASUAL)
    north, east = open_for(cast["N"]), open_for(cast["E"], **PHONE)
    said, said_by_east = Said(north), Said(east)
    for page in (north, east):
        page.goto(table.get_absolute_url())
    expect(north.locator("#table.on-turn")).to_be_visible()

    def version() -> int:
        return Table.objects.get(pk=table.pk).version

    before = version()
    for name in ("1H", "7NT", "Pass"):
        north.locator(f"[data-call='{name}']").click()
        expect(north.locator(f"[data-call='{name}']")).to_have_attribute("aria-pressed", "true")
    north.locator("#alert").check()
    north.locator("#alert-text").fill("a secret")
    north.locator("#alert").uncheck()
    expect(east.locator("#auction td.turn")).to_be_visible()
    assert (said.acts, version()) == ([], before)

    for seat, each in zip("NESWNE", (BIDS[2], PASS, BIDS[17], PASS, PASS, PASS), strict=True):
        do(table, cast[seat], MakeCall(each))
    expect(east.locator("#table.on-turn")).to_be_visible()
    before = version()
    cards = east.locator("button[data-card]:not([aria-disabled])")
    for place in (0, 5, 12):
        cards.nth(place).click(position={"x": 9, "y": 9})
        expect(east.locator(".pick")).to_have_count(1)
    assert (said_by_east.acts, version()) == ([], before)

    picked = east.locator(".pick")
    picked.click(position={"x": 9, "y": 9})  # the control: now it is played
    expect(north.locator("#trick [data-card]")).to_have_count(1)
    assert said_by_east.acts == ["play"]

    before = version()
    north.locator("#claim").click()
    north.locator("#claim-tricks label:has([value='7'])").click()
    north.locator("#claim-line").fill("all my hearts")
    north.locator("#claim-close").click()
    expect(north.locator("#claim-dialog")).to_be_hidden()
    assert (said.acts, version()) == ([], before)
