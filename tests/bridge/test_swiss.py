"""Swiss rounds: right by published cases, by looking at every pairing of small fields, and in whole events."""

import json
from collections import Counter
from collections.abc import Collection, Iterator, Sequence
from fractions import Fraction
from itertools import combinations
from pathlib import Path
from random import Random
from typing import Any

import numpy as np
import pytest

from bridge.swiss import Entrant, PairingError, PlayedRound, Round, pair_round, standings_order
from bridge.swiss.matching import TooMany, best, closest

VECTORS = json.loads((Path(__file__).parents[1] / "data" / "vectors" / "swiss_small.json").read_text())
Both = tuple[int, int]


def entrants(totals: Sequence[int]) -> list[Entrant]:
    """Pairs 1, 2, 3, ... with these totals."""
    return [Entrant(pair, pair, total) for pair, total in enumerate(totals, 1)]


def meetings(drawn: Round) -> list[Both]:
    return [(min(table.ns, table.ew), max(table.ns, table.ew)) for table in drawn.tables]


def played(drawn: Round) -> PlayedRound:
    return PlayedRound(
        tuple((table.ns, table.ew) for table in drawn.tables), () if drawn.bye is None else (drawn.bye,)
    )


def after(case: dict[str, Any]) -> list[PlayedRound]:
    """A history that fits a published case: it says who met, who sat how often where, and where last.

    Pairs that nobody knows stand in for the opponents that it does not name.
    """
    met = [tuple(both) for both in case["already_met"]]
    balance = Counter({each["id"]: each.get("ns", 0) - each.get("ew", 0) for each in case["pairs"]})
    for ns, ew in met:
        balance[ns] -= 1
        balance[ew] += 1
    last = [
        (each["id"], -each["id"]) if each["last"] == "NS" else (-each["id"], each["id"])
        for each in case["pairs"]
        if "last" in each
    ]
    for ns, ew in last:
        balance[ns] -= 1
        balance[ew] += 1
    strangers = [
        (pair, -pair) if side > 0 else (-pair, pair)
        for pair, side in balance.items()
        if pair > 0
        for _ in range(abs(side))
    ]
    byes = tuple(each["id"] for each in case["pairs"] for _ in range(each.get("byes", 0)))
    return [PlayedRound((*met, *strangers), byes), PlayedRound(tuple(last))]


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_a_round_is_drawn_as_published(case: dict[str, Any]) -> None:
    pairs = [
        Entrant(each["id"], each["reg"], each["total"], each["completed"], each.get("active", True))
        for each in case["pairs"]
    ]
    right = case["expected"]
    drawn = pair_round(pairs, after(case))
    assert [each.pair for each in standings_order(pairs) if each.playing] == right["standings"]
    assert drawn.bye == right["bye"]
    assert [
        {"table": each.number, "ns": each.ns, "ew": each.ew, "rematch": each.meetings > 0}
        for each in drawn.tables
    ] == right["tables"]


def test_an_event_is_drawn_as_published() -> None:
    history: list[PlayedRound] = []
    totals = {str(pair): (0, 0) for pair in range(1, 8)}
    for each in VECTORS["tournament"]["rounds"]:
        pairs = [Entrant(int(pair), int(pair), total, done) for pair, (total, done) in totals.items()]
        drawn = pair_round(pairs, history)
        assert drawn.bye == each["bye"]
        assert [(table.ns, table.ew) for table in drawn.tables] == [
            (table["ns"], table["ew"]) for table in each["tables"]
        ]
        history.append(played(drawn))
        totals = each["totals_after"]


# Every pairing of a small field


def pairings(positions: Sequence[int]) -> Iterator[list[Both]]:
    """All of them, the first in order first."""
    if not positions:
        yield []
        return
    upper, *others = positions
    for lower in others:
        for rest in pairings([each for each in others if each != lower]):
            yield [(upper, lower), *rest]


def met_before(history: Sequence[PlayedRound]) -> Counter[frozenset[int]]:
    return Counter(frozenset(both) for each in history for both in each.tables)


def worth(
    order: Sequence[int], pairing: Sequence[Both], met: Counter[frozenset[int]], barred: Collection[Both]
) -> tuple[int, int, int, int]:
    tables = [frozenset((order[upper], order[lower])) for upper, lower in pairing]
    apart = {frozenset(both) for both in barred}
    return (
        sum(table in apart for table in tables),
        sum(met[table] > 0 for table in tables),
        sum(met[table] for table in tables),
        sum((lower - upper) ** 2 - 1 for upper, lower in pairing),
    )


def best_by_looking_at_all(
    pairs: Sequence[Entrant], history: Sequence[PlayedRound], barred: Collection[Both]
) -> tuple[int | None, list[Both]]:
    """The bye and the meetings, better-ranked pairs first."""
    order = [each.pair for each in standings_order(pairs) if each.playing]
    met, bye = met_before(history), None
    if len(order) % 2:
        byes = Counter(pair for each in history for pair in each.byes)
        least = None
        for pair in reversed(order):
            if byes[pair] == min(byes[each] for each in order):
                rest = [each for each in order if each != pair]
                repeats = min(worth(rest, each, met, barred)[:2] for each in pairings(range(len(rest))))
                if least is None or repeats < least:
                    least, bye = repeats, pair
        order.remove(bye or 0)
    pairing = min(pairings(range(len(order))), key=lambda each: worth(order, each, met, barred))
    return bye, [(order[upper], order[lower]) for upper, lower in pairing]


def directions_by_the_rule(upper: int, lower: int, history: Sequence[PlayedRound]) -> Both:
    seats = [both for each in history for both in each.tables]
    upper_balance, lower_balance = (
        sum(ns == pair for ns, _ in seats) - sum(ew == pair for _, ew in seats) for pair in (upper, lower)
    )
    if upper_balance != lower_balance:
        return (upper, lower) if upper_balance < lower_balance else (lower, upper)
    was_ew = [pair for pair in (upper, lower) if history and pair in [ew for _, ew in history[-1].tables]]
    return (lower, upper) if was_ew == [lower] else (upper, lower)


def made_up(draw: Random, size: int) -> tuple[list[Entrant], list[PlayedRound], list[Both]]:
    """A field in the middle of an event of any length, in which the rounds so far were drawn by lot."""
    present = [pair for pair in range(1, size + 1) if draw.random() < 0.9]
    history = []
    for _ in range(draw.choice((0, 1, 2, size // 2, size - 1, size, 2 * size))):
        lot = [pair for pair in range(1, size + 1) if draw.random() < 0.9]
        draw.shuffle(lot)
        byes = (lot.pop(),) if len(lot) % 2 else ()
        history.append(PlayedRound(tuple(zip(lot[::2], lot[1::2], strict=True)), byes))
    places = draw.sample(range(1, size + 1), size)
    pairs = [
        Entrant(pair, place, Fraction(draw.randint(-3, 3), 2), draw.randint(0, 2), pair in present)
        for pair, place in enumerate(places, 1)
    ]
    share = draw.choice((0, 0, 0.1, 0.5))
    barred = [both for both in combinations(range(1, size + 1), 2) if draw.random() < share]
    return pairs, history, barred


@pytest.mark.parametrize("seed", range(8))
def test_up_to_ten_pairs_are_drawn_as_looking_at_every_pairing_draws_them(seed: int) -> None:
    draw = Random(seed)
    for number in range(300):
        pairs, history, barred = made_up(draw, 2 + number % 9)
        drawn = pair_round(pairs, history, barred=barred)
        if sum(each.playing for each in pairs) < 2:
            assert drawn == Round(())
            continue
        bye, right = best_by_looking_at_all(pairs, history, barred)
        assert drawn.bye == bye
        assert [(table.ns, table.ew) for table in drawn.tables] == [
            directions_by_the_rule(*both, history) for both in right
        ]
        met = met_before(history)
        assert all(table.meetings == met[frozenset((table.ns, table.ew))] for table in drawn.tables)
        shuffled = draw.sample(pairs, len(pairs))
        assert pair_round(shuffled, history, barred=[both[::-1] for both in barred]) == drawn


# Whole events


def can_be_paired(order: Sequence[int], apart: Collection[frozenset[int]]) -> bool:
    """Whether a perfect matching avoids these tables: whether Tutte's matrix of the others has full rank.

    Chance could only hide a matching that is there, once in millions.
    """
    prime, count = 2**31 - 1, len(order)
    draw = Random(count)
    matrix = np.zeros((count, count), np.int64)
    for one, other in combinations(range(count), 2):
        if frozenset((order[one], order[other])) not in apart:
            matrix[one, other] = draw.randrange(1, prime)
            matrix[other, one] = prime - matrix[one, other]
    for column in range(count):
        rows = np.flatnonzero(matrix[column:, column])
        if not rows.size:
            return False
        matrix[[column, column + rows[0]]] = matrix[[column + rows[0], column]]
        inverse = pow(int(matrix[column, column]), -1, prime)
        factors = matrix[column + 1 :, column] * inverse % prime
        matrix[column + 1 :] = (matrix[column + 1 :] - factors[:, None] * matrix[column] % prime) % prime
    return True


def test_whether_a_pairing_exists_is_known() -> None:
    triangles = {frozenset((one, other)) for one in (1, 2, 3) for other in (4, 5, 6)}
    assert not can_be_paired([1, 2, 3, 4, 5, 6], triangles)
    assert can_be_paired([1, 2, 3, 4, 5, 6], triangles - {frozenset((2, 5))})


def check_round(pairs: Sequence[Entrant], history: Sequence[PlayedRound], drawn: Round) -> None:
    """What holds for every round, whatever happened before."""
    order = [each.pair for each in standings_order(pairs) if each.playing]
    byes = Counter(pair for each in history for pair in each.byes)
    met = set(met_before(history))
    seated = [pair for table in drawn.tables for pair in (table.ns, table.ew)]
    if drawn.bye is not None:
        same = [pair for pair in reversed(order) if byes[pair] == min(byes[each] for each in order)]
        assert drawn.bye in same
        passed_over = same[: same.index(drawn.bye)]
        if not any(table.meetings for table in drawn.tables):
            for pair in passed_over:
                assert not can_be_paired([each for each in order if each != pair], met)
        seated.append(drawn.bye)
    assert sorted(seated) == sorted(order)
    assert len(seated) % 2 == (drawn.bye is not None)
    if any(table.meetings for table in drawn.tables):
        candidates = [None] if drawn.bye is None else same
        for bye in candidates:
            assert not can_be_paired([each for each in order if each != bye], met)


@pytest.mark.parametrize("sizes", [range(first, 61, 6) for first in range(2, 8)], ids=str)
def test_pairs_leave_and_come_back_and_nobody_meets_twice_or_sits_out_twice_while_that_can_be_avoided(
    sizes: range,
) -> None:
    for size in sizes:
        draw = Random(size)
        totals = dict.fromkeys(range(1, size + 1), 0)
        present = {pair for pair in totals if draw.random() < 0.9}  # the others may come late
        history: list[PlayedRound] = []
        for _ in range(size + 3 if size < 16 else 12):
            for pair in totals:
                if draw.random() < 0.08:
                    present ^= {pair}
            pairs = [Entrant(pair, pair, total, 0, pair in present) for pair, total in totals.items()]
            drawn = pair_round(pairs, history)
            if len(present) < 2:
                assert drawn == Round(())
                continue
            check_round(pairs, history, drawn)
            for table in drawn.tables:
                imps = draw.randint(-30, 30)
                totals[table.ns] += imps
                totals[table.ew] -= imps
            history.append(played(drawn))


def test_seven_pairs_sit_out_once_each_in_seven_rounds_and_nobody_twice_in_six() -> None:
    for seed in range(500):
        draw, totals = Random(seed), dict.fromkeys(range(1, 8), 0)
        history: list[PlayedRound] = []
        for number in range(1, 8):
            drawn = pair_round([Entrant(pair, pair, total) for pair, total in totals.items()], history)
            history.append(played(drawn))
            assert len({pair for each in history for pair in each.byes}) == number
            for table in drawn.tables:
                totals[table.ns] += draw.randint(-20, 20)


def test_the_last_pair_sits_out() -> None:
    history: list[PlayedRound] = []
    for _ in range(3):
        drawn = pair_round(entrants(range(17, 0, -1)), history)
        history.append(played(drawn))
    assert [each.byes for each in history] == [(17,), (16,), (15,)]


def test_the_next_pair_sits_out_when_the_last_is_the_only_one_left_for_somebody_to_meet() -> None:
    history = [PlayedRound(((3, 4),)), PlayedRound(((2, 4),)), PlayedRound(((1, 4),))]
    drawn = pair_round(entrants([9, 8, 7, 6, 5]), history)
    assert (drawn.bye, meetings(drawn)) == (4, [(1, 2), (3, 5)])
    assert not any(table.meetings for table in drawn.tables)


def test_six_pairs_find_the_round_without_a_rematch_that_the_top_down_choice_misses() -> None:
    history = [PlayedRound(((1, 2), (3, 4), (5, 6))), PlayedRound(((1, 3), (2, 5), (4, 6)))]
    drawn = pair_round(entrants([6, 5, 4, 3, 2, 1]), history)
    assert meetings(drawn) == [(1, 6), (2, 3), (4, 5)]
    assert not any(table.meetings for table in drawn.tables)


def test_four_pairs_meet_all_others_again_before_anybody_a_third_time() -> None:
    history: list[PlayedRound] = []
    for _ in range(6):
        history.append(played(pair_round(entrants([4, 3, 2, 1]), history)))
    assert set(met_before(history[:3]).values()) == {1}
    assert set(met_before(history).values()) == {2}
    assert [table.meetings for table in pair_round(entrants([4, 3, 2, 1]), history[:3]).tables] == [1, 1]


def test_three_pairs_sit_out_in_turn() -> None:
    history: list[PlayedRound] = []
    for _ in range(6):
        history.append(played(pair_round(entrants([3, 2, 1]), history)))
    assert [each.byes for each in history] == [(3,), (2,), (1,)] * 2


def test_one_pair_or_none_has_no_round() -> None:
    alone = [Entrant(1, 1), Entrant(2, 2, playing=False)]
    assert pair_round(alone) == pair_round([]) == Round(())
    assert [(each.ns, each.ew) for each in pair_round([Entrant(1, 1), Entrant(2, 2)]).tables] == [(1, 2)]


def test_a_pair_that_left_is_not_drawn_and_its_meetings_are_not_forgotten() -> None:
    history = [PlayedRound(((1, 2), (3, 4), (5, 6)))]
    field = entrants([6, 5, 4, 3, 2, 1])
    left = [each for each in field if each.pair != 4]
    drawn = pair_round(left, history)
    assert drawn == pair_round([*left, Entrant(4, 4, 3, playing=False)], history)
    assert (drawn.bye, meetings(drawn)) == (6, [(1, 3), (2, 5)])
    back = pair_round(field, [*history, played(drawn)])
    assert (3, 4) not in meetings(back)


def test_pairs_that_may_not_meet_are_kept_apart_even_for_a_rematch() -> None:
    history = [PlayedRound(((1, 3), (2, 4)))]
    assert meetings(pair_round(entrants([4, 3, 2, 1]), history, barred=[(1, 2), (4, 3)])) == [(1, 4), (2, 3)]
    kept = pair_round(entrants([4, 3, 2, 1]), history, barred=[(1, 2), (1, 4)])
    assert meetings(kept) == [(1, 3), (2, 4)]
    assert [table.meetings for table in kept.tables] == [1, 1]
    nobody = pair_round(entrants([2, 1]), barred=[(1, 2)])
    assert meetings(nobody) == [(1, 2)]


def test_the_same_pair_or_place_of_registration_twice_is_refused() -> None:
    with pytest.raises(PairingError, match="Pair 1 is entered twice"):
        pair_round([Entrant(1, 1), Entrant(1, 2)])
    with pytest.raises(PairingError, match="Two pairs registered as number 5"):
        pair_round([Entrant(1, 5), Entrant(2, 5)])


# Larger fields


def drawn_by_lot(draw: Random, size: int, rounds: int) -> list[set[int]]:
    """Whom each has met after so many rounds, neighbours more often than others."""
    met: list[set[int]] = [set() for _ in range(size)]
    for _ in range(rounds):
        lot = sorted(range(size), key=lambda pair: pair + draw.uniform(0, 8))
        for one, other in zip(lot[::2], lot[1::2], strict=True):
            met[one].add(other)
            met[other].add(one)
    return met


def test_the_quick_search_finds_what_edmonds_algorithm_finds() -> None:
    compared = given_up = 0
    for seed in range(250):
        draw = Random(seed)
        size = 2 * draw.randint(4, 45)
        met = drawn_by_lot(draw, size, draw.randint(1, 9))
        never = size**3
        right = best(
            [
                (upper, lower, (lower - upper) ** 2 - 1 + never * (lower in met[upper]))
                for upper, lower in combinations(range(size), 2)
            ]
        )
        try:
            found = closest(range(size), met)
        except TooMany:
            given_up += 1
            continue
        compared += 1
        assert found == (None if any(lower in met[upper] for upper, lower in right) else right)
    assert compared > 150 and given_up


def test_twenty_thousand_pairs() -> None:
    field = entrants(range(20_001))
    first = pair_round(field)
    second = pair_round(field, [played(first)])
    assert (first.bye, second.bye, len(second.tables)) == (1, 2, 10_000)
    assert first.optimal and second.optimal
    assert not any(table.meetings for table in second.tables)


def test_two_clubs_that_are_kept_apart_within_meet_each_other_in_a_large_field() -> None:
    draw = Random(1)
    club = draw.sample([0] * 202 + [1] * 202, 404)
    barred = [both for both in combinations(range(1, 405), 2) if club[both[0] - 1] == club[both[1] - 1]]
    drawn = pair_round(entrants(range(404)), barred=barred)
    assert sorted(pair for both in meetings(drawn) for pair in both) == list(range(1, 405))
    assert all(club[one - 1] != club[other - 1] for one, other in meetings(drawn))


def test_two_clubs_one_above_the_other_meet_however_far_apart() -> None:
    """Nobody's twenty nearest are enough: the lower half of the second club is out of reach for the whole first."""
    clubs = range(1, 202), range(202, 403)
    barred = [both for club in clubs for both in combinations(club, 2)]
    drawn = pair_round(entrants(range(402, 0, -1)), barred=barred)
    assert sorted(pair for both in meetings(drawn) for pair in both) == list(range(1, 403))
    assert all(upper <= 201 < lower for upper, lower in meetings(drawn))
