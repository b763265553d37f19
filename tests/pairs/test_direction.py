"""What a director may do to a running event, on its pages: each once, on what was seen, and kept in the log."""

import random
import re
from datetime import timedelta
from functools import partial
from hashlib import sha256
from threading import Barrier
from typing import Any
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains, assertRedirects

from apps.boards.models import Board, Seal
from apps.clock.models import AuditEntry, DueWork
from apps.clock.selectors import audit_of
from apps.clock.services import record
from apps.clock.time import move, now
from apps.pairs.models import Entry, Invitation, Round, Seat, Slip, Swiss
from apps.pairs.selectors.oversight import decisions_of, directors_of
from apps.pairs.services import direction
from apps.pairs.services.desk import invite
from apps.pairs.services.direction import Stale, call_director, change_time, report_missing
from apps.pairs.services.registration import Refused, enter_pair, say_present, substitute, withdraw_pair
from apps.pairs.services.rounds import call_off, close_round
from apps.pairs.services.setup import Plan, create_swiss
from apps.pairs.services.slips import Said, say_result
from apps.pairs.templatetags import audit
from apps.results.models import Result
from apps.users.models import Notice, Player, User
from tests.factories import make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


@pytest.fixture
def director(client: Client, dora: User) -> Client:
    client.force_login(dora)
    return client


@pytest.fixture
def evening() -> Swiss:
    """Four pairs play the first of three rounds."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 4)
    start(swiss)
    return reload(swiss)


def order(director: Client, swiss: Swiss, name: str, **given: Any) -> Any:
    """Press a button on the page as it is now."""
    address = reverse("pairs:direct_command", args=[swiss.pk, name])
    return director.post(address, {"expected": reload(swiss).schedule_version, "reason": "so it is", **given})


def current(swiss: Swiss) -> Round:
    return Round.objects.get(swiss=swiss, state=Round.State.OPEN)


def next_step(swiss: Swiss) -> DueWork:
    return DueWork.objects.get(
        kind__in=["pairs.open_round", "pairs.close_round"], subject=swiss.pk, state=DueWork.State.PLANNED
    )


def player_at(table: int, side: str) -> Player:
    seat = Seat.objects.get(round__state=Round.State.OPEN, table=table, side=side)
    return Player.objects.filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def say(swiss: Swiss, table: int, side: str, text: str, board: int = 1) -> Slip:
    player = player_at(table, side)
    assert player.user
    return say_result(
        event_id=swiss.pk, board=board, said=Said.read(text), by=player.user, player=player, command=uuid4()
    )


# ---- the course of the event


def test_the_bell_moves_and_the_later_rounds_with_it(director: Client, evening: Swiss) -> None:
    before = {each.number: each.closes_at for each in Round.objects.filter(swiss=evening)}

    answer = order(director, evening, "time", minutes=5, reason="a table came late")

    assertRedirects(answer, reverse("pairs:direct", args=[evening.pk]))
    after = {each.number: each.closes_at for each in Round.objects.filter(swiss=evening)}
    assert {after[number] - before[number] for number in before} == {timedelta(minutes=5)}
    assert next_step(evening).due_at == after[1]
    entry = AuditEntry.objects.get(action="pairs.time changed")
    assert (entry.actor_name, entry.reason) == ("dora", "a table came late")
    assert entry.after is not None
    assert entry.after["minutes"] == 5
    assertContains(director.get(reverse("pairs:direct", args=[evening.pk])), "a table came late")


def test_a_round_that_is_made_too_short_ends_now_and_not_in_the_past(
    director: Client, evening: Swiss
) -> None:
    order(director, evening, "time", minutes=-500)

    assert now() - timedelta(seconds=5) < current(evening).closes_at <= now()


def test_two_directors_at_once_the_second_is_told_and_sees_how_it_is_now(
    director: Client, evening: Swiss
) -> None:
    seen = evening.schedule_version
    bell = current(evening).closes_at
    order(director, evening, "time", minutes=5, expected=seen)

    answer = order(director, evening, "time", minutes=7, expected=seen, reason="mine")

    assert answer.status_code == 409
    assertContains(answer, "has moved on", status_code=409)
    assert current(evening).closes_at == bell + timedelta(minutes=5)
    page = answer.content.decode()
    assert f'name="expected" value="{reload(evening).schedule_version}"' in page
    assert 'value="mine"' in page  # what was typed is still there
    assert order(director, evening, "time", minutes=7).status_code == 302
    assert current(evening).closes_at == bell + timedelta(minutes=12)


def test_a_double_press_moves_the_bell_once(director: Client, evening: Swiss) -> None:
    bell, seen = current(evening).closes_at, evening.schedule_version

    statuses = [order(director, evening, "time", minutes=5, expected=seen).status_code for _ in range(2)]

    assert statuses == [302, 409]
    assert current(evening).closes_at == bell + timedelta(minutes=5)


def test_without_a_reason_nothing_is_rung(director: Client, evening: Swiss) -> None:
    answer = order(director, evening, "bell", reason="")

    assert answer.status_code == 422
    assert next_step(evening).due_at > now() + timedelta(minutes=10)


def test_the_bell_rings_now_and_the_next_round_opens_without_waiting(
    director: Client, evening: Swiss
) -> None:
    play_round(evening, random.Random(1))
    order(director, evening, "bell")
    pass_time(seconds=1)
    assert Round.objects.get(swiss=evening, number=1).state == Round.State.CLOSED

    order(director, evening, "open")
    pass_time(seconds=1)
    assert current(evening).number == 2


@pytest.mark.parametrize("minutes", [5, 33])
def test_all_later_rounds_follow_a_bell_that_rings_early_or_late(
    client: Client, evening: Swiss, minutes: int
) -> None:
    opened = current(evening).opens_at
    move(opened + timedelta(minutes=minutes) - now())
    close_round(event_id=evening.pk, number=1)

    rung = Round.objects.get(swiss=evening, number=1).closed_at
    assert rung and abs(rung - opened - timedelta(minutes=minutes)) < timedelta(seconds=5)
    later = Round.objects.filter(swiss=evening, number__gt=1).values_list("opens_at", "closes_at")
    assert [(opens - rung, closes - rung) for opens, closes in later] == [
        (timedelta(minutes=1), timedelta(minutes=21)),
        (timedelta(minutes=22), timedelta(minutes=42)),
    ]


def test_a_stopped_clock_keeps_the_time_that_is_left(director: Client, evening: Swiss) -> None:
    left = current(evening).closes_at - now()
    order(director, evening, "suspend", reason="the lights went out")
    assert reload(evening).state == Swiss.State.SUSPENDED
    page = director.get(reverse("pairs:direct", args=[evening.pk]))
    assertContains(page, "the lights went out")

    pass_time(minutes=45)
    assert current(evening).number == 1
    order(director, evening, "resume")

    assert reload(evening).state == Swiss.State.RUNNING
    assert abs(current(evening).closes_at - now() - left) < timedelta(seconds=5)
    assert next_step(evening).due_at == current(evening).closes_at


def test_rounds_are_taken_away_and_the_event_finishes_earlier(director: Client, evening: Swiss) -> None:
    order(director, evening, "rounds", rounds=1)
    play_round(evening, random.Random(1))
    pass_time(minutes=21)

    assert reload(evening).state == Swiss.State.FINISHED
    assert Round.objects.filter(swiss=evening).count() == 1


def test_a_round_more_is_played_even_when_the_last_has_just_closed(director: Client, evening: Swiss) -> None:
    order(director, evening, "rounds", rounds=1)
    close_round(event_id=evening.pk, number=1)  # and the clock has not finished the event yet

    order(director, evening, "rounds", rounds=2)
    pass_time(minutes=22)

    assert current(evening).number == 2


def test_the_event_cannot_have_fewer_rounds_than_have_begun(director: Client, evening: Swiss) -> None:
    pass_time(minutes=22)
    assert current(evening).number == 2

    answer = order(director, evening, "rounds", rounds=1)

    assertContains(answer, "2 to 40 rounds", status_code=422)
    assert reload(evening).rounds == 3


def test_a_round_is_seated_anew_for_those_who_are_there_and_never_over_results(
    director: Client, evening: Swiss, dora: User
) -> None:
    withdraw_pair(event_id=evening.pk, order=4, by=dora, reason="ill")
    assert order(director, evening, "pair-again").status_code == 302
    seats = Seat.objects.filter(round=current(evening))
    assert {seat.contestant.order: seat.table for seat in seats} == {1: 1, 2: 1, 3: None}

    say(evening, 1, "NS", "4S N +1")
    answer = order(director, evening, "pair-again")
    assertContains(answer, "Results were entered", status_code=422)


def test_an_event_that_has_not_begun_starts_at_another_time(director: Client) -> None:
    swiss = make_swiss()
    later = (now() + timedelta(days=2)).astimezone(swiss.tz)

    order(director, swiss, "postpone", start_date=f"{later:%Y-%m-%d}", start_time="20:15")

    moved = reload(swiss)
    assert f"{moved.starts_at.astimezone(moved.tz):%Y-%m-%d %H:%M}" == f"{later:%Y-%m-%d} 20:15"
    assert moved.event.played_on == later.date()
    assert DueWork.objects.get(subject=swiss.pk, state=DueWork.State.PLANNED).due_at == moved.starts_at


def test_an_event_that_waits_for_missing_pairs_can_still_start_at_another_time(director: Client) -> None:
    swiss = make_swiss(presence_minutes=10, grace=5)
    enter_pairs(swiss, 4)
    start(swiss)  # nobody said that he is here: the clock waits
    later = (now() + timedelta(days=1)).astimezone(swiss.tz)

    order(director, swiss, "postpone", start_date=f"{later:%Y-%m-%d}", start_time=f"{later:%H:%M}")
    pass_time(hours=1)
    assert reload(swiss).state == Swiss.State.ANNOUNCED
    for entry in Entry.objects.filter(swiss=swiss):
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    start(reload(swiss))

    assert reload(swiss).state == Swiss.State.RUNNING


def test_an_event_is_not_moved_to_an_hour_that_does_not_exist(director: Client) -> None:
    swiss = make_swiss()

    answer = order(director, swiss, "postpone", start_date="2027-03-28", start_time="03:30")

    assertContains(answer, "does not exist", status_code=422)
    assert reload(swiss).starts_at == swiss.starts_at


def test_a_cancelled_event_does_nothing_any_more(director: Client, evening: Swiss) -> None:
    order(director, evening, "cancel", reason="snow")

    assert (reload(evening).state, reload(evening).why) == (Swiss.State.CANCELLED, "snow")
    assert not DueWork.objects.filter(subject=evening.pk, state=DueWork.State.PLANNED).exists()
    page = director.get(reverse("pairs:direct", args=[evening.pk]))
    assert page.context["commands"] == []
    assertNotContains(page, "closes in")


@pytest.mark.parametrize("ends", ["cancelled", "over"])
def test_nobody_is_asked_any_more_to_play_in_an_event_that_is_over(ends: str) -> None:
    swiss = make_swiss(rounds=3, late_until=3)
    enter_pairs(swiss, 2)
    if ends == "over":
        start(swiss)
    ada, bob = make_members(2, "Club")
    assert ada.user and bob.user
    invitation = invite(event_id=swiss.pk, player=ada, partner=bob, by=ada.user)
    notice = Notice.objects.get(user=bob.user)
    assert not notice.read_at

    if ends == "over":
        withdraw_pair(event_id=swiss.pk, order=1, by=None)
        pass_time(minutes=22)
        assert reload(swiss).state == Swiss.State.FINISHED
    else:
        call_off(reload(swiss), why="The roof leaks.")

    invitation.refresh_from_db()
    notice.refresh_from_db()
    assert invitation.state == Invitation.State.WITHDRAWN
    assert notice.read_at


def test_a_final_result_is_opened_again_with_a_reason(director: Client, evening: Swiss) -> None:
    for _ in range(3):
        play_round(evening, random.Random(1))
        pass_time(minutes=22)
    pass_time(minutes=40)
    assert reload(evening).state == Swiss.State.OFFICIAL

    assert order(director, evening, "reopen", reason="").status_code == 422
    assert order(director, evening, "reopen").status_code == 302
    pass_time(minutes=20)
    assert reload(evening).state == Swiss.State.FINISHED
    pass_time(minutes=20)
    assert reload(evening).state == Swiss.State.OFFICIAL


def test_only_what_makes_sense_now_is_offered(director: Client, evening: Swiss) -> None:
    def offered(swiss: Swiss) -> set[str]:
        page = director.get(reverse("pairs:direct", args=[swiss.pk]))
        return {command.name for command, _form in page.context["commands"]}

    assert offered(make_swiss()) == {"postpone", "rounds", "cancel"}
    assert offered(evening) == {"time", "bell", "pair-again", "suspend", "rounds", "cancel"}
    order(director, evening, "bell")
    pass_time(seconds=1)
    assert offered(evening) == {"open", "suspend", "rounds", "cancel"}
    order(director, evening, "suspend")
    assert offered(evening) == {"resume", "rounds", "cancel"}


def test_a_command_out_of_place_is_refused_with_a_sentence(director: Client, evening: Swiss) -> None:
    assertContains(order(director, evening, "open"), "still being played", status_code=422)
    assertContains(order(director, evening, "resume"), "not suspended", status_code=422)
    assert order(director, evening, "no-such-thing").status_code == 404


# ---- what waits for the director


def test_the_page_shows_tables_slips_disputes_calls_and_missing_pairs(
    director: Client, evening: Swiss, dora: User
) -> None:
    say(evening, 1, "NS", "4S N +1")
    say(evening, 1, "EW", "4S N =")
    say(evening, 1, "NS", "3NT S =", board=2)
    call_director(event_id=evening.pk, player=player_at(2, "NS"))
    report_missing(event_id=evening.pk, player=player_at(2, "EW"), by=dora)

    page = director.get(reverse("pairs:direct", args=[evening.pk]))

    course = page.context["course"]
    assert [[mark.state for mark in table.boards] for table in course.tables] == [
        ["disputed", "entered"],
        ["", ""],
    ]
    (dispute,) = course.disputes
    assert (dispute.ns_says["text"], dispute.ew_says["text"]) == ("4S N +1", "4S N =")
    assertContains(page, " N +1")
    assertContains(page, " N =")
    assertContains(page, "Table 2 calls the director,")
    assertContains(page, "Table 2: pair 3")
    assertContains(page, "Europe/Athens")


def test_the_director_decides_a_disputed_board_once(director: Client, evening: Swiss) -> None:
    say(evening, 1, "NS", "4S N +1")
    say(evening, 1, "EW", "4S N =")
    address = reverse("pairs:decide", args=[evening.pk, 1, 1, 1])
    form = director.get(address).context["form"]
    given = {
        "word": "EW",
        "reason": "the tricks were counted again",
        "command": form["command"].value(),
        "seen": form["seen"].value(),
    }

    for _ in range(2):
        assertRedirects(director.post(address, given), reverse("pairs:direct", args=[evening.pk]))

    slip = Slip.objects.get(state=Slip.State.RULED)
    assert slip.agreed == {"text": "4S N =", "lead": ""}
    assert Result.objects.get().ns_score == 420
    assert AuditEntry.objects.filter(action="pairs.decided").count() == 1
    assert not director.get(reverse("pairs:direct", args=[evening.pk])).context["course"].disputes


def test_the_director_enters_a_result_of_which_nobody_said_anything(director: Client, evening: Swiss) -> None:
    address = reverse("pairs:decide", args=[evening.pk, 1, 2, 1])
    given = {"word": "other", "reason": "from the paper slip", "command": uuid4(), "seen": "0 –"}

    refused = director.post(address, {**given, "result": "8S N"})
    assert refused.status_code == 422
    assert "result" in refused.context["form"].errors
    director.post(address, {**given, "result": "3NTX E -2", "lead": "SA"})

    assert Result.objects.get().ns_score is not None
    assert Slip.objects.get().agreed == {"text": "3NTX E −2", "lead": "SA"}


def test_a_word_that_changed_since_the_director_read_it_does_not_count(
    director: Client, evening: Swiss
) -> None:
    say(evening, 1, "NS", "4S N +1")
    say(evening, 1, "EW", "4S N =")
    address = reverse("pairs:decide", args=[evening.pk, 1, 1, 1])
    seen = director.get(address).context["form"]["seen"].value()
    say(evening, 1, "EW", "4S N -3")

    given = {"word": "EW", "reason": "so they say", "command": uuid4(), "seen": seen}
    assertContains(director.post(address, given), "has changed meanwhile", status_code=422)

    assert not Result.objects.exists()


def test_a_board_that_is_not_there_is_not_found(director: Client, evening: Swiss) -> None:
    for number, table, board in ((1, 1, 9), (1, 9, 1), (2, 1, 3), (9, 1, 1)):
        assert (
            director.get(reverse("pairs:decide", args=[evening.pk, number, table, board])).status_code == 404
        )


def test_the_part_that_fetches_itself_tells_when_the_event_has_moved_on(
    director: Client, evening: Swiss
) -> None:
    address = f"{reverse('pairs:direct_status', args=[evening.pk])}?seen={evening.schedule_version}"
    assertNotContains(director.get(address), "has moved on")

    order(director, evening, "time", minutes=1)

    assertContains(director.get(address), "has moved on since you opened this page")


def test_the_page_takes_as_many_queries_for_many_tables_as_for_few(
    director: Client, django_assert_max_num_queries: DjangoAssertNumQueries
) -> None:
    numbers = []
    for pairs in (4, 24):
        swiss = make_swiss(title=f"{pairs} pairs")
        enter_pairs(swiss, pairs, prefix=f"Of{pairs}x")
        start(swiss)
        for table in range(1, pairs // 2 + 1):
            seat = Seat.objects.get(round=current(swiss), table=table, side="NS")
            player = Player.objects.filter(entrants__entry=seat.contestant_id)[0]
            assert player.user
            say_result(
                event_id=swiss.pk,
                board=1,
                said=Said.read("Pass"),
                by=player.user,
                player=player,
                command=uuid4(),
            )
        director.get(reverse("pairs:direct_status", args=[swiss.pk]))
        with django_assert_max_num_queries(20) as captured:
            director.get(reverse("pairs:direct_status", args=[swiss.pk]))
        numbers.append(len(captured))
    assert numbers[0] == numbers[1]


# ---- pairs


def press(director: Client, swiss: Swiss, name: str, **given: Any) -> Any:
    return director.post(reverse("pairs:direct_pair", args=[swiss.pk, name]), given)


def form_of(page: Any, name: str) -> Any:
    return next(form for command, form in page.context["commands"] if command.name == name)


def test_a_pair_is_withdrawn_with_a_reason_and_returns(director: Client, evening: Swiss) -> None:
    assert press(director, evening, "withdraw", order=2).status_code == 422
    press(director, evening, "withdraw", order=2, reason="a train to catch")
    assert Entry.objects.get(contestant__order=2).state == Entry.State.WITHDRAWN
    assert AuditEntry.objects.get(action="pairs.withdrawn").reason == "a train to catch"

    press(director, evening, "return", order=2)
    assert Entry.objects.get(contestant__order=2).state == Entry.State.PLAYING


def test_points_off_name_the_pair_and_stand_in_the_list_and_in_the_standings_after_a_round(
    director: Client, evening: Swiss
) -> None:
    play_round(evening, random.Random(1))
    pass_time(minutes=20)  # the bell has rung
    listed, live = reverse("pairs:direct_pairs", args=[evening.pk]), evening.event.get_absolute_url()
    wall = reverse("pairs:screen", args=[evening.pk])
    head = re.compile(r'<th scope="col" class="n[^"]*">Penalty</th>')
    for address in (listed, live, wall):
        assert not head.search(director.get(address).text)

    press(director, evening, "penalty", order=2, points="2", reason="Slow play.", command=uuid4())

    page = director.get(listed).text
    assert "Pair 2: Player 3 – Player 4 · Its total changes by −2; both players are told." in page
    assert 'class="n">−2</td>' in page
    log = director.get(reverse("pairs:direct_log", args=[evening.pk])).text
    assert "pair 2 · points −2<" in log
    pass_time(seconds=1)
    shown = [page, director.get(live).text, director.get(wall).text]
    assert all(head.search(each) for each in shown)
    assert [len(re.findall(r'<td class="n[^"]*">−2</td>', each)) for each in shown] == [1, 1, 1]


def test_a_substitute_plays_on_in_the_place_of_one_of_the_pair(director: Client, evening: Swiss) -> None:
    (other,) = make_members(1, "Other")
    entry = Entry.objects.get(contestant__order=1)
    leaving = Player.objects.filter(entrants__entry=entry).order_by("pk")[0]
    stranger = Player.objects.filter(entrants__entry__contestant__order=2)[0]

    refused = press(director, evening, "substitute", order=1, out=stranger.pk, into="Other 1")
    assert "out" in form_of(refused, "substitute").errors
    assert press(director, evening, "substitute", order=1, out=leaving.pk, into="Other 1").status_code == 302

    assert other in Player.objects.filter(entrants__entry=entry)
    assert leaving not in Player.objects.filter(entrants__entry=entry)


def test_a_director_enters_a_pair_by_name_and_number(director: Client) -> None:
    swiss = make_swiss()
    ada, bob = make_members(2, "Club")

    page = press(director, swiss, "enter", first="Club 1", second="Clubb 2")
    assert page.context["enter"][1].errors == {"second": ["Nobody here is called Clubb 2."]}
    press(director, swiss, "enter", first="Club 1", second=f"#{bob.pk}", present="on")

    entry = Entry.objects.get(swiss=swiss)
    assert set(Player.objects.filter(entrants__entry=entry)) == {ada, bob}
    assert entry.present_at
    assertContains(
        director.get(reverse("pairs:direct_pairs", args=[swiss.pk])), "<bdi>Club 1</bdi> – <bdi>Club 2</bdi>"
    )
    again = press(director, swiss, "enter", first="Club 1", second="Club 1")
    assertContains(again, "two different players", status_code=422)


# ---- who may


def test_directing_is_for_directors_and_a_draft_has_no_course(
    client: Client, dora: User, evening: Swiss
) -> None:
    addresses = [
        reverse(f"pairs:{name}", args=[evening.pk])
        for name in ("direct", "direct_status", "direct_pairs", "direct_log")
    ]
    assert [client.get(address).status_code for address in addresses] == [302] * 4  # to sign in
    client.force_login(make_user())
    assert [client.get(address).status_code for address in addresses] == [403] * 4
    assert order(client, evening, "bell").status_code == 403
    assert press(client, evening, "withdraw", order=1, reason="mine").status_code == 403
    assert Round.objects.get(swiss=evening, number=1).state == Round.State.OPEN

    client.force_login(dora)
    start_at = (now() + timedelta(days=1)).replace(tzinfo=None)
    plan = Plan(title="A draft", zone="Europe/Athens", local_start=start_at)
    draft = create_swiss(plan=plan, by=dora, key="a form")
    assert client.get(reverse("pairs:direct", args=[draft.pk])).status_code == 404


@pytest.mark.parametrize("how", ["withdrawn", "substituted"])
def test_a_director_who_left_the_event_sees_and_rules_nothing_until_it_is_final(
    client: Client, evening: Swiss, dora: User, how: str
) -> None:
    own = player_at(1, "NS")
    assert own.user
    seat = Seat.objects.get(round=current(evening), table=1, side="NS")
    if how == "withdrawn":
        withdraw_pair(event_id=evening.pk, order=seat.contestant.order, by=own.user)
    else:
        (other,) = make_members(1, "Other")
        substitute(event_id=evening.pk, order=seat.contestant.order, out=own, into=other, by=dora)
    User.objects.filter(pk=own.user.pk).update(is_director=True)
    client.force_login(own.user)
    pages = [reverse("pairs:direct", args=[evening.pk]), reverse("pairs:decide", args=[evening.pk, 1, 1, 1])]

    def answers() -> list[int]:
        return [client.get(page).status_code for page in pages]

    assert answers() == [403, 403]
    assert own.user not in directors_of(evening)
    assert dora in directors_of(evening)
    order(client, evening, "bell")
    assert current(evening).number == 1
    pass_time(minutes=65)
    assert reload(evening).state == Swiss.State.FINISHED
    assert answers() == [403, 403]
    pass_time(minutes=40)
    assert reload(evening).state == Swiss.State.OFFICIAL
    assert answers() == [200, 200]


def test_a_director_who_withdrew_before_the_event_began_directs_it(director: Client, dora: User) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 2)
    own, (ada,) = Player.objects.create(name="Dora", user=dora), make_members(1, "Club")
    entry = enter_pair(event_id=swiss.pk, players=[own, ada], by=dora)
    withdraw_pair(event_id=swiss.pk, order=entry.contestant.order, by=dora)
    start(swiss)

    assert director.get(reverse("pairs:direct", args=[swiss.pk])).status_code == 200
    assert dora in directors_of(swiss)


@pytest.mark.parametrize("still", [True, False])
def test_who_directs_an_event_takes_no_seat_in_it_while_it_is_played(
    director: Client, dora: User, still: bool
) -> None:
    swiss = make_swiss(rounds=3, late_until=3)
    enter_pairs(swiss, 4)
    own = Player.objects.create(name="Dora", user=dora)
    ada, bob = make_members(2, "Club")
    start(swiss)
    order(director, swiss, "time", minutes=1)
    User.objects.filter(pk=dora.pk).update(is_director=still)  # who was one has seen it, too
    out = Player.objects.filter(entrants__entry__contestant__order=1).earliest("pk")

    with pytest.raises(Refused, match="Dora is a director"):
        substitute(event_id=swiss.pk, order=1, out=out, into=own, by=None)
    with pytest.raises(Refused, match="Dora is a director"):
        enter_pair(event_id=swiss.pk, players=[ada, own], by=None)
    substitute(event_id=swiss.pk, order=1, out=out, into=bob, by=None)

    coming = make_swiss(title="Not begun yet")
    enter_pair(event_id=coming.pk, players=[ada, own], by=None)
    assert own in Player.objects.filter(entrants__swiss=coming)


def test_the_log_tells_who_did_what_and_when_in_the_zone_of_the_event(
    director: Client, evening: Swiss
) -> None:
    order(director, evening, "time", minutes=5, reason="a slow table")

    page = director.get(reverse("pairs:direct_log", args=[evening.pk]), {"all": 1})

    entry = audit_of("pairs.event", evening.pk)[0]
    assertContains(page, "the bell was moved")
    assertContains(page, "a slow table")
    assertContains(page, f"{entry.at.astimezone(evening.tz):%Y-%m-%d %H:%M:%S}")
    assertContains(page, "Europe/Athens")
    assertContains(page, "the clock")  # that began the event


def test_the_log_shows_decisions_first_and_everything_on_demand(director: Client, evening: Swiss) -> None:
    own = Player.objects.filter(entrants__entry__contestant__order=1).earliest("pk").user
    assert own
    withdraw_pair(event_id=evening.pk, order=1, by=own)
    press(director, evening, "withdraw", order=2, reason="ill")
    press(director, evening, "return", order=2)
    order(director, evening, "time", minutes=5, reason="a slow table")
    address = reverse("pairs:direct_log", args=[evening.pk])

    def actions(query: str = "") -> list[str]:
        return [entry.action for entry in director.get(address + query).context["log"]]

    assert actions() == ["pairs.time changed", "pairs.present", "pairs.withdrawn"]
    assert actions("?all=1").count("pairs.withdrawn") == 2
    assert {"pairs.entered", "pairs.started"} <= {*actions("?all=1")}
    first_page = director.get(reverse("pairs:direct", args=[evening.pk]))
    assert [entry.action for entry in first_page.context["log"]] == actions()
    assertContains(first_page, f"{address}?all=1")
    call_off(reload(evening), why="It could not be started.")
    assert actions()[0] == "pairs.cancelled"  # what was done in place of a director is a decision, too


def test_the_log_keeps_what_a_director_decided_who_plays_and_no_withdrawal_of_his_own(
    director: Client, dora: User
) -> None:
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 4)
    press(director, swiss, "withdraw", order=2, reason="ill")
    own, (ada,) = Player.objects.create(name="Dora", user=dora), make_members(1, "Club")
    entry = enter_pair(event_id=swiss.pk, players=[own, ada], by=dora)
    start(swiss)

    def decided() -> list[tuple[str, str]]:
        return [(each.action, each.reason) for each in decisions_of(swiss)]

    assert decided() == [("pairs.withdrawn", "ill")]
    withdraw_pair(event_id=swiss.pk, order=entry.contestant.order, by=dora)
    assert decided() == [("pairs.withdrawn", "ill")]

    early = make_swiss(title="Tomorrow")
    entry = enter_pair(event_id=early.pk, players=make_members(2, "Early"), by=dora)
    leaving = Player.objects.get(name="Early 1").user
    withdraw_pair(event_id=early.pk, order=entry.contestant.order, by=leaving)  # its players are gone from it
    assert [each.action for each in decisions_of(early)] == ["pairs.entered"]
    page = director.get(reverse("pairs:direct_log", args=[early.pk]), {"all": 1})
    assertNotContains(page, "themselves")


def test_what_pairs_did_for_themselves_before_that_was_noted_is_no_decision_of_a_director(
    director: Client, dora: User, evening: Swiss
) -> None:
    """An entry of the log is never changed: whose pair it was is looked up when it is read."""

    def noted(pair: int, by: User | None, action: str = "pairs.withdrawn") -> None:
        about = {"subject_kind": "pairs.event", "subject_id": evening.pk, "after": {"pair": pair}}
        record(actor=by, action=action, **about)

    own = Player.objects.filter(entrants__entry__contestant__order=1).earliest("pk").user
    elsewhere = make_swiss(title="Elsewhere")
    enter_pairs(elsewhere, 1, "Elsewhere")
    stranger = Player.objects.get(name="Elsewhere 1").user
    noted(1, own)
    noted(1, own, "pairs.entered")
    noted(1, stranger)
    noted(2, own)
    noted(2, dora)

    decided = [(each.actor_id, each.action) for each in decisions_of(evening)]
    assert decided == [
        (dora.pk, "pairs.withdrawn"),
        (own and own.pk, "pairs.withdrawn"),
        (stranger and stranger.pk, "pairs.withdrawn"),
    ]
    withdraw_pair(event_id=evening.pk, order=1, by=own)
    say_present(event_id=evening.pk, order=1, by=own)
    press(director, evening, "withdraw", order=3, reason="ill")
    press(director, evening, "return", order=3)
    page = director.get(reverse("pairs:direct_log", args=[evening.pk]), {"all": 1})
    words = [audit.action(entry) for entry in page.context["log"]]
    assert words[:4] == [
        "a pair was noted as here",
        "a pair was withdrawn",
        "a pair said that it is here",
        "a pair withdrew",
    ]
    assert words[4:9] == [*["a pair was withdrawn"] * 3, "a pair entered", "a pair withdrew"]
    assertContains(page, "a pair withdrew")


# ---- a cancelled event


def seal_of(swiss: Swiss) -> Seal:
    return Seal.objects.get(name=f"pairs-{swiss.pk}")


@pytest.mark.parametrize("begun", [True, False])
def test_the_secret_of_a_cancelled_event_is_opened_and_its_deals_can_be_verified(
    director: Client, client: Client, evening: Swiss, begun: bool
) -> None:
    swiss = evening if begun else make_swiss(title="Next week")
    assert swiss.seal
    commitment = swiss.seal.commitment
    deals, record = (reverse(f"pairs:{name}", args=[swiss.pk]) for name in ("deals", "deals_file"))
    assert client.get(record).status_code == 404

    order(director, swiss, "cancel", reason="The roof leaks.")

    seal = seal_of(swiss)
    assert sha256(bytes.fromhex(seal.seed) + seal.name.encode()).hexdigest() == commitment
    assertContains(client.get(deals), seal.seed)
    assertContains(client.get(deals), "Every deal was dealt again just now")
    assert len(client.get(record).json()["boards"]) == (swiss.boards if begun else 0)
    call_command("verify_deals", swiss.pk)
    if begun:
        board = Board.objects.filter(board_set__seal=seal).earliest("pk")
        Board.objects.filter(pk=board.pk).update(deal=Board.objects.latest("pk").deal)
        with pytest.raises(CommandError, match="1 fault"):
            call_command("verify_deals", swiss.pk)


def test_an_event_that_is_called_off_by_its_rules_opens_its_secret_too() -> None:
    swiss = make_swiss(min_pairs=4)
    enter_pairs(swiss, 2)
    start(swiss)
    assert reload(swiss).state == Swiss.State.CANCELLED
    assert seal_of(swiss).is_revealed


def test_a_secret_that_nobody_can_read_any_more_stops_no_cancellation(
    director: Client, evening: Swiss, settings: Any
) -> None:
    settings.SECRET_KEY, settings.SECRET_KEY_FALLBACKS = "another key", []
    director.force_login(make_user("dina", director=True))

    order(director, evening, "cancel", reason="The roof leaks.")

    assert reload(evening).state == Swiss.State.CANCELLED
    assert not seal_of(evening).is_revealed


# ---- at once


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("locked", [True, False], ids=["lock on", "lock off"])
def test_of_two_directors_at_the_same_moment_one_is_told_to_look_again(
    locked: bool, dora: User, evening: Swiss, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not locked:
        both_looked = Barrier(2)

        def look_without_lock(event_id: int) -> Swiss:
            swiss = Swiss.objects.select_related("event__field").get(pk=event_id)
            both_looked.wait()
            return swiss

        monkeypatch.setattr(direction, "lock_event", look_without_lock)
    bell, seen = current(evening).closes_at, evening.schedule_version

    answers = at_once(
        *[partial(change_time, event_id=evening.pk, minutes=5, expected=seen, by=dora, reason="late")] * 2
    )

    told = [answer for answer in answers if isinstance(answer, Stale)]
    moved = current(evening).closes_at - bell
    assert (len(told) == 1 and moved == timedelta(minutes=5)) is locked
