import re
import unicodedata

import pytest
from django.core import mail
from django.test import Client
from django.urls import reverse

from apps.users.models import Player, User
from apps.users.services import create_player_for
from tests.factories import make_user

PASSWORD = "seven no trumps"


def sign_up(
    client: Client, username: str, name: str = "Vera Watts", email: str = "", time_zone: str = ""
) -> bytes:
    form = {
        "username": username,
        "time_zone": time_zone,
        "email": email,
        "player_name": name,
        "password1": PASSWORD,
        "password2": PASSWORD,
    }
    return client.post(reverse("account_signup"), form, follow=True).content


@pytest.mark.django_db
def test_sign_up_makes_an_account_and_its_player(client: Client) -> None:
    sign_up(client, "vera", "  Vera   Watts ")
    player = Player.objects.get()
    assert player.user == User.objects.get(username="vera")
    assert player.name == "Vera Watts"
    assert client.session["_auth_user_id"] == str(player.user.pk)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("browser", "kept"),
    [
        ("America/Lima", "America/Lima"),
        ("Etc/UTC", "UTC"),
        ("Asia/Calcutta", "Asia/Kolkata"),
        ("US/Pacific", "America/Los_Angeles"),
        ("Etc/GMT-8", "Etc/GMT-8"),
        ("", ""),
        ("UTC", "UTC"),
        ("Middle/Earth", ""),
        ("localtime", ""),
        ("Factory", ""),
        ("../../etc/passwd", ""),
        ("\0", ""),
        ("x" * 5000, ""),
    ],
)
def test_a_new_account_reads_times_in_the_zone_of_its_browser(
    client: Client, browser: str, kept: str
) -> None:
    sign_up(client, "vera", time_zone=browser)

    user = User.objects.get(username="vera")
    assert user.time_zone == kept
    page = client.get(reverse("users:preferences")).content.decode()
    assert f'<option value="{kept}" selected>' in page


@pytest.mark.django_db
def test_a_name_in_any_script_is_kept_composed(client: Client) -> None:
    sign_up(client, "lin", unicodedata.normalize("NFD", "Zoë") + " 林书远")
    assert Player.objects.get().name == "Zoë 林书远"


@pytest.mark.django_db
def test_sign_up_without_a_name_makes_nothing(client: Client) -> None:
    page = sign_up(client, "vera", "   ")
    assert b'aria-invalid="true"' in page
    assert not User.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("second", ["zoë", "ZOË", unicodedata.normalize("NFD", "Zoë")])
def test_a_user_name_is_one_in_every_spelling(client: Client, second: str) -> None:
    sign_up(client, "Zoë")
    sign_up(Client(), second)
    assert User.objects.count() == 1
    assert Player.objects.count() == 1


@pytest.mark.django_db
def test_one_signs_in_with_the_name_typed_in_either_form(client: Client) -> None:
    sign_up(client, "Zoë")
    other = Client()
    other.post(reverse("account_login"), {"login": unicodedata.normalize("NFD", "ZOË"), "password": PASSWORD})
    assert "_auth_user_id" in other.session


@pytest.mark.django_db
def test_a_wrong_password_is_refused_in_words(client: Client) -> None:
    make_user("vera", password=PASSWORD)
    page = client.post(reverse("account_login"), {"login": "vera", "password": "wrong"}).content.decode()
    assert 'role="alert"' in page
    assert "_auth_user_id" not in client.session


@pytest.mark.django_db
def test_a_forgotten_password_is_replaced_by_mail(client: Client) -> None:
    vera = make_user("vera")
    client.post(reverse("account_reset_password"), {"email": vera.email})
    link = re.search(r"http://testserver(\S+)", str(mail.outbox[0].body))
    assert link
    response = client.get(link[1], follow=True)
    address = response.redirect_chain[-1][0]
    client.post(address, {"password1": PASSWORD, "password2": PASSWORD})
    vera.refresh_from_db()
    assert vera.check_password(PASSWORD)


@pytest.mark.django_db
def test_a_link_that_was_used_says_what_to_do(client: Client) -> None:
    page = client.get(reverse("account_reset_password_from_key", args=["1", "set-password"])).content.decode()
    assert reverse("account_reset_password") in page


@pytest.mark.django_db
def test_creating_the_player_twice_makes_one() -> None:
    vera = make_user("vera")
    first = create_player_for(user=vera, name="Vera")
    assert create_player_for(user=vera, name="Vera Watts") == first
    assert Player.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "account_email",
        "account_change_password",
        "account_reauthenticate",
        "account_logout",
        "users:preferences",
    ],
)
def test_account_pages_stand_in_the_frame(client: Client, name: str) -> None:
    client.force_login(make_user("vera"))
    page = client.get(reverse(name)).content.decode()
    assert 'class="panel form"' in page or 'class="form panel"' in page
    assert 'class="brand"' in page


@pytest.mark.django_db
@pytest.mark.parametrize(
    "name",
    [
        "account_login",
        "account_signup",
        "account_inactive",
        "account_reset_password",
        "account_reset_password_done",
        "account_reset_password_from_key_done",
        "account_email_verification_sent",
    ],
)
def test_pages_before_signing_in_stand_in_the_frame(client: Client, name: str) -> None:
    response = client.get(reverse(name), follow=True)
    assert response.status_code == 200
    assert b'class="brand"' in response.content


@pytest.mark.django_db
@pytest.mark.parametrize(("asked", "kept"), [("zh-CN,zh;q=0.9", "zh-hans"), ("en-GB", "en"), ("fr", "en")])
def test_a_new_account_is_written_to_in_the_language_in_which_it_signed_up(asked: str, kept: str) -> None:
    sign_up(Client(headers={"accept-language": asked}), "vera")
    assert User.objects.get(username="vera").language == kept


@pytest.mark.django_db
@pytest.mark.parametrize("asked", ["en", "zh-hans"])
def test_the_mail_that_confirms_an_address_comes_from_datum(asked: str) -> None:
    sign_up(
        Client(headers={"accept-language": asked, "host": "localhost:8751"}), "vera", email="vera@example.org"
    )
    [message] = mail.outbox
    assert "Datum" in str(message.body).splitlines()[0]
    assert "localhost" not in str(message.body).splitlines()[0]
    assert message.subject.startswith("[Datum] ")
