"""Boards at the tables of an event and its bell, at the same moment: each is one result, and none is lost."""

import random
import threading
import time
from collections.abc import Callable
from functools import partial
from typing import Any

import pytest
from django.db.models import QuerySet

from apps.clock.services import drop
from apps.pages.invariants import broken
from apps.pairs.models import Round, Swiss
from apps.pairs.selectors.tables import PURPOSE, occasion_of
from apps.pairs.services import rounds, tables
from apps.pairs.services.tables import take_results
from apps.results.models import Result
from apps.results.services import record_results
from apps.tables.models import Table, TableBoard
from apps.tables.refusals import Closed
from apps.tables.services import playing
from bridge.table import TableState
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_swiss, start
from tests.tables.tables import do, play_board, something, who_acts

pytestmark = pytest.mark.django_db(transaction=True)


@pytest.fixture
def swiss() -> Swiss:
    swiss = make_swiss(rounds=2, boards=1, play=Swiss.Play.TABLES)
    enter_pairs(swiss, 4)
    start(swiss)
    return swiss


def open_round(swiss: Swiss) -> Round:
    return Round.objects.get(swiss=swiss, state=Round.State.OPEN)


def table_of(each: Round) -> Table:
    return Table.objects.filter(purpose=PURPOSE, occasion=occasion_of(each)).order_by("pk")[0]


def ring(swiss: Swiss) -> bool:
    """The bell, as the clock rings it."""
    drop(kind=rounds.CLOSE, subject=swiss.pk)
    return rounds.close_round(event_id=swiss.pk, number=1)


def unlocked(query: "QuerySet[Any]", *_: object, **__: object) -> "QuerySet[Any]":
    return query


@pytest.mark.parametrize("locked", [True, False], ids=["lock on", "lock off"])
def test_two_workers_take_the_same_board_once(
    swiss: Swiss, locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    each = open_round(swiss)
    play_board(table_of(each))
    both = threading.Barrier(2, timeout=30)
    record = record_results

    def record_together(**facts: Any) -> None:
        if not locked:
            both.wait()  # neither has found the other's result
        record(**facts)

    monkeypatch.setattr(tables, "record_results", record_together)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", unlocked)
    answers = at_once(lambda: take_results(round_id=each.pk), lambda: take_results(round_id=each.pk))
    assert (sorted(map(str, answers)) == ["0", "1"]) is locked
    assert Result.objects.count() == 1
    assert broken() == []


def before_the_last_move(table: Table) -> Callable[[], object]:
    """The board is played but for its last card, which is returned."""

    def is_last(state: TableState) -> bool:
        trick = state.play.trick if state.play else None
        return (
            state.play is not None
            and len(state.play.tricks) == 12
            and trick is not None
            and len(trick.cards) == 3
        )

    state = play_board(table, seed=5, until=is_last)
    assert is_last(state)
    player, expect, card = who_acts(table), table.version, something(state, random.Random(1))
    return partial(do, table, player, card, expect=expect)


def test_a_board_that_ends_a_moment_before_the_bell_counts(swiss: Swiss) -> None:
    each = open_round(swiss)
    before_the_last_move(table_of(each))()
    assert ring(swiss)
    assert Result.objects.filter(kind=Result.Kind.PLAYED).count() == 1
    assert broken() == []


def test_a_card_after_the_bell_is_refused_and_the_board_is_cut(swiss: Swiss) -> None:
    each = open_round(swiss)
    last = before_the_last_move(table_of(each))
    assert ring(swiss)
    with pytest.raises(Closed):
        last()
    assert set(Result.objects.filter(table="1").values_list("kind", flat=True)) == {Result.Kind.CUT}
    assert broken() == []


@pytest.mark.parametrize("first", ["card", "bell"])
def test_the_last_card_and_the_bell_at_the_same_moment(
    swiss: Swiss, first: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Whoever has the table first: a card that was accepted is in the result, and one that was not is refused."""
    each = open_round(swiss)
    last = before_the_last_move(table_of(each))
    held = threading.Event()
    slow = {"card": (playing, "_do"), "bell": (tables, "take_finished")}[first]
    original = getattr(*slow)

    def hold_on(*args: Any, **kwargs: Any) -> Any:
        held.set()
        time.sleep(0.3)  # the other one comes to the lock, and waits
        return original(*args, **kwargs)

    monkeypatch.setattr(*slow, hold_on)

    def after(work: Callable[[], object]) -> Callable[[], object]:
        return lambda: (held.wait(30), work())[1]

    rung = partial(ring, swiss)
    card, bell = at_once(last if first == "card" else after(last), rung if first == "bell" else after(rung))
    assert bell is True
    assert isinstance(card, Closed) is (first == "bell")
    kind = Result.Kind.PLAYED if first == "card" else Result.Kind.CUT
    assert set(Result.objects.filter(table="1").values_list("kind", flat=True)) == {kind}
    how = TableBoard.objects.get(table=table_of(each)).how
    assert how == (TableBoard.How.PLAYED if first == "card" else TableBoard.How.CUT)
    assert broken() == []
