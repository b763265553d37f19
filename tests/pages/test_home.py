import re
from uuid import uuid4

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.masterpoints.services import award_event
from apps.pairs.models import Event, Swiss
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.pairs.services.registration import enter_pair
from apps.results.services import compare_field
from apps.tables.services.practice import open_practice_table
from apps.tables.services.talk import call_director
from apps.users.models import Player, User
from apps.users.services import create_player_for
from tests.factories import make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, start
from tests.tables.tables import make_member, user_of


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
    with django_assert_num_queries(6):
        client.get("/")
    for title in ("Two", "Three", "Four", "Five"):
        published(title, dina)
    with django_assert_num_queries(6):
        client.get("/")


@pytest.mark.django_db
def test_a_visitor_reads_at_once_that_one_can_play_here_and_where(client: Client) -> None:
    soon, later = make_swiss(title="Soon"), make_swiss(title="Later")
    page = client.get("/").text
    assert "Four people bid and play in the browser." in page
    play_now, going_on = page.split("<h2>Play now</h2>")[1].split("What is going on")
    assert re.findall(r'class="btn" href="([^"]+)"', play_now) == [
        soon.event.get_absolute_url(),
        reverse("tables:lobby"),
    ]
    assert "Open a table" in play_now
    assert later.event.get_absolute_url() in going_on
    assert "For directors" not in page


@pytest.mark.django_db
@pytest.mark.parametrize("is_going_on", [False, True])
def test_between_events_home_invites_to_the_practice_tables(client: Client, is_going_on: bool) -> None:
    if is_going_on:
        swiss = make_swiss(title="Begun")
        enter_pairs(swiss, 4)
        start(swiss)
    page = client.get("/").text
    play_now = page.split("<h2>Play now</h2>")[1].split("Latest events")[0]
    assert "appears here as soon as it is announced" in play_now
    assert "Open a table" in play_now
    for cold in ("No event is announced", "free seat", ">0<", ">–<"):
        assert cold not in play_now
    assert ("Begun" in play_now) is is_going_on


@pytest.mark.django_db
def test_however_much_is_going_on_the_next_event_is_on_home(client: Client) -> None:
    for number in range(8):
        make_swiss(title=f"Running {number}", state=Swiss.State.RUNNING)
    make_swiss(title="To come")
    page = client.get("/").text
    play_now, going_on = page.split("<h2>Play now</h2>")[1].split("What is going on")
    assert "To come" in play_now
    assert "as soon as it is announced" not in page
    assert len(re.findall(r">Running \d<", going_on)) == 7
    assert "To come" in client.get(reverse("pairs:events")).text


@pytest.mark.django_db
def test_home_leads_nobody_to_direct_an_event_in_which_he_plays(client: Client) -> None:
    dora = make_member("Dora", director=True)
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    enter_pair(event_id=swiss.pk, players=[dora, make_member("Pia")], by=user_of(dora))
    client.force_login(user_of(dora))
    address = reverse("pairs:direct", args=[swiss.pk])
    assert address in client.get("/").text
    assert client.get(address).status_code == 200
    start(swiss)
    other = make_swiss()
    page = client.get("/").text
    assert address not in page
    assert client.get(address).status_code == 403
    assert reverse("pairs:direct", args=[other.pk]) in page


@pytest.mark.django_db
def test_home_counts_the_tables_with_a_free_seat_and_leads_back_to_the_own(client: Client) -> None:
    nora = make_member("Nora")
    table = open_practice_table(player=nora)
    visitor = client.get("/").text
    assert ">1<small>table with a free seat</small>" in visitor
    assert "Sit down" in visitor
    assert table.get_absolute_url() not in visitor
    client.force_login(user_of(nora))
    page = client.get("/").text
    assert f'href="{table.get_absolute_url()}">Back to the table' in page
    assert "free seat" not in page  # one sits at one practice table at a time
    assert "Four people bid and play" not in page  # who is signed in knows


@pytest.mark.django_db
def test_home_leads_a_director_to_the_events_and_to_the_tables_that_call(client: Client) -> None:
    swiss, nora = make_swiss(), make_member("Nora")
    table = open_practice_table(player=nora)
    call_director(table_id=table.pk, user=user_of(nora), command=uuid4(), text="")
    client.force_login(make_user("dina", director=True))
    page = client.get("/").text
    assert reverse("pairs:direct", args=[swiss.pk]) in page
    assert "1 table calls the director" in page
    assert reverse("pairs:new") in page


@pytest.mark.django_db
def test_only_who_may_enter_the_administration_is_led_there(client: Client) -> None:
    root, dina = make_user("root"), make_user("dina", director=True)
    User.objects.filter(pk=root.pk).update(is_staff=True)
    for user, is_led in ((root, True), (dina, False)):
        client.force_login(user)
        assert (f'href="{reverse("admin:index")}"' in client.get("/").text) == is_led
    assert client.get(reverse("admin:index")).status_code == 302


@pytest.mark.django_db
@pytest.mark.parametrize("path", ["/", "/help/", "/help/scoring/", "/nothing-here/", "/accounts/login/"])
def test_every_page_has_its_frame(client: Client, path: str) -> None:
    page = client.get(path).content.decode()
    assert '<html lang="en"' in page
    assert "– Datum</title>" in page
    assert 'href="#main"' in page
    assert "style=" not in page
