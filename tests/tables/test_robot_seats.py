"""Robots at a table: they make four, make room, never play alone, and each of their acts is done once."""

import threading
from collections.abc import Iterator
from datetime import timedelta
from typing import Any

import pytest
from django.db import IntegrityError, connection, connections, transaction

from apps.clock.services import tick
from apps.clock.time import move
from apps.tables import robots, thinking
from apps.tables.hands import done_on, read_boards
from apps.tables.models import Table, TableBoard, TableEvent
from apps.tables.refusals import Refused
from apps.tables.robots import act_for_robots, turns
from apps.tables.selectors import tables_to_join
from apps.tables.services.again import play_again
from apps.tables.services.playing import act_as_robot
from apps.tables.services.practice import PRACTICE, open_practice_table
from apps.tables.services.presence import miss_silent
from apps.tables.services.seating import call_robots, leave_seat, take_seat
from apps.tables.thinking import Thinkers
from apps.users.models import Player
from apps.users.services import forget_guests, welcome_guest
from bridge.auction import PASS, read_call
from bridge.cards import Deal
from bridge.robot import Strength, choose
from bridge.seats import Seat
from bridge.table import (
    MakeCall,
    PlayerAction,
    TableState,
    action_from_data,
    apply,
    open_board,
    seats_to_act,
    seen_by,
    view_to_data,
)
from tests.tables.tables import do, make_cast, make_member, make_table, state_of, user_of

NONE = Strength(0, 0.0)
"""Rules of thumb alone."""


@pytest.fixture(autouse=True)
def _at_once(settings: Any) -> None:
    settings.ROBOT_PAUSE = 0.0


def play_now(name: str = "Sue") -> tuple[Table, Player]:
    player = make_member(name)
    return open_practice_table(player=player, robots=True), player


def let_robots_act(thinkers: Thinkers | None = None) -> int:
    """Until they wait for somebody; how many acts that were."""
    total = 0
    while (acted := act_for_robots(thinkers or Thinkers(1, NONE))[0]) > 0:
        total += acted
    return total


def finish(table: Table, player: Player) -> None:
    """The board that lies there, played by the person as the robots play."""
    while table.boards.filter(position=1).exclude(state=TableBoard.State.OVER).exists():
        if let_robots_act() == 0:
            do(table, player, _would(table))


def _would(table: Table) -> PlayerAction:
    data = choose(view_to_data(seen_by(state_of(table), Seat.SOUTH)))
    action = action_from_data(data)
    assert isinstance(action, PlayerAction)
    return action


@pytest.mark.django_db
class TestSeats:
    def test_a_player_alone_has_a_board_at_once(self) -> None:
        table, sue = play_now()
        assert table.state == Table.State.PLAYING
        assert [each.player.is_robot for each in table.sittings.order_by("seat")] == [True, True, False, True]
        assert table.sittings.get(player=sue).seat == "S"

    def test_a_whole_board_is_played_with_three_robots(self) -> None:
        table, sue = play_now()
        finish(table, sue)
        board = table.boards.get(position=1)
        assert board.state == TableBoard.State.OVER
        assert board.players.count(sue.pk) == 1
        said = TableEvent.objects.filter(table=table, action__do="call", actor_id=None).exclude(seat="")
        assert said.exists()
        assert all(each.action["call"] == "Pass" or each.action.get("explanation") for each in said)

    def test_a_person_takes_the_seat_of_a_robot_and_not_that_of_a_person(self) -> None:
        table, _ = play_now()
        nora = make_member("Nora")
        take_seat(table_id=table.pk, seat="N", player=nora)
        assert table.sittings.get(seat="N").player == nora
        with pytest.raises(Refused, match="sits there"):
            take_seat(table_id=table.pk, seat="N", player=make_member("Ed"))

    def test_robots_take_free_seats_where_somebody_asks_who_sits_there(self) -> None:
        cast = make_cast()
        table = open_practice_table(player=cast["S"])
        take_seat(table_id=table.pk, seat="N", player=cast["N"])
        call_robots(table_id=table.pk, user=user_of(cast["N"]))
        table.refresh_from_db()
        assert table.state == Table.State.PLAYING
        assert {each.seat for each in table.sittings.filter(player__is_robot=True)} == {"E", "W"}
        version = table.version
        assert call_robots(table_id=table.pk, user=user_of(cast["N"])).again
        table.refresh_from_db()
        assert table.version == version

    def test_the_seats_of_an_event_are_not_given_to_robots(self) -> None:
        cast = make_cast()
        table = make_table(cast)
        with pytest.raises(Refused, match="given by its event"):
            call_robots(table_id=table.pk, user=user_of(cast["N"]))

    def test_robots_do_not_play_alone(self) -> None:
        table, sue = play_now()
        leave_seat(table_id=table.pk, user=user_of(sue))
        finish(table, sue)
        table.refresh_from_db()
        assert (table.state, table.why) == (Table.State.OVER, Table.Why.EMPTY)
        assert let_robots_act() == 0

    def test_robots_are_never_gone_and_the_person_who_is_ends_the_board(self) -> None:
        table, _sue = play_now()
        move(timedelta(minutes=2))
        assert miss_silent() == 1
        assert [each.seat for each in table.sittings.exclude(gone_at=None)] == ["S"]
        move(timedelta(minutes=3))
        tick()
        table.refresh_from_db()
        assert table.why == Table.Why.EMPTY

    def test_a_robot_answers_what_it_is_asked(self) -> None:
        table, sue = play_now()
        while Seat.SOUTH not in seats_to_act(state_of(table)):
            act_for_robots(Thinkers(1, NONE))
        do(table, sue, MakeCall(PASS))
        let_robots_act()
        assert not any(each.asked_by for each in state_of(table).meanings)

    def test_a_robot_has_no_account(self) -> None:
        table, sue = play_now()
        robot = table.sittings.get(seat="N").player
        robot.user = user_of(make_member("Ed"))
        with pytest.raises(IntegrityError), transaction.atomic():
            robot.save()
        assert sue.is_robot is False


@pytest.mark.django_db
class TestAgain:
    def test_a_board_is_played_again_from_any_place_by_who_played_it(self) -> None:
        table, sue = play_now()
        finish(table, sue)
        board = table.boards.get(position=1)
        done = done_on(board.pk)
        for place in (0, 3, len(done) - 1):
            again = play_again(table_board=board, player=sue, place=place)
            state = state_of(again)
            assert again.sittings.get(player=sue).seat == "S"
            assert again.sittings.filter(player__is_robot=True).count() == 3
            assert state.version == place
            assert state.board.deal == state_of_board(board).board.deal
            assert done_on(again.boards.get().pk) == done[:place]
        open_ones = Table.objects.filter(purpose="again").exclude(state=Table.State.OVER)
        assert list(open_ones) == [again]
        finish(again, sue)
        again.refresh_from_db()
        assert again.why == Table.Why.FINISHED

    def test_what_others_played_or_is_being_played_is_not_played_again(self) -> None:
        table, sue = play_now()
        board = table.boards.get(position=1)
        with pytest.raises(Refused):
            play_again(table_board=board, player=sue, place=0)
        finish(table, sue)
        board.refresh_from_db()
        with pytest.raises(Refused, match="Only who has played"):
            play_again(table_board=board, player=make_member("Ed"), place=0)
        with pytest.raises(Refused, match="no such place"):
            play_again(table_board=board, player=sue, place=300)

    def test_nobody_else_sits_down_there(self) -> None:
        table, sue = play_now()
        finish(table, sue)
        again = play_again(table_board=table.boards.get(position=1), player=sue, place=0)
        with pytest.raises(Refused, match="plays a board again"):
            take_seat(table_id=again.pk, seat="N", player=make_member("Ed"))
        assert again not in tables_to_join(PRACTICE)


def state_of_board(board: TableBoard) -> TableState:
    return read_boards([board.pk])[board.pk].state


@pytest.mark.django_db
class TestOnce:
    def first(self) -> tuple[Table, robots.Turn]:
        table, _ = play_now()
        (turn, *_) = turns()
        return table, turn

    def test_a_robot_decides_once_after_an_event_whoever_thinks(self) -> None:
        table, turn = self.first()
        one, other = (
            act_as_robot(table_id=table.pk, seat=turn.seat, sequence=0, action=MakeCall(PASS))
            for _ in range(2)
        )
        assert one
        assert not one.again
        assert other
        assert other.again
        assert table.events.count() == 1

    def test_a_decision_on_what_has_changed_meanwhile_is_thrown_away(self) -> None:
        table, turn = self.first()
        act_as_robot(table_id=table.pk, seat=turn.seat, sequence=0, action=MakeCall(PASS))
        before = table.events.count()
        late = Seat((turn.seat + 1) % 4)
        if late is Seat.SOUTH:
            late = Seat((late + 1) % 4)
        assert act_as_robot(table_id=table.pk, seat=late, sequence=0, action=MakeCall(PASS)) is None
        assert table.events.count() == before


@pytest.fixture
def _own_connections(transactional_db: None) -> Iterator[None]:
    yield
    connections.close_all()


@pytest.mark.usefixtures("_own_connections")
class TestSeveral:
    def test_while_one_process_thinks_at_a_table_another_leaves_it_alone(self) -> None:
        """And takes it over as soon as the first one's connection is gone."""
        play_now()
        while not turns():
            pass
        (turn, *_) = turns()
        holds, ends = threading.Event(), threading.Event()

        def first() -> None:
            with connection.cursor() as cursor:
                cursor.execute("SELECT pg_advisory_lock(%s, %s)", [robots._THINKING, turn.table.pk])
            holds.set()
            ends.wait(30)
            connection.close()

        other = threading.Thread(target=first)
        other.start()
        assert holds.wait(30)
        assert act_for_robots(Thinkers(1, NONE))[0] == 0
        ends.set()
        other.join(30)
        assert act_for_robots(Thinkers(1, NONE))[0] == 1


class TestThinkers:
    def test_a_thought_that_hangs_is_ended_and_the_robot_does_what_comes_to_mind(
        self, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr(thinking, "PATIENCE", 0.0)
        thinkers = Thinkers(1, Strength(24, 0.0))
        board = _lead()
        assert thinkers.decide({7: (board, (), 1)})[7] == choose(board, seed=1)
        assert thinkers.pool is None  # nobody is left who hangs

    def test_a_thought_comes_to_its_end(self) -> None:
        thinkers = Thinkers(1, Strength(4, 30.0))
        try:
            board = _lead()
            data = thinkers.decide({7: (board, (), 1)})[7]
        finally:
            thinkers.end()
        assert data == thinking.think(board, (), 1, Strength(4, 30.0))


def _lead() -> dict[str, Any]:
    state = open_board(
        1, Deal.from_pbn("N:AK54.KQ3.QJ2.K54 QT2.T92.K54.9832 J983.AJ54.A3.JT6 76.876.T9876.AQ7")
    )
    for seat, call in zip((0, 1, 2, 3, 0, 1), ("1NT", "Pass", "3NT", "Pass", "Pass", "Pass"), strict=True):
        made = read_call(call)
        assert made
        state = apply(state, Seat(seat), MakeCall(made))
    return view_to_data(seen_by(state, Seat.EAST))


@pytest.mark.django_db
class TestGuests:
    def test_a_guest_plays_without_a_password_or_a_mail(self) -> None:
        user = welcome_guest(language="", time_zone="")
        assert user.is_guest
        assert not user.has_usable_password()
        assert user.email == ""
        table = open_practice_table(player=user.player, robots=True)
        assert table.state == Table.State.PLAYING

    def test_a_guest_who_has_not_come_for_a_month_is_forgotten(self) -> None:
        there, gone = (welcome_guest(language="", time_zone="") for _ in range(2))
        type(gone).objects.filter(pk=gone.pk).update(seen_at=gone.date_joined - timedelta(days=31))
        member = make_member("Ed").user
        assert member
        type(member).objects.filter(pk=member.pk).update(seen_at=gone.date_joined - timedelta(days=90))
        assert forget_guests() == 1
        assert forget_guests() == 0
        for user, is_active in ((there, True), (gone, False), (member, True)):
            user.refresh_from_db()
            assert user.is_active is is_active
