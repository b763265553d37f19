"""`manage.py clock` as real processes: stopped, killed, frozen, and with a database that goes away."""

import os
import random
import signal
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import IO

import psycopg
import pytest
from django.db import connection

from apps.clock import transitions
from apps.clock.models import AuditEntry, DueWork
from apps.clock.services import record, schedule
from apps.clock.time import now
from apps.clock.transitions import Transition
from devstack.embedded import Postgres, wait_until_ready
from devstack.migrated import migrated_postgres
from tests.faults.test_worker import database_url, until
from tests.faults.thorough import often

ROOT = Path(__file__).resolve().parents[2]
KILLS, CRASHES = often(25, usual=12), often(4, usual=2)
Clock = subprocess.Popen[bytes]


def start_clock(log: IO[bytes], *arguments: str, url: str = "", **more: str) -> Clock:
    environment = os.environ | {
        "DATABASE_URL": url or database_url(),
        "DJANGO_SETTINGS_MODULE": "config.settings.test",
        "PYTHONPATH": os.pathsep.join(sys.path),
    }
    return subprocess.Popen(
        [sys.executable, "-m", "tests.faults.clock_process", *arguments],
        env=environment | more,
        cwd=ROOT,
        stdout=log,
        stderr=log,
    )


class Clocks:
    """Clock processes that end with the test, and what they print."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "clocks"
        self.log = self.output.open("wb")
        self.running: list[Clock] = []

    def start(self, *arguments: str, **more: str) -> Clock:
        self.running.append(start_clock(self.log, *arguments, **more))
        return self.running[-1]

    @property
    def printed(self) -> str:
        return self.output.read_text()

    def close(self) -> None:
        for clock in self.running:
            clock.kill()
            clock.wait()
        self.log.close()


@pytest.fixture
def clocks(tmp_path: Path, request: pytest.FixtureRequest) -> Iterator[Clocks]:
    clocks = Clocks(tmp_path)
    yield clocks
    clocks.close()


def plan(subjects: int, *, kind: str = "test.bell", milliseconds: int = 0) -> None:
    for subject in range(subjects):
        schedule(kind=kind, subject=subject, number=milliseconds, due_at=now())


@pytest.fixture
def _kinds(monkeypatch: pytest.MonkeyPatch) -> None:
    for kind in ("test.bell", "test.hold"):
        monkeypatch.setitem(transitions.transitions, kind, Transition(lambda **_: None, None))


def rung() -> Counter[int]:
    return Counter(AuditEntry.objects.filter(action="rung").values_list("subject_id", flat=True))


def all_done() -> bool:
    return not DueWork.objects.exclude(state="done").exists()


def under_way() -> bool:
    """Whether some clock sleeps within a transition."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT 1 FROM pg_stat_activity
               WHERE datname = current_database() AND pid <> pg_backend_pid() AND state = 'idle in transaction'
                 AND now() - state_change > interval '0.1 s'"""
        )
        return cursor.fetchone() is not None


live = pytest.mark.usefixtures("_kinds", "transactional_db")


@live
def test_told_to_stop_it_ends_what_is_under_way_and_no_more(clocks: Clocks) -> None:
    plan(2, milliseconds=700)
    clock = clocks.start()
    until(under_way)
    clock.send_signal(signal.SIGTERM)
    assert clock.wait(60) == 0
    assert rung() == {0: 1}
    assert "Traceback" not in clocks.printed
    assert "1 done, 0 failed, 0 sent" in clocks.printed
    assert clocks.start("--once").wait(60) == 0
    assert rung() == {0: 1, 1: 1}


@live
def test_killed_at_random_with_four_at_once_every_piece_is_done_once(clocks: Clocks) -> None:
    chance = random.Random(1)
    plan(12 * KILLS, milliseconds=40)
    running = [clocks.start() for _ in range(4)]
    until(lambda: rung())
    for _ in range(KILLS):
        time.sleep(chance.uniform(0.02, 0.2))
        place = chance.randrange(4)
        running[place].kill()
        running[place].wait()
        running[place] = clocks.start()
    until(all_done, seconds=120)
    assert rung() == dict.fromkeys(range(12 * KILLS), 1)
    assert not DueWork.objects.exclude(attempts=0).exists()


@live
def test_sessions_that_the_database_ends_cost_a_second_and_no_work(clocks: Clocks) -> None:
    plan(40, milliseconds=50)
    clocks.start()
    clocks.start()
    for done in (5, 20):
        until(lambda: len(rung()) > done)  # noqa: B023
        with connection.cursor() as cursor:
            cursor.execute(
                """SELECT pg_terminate_backend(pid) FROM pg_stat_activity
                   WHERE datname = current_database() AND pid <> pg_backend_pid()"""
            )
    until(all_done)
    assert rung() == dict.fromkeys(range(40), 1)
    assert list(DueWork.objects.exclude(attempts=0).values_list("last_error")) == []
    until(lambda: "the database is back" in clocks.printed)


@live
def test_a_frozen_clock_does_not_hold_its_rows_for_ever(clocks: Clocks) -> None:
    record(actor=None, action="a row", subject_kind="bell", subject_id=1)
    plan(1, kind="test.hold", milliseconds=400)
    frozen = clocks.start(IDLE="2")
    until(under_way)
    frozen.send_signal(signal.SIGSTOP)
    clocks.start()
    plan(2)
    until(lambda: len(rung()) == 2)  # the others go on
    until(all_done)  # and so does its own piece when the database has ended its session
    assert rung() == {0: 2, 1: 1}  # one of kind test.hold, two of kind test.bell
    frozen.send_signal(signal.SIGCONT)
    plan(3)
    until(all_done)
    assert frozen.poll() is None
    assert rung() == {0: 2, 1: 1, 2: 1}


class Database:
    """A PostgreSQL of one's own, that writes to the disk what it has promised."""

    def __init__(self, folder: Path) -> None:
        self.server = Postgres(folder)
        self.server.create(migrated_postgres())
        self.start()
        self.url = self.server.environment()["DATABASE_URL"]

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.server.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=self.server.before_exec,
        )
        wait_until_ready(self.server, self.process)

    def stop(self, number: signal.Signals = signal.SIGQUIT) -> None:
        """Without a word to anybody, as in a crash."""
        self.process.send_signal(number)
        self.process.wait(30)

    def ask(self, sql: str) -> list[tuple[int, ...]]:
        with psycopg.connect(self.url, autocommit=True) as asked:
            return asked.execute(sql).fetchall()


@pytest.fixture
def database(tmp_path: Path) -> Iterator[Database]:
    database = Database(tmp_path / "d")
    yield database
    database.stop(signal.SIGINT)


def test_a_database_that_crashes_under_three_clocks_loses_and_doubles_nothing(
    clocks: Clocks, database: Database
) -> None:
    chance = random.Random(2)
    pieces = 50 * CRASHES
    database.ask(
        f"""INSERT INTO clock_duework (kind, subject, number, due_at, state, attempts, last_error)
            SELECT 'test.bell', subject, 20, now(), 'planned', 0, '' FROM generate_series(1, {pieces}) AS subject
            RETURNING 1"""
    )
    for _ in range(3):
        clocks.start(url=database.url)
    until(lambda: database.ask("SELECT 1 FROM clock_auditentry"))
    for _ in range(CRASHES):
        time.sleep(chance.uniform(0.2, 0.8))
        database.stop()
        time.sleep(chance.uniform(0, 0.3))
        database.start()
    until(lambda: not database.ask("SELECT 1 FROM clock_duework WHERE state <> 'done'"), seconds=120)
    assert database.ask("SELECT count(*), count(DISTINCT subject_id) FROM clock_auditentry") == [
        (pieces, pieces)
    ]
    assert all(clock.poll() is None for clock in clocks.running)
    assert database.ask("SELECT max(attempts) FROM clock_duework") == [(0,)]
