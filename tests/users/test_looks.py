"""Names that look alike: what people cannot tell apart, nobody may take."""

import unicodedata
from functools import partial
from time import sleep

import pytest
from django.core.exceptions import ValidationError
from django.db import connection
from django.db.models import F
from django.test import Client
from django.urls import reverse

from apps.users import forms
from apps.users.forms import SignupForm, check_name
from apps.users.looks import _ALIKE, has_bar, look, look_of, mixed_word
from apps.users.models import Player, User, name_key
from apps.users.selectors import looks_like_another
from apps.users.services import PlayerFacts, find_or_create_players
from tests.factories import make_user
from tests.faults.threads import at_once

REAL = (
    "Müller",
    "Ярослав Иванов",
    "王小明",
    "Łukasz",
    "O’Brien",
    "Wang 王",
    "王Wang",
    "Li Na (李娜)",
    "d'Ambrós-Lévesque",
    "Anna-Мария",
    "Ελένη Θαλασσινού",
    "Işıl Çınaroğlu",
    "カラオケ好き",
    "김민준",
    "𠮷岡 圭",
    "نور الزيتوني",
    "תמר הדסי",
    "สมชาย",
    "अनुष्का",
    "Henry VIII 1",
    "Wren 🃏 Thistlewood",
    "Wren \U0001fae8 \U0001fae9",  # younger than the tables of Python
    "\U000323af",
    unicodedata.normalize("NFD", "Zoë"),
)


@pytest.mark.django_db
@pytest.mark.parametrize("name", REAL)
def test_a_real_name_is_taken_beside_all_others(name: str) -> None:
    for other in REAL:
        if other != name:
            Player.objects.create(name=other)
    check_name(name)
    Player.objects.create(name=name)
    check_name(name)  # a namesake


@pytest.mark.parametrize(
    ("name", "word"),
    [
        ("Anna Nоwak", "Nоwak"),
        ("Аnna", "Аnna"),
        ("Vera Wαtts", "Wαtts"),
        ("Αθηνa", "Αθηνa"),
        ("О'Brien", "О'Brien"),
        ("Ꭺnna", "Ꭺnna"),
        ("Ａnnа", "Annа"),  # full width, and a Cyrillic letter at its end
    ],
)
def test_a_word_of_two_alphabets_is_found(name: str, word: str) -> None:
    assert mixed_word(name) == word


def test_each_letter_of_the_list_has_its_look_and_stands_there_once() -> None:
    letters = "".join(letters for letters, _looks in _ALIKE)
    assert all(len(letters) == len(looks) for letters, looks in _ALIKE)
    assert len(set(letters)) == len(letters)
    assert unicodedata.normalize("NFKD", letters) == letters


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Coco Poc", "Сосо Рос"),  # Cyrillic
        ("Vera", "ꓦꓰꓣꓮ"),  # Lisu
        ("Tom", "ТОМ"),
        ("Ivo", "lvo"),
        ("Bob", "ВОВ"),
        ("Ava", "Ανα"),  # Greek
        ("Зоя 0", "Зоя O"),
        ("エロ", "工口"),
        ("Chloë Xyp", "Сһӏоё Хур"),
        ("Coco", "Ϲοϲο"),  # lunate sigma
        ("Ooo", "ⲟⲟⲟ"),  # Coptic
        ("Alice", "Aǀice"),
        ("Alice", "AƖice"),
        ("Alice", "A∣ice"),
        ("I Lee", "￨ Lee"),
        ("Max", "ᴍᴀx"),
        ("Cara", "ᑕᗩᖇᗩ"),
        ("Bernard", "Bemard"),
        ("Walter", "VValter"),
        ("Evvw", "Ewvv"),
        ("\u0639\u0644\u064a", "\u0639\u0644\u0649"),  # Ali, with and without the dots of its last letter
        ("\u0643\u0631\u064a\u0645", "\u06a9\u0631\u06cc\u0645"),  # Karim in Arabic and in Persian letters
        ("Bill", "Bi\u0661\u0661"),
        ("Zoë", "Z௦ë"),
        ("O'Brien", "OʹBrien"),
        ("O’Brien", "O՚Brien"),
        ("L'Ile", "L’lle"),
        ("Anne-Marie", "Anne˗Marie"),
    ],
)
def test_whoever_would_look_like_somebody_else_is_found(name: str, other: str) -> None:
    Player.objects.create(name=name)
    assert looks_like_another(other)
    Player.objects.all().delete()
    Player.objects.create(name=other)
    assert looks_like_another(name)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "other"),
    [
        ("Ian Li", "Lan Li"),
        ("Anna", "Ana"),
        ("Ева", "Eva"),
        ("Роман", "Poman"),
        ("Zoë", "Zoe"),
        ("Łukasz", "Lukasz"),
        ("Vera Watts", "VERA  WATTS"),
        ("Pat O’Brien", "Pat O'Brien"),
        ("Işık", "IŞIK"),
        ("Łoś‐Wrona", "Łoś-Wrona"),
    ],
)
def test_other_names_and_other_spellings_of_one_name_stand_side_by_side(name: str, other: str) -> None:
    Player.objects.create(name=name)
    assert not looks_like_another(other)


@pytest.mark.parametrize("name", ["A|ice", "Alice∣", "￨an Lee", "王│"])
def test_a_bar_at_a_letter_is_refused_and_one_between_names_is_not(name: str) -> None:
    with pytest.raises(ValidationError, match="bar"):
        check_name(name)
    assert not has_bar("Ann Lee | Bridge Club")


@pytest.mark.parametrize("sign", ["\ue000", "\u0378", "\U000fffff", "\ufdd0", "\U0001fbff"])
def test_a_sign_that_nobody_knows_is_refused(sign: str) -> None:
    with pytest.raises(ValidationError, match=rf"the sign U\+{ord(sign):04X} of this name"):
        check_name(f"Ve{sign}ra")


@pytest.mark.django_db
@pytest.mark.parametrize("sign", ["\ufff0", "\ufff8", "\U0001d159", "\ufffc", "\U00016fe4"])
def test_a_sign_that_shows_nothing_makes_no_other_name(sign: str) -> None:
    typed = SignupForm({"player_name": f"Ali{sign}ce{sign}"})
    assert typed.is_valid()
    assert typed.cleaned_data["player_name"] == "Alice"


@pytest.mark.django_db
def test_a_control_character_makes_no_other_name(client: Client) -> None:
    Player.objects.create(name="Alice Martin")
    for sign in ("\x07", "\x7f", "\x9d", "\x85", "\x1f"):
        typed = SignupForm({"player_name": f"Alice{sign} Martin"})
        assert typed.is_valid()
        assert typed.cleaned_data["player_name"] == "Alice Martin"


@pytest.mark.django_db
def test_a_look_is_worked_out_here_as_in_the_database() -> None:
    for name in (*REAL, "Ϲοϲο", "ⲟⲟⲟ", "￨an", "ＡﬁⅧ", "Emma´s Wvw", "\u06a9\u06c1\u0649"):
        Player.objects.create(name=name)
    found = Player.objects.annotate(look=look_of(F("name"))).values_list("name", "look")
    assert [look(name) for name, _look in found] == [each for _name, each in found]


CHOICE = {"language": "", "time_zone": "", "suits": "four", "theme": "auto", "mail": "all"}


ALIKE = ("COCA PAX", "СОСА РАХ")


def two_renamed_at_once(monkeypatch: pytest.MonkeyPatch) -> list[object]:
    """What two are answered who choose names that look the same, when each looks before either has written."""

    def rename(place: int) -> int:
        return (
            clients[place]
            .post(reverse("users:preferences"), {**CHOICE, "player_name": ALIKE[place]})
            .status_code
        )

    def slowly(name: str, *, but: Player | None = None) -> bool:
        found = looks_like_another(name, but=but)
        sleep(0.5)
        return found

    clients = [Client(), Client()]
    for place, client in enumerate(clients):
        player = Player.objects.create(name=f"Player {place}", user=make_user(f"player{place}"))
        client.force_login(player.user or User())
    monkeypatch.setattr(forms, "looks_like_another", slowly)
    return at_once(partial(rename, 0), partial(rename, 1))


@pytest.mark.django_db(transaction=True)
def test_of_two_who_choose_one_look_at_the_same_moment_one_is_refused(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    assert set(two_renamed_at_once(monkeypatch)) == {200, 302}


@pytest.mark.django_db(transaction=True)
def test_without_the_lock_both_would_have_it(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(forms, "hold_look", lambda name: None)
    assert two_renamed_at_once(monkeypatch) == [302, 302]


@pytest.mark.django_db(transaction=True)
def test_of_two_who_sign_up_under_one_look_at_the_same_moment_one_is_refused() -> None:
    def sign_up_as(place: int) -> None:
        passwords = dict.fromkeys(["password1", "password2"], "seven no trumps")
        form = {"username": f"new{place}", "player_name": ALIKE[place], **passwords}
        Client().post(reverse("account_signup"), form)

    at_once(partial(sign_up_as, 0), partial(sign_up_as, 1))
    assert Player.objects.count() == User.objects.count() == 1


def test_apostrophes_and_hyphens_make_no_other_name() -> None:
    assert {name_key(name) for name in ("O`Brien−Ross", "O´Brien-Ross")} == {"o'brien-ross"}
    assert {
        name_key(name)
        for name in ("O’BRIEN‐Ross", "o'brien-ross", "Oʼbrien–Ross", "O`Brien−Ross", "O´Brien-Ross")
    } == {"o'brien-ross"}


def sign_up(client: Client, name: str) -> str:
    passwords = dict.fromkeys(["password1", "password2"], "seven no trumps")
    form = {"username": "mallory", "player_name": name, **passwords}
    return client.post(reverse("account_signup"), form, follow=True).text


@pytest.mark.django_db
def test_nobody_signs_up_under_the_look_of_another(client: Client) -> None:
    Player.objects.create(name="Coco")
    page = sign_up(client, "Сосо")
    assert "Another player has a name that looks the same, in other letters." in page
    page = sign_up(client, "Vеra")
    assert "The word “Vеra” mixes the letters of two alphabets." in page
    assert not User.objects.exists()
    sign_up(client, "Coco")
    assert Player.objects.filter(name="Coco").count() == 2


@pytest.mark.django_db
def test_nobody_takes_the_look_of_another_later(client: Client) -> None:
    Player.objects.create(name="Coco")
    mallory = Player.objects.create(name="Mallory", user=make_user("mallory"))
    client.force_login(mallory.user or User())
    for name, status in (("Сосо", 200), ("Mаllory", 200), ("Маllогу", 200), ("MALLORY", 302), ("Molly", 302)):
        page = client.post(reverse("users:preferences"), {**CHOICE, "player_name": name})
        assert page.status_code == status, name
    mallory.refresh_from_db()
    assert mallory.name == "Molly"


@pytest.mark.django_db
def test_a_name_from_before_stays_when_other_preferences_are_saved(client: Client) -> None:
    Player.objects.create(name="Coco")
    old = Player.objects.create(name="Сосо", user=make_user("coco"))
    client.force_login(old.user or User())
    kept = {**CHOICE, "player_name": "Сосо", "theme": "dark"}
    assert client.post(reverse("users:preferences"), kept).status_code == 302
    assert User.objects.get(username="coco").theme == "dark"


@pytest.mark.django_db
def test_results_of_other_programs_keep_their_names() -> None:
    people = [PlayerFacts(name) for name in ("Coco", "Сосо", "Vеra")]
    found = find_or_create_players(people=people, namesakes={})
    assert [player.name for player in found] == ["Coco", "Сосо", "Vеra"]


@pytest.mark.django_db
def test_looks_are_found_along_an_index() -> None:
    Player.objects.bulk_create(
        Player(name=f"Vera {number}", name_key=f"vera {number}") for number in range(3000)
    )
    with connection.cursor() as cursor:
        cursor.execute("ANALYZE users_player")
        query, params = (
            Player.objects.alias(look=look_of(F("name"))).filter(look="vera 7").query.sql_with_params()
        )
        cursor.execute(f"EXPLAIN {query}", params)
        plan = "\n".join(row[0] for row in cursor.fetchall())
    assert "player_by_look" in plan
