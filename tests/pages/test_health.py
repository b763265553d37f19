from datetime import timedelta
from typing import Any

import pytest
from django.core.cache import cache
from django.db import DatabaseError
from django.db.models import F
from django.test import Client
from django.utils import timezone

from apps.pages import selectors, tasks
from apps.pages.services import say_seen
from apps.results.models import Comparison, Result
from apps.results.services import change_result, compare_field
from tests.factories import make_event

PAGE = {"Accept": "text/html"}


@pytest.fixture
def workers(db: None) -> None:
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
def test_a_worker_that_never_was_is_a_warning(client: Client) -> None:
    assert client.get("/health/").json()["warnings"] == ["worker datum", "worker solver"]


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
