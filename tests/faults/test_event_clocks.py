"""Events in play while their clocks are killed and their database crashes, again and again: in the end all is as in peace.

Simulated fields of one seed always play the same, so that two runs can be compared by what came of them: seats,
slips, results, scores, standings, ledger and log.
"""

import os
import random
import signal
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager

import pytest

from tests.faults.stack import Field, Process, Stack
from tests.faults.thorough import Tell, often

SEEDS = (1, 2)
PAIRS, ROUNDS = often(12, usual=8), often(3, usual=2)
KILLS, CRASHES = often(200, usual=12), often(40, usual=2)
CLOCKS = 4


def fields(stack: Stack, *, speed: float = 600) -> list[Field]:
    """Small events, one a seed, all in play at once: each is there before the next field comes."""
    cast = ["--pairs", f"{PAIRS}", "--rounds", f"{ROUNDS}", "--speed", f"{speed}"]
    playing: list[Field] = []
    for seed in SEEDS:
        playing.append(Field(stack, *cast, "--seed", f"{seed}"))
        while not playing[-1].event:
            assert playing[-1].process.poll() is None
            time.sleep(0.1)
    return playing


def digests(playing: list[Field]) -> list[str]:
    return [str(field.report(400)["digest"]) for field in playing]


@contextmanager
def clocks(stack: Stack) -> Iterator[Process]:
    """Four clocks, replaced when they fall."""
    process = stack.clock(CLOCKS=f"{CLOCKS}")
    try:
        yield process
    finally:
        stack.end(process)


@pytest.fixture(scope="module")
def in_peace(stack: Stack) -> list[str]:
    with clocks(stack):
        return digests(fields(stack))


def disturb(playing: list[Field], times: int, harm: Callable[[], None]) -> int:
    """Do so much harm, and more of it until all have ended; how often it was done."""
    done = 0
    while any(field.process.poll() is None for field in playing):
        if done < times:
            harm()
            done += 1
        else:
            time.sleep(0.1)
    return done


def test_another_field_comes_out_otherwise(in_peace: list[str]) -> None:
    assert len(set(in_peace)) == len(SEEDS)


def test_clocks_killed_at_random_change_nothing_that_comes_of_an_event(
    stack: Stack, in_peace: list[str], record_property: Tell
) -> None:
    chance = random.Random(3)
    slow = often(6, usual=40)
    with clocks(stack) as process:
        playing = fields(stack, speed=slow)

        def kill() -> None:
            time.sleep(chance.uniform(0.05, 0.5))
            os.kill(chance.choice(stack.children(process)), signal.SIGKILL)

        killed = disturb(playing, KILLS, kill)
        record_property("clocks killed", killed)
        assert killed == KILLS
        assert digests(playing) == in_peace
    assert "promises hold" in stack.manage("check_invariants")


def test_a_database_that_crashes_under_load_changes_nothing_that_comes_of_an_event(
    stack: Stack, in_peace: list[str], record_property: Tell
) -> None:
    chance = random.Random(4)
    slow = often(3, usual=40)
    with clocks(stack):
        playing = fields(stack, speed=slow)

        def crash() -> None:
            time.sleep(chance.uniform(0.5, 2.5))
            stack.postgres.stop(signal.SIGQUIT)
            time.sleep(chance.uniform(0, 0.3))
            stack.postgres.start()

        crashed = disturb(playing, CRASHES, crash)
        record_property("databases crashed", crashed)
        assert crashed == CRASHES
        assert digests(playing) == in_peace
    assert "promises hold" in stack.manage("check_invariants")
