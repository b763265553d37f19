"""A round is checked against what was played, not only against what it says of itself."""

import random
from collections.abc import Callable
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from io import StringIO
from uuid import uuid4

import pytest
from django.core.management import CommandError, call_command
from django.db.models import F
from django.test import Client
from django.urls import reverse

from apps.clock.time import now
from apps.pairs.models import Entry, Round, RoundScore, Seat, Swiss
from apps.pairs.selectors.pairing import check_pairing
from apps.pairs.services.direction import pair_again
from apps.pairs.services.penalties import penalize_pair
from apps.pairs.services.ranking import rank_event, rescore_event
from apps.pairs.services.round_scores import Position
from apps.pairs.services.seating import seat_round
from apps.pairs.services.slips import Said
from apps.results.models import Comparison, Contestant, Penalty, Result, ResultChange
from apps.results.services import change_result, compare_field
from apps.users.models import User
from bridge.awards import Grade, Mixture, Ruling, Stated
from bridge.comparison import Method
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db

NOTHING_WRONG = "nothing is wrong with it"
NOTE = "An earlier round was corrected later: the standings today are not those of the draw."


@pytest.fixture
def swiss() -> Swiss:
    """After two rounds of seven pairs, one sitting out."""
    swiss = make_swiss(method=Method.MP, rounds=2)
    enter_pairs(swiss, 7)
    start(swiss)
    for _ in range(2):
        play_round(swiss, random.Random(5))
        pass_time(minutes=21)
    return reload(swiss)


def command(swiss: Swiss, number: int = 2) -> tuple[int, str]:
    """Exit status and words of the command."""
    said = StringIO()
    try:
        call_command("verify_pairing", swiss.pk, number, stdout=said)
    except CommandError as error:
        return error.returncode, said.getvalue()
    return 0, said.getvalue()


def page(swiss: Swiss, number: int = 2) -> str:
    address = reverse("pairs:round", args=[swiss.pk, number])
    return Client().get(f"{address}?check=1").content.decode()


def exchange(one: Seat, other: Seat) -> None:
    """Each pair takes the other's place."""
    Seat.objects.filter(pk__in=[one.pk, other.pk]).delete()
    one.contestant_id, other.contestant_id = other.contestant_id, one.contestant_id
    Seat.objects.bulk_create([one, other])


def exchange_east_west(swiss: Swiss) -> None:
    exchange(*Seat.objects.filter(round__swiss=swiss, round__number=2, side="EW", table__lte=2))


def exchange_directions(swiss: Swiss) -> None:
    exchange(*Seat.objects.filter(round__swiss=swiss, round__number=2, table=1))


def exchange_who_sits_out(swiss: Swiss) -> None:
    seats = Seat.objects.filter(round__swiss=swiss, round__number=2)
    exchange(seats.get(table=None), seats.get(table=3, side="EW"))


def draw_from_standings_reversed(swiss: Swiss) -> None:
    """The last pair as the first and so on; what the round says of itself is right by the rules."""
    each = Round.objects.get(swiss=swiss, number=2)
    assert each.certificate is not None
    stated = each.certificate["standings"]
    pairs = dict(Contestant.objects.filter(field=swiss.event.field).values_list("order", "pk"))
    turned = [
        Position(pairs[order], order, Entry.State.PLAYING, -Fraction(total), Decimal(0), boards, 0)
        for order, total, boards, _ in stated
    ]
    each.seats.all().delete()
    seat_round(swiss, each, turned)
    each.save(update_fields=["certificate"])


@pytest.mark.parametrize("number", [1, 2])
def test_a_round_as_it_was_drawn_and_played_passes(swiss: Swiss, number: int) -> None:
    status, said = command(swiss, number)
    assert (status, said) == (0, f"Round {number}: 3 tables, nothing wrong.\n")
    assert NOTHING_WRONG in page(swiss, number)
    assert NOTE not in page(swiss, number)


@pytest.mark.parametrize(
    ("falsify", "sentence"),
    [
        (exchange_east_west, "At table 1 others sit, or in other directions, than was drawn."),
        (exchange_directions, "At table 1 others sit, or in other directions, than was drawn."),
        (exchange_who_sits_out, "Who sits out is not who was drawn to: pair "),
        (draw_from_standings_reversed, " did not stand as this round says when it was drawn."),
    ],
)
def test_a_round_that_was_not_played_as_drawn_or_not_drawn_from_what_was_earned_is_found(
    swiss: Swiss, falsify: Callable[[Swiss], None], sentence: str
) -> None:
    falsify(swiss)
    status, said = command(swiss)
    assert status == 1
    assert sentence in said
    shown = page(swiss)
    assert NOTHING_WRONG not in shown
    assert sentence in shown


def test_a_pair_left_out_of_the_standings_of_a_draw_is_found(swiss: Swiss) -> None:
    each = Round.objects.get(swiss=swiss, number=2)
    assert each.certificate is not None
    out = each.seats.get(table=None).contestant
    each.certificate["standings"] = [row for row in each.certificate["standings"] if row[0] != out.order]
    each.certificate["certificate"]["bye"] = None
    each.certificate["certificate"]["order"].remove(out.order)
    each.save(update_fields=["certificate"])
    status, said = command(swiss)
    assert status == 1
    assert f"Pair {out.order} did not stand as this round says when it was drawn." in said


# ---- what stands written down is what the results come to


def lowest(swiss: Swiss) -> Result:
    """The result of the first round that is most surely another when North–South make a grand slam."""
    results = Result.objects.filter(field_board__field=swiss.event.field_id, field_board__session=1)
    return results.earliest("ns_score")


def falsify_a_round_score(swiss: Swiss) -> int:
    score = RoundScore.objects.get(round__swiss=swiss, round__number=1, contestant__order=3)
    RoundScore.objects.filter(pk=score.pk).update(numerator=F("numerator") + 5 * F("denominator"))
    return 3


def falsify_boards_completed(swiss: Swiss) -> int:
    RoundScore.objects.filter(round__swiss=swiss, round__number=1, contestant__order=4).update(completed=1)
    return 4


def falsify_a_comparison_and_have_all_ranked_from_it(swiss: Swiss) -> int:
    comparison = Comparison.objects.filter(field_board__session=1).earliest("pk")
    comparison.ns_points[0] += comparison.denominator
    comparison.save()
    rank_event(event_id=swiss.pk)
    return Result.objects.get(pk=comparison.results[0]).ns.order


@pytest.mark.parametrize(
    "falsify",
    [falsify_a_round_score, falsify_boards_completed, falsify_a_comparison_and_have_all_ranked_from_it],
)
def test_a_figure_that_the_results_do_not_come_to_is_found(
    swiss: Swiss, falsify: Callable[[Swiss], int]
) -> None:
    pair = falsify(swiss)
    status, said = command(swiss)
    assert status == 1
    assert said == f"What stands for pair {pair} in round 1 is not what its results come to.\n"
    assert NOTHING_WRONG not in page(swiss)
    rescore_event(event_id=swiss.pk)
    assert command(swiss)[0] == 0


def test_a_result_that_is_another_without_a_correction_is_found(swiss: Swiss) -> None:
    result = lowest(swiss)
    Result.objects.filter(pk=result.pk).update(ns_score=2220, level=7, strain="NT", declarer="N", tricks=13)
    compare_field(field_id=swiss.event.field_id, everything=True)
    rank_event(event_id=swiss.pk)
    status, said = command(swiss)
    assert status == 1
    assert f"Pair {result.ns.order} did not stand as this round says when it was drawn." in said
    assert "What stands for pair" not in said


# ---- what was corrected


def correct_a_result(swiss: Swiss) -> str:
    """A result of the first round is found to have been another, after the second was drawn."""
    result = lowest(swiss)
    change_result(result_id=result.pk, by=None, reason="misread", **Said.read("7NTxx N =").outcome())
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)
    change = ResultChange.objects.get(reason="misread")
    board = result.field_board.board.number
    return f"Corrected since the draw: board {board}, by ruling {change.pk} at {clock(swiss, change.at)}."


def take_points(swiss: Swiss) -> str:
    penalize(swiss, 10)
    return f"Points were taken off pair 1 since the draw, at {clock(swiss, Penalty.objects.get().given_at)}."


def penalize(swiss: Swiss, points: int) -> None:
    penalize_pair(
        event_id=swiss.pk, order=1, points=Decimal(points), by=director(), reason="Late.", command=uuid4()
    )


def director() -> User:
    return User.objects.filter(username="dora").first() or make_user("dora", director=True)


def clock(swiss: Swiss, at: datetime) -> str:
    return f"{at.astimezone(swiss.tz):%Y-%m-%d %H:%M:%S} Europe/Athens"


@pytest.mark.parametrize("correct", [correct_a_result, take_points])
def test_a_later_correction_of_an_earlier_round_is_told_with_its_moment_and_is_no_fault(
    swiss: Swiss, correct: Callable[[Swiss], str]
) -> None:
    sentence = correct(swiss)
    status, said = command(swiss)
    assert status == 0
    assert said.startswith(f"{NOTE}\n{sentence}\n")
    for part in (NOTHING_WRONG, NOTE, sentence):
        assert part in page(swiss)
    ResultChange.objects.update(at=now() - timedelta(days=1))
    Penalty.objects.update(given_at=now() - timedelta(days=1))
    assert command(swiss)[0] == 1  # had it been there at the draw, the round would not have been drawn so


def test_points_taken_off_before_the_draw_and_given_back_after_it_are_no_fault() -> None:
    swiss = make_swiss(method=Method.MP, rounds=2)
    enter_pairs(swiss, 7)
    start(swiss)
    play_round(swiss, random.Random(5))
    penalize(swiss, 10)
    pass_time(minutes=23)
    assert command(reload(swiss))[0] == 0
    penalize(swiss, -10)
    status, said = command(reload(swiss))
    assert status == 0
    assert "Points were given to pair 1 since the draw, at " in said
    Penalty.objects.all().delete()  # which nothing here does
    status, said = command(reload(swiss))
    assert (status, said) == (1, "Pair 1 did not stand as this round says when it was drawn.\n")


def test_a_correction_hides_no_falsified_figure(swiss: Swiss) -> None:
    sentence = correct_a_result(swiss)
    pair = falsify_a_round_score(swiss)
    status, said = command(swiss)
    assert status == 1
    assert f"What stands for pair {pair} in round 1 is not what its results come to." in said
    assert sentence in said


def test_a_correction_that_is_not_scored_yet_is_no_fault(swiss: Swiss) -> None:
    change_result(result_id=lowest(swiss).pk, by=None, reason="misread", **Said.read("7NTxx N =").outcome())
    status, said = command(swiss)
    assert status == 0
    assert "is being scored. Check once more in a minute." in said
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)
    assert "is being scored" not in command(swiss)[1]


@pytest.mark.parametrize("scored", [True, False])
def test_a_correction_between_the_bell_and_the_draw_may_have_been_scored_by_then_or_not(scored: bool) -> None:
    swiss = make_swiss(method=Method.BUTLER, rounds=2)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(5))
    pass_time(minutes=20)
    change_result(result_id=lowest(swiss).pk, by=None, reason="misread", **Said.read("7NTxx N =").outcome())
    if scored:
        compare_field(field_id=swiss.event.field_id)
        rank_event(event_id=swiss.pk)
    pass_time(minutes=2)
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)
    status, said = command(swiss)
    assert status == 0
    assert ("Corrected since the draw" in said) is not scored


def test_a_round_that_was_seated_anew_is_checked_as_of_then() -> None:
    swiss = make_swiss(method=Method.BUTLER, rounds=2)
    enter_pairs(swiss, 6)
    start(swiss)
    play_round(swiss, random.Random(5))
    pass_time(minutes=23)
    correct_a_result(reload(swiss))
    pass_time(minutes=2)
    pair_again(
        event_id=swiss.pk,
        expected=reload(swiss).schedule_version,
        by=director(),
        reason="a correction came late",
    )
    status, said = command(swiss)
    assert (status, said) == (0, "Round 2: 3 tables, nothing wrong.\n")


@pytest.mark.parametrize(
    ("method", "by_vps"),
    [*((method, False) for method in Method), (Method.BUTLER, True), (Method.CROSS_IMP, True)],
)
def test_what_rounds_bring_is_reckoned_as_it_was_written_down_whatever_happened_in_them(
    method: Method, by_vps: bool
) -> None:
    """A bye, boards that were cut, somebody who never came, a late pair, rulings of all kinds."""
    swiss = make_swiss(method=method, rounds=4, late_until=3, by_vps=by_vps)
    enter_pairs(swiss, 7)
    start(swiss)
    rulings = [
        Ruling(Grade.PLUS, Grade.MINUS),
        Ruling.assigned(420),
        Ruling(Mixture(((Fraction(1, 3), 420), (Fraction(2, 3), -50))), Grade.AVERAGE),
        Ruling(Stated(Fraction(55)), Stated(Fraction(30))),
    ]
    for number in range(1, 5):
        if number == 2:
            enter_pairs(swiss, 1, "Late")
        if number == 3:
            gone = Seat.objects.filter(round__state=Round.State.OPEN, table=2, side="EW")
            gone.update(missing=True)
        play_round(swiss, random.Random(number), skip={(1, 2 * number), (2, 2 * number - 1), (2, 2 * number)})
        results = Result.objects.filter(field_board__session=number, kind=Result.Kind.PLAYED)
        change_result(result_id=results.latest("pk").pk, by=None, reason="ruled", ruling=rulings[number - 1])
        pass_time(minutes=21)
    checks = [check_pairing(each) for each in Round.objects.filter(swiss=swiss).order_by("number")]
    assert [(check.faults, check.notes) for check in checks] == [([], [])] * 4
    kinds = set(RoundScore.objects.filter(round__swiss=swiss).values_list("kind", flat=True))
    assert {"played", "missed", "bye", "absent", "walkover"} <= kinds
