"""What Hypothesis draws: boards that were called and played by the Laws, and pairs events."""

import datetime as dt
from dataclasses import replace
from fractions import Fraction
from random import Random
from unicodedata import normalize

from hypothesis import strategies as st

from bridge.auction import PASS, Auction
from bridge.awards import Award, Grade, Mixture, Ruling, Stated
from bridge.cards import Card, Deal, Hand, deck
from bridge.comparison import Method
from bridge.contracts import Contract, Doubling, Strain
from bridge.formats.game import (
    CallRecord,
    CardRecord,
    GameRecord,
    TrickRecord,
    contract_of,
    tricks_won,
    winner,
)
from bridge.formats.records import (
    BoardRecord,
    EventRecord,
    PairRecord,
    PlayerRecord,
    PublishedStanding,
    RowRecord,
    SessionRecord,
)
from bridge.seats import Seat, Side, Vulnerability, dealer, vulnerability

LETTERS = st.characters(exclude_categories=("C", "Z"), exclude_characters='|,;"{}[]\\%#')
WORDS = st.lists(
    st.text(LETTERS | st.sampled_from("ŁłÉüß王勇\U0001f3cc"), min_size=2, max_size=8).map(
        lambda text: normalize("NFC", text)
    ),
    min_size=1,
    max_size=3,
).map(" ".join)
ANY_WORDS = st.text(LETTERS | st.sampled_from('"\\;{[]#%|, '), min_size=2, max_size=12).map(
    lambda text: normalize("NFC", f"a{text}z")
)
DATES = st.dates(dt.date(1900, 1, 1), dt.date(2100, 1, 1))
FIGURES = st.decimals(-999, 999, allow_nan=False, places=2)
SCORES = st.integers(-760, 760).map(lambda tens: 10 * tens)
CONTRACTS = st.builds(
    Contract,
    st.integers(1, 7),
    st.sampled_from(list(Strain)),
    st.sampled_from(list(Doubling)),
    st.sampled_from(list(Seat)),
)


def deal_of(draw: Random) -> Deal:
    cards = list(deck())
    draw.shuffle(cards)
    north, east, south, west = (Hand(frozenset(cards[start : start + 13])) for start in (0, 13, 26, 39))
    return Deal((north, east, south, west))


def auction_of(draw: Random, first: Seat, notes: list[str]) -> tuple[CallRecord, ...]:
    """A whole auction in which every call is legal."""
    auction = Auction(first)
    calls: list[CallRecord] = []
    while auction.turn is not None:
        seat, legal = auction.turn, auction.legal_calls()
        bids = [call for call in legal if call.is_bid][:3]
        call = draw.choice([PASS, PASS, PASS, *bids, *(call for call in legal[1:] if not call.is_bid)])
        note = draw.choice([None, None, *notes])
        comment = draw.choice([*notes, "", "", "", "one\ntwo"]).replace("}", "")
        calls.append(CallRecord(seat, call, note, draw.choice(["", "", "!"]), comment))
        auction = auction.after(call)
    return tuple(calls)


def play_of(draw: Random, deal: Deal, contract: Contract, cards: int) -> tuple[TrickRecord, ...]:
    """The first cards of a play in which everybody follows suit."""
    assert contract.declarer is not None
    hands = {seat: set(hand.cards) for seat in Seat if (hand := deal[seat])}
    seat = contract.declarer.left
    tricks: list[tuple[CardRecord, ...]] = []
    for _ in range(cards):
        if not tricks or len(tricks[-1]) == 4:
            seat = winner(tricks[-1], contract.strain) if tricks else seat
            tricks.append(())
        led = tricks[-1][0].card.suit if tricks[-1] else None
        follow: list[Card] = sorted(card for card in hands[seat] if card.suit is led) or sorted(hands[seat])
        card = draw.choice(follow)
        hands[seat].remove(card)
        tricks[-1] += (CardRecord(seat, card),)
        seat = seat.left
    return tuple(tricks)


@st.composite
def games(draw: st.DrawFn, words: st.SearchStrategy[str] = WORDS) -> GameRecord:
    """A board as one table played it, whole or in part."""
    chance = Random(draw(st.integers(0, 2**32)))
    number = draw(st.integers(1, 99))
    deal = deal_of(chance)
    auction = auction_of(chance, dealer(number), draw(st.lists(words, max_size=3)))
    contract = contract_of(auction)
    play = play_of(chance, deal, contract, draw(st.sampled_from([0, 1, 6, 22, 51, 52]))) if contract else ()
    tricks = tricks_won(play, contract) if contract else None
    if contract and tricks is None:
        tricks = draw(st.none() | st.integers(0, 13))
    north, east, south, west = draw(st.lists(words | st.just(""), min_size=4, max_size=4))
    return GameRecord(
        board=number,
        dealer=dealer(number),
        vulnerability=vulnerability(number),
        deal=deal,
        players=(north, east, south, west),
        contract=contract,
        passed_out=contract is None,
        tricks=tricks,
        auction=auction,
        play=play,
        comments=tuple(draw(st.lists(words.map(lambda text: text.replace("}", "")), max_size=1))),
    )


@st.composite
def games_with_everything(draw: st.DrawFn) -> GameRecord:
    """A board with all that PBN can say of it, in words with signs that mean something to PBN."""
    return replace(
        draw(games(ANY_WORDS)),
        ns_score=draw(st.none() | SCORES),
        ns_imps=draw(st.none() | FIGURES),
        event=draw(st.none() | ANY_WORDS),
        site=draw(st.none() | ANY_WORDS),
        date=draw(st.none() | DATES),
        scoring=draw(st.sampled_from([None, "MP", "IMP;Cross", "IMP;Butler", "BAM"])),
        double_dummy=draw(st.none() | st.text("0123456789abcd", min_size=20, max_size=20)),
        tags=tuple((f"Tag{place}", text) for place, text in enumerate(draw(st.lists(ANY_WORDS, max_size=3)))),
    )


AWARDS: st.SearchStrategy[Award] = st.one_of(
    st.sampled_from(list(Grade)),
    st.fractions(0, 100, max_denominator=9).map(Stated),
    st.tuples(st.sampled_from([Fraction(1, 3), Fraction(1, 2), Fraction(1)]), SCORES, SCORES).map(
        lambda parts: Mixture(
            ((parts[0], parts[1]), (1 - parts[0], parts[2])) if parts[0] < 1 else ((parts[0], parts[1]),)
        )
    ),
)


@st.composite
def rows(draw: st.DrawFn, ns: str, ew: str) -> RowRecord:
    """One line of a traveller."""
    contract = draw(st.none() | CONTRACTS)
    return RowRecord(
        ns,
        ew,
        contract,
        contract is None and draw(st.booleans()),
        draw(st.none() | st.integers(0, 13)) if contract else None,
        draw(st.none() | st.sampled_from(list(deck()))),
        draw(st.none() | SCORES),
        draw(st.none() | st.builds(Ruling, AWARDS, AWARDS)),
        draw(st.none() | FIGURES),
        draw(st.none() | FIGURES),
        draw(st.sampled_from([None, "A", "Red"])),
        draw(st.none() | st.integers(1, 20)),
        draw(st.sampled_from([None, "1", "12"])),
    )


@st.composite
def events(draw: st.DrawFn) -> EventRecord:
    """A pairs event with one or two ranking lists."""
    winners = draw(st.sampled_from([1, 2]))
    tables = draw(st.integers(1, 4))
    numbers = range(1, tables + 1)
    if winners == 2:
        lines = [[f"{number}{side.value}" for number in numbers] for side in Side]
    else:
        lines = [[str(number) for number in numbers], [str(number + tables) for number in numbers]]
    names = ANY_WORDS.map(lambda text: text.replace(";", ""))
    pairs = tuple(
        PairRecord(
            label,
            tuple(PlayerRecord(name) for name in draw(st.just([]) | st.lists(names, min_size=2, max_size=2))),
            Side(label[-2:]) if winners == 2 else None,
            handicap=draw(st.none() | FIGURES),
            adjustment=draw(st.none() | FIGURES),
            section=draw(st.sampled_from(["", "A", "2"])),
        )
        for label in lines[0] + lines[1]
    )

    def board(number: int) -> BoardRecord:
        ns, ew = (draw(st.permutations(line)) for line in lines)
        return BoardRecord(
            number,
            draw(st.sampled_from(list(Seat))),
            draw(st.sampled_from(list(Vulnerability))),
            deal_of(Random(number)) if draw(st.booleans()) else None,
            double_dummy=draw(st.none() | st.text("0123456789abcd", min_size=20, max_size=20)),
            rows=tuple(draw(rows(*labels)) for labels in zip(ns, ew, strict=True)),
        )

    boards = st.lists(st.integers(1, 40), min_size=1, max_size=3, unique=True).map(sorted)
    dated = draw(st.booleans())
    ranked = draw(st.permutations([pair.label for pair in pairs]))[: draw(st.integers(0, len(pairs)))]
    return EventRecord(
        title=draw(ANY_WORDS),
        sessions=tuple(
            SessionRecord(
                session,
                tuple(board(number) for number in draw(boards)),
                draw(st.none() | ANY_WORDS),
                draw(DATES) if dated else None,
            )
            for session in range(1, draw(st.integers(1, 2)) + 1)
        ),
        pairs=pairs,
        standings=tuple(
            PublishedStanding(
                label, draw(FIGURES), draw(st.none() | FIGURES), draw(st.sampled_from(["1", "2=", None]))
            )
            for label in ranked
        ),
        method=draw(st.none() | st.sampled_from(list(Method))),
        winners=winners,
        date=draw(st.none() | DATES),
        organisation=draw(st.none() | ANY_WORDS),
        program="Datum",
    )
