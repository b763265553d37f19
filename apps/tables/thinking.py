"""What a robot thinks: in a process of its own, which can be ended when the native solver hangs.

It is given what its seat sees and nothing else; neither the database nor the settings are loaded here.
"""

import os
import threading
import time
from collections.abc import Mapping
from concurrent.futures import ProcessPoolExecutor
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context, parent_process
from typing import Any

from django.views.decorators.debug import sensitive_variables

from bridge.robot import Strength, Thought, Tricks, choose

PATIENCE = 4.0  # seconds beyond the strength's, and a robot is no longer waited for


@sensitive_variables()
def think(board: Mapping[str, Any], tricks: Tricks, seed: int, strength: Strength) -> dict[str, Any] | None:
    """What a robot does, with all its strength."""
    from apps.boards.double_dummy import solve_positions

    thought = Thought(solve_positions, strength, clock=time.monotonic)
    return choose(board, seed=seed, tricks=tricks, thought=thought)


def end_with_parent() -> None:
    """Whoever thinks ends with the process that asks, also when that one is killed.

    The pool's own pipes do not tell: each process that thinks holds both ends of the one it reads from.
    """
    parent = parent_process()
    assert parent  # noqa: S101 - this is called in a process of the pool

    def watch() -> None:
        parent.join()
        os._exit(1)

    threading.Thread(target=watch, daemon=True).start()


class Thinkers:
    """Processes that think; whichever hangs or falls is replaced, and the robot does what comes to mind first."""

    def __init__(self, count: int, strength: Strength) -> None:
        self.count, self.strength = count, strength
        self.pool: ProcessPoolExecutor | None = None

    @sensitive_variables()
    def decide(
        self, boards: Mapping[int, tuple[Mapping[str, Any], Tricks, int]]
    ) -> dict[int, dict[str, Any] | None]:
        """What robots do at these places, thought about side by side."""
        if self.pool is None:
            self.pool = ProcessPoolExecutor(
                self.count, mp_context=get_context("spawn"), initializer=end_with_parent
            )
        pool = self.pool
        asked = {key: pool.submit(think, *each, self.strength) for key, each in boards.items()}
        until = time.monotonic() + self.strength.seconds * -(-len(asked) // self.count) + PATIENCE
        decided: dict[int, dict[str, Any] | None] = {}
        for key, future in asked.items():
            try:
                decided[key] = future.result(max(0.0, until - time.monotonic()))
            except (TimeoutError, BrokenProcessPool, RuntimeError, ValueError):
                board, tricks, seed = boards[key]
                decided[key] = choose(board, seed=seed, tricks=tricks)
                self.end()
        return decided

    def end(self) -> None:
        """End these processes, also in the middle of a thought."""
        pool, self.pool = self.pool, None
        if pool is None:
            return
        for process in list((pool._processes or {}).values()):
            process.kill()
        pool.shutdown(wait=True, cancel_futures=True)
