"""Results scored again, database to database: ours against SQL's `UPDATE … FROM` a window query, one row a result.

`python -m tests.benchmarks.rescore [--short]` starts servers of its own unless `DATABASE_URL` and `REDIS_URL` name
some, and works in a throw-away database. The last line is JSON; the exit status says whether every goal was met.
"""

import json
import os
import sys
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from statistics import median
from typing import Any

import numpy as np

GOAL_RATIO = 2.5

Figure = dict[str, Any]


def figures(*, short: bool = False) -> list[Figure]:
    """The figures, in a database that is there and migrated."""
    rounds = 1 if short else 3
    return [
        _season(200 if short else 1000, 500, rounds),
        _whole_event(rounds),
        _one_board(10_000, rounds),
    ]


def _season(boards: int, tables: int, rounds: int) -> Figure:
    """Goal A6: a season of half a million results."""
    from bridge.comparison import Method

    field = _fill(boards, tables, Method.MP)
    _peer_table(field)
    ours, peer = [], []
    for _ in range(rounds):
        _stale(field)
        ours.append(_seconds(lambda: _compare(field)))
        peer.append(_seconds(_peer))
    _agree(field)
    seconds, against = median(ours), median(peer)
    return {
        "name": f"re-score {boards * tables:,} results, database to database",
        "seconds": round(seconds, 3),
        "peer": "SQL UPDATE … FROM window query",
        "peer_seconds": round(against, 3),
        "ratio": round(median(b / a for a, b in zip(ours, peer, strict=True)), 2),
        "goal": f">= {GOAL_RATIO}x, <= 3 s",
        "met": against / seconds >= GOAL_RATIO and seconds <= 3,
    }


def _whole_event(rounds: int) -> Figure:
    """An event of 2,000 pairs and 72 boards, compared and ranked after a ruling."""
    from apps.pairs.models import Event
    from apps.pairs.services.ranking import rescore_event
    from bridge.comparison import Method

    event = Event.objects.create(title="Large", field_id=_fill(72, 1000, Method.BUTLER))
    seconds = median(_seconds(lambda: rescore_event(event_id=event.pk)) for _ in range(rounds))
    return _alone("compare and rank an event of 2,000 pairs and 72 boards", seconds, 1.0)


def _one_board(tables: int, rounds: int) -> Figure:
    from bridge.comparison import Method

    field = _fill(1, tables, Method.BUTLER)
    times = []
    for _ in range(max(rounds, 3)):
        _stale(field)
        times.append(_seconds(lambda: _compare(field)))
    return _alone(f"re-score one board of {tables:,} results", median(times), 0.1)


def _alone(name: str, seconds: float, most: float) -> Figure:
    return {"name": name, "seconds": round(seconds, 3), "goal": f"<= {most} s", "met": seconds <= most}


def _fill(boards: int, tables: int, method: str) -> int:
    """A field in which each of `tables` pairs North–South plays all boards; rows go in by COPY."""
    from django.db import connection

    from apps.boards.services import BoardFacts, create_board_set
    from apps.results.models import FieldBoard
    from apps.results.services import ContestantFacts, add_boards, add_contestants, create_field
    from bridge.comparison import Method, Rules

    field = create_field(rules=Rules(Method(method)))
    board_set = create_board_set(name="bench", boards=[BoardFacts(number) for number in range(1, boards + 1)])
    field_boards = [board.pk for board in add_boards(field=field, board_set=board_set).values()]
    pairs = list(
        add_contestants(
            field=field, contestants=[ContestantFacts(str(n), []) for n in range(2 * tables)]
        ).values()
    )
    draw = np.random.Generator(np.random.PCG64(3))
    usual = np.array(
        [-800, -500, -200, -100, -50, 50, 100, 110, 140, 170, 200, 400, 420, 450, 480, 620, 650, 980, 1430]
    )
    scores = usual[np.clip(draw.integers(0, 19, (boards, 1)) + draw.integers(-4, 5, (boards, tables)), 0, 18)]
    with connection.cursor() as cursor:
        copy = """COPY results_result (field_board_id, ns_id, ew_id, kind, source, strain, doubling, declarer, lead,
                  "table", ns_score, recorded_at) FROM STDIN"""
        with cursor.copy(copy) as rows:
            for field_board, line in zip(field_boards, scores.tolist(), strict=True):
                for table, score in enumerate(line):
                    rows.write_row(
                        (field_board, pairs[table].pk, pairs[tables + table].pk, "played", "entered", "", 0, "", "", "",
                         score, "2026-11-30T00:00:00Z")
                    )  # fmt: skip
        cursor.execute("ANALYZE results_result")
    FieldBoard.objects.filter(field=field).update(results_version=1)
    return field.pk


def _stale(field: int) -> None:
    from django.db.models import F

    from apps.results.models import FieldBoard

    FieldBoard.objects.filter(field_id=field).update(results_version=F("results_version") + 1)


def _compare(field: int) -> None:
    from apps.results.services import compare_field

    compare_field(field_id=field)


def _peer_table(field: int) -> None:
    """The same results, one row each with its points in it: the form that most programs use."""
    _sql("DROP TABLE IF EXISTS peer_result")
    _sql(
        f"""CREATE TABLE peer_result AS SELECT result.id, field_board_id AS board, ns_score AS score, 0 AS ns_points
            FROM results_result result JOIN results_fieldboard board ON board.id = field_board_id
            WHERE board.field_id = {field}"""
    )
    _sql("ALTER TABLE peer_result ADD PRIMARY KEY (id)")
    _sql("CREATE INDEX ON peer_result (board)")
    _sql("ANALYZE peer_result")


def _peer() -> None:
    _sql(
        """UPDATE peer_result SET ns_points = scored.points FROM (
             SELECT id, 2 * (rank() OVER (PARTITION BY board ORDER BY score) - 1)
                        + count(*) OVER (PARTITION BY board, score) - 1 AS points FROM peer_result) AS scored
           WHERE scored.id = peer_result.id"""
    )


def _agree(field: int) -> None:
    """Both wrote the same matchpoints."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT count(*), count(*) FILTER (WHERE points.ns = peer.ns_points * comparison.denominator)
               FROM results_comparison comparison JOIN results_fieldboard board ON board.id = field_board_id
               CROSS JOIN unnest(comparison.results, comparison.ns_points) AS points(result, ns)
               JOIN peer_result peer ON peer.id = points.result WHERE board.field_id = %s""",
            [field],
        )
        rows, same = cursor.fetchone()
    if rows != same or not rows:
        raise SystemExit(f"{rows - same} of {rows} matchpoints differ from the peer's")


def _sql(statement: str) -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(statement)


def _seconds(work: Callable[[], object]) -> float:
    start = time.perf_counter()
    work()
    return time.perf_counter() - start


@contextmanager
def database() -> Iterator[None]:
    """Servers, unless they are named, and an empty migrated database, dropped in the end."""
    from devstack import pytest_plugin

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        pytest_plugin._start()
    try:
        import django
        from django.db import connection

        django.setup()
        usual = connection.settings_dict["NAME"]
        connection.creation.create_test_db(verbosity=0, autoclobber=True, serialize=False)
        try:
            yield
        finally:
            connection.creation.destroy_test_db(usual, verbosity=0)
    finally:
        pytest_plugin.pytest_unconfigure()


def main() -> int:
    with database():
        found = figures(short="--short" in sys.argv[1:])
    for figure in found:
        print(" ".join(f"{key}={value}" for key, value in figure.items()))
    print(json.dumps(found, ensure_ascii=False))
    return 0 if all(figure["met"] for figure in found) else 1


if __name__ == "__main__":
    sys.exit(main())
