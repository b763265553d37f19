from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import F
from django.test import Client
from django.utils import timezone

from apps.clock.services import schedule, send, tick
from apps.clock.signals import service_resumed
from apps.clock.time import move, now
from apps.pages import selectors, tasks
from apps.pages.services import say_seen
from apps.results.models import Comparison, Result
from apps.results.services import change_result, compare_field
from tests.clock.conftest import Register, deliver, register
from tests.factories import make_event

__all__ = ["deliver", "register"]  # fixtures
PAGE = {"Accept": "text/html"}


@pytest.fixture
def workers(db: None) -> None:
    """Whoever does the work is there: a worker, a solver, a clock."""
    tick()
    for queue in selectors.QUEUES:
        tasks.be_seen(queue)


@pytest.mark.django_db
def test_health_says_what_waits(client: Client, workers: None) -> None:
    make_event([[420, 450], [-50, 100]])
    response = client.get("/health/")
    assert response.status_code == 200
    state = response.json()
    assert state.pop("disk_free") > 0
    assert 0 <= state.pop("stale_board_age") < 60
    seen = state.pop("workers_seen")
    assert seen.keys() == {"datum", "solver"}
    assert all(0 <= seconds < 60 for seconds in seen.values())
    clock = state.pop("clock")
    assert 0 <= clock.pop("pulse_age") < 20
    assert set(clock.values()) == {0}
    assert state == {
        "status": "ok",
        "database": "ok",
        "redis": "ok",
        "warnings": [],
        "waiting": {"boards_to_compare": 2, "events_to_rank": 0, "deals_to_solve": 0},
    }
    page = client.get("/health/", headers=PAGE).text
    assert "Everything answers." in page
    assert "ago" in page


@pytest.mark.django_db
def test_without_redis_pages_are_still_served(client: Client, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    response = client.get("/health/")
    assert response.status_code == 200
    assert (response.json()["status"], response.json()["redis"]) == ("warn", "away")
    assert "redis" in response.json()["warnings"]
    assert "Redis does not answer" in client.get("/health/", headers=PAGE).text


@pytest.mark.django_db
def test_without_the_database_health_says_so_and_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> dict[str, int]:
        raise DatabaseError("away")

    monkeypatch.setattr(selectors, "waiting", away)
    response = client.get("/health/", headers=PAGE)
    assert response.status_code == 503
    assert "The database does not answer" in response.text
    assert client.get("/health/").json()["status"] == "down"


@pytest.mark.django_db
def test_a_worker_that_was_not_heard_of_for_long_is_a_warning(client: Client, workers: None) -> None:
    say_seen(queue="solver")
    assert client.get("/health/").json()["status"] == "ok"
    cache.set(selectors.worker_key("datum"), timezone.now().timestamp() - 600, timeout=None)
    state = client.get("/health/").json()
    assert (state["status"], state["warnings"]) == ("warn", ["worker datum"])
    assert 600 <= state["workers_seen"]["datum"] < 660
    assert "No worker was heard of lately" in client.get("/health/", headers=PAGE).text


@pytest.mark.django_db
def test_a_worker_and_a_clock_that_never_were_are_warnings(client: Client) -> None:
    assert client.get("/health/").json()["warnings"] == ["clock", "worker datum", "worker solver"]
    page = client.get("/health/", headers=PAGE).text
    assert "No clock is going" in page
    assert page.count("not yet") == 3


@pytest.mark.django_db
def test_boards_that_wait_for_long_are_a_warning_until_they_are_compared(
    client: Client, workers: None
) -> None:
    event = make_event([[420, 450], [-50, 100]])
    Result.objects.update(recorded_at=F("recorded_at") - timedelta(minutes=5))
    state = client.get("/health/").json()
    assert (state["status"], state["warnings"]) == ("warn", ["stale boards"])
    assert 300 <= state["stale_board_age"] < 360
    compare_field(field_id=event.field_id)
    assert client.get("/health/").json()["stale_board_age"] is None
    assert client.get("/health/").json()["status"] == "ok"


@pytest.mark.django_db
def test_a_changed_result_waits_from_its_change_on(client: Client, workers: None) -> None:
    event = make_event([[420, 450], [-50, 100]])
    Result.objects.update(recorded_at=F("recorded_at") - timedelta(days=5))
    compare_field(field_id=event.field_id)
    Comparison.objects.update(compared_at=F("compared_at") - timedelta(days=4))
    change_result(result_id=Result.objects.earliest("pk").pk, by=None, reason="revoke", score=480)
    assert client.get("/health/").json()["stale_board_age"] < 60


def warnings(client: Client) -> list[str]:
    return list(client.get("/health/").json()["warnings"])


@pytest.mark.django_db
def test_a_clock_that_stands_still_is_a_warning_until_it_goes_again(client: Client, workers: None) -> None:
    move(timedelta(seconds=90), outage=True)
    state = client.get("/health/").json()
    assert (state["status"], state["warnings"]) == ("warn", ["clock"])
    assert 90 <= state["clock"]["pulse_age"] < 100
    assert "No clock is going" in client.get("/health/", headers=PAGE).text
    tick()
    assert warnings(client) == []


@pytest.mark.django_db
def test_steps_that_are_late_or_failed_for_good_are_warnings(
    client: Client, workers: None, register: Register
) -> None:
    register("test.fails", fail)
    schedule(kind="test.fails", subject=1, due_at=now() - timedelta(seconds=40))
    assert warnings(client) == ["late work"]
    for _ in range(5):
        tick()
        move(timedelta(seconds=61))
    assert warnings(client) == ["stuck work"]
    assert client.get("/health/").json()["clock"]["stuck"] == 1
    assert "suspended and wait for a director" in client.get("/health/", headers=PAGE).text


def fail(**_: object) -> None:
    raise ValueError("poison")


@pytest.mark.django_db
def test_messages_that_wait_or_left_half_way_are_warnings_for_a_week(
    client: Client, workers: None, deliver: Register
) -> None:
    deliver("test.mail", fail, at_most_once=True)
    send(key="one", kind="test.mail", body={})
    assert warnings(client) == []
    move(timedelta(seconds=61))
    assert warnings(client) == ["unsent"]
    tick()
    move(timedelta(seconds=61))
    assert warnings(client) == ["half sent"]
    move(timedelta(days=7))
    assert warnings(client) == []


@pytest.mark.django_db
def test_an_interruption_after_which_time_could_not_be_given_back_is_a_warning_for_a_week(
    client: Client, workers: None
) -> None:
    service_resumed.connect(fail)
    try:
        move(timedelta(seconds=90), outage=True)
        tick()
    finally:
        service_resumed.disconnect(fail)
    assert warnings(client) == ["outages"]
    move(timedelta(days=7))
    assert warnings(client) == []
