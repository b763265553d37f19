"""What leaves the house: each message at most once, or at least once, as its kind says."""

import threading
import time
from collections.abc import Callable
from datetime import timedelta
from typing import Any

import pytest
from django.core import mail
from django.db import transaction

from apps.clock.models import Outgoing
from apps.clock.selectors import half_sent, unsent
from apps.clock.services import Ticked, outbox, send, send_all, tick
from apps.clock.time import move
from apps.clock.transitions import NotSent
from tests.clock.conftest import Register
from tests.faults.threads import at_once

pytestmark = pytest.mark.django_db


def write(body: dict[str, Any]) -> None:
    mail.send_mail(body["subject"], "", None, ["nora@example.org"])


def subjects() -> list[str]:
    return [str(message.subject) for message in mail.outbox]


def test_a_message_is_delivered_once_and_a_second_with_its_key_is_refused(deliver: Register) -> None:
    deliver("test.mail", write, at_most_once=True)
    assert send(key="round 1 for Nora", kind="test.mail", body={"subject": "Round 1"})
    assert not send(key="round 1 for Nora", kind="test.mail", body={"subject": "Round 1 again"})
    assert tick() == Ticked(sent=1)
    assert not tick()
    assert not send(key="round 1 for Nora", kind="test.mail", body={"subject": "Round 1 later"})
    assert not tick()
    assert subjects() == ["Round 1"]


def test_a_message_goes_with_the_transaction_that_causes_it(deliver: Register) -> None:
    deliver("test.mail", write)
    with transaction.atomic():
        send(key="1", kind="test.mail", body={"subject": "a round that did not open"})
        transaction.set_rollback(True)
    assert not tick()


def test_a_whole_round_of_messages_is_one_statement(
    deliver: Register, django_assert_num_queries: Any
) -> None:
    deliver("test.mail", write)
    send(key="1", kind="test.mail", body={"subject": "1"})
    bodies = {str(number): {"subject": str(number), "day": timedelta(days=number)} for number in range(1, 41)}
    with django_assert_num_queries(2):  # the time, the messages
        assert send_all(kind="test.mail", bodies=bodies) == 39
    assert tick().sent == 40


def test_a_kind_that_nobody_delivers_cannot_be_sent() -> None:
    with pytest.raises(LookupError):
        send(key="1", kind="test.unknown", body={})


def fail(error: Exception) -> Callable[[dict[str, Any]], None]:
    def send(body: dict[str, Any]) -> None:
        if body["subject"] == "bad":
            raise error
        write(body)

    return send


@pytest.mark.parametrize(
    ("error", "at_most_once", "again"),
    [
        (TimeoutError("no answer\nbut perhaps sent"), True, False),
        (NotSent("connection refused"), True, True),
        (TimeoutError("no answer\nbut perhaps sent"), False, True),
    ],
)
def test_a_failed_delivery_is_tried_again_only_if_that_cannot_be_a_second_one(
    error: Exception, at_most_once: bool, again: bool, deliver: Register
) -> None:
    deliver("test.mail", fail(error), at_most_once=at_most_once)
    send_all(kind="test.mail", bodies={"1": {"subject": "bad"}, "2": {"subject": "good"}})
    assert tick() == Ticked(failed=1, sent=1)
    assert subjects() == ["good"]
    assert not tick()  # not at once
    move(timedelta(seconds=61))
    assert [message.key for message in half_sent()] == ([] if again else ["1"])
    assert [message.key for message in unsent()] == (["1"] if again else [])
    assert "\n" not in Outgoing.objects.get(key="1").last_error
    deliver("test.mail", write, at_most_once=at_most_once)
    assert tick() == Ticked(sent=int(again))
    assert subjects() == (["good", "bad"] if again else ["good"])


def test_a_clock_that_falls_between_claim_and_delivery_leaves_the_message_to_be_seen(
    deliver: Register,
) -> None:
    def fall(_: dict[str, Any]) -> None:
        raise SystemExit  # nothing catches it, as nothing catches a kill

    deliver("test.mail", fall, at_most_once=True)
    send(key="1", kind="test.mail", body={})
    with pytest.raises(SystemExit):
        tick()
    deliver("test.mail", write, at_most_once=True)
    assert not tick()
    move(timedelta(seconds=61))
    assert [message.key for message in half_sent()] == ["1"]
    assert not mail.outbox


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("claimed", [True, False], ids=["claim on", "claim off"])
def test_four_clocks_deliver_each_message_once(
    claimed: bool, deliver: Register, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Each delivers at the same time here; it is the claim that keeps them from sending a message twice."""

    def slow(body: dict[str, Any]) -> None:
        time.sleep(0.01)
        write(body)

    monkeypatch.setattr(outbox, "_may_deliver", lambda cursor: True)
    if not claimed:
        monkeypatch.setattr(outbox, "_waiting", lambda message: Outgoing.objects.filter(pk=message.pk))
    deliver("test.mail", slow, at_most_once=True)
    send_all(kind="test.mail", bodies={str(number): {"subject": str(number)} for number in range(20)})
    at_once(*[tick] * 4)
    tick()
    assert set(subjects()) == {str(number) for number in range(20)}
    assert (len(subjects()) == 20) is claimed


@pytest.mark.django_db(transaction=True)
def test_a_mail_server_that_hangs_holds_up_one_clock_only(deliver: Register) -> None:
    inside: list[str] = []
    gone_on = threading.Semaphore(0)

    def hang(body: dict[str, Any]) -> None:
        inside.append(body["subject"])
        assert all(gone_on.acquire(timeout=20) for _ in range(2))  # until both others have gone on

    def clock() -> Ticked:
        ticked = tick(limit=1)
        if not ticked:
            gone_on.release()
        return ticked

    deliver("test.mail", hang, at_most_once=True)
    send_all(kind="test.mail", bodies={"1": {"subject": "1"}, "2": {"subject": "2"}})
    tick(limit=0)
    answers = at_once(*[clock] * 3)
    assert len(inside) == 1
    assert sorted(map(str, answers)) == sorted(map(str, [Ticked(sent=1), Ticked(), Ticked()]))
