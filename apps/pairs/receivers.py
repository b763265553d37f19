from typing import Any

from django.dispatch import receiver

from apps.boards.tasks import start_soon
from apps.pairs import tasks
from apps.pairs.selectors import oversight
from apps.pairs.selectors.tables import rounds_of, stands_still
from apps.results.models import Result
from apps.results.signals import correction_asked, field_compared, result_corrected
from apps.tables.models import Table
from apps.tables.signals import absence_asked, board_finished, director_view_asked
from apps.users.models import User


@receiver(field_compared)
def rank_soon(field_id: int, **_: Any) -> None:
    start_soon(tasks.rank_field, field_id)


@receiver(result_corrected)
def tell_soon(change_id: int, **_: Any) -> None:
    start_soon(tasks.tell_of_correction, change_id)


@receiver(correction_asked)
def refuse_players(result: Result, user: User, **_: Any) -> None:
    oversight.refuse_players(result.field_board.field_id, user)


@receiver(board_finished)
def take_soon(purpose: str, subject: str, **_: Any) -> None:
    for round_id in rounds_of(purpose, subject):
        start_soon(tasks.take_results, round_id)


@receiver(director_view_asked)
def refuse_who_plays(table: Table, user: User, **_: Any) -> None:
    oversight.refuse_director(table, user)


@receiver(absence_asked)
def excuse_while_suspended(table: Table, **_: Any) -> bool:
    return stands_still(table)
