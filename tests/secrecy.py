"""Non-interference: what a viewer receives does not depend on what that viewer may not see.

A board and its log get a twin that differs in hidden things alone: unplayed cards change places among the hands that
the viewer may not see, as far as suits in which a hand has shown out allow it, and what partner told the opponents
about calls is told otherwise. Both go through the same number of actions; then every byte that the viewer gets must be
the same. `twin` builds it, `first_difference` looks for a viewer who is told too much by any way of seeing a table:
a function of the engine, a page, a socket.

What a viewer may see is written down here once more, apart from the engine, on purpose.
"""

import json
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace
from random import Random

from bridge.auction import DOUBLE, PASS, REDOUBLE
from bridge.cards import Card, Deal, Hand, Suit, deck
from bridge.errors import IllegalAction
from bridge.seats import Seat
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
    TableRules,
    TableState,
    TakeBack,
    Viewer,
    WithdrawClaim,
    WithdrawUndo,
    apply,
    open_board,
    seats_to_act,
    seen_by,
    view_to_data,
)

Deed = tuple[Seat | None, Action]
Watcher = Seat | Viewer
See = Callable[[TableState, Watcher], bytes]
WATCHERS: tuple[Watcher, ...] = (*Seat, *Viewer)
WORDS = ("", "", "12 to 14", "transfer to spades", "either minor, or 18 to 19", "weak", "natural, forcing")


def see(state: TableState, watcher: Watcher) -> bytes:
    """What the engine tells a watcher, as it is sent."""
    return json.dumps(view_to_data(seen_by(state, watcher)), ensure_ascii=False).encode()


@dataclass(frozen=True, slots=True)
class Story:
    """A board and what was done on it. `states[n]` is the board after n deeds."""

    opening: TableState
    log: tuple[Deed, ...]
    states: tuple[TableState, ...]

    def until(self, version: int) -> "Story":
        return Story(self.opening, self.log[:version], self.states[: version + 1])


def told(opening: TableState, log: Sequence[Deed]) -> Story:
    """The story of a log.

    Raises:
        IllegalAction: A deed that the engine refuses.
    """
    states = [opening]
    for seat, action in log:
        states.append(apply(states[-1], seat, action))
    return Story(opening, tuple(log), tuple(states))


def random_deal(chance: Random) -> Deal:
    cards = list(deck())
    chance.shuffle(cards)
    north, east, south, west = (Hand(frozenset(cards[start::4])) for start in range(4))
    return Deal((north, east, south, west))


def random_rules(chance: Random) -> TableRules:
    return TableRules(
        undo=chance.choice(list(DecidedBy)),
        undo_cards=chance.random() < 0.5,
        claims=chance.choice(list(DecidedBy)),
        dummy_sees_declarer=chance.random() < 0.3,
        stop_after_jump=chance.random() < 0.5,
    )


def random_story(chance: Random) -> Story:
    """A board with everything that can happen at a table, to its end. At every second table people are restless."""
    state = open_board(chance.randint(1, 32), random_deal(chance), random_rules(chance))
    patience = chance.choice((1.0, 0.3))
    log: list[Deed] = []
    states = [state]
    while not state.is_over:
        seat, action = _next_deed(chance, state, patience)
        try:
            state = apply(state, seat, action)
        except IllegalAction:
            continue
        log.append((seat, action))
        states.append(state)
    return Story(states[0], tuple(log), tuple(states))


def _next_deed(chance: Random, state: TableState, patience: float) -> Deed:
    """Something that may be allowed: mostly what the table waits for."""
    luck = chance.random() * patience
    anybody = chance.choice(list(Seat))
    place = chance.randrange(len(state.auction.calls) or 1)
    if luck < 0.04:
        return anybody, AskAbout(place)
    if luck < 0.08:
        caller = state.auction.seat_of(place)
        return caller, Explain(place, chance.choice(WORDS[2:]))
    if luck < 0.1:
        return anybody, AskUndo()
    if luck < 0.13:
        left = state.play.remaining if state.play else 0
        again = [seat for seat in Seat for _ in range(1 + 3 * state.refused_claims[seat])]
        return chance.choice(again), Claim(chance.randint(0, left), chance.choice(WORDS))
    if luck < 0.132:
        ends: list[Action] = [CutBoard(), Abandon(anybody.side), Rule(tricks=9)]
        return None, chance.choice(ends)
    if luck < 0.135:
        calls, cards = len(state.auction.calls), len(state.play.cards()) if state.play else 0
        backs = [TakeBack(calls, max(0, cards - 2)), TakeBack(calls), TakeBack(chance.randint(0, calls))]
        return None, chance.choice(backs)
    if state.claim or state.undo:
        return _answer(chance, state)
    (seat,) = seats_to_act(state)
    if state.play:
        return seat, PlayCard(chance.choice(sorted(state.play.legal_cards(), key=lambda card: card.text)))
    legal = state.auction.legal_calls()
    doubles = [call for call in legal if call in (DOUBLE, REDOUBLE)]
    call = chance.choice([PASS, PASS, PASS, *doubles, *[call for call in legal if call.is_bid][:3]])
    return seat, MakeCall(call, chance.random() < 0.2, chance.choice(WORDS))


def _answer(chance: Random, state: TableState) -> Deed:
    luck = chance.random()
    asker = state.claim or state.undo
    assert asker is not None
    if luck < 0.05:
        return None, Silence()
    if luck < 0.1:
        return asker.seat, WithdrawClaim() if state.claim else WithdrawUndo()
    if not asker.waits_for:
        rulings: list[Action] = [PlayOn(), PlayOn(), Rule(tricks=7)]
        return None, AnswerUndo(chance.random() < 0.7) if state.undo else chance.choice(rulings)
    seat = chance.choice(sorted(asker.waits_for))
    if state.claim:
        return seat, AnswerClaim(chance.random() < 0.2)  # so that play often goes on
    return seat, AnswerUndo(chance.random() < 0.7)


def open_hands(state: TableState, watcher: Watcher) -> frozenset[Seat]:
    """The hands that a watcher may see, by the rules of the house."""
    if watcher is Viewer.DIRECTOR:
        return frozenset(Seat)
    if not isinstance(watcher, Seat):
        return frozenset()
    if state.ending is not None:
        return frozenset(Seat)
    seen = {watcher}
    if state.play and state.play.cards():
        declarer, dummy = state.play.declarer, state.play.declarer.partner
        seen.add(dummy)
        if watcher is dummy and state.board.rules.dummy_sees_declarer:
            seen.add(declarer)
        claimers = set(state.faced) | ({state.claim.seat} if state.claim else set())
        for claimer in claimers:
            if claimer.side is not watcher.side or claimer is declarer:
                seen.add(claimer)
    return frozenset(seen)


def twin(story: Story, watcher: Watcher, chance: Random) -> Story | None:
    """The same story in another world that the watcher cannot tell from this one; None when there is no other."""
    deal = _other_deal(story, watcher, chance)
    log = _other_words(story, watcher, chance)
    if deal == story.opening.board.deal and log == story.log:
        return None
    opening = replace(story.opening, board=replace(story.opening.board, deal=deal))
    try:
        return told(opening, log)
    except IllegalAction:  # a question about another call may be one too many
        return told(opening, story.log) if deal != story.opening.board.deal else None


def _other_deal(story: Story, watcher: Watcher, chance: Random) -> Deal:
    deal = story.opening.board.deal
    hands = {seat: set(hand.cards) for seat, hand in zip(Seat, deal.hands, strict=True) if hand}
    fixed: set[Card] = set()
    shown_out: dict[Seat, set[Suit]] = {seat: set() for seat in Seat}
    for state, (_, action) in zip(story.states, story.log, strict=False):
        if isinstance(action, PlayCard) and state.play and state.play.trick and state.play.turn is not None:
            fixed.add(action.card)
            led = state.play.trick.led
            if led is not None and action.card.suit is not led:
                shown_out[state.play.turn].add(led)
    hidden = [seat for seat in Seat if seat not in open_hands(story.states[-1], watcher)]
    free = {seat: sorted(hands[seat] - fixed, key=lambda card: card.text) for seat in hidden}
    holders = [seat for seat in hidden if free[seat]]
    if len(holders) < 2:
        return deal
    for _ in range(24):
        one, other = chance.sample(holders, 2)
        here, there = chance.randrange(len(free[one])), chance.randrange(len(free[other]))
        mine, yours = free[one][here], free[other][there]
        if mine.suit not in shown_out[other] and yours.suit not in shown_out[one]:
            free[one][here], free[other][there] = yours, mine
    north, east, south, west = (
        Hand(frozenset((hands[seat] & fixed) | set(free[seat])))
        if seat in hidden
        else Hand(frozenset(hands[seat]))
        for seat in Seat
    )
    return Deal((north, east, south, west))


def _other_words(story: Story, watcher: Watcher, chance: Random) -> tuple[Deed, ...]:
    """The log with other words for what was said of the calls of the watcher's partner, and other questions."""
    if not isinstance(watcher, Seat) or story.states[-1].is_over:
        return story.log
    return tuple(
        (seat, _otherwise(state, seat, action, watcher, chance))
        for state, (seat, action) in zip(story.states, story.log, strict=False)
    )


def _otherwise(state: TableState, seat: Seat | None, action: Action, watcher: Seat, chance: Random) -> Action:
    match action:
        case MakeCall(call) if seat is watcher.partner:
            return MakeCall(call, chance.random() < 0.5, chance.choice(WORDS))
        case Explain(place) if seat is watcher.partner:
            return Explain(_another(state, place, chance), chance.choice(WORDS[2:]))
        case AskAbout(place) if seat is not watcher and state.auction.seat_of(place) is not watcher:
            return AskAbout(_another(state, place, chance))
    return action


def without_whispers(story: Story, watcher: Seat) -> Story:
    """The story in a world in which nobody asked or said what this watcher may not notice."""

    def is_heard(state: TableState, seat: Seat | None, action: Action) -> bool:
        match action:
            case AskAbout(place):
                return watcher in (seat, state.auction.seat_of(place))
            case Explain():
                return seat is not watcher.partner
        return True

    deeds = zip(story.states, story.log, strict=False)
    return told(story.opening, [deed for state, deed in deeds if is_heard(state, *deed)])


def _another(state: TableState, place: int, chance: Random) -> int:
    """The place of some call of the same caller."""
    return chance.choice(range(place % 4, len(state.auction.calls), 4))


def kind(state: TableState, watcher: Watcher) -> str:
    """Who looks, and when, in a few words: every kind has to be among the pairs that are compared."""
    if not isinstance(watcher, Seat):
        return watcher.value
    if state.is_over:
        return "player at the end"
    if state.play is None:
        return "player in the auction"
    if not state.play.has_begun:
        return "player before the lead"
    role = "declarer" if watcher is state.play.declarer else "dummy" if watcher is state.dummy else "defender"
    if state.claim:
        return f"{role} at a claim"
    return f"{role} after a refused claim" if state.faced else role


KINDS = frozenset(
    {
        "public",
        "player in the auction",
        "player before the lead",
        *("declarer", "dummy", "defender"),
        *("declarer at a claim", "dummy at a claim", "defender at a claim"),
        *("declarer after a refused claim", "dummy after a refused claim", "defender after a refused claim"),
    }
)
"""All kinds of watchers from whom something is hidden."""


def twins(chance: Random, *, a_story: int = 12) -> Iterator[tuple[Story, Story, Watcher]]:
    """Pairs without end: a story up to some version, its twin, and who must not be able to tell them apart.

    Versions just after something rare (a claim, a question, an undo, the lead) come up more often than others.
    """
    while True:
        whole = random_story(chance)
        rare = [
            version
            for version, (_, action) in enumerate(whole.log, 1)
            if not isinstance(action, (MakeCall, PlayCard)) or whole.states[version].last is None
        ]
        for _ in range(a_story):
            version = (
                chance.choice(rare) if rare and chance.random() < 0.3 else chance.randrange(len(whole.states))
            )
            story, watcher = whole.until(version), chance.choice(WATCHERS[:5])
            if other := twin(story, watcher, chance):
                yield story, other, watcher


@dataclass(frozen=True, slots=True)
class Difference:
    """A watcher who was told something hidden, and what was told in the two worlds."""

    watcher: Watcher
    state: TableState
    one: bytes
    other: bytes


def first_difference(
    see: See, chance: Random, pairs: int, *, seen: dict[str, int] | None = None
) -> Difference | None:
    """The first of so many pairs that a watcher can tell apart; None when there is none. `seen` counts the kinds."""
    for (story, other, watcher), _ in zip(twins(chance), range(pairs), strict=False):
        state = story.states[-1]
        if seen is not None:
            seen[kind(state, watcher)] = seen.get(kind(state, watcher), 0) + 1
        one, two = see(state, watcher), see(other.states[-1], watcher)
        if one != two:
            return Difference(watcher, state, one, two)
    return None
