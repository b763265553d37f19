"""A director's pages: upload, preview, publish, discard."""

import re
from pathlib import Path
from typing import Any

import pytest
from django.core.files.uploadedfile import SimpleUploadedFile
from django.core.files.uploadhandler import TemporaryFileUploadHandler
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.pairs.models import Event
from apps.pairs.services.ranking import rescore_event
from apps.results.models import Result
from apps.users.models import Player, User
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


def test_a_title_that_lost_a_letter_is_not_stored(director: Client) -> None:
    upload(director)
    event = Event.objects.get()
    title = event.title
    answer = director.post(
        f"/events/{event.pk}/publish/", b"title=Ha%FFbour", content_type="application/x-www-form-urlencoded"
    )
    assert answer.status_code == 400
    assert "A letter was lost on the way here" in answer.content.decode()
    event.refresh_from_db()
    assert (event.title, event.state) == (title, Event.State.DRAFT)


def test_a_title_is_stored_composed(director: Client) -> None:
    upload(director)
    event = Event.objects.get()
    director.post(f"/events/{event.pk}/publish/", {"title": "Zoe\u0308s Butler"})
    event.refresh_from_db()
    assert event.title == "Zo\u00ebs Butler"


def test_the_preview_of_a_long_file_takes_as_many_queries_as_that_of_a_short_one(director: Client) -> None:
    boards = re.findall(rb"<BOARD>.*?</BOARD>", BUTLER.partition(b"<HANDSET>")[0], re.DOTALL)
    long = BUTLER.replace(b"</TOTAL_SCORE>", b".5</TOTAL_SCORE>")  # a difference for every pair
    short = long
    for board in boards[2:]:
        short = short.replace(board, b"")

    def queries(data: bytes) -> int:
        address = upload(director, data).headers["Location"]
        with CaptureQueriesContext(connection) as captured:
            assert director.get(address).status_code == 200
        return len(captured)

    assert queries(short) == queries(long)
    few, many = Event.objects.order_by("pk")
    assert (few.source["rows"], many.source["rows"]) == (8, 48)
    assert len(many.source["differences"]) >= 8


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


@pytest.fixture
def written(monkeypatch: pytest.MonkeyPatch, settings: Any) -> list[int]:
    """How many bytes of uploads reach a temporary file, chunk by chunk; every upload goes to one."""
    settings.FILE_UPLOAD_MAX_MEMORY_SIZE = 0
    chunks: list[int] = []
    write = TemporaryFileUploadHandler.receive_data_chunk

    def counted(self: TemporaryFileUploadHandler, raw_data: bytes, start: int) -> None:
        chunks.append(len(raw_data))
        write(self, raw_data, start)

    monkeypatch.setattr(TemporaryFileUploadHandler, "receive_data_chunk", counted)
    return chunks


def test_an_upload_within_the_limit_is_written_whole_and_read(director: Client, written: list[int]) -> None:
    assert upload(director).status_code == 302
    assert sum(written) == len(BUTLER)


def test_a_request_beyond_the_limit_is_refused_by_its_length_and_nothing_is_written(
    director: Client, written: list[int], settings: Any
) -> None:
    settings.IMPORT_MAX_BYTES = 2**20
    answer = upload(director, BUTLER + b" " * (50 * 2**20))
    assert answer.status_code == 422
    assert "The file has 51 MB; events are not larger than 1 MB." in answer.content.decode()
    assert written == []
    assert not Event.objects.exists()


def test_a_file_beyond_the_limit_is_stopped_at_the_limit(
    director: Client, written: list[int], settings: Any
) -> None:
    settings.IMPORT_MAX_BYTES = 2**20
    answer = upload(director, BUTLER + b" " * (2**20 + 2**19))
    assert answer.status_code == 422
    assert "events are not larger than 1 MB" in answer.content.decode()
    assert sum(written) <= 2**20


def test_hand_records_beyond_the_limit_stop_the_import_too(
    director: Client, written: list[int], settings: Any
) -> None:
    settings.IMPORT_MAX_BYTES = 2**20
    files = {
        "file": SimpleUploadedFile("butler.xml", BUTLER),
        "deals": SimpleUploadedFile("butler.pbn", b" " * (2**20 + 2**19)),
    }
    answer = director.post("/events/import/", files)
    assert answer.status_code == 422
    assert "events are not larger than 1 MB" in answer.content.decode()
    assert not Event.objects.exists()


def test_an_upload_without_its_token_is_refused_and_one_with_it_is_read() -> None:
    client = Client(enforce_csrf_checks=True)
    client.force_login(make_user("dora", director=True))
    assert upload(client).status_code == 403
    assert not Event.objects.exists()
    token = client.get("/events/import/").context["csrf_token"]
    file = SimpleUploadedFile("butler.xml", BUTLER)
    answer = client.post("/events/import/", {"csrfmiddlewaretoken": str(token), "file": file})
    assert answer.status_code == 302
    assert Event.objects.exists()


def test_bad_hand_records_are_said_beside_their_own_file(director: Client) -> None:
    files = {
        "file": SimpleUploadedFile("butler.xml", BUTLER),
        "deals": SimpleUploadedFile("butler.pbn", b'[Board "1"]\n'),
    }
    answer = director.post("/events/import/", files)
    assert answer.status_code == 422
    assert answer.context["form"].errors == {"deals": ["The file of hand records holds no cards."]}
    assert "Hand records: The file of hand records holds no cards." in answer.content.decode()


def home(dealer: bytes) -> bytes:
    return (
        b'[Event "Home"]\n[Board "2"]\n[Dealer "%s"]\n[Scoring "MP"]\n'
        b'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 3NT N 9\n3 4 2S E 8\n' % dealer
    )


def test_boards_with_an_unusual_dealer_are_published_after_a_tick(director: Client) -> None:
    upload(director, home(b"N"))
    event = Event.objects.get()
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "Not those of their numbers: boards 2." in page
    assert "the file says dealer N" in page
    unticked = director.post(f"/events/{event.pk}/publish/", {"title": "Home"})
    assert unticked.status_code == 422
    event.refresh_from_db()
    assert event.state == Event.State.DRAFT
    director.post(f"/events/{event.pk}/publish/", {"title": "Home", "conditions_checked": "on"})
    event.refresh_from_db()
    assert event.state == Event.State.PUBLISHED


def test_boards_as_their_numbers_want_them_ask_for_no_tick(director: Client) -> None:
    upload(director, home(b"E"))
    event = Event.objects.get()
    assert "conditions_checked" not in director.get(f"/events/{event.pk}/preview/").content.decode()
    director.post(f"/events/{event.pk}/publish/", {"title": "Home"})
    event.refresh_from_db()
    assert event.state == Event.State.PUBLISHED


def test_the_administration_publishes_no_board_that_nobody_checked(client: Client) -> None:
    client.force_login(User.objects.create_superuser("vera", "vera@example.org", "datum-demo"))
    upload(client, home(b"N"))
    upload(client)
    chosen = {"action": "publish", "_selected_action": [event.pk for event in Event.objects.all()]}
    page = client.post(reverse("admin:pairs_event_changelist"), chosen, follow=True).content.decode()
    assert "somebody has checked them" in page
    assert [event.title for event in Event.objects.filter(state="published")] != ["Home"]
    assert Event.objects.filter(state="published").count() == 1


def test_doubtful_results_and_handicaps_stand_in_the_preview(director: Client) -> None:
    upload(director, BUTLER.replace(b"<PAIR_NUMBER>", b"<HANDICAP>4.5</HANDICAP><PAIR_NUMBER>", 1))
    event = Event.objects.get()
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "Doubtful results" in page
    assert "The score is far from every other score on the board." in page
    assert "4.5" in page
    assert "handicaps" in page


def test_a_doubtful_result_that_was_asked_about_stays_marked_whatever_is_computed_again(
    director: Client,
) -> None:
    upload(director, home(b"E") + b"5 6 4S N 11\n7 8 4S S 10\n9 10 4S E 11\n11 12 4S N 10\n")
    event = Event.objects.get()
    assert [doubt["pair"] for doubt in event.source["doubts"]] == ["3 – 4", "9 – 10"]
    address = f"/events/{event.pk}/preview/"
    page = director.get(address).text
    assert page.count("I have asked") == page.count("At other tables the other side played") == 2
    for _press in range(2):
        assert director.post(f"{address}1/checked/").status_code == 302
    assert director.post(f"{address}7/checked/").status_code == 302
    rescore_event(event_id=event.pk)
    page = director.get(address).text
    assert page.count("I have asked") == 1
    assert page.count("At other tables the other side played") == 2
    event.refresh_from_db()
    assert [doubt.get("checked") for doubt in event.source["doubts"]] == [None, "dora"]


def test_a_preview_without_doubtful_results_and_handicaps_has_no_place_for_them(director: Client) -> None:
    upload(director, home(b"E"))
    event = Event.objects.get()
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "Doubtful results" not in page
    assert "Handicap" not in page


def test_the_scoring_in_the_preview_is_that_of_the_file_and_a_silent_file_asks(director: Client) -> None:
    silent = home(b"E").replace(b'[Scoring "MP"]\n', b"")
    answer = upload(director, silent)
    assert answer.status_code == 422
    assert "Choose the scoring." in answer.content.decode()
    upload(director, home(b"E"))
    event = Event.objects.get()
    page = director.get(f"/events/{event.pk}/preview/").content.decode()
    assert "matchpoints" in page
    assert "whoever imported it chose" not in page


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


@pytest.mark.parametrize(
    ("name", "label"), [("import", "Import"), ("new", "Events"), ("series", "Events"), ("events", "Events")]
)
def test_the_navigation_marks_where_one_is(director: Client, name: str, label: str) -> None:
    page = director.get(reverse(f"pairs:{name}")).content.decode()
    marked = re.findall(r'aria-current="page">([^<]+)</a>', page.partition("</nav>")[0])
    assert marked == [label]


def test_a_table_of_double_dummy_results_has_a_plural_in_the_administration(client: Client) -> None:
    client.force_login(User.objects.create_superuser("root"))
    page = client.get(reverse("admin:app_list", args=["boards"])).content.decode()
    assert "Double-dummy tables" in page
    assert "dummys" not in page
