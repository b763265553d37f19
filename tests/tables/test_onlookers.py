"""Whoever looks on does nothing at the table: no act of a player is open to anybody but those who sit there."""

import json
from collections.abc import Iterator
from typing import Any
from uuid import uuid4

import pytest
from django.test import Client

from apps.tables.models import Sitting, Table, TableWord
from apps.tables.protocol import _TABLE_ACTS
from apps.tables.refusals import Refused
from apps.tables.services.opening import House
from apps.tables.services.presence import miss_silent, see
from apps.tables.services.seating import take_seat
from apps.users.models import Player
from bridge.table import NAMES, PlayerAction, TableRules
from tests.pairs.evening import pass_time
from tests.tables.tables import Browser, make_cast, make_member, make_table, play_board, user_of, who_acts

pytestmark = pytest.mark.django_db

ACTS: dict[str, dict[str, Any]] = {
    "call": {"call": "Pass"},
    "explain": {"place": 0, "explanation": "weak"},
    "ask": {"place": 0},
    "play": {"card": "SA"},
    "claim": {"tricks": 1},
    "answer_claim": {"accept": True},
    "withdraw_claim": {},
    "ask_undo": {},
    "answer_undo": {"accept": True},
    "withdraw_undo": {},
    "chat": {"to": "table", "text": "hello"},
    "director": {},
    "take_back_call": {},
    "prompt": {},
    "ready": {},
    "leave": {},
}


def test_these_are_all_acts_that_there_are() -> None:
    players = {NAMES[action] for action in NAMES if issubclass(action, PlayerAction)}
    assert ACTS.keys() == players | _TABLE_ACTS.keys()


def all_of(table: Table) -> list[object]:
    """Everything that is known of a table, but for who was heard of when."""
    rows = [
        Table.objects.filter(pk=table.pk),
        table.boards.all(),
        table.events.all(),
        table.director_calls.all(),
    ]
    seats = Sitting.objects.filter(table=table).values("seat", "player", "ready", "leaving")
    return [list(seats), *(list(each.values()) for each in rows), list(TableWord.objects.values())]


def onlookers(table: Table) -> Iterator[Client]:
    """Signed out, somebody, a director, a player of another table, whoever was replaced here."""
    yield Client()
    referee = make_member("Dora", director=True)
    elsewhere = make_cast("Other ")
    make_table(elsewhere, subject="2", house=House(casual=True))
    for player in (make_member("Vera"), referee, elsewhere["N"]):
        yield Browser(player, table).client


@pytest.mark.parametrize("act", ACTS)
@pytest.mark.parametrize("casual", [True, False], ids=["casual", "event"])
def test_who_does_not_sit_there_can_do_nothing_there(act: str, casual: bool) -> None:
    table = make_table(house=House(casual=casual, rules=TableRules(undo_cards=True)))
    play_board(table, until=lambda state: bool(state.play and state.play.has_begun))
    clients, before = list(onlookers(table)), all_of(table)
    for client in clients:
        for way in ("", "?as=director"):
            body = {"command": str(uuid4()), "expect": table.version, "do": {"act": act} | ACTS[act]}
            address = f"{table.get_absolute_url()}do{way}"
            answer = client.post(address, json.dumps(body), content_type="application/json")
            assert answer.status_code in (401, 404)
            assert answer.json().keys() == {"why", "say"}
    assert all_of(table) == before


def test_those_who_sit_there_can() -> None:
    """The control: the same commands, from a seat, are read and judged by the board."""
    table = make_table(house=House(casual=True, rules=TableRules(undo_cards=True)))
    play_board(table, until=lambda state: bool(state.play and state.play.has_begun))
    browser = Browser(who_acts(table), table)
    answers = {act: browser.do(act, **fields).status_code for act, fields in ACTS.items()}
    assert set(answers.values()) <= {200, 422}
    assert {act for act, status in answers.items() if status == 200} >= {"claim", "chat", "director", "leave"}


def test_a_seat_of_somebody_else_cannot_be_named_in_a_command() -> None:
    """The seat is the one of the session, whatever the command says."""
    table = make_table()
    player = who_acts(table)
    other = Browser(table.sittings.exclude(player=player).select_related("player__user")[0].player, table)
    seat = table.sittings.get(player=player).seat
    assert other.do("call", call="1C", seat=seat).status_code == 400
    assert other.do("call", call="1C").status_code == 422
    body = {"command": str(uuid4()), "expect": 1, "do": {"act": "call", "call": "1C"}, "seat": seat}
    assert other.post(json.dumps(body)).status_code == 400
    assert table.events.count() == 0


def test_a_player_who_looks_on_at_the_own_table_sees_no_more_than_from_the_seat() -> None:
    """In another window, asking as a director, signed out, or from another account."""
    table = make_table(house=House(casual=True))
    play_board(table, until=lambda state: bool(state.play and state.play.has_begun))
    player = who_acts(table)
    one, two = Browser(player, table), Browser(player, table)
    seen = one.view() | {"now": ""}
    assert two.view() | {"now": ""} == seen
    address = f"{table.get_absolute_url()}view"
    directing = two.client.get(address, {"as": "director"})
    assert directing.status_code == 200
    assert directing.json() | {"now": ""} == seen
    assert Client().get(address).status_code == 401
    second_account = Browser(make_member("Vera"), table).view()
    assert all(hand["cards"] is None for hand in second_account["board"]["hands"].values())
    user = user_of(player)
    user.is_director = True
    user.save()
    assert two.client.get(address, {"as": "director"}).status_code == 403


def gone(table: Table, seat: str) -> None:
    """The player of this seat is not heard of for more than a minute."""
    there = list(table.sittings.exclude(seat=seat).values_list("pk", flat=True))
    see(sittings=table.sittings.values_list("pk", flat=True))
    for _ in range(4):
        pass_time(seconds=20)
        see(sittings=there)
        miss_silent()


def casual_table_without(seat: str) -> tuple[Table, dict[str, Player]]:
    cast = make_cast()
    table = make_table(cast, house=House(casual=True))
    play_board(table, until=lambda state: bool(state.play and len(state.play.cards()) > 8))
    gone(table, seat)
    return table, cast


def test_whoever_left_a_seat_in_the_middle_of_a_board_sees_no_hand_any_more() -> None:
    table, cast = casual_table_without("W")
    will = Browser(cast["W"], table)
    take_seat(table_id=table.pk, seat="W", player=make_member("Vera"))
    view = will.view()
    assert (view["me"], view["as"]) == (None, "public")
    assert all(hand["cards"] is None for hand in view["board"]["hands"].values())
    assert will.do("chat", to="table", text="hello").status_code == 404


def test_whoever_has_played_a_board_from_one_seat_does_not_play_it_from_another() -> None:
    """Two hands of one board are one too many."""
    table, cast = casual_table_without("W")
    take_seat(table_id=table.pk, seat="W", player=make_member("Vera"))
    gone(table, "N")
    with pytest.raises(Refused, match="another hand of this board"):
        take_seat(table_id=table.pk, seat="N", player=cast["W"])
    gone(table, "W")
    assert take_seat(table_id=table.pk, seat="W", player=cast["W"]).seat == "W"  # the own one is no news
