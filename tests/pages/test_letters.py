"""Bytes that are no letters never become text: not in a form, and not in its place a sign that letters were lost."""

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


@pytest.mark.parametrize("name", ["Ha%FFbour", "%FC%FE", "%C3", "Ha%ED%A0%80bour", "Ha\xffbour"])
def test_a_form_with_bytes_that_are_no_letters_is_refused_in_words(client: Client, name: str) -> None:
    data = f"{urlencode(ACCOUNT)}&player_name=".encode() + name.encode("latin-1")
    answer = client.post(reverse("account_signup"), data, content_type=FORM)
    assert answer.status_code == 400
    assert "letters that are not UTF-8, so nothing was saved" in answer.text
    assert not User.objects.exists()
    assert sign_up(client, "Ha%C3%BFbour") == 302  # the same form with a letter, from the same browser
    assert Player.objects.get().name == "Haÿbour"


@pytest.mark.parametrize("path", ["account_login", "users:preferences", "users:read_notices", "set_language"])
def test_every_page_that_takes_a_form_refuses_such_bytes(client: Client, path: str) -> None:
    client.force_login(make_user("vera"))
    assert client.post(reverse(path), b"a=%FF", content_type=FORM).status_code == 400
    assert client.post(reverse(path), b"a=%C3%BF", content_type=FORM).status_code != 400


def test_a_name_that_lost_a_letter_before_is_not_stored(client: Client) -> None:
    answer = client.post(reverse("account_signup"), {**ACCOUNT, "player_name": "Ha\ufffdbour"})
    assert "A letter was lost on the way here" in answer.text
    assert not User.objects.exists()


@pytest.mark.parametrize("text", ["%00", "%FF", "%F0%9F%8F%8C", "%ED%A0%80"])
@pytest.mark.parametrize("path", ["pages:players", "pairs:events", "masterpoints:ranking"])
def test_no_search_breaks_a_page(client: Client, path: str, text: str) -> None:
    assert client.get(f"{reverse(path)}?q={text}").status_code == 200
