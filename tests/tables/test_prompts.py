"""Whoever lets a casual table wait for ever loses it; in an event the director is called, and the bell judges."""

from datetime import timedelta
from typing import Any

import pytest

from apps.clock.models import DueWork
from apps.clock.time import move, now
from apps.tables.models import DirectorCall, Table, TableBoard
from apps.tables.selectors import PROMPT_AFTER, PROMPT_LASTS
from apps.tables.services import presence
from apps.tables.services.opening import House
from apps.tables.services.seating import substitute
from apps.tables.services.talk import settle_calls
from bridge.auction import PASS
from bridge.seats import Seat
from bridge.table import AskAbout, AskUndo, MakeCall
from tests.pairs.evening import pass_time
from tests.tables.tables import Browser, do, make_cast, make_member, make_table, state_of, user_of, who_acts

pytestmark = pytest.mark.django_db

A_MOMENT = timedelta(seconds=5)


def casual(**more: Any) -> Table:
    return make_table(house=House(casual=True, **more))


def browsers_of(table: Table) -> dict[str, Browser]:
    return {each.seat: Browser(each.player, table) for each in table.sittings.select_related("player__user")}


def waiting(table: Table) -> tuple[Browser, list[Browser]]:
    """Whose turn it is, and the others."""
    slow = who_acts(table)
    browsers = list(browsers_of(table).values())
    return (
        next(each for each in browsers if each.player == slow),
        [each for each in browsers if each.player != slow],
    )


def here(table: Table) -> None:
    """All four are connected: what is not done is not for want of a line."""
    presence.see(sittings=list(table.sittings.values_list("pk", flat=True)))


def test_any_of_the_others_asks_and_all_four_read_it() -> None:
    for place in range(3):
        table = make_table(
            make_cast(str(place)), house=House(casual=True), subject=str(place), occasion=str(place)
        )
        slow, others = waiting(table)
        move(PROMPT_AFTER + A_MOMENT)
        assert others[place].do("prompt").status_code == 200
        asker = others[place].view()["me"]
        for browser in (slow, *others):
            shown = browser.view()["prompt"]
            assert (shown["seat"], shown["by"]) == (slow.view()["me"], asker)
            assert shown["ends_at"]


def test_nobody_is_hurried_before_his_time_nor_by_himself_nor_by_a_stranger() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    answer = other.do("prompt")
    assert answer.status_code == 422
    assert "wait" in answer.json()["say"]
    move(PROMPT_AFTER + A_MOMENT)
    assert slow.do("prompt").status_code == 422
    assert Browser(make_member("Vera"), table).do("prompt", expect=1).status_code == 404
    assert Browser(make_member("Vito"), table).view()["prompt"] is None
    table.refresh_from_db()
    assert table.prompted_at is None


def test_to_ask_again_changes_nothing() -> None:
    table = casual()
    _slow, (one, two, _three) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    assert one.do("prompt").json()["dup"] is False
    asked = one.view()["prompt"]
    move(A_MOMENT)
    for browser in (one, two):
        assert browser.do("prompt").json()["dup"] is True
        assert browser.view()["prompt"] == asked
    assert DueWork.objects.filter(kind="tables.prompted").count() == 1


def test_without_an_act_the_board_is_put_down_and_the_seat_is_free() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    here(table)
    other.do("prompt")
    pass_time(seconds=PROMPT_LASTS.total_seconds() + 1)
    board = table.boards.get(position=1)
    assert (board.how, board.gone) == (TableBoard.How.ABANDONED, slow_seat(board, slow))
    assert not table.sittings.filter(player=slow.player).exists()
    assert table.sittings.count() == 3
    table.refresh_from_db()
    assert not table.is_over
    assert not DueWork.objects.filter(state=DueWork.State.STUCK).exists()


def slow_seat(board: TableBoard, slow: Browser) -> str:
    return "NESW"[board.players.index(slow.player.pk)]


def test_a_call_in_time_keeps_the_seat_and_ends_the_question() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    other.do("prompt")
    move(PROMPT_LASTS - A_MOMENT)
    assert slow.do("call", call="1C").status_code == 200
    shown = other.view()["prompt"]
    assert shown["ends_at"] is None
    assert shown["seat"] != slow.view()["me"]
    pass_time(minutes=1)
    assert not state_of(table).is_over


def test_the_next_one_who_is_slow_is_asked_anew() -> None:
    table = casual()
    for _ in range(2):
        slow, (other, *_) = waiting(table)
        move(PROMPT_AFTER + A_MOMENT)
        assert other.do("prompt").json()["dup"] is False
        do(table, slow.player, MakeCall(PASS))
    assert not state_of(table).is_over


def test_a_hidden_question_tells_partner_nothing_by_this_clock() -> None:
    table = casual()
    do(table, who_acts(table), MakeCall(PASS))
    browsers = browsers_of(table).values()
    before = [browser.view()["prompt"] for browser in browsers]
    move(A_MOMENT)
    do(table, who_acts(table), AskAbout(0))
    assert [browser.view()["prompt"] for browser in browsers] == before


def test_who_waits_for_an_answer_is_not_asked_to_play() -> None:
    table = casual()
    caller = who_acts(table)
    do(table, caller, MakeCall(PASS))
    do(table, caller, AskUndo())
    assert Browser(caller, table).view()["prompt"] is None


def test_where_a_clock_limits_the_turn_nobody_has_to_ask() -> None:
    for house in (House(casual=True, turn_seconds=60), House()):
        table = make_table(
            make_cast(str(house.casual)), house=house, occasion=str(house.casual), subject=str(house.casual)
        )
        _slow, (other, *_) = waiting(table)
        move(timedelta(seconds=50))
        assert other.view()["prompt"] is None
        assert other.do("prompt").status_code == 422


def test_time_in_which_the_site_was_away_is_nobodys_silence() -> None:
    table = casual()
    _slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    other.do("prompt")
    since = now()
    move(timedelta(minutes=10))
    presence.resume_all(began_at=since, ended_at=now())
    pass_time(seconds=5)
    assert not state_of(table).is_over
    assert other.view()["prompt"]["ends_at"] is None


def taken_over(table: Table, slow: Browser) -> Browser:
    """Somebody else sits down for a player whose line is gone."""
    seat = table.sittings.get(player=slow.player).seat
    presence.see(sittings=list(table.sittings.exclude(seat=seat).values_list("pk", flat=True)))
    presence.miss_silent()
    new = Browser(make_member("Newt"), table)
    new.client.post(f"{table.get_absolute_url()}sit/", {"seat": seat})
    assert table.sittings.get(seat=seat).player == new.player
    return new


def test_who_takes_the_seat_of_a_silent_player_has_the_whole_time() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    taken_over(table, slow)
    assert other.do("prompt").status_code == 422
    move(PROMPT_AFTER + A_MOMENT)
    assert other.do("prompt").status_code == 200


def test_what_one_player_was_asked_does_not_end_the_board_for_another() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    other.do("prompt")
    move(PROMPT_LASTS - A_MOMENT)
    new = taken_over(table, slow)
    assert new.view()["prompt"]["ends_at"] is None
    pass_time(seconds=10)
    assert table.sittings.filter(player=new.player).exists()
    assert not state_of(table).is_over


def test_who_owes_an_answer_hurries_nobody_and_only_who_was_asked_learns_why() -> None:
    table = casual()
    caller = who_acts(table)
    do(table, caller, MakeCall(PASS))
    slow, _others = waiting(table)
    browsers = browsers_of(table)
    seat = Seat.from_letter(slow.view()["me"])
    asked, partner = browsers[table.sittings.get(player=caller).seat], browsers[seat.partner.letter]
    other = browsers[(set("NESW") - {each.view()["me"] for each in (slow, asked, partner)}).pop()]
    do(table, slow.player, AskAbout(0))
    move(PROMPT_AFTER + A_MOMENT)
    assert "You have been asked" in asked.do("prompt").json()["say"]
    assert other.do("prompt").status_code == 200  # as it would be if nothing had been asked
    assert partner.view()["prompt"] == other.view()["prompt"]


@pytest.mark.parametrize("answered", [False, True], ids=["unanswered", "answered at the last moment"])
@pytest.mark.parametrize("place", [0, 1, 2], ids=["who was asked", "his partner", "own partner"])
def test_who_waits_for_an_answer_keeps_the_seat_whoever_asks_him_to_act(place: int, answered: bool) -> None:
    table = casual()
    caller = who_acts(table)
    do(table, caller, MakeCall(PASS))
    slow, _others = waiting(table)
    browsers = browsers_of(table)
    seat = Seat.from_letter(table.sittings.get(player=caller).seat)
    own = Seat.from_letter(slow.view()["me"])
    asker = browsers[(seat, seat.partner, own.partner)[place].letter]
    move(PROMPT_AFTER + A_MOMENT)
    assert asker.do("prompt").status_code == 200
    move(A_MOMENT)
    do(table, slow.player, AskAbout(0))
    here(table)
    move(PROMPT_LASTS - 3 * A_MOMENT)
    if answered:
        browsers[seat.letter].do("explain", place=0, explanation="nothing to say")
    pass_time(seconds=16)
    assert table.sittings.filter(player=slow.player).exists()
    assert asker.view()["prompt"]["ends_at"] is None
    browsers[seat.letter].do("explain", place=0, explanation="nothing to say")
    here(table)
    assert asker.do("prompt").json()["dup"] is False  # he has had his answer, and is asked again
    here(table)
    pass_time(seconds=PROMPT_LASTS.total_seconds() + 1)
    assert not table.sittings.filter(player=slow.player).exists()


def test_who_has_called_the_director_is_not_hurried() -> None:
    table = casual()
    slow, (other, *_) = waiting(table)
    move(PROMPT_AFTER + A_MOMENT)
    other.do("prompt")
    slow.do("director", text="they insult me")
    pass_time(seconds=PROMPT_LASTS.total_seconds() + 1)
    assert not state_of(table).is_over
    assert other.view()["prompt"]["ends_at"] is None
    assert "called the director" in other.do("prompt").json()["say"]
    settle_calls(table_id=table.pk, by=user_of(make_member("Dora", director=True)))
    assert other.do("prompt").json()["dup"] is False


def test_at_a_table_of_an_event_without_a_limit_the_director_is_called_and_the_bell_judges() -> None:
    table = make_table()
    pass_time(minutes=2)
    here(table)
    assert not DirectorCall.objects.exists()
    pass_time(minutes=1, seconds=5)
    assert DirectorCall.objects.get().seat == ""
    for _ in range(20):
        pass_time(seconds=40)
        here(table)
    assert DirectorCall.objects.count() == 1
    assert not state_of(table).is_over


def test_who_is_not_slow_calls_nobody() -> None:
    table = make_table()
    for _ in range(3):
        pass_time(seconds=100)
        here(table)
        do(table, who_acts(table), MakeCall(PASS))
    assert not DirectorCall.objects.exists()


def late(**more: Any) -> Table:
    """A table of an event whose clock has called the director, for nobody did anything."""
    table = make_table(**more)
    for _ in range(2):
        pass_time(seconds=92)
        here(table)
    assert DirectorCall.objects.get().seat == ""
    return table


def test_what_the_clock_calls_for_is_over_with_the_turn() -> None:
    table = late()
    slow, (other, *_) = waiting(table)
    assert slow.do("call", call="Pass").status_code == 200
    assert DirectorCall.objects.get().settled_at
    view = other.view()
    assert view["director"] is None
    assert view["ask"]["director"] is True


def test_a_call_of_the_clock_swallows_none_of_a_player() -> None:
    table = late()
    slow, (other, another, _) = waiting(table)
    assert other.view()["ask"]["director"] is True
    assert other.do("director", text="East revoked").json()["dup"] is False
    assert another.do("director", text="and more").json()["dup"] is True
    view = other.view()
    assert view["director"]["by"] == view["me"]
    assert (view["ask"]["director"], view["ask"]["take_back_call"]) == (False, True)
    slow.do("call", call="Pass")
    assert [call.text for call in DirectorCall.objects.filter(settled_at=None)] == ["East revoked"]
    assert other.do("take_back_call").status_code == 200
    assert not DirectorCall.objects.filter(settled_at=None).exists()


def test_to_take_back_a_call_leaves_the_one_of_the_clock() -> None:
    table = late()
    _slow, (other, *_) = waiting(table)
    other.do("director")
    other.do("take_back_call")
    assert DirectorCall.objects.get(settled_at=None).seat == ""


def test_who_calls_the_director_and_takes_it_back_is_not_spared() -> None:
    table = make_table(house=House(turn_seconds=60, reconnect_seconds=120))
    slow, _others = waiting(table)
    pass_time(seconds=30)
    slow.do("director")
    slow.do("take_back_call")
    for _ in range(5):
        pass_time(seconds=40)
        here(table)
    assert table.boards.get(position=1).how == TableBoard.How.ABANDONED


def test_a_substitute_in_the_middle_of_a_turn_has_a_turn_of_his_own() -> None:
    table = make_table(house=House(turn_seconds=60, reconnect_seconds=120))
    slow, _others = waiting(table)
    pass_time(seconds=50)
    here(table)
    seat = table.sittings.get(player=slow.player).seat
    substitute(table_id=table.pk, seat=seat, player=make_member("Newt"), by=None)
    here(table)
    pass_time(seconds=30)
    assert not DirectorCall.objects.exists()
    pass_time(seconds=35)
    assert DirectorCall.objects.exists()
