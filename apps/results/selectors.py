"""Questions about results."""

from dataclasses import dataclass

import numpy as np
from django.db import connection
from django.db.models import F
from numpy.typing import NDArray

from apps.results.models import FieldBoard, Result
from bridge.awards import Ruling


def stale_fields() -> list[int]:
    """Fields with a board whose results changed since it was compared."""
    stale = FieldBoard.objects.filter(compared_version__lt=F("results_version"))
    return list(stale.order_by("field_id").values_list("field_id", flat=True).distinct())


@dataclass(frozen=True, slots=True)
class BoardRows:
    """The results of some boards that count, flat: `board` is the place in `boards`, ascending."""

    boards: list[int]
    board: NDArray[np.int64]
    result: NDArray[np.int64]
    score: NDArray[np.int64]
    rulings: dict[int, Ruling]  # by row


def rows_to_compare(field_boards: list[int]) -> BoardRows:
    """The results of these boards that count, in the order of their ids. Two queries, however many there are."""
    counted = [Result.Kind.PLAYED, Result.Kind.RULED]
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT field_board_id, array_agg(id ORDER BY id), array_agg(coalesce(ns_score, 0) ORDER BY id)
               FROM results_result WHERE field_board_id = ANY(%s) AND kind = ANY(%s) GROUP BY field_board_id""",
            [field_boards, counted],
        )
        found = {board: (ids, scores) for board, ids, scores in cursor.fetchall()}
    ids = [np.array(found[board][0], np.int64) for board in field_boards if board in found]
    scores = [np.array(found[board][1], np.int64) for board in field_boards if board in found]
    sizes = [len(found[board][0]) if board in found else 0 for board in field_boards]
    result = np.concatenate(ids) if ids else np.zeros(0, np.int64)
    ruled = Result.objects.filter(field_board_id__in=field_boards, kind=Result.Kind.RULED).values_list(
        "pk", "ruling"
    )
    rulings = {pk: Ruling.from_json(ruling or {}) for pk, ruling in ruled}
    row_of = (
        {int(result[row]): int(row) for row in np.flatnonzero(np.isin(result, list(rulings)))}
        if rulings
        else {}
    )
    return BoardRows(
        boards=field_boards,
        board=np.repeat(np.arange(len(field_boards)), sizes),
        result=result,
        score=np.concatenate(scores) if scores else np.zeros(0, np.int64),
        rulings={row_of[pk]: ruling for pk, ruling in rulings.items()},
    )


def pairs_of(results: list[int]) -> dict[int, tuple[int, int]]:
    """Who sat North–South and who East–West, by result."""
    rows = Result.objects.filter(pk__in=results).values_list("pk", "ns_id", "ew_id")
    return {result: (ns, ew) for result, ns, ew in rows.iterator(chunk_size=10000)}
