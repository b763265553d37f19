"""Results taken into the database, with every index and constraint of the real table: ours beside the textbook way.

`deploy/bench ingest [--short]`, or `python -m tests.benchmarks.ingest`. The peer makes a model of every result and
calls Django's `bulk_create`. A bare COPY of ready bytes into the same table shows what PostgreSQL alone needs.
"""

import sys
from collections.abc import Sequence
from functools import partial
from statistics import median
from typing import TYPE_CHECKING, Any

from bridge.contracts import Contract, Doubling, Strain
from bridge.scoring import ns_score
from bridge.seats import Seat, Vulnerability
from tests.benchmarks.harness import EASY, Figure, figure, noise, report, take_turns, timed
from tests.benchmarks.rescore import database, within
from tests.benchmarks.workloads import results

if TYPE_CHECKING:  # models need a database that is set up
    from apps.results.models import Field
    from apps.results.services import Play

BOARDS = 72
RATE = 300_000
"""Results a second to be reached."""


def figures(*, short: bool = False) -> list[Figure]:
    """The figures, in a database that is there and migrated."""
    ease, rounds, tables = (EASY, 3, 200) if short else (1.0, 5, 1000)
    field, plays = _event(tables)
    number = len(plays)

    def ours() -> float:
        _empty()
        return timed(partial(_record, field, plays))

    def peer() -> float:
        _empty()
        return timed(partial(_textbook, field, plays))

    ours()
    recorded, ready = _rows(), _bytes()
    peer()
    if _rows() != recorded or len(recorded) != number:
        raise SystemExit("The results differ from the peer's.")

    def bare() -> float:
        _empty()
        return timed(partial(_copy, ready))

    times = take_turns({"ours": ours, "peer": peer, "bare": bare}, rounds)
    names = {"ours": "ours", "peer": "bulk_create", "bare": "a bare COPY"}
    for contender, name in names.items():
        print(f"{name:12}{number / median(times[contender]):12,.0f} results a second")
    return [
        figure(f"{number:,} results, bulk_create", times["ours"], times["peer"], 3 * ease),
        figure(f"{number:,} results, bare COPY", times["ours"], times["bare"], 0.5 * ease),
        within(f"{number:,} results ({RATE:,} a second)", times["ours"], number / RATE / ease),
    ]


def _event(tables: int) -> tuple["Field", list["Play"]]:
    """A field, and what happens when at every table another two pairs play all its boards."""
    from apps.boards.services import BoardFacts, create_board_set
    from apps.results.services import ContestantFacts, Play, add_boards, add_contestants, create_field
    from bridge.comparison import Method, Rules

    field = create_field(rules=Rules(Method.MP))
    board_set = create_board_set(name="bench", boards=[BoardFacts(number) for number in range(1, BOARDS + 1)])
    field_boards = list(add_boards(field=field, board_set=board_set).values())
    facts = [ContestantFacts(str(number), []) for number in range(2 * tables)]
    pairs = list(add_contestants(field=field, contestants=facts).values())
    work = results(4, BOARDS, tables)
    columns = (work.level, work.strain, work.doubling, work.declarer, work.tricks)
    plays = []
    for row, (level, *others, tricks) in enumerate(zip(*(each.tolist() for each in columns), strict=True)):
        board, table = divmod(row, tables)
        where = field_boards[board], pairs[table], pairs[tables + table]
        if level:
            strain, doubling, declarer = others
            contract = Contract(level, Strain(strain), Doubling(doubling), Seat(declarer))
            plays.append(Play(*where, contract=contract, tricks=tricks))
        else:
            plays.append(Play(*where, passed_out=True))
    return field, plays


def _record(field: "Field", plays: Sequence["Play"]) -> None:
    from apps.results.services import record_results

    record_results(field=field, plays=plays, source="entered")


def _textbook(field: "Field", plays: Sequence["Play"]) -> None:
    """A model for each result, all of them to `bulk_create`, and the boards marked as changed."""
    from django.db import transaction
    from django.db.models import F

    from apps.results.models import FieldBoard, Result

    def model(play: "Play") -> Result:
        result = Result(field_board=play.field_board, ns=play.ns, ew=play.ew, kind="played", source="entered")
        contract = play.contract
        result.level, result.ns_score = 0, 0
        if contract and contract.declarer is not None:
            result.level, result.strain, result.doubling = (
                contract.level,
                contract.strain.text,
                contract.doubling,
            )
            result.declarer, result.tricks = contract.declarer.letter, play.tricks
            vulnerability = Vulnerability(play.field_board.board.vulnerable)
            result.ns_score = ns_score(contract, play.tricks, vulnerability)
        return result

    with transaction.atomic():
        Result.objects.bulk_create(map(model, plays))
        FieldBoard.objects.filter(field=field).update(results_version=F("results_version") + 1)


def _empty() -> None:
    """Take all results out, so that every contender begins with the same table."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("TRUNCATE results_result CASCADE")


def _rows() -> list[tuple[Any, ...]]:
    """All results, without their ids and times."""
    from apps.results.models import Result

    columns = [each.name for each in Result._meta.concrete_fields if each.name not in ("id", "recorded_at")]
    return list(Result.objects.order_by("field_board", "ns").values_list(*columns))


def _bytes() -> bytes:
    """All results as COPY gives them."""
    from django.db import connection

    with (
        connection.cursor() as cursor,
        cursor.copy("COPY results_result TO STDOUT (FORMAT BINARY)") as copy,
    ):
        return b"".join(copy)


def _copy(ready: bytes) -> None:
    """The bytes back into the table; its foreign keys are checked when the transaction ends."""
    from django.db import connection, transaction

    with (
        transaction.atomic(),
        connection.cursor() as cursor,
        cursor.copy("COPY results_result FROM STDIN (FORMAT BINARY)") as copy,
    ):
        copy.write(ready)


def main(arguments: list[str]) -> int:
    before = noise()
    with database():
        made = figures(short="--short" in arguments)
    return report("ingest", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
