"""Nora, Ed, Sue and Will at a table: what players do there, and what each of them sees of it."""

import pickle
from random import Random

import pytest

from bridge.auction import Auction, read_call
from bridge.awards import Grade, Ruling
from bridge.cards import Card, Deal
from bridge.contracts import Contract, Strain
from bridge.errors import BridgeError, IllegalAction, IllegalCall, IllegalCard
from bridge.seats import Seat, Side, Vulnerability
from bridge.table import (
    Abandon,
    Act,
    AnswerClaim,
    AnswerUndo,
    AskAbout,
    AskUndo,
    Claim,
    CutBoard,
    DecidedBy,
    Ending,
    Explain,
    How,
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
    waits_for_director,
)

NORA, ED, SUE, WILL = Seat
USUAL = TableRules()
DEAL = Deal.from_pbn("N:AKQ2.A32.A32.432 T98.KQJ.KQJ.KQJT J76.T98.T98.A987 543.7654.7654.65")
CASUAL = TableRules(undo_cards=True)
DIRECTED = TableRules(undo=DecidedBy.DIRECTOR, claims=DecidedBy.DIRECTOR)


def after(state: TableState, *deeds: tuple[Seat | None, object]) -> TableState:
    for seat, action in deeds:
        state = apply(state, seat, action)  # type: ignore[arg-type]
    return state


def call(text: str, *, alert: bool = False, explanation: str = "") -> MakeCall:
    made = read_call(text)
    assert made is not None
    return MakeCall(made, alert, explanation)


def auction(state: TableState, *calls: str) -> TableState:
    for text in calls:
        turn = state.auction.turn
        assert turn is not None
        state = apply(state, turn, call(text))
    return state


def cards(state: TableState, text: str) -> TableState:
    for each in text.split():
        assert state.play is not None
        assert state.play.actor is not None
        state = apply(state, state.play.actor, PlayCard(Card.from_text(each)))
    return state


def board(rules: TableRules = USUAL) -> TableState:
    return open_board(1, DEAL, rules)


def three_notrump(rules: TableRules = USUAL) -> TableState:
    """Nora declares, Ed leads, Sue is dummy."""
    return auction(board(rules), "1NT", "Pass", "3NT", "Pass", "Pass", "Pass")


def one_trick(rules: TableRules = USUAL) -> TableState:
    """Ed's king of clubs was taken by dummy's ace."""
    return cards(three_notrump(rules), "CK CA C5 C2")


def refused(state: TableState, seat: Seat | None, action: object) -> str:
    with pytest.raises(IllegalAction) as error:
        apply(state, seat, action)  # type: ignore[arg-type]
    return str(error.value)


def shown(state: TableState, viewer: Seat | Viewer) -> str:
    """Whose hands a viewer sees."""
    return "".join(
        seat.letter for seat, hand in zip(Seat, seen_by(state, viewer).hands, strict=True) if hand is not None
    )


# The board


def test_the_number_of_a_board_gives_dealer_and_vulnerability() -> None:
    state = open_board(7, DEAL)
    assert (state.board.dealer, state.board.vulnerability) == (SUE, Vulnerability.BOTH)
    assert seats_to_act(state) == {SUE}
    other = open_board(7, DEAL, dealer=WILL, vulnerability=Vulnerability.NONE)
    assert (other.auction.turn, other.board.vulnerability) == (WILL, Vulnerability.NONE)


def test_a_board_needs_all_four_hands() -> None:
    with pytest.raises(TypeError):
        open_board(1, Deal.from_pbn("N:AKQ2.A32.A32.432 - - -"))


def test_four_passes_end_the_board_without_cards() -> None:
    state = auction(board(), "Pass", "Pass", "Pass", "Pass")
    assert state.ending == Ending(How.PASSED_OUT)
    assert state.outcome is not None
    assert (state.outcome.passed_out, state.outcome.contract, state.outcome.tricks) == (True, None, None)
    assert refused(state, NORA, call("1C")) == "The board is over."
    assert refused(state, None, CutBoard()) == "The board is over."
    assert view_to_data(seen_by(state, NORA))["ending"]["ns_score"] == 0


def test_the_last_card_ends_the_board_with_its_result() -> None:
    state = three_notrump()
    chance = Random(1)
    while state.play and not state.is_over:
        assert state.play.actor is not None
        state = apply(state, state.play.actor, PlayCard(chance.choice(sorted(state.play.legal_cards()))))
    assert state.play
    assert state.ending == Ending(How.PLAYED, state.play.won)
    assert state.outcome is not None
    assert state.outcome.contract == Contract(3, Strain.NOTRUMP, declarer=NORA)
    assert state.outcome.lead == state.play.tricks[0].cards[0].text
    assert [len(hand.cards) for hand in seen_by(state, ED).hands if hand] == [13] * 4
    assert len(seen_by(state, ED).record or ()) == 13


def test_a_state_survives_being_stored() -> None:
    state = one_trick()
    copy = pickle.loads(pickle.dumps(state))
    assert copy == state
    assert cards(copy, "D8") == cards(state, "D8")
    begun = pickle.loads(pickle.dumps(auction(board(), "Pass", "Pass")))
    assert auction(begun, "Pass", "Pass").is_over


# Turns


def test_only_whose_turn_it_is_calls() -> None:
    state = auction(board(), "1NT")
    assert refused(state, WILL, call("Pass")) == "It is not your turn."
    assert refused(state, ED, call("1S")) == "A bid must be higher than the last one."
    with pytest.raises(IllegalCall):
        apply(state, ED, call("XX"))
    with pytest.raises(IllegalCard):
        apply(state, ED, PlayCard(Card.from_text("CK")))
    with pytest.raises(IllegalCall):
        apply(three_notrump(), ED, call("Pass"))


def test_declarer_plays_dummy_and_dummy_does_not() -> None:
    state = cards(three_notrump(), "CK")
    assert state.play
    assert (state.play.turn, seats_to_act(state)) == (SUE, frozenset({NORA}))
    assert refused(state, SUE, PlayCard(Card.from_text("C7"))) == "Declarer plays dummy's cards."
    state = apply(state, NORA, PlayCard(Card.from_text("CA")))
    assert seats_to_act(state) == {WILL}
    assert refused(state, NORA, PlayCard(Card.from_text("C7"))) == "It is not your turn."
    assert state.play
    assert Card.from_text("CA") not in state.play.hands[SUE].cards


@pytest.mark.parametrize(
    ("card", "sentence"),
    [
        ("SA", "The hand whose turn it is does not hold this card."),  # somebody else's
        ("CK", "The hand whose turn it is does not hold this card."),  # played already
        ("S5", "A card of the suit that was led must be played."),
    ],
)
def test_a_card_is_held_and_follows_suit(card: str, sentence: str) -> None:
    state = cards(three_notrump(), "CK CA")
    assert refused(state, WILL, PlayCard(Card.from_text(card))) == sentence


def test_what_is_refused_changes_nothing() -> None:
    state = cards(three_notrump(), "CK CA")
    before = pickle.dumps(state)
    for card in ("SA", "S5", "CA"):
        refused(state, WILL, PlayCard(Card.from_text(card)))
    assert pickle.dumps(state) == before


def test_a_player_has_no_part_in_the_keeper_s_acts() -> None:
    for action in (Silence(), Rule(9), PlayOn(), TakeBack(0), CutBoard(), Abandon()):
        assert refused(one_trick(), NORA, action) == "Only a director, or the clock, may do that."
    assert refused(one_trick(), None, PlayCard(Card.from_text("DK"))) == "There is nothing to decide."


# What calls mean


def test_an_alert_is_read_by_the_opponents_and_not_by_partner() -> None:
    state = apply(board(), NORA, call("1NT", alert=True, explanation="10 to 12"))
    said = {seat: (seen_by(state, seat).calls[0].alert, seen_by(state, seat).calls[0].text) for seat in Seat}
    assert said == {
        NORA: (True, "10 to 12"),
        ED: (True, "10 to 12"),
        SUE: (False, ""),
        WILL: (True, "10 to 12"),
    }
    plain = apply(board(), NORA, call("1NT"))
    assert view_to_data(seen_by(state, SUE)) == view_to_data(seen_by(plain, SUE))


def test_a_question_is_known_to_who_asks_and_who_is_asked() -> None:
    state = after(auction(board(), "1NT"), (WILL, AskAbout(0)))
    assert [seat.letter for seat in Seat if seen_by(state, seat).calls[0].asked] == ["N", "W"]
    lasts = [seen_by(state, seat).last for seat in Seat]
    assert [seat.letter for seat, last in zip(Seat, lasts, strict=True) if last == state.last] == ["N", "W"]
    assert lasts[ED] == lasts[SUE] == Act(NORA, call("1NT"))
    assert seen_by(state, Viewer.DIRECTOR).calls[0].asked
    state = apply(state, NORA, Explain(0, "15 to 17"))
    assert [seen_by(state, seat).calls[0].text for seat in Seat] == ["15 to 17", "15 to 17", "", "15 to 17"]
    assert not any(seen_by(state, seat).calls[0].asked for seat in Seat)
    assert seen_by(state, SUE).last == Act(NORA, call("1NT"))


def test_a_question_never_turns_partner_s_call_stale() -> None:
    seen = auction(board(), "1NT", "Pass")
    state = after(seen, (WILL, AskAbout(0)), (NORA, Explain(0, "15 to 17")))
    assert (seen.version, state.version, state.moved_at) == (2, 4, 2)
    quiet, noisy = (view_to_data(seen_by(each, SUE)) for each in (seen, state))
    assert quiet == noisy
    assert auction(state, "3NT").moved_at == 5


def test_questions_are_about_the_opponents_calls_and_answers_about_one_s_own() -> None:
    state = auction(board(), "1NT", "Pass")
    assert refused(state, SUE, AskAbout(0)) == "Questions are about the opponents' calls."
    assert refused(state, NORA, AskAbout(0)) == "Questions are about the opponents' calls."
    assert refused(state, WILL, AskAbout(2)) == "There is no such call."
    assert refused(state, SUE, Explain(0, "x")) == "Only the player who made a call explains it."
    assert refused(state, NORA, Explain(0, "  ")) == "An explanation has words."
    asked = apply(state, WILL, AskAbout(0))
    assert refused(asked, WILL, AskAbout(0)) == "You have asked about this call."
    assert apply(asked, ED, AskAbout(0)).meanings[0].asked_by == {ED, WILL}


def test_dummy_asks_nothing_and_explains_all_the_same() -> None:
    state = one_trick()
    assert refused(state, SUE, AskAbout(1)) == "Dummy asks no questions."
    assert apply(state, SUE, Explain(2, "no four-card major")).meanings[2].text == "no four-card major"
    assert apply(state, NORA, AskAbout(1)).meanings[1].asked_by == {NORA}


def test_words_can_stand_without_an_alert_and_come_later() -> None:
    state = after(auction(board(), "1NT"), (NORA, Explain(0, "15 to 17")))
    seen = seen_by(state, ED).calls[0]
    assert (seen.alert, seen.text) == (False, "15 to 17")
    announced = apply(board(), NORA, call("1NT", explanation="15 to 17"))
    assert seen_by(announced, ED).calls[0] == seen


@pytest.mark.parametrize("text", ["x" * 201, "two\nlines", "bell \x07", "turned \u202e", "\ud800"])
def test_a_text_is_one_short_line_of_what_can_be_seen(text: str) -> None:
    with pytest.raises(BridgeError):
        call("1NT", explanation=text)
    assert Claim(3, "Pique maître, puis le ♥ 王 🃏").line


# Claims


def test_declarer_s_claim_needs_both_defenders() -> None:
    state = apply(one_trick(), NORA, Claim(9, "the rest but three"))
    assert seats_to_act(state) == {ED, WILL}
    assert refused(state, SUE, AnswerClaim(True)) == "This claim does not wait for your answer."
    state = apply(state, ED, AnswerClaim(True))
    assert (seats_to_act(state), state.is_over) == (frozenset({WILL}), False)
    assert refused(state, ED, AnswerClaim(True)) == "This claim does not wait for your answer."
    state = apply(state, WILL, AnswerClaim(True))
    assert state.ending == Ending(How.CLAIMED, 10)
    ending = view_to_data(seen_by(state, ED))["ending"]
    assert (ending["result"], ending["ns_score"]) == ("+1", 430)


def test_a_claim_is_no_higher_than_what_is_left() -> None:
    state = one_trick()
    assert refused(state, NORA, Claim(13)) == "At the most 12 can be claimed now."
    middle = cards(state, "D8")
    assert refused(middle, NORA, Claim(13)) == "At the most 12 can be claimed now."
    assert after(middle, (NORA, Claim(12)), (ED, AnswerClaim(True)), (WILL, AnswerClaim(True))).is_over


def test_a_claim_comes_after_the_lead_in_or_out_of_turn_and_not_from_dummy() -> None:
    assert refused(three_notrump(), NORA, Claim(9)) == "Claims are made after the opening lead."
    assert refused(board(), NORA, Claim(9)) == "Claims are made after the opening lead."
    state = cards(three_notrump(), "CK")
    assert refused(state, SUE, Claim(9)) == "Dummy does not claim."
    for seat in (NORA, ED, WILL):
        claim = apply(state, seat, Claim(0)).claim
        assert claim is not None
        assert claim.seat is seat
    assert refused(one_trick(TableRules(claims=DecidedBy.NOBODY)), NORA, Claim(9)) == (
        "There are no claims at this table."
    )


def test_while_a_claim_is_open_nobody_plays() -> None:
    state = apply(one_trick(), NORA, Claim(9))
    assert refused(state, NORA, PlayCard(Card.from_text("D8"))) == "A claim waits for its answer."
    assert refused(state, WILL, Claim(2)) == "A claim waits for its answer."
    assert refused(state, NORA, AskUndo()) == "A claim waits for its answer."
    assert seen_by(state, NORA).legal_cards is None


def test_a_claimer_s_hand_is_shown_to_the_other_side() -> None:
    state = one_trick()
    assert [shown(state, seat) for seat in Seat] == ["NS", "ES", "S", "SW"]
    assert [shown(apply(state, NORA, Claim(9)), seat) for seat in Seat] == ["NS", "NES", "NS", "NSW"]
    assert [shown(apply(state, WILL, Claim(2)), seat) for seat in Seat] == ["NSW", "ES", "SW", "SW"]
    assert shown(apply(state, NORA, Claim(9)), Viewer.PUBLIC) == ""


def test_a_defender_s_claim_of_all_needs_declarer_alone() -> None:
    state = apply(one_trick(), ED, Claim(12))
    assert seats_to_act(state) == {NORA}
    assert apply(state, NORA, AnswerClaim(True)).ending == Ending(How.CLAIMED, 1)


def test_partner_may_object_to_a_defender_s_concession() -> None:
    claimed = apply(one_trick(DIRECTED), ED, Claim(0))
    assert seats_to_act(claimed) == {NORA, WILL}
    objected = apply(claimed, WILL, AnswerClaim(False))
    assert (objected.claim, objected.faced, objected.refused_claims) == (None, frozenset(), (0, 0, 0, 0))
    assert seats_to_act(objected) == {NORA}
    assert not waits_for_director(objected)
    agreed = after(claimed, (NORA, AnswerClaim(True)), (WILL, AnswerClaim(True)))
    assert agreed.ending == Ending(How.CLAIMED, 13)


def test_a_silent_partner_does_not_object_and_a_silent_opponent_refuses() -> None:
    claimed = apply(one_trick(), ED, Claim(0))
    assert apply(claimed, None, Silence()).claim is None
    assert not apply(claimed, None, Silence()).is_over
    assert after(claimed, (NORA, AnswerClaim(True)), (None, Silence())).ending == Ending(How.CLAIMED, 13)
    assert apply(apply(one_trick(), NORA, Claim(9)), None, Silence()).faced == {NORA}


def test_after_a_refused_claim_play_goes_on_with_open_cards() -> None:
    state = after(one_trick(), (NORA, Claim(9)), (ED, AnswerClaim(True)), (WILL, AnswerClaim(False)))
    assert seats_to_act(state) == {NORA}
    assert [shown(state, seat) for seat in Seat] == ["NS", "NES", "NS", "NSW"]
    assert [shown(cards(state, "D8 D4 D2 DJ"), seat) for seat in Seat] == ["NS", "NES", "NS", "NSW"]
    defended = after(one_trick(), (WILL, Claim(2)), (NORA, AnswerClaim(False)))
    assert [shown(defended, seat) for seat in Seat] == ["NSW", "ES", "SW", "SW"]


def test_after_two_refused_claims_there_is_no_third() -> None:
    state = one_trick()
    for _ in range(2):
        state = after(state, (NORA, Claim(9)), (ED, AnswerClaim(False)))
    assert refused(state, NORA, Claim(9)) == (
        "After two refused claims you cannot claim again on this board."
    )
    assert apply(state, ED, Claim(1)).claim is not None


def test_a_claim_can_be_withdrawn_and_the_cards_were_seen() -> None:
    state = apply(one_trick(), NORA, Claim(9))
    assert refused(state, ED, WithdrawClaim()) == "You have no claim to withdraw."
    state = apply(state, NORA, WithdrawClaim())
    assert (state.claim, state.faced, state.refused_claims) == (None, frozenset({NORA}), (1, 0, 0, 0))


def test_in_a_directed_event_a_refused_claim_stops_play_for_the_director() -> None:
    state = after(one_trick(DIRECTED), (NORA, Claim(9)), (ED, AnswerClaim(False)))
    assert state.claim is not None
    assert state.claim.contested
    assert waits_for_director(state)
    for seat in Seat:
        for action in (PlayCard(Card.from_text("D8")), AnswerClaim(True), Claim(1), WithdrawClaim()):
            refused(state, seat, action)
    assert apply(state, None, Rule(9)).ending == Ending(How.RULED, 9)
    played_on = apply(state, None, PlayOn())
    assert (played_on.faced, seats_to_act(played_on)) == (frozenset({NORA}), frozenset({NORA}))
    assert waits_for_director(after(one_trick(DIRECTED), (NORA, Claim(9)), (None, Silence())))
    assert refused(apply(one_trick(DIRECTED), NORA, Claim(9)), NORA, WithdrawClaim()) == (
        "A claim stands until it is answered."
    )


# Taking back


def test_an_unintended_call_comes_back_by_both_opponents_consent() -> None:
    state = apply(auction(board(), "Pass", "Pass", "1S", "Pass"), SUE, AskUndo())
    assert seats_to_act(state) == {ED, WILL}
    seen = view_to_data(seen_by(state, WILL))
    assert seen["undo"] == {"seat": "S", "of": "call", "place": 2, "text": "1S", "waits_for": ["E", "W"]}
    state = after(state, (ED, AnswerUndo(True)), (WILL, AnswerUndo(True)))
    assert state.auction == Auction(NORA, auction(board(), "Pass", "Pass").auction.calls)
    assert (state.undo, seats_to_act(state)) == (None, frozenset({SUE}))


def test_what_was_said_about_a_call_that_was_taken_back_goes_with_it() -> None:
    state = after(
        board(),
        (NORA, call("2C", alert=True, explanation="strong")),
        (ED, AskAbout(0)),
        (NORA, AskUndo()),
        (ED, AnswerUndo(True)),
        (WILL, AnswerUndo(True)),
        (NORA, call("1C")),
    )
    assert (state.meanings[0].alert, state.meanings[0].text, state.meanings[0].asked_by) == (
        False,
        "",
        frozenset(),
    )


def test_nothing_comes_back_once_partner_has_called() -> None:
    state = auction(board(), "1H", "Pass", "Pass")
    assert refused(state, NORA, AskUndo()) == "Your partner has called since."
    assert refused(state, WILL, AskUndo()) == "You have not called yet."
    assert apply(state, ED, AskUndo()).undo is not None


def test_one_refusal_is_enough_and_final() -> None:
    state = after(auction(board(), "1H"), (NORA, AskUndo()), (WILL, AnswerUndo(False)))
    assert (state.undo, len(state.auction.calls)) == (None, 1)
    assert refused(state, NORA, AskUndo()) == "This was refused."
    withdrawn = after(auction(board(), "1H"), (NORA, AskUndo()), (NORA, WithdrawUndo()))
    assert refused(withdrawn, NORA, AskUndo()) == "This was refused."
    assert refused(withdrawn, NORA, WithdrawUndo()) == "You do not ask to take anything back."
    silent = after(auction(board(), "1H"), (NORA, AskUndo()), (None, Silence()))
    assert silent.undo is None


def test_the_pass_that_ended_the_auction_can_come_back_before_the_lead() -> None:
    state = apply(three_notrump(), ED, AskUndo())
    assert refused(state, ED, PlayCard(Card.from_text("CK"))) == (
        "The wish to take something back waits for its answer."
    )
    state = after(state, (NORA, AnswerUndo(True)), (SUE, AnswerUndo(True)))
    assert (state.play, seats_to_act(state)) == (None, frozenset({ED}))


def test_dummy_to_be_can_ask_before_the_lead_and_not_after_it() -> None:
    misclicked = auction(board(CASUAL), "1NT", "Pass", "6NT", "Pass", "Pass", "Pass")
    assert refused(misclicked, SUE, AskUndo()) == "Your partner has called since."
    last = auction(board(CASUAL), "Pass", "1NT", "Pass", "Pass", "Pass")
    assert apply(last, WILL, AskUndo()).undo is not None
    assert refused(cards(last, "S6"), WILL, AskUndo()) == "Declarer plays dummy's cards."


def test_a_board_that_was_passed_out_stays_passed_out() -> None:
    state = auction(board(), "Pass", "Pass", "Pass", "Pass")
    assert refused(state, WILL, AskUndo()) == "The board is over."


def test_cards_stay_played_in_events() -> None:
    sentence = "A card that was played stays played."
    for rules in (TableRules(), DIRECTED, TableRules(undo=DecidedBy.DIRECTOR, undo_cards=True)):
        assert refused(cards(three_notrump(rules), "CK"), ED, AskUndo()) == sentence


def test_the_opening_lead_comes_back_by_consent_of_both_and_dummy_turns_down_again() -> None:
    state = apply(cards(three_notrump(CASUAL), "CK"), ED, AskUndo())
    assert seats_to_act(state) == {NORA, SUE}
    state = after(state, (NORA, AnswerUndo(True)), (SUE, AnswerUndo(True)))
    assert (state.dummy, seats_to_act(state), shown(state, ED)) == (None, frozenset({ED}), "E")


def test_a_card_comes_back_with_all_that_was_played_after_it() -> None:
    state = cards(one_trick(CASUAL), "D8 D4")
    asked = apply(state, NORA, AskUndo())
    assert view_to_data(seen_by(asked, ED))["undo"]["text"] == "D8"
    assert seats_to_act(asked) == {ED, WILL}
    granted = after(asked, (ED, AnswerUndo(True)), (WILL, AnswerUndo(True)))
    assert granted.play is not None
    assert granted.play == one_trick(CASUAL).play
    assert after(asked, (ED, AnswerUndo(False))).play == state.play


def test_declarer_alone_answers_a_defender_and_dummy_is_not_asked() -> None:
    state = apply(cards(one_trick(CASUAL), "D8 D4"), WILL, AskUndo())
    assert seats_to_act(state) == {NORA}
    assert refused(state, SUE, AnswerUndo(False)) == "This does not wait for your answer."
    state = apply(state, NORA, AnswerUndo(True))
    assert seats_to_act(state) == {WILL}


def test_a_defender_s_card_stays_once_partner_has_played() -> None:
    state = cards(one_trick(CASUAL), "D8 D4 D2 DJ")
    assert refused(state, WILL, AskUndo()) == "Your partner has played since."
    assert apply(state, ED, AskUndo()).undo is not None
    assert refused(cards(three_notrump(CASUAL), "CK"), WILL, AskUndo()) == "You have not played yet."


def test_a_claim_and_an_undo_are_answered_one_after_the_other() -> None:
    state = apply(one_trick(CASUAL), NORA, AskUndo())
    assert refused(state, ED, Claim(1)) == "The wish to take something back waits for its answer."
    assert refused(state, ED, AskUndo()) == "The wish to take something back waits for its answer."


def test_the_director_decides_where_the_rules_say_so() -> None:
    state = apply(auction(board(DIRECTED), "7NT"), NORA, AskUndo())
    assert waits_for_director(state)
    assert refused(state, ED, AnswerUndo(True)) == "This does not wait for your answer."
    assert apply(state, None, AnswerUndo(True)).auction.calls == ()
    stays = apply(state, None, AnswerUndo(False))
    assert (len(stays.auction.calls), seats_to_act(stays)) == (1, frozenset({ED}))
    nothing = auction(board(TableRules(undo=DecidedBy.NOBODY)), "7NT")
    assert refused(nothing, NORA, AskUndo()) == "Nothing is taken back at this table."
    assert refused(apply(auction(board(), "7NT"), NORA, AskUndo()), None, AnswerUndo(True)) == (
        "There is nothing to decide."
    )


def test_a_director_takes_back_what_players_cannot() -> None:
    state = one_trick(DIRECTED)
    assert apply(state, None, TakeBack(6, 0)).play == three_notrump(DIRECTED).play
    assert apply(state, None, TakeBack(2)).auction == auction(board(), "1NT", "Pass").auction
    for calls, kept in ((6, 4), (7, 0), (2, 1)):
        assert refused(state, None, TakeBack(calls, kept)) == "There is nothing like that to take back."


# The end by others


def test_the_bell_ends_a_board_whatever_is_open() -> None:
    state = apply(apply(one_trick(), NORA, Claim(9)), None, CutBoard())
    assert (state.ending, state.claim, state.outcome) == (Ending(How.CUT), None, None)
    assert shown(state, ED) == "NESW"


def test_a_board_is_abandoned_by_a_side_or_by_nobody_s_fault() -> None:
    assert apply(one_trick(), None, Abandon(Side.EW)).ending == Ending(How.ABANDONED, by=Side.EW)
    assert apply(board(), None, Abandon()).ending == Ending(How.ABANDONED)


def test_a_ruling_ends_a_board_with_tricks_or_an_adjusted_score() -> None:
    ruling = Ruling(Grade.PLUS, Grade.MINUS)
    adjusted = apply(auction(board(), "1NT"), None, Rule(ruling=ruling))
    assert adjusted.outcome is not None
    assert (adjusted.outcome.ruling, adjusted.outcome.contract, adjusted.outcome.tricks) == (
        ruling,
        None,
        None,
    )
    both = apply(one_trick(), None, Rule(8, ruling)).outcome
    assert both is not None
    assert (both.contract, both.tricks, both.ruling) == (
        Contract(3, Strain.NOTRUMP, declarer=NORA),
        8,
        ruling,
    )
    assert refused(board(), None, Rule(9)) == "Tricks are 0 to 13, in a contract."
    assert refused(one_trick(), None, Rule(14)) == "Tricks are 0 to 13, in a contract."
    assert refused(one_trick(), None, Rule()) == "A ruling gives tricks or an adjusted score."
    assert refused(one_trick(), None, PlayOn()) == "There is nothing to decide."
    assert refused(one_trick(), None, Silence()) == "There is nothing to decide."


# What is seen


def test_dummy_lies_open_from_the_lead_on() -> None:
    assert [shown(three_notrump(), seat) for seat in Seat] == ["N", "E", "S", "W"]
    assert [shown(cards(three_notrump(), "CK"), seat) for seat in Seat] == ["NS", "ES", "S", "SW"]
    open_rules = TableRules(dummy_sees_declarer=True)
    assert shown(cards(three_notrump(open_rules), "CK"), SUE) == "NS"
    assert shown(three_notrump(open_rules), SUE) == "S"


def test_only_the_current_and_the_last_trick_are_sent_during_play() -> None:
    state = cards(one_trick(), "D8 D4 D2 DJ CQ")
    seen = view_to_data(seen_by(state, WILL))
    assert seen["last_trick"] == {"leader": "S", "cards": ["D8", "D4", "D2", "DJ"], "winner": "E"}
    assert seen["trick"] == {"leader": "E", "cards": ["CQ"], "winner": None}
    assert seen["record"] is None
    assert seen["tricks_won"] == {"NS": 1, "EW": 1}
    assert "CA" not in str(seen)  # the first trick
    assert len(seen_by(state, Viewer.DIRECTOR).record or ()) == 3


def test_legal_calls_and_cards_are_told_to_the_one_to_act_alone() -> None:
    state = auction(board(), "1NT")
    assert [seen_by(state, seat).legal_calls is not None for seat in Seat] == [False, True, False, False]
    lead = cards(three_notrump(), "CK")
    assert [seen_by(lead, seat).legal_cards is not None for seat in Seat] == [True, False, False, False]
    assert view_to_data(seen_by(lead, NORA))["legal_cards"] == ["CA", "C9", "C8", "C7"]
    assert seen_by(lead, Viewer.DIRECTOR).legal_cards is None


def test_the_public_sees_nothing_of_a_board_before_it_is_published() -> None:
    empty = view_to_data(seen_by(board(), Viewer.PUBLIC))
    live = view_to_data(seen_by(apply(one_trick(), NORA, Claim(9)), Viewer.PUBLIC))
    over = view_to_data(seen_by(apply(one_trick(), None, Rule(9)), Viewer.PUBLIC))
    assert {key for key in empty if empty[key] != live[key]} == {"version"}
    assert {key for key in empty if empty[key] != over[key]} == {"version", "phase"}


@pytest.mark.parametrize("nobody", [None, 0, 2, "N", "director", True])
def test_whoever_is_no_viewer_sees_what_the_public_sees(nobody: object) -> None:
    state = one_trick()
    assert seen_by(state, nobody) == seen_by(state, Viewer.PUBLIC)  # type: ignore[arg-type]


def test_a_director_sees_everything() -> None:
    state = apply(board(), NORA, call("1NT", alert=True, explanation="10 to 12"))
    assert shown(state, Viewer.DIRECTOR) == "NESW"
    assert seen_by(state, Viewer.DIRECTOR).calls[0].text == "10 to 12"


def test_who_was_away_comes_back_to_the_table_as_it_is() -> None:
    """Nothing is kept for a viewer: whoever missed two cards sees what everybody sees."""
    state = cards(one_trick(), "D8")
    seen = seen_by(state, WILL)
    assert (seen.turn, seen.waits_for, seen.trick and seen.trick.cards) == (
        WILL,
        (WILL,),
        (Card.from_text("D8"),),
    )
    assert view_to_data(seen)["legal_cards"] == ["D7", "D6", "D5", "D4"]


def test_a_card_tells_whose_hand_it_came_from() -> None:
    seen = view_to_data(seen_by(cards(three_notrump(), "CK CA"), WILL))
    assert seen["last"] == {"seat": "N", "hand": "S", "do": "play", "card": "CA"}


def test_a_jump_stops_the_next_player_where_the_rules_say_so() -> None:
    rules = TableRules(stop_after_jump=True)
    assert seen_by(auction(board(rules), "2C"), ED).stop
    assert not seen_by(auction(board(rules), "1C"), ED).stop
    assert not seen_by(auction(board(), "2C"), ED).stop
    assert not seen_by(auction(board(rules), "2C", "Pass"), SUE).stop


def test_partner_sees_neither_the_alert_nor_its_words_until_the_end() -> None:
    state = apply(auction(board(), "Pass"), ED, call("1NT", alert=True, explanation="weak"))
    assert "weak" not in str(view_to_data(seen_by(state, WILL)))
    over = auction(state, "Pass", "Pass", "Pass")
    assert "weak" in str(view_to_data(seen_by(apply(over, None, CutBoard()), WILL)))


def test_a_view_is_written_in_these_words() -> None:
    """The whole of what a browser gets: whoever changes a name here changes it there."""
    state = apply(board(CASUAL), NORA, call("1NT", alert=True, explanation="10 to 12"))
    state = auction(state, "X", "3NT", "Pass", "Pass", "X", "Pass", "Pass", "Pass")
    state = after(cards(state, "CK CA C5 C2 D8 D4"), (WILL, AskAbout(0)), (NORA, AskUndo()))
    dummy = ["SJ", "S7", "S6", "HT", "H9", "H8", "DT", "D9", "C9", "C8", "C7"]
    own = ["S5", "S4", "S3", "H7", "H6", "H5", "H4", "D7", "D6", "D5", "C6"]
    said = {"alert": False, "text": "", "asked": False}
    others = zip("ESWNESWN", ["X", "3NT", "Pass", "Pass", "X", "Pass", "Pass", "Pass"], strict=True)
    assert view_to_data(seen_by(state, WILL)) == {
        "viewer": "W",
        "version": 16,
        "board": 1,
        "dealer": "N",
        "vulnerable": "None",
        "phase": "play",
        "hands": {
            "N": {"cards": None, "count": 12},
            "E": {"cards": None, "count": 12},
            "S": {"cards": dummy, "count": 11},
            "W": {"cards": own, "count": 11},
        },
        "calls": [
            {"seat": "N", "call": "1NT", "alert": True, "text": "10 to 12", "asked": True},
            *({"seat": seat, "call": each, **said} for seat, each in others),
        ],
        "contract": {"text": "3NTX", "level": 3, "strain": "NT", "doubling": "X", "declarer": "N"},
        "dummy": "S",
        "trick": {"leader": "S", "cards": ["D8", "D4"], "winner": None},
        "last_trick": {"leader": "E", "cards": ["CK", "CA", "C5", "C2"], "winner": "S"},
        "tricks_won": {"NS": 1, "EW": 0},
        "record": None,
        "turn": "N",
        "waits_for": ["E", "W"],
        "waits_for_director": False,
        "legal_calls": None,
        "legal_cards": None,
        "claim": None,
        "undo": {"seat": "N", "of": "card", "place": 4, "text": "D8", "waits_for": ["E", "W"]},
        "may": ["answer_undo", "explain", "ask"],
        "stop": False,
        "last": {"seat": "N", "hand": None, "do": "ask_undo"},
        "ending": None,
    }
    state = after(state, (ED, AnswerUndo(False)), (NORA, Claim(7, "diamonds")), (ED, AnswerClaim(True)))
    assert view_to_data(seen_by(state, WILL))["claim"] == {
        "seat": "N",
        "tricks": 7,
        "remaining": 12,
        "line": "diamonds",
        "waits_for": ["W"],
        "contested": False,
    }
    assert view_to_data(seen_by(apply(state, WILL, AnswerClaim(True)), WILL))["ending"] == {
        "how": "claimed",
        "tricks": 8,
        "result": "−1",
        "ns_score": -100,
        "ruling": None,
        "by": None,
    }
    assert view_to_data(seen_by(auction(board(), "7S", "X", "XX"), WILL))["legal_calls"] == ["Pass", "7NT"]


def test_the_end_tells_ruling_side_and_all_tricks() -> None:
    ruled = view_to_data(seen_by(apply(one_trick(), None, Rule(ruling=Ruling(Grade.PLUS, Grade.MINUS))), ED))
    assert (ruled["phase"], ruled["turn"], ruled["trick"], ruled["last_trick"]) == (
        "over",
        None,
        None,
        {"leader": "E", "cards": ["CK", "CA", "C5", "C2"], "winner": "S"},
    )
    assert ruled["ending"]["ruling"] == {"ns": {"grade": "A+"}, "ew": {"grade": "A-"}}
    assert (ruled["ending"]["how"], ruled["ending"]["result"], ruled["ending"]["ns_score"]) == (
        "ruled",
        "",
        None,
    )
    left = view_to_data(seen_by(apply(cards(one_trick(), "D8"), None, Abandon(Side.EW)), ED))
    assert (left["ending"]["how"], left["ending"]["by"]) == ("abandoned", "EW")
    assert [trick["cards"] for trick in left["record"]] == [["CK", "CA", "C5", "C2"], ["D8"]]


def test_what_a_director_takes_back_takes_every_request_along() -> None:
    claimed = apply(one_trick(), NORA, Claim(9))
    assert apply(claimed, None, TakeBack(6)).claim is None
    asked = apply(auction(board(), "1H"), NORA, AskUndo())
    assert apply(asked, None, TakeBack(0)).undo is None
    stays = apply(asked, WILL, AnswerUndo(False))
    again = auction(apply(stays, None, TakeBack(0)), "1S")
    assert apply(again, NORA, AskUndo()).undo is not None
