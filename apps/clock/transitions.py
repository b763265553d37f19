"""What the clock can do: transitions by kind, and ways to deliver by kind. Apps register theirs when they are ready."""

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar


class Run(Protocol):
    """Makes the transition inside one transaction; does nothing when it was made before."""

    def __call__(self, *, subject: int, number: int) -> None: ...


class OnStuck(Protocol):
    """Takes the subject out of service, in the transaction that marks the work as stuck."""

    def __call__(self, *, subject: int, number: int, error: str) -> None: ...


@dataclass(frozen=True, slots=True)
class Transition:
    run: Run
    on_stuck: OnStuck | None


@dataclass(frozen=True, slots=True)
class Delivery:
    """A way to deliver; `at_most_once` for what nobody wants twice, a mail for instance."""

    send: Callable[[dict[str, Any]], object]
    at_most_once: bool


class NotSent(Exception):
    """Raised by a delivery that knows that nothing left the house: it is tried again, even if at most once."""


transitions: dict[str, Transition] = {}
deliveries: dict[str, Delivery] = {}

RunT = TypeVar("RunT", bound=Run)
SendT = TypeVar("SendT", bound=Callable[[dict[str, Any]], object])


def transition(kind: str, *, on_stuck: OnStuck | None = None) -> Callable[[RunT], RunT]:
    """Register a function as the transition of this kind."""

    def register(run: RunT) -> RunT:
        _add(transitions, kind, Transition(run, on_stuck))
        return run

    return register


def delivery(kind: str, *, at_most_once: bool = False) -> Callable[[SendT], SendT]:
    """Register a function that delivers the body of an outgoing message of this kind."""

    def register(send: SendT) -> SendT:
        _add(deliveries, kind, Delivery(send, at_most_once))
        return send

    return register


Registered = TypeVar("Registered")


def _add(registry: dict[str, Registered], kind: str, entry: Registered) -> None:
    if kind in registry:
        raise ValueError(f"{kind} is registered twice")
    registry[kind] = entry
