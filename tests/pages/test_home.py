import pytest
from django.test import Client
from pytest_django import DjangoAssertNumQueries

from apps.masterpoints.services import award_event
from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.services import compare_field
from apps.users.models import Player, User
from apps.users.services import create_player_for
from tests.factories import make_event, make_user


def published(title: str, director: User) -> Event:
    event = make_event([[420, 450, -50, 420, 170, 420]] * 2, title=title)
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)
    publish_event(event_id=event.pk, by=director)
    award_event(event_id=event.pk)
    return event


@pytest.mark.django_db
def test_an_empty_site_says_what_will_be_here(client: Client) -> None:
    page = client.get("/").content.decode()
    assert "No event is published yet." in page
    assert "/accounts/signup/" in page


@pytest.mark.django_db
def test_home_shows_events_with_their_winners_and_the_top_of_the_master_points(client: Client) -> None:
    published("Monday Pairs", make_user("dina", director=True))
    page = client.get("/").content.decode()
    assert "Monday Pairs" in page
    assert "<bdi>Nora 2</bdi> – <bdi>Sue 2</bdi>" in page
    assert '<td class="n brass">3</td>' in page
    assert '<td class="n">1=</td>' in page  # partners have equal points


@pytest.mark.django_db
def test_a_draft_is_on_nobodys_home_but_a_directors(client: Client) -> None:
    make_event([[420, 450]], title="Secret Pairs")
    assert "Secret Pairs" not in client.get("/").content.decode()
    client.force_login(make_user("dina", director=True))
    assert "Secret Pairs" in client.get("/").content.decode()


@pytest.mark.django_db
def test_a_player_sees_the_own_results(client: Client) -> None:
    published("Monday Pairs", make_user("dina", director=True))
    nora = make_user("nora")
    Player.objects.filter(name="Nora 2").update(user=nora)
    client.force_login(nora)
    page = client.get("/").content.decode()
    assert "Your latest results" in page
    assert '<span class="you">you</span>' in page


@pytest.mark.django_db
def test_a_player_without_results_is_told_when_they_come(client: Client) -> None:
    vera = make_user("vera")
    create_player_for(user=vera, name="Vera")
    client.force_login(vera)
    assert "when an event with <bdi>Vera</bdi> in it is published" in client.get("/").content.decode()


@pytest.mark.django_db
def test_home_asks_as_many_questions_for_one_event_as_for_five(
    client: Client, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    dina = make_user("dina", director=True)
    published("One", dina)
    with django_assert_num_queries(5):
        client.get("/")
    for title in ("Two", "Three", "Four", "Five"):
        published(title, dina)
    with django_assert_num_queries(5):
        client.get("/")


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/help/", "/help/scoring/", "/nothing-here/", "/accounts/login/"])
def test_every_page_has_its_frame(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert '<html lang="en"' in page
    assert "– Datum</title>" in page
    assert 'href="#main"' in page
    assert "style=" not in page
