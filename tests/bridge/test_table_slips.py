"""What comes back and what stays seen: undo, claims and a director's hand in the order in which players stumble."""

from itertools import pairwise
from random import Random

import pytest

from bridge.auction import DOUBLE, PASS, REDOUBLE, Auction, Call, bid
from bridge.cards import Card
from bridge.contracts import Contract, Doubling, Strain
from bridge.errors import IllegalAction
from bridge.seats import Seat, Side
from bridge.table import (
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    DecidedBy,
    How,
    MakeCall,
    PlayCard,
    Silence,
    TableRules,
    TableState,
    TakeBack,
    WithdrawClaim,
    apply,
    seats_to_act,
    seen_by,
)
from tests.bridge.test_table import (
    CASUAL,
    ED,
    NORA,
    SUE,
    WILL,
    after,
    auction,
    board,
    call,
    cards,
    one_trick,
    refused,
    shown,
    three_notrump,
)


def played(state: TableState) -> str:
    assert state.play
    return " ".join(card.text for card in state.play.cards())


# ---- undo


def test_a_defenders_card_comes_back_with_the_opponents_card_after_it() -> None:
    """Will asks for his card when declarer has already played on: both come back, never declarer's alone."""
    state = cards(one_trick(CASUAL), "D8 D4 D2")
    asked = apply(state, WILL, AskUndo())
    assert asked.undo
    assert (asked.undo.seat, asked.undo.place) == (WILL, 5)
    granted = apply(asked, NORA, AnswerUndo(True))
    assert played(granted) == "CK CA C5 C2 D8"
    assert seats_to_act(granted) == {WILL}
    assert played(apply(asked, NORA, AnswerUndo(False))) == "CK CA C5 C2 D8 D4 D2"


def test_a_card_that_won_a_trick_comes_back_with_the_trick() -> None:
    state = cards(one_trick(CASUAL), "D8 D4 D2 DJ")
    assert state.play
    assert (state.play.won_by(Side.EW), state.play.turn) == (1, ED)
    granted = after(state, (ED, AskUndo()), (NORA, AnswerUndo(True)))
    assert granted.play
    assert (granted.play.won_by(Side.EW), granted.play.turn, len(granted.play.tricks)) == (0, ED, 1)
    assert Card.from_text("DJ") in granted.play.hands[ED].cards


def test_declarer_takes_back_dummys_card_as_well_as_the_own_and_always_the_last() -> None:
    dummys = cards(one_trick(CASUAL), "D8 D4")
    own = cards(one_trick(CASUAL), "D8 D4 D2 DJ")
    assert [apply(state, NORA, AskUndo()).undo.place for state in (dummys, own)] == [4, 6]  # type: ignore[union-attr]
    assert seats_to_act(apply(own, NORA, AskUndo())) == {ED, WILL}


def test_a_lead_is_given_back_by_both_and_a_later_card_by_declarer_alone() -> None:
    lead = apply(cards(three_notrump(CASUAL), "CK"), ED, AskUndo())
    assert seats_to_act(lead) == {NORA, SUE}
    half = apply(lead, SUE, AnswerUndo(True))
    assert (seats_to_act(half), played(half)) == (frozenset({NORA}), "CK")
    assert played(apply(half, NORA, AnswerUndo(False))) == "CK"
    later = apply(cards(three_notrump(CASUAL), "CK CA C5"), WILL, AskUndo())
    assert seats_to_act(later) == {NORA}


def test_an_undo_that_was_refused_can_be_asked_for_again_after_something_else() -> None:
    """One refusal is final for this call; the next slip is another matter."""
    state = after(auction(board(), "1H"), (NORA, AskUndo()), (ED, AnswerUndo(False)))
    assert refused(state, NORA, AskUndo()) == "This was refused."
    state = auction(state, "Pass", "Pass", "X", "2H")
    assert state.auction.calls[-1] == bid(2, Strain.HEARTS)
    assert apply(state, NORA, AskUndo()).undo is not None


def test_a_call_can_be_taken_back_until_partner_has_called_and_no_longer() -> None:
    calls = ["1H", "Pass", "2H", "Pass"]
    for number in range(1, len(calls) + 1):
        state = auction(board(), *calls[:number])
        may = [seat for seat in Seat if "ask_undo" in seen_by(state, seat).may]
        latest = [state.auction.seat_of(place) for place in range(max(0, number - 2), number)]
        assert may == sorted(latest)


def test_a_refused_undo_of_a_call_says_nothing_about_the_card_of_the_same_number() -> None:
    """Call number 5 was refused; card number 5 is another thing."""
    state = after(three_notrump(CASUAL), (ED, AskUndo()), (NORA, AnswerUndo(False)))
    assert state.undo_refused == (True, 5)
    state = cards(state, "CK CA C5 C2 D8 D4")
    asked = apply(state, WILL, AskUndo())
    assert asked.undo
    assert (asked.undo.of_call, asked.undo.place) == (False, 5)


# ---- claims


def test_declarers_tricks_are_counted_on_top_of_those_already_won() -> None:
    """Of either side, and of a claim that was made in the middle of a trick."""
    state = cards(one_trick(), "D8 D4 D2 DJ CQ")  # a trick each, and the third is open
    assert state.play
    for claimer, tricks, won in ((NORA, 4, 5), (ED, 4, 1 + 7), (WILL, 0, 1 + 11), (WILL, 11, 1)):
        claimed = apply(state, claimer, Claim(tricks))
        for seat in sorted(seats_to_act(claimed)):
            claimed = apply(claimed, seat, AnswerClaim(True))
        assert claimed.ending
        assert (claimed.ending.how, claimed.ending.tricks) == (How.CLAIMED, won)


def test_a_claim_that_only_one_defender_accepts_stays_open_and_play_goes_on_after_a_refusal() -> None:
    state = after(one_trick(), (NORA, Claim(2)), (ED, AnswerClaim(True)))
    assert (state.is_over, seats_to_act(state)) == (False, frozenset({WILL}))
    state = apply(state, WILL, AnswerClaim(False))
    assert (state.claim, seats_to_act(state)) == (None, frozenset({NORA}))
    assert played(cards(state, "D8")) == "CK CA C5 C2 D8"


@pytest.mark.parametrize(
    "refusal", [AnswerClaim(False), Silence(), WithdrawClaim()], ids=["no", "silence", "withdrawn"]
)
def test_refused_claims_are_counted_for_their_claimer_alone(refusal: object) -> None:
    state = one_trick()
    for claimer, answers in ((NORA, ED), (ED, NORA), (WILL, NORA), (NORA, WILL)):
        by = {AnswerClaim: answers, Silence: None, WithdrawClaim: claimer}[type(refusal)]
        state = after(state, (claimer, Claim(3)), (by, refusal))
    assert state.refused_claims == (2, 1, 0, 1)
    assert state.faced == {NORA, ED, WILL}
    assert "claim" not in seen_by(state, NORA).may
    assert refused(state, NORA, Claim(3)).startswith("After two refused claims")
    assert apply(state, ED, Claim(3)).claim


def test_a_defender_who_claims_all_the_rest_shows_nothing_to_partner_and_does_not_ask_him() -> None:
    state = apply(one_trick(), ED, Claim(12))
    assert seats_to_act(state) == {NORA}
    assert shown(state, WILL) == "SW"
    assert apply(state, NORA, AnswerClaim(False)).faced == {ED}


def test_a_conceding_defenders_partner_decides_whenever_he_answers() -> None:
    claimed = apply(one_trick(), ED, Claim(5))
    assert seats_to_act(claimed) == {NORA, WILL}
    for first, second in ((NORA, WILL), (WILL, NORA)):
        both = after(claimed, (first, AnswerClaim(True)), (second, AnswerClaim(True)))
        assert both.ending
        assert both.ending.tricks == 1 + 12 - 5
    objected = after(claimed, (NORA, AnswerClaim(True)), (WILL, AnswerClaim(False)))
    assert (objected.claim, objected.faced, objected.is_over) == (None, frozenset(), False)


# ---- a director


def test_what_a_director_takes_back_to_before_the_lead_turns_every_hand_down_again() -> None:
    """Dummy's, and the hand that lay open after a refused claim: nobody bids or leads with a hand in sight."""
    state = after(one_trick(), (NORA, Claim(9)), (ED, AnswerClaim(False)))
    assert [shown(state, seat) for seat in Seat] == ["NS", "NES", "NS", "NSW"]
    for back in (TakeBack(6, 0), TakeBack(2), TakeBack(0)):
        again = apply(state, None, back)
        assert [shown(again, seat) for seat in Seat] == ["N", "E", "S", "W"]
    some = apply(state, None, TakeBack(6, 2))
    assert [shown(some, seat) for seat in Seat] == ["NS", "NES", "NS", "NSW"]  # what was seen stays seen
    again = cards(apply(state, None, TakeBack(6, 0)), "CK CA C5 C2")
    assert [shown(again, seat) for seat in Seat] == ["NS", "ES", "S", "SW"]


def test_after_calls_were_taken_back_another_auction_and_another_dummy_follow() -> None:
    state = apply(one_trick(), None, TakeBack(1))
    assert (state.play, state.contract, state.dummy) == (None, None, None)
    state = auction(state, "2S", "Pass", "Pass", "Pass")
    assert state.contract == Contract(2, Strain.SPADES, declarer=ED)
    state = cards(state, "S7")
    assert state.dummy is WILL
    assert len(state.meanings) == len(state.auction.calls) == 5


def test_a_ruling_on_a_wish_is_only_for_the_director_where_the_rules_say_so() -> None:
    for rules in (TableRules(), TableRules(undo=DecidedBy.DIRECTOR)):
        asked = apply(auction(board(rules), "1H"), NORA, AskUndo())
        decided = (None, AnswerUndo(True))
        if rules.undo is DecidedBy.DIRECTOR:
            assert after(asked, decided).auction.calls == ()
            assert refused(asked, ED, AnswerUndo(True)) == "This does not wait for your answer."
        else:
            assert refused(asked, *decided) == "There is nothing to decide."


# ---- calls


def test_doubles_and_redoubles_belong_to_the_other_side_and_a_new_bid_ends_them() -> None:
    start = auction(board(), "1H")
    assert refused(auction(start, "Pass"), SUE, _call(DOUBLE)).startswith("Only a bid of the opponents")
    assert refused(auction(start, "X"), SUE, _call(DOUBLE)).startswith("Only a bid of the opponents")
    assert refused(auction(start, "X", "Pass"), WILL, _call(REDOUBLE)).startswith(
        "Only a double by the opponents"
    )
    assert refused(auction(start, "X", "XX"), WILL, _call(REDOUBLE)).startswith(
        "Only a double by the opponents"
    )
    assert refused(start, ED, _call(REDOUBLE)).startswith("Only a double by the opponents")
    for calls in (["X", "Pass", "Pass", "XX"], ["Pass", "Pass", "X", "XX"], ["X", "XX"]):
        assert auction(start, *calls).auction.calls[-1] == REDOUBLE
    ended = auction(start, "X", "XX", "1S", "Pass", "Pass", "Pass")
    assert ended.contract == Contract(1, Strain.SPADES, Doubling.UNDOUBLED, WILL)


def _call(made: Call) -> MakeCall:
    return MakeCall(made)


def test_three_passes_end_an_auction_only_after_a_bid() -> None:
    state = auction(board(), "Pass", "Pass", "Pass")
    assert seats_to_act(state) == {WILL}
    state = auction(state, "1C", "Pass", "Pass")
    assert state.play is None
    state = auction(state, "Pass")
    assert state.contract == Contract(1, Strain.CLUBS, declarer=WILL)
    assert seats_to_act(state) == {NORA}


def test_the_second_to_name_the_suit_is_dummy_also_when_the_other_side_named_it_before() -> None:
    state = auction(board(), "1S", "2S", "3S", "4S", "Pass", "Pass", "Pass")
    assert state.contract == Contract(4, Strain.SPADES, declarer=ED)
    state = auction(board(), "1H", "Pass", "1S", "Pass", "2S", "Pass", "4S", "Pass", "Pass", "Pass")
    assert state.contract == Contract(4, Strain.SPADES, declarer=SUE)


# ---- whole boards


def test_a_board_of_random_cards_is_turn_for_turn_what_four_people_with_a_pack_would_do() -> None:
    """Each card of a whole board, by the seat that has to play it, and by nobody else."""
    chance = Random(12)
    state = three_notrump()
    while not state.is_over:
        play = state.play
        assert play
        assert play.turn is not None
        actor = NORA if play.turn is SUE else play.turn
        card = chance.choice(sorted(play.legal_cards()))
        for seat in Seat:
            if seat is not actor:
                with pytest.raises(IllegalAction):
                    apply(state, seat, PlayCard(card))
        state = apply(state, actor, PlayCard(card))
    assert state.play
    leaders = [trick.leader for trick in state.play.tricks]
    winners = [trick.winner(Strain.NOTRUMP) for trick in state.play.tricks]
    assert leaders[0] is ED
    assert all(leader is winner for (_, leader), winner in zip(pairwise(leaders), winners, strict=False))
    assert state.play.won == sum(winner.side is Side.NS for winner in winners)


def test_the_turn_goes_round_from_the_dealer() -> None:
    for dealer in Seat:
        state = Auction(dealer)
        turns = []
        for _ in range(3):
            turns.append(state.turn)
            state = state.after(PASS)
        assert turns == [dealer, dealer.left, dealer.partner]
        assert state.turn is dealer.partner.left


# ---- in words


def test_who_answers_what_nobody_asked_is_told_so() -> None:
    state = one_trick()
    assert refused(state, ED, AnswerClaim(True)) == "There is no claim to answer."
    assert refused(state, ED, AnswerUndo(True)) == "Nobody asks to take anything back."
    assert refused(board(), NORA, PlayCard(Card.from_text("SA"))) == "The auction is not over."
    assert refused(board(), NORA, call("X")) == "Nobody has bid yet."
    four_calls = auction(board(), "1H", "Pass", "2H", "Pass")
    assert refused(four_calls, NORA, AskUndo()) == "Your partner has called since."


def test_the_lead_that_is_wanted_back_is_the_lead_and_not_dummys_card_after_it() -> None:
    state = apply(cards(three_notrump(CASUAL), "CK CA"), ED, AskUndo())
    assert state.undo
    assert state.undo.place == 0
    granted = after(state, (NORA, AnswerUndo(True)), (SUE, AnswerUndo(True)))
    assert (played(granted), shown(granted, WILL)) == ("", "W")
    later = apply(cards(one_trick(CASUAL), "D8 D4 D2 DJ CQ C7"), ED, AskUndo())
    assert later.undo
    assert (later.undo.seat, later.undo.place) == (ED, 8)
    assert played(apply(later, NORA, AnswerUndo(True))) == "CK CA C5 C2 D8 D4 D2 DJ"


def test_a_card_is_seen_by_all_and_a_decision_on_the_table_before_it_is_too_old() -> None:
    state = after(one_trick(), (WILL, AskAbout(0)))
    assert (state.version, state.moved_at) == (11, 10)
    state = cards(state, "D8")
    assert (state.version, state.moved_at) == (12, 12)
