"""LIN files of Bridge Base say what is expected of them: single boards, dealing machines, broadcasts."""

import json
import re
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest

from bridge.auction import read_call
from bridge.cards import Deal
from bridge.contracts import Doubling
from bridge.formats import lin, pbn
from bridge.formats.game import GameRecord
from bridge.scoring import ns_score
from bridge.seats import Vulnerability
from tests.real.conftest import REAL

BROADCASTS = [
    "vugraph-74800",
    "vugraph-74802",
    "vugraph-74804",
    "vugraph-74806",
    "vugraph-74807",
    "vugraph-schapiro",
]
VULNERABLE = {
    "o": "None",
    "n": "NS",
    "e": "EW",
    "b": "Both",
    "None": "None",
    "NS": "NS",
    "EW": "EW",
    "All": "Both",
}
SINGLE = ["lin-single-files/example1.lin", "lin-single-files/sample.lin"]


def expected(item: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{item}.json").read_text("utf-8"))
    return data


def games_of(name: str) -> tuple[GameRecord, ...]:
    path = REAL / "anonymised" / name
    if path.is_dir():
        (path,) = path.iterdir()
    data = path.read_bytes()
    assert lin.looks_like_lin(data)
    return lin.read(data)


def letter(game: GameRecord) -> str | None:
    return None if game.dealer is None else game.dealer.letter


def score(game: GameRecord) -> int:
    return ns_score(game.contract, game.tricks, game.vulnerability or Vulnerability.NONE)


@pytest.mark.parametrize("name", SINGLE)
def test_single_boards_have_the_calls_alerts_and_cards_that_are_listed(name: str) -> None:
    games = games_of(name)
    wanted = {
        key: each
        for key, each in expected("lin-single-files")["deals"].items()
        if key.startswith(Path(name).name)
    }
    assert len(games) == len(wanted)
    for game, each in zip(games, wanted.values(), strict=True):
        assert game.complete_deal is not None
        assert f"Board {game.board}" == each["board"]
        assert game.dealer is not None
        assert game.dealer.letter == each["dealer"]
        assert game.vulnerability == VULNERABLE[each["vul"]]
        assert [call.call for call in game.auction] == [read_call(call) for call in each["calls"]]
        level, strain, doubled, declarer = each["contract"]
        assert game.contract is not None
        assert game.contract.declarer is not None
        assert (game.contract.level, game.contract.strain.text[0], game.contract.doubling) == (
            level,
            strain,
            Doubling(doubled),
        )
        assert game.contract.declarer.letter == declarer
        assert sum(map(len, game.play)) == each["cards_played"]
        assert game.tricks == (each["tricks_if_all_played"] if each["claim"] is None else int(each["claim"]))
        assert sum((call.note is not None) + (call.mark == "!") for call in game.auction) == each["alerts"]
        assert game.warnings == ()


def test_a_dealing_machine_s_file_holds_the_deals_of_the_other_formats() -> None:
    games = games_of("deal-formats-a/test.lin")
    deals = {game.board: game.deal for game in games}
    assert len(games) == 32  # every board for both rooms
    assert deals == {
        each["board"]: Deal.from_pbn(each["deal"]) for each in expected("deal-formats-a")["deals"]
    }
    assert {game.board: (letter(game), game.vulnerability) for game in games} == {
        each["board"]: (each["dealer"], VULNERABLE[each["vul"]])
        for each in expected("deal-formats-a")["deals"]
    }


@pytest.mark.parametrize("item", BROADCASTS)
def test_a_broadcast_has_the_published_results_of_both_rooms(item: str) -> None:
    wanted = expected(item)
    games = {f"{dict(game.tags)['Room'][0].lower()}{game.board}": game for game in games_of(item)}
    assert games.keys() == wanted["board_records"].keys()
    for name, each in wanted["board_records"].items():
        game = games[name]
        assert game.complete_deal is not None
        assert (letter(game), game.vulnerability) == (
            each["dealer"],
            VULNERABLE[each["vul"]],
        )
        assert len(game.auction) == each["calls"]
        assert sum(map(len, game.play)) == each["cards_played"]
        room = {"o": "open", "c": "closed"}[name[0]]
        published = wanted["results_ns_score"].get(name[1:], {}).get(room)
        if published is not None:
            assert score(game) == published


def test_results_that_the_record_contradicts_are_reported() -> None:
    reported = {
        item: [
            f"{dict(game.tags)['Room'][0].lower()}{game.board}" for game in games_of(item) if game.warnings
        ]
        for item in BROADCASTS
    }
    noted = {
        item: re.findall(r"\('([oc]\d+)', 'tricks'", " ".join(expected(item)["notes"])) for item in BROADCASTS
    }
    assert reported == noted


@pytest.mark.parametrize("name", [*SINGLE, "deal-formats-a/test.lin", *BROADCASTS])
def test_every_board_is_written_and_read_back_the_same(name: str) -> None:
    games = games_of(name)
    assert pbn.read_games(pbn.write(games)) == games
    bare = tuple(replace(game, event=None, scoring=None, tags=()) for game in games)
    assert lin.read(lin.write(games)) == bare
