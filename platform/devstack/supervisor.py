"""Starts a few programs, prints their lines with their names, starts again those that fall, stops all in order."""

import contextlib
import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable
from dataclasses import dataclass, field

from devstack.embedded import before_exec

PATIENCE = 10.0  # seconds from the request to stop to SIGKILL
STEADY = 60.0  # seconds of work after which earlier falls are forgotten
MOST_FALLS = 6  # of an essential program, one soon after the other
SLOWEST = 30.0  # seconds, the longest pause before a program is started again

Command = list[str] | Callable[[], list[str]]  # the second is asked, and makes ready, before every start


class Fallen(RuntimeError):
    """A program without which nothing works ended by itself again and again."""


@dataclass
class Program:
    """One program: its last process, and how often it fell."""

    name: str
    command: Command
    essential: bool  # the others use it: it stops last, and the run ends when it falls too often
    stop_signal: signal.Signals = signal.SIGTERM
    before_exec: Callable[[], None] | None = None
    process: "subprocess.Popen[bytes]" = field(init=False)
    started: float = 0.0
    falls: int = 0
    start_at: float | None = None  # it fell and waits for this moment


class Supervisor:
    """Runs programs in the order they were started and stops them in the reverse order.

    A child gets a session of its own, so that Ctrl-C reaches only the supervisor, and dies with the thread that
    started it, whatever ends that: `start` and `watch` belong in the main thread.
    """

    def __init__(self) -> None:
        self.programs: list[Program] = []

    def start(
        self,
        name: str,
        command: Command,
        *,
        essential: bool = False,
        stop_signal: signal.Signals = signal.SIGTERM,
        before_exec: Callable[[], None] | None = None,
    ) -> Program:
        program = Program(name, command, essential, stop_signal, before_exec)
        self._start(program)
        self.programs.append(program)
        return program

    def _start(self, program: Program) -> None:
        program.started, program.start_at = time.monotonic(), None
        program.process = subprocess.Popen(
            program.command() if callable(program.command) else program.command,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            start_new_session=True,
            preexec_fn=program.before_exec or before_exec(program.stop_signal),
        )
        threading.Thread(target=self._print_lines, args=(program.name, program.process), daemon=True).start()

    @staticmethod
    def _print_lines(name: str, process: "subprocess.Popen[bytes]") -> None:
        assert process.stdout  # noqa: S101 - a pipe, see above
        with process.stdout as lines:
            for line in lines:
                try:
                    sys.stdout.write(f"{name:>8} | {line.decode(errors='replace').rstrip()}\n")
                    sys.stdout.flush()
                except (OSError, ValueError):  # nobody reads any more; the program must not notice
                    continue

    def check(self) -> None:
        """Look once at every program: start again after a pause what fell, or raise `Fallen` when that does not help."""
        now = time.monotonic()
        for program in self.programs:
            if program.start_at is not None:
                if now >= program.start_at:
                    self._start(program)
                continue
            status = program.process.poll()
            if status is None:
                continue
            _end_session(program.process)
            program.falls = 1 if now - program.started > STEADY else program.falls + 1
            if program.essential and program.falls == MOST_FALLS:
                raise Fallen(
                    f"{program.name} ended by itself {MOST_FALLS} times in a row, at last with {_how(status)}."
                )
            pause = min(SLOWEST, 2.0 ** (program.falls - 1))
            program.start_at = now + pause
            print(
                f"{program.name:>8} | ended by itself ({_how(status)}); starts again in {pause:.0f} s",
                flush=True,
            )

    def watch(self) -> None:
        """Look after the programs until an exception ends it: `Fallen`, or the signal that stops the run."""
        while True:
            self.check()
            time.sleep(0.2)

    def stop(self) -> None:
        """Stop all: the last started first, those that are not essential at once, for they use the others."""
        users = [program for program in self.programs if not program.essential]
        for group in (users, *([program] for program in reversed(self.programs) if program.essential)):
            for program in group:
                if program.process.poll() is None:
                    program.process.send_signal(program.stop_signal)
            end = time.monotonic() + PATIENCE
            for program in group:
                try:
                    program.process.wait(max(0.1, end - time.monotonic()))
                except subprocess.TimeoutExpired:
                    print(
                        f"{program.name:>8} | did not stop within {PATIENCE:.0f} s and was killed", flush=True
                    )
                _end_session(program.process)
        self.programs.clear()


def _end_session(process: "subprocess.Popen[bytes]") -> None:
    """Kill what is left of the program: itself and the children that it leaves behind."""
    with contextlib.suppress(ProcessLookupError, PermissionError):  # macOS says the second of dead members
        os.killpg(process.pid, signal.SIGKILL)
    process.wait()


def _how(status: int) -> str:
    return f"status {status}" if status >= 0 else signal.Signals(-status).name
