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

from bridge.auction import PASS
from bridge.contracts import Contract, read_contract
from bridge.errors import IllegalCall, IllegalCard
from bridge.formats import lin, pbn
from bridge.formats.game import GameRecord
from bridge.seats import Seat
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
WRONG_ON_PURPOSE = {"errors_20.pbn", "errors_21.pbn"}
"""“The file contains many errors against the PBN standard”, they begin: a program is to find them, not to play them."""
RECORDS = sorted(
    path
    for path in FILES.rglob("*")
    if path.suffix.lower() in (".lin", ".pbn") and path.name not in WRONG_ON_PURPOSE
)
(PARTS,), (SHIFTED,) = FILES.glob("*/correct_10.pbn"), FILES.glob("*/example4.pbn")
STOPPED = tuple(FILES / "bbo-2196" / name for name in ("event.pbn", "lin/20784108.lin", "lin/20784128.lin"))
"""Boards 1 and 6 of one table, in both formats, have no result: play stopped there, neither played out nor claimed."""


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


def played(path: Path) -> list[GameRecord]:
    """The boards of a file that were played there, one way or another: the others are deals and scores."""
    return [game for game in games_in(path) if game.auction or game.play]


def to_their_results(path: Path) -> list[GameRecord]:
    """All of them but those of which a test below says why they cannot be played to a result."""
    if path == PARTS:
        return played(path)[:1]
    if path == SHIFTED:
        return []
    return [game for game in played(path) if path not in STOPPED or has_result(game)]


def has_result(game: GameRecord) -> bool:
    return game.passed_out or game.tricks is not None


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
    for game in to_their_results(path):
        outcome = outcome_of(game)
        assert (outcome.contract, outcome.passed_out, outcome.tricks, outcome.lead) == said(game), game.board


def test_the_boards_are_all_there() -> None:
    """Ten boards of the files are not played to a result: each of them has its test below."""
    boards, others = Counter[str](), Counter[Path]()
    for path in RECORDS:
        boards[path.suffix] += len(to_their_results(path))
        others[path] += len(played(path)) - len(to_their_results(path))
    assert boards == {".lin": 261, ".pbn": 284, ".PBN": 0}
    assert +others == {STOPPED[0]: 2, STOPPED[1]: 1, STOPPED[2]: 1, PARTS: 5, SHIFTED: 1}


@pytest.mark.parametrize("path", STOPPED, ids=lambda path: path.stem)
def test_a_board_that_stopped_without_a_result_is_played_to_where_it_stopped(path: Path) -> None:
    for game in played(path):
        if not has_result(game):
            state = replayed(game)
            assert (state.contract, state.is_over) == (game.contract, False)
            assert state.play
            assert state.play.cards() == tuple(each.card for trick in game.play for each in trick)


# ---- a file that shows all that the standard allows: irregularities, hidden hands, parts of records


def parts() -> list[GameRecord]:
    return played(PARTS)


@pytest.mark.parametrize("place", [1, 4])
def test_a_board_whose_defenders_hands_are_not_told_is_played_with_those_of_the_same_board(
    place: int,
) -> None:
    """“Same game; no cards for W/E”: the first record of the file has them."""
    whole, game = parts()[0], parts()[place]
    assert whole.deal
    assert game.deal
    assert game.complete_deal is None
    for seat in (Seat.NORTH, Seat.SOUTH):
        assert game.deal[seat] == whole.deal[seat]
    outcome = outcome_of(replace(game, deal=whole.deal))
    assert (outcome.contract, outcome.passed_out, outcome.tricks, outcome.lead) == said(game)


def test_an_auction_with_a_call_out_of_rotation_and_a_play_with_a_revoke_are_refused_where_the_laws_refuse_them() -> (
    None
):
    """“Game with all irregularity situations”: at our table nobody can call for another, or not follow suit.

    North was dealer, and East called in his place (Law 29), South bid less than the bid before (Law 27); in the second
    trick East discarded a spade with four clubs in hand (Law 61).
    """
    whole, game = parts()[0], parts()[2]
    assert game.complete_deal == whole.complete_deal
    opening = open_board(1, game.deal, dealer=game.dealer)  # type: ignore[arg-type]
    with pytest.raises(IllegalCall, match="not your turn"):
        apply(opening, game.auction[0].seat, MakeCall(game.auction[0].call))
    begun = apply(apply(opening, Seat.NORTH, MakeCall(PASS)), Seat.EAST, MakeCall(game.auction[0].call))
    assert game.auction[1].seat is Seat.SOUTH
    with pytest.raises(IllegalCall, match="A bid must be higher"):
        apply(begun, Seat.SOUTH, MakeCall(game.auction[1].call))
    state = replayed(replace(whole, play=(game.play[0], game.play[1][:1]), tricks=None))
    assert state.play
    assert (state.play.turn, game.play[1][1].card.text) == (Seat.EAST, "S5")
    with pytest.raises(IllegalCard, match="suit that was led must be played"):
        apply(state, Seat.EAST, PlayCard(game.play[1][1].card))


def test_auctions_without_a_deal_come_to_their_contracts() -> None:
    """The declarer “^N” of the one is irregular: by the auction, as the Laws have it, it is South. The other is passed out."""
    whole, one, passes = parts()[0], parts()[3], parts()[5]
    assert (one.deal, dict(one.tags)["Declarer"], passes.deal) == (None, "^N", None)
    assert replayed(replace(one, deal=whole.deal)).contract == read_contract("1C S")[0]
    assert outcome_of(replace(passes, deal=whole.deal)).passed_out


# ---- a file that says a wrong dealer


def test_a_record_with_a_wrong_dealer_is_played_to_its_result_once_the_dealer_is_right() -> None:
    """North is named as dealer, as board 1 has it by its number; so the auction ends in 5♣ by North, and not by East.

    Begun by East it comes to the contract and the declarer of the record, and the lead is South's. The third row of its
    cards stands in the order of play and not in the columns of the seats, so that East's ace of clubs would be South's.
    """
    (game,) = played(SHIFTED)
    with pytest.raises(AssertionError):
        replayed(game)
    bare = replace(game, play=(), tricks=None)
    assert replayed(bare).contract == read_contract("5C N")[0]
    begun_by_east = replace(
        bare, dealer=Seat.EAST, auction=tuple(replace(each, seat=each.seat.left) for each in game.auction)
    )
    state = replayed(begun_by_east)
    assert (state.contract, state.play and state.play.turn) == (game.contract, Seat.SOUTH)
    state = replayed(replace(begun_by_east, play=game.play[:2]))
    assert state.play
    assert (state.play.turn, state.play.won) == (Seat.EAST, 2)
    assert {(each.seat, each.card.text) for each in game.play[2]} == {
        (Seat.SOUTH, "CA"),
        (Seat.WEST, "D2"),
        (Seat.NORTH, "C9"),
        (Seat.EAST, "CQ"),
    }
    in_turn = sorted(game.play[2], key=lambda each: "CA D2 C9 CQ".index(each.card.text))
    seats = (Seat.EAST, Seat.SOUTH, Seat.WEST, Seat.NORTH)
    third = tuple(replace(each, seat=seat) for each, seat in zip(in_turn, seats, strict=True))
    fourth = tuple(sorted(game.play[3], key=lambda each: seats.index(each.seat)))
    outcome = outcome_of(replace(begun_by_east, play=(*game.play[:2], third, fourth), tricks=12))
    assert (outcome.contract, outcome.tricks, outcome.lead) == (game.contract, game.tricks, "SQ")
