"""Claims: when all the rest is certain, and whether somebody else's claim holds."""

from collections.abc import Iterator
from functools import cache
from random import Random

from bridge.cards import Card, Suit
from bridge.contracts import Strain
from bridge.play import legal_cards, winning_place
from bridge.robot.sight import Sight, by_suit
from bridge.robot.solving import Position, Solver
from bridge.seats import Seat

SEARCHED = 4
"""Cards in a hand up to which a claim is checked card by card."""

Suits = dict[Suit, list[Card]]


def can_claim(sight: Sight) -> bool:
    """Whether the hand on lead wins every trick, however the cards lie that it does not see."""
    return not sight.trick and _is_certain(sight.mine, sight.against, sight.trump)


def _is_certain(mine: Suits, against: Suits, trump: Suit | None) -> bool:
    """Whether a hand on lead wins all tricks: it draws the trumps that are out, and every suit runs."""
    if trump is not None and _high(mine[trump], against[trump]) < len(against[trump]):
        return False
    return all(_runs(cards, against[suit]) for suit, cards in mine.items())


def _runs(cards: list[Card], against: list[Card]) -> bool:
    """Whether every card of a suit wins when it is led: high ones, and those left when nobody else has any."""
    high = _high(cards, against)
    return high == len(cards) or high >= len(against)


def _high(cards: list[Card], against: list[Card]) -> int:
    """How many cards of a suit are above all that are against them."""
    return sum(not against or card > against[0] for card in cards)


LAYOUTS = 12
"""Ways in which the cards may lie that a claimer does not see, for which a claim is tried."""


def holds(sight: Sight, claimer: Seat, tricks: int, *, solver: Solver | None = None, seed: int = 0) -> bool:
    """Whether a claim is to be accepted: the tricks are the claimer's however the cards lie that the claimer does not see.

    The claimer's cards lie open; who sees three hands knows the fourth. With a solver the rest is played out for the cards
    as they lie and for other ways in which they may; each finesse loses in one of them. Without one, with few cards left the
    best defence is tried, and else a claim is refused unless every trick is certain.
    """
    others = by_suit(sight.unplayed - sight.held(claimer) - sight.held(claimer.partner))
    if not sight.trick and sight.hand.side is claimer.side and _is_certain(sight.mine, others, sight.trump):
        return True
    hands = _all_hands(sight)
    if hands is None:
        return False
    if solver is None:
        few = max(map(len, hands)) <= SEARCHED
        return few and _most(hands, sight.trick, sight.leader, sight.trumps, claimer) >= tricks
    positions = [
        Position(layout, sight.trick, sight.leader, sight.trumps)
        for layout in _layouts(sight, hands, claimer, seed)
    ]
    return all(
        (max(solved.values()) if sight.hand.side is claimer.side else sight.remaining - max(solved.values()))
        >= tricks
        for solved in solver(positions)
    )


def _layouts(
    sight: Sight, hands: tuple[frozenset[Card], ...], claimer: Seat, seed: int
) -> Iterator[tuple[frozenset[Card], ...]]:
    """The cards as they lie, then others that look alike to the claimer, who sees dummy besides the own hand."""
    yield hands
    unseen = [
        seat
        for seat in Seat
        if seat not in (claimer, sight.dummy if claimer is not sight.dummy else sight.declarer)
    ]
    one, other = unseen[0], unseen[1]
    pool = sorted(hands[one] | hands[other])
    draw = Random(f"{seed} {sight.remaining}")  # noqa: S311 - it imagines, and keeps no secret
    for _ in range(LAYOUTS):
        draw.shuffle(pool)
        mine, theirs = frozenset(pool[: len(hands[one])]), frozenset(pool[len(hands[one]) :])
        if any(card.suit in sight.voids[one] for card in mine) or any(
            card.suit in sight.voids[other] for card in theirs
        ):
            continue
        layout = list(hands)
        layout[one], layout[other] = mine, theirs
        yield tuple(layout)


def _all_hands(sight: Sight) -> tuple[frozenset[Card], ...] | None:
    """What everybody holds; None when two hands are hidden, or a trick is not remembered."""
    if sight.hands.count(None) > 1 or len(sight.tricks) != 13 - sight.remaining:
        return None
    return tuple(sight.hidden if hand is None else hand for hand in sight.hands)


def _most(
    hands: tuple[frozenset[Card], ...], trick: tuple[Card, ...], leader: Seat, trumps: Strain, claimer: Seat
) -> int:
    """Tricks that the claimer's side wins when the others defend as well as they can."""

    @cache
    def best(hands: tuple[frozenset[Card], ...], trick: tuple[Card, ...], leader: int) -> int:
        seat = (leader + len(trick)) % 4
        if not hands[seat]:
            return 0
        ours = (seat - claimer) % 2 == 0
        result = -1 if ours else 14
        for card in _choices(hands, seat, trick):
            left = (*hands[:seat], hands[seat] - {card}, *hands[seat + 1 :])
            played = (*trick, card)
            if len(played) == 4:
                winner = (leader + winning_place(played, trumps)) % 4
                value = ((winner - claimer) % 2 == 0) + best(left, (), winner)
            else:
                value = best(left, played, leader)
            result = max(result, value) if ours else min(result, value)
        return result

    return best(hands, trick, leader)


def _choices(hands: tuple[frozenset[Card], ...], seat: int, trick: tuple[Card, ...]) -> list[Card]:
    """Legal cards; of touching ones only the lowest, for they do the same."""
    legal = sorted(legal_cards(hands[seat], trick[0].suit if trick else None))
    others = frozenset(card for each, hand in enumerate(hands) if each != seat for card in hand) | set(trick)
    kept: list[Card] = []
    for card in legal:
        before = kept[-1] if kept else None
        if (
            before
            and before.suit is card.suit
            and not any(other.suit is card.suit and before < other < card for other in others)
        ):
            continue
        kept.append(card)
    return kept
