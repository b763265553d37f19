"""Lines break, devices change, players go and come back: everybody returns to the table as it is, on the own seat."""

import random
from collections.abc import Callable
from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest

from apps.clock.models import DueWork
from apps.clock.services import tick
from apps.clock.time import move
from apps.pairs.models import Round, Swiss
from apps.pairs.selectors.tables import PURPOSE, occasion_of
from apps.tables.hands import read_board
from apps.tables.models import Table, TableBoard
from apps.tables.selectors import snapshot
from apps.tables.services.boards import GONE
from apps.tables.services.opening import House
from apps.tables.services.practice import open_practice_table
from apps.tables.services.presence import miss_silent, see
from apps.tables.services.seating import take_seat
from bridge.seats import Seat, Side
from bridge.table import Claim, MakeCall, PlayCard, TableRules, TableState
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, start
from tests.tables.stand import Stand
from tests.tables.tables import (
    Browser,
    do,
    make_boards,
    make_cast,
    make_member,
    make_table,
    play_board,
    something,
    state_of,
    who_acts,
)

pytestmark = pytest.mark.django_db(transaction=True)

CASUAL = House(casual=True, rules=TableRules(undo_cards=True))
FLEETING = ("now", "clock", "v")


def all_there(table: Table) -> Table:
    """Of all four something was heard: nobody comes for the first time in the middle of what is looked at."""
    see(sittings=table.sittings.values_list("pk", flat=True))
    table.refresh_from_db()
    return table


def lasting(view: dict[str, Any]) -> dict[str, Any]:
    """A view without the moment."""
    return {key: value for key, value in view.items() if key not in FLEETING}


def two_calls(state: TableState) -> bool:
    return len(state.auction.calls) == 2


def five_tricks(state: TableState) -> bool:
    return state.play is not None and len(state.play.tricks) == 5


def between_boards(state: TableState) -> bool:
    return state.is_over


def a_claim(table: Table) -> None:
    state = state_of(table)
    assert state.play
    player = table.sittings.get(seat=state.play.declarer.letter).player
    do(table, player, Claim(state.play.remaining, "the rest is high"))


@pytest.mark.parametrize(
    ("when", "then"),
    [(two_calls, None), (five_tricks, None), (five_tricks, a_claim), (between_boards, None)],
    ids=["in the auction", "after five tricks", "with a claim open", "between boards"],
)
def test_who_lost_the_line_comes_back_to_everything_as_it_was(
    stand: Stand, when: Callable[[TableState], bool], then: Callable[[Table], None] | None
) -> None:
    """Calls and what was said of them, tricks, the claim, the seats: for all four, from the socket and by asking."""
    table = all_there(make_table(house=CASUAL))
    first = who_acts(table)
    do(table, first, MakeCall(something(state_of(table), random.Random(2)).call, True, "a strong hand"))  # type: ignore[union-attr]
    play_board(table, seed=3, until=when)
    if then:
        then(table)
    browsers = {
        each.seat: Browser(each.player, table) for each in table.sittings.select_related("player__user")
    }
    lines = {seat: stand.connect(browser, table) for seat, browser in browsers.items()}
    for line in lines.values():
        line.view()
    version = Table.objects.get(pk=table.pk).version
    before = {seat: lasting(browser.view()) for seat, browser in browsers.items()}
    used = snapshot(table_id=table.pk).used(Side.NS)
    for line in lines.values():
        line.hang_up()
    again = {seat: stand.connect(browser, table) for seat, browser in browsers.items()}
    assert {seat: lasting(line.view()) for seat, line in again.items()} == before
    assert {seat: lasting(browser.view()) for seat, browser in browsers.items()} == before
    assert Table.objects.get(pk=table.pk).version == version  # nobody has noticed
    assert timedelta() <= snapshot(table_id=table.pk).used(Side.NS) - used < timedelta(seconds=20)


def test_what_happened_while_the_line_was_down_is_there_on_return(stand: Stand) -> None:
    """Two cards were played meanwhile, one of them from dummy; no reload is needed, and it is West's turn."""
    table = all_there(make_table(house=CASUAL))
    state = play_board(table, until=lambda state: bool(state.play and state.play.has_begun))
    assert state.play
    third = state.play.dummy.left  # plays after dummy
    browser = Browser(table.sittings.get(seat=third.letter).player, table)
    line = stand.connect(browser, table)
    seen = line.view()["v"]
    line.hang_up()
    for _ in range(2):
        card = something(state_of(table), random.Random(4))
        assert isinstance(card, PlayCard)
        do(table, who_acts(table), card)
    view = stand.connect(browser, table, since=seen).view()
    assert view["v"] >= seen + 2
    assert len(view["board"]["trick"]["cards"]) == 3
    played = state_of(table)
    assert played.play
    assert view["board"]["turn"] == (played.play.turn or Seat.NORTH).letter
    assert view == browser.view() | {"now": view["now"]}


def test_a_short_gap_costs_nothing(stand: Stand) -> None:
    """A tab is closed and opened again, a phone finds another network: the others see no change, and no clock is set."""
    table = all_there(make_table())
    player = who_acts(table)
    browser = Browser(player, table)
    line = stand.connect(browser, table, address="192.0.2.1")
    line.view()
    version = Table.objects.get(pk=table.pk).version
    line.hang_up()
    move(timedelta(seconds=20))
    miss_silent()
    tick()
    again = stand.connect(browser, table, address="198.51.100.7")
    assert again.view()["seats"][table.sittings.get(player=player).seat]["present"]
    assert Table.objects.get(pk=table.pk).version == version
    assert not DueWork.objects.filter(kind=GONE).exists()
    assert state_of(table).ending is None


def test_the_same_user_takes_over_the_seat_from_another_device_at_once_and_nobody_else_does(
    stand: Stand,
) -> None:
    """The device that fell never said good-bye: its socket is still open, and the new one does not wait for it."""
    table = all_there(make_table())
    player = who_acts(table)
    fallen = stand.connect(Browser(player, table), table)
    hand = fallen.view()["board"]["hands"]
    other_device = Browser(player, table)
    line = stand.connect(other_device, table)
    assert line.view()["board"]["hands"] == hand
    assert other_device.do("call", call="1C").status_code == 200
    assert line.view(table.version + 1)["board"]["calls"][0]["call"] == "1C"
    stranger = Browser(make_member("Vera"), table)
    assert stand.connect(stranger, table).code() == 4404
    assert stranger.do("call", call="1D", expect=table.version + 1).status_code == 404


# ---- who is there


def silence(table: Table, *seats: str, seconds: int) -> None:
    """Nothing is heard of these for so long."""
    there = list(table.sittings.exclude(seat__in=seats).values_list("pk", flat=True))
    for _ in range(0, seconds, 20):
        move(timedelta(seconds=20))
        see(sittings=there)
        miss_silent()
        tick()


def present(table: Table) -> dict[str, bool]:
    """Who is there, as everybody at the table is told."""
    told = [
        {seat: each["present"] for seat, each in Browser(sitting.player, table).view()["seats"].items()}
        for sitting in table.sittings.select_related("player__user")
    ]
    assert all(each == told[0] for each in told)
    return told[0]


def test_the_mark_of_who_is_away_follows_the_truth_however_often_somebody_comes_and_goes() -> None:
    table = all_there(make_table(house=House(reconnect_seconds=3600)))
    west = table.sittings.get(seat="W")
    for _ in range(5):
        silence(table, "W", seconds=80)
        others = snapshot(table_id=table.pk)
        assert {each.seat for each in others.sittings if each.gone_at} == {"W"}
        see(sittings=[west.pk])
        assert set(present(table).values()) == {True}
    assert not DueWork.objects.filter(kind=GONE, state=DueWork.State.PLANNED).exists()


def test_who_is_away_when_the_round_changes_comes_back_at_the_new_table() -> None:
    swiss = make_swiss(rounds=2, boards=1, minutes=20, play=Swiss.Play.TABLES)
    enter_pairs(swiss, 4)
    start(swiss)

    def table_of(player: int) -> Table:
        each = Round.objects.get(swiss=swiss, state=Round.State.OPEN)
        return Table.objects.get(purpose=PURPOSE, occasion=occasion_of(each), sittings__player=player)

    old = Table.objects.filter(purpose=PURPOSE).order_by("pk")[0]
    player = old.sittings.get(seat="W").player
    all_there(old)
    silence(old, "W", seconds=80)
    play_board(Table.objects.get(pk=old.pk))
    pass_time(minutes=22)

    new = table_of(player.pk)
    assert new != old
    seat = new.sittings.get(player=player).seat
    see(sittings=new.sittings.exclude(seat=seat).values_list("pk", flat=True))
    assert not snapshot(table_id=new.pk).sittings["NESW".index(seat)].last_seen
    view = Browser(player, new).view()
    assert view["me"] == seat
    assert set(present(new).values()) == {True}
    assert Browser(player, old).view()["table"]["onward"] == new.get_absolute_url()


def test_who_practises_when_a_round_opens_sees_it_there_and_the_others_do_not() -> None:
    swiss = make_swiss(rounds=2, boards=1, minutes=20, play=Swiss.Play.TABLES)
    player = enter_pairs(swiss, 4)[0].entrants.all()[0].player
    practice = open_practice_table(player=player)
    friend = make_member("Friend")
    take_seat(table_id=practice.pk, seat="N", player=friend)
    seen = Browser(player, practice).view()
    assert seen["table"]["onward"] is None
    start(swiss)
    own = Table.objects.get(purpose=PURPOSE, sittings__player=player)
    told = Browser(player, practice).view(since=seen["v"])
    assert told["table"]["onward"] == own.get_absolute_url()
    assert told["table"]["onward_title"] == f"{swiss.event.title}, round 1, table {own.number}"
    assert Browser(friend, practice).view()["table"]["onward"] is None


# ---- the same four again


def test_the_same_four_at_another_table_find_other_boards_and_nothing_of_the_old_one() -> None:
    cast = make_cast()
    first = make_table(cast, boards=make_boards(1, seed=1), subject="today", occasion="today")
    do(first, who_acts(first), MakeCall(something(state_of(first), random.Random(1)).call, True, "strong"))  # type: ignore[union-attr]
    nora = Browser(cast["N"], first)
    nora.do("chat", to="table", text="well played", command=uuid4())
    played = play_board(first)
    again = make_table(cast, boards=make_boards(1, seed=2), subject="tomorrow", occasion="tomorrow")
    view = Browser(cast["N"], again).view()
    assert again.uuid != first.uuid
    assert (view["board"]["calls"], view["chat"], view["clock"]["used"]) == ([], [], {"NS": 0, "EW": 0})
    assert [each["result"] for each in view["boards"]] == [""]
    assert state_of(again).board.deal != played.board.deal
    assert read_board(again)[0] != read_board(first)[0]
    record = nora.client.get(f"{first.get_absolute_url()}boards/1/").context["view"]
    assert len(record["board"]["calls"]) == len(played.auction.calls)
    assert TableBoard.objects.filter(table=again, state="over").count() == 0
