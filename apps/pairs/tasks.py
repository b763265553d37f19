from celery import shared_task

from apps.clock.workers import for_each
from apps.pairs import selectors
from apps.pairs.selectors.tables import answered_events, rounds_to_take
from apps.pairs.services import corrections, ranking, rounds, tables


@shared_task
def rank_field(field_id: int) -> None:
    """Rank the event of this field, when it has one and nobody has ranked it since: the bell does it itself."""
    for event_id in selectors.unranked_events(field_id):
        ranking.rank_event(event_id=event_id)


@shared_task
def tell_of_correction(change_id: int) -> None:
    corrections.tell_of_correction(change_id=change_id)


@shared_task
def take_results(round_id: int) -> None:
    tables.take_results(round_id=round_id)


@shared_task
def sweep() -> None:
    """Take what was finished at tables, rank events whose boards were compared since, tell of untold corrections.

    And end what waits for an answer that was given.
    """
    for_each(rounds_to_take(), take_results)
    for_each(selectors.unranked_events(), lambda event_id: ranking.rank_event(event_id=event_id))
    for_each(selectors.untold_corrections(), tell_of_correction)
    for_each(answered_events(), lambda event_id: rounds.stop_waiting(event_id=event_id, answered=True))
