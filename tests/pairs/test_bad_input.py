"""What players, directors and scripts send that makes no sense: each time a sentence or "not found", never an error."""

import random
from collections.abc import Iterator
from datetime import timedelta
from threading import Event as Signal
from time import sleep
from typing import Any
from uuid import uuid4

import pytest
from django import forms
from django.contrib import admin
from django.core.exceptions import ValidationError
from django.db import connection, transaction
from django.test import Client, RequestFactory
from django.urls import get_resolver, reverse
from pytest_django.asserts import assertContains, assertNotContains

from apps.clock.models import DueWork
from apps.clock.time import now
from apps.pairs.models import Invitation, Round, Seat, Slip, Swiss
from apps.pairs.services import desk, direction, registration
from apps.pairs.services.registration import Refused
from apps.pairs.services.rounds import OFFICIAL, SETTLE, close_round, open_round
from apps.pairs.services.series import create_series
from apps.pairs.services.setup import Plan, create_swiss, faults_of, plan_of
from apps.pairs.services.slips import Said, say_result
from apps.results.models import Result
from apps.users.forms import LineField, PlayerNameField
from apps.users.models import Player, User
from tests.factories import make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db

DIGITS = "9" * 5000  # more than Python reads as a number


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


@pytest.fixture
def evening() -> Swiss:
    """Five pairs play the first of three rounds."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 5)
    start(swiss)
    return reload(swiss)


def directed(swiss: Swiss, dora: User, **words: Any) -> dict[str, Any]:
    return {
        "event_id": swiss.pk,
        "expected": reload(swiss).schedule_version,
        "by": dora,
        "reason": "so it is",
        **words,
    }


def pair(swiss: Swiss, order: int) -> list[Player]:
    return list(Player.objects.filter(entrants__entry__contestant__order=order, entrants__swiss=swiss))


# ---- letters and numbers


@pytest.mark.parametrize("name", ["No\0body", "#" + "9" * 100, "\u202enobody", "𝒩obody", "<script>"])
def test_a_name_that_nobody_can_have_is_answered_with_a_sentence(client: Client, name: str) -> None:
    swiss = make_swiss()
    user = make_members(1)[0].user
    assert user
    client.force_login(user)

    answer = client.post(reverse("pairs:act", args=[swiss.pk, "invite"]), {"name": name}, follow=True)

    assertContains(answer, "Nobody here is called")
    assert not Invitation.objects.exists()


def test_a_list_of_players_may_hold_a_number_that_no_player_has(client: Client, dora: User) -> None:
    client.force_login(dora)

    answer = client.post(reverse("pairs:new"), {"invited": f"#{DIGITS}"})

    assertContains(answer, "Nobody here is called", status_code=422)


def test_numbers_longer_than_anything_has_are_none(client: Client, dora: User, evening: Swiss) -> None:
    client.force_login(dora)

    assert client.get(reverse("pairs:new"), {"copy": DIGITS}).status_code == 200
    address = reverse("pairs:change_setup", args=[evening.pk])
    assert client.post(address, {"expected": DIGITS}).status_code == 422
    address = reverse("pairs:direct_pair", args=[evening.pk, "substitute"])
    assert client.post(address, {"order": DIGITS, "out": DIGITS, "into": DIGITS}).status_code == 422


def test_a_line_keeps_no_breaks_and_nothing_that_turns_the_letters_behind_it() -> None:
    line = LineField().clean("Club\u202e\r\nSUMMARY:evil\u2066  e\u0301 می\u200cخواهم 𝒳")

    assert line == "Club SUMMARY:evil é می\u200cخواهم 𝒳"


@pytest.mark.parametrize(
    "unseen", ["\u200b", "\u00ad\u00ad", "\u202e\u2066", "\u200b \u200e", "\u3164", "\u0301"]
)
def test_a_line_in_which_there_is_nothing_to_see_is_empty(unseen: str) -> None:
    assert LineField(required=False).clean(unseen) == ""
    for field in (LineField(), PlayerNameField()):
        with pytest.raises(ValidationError, match="required"):
            field.clean(unseen)
        assert field.clean(f"{unseen}Zo\u00eb")


def test_a_name_has_no_letters_that_nobody_sees() -> None:
    hidden = "Ve\u200dra\U000e0041\ufe0f I\u00adr\u2060aq" + "\u0301" * 9
    assert PlayerNameField().clean(hidden) == "Vera Iraq\u0301\u0301\u0301"


def in_any_form() -> Iterator[tuple[str, forms.Field]]:
    """Every field of our forms, and of those that the administration makes."""
    assert get_resolver().url_patterns  # now every form is imported, whichever tests ran before
    waiting = list(forms.BaseForm.__subclasses__())
    while waiting:
        form = waiting.pop()
        waiting += form.__subclasses__()
        if form.__module__.startswith("apps."):
            yield from getattr(form, "base_fields", {}).items()
    request = RequestFactory().get("/")
    request.user = User.objects.create_superuser("vera", "vera@example.org", "datum-demo")
    for model, administration in admin.site._registry.items():
        if model.__module__.startswith("apps.") and administration.has_change_permission(request):
            yield from administration.get_form(request).base_fields.items()
            for inline in administration.get_inline_instances(request):
                yield from inline.get_formset(request).form.base_fields.items()


def takes_any_letter(field: forms.Field) -> bool:
    return type(field) is forms.CharField and not isinstance(
        field.widget, forms.Textarea | forms.PasswordInput
    )


def test_whatever_a_person_types_in_one_line_is_a_line() -> None:
    fields = list(in_any_form())
    assert sum(isinstance(field, LineField) for _, field in fields) > 30
    assert {name for name, field in fields if takes_any_letter(field)} == set()
    assert takes_any_letter(forms.CharField())


def test_a_name_typed_in_the_administration_turns_nothing_that_stands_behind_it(client: Client) -> None:
    client.force_login(User.objects.create_superuser("vera", "vera@example.org", "datum-demo"))
    numbers = {"numbers-TOTAL_FORMS": 0, "numbers-INITIAL_FORMS": 0}

    client.post(
        reverse("admin:users_player_add"), {"name": " Zo\u0065\u0308\r\n\u202eBond\u2066 ", **numbers}
    )

    assert Player.objects.get().name == "Zoë Bond"


def test_an_event_that_is_put_off_starts_at_a_full_minute(client: Client, dora: User) -> None:
    swiss = make_swiss()
    client.force_login(dora)
    day = f"{now() + timedelta(days=3):%Y-%m-%d}"
    words = {
        "expected": swiss.schedule_version,
        "reason": "later",
        "start_date": day,
        "start_time": "18:30:59",
    }

    client.post(reverse("pairs:direct_command", args=[swiss.pk, "postpone"]), words)

    moved = reload(swiss)
    assert moved.local_start == f"{day}T18:30"
    assert f"{moved.starts_at.astimezone(moved.tz):%Y-%m-%dT%H:%M:%S}" == f"{day}T18:30:00"


@pytest.mark.parametrize("day", ["0001-01-01", "9999-12-31", "2031-01-01"])
def test_an_event_starts_neither_before_all_calendars_nor_after_them(
    client: Client, dora: User, day: str
) -> None:
    swiss = make_swiss()
    before = swiss.starts_at
    client.force_login(dora)
    words = {"expected": swiss.schedule_version, "reason": "later", "start_date": day, "start_time": "00:30"}

    answer = client.post(reverse("pairs:direct_command", args=[swiss.pk, "postpone"]), words)

    assert answer.status_code == 422
    assert reload(swiss).starts_at == before


def test_a_plan_for_years_ahead_has_a_fault() -> None:
    late = now().replace(tzinfo=None) + timedelta(days=800)

    assert str(faults_of(Plan(title="Late", zone="UTC", local_start=late))["local_start"]) == (
        "The start lies more than two years ahead."
    )


# ---- players


def test_nobody_plays_for_two_pairs_of_an_event_one_after_the_other(evening: Swiss) -> None:
    left, other = pair(evening, 1)[0], pair(evening, 2)[0]
    new, second = make_members(2, "New")
    registration.substitute(event_id=evening.pk, order=1, out=left, into=new, by=None)

    with pytest.raises(Refused, match="has played in this event with another pair"):
        registration.substitute(event_id=evening.pk, order=2, out=other, into=left, by=None)
    Swiss.objects.update(late_until=3)
    with pytest.raises(Refused, match="has played in this event with another pair"):
        registration.enter_pair(event_id=evening.pk, players=[left, second], by=None)

    registration.substitute(event_id=evening.pk, order=1, out=new, into=left, by=None)  # back to his own
    assert left in pair(evening, 1)


def test_a_pair_that_withdrew_before_the_start_is_never_seated_without_its_players() -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 3)
    registration.withdraw_pair(event_id=swiss.pk, order=1, by=None)

    with pytest.raises(Refused, match="withdrew before the start"):
        registration.say_present(event_id=swiss.pk, order=1, by=None)

    start(swiss)
    assert not Seat.objects.filter(contestant__order=1).exists()


def test_when_somebody_waits_at_every_table_of_the_desk_one_sits_down_opposite(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(desk, "TABLES", 2)
    swiss = make_swiss()
    players = make_members(3)
    for player in players[:2]:
        desk.sit_down(event_id=swiss.pk, player=player)

    with pytest.raises(Refused, match="desk is full"):
        desk.sit_down(event_id=swiss.pk, player=players[2])
    assert desk.sit_down(event_id=swiss.pk, player=players[2], table=1).seat == 2


def test_who_has_been_refused_again_and_again_asks_no_more() -> None:
    swiss = make_swiss()
    one, other = make_members(2)
    assert one.user
    assert other.user
    for _time in range(desk.MOST_INVITATIONS):
        asked = desk.invite(event_id=swiss.pk, player=one, partner=other, by=one.user)
        desk.answer_invitation(invitation_id=asked.pk, player=other, accept=False, by=other.user)

    with pytest.raises(Refused, match="often enough"):
        desk.invite(event_id=swiss.pk, player=one, partner=other, by=one.user)
    desk.invite(event_id=swiss.pk, player=other, partner=one, by=other.user)


# ---- the course


def test_an_event_that_shrinks_to_one_pair_ends_in_the_step_that_finds_it(evening: Swiss) -> None:
    for order in (1, 2, 3, 4):
        registration.withdraw_pair(event_id=evening.pk, order=order, by=None)
    close_round(event_id=evening.pk, number=1)

    open_round(event_id=evening.pk, number=2)

    assert reload(evening).state == Swiss.State.FINISHED  # nothing can come between
    waiting = DueWork.objects.filter(kind__startswith="pairs.", subject=evening.pk, state="planned")
    assert set(waiting.values_list("kind", flat=True)) == {SETTLE, OFFICIAL}


def test_other_rounds_of_a_coming_event_spoil_no_series(dora: User) -> None:
    start_at = (now() + timedelta(hours=2)).replace(tzinfo=None, second=0, microsecond=0)
    plan = Plan(title="Weekly", zone="UTC", local_start=start_at, rounds=6, late_until=5, minutes=60)
    swiss = create_swiss(plan=plan, by=dora, key="weekly")
    series = create_series(event_id=swiss.pk, last_date=None, by=dora)
    latest = series.events.order_by("-starts_at")[0]

    with pytest.raises(Refused, match="24 is the most"):
        direction.change_rounds(rounds=40, **directed(latest, dora))
    direction.change_rounds(rounds=3, **directed(latest, dora))

    assert faults_of(plan_of(reload(latest))) == {}  # the next ones are made like it


# ---- results


def test_who_runs_the_site_and_may_play_sees_no_result_before_the_deals_are_public(
    client: Client, evening: Swiss, dora: User
) -> None:
    User.objects.filter(pk=dora.pk).update(is_staff=True, is_superuser=True)
    client.force_login(dora)
    play_round(evening, random.Random(1))
    pages = [
        reverse("admin:results_result_changelist"),
        reverse("admin:results_result_change", args=[Result.objects.earliest("pk").pk]),
    ]
    assertContains(client.get(pages[0]), "0 results")
    assert client.get(pages[1]).status_code == 302  # to the list: there is none

    pass_time(minutes=300)

    assert all(client.get(page).status_code == 200 for page in pages)
    assertNotContains(client.get(pages[0]), "0 results")


def test_a_page_that_is_refused_says_why(client: Client, evening: Swiss) -> None:
    user = pair(evening, 1)[0].user
    assert user
    client.force_login(user)
    address = reverse("pairs:direct", args=[evening.pk])

    assertContains(client.get(address), "Only directors may do this.", status_code=403)
    User.objects.filter(pk=user.pk).update(is_director=True)
    assertContains(client.get(address), "You play in this event.", status_code=403)


@pytest.mark.django_db(transaction=True)
def test_a_word_that_waits_for_a_new_seating_is_said_at_the_new_table(dora: User) -> None:
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 5)
    start(swiss)
    seats = Seat.objects.filter(round__state=Round.State.OPEN, table=1)
    gone, stays = seats.get(side="EW").contestant, seats.get(side="NS").contestant
    registration.withdraw_pair(event_id=swiss.pk, order=gone.order, by=None)
    player = pair(swiss, stays.order)[0]
    assert player.user
    by = player.user
    seated = Signal()

    def seat_anew() -> None:
        with transaction.atomic():
            direction.pair_again(**directed(swiss, dora))
            seated.set()
            wait_for_a_lock()

    def speak() -> Slip:
        seated.wait(10)
        said = Said.read("4S N =")
        return say_result(event_id=swiss.pk, board=1, said=said, by=by, player=player, command=uuid4())

    _seated, slip = at_once(seat_anew, speak)

    assert isinstance(slip, Slip)
    now_there = Seat.objects.filter(round__state=Round.State.OPEN, table=slip.table)
    assert {slip.ns_id, slip.ew_id} == set(now_there.values_list("contestant", flat=True))
    assert gone.pk not in (slip.ns_id, slip.ew_id)


def wait_for_a_lock() -> None:
    """Until somebody waits for what this transaction holds."""
    for _time in range(200):
        with connection.cursor() as cursor:
            cursor.execute("SELECT count(*) FROM pg_locks WHERE NOT granted")
            if cursor.fetchone()[0]:
                return
        sleep(0.05)
    raise AssertionError("nobody waits")
