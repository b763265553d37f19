"""A whole event while everything around it breaks: what comes of it is what comes of it in peace.

`DATUM_THOROUGH=1` plays forty pairs and six rounds under all kinds of harm; the suite a smaller field under some.
"""

import os
import random
import signal
import socket
import time
from collections.abc import Callable, Iterator
from typing import Any

import psycopg
import pytest
import redis

from tests.faults.stack import Field, Process, Stack
from tests.faults.thorough import THOROUGH, Tell

PAIRS, ROUNDS = (40, 6) if THOROUGH else (8, 2)
SPEED = 6 if THOROUGH else 20  # slow enough for every kind of harm to have its turn
FROZEN = 33 if THOROUGH else 2  # seconds; longer than a session may stand still in a transaction


class Chaos:
    """The parts of a stack, and one way each to harm them. What is ended is started again."""

    def __init__(self, stack: Stack, field: Field, chance: random.Random) -> None:
        self.stack, self.field, self.chance = stack, field, chance
        self.clocks = [stack.clock(), stack.clock()]
        self.worker = stack.worker()

    def _other_clock(self, number: signal.Signals, **luck: str) -> None:
        self.stack.end(self.clocks.pop(self.chance.randrange(len(self.clocks))), number)
        self.clocks.append(self.stack.clock(**luck))

    # Clocks

    def kill_a_clock(self) -> None:
        self._other_clock(signal.SIGKILL)

    def stop_a_clock(self) -> None:
        self._other_clock(signal.SIGTERM)

    def kill_all_clocks(self) -> None:
        for _ in self.clocks:
            self._other_clock(signal.SIGKILL)

    def freeze_a_clock(self) -> None:
        self._freeze(self.chance.choice(self.clocks), FROZEN)

    def three_clocks_more(self) -> None:
        more = [self.stack.clock() for _ in range(3)]
        time.sleep(3)
        for clock in more:
            self.stack.end(clock)

    def cut_a_clock_off_after_commits(self) -> None:
        self._other_clock(signal.SIGKILL, CUT="3")

    def have_a_clock_whose_machine_is_fast(self) -> None:
        self._other_clock(signal.SIGKILL, SKEW="300")

    def have_a_clock_whose_machine_is_slow(self) -> None:
        self._other_clock(signal.SIGKILL, SKEW="-300")

    # The worker, and those who play

    def kill_the_worker(self) -> None:
        self.stack.end(self.worker)
        self.worker = self.stack.worker()

    def kill_a_child_of_the_worker(self) -> None:
        for child in self.stack.children(self.worker):
            os.kill(child, signal.SIGKILL)

    def kill_the_field(self) -> None:
        """It does again what it may have done: every one of its last commands comes twice."""
        self.field.kill()

    # The database

    def crash_the_database(self) -> None:
        self.stack.postgres.stop(signal.SIGQUIT)
        time.sleep(self.chance.uniform(0, 1))
        self.stack.postgres.start()

    def restart_the_database(self) -> None:
        self.stack.postgres.stop(signal.SIGINT)
        self.stack.postgres.start()

    def end_all_sessions(self) -> None:
        self.stack.ask("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE pid <> pg_backend_pid()")

    def hold_the_event_locked(self) -> None:
        """For longer than a clock waits."""
        with psycopg.connect(self.stack.environment["DATABASE_URL"]) as holder:
            holder.execute("SELECT FROM pairs_event FOR UPDATE")
            time.sleep(4)
            holder.rollback()

    def poison_some_work(self) -> None:
        """A step of something that is not there fails each time."""
        self.stack.ask(
            f"""INSERT INTO clock_duework (kind, subject, number, due_at, state, attempts, last_error)
                VALUES ('masterpoints.award', 999999999, {self.chance.randrange(10**9)}, now(), 'planned', 0, '')
                RETURNING 1"""
        )

    # Redis, mail, everything

    def kill_redis(self) -> None:
        """It comes back empty."""
        self.stack.valkey.stop(signal.SIGKILL)
        time.sleep(self.chance.uniform(0, 2))
        self.stack.valkey.start()

    def empty_redis(self) -> None:
        self._redis().flushall()

    def freeze_redis(self) -> None:
        assert self.stack.valkey.process
        self._freeze(self.stack.valkey.process, FROZEN)

    def fill_redis(self) -> None:
        """It takes nothing more for a while."""
        self._redis().config_set("maxmemory", 1)
        time.sleep(2)
        self._redis().config_set("maxmemory", 0)

    def have_the_mail_server_hang(self) -> None:
        self.stack.ask("UPDATE clock_outgoing SET next_try_at = NULL WHERE sent_at IS NULL RETURNING 1")
        with socket.create_server(("127.0.0.1", self.stack.mail_port)):
            time.sleep(6)

    def be_away_for_a_while(self) -> None:
        """Nobody plays and no clock goes for more than twenty seconds; the time is given back."""
        everybody = [*self.clocks, self.worker, self.field.process]
        for process in everybody:
            process.send_signal(signal.SIGSTOP)
        time.sleep(22)
        for process in everybody:
            process.send_signal(signal.SIGCONT)

    def _redis(self) -> "redis.Redis":
        return redis.Redis.from_url(self.stack.environment["REDIS_URL"])

    def _freeze(self, process: Process, seconds: float) -> None:
        process.send_signal(signal.SIGSTOP)
        time.sleep(seconds)
        process.send_signal(signal.SIGCONT)

    def end(self) -> None:
        for process in (*self.clocks, self.worker):
            self.stack.end(process)


Harm = Callable[[Chaos], None]
QUICK: list[Harm] = [
    Chaos.kill_a_clock,
    Chaos.crash_the_database,
    Chaos.kill_redis,
    Chaos.kill_the_field,
    Chaos.cut_a_clock_off_after_commits,
    Chaos.kill_a_child_of_the_worker,
    Chaos.poison_some_work,
    Chaos.end_all_sessions,
]
ALL: list[Harm] = [
    *QUICK,
    Chaos.stop_a_clock,
    Chaos.kill_all_clocks,
    Chaos.freeze_a_clock,
    Chaos.three_clocks_more,
    Chaos.have_a_clock_whose_machine_is_fast,
    Chaos.have_a_clock_whose_machine_is_slow,
    Chaos.kill_the_worker,
    Chaos.restart_the_database,
    Chaos.hold_the_event_locked,
    Chaos.empty_redis,
    Chaos.freeze_redis,
    Chaos.fill_redis,
    Chaos.have_the_mail_server_hang,
    Chaos.be_away_for_a_while,
]


def field(stack: Stack, *, speed: float = 600) -> Field:
    return Field(stack, "--pairs", f"{PAIRS}", "--rounds", f"{ROUNDS}", "--speed", f"{speed}", "--seed", "5")


@pytest.fixture(scope="module")
def in_peace(stack: Stack) -> Iterator[dict[str, Any]]:
    clock = stack.clock()
    yield field(stack).report(600)
    stack.end(clock)


def schedule(chance: random.Random) -> Iterator[Harm]:
    """All kinds in some order, again and again."""
    while True:
        yield from chance.sample(kinds := ALL if THOROUGH else QUICK, len(kinds))


def test_a_whole_event_under_every_kind_of_harm_ends_as_in_peace(
    stack: Stack, in_peace: dict[str, Any], record_property: Tell
) -> None:
    chance, done = random.Random(6), []
    playing = field(stack, speed=SPEED)
    while not playing.event:
        time.sleep(0.1)
    chaos = Chaos(stack, playing, chance)
    for harm in schedule(chance):
        time.sleep(chance.uniform(0.2, 1.0))
        if playing.process.poll() is not None:
            break
        harm(chaos)
        done.append(harm.__name__)
        if not THOROUGH and len(done) == len(QUICK):
            break
    report = playing.report(120)
    chaos.end()
    print(f"{len(done)} harms of {len(set(done))} kinds: {', '.join(done)}")
    record_property("harms to a whole event", len(done))
    record_property("kinds of harm to a whole event", len(set(done)))
    assert len(set(done)) >= (12 if THOROUGH else 6)
    assert report["digest"] == in_peace["digest"]
    assert report["results"] == in_peace["results"]
    assert "promises hold" in stack.manage("check_invariants")


def test_an_event_without_redis_ends_as_with_it(stack: Stack, in_peace: dict[str, Any]) -> None:
    """Scored by the bell and not by workers; the master points are in the ledger all the same."""
    stack.valkey.stop(signal.SIGKILL)
    clock, worker = stack.clock(), stack.worker()
    try:
        report = field(stack).report(300)
    finally:
        stack.end(clock)
        stack.end(worker)
        stack.valkey.start()
    assert report["state"] == "finished"
    assert report["digest"] == in_peace["digest"]
    assert stack.ask(f"SELECT 1 FROM masterpoints_award WHERE event_id = {report['event']}")
    assert "promises hold" in stack.manage("check_invariants")
