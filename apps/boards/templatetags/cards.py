"""Boards as people read them: the hand diagram, what can be made, par."""

from typing import Any

from django import template

from apps.boards.models import Board
from bridge.cards import Deal, Hand, Suit
from bridge.seats import Seat

register = template.Library()

STRAINS = ("NT", "S", "H", "D", "C")


def _suits(hand: Hand) -> list[tuple[str, str]]:
    """The suits from spades to clubs, their ranks spaced: 10 for the ten, a dash for a void."""
    return [
        (suit.letter, " ".join("10" if rank == "T" else rank for rank in hand.suit(suit)) or "—")
        for suit in reversed(Suit)
    ]


@register.inclusion_tag("boards/_diagram.html")
def hand_diagram(board: Board) -> dict[str, Any]:
    """North at the top, West left, East right; dealer and vulnerability in words and in colour; points at the foot."""
    deal = Deal.from_pbn(board.deal) if board.deal else None
    hands = [
        {
            "seat": seat.letter,
            "suits": _suits(hand) if (hand := deal[seat]) else None,
            "points": hand.high_card_points if hand else None,
            "vulnerable": board.vulnerable in ("Both", seat.side),
            "deals": board.dealer == seat.letter,
        }
        for seat in Seat
    ] if deal else []
    return {"board": board, "hands": hands, "known": deal is not None}


@register.inclusion_tag("boards/_makeable.html")
def makeable(board: Board, tricks: str | None) -> dict[str, Any]:
    """Which level each seat makes in each strain with all cards seen, and par."""
    rows = []
    if tricks:
        rows = [
            {"seat": seat, "cells": list(zip(STRAINS, tricks[5 * row : 5 * row + 5], strict=True))}
            for row, seat in enumerate("NSEW")
        ]
    return {"board": board, "rows": rows, "strains": STRAINS}


@register.filter
def is_game(tricks: str, strain: str) -> bool:
    """Whether so many tricks make game in the strain."""
    return int(tricks, 16) >= {"NT": 9, "S": 10, "H": 10, "D": 11, "C": 11}[strain]
