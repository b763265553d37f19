from typing import Any

from django.dispatch import receiver

from apps.boards.tasks import start_soon
from apps.clock.services import schedule
from apps.clock.time import now
from apps.masterpoints import tasks
from apps.masterpoints.transitions import AWARD
from apps.pairs.signals import event_finished, event_ranked


@receiver(event_ranked)
def award_soon(event_id: int, **_: Any) -> None:
    start_soon(tasks.award_event, event_id)


@receiver(event_finished)
def award_at_once(event_id: int, **_: Any) -> None:
    schedule(kind=AWARD, subject=event_id, due_at=now())
