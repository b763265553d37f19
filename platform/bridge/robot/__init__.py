"""Players who need nobody: from what one seat sees, a legal act of that seat.

They bid a natural system, imagine deals that fit what they have seen and play the card that gains most over them, claim
when the rest is certain, and answer what they are asked. A robot sees what a player sees, the masked view, and remembers
what a player remembers. With the same view, memory and seed it does the same. Nothing here knows of the database or of
time: whoever seats robots decides how long they think, brings the clock and the solver.

Read it in this order:

    holding     what a hand is worth
    meanings    what a call meant, and the picture that an auction paints
    system      which calls mean what
    sight       what one seat knows of the play
    sampling    deals that it can imagine
    solving     what is asked of a solver
    play        the card that gains most
    thumb       the card of an ordinary player, at once
    claims      when the rest is certain
"""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from bridge.auction import Auction, read_call
from bridge.cards import Suit
from bridge.contracts import Contract, Doubling, Strain
from bridge.robot.claims import can_claim, holds
from bridge.robot.play import DEFAULT, Scoring, Stakes, Strength, Thought, are_alike, best_card
from bridge.robot.sight import CARDS, SEATS, Sight, Tricks, remember
from bridge.robot.solving import Solver
from bridge.robot.system import choose_call, meanings, picture
from bridge.robot.thumb import card_to_play
from bridge.seats import Seat, Vulnerability

__all__ = ["DEFAULT", "Scoring", "Solver", "Strength", "Thought", "Tricks", "choose", "remember"]


def choose(
    board: Mapping[str, Any],
    *,
    seed: int = 0,
    temper: int = 0,
    tricks: Tricks = (),
    thought: Thought | None = None,
) -> dict[str, Any] | None:
    """What the player does now, as `action_from_data` reads it; None when there is nothing to do.

    What the table waits for comes first: however much is asked, the game goes on.

    Args:
        board: The board as its player sees it, `bridge.table.view_to_data(seen_by(state, seat))`.
        seed: Makes one robot a little different from another: what it leads, which deals it imagines.
        temper: By how many points it likes a hand better than it is, or worse: what its calls mean is then not quite true.
        tricks: What the player remembers, kept by `remember` at every look. Without it only the last trick is known.
        thought: How hard it thinks about a card, and by whose help; without it plays by rules of thumb.
    """
    if board["viewer"] not in SEATS:
        return None
    may = board["may"]
    if "answer_claim" in may:
        return {"do": "answer_claim", "accept": _accepts(board, tricks, seed, thought)}
    if "answer_undo" in may:
        return {"do": "answer_undo", "accept": True}
    if "call" in may and board["legal_calls"]:
        return _call(board, temper)
    if "play" in may and board["legal_cards"]:
        return _card(board, tricks, seed, thought)
    return _answer(board) if "explain" in may else None


def _auction(board: Mapping[str, Any]) -> Auction:
    calls = (read_call(each["call"]) for each in board["calls"])
    return Auction(SEATS[board["dealer"]], tuple(call for call in calls if call))


def _answer(board: Mapping[str, Any]) -> dict[str, Any] | None:
    """The meaning of a call of mine that an opponent asks about."""
    for place, each in enumerate(board["calls"]):
        if each["asked"] and each["seat"] == board["viewer"]:
            told = meanings(_auction(board), _vulnerability(board))[place]
            return {"do": "explain", "place": place, "explanation": told.text or "natural"}
    return None


def _call(board: Mapping[str, Any], temper: int) -> dict[str, Any]:
    """A call with its meaning; conventions are alerted."""
    hand = map(CARDS.__getitem__, board["hands"][board["viewer"]]["cards"])
    meaning = choose_call(_auction(board), hand, _vulnerability(board), temper=temper)
    if meaning.call.text not in board["legal_calls"]:
        return {"do": "call", "call": "Pass"}
    data: dict[str, Any] = {"do": "call", "call": meaning.call.text}
    if meaning.is_alerted:
        data["alert"] = True
    if meaning.text:
        data["explanation"] = meaning.text
    return data


def _vulnerability(board: Mapping[str, Any]) -> Vulnerability:
    return Vulnerability(board["vulnerable"])


def _draw(*what: object) -> int:
    """A number that depends on all of this."""
    return crc32(" ".join(map(str, what)).encode())


def _card(board: Mapping[str, Any], tricks: Tricks, seed: int, thought: Thought | None) -> dict[str, Any]:
    clubs, diamonds, hearts, spades = (0.6 * (_draw(seed, board["board"], suit) % 4) for suit in Suit)
    sight = Sight.of(board, tricks, (clubs, diamonds, hearts, spades))
    if "claim" in board["may"] and sight.remaining > 1 and can_claim(sight):
        return {
            "do": "claim",
            "tricks": sight.remaining,
            "line": "No trick can be lost, however the cards lie.",
        }
    legal = [CARDS[card] for card in board["legal_cards"]]
    card = card_to_play(sight, legal, _bid_by(board))
    if thought and not are_alike(sight, legal):
        stakes = Stakes(_auction(board), _contract(board), _vulnerability(board).of(sight.declarer.side))
        own = _draw(seed, board["board"], *(each["call"] for each in board["calls"]), sight.remaining)
        card = best_card(sight, legal, card, stakes, thought, seed=own)
    return {"do": "play", "card": card.text}


def _contract(board: Mapping[str, Any]) -> Contract:
    data = board["contract"]
    doubling = next(each for each in Doubling if each.text == data["doubling"])
    return Contract(data["level"], Strain.from_text(data["strain"]), doubling, SEATS[data["declarer"]])


def _bid_by(board: Mapping[str, Any]) -> dict[Seat, list[Suit]]:
    """The suits that each seat has shown in the auction."""
    seen = picture(_auction(board))
    return {seat: [suit for suit in Suit if seen.shown[seat].least(suit) >= 4] for seat in Seat}


def _accepts(board: Mapping[str, Any], tricks: Tricks, seed: int, thought: Thought | None) -> bool:
    claim = board["claim"]
    claimer = SEATS[claim["seat"]]
    if claimer is SEATS[board["viewer"]].partner:
        return True
    solver = thought.solver if thought else None
    return holds(Sight.of(board, tricks), claimer, claim["tricks"], solver=solver, seed=seed)
