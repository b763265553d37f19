"""The pages of tables: who may open which, what they answer, and that nobody on the way keeps them."""

import json
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.clock.time import move, now
from apps.tables import urls
from apps.tables.models import DirectorCall, Sitting, Table, TableBoard, TableWord
from apps.tables.selectors import calls_for_director
from apps.tables.services.closing import void_table
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.practice import open_practice_table
from apps.tables.services.seating import leave_seat, take_seat
from apps.tables.services.talk import call_director, say, settle_calls
from apps.tables.signals import director_view_asked
from apps.users.models import Player, User
from apps.users.services import close_account
from bridge.auction import PASS
from bridge.dealing import commitment, deal_board
from bridge.table import AskUndo, DecidedBy, MakeCall, TableRules
from tests.administration import page_of
from tests.tables.tables import (
    Browser,
    do,
    make_boards,
    make_cast,
    make_member,
    make_table,
    play_board,
    state_of,
    user_of,
    who_acts,
)

pytestmark = pytest.mark.django_db

# ---- who may open what

ROLES = ["nobody", "stranger", "player", "director", "director who plays"]
SIGN_IN = "sign in"
EXPECTED: dict[str, dict[str, Any]] = {
    # of a table of an event; a director asks for it as one
    "lobby": dict.fromkeys(ROLES, 200),
    "open": dict.fromkeys(ROLES, 302) | {"nobody": SIGN_IN},
    "play": dict.fromkeys(ROLES, 302),
    "system": dict.fromkeys(ROLES, 400),  # of what is asked here by all: no auction
    "calls": {"nobody": SIGN_IN, "stranger": 403, "player": 403, "director": 200, "director who plays": 200},
    "table": {"nobody": SIGN_IN, "stranger": 404, "player": 200, "director": 200, "director who plays": 403},
    "view": {"nobody": 401, "stranger": 404, "player": 200, "director": 200, "director who plays": 403},
    "do": {"nobody": 401, "stranger": 404, "player": 422, "director": 404, "director who plays": 404},
    "sit": {"nobody": SIGN_IN, "stranger": 404, "player": 302, "director": 404, "director who plays": 404},
    "leave": {"nobody": SIGN_IN, "stranger": 404, "player": 302, "director": 404, "director who plays": 404},
    "direct": {"nobody": SIGN_IN, "stranger": 403, "player": 403, "director": 302, "director who plays": 403},
    "robots": {"nobody": SIGN_IN, "stranger": 404, "player": 302, "director": 404, "director who plays": 404},
    "board": {"nobody": SIGN_IN, "stranger": 404, "player": 200, "director": 200, "director who plays": 403},
    # of an event that is not published
    "analysis": {
        "nobody": SIGN_IN,
        "stranger": 404,
        "player": 404,
        "director": 404,
        "director who plays": 403,
    },
    "again": {"nobody": SIGN_IN, "stranger": 404, "player": 302, "director": 302, "director who plays": 403},
    "ask": {"nobody": SIGN_IN, "stranger": 404, "player": 302, "director": 302, "director who plays": 403},
    "answer": {"nobody": SIGN_IN, "stranger": 403, "player": 403, "director": 302, "director who plays": 403},
    # the deals of an event are promised on its own pages
    "deals": dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN},
    "deals_file": dict.fromkeys(ROLES, 404) | {"nobody": SIGN_IN},
    # of what is posted here to all: no settings
    "settings": dict.fromkeys(ROLES, 400) | {"nobody": 401},
}
POSTS = {"open", "play", "robots", "again", "do", "sit", "leave", "direct", "ask", "answer", "settings"}
OF_A_BOARD = {"board", "analysis", "again", "ask", "answer"}
OF_NO_TABLE = {"lobby", "open", "play", "system", "calls", "settings"}


@pytest.fixture
def played() -> tuple[Table, dict[str, Player | None]]:
    """A table whose first board is over, and somebody of each role."""
    cast, others = make_cast(), make_cast("Other ")
    referee = make_member("Referee", director=True)
    others["N"] = referee
    table = make_table(cast)
    open_tables(
        purpose="test",
        occasion="round",
        plans=[
            Plan(
                "2",
                "Table",
                {seat: Chair(player.pk) for seat, player in others.items()},
                make_boards(1, seed=5),
            )
        ],
    )
    play_board(table)
    return table, {
        "nobody": None,
        "stranger": make_member("Vera"),
        "player": who_waits(table),
        "director": make_member("Dora", director=True),
        "director who plays": referee,
    }


def who_waits(table: Table) -> Player:
    return table.sittings.select_related("player__user").get(seat="W").player


def test_every_url_says_who_may_open_it() -> None:
    assert {pattern.name for pattern in urls.urlpatterns} == set(EXPECTED)


@pytest.mark.parametrize("role", ROLES)
@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_who_may_open_what(name: str, role: str, played: tuple[Table, dict[str, Player | None]]) -> None:
    table, people = played
    client, player = Client(), people[role]
    if player:
        client.force_login(user_of(player))
    answer = ask(client, name, table, directs=role.startswith("director"))
    expected = EXPECTED[name][role]
    if expected == SIGN_IN:
        assert answer.status_code == 302
        assert answer["Location"].startswith("/accounts/login/")
    else:
        assert answer.status_code == expected
    assert "no-store" in answer["Cache-Control"]
    assert "private" in answer["Cache-Control"]
    assert "Cookie" in answer["Vary"]
    assert "ETag" not in answer
    assert "Last-Modified" not in answer


def address_of(name: str, table: Table) -> str:
    arguments = [] if name in OF_NO_TABLE else [table.uuid, 1] if name in OF_A_BOARD else [table.uuid]
    return reverse(f"tables:{name}", args=arguments)


def ask(client: Client, name: str, table: Table, *, directs: bool) -> Any:
    address = address_of(name, table)
    if name == "do":
        body = {"command": str(uuid4()), "expect": 99, "do": {"act": "ask", "place": 99}}
        return client.post(address, json.dumps(body), content_type="application/json")
    if name in POSTS:
        return client.post(address, {"act": "settle", "seat": "N"})
    return client.get(address, {"as": "director"} if directs else {})


@pytest.mark.parametrize("name", sorted(EXPECTED))
def test_what_changes_something_is_posted_and_what_shows_is_not(
    name: str, played: tuple[Table, dict[str, Player | None]]
) -> None:
    table, people = played
    client = Client()
    client.force_login(user_of(people["player"] or who_waits(table)))
    address = address_of(name, table)
    wrong = client.get(address) if name in POSTS else client.post(address)
    assert wrong.status_code == 405


@pytest.mark.parametrize("name", ["table", "view", "do", "sit", "board"])
def test_a_table_that_is_not_there_looks_like_one_that_is_not_for_you(name: str) -> None:
    theirs = make_table()
    play_board(theirs)
    client = Client()
    client.force_login(user_of(make_member("Vera")))
    hidden = ask(client, name, theirs, directs=False)
    missing = ask(client, name, Table(uuid=uuid4()), directs=False)
    assert hidden.status_code == missing.status_code == 404
    assert hidden.content.replace(str(theirs.uuid).encode(), b"") == missing.content or name in (
        "table",
        "sit",
        "board",
    )


def test_a_receiver_may_refuse_a_director_who_takes_part() -> None:
    table = make_table()
    dora = make_member("Dora", director=True)

    def refuse(**_: Any) -> None:
        raise PermissionDenied("You play in this event yourself.")

    director_view_asked.connect(refuse)
    try:
        assert (
            Browser(dora, table).client.get(table.get_absolute_url(), {"as": "director"}).status_code == 403
        )
    finally:
        director_view_asked.disconnect(refuse)


def test_every_look_of_a_director_at_a_live_board_is_written_down() -> None:
    table = make_table()
    dora = Browser(make_member("Dora", director=True), table)
    assert dora.client.get(f"{table.get_absolute_url()}view").status_code == 404
    assert not AuditEntry.objects.filter(action="tables.looked").exists()
    for _ in range(2):
        hands = dora.view(**{"as": "director"})["board"]["hands"]
        assert all(hand["cards"] for hand in hands.values())
    looks = AuditEntry.objects.filter(action="tables.looked", subject_id=table.pk)
    assert [(entry.actor_name, entry.after) for entry in looks] == [("dora", {"board": table.current_id})]


# ---- commands over HTTP


def test_a_call_is_made_over_http_and_the_same_again_is_the_same() -> None:
    table = make_table()
    browser, command = Browser(who_acts(table), table), uuid4()
    first = browser.do("call", call="1C", command=command, expect=1)
    again = browser.do("call", call="1C", command=command, expect=1)
    assert first.json() == {"v": 2, "dup": False}
    assert again.json() == {"v": 2, "dup": True}


def test_refusals_say_why_in_words() -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    browser.do("call", call="1C", expect=1)
    stale = browser.do("call", call="1D", expect=1)
    illegal = Browser(who_acts(table), table).do("call", call="1C", expect=2)
    assert (stale.status_code, stale.json()["why"], stale.json()["v"]) == (409, "stale", 2)
    assert (illegal.status_code, illegal.json()["why"]) == (422, "illegal")
    assert "higher" in illegal.json()["say"]
    Table.objects.filter(pk=table.pk).update(state="over", why="cut", closed_at=table.opened_at)
    closed = browser.do("call", call="1D", expect=2)
    assert (closed.status_code, closed.json()["why"]) == (409, "closed")


@pytest.mark.parametrize(
    "raw",
    ["", "{", "x" * 4097, json.dumps({"command": "x"}), "\0" * 4096],
    ids=["empty", "cut", "long", "not", "nul"],
)
def test_rubbish_is_refused_before_anybody_looks_at_it(raw: str) -> None:
    table = make_table()
    answer = Browser(who_acts(table), table).post(raw)
    assert answer.status_code == 400
    assert answer.json()["why"] == "malformed"
    assert table.events.count() == 0


def test_a_command_without_the_sites_own_token_is_refused() -> None:
    table = make_table()
    browser = Browser(who_acts(table), table, csrf=True)
    assert browser.do("call", call="1C", expect=1).status_code == 403
    browser.client.get(table.get_absolute_url())
    token = browser.client.cookies["csrftoken"].value
    body = json.dumps({"command": str(uuid4()), "expect": 1, "do": {"act": "call", "call": "1C"}})
    address = f"{table.get_absolute_url()}do"
    accepted = browser.client.post(
        address, body, content_type="application/json", headers={"X-CSRFToken": token}
    )
    foreign = browser.client.post(
        address,
        body,
        content_type="application/json",
        headers={"X-CSRFToken": token, "Origin": "https://elsewhere.example"},
    )
    assert accepted.status_code == 200
    assert foreign.status_code == 403


def test_a_session_that_ended_does_nothing_more() -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    browser.client.logout()
    assert browser.do("call", call="1C", expect=1).status_code == 401
    assert table.events.count() == 0


def test_two_windows_of_one_player_see_the_same_and_the_second_click_is_told_so() -> None:
    table = make_table()
    player = who_acts(table)
    one, two = Browser(player, table), Browser(player, table)
    first, second = one.view(), two.view()
    assert first | {"now": ""} == second | {"now": ""}
    assert one.do("call", call="1C", expect=first["v"]).status_code == 200
    assert two.do("call", call="1D", expect=second["v"]).json()["why"] == "stale"


def test_chat_director_ready_and_leave_go_the_same_way() -> None:
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    sue = Browser(cast["S"], table)
    command = uuid4()
    for _ in range(2):
        said = sue.do("chat", to="table", text="hello", command=command, expect=0)
        assert said.status_code == 200
    assert [word["text"] for word in sue.view()["chat"]] == ["hello"]
    assert sue.do("director", expect=0).status_code == 200
    assert sue.view()["director"]["by"] == "S"
    assert sue.do("ready", expect=0).status_code == 200
    assert sue.do("leave", expect=0).status_code == 200
    assert sue.client.get(f"{table.get_absolute_url()}view").json()["me"] is None


def test_who_has_called_the_director_can_take_it_back_and_nobody_else() -> None:
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    take_seat(table_id=table.pk, seat="N", player=cast["N"])
    sue, nora = (Browser(cast[seat], table) for seat in "SN")
    sue.do("director", expect=0)
    asks = [each.view()["ask"] for each in (sue, nora)]
    assert [ask["take_back_call"] for ask in asks] == [True, False]
    assert nora.do("take_back_call", expect=0).status_code == 422
    assert nora.view()["director"]
    for _ in range(2):
        assert sue.do("take_back_call", expect=0).status_code == 200
    assert nora.view()["director"] is None
    assert sue.view()["ask"]["director"]


def test_at_a_practice_table_a_call_for_the_director_ends_with_its_board() -> None:
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    for seat in "NEW":
        take_seat(table_id=table.pk, seat=seat, player=cast[seat])
    sue = Browser(cast["S"], table)
    sue.do("director", expect=0)
    assert sue.view()["director"]
    dora = Browser(make_member("Dora", director=True), table).client
    assert "Tables that call the director (1)" in dora.get(reverse("tables:lobby")).content.decode()
    play_board(Table.objects.get(pk=table.pk))
    assert sue.view()["director"] is None


# ---- views and pages


def test_a_view_comes_when_there_is_something_new() -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    version = browser.view()["v"]
    address = f"{table.get_absolute_url()}view"
    assert browser.client.get(address, {"since": version}).status_code == 204
    assert browser.client.get(address, {"since": version - 1}).status_code == 200
    assert browser.client.get(address, {"since": "x" * 50}).status_code == 200


def test_a_view_has_the_same_keys_for_everybody_at_any_time() -> None:
    cast = make_cast()
    table = make_table(cast, house=House(casual=True, turn_seconds=60))
    browsers = [Browser(player, table) for player in (*cast.values(), make_member("Vera"))]
    keys = {tuple(browser.view()) for browser in browsers}
    play_board(table)
    keys |= {tuple(browser.view()) for browser in browsers}
    assert len(keys) == 1


def test_the_pages_of_a_table_are_drawn(settings: Any) -> None:
    settings.LIVE_URL = "ws://127.0.0.1:8001"
    cast = make_cast()
    table = make_table(cast)
    nora = Browser(cast["N"], table).client
    page = nora.get(table.get_absolute_url())
    assert page.context["live"] == f"ws://127.0.0.1:8001/tables/{table.uuid}"
    play_board(table)
    for address in (table.get_absolute_url(), reverse("tables:board", args=[table.uuid, 1]), "/tables/"):
        assert nora.get(address).status_code == 200
    assert nora.get(reverse("tables:board", args=[table.uuid, 2])).status_code == 404
    record = nora.get(reverse("tables:board", args=[table.uuid, 1])).context["view"]
    assert all(len(hand["cards"]) == 13 for hand in record["board"]["hands"].values())
    assert record["me"] == "N"


def test_a_practice_table_is_opened_found_and_joined_in_the_lobby() -> None:
    cast = make_cast()
    clients = {}
    for seat, player in cast.items():
        clients[seat] = Client()
        clients[seat].force_login(user_of(player))
    opened = clients["S"].post(reverse("tables:open"))
    table = Table.objects.get()
    assert opened["Location"] == table.get_absolute_url()
    for seat in "NEW":
        lobby = clients[seat].get(reverse("tables:lobby"))
        assert table in lobby.context["tables"]
        clients[seat].post(reverse("tables:sit", args=[table.uuid]), {"seat": seat})
    assert table in clients["S"].get(reverse("tables:lobby")).context["mine"]
    assert state_of(table).board.number == 1
    onlooker = Client()
    onlooker.force_login(user_of(make_member("Vera")))
    view = onlooker.get(f"{table.get_absolute_url()}view").json()
    assert view["as"] == "public"
    assert all(hand["cards"] is None for hand in view["board"]["hands"].values())


def test_a_visitor_sees_the_lobby_and_reads_that_a_seat_is_for_whoever_signs_in() -> None:
    open_practice_table(player=make_member("Nora"))
    page = Client().get(reverse("tables:lobby")).text
    assert "Nora" in page
    assert f'{reverse("account_login")}?next={reverse("tables:lobby")}"' in page
    assert "Sign in to take a seat or to look on" in page
    assert 'name="seat"' not in page
    assert 'id="open"' not in page


def test_a_visitor_reads_what_waits_behind_the_address_of_a_table_and_not_whether_there_is_one() -> None:
    here, nowhere = make_table(), Table(uuid=uuid4())
    pages = [Client().get(each.get_absolute_url(), follow=True).text for each in (here, nowhere)]
    for page in pages:
        assert page.count("Behind this address four people play bridge: sign in") == 1


def test_a_player_without_a_name_is_sent_to_give_one() -> None:
    nameless = Client()
    player = make_member("Vera")
    nameless.force_login(user_of(player))
    Player.objects.all().delete()
    page = nameless.post(reverse("tables:open"), follow=True)
    assert "under which name you play" in page.content.decode()
    assert not Table.objects.exists()


def test_a_director_decides_on_the_page() -> None:
    table = make_table()
    do(table, who_acts(table), MakeCall(PASS))
    client = Client()
    client.force_login(user_of(make_member("Dora", director=True)))
    address = reverse("tables:direct", args=[table.uuid])
    decision = {"act": "rule", "command": uuid4(), "ns": "A+", "ew": "A-", "reason": "hesitation"}
    for wrong in ({"reason": ""}, {"ew": ""}, {"ns": "", "ew": ""}, {"act": "dance"}, {"command": "x"}):
        client.post(address, decision | wrong)
        assert not state_of(table).is_over
    for _ in range(2):
        client.post(address, decision)
    board = table.boards.get(position=1)
    assert (board.how, board.ruling) == ("ruled", {"ns": {"grade": "A+"}, "ew": {"grade": "A-"}})
    assert [word.text for word in table.words.all()] == ["hesitation"]
    for reason in ("", "\u200b", "\0", "x" * 301):
        page = client.post(address, {"act": "void", "reason": reason}, follow=True)
        assert page.status_code == 200
        assert list(page.context["messages"])
        assert Table.objects.get().state != Table.State.OVER
    client.post(address, {"act": "void", "reason": "a fire alarm"})
    assert Table.objects.get().why == Table.Why.VOID


def test_a_director_allows_on_the_page_that_a_call_is_taken_back() -> None:
    table = make_table(house=House(rules=TableRules(undo=DecidedBy.DIRECTOR)))
    player = who_acts(table)
    do(table, player, MakeCall(PASS))
    do(table, player, AskUndo())
    dora = Client()
    dora.force_login(user_of(make_member("Dora", director=True)))
    decision = {"act": "grant", "command": uuid4(), "reason": "a slip of the finger"}
    dora.post(reverse("tables:direct", args=[table.uuid]), decision)
    assert state_of(table).auction.calls == ()
    assert [word["text"] for word in Browser(player, table).view()["chat"]] == ["a slip of the finger"]


def test_what_a_director_says_is_heard_by_all_four_once() -> None:
    cast = make_cast()
    table = make_table(cast)
    dora = Client()
    dora.force_login(user_of(make_member("Dora", director=True)))
    address, words = reverse("tables:direct", args=[table.uuid]), {"act": "say", "command": uuid4()}
    dora.post(address, words | {"text": " "})
    for _ in range(2):
        dora.post(address, words | {"text": "Please play on."})
    for player in cast.values():
        said = Browser(player, table).view()["chat"]
        assert [(each["seat"], each["text"]) for each in said] == [("", "Please play on.")]


def test_a_decision_that_falls_half_way_is_made_whole_when_its_form_comes_again(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    table = make_table()
    call_director(table_id=table.pk, user=user_of(who_acts(table)), command=uuid4())
    dora = Client(raise_request_exception=False)
    dora.force_login(user_of(make_member("Dora", director=True)))
    address = reverse("tables:direct", args=[table.uuid])
    form = {"act": "rule", "command": uuid4(), "ns": "A", "ew": "A", "reason": "slow play"}

    def fall(**_: Any) -> None:
        raise SystemError

    with monkeypatch.context() as patch:
        patch.setattr("apps.tables.services.oversight.say_as_director", fall)
        assert dora.post(address, form).status_code == 500
    assert table.boards.get(position=1).state == TableBoard.State.PLAYING
    for _ in range(2):
        assert dora.post(address, form).status_code == 302
    assert table.boards.get(position=1).how == TableBoard.How.RULED
    assert [word.text for word in table.words.all()] == ["slow play"]
    assert not table.director_calls.filter(settled_at=None).exists()


# ---- the queue of calls


def queue(client: Client) -> list[str]:
    return [call.table.subject for call in client.get(reverse("tables:calls")).context["calls"]]


def test_tables_that_call_stand_in_the_queue_the_oldest_first_until_they_were_helped() -> None:
    referee = make_member("Referee", director=True)
    tables = {name: make_table(make_cast(name), subject=name) for name in "ABC"}
    played = make_table(make_cast("Own ") | {"N": referee}, subject="own", occasion="another")
    dora = Client()
    dora.force_login(user_of(make_member("Dora", director=True)))
    for name in "BAC":
        call_director(table_id=tables[name].pk, user=user_of(who_acts(tables[name])), command=uuid4())
        move(timedelta(minutes=3))
    call_director(table_id=played.pk, user=user_of(who_acts(played)), command=uuid4())
    assert queue(dora) == ["B", "A", "C", "own"]
    assert reverse("tables:calls") in dora.get(reverse("tables:lobby")).content.decode()
    page = dora.get(reverse("tables:calls")).content.decode()
    assert "has waited for 9\xa0minutes" in page
    assert 'hx-trigger="every 5s"' in page
    settle_calls(table_id=tables["A"].pk, by=user_of(referee))
    void_table(table_id=tables["C"].pk, by=None, reason="")
    assert queue(dora) == ["B", "own"]
    own = Client()
    own.force_login(user_of(referee))
    assert queue(own) == ["B"]  # what is said at the tables of the own event is not for who plays there


def test_a_call_that_came_with_the_last_card_waits_until_the_bell() -> None:
    table = make_table(boards=make_boards(1), house=House(closes_at=now() + timedelta(minutes=5)))
    call_director(table_id=table.pk, user=user_of(who_acts(table)), command=uuid4())
    play_board(table)
    table.refresh_from_db()
    assert table.why == Table.Why.FINISHED
    dora = user_of(make_member("Dora", director=True))
    assert len(calls_for_director(dora)) == 1
    move(timedelta(minutes=6))
    assert calls_for_director(dora) == []


# ---- what a player likes


def like(client: Client, said: object) -> int:
    answer = client.post(reverse("tables:settings"), json.dumps(said), content_type="application/json")
    return answer.status_code


def test_what_a_player_likes_at_the_table_is_kept_with_the_account_for_all_devices() -> None:
    table = make_table()
    player = who_waits(table)
    phone, desk = Browser(player, table).client, Browser(player, table).client
    assert desk.get(table.get_absolute_url()).context["settings"] == {}
    assert like(phone, {"sounds": True, "muted": True}) == 204
    assert like(phone, {"muted": False}) == 204
    assert desk.get(table.get_absolute_url()).context["settings"] == {"sounds": True, "muted": False}
    rubbish: list[object] = [{"sounds": 1}, {"password": True}, [], "x", {"sounds": None}, None]
    assert {like(phone, said) for said in rubbish} == {400}
    assert like(Client(), {"sounds": True}) == 401
    assert desk.get(table.get_absolute_url()).context["settings"] == {"sounds": True, "muted": False}


# ---- practice tables


def practice() -> tuple[Table, dict[str, Player]]:
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    for seat in "NEW":
        take_seat(table_id=table.pk, seat=seat, player=cast[seat])
    table.refresh_from_db()
    return table, cast


def test_the_deals_of_a_practice_table_are_promised_and_shown_when_it_is_over() -> None:
    table, cast = practice()
    client = Browser(cast["N"], table).client
    address = reverse("tables:deals", args=[table.uuid])
    assert Browser(cast["N"], table).view()["table"]["deals"] == address
    promised = client.get(address).context["seal"]
    assert promised.commitment in client.get(address).content.decode()
    assert promised.seed == ""
    assert client.get(reverse("tables:deals_file", args=[table.uuid])).status_code == 404
    play_board(table)
    for player in cast.values():
        leave_seat(table_id=table.pk, user=user_of(player))
    page = client.get(address)
    assert page.context["seal"].commitment == promised.commitment
    assert page.context["faults"] == []
    record = client.get(reverse("tables:deals_file", args=[table.uuid])).json()
    assert commitment(bytes.fromhex(record["seed"]), record["name"]) == promised.commitment
    assert [each["deal"] for each in record["boards"]] == [
        deal_board(bytes.fromhex(record["seed"]), record["name"], round_number=1, board_number=number).pbn
        for number in (1, 2, 3, 4)
    ]


def test_a_practice_table_closes_also_where_its_seed_cannot_be_read_any_more(settings: Any) -> None:
    table, _cast = practice()
    settings.SECRET_KEY = "another"
    void_table(table_id=table.pk, by=None, reason="")
    assert Table.objects.get().is_over


def test_who_looks_on_at_a_practice_table_may_look_at_its_boards_that_are_over() -> None:
    table, _cast = practice()
    vera = Browser(make_member("Vera"), table)
    address = reverse("tables:board", args=[table.uuid, 1])
    assert vera.client.get(address).status_code == 404
    play_board(table)
    shown = vera.view()["boards"]
    assert (shown[0]["url"], shown[1]["url"]) == (address, None)
    assert shown[0]["result"] or shown[0]["how"] == "passed out"
    assert vera.client.get(address).status_code == 200
    assert Client().get(address).status_code == 200


# ---- accounts that are closed


def test_a_closed_account_plays_no_card_and_its_practice_table_goes_on_without_it() -> None:
    table, _cast = practice()
    player = who_acts(table)
    browser, seat = Browser(player, table), table.sittings.get(player=player).seat
    version = browser.view()["v"]
    close_account(user=user_of(player), by=None)
    assert browser.do("call", call="Pass", expect=version).status_code == 401
    assert browser.client.get(f"{table.get_absolute_url()}view").status_code == 401
    with pytest.raises(Sitting.DoesNotExist):
        do(table, player, MakeCall(PASS))
    board = table.boards.get(position=1)
    assert (board.how, board.gone) == ("abandoned", seat)
    assert set(table.sittings.values_list("seat", flat=True)) == set("NESW") - {seat}
    assert not Table.objects.get(pk=table.pk).is_over


def test_a_command_in_the_name_of_a_closed_account_is_nobodys() -> None:
    """Where somebody is let in before the account is closed, and acts after it."""
    table = make_table()
    player = who_acts(table)
    User.objects.filter(pk=user_of(player).pk).update(is_active=False)
    with pytest.raises(Sitting.DoesNotExist):
        do(table, player, MakeCall(PASS))
    assert table.events.count() == 0


def test_the_administration_shows_what_was_said_at_a_table_when_it_is_over() -> None:
    table, cast = practice()
    caller = user_of(cast["E"])
    say(table_id=table.pk, user=caller, command=uuid4(), to=TableWord.To.OPPONENTS, text="I have six hearts")
    call_director(table_id=table.pk, user=caller, command=uuid4(), text="I revoked")
    boss = user_of(make_member("Dora"))
    boss.is_staff = boss.is_superuser = True
    boss.save()
    client = Client()
    client.force_login(boss)
    said = [
        (reverse(f"admin:tables_{name}_{page}", args=args), words)
        for name, key, words in [
            ("tableword", TableWord.objects.get().pk, "six hearts"),
            ("directorcall", DirectorCall.objects.get().pk, "I revoked"),
        ]
        for page, args in [("changelist", []), ("change", [key])]
    ]
    assert not any(words in client.get(address, follow=True).text for address, words in said)
    void_table(table_id=table.pk, by=None, reason="a fire alarm")
    assert all(words in client.get(address).text for address, words in said)


def test_the_administration_closes_an_account_with_all_that_follows() -> None:
    table, cast = practice()
    boss = user_of(make_member("Dora"))
    boss.is_staff = boss.is_superuser = True
    boss.save()
    client = Client()
    client.force_login(boss)
    user = user_of(cast["E"])
    address, given = page_of(client, user)
    del given["is_active"]
    answer = client.post(address, given)
    assert answer.status_code == 302, answer.context["errors"]
    user.refresh_from_db()
    assert not user.is_active
    assert AuditEntry.objects.get(action="users.closed").actor_name == "dora"
    assert not table.sittings.filter(seat="E").exists()


# ---- statements


@pytest.fixture
def warm() -> tuple[Table, Browser]:
    table = make_table()
    do(table, who_acts(table), MakeCall(PASS))
    browser = Browser(who_acts(table), table)
    browser.view()
    return table, browser


Count = Callable[[int], Any]


def test_a_command_takes_eight_statements_at_the_most(
    warm: tuple[Table, Browser], django_assert_num_queries: Count
) -> None:
    _table, browser = warm
    with django_assert_num_queries(7 + 2):  # two are the savepoint of the test around the transaction
        assert browser.do("call", call="Pass", expect=2).status_code == 200


def test_a_view_takes_a_fixed_number_of_statements(
    warm: tuple[Table, Browser], django_assert_num_queries: Count
) -> None:
    table, browser = warm
    with django_assert_num_queries(12):
        browser.view()
    play_board(table)
    with django_assert_num_queries(11):  # no call to be made, no meaning to be offered
        browser.view()


@pytest.mark.parametrize(("page", "statements"), [("deals", 7), ("deals_file", 6)])
def test_the_deals_of_a_practice_table_take_the_same_statements_for_two_boards_and_for_eight(
    page: str, statements: int, monkeypatch: pytest.MonkeyPatch, django_assert_num_queries: Count
) -> None:
    for boards in (2, 8):
        monkeypatch.setattr("apps.tables.services.practice.BOARDS", boards)
        looker = make_member(f"Sue {boards}")
        table = open_practice_table(player=looker)
        void_table(table_id=table.pk, by=None, reason="")
        client = Browser(looker, table).client
        with django_assert_num_queries(statements):
            assert client.get(reverse(f"tables:{page}", args=[table.uuid])).status_code == 200


def test_countries_stand_with_those_who_sit_there_and_a_new_one_with_the_next_view() -> None:
    cast = make_cast()
    table = make_table(cast, house=House(casual=True))
    browser = Browser(cast["N"], table)
    for country in ("PL", "SG"):
        Player.objects.filter(pk=cast["E"].pk).update(country=country)
        seats = browser.view()["seats"]
        assert {seat: person["country"] for seat, person in seats.items()} == dict.fromkeys("NSW", "") | {
            "E": country
        }
    play_board(table)
    record = browser.client.get(reverse("tables:board", args=[table.uuid, 1])).context["view"]
    assert record["seats"]["E"]["country"] == "SG"
    assert 'title="Singapore"' in browser.client.get(reverse("tables:lobby")).text


def test_the_lobby_takes_the_same_statements_for_one_table_and_for_five(
    django_assert_num_queries: Count,
) -> None:
    client = Client()
    client.force_login(user_of(make_member("Vera")))
    open_practice_table(player=make_member("Nora"))
    client.get(reverse("tables:lobby"))
    with django_assert_num_queries(7):
        client.get(reverse("tables:lobby"))
    for name in ("Ed", "Sue", "Will", "Ann"):
        open_practice_table(player=make_member(name))
    with django_assert_num_queries(7):
        client.get(reverse("tables:lobby"))
