"""The processes that play for the robots: one is killed while it thinks, two of them work at once, the database falls."""

import os
import random
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import suppress
from pathlib import Path
from uuid import uuid4

import pytest
from django.db import connection

from apps.tables.models import Sitting, Table, TableBoard, TableEvent
from apps.tables.services.opening import Chair, House, Plan, open_tables
from apps.tables.services.playing import act
from apps.tables.services.seating import call_robots
from bridge.auction import PASS
from bridge.errors import BridgeError
from bridge.seats import Seat
from bridge.table import AnswerClaim, MakeCall, PlayCard, PlayerAction, seats_to_act
from tests.faults.test_clock_processes import ROOT
from tests.faults.test_worker import database_url, until
from tests.tables.tables import make_boards, make_member, state_of, user_of

KILLS = 3
Robots = subprocess.Popen[bytes]


def thinking_for(worker: Robots) -> list[int]:
    """The processes that it has started."""
    return [int(pid) for pid in Path(f"/proc/{worker.pid}/task/{worker.pid}/children").read_text().split()]


def is_running(pid: int) -> bool:
    """Whether there is such a process that has not ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def cut_connections() -> int:
    """As PostgreSQL does when it is started anew; how many there were, without this process's own."""
    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE datname = current_database()"
            " AND backend_type = 'client backend' AND pid <> pg_backend_pid()"
        )
        return len(cursor.fetchall())


class Workers:
    """Processes of robots that end with the test, and what they print."""

    def __init__(self, folder: Path) -> None:
        self.output = folder / "robots"
        self.log = self.output.open("wb")
        self.running: list[Robots] = []

    def start(self, **more: str) -> Robots:
        environment = os.environ | {
            "DATABASE_URL": database_url(),
            "DJANGO_SETTINGS_MODULE": "config.settings.test",
            "PYTHONPATH": os.pathsep.join(sys.path),
            "ROBOT_PAUSE": "0",
        }
        worker = subprocess.Popen(
            [sys.executable, "-m", "django", "robots"],
            env=environment | more,
            cwd=ROOT,
            stdout=self.log,
            stderr=self.log,
        )
        self.running.append(worker)
        return worker

    @property
    def printed(self) -> str:
        return self.output.read_text()

    def close(self) -> None:
        for worker in self.running:
            worker.kill()
            worker.wait()
        self.log.close()


@pytest.fixture
def workers(tmp_path: Path, transactional_db: None) -> Iterator[Workers]:
    workers = Workers(tmp_path)
    yield workers
    workers.close()


def tables(number: int) -> list[Table]:
    """Tables with one board, at each of which a person sits South and says and plays the first thing that is allowed."""
    opened = []
    for place in range(number):
        player = make_member(f"Player {'ABCDEFGH'[place]}")
        plan = Plan(
            subject=str(place),
            title="Table",
            chairs={"S": Chair(player.pk)},
            boards=make_boards(1, seed=place + 1),
        )
        house = House(casual=True)
        table = open_tables(purpose="test", occasion="robots", plans=[plan], house=house)[str(place)]
        call_robots(table_id=table.pk, user=user_of(player))
        table.refresh_from_db()
        opened.append(table)
    return opened


def follow(table: Table) -> None:
    """The person does something where the table waits for it."""
    state = state_of(table)
    if state.is_over or Seat.SOUTH not in seats_to_act(state) or state.claim or state.undo:
        if not state.is_over and state.claim and Seat.SOUTH in state.claim.waits_for:
            _do(table, AnswerClaim(accept=True))
        return
    if state.play is None:
        _do(table, MakeCall(PASS))
    else:
        _do(table, PlayCard(min(state.play.legal_cards())))


def _do(table: Table, action: PlayerAction) -> None:
    sitting = Sitting.objects.select_related("player__user").get(table=table, seat="S")
    assert sitting.player.user
    act(
        table_id=table.pk,
        user=sitting.player.user,
        command=uuid4(),
        expect=table.version,
        action=action,
    )


def play_on(opened: list[Table]) -> bool:
    """Whether all their boards are over."""
    for table in opened:
        table.refresh_from_db()
        if not table.is_over:
            with suppress(BridgeError):  # a robot was quicker
                follow(table)
    return not TableBoard.objects.exclude(state=TableBoard.State.OVER).exists()


def assert_whole(opened: list[Table]) -> None:
    """The log of every table is without a gap, and each act of a robot stands on the one before."""
    for table in opened:
        numbers = list(
            TableEvent.objects.filter(table=table).order_by("sequence").values_list("sequence", flat=True)
        )
        assert numbers == list(range(1, len(numbers) + 1))
        board = table.boards.get()
        assert board.how in ("played", "claimed", "passed out")


def test_a_process_that_is_killed_while_it_thinks_is_replaced_by_another(workers: Workers) -> None:
    """Two of them think at the same tables, and are killed again and again: every act is done once, every board ends.

    Once the database drops everybody. Who thought for a process that is killed ends with it.
    """
    chance = random.Random(5)
    orphans: list[int] = []
    opened = tables(3)
    workers.start(ROBOT_SAMPLES="6")
    workers.start(ROBOT_SAMPLES="6")
    killed, cut, until_kill = 0, 0, 0.0

    def over() -> bool:
        nonlocal killed, cut, until_kill
        thinks = [worker for worker in workers.running if thinking_for(worker)]
        if killed < KILLS and thinks and time.monotonic() > until_kill:
            victim = thinks[killed % len(thinks)]
            orphans.extend(thinking_for(victim))
            victim.kill()
            victim.wait()
            workers.running.remove(victim)
            workers.start(ROBOT_SAMPLES="6")
            killed, until_kill = killed + 1, time.monotonic() + chance.uniform(0.5, 2)
        if killed and not cut:
            cut = cut_connections()
        return play_on(opened)

    until(over, seconds=120)
    assert killed > 0
    assert cut > 0
    assert_whole(opened)
    until(lambda: not any(map(is_running, orphans)), seconds=30)
    assert "Traceback" not in workers.printed
