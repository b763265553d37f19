"""What about a result makes one ask whether it was written down right: a question, never a refusal.

A declarer entered for the wrong side, or a score on the wrong board, gives a possible result that nobody notices. Three
signs show most of them.
"""

from collections.abc import Sequence
from enum import Enum

from bridge.cards import Card, Deal
from bridge.contracts import Contract, Strain
from bridge.errors import Sentence
from bridge.seats import Seat, Side

FEWEST_OTHERS = 3
FAR = 1000
FAR_IF_TURNED = 500
MOST_TRICKS = 18  # that both sides take in one suit, each as declarer, where nobody doubts it
MOST_TRICKS_IN_NOTRUMP = 20


class Doubt(Enum):
    """A question about a result; its `message` is for whoever can answer it."""

    LEAD_NOT_IN_LEADERS_HAND = Sentence("The card led was not in the hand at declarer's left.")
    SCORE_FAR_FROM_FIELD = Sentence("The score is far from every other score on the board.")
    PLAYED_BY_THE_OTHER_SIDE = Sentence(
        "At other tables the other side played in this strain, with many tricks too."
    )

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
    odd_one_out: bool = False,
) -> tuple[Doubt, ...]:
    """What is doubtful about one result.

    - The lead: it is not held by the player at declarer's left, so somebody else declared, or another board was
      played. Asked only where declarer and lead are known, and the leader's hand or the hand that holds the card.
    - The score: at least three other results are known, and it differs from each of them by more than 1000 points; or
      by more than 500, and with its sign turned it lies among them, so that it was entered for the wrong side.
    - The declarer: it is one of the `odd_ones_out`.

    Args:
        contract: What was played; None when passed out or not known.
        lead: The opening lead.
        deal: The cards of the board.
        ns_score: The score of this result, from North–South's side.
        field_scores: The other scores on the board, from the same side.
        odd_one_out: Whether it is one of the `odd_ones_out` of the board.
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
    if odd_one_out:
        found.append(Doubt.PLAYED_BY_THE_OTHER_SIDE)
    return tuple(found)


def odd_ones_out(plays: Sequence[tuple[Contract | None, int | None]]) -> list[bool]:
    """Which results of a board may have the wrong side as declarer: one answer for each contract and its tricks.

    Two results contradict each other when they are in the same strain, one declared by North–South and one by East–West,
    and the tricks of both declarers are more than 18 together, or more than 20 in notrump. Those of the side that
    declared this strain more often are believed; where neither did, all of them are in doubt.
    """
    tricks: dict[tuple[Strain, Side], list[int]] = {}
    keys = [
        (contract.strain, contract.declarer.side)
        if contract and contract.declarer is not None and taken is not None
        else None
        for contract, taken in plays
    ]
    for key, (_, taken) in zip(keys, plays, strict=True):
        if key and taken is not None:
            tricks.setdefault(key, []).append(taken)
    doubtful = {}
    for (strain, side), own in tricks.items():
        other = tricks.get((strain, side.opponents), [])
        most = MOST_TRICKS_IN_NOTRUMP if strain is Strain.NOTRUMP else MOST_TRICKS
        if len(own) <= len(other):
            doubtful[strain, side] = most - max(other)
    return [
        key in doubtful and taken is not None and taken > doubtful[key]
        for key, (_, taken) in zip(keys, plays, strict=True)
    ]


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
