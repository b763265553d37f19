"""`deploy/run` as real processes: it starts, stops, is killed, and starts again."""

import os
import re
import shutil
import signal
import socket
import time
from collections.abc import Callable
from contextlib import closing
from pathlib import Path

import psycopg
import pytest

from devstack import supervisor
from devstack.embedded import Postgres
from tests.devstack.conftest import Copy, eventually, manage

Start = Callable[..., Copy]


def test_two_folders_run_side_by_side_a_second_copy_is_refused_and_nothing_is_left_of_them(
    start: Start, state: Path, tmp_path: Path
) -> None:
    other = Path(shutil.copytree(state, tmp_path / "o"))
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        taken.listen()
        port = taken.getsockname()[1]
        copies = [start("--port", str(port)), start("--port", str(port), folder=other)]
        sites = {copy.is_up().site for copy in copies}
    assert len(sites) == 2
    assert f"http://127.0.0.1:{port}/" not in sites
    assert [copy.status() for copy in copies] == [200, 200]

    second = start("--port", "8410")
    assert second.process.wait(60) == 1
    assert f"already running at {copies[0].site} (pid {copies[0].process.pid})" in second.printed

    events = manage(
        state, "shell", "-v0", "-c", "from apps.pairs.models import Event; print(Event.objects.count())"
    )
    assert events.stdout.strip() == "1", events.stderr
    assert copies[0].status() == 200  # the command used its servers and left them alone

    assert [copies[0].stop(), copies[1].stop(signal.SIGINT)] == [0, 0]
    for copy in copies:
        assert "Traceback" not in copy.printed
        assert copy.processes() == {}


def test_whatever_falls_is_started_again_and_the_whole_recovers_from_being_killed(
    start: Start, state: Path
) -> None:
    copy = start("--port", "8440").is_up()
    servers, web = ("bin/postgres -D", "valkey-server"), pids(copy, "granian")
    assert len(web) > 2  # two that serve and the one that starts them

    os.kill(max(web), signal.SIGKILL)
    assert eventually(lambda: len(pids(copy, "granian")) == len(web) and max(web) not in copy.processes())
    assert eventually(lambda: _answers(copy))
    assert "web | ended" not in copy.printed

    fallen = [copy.pid_of(words) for words in servers]
    with closing(psycopg.connect(Postgres(state).environment()["DATABASE_URL"])) as session:
        session.pgconn.send_query(b"SELECT count(*) FROM generate_series(1, 1e12)")  # it outlives its server
        for pid in fallen:
            os.kill(pid, signal.SIGKILL)
    for name in ("postgres", "valkey"):
        assert eventually(lambda: f"{name} | ended by itself (SIGKILL)" in copy.printed)  # noqa: B023
    assert eventually(lambda: _answers(copy))
    assert all(copy.pid_of(words) not in fallen for words in servers)

    programs = (("web", "granian"), ("worker", "--queues=datum"), ("clock2?", "django clock"))
    assert eventually(lambda: len(pids(copy, "django clock")) == 2)
    assert eventually(lambda: pids(copy, "--queues=datum"))
    killed = {name: copy.pid_of(words) for name, words in programs}
    for pid in killed.values():
        os.kill(pid, signal.SIGKILL)
    assert eventually(
        lambda: all(re.search(rf"{name} \| ended by itself \(SIGKILL\)", copy.printed) for name in killed)
    ), copy.printed
    assert eventually(lambda: _answers(copy))
    assert eventually(lambda: pids(copy, "--queues=datum"))
    assert eventually(lambda: len(pids(copy, "django clock")) == 2)
    assert not killed.values() & copy.processes().keys()

    copy.process.kill()
    copy.process.wait()
    assert eventually(lambda: not copy.processes()), copy.processes()

    again = start("--port", "8440").is_up()
    for pid in [*again.processes(), again.process.pid]:
        os.kill(pid, signal.SIGKILL)
    again.process.wait()
    assert eventually(lambda: not again.processes()), again.processes()

    last = start("--port", "8440").is_up()
    assert last.status() == 200
    assert last.stop() == 0
    assert last.processes() == {}


def test_a_server_that_falls_again_and_again_ends_the_run_with_a_sentence(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(supervisor, "SLOWEST", 0.01)
    starts: list[int] = []

    def command() -> list[str]:
        starts.append(len(starts))
        return ["/bin/false"]

    run = supervisor.Supervisor()
    run.start("server", command, essential=True)
    with pytest.raises(
        supervisor.Fallen, match=r"server ended by itself 6 times in a row, at last with status 1\."
    ):
        run.watch()
    assert len(starts) == 6


def test_a_signal_during_the_start_ends_it_cleanly(start: Start) -> None:
    for moment in (0.3, 0.9, 1.8):
        copy = start("--port", "8460")
        time.sleep(moment)
        copy.processes()
        copy.process.send_signal(signal.SIGTERM)
        assert copy.process.wait(60) in {
            0,
            -signal.SIGTERM,
        }  # the second before Python has run our first line
        assert "Traceback" not in copy.printed
        assert eventually(lambda: not copy.processes()), copy.processes()  # noqa: B023


def test_servers_that_do_not_answer_are_named(start: Start) -> None:
    copy = start(DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert copy.process.wait(60) == 1
    assert "The database that DATABASE_URL names does not answer" in copy.printed
    other = start(REDIS_URL="redis://127.0.0.1:1/0")
    assert other.process.wait(60) == 1
    assert "The server that REDIS_URL names does not answer" in other.printed


def pids(copy: Copy, words: str) -> list[int]:
    return [pid for pid, command in copy.processes().items() if words in command]


def _answers(copy: Copy) -> bool:
    try:
        return copy.status() == 200
    except OSError:
        return False
