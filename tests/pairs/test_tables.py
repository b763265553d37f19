"""An event that is played at the tables of this site: what happens there becomes results by itself."""

import random
import re
import time
from datetime import timedelta
from threading import Event as Flag
from typing import Any
from uuid import uuid4

import pytest
from django.core.exceptions import PermissionDenied
from django.db import connection, transaction
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.clock.time import move, now
from apps.pages.demo.company import Company
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Round, RoundScore, Seat, Swiss
from apps.pairs.selectors.decisions import reasons_of_boards
from apps.pairs.selectors.tables import PURPOSE, occasion_of
from apps.pairs.services import direction, rounds
from apps.pairs.services.disqualification import disqualify_pair
from apps.pairs.services.registration import Refused, substitute, withdraw_pair
from apps.pairs.services.slips import Said, decide_result, say_result
from apps.pairs.services.tables import take_results, time_allowed
from apps.pairs.templatetags.audit import facts
from apps.pairs.views.live_state import version_of
from apps.results.models import Result, ResultChange
from apps.results.services import change_result
from apps.tables.hands import read_board
from apps.tables.models import Table, TableBoard
from apps.tables.refusals import Closed
from apps.tables.selectors import calls_for_director, check_director
from apps.tables.services import presence
from apps.tables.services.boards import wait_for_return
from apps.tables.services.closing import void_table
from apps.tables.services.playing import direct
from apps.tables.services.practice import open_practice_table
from apps.tables.services.talk import call_director, settle_calls
from apps.users.models import Notice, Player, User
from apps.users.services import close_account
from bridge.auction import PASS
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from bridge.contracts import read_contract
from bridge.table import MakeCall, Rule, seats_to_act
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, reload, start
from tests.tables.tables import Browser, do, make_member, play_board, something, state_of, user_of, who_acts

pytestmark = pytest.mark.django_db


def event_at_tables(pairs: int = 4, **settings: Any) -> Swiss:
    """Its first round is open."""
    chosen: dict[str, Any] = {"rounds": 2, "boards": 2, "play": Swiss.Play.TABLES} | settings
    swiss = make_swiss(**chosen)
    enter_pairs(swiss, pairs)
    start(swiss)
    return reload(swiss)


def open_round(swiss: Swiss) -> Round:
    return Round.objects.get(swiss=swiss, state=Round.State.OPEN)


def tables_of(each: Round) -> list[Table]:
    return list(Table.objects.filter(purpose=PURPOSE, occasion=occasion_of(each)).order_by("pk"))


def play_out(each: Round) -> None:
    """Robots play what lies on the tables of a round, to the end."""
    players = set(Player.objects.values_list("pk", flat=True))
    company = Company(purpose=PURPOSE, players=players, occasion=occasion_of(each), speed=1e9)
    while company.take_turn():
        pass


def test_a_round_is_played_at_tables_and_the_results_are_what_was_played() -> None:
    swiss = event_at_tables(pairs=4)
    for number in (1, 2):
        each = open_round(swiss)
        assert each.number == number
        assert len(tables_of(each)) == 2
        play_out(each)
        assert take_results(round_id=each.pk) == 4
        assert take_results(round_id=each.pk) == 0
        check_results(each)
        pass_time(minutes=21)
    assert reload(swiss).state == Swiss.State.FINISHED
    assert set(RoundScore.objects.values_list("kind", "completed")) == {("played", 2)}
    assert broken() == []


def check_results(each: Round) -> None:
    """Every board at every table of the round has the one result that it came to, with all four players."""
    played = TableBoard.objects.filter(table__purpose=PURPOSE, table__occasion=occasion_of(each))
    for board in played.select_related("table"):
        number = board.table.subject.split("/")[1]
        result = Result.objects.get(
            table=number, round=each.number, field_board__board=board.board_id, source=Result.Source.PLAYED
        )
        assert result.kind == Result.Kind.PLAYED
        assert result.ns_score == board.ns_score
        assert (result.tricks, result.lead, result.declarer) == (board.tricks, board.lead, board.declarer)
        assert [result.north_id, result.east_id, result.south_id, result.west_id] == board.players
        sides = dict(Seat.objects.filter(round=each, table=int(number)).values_list("side", "contestant"))
        assert sides == {"NS": result.ns_id, "EW": result.ew_id}
        assert board.taken_at


def test_boards_of_a_table_are_those_of_the_round_and_its_players_those_who_were_seated() -> None:
    swiss = event_at_tables(pairs=4, stop=True, turn_seconds=60, undo=Swiss.Undo.NOBODY)
    each = open_round(swiss)
    for table in tables_of(each):
        numbers = table.boards.order_by("position").values_list("board__number", flat=True)
        assert list(numbers) == [1, 2]
        assert table.closes_at == each.closes_at
        assert table.turn_seconds == 60
        assert table.rules == {"stop_after_jump": True, "undo": "nobody"}
        by_side = {
            "NS": set(table.sittings.filter(seat__in="NS").values_list("player", flat=True)),
            "EW": set(table.sittings.filter(seat__in="EW").values_list("player", flat=True)),
        }
        for seat in Seat.objects.filter(round=each, table=int(table.subject.split("/")[1])):
            entered = seat.contestant.entry.entrants.values_list("player", flat=True)
            assert by_side[seat.side] == set(entered)


def test_the_bell_takes_what_is_finished_and_cuts_what_is_not() -> None:
    swiss = event_at_tables(pairs=4, method=Method.MP)
    each = open_round(swiss)
    one, other = tables_of(each)
    play_board(one, seed=3)
    chance = random.Random(1)
    for _ in range(3):
        do(other, who_acts(other), something(state_of(other), chance))

    pass_time(minutes=20)

    results = Result.objects.filter(round=1)
    assert results.filter(kind=Result.Kind.PLAYED).count() == 1
    assert results.filter(kind=Result.Kind.CUT).count() == 3
    cut = results.filter(kind=Result.Kind.CUT)[0]
    assert cut.ruling == {"ns": {"percent": "40"}, "ew": {"percent": "40"}}
    assert {table.why for table in tables_of(each)} == {Table.Why.CUT}
    assert not TableBoard.objects.filter(table__occasion=occasion_of(each), taken_at=None)
    assert broken() == []


def count_statements(pairs: int) -> tuple[int, int]:
    """To open a round, and to close it with boards that are finished, begun and not begun."""
    swiss = make_swiss(rounds=1, boards=2, play=Swiss.Play.TABLES, cut=Swiss.Cut.CLOCK)
    enter_pairs(swiss, pairs, prefix=f"Pair{pairs}-")
    move(swiss.starts_at - now())
    rounds.start(event_id=swiss.pk)
    with CaptureQueriesContext(connection) as opening:
        assert rounds.open_round(event_id=swiss.pk, number=1)
    for table in tables_of(open_round(swiss))[::2]:
        play_board(table)
    with CaptureQueriesContext(connection) as closing:
        assert rounds.close_round(event_id=swiss.pk, number=1)
    return len(opening), len(closing)


def test_statements_of_opening_and_closing_do_not_grow_with_the_tables() -> None:
    few, many = count_statements(4), count_statements(16)
    print("statements to open and to close", few, many)
    assert many[0] <= few[0]
    assert many[1] <= few[1] + 4  # a ruling of the clock that occurs is one more


def client_of(player: Player) -> Client:
    client = Client()
    client.force_login(user_of(player))
    return client


def someone_at(table: Table, seat: str = "N") -> Player:
    return table.sittings.select_related("player__user").get(seat=seat).player


def test_the_page_of_the_event_leads_to_the_table_and_nothing_is_entered() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    player = someone_at(table)
    client = client_of(player)

    page = client.get(swiss.event.get_absolute_url()).content.decode()

    assert f'class="btn go" href="{table.get_absolute_url()}"' in page
    assert "Enter<" not in page
    own = client.get(reverse("pairs:own_table", args=[swiss.pk]))
    assert own.headers["Location"] == table.get_absolute_url()
    notice = user_of(player).notices.get(key=f"event {swiss.pk} seated NS 1")
    assert notice.url == reverse("pairs:own_table", args=[swiss.pk])
    with pytest.raises(Refused, match="played at its tables"):
        say_result(
            event_id=swiss.pk,
            board=1,
            said=Said.read("4S N ="),
            by=user_of(player),
            player=player,
            command=uuid4(),
        )
    with pytest.raises(Refused, match="sees by itself"):
        direction.report_missing(event_id=swiss.pk, player=player, by=user_of(player))


def test_a_board_that_ends_shows_on_the_page_of_its_players_and_moves_its_version() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    player = someone_at(table)
    before = version_of(swiss.pk, player.user_id, now())
    play_board(table, seed=4)

    assert version_of(swiss.pk, player.user_id, now()) != before
    page = client_of(player).get(swiss.event.get_absolute_url()).content.decode()
    assert "1 of 2 boards finished" in page
    assert reverse("tables:board", args=[table.uuid, 1]) in page


def test_the_slow_side_pays_for_a_board_that_the_clock_cuts() -> None:
    swiss = event_at_tables(pairs=4, method=Method.MP, cut=Swiss.Cut.CLOCK)
    slow, nobody = tables_of(open_round(swiss))
    side = side_to_act(slow)
    do(nobody, who_acts(nobody), something(state_of(nobody), random.Random(1)))
    pass_time(minutes=10)
    do(slow, who_acts(slow), something(state_of(slow), random.Random(1)))
    do(slow, who_acts(slow), MakeCall(PASS))
    pass_time(minutes=10, seconds=20)

    cut = Result.objects.get(kind=Result.Kind.CUT, table="1", field_board__board__number=1)
    assert cut.ruling
    grades = {"NS": cut.ruling["ns"], "EW": cut.ruling["ew"]}
    seconds = dict(Seat.objects.filter(round__number=1, table=1).values_list("side", "seconds"))
    assert grades[side] == {"grade": "A-"}
    assert (seconds[side] or 0) >= 600
    assert broken() == []
    words = f"{'North–South' if side == 'NS' else 'East–West'} were clearly slower: the table waited "
    for sitting in slow.sittings.select_related("player__user"):
        client = client_of(sitting.player)
        order = sitting.player.entrants.get().entry.contestant.order
        for address in (
            swiss.event.get_absolute_url(),
            reverse("pairs:scorecard", args=[swiss.pk, order]),
            reverse("pairs:board", args=[swiss.pk, 1, 1]),
        ):
            assert words in client.get(address).content.decode(), address


def side_to_act(table: Table) -> str:
    (seat,) = seats_to_act(state_of(table))
    return seat.side.value


def test_a_pair_that_never_comes_is_absent_and_its_opponents_have_a_walkover() -> None:
    swiss = event_at_tables(pairs=4, rounds=1)
    absent, _played = tables_of(open_round(swiss))
    play_board(_played)
    for sitting in absent.sittings.filter(seat__in="NS"):
        presence.see(sittings=[sitting.pk])
    pass_time(minutes=21)
    kinds = {
        (seat.side, seat.contestant.round_scores.get(round__number=1).kind)
        for seat in Seat.objects.filter(round__number=1, table=1)
    }
    assert kinds == {("NS", "walkover"), ("EW", "absent")}
    assert not Result.objects.filter(table="1").exists()
    assert broken() == []


def test_a_board_that_was_broken_off_is_ruled_against_the_side_that_left() -> None:
    swiss = event_at_tables(pairs=4, rounds=1)
    each = open_round(swiss)
    table = tables_of(each)[0]
    play_board(table, seed=2)
    presence.see(sittings=[sitting.pk for sitting in table.sittings.all()])
    pass_time(seconds=20)
    table.refresh_from_db()
    assert table.current
    assert table.current.position == 2
    west = table.sittings.get(seat="W")
    table.sittings.filter(pk=west.pk).update(gone_at=now() - timedelta(seconds=table.reconnect_seconds))
    wait_for_return(table, west, until=now())
    pass_time(seconds=5)
    assert table.boards.get(position=2).how == TableBoard.How.ABANDONED
    assert take_results(round_id=each.pk) == 1  # the other one waits for the bell

    pass_time(minutes=21)

    ruled = Result.objects.get(kind=Result.Kind.RULED)
    assert ruled.ruling == {"ns": {"grade": "A+"}, "ew": {"grade": "A-"}}
    assert ruled.west_id == west.player_id
    assert broken() == []


def test_a_table_that_is_called_off_counts_for_nobody() -> None:
    swiss = event_at_tables(pairs=4, rounds=1)
    table, other = tables_of(open_round(swiss))
    presence.see(sittings=[sitting.pk for sitting in table.sittings.all()])
    play_board(other)
    void_table(table_id=table.pk, by=None, reason="the server failed")
    pass_time(minutes=21)
    assert set(Result.objects.filter(table="1").values_list("kind", flat=True)) == {"not played"}
    assert broken() == []


def test_a_substitute_gets_the_seat_at_the_table() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    out, into = someone_at(table, "E"), make_members(1, "Late")[0]
    entry = out.entrants.get().entry
    substitute(event_id=swiss.pk, order=entry.contestant.order, out=out, into=into, by=None)
    assert someone_at(table, "E") == into
    play_board(table)
    take_results(round_id=open_round(swiss).pk)
    assert Result.objects.get(table="1").east_id == into.pk


def director() -> User:
    return user_of(make_member("Dora", director=True))


def test_a_cancelled_event_closes_its_tables_and_keeps_what_was_finished() -> None:
    swiss = event_at_tables(pairs=4)
    table, _other = tables_of(open_round(swiss))
    play_board(table)
    direction.cancel(event_id=swiss.pk, expected=swiss.schedule_version, by=director(), reason="fire")
    assert set(Table.objects.values_list("state", "why")) == {("over", "void")}
    assert Result.objects.get().table == "1"
    assert not TableBoard.objects.filter(taken_at=None).exists()
    with pytest.raises(Closed):
        do(table, someone_at(table), MakeCall(PASS))
    assert broken() == []


def test_a_suspended_event_gives_its_tables_the_time_back() -> None:
    swiss = event_at_tables(pairs=4)
    each, dora = open_round(swiss), director()
    direction.suspend(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="alarm")
    assert {table.closes_at for table in tables_of(each)} == {None}
    pass_time(minutes=30)
    direction.resume(event_id=swiss.pk, expected=reload(swiss).schedule_version, by=dora, reason="on")
    after = open_round(swiss)
    assert after.closes_at - each.closes_at >= timedelta(minutes=30)
    assert {table.closes_at for table in tables_of(each)} == {after.closes_at}
    direction.change_time(
        event_id=swiss.pk, minutes=5, expected=reload(swiss).schedule_version, by=dora, reason="slow"
    )
    assert {table.closes_at for table in tables_of(each)} == {open_round(swiss).closes_at}
    assert open_round(swiss).closes_at - after.closes_at == timedelta(minutes=5)


def test_a_round_is_seated_again_until_somebody_has_called() -> None:
    swiss = event_at_tables(pairs=5)
    each, dora = open_round(swiss), director()
    old = tables_of(each)
    withdraw_pair(event_id=swiss.pk, order=5, by=None)
    again = {"event_id": swiss.pk, "by": dora, "reason": "one is ill"}
    direction.pair_again(expected=reload(swiss).schedule_version, **again)
    new = [table for table in tables_of(each) if table not in old]
    assert {table.pk for table in Table.objects.filter(why=Table.Why.VOID)} == {table.pk for table in old}
    seated = client_of(someone_at(old[0]))
    assert (
        seated.get(reverse("tables:board", args=[old[0].uuid, 1])).status_code == 404
    )  # it is still to be played
    assert seated.get(f"{old[0].get_absolute_url()}view").json()["board"] is None
    assert len(new) == 2
    do(new[0], who_acts(new[0]), MakeCall(PASS))
    with pytest.raises(Refused, match="called already"):
        direction.pair_again(expected=reload(swiss).schedule_version, **again)
    play_board(new[0])
    pass_time(minutes=21)
    assert Result.objects.filter(kind=Result.Kind.PLAYED).count() == 1
    assert broken() == []


def test_a_round_is_not_seated_again_once_a_player_has_seen_a_hand() -> None:
    swiss = event_at_tables(pairs=4)
    table, dora = tables_of(open_round(swiss))[0], director()
    Browser(someone_at(table), table).view()
    with pytest.raises(Refused, match="has seen a hand"):
        direction.pair_again(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="one is ill")


def test_a_board_that_breaks_off_stays_hidden_while_others_play_it() -> None:
    swiss = event_at_tables(pairs=4)
    left, other = tables_of(open_round(swiss))
    play_board(left, until=lambda state: state.play is not None and state.play.has_begun)
    withdraw_pair(event_id=swiss.pk, order=pair_at(left, "E"), by=None, reason="ill")
    address = reverse("tables:board", args=[left.uuid, 1])
    for sitting in left.sittings.select_related("player__user"):
        browser = Browser(sitting.player, left)
        view = browser.view()
        hands = view["board"]["hands"]
        assert view["board"]["phase"] == "over"
        assert hands[sitting.seat]["cards"]
        assert [hand["cards"] for hand in hands.values()].count(None) >= 2
        assert view["boards"][0]["url"] is None
        assert browser.client.get(address).status_code == 404
    play_board(other)
    shown = Browser(someone_at(other), other)  # the control: it was played out there
    assert shown.client.get(reverse("tables:board", args=[other.uuid, 1])).status_code == 200
    pass_time(minutes=21)
    assert Client().get(address).status_code == 200


def test_a_director_who_plays_in_the_event_sees_no_hands_of_its_tables() -> None:
    swiss = event_at_tables(pairs=4)
    one, other = tables_of(open_round(swiss))
    player = someone_at(one)
    user = user_of(player)
    user.is_director = True
    user.save()
    for table in (one, other):
        with pytest.raises(PermissionDenied):
            check_director(table=table, user=user)
    check_director(table=other, user=director())


def test_what_the_director_ruled_at_the_table_is_the_result() -> None:
    swiss = event_at_tables(pairs=4)
    each = open_round(swiss)
    table = tables_of(each)[0]
    play_board(table, until=lambda state: state.play is not None and len(state.play.tricks) > 3)
    ruling = Ruling(Grade.PLUS, Grade.MINUS)
    direct(table_id=table.pk, by=director(), command=uuid4(), action=Rule(None, ruling), reason="Law 23")
    assert take_results(round_id=each.pk) == 1
    assert Result.objects.get().ruling == ruling.to_json()


def test_a_decision_of_the_director_stands_before_what_the_table_says() -> None:
    swiss = event_at_tables(pairs=4)
    each = open_round(swiss)
    table = tables_of(each)[0]
    decide_result(
        event_id=swiss.pk,
        number=1,
        table=1,
        board=1,
        said=Said.read("6NT N ="),
        by=director(),
        reason="agreed",
        command=uuid4(),
    )
    play_board(table)
    take_results(round_id=each.pk)
    assert Result.objects.get().level == 6
    assert TableBoard.objects.get(table=table, position=1).taken_at


def decide(swiss: Swiss, browser: Client, text: str, board: int = 1, seen: str | None = None) -> Any:
    """On the page of a board at the first table, as the director reads it, or read it before."""
    address = reverse("pairs:decide", args=[swiss.pk, 1, 1, board])
    read = seen or browser.get(address).context["form"]["seen"].value()
    given = {"word": "other", "result": text, "reason": "a revoke", "command": uuid4(), "seen": read}
    return browser.post(address, given)


@pytest.fixture
def dora(db: None) -> Client:
    browser = Client()
    browser.force_login(director())
    return browser


def test_the_directors_page_of_a_board_shows_what_its_table_has_played(dora: Client) -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    address = reverse("pairs:decide", args=[swiss.pk, 1, 1, 1])
    page = dora.get(address)
    assert "plays on: what you decide here counts" in page.text
    assert f"{table.get_absolute_url()}?as=director" in page.text
    play_board(table)
    take_results(round_id=open_round(swiss).pk)
    page = dora.get(address)
    assert page.context["place"].result == Result.objects.get()
    assert "plays on" not in page.text and "have said nothing" not in page.text
    assert f'href="{reverse("tables:board", args=[table.uuid, 1])}"' in page.text


@pytest.mark.parametrize("is_taken", [True, False])
def test_what_a_table_has_played_meanwhile_is_not_overwritten_unseen(dora: Client, is_taken: bool) -> None:
    swiss = event_at_tables(pairs=4)
    address = reverse("pairs:decide", args=[swiss.pk, 1, 1, 1])
    before = dora.get(address).context["form"]["seen"].value()
    play_board(tables_of(open_round(swiss))[0])
    if is_taken:
        take_results(round_id=open_round(swiss).pk)
    refused = decide(swiss, dora, "6NT N =", seen=before)
    assert refused.status_code == 422
    assert "has changed meanwhile" in refused.text
    assert not ResultChange.objects.exists()
    now_read = refused.context["form"]["seen"].value()
    assert decide(swiss, dora, "6NT N =", seen=now_read).status_code == 302
    assert Result.objects.get().level == 6


def test_of_two_directors_who_read_the_same_the_second_looks_again(dora: Client) -> None:
    swiss = event_at_tables(pairs=4)
    play_board(tables_of(open_round(swiss))[0])
    take_results(round_id=open_round(swiss).pk)
    address = reverse("pairs:decide", args=[swiss.pk, 1, 1, 1])
    seen = dora.get(address).context["form"]["seen"].value()
    change_result(
        result_id=Result.objects.get().pk,
        by=None,
        reason="a revoke",
        contract=read_contract("3NT N")[0],
        tricks=8,
    )
    assert decide(swiss, dora, "6NT N =", seen=seen).status_code == 422
    assert decide(swiss, dora, "6NT N =").status_code == 302
    assert decide(swiss, dora, "5NT N =", seen=seen).status_code == 422
    assert Result.objects.get().level == 6


def test_a_decision_gives_its_reason_to_the_players_the_log_the_pages_and_the_play(dora: Client) -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    play_board(table)
    take_results(round_id=open_round(swiss).pk)
    assert "The director changed this" not in dora.get(reverse("tables:board", args=[table.uuid, 1])).text
    assert decide(swiss, dora, "6NT N =").status_code == 302
    assert decide(swiss, dora, "2H E -1", board=2).status_code == 302  # nobody has played it

    told = Notice.objects.filter(key__contains="ruled")
    assert told.count() == 8
    assert all("Reason: a revoke" in str(notice) for notice in told)
    second, first = AuditEntry.objects.filter(action="pairs.decided").order_by("-pk")
    played = TableBoard.objects.get(table=table, position=1)
    assert first.before and first.before["said"]["text"].startswith(f"{played.contract} {played.declarer} ")
    assert second.before == {}
    words = facts(first, "UTC").replace("\u2068", "").replace("\u2069", "")
    assert {"round 1", "table 1", "board 1"} < set(words.split(" · "))
    assert words.startswith("result ") and " → 6NT N = · " in words

    play = dora.get(reverse("tables:board", args=[table.uuid, 1])).text
    assert "The director changed this to:" in play and "Reason: a revoke" in play
    pass_time(minutes=21)
    order = Seat.objects.get(round__number=1, table=1, side="NS").contestant.order
    card = Client().get(reverse("pairs:scorecard", args=[swiss.pk, order])).text
    assert card.count("director: a revoke") == 2
    for number in (1, 2):
        board = Client().get(reverse("pairs:board", args=[swiss.pk, 1, number])).text
        assert board.count("director: a revoke") == 1
    other = Seat.objects.get(round__number=1, table=2, side="NS").contestant.order
    assert "a revoke" not in Client().get(reverse("pairs:scorecard", args=[swiss.pk, other])).text


def test_what_is_corrected_after_a_decision_stands_with_its_own_reason(dora: Client) -> None:
    swiss = event_at_tables(pairs=4)
    assert decide(swiss, dora, "6NT N =").status_code == 302
    result = Result.objects.get()
    change_result(result_id=result.pk, by=None, reason="a slip of the pen", passed_out=True)
    assert reasons_of_boards(swiss.event) == {(1, 1, "1"): "a slip of the pen"}


@pytest.mark.django_db(transaction=True)
def test_a_decision_in_the_moment_in_which_a_result_is_taken_waits_and_then_counts() -> None:
    swiss = event_at_tables(pairs=4)
    each = open_round(swiss)
    play_board(tables_of(each)[0])
    taken = Flag()

    def take() -> None:
        with transaction.atomic():
            assert take_results(round_id=each.pk) == 1
            taken.set()
            wait_for_somebody_to_wait()

    def decide() -> None:
        taken.wait(30)
        decide_result(
            event_id=swiss.pk,
            number=1,
            table=1,
            board=1,
            said=Said.read("6NT N ="),
            by=director(),
            reason="agreed",
            command=uuid4(),
        )

    assert at_once(take, decide) == [None, None]
    assert Result.objects.get().level == 6


def wait_for_somebody_to_wait() -> None:
    """Until a session waits for a lock of another."""
    for _ in range(600):
        with connection.cursor() as cursor:
            cursor.execute("SELECT 1 FROM pg_locks WHERE NOT granted")
            if cursor.fetchone():
                return
        time.sleep(0.05)
    raise AssertionError("nobody waits")


def test_the_page_of_an_old_table_leads_on_to_the_next_one() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    player = someone_at(table)
    browser = Browser(player, table)
    for _ in range(2):
        play_board(Table.objects.get(pk=table.pk))
        pass_time(seconds=16)
    over = browser.view()
    assert over["table"]["state"] == "over"
    assert over["table"]["onward"] is None
    assert "onward" in over["table"]

    pass_time(minutes=21)

    leads = browser.view(since=over["v"])["table"]
    new = Table.objects.get(occasion=occasion_of(open_round(swiss)), sittings__player=player)
    assert leads["onward"] == new.get_absolute_url()
    assert leads["onward_title"] == new.name == f"{swiss.event.title}, round 2, table {new.number}"


def test_a_release_that_does_not_know_of_tables_goes_on_writing_events() -> None:
    swiss = make_swiss()
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT column_name, column_default FROM information_schema.columns
               WHERE table_name = 'pairs_swiss' AND column_name IN ('play', 'undo', 'stop')"""
        )
        defaults = {name: default.split("::")[0] for name, default in cursor.fetchall()}
    assert defaults == {"play": "'entered'", "undo": "'players'", "stop": "false"}
    assert not swiss.has_tables


@pytest.mark.parametrize("suspended", [True, False])
def test_nobody_is_blamed_for_being_away_while_the_event_is_suspended(suspended: bool) -> None:
    swiss = event_at_tables(pairs=4, minutes=60)
    each, dora = open_round(swiss), director()
    table = tables_of(each)[0]
    presence.see(sittings=[sitting.pk for sitting in table.sittings.all()])
    if suspended:
        direction.suspend(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="alarm")
    pass_time(seconds=90)
    presence.miss_silent()
    pass_time(minutes=10)
    how = table.boards.get(position=1).how
    assert how == ("" if suspended else TableBoard.How.ABANDONED)
    if not suspended:
        return
    direction.resume(event_id=swiss.pk, expected=reload(swiss).schedule_version, by=dora, reason="on")
    assert not table.sittings.exclude(gone_at=None).exists()
    folded, _done = read_board(Table.objects.get(pk=table.pk))
    assert folded
    assert folded.used(now()).ns + folded.used(now()).ew < timedelta(seconds=60)  # of eleven minutes


def test_the_page_of_the_director_shows_what_is_finished_who_calls_and_leads_to_the_table() -> None:
    swiss = event_at_tables(pairs=4)
    one, other = tables_of(open_round(swiss))
    play_board(one)
    call_director(table_id=other.pk, user=user_of(someone_at(other)), command=uuid4(), text="")
    client = Client()
    client.force_login(director())

    page = client.get(reverse("pairs:direct", args=[swiss.pk])).content.decode()

    assert f'href="{one.get_absolute_url()}?as=director"' in page
    assert "1 of 2" in page
    assert "Table 2 calls the director" in page


# ---- calls for the director


def unread(user: User) -> list[str]:
    return [str(notice) for notice in user.notices.filter(read_at=None, key__contains="director called")]


def test_a_call_at_a_table_is_told_to_the_directors_of_the_event_until_it_is_answered() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[1]
    dora, dick = director(), user_of(make_member("Dick", director=True))
    player = user_of(someone_at(table))
    player.is_director = True  # who plays there directs elsewhere
    player.save()
    for _ in range(2):
        call_director(table_id=table.pk, user=player, command=uuid4(), text="a slow bid")
    assert unread(dora) == unread(dick) == ["Swiss evening: table 2 calls the director."]
    assert unread(player) == []
    assert dora.notices.get(key__contains="director called").url == reverse("pairs:direct", args=[swiss.pk])
    settle_calls(table_id=table.pk, by=dora)
    assert unread(dora) == unread(dick) == []
    call_director(table_id=table.pk, user=player, command=uuid4())
    assert len(unread(dick)) == 1  # once more, when it happens once more
    settle_calls(table_id=table.pk, by=dora)


def test_a_director_who_rules_has_answered_the_call() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    dora = director()
    call_director(table_id=table.pk, user=user_of(someone_at(table)), command=uuid4())
    client = Client()
    client.force_login(dora)
    client.get(table.get_absolute_url(), {"as": "director"})
    decision = {"act": "rule", "command": uuid4(), "ns": "A+", "ew": "A-", "reason": "hesitation"}
    client.post(reverse("tables:direct", args=[table.uuid]), decision)
    assert unread(dora) == []
    assert calls_for_director(dora) == []


def test_the_clock_calls_the_director_of_the_event_as_players_do() -> None:
    event_at_tables(pairs=4, turn_seconds=60)
    dora = director()
    pass_time(seconds=62)
    assert len(unread(dora)) == 2  # at two tables


# ---- pairs that do not play on


def pair_at(table: Table, seat: str) -> int:
    order: int = someone_at(table, seat).entrants.get().entry.contestant.order
    return order


def test_a_pair_that_withdraws_closes_its_table_at_once_and_its_opponents_pay_nothing() -> None:
    swiss = event_at_tables(pairs=4, rounds=1)
    table, other = tables_of(open_round(swiss))
    play_board(table, seed=2)
    play_board(other, seed=3)
    presence.see(sittings=[sitting.pk for sitting in table.sittings.all()])
    pass_time(seconds=20)
    do(table, who_acts(table), something(state_of(table), random.Random(1)))
    for _ in range(2):
        withdraw_pair(event_id=swiss.pk, order=pair_at(table, "E"), by=None, reason="ill")
    table.refresh_from_db()
    assert (table.state, [board.how for board in table.boards.order_by("position")][1]) == (
        "over",
        "abandoned",
    )
    with pytest.raises(Closed):
        do(table, someone_at(table, "N"), MakeCall(PASS))
    told = user_of(someone_at(table, "N")).notices.get(key__contains="opponents left")
    assert "do not play on" in str(told)
    assert not user_of(someone_at(table, "E")).notices.filter(key__contains="opponents left").exists()
    assert not user_of(someone_at(other, "N")).notices.filter(key__contains="opponents left").exists()

    pass_time(minutes=21)

    ruled = Result.objects.get(kind=Result.Kind.RULED, table="1")
    assert ruled.ruling == {"ns": {"grade": "A+"}, "ew": {"grade": "A-"}}
    assert broken() == []


def test_a_pair_that_withdraws_before_its_first_result_gives_a_walkover() -> None:
    swiss = event_at_tables(pairs=4, rounds=1)
    table, other = tables_of(open_round(swiss))
    play_board(other)
    presence.see(sittings=[sitting.pk for sitting in table.sittings.all()])
    do(table, who_acts(table), something(state_of(table), random.Random(1)))
    withdraw_pair(event_id=swiss.pk, order=pair_at(table, "N"), by=None)
    table.refresh_from_db()
    assert (table.state, table.why) == ("over", Table.Why.LEFT)
    assert {board.gone for board in table.boards.all()} == {"NS"}
    pass_time(minutes=21)
    kinds = {
        (seat.side, seat.contestant.round_scores.get(round__number=1).kind)
        for seat in Seat.objects.filter(round__number=1, table=1)
    }
    assert kinds == {("NS", "absent"), ("EW", "walkover")}
    assert broken() == []


def test_a_pair_that_is_disqualified_closes_its_table_at_once() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    do(table, who_acts(table), something(state_of(table), random.Random(1)))
    disqualify_pair(event_id=swiss.pk, order=pair_at(table, "E"), by=director(), reason="signals")
    table.refresh_from_db()
    assert (table.state, table.why) == ("over", Table.Why.LEFT)
    with pytest.raises(Closed):
        do(table, someone_at(table, "W"), MakeCall(PASS))


def test_who_withdraws_between_rounds_closes_no_table() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    play_out(open_round(swiss))
    pass_time(minutes=20, seconds=30)
    withdraw_pair(event_id=swiss.pk, order=pair_at(table, "E"), by=None)
    assert Table.objects.exclude(state="over").count() == 0


def test_an_account_that_is_closed_leaves_its_event_and_its_practice_table_at_once() -> None:
    swiss = event_at_tables(pairs=4)
    table = tables_of(open_round(swiss))[0]
    player = someone_at(table, "E")
    practice = open_practice_table(player=player)
    dora = director()
    for _ in range(2):
        close_account(user=user_of(player), by=dora)
    table.refresh_from_db()
    practice.refresh_from_db()
    assert table.state == practice.state == "over"
    assert player.entrants.get().entry.state == Entry.State.WITHDRAWN
    assert AuditEntry.objects.filter(action="users.closed", actor_id=dora.pk).count() == 1


# ---- what everybody may see


def test_a_board_can_be_looked_at_by_everybody_once_its_round_is_over_and_not_before() -> None:
    swiss = event_at_tables(pairs=4)
    each = open_round(swiss)
    table, other = tables_of(each)
    play_board(table, seed=3)
    address = reverse("tables:board", args=[table.uuid, 1])
    visitor, opponent = Client(), client_of(someone_at(other))
    assert visitor.get(address).status_code == 302
    assert opponent.get(address).status_code == 404
    board = reverse("pairs:board", args=[swiss.pk, 1, 1])
    pass_time(minutes=20, seconds=30)
    for client in (visitor, opponent):
        page = client.get(address)
        assert page.status_code == 200
        assert all(len(hand["cards"]) == 13 for hand in page.context["view"]["board"]["hands"].values())
        assert page.context["view"]["me"] is None
        assert "no-store" in page["Cache-Control"]
        assert address in client.get(board).content.decode()
    assert reverse("tables:board", args=[table.uuid, 2]) not in visitor.get(board).content.decode()


def test_time_in_which_the_event_stood_still_makes_nobodys_share_larger() -> None:
    swiss = event_at_tables(pairs=4, minutes=20, method=Method.MP, cut=Swiss.Cut.CLOCK)
    table = tables_of(open_round(swiss))[0]
    slow, dora = side_to_act(table), director()
    pass_time(seconds=1000)  # the one side
    do(table, who_acts(table), MakeCall(PASS))
    direction.suspend(event_id=swiss.pk, expected=reload(swiss).schedule_version, by=dora, reason="alarm")
    pass_time(minutes=30)
    direction.resume(event_id=swiss.pk, expected=reload(swiss).schedule_version, by=dora, reason="on")
    pass_time(seconds=120)
    do(table, who_acts(table), MakeCall(PASS))
    seconds = time_allowed(open_round(swiss))
    assert 1118 < seconds < 1130
    assert side_to_act(table) == slow


def test_a_traveller_offers_of_each_table_what_there_is_to_see(client: Client) -> None:
    swiss = event_at_tables(pairs=6, boards=1, rounds=1)
    played, passed, _untouched = tables_of(open_round(swiss))
    play_board(played, seed=3)
    for _ in range(4):
        do(passed, who_acts(passed), MakeCall(PASS))
    pass_time(minutes=21)

    page = client.get(reverse("pairs:board", args=[swiss.pk, 1, 1])).text
    offered = re.findall(r'href="(/tables/[^"]+)">(Look at the \w+)', page)
    assert sorted(offered) == sorted(
        [
            (reverse("tables:board", args=[played.uuid, 1]), "Look at the play"),
            (reverse("tables:board", args=[passed.uuid, 1]), "Look at the auction"),
        ]
    )
