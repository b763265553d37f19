"""Sockets: who may have one, what comes through it, and what happens when something falls."""

import json
import queue
import random
import time
from datetime import timedelta
from uuid import uuid4

import pytest
from django.contrib.sessions.models import Session

from apps.clock.time import now
from apps.tables import live, watching
from apps.tables.hints import hints
from apps.tables.models import Table, TableWord
from apps.tables.services.closing import void_table
from apps.tables.services.practice import open_practice_table
from apps.tables.services.seating import leave_seat, substitute, take_seat
from apps.tables.services.talk import call_director, say, settle_calls
from apps.users.models import User
from bridge.auction import PASS
from bridge.table import MakeCall
from tests.tables.stand import PATIENCE, Closed, Line, Stand, standing
from tests.tables.tables import Browser, do, make_cast, make_member, make_table, play_board, user_of, who_acts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture(autouse=True)
def _own_hints(monkeypatch: pytest.MonkeyPatch) -> None:
    """A circuit breaker that an earlier test has opened stays with that test."""
    monkeypatch.setattr(hints.rest, "until", 0.0)


def line_of(stand: Stand, table: Table, seat: str) -> Line:
    return stand.connect(Browser(table.sittings.get(seat=seat).player, table), table)


def test_four_play_a_board_over_http_and_sockets(stand: Stand) -> None:
    cast = make_cast()
    table = make_table(cast)
    browsers = {seat: Browser(player, table) for seat, player in cast.items()}
    lines = {seat: stand.connect(browser, table) for seat, browser in browsers.items()}
    views = {seat: line.view() for seat, line in lines.items()}
    chance = random.Random(3)
    while views["N"]["board"]["phase"] != "over":
        (seat,) = views["N"]["board"]["waits_for"]
        board = views[seat]["board"]
        if board["legal_cards"]:
            answer = browsers[seat].do("play", card=board["legal_cards"][0], expect=views[seat]["v"])
        else:
            calls = board["legal_calls"]
            call = "Pass" if len(board["calls"]) > 3 and chance.random() < 0.8 else chance.choice(calls[:8])
            answer = browsers[seat].do("call", call=call, expect=views[seat]["v"])
        assert answer.status_code == 200, answer.content
        version = answer.json()["v"]
        views = {each: line.view(version) for each, line in lines.items()}
        assert {view["v"] for view in views.values()} == {version}
    assert views["S"]["boards"][0]["state"] == "over"
    assert views["S"]["next"]


def test_what_is_around_the_board_comes_through_the_socket_as_well(stand: Stand) -> None:
    """What changes seldom is kept in the process; whatever moves it must be noticed."""
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    browser = Browser(cast["S"], table)
    line = stand.connect(browser, table)
    version = line.view()["v"]

    def shown() -> dict[str, object]:
        nonlocal version
        version = Table.objects.get(pk=table.pk).version
        by_socket, by_page = line.view(version), browser.view()
        around = ("seats", "boards", "chat", "director", "next", "ask", "table")
        assert {key: by_socket[key] for key in around} == {key: by_page[key] for key in around}
        return by_socket

    for seat in "NEW":
        take_seat(table_id=table.pk, seat=seat, player=cast[seat])
        assert seat in shown()["seats"]  # type: ignore[operator]
    say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=TableWord.To.TABLE, text="hello")
    assert shown()["chat"]
    call_director(table_id=table.pk, user=user_of(cast["N"]), command=uuid4())
    assert shown()["director"]
    settle_calls(table_id=table.pk, by=user_of(make_member("Dora", director=True)))
    assert not shown()["director"]
    leave_seat(table_id=table.pk, user=user_of(cast["N"]))
    shown()
    do(table, who_acts(table), MakeCall(PASS))
    shown()
    play_board(table)
    assert shown()["next"]
    void_table(table_id=table.pk, by=None, reason="a fire alarm")
    assert shown()["table"]["state"] == "over"  # type: ignore[index]


# ---- who may have one


@pytest.mark.parametrize(
    "origin",
    [
        "",
        "null",
        "https://elsewhere.example",
        "http://127.0.0.1:8001",
        "https://127.0.0.1:8000",
        "http://127.0.0.1:8000.elsewhere.example",
        "http://127.0.0.1",
        "http://127.0.0.1:8000/",
    ],
)
def test_a_page_of_another_origin_gets_no_socket(stand: Stand, origin: str) -> None:
    table = make_table()
    line = stand.connect(Browser(who_acts(table), table), table, origin=origin)
    assert line.out.get(timeout=PATIENCE)["type"] == "websocket.close"
    assert line.out.empty()


def test_who_is_signed_out_or_a_stranger_is_told_so_and_sees_nothing(stand: Stand) -> None:
    table = make_table()
    assert stand.connect(None, table).code() == 4401
    stranger = Browser(make_member("Vera"), table)
    assert stand.connect(stranger, table).code() == 4404
    assert stand.connect(stranger, Table(uuid=uuid4())).code() == 4404
    assert stand.connect(stranger, table, query="&as=director").code() == 4404


def test_a_session_that_ends_ends_its_sockets_before_anything_else_comes(stand: Stand) -> None:
    table = make_table()
    player = who_acts(table)
    browser = Browser(player, table)
    line = stand.connect(browser, table)
    seen = line.view()["v"]
    do(table, player, MakeCall(PASS))
    assert line.view(seen + 1)
    browser.client.logout()
    do(table, who_acts(table), MakeCall(PASS))
    with pytest.raises(Closed) as closed:
        line.view(seen + 2)
    assert closed.value.code == 4401


@pytest.mark.parametrize("how", ["password", "banned", "expired"])
def test_whoever_may_not_any_more_gets_nothing_more(stand: Stand, how: str) -> None:
    table = make_table()
    player = who_acts(table)
    line = stand.connect(Browser(player, table), table)
    line.view()
    if how == "password":
        user = user_of(player)
        user.set_password("another one")
        user.save()
    elif how == "banned":
        User.objects.filter(pk=user_of(player).pk).update(is_active=False)
    else:
        Session.objects.update(expire_date="2020-01-01T00:00:00Z")
    say(
        table_id=table.pk,
        user=user_of(table.sittings.exclude(player=player)[0].player),
        command=uuid4(),
        to=TableWord.To.TABLE,
        text="hello",
    )
    with pytest.raises(Closed) as closed:
        line.view(2)
    assert closed.value.code == 4401


def test_the_right_to_watch_is_looked_at_again_when_nothing_happens(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(live, "RECHECK", 0.5)
    table = make_table()
    browser = Browser(who_acts(table), table)
    line = stand.connect(browser, table)
    line.view()
    browser.client.logout()
    assert line.code() == 4401


def test_who_was_replaced_sees_nothing_more_and_the_substitute_does(stand: Stand) -> None:
    table = make_table()
    director, vera = user_of(make_member("Dora", director=True)), make_member("Vera")
    line = line_of(stand, table, "N")
    hand = line.view()["board"]["hands"]["N"]
    substitute(table_id=table.pk, seat="N", player=vera, by=director)
    assert line.code() == 4404
    assert stand.connect(Browser(vera, table), table).view()["board"]["hands"]["N"] == hand


def test_the_oldest_of_five_sockets_of_a_user_gives_way_to_one_more(stand: Stand) -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    lines = []
    for _ in range(12):
        lines.append(stand.connect(browser, table))
        lines[-1].view()
    assert [line.code() for line in lines[:7]] == [4409] * 7
    do(table, browser.player, MakeCall(PASS))
    assert all(line.view(2) for line in lines[7:])
    assert {len(mine) for mine in stand.live.users.values()} == {5}
    for line in lines[7:]:
        line.hang_up()
    assert not stand.live.users
    assert not stand.live.addresses


def test_a_silent_line_gives_way_before_one_that_is_heard(stand: Stand) -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    lines = []
    for _ in range(5):
        lines.append(stand.connect(browser, table))
        lines[-1].view()
    (sockets,) = stand.live.users.values()
    sockets[3].heard -= live.SILENT
    stand.connect(browser, table).view()
    assert lines[3].code() == 4409


def test_a_question_that_waits_takes_no_socket_away(stand: Stand) -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    lines = [stand.connect(browser, table) for _ in range(5)]
    for line in lines:
        line.view()
    assert stand.poll(browser, table, since=0, wait=1)[0] == 429
    do(table, browser.player, MakeCall(PASS))
    assert all(line.view(2) for line in lines)


def test_an_address_holds_so_many_sockets_and_no_more(stand: Stand, settings: object) -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    for _ in range(5):
        stand.connect(browser, table).view()
    settings.LIVE_PER_ADDRESS = 6  # type: ignore[attr-defined]
    other = Browser(table.sittings.exclude(player=browser.player)[0].player, table)
    stand.connect(other, table).view()
    assert stand.connect(other, table).code() == 4429
    stand.connect(other, table, address="192.0.2.7").view()


# ---- what may be sent


@pytest.mark.parametrize(
    ("text", "code"),
    [
        ("x" * 4097, 1009),
        (json.dumps({"sync": 1}).ljust(4097), 1009),
        ("x", 4400),
        ("", 4400),
        ("[" * 4000, 4400),
        (json.dumps({"sync": "1"}), 4400),
        (json.dumps({"sync": -1}), 4400),
        (json.dumps({"sync": 1, "do": {"act": "call", "call": "1C"}}), 4400),
        (json.dumps({"command": str(uuid4()), "expect": 1, "do": {"act": "call", "call": "1C"}}), 4400),
    ],
    ids=["long", "long sync", "x", "empty", "deep", "text", "negative", "more", "command"],
)
def test_a_socket_only_receives_and_rubbish_closes_it(stand: Stand, text: str, code: int) -> None:
    table = make_table()
    line = line_of(stand, table, "N")
    line.view()
    line.say(text)
    assert line.code() == code
    assert table.events.count() == 0


def test_who_sends_without_end_is_cut_off(stand: Stand) -> None:
    table = make_table()
    line = line_of(stand, table, "N")
    version = line.view()["v"]
    for _ in range(110):
        line.say(json.dumps({"sync": version}))
    assert line.code() == 4408


def test_a_watcher_that_missed_something_asks_for_it(stand: Stand) -> None:
    table = make_table()
    line = line_of(stand, table, "N")
    version = line.view()["v"]
    line.say(json.dumps({"sync": 0}))
    assert line.view(version)["v"] == version


def test_who_is_up_to_date_is_sent_nothing(stand: Stand) -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    line = stand.connect(browser, table, since=browser.view()["v"])
    with pytest.raises(queue.Empty):
        line.view(patience=1.5)


# ---- signs of life


def test_signs_of_life_come_and_count(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "BEAT", 0.2)
    monkeypatch.setattr(live, "ATTEND", 0.2)
    table = make_table()
    line = line_of(stand, table, "N")
    line.view()
    end = time.monotonic() + PATIENCE
    while table.sittings.get(seat="N").last_seen is None:
        assert time.monotonic() < end
        line.say(json.dumps({"sync": 99}))
        time.sleep(0.1)
    assert table.sittings.get(seat="E").last_seen is None
    while "now" not in line.frame():
        assert time.monotonic() < end


def test_nobody_loses_a_seat_while_the_process_starts(monkeypatch: pytest.MonkeyPatch) -> None:
    table = open_practice_table(player=make_member("Sue"))
    take_seat(table_id=table.pk, seat="N", player=make_member("Nora"))
    long_ago = now() - timedelta(minutes=5)
    table.sittings.update(sat_at=long_ago, last_seen=long_ago)
    begin = watching.begin

    def begin_slowly() -> None:
        time.sleep(0.5)
        begin()

    monkeypatch.setattr(watching, "begin", begin_slowly)
    monkeypatch.setattr(live, "ATTEND", 0.1)
    with standing():
        end = time.monotonic() + PATIENCE
        while table.sittings.filter(last_seen=long_ago).exists():
            assert time.monotonic() < end
            time.sleep(0.1)
        time.sleep(0.3)
    assert set(table.sittings.values_list("seat", flat=True)) == {"N", "S"}


def test_a_socket_that_was_silent_for_long_is_closed(stand: Stand, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "LOST", 0.1)
    table = make_table()
    assert line_of(stand, table, "N").code() == live.GONE


# ---- long polls


def test_who_has_too_many_from_one_address_is_not_even_looked_up(stand: Stand, settings: object) -> None:
    settings.LIVE_PER_ADDRESS = 1  # type: ignore[attr-defined]
    table = make_table()
    browser = Browser(who_acts(table), table)
    for _ in range(2):  # one after the other is one at a time
        assert stand.poll(browser, table, since=0, wait=0)[0] == 200
    stand.connect(browser, table).view()
    assert stand.poll(browser, table, since=0, wait=0)[0] == 429
    browser.client.logout()
    assert stand.poll(browser, table, since=0, wait=0)[0] == 429


def test_a_long_poll_waits_for_what_is_new(stand: Stand) -> None:
    table = make_table()
    player = who_acts(table)
    browser = Browser(player, table)
    version = browser.view()["v"]
    began = time.monotonic()
    status, headers, _body = stand.poll(browser, table, since=version, wait=1)
    assert status == 204
    assert time.monotonic() - began > 0.9
    do(table, player, MakeCall(PASS))
    status, headers, body = stand.poll(browser, table, since=version, wait=20)
    assert status == 200
    assert json.loads(body) | {"now": ""} == browser.view() | {"now": ""}
    assert "no-store" in headers["cache-control"]
    assert headers["vary"] == "Cookie"
    assert stand.poll(Browser(make_member("Vera"), table), table, since=0, wait=1)[0] == 404
    browser.client.logout()
    assert stand.poll(browser, table, since=0, wait=1)[0] == 401


# ---- what falls


def test_without_hints_a_move_is_seen_within_two_seconds(
    stand: Stand, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(hints.rest, "until", time.monotonic() + 1000)
    table = make_table()
    line = line_of(stand, table, "N")
    version, seconds = line.view()["v"], []
    for _ in range(3):
        do(table, who_acts(table), MakeCall(PASS))
        began = time.monotonic()
        version += 1
        line.view(version)
        seconds.append(time.monotonic() - began)
    assert min(seconds) < 2  # and the others too, on a machine at rest


def test_a_hint_of_a_version_that_there_is_not_hides_none_that_there_is(stand: Stand) -> None:
    table = make_table()
    line = line_of(stand, table, "N")
    version = line.view()["v"]
    hints.announce({table.pk: 1_000_000})
    for _ in range(2):
        do(table, who_acts(table), MakeCall(PASS))
        version += 1
        assert line.view(version)["v"] == version


def test_a_restart_says_when_to_come_back_and_everybody_at_another_moment(stand: Stand) -> None:
    table = make_table()
    lines = [line_of(stand, table, seat) for seat in "NESW"]
    for line in lines:
        line.view()
    stand.end()
    pauses = set()
    for line in lines:
        while "bye" not in (frame := line.frame()):
            pass
        pauses.add(frame["bye"])
        assert line.code() == 1012
    assert len(pauses) > 1
    assert all(0 <= pause <= 10 for pause in pauses)
