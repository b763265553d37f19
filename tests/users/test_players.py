import unicodedata

import pytest

from apps.users.models import Player, PlayerNumber
from apps.users.services import PlayerFacts, ambiguous_numbers, find_or_create_players

NATIONAL, CLUB = "national", "club 4680"


def find(*people: PlayerFacts) -> list[Player]:
    return find_or_create_players(people=people, namesakes={})


@pytest.mark.django_db
def test_a_number_is_one_player_however_the_name_is_spelled_and_the_first_name_stays() -> None:
    (first,) = find(PlayerFacts("Zoë Łuczak", ((NATIONAL, "77"),)))
    (again,) = find(PlayerFacts("Zoe LUCZAK", ((NATIONAL, "77"),)))
    assert again == first
    assert Player.objects.get().name == "Zoë Łuczak"


@pytest.mark.django_db
def test_equal_names_with_different_numbers_are_two_players() -> None:
    one, other = find(PlayerFacts("李伟", ((NATIONAL, "1"),)), PlayerFacts("李伟", ((NATIONAL, "2"),)))
    assert one != other


@pytest.mark.django_db
def test_a_name_alone_never_finds_a_player_with_a_number() -> None:
    (numbered,) = find(PlayerFacts("Nora North", ((NATIONAL, "1"),)))
    (named,) = find(PlayerFacts("Nora North"))
    assert named != numbered


@pytest.mark.django_db
def test_a_name_alone_finds_each_namesake_once() -> None:
    known = Player.objects.create(name="Ed East")
    found = find_or_create_players(
        people=[PlayerFacts("ED  EAST"), PlayerFacts("Ed East")], namesakes={"ed east": [known]}
    )
    assert found[0] == known
    assert found[1] != known


@pytest.mark.django_db
def test_a_club_number_counts_within_the_club_and_yields_to_a_national_one() -> None:
    (known,) = find(PlayerFacts("Sue South", ((NATIONAL, "5"), (CLUB, "12"))))
    (by_club,) = find(PlayerFacts("S. South", ((CLUB, "12"),)))
    elsewhere, successor = find(
        PlayerFacts("Sue South", (("club 1", "12"),)),
        PlayerFacts("Will West", ((NATIONAL, "6"), (CLUB, "12"))),
    )
    assert by_club == known
    assert known not in (elsewhere, successor)
    assert PlayerNumber.objects.get(scheme=CLUB, number="12").player == known


@pytest.mark.django_db
def test_a_player_known_in_the_club_gets_the_national_number_that_comes_later() -> None:
    (known,) = find(PlayerFacts("Will West", ((CLUB, "3"),)))
    (again,) = find(PlayerFacts("Will West", ((NATIONAL, "9"), (CLUB, "3"))))
    assert again == known
    assert set(known.numbers.values_list("scheme", flat=True)) == {NATIONAL, CLUB}


@pytest.mark.django_db
def test_a_number_that_stands_with_two_names_says_nothing() -> None:
    people = [PlayerFacts("Nora", ((NATIONAL, "1"),)), PlayerFacts("Ed", ((NATIONAL, "1"),))]
    assert ambiguous_numbers(people) == {(NATIONAL, "1"): ["Nora", "Ed"]}
    nora, ed = find(*people)
    assert nora != ed
    assert not PlayerNumber.objects.exists()


@pytest.mark.django_db
def test_names_are_composed_and_keep_characters_of_four_bytes() -> None:
    (player,) = find(PlayerFacts(unicodedata.normalize("NFD", "Zoë") + " \U0001f3cc\ufe0f"))
    assert Player.objects.get(pk=player.pk).name == "Zoë \U0001f3cc\ufe0f"


@pytest.mark.django_db
def test_a_name_that_grows_when_its_letters_are_folded_is_kept() -> None:
    assert Player.objects.create(name="ß" * 100).name_key == "s" * 100
