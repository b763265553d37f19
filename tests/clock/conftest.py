"""Transitions and deliveries that only a test knows."""

from collections.abc import Callable

import pytest

from apps.clock import transitions
from apps.clock.transitions import Delivery, Transition

Register = Callable[..., None]


@pytest.fixture
def register(monkeypatch: pytest.MonkeyPatch) -> Register:
    """`register("kind", run, on_stuck)` until the test ends."""

    def register(kind: str, run: transitions.Run, on_stuck: transitions.OnStuck | None = None) -> None:
        monkeypatch.setitem(transitions.transitions, kind, Transition(run, on_stuck))

    return register


@pytest.fixture
def deliver(monkeypatch: pytest.MonkeyPatch) -> Register:
    """`deliver("kind", send, at_most_once=True)` until the test ends."""

    def deliver(
        kind: str, send: Callable[[dict[str, object]], object], *, at_most_once: bool = False
    ) -> None:
        monkeypatch.setitem(transitions.deliveries, kind, Delivery(send, at_most_once))

    return deliver
