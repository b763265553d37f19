"""The list of players and the page of one."""

from fractions import Fraction
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from django.utils import timezone

from apps.masterpoints.services import award_event
from apps.pages.selectors import career
from apps.pairs.models import Event, Standing
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant, Field, Member, Result
from apps.users.models import Player
from bridge.awards import Grade, Ruling
from bridge.comparison import Method
from tests.factories import Entry, make_event, make_user

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


def test_letters_that_change_with_their_case_are_found_in_each_form(client: Client) -> None:
    """Dotted and dotless i, the sigma that ends a word, ß, and letters with their accents apart."""
    for number, name in enumerate(("İsmet Işık", "Ὀδυσσεύς", "Zoë Weiß")):
        Player.objects.create(name=name, user=make_user(f"user{number}"))

    def found(text: str) -> list[str]:
        return [player.name for player in client.get(PLAYERS, {"q": text}).context["players"]]

    for text in ("İsmet", "ismet", "ISMET", "İSMET", "Işık", "ışık", "IŞIK", "is\u0327ik"):
        assert found(text) == ["İsmet Işık"], text
    for text in ("Ὀδυσσεύς", "ὈΔΥΣΣΕΎΣ", "ὀδυσσεύσ"):
        assert found(text) == ["Ὀδυσσεύς"], text
    for text in ("Zo\u00eb", "Zoe\u0308", "ZOE\u0308", "WEISS", "Weiß"):
        assert found(text) == ["Zoë Weiß"], text


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
    client: Client, django_assert_num_queries: Any
) -> None:
    with django_assert_num_queries(1):
        client.get(PLAYERS)
    me = Player.objects.create(name="Mei")
    for number in range(3):
        event = make_event([SCORES], title=f"Event {number}")
        Member.objects.filter(contestant__field=event.field, contestant__label="1 NS", position=1).update(
            player=me
        )
        publish_event(event_id=event.pk, by=None)
        with django_assert_num_queries(9):
            page = client.get(me.get_absolute_url())
        assert page.context["career"].events == number + 1
        with django_assert_num_queries(1):
            client.get(PLAYERS)


# ---- averages


def seat_all(event: Event) -> None:
    """Write down who sat where: the first named of a pair North or East."""
    for result in Result.objects.filter(field_board__field=event.field):
        ns, ew = (pair.players.order_by("memberships__position") for pair in (result.ns, result.ew))
        result.north, result.south = ns
        result.east, result.west = ew
        result.save()


def averages(name: str) -> dict[str, list[tuple[str, int, Fraction]]]:
    """Of the newest player of this name, by role: unit, boards, points a board."""
    found = career(Player.objects.filter(name=name).latest("pk"))
    return {
        str(role.label): [(each.unit.value, each.boards, each.points) for each in role.averages if each]
        for role in found.roles
    }


ROLES: list[list[Entry]] = [
    ["4S N =", "4S N +1"],
    ["4S S =", "4S S -1"],
    ["4S E =", "4S E +1"],
    ["4S W =", "4S W ="],
]


def test_a_player_is_declarer_dummy_leader_and_partner_of_the_leader() -> None:
    event = make_event(ROLES, method=Method.MP)
    seat_all(event)
    publish_event(event_id=event.pk, by=None)
    assert averages("Nora 1") == {
        "declarer": [("%", 1, Fraction(0))],
        "dummy": [("%", 1, Fraction(100))],
        "on lead": [("%", 1, Fraction(50))],  # West declares
        "partner of the leader": [("%", 1, Fraction(100))],  # East declares, South leads
    }
    assert averages("Will 1") == {
        "declarer": [("%", 1, Fraction(50))],
        "dummy": [("%", 1, Fraction(0))],
        "on lead": [("%", 1, Fraction(0))],  # South declares
        "partner of the leader": [("%", 1, Fraction(100))],  # North declares, East leads
    }


def test_where_no_seats_are_recorded_only_the_side_is_told() -> None:
    publish_event(event_id=make_event(ROLES, method=Method.MP).pk, by=None)
    assert averages("Nora 1") == {
        "declaring side, seat not recorded": [("%", 2, Fraction(50))],
        "defending side, seat not recorded": [("%", 2, Fraction(75))],
    }


def test_percentages_and_imps_are_never_averaged_together() -> None:
    me = Player.objects.create(name="Mei")
    for method in Method:
        event = make_event(ROLES, method=method)
        Member.objects.filter(contestant__field=event.field, contestant__label="1 NS", position=1).update(
            player=me
        )
        publish_event(event_id=event.pk, by=None)
    found = career(me)
    assert [unit.value for unit in found.units] == ["%", "IMP", "total IMP"]
    assert [(average.unit.value, average.boards) for _, average in found.methods] == [
        ("IMP", 4),
        ("IMP", 4),
        ("total IMP", 4),
        ("%", 4),
    ]
    assert [average and average.boards for average in found.roles[0].averages] == [2, 4, 2]
    assert found.boards == 16


def test_averages_are_those_of_the_score_cards(client: Client) -> None:
    event = make_event([SCORES, SCORES[::-1], [50, 100, -50, 50]], method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    for standing in Standing.objects.filter(event=event, session=0):
        found = career(standing.contestant.players.earliest("pk"))
        ((_, average),) = found.methods
        assert (average.points, average.boards) == (standing.score, standing.boards)
        (together,) = found.partnerships
        assert (together.events, together.boards) == (1, 3)
        assert together.averages[0] == average


def test_rulings_count_for_the_player_but_for_no_role() -> None:
    event = make_event([["4S N =", "4S N +1"], [Ruling(Grade.PLUS, Grade.MINUS), "4S N ="]], method=Method.MP)
    publish_event(event_id=event.pk, by=None)
    found = career(Player.objects.filter(name="Nora 1").latest("pk"))
    assert found.boards == 2
    assert [role.boards for role in found.roles] == [1]


def test_who_did_not_sit_down_on_a_board_has_no_part_in_it() -> None:
    event = make_event(ROLES, method=Method.MP)
    seat_all(event)
    third = Player.objects.create(name="Mei")
    pair = Contestant.objects.get(field=event.field, label="1 NS")
    Member.objects.create(contestant=pair, player=third, position=3)
    result = Result.objects.get(field_board__board__number=1, ns=pair)
    nora = result.north
    assert nora is not None
    result.north = third
    result.save()
    publish_event(event_id=event.pk, by=None)
    assert career(third).boards == 1
    assert career(nora).boards == 3
    partners = {each.name: (each.events, each.boards) for each in career(third).partnerships}
    assert partners == {"Nora 1": (1, 0), "Sue 1": (1, 1)}


def test_the_best_places_come_first_and_say_among_how_many(client: Client) -> None:
    me = Player.objects.create(name="Mei")
    for place in (3, 1, 2):
        event = make_event([SCORES], method=Method.MP, title=f"Place {place}")
        label = {1: "2 NS", 2: "1 NS", 3: "4 NS"}[place]
        Member.objects.filter(contestant__field=event.field, contestant__label=label, position=1).update(
            player=me
        )
        publish_event(event_id=event.pk, by=None)
    best = career(me).best
    assert [(each.rank, each.event.title, vars(each)["among"]) for each in best] == [
        (1, "Place 1", 4),
        (2, "Place 2", 4),
        (3, "Place 3", 4),
    ]
    assert "/ 4" in client.get(me.get_absolute_url()).text


def test_events_go_on_on_the_next_page(client: Client) -> None:
    me, event = Player.objects.create(name="Mei"), make_event([SCORES])
    publish_event(event_id=event.pk, by=None)
    standing = Standing.objects.filter(event=event, session=0).earliest("pk")
    Member.objects.filter(contestant=standing.contestant, position=1).update(player=me)
    for number in range(30):
        field = Field.objects.create(method="MP")
        pair = Contestant.objects.create(field=field, label="1", order=1)
        Member.objects.create(contestant=pair, player=me, position=1)
        other = Event.objects.create(
            title=f"Event {number}", field=field, state="published", published_at=timezone.now()
        )
        standing.pk, standing.event, standing.contestant = None, other, pair
        standing.save()
    address = me.get_absolute_url()
    first, second = client.get(address), client.get(f"{address}?page=2")
    assert (first.context["older"], first.context["newer"]) == (2, 0)
    assert len(first.context["career"].standings) == 25
    assert len(second.context["career"].standings) == 6
    assert second.context["older"] == 0
    for odd in ("0", "-1", "x", "99999999999"):
        assert client.get(address, {"page": odd}).status_code == 200


@pytest.mark.django_db
def test_names_of_a_draft_stay_with_it(client: Client) -> None:
    event = make_event([[420, 450]])
    someone = event.field.contestants.get(order=1).players.earliest("pk")
    assert someone.name not in client.get("/players/").content.decode()
    assert client.get(someone.get_absolute_url()).status_code == 404
    publish_event(event_id=event.pk, by=None)
    assert someone.name in client.get("/players/").content.decode()
    assert client.get(someone.get_absolute_url()).status_code == 200
