"""The life of an event that runs itself."""

import random
from fractions import Fraction

import pytest
from django.db.models import Sum

from apps.boards.selectors import deal_faults
from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Event, Round, RoundScore, Seat, Standing, Swiss
from apps.pairs.selectors.pairing import check_pairing
from apps.pairs.services.ranking import rank_event
from apps.results.models import Comparison, Contestant, Result
from apps.results.services import compare_field, reconsider_field
from bridge.comparison import Method
from bridge.masterpoints import award
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


@pytest.mark.parametrize("method", list(Method))
def test_an_event_runs_from_the_first_entry_to_the_master_points(method: Method) -> None:
    swiss = make_swiss(method=method, rounds=3)
    enter_pairs(swiss, 8)
    start(swiss)
    rng = random.Random(1)
    for number in (1, 2, 3):
        assert reload(swiss).current_round == number
        play_round(swiss, rng)
        pass_time(minutes=21)
    swiss = reload(swiss)
    assert swiss.state == Swiss.State.FINISHED
    assert swiss.event.state == Event.State.PUBLISHED
    standings = list(Standing.objects.filter(event=swiss.event))
    assert [standing.rank for standing in standings] == list(range(1, 9))
    totals = [standing.total for standing in standings]
    assert totals == sorted(totals, reverse=True)
    assert [standing.boards for standing in standings] == [6] * 8
    assert sorted(Award.objects.values_list("points", flat=True), reverse=True) == [3, 3, 2, 2, 2, 2, 2, 2]
    assert swiss.seal is not None
    assert deal_faults(swiss.seal) == []
    assert [check_pairing(each).faults for each in Round.objects.filter(swiss=swiss)] == [[], [], []]
    pass_time(minutes=31)
    assert reload(swiss).state == Swiss.State.OFFICIAL


def test_boards_that_are_not_finished_at_the_bell_are_cut() -> None:
    swiss = make_swiss(rounds=1, boards=3)
    enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(2), skip={(1, 3), (2, 2)})
    pass_time(minutes=20)
    assert Result.objects.filter(kind=Result.Kind.CUT).count() == 2
    assert Result.objects.filter(kind=Result.Kind.PLAYED).count() == 4
    assert set(RoundScore.objects.values_list("completed", flat=True)) == {2}


@pytest.mark.parametrize("barometer", [True, False])
def test_the_pair_that_sits_out_has_its_score_as_soon_as_scores_are_shown_and_nobody_sits_out_twice(
    barometer: bool,
) -> None:
    """During the round with the barometer, in the standings too; after the bell without it."""
    swiss = make_swiss(rounds=3, boards=4, barometer=barometer)
    enter_pairs(swiss, 3)
    start(swiss)
    out: list[int] = []

    def total() -> Fraction:
        lines = Standing.objects.filter(event=swiss.event, session=0, contestant=out[-1])
        return sum((line.total for line in lines), Fraction(0))

    for _ in range(3):
        bye = Seat.objects.get(round__state=Round.State.OPEN, table=None)
        out.append(bye.contestant_id)
        earlier = RoundScore.objects.filter(contestant=out[-1], round__state=Round.State.CLOSED)
        before = sum((each.points for each in earlier), Fraction(0))
        score = RoundScore.objects.filter(round=bye.round_id)
        assert score.count() == (3 if barometer else 0)
        assert total() == before + (240 if barometer else 0)
        play_round(swiss, random.Random(3))
        pass_time(minutes=20)
        assert total() == before + 240
        assert score.get(contestant=bye.contestant_id).points == 240
        assert score.get(contestant=bye.contestant_id).completed == 4
        pass_time(minutes=1)
    assert len(set(out)) == 3
    assert reload(swiss).state == Swiss.State.FINISHED


@pytest.mark.parametrize("method", list(Method))
def test_a_disqualified_pair_loses_rank_and_points_and_the_others_move_up(method: Method) -> None:
    swiss = make_swiss(method=method, rounds=2)
    enter_pairs(swiss, 10)
    start(swiss)
    for _ in range(2):
        play_round(swiss, random.Random(6))
        pass_time(minutes=21)
    before = list(Standing.objects.filter(event=swiss.event).order_by("position"))
    assert before[1].masterpoints > 0
    assert Award.objects.filter(player__contestants=before[1].contestant_id).exists()
    boards = list(Comparison.objects.order_by("pk").values_list("ns_points", flat=True))
    gone = [before[1].contestant_id, before[6].contestant_id]
    Contestant.objects.filter(pk__in=gone).update(status=Contestant.Status.DISQUALIFIED)
    reconsider_field(field_id=swiss.event.field_id)
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)
    award_event(event_id=swiss.pk)

    after = list(Standing.objects.filter(event=swiss.event).order_by("position"))
    stay = [each.contestant_id for each in before if each.contestant_id not in gone]
    assert [each.contestant_id for each in after] == [*stay, *gone]
    assert [each.rank for each in after] == [1, 2, 3, 4, 5, 6, 7, 8, None, None]
    assert [each.masterpoints for each in after] == [*(award(rank, 8) for rank in range(1, 9)), 0, 0]
    assert list(Comparison.objects.order_by("pk").values_list("ns_points", flat=True)) == boards
    points = dict(Award.objects.values_list("player").annotate(Sum("points")))
    for standing in after:
        for player in standing.contestant.players.all():
            assert points.get(player.pk, 0) == standing.masterpoints
    assert broken() == []


def test_an_event_with_too_few_pairs_is_cancelled_and_its_players_are_told() -> None:
    swiss = make_swiss(min_pairs=4)
    entry = enter_pairs(swiss, 3)[0]
    start(swiss)
    assert reload(swiss).state == Swiss.State.CANCELLED
    player = entry.entrants.all()[0].player
    assert player.user
    assert "does not take place" in str(player.user.notices.latest("pk"))


def test_a_step_that_was_taken_is_not_taken_again() -> None:
    from apps.pairs.services import rounds

    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 4)
    start(swiss)
    assert not rounds.start(event_id=swiss.pk)
    assert not rounds.open_round(event_id=swiss.pk, number=1)
    play_round(swiss, random.Random(4))
    pass_time(minutes=20)
    assert not rounds.close_round(event_id=swiss.pk, number=1)
    assert not rounds.finish(event_id=swiss.pk)
    assert Seat.objects.count() == 4
    assert Entry.objects.count() == 4


def test_the_promises_of_the_database_hold_at_every_moment_of_an_evening() -> None:
    swiss = make_swiss(rounds=3, boards=3)
    enter_pairs(swiss, 7)
    rng = random.Random(5)
    assert broken() == []
    start(swiss)
    for _ in range(3):
        assert broken() == []
        play_round(swiss, rng, skip={(1, 2), (1, 5), (2, 8)})
        assert broken() == []
        pass_time(minutes=20)
        assert broken() == []
        pass_time(minutes=1)
    pass_time(minutes=40)
    assert broken() == []
    assert reload(swiss).state == Swiss.State.OFFICIAL


# ---- standings while a round is played


def stand(swiss: Swiss) -> dict[int, tuple[int | None, Fraction, int]]:
    """By number of the pair: rank, score, boards."""
    rows = Standing.objects.filter(event_id=swiss.pk, session=0).select_related("contestant")
    return {each.contestant.order: (each.rank, each.score, each.boards) for each in rows}


@pytest.mark.parametrize("method", list(Method))
def test_while_scores_are_hidden_everybody_stands_as_at_the_last_bell(method: Method) -> None:
    swiss = make_swiss(method=method, rounds=3)
    enter_pairs(swiss, 5)
    start(swiss)
    play_round(swiss, random.Random(8))
    pass_time(minutes=20)
    bell = stand(swiss)
    assert {boards for _, _, boards in bell.values()} == {2}
    pass_time(minutes=2)
    assert Seat.objects.filter(round__state=Round.State.OPEN, table=None).exists()
    play_round(swiss, random.Random(9), skip={(1, 3)})
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)
    assert stand(swiss) == bell
    pass_time(minutes=20)
    assert {boards for _, _, boards in stand(swiss).values()} == {3, 4}


def test_a_percentage_shown_during_a_round_is_that_of_the_boards_played_so_far() -> None:
    swiss = make_swiss(method=Method.MP, rounds=2, boards=2, barometer=True)
    enter_pairs(swiss, 8)
    start(swiss)
    play_round(swiss, random.Random(8))
    pass_time(minutes=20)
    bell = stand(swiss)
    pass_time(minutes=2)
    boards = {(table, 4) for table in (1, 2, 3, 4)} | {
        (4, 3)
    }  # one board at three tables, none at the fourth
    play_round(swiss, random.Random(9), skip=boards)
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)

    now_played = dict(
        RoundScore.objects.filter(round__number=2).values_list("contestant__order", "numerator")
    )
    shown = stand(swiss)
    for order, (_, before, _) in bell.items():
        boards_so_far = shown[order][2]
        points = before * 2 + (Fraction(now_played[order]) if boards_so_far == 3 else 0)
        assert shown[order][1] == points / boards_so_far
    assert {boards for _, _, boards in shown.values()} == {2, 3}
    best_first = sorted(shown.values(), key=lambda each: each[0] or 0)
    assert [score for _, score, _ in best_first] == sorted((each[1] for each in shown.values()), reverse=True)
    assert broken() == []


@pytest.mark.parametrize(("least", "points"), [(1, {3, 2, 0}), (4, {3, 2, 0}), (5, {0})])
def test_with_fewer_finishers_than_the_event_asks_for_nobody_gets_master_points(
    least: int, points: set[int]
) -> None:
    swiss = make_swiss(rounds=1, min_finishers=least)
    enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(3))
    pass_time(minutes=21)
    assert {each.masterpoints for each in Standing.objects.filter(event_id=swiss.pk)} == points
    assert Award.objects.exists() == (points != {0})
    assert broken() == []
