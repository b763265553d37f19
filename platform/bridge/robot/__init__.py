"""Players who need nobody: from what one seat sees, a plausible legal act of that seat.

They bid a small natural system, play by rules of thumb, claim when the rest is certain, and answer what they are asked.
A robot sees what a player sees, the masked view, and remembers what a player remembers. With the same view, memory and
seed it does the same. Nothing here knows of the database or of time: whoever seats robots decides how long they think.
"""

from collections.abc import Mapping
from typing import Any
from zlib import crc32

from bridge.auction import Auction, read_call
from bridge.cards import Suit
from bridge.robot.claims import can_claim, holds
from bridge.robot.holding import Holding
from bridge.robot.sight import CARDS, SEATS, Sight, Tricks, remember
from bridge.robot.system import chosen, explained, picture
from bridge.robot.thumb import card_to_play
from bridge.seats import Seat

__all__ = ["Tricks", "choose", "remember"]


def choose(board: Mapping[str, Any], *, seed: int = 0, tricks: Tricks = ()) -> dict[str, Any] | None:
    """What the player does now, as `action_from_data` reads it; None when there is nothing to do.

    What the table waits for comes first: however much is asked, the game goes on.

    Args:
        board: The board as its player sees it, `bridge.table.view_to_data(seen_by(state, seat))`.
        seed: Makes one robot a little different from another: how it likes a hand, what it leads.
        tricks: What the player remembers, kept by `remember` at every look. Without it only the last trick is known.
    """
    if board["viewer"] not in SEATS:
        return None
    may = board["may"]
    if "answer_claim" in may:
        return {"do": "answer_claim", "accept": _accepts(board, tricks)}
    if "answer_undo" in may:
        return {"do": "answer_undo", "accept": True}
    if "call" in may and board["legal_calls"]:
        return _call(board, seed)
    if "play" in may and board["legal_cards"]:
        return _card(board, tricks, seed)
    return _answer(board) if "explain" in may else None


def _auction(board: Mapping[str, Any]) -> Auction:
    calls = (read_call(each["call"]) for each in board["calls"])
    return Auction(SEATS[board["dealer"]], tuple(call for call in calls if call))


def _answer(board: Mapping[str, Any]) -> dict[str, Any] | None:
    """The meaning of a call of mine that an opponent asks about."""
    for place, each in enumerate(board["calls"]):
        if each["asked"] and each["seat"] == board["viewer"]:
            return {"do": "explain", "place": place, "explanation": explained(_auction(board), place)}
    return None


def _call(board: Mapping[str, Any], seed: int) -> dict[str, Any]:
    """A call; conventions are alerted, and now and then a natural call gets its words too."""
    temper = _draw(seed, board["board"], "temper") % 5 - 2
    hand = Holding.of((CARDS[card] for card in board["hands"][board["viewer"]]["cards"]), temper)
    promise = chosen(_auction(board), hand)
    if promise.call.text not in board["legal_calls"]:
        return {"do": "call", "call": "Pass"}
    data: dict[str, Any] = {"do": "call", "call": promise.call.text}
    if promise.is_alerted:
        data["alert"] = True
    if promise.text and (promise.is_alerted or _draw(seed, board["board"], len(board["calls"])) % 3 == 0):
        data["explanation"] = promise.text
    return data


def _draw(*what: object) -> int:
    """A number that depends on all of this."""
    return crc32(" ".join(map(str, what)).encode())


def _card(board: Mapping[str, Any], tricks: Tricks, seed: int) -> dict[str, Any]:
    clubs, diamonds, hearts, spades = (0.6 * (_draw(seed, board["board"], suit) % 4) for suit in Suit)
    sight = Sight.of(board, tricks, (clubs, diamonds, hearts, spades))
    if "claim" in board["may"] and sight.remaining > 1 and can_claim(sight):
        return {"do": "claim", "tricks": sight.remaining, "line": "All the rest are high."}
    legal = [CARDS[card] for card in board["legal_cards"]]
    return {"do": "play", "card": card_to_play(sight, legal, _bid_by(board)).text}


def _bid_by(board: Mapping[str, Any]) -> dict[Seat, list[Suit]]:
    """The suits that each seat has shown in the auction."""
    seen = picture(_auction(board))
    return {seat: [suit for suit in Suit if seen.shown[seat].least(suit) >= 4] for seat in Seat}


def _accepts(board: Mapping[str, Any], tricks: Tricks) -> bool:
    claim = board["claim"]
    claimer = SEATS[claim["seat"]]
    if claimer is SEATS[board["viewer"]].partner:
        return True
    return holds(Sight.of(board, tricks), claimer, claim["tricks"])
