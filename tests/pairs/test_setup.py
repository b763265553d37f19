"""An administrator sets up an event that runs itself, changes it, and announces it."""

from dataclasses import replace
from datetime import UTC, date, datetime, timedelta
from functools import partial
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.test import Client
from django.urls import reverse
from pytest_django.asserts import assertContains, assertRedirects

from apps.clock.models import AuditEntry, DueWork
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.pairs.models import Event, Round, Swiss
from apps.pairs.services.direction import Stale, cancel, ring_bell, suspend
from apps.pairs.services.publishing import publish_event, unpublish_event
from apps.pairs.services.registration import Refused, enter_pair
from apps.pairs.services.rounds import START
from apps.pairs.services.setup import Plan, announce_swiss, change_swiss, create_swiss, faults_of, plan_of
from apps.users.models import Player, User
from bridge.comparison import Method
from bridge.errors import BridgeError
from tests.factories import make_players, make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, reload, start

pytestmark = pytest.mark.django_db


@pytest.fixture
def dora() -> User:
    return make_user("dora", director=True)


def make_plan(**chosen: Any) -> Plan:
    facts = {"title": "Evening Swiss", "zone": "Europe/Athens", "local_start": wall("2027-03-28 20:00")}
    return Plan(**{**facts, **chosen})


def wall(text: str) -> datetime:
    """What the clocks of some zone show."""
    return datetime.fromisoformat(text)


def move_to(moment: datetime) -> None:
    move(moment - now())


def draft(by: User | None = None, **chosen: Any) -> Swiss:
    return create_swiss(plan=make_plan(**chosen), by=by, key="a form")


def test_an_event_is_set_up_as_a_draft_with_everything_that_was_chosen(dora: User) -> None:
    plan = make_plan(
        organisation="Harbour Club",
        method=Method.CROSS_IMP,
        by_vps=True,
        rounds=5,
        boards=6,
        minutes=45,
        pause=5,
        cut=Swiss.Cut.CLOCK,
        play=Swiss.Play.TABLES,
        undo=Swiss.Undo.DIRECTOR,
        stop=True,
        turn_seconds=90,
        barometer=True,
        presence_minutes=20,
        late_until=2,
        admission=Swiss.Admission.INVITED,
        invited=tuple(player.pk for player in make_players(12)),
        min_pairs=6,
        max_pairs=40,
        finish_percent=80,
        awards_masterpoints=False,
        min_finishers=4,
        after_outage=Swiss.AfterOutage.CUT,
    )

    swiss = create_swiss(plan=plan, by=dora, key="a form")

    stored = Swiss.objects.select_related("event__field").get(pk=swiss.pk)
    assert plan_of(stored) == plan
    assert stored.event.state == Event.State.DRAFT
    assert stored.event.field.by_session
    assert stored.seal is None
    assert not DueWork.objects.filter(subject=swiss.pk).exists()


def test_the_same_form_sent_twice_makes_one_event(dora: User) -> None:
    assert draft(dora) == draft(dora, title="Another name")
    assert Event.objects.count() == 1


def test_an_announced_event_has_its_deals_promised_and_its_start_scheduled_once(dora: User) -> None:
    swiss = draft(dora)

    assert announce_swiss(event_id=swiss.pk, by=dora)
    assert not announce_swiss(event_id=swiss.pk, by=dora)

    swiss.refresh_from_db()
    assert swiss.event.state == Event.State.ANNOUNCED
    assert swiss.seal is not None
    assert swiss.seal.seed == ""
    work = DueWork.objects.get(subject=swiss.pk)
    assert (work.kind, work.due_at) == (START, datetime(2027, 3, 28, 17, 0, tzinfo=UTC))
    assert AuditEntry.objects.filter(action="pairs.announced", subject_id=swiss.pk).count() == 1


def test_the_announced_hour_stays_the_hour_on_the_wall_when_the_clocks_change_before_it(dora: User) -> None:
    move_to(datetime(2027, 3, 19, 12, 0, tzinfo=UTC))  # Athens is two hours ahead, and will be three
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    swiss.refresh_from_db()
    before = swiss.starts_at.astimezone(swiss.tz)

    move_to(datetime(2027, 3, 28, 12, 0, tzinfo=UTC))
    swiss.refresh_from_db()
    after = swiss.starts_at.astimezone(swiss.tz)

    assert f"{before:%H:%M}" == f"{after:%H:%M}" == "20:00"
    assert swiss.starts_at == datetime(2027, 3, 28, 17, 0, tzinfo=UTC)


def test_the_clock_starts_the_event_at_its_instant_and_not_before(dora: User) -> None:
    swiss = draft(dora, presence_minutes=0, min_pairs=2)
    announce_swiss(event_id=swiss.pk, by=dora)
    players = make_players(8)
    for at in range(0, 8, 2):
        enter_pair(event_id=swiss.pk, players=players[at : at + 2], by=None)

    move_to(swiss.starts_at - timedelta(minutes=1))
    tick()
    swiss.refresh_from_db()
    assert swiss.state == Swiss.State.ANNOUNCED
    move(timedelta(minutes=2))
    tick()
    swiss.refresh_from_db()
    assert (swiss.state, swiss.current_round) == (Swiss.State.RUNNING, 1)


def test_an_evening_belongs_to_the_day_on_the_wall_of_its_zone(dora: User) -> None:
    swiss = draft(dora, zone="America/Bogota", local_start=wall("2027-03-07 20:00"))

    assert swiss.starts_at == datetime(2027, 3, 8, 1, 0, tzinfo=UTC)
    assert swiss.event.played_on == date(2027, 3, 7)


@pytest.mark.parametrize(
    ("chosen", "field", "said"),
    [
        ({"title": " "}, "title", "needs a name"),
        ({"zone": "Europe/Atlantis"}, "zone", "There is no time zone Europe/Atlantis."),
        ({"local_start": wall("2026-03-28 20:00")}, "local_start", "lies in the past"),
        ({"local_start": wall("2027-03-28 03:30")}, "local_start", "does not exist: it is 04:00 at once"),
        ({"local_start": wall("2027-10-31 03:30")}, "local_start", "03:30 comes twice"),
        ({"rounds": 41}, "rounds", "from 1 to 40"),
        ({"rounds": 40, "minutes": 60}, "rounds", "would last 42 hours"),
        ({"rounds": 10**12, "late_until": 1}, "rounds", "from 1 to 40"),
        ({"minutes": 10**12}, "minutes", "from 1 to 600"),
        ({"pause": 10**15}, "pause", "from 0 to 120"),
        ({"boards": 31, "minutes": 30}, "minutes", "31 boards do not fit into 30 minutes"),
        ({"method": Method.MP, "by_vps": True}, "by_vps", "made of IMPs"),
        ({"method": Method.TOTAL_IMP, "by_vps": True}, "by_vps", "made of IMPs"),
        ({"finish_percent": 50}, "finish_percent", "from 60 to 80"),
        ({"finish_percent": 81}, "finish_percent", "from 60 to 80"),
        ({"min_finishers": 0}, "min_finishers", "from 1 to 100"),
        ({"turn_seconds": 5}, "turn_seconds", "from 15 to 600"),
        ({"cut": Swiss.Cut.CLOCK}, "cut", "Only tables of this site have a clock"),
        ({"late_until": 7}, "late_until", "only 6 rounds"),
        ({"min_pairs": 1}, "min_pairs", "from 2"),
        ({"min_pairs": 10, "max_pairs": 9}, "max_pairs", "less than"),
        ({"admission": Swiss.Admission.INVITED}, "invited", "0 players, but 4 pairs"),
    ],
)
def test_a_plan_with_a_fault_is_refused_with_a_sentence_for_its_field(
    chosen: dict[str, Any], field: str, said: str
) -> None:
    faults = faults_of(make_plan(**chosen))

    assert said in str(faults.pop(field))
    assert not faults
    with pytest.raises(Refused, match=said):
        draft(**chosen)
    assert not Event.objects.exists()


def test_a_plan_as_the_form_proposes_it_has_no_fault() -> None:
    assert faults_of(make_plan()) == {}


def test_an_event_whose_start_has_passed_cannot_be_announced(dora: User) -> None:
    swiss = draft(dora)
    move_to(swiss.starts_at + timedelta(seconds=1))

    with pytest.raises(Refused, match="past"):
        announce_swiss(event_id=swiss.pk, by=dora)

    swiss.refresh_from_db()
    assert swiss.event.state == Event.State.DRAFT
    assert not DueWork.objects.filter(subject=swiss.pk).exists()


def test_a_change_before_anybody_entered_moves_the_start_and_is_kept_in_the_log(dora: User) -> None:
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    swiss.refresh_from_db()
    plan = replace(plan_of(swiss), local_start=wall("2027-03-29 19:00"), rounds=5, method=Method.MP)

    assert change_swiss(event_id=swiss.pk, plan=plan, expected=swiss.schedule_version, by=dora)

    stored = Swiss.objects.select_related("event__field").get(pk=swiss.pk)
    assert plan_of(stored) == plan
    assert stored.event.played_on == date(2027, 3, 29)
    assert stored.seal_id == swiss.seal_id
    assert DueWork.objects.get(subject=swiss.pk, state=DueWork.State.PLANNED).due_at == stored.starts_at
    entry = AuditEntry.objects.get(action="pairs.changed", subject_id=swiss.pk)
    assert entry.actor_name == "dora"
    assert entry.before is not None
    assert entry.after is not None
    assert (entry.before["rounds"], entry.after["rounds"]) == (6, 5)
    assert set(entry.after) == {"local_start", "rounds", "method"}


def test_two_administrators_who_change_at_once_do_not_overwrite_each_other(dora: User) -> None:
    swiss = draft(dora)
    seen = swiss.schedule_version
    change_swiss(event_id=swiss.pk, plan=make_plan(rounds=5), expected=seen, by=dora)

    with pytest.raises(Stale):
        change_swiss(event_id=swiss.pk, plan=make_plan(rounds=7), expected=seen, by=dora)

    swiss.refresh_from_db()
    assert swiss.rounds == 5


def test_what_pairs_entered_for_stays_and_the_rest_may_still_change(dora: User) -> None:
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    enter_pair(event_id=swiss.pk, players=make_players(2), by=None)
    swiss.refresh_from_db()

    with pytest.raises(Refused, match="what they entered for stays"):
        change_swiss(event_id=swiss.pk, plan=make_plan(boards=5), expected=swiss.schedule_version, by=dora)
    assert change_swiss(
        event_id=swiss.pk, plan=make_plan(max_pairs=30), expected=swiss.schedule_version, by=dora
    )
    swiss.refresh_from_db()
    assert (swiss.boards, swiss.max_pairs) == (4, 30)


def test_a_change_that_changes_nothing_is_not_kept(dora: User) -> None:
    swiss = draft(dora)

    assert not change_swiss(event_id=swiss.pk, plan=make_plan(), expected=swiss.schedule_version, by=dora)
    assert not AuditEntry.objects.filter(action="pairs.changed").exists()


def test_an_event_that_has_begun_is_not_set_up_any_more(dora: User) -> None:
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    Swiss.objects.filter(pk=swiss.pk).update(state=Swiss.State.RUNNING)
    swiss.refresh_from_db()

    with pytest.raises(Refused, match="has begun"):
        change_swiss(
            event_id=swiss.pk, plan=make_plan(max_pairs=30), expected=swiss.schedule_version, by=dora
        )


# ---- the pages


@pytest.fixture
def director(client: Client, dora: User) -> Client:
    client.force_login(dora)
    return client


def filled_in(client: Client, address: str, **chosen: Any) -> dict[str, Any]:
    """The form as it is proposed, with what somebody chose instead."""
    form = client.get(address).context["form"]
    shown = {field.html_name: field.value() for field in form}
    start = {
        "title": "Harbour Swiss",
        "start_date": "2027-03-28",
        "start_time": "20:00",
        "zone": "Europe/Athens",
    }
    merged = {**shown, **start, **chosen}
    return {name: value for name, value in merged.items() if value not in (None, False, ())}


def test_the_form_explains_every_setting_and_proposes_the_readers_zone(director: Client, dora: User) -> None:
    dora.time_zone = "Asia/Tokyo"
    dora.save()

    form = director.get(reverse("pairs:new")).context["form"]

    assert form["zone"].value() == "Asia/Tokyo"
    assert all(field.help_text for field in form.visible_fields())
    assert {field.name for _, fields in form.groups() for field in fields} == {
        field.name for field in form.visible_fields()
    }


def test_an_administrator_fills_in_looks_and_announces(director: Client) -> None:
    answer = director.post(reverse("pairs:new"), filled_in(director, reverse("pairs:new"), rounds=5))
    swiss = Swiss.objects.get()
    assertRedirects(answer, reverse("pairs:setup", args=[swiss.pk]))

    page = director.get(reverse("pairs:setup", args=[swiss.pk]))
    assert [f"{each.opens_at.astimezone(swiss.tz):%H:%M}" for each in page.context["outlook"].rounds] == [
        "20:00",
        "20:32",
        "21:04",
        "21:36",
        "22:08",
    ]
    assertContains(page, "28 March 2027, 20:00")
    assertContains(page, ">Europe/Athens<", 7)  # the start, the end, and every line of the timetable
    assert page.context["outlook"].boards == 20
    assert page.context["outlook"].to_finish == 14

    director.post(reverse("pairs:announce", args=[swiss.pk]))
    assert Event.objects.get().state == Event.State.ANNOUNCED


def test_the_timetable_of_an_event_that_has_begun_is_that_of_the_clock(director: Client, dora: User) -> None:
    swiss = make_swiss(
        rounds=2, boards=4
    )  # boards of five minutes, in a field too small: advice before the start
    address = reverse("pairs:setup", args=[swiss.pk])
    assert director.get(address).context["advice"]
    enter_pairs(swiss, 4)
    start(swiss)
    pass_time(minutes=5)
    swiss = reload(swiss)
    ring_bell(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="all have played")
    pass_time(seconds=1)

    page = director.get(address)

    first, second = Round.objects.filter(swiss=swiss).order_by("number")
    assert first.closed_at and first.closed_at - swiss.starts_at < timedelta(minutes=6)
    shown = page.context["outlook"]
    assert [(each.opens_at, each.closes_at, each.state.value) for each in shown.rounds] == [
        (first.opened_at, first.closed_at, "closed"),
        (second.opens_at, second.closes_at, "pending"),
    ]
    assert shown.ends_at == second.closes_at
    assert [word in page.text for word in ("<td>over</td>", "<td>to come</td>")] == [True, True]
    assert page.context["advice"] == []

    pass_time(minutes=60)
    page = director.get(address)
    assert reload(swiss).is_over
    assert page.text.count("<td>over</td>") == 2
    assert "The ranking stands at" not in page.text


def test_while_an_event_stands_still_nobody_knows_its_times(director: Client, dora: User) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    start(swiss)
    swiss = reload(swiss)
    suspend(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="a fire alarm")

    page = director.get(reverse("pairs:setup", args=[swiss.pk]))

    assert [(each.number, each.closes_at) for each in page.context["outlook"].rounds] == [(1, None)]
    assert '<td class="n">–</td>' in page.text
    assert "The ranking stands at" not in page.text


def test_the_timetable_of_a_cancelled_event_foretells_nothing(director: Client, dora: User) -> None:
    begun, never = make_swiss(), make_swiss(title="Never begun")
    enter_pairs(begun, 4)
    start(begun)
    for swiss in (begun, never):
        swiss = reload(swiss)
        if not swiss.is_over:
            cancel(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="no heating")

    page, other = (director.get(reverse("pairs:setup", args=[swiss.pk])) for swiss in (begun, never))

    assert [each.number for each in page.context["outlook"].rounds] == [1]
    assert page.context["outlook"].rounds[0].closes_at == Round.objects.get(swiss=begun, number=1).closed_at
    assert "No round was played." in other.text
    for each in (page, other):
        assert "The ranking stands at" not in each.text


def test_the_start_is_shown_in_the_zone_of_the_event_and_in_the_readers_own(
    director: Client, dora: User
) -> None:
    dora.time_zone = "Asia/Tokyo"
    dora.save()
    swiss = draft(dora)

    page = director.get(reverse("pairs:setup", args=[swiss.pk]))

    assertContains(page, "28 March 2027, 20:00")
    assertContains(page, "29 March 2027, 02:00")
    assertContains(page, "Asia/Tokyo")


def test_what_is_wrong_stands_beside_its_field_and_nothing_is_saved(director: Client) -> None:
    given = filled_in(
        director, reverse("pairs:new"), start_time="03:30", finish_percent=90, method="MP", by_vps="on"
    )

    page = director.post(reverse("pairs:new"), given)

    assert page.status_code == 422
    assert set(page.context["form"].errors) == {"start_time", "finish_percent", "by_vps"}
    assertContains(page, "03:30 does not exist", status_code=422)
    assert not Event.objects.exists()


def test_numbers_without_measure_are_refused_on_a_new_and_on_an_announced_event(director: Client) -> None:
    swiss = draft()
    for address in (reverse("pairs:new"), reverse("pairs:change_setup", args=[swiss.pk])):
        for huge in (10**12, 10**15, -(10**15), 10**400):
            given = filled_in(director, address, rounds=huge, minutes=huge, pause=huge)
            page = director.post(address, given)
            assert page.status_code == 422
            assert set(page.context["form"].errors) >= {"rounds", "minutes", "pause"}
    assert Event.objects.count() == 1


def test_a_start_is_at_a_full_minute(director: Client) -> None:
    director.post(reverse("pairs:new"), filled_in(director, reverse("pairs:new"), start_time="20:00:59"))

    swiss = Swiss.objects.get()
    assert swiss.local_start == "2027-03-28T20:00"
    assert swiss.starts_at == wall("2027-03-28 20:00").replace(tzinfo=ZoneInfo("Europe/Athens"))


def test_players_on_the_list_are_named_or_numbered_and_unknown_ones_are_told(director: Client) -> None:
    players = make_players(8)
    address = reverse("pairs:new")
    names = "\n".join([f"#{players[0].pk} {players[0].name}", *(player.name for player in players[1:])])

    page = director.post(
        address, filled_in(director, address, admission="invited", invited=f"{names}\nNobody Known")
    )
    assert page.context["form"].errors["invited"] == ["Nobody here is called Nobody Known."]
    director.post(address, filled_in(director, address, admission="invited", invited=names))

    assert set(Swiss.objects.get().invited.all()) == set(players)


def test_namesakes_are_told_apart_by_number(director: Client) -> None:
    twins = [Player.objects.create(name="Ada Lovelace") for _ in range(2)]
    address = reverse("pairs:new")

    page = director.post(address, filled_in(director, address, invited="Ada Lovelace"))

    assert page.context["form"].errors["invited"] == [
        f"Several players are called Ada Lovelace. Please write which: #{twins[0].pk}, #{twins[1].pk}."
    ]


def test_a_copy_is_the_same_a_week_later_and_never_in_the_past(director: Client, dora: User) -> None:
    swiss = draft(dora, rounds=7, max_pairs=12)

    form = director.get(f"{reverse('pairs:new')}?copy={swiss.pk}").context["form"]
    assert (form["rounds"].value(), form["max_pairs"].value()) == (7, 12)
    assert form["start_date"].value() == date(2027, 4, 4)

    move_to(datetime(2027, 5, 1, tzinfo=UTC))
    form = director.get(f"{reverse('pairs:new')}?copy={swiss.pk}").context["form"]
    assert form["start_date"].value() == date(2027, 5, 2)


def test_an_announced_event_is_changed_through_the_form_until_somebody_else_did(
    director: Client, dora: User
) -> None:
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    swiss.refresh_from_db()
    address = reverse("pairs:change_setup", args=[swiss.pk])
    given = filled_in(director, address, rounds=5, title="Evening Swiss", expected=swiss.schedule_version)

    assert director.post(address, given).status_code == 302
    again = director.post(address, {**given, "rounds": 4})

    assert again.status_code == 422
    assertContains(again, "has moved on", status_code=422)
    swiss.refresh_from_db()
    assert swiss.rounds == 5


def test_a_series_is_announced_listed_and_stopped(director: Client, dora: User) -> None:
    swiss = draft(dora, local_start=wall("2027-03-21 20:00"))
    move_to(datetime(2027, 3, 15, tzinfo=UTC))
    address = reverse("pairs:announce", args=[swiss.pk])

    assertRedirects(director.post(address, {"weekly": "on"}), reverse("pairs:series"))
    page = director.get(reverse("pairs:series"))
    (listed,) = page.context["listed"]
    assert [f"{each.swiss.starts_at.astimezone(swiss.tz):%d %H:%M}" for each in listed.coming] == [
        "21 20:00",
        "28 20:00",
        "04 20:00",
        "11 20:00",
    ]
    assert not any(each.moved for each in listed.coming)

    director.post(reverse("pairs:stop_series", args=[listed.series.pk]))
    assertContains(director.get(reverse("pairs:series")), "Stopped")


def test_a_draft_is_discarded_and_an_announced_event_stays(director: Client, dora: User) -> None:
    swiss = draft(dora)
    address = reverse("pairs:discard_setup", args=[swiss.pk])

    director.post(address)
    assert not Event.objects.exists()
    other = draft(dora)
    announce_swiss(event_id=other.pk, by=dora)
    director.post(reverse("pairs:discard_setup", args=[other.pk]))
    assert Event.objects.exists()


def test_only_directors_set_up(client: Client, dora: User) -> None:
    swiss = draft(dora)
    client.force_login(make_user())

    for name, arguments in (
        ("new", []),
        ("series", []),
        ("setup", [swiss.pk]),
        ("change_setup", [swiss.pk]),
        ("direct", [swiss.pk]),
    ):
        assert client.get(reverse(f"pairs:{name}", args=arguments)).status_code == 403
    assert client.post(reverse("pairs:announce", args=[swiss.pk])).status_code == 403


# ---- the calendar file


def calendar_of(client: Client, swiss: Swiss) -> dict[str, str]:
    answer = client.get(reverse("pairs:event_ics", args=[swiss.pk]))
    assert answer.headers["Content-Type"] == "text/calendar; charset=utf-8"
    assert all(len(line) <= 75 for line in answer.content.split(b"\r\n"))
    lines = answer.content.decode().replace("\r\n ", "").split("\r\n")
    assert lines.pop() == ""
    assert (lines[0], lines[-1]) == ("BEGIN:VCALENDAR", "END:VCALENDAR")
    return dict(line.split(":", 1) for line in lines)


def test_the_calendar_file_gives_the_instants_and_names_the_zone(client: Client, dora: User) -> None:
    swiss = draft(dora, title="Drinks, cards; and\\or bridge – 桥牌瑞士移位双人赛晚间比赛第一百二十三场")
    announce_swiss(event_id=swiss.pk, by=dora)

    read = calendar_of(client, swiss)

    assert read["DTSTART"] == "20270328T170000Z"
    assert read["DTEND"] == "20270328T201000Z"
    assert read["SUMMARY"] == "Drinks\\, cards\\; and\\\\or bridge – 桥牌瑞士移位双人赛晚间比赛第一百二十三场"
    assert "2027-03-28 20:00\\, Europe/Athens" in read["DESCRIPTION"]
    assert read["UID"] == f"event-{swiss.pk}@testserver"
    assert read["STATUS"] == "CONFIRMED"


def test_the_calendar_file_of_a_moved_event_replaces_the_earlier_one(client: Client, dora: User) -> None:
    swiss = draft(dora)
    announce_swiss(event_id=swiss.pk, by=dora)
    before = calendar_of(client, swiss)
    swiss.refresh_from_db()
    later = make_plan(local_start=wall("2027-03-28 21:00"))
    change_swiss(event_id=swiss.pk, plan=later, expected=swiss.schedule_version, by=dora)

    after = calendar_of(client, swiss)

    assert after["UID"] == before["UID"]
    assert int(after["SEQUENCE"]) > int(before["SEQUENCE"])
    assert after["DTSTART"] == "20270328T180000Z"


def test_a_draft_has_no_calendar_file(client: Client, dora: User) -> None:
    assert client.get(reverse("pairs:event_ics", args=[draft(dora).pk])).status_code == 404


# ---- what else directors can do to events


def test_an_event_that_runs_itself_is_not_published_or_taken_back_by_hand(
    director: Client, dora: User
) -> None:
    swiss = draft(dora)
    assert director.get(reverse("pairs:preview", args=[swiss.pk])).status_code == 404
    assert director.post(reverse("pairs:publish", args=[swiss.pk])).status_code == 404
    assertRedirects(director.get(swiss.event.get_absolute_url()), reverse("pairs:setup", args=[swiss.pk]))
    with pytest.raises(BridgeError, match="runs itself"):
        publish_event(event_id=swiss.pk, by=dora)

    announce_swiss(event_id=swiss.pk, by=dora)
    assert not unpublish_event(event_id=swiss.pk, by=None)

    assert Event.objects.get().state == Event.State.ANNOUNCED


# ---- at once


@pytest.mark.django_db(transaction=True)
def test_one_form_sent_four_times_at_once_makes_one_event_that_is_announced_once(dora: User) -> None:
    made = at_once(*[partial(draft, dora)] * 4)
    assert len({swiss.pk for swiss in made if isinstance(swiss, Swiss)}) == 1
    (event_id,) = Event.objects.values_list("pk", flat=True)

    announced = at_once(*[partial(announce_swiss, event_id=event_id, by=dora)] * 4)

    assert sorted(map(bool, announced)) == [False, False, False, True]
    assert DueWork.objects.filter(subject=event_id).count() == 1
