"""An event takes no more pairs than it has places, and a player no more than one of two events played at once."""

import random
from datetime import timedelta
from functools import partial
from threading import Event as Flag
from typing import Any

import pytest
from django.core import mail

from apps.clock.services import tick
from apps.clock.time import move, now
from apps.pages.invariants import broken
from apps.pairs.models import Entrant, Entry, Seat, Swiss
from apps.pairs.services import registration
from apps.pairs.services.desk import enter_from_desk, invite, raise_hand, sit_down
from apps.pairs.services.direction import postpone
from apps.pairs.services.locks import lock_event
from apps.pairs.services.registration import Refused, enter_pair, say_present, substitute, withdraw_pair
from apps.users.models import Notice, Player
from tests.factories import make_user
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


def part(swiss: Swiss) -> int:
    return Entry.objects.filter(swiss=swiss).exclude(state=Entry.State.WITHDRAWN).count()


# ---- places


def test_who_withdrew_finds_the_place_taken_and_who_is_away_keeps_it() -> None:
    swiss = make_swiss(rounds=3, max_pairs=5, late_until=3, presence_minutes=10)
    entries = enter_pairs(swiss, 5)
    for entry in entries[1:]:
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    start(swiss)  # pair 1 is away
    with pytest.raises(Refused, match="is full: it takes 5 pairs"):
        enter_pair(event_id=swiss.pk, players=make_members(2, "Early"), by=None)
    withdraw_pair(event_id=swiss.pk, order=2, by=None)
    enter_pair(event_id=swiss.pk, players=make_members(2, "Late"), by=None)
    with pytest.raises(Refused, match="is full: it takes 5 pairs"):
        say_present(event_id=swiss.pk, order=2, by=None)
    assert say_present(event_id=swiss.pk, order=1, by=None).state == Entry.State.PLAYING
    withdraw_pair(event_id=swiss.pk, order=3, by=None)
    assert say_present(event_id=swiss.pk, order=2, by=None).state == Entry.State.PLAYING
    assert part(swiss) == 5


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("locked", [True, False], ids=["lock on", "lock off"])
def test_of_two_who_want_the_last_place_at_once_one_gets_it(
    locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss = make_swiss(rounds=3, max_pairs=4, late_until=3)
    enter_pairs(swiss, 4)
    start(swiss)
    withdraw_pair(event_id=swiss.pk, order=2, by=None)
    late = make_members(2, "Late")
    seen, lock, refuse = Flag(), lock_event, registration._refuse_when_full

    def look(event_id: int) -> Swiss:
        return lock(event_id) if locked else Swiss.objects.select_related("event__field").get(pk=event_id)

    def refuse_and_wait(swiss: Swiss) -> None:
        refuse(swiss)
        if not seen.is_set():
            seen.set()
            Flag().wait(0.7)  # the other one looks meanwhile, when nothing keeps it

    monkeypatch.setattr(registration, "lock_event", look)
    monkeypatch.setattr(registration, "_refuse_when_full", refuse_and_wait)

    answers = at_once(
        partial(say_present, event_id=swiss.pk, order=2, by=None),
        partial(enter_pair, event_id=swiss.pk, players=late, by=None),
    )

    assert [type(answer) for answer in answers].count(Refused) == (1 if locked else 0)
    assert part(swiss) == (4 if locked else 5)


# ---- two events at the same time


def in_hours(hours: float, **settings: Any) -> Swiss:
    """An event of 41 minutes that starts in so many hours and ten minutes."""
    swiss = make_swiss(title=f"Event in {hours} hours", **settings)
    postpone_to(swiss, swiss.starts_at + timedelta(hours=hours))
    return reload(swiss)


def postpone_to(swiss: Swiss, starts_at: Any) -> None:
    swiss = reload(swiss)
    postpone(
        event_id=swiss.pk,
        starts_at=starts_at,
        local_start="2026-11-30T20:00",
        expected=swiss.schedule_version,
        by=make_user(f"dora{swiss.pk}{swiss.schedule_version}", director=True),
        reason="hall",
    )


def test_nobody_enters_two_events_that_are_played_at_the_same_time() -> None:
    first, same, after = in_hours(0), in_hours(0.5), in_hours(0.75)
    one, other, third, fourth = make_members(4)
    assert one.user
    enter_pair(event_id=first.pk, players=[one, other], by=None)
    sentence = r"Player 1 is entered in Event in 0 hours, which is played at the same time\."
    with pytest.raises(Refused, match=sentence):
        enter_pair(event_id=same.pk, players=[third, one], by=None)
    with pytest.raises(Refused, match=sentence):
        sit_down(event_id=same.pk, player=one)
    with pytest.raises(Refused, match=sentence):
        invite(event_id=same.pk, player=one, partner=third, by=one.user)
    enter_pair(event_id=same.pk, players=[third, fourth], by=None)
    with pytest.raises(Refused, match=sentence):
        substitute(event_id=same.pk, order=1, out=third, into=one, by=None)
    enter_pair(event_id=after.pk, players=[one, other], by=None)
    for event in (first, after):
        withdraw_pair(event_id=event.pk, order=1, by=None)
    substitute(event_id=same.pk, order=1, out=third, into=one, by=None)  # he is free now
    assert Entrant.objects.get(player=one).swiss_id == same.pk


def test_the_hours_of_an_event_are_those_of_its_timetable() -> None:
    first = in_hours(0)
    enter_pairs(first, 2)
    one, other = Player.objects.order_by("pk")[:2]
    start(first)
    move(timedelta(minutes=14), outage=True)
    tick()  # the time is given back: it ends fourteen minutes later
    pass_time(minutes=10)
    last = first.all_rounds.order_by("number").last()
    assert last
    early = make_swiss(title="Early")
    postpone_to(early, last.closes_at - timedelta(minutes=2))
    late = make_swiss(title="Late")
    postpone_to(late, last.closes_at + timedelta(minutes=2))
    with pytest.raises(Refused, match="at the same time"):
        enter_pair(event_id=early.pk, players=[one, other], by=None)
    enter_pair(event_id=late.pk, players=[one, other], by=None)


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("held", [True, False], ids=["lock on", "lock off"])
def test_who_enters_two_events_at_the_same_second_is_in_one(
    held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    events = [in_hours(0), in_hours(0.25)]
    players = make_members(2)
    check = registration.check_admission

    def check_and_wait(*given: Any) -> None:
        check(*given)
        Flag().wait(0.5)

    monkeypatch.setattr(registration, "check_admission", check_and_wait)
    if not held:
        monkeypatch.setattr(registration, "hold_players", lambda players: None)
    answers = at_once(*[partial(enter_pair, event_id=event.pk, players=players, by=None) for event in events])
    assert [type(answer) for answer in answers].count(Refused) == (1 if held else 0)


def test_who_still_plays_elsewhere_is_left_out_until_that_is_over() -> None:
    """The first event is put off, so that both are played at once."""
    first, second = in_hours(0, rounds=1), in_hours(1, rounds=3, late_until=3)
    pairs = [entry.contestant for entry in enter_pairs(first, 4)]
    double = list(pairs[0].players.order_by("pk"))
    enter_pair(event_id=second.pk, players=double, by=None)
    enter_pairs(second, 4, "Second")
    postpone_to(first, second.starts_at - timedelta(minutes=10))
    pass_time(minutes=72)

    assert (reload(first).state, reload(second).state) == (Swiss.State.RUNNING, Swiss.State.RUNNING)
    assert broken() == []
    out = Entry.objects.get(swiss=second, contestant__order=1)
    assert out.state == Entry.State.AWAY
    assert not Seat.objects.filter(round__swiss=second, contestant=out.pk).exists()
    with pytest.raises(Refused, match="at the same time"):
        say_present(event_id=second.pk, order=1, by=None)
    play_round(first, random.Random(1))
    pass_time(minutes=12)
    assert reload(first).state == Swiss.State.FINISHED
    assert say_present(event_id=second.pk, order=1, by=None).state == Entry.State.PLAYING
    pass_time(minutes=20)
    assert Seat.objects.filter(round__swiss=second, round__state="open", contestant=out.pk).exists()
    assert broken() == []


def told(player: Player) -> list[str]:
    return [str(each) for each in Notice.objects.filter(user=player.user).order_by("pk")]


def mailed(sentence: str) -> set[str]:
    return {address for each in mail.outbox if sentence in each.body for address in each.to}


def test_when_one_of_two_events_is_put_off_both_of_the_pair_read_that_they_overlap() -> None:
    """In the site and by mail: about the one that begins later, whichever was put off, also when one of them plays."""
    first, second = in_hours(0, rounds=1), in_hours(1)
    ada, bob, cleo = make_members(3)
    enter_pair(event_id=first.pk, players=[ada, bob], by=None)
    enter_pair(event_id=second.pk, players=[ada, cleo], by=None)
    enter_pairs(first, 3, "First")

    postpone_to(first, second.starts_at - timedelta(minutes=10))
    pass_time(seconds=1)

    sentence = (
        "Event in 1 hours is now played at the same time as Event in 0 hours, in which Player 1 is entered. It begins "
        "without your pair if Event in 0 hours is still being played then."
    )
    for player in (ada, cleo):
        assert told(player).count(sentence) == 1
    assert sentence not in told(bob)
    assert mailed(sentence) == {ada.user.email, cleo.user.email}  # type: ignore[union-attr]
    assert any("Event in 0 hours starts at another time: " in each for each in told(bob))
    assert not any("starts at another time" in each for each in told(cleo))

    postpone_to(first, second.starts_at + timedelta(hours=3))
    assert not any("now played at the same time" in each for each in told(bob))
    postpone_to(second, reload(first).starts_at + timedelta(minutes=10))
    assert told(cleo).count(sentence) == 2
    assert told(ada).count(sentence) == 2


def test_a_pair_that_is_left_out_of_an_event_reads_why_and_what_to_do() -> None:
    first, second = in_hours(0, rounds=1), in_hours(1, rounds=3, late_until=3)
    ada, bob, cleo, dan = make_members(4)
    enter_pair(event_id=first.pk, players=[ada, bob], by=None)
    enter_pairs(first, 3, "First")
    enter_pair(event_id=second.pk, players=[ada, cleo], by=None)
    gone = enter_pair(event_id=second.pk, players=[bob, dan], by=None)
    enter_pairs(second, 4, "Second")
    withdraw_pair(event_id=second.pk, order=gone.contestant.order, by=None)
    postpone_to(first, second.starts_at - timedelta(minutes=10))
    pass_time(minutes=72)

    assert reload(second).state == Swiss.State.RUNNING
    sentence = (
        "Event in 1 hours has begun without your pair, for Player 1 still plays in Event in 0 hours. When that is over, "
        "say on the page of the event that you are here."
    )
    for player in (ada, cleo):
        assert told(player).count(sentence) == 1
    assert not any("has begun without your pair" in each for each in [*told(bob), *told(dan)])
    assert mailed(sentence) == {ada.user.email, cleo.user.email}  # type: ignore[union-attr]


@pytest.mark.django_db(transaction=True)
def test_two_desks_at_which_the_same_four_sit_enter_them_without_a_deadlock() -> None:
    events = [in_hours(0), in_hours(0.1)]
    players = make_members(4)
    for event, order in ((events[0], players), (events[1], players[2:] + players[:2])):
        for place, player in enumerate(order):
            sit_down(event_id=event.pk, player=player, table=1 + place // 2)
            raise_hand(event_id=event.pk, player=player)
    move(timedelta(seconds=5))
    answers = at_once(*[partial(enter_from_desk, event_id=event.pk) for event in events])
    assert sorted(answers) == [0, 2]  # type: ignore[type-var]
    assert now() < events[0].starts_at
