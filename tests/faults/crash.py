"""A process killed before each statement it makes: a fresh one must bring the database to the same end.

    report = crash_everywhere(run=tick, check=broken_invariants)
    assert not report.broken

The database as it stands is the beginning of every run. `run` is called in a child process that counts statements and
kills itself (SIGKILL) before the one whose turn it is, before a COMMIT, or when the COMMIT has been sent and not
answered. Then another child calls `run` (or `again`) to its end, and what is in the tables is compared, without times
and without the rows' own ids, with what a run without a crash leaves. With `atomic=False` the same is done
without transactions: the control that shows that the comparison sees what goes wrong.
"""

import json
import os
import signal
import time
import traceback
import warnings
from collections.abc import Callable, Collection, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, NoReturn

from django.apps import apps
from django.db import connection, connections, models, transaction
from django.db.models import QuerySet

from apps.clock.models import ClockOffset
from apps.clock.services.planning import under_way
from apps.clock.time import move, now
from tests.faults.snapshot import snapshot

NAME = "killed on purpose"  # what the children call themselves to the database
Run = Callable[[], object]


@dataclass(frozen=True)
class Report:
    """How many points there were, and what was wrong after which of them; `inside` counts those within a transition."""

    points: int
    broken: list[str]
    inside: int
    broken_inside: int
    seconds: float

    def __str__(self) -> str:
        return (
            f"{self.points} kill points, {len(self.broken)} broken; {self.inside} of them inside a transition,"
            f" {self.broken_inside} broken; {self.seconds:.1f} s"
        )


def crash_everywhere(
    *,
    run: Run,
    again: Run | None = None,
    check: Callable[[], Sequence[object]] = tuple,
    tables: Collection[type[models.Model]] = (),
    leave_out: Collection[str] = (),
    atomic: bool = True,
    every: int = 1,
) -> Report:
    """Crash at every point, or at every second, third, … one.

    Args:
        run: What is done: it commits its own transactions and ends when nothing is left to do.
        again: What a fresh process does after the crash; the same if not given.
        check: Broken invariants, asked in the end; the database must have none.
        tables: What is compared; all tables of ours if not given.
        leave_out: Fields that may differ, as `Model.field`.
        atomic: False for the control.
        every: The distance of the points.
    """
    began = time.monotonic()
    broken: dict[int, str] = {}
    with snapshot() as (restore, rewind):
        moment, beginning = now(), digest(tables, leave_out)
        rewind()
        whole = _in_a_child(run, atomic=atomic)
        assert whole.steps, "the run fails without a crash"
        assert not check(), "the run breaks an invariant without a crash"
        right = digest(tables, leave_out)
        assert right != beginning, "the run changes nothing"
        points = range(0, len(whole.steps), every)
        for point in points:
            restore()
            move(moment - now(), outage=True)  # the clock is put back as well
            killed = _in_a_child(run, die_at=point, atomic=atomic)
            assert killed.status == -signal.SIGKILL, f"no crash at {whole.steps[point]}"
            rewind()
            fresh = _in_a_child(again or run, atomic=atomic)
            wrong = [f"fails afterwards: {fresh.error}"] if fresh.error else []
            wrong += map(str, check())
            wrong += _differences(right, digest(tables, leave_out))
            if wrong:
                broken[point] = f"{point}, {whole.steps[point]}: {'; '.join(wrong)}"
    inside = {point for point in points if whole.inside[point]}
    return Report(
        len(points), list(broken.values()), len(inside), len(inside & broken.keys()), time.monotonic() - began
    )


@dataclass(frozen=True)
class _Ended:
    status: int
    steps: list[str]
    inside: list[bool]
    error: str


def _in_a_child(run: Run, *, die_at: int | None = None, atomic: bool) -> _Ended:
    """Do it in a fresh process, a fork of this one, and wait until the database has noticed its end."""
    connections.close_all()  # a connection is not for two
    reader, writer = os.pipe()
    with warnings.catch_warnings():
        warnings.simplefilter(
            "ignore", DeprecationWarning
        )  # libraries may have threads; the child uses none of theirs
        pid = os.fork()
    if not pid:
        os.close(reader)
        _live(run, writer, die_at, atomic=atomic)
    os.close(writer)
    with os.fdopen(reader, "rb") as pipe:
        told = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    _wait_for_the_database()
    steps, inside, error = json.loads(told) if told else ([], [], "")
    return _Ended(status, steps, inside, error)


def _live(run: Run, writer: int, die_at: int | None, *, atomic: bool) -> NoReturn:
    steps, error = _Steps(die_at), ""
    try:
        connection.settings_dict["OPTIONS"]["application_name"] = NAME
        connection._commit = steps.commit  # type: ignore[attr-defined]
        with connection.execute_wrapper(steps.before_statement):
            if not atomic:
                _without_transactions()
            run()
    except Exception as exception:
        error = repr(exception)
        traceback.print_exc()
    finally:
        os.write(writer, json.dumps([steps.taken, steps.inside, error]).encode())
        os._exit(0)


class _Steps:
    """The points at which a process can die, in the order in which it comes to them."""

    def __init__(self, die_at: int | None) -> None:
        self.taken: list[str] = []
        self.inside: list[bool] = []  # whether the clock has a transition in hand
        self.die_at = die_at

    def before_statement(self, execute: Callable[..., Any], sql: Any, *rest: Any) -> Any:
        self._step(f"before {' '.join(str(sql).split())[:60]}")
        return execute(sql, *rest)

    def commit(self) -> None:
        self._step("before COMMIT")
        raw = connection.connection
        self._step("after COMMIT was sent", lambda: (raw.pgconn.send_query(b"COMMIT"), raw.pgconn.flush()))
        raw.commit()

    def _step(self, what: str, last_words: Run = lambda: None) -> None:
        if len(self.taken) == self.die_at:
            last_words()
            os.kill(os.getpid(), signal.SIGKILL)
        self.taken.append(what)
        self.inside.append(bool(under_way.get()))


def _without_transactions() -> None:
    """Every statement stands alone; only for a process that ends soon."""
    transaction.Atomic.__enter__ = lambda self: None  # type: ignore[method-assign]
    transaction.Atomic.__exit__ = lambda self, *_: None  # type: ignore[method-assign]
    QuerySet.select_for_update = lambda self, *_, **__: self  # type: ignore[method-assign]


def _wait_for_the_database() -> None:
    """A session learns of its client's death when it next listens; until then it may still commit."""
    with connection.cursor() as cursor:
        while True:
            cursor.execute("SELECT 1 FROM pg_stat_activity WHERE application_name = %s", [NAME])
            if not cursor.fetchone():
                return
            time.sleep(0.001)


def digest(
    tables: Collection[type[models.Model]] = (), leave_out: Collection[str] = ()
) -> dict[str, list[str]]:
    """What the tables say: every row in words, with the rows it refers to in place of their ids, and without times."""
    ours = (model for model in apps.get_models() if model.__module__.startswith("apps."))
    chosen = [model for model in tables or ours if model is not ClockOffset]
    rows = {model: {row.pk: row for row in model._default_manager.all()} for model in chosen}
    words: dict[tuple[type[models.Model], Any], str] = {}

    def say(model: type[models.Model], pk: Any) -> str:
        if pk is None or pk not in rows.get(model, ()):
            return repr(pk)
        if (model, pk) not in words:
            words[model, pk] = "…"  # a row that refers to itself
            words[model, pk] = ", ".join(_words(rows[model][pk], say, leave_out))
        return words[model, pk]

    return {model.__name__: sorted(say(model, pk) for pk in found) for model, found in rows.items()}


def _words(row: models.Model, say: Callable[..., str], leave_out: Collection[str]) -> Iterator[str]:
    for field in row._meta.concrete_fields:
        value = getattr(row, field.attname)
        if isinstance(field, models.AutoField) or f"{type(row).__name__}.{field.name}" in leave_out:
            continue
        if isinstance(field, models.ForeignKey):
            yield f"{field.name}=({say(field.related_model, value)})"
        elif isinstance(field, models.DateTimeField):
            yield f"{field.name}={'never' if value is None else 'once'}"
        else:
            yield f"{field.name}={value!r}"


def _differences(right: dict[str, list[str]], found: dict[str, list[str]]) -> list[str]:
    return [
        f"{name} differs ({len(rows)} rows, {len(found[name])} found)"
        for name, rows in right.items()
        if rows != found[name]
    ]
