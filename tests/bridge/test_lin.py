"""LIN: single boards in and out."""

from dataclasses import replace
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings

from bridge.auction import DOUBLE, PASS, REDOUBLE, bid
from bridge.cards import Deal
from bridge.contracts import Contract, Strain
from bridge.formats import lin, pbn
from bridge.formats.game import CallRecord, GameRecord
from bridge.formats.records import RecordError
from bridge.seats import Seat, Vulnerability
from tests.bridge.damage import mutants, refusal
from tests.bridge.strategies import games

GAMES = Path(__file__).parents[1] / "data" / "games"
VOID = Deal.from_pbn("N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6")
THREE = "3S68H456TQD6AC3479,S23459TH23DTC6JKA,SH78JKAD238JQC58T"
HEAD = f"pn|Sue,Will,Nora,Ed|st||md|{THREE},|rh||ah|Board 1|sv|o|"


def one(text: str) -> GameRecord:
    (game,) = lin.read(text.encode())
    return game


def said(game: GameRecord) -> list[str]:
    return [str(warning) for warning in game.warnings]


def test_the_fourth_hand_is_what_the_others_leave() -> None:
    game = one(HEAD)
    assert game.deal == VOID
    assert (game.board, game.dealer, game.vulnerability) == (1, Seat.NORTH, Vulnerability.NONE)
    assert game.players == ("Nora", "Ed", "Sue", "Will")


def test_two_hidden_hands_stay_hidden() -> None:
    game = one("md|3SKH4,,,|".replace("SKH4", "S68H456TQD6AC3479"))
    assert game.deal is not None
    assert [hand is None for hand in game.deal.hands] == [True, True, False, True]
    assert game.complete_deal is None
    assert lin.read(lin.write([game])) == (game,)


def test_calls_go_round_from_the_dealer_with_alerts_and_explanations() -> None:
    game = one(HEAD + "mb|p|mb|1N!|an|15 to 17|mb|d|mb|r|an|rescue|mb|p|mb|2c!|mb|p|mb|p|mb|p|")
    assert game.auction[:6] == (
        CallRecord(Seat.NORTH, PASS),
        CallRecord(Seat.EAST, bid(1, Strain.NOTRUMP), "15 to 17", "!"),
        CallRecord(Seat.SOUTH, DOUBLE),
        CallRecord(Seat.WEST, REDOUBLE, "rescue"),
        CallRecord(Seat.NORTH, PASS),
        CallRecord(Seat.EAST, bid(2, Strain.CLUBS), None, "!"),
    )
    assert game.contract == Contract(2, Strain.CLUBS, declarer=Seat.EAST)


def test_a_board_passed_out_is_a_result() -> None:
    game = one(HEAD + "mb|p|mb|p|mb|p|mb|p|pg||")
    assert (game.passed_out, game.contract, game.tricks) == (True, None, None)


def test_a_claim_counts_all_tricks_of_declarer() -> None:
    game = one(HEAD + "mb|4S|mb|p|mb|p|mb|p|pg||pc|C2|pc|c3|pc|cA|pc|C5|pg||mc|9|pg||")
    assert (game.tricks, len(game.play)) == (9, 1)
    assert [card.seat.letter for card in game.play[0]] == list("ESWN")
    assert lin.read(lin.write([game])) == (game,)


def test_a_broadcast_names_its_rooms_teams_and_results() -> None:
    text = (
        "vg|Spring Teams,Segment 2,I,5,6,Kings,0,Queens,3|\n"
        "rs|4SN-1,PASS,3NEx=,|\n"
        "pn|S1,W1,N1,E1,S2,W2,N2,E2|pg||\n"
        f"qx|o5|st||md|{THREE},|sv|n|nt|Good evening.|mb|4S|mb|p|mb|p|mb|p|nt|No.|pg||\n"
        f"qx|c5|st||md|{THREE},|sv|n|mb|p|mb|p|mb|p|mb|p|pg||\n"
        f"qx|o6|st||md|{THREE},|sv|e|pg||\n"
    )
    first, second, third = lin.read(text.encode())
    assert (first.event, first.scoring, first.board) == ("Spring Teams", "IMP", 5)
    assert dict(first.tags) == {
        "Room": "Open",
        "Stage": "Segment 2",
        "HomeTeam": "Kings",
        "VisitTeam": "Queens",
    }
    assert (first.players[0], second.players[0]) == ("N1", "N2")
    assert (first.tricks, second.passed_out) == (9, True)
    assert (first.comments, first.auction[-1].comment) == (("Good evening.",), "No.")
    assert third.contract is not None
    assert (third.contract.text, third.contract.declarer, third.tricks) == ("3NTX", Seat.EAST, 9)
    assert first.line == 4


def test_the_list_of_results_is_followed_and_the_difference_reported() -> None:
    text = f"vg|A,B,I,1,1,C,0,D,0|\nrs|4SN-2,|\nqx|o1|md|{THREE},|sv|o|mb|4S|mb|p|mb|p|mb|p|mc|9|"
    game = one(text)
    assert game.tricks == 8
    assert said(game) == ["Line 3: The list of results says 8 tricks, the play says 9; the list is followed."]


def test_a_dealer_that_does_not_fit_the_number_is_reported_and_kept() -> None:
    game = one(HEAD.replace("Board 1|sv|o", "Board 2|sv|n"))
    assert game.dealer is Seat.NORTH
    assert said(game) == ["Line 1: Board 2: the file says dealer N, the number says E; the file is followed."]


def test_a_result_that_cannot_be_is_an_error() -> None:
    with pytest.raises(RecordError, match=r"^Line 2: A board has 13 tricks: 19 cannot be won"):
        lin.read(f"vg|A,B,I,1,1,C,0,D,0|rs|4SN+9,|\nqx|o1|md|{THREE},|sv|o|".encode())


def test_calls_without_a_dealer_are_reported() -> None:
    game = one("md|,,,|mb|1S|")
    assert (game.auction, said(game)) == ((), ["Line 1: Calls were made, and who dealt is not known."])


def test_a_card_that_the_hand_does_not_hold_is_reported() -> None:
    game = one(HEAD + "mb|1S|mb|p|mb|p|mb|p|pc|SA|pc|SA|pc|S2|pc|H8|pg||")
    assert said(game) == ["Line 1: Trick 1: S plays SA, which that hand does not hold."]


@pytest.mark.parametrize(
    ("text", "words"),
    [
        ("md|3SAA,,,|", "Line 1: The hand “AA...” holds a card twice."),
        ("md|3S68H4,S2,S3,|", "Line 1: North has 1 cards and not 13."),
        ("md|3SX,,,|", "Line 1: “SX” is not a hand."),
        ("\nmd|3,,,|mb|1Z|", "Line 2: “1Z” is not a call."),
        ("md|3,,,|\n\nmc|14|", "Line 3: A board has 13 tricks: 14 cannot be won."),
        ("md|3,,,|pc|S1|", "Line 1: “S1” is not a card."),
        ("md|3,,,|\n mb", "Line 2: “mb” is not LIN."),
    ],
)
def test_an_error_names_its_line(text: str, words: str) -> None:
    with pytest.raises(RecordError) as refused:
        lin.read(text.encode())
    assert str(refused.value) == words


def test_all_errors_of_a_file_are_reported_at_once() -> None:
    with pytest.raises(RecordError) as refused:
        lin.read(b"md|3,,,|mb|9S|\nmd|3,,,|pc|XX|\n")
    assert [error.line for error in (refused.value, *refused.value.others)] == [1, 2]


def test_the_encoding_is_asked_for_when_letters_are_not_utf_8() -> None:
    text = HEAD.replace("Sue", "Jürgen")
    with pytest.raises(RecordError, match="does not say its encoding"):
        lin.read(text.encode("iso-8859-1"))
    (game,) = lin.read(text.encode("iso-8859-1"), "iso-8859-1")
    assert game.players[2] == "Jürgen"


def test_a_file_is_known_by_its_first_command() -> None:
    assert lin.looks_like_lin(HEAD.encode())
    assert lin.looks_like_lin(b"\xef\xbb\xbfvg|Cup,,I,1,16,A,0,B,0|\n")
    assert not lin.looks_like_lin((GAMES / "teams.pbn").read_bytes())
    assert not lin.looks_like_lin(b'<?xml version="1.0"?>')


def test_the_same_boards_in_pbn_and_in_lin_say_the_same() -> None:
    from_pbn = pbn.read_games((GAMES / "teams.pbn").read_bytes())
    assert lin.read((GAMES / "teams.lin").read_bytes()) == tuple(
        replace(
            game, event=None, site=None, date=None, scoring=None, ns_score=None, double_dummy=None, tags=()
        )
        for game in from_pbn
    )


def test_what_ends_a_command_does_not_end_it_inside_a_name() -> None:
    game = GameRecord(board=1, dealer=Seat.NORTH, players=("A|B", "C,D", "E\nF", "\U0001f3cc\ufe0f王勇"))
    (read,) = lin.read(lin.write([game]))
    assert read.players == ("A/B", "C D", "E F", "\U0001f3cc\ufe0f王勇")


@settings(max_examples=150, deadline=None, derandomize=True)
@given(games())
def test_a_board_is_read_back_as_it_was_written(game: GameRecord) -> None:
    assert lin.read(lin.write([game, game])) == (game, game)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(games())
def test_a_board_keeps_everything_on_the_way_through_the_other_format(game: GameRecord) -> None:
    assert pbn.read_games(pbn.write(lin.read(lin.write([game])))) == (game,)


def test_a_damaged_file_is_read_or_refused_in_our_words() -> None:
    data = (GAMES / "teams.lin").read_bytes()
    refused = [refusal(lin.read, mutant) for mutant in mutants(data, 1500, seed=9)]
    assert sum(error is not None for error in refused) > 300
    assert None in refused


@pytest.mark.parametrize(
    "piece", [b"mb|1c|", b"mb|", b"|", b"pc|CA|", b"nt|x|", b"md|1SA|", b"qx|o1|", b" ", b"\n"]
)
def test_no_file_takes_long_to_read(piece: bytes) -> None:
    data = HEAD.encode() + b"mb|p|" + piece * (300_000 // len(piece))
    begin = process_time()
    assert len(str(refusal(lin.read, data))) < 300
    assert process_time() - begin < 10
