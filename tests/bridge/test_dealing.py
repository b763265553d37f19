"""Deals from a seed: each as likely as any other, independent of its neighbours, and fixed by what was promised."""

import hmac
from collections.abc import Callable, Iterator
from functools import cache
from itertools import product
from math import comb, log, sqrt
from random import Random
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from numpy.typing import NDArray

from bridge.cards import Card, Deal, deck
from bridge.dealing import DEALS, DealingError, commitment, deal_board, deal_number, deal_with_number, holders
from bridge.seats import Seat

SEED = bytes(range(32))
EVENT = "Monday Pairs"
ALL_SPADES, ALL_HEARTS, ALL_DIAMONDS, ALL_CLUBS = (
    "." * suit + "AKQJT98765432" + "." * (3 - suit) for suit in range(4)
)
few = settings(max_examples=200, deadline=None, derandomize=True)


def number_of(deal: Deal) -> int:
    """Counts, card by card, the deals that come before this one: the other way round than the code, by factorials."""
    before, places = 0, [13, 13, 13, 13]
    for card in list(deck())[::-1]:
        holder = next(
            seat for seat, hand in zip(Seat, deal.hands, strict=True) if hand and card in hand.cards
        )
        before += sum(ways([n - (seat == other) for seat, n in enumerate(places)]) for other in range(holder))
        places[holder] -= 1
    return before


def ways(places: list[int]) -> int:
    """How many deals give the seats so many of the cards still to come."""
    north, east, south, west = places
    if min(places) < 0:
        return 0
    return comb(sum(places), north) * comb(east + south + west, east) * comb(south + west, south)


def test_there_are_as_many_deals_as_the_books_say() -> None:
    assert DEALS == 53_644_737_765_488_792_839_237_440_000


def test_the_first_and_the_last_deal_give_each_seat_a_suit() -> None:
    assert deal_with_number(0).pbn == f"N:{ALL_SPADES} {ALL_HEARTS} {ALL_DIAMONDS} {ALL_CLUBS}"
    assert deal_with_number(DEALS - 1).pbn == f"N:{ALL_CLUBS} {ALL_DIAMONDS} {ALL_HEARTS} {ALL_SPADES}"


@pytest.mark.parametrize("quarter", [1, 2, 3])
def test_a_quarter_of_all_deals_gives_each_seat_the_ace_of_spades(quarter: int) -> None:
    first = quarter * DEALS // 4
    assert (holders(first - 1)[0], holders(first)[0]) == (quarter - 1, quarter)


@few
@given(st.integers(0, DEALS - 1))
def test_no_two_numbers_share_a_deal(number: int) -> None:
    assert number_of(deal_with_number(number)) == number


@few
@given(st.permutations(list(deck())))
def test_every_deal_has_a_number(cards: list[Card]) -> None:
    hands = (".".join(ranks(cards[start : start + 13], suit) for suit in "SHDC") for start in (0, 13, 26, 39))
    deal = Deal.from_pbn("N:" + " ".join(hands))
    assert deal_with_number(number_of(deal)) == deal


def ranks(cards: list[Card], suit: str) -> str:
    return "".join(card.text[1] for card in cards if card.suit.letter == suit)


@pytest.mark.parametrize("number", [-1, DEALS])
def test_a_number_that_no_deal_has_is_refused(number: int) -> None:
    with pytest.raises(DealingError):
        deal_with_number(number)


@pytest.mark.parametrize("seed", [b"", SEED[:31], SEED + b"M"], ids=len)
def test_a_seed_of_another_length_is_not_promised(seed: bytes) -> None:
    """Or its last byte could be read as the first letter of another event's name."""
    with pytest.raises(DealingError):
        commitment(seed, EVENT)


def test_the_promise_is_what_any_sha256_program_prints() -> None:
    """printf of the seed's bytes and the name into sha256sum."""
    assert commitment(SEED, EVENT) == "e868048f67bec7b4eed37d49c4e4c83a78b7d263a4a2cc6beb4f3e3d1a008b7a"


@pytest.mark.parametrize(
    ("round_number", "board_number", "pbn"),
    [
        (1, 1, "N:Q94.J872.J43.JT6 863.96.KQT5.9843 KJ7.AKQT4.76.AK5 AT52.53.A982.Q72"),
        (1, 2, "N:QJ95.AK76.K4.A94 K32.J843.9865.JT T76.Q2.AQ32.Q862 A84.T95.JT7.K753"),
        (2, 1, "N:72.QJ5.Q853.T643 Q94.9643.AKT6.Q8 AJT8653.T2.J42.5 K.AK87.97.AKJ972"),
        (6, 24, "N:KT9642.Q85.65.J2 75.AT6.AQT.Q8763 QJ3.K9.K87432.AT A8.J7432.J9.K954"),
    ],
)
def test_known_seeds_give_known_deals(round_number: int, board_number: int, pbn: str) -> None:
    assert deal_board(SEED, EVENT, round_number=round_number, board_number=board_number).pbn == pbn


def test_a_draw_too_high_is_drawn_again() -> None:
    """Board 1 of round 10 is the first, of four a round, whose first two draws are no deal's number."""
    drawn = [
        int.from_bytes(hmac.digest(SEED, f"{EVENT}\n10\n1\n{draw}".encode(), "sha256")[:12], "big")
        for draw in range(3)
    ]
    assert drawn[0] >= DEALS and drawn[1] >= DEALS
    assert deal_number(SEED, EVENT, round_number=10, board_number=1) == drawn[2]


def test_one_changed_bit_of_the_seed_breaks_the_promise_and_changes_the_deal() -> None:
    promise, number = commitment(SEED, EVENT), deal_number(SEED, EVENT, round_number=1, board_number=1)
    for bit in range(256):
        other = bytes(byte ^ (1 << bit % 8 if place == bit // 8 else 0) for place, byte in enumerate(SEED))
        assert commitment(other, EVENT) != promise
        assert deal_number(other, EVENT, round_number=1, board_number=1) != number


def test_event_round_and_board_never_run_together() -> None:
    where = [("1", 11, 1), ("1", 1, 11), ("11", 1, 1), ("1\n1", 1, 1), ("1", 1, 1), ("1", 1, 2), ("1", 2, 1)]
    numbers = {deal_number(SEED, event, round_number=r, board_number=b) for event, r, b in where}
    assert len(numbers) == len(where)


# 100,000 deals, looked at as statisticians do.

Seats = NDArray[np.int8]
"""A row a board, a column a card from the ace of spades to the two of clubs: the seat that holds it."""

Statistic = tuple[str, float, float, float]
"""What was looked at, its figure, and the bounds that honest deals keep."""

BOARDS = 100_000
BOARDS_A_ROUND = 32
FALSE_ALARM = 1e-9
"""How often a figure of honest deals may leave its bounds; some two thousand are looked at."""

NORMAL_BOUND = sqrt(2 * log(2 / FALSE_ALARM))


def highest(degrees: int) -> float:
    """Chi-square is above this less often than a false alarm may happen (the bounds of Laurent and Massart, 2000)."""
    x = log(1 / FALSE_ALARM)
    return degrees + 2 * sqrt(degrees * x) + 2 * x


def lowest(degrees: int) -> float:
    """And below this: what is more even than chance is not chance."""
    return max(0, degrees - 2 * sqrt(degrees * log(1 / FALSE_ALARM)))


def chi_square(what: str, counts: NDArray[Any], expected: NDArray[Any]) -> Statistic:
    degrees = counts.size - 1
    return what, float(((counts - expected) ** 2 / expected).sum()), lowest(degrees), highest(degrees)


def deviation(what: str, figure: float, expected: float, variance: float) -> Statistic:
    return what, (figure - expected) / sqrt(variance), -NORMAL_BOUND, NORMAL_BOUND


def cards_by_seat(seats: Seats) -> Iterator[Statistic]:
    """Every card comes to every seat equally often.

    The 208 counts hang together: with 13 cards a seat on every board they vary in 51 * 3 ways, each 52/51 times as much.
    """
    expected = np.full(4, len(seats) / 4)
    counts = np.array([(seats == seat).sum(axis=0) for seat in range(4)])
    for card in range(52):
        yield chi_square(f"card {card}", counts[:, card], expected)
    total = ((counts.T - expected) ** 2 / expected).sum() * 51 / 52
    yield "all cards", float(total), lowest(153), highest(153)


def cards_together(seats: Seats) -> Iterator[Statistic]:
    """Two cards lie in the same hand on 12 of 51 boards."""
    together = np.zeros((52, 52))
    for seat in range(4):
        held = (seats == seat).astype(np.float32)
        together += held.T @ held
    chance = 12 / 51
    for one, other in zip(*np.triu_indices(52, 1), strict=True):
        variance = len(seats) * chance * (1 - chance)
        yield deviation(
            f"cards {one} and {other}", float(together[one, other]), len(seats) * chance, variance
        )


def suit_lengths(seats: Seats) -> Iterator[Statistic]:
    """A hand holds 0, 1, 2 … cards of a suit as often as counting all hands says; 8 and more are one class."""
    chances = [comb(13, length) * comb(39, 13 - length) / comb(52, 13) for length in range(14)]
    expected = len(seats) * np.array([*chances[:8], sum(chances[8:])])
    for seat, suit in product(range(4), range(4)):
        lengths = (seats[:, 13 * suit : 13 * suit + 13] == seat).sum(axis=1)
        counts = np.bincount(np.minimum(lengths, 8), minlength=9)
        yield chi_square(f"suit {suit} of seat {seat}", counts, expected)


def high_card_points(seats: Seats) -> Iterator[Statistic]:
    """A hand has 0 to 37 points as often as counting all hands says; 23 and more are one class."""
    hands = np.zeros(41)
    for aces, kings, queens, jacks in product(range(5), repeat=4):
        others = 13 - aces - kings - queens - jacks
        if others >= 0:
            ways = comb(4, aces) * comb(4, kings) * comb(4, queens) * comb(4, jacks) * comb(36, others)
            hands[4 * aces + 3 * kings + 2 * queens + jacks] += ways / comb(52, 13)
    expected = len(seats) * np.array([*hands[:23], hands[23:].sum()])
    for seat in range(4):
        counts = np.bincount(np.minimum(points(seats, seat), 23), minlength=24)
        yield chi_square(f"points of seat {seat}", counts, expected)


def points(seats: Seats, seat: int) -> NDArray[np.int64]:
    a_card = np.array([4, 3, 2, 1, *[0] * 9] * 4)
    worth: NDArray[np.int64] = (seats == seat) @ a_card
    return worth


def neighbouring_boards(seats: Seats) -> Iterator[Statistic]:
    """A board tells nothing about the next one, nor about the same board of the next round."""
    for lag in (1, 2, 4, 16, BOARDS_A_ROUND):
        before, after = seats[:-lag], seats[lag:]
        for turn in range(4):
            same = float(((before + turn) % 4 == after).sum(axis=1).mean())
            variance = 52 * 52 / 51 * 3 / 16 / len(before)
            yield deviation(f"cards turned by {turn} after {lag}", same, 13, variance)
        for one, other in product(range(4), range(4)):
            together = float(np.corrcoef(points(before, one), points(after, other))[0, 1])
            yield deviation(f"points of {one} and {other} after {lag}", together, 0, 1 / len(before))
    expected = np.full(16, (len(seats) // 2) / 16)
    for card in range(52):
        moves = 4 * seats[0:-1:2, card].astype(int) + seats[1::2, card]
        yield chi_square(f"card {card} from board to board", np.bincount(moves, minlength=16), expected)


STATISTICS = [cards_by_seat, cards_together, suit_lengths, high_card_points, neighbouring_boards]


def suspicious(seats: Seats, statistic: Callable[[Seats], Iterator[Statistic]]) -> list[Statistic]:
    return [found for found in statistic(seats) if not found[2] <= found[1] <= found[3]]


@cache
def honest_numbers() -> list[int]:
    return [
        deal_number(
            SEED, EVENT, round_number=board // BOARDS_A_ROUND + 1, board_number=board % BOARDS_A_ROUND + 1
        )
        for board in range(BOARDS)
    ]


@cache
def honest_deals() -> Seats:
    return np.array([holders(number) for number in honest_numbers()], dtype=np.int8)


def test_no_deal_of_100_000_comes_twice() -> None:
    assert len(set(honest_numbers())) == BOARDS


@pytest.mark.parametrize("statistic", STATISTICS, ids=lambda each: each.__name__)
def test_100_000_deals_look_like_chance(statistic: Callable[[Seats], Iterator[Statistic]]) -> None:
    assert suspicious(honest_deals(), statistic) == []


# Dishonest dealers, a fifth as many boards each: the same statistics must find them out.


def remainders(random: Random) -> Iterator[list[int]]:
    """Saves the second draw: numbers below 2**96 - DEALS come twice as often."""
    while True:
        yield holders(random.getrandbits(96) % DEALS)


def careless_shuffles(random: Random) -> Iterator[list[int]]:
    """Swaps every card with any card, not with one of those still to come."""
    while True:
        places = [place // 13 for place in range(52)]
        for place in range(52):
            other = random.randrange(52)
            places[place], places[other] = places[other], places[place]
        yield places


def tired_shuffles(random: Random) -> Iterator[list[int]]:
    """Deals each board from the last one's cards after forty swaps."""
    places = [place // 13 for place in range(52)]
    while True:
        for _ in range(40):
            one, other = random.randrange(52), random.randrange(52)
            places[one], places[other] = places[other], places[one]
        yield list(places)


def turned_boards(random: Random) -> Iterator[list[int]]:
    """Turns every deal round the table before it deals a new one: too even, and known from the board before."""
    while True:
        places = holders(random.randrange(DEALS))
        for turn in range(4):
            yield [(seat + turn) % 4 for seat in places]


def five_riffles(random: Random) -> Iterator[list[int]]:
    """Takes a new pack, riffles it five times, cuts, and deals thirteen cards at a time."""
    while True:
        pack = list(range(52))
        for _ in range(5):
            pack.sort(key=lambda card: random.getrandbits(1))  # backwards: `pack` says where each card is
        cut = random.randrange(52)
        yield [(place + cut) % 52 // 13 for place in pack]


def no_dull_hands(random: Random) -> Iterator[list[int]]:
    """Deals again, every other time, when North would be flat and weak."""
    while True:
        places = holders(random.randrange(DEALS))
        longest = max(places[start : start + 13].count(0) for start in (0, 13, 26, 39))
        aces_and_kings = [places[place] for start in (0, 13, 26, 39) for place in (start, start + 1)].count(0)
        if longest > 4 or aces_and_kings > 2 or random.random() < 0.5:
            yield places


@pytest.mark.parametrize(
    ("dealer", "found_by"),
    [
        (remainders, cards_by_seat),
        (careless_shuffles, cards_by_seat),
        (five_riffles, cards_together),
        (tired_shuffles, neighbouring_boards),
        (turned_boards, cards_by_seat),
        (turned_boards, neighbouring_boards),
        (no_dull_hands, suit_lengths),
        (no_dull_hands, high_card_points),
    ],
)
def test_a_dishonest_dealer_is_found_out(
    dealer: Callable[[Random], Iterator[list[int]]], found_by: Callable[[Seats], Iterator[Statistic]]
) -> None:
    boards = dealer(Random(1))
    seats = np.array([next(boards) for _ in range(BOARDS // 5)], dtype=np.int8)
    assert suspicious(seats, found_by)
