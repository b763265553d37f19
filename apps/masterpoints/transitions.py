"""What the clock does to the ledger."""

from apps.clock.transitions import transition
from apps.masterpoints.services import award_event

AWARD = "masterpoints.award"


@transition(AWARD)
def award(*, subject: int, number: int) -> None:
    award_event(event_id=subject)
