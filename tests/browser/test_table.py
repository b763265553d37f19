"""Four browsers at one table: boards by mouse, by keyboard and on a phone; claims, undo, questions, a line that breaks."""

import random
import time
from collections.abc import Callable

import pytest
from playwright.sync_api import Locator, Page, Response, expect

from apps.boards.models import Board
from apps.boards.services import BoardFacts, create_board_set
from apps.tables.models import Table
from apps.tables.services.opening import House
from apps.users.models import Player
from bridge.auction import BIDS, DOUBLE, PASS
from bridge.cards import Card
from bridge.table import MakeCall, PlayCard, TableRules
from tests.browser.conftest import PHONE, Open
from tests.tables.tables import (
    TURNED,
    do,
    make_cast,
    make_member,
    make_table,
    play_board,
    something,
    state_of,
)

pytestmark = pytest.mark.django_db(transaction=True)

SOON = 20_000
ON_TURN = "#table.on-turn"
SECRET = "five hearts and a four-card minor"


class Four:
    """Four browsers at a table, by seat; one of them is a phone."""

    def __init__(self, pages: dict[str, Page]) -> None:
        self.pages = pages

    def __getitem__(self, seat: str) -> Page:
        return self.pages[seat]

    def on_turn(self) -> Page:
        """The page that has to call or play."""
        deadline = time.monotonic() + SOON / 1000
        while time.monotonic() < deadline:
            for page in self.pages.values():
                if page.query_selector(ON_TURN):
                    return page
        raise AssertionError("nobody is on turn")


Sit = Callable[[Table, dict[str, Player]], Four]


@pytest.fixture
def sit(live: None, open_for: Open) -> Sit:
    """Opens the table in four browsers; East plays on a phone."""

    def sit(table: Table, cast: dict[str, Player]) -> Four:
        pages = {seat: open_for(player, **(PHONE if seat == "E" else {})) for seat, player in cast.items()}
        for page in pages.values():
            page.goto(table.get_absolute_url())
        return Four(pages)

    return sit


def call(page: Page, name: str, *, means: str = "") -> None:
    """By mouse: the call, its alert, and the button that names it."""
    page.locator(f"[data-call='{name}']").click()
    if means:
        page.locator("#alert").check()
        page.locator("#alert-text").fill(means)
    page.locator("#confirm").click()


def lay(page: Page) -> str:
    """By mouse or finger: the first card that may be played, on the part of it that is not covered."""
    card = page.locator("button[data-card]:not([aria-disabled])").first
    name = card.get_attribute("data-card") or ""
    card.click(position={"x": 9, "y": 9})
    if page.query_selector(f".pick[data-card={name}]"):
        card.click(position={"x": 9, "y": 9})
    return name


def type_card(page: Page) -> None:
    card = page.locator("button[data-card]:not([aria-disabled])").first.get_attribute("data-card") or ""
    page.keyboard.type(card.lower())
    if page.query_selector(".pick"):
        page.keyboard.press("Enter")


def spoken(page: Page) -> list[str]:
    return page.locator("#said p").all_text_contents()


def assert_fits(page: Page) -> None:
    assert page.evaluate("document.documentElement.scrollWidth") <= page.viewport_size["width"]  # type: ignore[index]


class Traffic:
    """All that reaches a page from its next loading on."""

    def __init__(self, page: Page) -> None:
        self.frames: list[str] = []
        self.responses: list[Response] = []
        page.on(
            "websocket",
            lambda line: line.on("framereceived", lambda frame: self.frames.append(str(frame))),
        )
        page.on("response", lambda response: self.responses.append(response))
        page.reload()

    def text(self) -> str:
        kinds = ("document", "fetch")
        answers = [
            each for each in self.responses if each.request.resource_type in kinds and each.status == 200
        ]
        return "".join([*self.frames, *(answer.text() for answer in answers)])


ONE_HEART, TWO_DIAMONDS, FOUR_HEARTS = BIDS[2], BIDS[6], BIDS[17]
CASUAL = House(rules=TableRules(undo_cards=True), casual=True, pause_seconds=600)


def test_four_play_two_boards_by_mouse_by_finger_and_by_keyboard(
    sit: Sit, axe: Callable[[Page], None]
) -> None:
    cast = make_cast()
    four = sit(make_table(cast, house=CASUAL), cast)
    expect(four["N"].locator("#box-title")).to_have_text("Your call")
    axe(four["N"])
    assert_fits(four["E"])
    traffic = {seat: Traffic(four[seat]) for seat in "SE"}

    call(four["N"], "1H", means=SECRET)
    expect(four["E"].locator("#meaning")).to_contain_text(SECRET)
    expect(four["S"].locator("#auction td.turn")).to_be_visible()
    four["E"].locator("#auction .told").click()
    expect(four["E"].locator("#auction .told")).to_have_attribute("aria-pressed", "true")
    axe(four["E"])
    call(four["E"], "Pass")
    call(four["S"], "4H")
    for seat in "WNE":
        expect(four[seat].locator(ON_TURN)).to_be_visible()
        four[seat].locator("[data-call=Pass]").click()
        four[seat].locator("#confirm").click()
    assert SECRET in traffic["E"].text()
    assert traffic["S"].frames
    assert SECRET not in traffic["S"].text() + four["S"].content()

    expect(four["E"].locator(ON_TURN)).to_be_visible()
    lead = lay(four.on_turn())
    expect(four["S"].locator(f"#trick [data-card={lead}]")).to_be_visible()
    for page in four.pages.values():
        expect(page.locator("#about .contract")).to_have_text("4♥\ufe0e N")
    assert_fits(four["E"])
    for place in range(51):
        page = four.on_turn()
        lay(page)
        if place == 20:
            page.emulate_media(color_scheme="dark")
            axe(page)
    for page in four.pages.values():
        expect(page.locator("#ending .ended")).to_contain_text("4♥")
        expect(page.locator(".hand")).to_have_count(4)
        assert len([said for said in spoken(page) if said.startswith("The board is over")]) == 1
        page.locator("#step-on").click()
        expect(page.locator(f"#trick [data-card={lead}]")).to_be_visible()
    assert_fits(four["E"])
    axe(four["S"])
    assert SECRET in four["S"].content()  # now that it is over

    for page in four.pages.values():
        page.locator("#next").click()
    expect(four["E"].locator("#about")).to_contain_text("Board 2")
    for name in ("1n", "p", "3n", "p", "p", "p"):
        page = four.on_turn()
        page.keyboard.type(name)
        page.keyboard.press("Enter")
    for _ in range(52):
        type_card(four.on_turn())
    for page in four.pages.values():
        expect(page.locator("#boards tbody tr").nth(1)).to_contain_text("3NT E")
        expect(page.locator("#table-over")).to_be_visible()

    four["S"].locator("#boards a").first.click()  # the first board again, as it was
    expect(four["S"].locator(".hand")).to_have_count(4)
    four["S"].locator("#step-on").click()
    expect(in_trick(four["S"], lead)).to_be_visible()


def answer(page: Page, request: str, name: str) -> None:
    page.locator(request).get_by_role("button", name=name).click()


def claim(page: Page, tricks: int, line: str) -> None:
    page.locator("#claim").click()
    page.locator(f"#claim-tricks label:has([value='{tricks}'])").click()
    page.locator("#claim-line").fill(line)
    page.locator("#claim-go").click()


def cards_of(page: Page, seat: str) -> Locator:
    return page.locator(f".seat[data-seat={seat}] [data-card]")


def in_trick(page: Page, card: str) -> Locator:
    return page.locator(f"#trick [data-card={card}]")


def test_a_card_is_taken_back_a_call_explained_claims_are_answered_and_a_broken_line_loses_nothing(
    sit: Sit, page_errors: list[str], axe: Callable[[Page], None]
) -> None:
    cast = make_cast()
    table = make_table(cast, house=CASUAL)
    for seat, each in zip("NESWNE", (ONE_HEART, PASS, FOUR_HEARTS, PASS, PASS, PASS), strict=True):
        do(table, cast[seat], MakeCall(each))
    four = sit(table, cast)
    north, east, south, west = (four[seat] for seat in "NESW")

    lead = lay(east)
    east.locator("#undo").click()
    expect(north.locator("#undo-request")).to_contain_text("East asks to take back")
    axe(north)
    answer(north, "#undo-request", "Allow")
    expect(south.locator("#undo-request .small")).to_have_text("")  # nobody else is waited for
    answer(south, "#undo-request", "Allow")
    expect(east.locator(f"button[data-card={lead}]")).to_be_visible()
    expect(in_trick(west, lead)).to_have_count(0)
    lay(east)
    expect(cards_of(west, "S")).to_have_count(13)

    east.locator("#auction .told").first.tap()
    expect(north.locator("#explain")).to_contain_text("The opponents ask")
    north.locator("#explain-text").fill(SECRET)
    north.locator("#explain-text").press("Enter")
    for opponent in (east, west):
        expect(opponent.locator("#meaning")).to_contain_text(SECRET)
    assert SECRET not in south.content()

    east.context.set_offline(True)
    expect(east.locator("#lost")).to_contain_text("Reconnecting")
    dummys = lay(north)
    expect(in_trick(west, dummys)).to_be_visible()
    west.context.set_offline(True)
    wests = lay(west)
    expect(west.locator("#lost")).to_contain_text("kept")
    expect(in_trick(west, wests)).to_be_visible()
    expect(north.locator("#table.on-turn")).to_have_count(0)
    west.context.set_offline(False)
    expect(in_trick(north, wests)).to_be_visible()
    east.context.set_offline(False)
    for card in (dummys, wests):
        expect(in_trick(east, card)).to_be_visible()
    for page in (east, west):
        expect(page.locator("#lost")).to_be_hidden()
    page_errors.clear()  # what could not be fetched meanwhile
    lay(north)

    claim(north, 12, "one trump, then everything is high")
    for defender in (east, west):
        expect(defender.locator("#claim-request")).to_contain_text("North claims all of the last 12 tricks")
        expect(cards_of(defender, "N")).to_have_count(12)
    expect(south.locator("#claim-request [data-answers]")).to_be_hidden()
    assert_fits(east)
    axe(east)
    answer(west, "#claim-request", "Refuse")
    expect(north.locator("#claim-request")).to_be_hidden()
    expect(cards_of(west, "N")).to_have_count(12)  # they stay open
    claim(north, 9, "a trump to each of you")
    answer(east, "#claim-request", "Accept")
    expect(west.locator("#claim-request .small")).to_have_text("")
    answer(west, "#claim-request", "Accept")
    for page in four.pages.values():
        expect(page.locator("#ending .ended")).to_contain_text("4♥")
        expect(page.locator("#ending")).to_contain_text("agreed by a claim")
    expect(south.locator("#boards")).to_contain_text("4♥")

    for page in four.pages.values():
        page.locator("#next").click()
    expect(east.locator("#about")).to_contain_text("Board 2")
    for seat, each in zip("ESWNES", (ONE_HEART, PASS, FOUR_HEARTS, PASS, PASS, PASS), strict=True):
        do(table, cast[seat], MakeCall(each))
    expect(south.locator(ON_TURN)).to_be_visible()
    lay(south)
    expect(cards_of(south, "W")).to_have_count(13)
    claim(east, 11, "two trumps to lose")
    for page in (north, south):
        expect(page.locator("#claim-request")).to_contain_text("East claims 11 of the last 13 tricks")
        expect(cards_of(page, "E")).to_have_count(13)
        expect(page.locator("#claim-request [data-withdraw]")).to_be_hidden()
    answer(east, "#claim-request", "Withdraw the claim")
    for page in four.pages.values():
        expect(page.locator("#claim-request")).to_be_hidden()
        expect(page.locator("#said")).to_contain_text("The claim is off. Play goes on.")
    expect(east.locator("#refused")).to_be_hidden()  # nobody has refused it
    expect(east.locator(ON_TURN)).to_be_visible()
    expect(in_trick(south, lay(east))).to_be_visible()
    claim(south, 0, "")
    expect(south.locator("#claim-request")).to_contain_text("You concede the rest")
    for page in four.pages.values():
        page.locator("#said").evaluate("(log) => log.replaceChildren()")
    for page in (east, north):  # a defender's partner may object
        expect(page.locator("#claim-request")).to_contain_text("concedes the rest")
    answer(east, "#claim-request", "Accept")
    expect(north.locator("#claim-request .small")).to_have_text("")
    answer(north, "#claim-request", "Accept")
    for page in four.pages.values():
        expect(page.locator("#ending .ended")).to_contain_text("4♥")
        expect(page.locator("#boards tbody tr").nth(1)).to_contain_text("E +3")
        expect(page.locator("#said")).to_contain_text("The board is over")
        assert "Taken back" not in spoken(page)  # the card in the trick was not


def test_an_announcement_of_blanks_is_not_sent_and_the_page_says_why(live: None, open_for: Open) -> None:
    cast = make_cast()
    table = make_table(cast, house=CASUAL)
    page = open_for(cast["N"])
    page.goto(table.get_absolute_url())
    page.locator("[data-call='1NT']").click()
    page.locator("#announce").check()
    words = page.locator("#alert-text")
    words.fill("   ")
    page.locator("#confirm").click()
    assert words.evaluate("field => field.validationMessage") == "An announcement needs words."
    assert not table.events.exists()
    words.fill(" 15 to 17 ")
    with page.expect_response("**/do"):
        page.locator("#confirm").click()
    assert table.events.get().action["explanation"] == "15 to 17"


def test_a_card_that_is_pressed_while_another_one_moves_is_taken_at_once(live: None, open_for: Open) -> None:
    cast = make_cast()
    table = make_table(cast, house=CASUAL)
    for seat, each in zip("NESWNE", (ONE_HEART, PASS, FOUR_HEARTS, PASS, PASS, PASS), strict=True):
        do(table, cast[seat], MakeCall(each))
    north, west = (open_for(cast[seat], reduced_motion="no-preference") for seat in "NW")
    for page in (north, west):
        page.goto(table.get_absolute_url())
    motion = north.context.new_cdp_session(north)
    motion.send("Animation.enable")
    motion.send("Animation.setPlaybackRate", {"playbackRate": 0.001})  # a card comes for minutes
    lead = something(state_of(table), random.Random(1))
    assert isinstance(lead, PlayCard)
    do(table, cast["E"], lead)
    expect(in_trick(north, lead.card.text)).to_be_visible()
    moving = "document.getAnimations().filter((each) => each.animationName === 'laid').length"
    assert north.evaluate(moving) == 1
    card = lay(north)
    expect(in_trick(north, card)).to_be_visible()
    expect(in_trick(west, card)).to_be_visible()  # it has been played, and everybody sees it
    assert north.evaluate(moving) > 0


def test_whoever_listens_and_types_hears_the_pause_after_a_jump_a_usual_meaning_and_the_last_trick(
    live: None, open_for: Open
) -> None:
    cast = make_cast()
    board_set = create_board_set(name="turned", boards=[BoardFacts(1, TURNED)])
    boards = [Board.objects.get(board_set=board_set).pk]
    before = make_table(cast, boards=boards, subject="2")
    do(before, cast["N"], MakeCall(TWO_DIAMONDS))
    do(before, cast["E"], MakeCall(DOUBLE, explanation="takeout"))
    table = make_table(cast, boards=boards, house=House(rules=TableRules(stop_after_jump=True), casual=True))
    east, north = (open_for(cast[seat]) for seat in "EN")
    for page in (east, north):
        page.goto(table.get_absolute_url())
        expect(page.locator("#box-title")).to_be_visible()
    east.locator("#open-preferences").click()
    for name in ("twoTapCards", "muted"):
        east.locator(f"[data-preference={name}]").check()
    east.keyboard.press("Escape")

    north.keyboard.type("2d")
    north.keyboard.press("Enter")
    expect(east.locator("#said")).to_contain_text("Stop: 2 diamonds was a jump. You can call in ")
    east.keyboard.press("p")
    expect(east.locator("#said > p").filter(has_text="You can call in ")).to_have_count(2)
    expect(east.locator("#stop")).to_be_in_viewport()
    expect(east.locator("#refused")).to_be_hidden()  # it would stand still while the other counts
    assert "Your call" not in spoken(east)
    north.locator("#chat-text").fill("hello")
    north.locator("#chat-text").press("Enter")
    expect(east.locator("#chat-muted")).to_be_visible()
    expect(east.locator("#chat-empty")).to_be_hidden()
    expect(east.locator("#said")).to_contain_text("Your call")
    for place in ("#stop", "#refused"):
        expect(east.locator(place)).to_be_hidden()
    assert "North says: hello" not in spoken(east)
    east.keyboard.press("x")
    expect(east.locator("#usual")).to_have_text("Usual meaning of X: takeout")
    east.locator("#usual").click()
    east.locator("#alert-text").press("Enter")
    expect(north.locator("#auction-middle")).to_contain_text("X!")

    for seat in "SWN":
        do(table, cast[seat], MakeCall(PASS))
    expect(east.locator("#about .contract")).to_be_visible()
    east.keyboard.type("s10")
    expect(east.locator(".pick[data-card=ST]")).to_be_visible()
    east.keyboard.press("Enter")
    expect(north.locator(ON_TURN)).to_be_visible()
    north.locator("#chat-text").blur()
    north.keyboard.press("ArrowRight")
    expect(north.locator(".seat[data-seat=S] [data-card]:focus")).to_have_count(1)
    for seat, card in (("N", "S4"), ("W", "S3"), ("N", "S2")):
        do(table, cast[seat], PlayCard(Card.from_text(card)))
    expect(east.locator("#last-trick")).to_be_enabled()
    east.locator("#said").evaluate("(log) => log.replaceChildren()")
    east.keyboard.press("l")
    cards = ["You: 10 of spades", "South: 4 of spades", "West: 3 of spades", "North: 2 of spades"]
    assert spoken(east) == ["Trick 1", *cards, "Trick won by You. North–South 0, East–West 1."]


def test_undo_stays_in_its_place_a_refused_one_says_so_and_the_director_is_called_by_two_presses(
    sit: Sit,
) -> None:
    cast = make_cast()
    four = sit(make_table(cast), cast)
    caller = four.on_turn()
    call(caller, "Pass")
    expect(caller.locator("#undo")).to_be_enabled()
    place = caller.locator("#call-director").bounding_box()
    caller.locator("#undo").click()
    expect(caller.locator("#undo")).to_be_disabled()
    assert caller.locator("#call-director").bounding_box() == place
    answer(four["E"], "#undo-request", "Refuse")
    expect(caller.locator("#refused")).to_contain_text("Your undo was refused.")
    caller.locator("#call-director").click()
    caller.locator("#director-close").click()
    expect(caller.locator("#director")).to_be_hidden()
    caller.locator("#call-director").click()
    caller.locator("#director-form .go").click()
    expect(four["E"].locator("#director")).to_contain_text("has called the director")
    caller.locator("#take-back-call").click()
    expect(four["E"].locator("#director")).to_be_hidden()


def test_between_boards_a_practice_table_says_for_whom_it_waits_and_counts_nothing_down(
    sit: Sit,
) -> None:
    cast = make_cast()
    table = make_table(cast, house=House(casual=True))
    four = sit(table, cast)
    west, south = four["W"], four["S"]
    west.goto("/tables/")
    expect(west.get_by_role("button", name="Leave after this board")).to_be_visible()
    play_board(Table.objects.get(pk=table.pk))
    expect(south.locator("#opens")).to_be_visible(timeout=SOON)
    west.reload()
    west.get_by_role("button", name="Leave the table").click()
    expect(south.locator("#waiting-for")).to_have_text("Waiting for West", timeout=SOON)
    expect(south.locator("#invite")).to_be_visible()
    expect(south.locator("#opens")).to_be_hidden()


def test_a_table_is_opened_in_the_lobby_and_a_friend_sits_down_without_any_socket(
    open_for: Open, axe: Callable[[Page], None]
) -> None:
    sue, nora = (open_for(make_member(name)) for name in ("Sue", "Nora"))
    Player.objects.filter(name="Nora").update(country="PL")
    sue.goto("/tables/")
    axe(sue)
    sue.locator("#open").click()
    expect(sue.locator("#waiting-for")).to_have_text("3 seats are free")
    axe(sue)
    nora.goto("/tables/")
    nora.get_by_role("button", name="Sit North").click()
    expect(nora.locator("#table")).to_have_attribute("data-me", "N")
    expect(sue.locator("#waiting-for")).to_have_text("2 seats are free")
    expect(sue.locator(".seat[data-place=top]")).to_contain_text("Nora")
    expect(sue.locator(".seat[data-place=top]").get_by_role("img", name="Poland")).to_be_visible()
    nora.locator("#chat-text").fill("<b>hello</b>")
    nora.locator("#chat-text").press("Enter")
    expect(sue.locator("#talk")).to_have_text("North: <b>hello</b>")
    nora.locator("#leave").click()
    expect(sue.locator("#waiting-for")).to_have_text("3 seats are free")
    nora.goto("/tables/")
    expect(nora.get_by_role("button", name="Sit North")).to_be_visible()
