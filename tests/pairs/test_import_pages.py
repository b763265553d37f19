"""A director's pages: upload, preview, publish, discard."""

from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.test import Client, override_settings

from apps.pairs.models import Event
from apps.results.models import Result
from apps.users.models import Player
from tests.factories import make_event, make_user

EVENTS = Path(__file__).parents[1] / "data" / "events"
BUTLER = (EVENTS / "butler.xml").read_bytes()

pytestmark = pytest.mark.django_db


@pytest.fixture
def director() -> Client:
    client = Client()
    client.force_login(make_user("dora", director=True))
    return client


def upload(client: Client, data: bytes = BUTLER) -> Any:
    file = SimpleUploadedFile("butler.xml", data)
    return client.post("/events/import/", {"file": file, "awards_masterpoints": "on"})


def test_only_directors_import(client: Client) -> None:
    assert client.get("/events/import/").headers["Location"].startswith("/accounts/login/")
    client.force_login(make_user("vera"))
    assert client.get("/events/import/").status_code == 403
    assert upload(client).status_code == 403
    assert not Event.objects.exists()


def test_an_upload_becomes_a_draft_that_is_previewed_and_published(director: Client, client: Client) -> None:
    assert director.get("/events/import/").status_code == 200
    answer = upload(director)
    event = Event.objects.get()
    assert answer.headers["Location"] == f"/events/{event.pk}/preview/"
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "1 left out at each end" in page
    assert "林月白" in page
    assert client.get(f"/events/{event.pk}/preview/").status_code == 302
    assert client.get(f"/events/{event.pk}/").status_code == 404
    details = {"title": "Harbour Butler", "played_on": "2026-11-15", "organisation": "Harbour Lights"}
    for _ in range(2):
        published = director.post(f"/events/{event.pk}/publish/", details)
        assert published.headers["Location"] == f"/events/{event.pk}/"
    event.refresh_from_db()
    assert (event.title, str(event.played_on), event.state) == ("Harbour Butler", "2026-11-15", "published")
    assert event.published_by is not None
    assert client.get(f"/events/{event.pk}/").status_code == 200
    assert director.get(f"/events/{event.pk}/preview/").status_code == 302


def test_an_event_without_a_title_is_not_published(director: Client) -> None:
    upload(director)
    event = Event.objects.get()
    answer = director.post(
        f"/events/{event.pk}/publish/", {"title": " ", "played_on": "", "organisation": ""}
    )
    assert answer.status_code == 422
    event.refresh_from_db()
    assert event.state == Event.State.DRAFT


def test_the_same_file_leads_to_the_event_that_is_there(director: Client) -> None:
    upload(director)
    answer = upload(director)
    event = Event.objects.get()
    page = director.get(answer.headers["Location"])
    assert page.context["event"] == event
    assert "already there" in page.content.decode()


def test_a_bad_file_says_what_is_wrong_and_where_and_nothing_is_stored(director: Client) -> None:
    answer = upload(director, BUTLER.replace(b"BUTLER_PAIRS", b"CHESS"))
    assert answer.status_code == 422
    page = answer.content.decode()
    assert "Line 8" in page
    assert "CHESS" in page
    assert not Event.objects.exists()


def test_a_file_that_is_too_large_is_refused_unread(director: Client) -> None:
    with override_settings(IMPORT_MAX_BYTES=1000):
        answer = upload(director)
    assert answer.status_code == 422
    assert "not larger than" in answer.content.decode()


def test_a_draft_can_be_discarded_and_imported_again(director: Client) -> None:
    upload(director)
    event = Event.objects.get()
    assert director.get(f"/events/{event.pk}/discard/").status_code == 405
    assert director.post(f"/events/{event.pk}/discard/").headers["Location"] == "/events/import/"
    assert not Event.objects.exists()
    assert not Result.objects.exists()
    assert not Player.objects.exists()
    upload(director)
    assert Event.objects.exists()


def test_a_published_event_is_not_discarded(director: Client) -> None:
    upload(director)
    event = Event.objects.get()
    director.post(f"/events/{event.pk}/publish/", {"title": "Butler"})
    assert director.post(f"/events/{event.pk}/discard/").headers["Location"] == f"/events/{event.pk}/"
    assert Event.objects.exists()


def test_a_draft_that_came_from_no_file_is_previewed_without_one(director: Client) -> None:
    event = make_event([[420, 450], [50, -50]])
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "4 results" in page
    assert "in the file" not in page
