"""Single rules of the sums, each by a case that somebody reported of another program or that the Laws print."""

from decimal import Decimal
from fractions import Fraction
from itertools import pairwise

import numpy as np
import pytest

from bridge import scoring
from bridge.awards import Grade, Mixture, Ruling, Stated
from bridge.cards import Card, Deal, Hand, Suit, deck
from bridge.comparison import totals
from bridge.contracts import Contract, Doubling, Strain, read_contract, result_text, tricks_of
from bridge.datum import DatumRule, Trim
from bridge.errors import BridgeError, ImpossibleAward, ImpossibleContract, ImpossibleDeal, ImpossibleResult
from bridge.imps import IMPS_BY_TENS, imps, total_imps
from bridge.masterpoints import shared_awards, split_places, title
from bridge.matchpoints import matchpoints, neuberg
from bridge.scoring import duplicate_score, ns_score, ns_scores, score_parts
from bridge.seats import Seat, Side, Vulnerability, dealer, vulnerability
from bridge.standings import has_finished, places
from bridge.vps import victory_points, winners_scale

VOID = ".AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6"


@pytest.mark.parametrize(
    ("text", "tricks", "vulnerable", "score"),
    [
        ("7C", 13, False, 1440),
        ("7NT", 13, False, 1520),
        ("7NT", 13, True, 2220),
        ("7S", 13, True, 2210),
        ("7HXX", 13, True, 2940),
        ("6NT", 12, False, 990),
        ("6H", 12, True, 1430),
        ("6C", 12, False, 920),
    ],
)
def test_a_slam_bonus_is_taken_from_the_right_column(
    text: str, tricks: int, vulnerable: bool, score: int
) -> None:
    contract, _ = read_contract(text)
    assert duplicate_score(contract, tricks, vulnerable=vulnerable) == score
    assert contract is not None
    assert sum(score_parts(contract, tricks, vulnerable=vulnerable).values()) == score


@pytest.mark.parametrize(
    ("difference", "won"),
    [(420 + 1660, 19), (10, 0), (1740, 17), (1750, 18), (1990, 18), (2000, 19), (2240, 19), (2250, 20)],
)
def test_a_swing_near_2000(difference: int, won: int) -> None:
    assert imps(difference) == won
    assert imps(-difference) == -won


def test_imps_refuse_what_no_two_scores_differ_by() -> None:
    with pytest.raises(ImpossibleResult) as refusal:
        imps(15)
    assert str(refusal.value) == "Scores differ by a multiple of 10, not by 15."


def test_imps_of_every_difference_stand_in_their_table() -> None:
    differences = range(-15_200, 15_201, 10)
    assert IMPS_BY_TENS[np.array(differences) // 10].tolist() == [imps(each) for each in differences]


def test_total_imps_of_a_board() -> None:
    assert total_imps([420, 450, -100, -200, 400, 590])[0] == 18
    assert total_imps([420, 420, 420, 170]) == [6, 6, 6, -18]


@pytest.mark.parametrize(
    ("text", "vulnerable", "parts"),
    [
        ("2S+1", True, {"tricks": 60, "overtricks": 30, "part score": 50}),
        ("3NT=", False, {"tricks": 100, "game": 300}),
        ("2CXX+1", True, {"tricks": 160, "overtricks": 400, "game": 500, "insult": 100}),
        ("6HX=", False, {"tricks": 360, "game": 300, "slam": 500, "insult": 50}),
        ("4SX-3", True, {"undertricks": -800}),
        ("4SXX-4", False, {"undertricks": -1600}),
    ],
)
def test_a_score_is_explained_by_its_parts(text: str, vulnerable: bool, parts: dict[str, int]) -> None:
    contract, tricks = read_contract(text)
    assert contract is not None
    assert tricks is not None
    assert score_parts(contract, tricks, vulnerable=vulnerable) == parts


def test_a_contract_that_was_played_has_a_declarer_and_tricks() -> None:
    for contract, tricks in [
        (Contract(1, Strain.CLUBS), 7),
        (Contract(1, Strain.CLUBS, declarer=Seat.EAST), None),
    ]:
        with pytest.raises(TypeError, match=r"^a contract that was played has a declarer and tricks$"):
            ns_score(contract, tricks, Vulnerability.NONE)


def test_the_table_of_scores_is_made_of_the_scores() -> None:
    table = scoring._table()
    assert table.dtype == np.int16
    assert np.array_equal(table, scoring._TABLE)
    assert table.shape == (8, 5, 3, 14, 2)


def test_a_datum_never_leaves_out_more_than_it_may() -> None:
    assert Trim(fixed=3, keep=2)(5) == 1
    assert isinstance(Trim(fixed=3, keep=2)(5), int)


def test_what_is_no_rule_for_a_datum_is_refused() -> None:
    with pytest.raises(BridgeError) as refusal:
        DatumRule.from_text("a tenth")
    assert str(refusal.value) == "“a tenth” is not a rule for a datum."
    assert (refusal.value.message, refusal.value.params) == (
        "“%(text)s” is not a rule for a datum.",
        {"text": "a tenth"},
    )


def test_neuberg_as_the_ebu_prints_it() -> None:
    assert [round(float(neuberg(points, 10, 11)), 1) for points in range(18, -1, -2)] == [
        19.9, 17.7, 15.5, 13.3, 11.1, 8.9, 6.7, 4.5, 2.3, 0.1,
    ]  # fmt: skip
    assert matchpoints([90, 0, -50, -50]) == [6, 4, 1, 1]


def test_equal_totals_share_a_rank_and_the_next_are_left_out() -> None:
    assert [place.rank for place in places([60, 60, 60, 60, 60, 55, 54, 54, 50])] == [
        1,
        1,
        1,
        1,
        1,
        6,
        7,
        7,
        9,
    ]
    assert [str(place) for place in places([70, 65, 61, 61, 50])] == ["1", "2", "3=", "3=", "5"]
    orders = [(1, 2, 3), (2, 1, 3), (3, 2, 1), (2, 3, 1)]
    in_floating_point = {sum(tenths / 10 for tenths in order) for order in orders}
    assert len(in_floating_point) == 2
    four = totals(np.repeat(np.arange(4), 3), np.array(orders).ravel(), np.full(12, 10), 4)
    assert [place.rank for place in places([*range(1, 39), *four, Fraction(1, 2)])][38:] == [
        39,
        39,
        39,
        39,
        43,
    ]


def test_pairs_that_are_not_ranked_leave_no_gap() -> None:
    ranked = [index not in (1, 6) for index in range(10)]
    ranks = [place.rank for place in places([Fraction(90 - index) for index in range(10)], ranked)]
    assert ranks == [1, None, 2, 3, 4, 5, None, 6, 7, 8]


def test_tied_places_share_their_awards() -> None:
    scale = [Decimal("2.00"), Decimal("1.40"), Decimal("1.00"), Decimal("0.70")]
    assert split_places([1, 2, 2, 4], scale) == [
        Decimal("2.00"),
        Decimal("1.20"),
        Decimal("1.20"),
        Decimal("0.70"),
    ]
    assert shared_awards([None, 1, 2, 2, 4, 5, 6])[1:4] == [3, 2, 2]


def test_who_finishes() -> None:
    assert [
        has_finished(boards, 24, percent) for boards, percent in [(14, 60), (15, 60), (19, 80), (20, 80)]
    ] == [
        False,
        True,
        False,
        True,
    ]


def test_victory_points_between_two_margins_and_behind() -> None:
    assert victory_points(-15, 12) == (Decimal("5.54"), Decimal("14.46"))
    assert victory_points(Fraction(1, 2), 8) == (Decimal("10.22"), Decimal("9.78"))
    assert victory_points(Fraction(85, 2), 8) == (Decimal("19.98"), Decimal("0.02"))
    assert victory_points(100, 16) == (Decimal("20.00"), Decimal("0.00"))
    with pytest.raises(BridgeError):
        victory_points(1, 0)


@pytest.mark.parametrize("boards", [1, 2, 7, 18, 19, 25, 36, 64])
def test_no_step_of_the_scale_grows(boards: int) -> None:
    scale = winners_scale(boards)
    steps = [high - low for low, high in pairwise(scale)]
    assert steps == sorted(steps, reverse=True)
    assert (scale[0], scale[-1]) == (1000, 2000)


@pytest.mark.parametrize(
    ("text", "contract", "tricks"),
    [
        ("4SX N +1", Contract(4, Strain.SPADES, Doubling.DOUBLED, Seat.NORTH), 11),
        ("4♠X N +1", Contract(4, Strain.SPADES, Doubling.DOUBLED, Seat.NORTH), 11),
        ("3NT=", Contract(3, Strain.NOTRUMP), 9),
        ("2♥ W −2", Contract(2, Strain.HEARTS, declarer=Seat.WEST), 6),
        ("4Hxx-2", Contract(4, Strain.HEARTS, Doubling.REDOUBLED), 8),
        ("1n", Contract(1, Strain.NOTRUMP), None),
        ("1N North =", Contract(1, Strain.NOTRUMP, declarer=Seat.NORTH), 7),
        ("4s south", Contract(4, Strain.SPADES, declarer=Seat.SOUTH), None),
        ("Passed out", None, None),
    ],
)
def test_contracts_are_read_as_people_write_them(
    text: str, contract: Contract | None, tricks: int | None
) -> None:
    assert read_contract(text) == (contract, tricks)


@pytest.mark.parametrize("text", ["8S", "0NT", "4", "S4", "4SXXX", "", "4S Q", "4S SOUT", "4S NS"])
def test_what_is_no_contract_is_refused(text: str) -> None:
    with pytest.raises(ImpossibleContract, match=r"is not a contract|level from 1 to 7"):
        read_contract(text)


def test_fourteen_tricks_are_refused() -> None:
    with pytest.raises(ImpossibleResult, match="14"):
        tricks_of(Contract(4, Strain.SPADES), "+4")
    with pytest.raises(ImpossibleResult):
        duplicate_score(Contract(4, Strain.SPADES), 14, vulnerable=False)
    with pytest.raises(ImpossibleResult):
        tricks_of(Contract(4, Strain.SPADES), "made")


def test_results_are_written_with_a_minus_sign() -> None:
    contract = Contract(4, Strain.SPADES)
    assert [result_text(contract, tricks) for tricks in (8, 10, 12)] == ["−2", "=", "+2"]
    assert (contract.text, Contract(3, Strain.NOTRUMP, Doubling.REDOUBLED).text) == ("4S", "3NTXX")


def test_scores_at_once_are_the_scores_one_by_one() -> None:
    columns: list[tuple[int, ...]] = [
        (level, strain, doubling, tricks, declarer, vulnerable)
        for level in range(8)
        for strain in range(5)
        for doubling in range(3)
        for tricks in range(14)
        for declarer in range(4)
        for vulnerable in range(4)
    ]
    table = np.array(columns, np.uint8).T
    level, strain, doubling, tricks, declarer, vulnerable = table
    at_once = ns_scores(level, strain, doubling, tricks, declarer, vulnerable)
    zones = list(Vulnerability)
    for row, score in zip(columns[::7], at_once[::7].tolist(), strict=True):
        contract = Contract(row[0], Strain(row[1]), Doubling(row[2]), Seat(row[4])) if row[0] else None
        assert ns_score(contract, row[3], zones[row[5]]) == score


def test_a_hand_may_begin_with_a_void() -> None:
    deal = Deal.from_pbn(f"N:{VOID}")
    north = deal[Seat.NORTH]
    assert north is not None
    assert [len(north.suit(suit)) for suit in reversed(Suit)] == [0, 5, 5, 3]
    assert deal.pbn == f"N:{VOID}"
    assert (deal.high_card_points(Side.NS), deal.high_card_points(Side.EW)) == (17, 23)


def test_the_first_letter_of_a_deal_names_the_first_hand() -> None:
    turned = "S:86.QT654.A6.9743 T95432.32.T.AKJ6 .AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2"
    assert Deal.from_pbn(turned) == Deal.from_pbn(f"N:{VOID}")


def test_hidden_hands_stay_hidden() -> None:
    deal = Deal.from_pbn("N:AK94.Q642.Q82.QJ - Q6.AKJ.KJ95.AK63 -")
    assert (deal.is_complete, deal.high_card_points(Side.NS), deal.high_card_points(Side.EW)) == (
        False,
        35,
        None,
    )
    assert Deal.from_pbn(deal.pbn) == deal


@pytest.mark.parametrize(
    "text",
    [
        "N:AK.. - - -",
        "N:AKQJT98765432... AKQJT98765432... - -",
        "N:AKQJT9876543A... - - -",
        "N:AKQJT987654X2... - - -",
        "X:- - - -",
        "- - - -",
        "N:- - -",
    ],
)
def test_cards_that_nobody_can_hold_are_refused(text: str) -> None:
    with pytest.raises(ImpossibleDeal):
        Deal.from_pbn(text)


def test_cards_and_hands_as_text() -> None:
    assert len(set(deck())) == 52
    assert all(Card.from_text(card.text.lower()) == card for card in deck())
    assert Hand.from_pbn("kq10.-.AJ.98765432").pbn == "KQT..AJ.98765432"
    with pytest.raises(ImpossibleDeal):
        Card.from_text("1S")


def test_seats_turn_clockwise() -> None:
    assert [seat.left.letter for seat in Seat] == ["E", "S", "W", "N"]
    assert (Seat.NORTH.partner, Seat.EAST.side, Side.EW.opponents) == (Seat.SOUTH, Side.EW, Side.NS)
    assert Vulnerability.BOTH.of(Side.EW)
    for wrong in ("", "X", "NE"):
        with pytest.raises(BridgeError):
            Seat.from_letter(wrong)
    for number in (0, -1):
        with pytest.raises(BridgeError):
            dealer(number)
        with pytest.raises(BridgeError):
            vulnerability(number)


RULINGS = [
    Ruling(Grade.PLUS, Grade.MINUS),
    Ruling(Stated(Fraction(60)), Stated(Fraction(85, 2))),
    Ruling.assigned(-620),
    Ruling.weighted(((Fraction(33, 100), 140), (Fraction(67, 100), 170))),
    Ruling(Mixture(((Fraction(1), 420),)), Grade.AVERAGE),
]


@pytest.mark.parametrize("ruling", RULINGS)
def test_rulings_are_read_back_from_json(ruling: Ruling) -> None:
    assert Ruling.from_json(ruling.to_json()) == ruling


def test_only_an_assigned_score_is_a_normal_result() -> None:
    assert [ruling.score for ruling in RULINGS] == [None, None, -620, None, None]
    assert [ruling.is_artificial for ruling in RULINGS] == [True, True, False, False, False]


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"ns": {"grade": "B"}, "ew": {"grade": "A"}},
        {"ns": {"percent": "101"}, "ew": {"percent": "0"}},
        {"ns": {"scores": [["1/2", 140]]}, "ew": {"grade": "A"}},
        {"ns": {"scores": [["1", 145]]}, "ew": {"grade": "A"}},
        {"ns": {"scores": [["1/0", 140]]}, "ew": {"grade": "A"}},
    ],
)
def test_what_is_no_ruling_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(ImpossibleAward):
        Ruling.from_json(data)


def test_a_title_is_reached_with_its_last_hundredth() -> None:
    assert [title(Decimal(points)).level for points in ("0", "0.99", "1", "14.99", "15", "5000")] == [
        0,
        0,
        1,
        2,
        3,
        11,
    ]
