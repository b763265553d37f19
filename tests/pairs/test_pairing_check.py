"""A round is checked against what was played, not only against what it says of itself."""

import random
from collections.abc import Callable
from datetime import timedelta
from decimal import Decimal
from fractions import Fraction
from io import StringIO

import pytest
from django.core.management import CommandError, call_command
from django.test import Client
from django.urls import reverse

from apps.clock.time import now
from apps.pairs.models import Entry, Round, Seat, Swiss
from apps.pairs.services.ranking import rank_event
from apps.pairs.services.round_scores import Position
from apps.pairs.services.seating import seat_round
from apps.pairs.services.slips import Said
from apps.results.models import Contestant, Penalty, Result, ResultChange
from apps.results.services import change_result, compare_field
from bridge.comparison import Method
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


def correct_a_result(swiss: Swiss) -> None:
    """A result of the first round is found to have been another, after the second was drawn."""
    result = Result.objects.filter(field_board__session=1).order_by("ns_score").first()
    assert result is not None
    change_result(result_id=result.pk, by=None, reason="misread", **Said.read("7NTxx N =").outcome())
    ResultChange.objects.update(at=now())
    compare_field(field_id=swiss.event.field_id)
    rank_event(event_id=swiss.pk)


def take_points(swiss: Swiss) -> None:
    pair = Contestant.objects.get(field=swiss.event.field, order=1)
    penalty = Penalty.objects.create(contestant=pair, points=10, reason="late")
    Penalty.objects.filter(pk=penalty.pk).update(given_at=now())


@pytest.mark.parametrize("correct", [correct_a_result, take_points])
def test_a_later_correction_of_an_earlier_round_is_a_note_and_no_fault(
    swiss: Swiss, correct: Callable[[Swiss], None]
) -> None:
    correct(swiss)
    status, said = command(swiss)
    assert status == 0
    assert NOTE in said
    assert NOTHING_WRONG in page(swiss)
    assert NOTE in page(swiss)
    ResultChange.objects.update(at=now() - timedelta(days=1))
    Penalty.objects.update(given_at=now() - timedelta(days=1))
    assert command(swiss)[0] == 1
