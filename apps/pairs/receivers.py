from typing import Any

from django.dispatch import receiver

from apps.boards.tasks import start_soon
from apps.pairs import tasks
from apps.results.signals import field_compared, result_corrected


@receiver(field_compared)
def rank_soon(field_id: int, **_: Any) -> None:
    start_soon(tasks.rank_field, field_id)


@receiver(result_corrected)
def tell_soon(change_id: int, **_: Any) -> None:
    start_soon(tasks.tell_of_correction, change_id)
