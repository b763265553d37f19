"""Bytes that are no letters never become text, and the sign that stands for a lost letter is never stored."""

from io import BytesIO
from typing import Any
from urllib.parse import urlencode

import pytest
from django.test import Client
from django.urls import reverse

from apps.users.models import Player, User
from tests.factories import make_user

pytestmark = pytest.mark.django_db

FORM = "application/x-www-form-urlencoded"
PASSWORD = "seven-sound-tricks"
ACCOUNT = {"username": "vera", "email": "vera@example.org", "password1": PASSWORD, "password2": PASSWORD}


def sign_up(client: Client, name: str) -> int:
    """Sign up under a name that is already percent-encoded; returns the status of the answer."""
    data = f"{urlencode(ACCOUNT)}&player_name={name}"
    return client.post(reverse("account_signup"), data, content_type=FORM).status_code


@pytest.mark.parametrize(
    "name", ["Ha%FFbour", "%FC%FE", "%C3", "Ha%ED%A0%80bour", "Ha\xffbour", "Ha%EF%BF%BDbour"]
)
def test_a_form_with_letters_that_were_lost_is_refused_in_words(client: Client, name: str) -> None:
    data = f"{urlencode(ACCOUNT)}&player_name=".encode() + name.encode("latin-1")
    answer = client.post(reverse("account_signup"), data, content_type=FORM)
    assert answer.status_code == 400
    assert "A letter was lost on the way here (�). Please write it again. Nothing was saved." in answer.text
    assert not User.objects.exists()
    assert sign_up(client, "Ha%C3%BFbour") == 302  # the same form with a letter, from the same browser
    assert Player.objects.get().name == "Haÿbour"


@pytest.mark.parametrize("path", ["account_login", "users:preferences", "users:read_notices", "set_language"])
def test_every_page_that_takes_a_form_refuses_such_bytes(client: Client, path: str) -> None:
    client.force_login(make_user("vera"))
    assert client.post(reverse(path), b"a=%FF", content_type=FORM).status_code == 400
    assert client.post(reverse(path), b"a=%C3%BF", content_type=FORM).status_code != 400


@pytest.mark.parametrize("text", ["%00", "%FF", "%F0%9F%8F%8C", "%ED%A0%80"])
@pytest.mark.parametrize("path", ["pages:players", "pairs:events", "masterpoints:ranking"])
def test_no_search_breaks_a_page(client: Client, path: str, text: str) -> None:
    assert client.get(f"{reverse(path)}?q={text}").status_code == 200


class Unread(BytesIO):
    """A body that nobody may read."""

    def read(self, size: int | None = -1, /) -> bytes:
        raise AssertionError("the body was read")


@pytest.mark.parametrize("path", ["account_login", "pages:home", "tables:open"])
def test_a_form_that_is_too_long_is_refused_unread(client: Client, path: str) -> None:
    sent: Any = {"CONTENT_TYPE": FORM, "wsgi.input": Unread()}
    with pytest.raises(AssertionError, match="was read"):
        client.post(reverse(path), CONTENT_LENGTH="1000", **sent)
    answer = client.post(reverse(path), CONTENT_LENGTH=str(2 * 2**20), **sent)
    assert answer.status_code == 413
    assert "No form of this site takes so much. Nothing was saved." in answer.text


@pytest.mark.parametrize(
    ("form", "lost"),
    [
        (b"a=%C3%BF%FF", True),
        (b"a=\xc3%BF&b=%c3\xbf", False),
        (b"a=%C3&b=%BF", True),
        (b"a=%25FF&b=%%G", False),
    ],
)
def test_a_letter_is_read_whether_its_bytes_are_encoded_or_not(
    client: Client, form: bytes, lost: bool
) -> None:
    answer = client.post(reverse("account_login"), form, content_type=FORM)
    assert (answer.status_code == 400) is lost
