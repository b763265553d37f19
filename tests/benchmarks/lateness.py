"""Many events at once, all of their bells at the same seconds: how late are the steps that the clocks make?

`deploy/bench lateness [--short]`: twenty events of a hundred simulated pairs each, which enter, play and confirm through
the services that people use, while two clocks keep the time. The time of a step is the moment for which it was planned.
"""

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable, Iterator, Sequence

from devstack.embedded import before_exec
from tests.benchmarks.harness import Figure, noise, report
from tests.benchmarks.rescore import database, within

P99, LATEST = 1.5, 3.0  # seconds
PROCESSES = 4  # that play
BREATH = 0.25  # seconds between two looks of a process that plays


def announce(events: int, pairs: int, *, rounds: int, boards: int, minutes: int, ahead: int) -> list[int]:
    """Events that go by one timetable."""
    from apps.pages.demo.cast import Cast
    from apps.pages.demo.simulation import set_up
    from apps.pages.demo.timekeeping import full_minute
    from apps.pairs.services.setup import Plan
    from bridge.comparison import Method

    start = full_minute(ahead)
    made = []
    for seed in range(1, events + 1):
        plan = Plan(
            title=f"Lateness {seed}",
            zone="UTC",
            local_start=start,
            rounds=rounds,
            boards=boards,
            minutes=minutes,
            pause=1,
            method=Method.BUTLER,
            presence_minutes=2 * ahead,
            grace=0,
            late_until=1,
            min_pairs=2,
            hold=1,
        )
        cast = Cast(seed=seed, pairs=pairs, calm=True, visitor="nobody")  # with a visitor there is no hurry
        made.append(set_up(plan, cast))
    return made


def play(events: Sequence[int]) -> None:
    """In a process of its own, play these events in turns until all have ended.

    It gives way to the clocks: what it does is done by people's own telephones otherwise.
    """
    import django

    os.nice(10)
    django.setup()
    from apps.pages.demo.simulation import Simulation
    from apps.pages.demo.timekeeping import patiently

    going = [Simulation(event) for event in events]
    while going:
        going = [simulation for simulation in going if patiently(simulation.advance)]
        time.sleep(BREATH)


@contextlib.contextmanager
def processes() -> Iterator[Callable[..., "subprocess.Popen[bytes]"]]:
    """Starts Python modules, each in a process that ends with this one."""
    from django.conf import settings

    from tests.faults.test_worker import database_url

    environment = os.environ | {
        "DATABASE_URL": database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.dev",
        "SECRET_KEY": settings.SECRET_KEY,  # it keeps the seals of the deals
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    started: list[subprocess.Popen[bytes]] = []

    def start(*module: str) -> "subprocess.Popen[bytes]":
        command = [sys.executable, "-m", *module]
        started.append(subprocess.Popen(command, env=environment, preexec_fn=before_exec(signal.SIGKILL)))
        return started[-1]

    try:
        yield start
    finally:
        for process in started:
            process.kill()
            process.wait()


def figures(*, short: bool) -> list[Figure]:
    """The figures, in a database that is there and migrated."""
    from apps.pages.demo.timekeeping import lateness

    events = (
        announce(5, 40, rounds=3, boards=1, minutes=1, ahead=2)
        if short
        else announce(20, 100, rounds=3, boards=3, minutes=3, ahead=5)
    )
    began = time.monotonic()
    with processes() as start:
        for _ in range(2):
            start("django", "clock")
        shares = [events[place::PROCESSES] for place in range(PROCESSES)]
        players = [start("tests.benchmarks.lateness", "play", *map(str, share)) for share in shares if share]
        if any(player.wait() for player in players):
            raise SystemExit("an event did not end")
    late = sorted(seconds for event in events for seconds in lateness(event))
    print(f"{len(events)} events, {len(late)} steps in {time.monotonic() - began:.0f} s")
    print(f"late: median {late[len(late) // 2]:.3f} s, p99 {late[99 * (len(late) - 1) // 100]:.3f} s")
    return [
        within(f"p99 of {len(late)} steps (limit {P99} s)", [late[99 * (len(late) - 1) // 100]], P99),
        within(f"the latest step (limit {LATEST} s)", [late[-1]], LATEST),
    ]


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["play"]:
        play([int(event) for event in arguments[1:]])
        return 0
    before = noise()
    with database():
        made = figures(short="--short" in arguments)
    return report("lateness", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
