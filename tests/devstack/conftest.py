"""Copies of Datum in folders of their own, as processes: what `deploy/run` and `deploy/manage` start."""

import contextlib
import os
import re
import shutil
import signal
import subprocess
import sys
import time
import urllib.request
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest

from devstack.embedded import Postgres
from devstack.migrated import migrated_postgres

ROOT = Path(__file__).resolve().parents[2]
AN_EVENT = """
from django.utils import timezone
from apps.pairs.models import Event
from apps.results.models import Field
field = Field.objects.create(method=Field.Method.choices[0][0])
Event.objects.create(title="Tuesday", field=field, state="published", published_at=timezone.now())
"""


def environment(state: Path, **more: str) -> dict[str, str]:
    """A stranger's: without the servers and the settings of this test run."""
    own = {
        "DATABASE_URL",
        "REDIS_URL",
        "DJANGO_SETTINGS_MODULE",
        "DJANGO_ALLOW_ASYNC_UNSAFE",
        "PYTEST_XDIST_WORKER",
    }
    return (
        {name: value for name, value in os.environ.items() if name not in own}
        | {"DATUM_STATE": str(state)}
        | more
    )


def manage(state: Path, *arguments: str, **more: str) -> "subprocess.CompletedProcess[str]":
    """`deploy/manage` once the environment is made."""
    return subprocess.run(
        [sys.executable, "-m", "devstack.manage", *arguments],
        env=environment(state, **more),
        cwd=ROOT,
        capture_output=True,
        text=True,
        timeout=300,
        check=False,
    )


def eventually(condition: Callable[[], object], seconds: float = 60) -> bool:
    end = time.monotonic() + seconds
    while time.monotonic() < end:
        if condition():
            return True
        time.sleep(0.05)
    return False


class Copy:
    """One running `deploy/run`."""

    def __init__(self, state: Path, *arguments: str, **more: str) -> None:
        self.sessions: set[int] = set()
        self.output = state / f"output-{time.monotonic_ns()}"
        with self.output.open("wb") as file:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "devstack.serve", *arguments],
                env=environment(state, **more),
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=file,
                stderr=file,
            )

    @property
    def printed(self) -> str:
        return self.output.read_text()

    @property
    def site(self) -> str:
        found = re.search(r"ready at (\S+)", self.printed)
        assert found, self.printed
        return found[1]

    def is_up(self) -> "Copy":
        assert eventually(lambda: "Ctrl-C" in self.printed or self.process.poll() is not None, 240), (
            self.printed
        )
        assert self.process.poll() is None, self.printed
        assert self.processes()
        return self

    def status(self, path: str = "health/") -> int:
        with urllib.request.urlopen(self.site + path, timeout=30) as answer:
            return int(answer.status)

    def processes(self) -> dict[int, str]:
        """Every living process in the sessions that the copy's children lead, the copy itself left out.

        Asked while the copy lives it learns which sessions those are; afterwards it still knows them.
        """
        found = {}
        for folder in Path("/proc").glob("[0-9]*"):
            try:
                state, parent, _group, session = (folder / "stat").read_text().rpartition(")")[2].split()[:4]
                command = (folder / "cmdline").read_bytes().replace(b"\0", b" ").decode()
            except OSError:
                continue
            if int(parent) == self.process.pid:
                self.sessions.add(int(session))
            if int(session) in self.sessions and state != "Z":
                found[int(folder.name)] = command
        return found

    def pid_of(self, words: str) -> int:
        return min(pid for pid, command in self.processes().items() if words in command)

    def stop(self, number: signal.Signals = signal.SIGTERM) -> int:
        self.process.send_signal(number)
        return self.process.wait(90)


@pytest.fixture(scope="session")
def prepared_state(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A state folder with a migrated database and one event, made once: a demo is not what is tested here."""
    state = tmp_path_factory.mktemp("prepared") / "s"
    Postgres(state).create(migrated_postgres())
    done = manage(state, "shell", "-v0", "-c", AN_EVENT)
    assert done.returncode == 0, done.stderr
    return state


@pytest.fixture
def state(prepared_state: Path, tmp_path: Path) -> Path:
    """A copy of that folder: a folder of one's own for each test."""
    return Path(
        shutil.copytree(prepared_state, tmp_path / "s", ignore=shutil.ignore_patterns("run", "lock", "users"))
    )


@pytest.fixture
def start(state: Path) -> Iterator[Callable[..., Copy]]:
    """Starts copies; whatever is left of them at the end is killed."""
    copies: list[Copy] = []

    def start(*arguments: str, folder: Path = state, **more: str) -> Copy:
        copies.append(Copy(folder, *arguments, **more))
        return copies[-1]

    yield start
    for copy in copies:
        left = copy.processes()
        copy.process.kill()
        copy.process.wait()
        for pid in left:
            with contextlib.suppress(ProcessLookupError):
                os.kill(pid, signal.SIGKILL)
