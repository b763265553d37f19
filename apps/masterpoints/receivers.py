from collections.abc import Collection
from typing import Any

from django.dispatch import receiver

from apps.clock.services import schedule
from apps.clock.time import now
from apps.clock.workers import start_soon
from apps.masterpoints import selectors, tasks
from apps.masterpoints.transitions import AWARD
from apps.pairs.signals import event_finished, event_ranked
from apps.tables.signals import titles_asked


@receiver(event_ranked)
def award_soon(event_id: int, **_: Any) -> None:
    start_soon(tasks.award_event, event_id)


@receiver(event_finished)
def award_at_once(event_id: int, **_: Any) -> None:
    schedule(kind=AWARD, subject=event_id, due_at=now())


@receiver(titles_asked)
def say_titles(players: Collection[int], **_: Any) -> dict[int, str]:
    return selectors.titles_of(players)
