"""The doubtful results of an event that runs itself are listed for its director, as those of an imported event are."""

import random
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries
from pytest_django.asserts import assertContains, assertNotContains

from apps.pairs.models import Seat, Swiss
from apps.pairs.selectors.oversight import doubtful_boards
from apps.pairs.services.slips import Said, decide_result, say_result
from apps.results.models import Result
from apps.results.selectors import doubtful_results, doubts_about
from apps.results.services import contract_of
from apps.users.models import Player
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_swiss, reload, start

pytestmark = pytest.mark.django_db
FIELD = ["4S N =", "4S N +1", "4S N =", "4S N -1", "4S E -1"]  # at the last table the wrong side has declared


def agree(swiss: Swiss, table: int, text: str, board: int = 1) -> None:
    for seat in Seat.objects.filter(round__swiss=swiss, round__state="open", table=table):
        player = Player.objects.select_related("user").filter(entrants__entry=seat.contestant_id)[0]
        assert player.user
        said = Said.read(text)
        say_result(event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4())


@pytest.fixture
def evening() -> Swiss:
    swiss = make_swiss(rounds=2)
    enter_pairs(swiss, 2 * len(FIELD))
    start(swiss)
    for table, text in enumerate(FIELD, 1):
        agree(swiss, table, text)
    return reload(swiss)


def test_the_director_finds_them_and_what_he_decides_is_not_asked_about_any_more(
    client: Client, evening: Swiss, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dora = make_user("dora", director=True)
    client.force_login(dora)
    address = reverse("pairs:direct", args=[evening.pk])

    page = client.get(address)

    (doubt,) = page.context["doubtful"]
    assert (doubt.round, doubt.table, doubt.board, doubt.said) == (1, 5, 1, Said.read("4S E -1").text)
    assertContains(page, "At other tables the other side played in this strain")
    assertContains(page, reverse("pairs:decide", args=[evening.pk, 1, 5, 1]))
    with django_assert_num_queries(3):
        doubtful_boards(evening)
    decide_result(
        event_id=evening.pk, number=1, table=5, board=1, said=Said.read("4S E -1"), by=dora, reason="asked: it is so", command=uuid4()
    )  # fmt: skip
    assertNotContains(client.get(address), "Doubtful results")


def test_a_result_that_is_final_is_not_asked_about(evening: Swiss) -> None:
    assert len(doubtful_boards(evening)) == 1
    evening.state = Swiss.State.OFFICIAL
    assert doubtful_boards(evening) == []


@pytest.mark.parametrize("tables", [2, 3, 4, 6, 7, 9, 12])
def test_the_list_says_of_each_result_what_is_said_of_it_alone(tables: int) -> None:
    swiss = make_swiss(rounds=1, boards=10)
    enter_pairs(swiss, 2 * tables)
    start(swiss)
    rng = random.Random(tables)
    for board in range(1, 11):
        for table in range(1, tables + 1):
            level, strain = rng.choice(("3NT", "4S", "6H", "2C")), rng.choice("NESW")
            agree(swiss, table, f"{level} {strain} {rng.choice(('=', '+1', '-1', '-4', '-6'))}", board)
    alone = {
        (result.field_board.board.number, result.ns_id): found
        for result in Result.objects.select_related("field_board__board")
        if (found := doubts_about(result, contract_of(result)))
    }
    assert {(each.board, each.ns): each.doubts for each in doubtful_results(swiss.event.field_id)} == alone
    assert alone or tables < 7
