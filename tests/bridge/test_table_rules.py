"""What is allowed at a table and what is not, for everything that anybody could try."""

import json
from collections.abc import Callable
from dataclasses import replace
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

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
from tests.bridge.plain_table import Deed, PlainTable, every_deed
from tests.faults.thorough import often
from tests.secrecy import random_story

ILLEGAL = often(4_000_000, usual=1_000_000)
PARTS = 4


Engine = Callable[[TableState, Seat | None, Action], TableState]


def first_disagreement(engine: Engine, chance: Random, attempts: int) -> Deed | None:
    """Everybody tries everything, at boards with everything on them, until so many attempts were refused.

    Returns:
        The first that the engine accepts against the rules, or refuses though they allow it; None without any.
    """
    refused = 0
    while refused < attempts:
        for state in random_story(chance).states:
            if chance.random() < 0.5:
                continue
            plain = PlainTable(state)
            for seat, action in every_deed(state):
                try:
                    engine(state, seat, action)
                except IllegalAction:
                    allowed = False
                    refused += 1
                else:
                    allowed = True
                if allowed is not plain.allows(seat, action):
                    return seat, action
    return None


@pytest.mark.parametrize("part", range(PARTS))
def test_of_a_million_illegal_actions_none_is_accepted_and_no_legal_one_refused(part: int) -> None:
    assert first_disagreement(apply, Random(part), ILLEGAL // PARTS) is None


def whoever_sends_it(state: TableState, seat: Seat | None, action: Action) -> TableState:
    return apply(state, next(iter(seats_to_act(state)), seat), action)


def players_may_all(state: TableState, seat: Seat | None, action: Action) -> TableState:
    return apply(state, None if isinstance(action, KeeperAction) else seat, action)


def revokes_are_allowed(state: TableState, seat: Seat | None, action: Action) -> TableState:
    if isinstance(action, PlayCard) and state.play and state.play.trick:
        lead = replace(state.play.trick, cards=())
        return apply(replace(state, play=replace(state.play, trick=lead)), seat, action)
    return apply(state, seat, action)


@pytest.mark.parametrize("engine", [whoever_sends_it, players_may_all, revokes_are_allowed])
def test_an_engine_that_allows_too_much_is_found_out(engine: Engine) -> None:
    assert first_disagreement(engine, Random(1), 100_000) is not None


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
