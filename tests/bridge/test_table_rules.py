"""What is allowed at a table and what is not, for everything that anybody could try."""

import ast
import json
from collections import Counter
from collections.abc import Callable
from dataclasses import dataclass, field, replace
from inspect import getsource
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge import auction, play
from bridge.errors import BridgeError, IllegalAction
from bridge.seats import Seat
from bridge.table import (
    NAMES,
    Act,
    Action,
    KeeperAction,
    PlayCard,
    TableState,
    action_from_data,
    action_to_data,
    apply,
    fold,
    seats_to_act,
    seen_by,
    waits_for_director,
)
from bridge.table import state as table_state
from tests.bridge.plain_table import Deed, PlainTable, every_deed
from tests.faults.thorough import Tell, often
from tests.secrecy import random_story

ILLEGAL = often(4_000_000, usual=1_000_000)
PARTS = 4


Engine = Callable[[TableState, Seat | None, Action], TableState]


@dataclass(slots=True)
class Tried:
    """What was refused: how often, by the sentence that says why, and how many were one step from being allowed.

    And what was allowed, by its name.
    """

    said: Counter[str] = field(default_factory=Counter)
    nearly: int = 0
    done: Counter[str] = field(default_factory=Counter)


def interest(state: TableState) -> float:
    """How often a state is looked at: always when somebody waits for an answer, and more often than others when something
    was refused before, and at the beginning of the auction and of the play."""
    if state.claim or state.undo:
        return 1.0
    if state.undo_refused or any(state.refused_claims):
        return 0.4
    done = len(state.play.cards()) if state.play else len(state.auction.calls)
    return 0.4 if done < 5 else 0.05


def first_disagreement(
    engine: Engine, chance: Random, attempts: int, tried: Tried | None = None
) -> Deed | None:
    """Everybody tries everything, at boards with everything on them, until so many attempts were refused.

    What is one step from being allowed is always tried: what somebody else might do, or the same player in other words.
    Of the rest it is a part.

    Returns:
        The first that the engine accepts against the rules, or refuses though they allow it; None without any.
    """
    tried = tried or Tried()
    while tried.said.total() < attempts:
        for state in random_story(chance).states:
            if chance.random() > interest(state):
                continue
            plain, deeds = PlainTable(state), list(every_deed(state))
            allowed = {deed for deed in deeds if plain.allows(*deed)}
            actions, kinds = (
                {action for _, action in allowed},
                {(seat, type(action)) for seat, action in allowed},
            )
            for seat, action in deeds:
                near = action in actions or (seat, type(action)) in kinds
                if not near and chance.random() < 0.75:
                    continue
                try:
                    engine(state, seat, action)
                except IllegalAction as error:
                    if (seat, action) in allowed:
                        return seat, action
                    tried.said[error.message] += 1
                    tried.nearly += near
                else:
                    if (seat, action) not in allowed:
                        return seat, action
                    tried.done[NAMES[type(action)]] += 1
    return None


def sentences() -> set[str]:
    """All that the engine can answer to what is not allowed."""
    return {
        node.args[0].value
        for module in (auction, play, table_state)
        for node in ast.walk(ast.parse(getsource(module)))
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id.startswith("Illegal")
        if isinstance(node.args[0], ast.Constant) and isinstance(node.args[0].value, str)
    }


UNHEARD = {"All cards are played."}  # the board is over then, and says so first


@pytest.mark.parametrize("part", range(PARTS))
def test_of_a_million_illegal_actions_none_is_accepted_and_no_legal_one_refused(
    part: int, record_property: Tell
) -> None:
    tried = Tried()
    assert first_disagreement(apply, Random(part), ILLEGAL // PARTS, tried) is None
    assert tried.said.total() >= ILLEGAL // PARTS
    assert (
        tried.said.keys() == sentences() - UNHEARD
    )  # an engine without one of them would have been found out
    assert tried.done.keys() == set(NAMES.values())
    assert tried.nearly > ILLEGAL // PARTS // 4
    record_property("illegal actions", tried.said.total())
    record_property("illegal actions one step from legal", tried.nearly)


def whoever_sends_it(state: TableState, seat: Seat | None, action: Action) -> TableState:
    return apply(state, next(iter(seats_to_act(state)), seat), action)


def players_may_all(state: TableState, seat: Seat | None, action: Action) -> TableState:
    return apply(state, None if isinstance(action, KeeperAction) else seat, action)


def revokes_are_allowed(state: TableState, seat: Seat | None, action: Action) -> TableState:
    if isinstance(action, PlayCard) and state.play and state.play.trick:
        lead = replace(state.play.trick, cards=())
        return apply(replace(state, play=replace(state.play, trick=lead)), seat, action)
    return apply(state, seat, action)


def lenient(sentence: str) -> Engine:
    """An engine that lets pass what ours refuses with this sentence."""

    def engine(state: TableState, seat: Seat | None, action: Action) -> TableState:
        try:
            return apply(state, seat, action)
        except IllegalAction as error:
            if error.message != sentence:
                raise
            return state

    return engine


def strict(name: str) -> Engine:
    """An engine that refuses an act that ours allows, now and then."""

    def engine(state: TableState, seat: Seat | None, action: Action) -> TableState:
        if NAMES[type(action)] == name and (state.version + state.board.number) % 5 == 0:
            raise IllegalAction("Not now.")
        return apply(state, seat, action)

    return engine


ENGINES: dict[str, Engine] = {
    "whoever sends it": whoever_sends_it,
    "players may all": players_may_all,
    "revokes are allowed": revokes_are_allowed,
    "three claims": lenient("After two refused claims you cannot claim again on this board."),
    "asked again": lenient("This was refused."),
    "answered twice": lenient("This does not wait for your answer."),
    "an insufficient bid": lenient("A bid must be higher than the last one."),
    "a claim before the lead": lenient("Claims are made after the opening lead."),
    "no play on": strict("play_on"),
    "no withdrawal": strict("withdraw_undo"),
}


@pytest.mark.parametrize("engine", ENGINES)
def test_an_engine_that_allows_or_refuses_too_much_is_found_out(engine: str) -> None:
    assert first_disagreement(ENGINES[engine], Random(1), ILLEGAL // PARTS) is not None


def test_who_may_act_is_told_so_and_nobody_else() -> None:
    """What a view offers, and whom the table waits for, is what `apply` accepts."""
    chance = Random(21)
    for _ in range(30):
        for state in random_story(chance).states:
            plain = PlainTable(state)
            allowed: dict[Seat, set[str]] = {seat: set() for seat in Seat}
            for seat, action in every_deed(state):
                if seat is not None and plain.allows(seat, action):
                    allowed[seat].add(NAMES[type(action)])
            for seat in Seat:
                view = seen_by(state, seat)
                assert set(view.may) - {"ask"} == allowed[seat] - {"ask"}
                assert set(view.may) >= allowed[seat]  # a question that was asked may stay on offer
                choosing = view.legal_calls is not None or view.legal_cards is not None
                assert choosing is bool({"call", "play"} & allowed[seat])
            waited = {
                seat
                for seat, names in allowed.items()
                if names & {"call", "play", "answer_claim", "answer_undo"}
            }
            assert waited == seats_to_act(state)
            assert waits_for_director(state) is (not waited and not state.is_over)


def test_a_state_says_what_was_done_last_and_by_whom() -> None:
    chance = Random(41)
    done: set[str] = set()
    for _ in range(250):
        story = random_story(chance)
        before = story.opening
        for version, ((seat, action), state) in enumerate(zip(story.log, story.states[1:], strict=True), 1):
            hand = before.play.turn if before.play and isinstance(action, PlayCard) else None
            assert (state.version, state.last) == (version, Act(seat, action, hand))
            assert not (state.claim and state.undo)
            assert not (state.is_over and (state.claim or state.undo))
            before = state
            done.add(NAMES[type(action)])
    assert done == set(NAMES.values())


def through_the_log(action: Action) -> Action:
    return action_from_data(json.loads(json.dumps(action_to_data(action))), keeper=True)


def test_a_board_comes_back_from_its_log_as_it_was() -> None:
    chance = Random(31)
    for _ in range(100):
        story = random_story(chance)
        log = [(seat, through_the_log(action)) for seat, action in story.log]
        assert log == list(story.log)
        assert fold(story.opening, log) == story.states[-1]


def test_every_action_is_read_back_from_its_data() -> None:
    state = random_story(Random(1)).states[-1]
    for _, action in every_deed(state):
        assert through_the_log(action) == action


JSON = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats() | st.text(max_size=12),
    lambda inner: st.lists(inner, max_size=4) | st.dictionaries(st.text(max_size=8), inner, max_size=4),
    max_leaves=8,
)
FIELDS = [
    "call",
    "alert",
    "explanation",
    "place",
    "card",
    "tricks",
    "line",
    "accept",
    "ruling",
    "calls",
    "by",
]
VALUES = JSON | st.sampled_from(
    ["1NT", "SA", "sA ", "8C", "X", 0, 3, -1, 14, 10**30, True, "x" * 4000, "NS", "\x00"]
)


@given(
    JSON
    | st.fixed_dictionaries(
        {"do": st.sampled_from([*NAMES.values(), "x"])}, optional=dict.fromkeys(FIELDS, VALUES)
    ),
    st.booleans(),
)
@settings(max_examples=500, deadline=None, derandomize=True)
def test_rubbish_is_refused_in_words(data: object, keeper: bool) -> None:
    try:
        action = action_from_data(data, keeper=keeper)
    except BridgeError as error:
        said = str(error)
    else:
        said = ""
        assert action_from_data(action_to_data(action), keeper=keeper) == action
    assert len(said) < 200


@pytest.mark.parametrize(
    "data",
    [
        {"do": "call"},
        {"do": "call", "call": "8C"},
        {"do": "call", "call": "1NT", "seat": "N"},
        {"do": "call", "call": "1NT", "alert": 1},
        {"do": "call", "call": "1NT", "explanation": "x" * 201},
        {"do": "call", "call": "1NT", "explanation": "two\nlines"},
        {"do": "call", "call": "1NT", "explanation": "turned \u202e round"},
        {"do": "call", "call": ["1NT"]},
        {"do": "play", "card": "sA "},
        {"do": "play", "card": "SA" * 2000},
        {"do": "play", "card": 7},
        {"do": "claim", "tricks": True},
        {"do": "claim", "tricks": -1},
        {"do": "claim", "tricks": 1.0},
        {"do": "claim", "tricks": 3, "line": "x" * 501},
        {"do": ["claim"]},
        {"do": "answer_claim"},
        {"do": "answer_claim", "accept": "yes"},
        {"do": "explain", "place": 10**9, "explanation": "x"},
        {"do": "cut"},
        {"do": "rule", "tricks": 13},
        {"do": "abandon", "by": "NS"},
        {},
        [],
        "cut",
        None,
    ],
)
def test_what_a_browser_may_not_send_is_no_action(data: object) -> None:
    with pytest.raises(BridgeError) as error:
        action_from_data(data)
    assert error.value.message in {
        "This is not an action at a table.",
        "“%(text)s” is not a card.",
        "A text has %(longest)s characters at the most.",
        "A text is one line without control characters.",
    }


@pytest.mark.parametrize(
    "data",
    [
        {"do": "rule", "ruling": []},
        {"do": "rule", "ruling": {}},
        {"do": "rule", "ruling": {"ns": {"grade": "A++"}, "ew": {"grade": "A"}}},
        {"do": "rule", "ruling": {"ns": {"percent": "1e9"}, "ew": {"percent": "5"}}},
        {"do": "abandon", "by": "N"},
        {"do": "abandon", "by": None},
        {"do": "take_back"},
    ],
)
def test_a_log_that_is_damaged_is_refused(data: object) -> None:
    with pytest.raises(BridgeError):
        action_from_data(data, keeper=True)


def test_cards_and_calls_are_read_in_either_case() -> None:
    assert action_from_data({"do": "play", "card": "h10"}) == action_from_data({"do": "play", "card": "HT"})
    assert action_from_data({"do": "call", "call": "1n"}) == action_from_data({"do": "call", "call": "1NT"})
