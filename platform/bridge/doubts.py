"""What about a result makes one ask whether it was written down right: a question, never a refusal.

A declarer entered for the wrong side, or a score on the wrong board, gives a possible result that nobody notices. Two
signs show most of them.
"""

from collections.abc import Sequence
from enum import Enum

from bridge.cards import Card, Deal
from bridge.contracts import Contract
from bridge.errors import Sentence
from bridge.seats import Seat

FEWEST_OTHERS = 3
FAR = 1000
FAR_IF_TURNED = 500


class Doubt(Enum):
    """A question about a result; its `message` is for whoever can answer it."""

    LEAD_NOT_IN_LEADERS_HAND = Sentence("The card led was not in the hand at declarer's left.")
    SCORE_FAR_FROM_FIELD = Sentence("The score is far from every other score on the board.")

    @property
    def message(self) -> str:
        return self.value.message


def doubts(
    *,
    contract: Contract | None,
    lead: Card | None,
    deal: Deal | None,
    ns_score: int | None,
    field_scores: Sequence[int],
) -> tuple[Doubt, ...]:
    """What is doubtful about one result.

    - The lead: it is not held by the player at declarer's left, so somebody else declared, or another board was
      played. Asked only where declarer and lead are known, and the leader's hand or the hand that holds the card.
    - The score: at least three other results are known, and it differs from each of them by more than 1000 points; or
      by more than 500, and with its sign turned it lies among them, so that it was entered for the wrong side.

    Args:
        contract: What was played; None when passed out or not known.
        lead: The opening lead.
        deal: The cards of the board.
        ns_score: The score of this result, from North–South's side.
        field_scores: The other scores on the board, from the same side.
    """
    found = []
    if (
        contract
        and contract.declarer is not None
        and lead
        and deal
        and not _led(contract.declarer, lead, deal)
    ):
        found.append(Doubt.LEAD_NOT_IN_LEADERS_HAND)
    if ns_score is not None and len(field_scores) >= FEWEST_OTHERS and _is_far(ns_score, field_scores):
        found.append(Doubt.SCORE_FAR_FROM_FIELD)
    return tuple(found)


def _led(declarer: Seat, lead: Card, deal: Deal) -> bool:
    """Whether the leader can have held the card."""
    hand = deal[declarer.left]
    if hand is not None:
        return lead in hand.cards
    return not any(lead in other.cards for other in deal.hands if other is not None)


def _is_far(score: int, others: Sequence[int]) -> bool:
    nearest = min(abs(score - other) for other in others)
    turned = min(others) <= -score <= max(others)
    return nearest > (FAR_IF_TURNED if turned else FAR)
