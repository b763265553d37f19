"""Redis stands still: a real server, stopped in the middle. No page waits for it more than once, and nothing is lost."""

import signal
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
import redis
from django.test import Client
from django.urls import reverse

from apps.clock import workers
from apps.clock.workers import Broker, start_soon
from apps.pairs.models import Seat, Swiss
from apps.pairs.services.slips import Said, say_result
from apps.results.models import Comparison
from apps.results.selectors import stale_fields
from apps.results.tasks import compare_field, sweep
from apps.users.models import Player, User
from config.celery import app
from config.settings.base import celery_broker
from devstack.embedded import Valkey
from tests.factories import make_user
from tests.faults.stack import Daemon
from tests.pairs.evening import enter_pairs, make_swiss, reload, start

pytestmark = pytest.mark.django_db(transaction=True)
FIRST, OTHERS = 2.5, 0.8  # seconds; the machine has other work as well
TASKS = "datum"  # the queue


@pytest.fixture
def valkey(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, settings: Any) -> Iterator[Daemon]:
    """A server of its own for everything that asks Redis, and a process that has not failed with it yet."""
    server = Valkey(tmp_path, durable=False)
    daemon = Daemon(server)
    daemon.start()
    url = server.environment()["REDIS_URL"]
    monkeypatch.setitem(app.conf, "broker_write_url", celery_broker(url))
    settings.REDIS_URL = url
    monkeypatch.setattr(workers, "broker", Broker())
    yield daemon
    daemon.send(signal.SIGCONT)
    daemon.stop(signal.SIGKILL)


@pytest.fixture
def table() -> list[tuple[Swiss, Player]]:
    """An event that is being played: its pair North–South at the first table, and East–West."""
    swiss = make_swiss(boards=6)
    enter_pairs(swiss, 4)
    start(swiss)
    seats = Seat.objects.filter(round__swiss=swiss, table=1).order_by("-side")
    sides = [Player.objects.filter(entrants__entry=seat.contestant_id).order_by("pk")[0] for seat in seats]
    return [(reload(swiss), player) for player in sides]


def seconds(do: Callable[[], object]) -> float:
    began = time.monotonic()
    do()
    return time.monotonic() - began


def queued(settings: Any) -> int:
    with redis.Redis.from_url(settings.REDIS_URL) as client:
        waiting: int = client.llen(TASKS)
        return waiting


def agree(table: list[tuple[Swiss, Player]], board: int) -> None:
    for swiss, player in table:
        assert player.user
        said = Said.read("4S N =")
        say_result(event_id=swiss.pk, board=board, said=said, by=player.user, player=player, command=uuid4())


def test_one_result_is_entered_a_little_later_and_the_others_at_once_and_all_are_compared(
    valkey: Daemon, table: list[tuple[Swiss, Player]], settings: Any, caplog: pytest.LogCaptureFixture
) -> None:
    agree(table, 1)
    assert queued(settings) == 1
    valkey.send(signal.SIGSTOP)
    first = seconds(lambda: agree(table, 2))
    others = [seconds(lambda board=board: agree(table, board)) for board in (3, 4)]  # type: ignore[misc]
    assert 0.5 < first < FIRST
    assert max(others) < OTHERS
    assert "waits for the sweep" in caplog.text
    valkey.send(signal.SIGCONT)
    agree(table, 5)
    assert queued(settings) <= 2  # the one that timed out may have come through
    workers.broker.rest.until -= workers.REST
    agree(table, 6)
    assert queued(settings) >= 2
    assert workers.broker.rest.until == 0
    assert stale_fields() == [table[0][0].event.field_id]
    sweep()
    assert stale_fields() == []
    assert Comparison.objects.count() == 6


def test_without_the_rest_every_result_waits_for_the_broker(
    valkey: Daemon, table: list[tuple[Swiss, Player]], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control: the server does stand still, and it is the rest that spares the others."""
    monkeypatch.setattr(workers.broker.rest, "seconds", 0.0)
    valkey.send(signal.SIGSTOP)
    assert min(seconds(lambda board=board: agree(table, board)) for board in (1, 2)) > 0.5  # type: ignore[misc]


def test_while_one_looks_whether_it_is_back_the_others_do_not_wait(valkey: Daemon) -> None:
    valkey.send(signal.SIGSTOP)
    start_soon(compare_field, 1)
    workers.broker.rest.until -= workers.REST
    looking: list[float] = []
    publish = workers.broker._publish

    def publish_while_another_comes(task: Any, ids: tuple[int, ...]) -> None:
        looking.append(seconds(lambda: start_soon(compare_field, 2)))
        publish(task, ids)

    workers.broker._publish = publish_while_another_comes  # type: ignore[method-assign]
    start_soon(compare_field, 1)
    assert len(looking) == 1
    assert looking[0] < 0.1


def test_no_page_waits_for_it(
    client: Client, valkey: Daemon, table: list[tuple[Swiss, Player]], settings: Any
) -> None:
    """Also those that keep limits: signing in and up, where a limit must hold without Redis."""
    settings.ACCOUNT_RATE_LIMITS = {"login": "3/m/ip", "login_failed": "3/m/ip", "signup": "3/m/ip"}
    swiss, player = table[0]
    assert player.user
    User.objects.filter(pk=make_user("dora", director=True).pk).update(is_superuser=True)
    valkey.send(signal.SIGSTOP)
    for name in ("nora", player.user.username):
        answers = []
        for _ in range(4):
            given = {"login": name, "password": "wrong"}
            assert seconds(lambda: answers.append(client.post("/accounts/login/", given))) < OTHERS  # noqa: B023
        assert answers[-1].status_code == 429 or b"Too many" in answers[-1].content
    assert seconds(lambda: client.get("/accounts/signup/")) < OTHERS
    for user in (None, player.user, User.objects.get(username="dora")):
        client.logout()
        if user:
            client.force_login(user)
        for address in (
            "/",
            "/events/",
            "/players/",
            "/masterpoints/",
            reverse("pairs:event", args=[swiss.pk]),
            reverse("pairs:live", args=[swiss.pk]),
            reverse("pairs:slip", args=[swiss.pk, 1]),
            reverse("pairs:direct", args=[swiss.pk]),
        ):
            assert seconds(lambda: client.get(address)) < OTHERS, address  # noqa: B023
    assert seconds(lambda: client.get("/health/")) < FIRST
    assert client.get("/health/").json()["redis"] == "away"
