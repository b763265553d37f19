from typing import Any

import pytest
from django.db import DatabaseError
from django.test import Client

from apps.pages import selectors
from tests.factories import make_event

PAGE = {"Accept": "text/html"}


@pytest.mark.django_db
def test_health_says_what_waits(client: Client) -> None:
    make_event([[420, 450], [-50, 100]])
    response = client.get("/health/")
    assert response.status_code == 200
    assert response.json() == {
        "status": "ok",
        "database": "ok",
        "redis": "ok",
        "waiting": {"boards_to_compare": 2, "events_to_rank": 0, "deals_to_solve": 0},
    }


@pytest.mark.django_db
def test_without_redis_pages_are_still_served(client: Client, settings: Any) -> None:
    settings.REDIS_URL = "redis://127.0.0.1:1/0"
    response = client.get("/health/")
    assert response.status_code == 200
    assert response.json()["status"] == "degraded"
    assert "Redis does not answer" in client.get("/health/", headers=PAGE).content.decode()


@pytest.mark.django_db
def test_without_the_database_health_says_so_and_fails(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    def away() -> dict[str, int]:
        raise DatabaseError("away")

    monkeypatch.setattr(selectors, "waiting", away)
    response = client.get("/health/", headers=PAGE)
    assert response.status_code == 503
    assert "The database does not answer" in response.content.decode()
    assert client.get("/health/").json()["status"] == "down"
