"""What is due is done once; what fails waits, and what waits for ever holds up nobody."""

import threading
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from typing import Any

import pytest
from django.db import IntegrityError, OperationalError, connection, transaction
from django.db.models import QuerySet

from apps.clock.models import AuditEntry, DueWork, Outage, Pulse
from apps.clock.selectors import due_now, late_work, pulse_age, stuck_work
from apps.clock.services import Ticked, drop, record, schedule, shift, tick, ticking
from apps.clock.signals import service_resumed
from apps.clock.time import move, now
from tests.clock.conftest import Register
from tests.faults.threads import at_once

State = DueWork.State
at_real_connections = pytest.mark.django_db(transaction=True)
pytestmark = pytest.mark.django_db


def bell(*, subject: int, number: int) -> None:
    """A transition whose effect can be counted."""
    record(actor=None, action="rung", subject_kind="bell", subject_id=subject, after=number)


def rung() -> Counter[tuple[int, Any]]:
    return Counter(AuditEntry.objects.filter(action="rung").values_list("subject_id", "after"))


@pytest.fixture(autouse=True)
def _bells(register: Register, db: None) -> None:
    register("test.bell", bell)


def ring(subject: int, number: int = 0, *, seconds: int = -1, kind: str = "test.bell") -> None:
    schedule(kind=kind, subject=subject, number=number, due_at=now() + timedelta(seconds=seconds))


def state_of(subject: int) -> str:
    return DueWork.objects.get(subject=subject).state


def test_what_is_due_is_done_in_the_order_in_which_it_was_due_and_what_is_not_waits() -> None:
    for subject, seconds in ((1, -1), (2, -3), (3, 60)):
        ring(subject, seconds=seconds)
    assert tick() == Ticked(done=2)
    assert list(AuditEntry.objects.order_by("pk").values_list("subject_id", flat=True)) == [2, 1]
    assert [state_of(subject) for subject in (1, 2, 3)] == [State.DONE, State.DONE, State.PLANNED]
    move(timedelta(seconds=61))
    assert tick() == Ticked(done=1)


def test_a_tick_with_nothing_to_do_changes_nothing_but_the_pulse() -> None:
    ring(1)
    tick()
    before = list(DueWork.objects.values()), list(AuditEntry.objects.values())
    assert not tick()
    assert (list(DueWork.objects.values()), list(AuditEntry.objects.values())) == before
    age = pulse_age()
    assert age is not None and age < timedelta(seconds=1)


def test_a_limit_leaves_the_rest_for_the_next_tick() -> None:
    for subject in range(3):
        ring(subject)
    assert [tick(limit=2), tick(limit=2), tick(limit=2)] == [Ticked(done=2), Ticked(done=1), Ticked()]


def test_a_plan_is_moved_until_it_is_done_and_then_stays_done() -> None:
    ring(1, seconds=60)
    ring(1, seconds=-1)
    assert tick().done == 1
    ring(1, seconds=-1)
    assert not tick()
    assert rung() == {(1, 0): 1}


def test_work_that_was_dropped_is_not_done_and_can_be_planned_again() -> None:
    ring(1, 1)
    ring(1, 2)
    ring(2, 1)
    assert drop(kind="test.bell", subject=1, number=2) == 1
    assert drop(kind="test.bell", subject=2) == 1
    tick()
    assert rung() == {(1, 1): 1}
    assert drop(kind="test.bell", subject=1) == 0
    ring(1, 2)
    tick()
    assert rung() == {(1, 1): 1, (1, 2): 1}


def test_a_shift_moves_what_is_still_to_do() -> None:
    ring(1, 1)
    tick()
    ring(1, 2)
    ring(2, 2)
    assert shift(kinds=["test.bell"], subjects=[1], seconds=60) == 1
    tick()
    assert rung() == {(1, 1): 1, (2, 2): 1}
    move(timedelta(seconds=61))
    tick()
    assert rung()[1, 2] == 1


def test_a_kind_that_nobody_registered_cannot_be_planned() -> None:
    with pytest.raises(LookupError):
        ring(1, kind="test.unknown")


def test_a_kind_of_a_newer_release_is_left_to_its_clocks() -> None:
    DueWork.objects.create(kind="test.newer", subject=1, due_at=now() - timedelta(seconds=40))
    ring(2)
    assert tick() == Ticked(done=1)
    assert [work.kind for work in late_work()] == ["test.newer"]


def test_a_transition_may_drop_all_work_of_its_event_and_plan_the_next(register: Register) -> None:
    def cancel(*, subject: int, number: int) -> None:
        drop(kind="test.cancel", subject=subject)
        shift(kinds=["test.cancel"], subjects=[subject], seconds=60)
        ring(subject, number, kind="test.cancel")
        ring(subject, number + 1, seconds=60, kind="test.cancel")

    register("test.cancel", cancel)
    ring(1, 1, kind="test.cancel")
    ring(1, 2, kind="test.cancel", seconds=30)
    assert tick() == Ticked(done=1)
    assert dict(DueWork.objects.values_list("number", "state")) == {1: State.DONE, 2: State.PLANNED}


# Failures


def poison(*, subject: int, number: int) -> None:
    record(actor=None, action="half done", subject_kind="bell", subject_id=subject)
    raise ValueError("poison\nwith a second line")


def test_what_fails_is_undone_tried_later_and_later_and_stuck_after_five_times(register: Register) -> None:
    suspended: list[dict[str, Any]] = []
    register("test.poison", poison, lambda **what: suspended.append(what))
    ring(1, 7, kind="test.poison")
    waits = []
    for attempt in range(1, 6):
        ring(100 + attempt)
        assert tick() == Ticked(done=1, failed=1)
        work = DueWork.objects.get(kind="test.poison")
        assert (work.attempts, work.last_error) == (attempt, "ValueError: poison")
        assert work.next_try_at is not None
        waits.append(round((work.next_try_at - now()).total_seconds()))
        assert not tick()
        move(timedelta(seconds=waits[-1] + 1))
    assert waits == [2, 4, 8, 16, 32]
    assert [work.subject for work in stuck_work()] == [1]
    assert suspended == [{"subject": 1, "number": 7, "error": "ValueError: poison"}]
    assert not AuditEntry.objects.filter(action="half done").exists()
    assert AuditEntry.objects.get(action="clock.stuck").reason == "ValueError: poison"
    assert len(rung()) == 5
    assert not tick()


def test_stuck_work_is_taken_up_again_when_it_is_planned_again(register: Register) -> None:
    register("test.poison", poison)
    ring(1, kind="test.poison")
    DueWork.objects.update(attempts=4)
    tick()
    assert state_of(1) == State.STUCK
    register("test.poison", bell)
    ring(1, kind="test.poison")
    assert tick() == Ticked(done=1)


def test_work_that_cannot_even_be_suspended_is_stuck_all_the_same(register: Register) -> None:
    def cannot(**_: object) -> None:
        AuditEntry.objects.create(action="suspended")  # the database refuses it

    register("test.poison", poison, cannot)
    ring(1, kind="test.poison")
    DueWork.objects.update(attempts=4)
    ring(2)
    assert tick() == Ticked(done=1, failed=1)
    assert state_of(1) == State.STUCK


# Several clocks


@at_real_connections
@pytest.mark.parametrize(
    ("locked", "marked"),
    [(True, True), (False, True), (False, False)],
    ids=["as it is", "lock off", "lock and condition off"],
)
def test_four_clocks_do_each_piece_once(
    locked: bool, marked: bool, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The lock keeps them from each other's work; without it the condition on the mark undoes what was done twice."""
    runs: list[int] = []

    def slow(*, subject: int, number: int) -> None:
        runs.append(subject)
        time.sleep(0.01)
        bell(subject=subject, number=number)

    register("test.slow", slow)
    if not locked:
        monkeypatch.setattr(ticking, "_lock", lambda work: True)
    if not marked:
        monkeypatch.setattr(ticking, "_still", lambda work: DueWork.objects.filter(pk=work.pk))
    for subject in range(30):
        ring(subject, kind="test.slow")
    tick(limit=0)  # the pulse is going
    answers = at_once(*[tick] * 4)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    tick()
    assert set(rung()) == {(subject, 0) for subject in range(30)}
    assert (max(rung().values()) == 1) is marked
    assert (len(runs) == 30) is locked


def director_and_clock(register: Register, change: Callable[[], object]) -> list[object]:
    """A director locks the event, then moves its work; meanwhile the clock has the work in hand and wants the event."""
    Pulse.objects.get_or_create(defaults={"at": now()})  # stands for the event's row
    AuditEntry.objects.create(at=now(), action="an event", subject_kind="event", subject_id=1)
    locked, waiting = threading.Event(), threading.Event()

    def lock_event() -> None:
        AuditEntry.objects.select_for_update().get(action="an event")

    def close(*, subject: int, number: int) -> None:
        waiting.set()
        lock_event()
        bell(subject=subject, number=number)

    @transaction.atomic
    def direct() -> object:
        lock_event()
        locked.set()
        waiting.wait(30)
        time.sleep(0.05)
        return change()

    def clock() -> Ticked:
        locked.wait(30)
        return tick(limit=1)

    register("test.close", close)
    ring(1, kind="test.close")
    return at_once(direct, clock)


EXTEND = partial(shift, kinds=["test.close"], subjects=[1], seconds=60)


@at_real_connections
@pytest.mark.parametrize("marked", [True, False], ids=["condition on", "condition off"])
def test_a_round_extended_while_its_bell_is_rung_is_not_closed(
    marked: bool, register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not marked:
        monkeypatch.setattr(ticking, "_still", lambda work: DueWork.objects.filter(pk=work.pk))
    assert director_and_clock(register, EXTEND) == [1, Ticked() if marked else Ticked(done=1)]
    assert (not rung()) is marked
    move(timedelta(seconds=61))
    tick()
    assert rung() == {(1, 0): 1}


@at_real_connections
def test_a_clock_that_locked_the_row_of_its_work_would_be_in_the_directors_way(
    register: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Why it does not: each would wait for the other, until the database ends one of the two."""
    monkeypatch.setattr(
        ticking, "_lock", lambda work: DueWork.objects.select_for_update(skip_locked=True).get(pk=work.pk)
    )
    answers = director_and_clock(register, EXTEND)
    assert isinstance(answers[0], OperationalError) or answers[1] == Ticked(failed=1)


# Outages


class Receiver:
    """Gives the time back to one bell, as an app does to its open rounds."""

    def __init__(self) -> None:
        self.outages: list[int] = []
        self.error: Exception | None = None

    def __call__(self, seconds: int, **_: Any) -> None:
        self.outages.append(seconds)
        shift(kinds=["test.bell"], subjects=[1], seconds=seconds)
        time.sleep(0.05)
        if self.error:
            raise self.error


@pytest.fixture
def receiver() -> Any:
    receiver = Receiver()
    service_resumed.connect(receiver)
    yield receiver
    service_resumed.disconnect(receiver)


@pytest.mark.parametrize("gap", [timedelta(seconds=10), timedelta(seconds=60), timedelta(hours=2)])
def test_time_without_a_clock_is_given_back_before_anything_is_due(
    gap: timedelta, receiver: Receiver
) -> None:
    tick()
    ring(1, seconds=5)
    move(gap, outage=True)
    outage = gap > timedelta(seconds=20)
    assert due_now().exists() is not outage
    assert tick() == Ticked(done=0 if outage else 1)
    assert len(receiver.outages) == outage
    assert Outage.objects.filter(handled=True).count() == outage
    if outage:
        assert 0 <= receiver.outages[0] - gap.total_seconds() < 5
        move(timedelta(seconds=6))
        assert tick() == Ticked(done=1)
        assert len(receiver.outages) == 1


@at_real_connections
@pytest.mark.parametrize("locked", [True, False], ids=["lock on", "lock off"])
def test_clocks_that_see_an_outage_together_handle_it_once(
    locked: bool, receiver: Receiver, monkeypatch: pytest.MonkeyPatch
) -> None:
    tick()
    ring(1, seconds=3600)
    due_at = DueWork.objects.get().due_at
    move(timedelta(seconds=60), outage=True)
    if not locked:
        monkeypatch.setattr(QuerySet, "select_for_update", lambda query, **_: query)
    answers = at_once(*[tick] * 4)
    outage = Outage.objects.get()
    assert DueWork.objects.get().due_at == due_at + timedelta(seconds=outage.seconds)
    refused = [answer for answer in answers if isinstance(answer, IntegrityError)]
    assert (
        len(receiver.outages) == 1 and not refused
    ) is locked  # without it the key of the table refuses the others


def test_an_outage_that_an_app_cannot_handle_is_marked_and_stops_nobody(receiver: Receiver) -> None:
    tick()
    ring(1, seconds=5)
    move(timedelta(seconds=60), outage=True)
    receiver.error = ValueError("no such round")
    assert tick() == Ticked(done=1)  # what the receiver wrote is undone
    assert Outage.objects.get().handled is False


def test_an_outage_is_handled_by_the_next_tick_when_a_lock_is_in_the_way(receiver: Receiver) -> None:
    tick()
    ring(1, seconds=5)
    move(timedelta(seconds=60), outage=True)
    receiver.error = OperationalError("lock timeout")
    with pytest.raises(OperationalError):
        tick()
    assert not due_now().exists()
    receiver.error = None
    assert tick() == Ticked()
    assert Outage.objects.get().handled is True


def test_a_clock_that_is_put_back_does_not_put_the_pulse_back() -> None:
    tick()
    before = Pulse.objects.get().at
    move(timedelta(seconds=-30), outage=True)
    tick()
    assert Pulse.objects.get().at == before
    assert not Outage.objects.exists()


def test_no_transaction_of_a_tick_can_hold_anything_for_ever(register: Register) -> None:
    seen = {}

    def look(**_: int) -> None:
        with connection.cursor() as cursor:
            for name in ("lock_timeout", "statement_timeout", "idle_in_transaction_session_timeout"):
                cursor.execute(f"SHOW {name}")
                seen[name] = cursor.fetchone()[0]

    register("test.look", look)
    ring(1, kind="test.look")
    tick()
    assert list(seen.values()) == ["3s", "20s", "30s"]
