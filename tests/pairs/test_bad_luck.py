"""What goes wrong for pairs in the middle of an event: they leave, are thrown out, come late, or sit out."""

import csv
import io
import json
import random
from collections.abc import Iterable
from fractions import Fraction

import pytest
from django.core import mail
from django.db import IntegrityError, transaction
from django.test import Client
from django.urls import reverse

from apps.clock.models import AuditEntry
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Round, RoundScore, Seat, SlipEntry, Standing, Swiss
from apps.pairs.services.direction import report_missing
from apps.pairs.services.notices import SENTENCES
from apps.pairs.services.ranking import rank_event
from apps.pairs.services.registration import say_present, withdraw_pair
from apps.pairs.services.rounds import open_round
from apps.pairs.services.slips import Said, decide_result
from apps.results.models import Comparison, Contestant, Result
from apps.results.services import compare_field, reconsider_field
from apps.users.models import Notice, Player
from bridge.comparison import Method
from bridge.round_scores import Cut, absent_score
from tests.factories import make_user
from tests.faults.threads import at_once
from tests.pairs.evening import command, enter_pairs, make_swiss, pass_time, play_round, reload, start
from tests.pairs.test_slips import DOWN, GAME, say

pytestmark = pytest.mark.django_db


def boards_of_table(swiss: Swiss, table: int) -> set[tuple[int, int]]:
    number = reload(swiss).current_round
    return {(table, board) for board in range((number - 1) * swiss.boards + 1, number * swiss.boards + 1)}


def orders_at(number: int, table: int) -> list[int]:
    seats = Seat.objects.filter(round__number=number, table=table).order_by("-side")
    return [seat.contestant.order for seat in seats.select_related("contestant")]


def kinds_of(orders: Iterable[int], number: int) -> list[str]:
    scores = RoundScore.objects.filter(round__number=number)
    return [scores.get(contestant__order=order).kind for order in orders]


# ---- those who leave


def test_who_leaves_a_round_that_is_seated_gets_nothing_for_it_and_the_opponents_a_walkover() -> None:
    swiss = make_swiss(rounds=4, cut=Cut.AVERAGE)
    enter_pairs(swiss, 6)
    start(swiss)
    leaves = orders_at(1, 1)[0]
    for number in (1, 2):
        table = Seat.objects.get(round__number=number, contestant__order=leaves).table
        assert table
        skip = boards_of_table(swiss, table)
        (opponents,) = set(orders_at(number, table)) - {leaves}
        withdraw_pair(event_id=swiss.pk, order=leaves, by=None)
        play_round(swiss, random.Random(number), skip=skip)
        pass_time(minutes=20)
        assert kinds_of((leaves, opponents), number) == [RoundScore.Kind.ABSENT, RoundScore.Kind.WALKOVER]
        points = {
            each.contestant.order: each.points for each in RoundScore.objects.filter(round__number=number)
        }
        assert points[leaves] == absent_score(Method.MP, by_vps=False, boards=2) < points[opponents]
        say_present(event_id=swiss.pk, order=leaves, by=None)
        pass_time(minutes=1)
    assert Entry.objects.get(contestant__order=leaves).returns == 2
    assert broken() == []


def test_who_leaves_after_a_board_keeps_it_and_the_rest_is_cut() -> None:
    swiss = make_swiss(rounds=1, cut=Cut.MINUS)
    enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(1), skip={(1, 2)})
    leaves, stays = orders_at(1, 1)
    withdraw_pair(event_id=swiss.pk, order=leaves, by=None)
    pass_time(minutes=20)
    assert kinds_of((leaves, stays), 1) == [RoundScore.Kind.PLAYED] * 2
    assert Result.objects.filter(kind=Result.Kind.CUT).count() == 1


def test_when_both_pairs_of_a_table_leave_both_have_lost_the_round() -> None:
    swiss = make_swiss(rounds=2, cut=Cut.AVERAGE)
    enter_pairs(swiss, 6)
    start(swiss)
    both = orders_at(1, 2)
    for order in both:
        withdraw_pair(event_id=swiss.pk, order=order, by=None)
    play_round(swiss, random.Random(2), skip=boards_of_table(swiss, 2))
    pass_time(minutes=21)
    assert kinds_of(both, 1) == [RoundScore.Kind.ABSENT] * 2
    lost = {score.points for score in RoundScore.objects.filter(round__number=1, contestant__order__in=both)}
    assert lost == {absent_score(Method.MP, by_vps=False, boards=2)}
    assert not Result.objects.filter(ns__order__in=both).exists()
    assert not Seat.objects.filter(round__number=2, contestant__order__in=both).exists()
    assert broken() == []


@pytest.mark.parametrize("rounds_absent", [1, 2])
def test_a_pair_that_is_absent_in_two_rounds_running_is_withdrawn_and_told(rounds_absent: int) -> None:
    swiss = make_swiss(rounds=4)
    enter_pairs(swiss, 6)
    start(swiss)
    gone = Entry.objects.get(contestant__order=orders_at(1, 1)[0])
    for number in range(1, rounds_absent + 1):
        table, side = Seat.objects.values_list("table", "side").get(round__number=number, contestant=gone.pk)
        opponents = Seat.objects.get(round__number=number, table=table, side="EW" if side == "NS" else "NS")
        player = Player.objects.filter(entrants__entry=opponents.contestant_id)[0]
        assert table and player.user
        assert report_missing(event_id=swiss.pk, player=player, by=player.user)
        play_round(swiss, random.Random(number), skip=boards_of_table(swiss, table))
        pass_time(minutes=21)

    gone.refresh_from_db()
    order = gone.contestant.order
    told = Notice.objects.filter(message=SENTENCES["withdrawn"])
    if rounds_absent == 1:
        assert gone.state == Entry.State.PLAYING
        assert not told.exists()
    else:
        assert gone.state == Entry.State.WITHDRAWN
        assert {str(notice) for notice in told} == {
            f"Pair {order} does not take part in Swiss evening any more."
        }
        users = gone.entrants.values_list("player__user", "player__user__email")
        assert sorted(told.values_list("user", "user__email")) == sorted(users)
        mailed = [each.to[0] for each in mail.outbox if "any more" in each.body]
        assert sorted(mailed) == sorted(email for _user, email in users)
    assert Seat.objects.filter(round__state="open", contestant=gone.pk).exists() is (rounds_absent == 1)


def test_who_withdrew_while_absent_twice_is_told_once() -> None:
    swiss = make_swiss(rounds=4)
    enter_pairs(swiss, 6)
    start(swiss)
    leaves = orders_at(1, 1)[0]
    for number in (1, 2):
        table = Seat.objects.get(round__number=number, contestant__order=leaves).table
        assert table
        withdraw_pair(event_id=swiss.pk, order=leaves, by=None)
        play_round(swiss, random.Random(number), skip=boards_of_table(swiss, table))
        if number == 1:
            pass_time(minutes=20)
            say_present(event_id=swiss.pk, order=leaves, by=None)
            pass_time(minutes=1)
    told = Notice.objects.filter(message=SENTENCES["withdrawn"])
    before = told.count()
    pass_time(minutes=20)
    assert kinds_of([leaves], 1) == kinds_of([leaves], 2) == [RoundScore.Kind.ABSENT]
    assert told.count() == before == 4


def test_when_all_have_left_the_event_ends_with_the_standings_of_the_last_round() -> None:
    swiss = make_swiss(rounds=5)
    enter_pairs(swiss, 4)
    start(swiss)
    for number in (1, 2):
        play_round(swiss, random.Random(number))
        pass_time(minutes=20)
        if number == 1:
            pass_time(minutes=1)
    before = list(Standing.objects.order_by("position").values_list("contestant__order", "total_numerator"))
    for order in (1, 2, 3, 4):
        withdraw_pair(event_id=swiss.pk, order=order, by=None)
    pass_time(minutes=60)
    assert reload(swiss).state in (Swiss.State.FINISHED, Swiss.State.OFFICIAL)
    assert Round.objects.filter(swiss=swiss).count() == 2
    after = list(Standing.objects.order_by("position").values_list("contestant__order", "total_numerator"))
    assert after == before
    assert broken() == []


# ---- those who are thrown out


def throw_out(swiss: Swiss, order: int) -> None:
    """As the administration does it."""
    Contestant.objects.filter(field=swiss.event.field_id, order=order).update(
        status=Contestant.Status.DISQUALIFIED
    )
    reconsider_field(field_id=swiss.event.field_id)
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)


def test_who_met_a_pair_that_is_thrown_out_keeps_the_points_and_the_round_being_played_its_seats() -> None:
    swiss = make_swiss(method=Method.CROSS_IMP, rounds=5)
    enter_pairs(swiss, 8)
    start(swiss)
    for number in range(1, 5):
        play_round(swiss, random.Random(number))
        pass_time(minutes=21)
    assert reload(swiss).current_round == 5
    won = list(
        RoundScore.objects.order_by("round__number", "contestant__order").values_list(
            "numerator", "denominator"
        )
    )
    seats = list(Seat.objects.order_by("pk").values())
    throw_out(swiss, 3)
    assert (
        list(
            RoundScore.objects.order_by("round__number", "contestant__order").values_list(
                "numerator", "denominator"
            )
        )
        == won
    )
    assert list(Seat.objects.order_by("pk").values()) == seats
    assert Standing.objects.get(contestant__order=3).rank is None
    play_round(swiss, random.Random(5))
    pass_time(minutes=21)
    ranks = dict(Standing.objects.values_list("contestant__order", "rank"))
    assert ranks.pop(3) is None
    assert set(ranks.values()) == set(range(1, 8))
    assert broken() == []


def test_a_pair_that_is_thrown_out_between_two_rounds_is_not_seated_any_more() -> None:
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 5)
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=20)
    throw_out(swiss, 2)
    pass_time(minutes=2)
    assert sorted(Seat.objects.filter(round__number=2).values_list("contestant__order", flat=True)) == [
        1,
        3,
        4,
        5,
    ]


# ---- those who come late and sit out


@pytest.mark.parametrize("method", [Method.MP, Method.BUTLER])
def test_missed_rounds_a_bye_and_played_rounds_add_up_on_every_page_and_in_the_file(
    client: Client, method: Method
) -> None:
    swiss = make_swiss(method=method, rounds=5, late_until=3)
    enter_pairs(swiss, 6)
    start(swiss)
    pass_time(minutes=21)
    late = enter_pairs(swiss, 1, "Late")[0].contestant
    for number in range(2, 6):
        play_round(swiss, random.Random(number))
        pass_time(minutes=21)
    scores = list(RoundScore.objects.filter(contestant=late).order_by("round__number"))
    assert [score.round.number for score in scores] == [1, 2, 3, 4, 5]
    kinds = [score.kind for score in scores]
    assert kinds[:2] == [RoundScore.Kind.MISSED] * 2
    assert RoundScore.Kind.PLAYED in kinds[2:]
    total = Standing.objects.get(contestant=late).total
    assert sum((score.points for score in scores), Fraction()) == total

    bye = RoundScore.objects.filter(kind=RoundScore.Kind.BYE, round__number__gt=2)[0].contestant
    assert "sat out" in client.get(reverse("pairs:scorecard", args=[swiss.pk, bye.order])).text
    rounds = client.get(reverse("pairs:rounds", args=[swiss.pk])).text
    assert "did not take part" in rounds
    document = json.loads(client.get(reverse("pairs:event_json", args=[swiss.pk])).content)
    lines = [line for ranking in document["standings"] for line in ranking["lines"]]
    assert len(lines) == 7
    for line in lines:
        assert [each["round"] for each in line["rounds"]] == [1, 2, 3, 4, 5]
        assert sum((Fraction(each["points"]) for each in line["rounds"]), Fraction()) == Fraction(
            line["total"]
        )
    (mine,) = (line for line in lines if line["pair"] == late.label)
    assert [each["kind"] for each in mine["rounds"]] == kinds
    answer = client.get(reverse("pairs:standings_file", args=[swiss.pk])).content.decode("utf-8-sig")
    rows = {row["No."]: row for row in csv.DictReader(io.StringIO(answer))}
    assert abs(float(rows[late.label]["Total"]) - float(total)) < 0.01


# ---- one after the other


def test_no_round_opens_while_another_is_played() -> None:
    """Whoever asks: the clock plans the next round at the bell, and the database refuses a second open one."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 4)
    start(swiss)
    seats = Seat.objects.count()
    with pytest.raises(IntegrityError, match="round_one_open_an_event"), transaction.atomic():
        open_round(event_id=swiss.pk, number=2)
    assert not open_round(event_id=swiss.pk, number=3)
    assert (reload(swiss).current_round, Seat.objects.count()) == (1, seats)
    assert broken() == []


@pytest.mark.parametrize("compared", [False, True])
def test_a_decision_about_an_earlier_round_counts_at_the_next_bell_though_no_worker_is_there(
    compared: bool,
) -> None:
    """Nothing but the clock runs; or a worker compared the board, and fell before it ranked."""
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(1), skip={(1, 1)})
    pass_time(minutes=21)
    decide_result(
        event_id=swiss.pk,
        number=1,
        table=1,
        board=1,
        said=Said.read("7NT N ="),
        by=make_user(director=True),
        reason="a hundred honours",
        command=command(random.Random(1)),
    )
    if compared:
        compare_field(field_id=swiss.event.field_id)
    play_round(swiss, random.Random(2))
    pass_time(minutes=20)
    assert reload(swiss).state == Swiss.State.FINISHED
    assert broken() == []
    slam = RoundScore.objects.get(round__number=1, contestant__order=orders_at(1, 1)[0])
    board = Comparison.objects.get(field_board__board__number=1)
    assert board.top and 100 * max(board.ns_points) == 100 * board.top
    assert slam.points >= 100
    before = list(Standing.objects.order_by("pk").values("contestant", "rank", "total_numerator"))
    rank_event(event_id=swiss.pk)
    assert list(Standing.objects.order_by("pk").values("contestant", "rank", "total_numerator")) == before


def test_a_round_keeps_the_standings_that_it_was_seated_by() -> None:
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(4))
    pass_time(minutes=20)
    standings = {each.contestant.order: each.total for each in Standing.objects.select_related("contestant")}
    pass_time(minutes=2)
    certificate = Round.objects.get(number=2).certificate
    assert certificate
    assert {order: Fraction(total) for order, total, _, _ in certificate["standings"]} == standings


@pytest.mark.django_db(transaction=True)
def test_two_different_words_at_once_are_disputed_until_the_director_decides_and_all_of_it_is_kept() -> None:
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 2)
    start(swiss)
    at_once(lambda: say(swiss, "NS", GAME), lambda: say(swiss, "EW", DOWN))
    assert not Result.objects.exists()
    director = make_user(director=True)
    decide_result(
        event_id=swiss.pk,
        number=1,
        table=1,
        board=1,
        said=GAME,
        by=director,
        reason="as played",
        command=command(random.Random(1)),
    )
    assert Result.objects.get().tricks == 10
    kept = SlipEntry.objects.order_by("pk").values_list("side", "act", "said")
    assert sorted((side, said["text"]) for side, _, said in kept if said) == [
        ("", GAME.text),
        ("EW", DOWN.text),
        ("NS", GAME.text),
    ]
    assert [act for _, act, _ in kept] == ["entered", "disputed", "ruled"]
    assert AuditEntry.objects.get(action="pairs.decided").reason == "as played"
