import re

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone, translation

from apps.users import zones
from apps.users.middleware import PreferencesMiddleware
from apps.users.models import Player, User
from apps.users.services import create_player_for, notify
from tests.factories import make_user

CHOICE = {
    "player_name": "Vera Watts",
    "language": "zh-hans",
    "time_zone": "Europe/Dublin",
    "suits": "two",
    "theme": "dark",
    "mail": "all",
}


@pytest.fixture
def vera(client: Client) -> User:
    vera = make_user("vera")
    client.force_login(vera)
    return vera


def test_preferences_are_for_those_signed_in(client: Client) -> None:
    assert client.get(reverse("users:preferences")).headers["Location"].startswith("/accounts/login/")


@pytest.mark.django_db
def test_preferences_are_kept_and_shown_on_every_page(client: Client, vera: User) -> None:
    client.post(reverse("users:preferences"), CHOICE)
    vera.refresh_from_db()
    assert (vera.language, vera.time_zone, vera.suits, vera.theme) == (
        "zh-hans",
        "Europe/Dublin",
        "two",
        "dark",
    )
    page = client.get("/help/").content.decode()
    assert '<html lang="zh-Hans" data-suits="two" data-theme="dark">' in page


@pytest.mark.django_db
def test_a_new_name_stays_with_the_player(client: Client, vera: User) -> None:
    player = Player.objects.create(name="Vera", user=vera)
    client.post(reverse("users:preferences"), CHOICE)
    player.refresh_from_db()
    assert (player.name, player.name_key) == ("Vera Watts", "vera watts")
    assert Player.objects.count() == 1


@pytest.mark.django_db
def test_saving_twice_changes_nothing_more(client: Client, vera: User) -> None:
    for _ in range(2):
        client.post(reverse("users:preferences"), CHOICE)
    assert Player.objects.count() == 1


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("field", "value"),
    [
        ("time_zone", "Mars/Olympus"),
        ("language", "xx"),
        ("suits", "five"),
        ("mail", "some"),
        ("player_name", " "),
    ],
)
def test_what_does_not_exist_is_refused(client: Client, vera: User, field: str, value: str) -> None:
    response = client.post(reverse("users:preferences"), {**CHOICE, field: value})
    assert response.status_code == 200
    vera.refresh_from_db()
    assert vera.theme == "auto"


@pytest.mark.django_db
def test_the_accounts_language_is_spoken_in_a_new_browser(client: Client, vera: User) -> None:
    User.objects.filter(pk=vera.pk).update(language="zh-hans")
    assert 'lang="zh-Hans"' in client.get("/help/").content.decode()


@pytest.mark.django_db
def test_a_language_picked_on_the_page_goes_before_the_accounts(client: Client, vera: User) -> None:
    User.objects.filter(pk=vera.pk).update(language="zh-hans")
    client.post(reverse("set_language"), {"language": "en", "next": "/help/"})
    assert '<html lang="en"' in client.get("/help/").content.decode()


@pytest.mark.django_db
def test_times_are_the_viewers_own(vera: User, rf: object) -> None:
    vera.time_zone, vera.language = "Europe/Dublin", "zh-hans"
    seen: list[str] = []

    def page(request: object) -> None:
        seen.extend([timezone.get_current_timezone_name(), translation.get_language() or ""])

    request = rf.get("/")  # type: ignore[attr-defined]
    request.user = vera
    with translation.override("en"):
        PreferencesMiddleware(page)(request)  # type: ignore[arg-type]
    assert seen == ["Europe/Dublin", "zh-hans"]
    assert timezone.get_current_timezone_name() != "Europe/Dublin"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("chosen", "browsers", "read"),
    [
        ("", "Europe/Berlin", "Europe/Berlin"),
        ("", "Asia/Calcutta", "Asia/Kolkata"),
        ("", "Mars/Olympus", "Asia/Shanghai"),
        ("", "../../etc/passwd", "Asia/Shanghai"),
        ("", None, "Asia/Shanghai"),
        ("Europe/Dublin", "Europe/Berlin", "Europe/Dublin"),
    ],
)
def test_who_has_chosen_no_zone_reads_all_times_in_that_of_the_browser(
    client: Client, vera: User, chosen: str, browsers: str | None, read: str
) -> None:
    User.objects.filter(pk=vera.pk).update(time_zone=chosen, is_director=True)
    if browsers is not None:
        client.cookies["zone"] = browsers
    notify(users=[vera.pk], key="a", message="Hello", params={}, url="/events/")
    for address in (reverse("users:notices"), reverse("tables:calls")):
        assert f"Times are on the clocks of {read}." in client.get(address).text


@pytest.mark.django_db
@pytest.mark.parametrize("gone", ["Mars/Olympus", "America", "../etc/passwd", "localtime"])
def test_a_zone_that_no_longer_exists_is_passed_over(client: Client, vera: User, gone: str) -> None:
    User.objects.filter(pk=vera.pk).update(time_zone=gone)
    assert client.get("/help/").status_code == 200


@pytest.mark.django_db
@pytest.mark.parametrize("gone", ["xx", "English", "../de"])
def test_a_language_that_the_site_has_no_more_is_passed_over(client: Client, vera: User, gone: str) -> None:
    create_player_for(user=vera, name="Vera", country="PL")
    User.objects.filter(pk=vera.pk).update(language=gone)
    for address in ("/", reverse("users:preferences"), Player.objects.get().get_absolute_url()):
        page = client.get(address)
        assert page.status_code == 200
        assert '<html lang="en"' in page.text
    assert User.objects.get().reads_in is None  # nor in mails


def test_zones_are_looked_for_once(monkeypatch: pytest.MonkeyPatch) -> None:
    assert zones.exists("Europe/Dublin")
    monkeypatch.delattr(zones, "available_timezones")
    assert zones.exists("Europe/Athens")
    assert not zones.exists("Mars/Olympus")


@pytest.mark.django_db
def test_a_language_picked_on_the_page_is_that_of_the_mails_too(client: Client, vera: User) -> None:
    client.post(reverse("set_language"), {"language": "zh-hans", "next": "/help/"})
    vera.refresh_from_db()
    assert vera.language == "zh-hans"
    client.post(reverse("set_language"), {"language": "xx", "next": "/help/"})
    client.get(reverse("set_language"))
    vera.refresh_from_db()
    assert vera.language == "zh-hans"


@pytest.mark.django_db
def test_a_visitor_picks_a_language_for_no_account(vera: User) -> None:
    client = Client()
    client.post(reverse("set_language"), {"language": "zh-hans", "next": "/help/"})
    assert 'lang="zh-Hans"' in client.get("/help/").content.decode()
    vera.refresh_from_db()
    assert vera.language == ""


def zones_offered(client: Client) -> dict[str, str]:
    """What the list of zones offers, with its words; the one that is chosen has a star."""
    page = client.get(reverse("users:preferences")).text
    listed = re.search(r'<select name="time_zone".*?</select>', page, re.DOTALL)
    assert listed
    return {
        zone: words + "*" * bool(chosen)
        for zone, chosen, words in re.findall(r'<option value="([^"]*)"( selected)?>([^<]*)', listed[0])
    }


@pytest.mark.django_db
def test_zones_stand_by_their_countries_in_chinese_by_sound(client: Client, vera: User) -> None:
    User.objects.filter(pk=vera.pk).update(language="zh-hans")
    names = list(zones_offered(client).values())
    first = [
        next(place for place, name in enumerate(names) if name.startswith(country))
        for country in ("阿尔及利亚", "安哥拉", "中非共和国")
    ]
    assert first == sorted(first)
    assert any(name.startswith("南极洲: 特罗尔") for name in names)


@pytest.mark.django_db
def test_zones_are_offered_by_town_and_country_each_once(client: Client, vera: User) -> None:
    offered = zones_offered(client)
    assert offered["America/Los_Angeles"].startswith("United States: Los Angeles (UTC-0")
    assert offered["Asia/Kolkata"] == "India: Kolkata (UTC+0530)"
    assert offered["Asia/Singapore"] == "Singapore (UTC+0800)"
    assert offered[""] == "that of the browser; in mails Asia/Shanghai*"
    for alias in ("US/Pacific", "Asia/Calcutta", "Europe/Kiev", "GB", "Etc/UTC", "Etc/GMT-8", "EST5EDT"):
        assert alias not in offered
    User.objects.filter(pk=vera.pk).update(language="zh-hans")
    assert zones_offered(client)["Asia/Kolkata"] == "印度: 加尔各答 (UTC+0530)"


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("stored", "shown"),
    [
        ("US/Pacific", "America/Los_Angeles"),
        ("Etc/GMT-8", "Etc/GMT-8"),
        ("UTC", "UTC"),
        ("CET", "Europe/Brussels"),
    ],
)
def test_a_zone_that_was_kept_under_another_name_is_chosen_under_its_own(
    client: Client, vera: User, stored: str, shown: str
) -> None:
    User.objects.filter(pk=vera.pk).update(time_zone=stored)
    assert [zone for zone, words in zones_offered(client).items() if words.endswith("*")] == [shown]
    client.post(reverse("users:preferences"), {**CHOICE, "time_zone": stored})
    vera.refresh_from_db()
    assert vera.time_zone == shown
