"""What holds for every deal, score, datum and standing, whichever is drawn."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise
from random import Random

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards import Card, Deal, Hand, deck
from bridge.comparison import FieldPoints, Method, Rules, compare_boards
from bridge.contracts import Contract, Doubling, Strain, read_contract, result_text
from bridge.datum import KNOWN_RULES, DatumRule, datum
from bridge.imps import imps, total_imps
from bridge.masterpoints import shared_awards
from bridge.matchpoints import matchpoints
from bridge.scoring import duplicate_score, ns_score
from bridge.seats import Seat, Side, Vulnerability
from bridge.standings import places
from bridge.vps import victory_points

few = settings(max_examples=100, deadline=None, derandomize=True)
CONTRACTS = st.builds(
    Contract,
    st.integers(1, 7),
    st.sampled_from(list(Strain)),
    st.sampled_from(list(Doubling)),
    st.sampled_from(list(Seat)),
)
SCORES = st.integers(-760, 760).map(lambda tens: 10 * tens)
TOTALS = st.lists(st.integers(0, 6).map(lambda sixths: Fraction(sixths, 6)), max_size=12)


@few
@given(st.permutations(list(deck())), st.sampled_from(list(Seat)))
def test_a_deal_is_read_back_from_its_text_whoever_comes_first(cards: list[Card], first: Seat) -> None:
    north, east, south, west = (Hand(frozenset(cards[start : start + 13])) for start in (0, 13, 26, 39))
    deal = Deal((north, east, south, west))
    hands = deal.pbn.removeprefix("N:").split()
    turned = f"{first.letter}:{' '.join(hands[first:] + hands[:first])}"
    assert Deal.from_pbn(turned) == Deal.from_pbn(deal.pbn.lower()) == deal
    assert (deal.high_card_points(Side.NS) or 0) + (deal.high_card_points(Side.EW) or 0) == 40


@few
@given(st.lists(SCORES, min_size=1, max_size=200), st.integers(1, 60), st.sampled_from(KNOWN_RULES))
def test_a_large_board_is_compared_as_the_plain_functions_say(
    scores: list[int], times: int, rule: DatumRule
) -> None:
    scores = scores * times
    board, found = np.zeros(len(scores), np.int32), datum(scores, rule)

    def compared(method: Method) -> FieldPoints:
        return compare_boards(board, np.array(scores, np.int16), Rules(method, rule), boards=1)

    assert found is not None
    butler, single = compared(Method.BUTLER), len(scores) == 1
    assert butler.ns.tolist() == [imps(score - found.score) for score in scores]
    assert butler.dropped.tolist() == list(found.dropped)
    assert compared(Method.CROSS_IMP).ns.tolist() == total_imps(scores)
    assert compared(Method.MP).ns.tolist() == ([1] if single else matchpoints(scores))


@few
@given(CONTRACTS, st.integers(0, 13))
def test_a_contract_and_its_result_are_read_back_from_their_text(contract: Contract, tricks: int) -> None:
    assert contract.declarer is not None
    text = f"{contract.text} {contract.declarer.letter} {result_text(contract, tricks)}"
    assert read_contract(text) == (contract, tricks)


@few
@given(CONTRACTS, st.integers(0, 12), st.booleans())
def test_one_more_trick_is_never_worth_less(contract: Contract, tricks: int, vulnerable: bool) -> None:
    fewer, more = (duplicate_score(contract, each, vulnerable=vulnerable) for each in (tricks, tricks + 1))
    assert fewer < more
    assert (fewer < 0) == (tricks < contract.tricks_needed)


@few
@given(CONTRACTS, st.integers(0, 13), st.sampled_from([Vulnerability.NONE, Vulnerability.BOTH]))
def test_the_same_contract_of_the_other_side_turns_the_sign(
    contract: Contract, tricks: int, zone: Vulnerability
) -> None:
    assert contract.declarer is not None
    other = Contract(contract.level, contract.strain, contract.doubling, contract.declarer.left)
    assert ns_score(contract, tricks, zone) == -ns_score(other, tricks, zone)


@few
@given(SCORES, SCORES)
def test_imps_are_won_by_one_side_as_they_are_lost_by_the_other(ours: int, theirs: int) -> None:
    assert imps(ours - theirs) == -imps(theirs - ours)
    assert imps(ours - theirs) <= imps(ours - theirs + 10)


@few
@given(st.lists(SCORES, min_size=1, max_size=30), st.sampled_from(KNOWN_RULES))
def test_a_datum_lies_among_the_scores_it_keeps(scores: list[int], rule: DatumRule) -> None:
    found = datum(scores, rule)
    assert found is not None
    kept = [score for score, out in zip(scores, found.dropped, strict=True) if not out]
    assert len(scores) - len(kept) == 2 * rule.trim(len(scores))
    assert min(kept) <= found.mean <= max(kept)
    assert min(kept) <= found.score <= max(kept)
    assert abs(found.score - found.mean) < 10


@few
@given(st.integers(1, 40), st.fractions(0, 200, max_denominator=12))
def test_victory_points_of_both_teams_sum_to_twenty(boards: int, margin: Fraction) -> None:
    ours, theirs = victory_points(margin, boards)
    assert ours + theirs == 20
    assert theirs <= 10 <= ours
    assert victory_points(-margin, boards) == (theirs, ours)


@few
@given(TOTALS, st.randoms(use_true_random=False))
def test_the_order_of_a_list_gives_nobody_a_better_rank(totals: list[Fraction], draw: Random) -> None:
    order = list(range(len(totals)))
    draw.shuffle(order)
    ranked = places(totals)
    shuffled = places([totals[place] for place in order])
    assert shuffled == [ranked[place] for place in order]
    for higher, lower in pairwise(sorted(zip(totals, ranked, strict=True), key=lambda each: -each[0])):
        assert (higher[1] == lower[1]) == (higher[0] == lower[0])


@few
@given(TOTALS)
def test_tied_places_share_all_that_they_take_together(totals: list[Fraction]) -> None:
    ranks = [place.rank for place in places(totals)]
    whole = shared_awards(list(range(1, len(totals) + 1)))
    assert abs(sum(shared_awards(ranks), Decimal(0)) - sum(whole, Decimal(0))) < Decimal("0.1")
