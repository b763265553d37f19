"""The ranking by master points."""

from decimal import Decimal
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.masterpoints.models import Award, Total
from apps.masterpoints.selectors import ranking
from apps.masterpoints.services import award_event
from apps.pairs.models import Standing
from apps.pairs.services.publishing import publish_event
from apps.users.countries import flag_of
from apps.users.models import Player
from tests.factories import make_event, make_user

pytestmark = pytest.mark.django_db

ADDRESS = "/masterpoints/"


def with_points(*points: str) -> list[Player]:
    players = [Player.objects.create(name=f"Player {number}") for number in range(len(points))]
    for player, won in zip(players, points, strict=True):
        Total.objects.create(player=player, points=Decimal(won))
    return players


def test_equal_points_share_a_rank_and_the_next_is_left_out(client: Client) -> None:
    with_points("5", "3", "3", "1", "0")

    assert [(row.rank, row.tied) for row in ranking()] == [(1, False), (2, True), (2, True), (4, False)]
    assert client.get(ADDRESS).text.count("2=") == 2


def test_pages_follow_one_another_without_a_gap_and_keep_the_ranks() -> None:
    with_points(*(str(1 + number % 7) for number in range(50)))
    whole = ranking(size=100)

    pages, after = [], None
    while page := ranking(after=after, size=9):
        pages += page
        after = page[-1].player_id

    assert pages == whole
    assert len(whole) == 50


def test_a_player_found_by_name_keeps_the_rank_among_all(client: Client) -> None:
    with_points("5", "3", "1")

    rows = client.get(ADDRESS, {"q": "PLAYER 2"}).context["rows"]

    assert [(row.name, row.rank) for row, _title in rows] == [("Player 2", 3)]
    assert client.get(ADDRESS, {"q": "nobody"}).context["rows"] == []
    assert client.get(ADDRESS, {"after": "²"}).status_code == 200


def test_the_own_row_is_marked(client: Client) -> None:
    players = with_points("5", "3")
    players[1].user = make_user()
    players[1].save()

    assert 'class="own"' not in client.get(ADDRESS).text
    client.force_login(players[1].user)
    assert client.get(ADDRESS).text.count('class="own"') == 1


def test_a_country_stands_before_the_name(client: Client) -> None:
    first, second = with_points("5", "3")
    Player.objects.filter(pk=second.pk).update(country="PL")

    page = client.get(ADDRESS).text
    assert f'data-flag="{flag_of("PL")}"><i>PL</i></span>&nbsp;<a href="{second.get_absolute_url()}">' in page
    assert f'<th scope="row"><a href="{first.get_absolute_url()}">' in page


def test_the_ranking_takes_the_same_queries_for_one_player_and_for_a_hundred(
    client: Client, django_assert_num_queries: Any
) -> None:
    with_points("5")
    with django_assert_num_queries(2):  # the page, the published periods
        client.get(ADDRESS)
    with_points(*["1"] * 100)
    with django_assert_num_queries(2):
        client.get(ADDRESS)


def test_totals_follow_the_ledger_through_awards_and_corrections() -> None:
    event = make_event([["4S N =", "4S N +1", "3NT S -1", "2S N +2"]])
    publish_event(event_id=event.pk, by=None)
    award_event(event_id=event.pk)
    award_event(event_id=event.pk)
    assert totals() == ledger() != {}

    Standing.objects.filter(event=event).update(masterpoints=Decimal("1.50"))
    award_event(event_id=event.pk)
    assert totals() == ledger()
    assert set(totals().values()) == {Decimal("1.50")}


def totals() -> dict[int, Decimal]:
    return dict(Total.objects.values_list("player_id", "points"))


def ledger() -> dict[int, Decimal]:
    sums: dict[int, Decimal] = {}
    for player, points in Award.objects.values_list("player_id", "points"):
        sums[player] = sums.get(player, Decimal(0)) + points
    return sums


def test_the_page_has_its_address() -> None:
    assert reverse("masterpoints:ranking") == ADDRESS
