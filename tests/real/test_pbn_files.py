"""PBN files of many programs, and the verification files of the standard, say what is expected of them."""

import json
import re
from dataclasses import replace
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from bridge.cards import Deal
from bridge.formats import pbn
from bridge.formats.game import GameRecord
from bridge.formats.records import RecordError
from bridge.imps import imps
from bridge.matchpoints import matchpoints
from bridge.scoring import ns_score
from bridge.seats import vulnerability
from tests.real.conftest import REAL

ITEMS = [
    "pbn-bigdeal",
    "pbn-bigdeal-df",
    "pbn-bridgebots-sample",
    "pbn-dealmaster-lexington",
    "pbn-empty",
    "pbn-empty-line-in-comment",
    "pbn-escape-in-comment",
    "pbn-rpbridge-4",
    "pbn-three-test-records-crlf",
    "pbn-verif-basic-10",
    "pbn-verif-correct-10",
    "pbn-verif-correct-21",
    "pbn-verif-errors-20",
    "pbn-verif-errors-21",
]
SCORED = ["pbn-westwood-2019", "pbn-winchester-2026"]
VULNERABLE = {
    "None": "None",
    "Love": "None",
    "-": "None",
    "NS": "NS",
    "EW": "EW",
    "All": "Both",
    "Both": "Both",
    "": None,
}


def expected(item: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{item}.json").read_text("utf-8"))
    return data


def file_of(item: str) -> Path:
    (path,) = (REAL / "anonymised" / item).iterdir()
    return path


@cache
def games_of(item: str) -> tuple[GameRecord, ...]:
    return pbn.read_games(file_of(item).read_bytes(), expected(item).get("encoding"))


def comparable(item: str) -> list[tuple[GameRecord, dict[str, Any]]]:
    """Each game with what is expected of it.

    In one file four games are only an Event tag in a layout that the expectation's own reader passes over (no blank
    before the value, or one on two lines).
    """
    games = list(games_of(item))
    if item == "pbn-verif-correct-10":
        unusual = ["No space after 'event'", "Spaces after '[' and before ']'", "use new lines"]
        games = [game for game in games if game.event not in unusual and len(game.event or "") < 200]
        assert len(games_of(item)) == len(games) + 4
    wanted = expected(item)["games"]
    assert len(games) == len(wanted)
    return list(zip(games, wanted, strict=True))


def tag(game: GameRecord, name: str) -> str:
    return dict(game.tags)[name]


def fields_of(game: GameRecord) -> dict[str, object]:
    return {
        "Board": None if game.board is None else str(game.board),
        "Dealer": None if game.dealer is None else game.dealer.letter,
        "Vulnerable": game.vulnerability and game.vulnerability.value,
        "deal": game.deal,
    }


def as_read(wanted: dict[str, Any]) -> dict[str, object]:
    return {
        "Board": wanted.get("Board"),
        "Dealer": wanted.get("Dealer") or None,
        "Vulnerable": VULNERABLE[wanted.get("Vulnerable", "")],
        "deal": Deal.from_pbn(wanted["deal"]) if "deal" in wanted else None,
    }


@pytest.mark.parametrize("item", ITEMS)
def test_every_record_is_read_with_its_cards(item: str) -> None:
    for game, wanted in comparable(item):
        assert fields_of(game) == as_read(wanted)


@pytest.mark.parametrize("item", ITEMS)
def test_contract_and_result_are_as_the_file_says(item: str) -> None:
    for game, wanted in comparable(item):
        text = wanted.get("Contract", "")
        if text == "Pass":
            assert game.passed_out
        elif text not in ("", "?"):
            assert game.contract is not None
            assert game.contract.text == text
            assert game.contract.declarer is not None
            assert game.contract.declarer.letter == wanted["Declarer"].lstrip("^")
        if "calc_ns_score" in wanted:
            assert game.vulnerability is not None
            assert ns_score(game.contract, game.tricks, game.vulnerability) == wanted["calc_ns_score"]
        result = wanted.get("Result", "").removeprefix("NS ").partition(" ")[0]
        if result.isdecimal() and game.contract:
            assert game.tricks == int(result)


@pytest.mark.parametrize("item", ITEMS)
def test_every_call_with_its_note_and_every_row_of_cards_is_read(item: str) -> None:
    for game, wanted in comparable(item):
        words = re.sub(r"\{[^}]*\}|; end-of-line AUCTION|\+.*", "", wanted.get("auction", "")).split()
        calls = [word.title() for word in words if re.fullmatch(r"(?i)pass|XX?|[1-7](NT|[CDHS])", word)]
        ours = [call.call.text.title() for call in game.auction]
        assert ours[: len(calls)] == calls
        assert set(ours[len(calls) :]) <= {"Pass"}  # what AP stands for
        assert [call.note is not None for call in game.auction].count(True) == sum(
            word.startswith("=") and words[place - 1] != "AP" for place, word in enumerate(words)
        )
        comment_counted = game.event == "test comment"  # a comment before the first card was counted as a row
        assert len(game.play) + comment_counted == wanted.get("play_rows", 0)


def test_the_oddities_that_the_standard_allows_are_kept() -> None:
    games = games_of("pbn-verif-correct-10")
    first, _, irregular, letters = games[:4]
    assert [call.note for call in first.auction if call.note is not None] == [
        "non-forcing 6-9 points, 6-card",
        "two colors: clubs and diamonds",
    ]
    assert [(card.seat.letter, card.card.text) for card in first.play[-1]] == [("S", "H2")]
    assert dict(irregular.tags)["Declarer"] == "^S"
    assert [call.mark for call in irregular.auction].count("^I") == 2
    assert letters.players == ("N07\u00e0", "N08", "N05\u00a1", "N06\u00c0")
    marked = next(game for game in games if game.event == "test comment")
    assert (marked.auction[2].mark, marked.auction[2].comment) == ("?! $13", "A1\nA2\nB1\nB2\nC1\nC2\nD1\nD2")
    assert marked.play[0][0].note == "highest of series"
    assert marked.deal is not None
    assert marked.complete_deal is None
    assert [game.warnings for game in games_of("pbn-verif-basic-10")] == [()]


def test_a_file_in_8_bit_letters_that_says_no_encoding_asks_for_it() -> None:
    with pytest.raises(RecordError, match=r"^Line 130: .* does not say its encoding"):
        pbn.read_games(file_of("pbn-verif-correct-10").read_bytes())


def test_errors_of_the_standard_are_reported_with_their_lines() -> None:
    games = games_of("pbn-verif-errors-20")
    lines = sorted({warning.line for game in games for warning in game.warnings if warning.line})
    assert lines == [40, 53, 66, 79, 92, 93, 100, 117, 121]


def test_all_rows_that_name_no_pairs_are_reported_when_an_event_is_asked_for() -> None:
    with pytest.raises(RecordError) as refused:
        pbn.read(file_of("pbn-verif-errors-20").read_bytes())
    errors = (refused.value, *refused.value.others)
    text = file_of("pbn-verif-errors-20").read_text().splitlines()
    assert [text[(error.line or 0) - 1].split()[0] for error in errors] == ["1", "3", "4"] * 2


def test_names_of_the_expert_record_have_their_alerts() -> None:
    first, second, third = games_of("pbn-bridgebots-sample")
    assert [call.note for call in first.auction if call.note is not None] == [
        "0-4 !ss",
        "less than 8 points",
        "17+ with 4 !S",
    ]
    assert [call.call.text for call in first.auction if call.mark == "!"] == ["2C"]
    assert second.ns_imps is None
    assert first.ns_imps == -241
    assert (second.scoring, third.scoring) == (
        None,
        "IMP;Cross",
    )  # the nearest record that names one hands it on
    assert tag(third, "HomeTeam") == "Brazil"


@pytest.mark.parametrize("item", SCORED)
def test_scores_of_score_tables_are_the_computed_ones(item: str) -> None:
    record = pbn.read(file_of(item).read_bytes())
    boards = {str(board.number): board for _, board in record.boards()}
    wanted = expected(item)["board_results"]
    assert boards.keys() == wanted.keys()
    for number, rows in wanted.items():
        board = boards[number]
        assert [(row.ns, row.ew, row.score(board.vulnerability)) for row in board.rows] == [
            (f"{ns}NS", f"{ew}EW", score) for ns, ew, *_, score, _ in rows
        ]
        scored = [(score, points) for *_, score, points in rows if score is not None]
        assert matchpoints([score for score, _ in scored]) == [points for _, points in scored]
        assert board.complete_deal is not None
        assert board.double_dummy is not None
        assert board.fits_number


def test_an_event_goes_out_and_comes_back() -> None:
    for item in SCORED:
        record = pbn.read(file_of(item).read_bytes())
        assert pbn.read(pbn.write_event(record)) == replace(record, program="Datum")


def test_a_round_of_a_teams_championship_is_read_to_the_last_imp() -> None:
    games = games_of("pbn-ebl-qual-r2-a")
    wanted = expected("pbn-ebl-qual-r2-a")
    assert len(games) == wanted["games"]
    played = {(tag(game, "HomeTeam"), tag(game, "VisitTeam"), game.board): game for game in games}
    assert len(played) == len(games)
    for match in wanted["matches"]:
        home, away, total = match["home"], match["away"], [0, 0]
        for number, *scores, swing in match["boards"]:
            tables = played[home, away, number], played[away, home, number]  # the home team sits North–South
            assert [game.ns_score or 0 for game in tables] == scores
            assert [ns_score(game.contract, game.tricks, vulnerability(number)) for game in tables] == scores
            assert swing == imps(scores[0] - scores[1])
            assert [game.ns_imps for game in tables] == [swing, -swing]
            total[swing < 0] += abs(swing)
        assert total == match["imps"]
    assert [warning for game in games for warning in game.warnings] == []
    assert sum(game.ns_score is None for game in games) == 20  # a bye has no score


@pytest.mark.parametrize("name", ["test.pbn", "test-jfr.pbn"])
def test_the_same_deals_are_read_from_both_exporters(name: str) -> None:
    boards = pbn.read_boards((REAL / "anonymised" / "deal-formats-a" / name).read_bytes())
    assert [
        {
            "board": board.number,
            "dealer": board.dealer.letter,
            "vul": board.vulnerability.value,
            "deal": board.deal,
        }
        for board in boards
    ] == [
        {**each, "vul": VULNERABLE[each["vul"]], "deal": Deal.from_pbn(each["deal"])}
        for each in expected("deal-formats-a")["deals"]
    ]
    assert boards[0].double_dummy == "6345663456" + "7a9867a986"


@pytest.mark.parametrize("item", [*ITEMS, *SCORED, "pbn-ebl-qual-r2-a"])
def test_every_game_is_written_and_read_back_the_same(item: str) -> None:
    assert pbn.read_games(pbn.write(games_of(item))) == games_of(item)
