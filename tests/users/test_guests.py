"""Guests: people who play without having signed up, what is theirs, and what becomes of them."""

import pytest
from django.test import Client
from django.urls import reverse

from apps.pages.selectors import find_players
from apps.tables.refusals import Refused
from apps.tables.services import practice
from apps.tables.services.practice import play_now
from apps.users.models import Player, User
from apps.users.services import welcome_guest

pytestmark = pytest.mark.django_db

SIGNUP = {
    "username": "vera",
    "email": "vera@example.org",
    "password1": "a-long-password-7",
    "password2": "a-long-password-7",
    "player_name": "Vera",
    "country": "",
    "time_zone": "",
}


@pytest.fixture
def guest() -> User:
    return welcome_guest(language="", time_zone="")


@pytest.fixture
def visitor(client: Client, guest: User) -> Client:
    client.force_login(guest)
    return client


def test_who_signs_up_keeps_the_player(visitor: Client, guest: User) -> None:
    player = guest.player
    answer = visitor.post(reverse("users:signup"), SIGNUP)
    assert answer.status_code == 302
    player.refresh_from_db()
    guest.refresh_from_db()
    assert player.user == User.objects.get(username="vera")
    assert player.name == "Vera"
    assert guest.is_active is False
    assert Player.objects.filter(user__isnull=False).count() == 1


def test_who_signs_up_without_having_played_begins_afresh(client: Client, guest: User) -> None:
    client.post(reverse("users:signup"), SIGNUP)
    assert User.objects.get(username="vera").player != guest.player
    guest.refresh_from_db()
    assert guest.is_active


def test_a_form_that_is_wrong_takes_nothing_from_the_guest(visitor: Client, guest: User) -> None:
    answer = visitor.post(reverse("users:signup"), SIGNUP | {"password2": "another"})
    assert answer.status_code == 200
    guest.refresh_from_db()
    assert guest.is_active
    assert Player.objects.get(user=guest).name.startswith("Guest ")
    assert visitor.get(reverse("tables:lobby")).wsgi_request.user == guest


def test_a_guest_who_has_an_account_signs_in(visitor: Client) -> None:
    User.objects.create_user("ed", password="datum-demo")
    assert visitor.get(reverse("account_login")).status_code == 200
    visitor.post(reverse("account_login"), {"login": "ed", "password": "datum-demo"})
    assert str(visitor.get("/").wsgi_request.user) == "ed"


def test_what_wants_an_account_leads_a_guest_to_the_page_to_sign_up(visitor: Client) -> None:
    answer = visitor.post("/events/7/enter/")
    assert answer.status_code == 302
    assert answer["location"] == reverse("users:signup")


def test_a_guest_is_in_no_list_of_players(guest: User) -> None:
    assert guest.player not in find_players(size=50)
    assert guest.player not in find_players(text="Guest", size=50)


def test_the_session_of_a_guest_lasts_for_a_month_from_the_last_visit(visitor: Client) -> None:
    User.objects.update(last_login=None)
    visitor.get("/")
    age = visitor.session.get_expiry_age()
    assert age > 29 * 24 * 3600


def test_a_visitor_who_asks_twice_has_one_table() -> None:
    user, table = play_now(user=None, address="192.0.2.1", language="", time_zone="")
    again, same = play_now(user=user, address="192.0.2.1", language="", time_zone="")
    assert (again, same) == (user, table)


def test_so_many_guests_come_from_one_address(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(practice, "GUESTS", 2)
    for _ in range(2):
        play_now(user=None, address="192.0.2.1", language="", time_zone="")
    with pytest.raises(Refused, match="many tables"):
        play_now(user=None, address="192.0.2.1", language="", time_zone="")
    play_now(user=None, address="192.0.2.2", language="", time_zone="")
    assert User.objects.filter(is_guest=True).count() == 3
