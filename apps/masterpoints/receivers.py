from typing import Any

from django.dispatch import receiver

from apps.boards.tasks import start_soon
from apps.masterpoints import tasks
from apps.pairs.signals import event_ranked


@receiver(event_ranked)
def award_soon(event_id: int, **_: Any) -> None:
    start_soon(tasks.award_event, event_id)
