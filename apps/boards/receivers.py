from typing import Any

from django.dispatch import receiver

from apps.boards import tasks
from apps.boards.signals import solving_asked
from apps.clock.workers import start_soon


@receiver(solving_asked)
def solve_soon(board_id: int, play_id: int, **_: Any) -> None:
    start_soon(tasks.solve_asked, board_id, play_id)
