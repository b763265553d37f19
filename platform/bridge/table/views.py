"""What each viewer may see of a table: the only door through which hands leave it.

    a player sees     own hand; calls, and what was said of them by the caller to the opponents, never by partner;
                      from the opening lead on dummy, the current trick and the last one (Law 66)
    dummy             besides, declarer's hand where the rules say so
    at a claim        the claimer's hand: the other side, and dummy when declarer claims; a refused claim leaves it open
    at the end        players see all four hands, all tricks and all explanations
    the public        sees which board it is, and whether it is over
    a director        sees everything at any time, and so does everybody once the board is published

A view has the same shape whatever is hidden: whoever may not see a hand learns how many cards it has and nothing else.
"""

from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import Enum
from typing import Any

from bridge.auction import Call
from bridge.cards import Card, Hand
from bridge.contracts import Contract, result_text
from bridge.play import Trick
from bridge.scoring import ns_score
from bridge.seats import Seat, Side, Vulnerability
from bridge.table.actions import (
    NAMES,
    Action,
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    Explain,
    MakeCall,
    PlayCard,
    WithdrawClaim,
    WithdrawUndo,
    action_to_data,
)
from bridge.table.state import (
    Act,
    DecidedBy,
    Ending,
    How,
    OpenClaim,
    OpenUndo,
    TableState,
    seats_to_act,
    waits_for_director,
    why_no_claim,
    why_no_undo,
)


class Viewer(Enum):
    """Who looks on without a seat."""

    PUBLIC = "public"
    """Anybody, before the board is published."""
    DIRECTOR = "director"
    """A director who does not play this board; anybody, once it is published."""


class Phase(Enum):
    """How far the board is."""

    AUCTION = "auction"
    PLAY = "play"
    OVER = "over"


@dataclass(frozen=True, slots=True)
class SeenCall:
    """A call with what the viewer may know of it. `asked`: an answer is waited for, from the viewer or for the viewer."""

    seat: Seat
    call: Call
    alert: bool
    text: str
    asked: bool


@dataclass(frozen=True, slots=True)
class View:
    """A table as one viewer sees it.

    Attributes:
        version: The number of actions that all four could see: it does not tell of questions and answers.
        phase: None for the public while the board is played.
        hands: North first; None is a hand that the viewer may not see. At the end they are whole again.
        counts: How many cards each hand has.
        contract: From the end of the auction on.
        dummy: From the opening lead on.
        trick: The current one; it may have no card yet.
        last_trick: The one before it.
        tricks_won: By North–South and by East–West.
        record: All tricks, for a director, and at the end.
        turn: Whose hand calls or plays next.
        waits_for: Whom the table waits for.
        waits_for_director: Whether it waits for a director.
        legal_calls, legal_cards: For the viewer to choose from; None when it is not the viewer's choice.
        may: What the viewer may do now, by the names of `NAMES`.
        stop: Whether the last call was a jump that the next player thinks over for a while.
        last: What was done last, as far as the viewer may know.
        ending: How the board ended.
    """

    viewer: Seat | Viewer
    version: int
    number: int
    dealer: Seat
    vulnerability: Vulnerability
    phase: Phase | None
    hands: tuple[Hand | None, ...]
    counts: tuple[int, ...]
    calls: tuple[SeenCall, ...] = ()
    contract: Contract | None = None
    dummy: Seat | None = None
    trick: Trick | None = None
    last_trick: Trick | None = None
    tricks_won: tuple[int, int] = (0, 0)
    record: tuple[Trick, ...] | None = None
    turn: Seat | None = None
    waits_for: tuple[Seat, ...] = ()
    waits_for_director: bool = False
    legal_calls: tuple[Call, ...] | None = None
    legal_cards: frozenset[Card] | None = None
    claim: OpenClaim | None = None
    undo: OpenUndo | None = None
    undo_of: str = ""
    may: tuple[str, ...] = ()
    stop: bool = False
    last: Act | None = None
    ending: Ending | None = None


def seen_by(state: TableState, viewer: Seat | Viewer, *, is_shared: bool = False) -> View:
    """The table as this viewer may see it now. Whoever has no seat and does not direct is the public.

    Args:
        state: A board at any time.
        viewer: Who looks.
        is_shared: Others play the board as well: when it breaks off, players see no more of it than they saw.
    """
    if is_shared and state.is_over and state.outcome is None and isinstance(viewer, Seat):
        return _broken_off(state, viewer)
    board = state.board
    if not isinstance(viewer, Seat) and viewer is not Viewer.DIRECTOR:
        return View(
            Viewer.PUBLIC,
            state.moves,
            board.number,
            board.dealer,
            board.vulnerability,
            Phase.OVER if state.is_over else None,
            hands=(None, None, None, None),
            counts=(13, 13, 13, 13),
        )
    play, over = state.play, state.is_over
    held = _held(state)
    everything = over or viewer is Viewer.DIRECTOR
    tricks = play.tricks if play else ()
    waits_for = seats_to_act(state)
    chooses = not (over or state.claim or state.undo) and viewer in waits_for
    return View(
        viewer,
        state.moves,
        board.number,
        board.dealer,
        board.vulnerability,
        Phase.OVER if over else Phase.PLAY if play else Phase.AUCTION,
        hands=tuple(
            hand if everything or _sees_hand(state, viewer, seat) else None
            for seat, hand in zip(Seat, held, strict=True)
        ),
        counts=tuple(len(hand.cards) for hand in held),
        calls=tuple(_seen_call(state, viewer, place) for place in range(len(state.auction.calls))),
        contract=state.contract,
        dummy=state.dummy,
        trick=None if over or play is None else play.trick,
        last_trick=tricks[-1] if tricks else None,
        tricks_won=(play.won_by(Side.NS), play.won_by(Side.EW)) if play else (0, 0),
        record=_record(state) if everything else None,
        turn=None if over else play.turn if play else state.auction.turn,
        waits_for=tuple(sorted(waits_for)),
        waits_for_director=waits_for_director(state),
        legal_calls=state.auction.legal_calls() if chooses and play is None else None,
        legal_cards=play.legal_cards() if chooses and play else None,
        claim=state.claim,
        undo=state.undo,
        undo_of=_what_is_undone(state),
        may=tuple(NAMES[action] for action in _may(state, viewer)) if isinstance(viewer, Seat) else (),
        stop=state.stops,
        last=_seen_act(state, viewer),
        ending=state.ending,
    )


def _broken_off(state: TableState, viewer: Seat) -> View:
    """What a player has seen of a board that is over, and how it ended."""
    return replace(
        seen_by(replace(state, ending=None), viewer),
        phase=Phase.OVER,
        trick=None,
        turn=None,
        waits_for=(),
        waits_for_director=False,
        legal_calls=None,
        legal_cards=None,
        may=(),
        stop=False,
        ending=state.ending,
    )


def _held(state: TableState) -> tuple[Hand, ...]:
    """What the seats hold; the whole deal again when the board is over."""
    if state.play and not state.is_over:
        return state.play.hands
    return tuple(hand for hand in state.board.deal.hands if hand)  # all four: the deal is complete


def _sees_hand(state: TableState, viewer: Seat | Viewer, seat: Seat) -> bool:
    """Whether a player sees a hand while the board is played."""
    if viewer is seat or seat is state.dummy:
        return True
    declarer = state.play.declarer if state.play else None
    if seat is declarer and viewer is state.dummy and state.board.rules.dummy_sees_declarer:
        return True
    shown = seat in state.faced or (state.claim is not None and state.claim.seat is seat)
    return shown and (viewer is not seat.partner or seat is declarer)


def _knows_meanings(state: TableState, viewer: Seat | Viewer, caller: Seat) -> bool:
    """Whether a viewer may know what was said about a seat's calls: everybody but its partner."""
    return viewer is not caller.partner or state.is_over


def _seen_call(state: TableState, viewer: Seat | Viewer, place: int) -> SeenCall:
    caller, call, meaning = state.auction.seat_of(place), state.auction.calls[place], state.meanings[place]
    if not _knows_meanings(state, viewer, caller):
        return SeenCall(caller, call, alert=False, text="", asked=False)
    asked = meaning.asked_by if viewer in (caller, Viewer.DIRECTOR) else meaning.asked_by & {viewer}
    return SeenCall(caller, call, meaning.alert, meaning.text, bool(asked))


def _seen_act(state: TableState, viewer: Seat | Viewer) -> Act | None:
    """What was done last, as far as the viewer could notice it."""
    if not isinstance(viewer, Seat):
        return state.last
    act = state.noticed[viewer]
    if act is None or act.seat is None or _knows_meanings(state, viewer, act.seat):
        return act
    return replace(act, action=MakeCall(act.action.call)) if isinstance(act.action, MakeCall) else act


def _record(state: TableState) -> tuple[Trick, ...]:
    if state.play is None:
        return ()
    trick = state.play.trick
    return (*state.play.tricks, trick) if trick and trick.cards else state.play.tricks


def _what_is_undone(state: TableState) -> str:
    """The call or the card that someone wants back, as text."""
    undo = state.undo
    if undo is None:
        return ""
    if undo.of_call:
        return state.auction.calls[undo.place].text
    return state.play.cards()[undo.place].text if state.play else ""


def _may(state: TableState, seat: Seat) -> Iterable[type[Action]]:
    """What a player may do now; `apply` refuses the rest."""
    if state.is_over:
        return
    claim, undo = state.claim, state.undo
    if not claim and not undo:
        if seat in seats_to_act(state):
            yield PlayCard if state.play else MakeCall
        if why_no_claim(state, seat) is None:
            yield Claim
        if why_no_undo(state, seat) is None:
            yield AskUndo
    if claim and seat in claim.waits_for:
        yield AnswerClaim
    if claim and seat is claim.seat and state.board.rules.claims is DecidedBy.PLAYERS:
        yield WithdrawClaim
    if undo and seat in undo.waits_for:
        yield AnswerUndo
    if undo and seat is undo.seat:
        yield WithdrawUndo
    callers = {state.auction.seat_of(place) for place in range(min(4, len(state.auction.calls)))}
    if seat in callers:
        yield Explain
    if seat is not state.dummy and callers & seat.opponents:
        yield AskAbout


def view_to_data(view: View) -> dict[str, Any]:
    """The view as plain data, with the same keys in the same order for everybody at any time.

    Seats are letters, cards `SA`, calls `1NT`, hands lists from spades down.
    """
    contract, ending = view.contract, view.ending
    return {
        "viewer": view.viewer.letter if isinstance(view.viewer, Seat) else view.viewer.value,
        "version": view.version,
        "board": view.number,
        "dealer": view.dealer.letter,
        "vulnerable": view.vulnerability.value,
        "phase": view.phase and view.phase.value,
        "hands": {
            seat.letter: {"cards": None if hand is None else _cards(hand.cards), "count": count}
            for seat, hand, count in zip(Seat, view.hands, view.counts, strict=True)
        },
        "calls": [
            {
                "seat": each.seat.letter,
                "call": each.call.text,
                "alert": each.alert,
                "text": each.text,
                "asked": each.asked,
            }
            for each in view.calls
        ],
        "contract": contract
        and {
            "text": contract.text,
            "level": contract.level,
            "strain": contract.strain.text,
            "doubling": contract.doubling.text,
            "declarer": _letter(contract.declarer),
        },
        "dummy": _letter(view.dummy),
        "trick": view.trick and _trick(view.trick, contract),
        "last_trick": view.last_trick and _trick(view.last_trick, contract),
        "tricks_won": dict(zip(("NS", "EW"), view.tricks_won, strict=True)),
        "record": None if view.record is None else [_trick(trick, contract) for trick in view.record],
        "turn": _letter(view.turn),
        "waits_for": [seat.letter for seat in view.waits_for],
        "waits_for_director": view.waits_for_director,
        "legal_calls": None if view.legal_calls is None else [call.text for call in view.legal_calls],
        "legal_cards": None if view.legal_cards is None else _cards(view.legal_cards),
        "claim": view.claim
        and {
            "seat": view.claim.seat.letter,
            "tricks": view.claim.tricks,
            "remaining": view.claim.remaining,
            "line": view.claim.line,
            "waits_for": [seat.letter for seat in sorted(view.claim.waits_for)],
            "contested": view.claim.contested,
        },
        "undo": view.undo
        and {
            "seat": view.undo.seat.letter,
            "of": "call" if view.undo.of_call else "card",
            "place": view.undo.place,
            "text": view.undo_of,
            "waits_for": [seat.letter for seat in sorted(view.undo.waits_for)],
        },
        "may": list(view.may),
        "stop": view.stop,
        "last": view.last
        and {
            "seat": _letter(view.last.seat),
            "hand": _letter(view.last.hand),
            **action_to_data(view.last.action),
        },
        "ending": ending
        and {
            "how": ending.how.value,
            "tricks": ending.tricks,
            "result": result_text(contract, ending.tricks) if contract and ending.tricks is not None else "",
            "ns_score": _score(view, ending),
            "ruling": ending.ruling and ending.ruling.to_json(),
            "by": ending.by and ending.by.value,
        },
    }


def _letter(seat: Seat | None) -> str | None:
    return None if seat is None else seat.letter


def _cards(cards: Iterable[Card]) -> list[str]:
    return [card.text for card in sorted(cards, key=lambda card: -16 * card.suit - card.rank)]


def _trick(trick: Trick, contract: Contract | None) -> dict[str, Any]:
    winner = trick.winner(contract.strain) if contract and trick.is_complete else None
    return {
        "leader": trick.leader.letter,
        "cards": [card.text for card in trick.cards],
        "winner": _letter(winner),
    }


def _score(view: View, ending: Ending) -> int | None:
    """North–South's score of what was played; None when nothing was played to the end."""
    if ending.how is How.PASSED_OUT:
        return 0
    if view.contract is None or ending.tricks is None:
        return None
    return ns_score(view.contract, ending.tricks, view.vulnerability)
