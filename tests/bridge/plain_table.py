"""What may be done at a table, once more, slowly and in plain words.

Facts (which calls, which cards, what is open) are read from the state; every judgement is made here, from the Laws and
the rules of the house, and none is taken from the engine.
"""

from collections.abc import Iterator

from bridge.auction import BIDS, CALLS, DOUBLE, PASS, REDOUBLE
from bridge.awards import Grade, Ruling
from bridge.cards import deck
from bridge.seats import Seat, Side
from bridge.table import (
    Abandon,
    Action,
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    CutBoard,
    DecidedBy,
    Explain,
    MakeCall,
    PlayCard,
    PlayOn,
    Rule,
    Silence,
    TableState,
    TakeBack,
    WithdrawClaim,
    WithdrawUndo,
)

Deed = tuple[Seat | None, Action]
DECK = tuple(deck())


class PlainTable:
    """A state, looked at by somebody with the Laws on their knees."""

    def __init__(self, state: TableState) -> None:
        self.state, self.rules = state, state.board.rules
        self.calls = state.auction.calls
        self.callers = [Seat((state.board.dealer + place) % 4) for place in range(len(self.calls) + 1)]
        self.called = len(self.calls) >= 4 and set(self.calls[-3:]) == {PASS}
        self.cards = state.play.cards() if state.play else ()
        self.legal_calls = self._legal_calls()
        self.declarer = self._declarer()
        self.dummy = None if self.declarer is None else Seat((self.declarer + 2) % 4)
        self.hands: list[Seat] = []  # whose hand each card came from, and whose is next
        self.legal_cards: set[object] = set()
        if self.declarer is not None:
            self._look_at_the_cards(self.declarer)

    def _legal_calls(self) -> set[object]:
        if self.called:
            return set()
        bids = [call for call in self.calls if call in BIDS]
        legal: set[object] = {PASS, *BIDS[BIDS.index(bids[-1]) + 1 if bids else 0 :]}
        spoken = [(seat, call) for seat, call in zip(self.callers, self.calls, strict=False) if call != PASS]
        if spoken and (spoken[-1][0] - self.callers[-1]) % 2:
            legal |= {DOUBLE} if spoken[-1][1] in BIDS else {REDOUBLE} if spoken[-1][1] == DOUBLE else set()
        return legal

    def _declarer(self) -> Seat | None:
        bids = [(seat, call) for seat, call in zip(self.callers, self.calls, strict=False) if call in BIDS]
        if not bids or not self.called:
            return None
        bidder, last = bids[-1]
        return next(s for s, call in bids if (s - bidder) % 2 == 0 and call.strain == last.strain)

    def _look_at_the_cards(self, declarer: Seat) -> None:
        strain = [call for call in self.calls if call in BIDS][-1].strain
        turn = Seat((declarer + 1) % 4)
        for start in range(0, len(self.cards), 4):
            trick = self.cards[start : start + 4]
            seats = [Seat((turn + place) % 4) for place in range(4)]
            self.hands += seats[: len(trick)]
            turn = seats[len(trick) % 4]
            if len(trick) == 4:
                strength = [
                    (card.suit == strain, card.suit == trick[0].suit, card.rank)  # type: ignore[comparison-overlap]
                    for card in trick
                ]
                turn = seats[strength.index(max(strength))]
        self.hands.append(turn)
        hand = self.state.board.deal[turn]
        assert hand is not None
        left = hand.cards - set(self.cards)
        trick = self.cards[len(self.cards) // 4 * 4 :]
        follow = {card for card in left if trick and card.suit == trick[0].suit}
        self.legal_cards = set(follow or left)

    @property
    def remaining(self) -> int:
        return 13 - len(self.cards) // 4

    @property
    def open(self) -> bool:
        return self.state.claim is not None or self.state.undo is not None

    def allows(self, seat: Seat | None, action: Action) -> bool:
        if self.state.ending is not None:
            return False
        return self._keeper_may(action) if seat is None else self._player_may(seat, action)

    def _player_may(self, seat: Seat, action: Action) -> bool:
        claim, undo = self.state.claim, self.state.undo
        match action:
            case MakeCall(call):
                return not self.open and seat is self.callers[-1] and call in self.legal_calls
            case PlayCard(card):
                if self.declarer is None or self.open:
                    return False
                hand = self.hands[-1]
                actor = self.declarer if hand is self.dummy else hand
                return seat is actor and card in self.legal_cards
            case Explain(place, explanation):
                return place < len(self.calls) and self.callers[place] is seat and explanation != ""
            case AskAbout(place):
                return (
                    place < len(self.calls)
                    and (self.callers[place] - seat) % 2 == 1
                    and not (self.cards and seat is self.dummy)
                    and seat not in self.state.meanings[place].asked_by
                )
            case Claim(tricks):
                return (
                    not self.open
                    and len(self.cards) > 0
                    and seat is not self.dummy
                    and self.rules.claims is not DecidedBy.NOBODY
                    and self.state.refused_claims[seat] < 2
                    and tricks <= self.remaining
                )
            case AnswerClaim():
                return claim is not None and seat in claim.waits_for
            case WithdrawClaim():
                return claim is not None and claim.seat is seat and self.rules.claims is DecidedBy.PLAYERS
            case AskUndo():
                return self._may_ask_undo(seat)
            case AnswerUndo():
                return undo is not None and seat in undo.waits_for
            case WithdrawUndo():
                return undo is not None and undo.seat is seat
        return False

    def _may_ask_undo(self, seat: Seat) -> bool:
        if self.open or self.rules.undo is DecidedBy.NOBODY:
            return False
        if not self.cards:
            mine = [place for place in range(len(self.calls)) if self.callers[place] is seat]
            return (
                bool(mine)
                and Seat((seat + 2) % 4) not in self.callers[mine[-1] : len(self.calls)]
                and self.state.undo_refused != (True, mine[-1])
            )
        if self.rules.undo is DecidedBy.DIRECTOR or not self.rules.undo_cards or seat is self.dummy:
            return False
        played = self.hands[:-1]
        hands = (seat, self.dummy) if seat is self.declarer else (seat,)
        ours = [place for place, hand in enumerate(played) if hand in hands]
        if not ours or self.state.undo_refused == (False, ours[-1]):
            return False
        return seat is self.declarer or Seat((seat + 2) % 4) not in played[ours[-1] :]

    def _keeper_may(self, action: Action) -> bool:
        claim, undo = self.state.claim, self.state.undo
        match action:
            case Silence():
                return undo is not None or (claim is not None and not claim.contested)
            case AnswerUndo():
                return undo is not None and self.rules.undo is DecidedBy.DIRECTOR
            case PlayOn():
                return claim is not None and claim.contested
            case Rule(tricks, ruling):
                if tricks is None:
                    return ruling is not None
                return self.declarer is not None and tricks <= 13
            case TakeBack(calls, cards):
                if calls < len(self.calls):
                    return cards == 0
                return calls == len(self.calls) and cards < len(self.cards)
            case CutBoard() | Abandon():
                return True
        return False


def every_deed(state: TableState) -> Iterator[Deed]:
    """Everything that anybody could try at a table, sensible or not."""
    calls = len(state.auction.calls)
    ruling = Ruling(Grade.PLUS, Grade.MINUS)
    actions: list[Action] = [
        *(MakeCall(call) for call in CALLS),
        *(PlayCard(card) for card in DECK),
        *(Explain(place, "natural") for place in range(calls + 2)),
        Explain(calls // 2, ""),
        *(AskAbout(place) for place in range(calls + 2)),
        *(Claim(tricks) for tricks in range(15)),
        *(AnswerClaim(accept) for accept in (True, False)),
        *(AnswerUndo(accept) for accept in (True, False)),
        *(WithdrawClaim(), AskUndo(), WithdrawUndo(), Silence(), PlayOn(), CutBoard()),
        *(Abandon(side) for side in (*Side, None)),
        *(Rule(tricks) for tricks in (None, 0, 13, 14)),
        Rule(ruling=ruling),
        *(TakeBack(each) for each in (0, calls, calls + 1)),
        *(TakeBack(calls, cards) for cards in (1, 51, 52)),
    ]
    for seat in (*Seat, None):
        for action in actions:
            yield seat, action
