"""Until when results are corrected, and by whom: never when they are final, never one's own."""

import random
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertNotContains

from apps.pairs.models import Event, Swiss
from apps.pairs.services.direction import reopen_corrections
from apps.pairs.services.publishing import publish_event
from apps.results.forms import CorrectionForm
from apps.results.models import Contestant, Member, Result, ResultChange
from apps.results.selectors import results_with_names
from apps.users.models import Player, User
from tests.administration import page_of
from tests.factories import Entry, make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db

BOARDS: list[list[Entry]] = [["4S N =", "4S N +1", "3NT S -1"], ["2H E =", 110, "Pass"]]
FINAL = "is final. Take that back on the director&#x27;s page first, with a reason."
OWN = "You play in one of these pairs."


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


@pytest.fixture
def official() -> Swiss:
    """An evening of two pairs whose result is final."""
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 2)
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=90)
    assert reload(swiss).state == Swiss.State.OFFICIAL
    return reload(swiss)


@pytest.fixture
def imported(dora: User) -> Event:
    """An event of three tables; Dora has played, North at table 1."""
    event = make_event(BOARDS)
    publish_event(event_id=event.pk, by=None)
    pair = Contestant.objects.get(field=event.field, label="1 NS")
    own = Player.objects.create(name="Dora", user=dora)
    Member.objects.filter(contestant=pair, position=1).update(player=own)
    return event


def at_table(event: Event, table: int, board: int = 1) -> Result:
    return Result.objects.get(
        field_board__field=event.field, field_board__board__number=board, ns__label=f"{table} NS"
    )


def entries(result: Result, **changed: Any) -> dict[str, Any]:
    form = CorrectionForm(result=results_with_names([result.pk]).get())
    filled = {name: form[name].value() for name in form.fields}
    return {name: value for name, value in (filled | changed).items() if value is not None}


def correct(client: Client, result: Result, **changed: Any) -> Any:
    """Look at what it does and save it, as far as one gets."""
    address = reverse("results:correct", args=[result.pk])
    given = entries(result, reason="misread", **changed)
    shown = client.post(address, given)
    if shown.status_code != 200:
        return shown
    return client.post(address, given | {"save": shown.context["form"].fingerprint})


def correct_in_administration(client: Client, result: Result) -> Any:
    address, shown = page_of(client, result)
    given = {"contract": "", "score": "1000", "award": "", "reason": "misread"}
    return client.post(address, shown | given)


def test_a_final_result_is_corrected_when_that_has_been_taken_back_and_not_before(
    client: Client, dora: User, official: Swiss
) -> None:
    client.force_login(dora)
    result = Result.objects.earliest("pk")
    page = reverse("results:correct", args=[result.pk])

    assertContains(client.get(page), FINAL, status_code=403)
    assertContains(correct(client, result, kind="score", score=1000), FINAL, status_code=403)
    assert not ResultChange.objects.exists()

    version = official.schedule_version
    reopen_corrections(event_id=official.pk, expected=version, by=dora, reason="a wrong slip was found")
    assert client.get(page).status_code == 200
    assert correct(client, result, kind="score", score=1000).status_code == 302
    assert ResultChange.objects.get().reason == "misread"


def test_the_page_where_a_board_is_decided_asks_nothing_any_more_when_the_result_is_final(
    client: Client, dora: User, official: Swiss
) -> None:
    client.force_login(dora)
    page = reverse("pairs:decide", args=[official.pk, 1, 1, 1])

    assertContains(client.get(page), "begins with taking that back, under Now.")
    assertNotContains(client.get(page), 'name="word"')

    version = official.schedule_version
    reopen_corrections(event_id=official.pk, expected=version, by=dora, reason="a wrong slip was found")
    assertContains(client.get(page), 'name="word"')
    assertContains(client.get(page), "Until the result is final you can decide again")


def test_nor_is_it_corrected_in_the_administration(client: Client, official: Swiss) -> None:
    client.force_login(User.objects.create_superuser("vera", "vera@example.org", "datum-demo"))
    result = Result.objects.earliest("pk")

    assertContains(correct_in_administration(client, result), FINAL, status_code=403)

    assert not ResultChange.objects.exists()


def test_it_was_looked_at_before_it_was_final_and_is_saved_too_late(client: Client, dora: User) -> None:
    swiss = make_swiss(rounds=1)
    enter_pairs(swiss, 2)
    start(swiss)
    play_round(swiss, random.Random(1))
    pass_time(minutes=25)
    client.force_login(dora)
    result = Result.objects.earliest("pk")
    address = reverse("results:correct", args=[result.pk])
    given = entries(result, reason="misread", kind="score", score=1000)
    seen = client.post(address, given)
    assert seen.status_code == 200
    pass_time(minutes=60)

    late = client.post(address, given | {"save": seen.context["form"].fingerprint})

    assertContains(late, FINAL, status_code=403)
    assert not ResultChange.objects.exists()


def test_a_director_who_has_played_corrects_other_boards_than_his_own(
    client: Client, dora: User, imported: Event
) -> None:
    client.force_login(dora)
    own, other = at_table(imported, 1), at_table(imported, 2)
    page = reverse("results:correct", args=[own.pk])

    assertContains(client.get(page), OWN, status_code=403)
    assertContains(correct(client, own, kind="score", score=1000), OWN, status_code=403)
    assert not ResultChange.objects.exists()
    assert correct(client, other, kind="score", score=1000).status_code == 302

    client.force_login(make_user("dina", director=True))
    assert correct(client, own, kind="score", score=1000).status_code == 302
    assert ResultChange.objects.count() == 2


def test_nor_does_he_give_himself_the_result_of_others(client: Client, dora: User, imported: Event) -> None:
    client.force_login(dora)
    other, own = at_table(imported, 2), at_table(imported, 1)
    swapped = {"kind": "moved", "ns": own.ns_id, "ew": own.ew_id, "board": other.field_board_id}
    assertContains(correct(client, other, **swapped), OWN, status_code=403)

    Result.objects.filter(pk=own.pk).delete()
    taken = {"kind": "moved", "ns": own.ns_id, "ew": other.ew_id, "board": other.field_board_id}
    assertContains(correct(client, other, **taken), OWN, status_code=403)

    assert not ResultChange.objects.exists()
    other.refresh_from_db()
    assert other.ns.label == "2 NS"


def test_who_runs_the_site_leaves_his_own_boards_to_another_too(
    client: Client, dora: User, imported: Event
) -> None:
    User.objects.filter(pk=dora.pk).update(is_staff=True, is_superuser=True)
    client.force_login(dora)

    assertContains(correct_in_administration(client, at_table(imported, 1)), OWN, status_code=403)
    assert not ResultChange.objects.exists()
    assert correct_in_administration(client, at_table(imported, 2)).status_code == 302
    assert ResultChange.objects.count() == 1
