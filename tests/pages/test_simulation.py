"""A simulated field: one seed makes one event, at any speed and whoever dies on the way."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Callable
from datetime import timedelta
from functools import cache
from io import StringIO
from itertools import count, pairwise
from pathlib import Path
from typing import Any
from uuid import UUID

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import override_settings

from apps.clock.models import AuditEntry
from apps.clock.services import tick
from apps.clock.time import move, now
from apps.masterpoints.models import Award
from apps.pages.demo.cast import Cast, engage
from apps.pages.demo.digest import digest_of
from apps.pages.demo.evening import coming_evening
from apps.pages.demo.load import ORGANISATION
from apps.pages.demo.script import CALM, Move, Script
from apps.pages.demo.season import PLANS
from apps.pages.demo.simulation import Simulation, set_up
from apps.pages.demo.timekeeping import full_minute
from apps.pages.invariants import broken
from apps.pairs.models import DeskSeat, Entrant, Entry, Event, Round, Seat, Slip, SlipEntry, Standing, Swiss
from apps.pairs.selectors.tables import PURPOSE
from apps.pairs.services import direction
from apps.pairs.services.desk import raise_hand, sit_down
from apps.pairs.services.setup import Plan
from apps.pairs.services.slips import Said, say_result
from apps.results.models import Result
from apps.results.services import create_field
from apps.tables.models import TableBoard
from apps.users.models import User
from bridge.cards import Card, Deal
from bridge.comparison import Method, Rules
from bridge.seats import Seat as Chair
from tests.faults.test_worker import database_url
from tests.pairs.evening import make_members, pass_time

transactional = pytest.mark.django_db(transaction=True)
ROOT = Path(__file__).resolve().parents[2]
SMALL = ("--pairs=12", "--rounds=3", "--boards=2", "--seed=6")


def simulate(*options: str) -> dict[str, Any]:
    """Simulate until the ranking stands; what the last line says."""
    out = StringIO()
    call_command("simulate_event", *options, "--wait", "--json", stdout=out)
    said: dict[str, Any] = json.loads(out.getvalue().splitlines()[-1])
    return said


@cache
def undisturbed() -> str:
    """What the small event comes to when nothing happens to it."""
    said = simulate(*SMALL, "--speed=600")
    assert broken() == []
    return str(said["digest"])


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("option", "given", "said"),
    [
        ("speed", "0", "from 0.01 to 10000, not 0"),
        ("speed", "-1", "from 0.01 to 10000, not -1"),
        ("speed", "nan", "from 0.01 to 10000, not nan"),
        ("speed", "fast", "from 0.01 to 10000, not fast"),
        ("minutes", "99999999999999", "from 1 to 600, not 99999999999999"),
        ("pause", "-1", "from 0 to 120, not -1"),
        ("rounds", "41", "from 1 to 40, not 41"),
        ("boards", "0", "from 1 to 36, not 0"),
        ("pairs", "-5", "from 2 to 1000, not -5"),
        ("seed", "9" * 400, "from 0 to 1000000000, not 99999999999999999999"),
    ],
)
def test_a_number_that_no_field_plays_by_is_refused_and_leaves_nothing(
    option: str, given: str, said: str
) -> None:
    with pytest.raises(CommandError, match=f"argument --{option}: choose a number {said}$"):
        call_command("simulate_event", f"--{option}", given)
    assert not Event.objects.exists()
    assert not User.objects.exists()


def test_a_method_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    with pytest.raises(CommandError, match=r"invalid choice: 'ABC' \(choose from [A-Z',_ ]+\)$") as refusal:
        call_command("simulate_event", "--method", "abc")
    assert all(repr(method.value) in str(refusal.value) for method in Method)


# What the seed decides


def test_the_script_is_the_same_in_whatever_order_it_is_asked() -> None:
    one, other = (Script(seed=3, pairs=40, rounds=6) for _ in range(2))
    boards = [(board, ns, ew) for board in (1, 2, 3) for ns in (1, 5) for ew in (2, 9)]
    first = {each: one.outcome(*each) for each in boards}
    assert {each: other.outcome(*each) for each in reversed(boards)} == first
    assert one.lives == other.lives
    assert Script(seed=4, pairs=40, rounds=6).lives != one.lives


def test_in_a_few_events_everything_happens_that_happens_to_people() -> None:
    lives = [Script(seed=seed, pairs=40, rounds=6).lives.values() for seed in range(20)]
    happened = Counter(move for event in lives for life in event for move in life.values())
    assert set(happened) == set(Move)
    assert sum(happened.values()) < 0.35 * 40 * 20


def test_a_pair_stays_away_once_in_a_row_and_comes_back_once() -> None:
    for seed in range(50):
        for life in Script(seed=seed, pairs=40, rounds=10).lives.values():
            away = [number for number, move in life.items() if move is Move.STAY_AWAY]
            assert all(later - earlier > 1 for earlier, later in pairwise(away))
            gone = [move for _, move in sorted(life.items()) if move in (Move.GO, Move.COME)]
            assert all(one is not other for one, other in pairwise(gone))


def test_in_a_calm_field_everybody_plays_everything() -> None:
    script = Script(seed=1, pairs=40, rounds=6, trouble=CALM)
    assert not any(script.lives.values())
    assert list(script.at_the_start) == list(range(1, 41))
    outcome = script.outcome(1, 2, 3)
    steps = [
        tuple(script.steps(board=board, place=1, ns=ns, ew=20 + ns, outcome=outcome))
        for board in range(1, 10)
        for ns in range(1, 20)
    ]
    assert {len(each) for each in steps} == {2}
    assert all(first.at <= second.at < 0.9 for first, second in steps)


@pytest.mark.django_db
def test_the_members_of_a_field_are_the_same_people_each_time() -> None:
    players = engage(1, 40)
    assert engage(1, 40) == players
    assert engage(1, 60)[:40] == players
    assert len({player.name for player in engage(1, 60)}) == 60
    assert all(player.user and not player.user.has_usable_password() for player in players)
    assert len({player.name for player in engage(2, 3000)}) == 3000


# What comes of it


@transactional
def test_the_same_seed_gives_the_same_event_at_any_speed() -> None:
    one = simulate(*SMALL, "--speed=600")
    other = simulate(*SMALL, "--speed=90")
    assert digest_of(one["event"]) == digest_of(other["event"])
    assert one["digest"] == other["digest"]
    assert one["rounds"] == 3
    assert one["transitions"] == 1 + 3 + 3 + 1 + 1  # start, rounds opened and closed, finish, award
    assert 0 <= one["transitions_late_p99"] <= one["transitions_late_max"] < 5
    assert broken() == []
    third = simulate(*SMALL, "--speed=600", "--calm")
    assert third["digest"] != one["digest"]


@transactional
def test_an_event_with_all_kinds_of_trouble_ends_in_order() -> None:
    said = simulate(
        "--pairs=24", "--rounds=4", "--boards=3", "--seed=47", "--speed=900", "--method=mp", "--pause=2"
    )
    event = said["event"]
    slips = Counter(Slip.objects.filter(round__swiss=event).values_list("state", flat=True))
    assert set(slips) == {"confirmed", "disputed", "ruled", "unconfirmed"}
    assert slips["confirmed"] > 0.9 * slips.total()
    log = set(AuditEntry.objects.filter(subject_id=event).values_list("action", flat=True))
    assert {"pairs.withdrawn", "pairs.missing", "pairs.decided", "pairs.substituted", "pairs.present"} <= log
    assert Result.objects.filter(field_board__field__event=event, kind="cut").exists()
    assert Entry.objects.filter(swiss=event).count() == 24
    assert broken() == []


@transactional
def test_killed_and_taken_up_again_it_comes_to_the_same(tmp_path: Path) -> None:
    kills, chance, said = 3, random.Random(3), tmp_path / "said"
    expected, events = undisturbed(), Swiss.objects.count()
    running = start_simulation(said, *SMALL, "--speed=120")
    event = until(lambda: Swiss.objects.filter(state="running").values_list("pk", flat=True).first())
    for _ in range(kills):
        seen = Slip.objects.filter(round__swiss=event).count()
        until(lambda seen=seen: Slip.objects.filter(round__swiss=event).count() > seen + 2)  # type: ignore[misc]
        time.sleep(chance.random() / 2)
        os.kill(running.pid, signal.SIGKILL)
        assert running.wait() == -signal.SIGKILL
        assert Swiss.objects.get(pk=event).state == "running"
        running = start_simulation(said, f"--resume={event}", "--wait", "--json")
    assert running.wait(120) == 0
    assert json.loads(said.read_text().splitlines()[-1])["digest"] == expected
    assert Swiss.objects.count() == events + 1
    assert broken() == []


@transactional
def test_a_database_that_hangs_up_again_and_again_changes_nothing(tmp_path: Path) -> None:
    said, expected = tmp_path / "said", undisturbed()
    running = start_simulation(said, *SMALL, "--speed=60", "--wait", "--json")
    cut = 0
    while running.poll() is None:
        time.sleep(0.4)
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()"""
            )
            cut += cursor.fetchone()[0]
    assert cut >= 5
    assert json.loads(said.read_text().splitlines()[-1])["digest"] == expected
    assert broken() == []


@transactional
def test_a_simulation_that_was_cancelled_or_never_was_says_so() -> None:
    event = set_up(plan(minutes_ahead=30), Cast(seed=1, pairs=4, run="a"))
    swiss = Swiss.objects.get(pk=event)
    director = User.objects.get(username="simulated-director")
    direction.cancel(event_id=event, expected=swiss.schedule_version, by=director, reason="No heating.")
    with pytest.raises(CommandError, match="No heating"):
        call_command("simulate_event", resume=event)
    with pytest.raises(CommandError, match="no such event"):
        call_command("simulate_event", resume=event + 1)


@pytest.mark.django_db
def test_an_event_that_was_announced_twice_is_announced_once() -> None:
    cast = Cast(seed=1, pairs=4, run="a")
    assert set_up(plan(minutes_ahead=30), cast) == set_up(plan(minutes_ahead=31), cast)
    assert Swiss.objects.count() == 1
    assert Cast.of(Swiss.objects.get().event.source_key) == cast
    with pytest.raises(ValueError, match="not a simulated one"):
        Cast.of("import of a file")


def test_a_site_in_earnest_has_no_simulated_pairs() -> None:
    with override_settings(SETTINGS_MODULE="config.settings.production"), pytest.raises(CommandError):
        call_command("simulate_event")


def plan(*, minutes_ahead: int, **chosen: Any) -> Plan:
    few = {"rounds": 2, "boards": 2, "minutes": 5, "pause": 1, "grace": 0, "presence_minutes": 60, "hold": 1}
    return Plan(
        title="Simulated",
        zone="UTC",
        local_start=full_minute(minutes_ahead),
        **few | chosen,
    )


# An evening with visitors


@transactional
def test_visitors_play_with_and_against_the_field() -> None:
    visitor, alone = make_members(2, "Visitor")
    cast = Cast(seed=1, pairs=6, calm=True, by_cards=True, visitor="visitor1", run="evening")
    event = set_up(plan(minutes_ahead=10), cast)
    field = Simulation(event)
    live(field, minutes=1)
    assert Entrant.objects.filter(swiss=event, player=visitor).exists()
    entered = Entry.objects.filter(swiss=event).count()
    assert 1 < entered < 7  # they come one after the other

    waiting = DeskSeat.objects.exclude(table__gt=100).get(swiss=event)
    sit_down(event_id=event, player=alone, table=waiting.table)
    raise_hand(event_id=event, player=alone)
    live(field, minutes=9)
    assert Entrant.objects.filter(swiss=event, player=alone).exists()
    assert Entry.objects.filter(swiss=event).count() == 8

    live(field, minutes=1)
    current = Round.objects.get(swiss=event, state="open")
    mine = Seat.objects.get(round=current, contestant__entry__entrants__player=visitor)
    said = Said.read("3NT S +1")
    say_result(event_id=event, board=1, said=said, by=visitor.user, player=visitor, command=UUID(int=1))  # type: ignore[arg-type]
    live(field, minutes=0.2)
    slips = Slip.objects.filter(round=current, table=mine.table or 0)
    assert slips.get(field_board__board__number=1).state == "confirmed"
    assert slips.get(field_board__board__number=1).agreed == {"text": "3NT S +1", "lead": ""}

    live(field, minutes=4.75 - (now() - current.opens_at).total_seconds() / 60)  # looking out of the window
    assert set(slips.values_list("state", flat=True)) == {"confirmed", "entered"}
    live(field, minutes=8)
    assert Swiss.objects.get(pk=event).state == "finished"
    assert not AuditEntry.objects.filter(action="pairs.bell rung").exists()  # by the timetable
    assert Slip.objects.filter(round__swiss=event).count() == 2 * 2 * 4
    assert broken() == []
    for result in Result.objects.filter(field_board__field__event=event, level__gt=0).exclude(lead=""):
        leader = Deal.from_pbn(result.field_board.board.deal)[Chair.from_letter(result.declarer).left]
        assert leader
        assert Card.from_text(result.lead) in leader.cards


def live(field: Simulation, *, minutes: float) -> None:
    """Let time pass in steps of a few seconds, with the field at play."""
    end = now() + timedelta(minutes=minutes)
    while now() < end:
        field.advance()
        tick()
        move(timedelta(seconds=2))


@transactional
def test_a_field_at_tables_calls_and_plays_every_card() -> None:
    said = simulate("--pairs=6", "--rounds=2", "--boards=1", "--seed=11", "--speed=600", "--calm", "--tables")
    results = Result.objects.filter(field_board__field__event=said["event"])
    assert results.count() == said["results"] == 6
    assert set(results.values_list("kind", "source")) == {("played", "played")}
    at_tables = TableBoard.objects.filter(table__purpose="pairs").order_by("board", "ns_score")
    assert list(
        results.order_by("field_board__board", "ns_score").values_list("ns_score", flat=True)
    ) == list(at_tables.values_list("ns_score", flat=True))
    assert not SlipEntry.objects.exists()
    assert broken() == []


@transactional
def test_at_tables_they_play_on_although_somebody_is_going_to_leave_at_the_end_of_the_round() -> None:
    seed = next(seed for seed in count() if leaves_in_round_one(seed))
    cast = Cast(seed=seed, pairs=6, speed=1e6, visitor="nobody", run="tables")
    event = set_up(plan(minutes_ahead=4, boards=1, minutes=60, play=Swiss.Play.TABLES), cast)
    field = Simulation(event)
    live(field, minutes=4.5)
    for _ in range(150):
        field.advance()
    boards = TableBoard.objects.filter(table__purpose=PURPOSE)
    assert set(boards.values_list("state", flat=True)) == {TableBoard.State.OVER}
    assert Round.objects.filter(swiss=event, state="open").exists()


def leaves_in_round_one(seed: int) -> bool:
    moves = {move for _, move in Script(seed=seed, pairs=6, rounds=2).moves(1)}
    return bool(moves) and Move.STAY_AWAY not in moves


@transactional
def test_the_demo_has_one_evening_after_the_other_and_at_most_one_an_hour() -> None:
    first = coming_evening()
    assert coming_evening() == first
    swiss = Swiss.objects.select_related("event").get(pk=first)
    assert 0 < (swiss.starts_at - now()).total_seconds() <= 120
    pass_time(minutes=5)
    assert Swiss.objects.get(pk=first).state == "cancelled"  # nobody came, for nobody simulated it
    second = coming_evening()
    assert second != first
    assert 3300 < (Swiss.objects.get(pk=second).starts_at - swiss.starts_at).total_seconds() <= 3600


@transactional
def test_an_evening_that_an_interruption_stopped_goes_on() -> None:
    event = coming_evening()
    live(Simulation(event), minutes=2.5)
    swiss = Swiss.objects.get(pk=event)
    assert swiss.state == "running"
    director = User.objects.get(username="simulated-director")
    direction.suspend(event_id=event, expected=swiss.schedule_version, by=director, reason="No power.")
    assert coming_evening() == event
    assert Swiss.objects.get(pk=event).state == "running"


def start_simulation(said: Path, *options: str) -> "subprocess.Popen[bytes]":
    environment = {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    command = [sys.executable, "-m", "django", "simulate_event", *options]
    with said.open("wb") as out:
        return subprocess.Popen(command, env=os.environ | environment, cwd=ROOT, stdout=out)


def until(ask: Callable[[], Any], seconds: float = 60) -> Any:
    end = time.monotonic() + seconds
    while not (answer := ask()):
        assert time.monotonic() < end, "it never came"
        time.sleep(0.05)
    return answer


# Master points


@transactional
def test_nobody_gets_master_points_for_a_simulated_event_unless_somebody_asks_for_it() -> None:
    few = ("--pairs=6", "--rounds=2", "--boards=1", "--calm", "--speed=600")
    played = simulate(*few, "--seed=8")
    assert not played["awards"]
    assert not Award.objects.exists()
    out = StringIO()
    call_command("simulate_event", resume=played["event"], wait=True, stdout=out)
    assert "Nobody gets master points for it: see --award." in out.getvalue()
    assert Standing.objects.filter(event=played["event"], rank=1).exists()
    rewarded = simulate(*few, "--seed=9", "--award")
    assert rewarded["awards"]
    assert set(Award.objects.values_list("event_id", flat=True)) == {rewarded["event"]}
    assert broken() == []


@pytest.mark.django_db
def test_the_demo_goes_on_awarding_them() -> None:
    assert not Swiss.objects.get(pk=coming_evening()).event.awards_masterpoints
    Swiss.objects.update(state=Swiss.State.CANCELLED)
    Event.objects.create(
        title=PLANS[0].title, organisation=ORGANISATION, field=create_field(rules=Rules(Method.MP))
    )
    assert Swiss.objects.get(pk=coming_evening()).event.awards_masterpoints


# Several events at once


@transactional
def test_members_who_play_one_event_leave_another_of_their_seed_to_others() -> None:
    one = set_up(plan(minutes_ahead=30), Cast(seed=1, pairs=4, run="a"))
    other = set_up(plan(minutes_ahead=30), Cast(seed=1, pairs=4, run="b"))
    assert set_up(plan(minutes_ahead=30), Cast(seed=1, pairs=4, run="b")) == other
    for event in (one, other):
        field = Simulation(event)
        while Entrant.objects.filter(swiss=event).count() < 8:
            field.advance()
            pass_time(seconds=2)
    assert Entrant.objects.values("player").distinct().count() == 16
    Swiss.objects.update(state=Swiss.State.CANCELLED)
    third = set_up(plan(minutes_ahead=30), Cast(seed=1, pairs=4, run="c"))
    assert Cast.of(Swiss.objects.get(pk=third).event.source_key).troupe == 0
