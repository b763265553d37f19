"""The country that a player may name, and its flag."""

import re
from collections.abc import Callable

import pytest
from django.core.exceptions import ValidationError
from django.db import IntegrityError
from django.test import Client
from django.urls import reverse
from django.utils import translation

from apps.users.countries import country_choices, country_name, flag_of
from apps.users.models import Player, User
from apps.users.templatetags.names import flag, with_flag
from tests.factories import make_user

CHOICE = {
    "player_name": "Vera Watts",
    "country": "PL",
    "language": "",
    "time_zone": "",
    "suits": "four",
    "theme": "auto",
    "mail": "all",
}
PREFERENCES = reverse("users:preferences")


def names_in(language: str) -> list[str]:
    with translation.override(language):
        return [name for _code, name in country_choices()]


def test_the_list_has_countries_and_nothing_else() -> None:
    codes = {code for code, _name in country_choices()}
    assert len(codes) == 250
    assert {"AX", "CN", "GB", "PL", "TR", "XK", "ZW"} <= codes
    assert not {"EU", "UN", "ZZ", "XA", "EZ", "QO", "IC", "AC", "001"} & codes


def test_the_list_is_in_the_readers_language_and_order() -> None:
    english, chinese = names_in("en"), names_in("zh-hans")
    assert english[:3] == ["Afghanistan", "Åland Islands", "Albania"]
    assert english[-1] == "Zimbabwe"
    assert chinese[0] == "阿尔巴尼亚"
    assert chinese.index("波兰") < chinese.index("德国") < chinese.index("日本") < chinese.index("中国")


def test_a_flag_is_written_with_the_letters_of_its_country_and_says_which_it_is() -> None:
    assert flag_of("PL") == "\N{REGIONAL INDICATOR SYMBOL LETTER P}\N{REGIONAL INDICATOR SYMBOL LETTER L}"
    with translation.override("en"):
        assert flag("PL").startswith('<span class="flag" role="img" aria-label="Poland" title="Poland"')
        assert flag("PL").endswith(f' data-flag="{flag_of("PL")}"><i>PL</i></span>&nbsp;')
        assert with_flag("PL").endswith("</span> Poland</span>")
    assert flag("") == ""
    with translation.override("zh-hans"):
        assert 'aria-label="波兰"' in flag("PL")
        assert country_name("PL") == "波兰"


def test_a_country_that_the_world_has_no_more_is_read_as_its_code() -> None:
    assert country_name("QQ") == "QQ"
    assert "QQ" in flag("QQ")


@pytest.mark.django_db
@pytest.mark.parametrize("code", ["pl", "P", "1A", "É ", "P "])
def test_the_database_keeps_no_country_that_is_no_code(code: str) -> None:
    with pytest.raises(IntegrityError, match="player_country_is_a_code"):
        Player.objects.create(name="Vera", country=code)


@pytest.mark.django_db
def test_a_player_names_a_country_of_the_world_or_none() -> None:
    for country in ("", "PL"):
        Player(name="Vera", country=country).full_clean()
    with pytest.raises(ValidationError):
        Player(name="Vera", country="ZZ").full_clean()


@pytest.fixture
def vera(client: Client) -> User:
    vera = make_user("vera")
    client.force_login(vera)
    return vera


@pytest.mark.django_db
def test_a_country_is_chosen_changed_and_taken_back(client: Client, vera: User) -> None:
    for country in ("PL", "SG", ""):
        assert client.post(PREFERENCES, {**CHOICE, "country": country}).status_code == 302
        assert Player.objects.get(user=vera).country == country
        shown = re.search(r'<select name="country".*?</select>', client.get(PREFERENCES).text, re.DOTALL)
        assert shown
        assert f'<option value="{country}" selected>' in shown[0]


@pytest.mark.django_db
@pytest.mark.parametrize("country", ["ZZ", "EU", "pl", "Poland", "001", "\0\0"])
def test_what_is_no_country_is_refused(client: Client, vera: User, country: str) -> None:
    assert client.post(PREFERENCES, {**CHOICE, "country": country}).status_code == 200
    assert not Player.objects.exists()


@pytest.mark.django_db
@pytest.mark.parametrize("country", ["", "PL"])
def test_a_new_account_may_name_a_country(client: Client, country: str) -> None:
    passwords = dict.fromkeys(["password1", "password2"], "seven no trumps")
    form = {"username": "vera", "player_name": "Vera Watts", "country": country, **passwords}
    client.post(reverse("account_signup"), form)
    assert Player.objects.get().country == country


@pytest.mark.django_db
def test_the_administration_offers_the_countries_and_names_them(client: Client) -> None:
    admin = User.objects.create_superuser("ada", "ada@example.org", "datum-demo")
    client.force_login(admin)
    player = Player.objects.create(name="Vera", country="PL")
    page = client.get(reverse("admin:users_player_change", args=[player.pk])).text
    assert '<option value="PL" selected>Poland</option>' in page
    assert "Poland" in client.get(reverse("admin:users_player_changelist")).text


Shown = Callable[[Client], str]


@pytest.mark.django_db
@pytest.mark.parametrize(
    "shown",
    [
        lambda client: client.get(Player.objects.get().get_absolute_url()).text,
        lambda client: client.get(reverse("pages:players")).text,
    ],
    ids=["own page", "list"],
)
def test_a_country_shows_on_the_pages_of_players(client: Client, shown: Shown) -> None:
    player = Player.objects.create(name="Vera", country="", user=make_user("vera"))
    assert "data-flag" not in shown(client)
    Player.objects.filter(pk=player.pk).update(country="PL")
    assert flag_of("PL") in shown(client)
    assert "Poland" in shown(client)
    client.cookies["django_language"] = "zh-hans"
    assert "波兰" in shown(client)
