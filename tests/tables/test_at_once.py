"""Several at once, on real connections: each command accepted exactly once, and the others told so."""

from functools import partial
from uuid import uuid4

import pytest
from django.db.models import QuerySet

from apps.tables.models import Sitting, Table
from apps.tables.refusals import Closed, Refused, Stale
from apps.tables.services.closing import cut_tables
from apps.tables.services.playing import Done, act
from apps.tables.services.practice import open_practice_table
from apps.tables.services.seating import be_ready, take_seat
from bridge.auction import CALLS, PASS
from bridge.table import MakeCall
from tests.faults.threads import at_once
from tests.tables.tables import make_cast, make_member, make_table, play_board, state_of, user_of, who_acts

pytestmark = pytest.mark.django_db(transaction=True)
CROWD = 25


def unlocked(query: "QuerySet[Table]", *_: object, **__: object) -> "QuerySet[Table]":
    return query


@pytest.fixture(params=[True, False], ids=["lock on", "lock off"])
def locked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    if not request.param:
        monkeypatch.setattr(QuerySet, "select_for_update", unlocked)
    return bool(request.param)


def test_of_many_different_commands_on_one_version_one_is_accepted(locked: bool) -> None:
    table = make_table()
    user = user_of(who_acts(table))
    works = [
        partial(
            act,
            table_id=table.pk,
            user=user,
            command=uuid4(),
            expect=1,
            action=MakeCall(CALLS[3 + number % 35]),
        )
        for number in range(CROWD)
    ]
    answers = at_once(*works)
    done = [answer for answer in answers if isinstance(answer, Done)]
    if locked:
        assert len(done) == 1
        assert sum(isinstance(answer, Stale) for answer in answers) == CROWD - 1
    assert len(done) == table.events.count()  # without the lock, the keys of the log still hold
    assert locked or any(not isinstance(answer, (Done, Stale)) for answer in answers)


def test_of_many_copies_of_one_command_one_is_new_and_all_are_told_the_same(locked: bool) -> None:
    table = make_table()
    user, command = user_of(who_acts(table)), uuid4()
    copy = partial(act, table_id=table.pk, user=user, command=command, expect=1, action=MakeCall(PASS))
    answers = at_once(*[copy] * CROWD)
    done = [answer for answer in answers if isinstance(answer, Done)]
    assert {answer.version for answer in done} == {2}
    assert table.events.count() == 1
    assert (len(done) == CROWD and sum(not answer.again for answer in done) == 1) is locked


def test_a_call_and_the_bell_come_at_once_and_never_both_after_one_another() -> None:
    for number in range(10):
        table = make_table(make_cast(f"{number} "), subject=str(number), occasion=str(number))
        user = user_of(who_acts(table))
        answer, cut = at_once(
            partial(act, table_id=table.pk, user=user, command=uuid4(), expect=1, action=MakeCall(PASS)),
            partial(cut_tables, purpose="test", occasion=str(number)),
        )
        assert isinstance(cut, list)
        table.refresh_from_db()
        log = list(table.events.order_by("sequence").values_list("action__do", flat=True))
        assert log == (["call", "cut"] if isinstance(answer, Done) else ["cut"])
        assert isinstance(answer, (Done, Closed))
        assert table.sequence == len(log)


def test_a_free_seat_is_taken_by_one_of_many() -> None:
    table = open_practice_table(player=make_member("Sue"))
    crowd = [make_member(f"Guest {number}") for number in range(8)]
    answers = at_once(*[partial(take_seat, table_id=table.pk, seat="N", player=each) for each in crowd])
    assert sum(isinstance(answer, Sitting) for answer in answers) == 1
    assert sum(isinstance(answer, Refused) for answer in answers) == 7


def test_a_player_takes_one_seat_from_many_windows() -> None:
    tables = [open_practice_table(player=make_member(f"Host {number}")) for number in range(4)]
    guest = make_member("Vera")
    works = [
        partial(take_seat, table_id=table.pk, seat=seat, player=guest) for table in tables for seat in "NE"
    ]
    at_once(*works)
    assert Sitting.objects.filter(player=guest).count() == 1


def test_four_are_ready_at_once_and_one_board_comes() -> None:
    cast = make_cast()
    table = make_table(cast)
    play_board(table)
    answers = at_once(
        *[partial(be_ready, table_id=table.pk, user=user_of(player)) for player in cast.values()]
    )
    assert all(isinstance(answer, Done) for answer in answers)
    assert state_of(table).board.number == 2
    assert table.boards.filter(state="playing").count() == 1
