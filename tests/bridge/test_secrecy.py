"""Nobody sees a card too many: no watcher can tell two worlds apart that differ in hidden things alone.

The controls are seeded leaks: each is a way in which programs have told too much, and the same comparison finds it.
"""

import json
from collections.abc import Callable
from dataclasses import replace
from hashlib import sha256
from random import Random
from typing import Any

import pytest

from bridge.cards import Hand
from bridge.seats import Seat, Side
from bridge.table import (
    Abandon,
    AskAbout,
    Explain,
    MakeCall,
    TableState,
    Viewer,
    apply,
    seen_by,
    view_to_data,
)
from tests.faults.thorough import Tell, often
from tests.secrecy import (
    KINDS,
    See,
    Watcher,
    first_difference,
    open_hands,
    random_story,
    see,
    without_whispers,
)

PAIRS = often(100_000, usual=20_000)
PARTS = 4


@pytest.mark.parametrize("part", range(PARTS))
def test_no_watcher_can_tell_apart_what_differs_in_hidden_things_alone(
    part: int, record_property: Tell
) -> None:
    seen: dict[str, int] = {}
    found = first_difference(see, Random(part), PAIRS // PARTS, seen=seen)
    assert found is None
    assert seen.keys() >= KINDS
    assert sum(seen.values()) == PAIRS // PARTS
    record_property("pairs of deals", PAIRS // PARTS)


def whispers(see: See, chance: Random, stories: int) -> tuple[int, int]:
    """In how many views something was whispered before, and how many of them differ from those where nothing was."""
    compared = different = 0
    for _ in range(stories):
        whole = random_story(chance)
        for version in range(len(whole.log)):
            for watcher in Seat:
                story = whole.until(version)
                quiet = without_whispers(story, watcher)
                if quiet.log != story.log:
                    compared += 1
                    different += see(story.states[-1], watcher) != see(quiet.states[-1], watcher)
    return compared, different


def test_no_player_can_tell_whether_the_opponents_asked_partner_anything() -> None:
    compared, different = whispers(see, Random(21), 12)
    assert compared > 500
    assert different == 0


@pytest.mark.parametrize("told", ["version", "last"])
def test_a_number_or_an_act_that_tells_of_whispers_is_found(told: str) -> None:
    def leaky(state: TableState, watcher: Watcher) -> bytes:
        return see(state, watcher) + str(getattr(state, told)).encode()

    assert whispers(leaky, Random(21), 4)[1] > 0


def test_a_board_that_others_still_play_shows_no_more_when_it_breaks_off() -> None:
    chance = Random(13)
    for _ in range(10):
        for state in random_story(chance).states[:-1]:
            over = apply(state, None, Abandon(Side.NS))
            for watcher in Seat:
                view = seen_by(over, watcher, is_shared=True)
                assert view.ending == over.ending
                assert view.record is None
                before = seen_by(replace(state, claim=None), watcher)
                assert (view.hands, view.calls) == (before.hands, before.calls)
                assert None in view.hands
                assert None not in seen_by(over, watcher).hands  # the control: nobody else plays it


def test_a_board_that_was_played_out_is_open_to_those_who_played_it() -> None:
    chance = Random(14)
    ends = [random_story(chance).states[-1] for _ in range(40)]
    played = [state for state in ends if state.outcome]
    assert played
    assert not [s for s in played for seat in Seat if None in seen_by(s, seat, is_shared=True).hands]


Data = dict[str, Any]
Leak = Callable[[TableState, Watcher, Data], object]


def held(state: TableState, seat: Seat) -> list[str]:
    hands = state.play.hands if state.play else state.board.deal.hands
    hand = hands[seat]
    assert hand is not None
    return sorted(card.text for card in hand.cards)


def show(state: TableState, data: Data, seat: Seat) -> None:
    data["hands"][seat.letter]["cards"] = held(state, seat)


def partner_s_hand(state: TableState, watcher: Watcher, data: Data) -> None:
    if isinstance(watcher, Seat):
        show(state, data, watcher.partner)


def the_public_sees_one_hand(state: TableState, watcher: Watcher, data: Data) -> None:
    if watcher is Viewer.PUBLIC:
        show(state, data, Seat.SOUTH)


def the_public_is_taken_for_a_director(state: TableState, watcher: Watcher, data: Data) -> None:
    if watcher is Viewer.PUBLIC:
        data.update(view_to_data(seen_by(state, Viewer.DIRECTOR)))


def dummy_before_the_lead(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.play and not state.play.has_begun:
        show(state, data, state.play.dummy)


def dummy_sees_declarer_against_the_rules(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.play and watcher is state.dummy:
        show(state, data, state.play.declarer)


def whoever_is_to_act_is_open(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.play and state.play.turn is not None:
        show(state, data, state.play.turn)


def legal_cards_for_everybody(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.play:
        data["legal_cards"] = sorted(card.text for card in state.play.legal_cards())


def whether_there_is_a_choice(state: TableState, watcher: Watcher, data: Data) -> None:
    data["quick"] = bool(state.play) and len(state.play.legal_cards()) == 1  # type: ignore[union-attr]


def a_defender_s_claim_shows_partner(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.claim and state.claim.seat.partner is watcher:
        show(state, data, state.claim.seat)


def a_refused_claim_opens_the_hand_to_partner(state: TableState, watcher: Watcher, data: Data) -> None:
    for seat in state.faced:
        if seat.partner is watcher:
            show(state, data, seat)


def a_claim_opens_the_other_hand_of_its_side(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.claim:
        show(state, data, state.claim.seat.partner)


def the_length_of_the_answer(state: TableState, watcher: Watcher, data: Data) -> None:
    hidden = [held(state, seat) for seat in Seat if data["hands"][seat.letter]["cards"] is None]
    data["padding"] = "x" * sum(card[0] == "S" for hand in hidden[:1] for card in hand)


def the_order_of_the_keys(state: TableState, watcher: Watcher, data: Data) -> None:
    hands = data["hands"]
    data["hands"] = {letter: hands[letter] for letter in sorted(hands, key=lambda each: held_by(state, each))}


def held_by(state: TableState, letter: str) -> list[str]:
    return held(state, Seat.from_letter(letter))


def a_tag_of_the_whole_state(state: TableState, watcher: Watcher, data: Data) -> None:
    data["etag"] = sha256(state.board.deal.pbn.encode()).hexdigest()


def high_card_points_of_a_side(state: TableState, watcher: Watcher, data: Data) -> None:
    data["points"] = [state.board.deal.high_card_points(seat.side) for seat in (Seat.NORTH, Seat.EAST)]


def suits_that_a_hand_does_not_hold(state: TableState, watcher: Watcher, data: Data) -> None:
    data["voids"] = [
        len({card[0] for card in held(state, seat)}) < 4
        for seat in Seat
        if state.play and state.play.has_begun
    ]


def the_end_is_shown_one_trick_early(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.play and len(state.play.tricks) >= 11:
        for seat in Seat:
            show(state, data, seat)


def partner_reads_the_explanation(state: TableState, watcher: Watcher, data: Data) -> None:
    for said, meaning in zip(data["calls"], state.meanings, strict=False):
        said["text"] = meaning.text


def partner_sees_the_alert(state: TableState, watcher: Watcher, data: Data) -> None:
    for said, meaning in zip(data["calls"], state.meanings, strict=False):
        said["alert"] = meaning.alert


def partner_sees_that_an_opponent_asked(state: TableState, watcher: Watcher, data: Data) -> None:
    for said, meaning in zip(data["calls"], state.meanings, strict=False):
        said["asked"] = bool(meaning.asked_by)


def what_happened_last_names_the_explained_call(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.last and isinstance(state.last.action, Explain | AskAbout):
        data["last"] = state.last.action.place


def what_happened_last_tells_the_alert(state: TableState, watcher: Watcher, data: Data) -> None:
    if state.last and isinstance(state.last.action, MakeCall):
        data["last"] = state.last.action.explanation


def the_view_of_another_seat(state: TableState, watcher: Watcher, data: Data) -> None:
    if isinstance(watcher, Seat):
        data.update(view_to_data(seen_by(state, watcher.left)))


LEAKS: list[Leak] = [
    partner_s_hand,
    the_public_sees_one_hand,
    the_public_is_taken_for_a_director,
    dummy_before_the_lead,
    dummy_sees_declarer_against_the_rules,
    whoever_is_to_act_is_open,
    legal_cards_for_everybody,
    whether_there_is_a_choice,
    a_defender_s_claim_shows_partner,
    a_refused_claim_opens_the_hand_to_partner,
    a_claim_opens_the_other_hand_of_its_side,
    the_length_of_the_answer,
    the_order_of_the_keys,
    a_tag_of_the_whole_state,
    high_card_points_of_a_side,
    suits_that_a_hand_does_not_hold,
    the_end_is_shown_one_trick_early,
    partner_reads_the_explanation,
    partner_sees_the_alert,
    partner_sees_that_an_opponent_asked,
    what_happened_last_names_the_explained_call,
    what_happened_last_tells_the_alert,
    the_view_of_another_seat,
]


@pytest.mark.parametrize("leak", LEAKS, ids=lambda leak: leak.__name__)
def test_a_seeded_leak_is_found(leak: Leak, record_property: Tell) -> None:
    def leaky(state: TableState, watcher: Watcher) -> bytes:
        data = view_to_data(seen_by(state, watcher))
        leak(state, watcher, data)
        return json.dumps(data, ensure_ascii=False).encode()

    assert first_difference(leaky, Random(1), 20_000) is not None
    record_property("seeded leaks found", 1)


def test_a_watcher_sees_every_hand_that_is_open_and_no_other() -> None:
    chance = Random(7)
    for _ in range(60):
        for state in random_story(chance).states:
            for watcher in (*Seat, *Viewer):
                view = seen_by(state, watcher)
                seen = {seat for seat, hand in zip(Seat, view.hands, strict=True) if hand is not None}
                assert seen == open_hands(state, watcher)


def test_a_view_has_the_same_keys_in_the_same_order_for_everybody_at_any_time() -> None:
    shapes = {
        tuple(view_to_data(seen_by(state, watcher)))
        for state in random_story(Random(3)).states
        for watcher in (*Seat, *Viewer)
    }
    assert len(shapes) == 1


def test_nobody_else_s_cards_stand_in_a_view_under_any_name() -> None:
    """A check of another kind, as plain as can be: the text of a hidden card is not in what is sent."""
    chance = Random(11)
    for _ in range(40):
        story = random_story(chance)
        for state in story.states:
            if state.is_over:
                continue
            for watcher in (*Seat, Viewer.PUBLIC):
                sent = see(state, watcher).decode()
                for seat in set(Seat) - open_hands(state, watcher):
                    assert not [card for card in held(state, seat) if f'"{card}"' in sent]


def test_the_bytes_do_not_depend_on_the_order_in_which_hands_were_made() -> None:
    state = random_story(Random(5)).states[0]
    north, east, south, west = (
        Hand(frozenset(sorted(hand.cards, reverse=True))) for hand in state.board.deal.hands if hand
    )
    deal = replace(state.board.deal, hands=(north, east, south, west))
    other = replace(state, board=replace(state.board, deal=deal))
    assert [see(state, watcher) for watcher in (*Seat, *Viewer)] == [see(other, w) for w in (*Seat, *Viewer)]
