"""Boards of four robots: every act is legal, every auction ends, every meaning is true of the hand that gave it.

What a robot does depends on nothing that its seat cannot see.
"""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

import pytest

from apps.boards.double_dummy import solve_positions
from bridge.auction import CALLS, Auction
from bridge.cards import Card, Deal, Hand
from bridge.dealing import DEALS, deal_with_number
from bridge.robot import Strength, Thought, Tricks, choose, remember
from bridge.robot.holding import Holding
from bridge.robot.meanings import BETWEEN, PARTS
from bridge.robot.system import choose_call, meanings
from bridge.seats import Seat, Vulnerability, dealer, vulnerability
from bridge.table import (
    AnswerClaim,
    Claim,
    MakeCall,
    TableState,
    action_from_data,
    apply,
    open_board,
    seats_to_act,
    seen_by,
    view_to_data,
)

FOUR = 4
BOARDS = 500
LONGEST = 40
THOUGHT = Thought(solve_positions, Strength(3, 0.0))


def deals(count: int, seed: int) -> Iterator[Deal]:
    draw = Random(seed)
    return (deal_with_number(draw.randrange(DEALS)) for _ in range(count))


def decisions(state: TableState, thought: Thought | None = None) -> Iterator[tuple[TableState, Seat, Any]]:
    """A board by four robots, each with its own memory: where each of them decided, and what."""
    known: list[Tricks] = [()] * FOUR
    while not state.is_over:
        seat = min(seats_to_act(state))
        board = view_to_data(seen_by(state, seat))
        known[seat] = remember(known[seat], board)
        data = choose(board, tricks=known[seat], thought=thought)
        yield state, seat, data
        state = apply(state, seat, action_from_data(data))  # which refuses what is not legal


@pytest.mark.parametrize("seed", range(2000 // BOARDS))
def test_two_thousand_boards_are_legal_and_every_call_is_true(seed: int) -> None:
    for number, deal in enumerate(deals(BOARDS, seed), 1):
        calls = 0
        for state, seat, data in decisions(open_board(number, deal)):
            action = action_from_data(data)
            if isinstance(action, MakeCall):
                calls += 1
                told = meanings(state.auction.after(action.call), vulnerability(number))[-1]
                hand = deal.hands[seat]
                assert hand
                assert told.fits(Holding.of(hand.cards)), (number, deal.pbn, state.auction, action)
                assert action.explanation == told.text
        assert calls <= LONGEST


def test_what_calls_mean_is_made_of_the_parts_that_are_translated() -> None:
    for number, deal in enumerate(deals(300, 9), 1):
        auction = Auction(dealer(number))
        while (turn := auction.turn) is not None:
            hand = deal.hands[turn]
            assert hand
            meaning = choose_call(auction, hand.cards)
            assert {part for part, _ in meaning.parts} <= set(PARTS)
            assert meaning.text == "" or len(meaning.text.split(BETWEEN)) == len(meaning.parts)
            auction = auction.after(meaning.call)


def test_no_auction_of_people_is_too_odd_to_be_read() -> None:
    draw = Random(4)
    for _ in range(400):
        auction = Auction(Seat(draw.randrange(FOUR)))
        while not auction.is_over and len(auction.calls) < 30:
            legal = auction.legal_calls()
            auction = auction.after(draw.choice(legal[:10] if draw.random() < 0.9 else legal))
        told = meanings(auction, draw.choice(list(Vulnerability)))
        assert [each.call for each in told] == list(auction.calls)
        turn = auction.turn
        if turn is not None:
            hand = next(deals(1, draw.randrange(10**6))).hands[turn]
            assert hand
            assert choose_call(auction, hand.cards).call in CALLS


def test_four_no_trumps_doubled_and_passed_back_is_read() -> None:
    """Once an answer was looked for where partner had given none."""
    auction = Auction(Seat.NORTH)
    texts = {call.text: call for call in CALLS}
    for text in ("1S", "Pass", "Pass", "2H", "4NT", "X", "Pass", "Pass"):
        auction = auction.after(texts[text])
    for call in auction.legal_calls():
        assert len(meanings(auction.after(call))) == 9


# ---- honesty


def exchanged(state: TableState, seat: Seat, draw: Random) -> TableState | None:
    """The board with the cards that a seat does not see dealt anew to the others, played as it was played; None where it
    could not have been."""
    deal = state.board.deal
    seen = seen_by(state, seat)
    hidden = [each for each in Seat if seen.hands[each] is None]
    left = state.play.hands if state.play else tuple(hand for hand in deal.hands if hand)
    cards = [card for each in hidden for card in sorted(left[each].cards)]
    draw.shuffle(cards)
    hands = []
    for each in Seat:
        whole = deal.hands[each]
        assert whole
        if each in hidden:
            number = len(left[each].cards)
            mine, cards = cards[:number], cards[number:]
            hands.append(Hand(frozenset(whole.cards - left[each].cards) | frozenset(mine)))
        else:
            hands.append(whole)
    north, east, south, west = hands
    other = open_board(state.board.number, Deal((north, east, south, west)), state.board.rules)
    try:
        for who, action in _done(state):
            other = apply(other, who, action)
        if state.claim:
            other = apply(other, state.claim.seat, Claim(state.claim.tricks, state.claim.line))
            assert other.claim
            for who in sorted(other.claim.waits_for - state.claim.waits_for):
                other = apply(other, who, AnswerClaim(accept=True))
    except ValueError:  # a revoke
        return None
    return other


def _done(state: TableState) -> Iterator[tuple[Seat, Any]]:
    for place, (call, meaning) in enumerate(zip(state.auction.calls, state.meanings, strict=True)):
        yield state.auction.seat_of(place), MakeCall(call, meaning.alert, meaning.text)
    play = state.play
    if play is None:
        return
    for trick in (*play.tricks, *((play.trick,) if play.trick else ())):
        for place, card in enumerate(trick.cards):
            hand = trick.seat_of(place)
            yield (
                play.declarer if hand is play.dummy else hand,
                action_from_data({"do": "play", "card": card.text}),
            )


Chooser = Callable[..., dict[str, Any] | None]


def differences(count: int, chooser: Chooser) -> tuple[int, int]:
    """In how many places of so many boards a robot does otherwise when unseen cards are exchanged; of how many."""
    draw, differ, asked = Random(6), 0, 0
    for number, deal in enumerate(deals(count, 77), 1):
        for state, seat, _ in decisions(open_board(number, deal)):
            if draw.random() > 0.3 or (other := exchanged(state, seat, draw)) is None:
                continue
            asked += 1
            tricks = _tricks(state)
            differ += chooser(state, seat, tricks) != chooser(other, seat, tricks)
    return differ, asked


def _tricks(state: TableState) -> Tricks:
    return tuple((trick.leader, trick.cards) for trick in state.play.tricks) if state.play else ()


def honest(state: TableState, seat: Seat, tricks: Tricks) -> dict[str, Any] | None:
    return choose(view_to_data(seen_by(state, seat)), tricks=tricks, thought=THOUGHT)


def peeping(state: TableState, seat: Seat, tricks: Tricks) -> dict[str, Any] | None:
    """As one that imagines the deal that there is, after the opening lead."""
    board = view_to_data(seen_by(state, seat))
    play = state.play
    if play and board["legal_cards"]:
        partner = play.hands[seat.partner]
        longest = max(sorted(partner.cards), key=lambda card: (card.rank, card.suit), default=None)
        legal = sorted(map(Card.from_text, board["legal_cards"]))
        same = [card for card in legal if longest and card.suit is longest.suit]
        return {"do": "play", "card": (same or legal)[0].text}
    return choose(board, tricks=tricks)


def test_a_robot_depends_on_nothing_that_its_seat_cannot_see() -> None:
    differ, asked = differences(12, honest)
    assert asked > 80
    assert differ == 0


def test_a_robot_that_peeps_is_found() -> None:
    assert differences(3, peeping)[0] > 0
