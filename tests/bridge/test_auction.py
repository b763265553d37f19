"""Calls: legal or not, whose turn, who declares; against the vectors and against the Laws counted out by hand."""

import json
from random import Random

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.auction import BIDS, CALLS, DOUBLE, LONGEST_AUCTION, PASS, REDOUBLE, Auction, Call, bid, read_call
from bridge.contracts import Contract, Doubling, Strain
from bridge.errors import IllegalCall
from bridge.seats import Seat
from tests.bridge.test_vectors import VECTORS

VECTOR = json.loads((VECTORS / "auction.json").read_text("utf-8"))


def called(dealer: Seat, calls: list[str]) -> Auction:
    auction = Auction(dealer)
    for text in calls:
        call = read_call(text)
        assert call is not None
        auction = auction.after(call)
    return auction


def in_words(auction: Auction) -> dict[str, object]:
    """The end of an auction as the vectors write it."""
    if auction.is_passed_out:
        return {"passed_out": True}
    contract = auction.contract
    assert contract is not None
    assert contract.declarer is not None
    return {
        "level": contract.level,
        "strain": contract.strain.text,
        "doubled": int(contract.doubling),
        "declarer": contract.declarer.letter,
        "opening_leader": contract.declarer.left.letter,
        "dummy": contract.declarer.partner.letter,
    }


@pytest.mark.parametrize("case", VECTOR["auctions"], ids=lambda case: case["id"])
def test_an_auction_ends_in_its_contract(case: dict[str, object]) -> None:
    auction = called(Seat.from_letter(str(case["dealer"])), case["calls"])  # type: ignore[arg-type]
    assert auction.turn is None
    assert auction.legal_calls() == ()
    assert in_words(auction) == case["result"]


@pytest.mark.parametrize("case", VECTOR["single_calls"], ids=lambda case: case["id"])
def test_a_single_call_is_legal_or_not(case: dict[str, object]) -> None:
    auction = called(Seat.from_letter(str(case["dealer"])), case["calls"])  # type: ignore[arg-type]
    call = read_call(str(case["next_call"]))
    assert (call in auction.legal_calls()) is case["legal"]
    if case["legal"] and call:
        assert auction.after(call).calls[-1] == call
    elif call:
        with pytest.raises(IllegalCall):
            auction.after(call)


def test_the_vectors_are_all_there() -> None:
    assert (len(VECTOR["auctions"]), len(VECTOR["single_calls"])) == (20, 20)


def test_there_are_38_calls_and_each_is_read_back_from_its_text() -> None:
    assert len(set(CALLS)) == 38
    assert [read_call(call.text) for call in CALLS] == list(CALLS)
    assert [call.rank for call in BIDS] == list(range(35))
    assert all(bid(each.level, each.strain) == each for each in BIDS if each.strain is not None)


def test_the_longest_auction_has_319_calls() -> None:
    auction = Auction(Seat.WEST)
    for call in [PASS] * 3:
        auction = auction.after(call)
    for each in BIDS:
        for call in [each, PASS, PASS, DOUBLE, PASS, PASS, REDOUBLE, PASS, PASS]:
            assert call in auction.legal_calls()
            auction = auction.after(call)
    assert not auction.is_over
    auction = auction.after(PASS)
    assert auction.is_over
    assert len(auction.calls) == LONGEST_AUCTION == VECTOR["longest_legal_auction_length"]
    assert auction.contract == Contract(7, Strain.NOTRUMP, Doubling.REDOUBLED, Seat.SOUTH)


def legal_by_hand(dealer: Seat, calls: list[Call]) -> set[Call]:
    """Laws 18 and 19 read aloud: nothing here is taken from the engine."""
    if calls[-3:] == [PASS] * 3 and len(calls) > 3:
        return set()
    sides = [(dealer + place) % 2 for place in range(len(calls) + 1)]
    spoken = [(side, call) for side, call in zip(sides, calls, strict=False) if call != PASS]
    bids = [call for _, call in spoken if call in BIDS]
    legal = {PASS, *(BIDS[BIDS.index(bids[-1]) + 1 :] if bids else BIDS)}
    if spoken:
        side, last = spoken[-1]
        if side != sides[-1]:
            legal |= {DOUBLE} if last in BIDS else {REDOUBLE} if last == DOUBLE else set()
    return legal


@given(st.integers(0, 2**32), st.sampled_from(list(Seat)), st.floats(0.2, 0.8))
@settings(deadline=None, derandomize=True)
def test_exactly_the_legal_calls_are_accepted_at_every_turn(seed: int, dealer: Seat, patience: float) -> None:
    chance = Random(seed)
    auction = Auction(dealer)
    while auction.turn is not None:
        legal = legal_by_hand(dealer, list(auction.calls))
        assert set(auction.legal_calls()) == legal
        assert auction.turn == (dealer + len(auction.calls)) % 4
        for call in CALLS:
            if call not in legal:
                with pytest.raises(IllegalCall):
                    auction.after(call)
        bold = [call for call in auction.legal_calls()[1:] if not call.is_bid or chance.random() < 0.4]
        auction = auction.after(PASS if chance.random() < patience or not bold else bold[0])
    contract = auction.contract
    assert (contract is None) is auction.is_passed_out is (set(auction.calls) == {PASS})
    if contract:
        assert contract.declarer is not None
        callers = [(auction.seat_of(place), call) for place, call in enumerate(auction.calls)]
        first = next(
            seat
            for seat, call in callers
            if seat.side is contract.declarer.side and call.strain is contract.strain
        )
        assert contract.declarer is first
        assert [call for call in auction.calls if call.is_bid][-1] == bid(contract.level, contract.strain)


def test_a_jump_skips_a_level() -> None:
    assert called(Seat.NORTH, ["2C"]).is_jump
    assert called(Seat.NORTH, ["1S", "3C"]).is_jump
    assert called(Seat.NORTH, ["1S", "2S", "4S"]).is_jump
    assert not called(Seat.NORTH, ["1NT"]).is_jump
    assert not called(Seat.NORTH, ["1S", "2C"]).is_jump
    assert not called(Seat.NORTH, ["1S", "2C", "X"]).is_jump
    assert not Auction(Seat.NORTH).is_jump
