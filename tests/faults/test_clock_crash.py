"""A chain of due work, its process killed at every statement: each step is made once."""

from datetime import timedelta

import pytest

from apps.clock import transitions
from apps.clock.models import AuditEntry, DueWork
from apps.clock.services import record, schedule, send, tick
from apps.clock.time import now
from apps.clock.transitions import Delivery, Transition
from tests.faults.crash import crash_everywhere
from tests.faults.thorough import often

pytestmark = pytest.mark.django_db(transaction=True)
ROUNDS, PAIRS = 3, 16


def play_round(*, subject: int, number: int) -> None:
    """Something of the shape of a round: several rows, a message, and what comes next."""
    for pair in range(PAIRS):
        record(actor=None, action="seated", subject_kind="pair", subject_id=pair, after={"round": number})
    send(key=f"round {number}", kind="test.notice", body={"round": number})
    if number < ROUNDS:
        schedule(kind="test.round", subject=subject, number=number + 1, due_at=now())


@pytest.fixture
def first_round(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(transitions.transitions, "test.round", Transition(play_round, None))
    monkeypatch.setitem(transitions.deliveries, "test.notice", Delivery(deliver, at_most_once=False))
    tick()  # the pulse is going
    schedule(kind="test.round", subject=1, number=1, due_at=now() - timedelta(seconds=1))


def deliver(body: dict[str, int]) -> None:
    """A notice in the site, written in the transaction that marks it as sent."""
    record(actor=None, action="noticed", subject_kind="round", subject_id=body["round"])


def unfinished() -> list[str]:
    """What may never be in the end."""
    wrong = [f"{work} is {work.state}" for work in DueWork.objects.exclude(state="done")]
    if AuditEntry.objects.count() != ROUNDS * (PAIRS + 1):
        wrong.append("a pair is not seated, or a round not noticed, just once")
    return wrong


def test_a_chain_killed_at_any_statement_ends_as_if_nothing_had_happened(first_round: None) -> None:
    report = crash_everywhere(run=tick, check=unfinished, every=often(1, usual=2))
    print(report)
    assert report.points >= often(100, usual=50)
    assert report.broken == []
    put_back = list(DueWork.objects.values_list("number", "state"))
    assert put_back == [(1, "planned")]
    assert not AuditEntry.objects.exists()


def test_the_same_chain_without_transactions_breaks(first_round: None) -> None:
    report = crash_everywhere(run=tick, check=unfinished, atomic=False, every=often(2, usual=5))
    print(report)
    assert len(report.broken) >= report.points / 2
