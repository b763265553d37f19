"""What administrators edit is written, and nothing that services have written meanwhile is taken back."""

import random
from typing import Any

import pytest
from django.contrib import admin
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.boards.models import Board
from apps.clock.admin import OwnColumns
from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.admin import EventAdmin
from apps.pairs.models import Event, Swiss
from apps.pairs.services.publishing import publish_event
from apps.results.admin import ResultAdmin
from apps.results.models import Contestant, Penalty
from apps.users.admin import PasswordForm
from apps.users.models import Player, User
from tests.factories import make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera(client: Client) -> User:
    user = User.objects.create_superuser("vera", "vera@example.org", "datum-demo")
    client.force_login(user)
    return user


def page_of(client: Client, row: Any) -> tuple[str, dict[str, Any]]:
    """The address of a row's page, and what its form sends when nothing is edited."""
    address = reverse(f"admin:{row._meta.label_lower.replace('.', '_')}_change", args=[row.pk])
    context = client.get(address).context
    forms = [context["adminform"].form]
    for inline in context["inline_admin_formsets"]:
        forms += [inline.formset.management_form, *inline.formset.forms]
    values = {field.html_name: field.value() for form in forms for field in form}
    return address, {
        name: value for name, value in values.items() if value is not None and value is not False
    }


@pytest.fixture
def meanwhile(client: Client, vera: User, monkeypatch: pytest.MonkeyPatch) -> Event:
    """An event of one round that ends by itself between reading and writing the form of its title."""
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 4)
    start(swiss)
    play_round(swiss, random.Random(1))
    address, form = page_of(client, swiss.event)
    read = EventAdmin.save_form

    def slowly(self: EventAdmin, *args: Any, **kwargs: Any) -> Any:
        event = read(self, *args, **kwargs)
        pass_time(minutes=25)
        return event

    monkeypatch.setattr(EventAdmin, "save_form", slowly)
    return Event(pk=swiss.pk, source={"address": address, "form": form | {"title": "Renamed"}})


def test_an_event_that_ends_while_its_title_is_edited_stays_published(
    client: Client, meanwhile: Event
) -> None:
    assert client.post(meanwhile.source["address"], meanwhile.source["form"]).status_code == 302
    event = Event.objects.get(pk=meanwhile.pk)
    assert (event.state, event.title) == (Event.State.PUBLISHED, "Renamed")
    assert Swiss.objects.get(pk=event.pk).state == Swiss.State.FINISHED
    award_event(event_id=event.pk)
    assert Award.objects.exists()
    assert broken() == []


def test_it_would_not_if_the_whole_row_were_written(
    client: Client, meanwhile: Event, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(OwnColumns, "save_model", admin.ModelAdmin.save_model)
    client.post(meanwhile.source["address"], meanwhile.source["form"])
    assert Event.objects.get(pk=meanwhile.pk).state == Event.State.ANNOUNCED
    assert "an event that ran itself to its end is published" in [each.promise for each in broken()]


def test_whatever_can_be_edited_here_writes_what_was_edited(vera: User, rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = vera
    ours = {model: how for model, how in admin.site._registry.items() if model.__module__.startswith("apps.")}
    edited = {model: how for model, how in ours.items() if how.has_change_permission(request)}
    assert {Event, Contestant, User, Player} <= set(edited)
    assert all(isinstance(how, (OwnColumns, ResultAdmin)) for how in edited.values())


def test_rows_beside_the_edited_one_keep_what_was_written_meanwhile(
    client: Client, vera: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    board = Board.objects.filter(board_set=make_event([["4S N =", 450]]).sessions.get().board_set).get()
    address, form = page_of(client, board.board_set)
    read = OwnColumns.save_form

    def slowly(self: OwnColumns, *args: Any, **kwargs: Any) -> Any:
        Board.objects.filter(pk=board.pk).update(par_score=420)
        return read(self, *args, **kwargs)

    monkeypatch.setattr(OwnColumns, "save_form", slowly)
    assert client.post(address, form | {"boards-0-dealer": "S"}).status_code == 302
    board.refresh_from_db()
    assert (board.dealer, board.par_score) == ("S", 420)


def test_a_new_password_opens_no_account_that_was_closed_meanwhile(
    client: Client, vera: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    mallory = make_user("mallory")
    check = PasswordForm.is_valid

    def slowly(self: Any) -> bool:
        User.objects.filter(pk=mallory.pk).update(is_active=False)
        return check(self)

    monkeypatch.setattr(PasswordForm, "is_valid", slowly)
    form = {"usable_password": "true", **dict.fromkeys(["password1", "password2"], "seven no trumps")}
    answer = client.post(reverse("admin:auth_user_password_change", args=[mallory.pk]), form)
    assert answer.status_code == 302
    mallory.refresh_from_db()
    assert mallory.check_password("seven no trumps")
    assert not mallory.is_active


def test_a_name_that_looks_like_another_is_warned_of_and_kept(client: Client, vera: User) -> None:
    Player.objects.create(name="Coco")
    player = Player.objects.create(name="Molly")
    for name, warning in (("Сосо", "looks the same"), ("Vеra", "mixes the letters"), ("Vera", "")):
        address, form = page_of(client, player)
        page = client.post(address, form | {"name": name}, follow=True).content.decode()
        assert ('class="warning"' in page) == bool(warning)
        assert warning in page
        player.refresh_from_db()
        assert (player.name, player.name_key) == (name, name.casefold())


@pytest.mark.parametrize(("session", "penalties"), [(1, 1), (2, 0)])
def test_a_penalty_belongs_to_a_session_of_its_event(
    client: Client, vera: User, session: int, penalties: int
) -> None:
    event = make_event([["4S N =", 450, 400]])
    publish_event(event_id=event.pk, by=None)
    pair = Contestant.objects.filter(field=event.field_id)[0]
    address, form = page_of(client, pair)
    new = {"session": session, "points": "2", "reason": "Late.", "contestant": pair.pk, "id": ""}
    form |= {f"penalties-0-{name}": value for name, value in new.items()} | {"penalties-TOTAL_FORMS": 1}
    client.post(address, form)
    assert Penalty.objects.filter(given_by=vera).count() == penalties
