"""Whoever opened the tables takes the results, each once."""

from collections.abc import Collection

from apps.clock.time import Moment
from apps.tables.models import TableBoard


def take_boards(*, boards: Collection[int]) -> int:
    """Note that the results of these boards were taken, in the caller's transaction; returns for how many that is new."""
    over = TableBoard.objects.filter(pk__in=boards, state=TableBoard.State.OVER, taken_at=None)
    return over.update(taken_at=Moment())
