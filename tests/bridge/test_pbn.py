"""PBN: games and events in and out."""

import re
from collections.abc import Callable
from dataclasses import replace
from decimal import Decimal
from pathlib import Path
from time import process_time

import pytest
from hypothesis import given, settings

from bridge.auction import bid
from bridge.cards import Deal, Suit
from bridge.comparison import Method
from bridge.contracts import Contract, Doubling, Strain
from bridge.formats import pbn, usebio
from bridge.formats.game import CallRecord, GameRecord
from bridge.formats.records import BoardRecord, EventRecord, PairRecord, RecordError, RowRecord, SessionRecord
from bridge.seats import Seat, Vulnerability, dealer, vulnerability
from tests.bridge.damage import mutants, refusal
from tests.bridge.strategies import events, games_with_everything

DATA = Path(__file__).parents[1] / "data"
VOID = "N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6"
TURNED = "S:86.QT654.A6.9743 T95432.32.T.AKJ6 .AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2"
CYCLE = [
    *("None", "NS", "EW", "All"),
    *("NS", "EW", "All", "None"),
    *("EW", "All", "None", "NS"),
    *("All", "None", "NS", "EW"),
]
TABLE = '[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]'


def one(*lines: str) -> GameRecord:
    (game,) = pbn.read_games("\n".join(lines).encode())
    return game


def event(*lines: str) -> EventRecord:
    return pbn.read("\n".join(lines).encode())


def said(*warnings: RecordError) -> list[str]:
    return [str(warning) for warning in warnings]


def again(game: GameRecord) -> GameRecord:
    (read,) = pbn.read_games(pbn.write([game]))
    return read


def test_a_hand_without_spades_begins_with_a_full_stop() -> None:
    deal = one(f'[Deal "{VOID}"]').deal
    assert deal is not None
    assert [[len(hand.suit(suit)) for suit in reversed(Suit)] for hand in deal.hands if hand] == [
        [0, 5, 5, 3],
        [5, 1, 5, 2],
        [2, 5, 2, 4],
        [6, 2, 1, 4],
    ]
    assert f'[Deal "{VOID}"]' in pbn.write([GameRecord(deal=deal)]).decode()


def test_the_first_letter_of_a_deal_says_whose_hand_comes_first() -> None:
    game = one('[Dealer "S"]', f'[Deal "{TURNED}"]')
    assert game.deal == Deal.from_pbn(VOID)
    assert f'[Deal "{TURNED}"]' in pbn.write([game]).decode()  # and the dealer's is written first


def test_a_board_passed_out_is_a_result_and_an_unrecorded_one_is_none() -> None:
    passed = one(
        '[Board "1"]',
        '[Contract "Pass"]',
        '[Declarer ""]',
        '[Result ""]',
        '[Auction "E"]',
        "Pass Pass",
        "Pass Pass",
    )
    unknown = one('[Board "2"]', '[Contract "?"]', '[Declarer "?"]', '[Result "?"]')
    assert passed.passed_out
    assert [(call.seat.letter, call.call.text) for call in passed.auction] == [
        (seat, "Pass") for seat in "ESWN"
    ]
    assert (unknown.passed_out, unknown.contract, unknown.tricks) == (False, None, None)
    assert [again(game) for game in (passed, unknown)] == [passed, unknown]


@pytest.mark.parametrize("place", ["before", "after", "after the play"])
def test_a_note_belongs_to_the_call_that_names_it_wherever_it_stands(place: str) -> None:
    auction = ['[Auction "N"]', "1NT =1= Pass Pass Pass"]
    text = '[Note "1:15-17"]'
    game = one(
        '[Board "1"]',
        *([text, *auction] if place == "before" else auction),
        *([text] if place == "after" else []),
        *(['[Play "E"]', "D2 D3 D4 D5", "*", text] if place == "after the play" else []),
    )
    assert [call.note for call in game.auction] == ["15-17", None, None, None]
    assert game.tags == ()


def test_a_note_that_nobody_names_is_kept() -> None:
    game = one('[Auction "N"]', "1NT AP", '[Note "4:weak"]')
    assert game.tags == (("Note", "4:weak"),)
    assert (
        again(replace(game, auction=(replace(game.auction[0], note="strong"), *game.auction[1:])))
        .auction[0]
        .note
        == "strong"
    )


def test_cards_are_read_without_regard_to_case_and_put_into_the_order_in_which_they_were_played() -> None:
    game = one(
        '[Board "1"]',
        "{Feasability: 7 10 10}",
        '[Contract "3NT"]',
        '[Declarer "S"]',
        '[Vulnerable "Both"]',
        '[Play "W"]',
        "D3 d4 D2 da",
        "ck C3 ct DK",
    )
    assert [[(card.seat.letter, card.card.text) for card in trick] for trick in game.play] == [
        [("W", "D3"), ("N", "D4"), ("E", "D2"), ("S", "DA")],
        [("S", "DK"), ("W", "CK"), ("N", "C3"), ("E", "CT")],
    ]
    assert game.comments == ("Feasability: 7 10 10",)
    assert game.vulnerability is Vulnerability.BOTH
    assert game.vulnerability is one('[Vulnerable "All"]').vulnerability


@pytest.mark.parametrize("seat", list(Seat))
@pytest.mark.parametrize("word", [str.lower, str.upper, str.title, lambda name: name[0]])
def test_seats_are_read_as_letters_and_as_words(seat: Seat, word: Callable[[str], str]) -> None:
    name = word(seat.name)
    game = one(
        '[Board "1"]', f'[Dealer "{name}"]', f'[Declarer "{name}"]', '[Contract "3ntX"]', '[Result "9"]'
    )
    assert (game.dealer, game.contract, game.tricks) == (
        seat,
        Contract(3, Strain.NOTRUMP, Doubling.DOUBLED, seat),
        9,
    )
    assert '[Declarer "' + seat.letter + '"]' in pbn.write([game]).decode()


def test_a_ruff_wins_the_trick_and_its_player_leads_the_next() -> None:
    game = one('[Contract "5CX"]', '[Declarer "N"]', '[Play "E"]', "SK C2 S4 S2", "H3 S5 D4 HA", "*")
    assert [[card.seat.letter for card in trick] for trick in game.play] == [list("ESWN"), list("SWNE")]


def test_dealers_that_do_not_fit_the_number_are_reported_with_their_lines_and_kept() -> None:
    lines = [
        line
        for number in range(1, 17)
        for line in (f'[Board "{number}"]', '[Dealer "N"]', f'[Vulnerable "{CYCLE[number - 1]}"]', "")
    ]
    record = event(*lines)
    boards = record.sessions[0].boards
    wrong = [board.number for board in boards if not board.fits_number]
    assert wrong == [number for number in range(1, 17) if number % 4 != 1]
    assert [warning.params["board"] for warning in record.warnings] == wrong
    assert [warning.line for warning in record.warnings] == [4 * number - 2 for number in wrong]
    assert {board.dealer for board in boards} == {Seat.NORTH}
    assert said(*record.warnings)[0] == (
        "Line 6: Board 2: the file says dealer N, the number says E; the file is followed."
    )
    assert [len(game.warnings) for game in pbn.read_games("\n".join(lines).encode())] == [
        int(number in wrong) for number in range(1, 17)
    ]


def test_hidden_hands_are_read_written_and_never_analysed() -> None:
    text = "N:AK94.Q642.Q82.QJ - Q6.AKJ.KJ95.AK63 -"
    game = one('[Board "3"]', f'[Deal "{text}"]')
    (board,) = pbn.read_boards(f'[Board "3"]\n[Deal "{text}"]'.encode())
    assert game.deal == board.deal == Deal.from_pbn(text)
    assert game.complete_deal is None
    assert board.complete_deal is None
    assert again(game).deal == game.deal
    assert one(f'[Deal "{VOID}"]').complete_deal is not None


def test_calls_are_labelled_from_the_dealer_on() -> None:
    game = one('[Board "3"]', '[Auction "S"]', "Pass 1S Pass 2S", "Pass Pass Pass")
    assert [call.seat.letter for call in game.auction] == list("SWNESWN")
    assert game.contract == Contract(2, Strain.SPADES, declarer=Seat.WEST)
    assert '[Auction "S"]\nPass 1S Pass 2S\nPass Pass Pass\n' in pbn.write([game]).decode()


@pytest.mark.parametrize("dealer_letter", "NESW")
@pytest.mark.parametrize("passes", [0, 1, 2, 3])
def test_whoever_deals_seats_declarer_and_leader_follow(dealer_letter: str, passes: int) -> None:
    turn = [*"NESW" * 4]["NESW".index(dealer_letter) :]
    calls = ["Pass"] * passes + ["1S", "Pass", "2S", "Pass", "Pass", "Pass"]
    leader = turn[passes + 1]
    game = one(f'[Auction "{dealer_letter}"]', " ".join(calls), f'[Play "{leader}"]', "D2 D3 D4 DA")
    assert [(call.seat.letter, call.call.text) for call in game.auction] == list(
        zip(turn, calls, strict=False)
    )
    assert game.contract is not None
    assert game.contract.declarer is Seat.from_letter(turn[passes])
    assert [card.seat.letter for card in game.play[0]] == turn[passes + 1 : passes + 5]
    assert game.warnings == ()
    assert again(game) == game


def test_declarer_is_who_named_the_strain_first_and_a_new_bid_ends_a_double() -> None:
    game = one('[Auction "N"]', "1H X 2H Pass", "4H X XX AP")
    assert game.contract is not None
    assert (game.contract.text, game.contract.declarer) == ("4HXX", Seat.NORTH)
    assert one('[Auction "N"]', "1H X 2H AP").contract == Contract(2, Strain.HEARTS, declarer=Seat.NORTH)


@pytest.mark.parametrize("method", [*Method, None])
def test_the_scoring_is_written_as_the_event_has_it_and_unknown_stays_unknown(method: Method | None) -> None:
    board = BoardRecord(1, dealer(1), vulnerability(1), rows=(RowRecord("1", "2", passed_out=True),))
    record = EventRecord(
        "Evening", (SessionRecord(1, (board,)),), (PairRecord("1", ()), PairRecord("2", ())), method=method
    )
    text = pbn.write_event(record).decode()
    words = {"MP": "MP", "BUTLER": "IMP;Butler", "CROSS_IMP": "IMP;Cross", "TOTAL_IMP": "IMP;Total"}
    assert re.findall(r'\[Scoring "(.*)"\]', text) == [words[method.value] if method else "?"]
    assert pbn.read(text.encode()).method is method
    assert pbn.scoring_of(method) == (words[method.value] if method else None)


@pytest.mark.parametrize(
    ("scoring", "method"),
    [
        ("MP", Method.MP),
        ("MatchPoints;MP1", Method.MP),
        ("IMP;Cross1", Method.CROSS_IMP),
        ("IMP;Butler-2", Method.BUTLER),
        ("IMP", None),
        ("Rubber", None),
        ("IMP;??", None),
        (";", None),
        ("", None),
    ],
)
def test_a_scoring_is_read_only_when_it_is_named(scoring: str, method: Method | None) -> None:
    assert event('[Board "1"]', f'[Scoring "{scoring}"]').method is method


def test_letters_of_four_bytes_and_of_all_nations_come_through() -> None:
    names = ("\U0001f3cc\ufe0f", "Jürgen Müller-Łuczak", "王勇", 'The "Fox" \\ #7')
    game = GameRecord(players=names, event="{Ω} ; [x]", site="## 1")
    assert (again(game).players, again(game).event, again(game).site) == (names, "{Ω} ; [x]", "## 1")
    assert names[0].encode() in pbn.write([game])


def test_a_value_stands_for_an_earlier_one() -> None:
    games = pbn.read_games(
        b'[Event "##Cup"]\n[Site "Here"]\n[Board "1"]\n\n[Board "2"]\n[Site "#"]\n\n[Event "Final"]\n[Board "3"]\n\n[Board "4"]'
    )
    assert [(game.event, game.site) for game in games] == [
        ("Cup", "Here"),
        ("Cup", "Here"),
        ("Final", None),
        ("Final", None),
    ]


def test_comments_escapes_and_free_layout_end_no_record_and_keep_the_line() -> None:
    game = one(
        "% a header",
        " [",
        "  Event",
        '    "new lines"',
        "  ]",
        "{ one",
        "",
        "% left out }",
        "two } ; rest of the line",
        '[Board "7"] [Dealer "N"]',
    )
    assert (game.event, game.board) == ("new lines", 7)
    assert game.comments == (" one\n\ntwo", "rest of the line")
    assert [warning.line for warning in game.warnings] == [10]


def test_what_fits_nowhere_is_reported_with_its_line() -> None:
    game = one('[Board "1"]', '[Event "open]', '[Site "x"]', "word", "{ no end")
    assert said(*game.warnings) == [
        'Line 2: “[Event "open]” belongs to no tag.',
        "Line 5: This comment has no end.",
        "Line 4: “word” belongs to no tag.",
    ]


def test_tricks_and_scores_are_read_from_either_side() -> None:
    tags = ('[Declarer "E"]', '[Contract "5HX"]')
    assert [one(*tags, f'[Result "{text}"]').tricks for text in ("9", "EW 9", "NS 4", "NS 4 EW 9")] == [9] * 4
    scores = ("EW 650", "NS -650", "650", "NS -650 EW 650")
    assert [one(*tags, f'[Score "{text}"]').ns_score for text in scores] == [-650] * 4
    assert one('[ScoreIMP "EW -2.5"]').ns_imps == Decimal("2.5")


def test_a_value_that_no_field_can_say_is_kept_as_it_stands() -> None:
    game = one(
        '[Contract "5HX"]',
        '[Declarer "^S"]',
        '[Result "^5"]',
        '[Date "2026.11.??"]',
        '[ScoreIMP "NS 10 EW 0"]',
    )
    assert (game.contract and game.contract.declarer, game.tricks, game.date) == (Seat.SOUTH, None, None)
    assert dict(game.tags) == {
        "Declarer": "^S",
        "Result": "^5",
        "Date": "2026.11.??",
        "ScoreIMP": "NS 10 EW 0",
    }
    assert again(game) == game


def test_makeable_tricks_are_read_from_the_table_and_not_from_a_row_of_ones() -> None:
    seats, strains = "NSEW", ("NT", "S", "H", "D", "C")
    table = ['[OptimumResultTable "Declarer;Denomination\\2R;Result\\2R"]']
    table += [f"{seat} {strain} {6 if seat in 'NS' else 7}" for seat in seats for strain in strains]
    short = '[DoubleDummyTricks "11111111117777777777"]'
    game = one('[Board "1"]', short, *table)
    assert game.double_dummy == "6" * 10 + "7" * 10
    assert (game.tags, game.tables) == ((), ())
    assert again(game) == game
    assert one('[Board "1"]', short).double_dummy is None
    assert (
        one('[Board "1"]', '[DoubleDummyTricks "2525625256B8B86B8B76"]').double_dummy
        == "2525625256b8b86b8b76"
    )


def test_makeable_tricks_that_are_said_twice_and_differently_are_reported() -> None:
    table = [f"{seat} {strain} 7" for seat in "NSEW" for strain in ("NT", "S", "H", "D", "C")]
    game = one(
        '[DoubleDummyTricks "87777777777777777777"]',
        '[OptimumResultTable "Declarer;Denomination;Result"]',
        *table,
    )
    assert game.double_dummy == "7" * 20
    assert said(*game.warnings) == ["Line 1: The two tables of makeable tricks differ."]


def test_a_tag_that_stands_twice_is_read_once() -> None:
    game = one('[Board "1"]', '[Dealer "N"]', '[Dealer "S"]', '[Room "Open"]')
    assert game.dealer is Seat.NORTH
    assert said(*game.warnings) == ["Line 3: The tag Dealer stands here once more."]


def test_a_card_that_the_hand_does_not_hold_is_reported_and_kept() -> None:
    game = one(f'[Deal "{VOID}"]', '[Contract "4S"]', '[Declarer "E"]', '[Play "S"]', "S8 S2 C8 SA", "*")
    assert len(game.play[0]) == 4
    assert said(*game.warnings) == []
    wrong = one(f'[Deal "{VOID}"]', '[Contract "4S"]', '[Declarer "E"]', '[Play "S"]', "SA S2 C8 SA", "*")
    assert said(*wrong.warnings) == [
        "Line 4: Trick 1: S plays SA, which that hand does not hold.",
        "Line 4: Trick 1: E plays SA, which that hand does not hold.",
    ]


def test_what_follows_the_sign_of_an_unfinished_board_is_reported() -> None:
    assert said(*one('[Auction "N"]', "1S Pass + Pass").warnings) == [
        "Line 2: “Pass” stands after + though nothing followed yet."
    ]
    assert one('[Auction "N"]', "1S Pass +").warnings == ()
    play = ('[Contract "6S"]', '[Declarer "N"]', '[Play "E"]')
    assert one(*play, "S3 + - -").warnings == ()
    assert [warning.line for warning in one(*play, "S3 + S7 -").warnings] == [4]


def test_all_bad_rows_are_reported_at_once() -> None:
    with pytest.raises(RecordError) as refused:
        event(
            '[Board "1"]',
            TABLE,
            "1 2 3NT N 14",
            "3 4 8C N 9",
            "5 6 3NT N 9",
            "7 8 3NT Q 9",
            "",
            '[Board "0"]',
        )
    assert said(refused.value, *refused.value.others) == [
        "Line 3: A board has 13 tricks: 14 cannot be won.",
        "Line 4: A contract has a level from 1 to 7, not 8.",
        "Line 6: “3NT Q” is not a contract.",
        "Line 8: “0” is not the number of a board.",
    ]


def test_a_pair_against_itself_is_an_error_with_its_line() -> None:
    rows = [f"{ns} {ew} 1NT N 7" for ns, ew in ((1, 2), (3, 4), (5, 5), (7, 8))]
    more = [f"{ns} {ew} 1NT N 7" for ns, ew in ((1, 3), (2, 4), (5, 7), (6, 8))]
    with pytest.raises(RecordError, match=r"^Line 5: Pair 5 plays against itself on board 1"):
        event('[Board "1"]', TABLE, *rows, "", '[Board "2"]', TABLE, *more)


def test_lines_that_both_count_from_one_are_two_lines() -> None:
    boards = [
        ['[Board "1"]', TABLE, "1 1 1NT N 7", "2 2 1NT N 8", "3 3 1NT N 9", ""],
        ['[Board "2"]', TABLE, "1 3 1NT N 7", "2 1 1NT N 8", "3 2 1NT N 9", ""],
    ]
    record = event(*boards[0], *boards[1])
    assert record.winners == 2
    assert [pair.label for pair in record.pairs] == ["1NS", "2NS", "3NS", "1EW", "2EW", "3EW"]
    assert event('[Board "1"]', TABLE, "1 4 1NT N 7", "2 5 1NT N 8", "3 6 1NT N 9").winners == 1


def test_sections_that_both_count_from_one_have_pairs_of_their_own() -> None:
    table = '[ScoreTable "Section;PairId_NS;PairId_EW;Contract;Declarer;Result"]'
    names = '[TotalScoreTable "Section;PairId;Names"]', 'A 1 "Nora;Will"', 'B 1 "Ed;Sue"'
    apart = event('[Board "1"]', table, "A 1 2 1NT N 7", "A 3 4 1NT N 8", "B 1 2 1NT N 9", *names)
    assert [pair.label for pair in apart.pairs] == ["A1", "A2", "A3", "A4", "B1", "B2"]
    assert [player.name for player in apart.pairs[4].players] == ["Ed", "Sue"]
    assert apart.winners == 1
    together = event('[Board "1"]', table, "A 1 2 1NT N 7", "A 3 4 1NT N 8", "B 5 6 1NT N 9")
    assert [pair.label for pair in together.pairs] == ["1", "2", "3", "4", "5", "6"]
    lines = event('[Board "1"]', table, "A 1 1 1NT N 7", "A 2 2 1NT N 8", "B 1 1 1NT N 9")
    assert [pair.label for pair in lines.pairs] == ["A1NS", "A2NS", "B1NS", "A1EW", "A2EW", "B1EW"]


def test_a_pair_that_sits_out_makes_no_row() -> None:
    record = event('[Board "1"]', TABLE, "1 2 1NT N 7", "3 - - - -")
    assert record.rows == 1
    with pytest.raises(RecordError, match="names no two pairs"):
        event('[Board "1"]', TABLE, "1 2 1NT N 7", "3 - 1NT N 7")


def test_names_and_standings_are_read_from_the_total_score_table() -> None:
    record = event(
        '[Board "1"]',
        '[Scoring "MP"]',
        TABLE,
        "1 2 1NT N 7",
        '[TotalScoreTable "-Rank\\\\3R;PairId\\\\3R;Names\\\\20L;TotalScoreMP\\\\4R;TotalPercentage\\\\5R"]',
        '1 2 "Nora Aas;Will Ek" 2 100.00',
        "2 1 - 0 0.00",
    )
    assert [[player.name for player in pair.players] for pair in record.pairs] == [
        [],
        ["Nora Aas", "Will Ek"],
    ]
    assert [(each.pair, each.total, each.place) for each in record.standings] == [
        ("2", Decimal(2), "1"),
        ("1", Decimal(0), "2"),
    ]


@pytest.mark.parametrize("name", ["butler", "mitchell", "cross_imp", "two_sessions"])
def test_an_event_of_another_format_keeps_its_results_in_pbn(name: str) -> None:
    record = usebio.read((DATA / "events" / f"{name}.xml").read_bytes())
    read = pbn.read(pbn.write_event(record))
    assert [session.boards for session in read.sessions] == [
        tuple(replace(board, published_datum=None) for board in session.boards) for session in record.sessions
    ]
    assert {pair.label: [player.name for player in pair.players] for pair in read.pairs} == {
        pair.label: [player.name for player in pair.players] for pair in record.pairs
    }
    assert (read.method, read.winners, read.title, read.date) == (
        record.method,
        record.winners,
        record.title,
        record.date,
    )


def test_lines_of_calls_and_cards_stay_short() -> None:
    text = pbn.write(pbn.read_games((DATA / "games" / "teams.pbn").read_bytes())).decode()
    assert max(map(len, text.splitlines())) < 100


@settings(max_examples=150, deadline=None, derandomize=True)
@given(games_with_everything())
def test_a_game_is_read_back_as_it_was_written(game: GameRecord) -> None:
    assert again(game) == game
    assert pbn.read_games(pbn.write([game, game])) == (game, game)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(events())
def test_an_event_is_read_back_as_it_was_written(record: EventRecord) -> None:
    assert pbn.read(pbn.write_event(record)) == record


@pytest.mark.parametrize("name", ["teams.pbn", "evening.pbn"])
def test_a_damaged_file_is_read_or_refused_in_our_words(name: str) -> None:
    data = (DATA / "games" / name).read_bytes()
    refused = [
        refusal(read, mutant)
        for mutant in mutants(data, 700, seed=5)
        for read in (pbn.read_games, pbn.read_boards, pbn.read)
    ]
    assert sum(error is not None for error in refused) > 300
    assert None in refused


def test_what_can_still_be_read_of_a_damaged_file_is_written_and_read_back_the_same() -> None:
    kept = 0
    for mutant in mutants((DATA / "games" / "teams.pbn").read_bytes(), 300, seed=6):
        if refusal(pbn.read_games, mutant) is None:
            games = tuple(
                replace(game, comments=()) for game in pbn.read_games(mutant)
            )  # one with } cannot be
            assert pbn.read_games(pbn.write(games)) == games
            kept += 1
    assert kept > 50


@pytest.mark.parametrize(
    "piece",
    [
        b"{",
        b"[",
        b'"',
        b'\\"',
        b"[a ",
        b'[a "',
        b'[a "b"]',
        b'[Event "x"]\n\n',
        b"\n",
        b" ",
        b"[\n",
        b"{}",
        b"AP ",
        b"1C ",
        b"%\n",
        b";\n",
        b"=1= ",
        b"! ",
        b'[Note "1:x"]',
        b'[Event "##x"]',
    ],
)
def test_no_file_takes_long_to_read(piece: bytes) -> None:
    data = b'[Board "1"]\n[Auction "N"]\n' + piece * (300_000 // len(piece))
    begin = process_time()
    refused = [refusal(read, data) for read in (pbn.read_games, pbn.read)]
    assert max(len(str(error)) for error in refused) < 300
    assert process_time() - begin < 10


def test_calls_and_cards_that_cannot_be_are_refused_together() -> None:
    with pytest.raises(RecordError) as refused:
        one('[Board "1"]', '[Auction "N"]', "1S 8C", '[Play "X"]', "S1", '[Deal "N:... ... ... ..."]')
    assert said(refused.value, *refused.value.others) == [
        "Line 6: North has 0 cards and not 13.",
        "Line 3: “8C” is not a call.",
        "Line 4: “X” is not a seat: N, E, S or W.",
    ]


def test_an_auction_with_a_call_left_out_keeps_every_call_at_its_seat() -> None:
    game = one('[Dealer "N"]', '[Auction "W"]', "- ^S 1D ^I 1C", "Pass Pass Pass")
    assert game.auction[:2] == (
        CallRecord(Seat.EAST, bid(1, Strain.DIAMONDS)),
        CallRecord(Seat.SOUTH, bid(1, Strain.CLUBS), mark="^I"),
    )
    assert again(game) == game
