"""Awards as a director writes them."""

from fractions import Fraction

import pytest

from bridge.awards import Award, Grade, Mixture, Stated, read_award
from bridge.errors import ImpossibleAward


@pytest.mark.parametrize(
    ("text", "award"),
    [
        ("A+", Grade.PLUS),
        (" a ", Grade.AVERAGE),
        ("A−", Grade.MINUS),
        ("60%", Stated(Fraction(60))),
        ("37.5 %", Stated(Fraction(75, 2))),
        ("+620", Mixture(((Fraction(1), 620),))),
        ("−100", Mixture(((Fraction(1), -100),))),
        ("0", Mixture(((Fraction(1), 0),))),
        ("60% +620, 40% -100", Mixture(((Fraction(3, 5), 620), (Fraction(2, 5), -100)))),
        ("60 % +620 · 40 % −100", Mixture(((Fraction(3, 5), 620), (Fraction(2, 5), -100)))),
        ("1/3 620; 2/3 - 100", Mixture(((Fraction(1, 3), 620), (Fraction(2, 3), -100)))),
    ],
)
def test_an_award_is_read_as_people_write_it(text: str, award: Award) -> None:
    assert read_award(text) == award


@pytest.mark.parametrize(
    "text",
    [
        "",
        "B+",
        "made",
        "101%",
        "625",
        "9000",
        "60% 620",
        "60% 620, 50% 100",
        "1/0 620",
        "60%, 40%",
        "620, 100",
        "0% 620, 100% 0",
    ],
)
def test_what_is_no_award_is_refused(text: str) -> None:
    with pytest.raises(ImpossibleAward):
        read_award(text)
