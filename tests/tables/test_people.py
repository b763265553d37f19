"""Who sits at a table, who is there and who is gone, and what may be said."""

from datetime import timedelta
from decimal import Decimal
from uuid import uuid4

import pytest

from apps.boards.selectors import unsolved_boards
from apps.boards.services import BoardFacts, create_board_set
from apps.clock.models import AuditEntry
from apps.clock.services import tick
from apps.clock.time import move
from apps.masterpoints.models import Total
from apps.tables.models import DirectorCall, Sitting, Table, TableBoard, TableWord
from apps.tables.refusals import Closed, Refused
from apps.tables.selectors import snapshot, tables_to_join
from apps.tables.services.closing import void_table
from apps.tables.services.oversight import look
from apps.tables.services.practice import OPENINGS, PRACTICE, WITHIN, open_practice_table
from apps.tables.services.presence import forgive_all, miss_silent, see
from apps.tables.services.seating import leave_seat, substitute, take_seat
from apps.tables.services.talk import call_director, say, say_as_director, settle_calls
from apps.tables.signals import absence_asked
from apps.users.models import Player
from bridge.auction import PASS
from bridge.errors import BridgeError
from bridge.masterpoints import title
from bridge.seats import Seat, Side
from bridge.table import MakeCall, Viewer
from tests.pairs.evening import pass_time
from tests.tables.tables import (
    do,
    make_cast,
    make_member,
    make_table,
    play_board,
    state_of,
    user_of,
    who_acts,
)

pytestmark = pytest.mark.django_db


def practice_table(*others: str) -> tuple[Table, dict[str, Player]]:
    """A practice table that Sue has opened, with those of the others who sat down."""
    cast = make_cast()
    table = open_practice_table(player=cast["S"])
    for seat in others:
        take_seat(table_id=table.pk, seat=seat, player=cast[seat])
    table.refresh_from_db()
    return table, cast


# ---- seats


def test_a_practice_table_begins_when_the_fourth_sits_down() -> None:
    table, cast = practice_table("N", "E")
    assert table.state == Table.State.WAITING
    assert list(tables_to_join(PRACTICE)) == [table]
    take_seat(table_id=table.pk, seat="W", player=cast["W"])
    assert state_of(table).board.number == 1
    assert not tables_to_join(PRACTICE).exists()
    assert table.boards.count() == 4
    assert all(len(hand.cards) == 13 for hand in state_of(table).board.deal.hands if hand)


def test_a_seat_is_taken_once_and_a_player_sits_on_one() -> None:
    table, cast = practice_table("N")
    vera = make_member("Vera")
    assert take_seat(table_id=table.pk, seat="N", player=cast["N"]) == table.sittings.get(seat="N")
    with pytest.raises(Refused, match="Nora sits there"):
        take_seat(table_id=table.pk, seat="N", player=vera)
    with pytest.raises(Refused, match="this table already"):
        take_seat(table_id=table.pk, seat="E", player=cast["N"])
    with pytest.raises(Refused, match="no such seat"):
        take_seat(table_id=table.pk, seat="X", player=vera)
    another = open_practice_table(player=vera)
    with pytest.raises(Refused, match="another table"):
        take_seat(table_id=another.pk, seat="N", player=cast["N"])
    with pytest.raises(Refused, match="another table"):
        open_practice_table(player=vera)


def test_a_player_opens_five_tables_in_ten_minutes_and_others_open_theirs() -> None:
    vera = make_member("Vera")
    for _ in range(OPENINGS):
        table = open_practice_table(player=vera)
        leave_seat(table_id=table.pk, user=user_of(vera))
    with pytest.raises(Refused, match="opened many tables"):
        open_practice_table(player=vera)
    open_practice_table(player=make_member("Nora"))
    move(WITHIN)
    open_practice_table(player=vera)


def test_practice_boards_are_solved_once_they_are_on_the_table_and_after_those_of_events() -> None:
    waiting, cast = practice_table("N")
    assert unsolved_boards(10) == []
    for seat in ("E", "W"):
        take_seat(table_id=waiting.pk, seat=seat, player=cast[seat])
    create_board_set(name="an event's", boards=[BoardFacts(7, waiting.boards.get(position=2).board.deal)])
    assert [board.number for board in unsolved_boards(10)] == [7, 1]


def test_nobody_sits_down_at_a_table_of_an_event_or_leaves_it() -> None:
    cast = make_cast()
    table = make_table(cast)
    with pytest.raises(Refused, match="given by its event"):
        take_seat(table_id=table.pk, seat="N", player=make_member("Vera"))
    with pytest.raises(Refused, match="given by its event"):
        leave_seat(table_id=table.pk, user=user_of(cast["N"]))


def test_who_leaves_during_a_board_leaves_after_it_and_may_stay_after_all() -> None:
    table, cast = practice_table("N", "E", "W")
    leave_seat(table_id=table.pk, user=user_of(cast["E"]))
    leave_seat(table_id=table.pk, user=user_of(cast["W"]))
    leave_seat(table_id=table.pk, user=user_of(cast["W"]), stay=True)
    play_board(table)
    assert set(table.sittings.values_list("seat", flat=True)) == {"N", "S", "W"}
    assert table.boards.get(position=1).players == [cast[seat].pk for seat in "NESW"]
    pass_time(seconds=20)
    table.refresh_from_db()
    assert table.state == Table.State.WAITING
    take_seat(table_id=table.pk, seat="E", player=make_member("Vera"))
    assert state_of(table).board.number == 2


def test_the_last_to_leave_closes_the_table() -> None:
    table, cast = practice_table("N")
    for seat in "NS":
        leave_seat(table_id=table.pk, user=user_of(cast[seat]))
    table.refresh_from_db()
    assert (table.state, table.why) == (Table.State.OVER, Table.Why.EMPTY)
    with pytest.raises(Closed):
        take_seat(table_id=table.pk, seat="N", player=cast["N"])


def test_a_substitute_plays_on_with_the_hand_that_lies_there() -> None:
    table = make_table()
    director, vera = make_member("Dora", director=True), make_member("Vera")
    gone = who_acts(table)
    seat = table.sittings.get(player=gone).seat
    for _ in range(2):
        substitute(table_id=table.pk, seat=seat, player=vera, by=user_of(director), reason="a train")
    assert who_acts(table) == vera
    do(table, vera, MakeCall(PASS))
    with pytest.raises(Sitting.DoesNotExist):
        do(table, gone, MakeCall(PASS))
    assert AuditEntry.objects.filter(action="tables.substitute").count() == 1
    with pytest.raises(Refused):
        substitute(table_id=table.pk, seat=seat, player=who_acts(table), by=user_of(director))


def test_who_has_seen_all_hands_does_not_sit_down() -> None:
    table, _cast = practice_table("N")
    director = make_member("Dora", director=True)
    look(table=table, by=user_of(director))
    with pytest.raises(Refused, match="seen the hands"):
        take_seat(table_id=table.pk, seat="E", player=director)


# ---- presence


def nobody_but(table: Table, *seats: str, seconds: float) -> None:
    """Time passes, and only these show a sign of life."""
    there = list(table.sittings.filter(seat__in=seats).values_list("pk", flat=True))
    while seconds > 0:
        move(timedelta(seconds=min(seconds, 20)))
        seconds -= 20
        see(sittings=there)
        miss_silent()
        tick()


def gone(table: Table) -> set[str]:
    return set(table.sittings.exclude(gone_at=None).values_list("seat", flat=True))


def test_a_player_is_gone_after_a_minute_and_back_with_the_next_sign_of_life() -> None:
    table = make_table()
    nobody_but(table, "N", "E", "S", seconds=60)
    assert gone(table) == {"W"}
    version = Table.objects.get(pk=table.pk).version
    for _ in range(2):
        see(sittings=table.sittings.values_list("pk", flat=True))
    assert gone(table) == set()
    assert Table.objects.get(pk=table.pk).version == version + 1
    assert not table.sittings.filter(last_seen=None).exists()


def test_a_board_ends_when_a_player_is_away_for_two_minutes() -> None:
    table = make_table()
    nobody_but(table, "N", "E", "S", seconds=160)
    assert not state_of(table).is_over
    nobody_but(table, "N", "E", "S", seconds=40)
    board = table.boards.get(position=1)
    assert (board.how, board.gone) == ("abandoned", "W")


def test_a_return_in_time_keeps_the_board_and_what_was_away_counts() -> None:
    table = make_table()
    nobody_but(table, "N", "E", "S", seconds=160)
    nobody_but(table, "N", "E", "S", "W", seconds=200)
    assert not state_of(table).is_over
    away = table.sittings.get(seat="W").away
    assert 80 <= away <= 120
    nobody_but(table, "N", "E", "S", seconds=100)
    assert table.boards.get(position=1).gone == "W"


def test_players_of_both_sides_are_gone_and_nobody_is_at_fault() -> None:
    table = make_table()
    nobody_but(table, seconds=200)
    board = table.boards.get(position=1)
    assert (board.how, board.gone) == ("abandoned", "NESW")


def test_nobody_is_gone_after_an_outage_and_nobody_has_thought_during_it() -> None:
    table = make_table()
    tick()
    nobody_but(table, "N", "E", "S", seconds=140)
    assert gone(table) == {"W"}
    used = snapshot(table_id=table.pk).used(Side.NS)
    move(timedelta(minutes=10), outage=True)
    tick()
    assert gone(table) == set()
    later = snapshot(table_id=table.pk).used(Side.NS)
    assert later - used < timedelta(seconds=5)
    assert not state_of(table).is_over
    assert table.events.filter(action__do="resumed").count() == 1
    pass_time(minutes=3)
    assert not state_of(table).is_over


def test_the_process_of_the_sockets_forgives_what_it_could_not_see() -> None:
    table = make_table()
    nobody_but(table, "N", "E", "S", seconds=140)
    forgive_all()
    assert gone(table) == set()
    pass_time(minutes=3)
    assert not state_of(table).is_over


def test_at_a_casual_table_the_gone_lose_their_seats_and_somebody_else_may_take_one_before() -> None:
    table, _cast = practice_table("N", "E", "W")
    nobody_but(table, "N", "E", "S", seconds=80)
    vera = make_member("Vera")
    take_seat(table_id=table.pk, seat="W", player=vera)
    assert gone(table) == set()
    nobody_but(table, "N", "E", "S", seconds=200)
    assert state_of(table).is_over
    assert set(table.sittings.values_list("seat", flat=True)) == {"N", "E", "S"}


def test_four_gone_close_a_casual_table() -> None:
    table, _cast = practice_table("N", "E", "W")
    nobody_but(table, seconds=260)
    table.refresh_from_db()
    assert (table.state, table.why) == (Table.State.OVER, Table.Why.EMPTY)


def test_who_waits_alone_at_a_practice_table_and_goes_away_frees_the_seat() -> None:
    table, _cast = practice_table("N")
    nobody_but(table, "S", seconds=80)
    assert set(table.sittings.values_list("seat", flat=True)) == {"S"}
    nobody_but(table, seconds=80)
    table.refresh_from_db()
    assert table.is_over


# ---- what is said


def test_what_is_for_the_opponents_is_not_for_partner() -> None:
    cast = make_cast()
    table = make_table(cast)
    for to in TableWord.To:
        say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=to, text=f"to the {to.value}")
    shown = snapshot(table_id=table.pk)
    heard = {viewer: [word.to for word in shown.heard_by(viewer)] for viewer in (*Seat, *Viewer)}
    assert heard == {
        Seat.NORTH: ["table", "opponents"],
        Seat.EAST: ["table", "opponents"],
        Seat.SOUTH: ["table"],
        Seat.WEST: ["table", "opponents"],
        Viewer.DIRECTOR: ["table", "opponents"],
        Viewer.PUBLIC: [],
    }


def test_a_word_is_said_once_and_to_nobody_alone() -> None:
    cast = make_cast()
    table = make_table(cast)
    command = uuid4()
    for _ in range(3):
        say(
            table_id=table.pk,
            user=user_of(cast["N"]),
            command=command,
            to=TableWord.To.TABLE,
            text=" hello\n you ",
        )
    assert [word.text for word in table.words.all()] == ["hello you"]
    assert set(TableWord.To) == {"table", "opponents"}


@pytest.mark.parametrize("text", ["", " \n ", "x" * 301, "turned \u202e round", "nul \0"], ids=repr)
def test_what_cannot_be_said(text: str) -> None:
    cast = make_cast()
    table = make_table(cast)
    with pytest.raises(BridgeError):
        say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=TableWord.To.TABLE, text=text)
    assert not TableWord.objects.exists()


def test_who_talks_without_end_is_asked_to_wait() -> None:
    cast = make_cast()
    table = make_table(cast)
    for number in range(10):
        say(
            table_id=table.pk,
            user=user_of(cast["N"]),
            command=uuid4(),
            to=TableWord.To.TABLE,
            text=str(number),
        )
    with pytest.raises(Refused, match="wait"):
        say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=TableWord.To.TABLE, text="more")
    say(table_id=table.pk, user=user_of(cast["E"]), command=uuid4(), to=TableWord.To.TABLE, text="me")
    move(timedelta(seconds=31))
    say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=TableWord.To.TABLE, text="more")


def test_a_chat_does_not_make_a_decision_stale() -> None:
    cast = make_cast()
    table = make_table(cast)
    player = who_acts(table)
    table.refresh_from_db()
    seen = table.version
    say(table_id=table.pk, user=user_of(cast["W"]), command=uuid4(), to=TableWord.To.TABLE, text="good luck")
    do(table, player, MakeCall(PASS), expect=seen)


def test_the_director_is_called_once_and_says_when_it_is_settled() -> None:
    cast = make_cast()
    table = make_table(cast)
    director = user_of(make_member("Dora", director=True))
    for seat in "NE":
        call_director(table_id=table.pk, user=user_of(cast[seat]), command=uuid4(), text="a slow bid")
    assert [(call.seat, call.text) for call in DirectorCall.objects.all()] == [("N", "a slow bid")]
    assert snapshot(table_id=table.pk).around.call
    say_as_director(table_id=table.pk, by=director, command=uuid4(), text="Play on, please.")
    assert settle_calls(table_id=table.pk, by=director) == 1
    assert settle_calls(table_id=table.pk, by=director) == 0
    assert snapshot(table_id=table.pk).around.call is None
    assert AuditEntry.objects.filter(action="tables.settled").count() == 1


def test_nothing_is_said_and_nobody_called_at_a_closed_table() -> None:
    cast = make_cast()
    table = make_table(cast)
    void_table(table_id=table.pk, by=None, reason="")
    with pytest.raises(Closed):
        say(table_id=table.pk, user=user_of(cast["N"]), command=uuid4(), to=TableWord.To.TABLE, text="hello")
    with pytest.raises(Closed):
        call_director(table_id=table.pk, user=user_of(cast["N"]), command=uuid4())
    assert not TableBoard.objects.exclude(how="void").exists()


def test_titles_stand_beside_the_names_of_those_who_have_one() -> None:
    cast = make_cast()
    Total.objects.create(player=cast["N"], points=Decimal(15))
    Total.objects.create(player=cast["E"], points=Decimal("0.5"))
    table = make_table(cast)
    titles = dict(table.sittings.values_list("seat", "title"))
    assert titles == {"N": title(Decimal(15)).name, "E": "", "S": "", "W": ""}
    casual = open_practice_table(player=cast["S"])
    assert take_seat(table_id=casual.pk, seat="N", player=cast["N"]).title == titles["N"] != ""


def test_who_was_called_away_once_can_be_missed_again() -> None:
    """An absence that was excused is no excuse for the next one."""
    table = make_table()
    excuse = [True]

    def answer(**_: object) -> bool:
        return excuse[0]

    absence_asked.connect(answer)
    try:
        nobody_but(table, "N", "E", "S", seconds=240)
        assert not state_of(table).is_over
        excuse[0] = False
        see(sittings=list(table.sittings.values_list("pk", flat=True)))
        table.sittings.update(away=0)
        nobody_but(table, "N", "E", "S", seconds=240)
    finally:
        absence_asked.disconnect(answer)
    assert table.boards.get(position=1).gone == "W"


def test_a_player_who_gave_up_a_seat_during_a_board_is_not_sent_to_another_one_of_it() -> None:
    table = make_table()
    player = who_acts(table)
    seat = table.sittings.get(player=player).seat
    other = "E" if seat != "E" else "W"
    substitute(table_id=table.pk, seat=seat, player=make_member("Vera"), by=None)
    with pytest.raises(Refused, match="another hand of this board"):
        substitute(table_id=table.pk, seat=other, player=player, by=None)
    assert substitute(table_id=table.pk, seat=seat, player=player, by=None).player == player
