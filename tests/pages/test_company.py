"""Simulated players at real tables, in process."""

import pytest
from django.db import connection
from django.test.utils import CaptureQueriesContext

from apps.pages.demo.company import Company
from apps.tables.models import Table, TableBoard, TableEvent
from apps.users.models import Player
from bridge.auction import bid
from bridge.contracts import Strain
from bridge.table import AskAbout, MakeCall
from tests.tables.tables import do, make_boards, make_cast, make_table, state_of

pytestmark = pytest.mark.django_db


def make_tables(number: int, name: str = "Table") -> tuple[list[Table], list[int]]:
    tables, players = [], []
    boards = make_boards(2)
    for place in range(number):
        cast = make_cast(f"{name} {place} ")
        tables.append(make_table(cast, boards=boards, subject=f"{name} {place}", purpose="demo"))
        players += [player.pk for player in cast.values()]
    return tables, players


def play_out(company: Company, turns: int = 600) -> None:
    for _ in range(turns):
        if not company.take_turn():
            return
    raise AssertionError("they do not come to an end")


def test_simulated_players_play_all_boards_of_all_tables() -> None:
    tables, players = make_tables(3)
    play_out(Company(purpose="demo", players=players, speed=1e6))
    assert set(Table.objects.values_list("state", "why")) == {("over", "finished")}
    assert set(TableBoard.objects.values_list("how", flat=True)) <= {"played", "claimed", "passed out"}
    assert TableBoard.objects.filter(state="over").count() == 6
    for table in tables:
        log = list(
            TableEvent.objects.filter(table=table).order_by("sequence").values_list("sequence", flat=True)
        )
        assert log == list(range(1, len(log) + 1))


def test_the_same_boards_do_not_come_to_the_same_at_all_tables() -> None:
    _, players = make_tables(6)
    play_out(Company(purpose="demo", players=players, speed=1e6))
    boards = TableBoard.objects.values_list("position", "contract", "declarer", "tricks", "lead")
    assert len(set(boards)) >= 5  # of two boards


def test_a_look_at_twenty_tables_asks_no_more_than_a_look_at_two() -> None:
    def asked(company: Company) -> int:
        company.take_turn()  # signs of life
        company.versions.clear()
        with CaptureQueriesContext(
            connection,
        ) as queries:
            company.take_turn()
        return len(queries)

    _, players = make_tables(2)
    two = asked(Company(purpose="demo", players=players, speed=1e-6))
    Table.objects.update(purpose="other")
    _, players = make_tables(20, "More")
    assert asked(Company(purpose="demo", players=players, speed=1e-6)) == two <= 5


def test_they_leave_the_turn_of_a_person_alone_and_answer_questions() -> None:
    cast = make_cast()
    table = make_table(cast, purpose="demo")
    person: Player = cast["N"]
    company = Company(purpose="demo", players=[cast[seat].pk for seat in "ESW"], speed=1e6)
    for _ in range(5):
        company.take_turn()
    assert state_of(table).auction.calls == ()
    do(table, person, MakeCall(bid(1, Strain.NOTRUMP)))  # so that the board is not passed out
    for _ in range(8):
        company.take_turn()
    state = state_of(table)
    assert len(state.auction.calls) == 4
    do(table, person, AskAbout(1))
    for _ in range(3):
        company.take_turn()
    assert state_of(table).meanings[1].text


def test_a_company_that_is_killed_does_nothing_twice() -> None:
    tables, players = make_tables(1)
    for _ in range(30):
        company = Company(purpose="demo", players=players, speed=1e6)
        company.take_turn()
    made = TableEvent.objects.filter(table=tables[0]).count()
    assert made <= 30  # an act in each turn at the most; between boards there is none
    assert made > 20 or state_of(tables[0]).is_over
    play_out(Company(purpose="demo", players=players, speed=1e6))
    assert Table.objects.get().why == "finished"
