"""Boards as people read them: the hand diagram, what can be made, par."""

from collections.abc import Mapping
from typing import Any

from django import template
from django.utils.translation import gettext_lazy as _
from django.utils.translation import pgettext_lazy

from apps.boards.models import Board
from bridge.cards import Deal, Hand, Suit
from bridge.seats import Seat, Vulnerability

register = template.Library()

STRAINS = ("NT", "S", "H", "D", "C")
TRICKS_FOR_GAME = {"NT": 9, "S": 10, "H": 10, "D": 11, "C": 11}
SEAT_NAMES = {"N": _("North"), "E": _("East"), "S": _("South"), "W": _("West")}
SEAT_LETTERS = {
    "N": pgettext_lazy("seat letter", "N"),
    "E": pgettext_lazy("seat letter", "E"),
    "S": pgettext_lazy("seat letter", "S"),
    "W": pgettext_lazy("seat letter", "W"),
}


def _suits(hand: Hand) -> list[tuple[str, str]]:
    """The suits from spades to clubs, their ranks spaced: 10 for the ten, a dash for a void."""
    return [
        (suit.letter, " ".join("10" if rank == "T" else rank for rank in hand.suit(suit)) or "—")
        for suit in reversed(Suit)
    ]


@register.filter
def seat_name(letter: str) -> str:
    """North, in the reader's language."""
    return str(SEAT_NAMES[letter])


@register.filter
def seat_letter(letter: str) -> str:
    """N, in the reader's language."""
    return str(SEAT_LETTERS[letter])


@register.inclusion_tag("boards/_diagram.html")
def hand_diagram(board: Board, names: Mapping[str, str] | None = None) -> dict[str, Any]:
    """North at the top, West at the left; board, dealer and vulnerability in words and in colour; points at the foot.

    `names` gives the players by seat letter. A hand that nobody recorded is said to be unknown.
    """
    deal = Deal.from_pbn(board.deal) if board.deal else None
    vulnerable = Vulnerability(board.vulnerable)
    seats = {}
    for seat in Seat:
        hand = deal[seat] if deal else None
        seats[seat.name.lower()] = {
            "letter": seat.letter,
            "name": (names or {}).get(seat.letter) or SEAT_NAMES[seat.letter],
            "suits": _suits(hand) if hand else None,
            "points": hand.high_card_points if hand else "?",
            "vulnerable": vulnerable.of(seat.side),
            "deals": board.dealer == seat.letter,
        }
    return {
        "board": board,
        "known": deal is not None,
        "seats": seats,
        "dealer": SEAT_NAMES[board.dealer],
        **seats,
    }


@register.inclusion_tag("boards/_makeable.html")
def makeable(board: Board, tricks: str | None) -> dict[str, Any]:
    """Which level each seat makes in each strain with all cards seen, and par. `tricks`: see `DoubleDummy.tricks`."""
    rows = [
        (seat, list(zip(STRAINS, tricks[5 * row : 5 * row + 5], strict=True)))
        for row, seat in enumerate("NSEW" if tricks else "")
        if tricks
    ]
    return {"board": board, "rows": rows, "strains": STRAINS}


@register.filter
def is_game(tricks: str, strain: str) -> bool:
    """Whether so many tricks (one hexadecimal digit) make game in the strain."""
    return int(tricks, 16) >= TRICKS_FOR_GAME[strain]
