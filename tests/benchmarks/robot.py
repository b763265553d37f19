"""How well the house robots bid and play: beside double dummy, beside par, beside players who only count points.

Run it with `deploy/bench robot`, or `python -m tests.benchmarks.robot [--short] [--deals N] [--seed S]`. Robots of the
default strength sit on all seats; then they play a match in two rooms against a side that bids by points alone and plays
by rules of thumb. Without a limit of time: the same seed gives the same figures on any machine.
"""

import argparse
import json
import os
import sys
from collections.abc import Callable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from math import sqrt
from random import Random
from statistics import fmean, quantiles, stdev
from time import perf_counter
from typing import Any

from apps.boards.double_dummy import par, solve, solve_play, solve_positions
from bridge.auction import PASS, Call, bid, read_call
from bridge.cards import Card, Deal, Suit
from bridge.contracts import Contract, Doubling, Strain
from bridge.dealing import DEALS, deal_with_number
from bridge.formats import lin
from bridge.formats.game import GameRecord
from bridge.imps import imps
from bridge.play import winning_place
from bridge.robot import DEFAULT, Thought, Tricks, choose, remember
from bridge.robot.holding import Holding
from bridge.scoring import ns_score
from bridge.seats import Seat, Side, dealer, vulnerability
from bridge.table import (
    MakeCall,
    Outcome,
    PlayCard,
    action_from_data,
    apply,
    open_board,
    seats_to_act,
    seen_by,
    view_to_data,
)
from tests.real.conftest import REAL

THOUGHT = Thought(solve_positions, DEFAULT)
GAMES = ((Strain.NOTRUMP, 9), (Strain.HEARTS, 10), (Strain.SPADES, 10))
EXPERTS = 20
"""Boards of a vugraph whose calls and cards are compared."""

Chooser = Callable[[Mapping[str, Any], Tricks], dict[str, Any] | None]


# Players


def robot(board: Mapping[str, Any], tricks: Tricks) -> dict[str, Any] | None:
    return choose(board, tricks=tricks, thought=THOUGHT)


def counter(board: Mapping[str, Any], tricks: Tricks) -> dict[str, Any] | None:
    """Who adds up points and plays by rules of thumb."""
    if "call" in board["may"] and board["legal_calls"]:
        call = counted(board)
        return {"do": "call", "call": call.text if call.text in board["legal_calls"] else "Pass"}
    return choose(board, tricks=tricks)


def counted(board: Mapping[str, Any]) -> Call:
    """A call by points: an opening promises twelve, an answer six, ten or thirteen; who knows of 25 bids a game."""
    hand = board["hands"][board["viewer"]]["cards"]
    held = Holding.of(map(Card.from_text, hand))
    made = [(each["seat"], read_call(each["call"]) or PASS) for each in board["calls"]]
    partner = Seat.from_letter(board["viewer"]).partner.letter
    partners = [call for seat, call in made if seat == partner and call.is_bid]
    mine = [call for seat, call in made if seat == board["viewer"] and call.is_bid]
    last = next((call for _, call in reversed(made) if call.is_bid), None)
    if not partners and not mine:
        return _first(held, last)
    if not partners:
        return PASS
    shown = partners[-1]
    fit = next(
        (Suit(each.strain) for each in partners if each.strain is not None and each.strain is not Strain.NOTRUMP
         and held.lengths[Suit(each.strain)] >= 4),
        None,
    )  # fmt: skip
    low = {1: 12, 2: 10, 3: 13}.get(shown.level, 15) if not mine else 6 + 4 * (shown.level - 1)
    both = held.high_cards + low
    is_major = fit in (Suit.HEARTS, Suit.SPADES)
    strain = Strain(fit) if fit is not None and is_major else Strain.NOTRUMP
    if both >= 25:
        return _higher(bid(4 if is_major else 3, strain), last)
    if mine:
        return PASS
    if both >= 22:
        return _higher(bid(3 if is_major else 2, strain), last)
    return _higher(bid(2 if is_major else 1, strain), last) if both >= 18 else PASS


def _first(held: Holding, last: Call | None) -> Call:
    if last is None and held.is_balanced and 15 <= held.high_cards <= 17:
        return bid(1, Strain.NOTRUMP)
    if held.high_cards < 12:
        return PASS
    longest = max(Suit, key=lambda suit: (held.lengths[suit], suit))
    if last is not None and held.lengths[longest] < 5:
        return PASS
    level = 1 if last is None or last.rank < Strain(longest) else 2
    return _higher(bid(level, Strain(longest)), last)


def _higher(call: Call, last: Call | None) -> Call:
    return call if last is None or call.rank > last.rank else PASS


# Boards


@dataclass(frozen=True, slots=True)
class Played:
    """A board and what it came to. `cards`: those of complete tricks, as text. `seconds`: of each card thought about."""

    outcome: Outcome | None
    cards: tuple[str, ...]
    seconds: tuple[float, ...]


def play(number: int, text: str, ns: Chooser, ew: Chooser) -> Played:
    state = open_board(number, Deal.from_pbn(text))
    known: list[Tricks] = [()] * 4
    seconds = []
    while not state.is_over:
        seat = min(seats_to_act(state))
        board = view_to_data(seen_by(state, seat))
        known[seat] = remember(known[seat], board)
        began = perf_counter()
        data = (ns if seat.side is Side.NS else ew)(board, known[seat])
        if data and data["do"] == "play":
            seconds.append(perf_counter() - began)
        state = apply(state, seat, action_from_data(data))
    tricks = state.play.tricks if state.play else ()
    return Played(state.outcome, tuple(card.text for each in tricks for card in each.cards), tuple(seconds))


def among_robots(board: tuple[int, str]) -> Played:
    return play(*board, robot, robot)


def in_two_rooms(board: tuple[int, str]) -> int:
    """IMPs that the robots win on a board, North–South in one room and East–West in the other."""
    number, _ = board
    open_room, closed_room = play(*board, robot, counter), play(*board, counter, robot)
    return imps(_score(open_room.outcome, number) - _score(closed_room.outcome, number))


def _score(outcome: Outcome | None, number: int) -> int:
    contract = outcome.contract if outcome else None
    return ns_score(contract, outcome.tricks if outcome and contract else None, vulnerability(number))


def given_away(text: str, played: Played) -> tuple[int, int]:
    """Tricks that declarer and the defenders gave away card by card, up to a claim."""
    contract = played.outcome.contract if played.outcome else None
    if contract is None or contract.declarer is None or not played.cards:
        return 0, 0
    worth = solve_play(text, contract.strain.text, contract.declarer.letter, list(played.cards))
    lost = [0, 0]
    best_before: int | None = None
    for place, card in enumerate(played.cards):
        after = worth[place][card]
        values = worth[place].values()
        best_before = max(values) if max(values) != after else None
        if best_before is not None and _is_declarers(contract, played.cards, place):
            lost[0] += best_before - after
        elif not _is_declarers(contract, played.cards, place):
            lost[1] += after - min(values)
    return lost[0], lost[1]


def _is_declarers(contract: Contract, cards: Sequence[str], place: int) -> bool:
    assert contract.declarer is not None
    leader = contract.declarer.left
    for start in range(0, place - place % 4, 4):
        leader = Seat(
            (
                leader
                + winning_place([Card.from_text(each) for each in cards[start : start + 4]], contract.strain)
            )
            % 4
        )
    return Seat((leader + place % 4) % 4).side is contract.declarer.side


def table_value(tricks: str, seat: Seat, strain: Strain) -> int:
    return int(tricks[5 * "NSEW".index(seat.letter) + 4 - strain], 16)


def games(text: str, tricks: str) -> Iterator[Side]:
    """The sides with 25 points or more that make a game in a major or in no-trump."""
    deal = Deal.from_pbn(text)
    for side in Side:
        seats = [seat for seat in Seat if seat.side is side]
        points = sum(card.high_card_points for seat in seats for card in (deal.hands[seat] or NOTHING).cards)
        if points >= 25 and any(table_value(tricks, s, strain) >= n for s in seats for strain, n in GAMES):
            yield side


NOTHING = next(hand for hand in deal_with_number(0).hands if hand)


# Experts


def agreement(limit: int) -> tuple[float, float, int]:
    """How often the robots call and play as the players of real boards did, each seat with what that player saw."""
    calls, cards, boards = [], [], 0
    for path in sorted(REAL.rglob("*.lin")):
        for game in lin.read(path.read_bytes()):
            if boards < limit and (seen := _compare(game)) is not None:
                boards += 1
                calls += seen[0]
                cards += seen[1]
    return (fmean(calls) if calls else 0.0, fmean(cards) if cards else 0.0, boards)


def _compare(game: GameRecord) -> tuple[list[bool], list[bool]] | None:
    """Of each call and each card whether the robot does the same; None where too little of the board is known."""
    deal, played = game.complete_deal, [record.card for trick in game.play for record in trick]
    if deal is None or not game.auction or len(played) < 20:
        return None
    state = open_board(game.board or 1, deal, dealer=game.dealer, vulnerability=game.vulnerability)
    calls, cards = [], []
    acts: list[Call | Card] = [*(record.call for record in game.auction), *played]
    for each in acts:
        if state.is_over:
            break
        seat = min(seats_to_act(state))
        tricks = tuple((trick.leader, trick.cards) for trick in state.play.tricks) if state.play else ()
        data = robot(view_to_data(seen_by(state, seat)), tricks) or {}
        if isinstance(each, Call):
            calls.append(data.get("call") == each.text)
            state = apply(state, seat, MakeCall(each))
        else:
            cards.append(data.get("card") == each.text or data["do"] == "claim")
            state = apply(state, seat, PlayCard(each))
    return calls, cards


# The figures


def main(arguments: Sequence[str] | None = None) -> int:
    parser = argparse.ArgumentParser(prog="deploy/bench robot")
    parser.add_argument("--short", action="store_true")
    parser.add_argument("--deals", type=int, default=None)
    parser.add_argument("--seed", type=int, default=1)
    options = parser.parse_args(arguments)
    count = options.deals or (12 if options.short else 500)
    draw = Random(options.seed)
    boards = [(number, deal_with_number(draw.randrange(DEALS)).pbn) for number in range(1, count + 1)]
    tables = solve([text for _, text in boards])
    with ProcessPoolExecutor(os.cpu_count()) as pool:
        played = list(pool.map(among_robots, boards))
        won = list(pool.map(in_two_rooms, boards))
    there = bidden = 0
    down = {2: 0, 3: 0}
    contracts, declarers, defenders, against_par = 0, [], [], []
    for (number, text), tricks, each in zip(boards, tables, played, strict=True):
        contract = each.outcome.contract if each.outcome else None
        for side in games(text, tricks):
            there += 1
            bidden += contract is not None and contract.declarer is not None and contract.declarer.side is side and (
                contract.level >= (3 if contract.strain is Strain.NOTRUMP else 4)
            )  # fmt: skip
        best, _ = par(tricks, dealer(number).letter, vulnerability(number).value)
        against_par.append(imps(_score(each.outcome, number) - best))
        if contract and each.outcome and each.outcome.tricks is not None:
            contracts += 1
            short = contract.tricks_needed - each.outcome.tricks
            for least in down:
                down[least] += short >= least and (least == 3 or contract.doubling is Doubling.UNDOUBLED)
            declarer, defence = given_away(text, each)
            declarers.append(declarer)
            defenders.append(defence)
    seconds = sorted(second for each in played for second in each.seconds)
    calls, cards, experts = agreement(2 if options.short else EXPERTS)
    error = stdev(won) / sqrt(len(won)) if len(won) > 1 else 0.0
    figures = [
        ("makeable games bid", bidden / max(1, there), ">=", 0.65),
        ("contracts down three or more", down[3] / max(1, contracts), "<", 0.06),
        ("tricks that declarer gives away, a board", fmean(declarers), "<", 0.45),
        ("tricks that defenders give away, a board", fmean(defenders), "<", 0.65),
        ("IMPs a board against who counts points", fmean(won), ">=", 3.0),
    ]
    print(f"{count} deals, seed {options.seed}, {there} makeable games, {contracts} contracts")
    reached = True
    for name, value, sign, goal in figures:
        is_reached = value >= goal if sign == ">=" else value < goal
        reached &= is_reached
        print(f"{name:44}{value:9.3f}   goal {sign} {goal}{'' if is_reached else '  MISSED'}")
    print(f"{'down two or more, undoubled':44}{down[2] / max(1, contracts):9.3f}")
    print(f"{'IMPs a board against par, North–South':44}{fmean(against_par):9.3f}")
    print(f"{'error of the IMPs a board':44}{error:9.3f}")
    print(
        f"{'seconds for a card, middle and p99':44}{seconds[len(seconds) // 2]:9.3f} {quantiles(seconds, n=100)[-1]:.3f}"
    )
    print(f"{f'calls and cards as {experts} boards of experts':44}{calls:9.3f} {cards:.3f}")
    lines = [{"name": name, "value": round(value, 4), "goal": goal} for name, value, _, goal in figures]
    print(json.dumps({"bench": "robot", "figures": lines, "reached": bool(reached)}))
    return 0 if reached else 1


if __name__ == "__main__":
    sys.exit(main())
