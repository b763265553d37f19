"""Boards that were really played are played again at our table, call by call and card by card.

The engine has to allow every one of them, and to come to the contract, the declarer and the tricks that were published.
Where a record stops before the last card somebody claimed, or a director ruled; the published tricks are put that way.
"""

import re
from collections import Counter
from collections.abc import Iterator
from dataclasses import replace
from html import unescape
from pathlib import Path
from urllib.parse import unquote_to_bytes

import pytest

from bridge.contracts import Contract, read_contract
from bridge.formats import lin, pbn
from bridge.formats.game import GameRecord
from bridge.table import (
    AnswerClaim,
    Claim,
    MakeCall,
    Outcome,
    PlayCard,
    Rule,
    TableState,
    apply,
    open_board,
    seats_to_act,
)
from tests.real.conftest import REAL
from tests.real.readers.tables import rows_of

FILES = REAL / "anonymised"
TRAVELLERS = sorted(FILES.glob("bbo-*/traveller*.html"))
IRREGULAR = {"example4.pbn", "correct_10.pbn", "errors_20.pbn", "errors_21.pbn"}
"""Calls left out or out of rotation, on purpose: these files show what the standard allows and what it does not."""
RECORDS = sorted(
    path for path in FILES.rglob("*") if path.suffix in (".lin", ".pbn") and path.name not in IRREGULAR
)


def replayed(game: GameRecord) -> TableState:
    """The board as our table plays it from this record, to its end.

    Raises:
        IllegalAction: A call or a card that the Laws do not allow.
    """
    deal = game.complete_deal
    assert deal is not None
    state = open_board(game.board or 1, deal, dealer=game.dealer, vulnerability=game.vulnerability)
    for each in game.auction:
        assert state.auction.turn is each.seat
        state = apply(state, each.seat, MakeCall(each.call, "!" in each.mark, (each.note or "")[:200]))
    for trick in game.play:
        for played in trick:
            assert state.play is not None
            assert state.play.actor is not None
            assert state.play.turn is played.seat
            state = apply(state, state.play.actor, PlayCard(played.card))
    if not state.is_over and state.play and game.tricks is not None:
        state = claimed(state, game.tricks)
    return state


def claimed(state: TableState, tricks: int) -> TableState:
    """Declarer claims so many tricks in all and is believed; before the lead only a director can say so."""
    play = state.play
    assert play is not None
    if not play.has_begun:
        return apply(state, None, Rule(tricks))
    state = apply(state, play.declarer, Claim(tricks - play.won))
    for seat in sorted(seats_to_act(state)):
        state = apply(state, seat, AnswerClaim(True))
    return state


def outcome_of(game: GameRecord) -> Outcome:
    outcome = replayed(game).outcome
    assert outcome is not None
    return outcome


def said(game: GameRecord) -> tuple[Contract | None, bool, int | None, str]:
    """What a record says, as an outcome of the table says it."""
    lead = game.play[0][0].card.text if game.play else ""
    return game.contract, game.passed_out, game.tricks, lead


def playable(games: tuple[GameRecord, ...]) -> list[GameRecord]:
    """Those with a deal, a whole auction and a result that nothing in the record contradicts."""
    return [
        game
        for game in games
        if game.complete_deal
        and game.auction
        and not game.warnings
        and (game.passed_out or game.tricks is not None)
    ]


def games_in(path: Path) -> tuple[GameRecord, ...]:
    """All boards of a LIN or PBN file; the encoding is said where the file does not say it."""
    data = path.read_bytes()
    if path.suffix == ".lin":
        return lin.read(data, "iso-8859-2" if "bbo-9533" in path.parts else None)
    return pbn.read_games(data, "iso-8859-1" if "pbn-verif" in path.parent.name else None)


def rows_with_records(page: Path) -> Iterator[tuple[str, GameRecord]]:
    """The published result of each row of a traveller, with the record behind its link."""
    html = page.read_text("utf-8")
    results = [cells[6] for cells in rows_of(html, "tourney")]
    rows = html.split('<tr class="tourney">')[1:]
    assert len(rows) == len(results)
    for result, row in zip(results, rows, strict=True):
        if link := re.search(r"hv_popuplin\('([^']*)'", row):
            record = unquote_to_bytes(unescape(link[1]).encode())
            (game,) = lin.read(record, "iso-8859-2")
            yield result, game


@pytest.mark.parametrize("page", TRAVELLERS, ids=lambda page: f"{page.parent.name}-{page.stem}")
def test_every_row_of_a_traveller_is_played_to_its_published_result(page: Path) -> None:
    replays = 0
    for result, game in rows_with_records(page):
        if not game.auction:
            assert result.startswith("A")
            continue
        if result.startswith("A"):
            replayed(game)  # adjusted by the director; what was played before is legal all the same
            continue
        contract, tricks = read_contract(result)
        if game.tricks is None:
            game = replace(game, tricks=tricks)  # neither played out nor claimed: agreed upon
        outcome = outcome_of(game)
        assert (outcome.contract, outcome.tricks) == (contract, tricks)
        assert outcome.passed_out is (contract is None)
        replays += 1
    assert replays > 0


def test_the_travellers_are_all_there() -> None:
    assert len(TRAVELLERS) == 31
    assert sum(len(list(rows_with_records(page))) for page in TRAVELLERS) == 834


@pytest.mark.parametrize("path", RECORDS, ids=lambda path: f"{path.parent.name}-{path.stem}")
def test_every_board_of_a_record_is_played_to_its_result(path: Path) -> None:
    for game in playable(games_in(path)):
        outcome = outcome_of(game)
        assert (outcome.contract, outcome.passed_out, outcome.tricks, outcome.lead) == said(game), game.board


def test_the_boards_are_all_there() -> None:
    boards = Counter[str]()
    for path in RECORDS:
        boards[path.suffix] += len(playable(games_in(path)))
    assert boards == {".lin": 257, ".pbn": 282}
