"""One board at a table: everything that was done there, and what may be done next.

`apply` is the only way from one state to the next. It reads no clock, so a board is its opening and its actions: folding
the log gives the same state at any time, on any machine.
"""

from collections.abc import Collection, Iterable
from dataclasses import dataclass, replace
from enum import StrEnum
from typing import Any

from bridge.auction import Auction
from bridge.awards import Ruling
from bridge.cards import Deal
from bridge.contracts import Contract
from bridge.errors import IllegalAction, IllegalCall, IllegalCard
from bridge.play import Play
from bridge.seats import Seat, Side, Vulnerability
from bridge.seats import dealer as dealer_of
from bridge.seats import vulnerability as vulnerability_of
from bridge.table.actions import (
    Abandon,
    Action,
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    CutBoard,
    Explain,
    MakeCall,
    PlayCard,
    PlayOn,
    Rule,
    Silence,
    TakeBack,
    WithdrawClaim,
    WithdrawUndo,
)

CLAIMS_THAT_MAY_FAIL = 2
"""After so many refused claims on a board the claimer may not claim again on it."""


class DecidedBy(StrEnum):
    """Who decides about a claim that was refused, or a slip that someone wants back."""

    NOBODY = "nobody"
    PLAYERS = "players"
    DIRECTOR = "director"


@dataclass(frozen=True, slots=True)
class TableRules:
    """What the Laws leave to whoever runs the game.

    Attributes:
        undo: Who may grant that an unintended call is taken back, before partner has called (Law 25A): the opponents,
            the director, or nobody.
        undo_cards: Whether the opponents may also give back a card; never in events.
        claims: What follows a refused claim: play with the claimer's cards open to the opponents, or the director's
            ruling (Laws 68D, 70). With nobody to decide there are no claims.
        dummy_sees_declarer: Whether dummy may look at declarer's hand; in casual rooms only.
        stop_after_jump: Whether the next player waits a while after a jump (`TableState.stops`); who keeps the time sees to it.
    """

    undo: DecidedBy = DecidedBy.PLAYERS
    undo_cards: bool = False
    claims: DecidedBy = DecidedBy.PLAYERS
    dummy_sees_declarer: bool = False
    stop_after_jump: bool = False


@dataclass(frozen=True, slots=True)
class Meaning:
    """What was said about a call. Its caller and the opponents know of it, the caller's partner does not.

    Attributes:
        alert: Whether the call was alerted.
        text: What it means.
        asked_by: Opponents who asked and have no answer yet.
    """

    alert: bool = False
    text: str = ""
    asked_by: frozenset[Seat] = frozenset()


@dataclass(frozen=True, slots=True)
class OpenClaim:
    """A claim that waits: for the seats that have not accepted it, or, `contested`, for the director."""

    seat: Seat
    tricks: int
    remaining: int
    line: str = ""
    waits_for: frozenset[Seat] = frozenset()
    contested: bool = False


@dataclass(frozen=True, slots=True)
class OpenUndo:
    """A wish to take back one call, or one card, and all that came after it; `place` counts from 0.

    `waits_for` are the seats that have not granted it; nobody when the director decides.
    """

    seat: Seat
    of_call: bool
    place: int
    waits_for: frozenset[Seat] = frozenset()


class How(StrEnum):
    """How a board ended."""

    PASSED_OUT = "passed out"
    PLAYED = "played"
    CLAIMED = "claimed"
    RULED = "ruled"
    CUT = "cut"
    ABANDONED = "abandoned"


@dataclass(frozen=True, slots=True)
class Ending:
    """How a board ended, with the tricks of declarer's side, the ruling, or the side that left, where there is one."""

    how: How
    tricks: int | None = None
    ruling: Ruling | None = None
    by: Side | None = None


@dataclass(frozen=True, slots=True)
class Outcome:
    """What a finished board brings to the results: what was played, what was ruled, or both.

    Attributes:
        contract: With its declarer; None when passed out, or when a ruling stands in its place.
        lead: The opening lead as text, such as `H5`; empty when there was none.
    """

    contract: Contract | None
    passed_out: bool
    tricks: int | None
    lead: str
    ruling: Ruling | None


@dataclass(frozen=True, slots=True)
class Act:
    """Something that was done: by a seat, or by the table's keeper (None); a card with the hand it came from."""

    seat: Seat | None
    action: Action
    hand: Seat | None = None


@dataclass(frozen=True, slots=True)
class Board:
    """What does not change while a board is played."""

    number: int
    dealer: Seat
    vulnerability: Vulnerability
    deal: Deal
    rules: TableRules


@dataclass(frozen=True, slots=True)
class TableState:
    """A board after so many actions.

    Attributes:
        version: The number of actions.
        moved_at: The version of the last action that all four could see. Questions and explanations do not count: what
            was decided on the sight of `moved_at` or later was decided on the table as it is.
        moves: The number of actions that all four could see.
        auction: The calls.
        meanings: What was said about each of them.
        play: The cards, from the end of the auction on.
        claim: The open claim.
        undo: The open wish to take something back.
        refused_claims: Of each seat, North first.
        faced: Seats whose hands lie open to their opponents after a refused claim.
        undo_refused: What was asked to be taken back in vain: call or card, and its place.
        last: What was done last.
        noticed: What was last done that each seat could notice, North first.
        ending: How the board ended; None while it is played.
    """

    board: Board
    auction: Auction
    version: int = 0
    moved_at: int = 0
    meanings: tuple[Meaning, ...] = ()
    play: Play | None = None
    claim: OpenClaim | None = None
    undo: OpenUndo | None = None
    refused_claims: tuple[int, int, int, int] = (0, 0, 0, 0)
    faced: frozenset[Seat] = frozenset()
    undo_refused: tuple[bool, int] | None = None
    last: Act | None = None
    noticed: tuple[Act | None, ...] = (None, None, None, None)
    moves: int = 0
    ending: Ending | None = None

    @property
    def is_over(self) -> bool:
        return self.ending is not None

    @property
    def contract(self) -> Contract | None:
        """What is played, once the auction is over."""
        return self.play.contract if self.play else None

    @property
    def dummy(self) -> Seat | None:
        """Whose hand lies open: from the opening lead on."""
        return self.play.dummy if self.play and self.play.has_begun else None

    @property
    def stops(self) -> bool:
        """Whether the last call was a jump after which the next player waits a while."""
        calls = self.play is None and not self.is_over
        return calls and self.board.rules.stop_after_jump and self.auction.is_jump

    @property
    def outcome(self) -> Outcome | None:
        """What the results need; None while the board is played, and when it was cut or abandoned."""
        if self.ending is None or self.ending.how in (How.CUT, How.ABANDONED):
            return None
        ending, play = self.ending, self.play
        return Outcome(
            contract=play.contract if play and ending.tricks is not None else None,
            passed_out=ending.how is How.PASSED_OUT,
            tricks=ending.tricks,
            lead=play.lead.text if play and play.lead else "",
            ruling=ending.ruling,
        )


def open_board(
    number: int,
    deal: Deal,
    rules: TableRules = TableRules(),
    *,
    dealer: Seat | None = None,
    vulnerability: Vulnerability | None = None,
) -> TableState:
    """A board before its first call. Its number gives dealer and vulnerability, unless a record says otherwise.

    Args:
        number: Counted from 1.
        deal: All four hands.
        rules: What the Laws leave open.
        dealer: Where it is not the number's.
        vulnerability: Where it is not the number's.
    """
    if not deal.is_complete:
        raise TypeError("only a complete deal can be played")
    first = dealer_of(number) if dealer is None else dealer
    vulnerable = vulnerability_of(number) if vulnerability is None else vulnerability
    return TableState(Board(number, first, vulnerable, deal, rules), Auction(first))


def fold(state: TableState, log: Iterable[tuple[Seat | None, Action]]) -> TableState:
    """The state after all these actions, each with the seat that did it."""
    for seat, action in log:
        state = apply(state, seat, action)
    return state


def seats_to_act(state: TableState) -> frozenset[Seat]:
    """Whom the table waits for: who answers a claim or an undo, else whose turn it is.

    Declarer for dummy. Nobody when the board is over, or when the director has to decide.
    """
    if state.is_over:
        return frozenset()
    if request := state.claim or state.undo:
        return request.waits_for
    turn = state.play.actor if state.play else state.auction.turn
    return frozenset() if turn is None else frozenset((turn,))


def waits_for_director(state: TableState) -> bool:
    """Whether nobody at the table can go on before the director has decided."""
    return not state.is_over and not seats_to_act(state)


def apply(state: TableState, seat: Seat | None, action: Action) -> TableState:
    """The state after an action of a seat, or of the table's keeper (None).

    Raises:
        IllegalAction: It is not allowed now, or not to this seat; `IllegalCall` and `IllegalCard` for calls and cards.
            The sentence is for whoever tried.
    """
    if state.is_over:
        raise IllegalAction("The board is over.")
    if seat is None:
        return _keep(state, action)
    match action:
        case PlayCard():
            return _play(state, seat, action)
        case MakeCall():
            return _call(state, seat, action)
        case Explain():
            return _explain(state, seat, action)
        case AskAbout():
            return _ask(state, seat, action)
        case Claim():
            return _claim(state, seat, action)
        case AnswerClaim():
            return _answer_claim(state, seat, action)
        case WithdrawClaim():
            return _withdraw_claim(state, seat, action)
        case AskUndo():
            return _ask_undo(state, seat, action)
        case AnswerUndo():
            return _answer_undo(state, seat, action)
        case WithdrawUndo():
            return _withdraw_undo(state, seat, action)
    raise IllegalAction("Only a director, or the clock, may do that.")


def _moved(state: TableState, seat: Seat | None, action: Action, **changes: Any) -> TableState:
    """The next state, after something that all four can see."""
    version, act = state.version + 1, Act(seat, action)
    return replace(
        state,
        version=version,
        moved_at=version,
        moves=state.moves + 1,
        last=act,
        noticed=(act,) * 4,
        **changes,
    )


def _nothing_open(state: TableState) -> None:
    if state.claim:
        raise IllegalAction("A claim waits for its answer.")
    if state.undo:
        raise IllegalAction("The wish to take something back waits for its answer.")


# Calls and what they mean


def _call(state: TableState, seat: Seat, action: MakeCall) -> TableState:
    if state.play:
        raise IllegalCall("The auction is over.")
    _nothing_open(state)
    if state.auction.turn is not seat:
        raise IllegalCall("It is not your turn.")
    auction = state.auction.after(action.call)
    contract = auction.contract
    return _moved(
        state,
        seat,
        action,
        auction=auction,
        meanings=(*state.meanings, Meaning(action.alert, action.explanation)),
        play=Play.begin(contract, state.board.deal) if contract else None,
        ending=Ending(How.PASSED_OUT) if auction.is_passed_out else None,
    )


def _explain(state: TableState, seat: Seat, action: Explain) -> TableState:
    if seat is not _caller(state, action.place):
        raise IllegalAction("Only the player who made a call explains it.")
    if not action.explanation:
        raise IllegalAction("An explanation has words.")
    meaning = Meaning(state.meanings[action.place].alert, action.explanation)
    return _said(state, seat, action, action.place, meaning, to=seat.opponents)


def _ask(state: TableState, seat: Seat, action: AskAbout) -> TableState:
    if _caller(state, action.place).side is seat.side:
        raise IllegalAction("Questions are about the opponents' calls.")
    if seat is state.dummy:
        raise IllegalAction("Dummy asks no questions.")
    before = state.meanings[action.place]
    if seat in before.asked_by:
        raise IllegalAction("You have asked about this call.")
    asked = replace(before, asked_by=before.asked_by | {seat})
    return _said(state, seat, action, action.place, asked, to={_caller(state, action.place)})


def _caller(state: TableState, place: int) -> Seat:
    if not 0 <= place < len(state.auction.calls):
        raise IllegalAction("There is no such call.")
    return state.auction.seat_of(place)


def _said(
    state: TableState, seat: Seat, action: Action, place: int, meaning: Meaning, *, to: Collection[Seat]
) -> TableState:
    """The next state, after something that only these seats notice, and whoever said it."""
    act = Act(seat, action)
    return replace(
        state,
        version=state.version + 1,
        last=act,
        noticed=tuple(
            act if each is seat or each in to else before
            for each, before in zip(Seat, state.noticed, strict=True)
        ),
        meanings=(*state.meanings[:place], meaning, *state.meanings[place + 1 :]),
    )


# Cards


def _play_of(state: TableState) -> Play:
    if state.play is None:
        raise IllegalAction("The auction is not over.")
    return state.play


def _play(state: TableState, seat: Seat, action: PlayCard) -> TableState:
    play = state.play
    if play is None:
        raise IllegalCard("The auction is not over.")
    if state.claim or state.undo:
        _nothing_open(state)
    hand = play.turn
    if play.actor is not seat:
        if seat is hand:
            raise IllegalCard("Declarer plays dummy's cards.")
        raise IllegalCard("It is not your turn.")
    after = play.after(action.card)
    version, act = state.version + 1, Act(seat, action, hand)
    return replace(
        state,
        version=version,
        moved_at=version,
        moves=state.moves + 1,
        play=after,
        last=act,
        noticed=(act,) * 4,
        ending=Ending(How.PLAYED, after.won) if after.is_over else None,
    )


# Claims (Laws 68 to 71)


def why_no_claim(state: TableState, seat: Seat) -> IllegalAction | None:
    """Why a seat may not claim now; None when it may."""
    play = state.play
    if play is None or not play.has_begun:
        return IllegalAction("Claims are made after the opening lead.")
    if state.board.rules.claims is DecidedBy.NOBODY:
        return IllegalAction("There are no claims at this table.")
    if seat is play.dummy:
        return IllegalAction("Dummy does not claim.")
    if state.refused_claims[seat] >= CLAIMS_THAT_MAY_FAIL:
        return IllegalAction("After two refused claims you cannot claim again on this board.")
    return None


def _claim(state: TableState, seat: Seat, action: Claim) -> TableState:
    _nothing_open(state)
    if error := why_no_claim(state, seat):
        raise error
    play = _play_of(state)
    remaining, declarer = play.remaining, play.declarer
    if not 0 <= action.tricks <= remaining:
        raise IllegalAction("At the most %(tricks)s can be claimed now.", tricks=remaining)
    if seat is declarer:
        waits_for = declarer.opponents
    elif action.tricks < remaining:
        waits_for = frozenset((declarer, seat.partner))  # who may object to partner's concession (Law 68B2)
    else:
        waits_for = frozenset((declarer,))
    claim = OpenClaim(seat, action.tricks, remaining, action.line, waits_for)
    return _moved(state, seat, action, claim=claim)


def _answer_claim(state: TableState, seat: Seat, action: AnswerClaim) -> TableState:
    claim = state.claim
    if claim is None:
        raise IllegalAction("There is no claim to answer.")
    if seat not in claim.waits_for:
        raise IllegalAction("This claim does not wait for your answer.")
    if action.accept:
        return _accepted(state, seat, action, claim, claim.waits_for - {seat})
    if seat is claim.seat.partner:
        return _moved(state, seat, action, claim=None)  # neither claim nor concession
    return _refused(state, seat, action, claim)


def _accepted(
    state: TableState, seat: Seat | None, action: Action, claim: OpenClaim, waits_for: frozenset[Seat]
) -> TableState:
    if waits_for:
        return _moved(state, seat, action, claim=replace(claim, waits_for=waits_for))
    play = _play_of(state)
    ours = claim.seat.side is play.declarer.side
    won = play.won + (claim.tricks if ours else claim.remaining - claim.tricks)
    return _moved(state, seat, action, claim=None, ending=Ending(How.CLAIMED, won))


def _refused(state: TableState, seat: Seat | None, action: Action, claim: OpenClaim) -> TableState:
    if state.board.rules.claims is DecidedBy.DIRECTOR:
        contested = replace(claim, waits_for=frozenset(), contested=True)
        return _moved(state, seat, action, claim=contested)
    return _failed(state, seat, action, claim)


def _failed(state: TableState, seat: Seat | None, action: Action, claim: OpenClaim) -> TableState:
    """A claim has failed: play goes on, and the opponents keep the claimer's cards in sight."""
    north, east, south, west = (
        count + (each is claim.seat) for each, count in zip(Seat, state.refused_claims, strict=True)
    )
    return _moved(
        state,
        seat,
        action,
        claim=None,
        refused_claims=(north, east, south, west),
        faced=state.faced | {claim.seat},
    )


def _withdraw_claim(state: TableState, seat: Seat, action: WithdrawClaim) -> TableState:
    claim = state.claim
    if claim is None or claim.seat is not seat:
        raise IllegalAction("You have no claim to withdraw.")
    if state.board.rules.claims is DecidedBy.DIRECTOR:
        raise IllegalAction("A claim stands until it is answered.")
    return _failed(state, seat, action, claim)


# Taking back (Law 25A)


def why_no_undo(state: TableState, seat: Seat) -> IllegalAction | None:
    """Why a seat may not ask now for an undo; None when it may."""
    found = _slip(state, seat)
    return found if isinstance(found, IllegalAction) else None


def _slip(state: TableState, seat: Seat) -> OpenUndo | IllegalAction:
    """The wish that a seat may put before those who decide, or why it may not."""
    rules = state.board.rules
    if rules.undo is DecidedBy.NOBODY:
        return IllegalAction("Nothing is taken back at this table.")
    found = _played_slip(state, seat) if state.play and state.play.has_begun else _called_slip(state, seat)
    if isinstance(found, IllegalAction):
        return found
    if (found.of_call, found.place) == state.undo_refused:
        return IllegalAction("This was refused.")
    return replace(found, waits_for=frozenset()) if rules.undo is DecidedBy.DIRECTOR else found


def _called_slip(state: TableState, seat: Seat) -> OpenUndo | IllegalAction:
    calls = len(state.auction.calls)
    ago = (state.auction.seat_of(calls) - seat) % 4 or 4  # 1: the last call was this seat's
    if ago > calls:
        return IllegalAction("You have not called yet.")
    if ago > 2:
        return IllegalAction("Your partner has called since.")
    return OpenUndo(seat, True, calls - ago, seat.opponents)


def _played_slip(state: TableState, seat: Seat) -> OpenUndo | IllegalAction:
    play = state.play
    if play is None or not state.board.rules.undo_cards or state.board.rules.undo is DecidedBy.DIRECTOR:
        return IllegalAction("A card that was played stays played.")
    if seat is play.dummy:
        return IllegalAction("Declarer plays dummy's cards.")
    ours = {seat, play.dummy} if seat is play.declarer else {seat}
    hands = [
        trick.seat_of(place)
        for trick in (*play.tricks, play.trick)
        if trick
        for place in range(len(trick.cards))
    ]
    place = max((place for place, hand in enumerate(hands) if hand in ours), default=None)
    if place is None:
        return IllegalAction("You have not played yet.")
    if seat is not play.declarer and seat.partner in hands[place:]:
        return IllegalAction("Your partner has played since.")
    # Who takes back the opening lead turns dummy's cards down again: dummy is asked only then.
    return OpenUndo(seat, False, place, seat.opponents if place == 0 else seat.opponents - {play.dummy})


def _ask_undo(state: TableState, seat: Seat, action: AskUndo) -> TableState:
    _nothing_open(state)
    found = _slip(state, seat)
    if isinstance(found, IllegalAction):
        raise found
    return _moved(state, seat, action, undo=found)


def _answer_undo(state: TableState, seat: Seat, action: AnswerUndo) -> TableState:
    undo = state.undo
    if undo is None:
        raise IllegalAction("Nobody asks to take anything back.")
    if seat not in undo.waits_for:
        raise IllegalAction("This does not wait for your answer.")
    if not action.accept:
        return _stays(state, seat, action, undo)
    if waits_for := undo.waits_for - {seat}:
        return _moved(state, seat, action, undo=replace(undo, waits_for=waits_for))
    return _taken_back(state, seat, action, undo)


def _withdraw_undo(state: TableState, seat: Seat, action: WithdrawUndo) -> TableState:
    if state.undo is None or state.undo.seat is not seat:
        raise IllegalAction("You do not ask to take anything back.")
    return _stays(state, seat, action, state.undo)


def _stays(state: TableState, seat: Seat | None, action: Action, undo: OpenUndo) -> TableState:
    return _moved(state, seat, action, undo=None, undo_refused=(undo.of_call, undo.place))


def _taken_back(state: TableState, seat: Seat | None, action: Action, undo: OpenUndo) -> TableState:
    if undo.of_call:
        return _back_to(state, seat, action, calls=undo.place, cards=0)
    return _back_to(state, seat, action, calls=len(state.auction.calls), cards=undo.place)


def _back_to(state: TableState, seat: Seat | None, action: Action, *, calls: int, cards: int) -> TableState:
    """Only so many calls and cards are left, and what was said about those; before the lead no hand lies open."""
    auction = Auction(state.board.dealer, state.auction.calls[:calls])
    contract = auction.contract
    play = Play.begin(contract, state.board.deal) if contract else None
    if play and state.play:
        for card in state.play.cards()[:cards]:
            play = play.after(card)
    return _moved(
        state,
        seat,
        action,
        auction=auction,
        meanings=state.meanings[:calls],
        play=play,
        claim=None,
        undo=None,
        faced=state.faced if cards else frozenset(),
        undo_refused=None,
    )


# Acts of the table's keeper


def _keep(state: TableState, action: Action) -> TableState:
    match action:
        case Silence():
            return _silence(state, action)
        case AnswerUndo() if state.undo and not state.undo.waits_for:
            done = _taken_back if action.accept else _stays
            return done(state, None, action, state.undo)
        case Rule():
            return _rule(state, action)
        case PlayOn() if state.claim and state.claim.contested:
            return _failed(state, None, action, state.claim)
        case TakeBack():
            return _take_back(state, action)
        case CutBoard():
            return _ended(state, action, Ending(How.CUT))
        case Abandon():
            return _ended(state, action, Ending(How.ABANDONED, by=action.by))
    raise IllegalAction("There is nothing to decide.")


def _silence(state: TableState, action: Silence) -> TableState:
    """Who does not answer refuses; but a defender who says nothing does not object to partner's concession."""
    claim, undo = state.claim, state.undo
    if claim and claim.waits_for == {claim.seat.partner}:
        return _accepted(state, None, action, claim, frozenset())
    if claim and not claim.contested:
        return _refused(state, None, action, claim)
    if undo:
        return _stays(state, None, action, undo)
    raise IllegalAction("There is nothing to decide.")


def _rule(state: TableState, action: Rule) -> TableState:
    if action.tricks is None and action.ruling is None:
        raise IllegalAction("A ruling gives tricks or an adjusted score.")
    if action.tricks is not None and (state.play is None or not 0 <= action.tricks <= 13):
        raise IllegalAction("Tricks are 0 to 13, in a contract.")
    return _ended(state, action, Ending(How.RULED, action.tricks, action.ruling))


def _take_back(state: TableState, action: TakeBack) -> TableState:
    calls = len(state.auction.calls)
    cards = len(state.play.cards()) if state.play else 0
    fewer = action.calls < calls and action.cards == 0
    if not (0 <= action.calls <= calls and 0 <= action.cards <= cards) or not (
        fewer or (action.calls == calls and action.cards < cards)
    ):
        raise IllegalAction("There is nothing like that to take back.")
    return _back_to(state, None, action, calls=action.calls, cards=action.cards)


def _ended(state: TableState, action: Action, ending: Ending) -> TableState:
    return _moved(state, None, action, claim=None, undo=None, ending=ending)
