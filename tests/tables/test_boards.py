"""Boards come and go at a table: opened many at once, the next by itself, and all cut by the bell."""

from datetime import timedelta
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.clock.time import move, now
from apps.tables.hands import read_board
from apps.tables.models import Table, TableBoard
from apps.tables.refusals import Closed
from apps.tables.selectors import boards_of, boards_to_take, snapshot
from apps.tables.services.boards import open_next
from apps.tables.services.closing import cut_tables, move_bell
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.seating import be_ready
from apps.tables.services.taking import take_boards
from apps.tables.signals import board_finished, table_closed
from apps.users.models import Player
from bridge.auction import BIDS, PASS
from bridge.seats import Side
from bridge.table import MakeCall, TableRules
from tests.faults.thorough import often
from tests.pairs.evening import make_members, pass_time
from tests.tables.tables import (
    do,
    make_boards,
    make_cast,
    make_table,
    play_board,
    state_of,
    user_of,
    who_acts,
)

pytestmark = pytest.mark.django_db
MANY = often(500, usual=40)


def plans(number: int, players: list[Player], boards: list[int]) -> list[Plan]:
    return [
        Plan(
            subject=f"round/{table}",
            title=f"Table {table + 1}",
            chairs={seat: Chair(players[4 * table + place].pk) for place, seat in enumerate("NESW")},
            boards=boards,
        )
        for table in range(number)
    ]


def statements_of(work: Any, **given: Any) -> int:
    with CaptureQueriesContext(connection) as queries:
        work(**given)
    return len(queries)


def test_many_tables_take_no_more_statements_than_two() -> None:
    boards, players = make_boards(3), make_members(4 * (MANY + 2))
    counts = [
        statements_of(
            open_tables, purpose="test", occasion=occasion, plans=some, house=House(turn_seconds=60)
        )
        for occasion, some in (
            ("a", plans(2, players[:8], boards)),
            ("b", renamed(MANY, players[8:], boards)),
        )
    ]
    assert counts[0] == counts[1] <= 14
    assert Table.objects.filter(state=Table.State.PLAYING, current__position=1).count() == MANY + 2
    assert TableBoard.objects.count() == 3 * (MANY + 2)
    cuts = [statements_of(cut_tables, purpose="test", occasion=occasion) for occasion in "ab"]
    assert cuts[0] == cuts[1] <= 16


def renamed(number: int, players: list[Player], boards: list[int]) -> list[Plan]:
    return [
        Plan(f"other {plan.subject}", plan.title, plan.chairs, plan.boards)
        for plan in plans(number, players, boards)
    ]


def test_to_open_tables_again_opens_none() -> None:
    boards, players = make_boards(1), make_members(8)
    first = open_tables(purpose="test", occasion="a", plans=plans(2, players, boards))
    again = open_tables(purpose="test", occasion="a", plans=plans(2, players, boards))
    assert first == again
    assert Table.objects.count() == 2
    assert set(first) == {"round/0", "round/1"}


def test_the_rules_of_a_table_are_those_it_was_opened_with() -> None:
    table = make_table(house=House(rules=TableRules(undo_cards=True, stop_after_jump=True)))
    assert state_of(table).board.rules == TableRules(undo_cards=True, stop_after_jump=True)


def test_the_next_board_comes_by_itself_after_a_short_time() -> None:
    table = make_table()
    play_board(table)
    shown = snapshot(table_id=table.pk)
    assert shown.next_at
    assert timedelta(0) < shown.next_at - shown.moment <= timedelta(seconds=15)
    assert table.boards.get(position=2).state == TableBoard.State.WAITING
    pass_time(seconds=16)
    assert state_of(table).board.number == 2
    assert snapshot(table_id=table.pk).next_at is None


def test_the_next_board_comes_at_once_when_all_four_are_ready() -> None:
    cast = make_cast()
    table = make_table(cast)
    play_board(table)
    for player in list(cast.values())[:3] * 2:
        be_ready(table_id=table.pk, user=user_of(player))
    assert state_of(table).is_over
    be_ready(table_id=table.pk, user=user_of(cast["W"]))
    assert state_of(table).board.number == 2
    assert not table.sittings.filter(ready=True).exists()
    pass_time(seconds=30)
    open_next(table_id=table.pk, position=2)
    assert table.boards.filter(state=TableBoard.State.PLAYING).count() == 1


def test_to_be_ready_in_the_middle_of_a_board_means_nothing() -> None:
    cast = make_cast()
    table = make_table(cast)
    for player in cast.values():
        be_ready(table_id=table.pk, user=user_of(player))
    assert state_of(table).board.number == 1
    assert not table.sittings.filter(ready=True).exists()


def test_after_the_last_board_the_table_is_over_and_says_so(
    django_capture_on_commit_callbacks: Any,
) -> None:
    heard: list[tuple[str, Any]] = []

    def hear_board(table_board_id: int, purpose: str, subject: str, **_: Any) -> None:
        heard.append(("board", (table_board_id, purpose, subject)))

    def hear_table(table_id: int, **_: Any) -> None:
        heard.append(("table", table_id))

    board_finished.connect(hear_board)
    table_closed.connect(hear_table)
    table = make_table()
    with django_capture_on_commit_callbacks(execute=True):
        play_board(table)
        pass_time(seconds=16)
        play_board(table)
    table.refresh_from_db()
    assert (table.state, table.why) == (Table.State.OVER, Table.Why.FINISHED)
    assert table.closed_at
    first, second = table.boards.order_by("position")
    assert heard == [
        ("board", (first.pk, "test", "1")),
        ("board", (second.pk, "test", "1")),
        ("table", table.pk),
    ]


def test_a_finished_board_is_taken_once() -> None:
    table = make_table()
    play_board(table)
    (board,) = boards_to_take("test")
    assert take_boards(boards=[board.pk]) == 1
    assert take_boards(boards=[board.pk]) == 0
    assert not boards_to_take("test").exists()
    assert list(boards_of("test", "round")) == list(table.boards.order_by("position"))


# ---- the bell


def test_the_bell_ends_all_tables_of_its_round_and_tells_who_used_how_much_time() -> None:
    cast = make_cast()
    table, other = make_table(cast), make_table(make_cast("Other "), subject="2", occasion="next round")
    sides = {"N": Side.NS, "S": Side.NS, "E": Side.EW, "W": Side.EW}
    used = {Side.NS: 0, Side.EW: 0}
    for seconds in (10, 20, 30, 40):
        move(timedelta(seconds=seconds))
        player = who_acts(table)
        used[sides[table.sittings.get(player=player).seat]] += seconds
        do(table, player, MakeCall(PASS if seconds < 40 else BIDS[0]))
    cut = cut_tables(purpose="test", occasion="round")
    assert [each.how for each in cut] == ["cut", "cut"]
    assert abs(cut[0].ns_seconds - used[Side.NS]) <= 2
    assert abs(cut[0].ew_seconds - used[Side.EW]) <= 2
    assert (cut[1].ns_seconds, cut[1].ew_seconds) == (0, 0)
    assert cut[0].players == [cast[seat].pk for seat in "NESW"]
    table.refresh_from_db()
    other.refresh_from_db()
    assert (table.state, table.why) == (Table.State.OVER, Table.Why.CUT)
    assert other.state == Table.State.PLAYING
    assert table.events.count() == table.sequence == 5
    assert cut_tables(purpose="test", occasion="round") == []
    with pytest.raises(Closed):
        do(table, cast["N"], MakeCall(PASS))
    pass_time(minutes=5)
    assert state_of(table).ending
    assert table.events.count() == 5


def test_boards_that_are_over_are_not_cut() -> None:
    table = make_table()
    play_board(table)
    cut = cut_tables(purpose="test", occasion="round")
    assert [each.position for each in cut] == [2]
    assert table.boards.get(position=1).how == "claimed"


def test_a_bell_that_is_moved_shows_at_the_tables() -> None:
    table = make_table()
    at = now() + timedelta(minutes=7)
    for _ in range(2):
        move_bell(purpose="test", occasion="round", closes_at=at)
    assert snapshot(table_id=table.pk).table.closes_at == at


def test_a_side_pays_only_for_the_time_in_which_the_table_waited_for_it() -> None:
    table = make_table()
    move(timedelta(seconds=30))  # for the dealer, North
    do(table, who_acts(table), MakeCall(BIDS[0]))
    move(timedelta(seconds=50))  # for East
    shown = snapshot(table_id=table.pk)
    assert round(shown.used(Side.NS).total_seconds()) == 30
    assert round(shown.used(Side.EW).total_seconds()) == 50
    folded, _done = read_board(shown.table, uuid4())
    assert folded
    assert folded.waits_for == {Side.EW}
