"""What the clock does to tables, each with the service that does it."""

from datetime import datetime
from typing import Any

from django.dispatch import receiver

from apps.clock.signals import service_resumed
from apps.clock.transitions import transition
from apps.tables.services import boards, playing, presence


@transition(boards.NEXT)
def open_next(*, subject: int, number: int) -> None:
    boards.open_next(table_id=subject, position=number)


@transition(boards.TURN)
def watch_turn(*, subject: int, number: int) -> None:
    playing.watch_turn(table_id=subject, number=number)


@transition(boards.GONE)
def end_absence(*, subject: int, number: int) -> None:
    presence.end_absence(table_id=subject)


@transition(playing.SILENCE)
def end_silence(*, subject: int, number: int) -> None:
    playing.end_silence(table_id=subject, sequence=number)


@transition(playing.PROMPTED)
def end_prompt(*, subject: int, number: int) -> None:
    playing.end_prompt(table_id=subject)


@receiver(service_resumed)
def start_afresh(began_at: datetime, ended_at: datetime, **_: Any) -> None:
    presence.resume_all(began_at=began_at, ended_at=ended_at)
