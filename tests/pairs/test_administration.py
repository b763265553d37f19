"""What administrators edit is written, and nothing that services have written meanwhile is taken back."""

import random
from typing import Any

import pytest
from django import forms
from django.contrib import admin
from django.contrib.auth.models import Group
from django.test import Client, RequestFactory
from django.urls import reverse

from apps.boards.models import Board
from apps.clock.admin import AsShown, OwnColumns
from apps.clock.models import AuditEntry
from apps.masterpoints.models import Award
from apps.masterpoints.services import award_event
from apps.pages.invariants import broken
from apps.pairs.admin import EventAdmin
from apps.pairs.models import Event, Swiss
from apps.pairs.services.publishing import publish_event
from apps.results.admin import ResultAdmin
from apps.results.models import Contestant, Penalty, Result
from apps.results.services import change_result
from apps.users.admin import PasswordForm
from apps.users.models import Notice, Player, PlayerNumber, User
from apps.users.services import close_account, save_preferences, stop_mail
from tests.administration import page_of, sent_by
from tests.factories import make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def vera(client: Client) -> User:
    user = User.objects.create_superuser("vera", "vera@example.org", "datum-demo")
    client.force_login(user)
    return user


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
    edited = {model: how for model, how in admin.site._registry.items() if how.has_change_permission(request)}
    assert {Event, Contestant, User, Player, Group} <= set(edited)
    assert all(isinstance(how, (OwnColumns, ResultAdmin)) for how in edited.values())
    inlines = [inline for how in edited.values() for inline in how.get_inline_instances(request)]
    rows = [inline for inline in inlines if inline.has_change_permission(request)]
    assert len(rows) >= 5
    assert all(issubclass(how.form, AsShown) for how in (*edited.values(), *rows))


def test_an_old_page_of_an_account_takes_nothing_back(client: Client, vera: User) -> None:
    mallory = make_user("mallory")
    mallory.groups.add(Group.objects.create(name="treasurers"))
    address, form = page_of(client, mallory)
    Client().force_login(mallory)
    mallory.refresh_from_db()
    close_account(user=mallory, by=vera)
    stop_mail(user=mallory)
    mallory.groups.clear()
    signed_in_at = mallory.last_login

    assert client.post(address, form | {"first_name": "Mallory"}).status_code == 302

    mallory.refresh_from_db()
    assert (mallory.first_name, mallory.is_active, mallory.mail) == ("Mallory", False, User.Mail.NONE)
    assert (mallory.last_login, mallory.groups.count()) == (signed_in_at, 0)


def test_it_would_if_the_page_did_not_carry_what_it_showed(
    client: Client, vera: User, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(AsShown, "__init__", forms.ModelForm.__init__)
    mallory = make_user("mallory")
    address, form = page_of(client, mallory)
    close_account(user=mallory, by=vera)
    client.post(address, form | {"first_name": "Mallory"})
    mallory.refresh_from_db()
    assert mallory.is_active


def rename(user: User, name: str) -> None:
    kept = {"language": "", "time_zone": "", "suits": "four", "theme": "auto", "mail": "all"}
    save_preferences(user=user, player_name=name, country="DE", **kept)


def test_an_old_page_of_a_player_takes_nothing_back_and_its_rows_are_written(
    client: Client, vera: User
) -> None:
    player = Player.objects.create(name="Mallory", user=make_user("mallory"))
    number = PlayerNumber.objects.create(player=player, scheme="national", number="7")
    address, form = page_of(client, player)
    assert player.user
    rename(player.user, "Molly")
    PlayerNumber.objects.update(number="8")
    more = {"numbers-1-scheme": "club", "numbers-1-number": "1", "numbers-TOTAL_FORMS": 2}
    assert client.post(address, form | more | {"numbers-0-scheme": "state"}).status_code == 302
    player.refresh_from_db()
    number.refresh_from_db()
    assert (player.name, player.name_key, player.country) == ("Molly", "molly", "DE")
    assert (number.scheme, number.number, player.numbers.count()) == ("state", "8", 2)


def test_what_was_changed_elsewhere_while_it_was_edited_is_refused_and_shown(
    client: Client, vera: User
) -> None:
    player = Player.objects.create(name="Mallory", country="PL", user=make_user("mallory"))
    address, form = page_of(client, player)
    assert player.user
    rename(player.user, "Molly")
    refused = client.post(address, form | {"name": "Mary"})
    assert refused.status_code == 200
    assert "This was changed elsewhere while you were editing." in refused.text
    player.refresh_from_db()
    assert (player.name, player.country) == ("Molly", "DE")

    form = sent_by(refused.text)
    shown = ("name", "initial-name", "country", "initial-country")
    assert [form[name] for name in shown] == ["Molly", "Molly", "DE", "DE"]
    assert client.post(address, form | {"name": "Mary"}).status_code == 302
    player.refresh_from_db()
    assert (player.name, player.country) == ("Mary", "DE")


def test_two_who_change_the_same_to_the_same_agree(client: Client, vera: User) -> None:
    event = make_event([["4S N =", 450]])
    address, form = page_of(client, event)
    was = Event.objects.get(pk=event.pk).awards_masterpoints
    agreed = {name: value for name, value in form.items() if name != "awards_masterpoints"}
    if not was:
        agreed["awards_masterpoints"] = "on"
    agreed["venue"] = "Second hall"
    for _ in range(2):  # the second page was opened before the first was saved
        assert client.post(address, agreed).status_code == 302
    event.refresh_from_db()
    assert (event.awards_masterpoints, event.venue) == (not was, "Second hall")
    assert AuditEntry.objects.filter(action="pairs.changed").count() == 1


def test_a_row_that_was_changed_elsewhere_while_it_was_edited_is_refused(client: Client, vera: User) -> None:
    board = Board.objects.filter(board_set=make_event([["4S N =", 450]]).sessions.get().board_set).get()
    address, form = page_of(client, board.board_set)
    Board.objects.update(dealer="W")
    refused = client.post(address, form | {"boards-0-dealer": "S"})
    assert "This was changed elsewhere" in refused.text
    assert sent_by(refused.text)["boards-0-dealer"] == "W"
    board.refresh_from_db()
    assert board.dealer == "W"


def test_a_result_that_was_corrected_while_its_page_was_open_is_refused_and_shown(
    client: Client, vera: User
) -> None:
    make_event([["4S N =", 450]])
    result = Result.objects.earliest("pk")
    address, form = page_of(client, result)
    change_result(result_id=result.pk, passed_out=True, by=None, reason="nobody bid")
    award = '{"ns": {"grade": "A"}, "ew": {"grade": "A"}}'
    refused = client.post(address, form | {"award": award, "reason": "not finished"})
    assert "This was changed elsewhere" in refused.text
    assert sent_by(refused.text)["contract"] == "Pass"
    assert "nobody bid" in refused.text  # among its changes, of which the page had none
    assert result.changes.count() == 1
    agreed = form | {"contract": "Pass", "reason": "nobody bid"}
    assert client.post(address, agreed).status_code == 302
    assert result.changes.count() == 1
    again = sent_by(refused.text) | {"contract": "4S N =", "reason": "it was bid"}
    assert client.post(address, again).status_code == 302
    assert result.changes.count() == 2


def test_accounts_are_closed_and_never_deleted(client: Client, vera: User) -> None:
    mallory = make_user("mallory")
    Notice.objects.create(user=mallory, key="answer 1", message="The king is offside.", url="/")
    for url in ("delete", "changelist"):
        name = f"admin:users_user_{url}"
        address = reverse(name, args=[mallory.pk] if url == "delete" else [])
        chosen = {"action": "delete_selected", "_selected_action": [mallory.pk]}
        page = client.get(address) if url == "delete" else client.post(address, chosen, follow=True)
        assert "offside" not in page.text
        assert (page.status_code == 403) == (url == "delete")
    chosen = {"action": "close", "_selected_action": [mallory.pk, vera.pk]}
    assert (
        "1 account closed." in client.post(reverse("admin:users_user_changelist"), chosen, follow=True).text
    )
    assert list(User.objects.filter(is_active=True)) == [vera]


def test_a_page_that_deletes_counts_what_goes_and_does_not_say_it(client: Client, vera: User) -> None:
    player = Player.objects.create(name="Mallory")
    PlayerNumber.objects.create(player=player, scheme="national", number="secret 7")
    address = reverse("admin:users_player_delete", args=[player.pk])
    page = client.get(address).text
    assert "Numbers of players: 1" in page
    assert "secret" not in page
    pair = make_event([["4S N =", 450]]).field.contestants.earliest("pk")
    member = pair.members.select_related("player").earliest("pk")
    page = client.get(reverse("admin:users_player_delete", args=[member.player_id])).text
    assert "<li>Member: 1</li>" in page
    assert client.post(address, {"post": "yes"}).status_code == 302
    assert not Player.objects.filter(pk=player.pk).exists()


def test_every_page_that_deletes_what_others_refer_to_only_counts(vera: User, rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = vera
    deleted = {
        model: how for model, how in admin.site._registry.items() if how.has_delete_permission(request)
    }
    assert Player in deleted
    assert User not in deleted
    assert all(isinstance(how, OwnColumns) for model, how in deleted.items() if model._meta.related_objects)


def test_what_is_not_there_yet_is_shown_in_words(client: Client, vera: User, rf: RequestFactory) -> None:
    request = rf.get("/")
    request.user = vera
    pair = make_event([["4S N =", 450]]).field.contestants.earliest("pk")
    pages = [client.get(reverse("admin:results_contestant_change", args=[pair.pk])).text]
    for model, how in admin.site._registry.items():
        if how.has_add_permission(request):
            pages.append(client.get(reverse(f"admin:{model._meta.label_lower.replace('.', '_')}_add")).text)
    assert "when it is saved" in pages[0]
    assert len(pages) > 3
    assert [page for page in pages if " object" in page and "&lt;apps." in page] == []


def test_an_administrator_chooses_a_language_and_a_zone_that_there_are(client: Client, vera: User) -> None:
    mallory = make_user("mallory")
    address, form = page_of(client, mallory)
    for wrong in ({"language": "xx"}, {"time_zone": "America"}, {"time_zone": "../etc/passwd"}):
        assert client.post(address, form | wrong).status_code == 200
    assert client.post(address, form | {"language": "zh-hans", "time_zone": "Asia/Tokyo"}).status_code == 302
    mallory.refresh_from_db()
    assert (mallory.language, mallory.time_zone) == ("zh-hans", "Asia/Tokyo")


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
