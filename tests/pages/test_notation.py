from decimal import Decimal
from fractions import Fraction
from types import SimpleNamespace

import pytest
from django.utils import translation

from apps.pairs.templatetags.figures import imps
from apps.results.models import Result
from apps.results.templatetags.notation import (
    bar,
    card,
    contract,
    contracts,
    decimal,
    fixed,
    in_words,
    level_made,
    minus,
    rank,
    signed,
    suit,
)
from bridge.contracts import Contract, Doubling, Strain

SPADE = '<span class="su su-s">♠\ufe0e</span>'


@pytest.mark.parametrize(
    ("value", "places", "text"),
    [
        (Fraction(1, 8), 2, "0.13"),
        (Fraction(-1, 8), 2, "−0.13"),
        (Fraction(-1, 1000), 2, "0.00"),
        (Decimal("2.345"), 2, "2.35"),
        (Decimal("-2.345"), 2, "−2.35"),
        (1234567, 0, "1\u2009234\u2009567"),
        (Fraction(125, 2), 1, "62.5"),
        (None, 2, "–"),
    ],
)
def test_figures_are_rounded_half_up_from_zero_on_both_sides(
    value: Fraction | Decimal | int | None, places: int, text: str
) -> None:
    assert fixed(value, places) == text


@pytest.mark.parametrize(
    ("value", "text"), [(620, "+620"), (-50, "−50"), (0, "0"), (1700, "+1\u2009700"), (-7600, "−7\u2009600")]
)
def test_a_score_carries_its_sign(value: int, text: str) -> None:
    assert signed(value) == text


@pytest.mark.parametrize(
    ("value", "usual", "text"),
    [
        (Fraction(6), 0, "+6"),
        (Fraction(6, 5), 0, "+1.2"),
        (Fraction(-4, 3), 0, "−1.33"),
        (Fraction(0), 0, "0"),
        (Fraction(10), 0, "+10"),
        (Fraction(-3, 2), 2, "−1.50"),
        (Fraction(0), 2, "0.00"),
    ],
)
def test_imps_have_the_decimals_that_they_need(value: Fraction, usual: int, text: str) -> None:
    assert imps(value, usual) == text


@pytest.mark.parametrize(
    ("written", "shown"),
    [("-5.00", "−5.00"), ("3 / -3", "3 / −3"), (-2, "−2"), ("2026-11-30", "2026-11-30"), ("A-3", "A-3")],
)
def test_a_figure_that_somebody_else_wrote_has_our_minus_sign(written: object, shown: str) -> None:
    assert minus(written) == shown


def test_what_rounds_to_nothing_has_no_sign() -> None:
    assert signed(Fraction(1, 1000), 2) == "0.00"


@pytest.mark.parametrize(
    ("value", "text"), [("3", "3"), ("2.50", "2.5"), ("0.33", "0.33"), ("1000", "1\u2009000")]
)
def test_a_decimal_has_no_needless_zeros(value: str, text: str) -> None:
    assert decimal(Decimal(value)) == text


@pytest.mark.parametrize(("place", "tied", "text"), [(3, False, "3"), (3, True, "3="), (None, False, "–")])
def test_a_shared_rank_says_so(place: int | None, tied: bool, text: str) -> None:
    assert rank(SimpleNamespace(rank=place, tied=tied)) == text


def test_a_suit_is_drawn_and_keeps_its_character() -> None:
    assert suit("S") == SPADE


def test_a_contract_is_drawn_and_said_in_words() -> None:
    result = Result(kind="played", level=4, strain="S", doubling=1, declarer="N", tricks=11, ns_score=690)
    assert contract(result) == (
        '<span class="ct" role="img" aria-label="4 spades doubled by North, 1 overtrick">'
        f"<b>4{SPADE}X</b> <i>N</i> +1</span>"
    )


@pytest.mark.parametrize(
    ("result", "text"),
    [
        (Result(kind="played", level=0, ns_score=0), "passed out"),
        (Result(kind="not played"), "not played"),
        (Result(kind="ruled", ruling={}), "adjusted"),
        (Result(kind="cut", ruling={}), "not finished in time"),
        (Result(kind="played", ns_score=420), "–"),
    ],
)
def test_a_result_without_a_contract_says_why(result: Result, text: str) -> None:
    assert contract(result) == text


@pytest.mark.parametrize(
    ("bid", "tricks", "words"),
    [
        (Contract(1, Strain.CLUBS), 7, "1 club by East, made"),
        (Contract(1, Strain.NOTRUMP), 7, "1 no trump by East, made"),
        (Contract(3, Strain.NOTRUMP, Doubling.REDOUBLED), 7, "3 no trumps redoubled by East, 2 down"),
        (Contract(2, Strain.HEARTS), 10, "2 hearts by East, 2 overtricks"),
    ],
)
def test_contracts_are_said_as_players_say_them(bid: Contract, tricks: int, words: str) -> None:
    assert in_words(bid, "E", tricks) == words


def test_what_is_kept_for_one_language_is_not_shown_in_another() -> None:
    result = Result(kind="played", level=3, strain="NT", doubling=0, declarer="S", tricks=9, ns_score=400)
    english = contract(result)
    with translation.override("zh-hans"):
        chinese = contract(result)
        expected = in_words(Contract(3, Strain.NOTRUMP), "S", 9)
    assert expected in chinese
    assert contract(result) == english


def test_par_contracts_are_drawn() -> None:
    assert contracts("4♠N=, 5SXE-1") == (
        f'<span class="ct"><b>4{SPADE}</b> <i>N</i> =, <b>5{SPADE}X</b> <i>E</i> −1</span>'
    )


def test_a_name_in_a_contract_is_escaped() -> None:
    assert contracts("<b>") == '<span class="ct">&lt;b&gt;</span>'


def test_the_ten_is_written_out() -> None:
    assert card("ST") == f'<span class="ct">{SPADE}10</span>'
    assert card("") == ""


@pytest.mark.parametrize(("digit", "level"), [("d", "7"), ("7", "1"), ("6", "–"), ("0", "–")])
def test_seven_tricks_make_one(digit: str, level: str) -> None:
    assert level_made(digit) == level


@pytest.mark.parametrize(
    ("points", "shape"),
    [
        (Fraction(5), '<rect class="pos" x="60" y="3" width="29" height="10"/>'),
        (Fraction(-10), '<rect class="neg" x="2" y="3" width="58" height="10"/>'),
    ],
)
def test_a_bar_grows_from_the_datum_line(points: Fraction, shape: str) -> None:
    assert shape in bar(points, 10)


def test_a_board_on_which_all_are_equal_has_bars_without_length() -> None:
    assert 'width="0"' in bar(0, 0)
