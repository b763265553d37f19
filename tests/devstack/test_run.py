"""`deploy/run` as real processes: it starts, stops, is killed, and starts again."""

import os
import shutil
import signal
import socket
import time
from collections.abc import Callable
from pathlib import Path

from tests.devstack.conftest import Copy, eventually, manage

Start = Callable[..., Copy]


def test_a_copy_answers_refuses_a_second_on_its_folder_and_stops_without_a_trace(
    start: Start, state: Path
) -> None:
    copy = start("--port", "8410").is_up()
    assert copy.status() == 200

    second = start("--port", "8410")
    assert second.process.wait(20) == 1
    assert f"already running at {copy.site} (pid {copy.process.pid})" in second.printed

    users = manage(
        state, "shell", "-v0", "-c", "from apps.pairs.models import Event; print(Event.objects.count())"
    )
    assert users.stdout.strip() == "1", users.stderr
    assert copy.status() == 200  # the command used its servers and left them alone

    assert copy.stop() == 0
    assert "Traceback" not in copy.printed
    assert copy.processes() == {}


def test_two_folders_run_side_by_side_and_pass_over_a_port_that_is_taken(
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
    assert [copy.stop(signal.SIGINT) for copy in copies] == [0, 0]


def test_killed_hard_it_leaves_no_process_and_the_next_start_recovers(start: Start) -> None:
    copy = start("--port", "8430").is_up()
    copy.process.kill()
    copy.process.wait()
    assert eventually(lambda: not copy.processes(), 15), copy.processes()

    again = start("--port", "8430").is_up()
    for pid in [*again.processes(), again.process.pid]:
        os.kill(pid, signal.SIGKILL)
    again.process.wait()
    assert eventually(lambda: not again.processes(), 15), again.processes()

    last = start("--port", "8430").is_up()
    assert last.status() == 200
    assert last.stop() == 0


def test_the_end_of_the_database_ends_the_run_with_a_sentence(start: Start) -> None:
    copy = start("--port", "8440").is_up()
    os.kill(copy.pid_of("bin/postgres -D"), signal.SIGKILL)
    assert copy.process.wait(40) == 1
    assert "postgres ended by itself (SIGKILL)." in copy.printed
    assert copy.processes() == {}


def test_a_web_server_a_worker_and_a_clock_that_fall_are_started_again(start: Start) -> None:
    copy = start("--port", "8450").is_up()
    programs = (("web", "granian"), ("worker", "--queues=datum"), ("clock", "django clock"))
    assert eventually(lambda: len(clocks(copy)) == 2)
    fallen = {name: copy.pid_of(words) for name, words in programs}
    for pid in fallen.values():
        os.kill(pid, signal.SIGKILL)
    assert eventually(lambda: all(f"{name} | ended by itself (SIGKILL)" in copy.printed for name in fallen))
    assert eventually(lambda: _answers(copy))
    assert eventually(lambda: any("--queues=datum" in command for command in copy.processes().values()))
    assert eventually(lambda: len(clocks(copy)) == 2)
    assert not fallen.values() & copy.processes().keys()
    assert copy.stop() == 0


def test_a_signal_during_the_start_ends_it_cleanly(start: Start) -> None:
    for moment in (0.3, 0.9, 1.8):
        copy = start("--port", "8460")
        time.sleep(moment)
        copy.processes()
        copy.process.send_signal(signal.SIGTERM)
        assert copy.process.wait(30) in {
            0,
            -signal.SIGTERM,
        }  # the second before Python has run our first line
        assert "Traceback" not in copy.printed
        assert eventually(lambda: not copy.processes(), 10), copy.processes()  # noqa: B023


def test_servers_that_do_not_answer_are_named(start: Start) -> None:
    copy = start(DATABASE_URL="postgresql://nobody@127.0.0.1:1/none")
    assert copy.process.wait(30) == 1
    assert "The database that DATABASE_URL names does not answer" in copy.printed
    other = start(REDIS_URL="redis://127.0.0.1:1/0")
    assert other.process.wait(30) == 1
    assert "The server that REDIS_URL names does not answer" in other.printed


def clocks(copy: Copy) -> list[int]:
    return [pid for pid, command in copy.processes().items() if "django clock" in command]


def _answers(copy: Copy) -> bool:
    try:
        return copy.status() == 200
    except OSError:
        return False
