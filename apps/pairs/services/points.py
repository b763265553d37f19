"""The points that pairs won on boards, flat, as the comparisons hold them."""

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from django.db import connection
from numpy.typing import NDArray

from apps.results.models import Result

Ints = NDArray[np.int64]


@dataclass(frozen=True, slots=True)
class BoardPoints:
    """One row for each board and pair: whose, in which session, points over a denominator, the top, and completed."""

    session: Ints
    contestant: Ints
    points: Ints
    denominator: Ints
    top: Ints
    completed: NDArray[np.bool_]

    def of_session(self, number: int) -> "BoardPoints":
        mine = self.session == number
        return BoardPoints(
            self.session[mine],
            self.contestant[mine],
            self.points[mine],
            self.denominator[mine],
            self.top[mine],
            self.completed[mine],
        )


def points_of(field_id: int, sessions: Sequence[int] | None = None) -> BoardPoints:
    """All points of a field, or those of some sessions. One query."""
    chosen = None if sessions is None else list(sessions)
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT board.session, comparison.denominator, coalesce(comparison.top, 0), columns.*
               FROM results_fieldboard board
               JOIN results_comparison comparison ON comparison.field_board_id = board.id
               CROSS JOIN LATERAL (
                 SELECT array_agg(result.ns_id), array_agg(result.ew_id), array_agg(points.ns), array_agg(points.ew),
                        array_agg((result.kind <> %s)::int)
                 FROM unnest(comparison.results, comparison.ns_points, comparison.ew_points) AS points(result, ns, ew)
                 JOIN results_result result ON result.id = points.result AND result.field_board_id = board.id
                 HAVING count(*) > 0
               ) AS columns
               WHERE board.field_id = %s AND (%s::int[] IS NULL OR board.session = ANY(%s))""",
            [Result.Kind.CUT, field_id, chosen, chosen],
        )
        boards = cursor.fetchall()
    sizes = [len(board[3]) for board in boards]
    session, denominator, top = (
        np.repeat(np.array([board[column] for board in boards], np.int64), sizes) for column in range(3)
    )
    ns, ew, ns_points, ew_points, completed = (
        np.array([value for board in boards for value in board[column]], np.int64) for column in range(3, 8)
    )
    return BoardPoints(
        session=np.concatenate((session, session)),
        contestant=np.concatenate((ns, ew)),
        points=np.concatenate((ns_points, ew_points)),
        denominator=np.concatenate((denominator, denominator)),
        top=np.concatenate((top, top)),
        completed=np.concatenate((completed, completed)) != 0,
    )
