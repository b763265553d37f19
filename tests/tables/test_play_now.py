"""One click and one plays: a visitor as a guest, with robots in the other seats, and a board once more from any place."""

from typing import Any

import pytest
from django.core.cache import cache
from django.test import Client

from apps.boards.models import Seal
from apps.tables.models import Table, TableBoard
from apps.tables.services.closing import leave_for_good
from apps.tables.services.practice import GUESTS, open_practice_table
from apps.tables.services.seating import leave_seat
from apps.users.models import Player, User
from tests.tables.tables import Browser, make_member, make_table, play_board, user_of

pytestmark = pytest.mark.django_db


@pytest.fixture(autouse=True)
def _nobody_has_come_yet() -> None:
    cache.clear()


def click(client: Client | None = None) -> tuple[Client, Table]:
    """Play now."""
    client = client or Client()
    answer = client.post("/tables/play/")
    assert answer.status_code == 302
    return client, Table.objects.get(uuid=answer["Location"].split("/")[2])


def test_a_visitor_sits_south_with_three_robots_and_a_board_on_the_table() -> None:
    client, table = click()
    guest = User.objects.get()
    assert guest.is_guest
    assert not guest.has_usable_password()
    assert table.state == Table.State.PLAYING
    assert {each.seat: each.player.is_robot for each in table.sittings.select_related("player")} == {
        "N": True,
        "E": True,
        "S": False,
        "W": True,
    }
    page = client.get(table.get_absolute_url())
    assert page.status_code == 200
    assert "You play as a guest" in page.content.decode()


def test_who_clicks_twice_sits_at_one_table_as_one_guest() -> None:
    client, table = click()
    assert click(client)[1] == table
    assert User.objects.count() == Table.objects.count() == 1


def test_who_has_an_account_plays_as_himself() -> None:
    vera = make_member("Vera")
    client = Client()
    client.force_login(user_of(vera))
    _, table = click(client)
    assert table.sittings.get(seat="S").player == vera
    assert not User.objects.filter(is_guest=True).exists()


def test_an_account_without_a_name_is_asked_for_one_first() -> None:
    client = Client()
    client.force_login(User.objects.create_user("nameless"))
    answer = client.post("/tables/play/", follow=True)
    assert "under which name you play" in answer.content.decode()
    assert not Table.objects.exists()


def test_so_many_guests_come_from_one_address_and_no_more() -> None:
    for _ in range(GUESTS):
        click()
    answer = Client().post("/tables/play/", follow=True)
    assert "You have opened many tables" in answer.content.decode()
    assert User.objects.count() == GUESTS


def test_the_first_page_offers_it_to_everybody_and_the_table_to_who_sits_there() -> None:
    client = Client()
    assert 'action="/tables/play/"' in client.get("/").content.decode()
    click(client)
    page = client.get("/").content.decode()
    assert "Back to the table" in page
    assert 'action="/tables/play/"' not in page


class TestTheFreeSeats:
    def test_robots_take_them_when_who_sits_there_asks(self) -> None:
        vera = make_member("Vera")
        table = open_practice_table(player=vera)
        browser = Browser(vera, table)
        assert (
            f"{table.get_absolute_url()}robots/"
            in browser.client.get(table.get_absolute_url()).content.decode()
        )
        browser.client.post(f"{table.get_absolute_url()}robots/")
        table.refresh_from_db()
        assert table.state == Table.State.PLAYING
        assert table.sittings.filter(player__is_robot=True).count() == 3

    def test_who_only_looks_on_calls_nobody(self) -> None:
        table = open_practice_table(player=make_member("Vera"))
        stranger = Browser(make_member("Stan"), table)
        stranger.client.post(f"{table.get_absolute_url()}robots/")
        assert table.sittings.count() == 1

    def test_no_robot_sits_down_in_an_event(self) -> None:
        table = make_table()
        nora = table.sittings.get(seat="N").player
        answer = Browser(nora, table).client.post(f"{table.get_absolute_url()}robots/", follow=True)
        assert "given by its event" in answer.content.decode()
        assert not Player.objects.filter(is_robot=True).exists()


class TestABoardOnceMore:
    @pytest.fixture
    def played(self) -> TableBoard:
        """A board of four people at a practice table, and more to come."""
        cast = {
            seat: make_member(name) for seat, name in zip("NESW", ("Nora", "Ed", "Sue", "Will"), strict=True)
        }
        table = open_practice_table(player=cast["N"], seat="N")
        for seat in "ESW":
            Browser(cast[seat], table).client.post(f"{table.get_absolute_url()}sit/", {"seat": seat})
        play_board(table)
        return table.boards.get(position=1)

    def again(self, played: TableBoard, name: str, place: Any) -> Any:
        player = Player.objects.get(name=name)
        browser = Browser(player, played.table)
        return browser.client.post(f"{played.get_absolute_url()}again/", {"place": place}, follow=True)

    def test_from_a_card_on_it_is_played_again_by_its_player(self, played: TableBoard) -> None:
        answer = self.again(played, "Sue", 2)
        opened = Table.objects.exclude(pk=played.table_id).get()
        assert answer.redirect_chain[-1][0] == opened.get_absolute_url()
        assert opened.sittings.get(seat="S").player.name == "Sue"
        done = list(opened.events.order_by("sequence").values_list("action", flat=True))
        assert done[:2] == list(played.events.order_by("sequence").values_list("action", flat=True))[:2]

    @pytest.mark.parametrize("place", ["999", "x", "-1"])
    def test_from_a_place_that_is_not_there_it_is_not(self, played: TableBoard, place: str) -> None:
        self.again(played, "Sue", place)
        opened = Table.objects.exclude(pk=played.table_id)
        assert opened.exists() == (place != "999")

    def test_by_nobody_who_did_not_play_it(self, played: TableBoard) -> None:
        make_member("Vera")
        answer = self.again(played, "Vera", 0)
        assert "Only who has played a board" in answer.content.decode()
        assert Table.objects.count() == 1

    def test_the_seed_of_the_boards_to_come_stays_hidden_when_it_ends(self, played: TableBoard) -> None:
        self.again(played, "Sue", 0)
        opened = Table.objects.exclude(pk=played.table_id).get()
        leave_for_good(table_id=opened.pk, players=[Player.objects.get(name="Sue").pk])
        opened.refresh_from_db()
        assert opened.is_over
        seal = Seal.objects.get()
        assert not seal.is_revealed
        for name in ("Nora", "Ed", "Sue", "Will"):
            leave_seat(table_id=played.table_id, user=user_of(Player.objects.get(name=name)))
        seal.refresh_from_db()
        assert seal.is_revealed
