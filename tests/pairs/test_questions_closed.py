"""What was asked about a board ends with its event: answered by what was corrected, or closed, and never left open."""

from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event as Flag

import pytest

from apps.clock.models import DueWork
from apps.clock.time import move
from apps.pages.invariants import broken
from apps.pairs.models import Swiss
from apps.pairs.selectors.tables import UNANSWERED
from apps.pairs.services import rounds
from apps.pairs.services.corrections import tell_of_correction
from apps.pairs.services.direction import cancel, reopen_corrections
from apps.results.models import ResultChange
from apps.results.services import change_result
from apps.tables.models import DirectorCall, TableBoard
from apps.tables.selectors import calls_for_director, why_no_question
from apps.tables.services import afterwards
from apps.tables.services.afterwards import let_stand
from apps.users.models import User
from bridge.errors import BridgeError
from tests.faults.threads import at_once
from tests.pairs.evening import pass_time, reload
from tests.pairs.test_questions_afterwards import (
    ask,
    client_of,
    director,
    finished,
    player_of,
    result_of,
    told,
)
from tests.pairs.test_tables import event_at_tables, open_round, tables_of
from tests.tables.tables import play_board

pytestmark = pytest.mark.django_db
FINAL = "Swiss evening: nobody answered what your side asked about board 1. Its result stands, and is final."


def asked_while_it_is_played(**settings: int) -> tuple[Swiss, TableBoard, DirectorCall]:
    """A table of the open round has finished and asks about its first board."""
    swiss = event_at_tables(**settings)
    table = tables_of(open_round(swiss))[0]
    for seed in range(2):
        play_board(table, seed=seed)
        pass_time(seconds=16)
    board = table.boards.select_related("table", "board").get(position=1)
    return swiss, board, ask(board, "N")


def cancel_it(swiss: Swiss, by: User) -> None:
    swiss = reload(swiss)
    cancel(event_id=swiss.pk, expected=swiss.schedule_version, by=by, reason="a fire alarm")


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("end", ["official", "cancelled"])
def test_who_asks_at_the_moment_in_which_it_ends_is_answered_or_refused(
    end: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss, board = finished(correction_minutes=30)
    reading, ended = Flag(), Flag()

    def see_and_wait(*, table_board: TableBoard, seat: str | None) -> BridgeError | None:
        why = why_no_question(table_board=table_board, seat=seat)
        reading.set()
        ended.wait(1)  # it cannot end meanwhile
        return why

    monkeypatch.setattr(afterwards, "why_no_question", see_and_wait)
    ends: Callable[[], object] = partial(rounds.make_official, event_id=swiss.pk)
    if end == "cancelled":
        Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.RUNNING)
        ends = partial(cancel_it, swiss, director())

    def end_it() -> None:
        reading.wait(30)
        ends()
        ended.set()

    answer, _ = at_once(partial(ask, board, "N"), end_it)
    assert isinstance(answer, DirectorCall)
    pass_time(minutes=31)
    answer.refresh_from_db()
    assert reload(swiss).state == end
    assert answer.settled_at
    assert broken() == []


@pytest.mark.django_db(transaction=True)
def test_an_answer_at_the_moment_in_which_it_is_final_is_the_one_answer() -> None:
    swiss, board = finished(correction_minutes=30)
    call = ask(board, "N")
    answer, _ = at_once(
        partial(let_stand, call_id=call.pk, by=director(), reason="no damage"),
        partial(rounds.stop_waiting, event_id=swiss.pk, answered=False),
    )
    call.refresh_from_db()
    assert call.verdict == ("stands" if answer else "no answer")
    assert broken() == []


def test_without_time_for_corrections_a_question_is_closed_when_the_event_ends() -> None:
    swiss, board, call = asked_while_it_is_played(rounds=1, correction_minutes=0)
    pass_time(minutes=25)
    assert reload(swiss).state == Swiss.State.OFFICIAL
    call.refresh_from_db()
    assert call.verdict == "no answer"
    assert FINAL in told(player_of(board, "N"))
    dora = director()
    assert calls_for_director(dora) == []
    assert let_stand(call_id=call.pk, by=dora, reason="too late") is False

    swiss = reload(swiss)
    reopen_corrections(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="an appeal")
    again = ask(board, "N")
    pass_time(minutes=31)  # half an hour for corrections, and as long again for an answer
    assert reload(swiss).state == Swiss.State.FINISHED
    pass_time(minutes=30)
    again.refresh_from_db()
    assert (reload(swiss).state, again.verdict) == (Swiss.State.OFFICIAL, "no answer")
    assert broken() == []


def test_nobody_decides_about_a_board_whose_result_is_final() -> None:
    swiss, board = finished()
    call = ask(board, "N")
    Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.OFFICIAL)
    with pytest.raises(BridgeError, match="is final"):
        let_stand(call_id=call.pk, by=director(), reason="no damage")


def test_when_an_event_is_cancelled_what_was_asked_is_closed_in_words_that_fit() -> None:
    swiss, board, call = asked_while_it_is_played()
    dora = director()
    cancel_it(swiss, dora)
    call.refresh_from_db()
    assert call.settled_at
    assert calls_for_director(dora) == []
    assert not dora.notices.filter(read_at=None).exists()
    closed = "Swiss evening was cancelled: what your side asked about board 1 needs no answer any more."
    assert [closed in told(player_of(board, seat)) for seat in "NESW"] == [True, False, True, False]
    page = client_of(player_of(board, "N")).get(board.get_absolute_url()).text
    assert "nobody answered in time, and the event is over" in page
    assert "result is final" not in page
    assert broken() == []


def test_the_further_time_for_an_answer_loses_nothing_by_an_outage() -> None:
    swiss, board = finished(correction_minutes=30)
    call = ask(board, "N")
    pass_time(minutes=31)
    assert DueWork.objects.get(kind=UNANSWERED).state == DueWork.State.PLANNED
    move(timedelta(hours=2), outage=True)
    pass_time(minutes=15)
    assert reload(swiss).state == Swiss.State.FINISHED
    assert let_stand(call_id=call.pk, by=director(), reason="no damage")


@pytest.mark.parametrize("waits", [False, True], ids=["in the time for corrections", "in the further time"])
def test_a_correction_of_which_nobody_was_told_yet_is_the_answer(waits: bool) -> None:
    swiss, board = finished(correction_minutes=30)
    call = ask(board, "N")
    if waits:
        pass_time(minutes=31)
    change_result(result_id=result_of(board).pk, passed_out=True, by=director(), reason="a revoke")
    pass_time(minutes=31)  # no worker is there to tell of it
    call.refresh_from_db()
    assert (reload(swiss).state, call.verdict, call.answer) == (Swiss.State.OFFICIAL, "corrected", "a revoke")
    tell_of_correction(change_id=ResultChange.objects.get().pk)
    assert not [each for each in told(player_of(board, "N")) if "nobody answered" in each]
    assert broken() == []
