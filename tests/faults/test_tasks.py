"""Every task may run twice, in a row or at once, and never changes what one run made."""

import logging
from functools import partial

import pytest

from apps.boards.models import Board
from apps.boards.services import ask_what_play_was_worth
from apps.clock import workers
from apps.clock.workers import start_soon
from apps.pairs.services.publishing import publish_event
from apps.results import services
from apps.results.models import Result
from apps.results.selectors import stale_fields
from apps.results.tasks import compare_field, sweep
from apps.users.models import Player
from config.celery import app
from config.schedule import BEAT_SCHEDULE
from tests.factories import make_event, make_user
from tests.faults.state import digest
from tests.faults.threads import at_once
from tests.pairs.test_tables import event_at_tables, open_round, play_out

SUITS = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"

app.autodiscover_tasks(force=True)
TASKS = sorted(name for name in app.tasks if name.startswith("apps."))


def test_the_timetable_calls_tasks_that_there_are() -> None:
    assert {entry["task"] for entry in BEAT_SCHEDULE.values()} <= set(TASKS)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("name", TASKS)
def test_a_task_run_twice_leaves_what_one_run_leaves(name: str) -> None:
    event = make_event([[420, 450, 400, 420], [50, 100, 50, 50]], deals={1: SUITS})
    publish_event(event_id=event.pk, by=None)
    result = Result.objects.earliest("pk")
    Player.objects.filter(pk=result.ns.players.earliest("pk").pk).update(user=make_user("nora"))
    services.change_result(result_id=result.pk, by=None, reason="revoke", score=400)
    ids = {
        "apps.results.tasks.compare_field": [event.field_id],
        "apps.pairs.tasks.rank_field": [event.field_id],
        "apps.pairs.tasks.tell_of_correction": [result.changes.get().pk],
        "apps.masterpoints.tasks.award_event": [event.pk],
    }.get(name, [])
    if name == "apps.pairs.tasks.take_results":
        each = open_round(event_at_tables())
        play_out(each)
        ids = [each.pk]
    if name == "apps.boards.tasks.solve_asked":
        board = Board.objects.earliest("pk")
        play = ask_what_play_was_worth(board_id=board.pk, strain="NT", declarer="N", cards=[])
        ids = [board.pk, play.pk]
    task = app.tasks[name]
    task(*ids)
    once = digest()
    task(*ids)
    assert digest() == once
    assert at_once(*[lambda: task(*ids)] * 2) == [None, None]
    assert digest() == once


@pytest.mark.django_db
def test_an_event_that_cannot_be_scored_does_not_hold_up_the_others(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    poison, good = make_event([[420, 450]]), make_event([[420, 450]])
    compare = services.compare_field

    def refuse_one(*, field_id: int) -> int:
        if field_id == poison.field_id:
            raise ValueError("poison")
        return compare(field_id=field_id)

    monkeypatch.setattr(services, "compare_field", refuse_one)
    sweep()
    assert stale_fields() == [poison.field_id]
    assert not good.field.field_boards.filter(compared_version=0).exists()
    assert "poison" in caplog.text


def test_a_broker_that_is_away_is_no_error(
    monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    away = app.connection_for_write("redis://localhost:1/0")
    sent = partial(compare_field.apply_async, connection=away)  # type: ignore[call-arg]  # the stubs leave it out
    monkeypatch.setattr(compare_field, "apply_async", sent)
    monkeypatch.setattr(workers, "broker", workers.Broker())
    with caplog.at_level(logging.WARNING):
        start_soon(compare_field, 1)
    assert "waits for the sweep" in caplog.text
