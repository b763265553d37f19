"""Who was slow when the bell cut a board off, and what each side gets."""

from fractions import Fraction

import pytest
from hypothesis import given
from hypothesis import strategies as st

from bridge.awards import Grade
from bridge.seats import Side
from bridge.slow_play import TimeUsed, cut_by_the_clock, slow_side

seconds = st.integers(0, 10_000)
PLUS, AVERAGE, MINUS = Grade.PLUS, Grade.AVERAGE, Grade.MINUS


@pytest.mark.parametrize(
    ("ns", "ew", "slow"),
    [
        (600, 300, Side.NS),
        (300, 600, Side.EW),
        (360, 240, None),  # 60 % and not more
        (361, 240, Side.NS),
        (219, 100, None),  # two minutes less a second
        (220, 100, Side.NS),
        (1000, 880, None),  # two minutes more, of much time
        (0, 0, None),
        (120, 0, Side.NS),
    ],
)
def test_a_side_is_slow_with_more_than_three_fifths_of_the_time_and_two_minutes_more(
    ns: int, ew: int, slow: Side | None
) -> None:
    assert slow_side(TimeUsed(ns, ew)) is slow


@pytest.mark.parametrize(
    ("ns", "ew", "allowed", "awards"),
    [
        (600, 300, 900, (MINUS, PLUS)),
        (300, 600, 900, (PLUS, MINUS)),
        (450, 450, 900, (AVERAGE, AVERAGE)),
        (900, 460, 900, (MINUS, AVERAGE)),  # the other side took more than its half as well
        (900, 450, 900, (MINUS, PLUS)),
    ],
)
def test_the_slow_side_gets_average_minus_and_the_other_what_its_own_time_deserves(
    ns: int, ew: int, allowed: int, awards: tuple[Grade, Grade]
) -> None:
    ruling = cut_by_the_clock(TimeUsed(ns, ew), allowed=allowed)
    assert (ruling.ns, ruling.ew) == awards


@given(seconds, seconds, seconds)
def test_no_side_is_favoured_and_using_less_never_costs(ns: int, ew: int, allowed: int) -> None:
    ruling = cut_by_the_clock(TimeUsed(ns, ew), allowed=allowed)
    turned = cut_by_the_clock(TimeUsed(ew, ns), allowed=allowed)
    assert (ruling.ns, ruling.ew) == (turned.ew, turned.ns)
    if ns:
        quicker = cut_by_the_clock(TimeUsed(ns - 1, ew), allowed=allowed)
        assert isinstance(quicker.ns, Grade)
        assert isinstance(ruling.ns, Grade)
        assert quicker.ns.sign >= ruling.ns.sign


@given(seconds, seconds, seconds)
def test_average_minus_goes_to_one_side_at_the_most_and_only_with_a_reason(
    ns: int, ew: int, allowed: int
) -> None:
    ruling = cut_by_the_clock(TimeUsed(ns, ew), allowed=allowed)
    assert (ruling.ns, ruling.ew) != (MINUS, MINUS)
    if ruling.ns is MINUS:
        assert Fraction(ns, ns + ew) > Fraction(3, 5)
        assert ns >= ew + 120
