"""Datum's processes with servers of their own, for tests that break them: PostgreSQL, Valkey, clocks, a worker."""

import contextlib
import json
import os
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any, Self

import psycopg

from devstack.embedded import Postgres, Server, Valkey, wait_until_ready
from devstack.migrated import migrated_postgres

ROOT = Path(__file__).resolve().parents[2]
Process = subprocess.Popen[bytes]


class Daemon:
    """A server that is stopped, crashed, frozen and started again."""

    def __init__(self, server: Server) -> None:
        self.server = server
        self.process: Process | None = None

    def start(self) -> None:
        self.process = subprocess.Popen(
            self.server.command(),
            stdin=subprocess.DEVNULL,
            stdout=subprocess.DEVNULL,
            stderr=subprocess.DEVNULL,
            preexec_fn=self.server.before_exec,
        )
        wait_until_ready(self.server, self.process)

    def send(self, number: signal.Signals) -> None:
        assert self.process
        self.process.send_signal(number)

    def stop(self, number: signal.Signals) -> None:
        self.send(number)
        assert self.process
        self.process.wait(60)


class Stack:
    """The whole of it, in a folder. What the processes print is in `log`."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        postgres = Postgres(folder / "p")
        postgres.create(migrated_postgres())
        self.postgres, self.valkey = Daemon(postgres), Daemon(Valkey(folder / "v", durable=False))
        with socket.create_server(("127.0.0.1", 0)) as free:
            self.mail_port = free.getsockname()[1]  # nobody listens there, but when a test does
        self.environment = {
            **os.environ,
            **postgres.environment(),
            **self.valkey.server.environment(),
            "DJANGO_SETTINGS_MODULE": "tests.faults.stack_settings",
            "DATUM_STATE": str(folder),
            "MAIL_PORT": str(self.mail_port),
            "PYTHONPATH": os.pathsep.join(sys.path),
        }
        self.log = (folder / "log").open("ab")
        self.running: list[Process] = []

    def __enter__(self) -> Self:
        self.postgres.start()
        self.valkey.start()
        return self

    def __exit__(self, *_: object) -> None:
        for process in list(self.running):
            self.end(process)
        self.valkey.stop(signal.SIGKILL)
        self.postgres.stop(signal.SIGQUIT)
        self.log.close()

    def start(self, *command: str, **more: str) -> Process:
        process = subprocess.Popen(
            [sys.executable, *command],
            env=self.environment | more,
            cwd=ROOT,
            stdin=subprocess.DEVNULL,
            stdout=self.log,
            stderr=self.log,
            start_new_session=True,
        )
        self.running.append(process)
        return process

    def clock(self, **more: str) -> Process:
        """A clock, or with CLOCKS so many that are replaced when they fall; with bad luck as in `unlucky_clock`."""
        return self.start("-m", "tests.faults.unlucky_clock", **more)

    def worker(self) -> Process:
        queue = ["-Q", "datum", "--concurrency", "1", "-l", "ERROR", "--without-mingle", "--without-gossip"]
        return self.start(
            "-m", "celery", "-A", "config.celery", "worker", "-B", *queue, "-s", f"{self.folder}/beat"
        )

    def end(self, process: Process, number: signal.Signals = signal.SIGKILL) -> None:
        """End a process, and with SIGKILL its children as well."""
        if number == signal.SIGKILL:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, number)
        else:
            process.send_signal(number)
        process.wait(60)
        self.running.remove(process)

    def children(self, process: Process) -> list[int]:
        return [
            int(pid) for pid in Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
        ]

    def manage(self, *arguments: str) -> str:
        """Run a command of `manage.py` to its end; what it printed."""
        done = subprocess.run(
            [sys.executable, "-m", "django", *arguments],
            env=self.environment,
            cwd=ROOT,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            check=False,
        )
        assert done.returncode == 0, done.stdout
        return done.stdout

    def ask(self, sql: str) -> list[tuple[Any, ...]]:
        with psycopg.connect(self.environment["DATABASE_URL"], autocommit=True) as asked:
            return asked.execute(sql).fetchall()


class Field:
    """`manage.py simulate_event` as a process: killed, it is taken up again by another."""

    def __init__(self, stack: Stack, *arguments: str) -> None:
        self.stack = stack
        self.output = stack.folder / f"field-{time.monotonic_ns()}"
        self.began = stack.ask("SELECT coalesce(max(event_id), 0) FROM pairs_swiss")[0][0]
        self.play(*arguments)

    def play(self, *arguments: str) -> None:
        with self.output.open("wb") as output:
            self.process = subprocess.Popen(
                [sys.executable, "-m", "django", "simulate_event", *arguments, "--award", "--wait", "--json"],
                env=self.stack.environment,
                cwd=ROOT,
                stdin=subprocess.DEVNULL,
                stdout=output,
                stderr=self.stack.log,
                start_new_session=True,
            )
        self.stack.running.append(self.process)

    @property
    def event(self) -> int | None:
        """The event that it plays; None as long as there is none."""
        found = self.stack.ask(f"SELECT max(event_id) FROM pairs_swiss WHERE event_id > {int(self.began)}")[
            0
        ][0]
        return None if found is None else int(found)

    def kill(self) -> None:
        """SIGKILL, and the field comes back and does again what it may have done."""
        event = self.event
        if event is not None and self.process.poll() is None:
            self.stack.end(self.process)
            self.play("--resume", str(event))

    def report(self, seconds: float) -> dict[str, Any]:
        """What it says in the end."""
        assert self.process.wait(seconds) == 0, (self.stack.folder / "log").read_text(errors="replace")[
            -5000:
        ]
        said: dict[str, Any] = json.loads(self.output.read_text().splitlines()[-1])
        return said
