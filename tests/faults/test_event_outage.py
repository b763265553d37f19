"""Bad luck and an event: the service away for minutes or hours, a step that fails for ever, nobody left to meet."""

import random
from collections.abc import Callable
from datetime import timedelta
from functools import partial
from threading import Event as Flag
from typing import Any
from uuid import uuid4

import pytest

from apps.clock.models import DueWork, Outage
from apps.clock.selectors import audit_of
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.clock.transitions import transitions
from apps.masterpoints.models import Award
from apps.masterpoints.transitions import AWARD
from apps.pages.invariants import broken
from apps.pairs.models import Entry, Round, Seat, Session, Slip, Swiss
from apps.pairs.selectors.pairing import check_pairing
from apps.pairs.selectors.tables import UNANSWERED
from apps.pairs.services import direction, registration, slips
from apps.pairs.services.desk import ENTER
from apps.pairs.services.direction import AFTER_OUTAGE, SHORT_OUTAGE, resume
from apps.pairs.services.registration import Refused, enter_pair, say_present, withdraw_pair
from apps.pairs.services.rounds import CLOSE, FINISH, OFFICIAL, OPEN, SETTLE, START, give_time
from apps.pairs.services.series import EXTEND
from apps.pairs.services.slips import Said, confirm_result, say_result
from apps.results.models import Result
from apps.tables.hands import RESUMED
from apps.tables.models import DirectorCall, TableBoard, TableEvent
from apps.tables.services.boards import GONE, NEXT, TURN
from apps.tables.services.playing import PROMPTED, SILENCE
from apps.users.models import Player
from tests.factories import make_user
from tests.faults import steps
from tests.faults.threads import at_once
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db
BLINK = timedelta(seconds=5)  # what the test itself takes


def away(**length: float) -> None:
    """No clock is going for so long; then one is."""
    move(timedelta(**length), outage=True)
    tick()


def current(swiss: Swiss) -> Round:
    return Round.objects.get(swiss=swiss, state=Round.State.OPEN)


def actions(swiss: Swiss) -> list[str]:
    return list(audit_of("pairs.event", swiss.pk).order_by("pk").values_list("action", flat=True))


def evening(**settings: Any) -> Swiss:
    """Four pairs play the first of two rounds of twenty minutes, for five minutes already."""
    swiss = make_swiss(**settings)
    enter_pairs(swiss, 4, prefix=f"Player {swiss.pk}/")
    start(swiss)
    pass_time(minutes=5)
    return reload(swiss)


def finish(swiss: Swiss) -> Swiss:
    """Play what is left, from the round that is open or about to open."""
    rng = random.Random(1)
    for _ in range(10):
        if Round.objects.filter(swiss=swiss, state=Round.State.OPEN, slips=None).exists():
            play_round(swiss, rng)
        pass_time(minutes=22)
    assert broken() == []
    return reload(swiss)


# ---- the service is away


def test_five_minutes_in_the_middle_of_a_round_are_given_back_to_it_and_to_all_later_ones() -> None:
    swiss = evening()
    before = {each.number: (each.opens_at, each.closes_at) for each in Round.objects.filter(swiss=swiss)}
    away(minutes=5)
    rounds = {each.number: each for each in Round.objects.filter(swiss=swiss)}
    lost = rounds[1].closes_at - before[1][1]
    assert timedelta(minutes=5) <= lost < timedelta(minutes=5) + BLINK
    assert rounds[1].opens_at == before[1][0]
    assert (rounds[2].opens_at, rounds[2].closes_at) == (before[2][0] + lost, before[2][1] + lost)
    assert DueWork.objects.get(kind="pairs.close_round", subject=swiss.pk).due_at == rounds[1].closes_at
    assert Outage.objects.get().handled
    note = audit_of("pairs.event", swiss.pk).get(action="pairs.outage")
    assert note.after == {"seconds": 300, "state": "running"}
    assert finish(swiss).state == Swiss.State.OFFICIAL


def test_a_bell_that_should_have_rung_meanwhile_rings_when_the_time_that_was_left_is_over() -> None:
    swiss = evening()
    pass_time(minutes=13)
    away(minutes=10)  # two minutes were left
    assert current(swiss).number == 1
    pass_time(seconds=110)
    assert current(swiss).number == 1
    pass_time(seconds=15)
    assert Round.objects.get(swiss=swiss, number=1).state == Round.State.CLOSED


@pytest.mark.django_db(transaction=True)
def test_two_clocks_that_come_back_at_once_give_the_time_back_once() -> None:
    swiss = evening()
    bell = current(swiss).closes_at
    move(timedelta(minutes=5), outage=True)
    answers = at_once(*[tick] * 4)
    assert not [answer for answer in answers if isinstance(answer, Exception)]
    assert timedelta(minutes=5) <= current(swiss).closes_at - bell < timedelta(minutes=5) + BLINK
    assert actions(swiss).count("pairs.outage") == 1


def test_a_gap_of_a_few_seconds_as_in_a_deploy_moves_nothing() -> None:
    swiss = evening()
    bell = current(swiss).closes_at
    away(seconds=15)
    assert current(swiss).closes_at == bell
    assert "pairs.outage" not in actions(swiss)


def test_time_lost_in_the_pause_between_two_rounds_is_given_back_to_the_pause() -> None:
    swiss = evening(pause=5)
    play_round(swiss, random.Random(1))
    pass_time(minutes=16)
    coming = Round.objects.get(swiss=swiss, number=2)
    away(minutes=8)
    moved = Round.objects.get(swiss=swiss, number=2)
    assert moved.state == Round.State.PENDING
    assert timedelta(minutes=8) <= moved.opens_at - coming.opens_at < timedelta(minutes=8) + BLINK
    assert finish(swiss).state == Swiss.State.OFFICIAL


def test_a_start_that_was_missed_is_made_at_once() -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    tick()
    away(minutes=14)
    assert swiss.starts_at < now()
    pass_time(seconds=1)
    opened = current(swiss)
    assert opened.number == 1
    assert opened.closes_at - opened.opens_at == timedelta(minutes=20)  # a whole round
    assert finish(swiss).state == Swiss.State.OFFICIAL


def test_who_could_not_say_that_he_is_there_while_the_service_was_away_still_gets_the_grace() -> None:
    swiss = make_swiss(presence_minutes=10, grace=3)
    entries = enter_pairs(swiss, 4)
    tick()
    away(minutes=30)
    pass_time(seconds=60)
    assert reload(swiss).state == Swiss.State.ANNOUNCED
    for entry in entries:
        say_present(event_id=swiss.pk, order=entry.contestant.order, by=None)
    pass_time(minutes=3)
    assert reload(swiss).state == Swiss.State.RUNNING
    assert Seat.objects.filter(round__number=1).count() == 4


def test_after_two_hours_the_event_waits_for_a_director_and_goes_on_with_the_time_that_was_left() -> None:
    swiss = evening()
    away(hours=2)
    swiss = reload(swiss)
    assert swiss.state == Swiss.State.SUSPENDED
    assert audit_of("pairs.event", swiss.pk).get(action="pairs.outage").after == {
        "seconds": 7200,
        "state": "suspended",
    }
    player = Player.objects.filter(entrants__swiss=swiss)[0]
    assert player.user
    assert "interrupted" in str(player.user.notices.latest("pk"))
    pass_time(minutes=10)
    dora = make_user("dora", director=True)
    resume(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="all are here")
    left = current(swiss).closes_at - now()
    assert timedelta(minutes=15) - BLINK < left <= timedelta(minutes=15)
    assert finish(swiss).state == Swiss.State.OFFICIAL
    assert "pairs.decided after outage" not in actions(swiss)


RULES = {
    Swiss.AfterOutage.RESUME: (Swiss.State.RUNNING, 1),
    Swiss.AfterOutage.CUT: (Swiss.State.RUNNING, 2),
    Swiss.AfterOutage.CANCEL: (Swiss.State.CANCELLED, 1),
}


@pytest.mark.parametrize("rule", RULES)
def test_when_nobody_decides_for_half_an_hour_the_rule_of_the_event_does(rule: Swiss.AfterOutage) -> None:
    swiss = evening(after_outage=rule)
    play_round(swiss, random.Random(2), skip={(1, 2)})
    away(hours=2)
    pass_time(minutes=29)
    assert reload(swiss).state == Swiss.State.SUSPENDED
    pass_time(minutes=3)
    swiss = reload(swiss)
    assert (swiss.state, swiss.current_round) == RULES[rule]
    assert "pairs.decided after outage" in actions(swiss)
    assert broken() == []
    if rule == Swiss.AfterOutage.RESUME:
        left = current(swiss).closes_at - now()
        assert timedelta(minutes=12) < left < timedelta(minutes=16)
    if rule != Swiss.AfterOutage.CANCEL:
        assert finish(swiss).state == Swiss.State.OFFICIAL


def test_a_director_has_his_half_an_hour_also_when_the_service_is_away_again() -> None:
    swiss = evening()
    away(hours=2)
    pass_time(minutes=10)
    away(hours=1)
    pass_time(minutes=19)
    assert reload(swiss).state == Swiss.State.SUSPENDED
    pass_time(minutes=2)
    assert reload(swiss).state == Swiss.State.RUNNING


def test_a_correction_period_loses_nothing_by_an_outage() -> None:
    swiss = evening(rounds=1)
    play_round(swiss, random.Random(1))
    pass_time(minutes=25)
    assert reload(swiss).state == Swiss.State.FINISHED
    away(minutes=40)
    pass_time(minutes=15)
    assert reload(swiss).state == Swiss.State.FINISHED
    pass_time(minutes=10)
    assert reload(swiss).state == Swiss.State.OFFICIAL


def test_an_event_suspended_by_its_director_is_left_as_it_is_by_an_outage() -> None:
    swiss = evening()
    dora = make_user("dora", director=True)
    direction.suspend(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="fire alarm")
    away(hours=2)
    pass_time(hours=2)
    swiss = reload(swiss)
    assert (swiss.state, swiss.why) == (Swiss.State.SUSPENDED, "fire alarm")
    resume(event_id=swiss.pk, expected=swiss.schedule_version, by=dora, reason="all clear")
    left = current(swiss).closes_at - now()
    assert timedelta(minutes=15) - BLINK < left <= timedelta(minutes=15)


def test_an_event_that_can_get_no_time_back_waits_for_a_director_and_the_others_get_theirs(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    poisoned, well = evening(), evening()
    bell = current(well).closes_at

    def refuse(swiss: Swiss, lost: timedelta) -> None:
        if swiss.pk == poisoned.pk:
            raise ValueError("poison")
        give_time(swiss, lost)

    monkeypatch.setattr(direction, "give_time", refuse)
    away(minutes=6)
    assert current(well).closes_at - bell >= timedelta(minutes=6)
    assert reload(poisoned).state == Swiss.State.SUSPENDED
    assert "pairs.stuck" in actions(poisoned)
    assert Outage.objects.get().handled


@pytest.mark.parametrize("minutes", [1, 14, 16, 600])
def test_whatever_the_length_of_an_outage_every_promise_holds(minutes: int) -> None:
    swiss = evening(rounds=3)
    play_round(swiss, random.Random(minutes), skip={(2, 1)})
    away(minutes=minutes)
    assert broken() == []
    assert (reload(swiss).state == Swiss.State.SUSPENDED) is (timedelta(minutes=minutes) > SHORT_OUTAGE)
    pass_time(minutes=31)
    assert finish(swiss).state == Swiss.State.OFFICIAL
    assert Award.objects.exists()


# ---- what is put off, of all that is due


def in_the_grace() -> None:
    swiss = make_swiss(presence_minutes=10, grace=3)
    enter_pairs(swiss, 4)
    steps.bring_to(swiss, START)
    tick(limit=1)
    steps.bring_to(swiss, START)


def before(kind: str, **settings: Any) -> Callable[[], object]:
    def prepare() -> None:
        steps.bring_to(steps.at_two_tables(**settings)[0], kind)

    return prepare


PUT_OFF: dict[str, Callable[[], object]] = {
    START: in_the_grace,
    OPEN: before(OPEN),
    CLOSE: steps.at_two_tables,
    AFTER_OUTAGE: steps.after_a_long_outage,
    OFFICIAL: before(OFFICIAL, rounds=1),
    UNANSWERED: steps.a_question_that_nobody_answers,
    TURN: steps.after_a_slow_turn,
    GONE: steps.after_an_absence,
    SILENCE: steps.after_silence,
    PROMPTED: steps.after_a_prompt,
}
"""Work that takes something from somebody who lets a time go by, and a moment just before it."""
AT_ONCE = {ENTER, SETTLE, FINISH, AWARD, EXTEND, NEXT}
"""Work for which nobody has to do anything: it is made as soon as the service is there again."""


def course() -> list[list[Any]]:
    """What has become of events and tables."""
    return [
        list(rows.order_by("pk"))
        for rows in (
            Swiss.objects.values_list("state", "current_round"),
            Round.objects.values_list("state"),
            TableBoard.objects.values_list("state", "how"),
            DirectorCall.objects.values_list("afterwards"),
            TableEvent.objects.exclude(action__do=RESUMED).values_list("action"),
        )
    ]


@pytest.mark.parametrize("is_away", [True, False], ids=["away", "the control"])
@pytest.mark.parametrize("kind", PUT_OFF)
def test_whose_time_would_have_run_out_while_the_service_was_away_has_what_was_left_of_it(
    kind: str, is_away: bool
) -> None:
    PUT_OFF[kind]()
    move(-BLINK)
    there = course()
    move(timedelta(minutes=10), outage=is_away)
    tick()
    assert (course() == there) is is_away


def test_of_all_due_work_it_is_said_what_an_outage_does_to_it() -> None:
    assert PUT_OFF.keys() | AT_ONCE == transitions.keys()
    assert not PUT_OFF.keys() & AT_ONCE


# ---- a step that fails for ever


def test_an_event_whose_step_fails_for_ever_is_suspended_alone_and_goes_on_when_it_is_mended() -> None:
    poisoned, well = make_swiss(), make_swiss()
    for swiss in (poisoned, well):
        enter_pairs(swiss, 4, prefix=f"Player {swiss.pk}/")
    start(well)
    for swiss in (poisoned, well):
        play_round(swiss, random.Random(1))
    poison = Session.objects.create(
        event_id=poisoned.pk,
        number=2,
        board_set=Session.objects.get(event_id=poisoned.pk, number=1).board_set,
    )
    for _ in range(13):
        pass_time(minutes=3)
    assert current(well).number == 2
    stuck = DueWork.objects.get(state=DueWork.State.STUCK)
    assert (stuck.kind, stuck.subject, stuck.attempts) == ("pairs.open_round", poisoned.pk, 5)
    poisoned = reload(poisoned)
    assert poisoned.state == Swiss.State.SUSPENDED
    assert "pairs.stuck" in actions(poisoned)
    play_round(well, random.Random(2))
    pass_time(hours=2)
    assert reload(well).state == Swiss.State.OFFICIAL
    poison.delete()
    dora = make_user("dora", director=True)
    resume(event_id=poisoned.pk, expected=poisoned.schedule_version, by=dora, reason="mended")
    assert finish(poisoned).state == Swiss.State.OFFICIAL


# ---- nobody is left to meet


def test_when_all_have_met_they_meet_again_and_the_certificate_says_so() -> None:
    swiss = make_swiss(rounds=5)
    enter_pairs(swiss, 4)
    start(swiss)
    swiss = finish(swiss)
    assert swiss.state == Swiss.State.OFFICIAL
    rounds = Round.objects.filter(swiss=swiss)
    kept = [each.certificate["certificate"]["rematches"] for each in rounds if each.certificate]
    assert kept == [0, 0, 0, 2, 2]
    assert [check_pairing(each).faults for each in rounds] == [[]] * 5


def test_when_one_pair_is_left_the_event_finishes_with_the_standings_it_has() -> None:
    swiss = evening(rounds=3)
    play_round(swiss, random.Random(1))
    for order in (1, 2, 4):
        withdraw_pair(event_id=swiss.pk, order=order, by=None)
    pass_time(minutes=20)
    swiss = reload(swiss)
    assert (swiss.state, swiss.current_round) == (Swiss.State.FINISHED, 1)
    assert broken() == []


# ---- at the same second


@pytest.fixture(params=[True, False], ids=["lock on", "lock off"])
def locked(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> bool:
    """The control: without the lock of the event the same test finds the harm."""
    if not request.param:

        def look(event_id: int) -> Swiss:
            return Swiss.objects.select_related("event__field").get(pk=event_id)

        monkeypatch.setattr(registration, "lock_event", look)
    return bool(request.param)


@pytest.mark.django_db(transaction=True)
def test_a_pair_that_enters_at_the_second_of_the_start_is_seated_or_refused(
    locked: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    late = make_members(2, "Late")
    pass_time(seconds=(swiss.starts_at - now()).total_seconds() - 1)
    admitted, begun = Flag(), Flag()
    check = registration.check_admission

    def admit_and_wait(*given: Any) -> None:
        check(*given)
        admitted.set()
        begun.wait(1.5 if locked else 30)  # with the lock on, it cannot begin meanwhile

    monkeypatch.setattr(registration, "check_admission", admit_and_wait)

    def begin() -> None:
        admitted.wait(30)
        move(timedelta(seconds=2))
        tick()
        begun.set()

    answer, _ = at_once(partial(enter_pair, event_id=swiss.pk, players=late, by=None), begin)
    assert isinstance(answer, Entry)
    seated = Seat.objects.filter(round__number=1, contestant=answer.pk).exists()
    assert seated is locked


@pytest.mark.django_db(transaction=True)
def test_a_pair_that_enters_right_after_the_start_is_refused() -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    start(swiss)
    with pytest.raises(Refused):
        enter_pair(event_id=swiss.pk, players=make_members(2, "Late"), by=None)
    assert broken() == []


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize("held", [True, False], ids=["lock on", "lock off"])
def test_a_result_confirmed_at_the_second_of_the_bell_counts_or_is_refused(
    held: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss = evening(rounds=1)
    play_round(swiss, random.Random(1), skip={(1, 2)})
    north, east = (
        Player.objects.filter(entrants__entry__contestant__seats__in=seat).order_by("pk")[0]
        for seat in (Seat.objects.filter(table=1, side=side) for side in ("NS", "EW"))
    )
    assert north.user and east.user
    said = Said.read("3NT N +1")
    slip = say_result(event_id=swiss.pk, board=2, said=said, by=north.user, player=north, command=uuid4())
    pass_time(seconds=(current(swiss).closes_at - now()).total_seconds() - 1)
    open_seen, rung = Flag(), Flag()
    hold = slips._hold_open

    def hold_and_wait(each: Round) -> bool:
        is_open = hold(each) if held else each.state == Round.State.OPEN
        open_seen.set()
        rung.wait(1.5 if held else 30)
        return is_open

    monkeypatch.setattr(slips, "_hold_open", hold_and_wait)

    def ring() -> None:
        open_seen.wait(30)
        move(timedelta(seconds=2))
        tick()
        rung.set()

    confirm: Callable[[], object] = partial(
        confirm_result,
        event_id=swiss.pk,
        board=2,
        version=slip.version,
        by=east.user,
        player=east,
        command=uuid4(),
    )
    at_once(confirm, ring)
    pass_time(minutes=1)
    result = Result.objects.get(field_board__board__number=2, table="1")
    slip = Slip.objects.get(pk=slip.pk)
    assert Swiss.objects.get().state == Swiss.State.FINISHED
    counted = (slip.state, result.kind) == (Slip.State.CONFIRMED, Result.Kind.PLAYED)
    assert counted is held
