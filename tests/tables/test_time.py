"""Time at the table, by the one clock: the pause after a jump, a turn that runs out, what a question and an outage cost."""

import json
from datetime import timedelta
from typing import Any
from uuid import UUID, uuid4, uuid5

import pytest
from django.db import IntegrityError

from apps.clock.models import DueWork
from apps.clock.time import move, now
from apps.pages.demo.company import Company
from apps.tables.hands import STOP
from apps.tables.models import DirectorCall, Table, TableBoard
from apps.tables.refusals import Refused
from apps.tables.selectors import snapshot
from apps.tables.services.closing import cut_tables
from apps.tables.services.opening import House
from apps.tables.services.presence import resume_tables, see
from apps.tables.services.talk import settle_calls
from apps.users.models import Player
from bridge.auction import BIDS, PASS, Call
from bridge.errors import IllegalCall
from bridge.seats import Side
from bridge.table import AnswerClaim, AskAbout, AskUndo, Claim, DecidedBy, Explain, MakeCall, TableRules
from tests.pairs.evening import pass_time
from tests.tables.tables import (
    Browser,
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
ONE_CLUB, TWO_DIAMONDS, THREE_SPADES = (BIDS[place] for place in (0, 6, 13))
WITH_STOP = House(rules=TableRules(stop_after_jump=True))


def call(table: Table, what: Call = PASS) -> Player:
    """Whose turn it is makes this call."""
    player = who_acts(table)
    do(table, player, MakeCall(what))
    return player


# ---- the pause after a jump


@pytest.mark.parametrize("house", [WITH_STOP, House()], ids=["with the pause", "without"])
def test_after_a_jump_the_next_player_waits_where_the_event_asks_for_it(house: House) -> None:
    table = make_table(house=house)
    call(table, ONE_CLUB)
    call(table, THREE_SPADES)
    if house is WITH_STOP:
        with pytest.raises(Refused, match="8 s more"):
            call(table)
        move(STOP - timedelta(seconds=2.5))
        with pytest.raises(Refused, match=r"[23] s more"):
            call(table)
        move(timedelta(seconds=3))
    call(table)
    call(table)  # after the next call nobody waits any more
    assert table.events.count() == 4


def test_who_is_not_to_call_is_told_that_and_nothing_of_a_pause() -> None:
    table = make_table(house=WITH_STOP)
    call(table, ONE_CLUB)
    jumped = call(table, THREE_SPADES)
    with pytest.raises(IllegalCall, match="not your turn"):
        do(table, jumped, MakeCall(PASS))


def test_a_question_and_its_answer_during_the_pause_neither_wait_nor_make_it_longer() -> None:
    table = make_table(house=WITH_STOP)
    call(table, ONE_CLUB)
    jumped = call(table, THREE_SPADES)
    ends_at = snapshot(table_id=table.pk).folded.stop_ends_at  # type: ignore[union-attr]
    move(timedelta(seconds=4))
    do(table, who_acts(table), AskAbout(1))
    do(table, jumped, Explain(1, "weak"))
    assert snapshot(table_id=table.pk).folded.stop_ends_at == ends_at  # type: ignore[union-attr]
    move(timedelta(seconds=5))
    call(table)


def test_the_page_counts_down_to_the_moment_at_which_the_server_takes_the_call() -> None:
    table = make_table(house=WITH_STOP)
    call(table, ONE_CLUB)
    assert Browser(who_acts(table), table).view()["clock"]["stop_ends_at"] is None
    call(table, THREE_SPADES)
    browser = Browser(who_acts(table), table)
    view = browser.view()
    last = table.events.get(sequence=2)
    assert view["clock"]["stop_ends_at"] == (last.at + STOP).isoformat()
    early = browser.do("call", call="Pass")
    assert early.status_code == 422
    assert "wait" in early.json()["say"]
    move(STOP)
    assert browser.do("call", call="Pass").status_code == 200


def test_onlookers_learn_of_no_jump() -> None:
    table = make_table(house=House(casual=True, rules=TableRules(stop_after_jump=True)))
    call(table, THREE_SPADES)
    assert Browser(make_member("Vera"), table).view()["clock"]["stop_ends_at"] is None


def test_scripted_players_wait_too() -> None:
    cast = make_cast()
    table = make_table(cast, house=WITH_STOP)
    call(table, THREE_SPADES)
    company = Company(purpose="test", players={player.pk for player in cast.values()}, speed=1e9)
    company.take_turn()
    (deed,) = company.deeds.values()
    began = min(at for _, at in company.began.values())
    assert deed.data["do"] == "call"
    assert deed.at - began >= STOP.total_seconds()
    assert table.events.count() == 1


# ---- a turn that runs out


def patient(**more: Any) -> House:
    return House(turn_seconds=60, **more)


def test_the_director_is_called_to_a_turn_that_takes_too_long_once() -> None:
    table = make_table(house=patient())
    pass_time(seconds=50)
    call(table)
    pass_time(seconds=55)
    assert not DirectorCall.objects.exists()
    pass_time(seconds=10)
    assert DirectorCall.objects.get().seat == ""
    pass_time(seconds=100)
    assert DirectorCall.objects.count() == 1
    assert not state_of(table).is_over


def test_where_no_director_comes_nobody_waits_for_ever() -> None:
    table = make_table(house=patient())
    north = who_acts(table)
    pass_time(seconds=60 + 120 + 2)
    board = table.boards.get(position=1)
    assert (board.how, board.gone) == (TableBoard.How.ABANDONED, table.sittings.get(player=north).seat)
    assert not DueWork.objects.filter(state=DueWork.State.STUCK).exists()
    pass_time(seconds=20)
    assert state_of(table).board.number == 2
    pass_time(seconds=60 + 120 + 2)
    table.refresh_from_db()
    assert (table.state, table.why) == ("over", "finished")


def test_who_acts_at_the_last_moment_keeps_the_board() -> None:
    table = make_table(house=patient())
    pass_time(seconds=170)
    call(table)
    pass_time(seconds=100)
    assert not state_of(table).is_over


def test_what_a_director_has_in_hand_the_clock_leaves_alone() -> None:
    table = make_table(house=patient())
    pass_time(seconds=70)
    settle_calls(table_id=table.pk, by=user_of(make_member("Dora", director=True)))
    pass_time(minutes=10)
    assert not state_of(table).is_over


def test_a_question_gives_nobody_more_time_and_moves_no_clock_that_partner_sees() -> None:
    table = make_table(house=patient())
    caller = call(table, ONE_CLUB)
    browsers = [Browser(each.player, table) for each in table.sittings.select_related("player__user")]
    before = [browser.view()["clock"]["turn_ends_at"] for browser in browsers]
    move(timedelta(seconds=20))
    do(table, who_acts(table), AskAbout(0))
    do(table, caller, Explain(0, "natural"))
    assert [browser.view()["clock"]["turn_ends_at"] for browser in browsers] == before
    pass_time(seconds=42)
    assert DirectorCall.objects.count() == 1


# ---- what waits for a director


def asked_the_director() -> Table:
    table = make_table(house=House(rules=TableRules(undo=DecidedBy.DIRECTOR)))
    player = call(table)
    do(table, player, AskUndo())
    return table


def contested_claim() -> Table:
    table = make_table(house=House(rules=TableRules(claims=DecidedBy.DIRECTOR)))
    state = play_board(table, until=lambda state: bool(state.play and state.play.has_begun))
    assert state.play
    seats = {each.seat: each.player for each in table.sittings.select_related("player__user")}
    declarer = state.play.declarer
    do(table, seats[declarer.letter], Claim(13))
    do(table, seats[declarer.left.letter], AnswerClaim(False))
    return table


def test_silence_decides_nothing_that_is_before_a_director() -> None:
    tables = [asked_the_director()]
    pass_time(seconds=62)
    assert state_of(tables[0]).undo
    assert not DueWork.objects.filter(state=DueWork.State.STUCK).exists()


def test_a_refused_claim_waits_for_the_director_and_not_for_ever() -> None:
    table = contested_claim()
    pass_time(seconds=62)
    state = state_of(table)
    assert state.claim
    assert state.claim.contested
    pass_time(seconds=300)
    assert state_of(table).claim is None
    assert not state_of(table).is_over
    assert not DueWork.objects.filter(state=DueWork.State.STUCK).exists()


def test_a_wish_that_no_director_hears_is_refused_in_the_end() -> None:
    table = asked_the_director()
    pass_time(seconds=302)
    assert state_of(table).undo is None
    assert len(state_of(table).auction.calls) == 1


# ---- time that was lost


def test_what_was_thought_before_an_interruption_counts_and_what_was_lost_does_not() -> None:
    table = make_table()
    side = table_side(table)
    move(timedelta(seconds=100))
    since = now()
    move(timedelta(minutes=10))
    resume_tables(purpose="test", occasion="round", since=since)
    move(timedelta(seconds=20))
    used = snapshot(table_id=table.pk).used(side)
    assert timedelta(seconds=119) < used < timedelta(seconds=125)


def table_side(table: Table) -> Side:
    seat = table.sittings.get(player=who_acts(table)).seat
    return Side.NS if seat in "NS" else Side.EW


def test_who_did_something_during_an_interruption_pays_for_nothing_twice() -> None:
    table = make_table()
    since = now()
    move(timedelta(seconds=50))
    call(table)
    move(timedelta(seconds=50))
    resume_tables(purpose="test", occasion="round", since=since)
    shown = snapshot(table_id=table.pk)
    total = shown.used(Side.NS) + shown.used(Side.EW)
    assert timedelta(seconds=49) < total < timedelta(seconds=55)


def test_who_never_came_has_still_not_come_after_an_interruption() -> None:
    table = make_table()
    see(sittings=table.sittings.exclude(seat="W").values_list("pk", flat=True))
    resume_tables(purpose="test", occasion="round", since=now())
    assert list(table.sittings.filter(last_seen=None).values_list("seat", flat=True)) == ["W"]


# ---- commands of the clock are its own


def keeper(table: Table, key: str) -> UUID:
    return uuid5(table.uuid, key)


def test_nobody_takes_the_command_by_which_the_bell_will_ring() -> None:
    table = make_table()
    browser = Browser(who_acts(table), table)
    for command in (keeper(table, "bell 1"), UUID(int=1), uuid5(uuid4(), "x")):
        body = {"command": str(command), "expect": 1, "do": {"act": "call", "call": "Pass"}}
        assert browser.post(json.dumps(body)).status_code == 400
    assert table.events.count() == 0


def test_a_command_of_the_bell_in_other_hands_would_stop_it() -> None:
    """The control: past the door it would break the bell of the whole round."""
    table = make_table()
    do(table, who_acts(table), MakeCall(PASS), command=keeper(table, "bell 1"))
    with pytest.raises(IntegrityError):
        cut_tables(purpose="test", occasion="round")
