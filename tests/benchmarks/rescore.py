"""Results scored again, database to database: ours against SQL's `UPDATE … FROM` a window query, one row a result.

`deploy/bench rescore [--short]`, or `python -m tests.benchmarks.rescore`, which starts servers of its own unless
`DATABASE_URL` and `REDIS_URL` name some. It works in a database that is made for it and dropped in the end.
"""

import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import partial

import numpy as np

from tests.benchmarks.harness import EASY, Figure, figure, noise, report, take_turns, timed


def figures(*, short: bool = False) -> list[Figure]:
    """The figures, in a database that is there and migrated. A limit stands as a peer that takes just so long."""
    ease, rounds = (EASY, 3) if short else (1.0, 5)
    season, whole, board = (
        _season(200 if short else 1000, 2.5 * ease, rounds),
        _whole_event(rounds),
        _one_board(rounds),
    )
    return [*season, within("event of 2,000 pairs, 72 boards (limit 1 s)", whole, 1.0), board]


def within(name: str, seconds: list[float], limit: float) -> Figure:
    return figure(name, seconds, [limit] * len(seconds), 1.0)


def _season(boards: int, goal: float, rounds: int) -> list[Figure]:
    """Goal A6: a season of half a million results. Both write the same matchpoints."""
    from bridge.comparison import Method

    field = _fill(boards, 500, Method.MP)
    _peer_table(field)

    def ours() -> float:
        _stale(field)
        return timed(partial(_compare, field))

    times = take_turns({"ours": ours, "peer": partial(timed, _peer)}, rounds)
    _agree(field)
    size = f"{boards * 500:,} results"
    return [
        figure(f"A6 {size}", times["ours"], times["peer"], goal),
        within(f"{size} (limit 3 s)", times["ours"], 3.0),
    ]


def _whole_event(rounds: int) -> list[float]:
    """An event compared and ranked from scratch, as after a ruling."""
    from apps.pairs.models import Event
    from apps.pairs.services.ranking import rescore_event
    from bridge.comparison import Method

    event = Event.objects.create(title="Large", field_id=_fill(72, 1000, Method.BUTLER))
    return [timed(partial(rescore_event, event_id=event.pk)) for _ in range(rounds)]


def _one_board(rounds: int) -> Figure:
    from bridge.comparison import Method

    field = _fill(1, 10_000, Method.BUTLER)
    times = []
    for _ in range(rounds):
        _stale(field)
        times.append(timed(partial(_compare, field)))
    return within("one board of 10,000 (limit 0.1 s)", times, 0.1)


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


@contextmanager
def database() -> Iterator[None]:
    """Servers, unless they are named, and an empty migrated database, dropped in the end."""
    from devstack import pytest_plugin

    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    if not (os.environ.get("DATABASE_URL") and os.environ.get("REDIS_URL")):
        pytest_plugin.start_servers()
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


def main(arguments: list[str]) -> int:
    before = noise()
    with database():
        made = figures(short="--short" in arguments)
    return report("rescore", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
