"""The list of players and the page of one."""

from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.masterpoints.services import award_event
from apps.pairs.services.publishing import publish_event
from apps.users.models import Player
from bridge.comparison import Method
from tests.factories import make_event, make_user

pytestmark = pytest.mark.django_db

PLAYERS = "/players/"
SCORES = ["4S N =", "4S N +1", "3NT S -1", "2S N +2"]


def test_players_are_found_by_any_part_of_the_name_in_any_case(client: Client) -> None:
    for number, name in enumerate(("Łukasz Nowak", "林书远", "Anna Nowak")):
        Player.objects.create(name=name, user=make_user(f"user{number}"))

    def found(text: str) -> list[str]:
        return [player.name for player in client.get(PLAYERS, {"q": text}).context["players"]]

    assert found("NOWAK") == ["Anna Nowak", "Łukasz Nowak"]
    assert found("书") == ["林书远"]
    assert found("nobody") == []
    assert found("\0") == ["Anna Nowak", "Łukasz Nowak", "林书远"]


def test_the_list_goes_on_where_the_page_ended(client: Client) -> None:
    for number in range(110):
        Player.objects.create(name=f"Player {number % 70}", user=make_user(f"user{number}"))

    seen, more = [], ""
    while True:
        context = client.get(f"{PLAYERS}?{more}").context
        seen += [player.pk for player in context["players"]]
        if not (more := context["more"]):
            break

    assert len(seen) == len(set(seen)) == 110


def test_a_player_has_events_partner_and_points(client: Client) -> None:
    event = make_event([SCORES], method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    winner = Player.objects.get(name="Nora 2")

    page = client.get(reverse("pages:player", args=[winner.pk])).text

    assert event.title in page
    assert "Sue 2" in page
    assert "Graded Player" in page


def test_a_draft_is_not_on_the_players_page(client: Client) -> None:
    event = make_event([SCORES])
    player = Player.objects.get(name="Nora 1")
    player.user = make_user("nora")
    player.save()

    assert event.title not in client.get(reverse("pages:player", args=[player.pk])).text
    assert [(each.name, each.events) for each in client.get(PLAYERS).context["players"]] == [("Nora 1", 0)]


def test_an_unknown_player_is_not_found(client: Client) -> None:
    assert client.get(reverse("pages:player", args=[1])).status_code == 404


def test_a_players_page_takes_the_same_queries_for_one_event_and_for_three(
    client: Client, django_assert_max_num_queries: Any, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        client.get(PLAYERS)
    for number in range(3):
        event = make_event([SCORES], title=f"Event {number}")
        publish_event(event_id=event.pk, by=None)
        player = Player.objects.filter(name="Nora 1").order_by("pk").first()
        assert player
        with django_assert_max_num_queries(6):
            client.get(reverse("pages:player", args=[player.pk]))
        with django_assert_num_queries(1):
            client.get(PLAYERS)


@pytest.mark.django_db
def test_names_of_a_draft_stay_with_it(client: Client) -> None:
    event = make_event([[420, 450]])
    someone = event.field.contestants.get(order=1).players.earliest("pk")
    assert someone.name not in client.get("/players/").content.decode()
    assert client.get(someone.get_absolute_url()).status_code == 404
    publish_event(event_id=event.pk, by=None)
    assert someone.name in client.get("/players/").content.decode()
    assert client.get(someone.get_absolute_url()).status_code == 200
