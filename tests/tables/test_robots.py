"""Robots at a table: they finish every board by legal acts, from what one seat may see, and it looks like bridge."""

import ast
from collections import Counter
from dataclasses import replace
from pathlib import Path
from random import Random
from statistics import mean
from typing import Any

import pytest

from apps.boards.double_dummy import solve, solve_positions
from bridge import robot as robots
from bridge.auction import Auction
from bridge.cards import Card, Deal, Suit, deck
from bridge.contracts import Strain
from bridge.dealing import DEALS, deal_with_number
from bridge.robot import Tricks, choose, remember
from bridge.robot.claims import holds
from bridge.robot.sight import Sight
from bridge.robot.system import choose_call
from bridge.seats import Seat, dealer
from bridge.table import (
    How,
    MakeCall,
    PlayCard,
    TableRules,
    TableState,
    action_from_data,
    apply,
    fold,
    open_board,
    seats_to_act,
    seen_by,
    view_to_data,
)


def deals(count: int, seed: int) -> list[Deal]:
    draw = Random(seed)
    return [deal_with_number(draw.randrange(DEALS)) for _ in range(count)]


def sight_of(state: TableState, seat: Seat) -> dict[str, Any]:
    return view_to_data(seen_by(state, seat))


def play(state: TableState, seed: int = 0) -> TableState:
    """A board by four robots, each with its own memory."""
    known: list[Tricks] = [()] * 4
    while not state.is_over:
        seat = min(seats_to_act(state))
        board = sight_of(state, seat)
        known[seat] = remember(known[seat], board)
        data = choose(board, seed=seed, tricks=known[seat])
        assert data is not None
        state = apply(state, seat, action_from_data(data))
    return state


def test_a_thousand_auctions_look_like_bridge() -> None:
    contracts = []
    for number, deal in enumerate(deals(1000, seed=1), 1):
        hands = [hand.cards for hand in deal.hands if hand]
        auction = Auction(dealer(number))
        while (turn := auction.turn) is not None:
            auction = auction.after(choose_call(auction, hands[turn]).call)
        contracts.append(auction.contract)
    levels = Counter(contract.level if contract else 0 for contract in contracts)
    print(
        sorted(levels.items()), Counter(contract.text for contract in contracts if contract).most_common(12)
    )
    assert levels[0] <= 30
    assert sum(levels[level] for level in (1, 2, 3, 4)) >= 920
    assert (
        150
        <= levels[4] + sum(contract is not None and contract.text == "3NT" for contract in contracts)
        <= 550
    )
    assert 5 <= levels[6] + levels[7] <= 40
    assert sum(bool(contract and contract.doubling) for contract in contracts) <= 80


def test_robots_play_nearly_as_many_tricks_as_the_cards_are_worth() -> None:
    played = [play(open_board(number, deal)) for number, deal in enumerate(deals(40, seed=2), 1)]
    outcomes = [(state.board.deal.pbn, state.outcome) for state in played if state.outcome]
    made, differences = [], []
    tables = solve([deal for deal, _ in outcomes[:12]])
    for place, (_, outcome) in enumerate(outcomes):
        if outcome.contract is None or outcome.tricks is None or outcome.contract.declarer is None:
            continue
        made.append(outcome.tricks >= outcome.contract.tricks_needed)
        if place < len(tables):
            cell = 5 * "NSEW".index(outcome.contract.declarer.letter) + 4 - outcome.contract.strain
            differences.append(outcome.tricks - int(tables[place][cell], 16))
    print(
        f"made {mean(made):.2f}; from double dummy {mean(map(abs, differences)):.2f}, {mean(differences):+.2f} on average"
    )
    assert 0.45 <= mean(made) <= 0.75
    assert mean(map(abs, differences)) <= 1.5
    assert abs(mean(differences)) <= 1
    assert {state.ending.how for state in played if state.ending} >= {How.PLAYED, How.CLAIMED}


@pytest.mark.parametrize("seed", range(3))
def test_robots_finish_every_board_by_legal_acts_among_people_who_do_anything(seed: int) -> None:
    draw = Random(seed)
    for number, deal in enumerate(deals(8, seed=100 + seed), 1):
        state = open_board(number, deal, TableRules(undo_cards=True))
        known: list[Tricks] = [()] * 4
        while not state.is_over:
            assert state.version < 400
            state = _interrupted(state, draw)
            for seat in sorted(seats_to_act(state)):
                board = sight_of(state, seat)
                known[seat] = remember(known[seat], board)
                data = choose(board, seed=seed, tricks=known[seat] if draw.random() < 0.8 else ())
                assert data is not None
                if draw.random() < 0.15:
                    data = _anything(board, draw) or data
                state = apply(state, seat, action_from_data(data))
                break


def _interrupted(state: TableState, draw: Random) -> TableState:
    """Now and then somebody asks about a call, and its maker answers; or wants an own act back."""
    seat = Seat(draw.randrange(4))
    board = sight_of(state, seat)
    if draw.random() < 0.05 and "ask" in board["may"]:
        place = draw.choice(
            [
                p
                for p, call in enumerate(board["calls"])
                if Seat.from_letter(call["seat"]).side is not seat.side
            ]
        )
        if board["calls"][place]["asked"]:
            return state
        state = apply(state, seat, action_from_data({"do": "ask", "place": place}))
        caller = Seat.from_letter(board["calls"][place]["seat"])
        if caller in seats_to_act(state):  # what the table waits for comes first
            return state
        answer = choose(sight_of(state, caller))
        assert answer
        assert answer["do"] == "explain"
        return apply(state, caller, action_from_data(answer))
    if draw.random() < 0.02 and "ask_undo" in board["may"]:
        return apply(state, seat, action_from_data({"do": "ask_undo"}))
    return state


def _anything(board: dict[str, Any], draw: Random) -> dict[str, Any] | None:
    if board["legal_calls"]:
        low = board["legal_calls"][:8]
        return {"do": "call", "call": draw.choice(low)}
    if board["legal_cards"] and draw.random() < 0.1 and "claim" in board["may"]:
        return {"do": "claim", "tricks": draw.randrange(14 - sum(board["tricks_won"].values()) - 1)}
    if board["legal_cards"]:
        return {"do": "play", "card": draw.choice(board["legal_cards"])}
    return None


def test_the_same_view_and_seed_give_the_same_act() -> None:
    for number, deal in enumerate(deals(5, seed=4), 1):
        assert play(open_board(number, deal), seed=3) == play(open_board(number, deal), seed=3)


def test_a_robot_knows_no_more_than_its_view() -> None:
    """Two deals that differ only in hidden hands: the first call and the opening lead are the same."""
    draw = Random(5)
    for number, deal in enumerate(deals(30, seed=5), 1):
        state = play_auction(open_board(number, deal))
        if state.is_over or state.play is None:
            continue
        leader = state.play.turn
        assert leader is not None
        north, east, south, west = (hand for hand in deal.hands if hand)
        hands = [north, east, south, west]
        others = [seat for seat in Seat if seat is not leader]
        first, second, third = others
        shuffled = list(others)
        while shuffled == others:
            draw.shuffle(shuffled)
        for seat, source in zip((first, second, third), shuffled, strict=True):
            hands[seat] = deal.hands[source] or hands[seat]
        other = open_board(number, Deal((hands[0], hands[1], hands[2], hands[3])))
        other = fold(
            other,
            [
                (state.auction.seat_of(place), MakeCall(call))
                for place, call in enumerate(state.auction.calls)
            ],
        )
        assert choose(sight_of(state, leader)) == choose(sight_of(other, leader))


def play_auction(state: TableState) -> TableState:
    while not state.is_over and state.play is None:
        (seat,) = seats_to_act(state)
        data = choose(sight_of(state, seat))
        assert data
        made = action_from_data(data)
        assert isinstance(made, MakeCall)
        state = apply(state, seat, MakeCall(made.call))
    return state


def test_conventions_are_alerted_and_explained() -> None:
    deal = Deal.from_pbn("N:AK54.KQ3.QJ2.K54 QT2.T92.K54.9832 J983.AJ54.A3.JT6 76.876.T9876.AQ7")
    state = open_board(1, deal)
    data = choose(sight_of(state, Seat.NORTH))
    assert data is not None
    state = apply(state, Seat.NORTH, action_from_data({"do": "call", "call": "1NT"}))
    state = apply(state, Seat.EAST, action_from_data({"do": "call", "call": "Pass"}))
    assert choose(sight_of(state, Seat.SOUTH)) == {
        "do": "call",
        "call": "2C",
        "alert": True,
        "explanation": "asks for a major of four; 8+ points; forcing",
    }


def test_a_robot_acts_first_and_explains_when_it_is_not_its_turn() -> None:
    state = open_board(1, deals(1, seed=6)[0])
    for seat, call in ((Seat.NORTH, "1NT"), (Seat.EAST, "Pass"), (Seat.SOUTH, "2C"), (Seat.WEST, "Pass")):
        state = apply(state, seat, action_from_data({"do": "call", "call": call}))
    state = apply(state, Seat.EAST, action_from_data({"do": "ask", "place": 0}))
    act = choose(sight_of(state, Seat.NORTH))
    assert act is not None
    assert act["do"] == "call"
    state = apply(state, Seat.NORTH, action_from_data(act))
    answer = choose(sight_of(state, Seat.NORTH))
    assert answer is not None
    assert (answer["do"], answer["place"]) == ("explain", 0)


def ending(*hands: str) -> Sight:
    """North declares notrump with three cards left, East looks; all other cards are played."""
    held = [frozenset(map(Card.from_text, hand.split())) for hand in hands]
    gone = sorted(frozenset(deck()) - frozenset().union(*held))
    suits = [[card for card in gone if card.suit is suit] for suit in Suit]
    parts = [3, 3, 2, 2]  # ten tricks in which everybody followed suit, as far as one can tell
    tricks = tuple(
        (Seat.NORTH, tuple(cards[part::into]))
        for cards, into in zip(suits, parts, strict=True)
        for part in range(into)
    )
    seen = (held[0], held[1], held[2], None)
    return Sight(
        Seat.EAST, Seat.NORTH, seen, (3,) * 4, Strain.NOTRUMP, 3, Seat.NORTH, (), Seat.NORTH, tricks, 0
    )


def test_a_robot_accepts_a_claim_that_holds_and_refuses_one_that_does_not() -> None:
    all_high = ending("SA SK DA", "SQ SJ D2", "S3 S2 D3", "ST S9 D4")
    assert holds(all_high, Seat.NORTH, 3)
    king_is_out = ending("SA SQ DA", "SJ S8 D2", "S3 S2 D3", "SK S9 D4")
    assert not holds(king_is_out, Seat.NORTH, 3)
    assert holds(king_is_out, Seat.NORTH, 2)
    finesse_works = ending("D3 H2 H3", "SK S9 HA", "SA SQ D2", "H9 HT D4")
    assert not holds(finesse_works, Seat.NORTH, 3)
    assert holds(ending("D3 S2 HA", "SK S9 H4", "SA SQ D2", "H9 HT D4"), Seat.NORTH, 3)


def test_a_claim_is_tried_for_the_cards_as_they_may_lie() -> None:
    """A finesse that works as the cards lie is not the claimer's to take, and who has to lose the lead first loses it."""
    finesse = ending("S3 S2 D6", "SK S9 D8", "SA SQ D7", "D9 DT D4")
    assert holds(finesse, Seat.NORTH, 1, solver=solve_positions)
    assert not holds(finesse, Seat.NORTH, 2, solver=solve_positions)
    assert holds(
        ending("SA SK DA", "SQ SJ D2", "S3 S2 D3", "ST S9 D4"), Seat.NORTH, 3, solver=solve_positions
    )
    on_lead = replace(
        ending("SA SK DA", "HA HK SQ", "S3 S2 D3", "ST S9 D4"), hand=Seat.EAST, leader=Seat.EAST
    )
    assert not holds(on_lead, Seat.NORTH, 3, solver=solve_positions)
    assert holds(on_lead, Seat.NORTH, 1, solver=solve_positions)


def test_a_robot_remembers_the_tricks_and_forgets_what_is_taken_back() -> None:
    (deal,) = deals(1, seed=6)
    state = play_auction(open_board(2, deal))
    known: Tricks = ()
    states = []
    while state.play and len(state.play.tricks) < 3:
        (seat,) = seats_to_act(state)
        board = sight_of(state, seat)
        known = remember(known, board)
        states.append(state)
        state = apply(state, seat, PlayCard(sorted(state.play.legal_cards())[0]))
    assert state.play
    known = remember(known, sight_of(state, Seat.NORTH))
    assert [cards for _, cards in known] == [trick.cards for trick in state.play.tricks]
    assert remember(known, sight_of(states[5], Seat.NORTH)) == known[:1]
    assert remember(known, sight_of(open_board(3, deal), Seat.NORTH)) == ()


def test_robots_know_the_game_and_nothing_else() -> None:
    allowed = (
        "bridge",
        "collections",
        "dataclasses",
        "enum",
        "functools",
        "numpy",
        "random",
        "statistics",
        "typing",
        "zlib",
    )
    imported = set()
    for path in Path(robots.__file__).parent.glob("*.py"):
        for node in ast.walk(ast.parse(path.read_text())):
            if isinstance(node, ast.Import):
                imported |= {alias.name for alias in node.names}
            elif isinstance(node, ast.ImportFrom):
                imported.add("." * node.level + (node.module or ""))
    assert "bridge.robot.sight" in imported
    assert {
        name for name in imported if not f"{name}.".startswith(tuple(f"{each}." for each in allowed))
    } == set()
