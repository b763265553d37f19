from typing import Any

from django.dispatch import receiver

from apps.clock.workers import start_soon
from apps.results import tasks
from apps.results.signals import results_changed


@receiver(results_changed)
def compare_soon(field_id: int, **_: Any) -> None:
    start_soon(tasks.compare_field, field_id)
