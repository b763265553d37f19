"""Deals from a secret seed, in a way that anyone can check once the seed is known.

Before an event a seed of 32 random bytes is drawn and its commitment is published. Seed, event, round and board fix the
number of a deal: each of the 53,644,737,765,488,792,839,237,440,000 deals has one, and each is as likely as any other.
After the event the seed is published: whoever hashes it finds the commitment, and whoever repeats the sums finds the
deals. `deploy/DEALS.md` has the same rules for readers who trust no line of this file.
"""

import hmac
from hashlib import sha256
from math import factorial

from bridge.cards import Card, Deal, Hand, deck
from bridge.errors import BridgeError

DEALS = factorial(52) // factorial(13) ** 4
"""How many deals there are: a little more than half of 2**96."""

SEED_BYTES = 32
_DRAWN_BYTES = 12
_FROM_THE_SPADE_ACE: tuple[Card, ...] = tuple(deck())[::-1]


class DealingError(BridgeError):
    """Something that would make a deal predictable, changeable or impossible to check."""


def commitment(seed: bytes, event: str) -> str:
    """What is published before the first card is dealt: SHA-256 of the seed and the event's name, in hexadecimal.

    The seed's length is fixed, so that no other seed and name run together to the same bytes.

    Raises:
        DealingError: A seed that is not 32 bytes long.
    """
    if len(seed) != SEED_BYTES:
        raise DealingError("A seed has %(right)s bytes, not %(count)s.", right=SEED_BYTES, count=len(seed))
    return sha256(seed + event.encode()).hexdigest()


def deal_board(seed: bytes, event: str, *, round_number: int, board_number: int) -> Deal:
    """The deal of one board."""
    number = deal_number(seed, event, round_number=round_number, board_number=board_number)
    return deal_with_number(number)


def deal_number(seed: bytes, event: str, *, round_number: int, board_number: int) -> int:
    """The number of a board's deal: the first draw below `DEALS`.

    Draw 0, 1, 2 … is the first 96 bits of HMAC-SHA256 under the seed over event, round, board and the draw's number, a
    line each. About one in three is too high. Taking the remainder instead would make some deals twice as likely.
    """
    draw = 0
    while True:
        message = f"{event}\n{round_number}\n{board_number}\n{draw}".encode()
        number = int.from_bytes(hmac.digest(seed, message, "sha256")[:_DRAWN_BYTES])
        if number < DEALS:
            return number
        draw += 1


def deal_with_number(number: int) -> Deal:
    """The deal of a number from 0 to `DEALS` - 1, each deal once; in deal 0 North holds all spades, East all hearts.

    Raises:
        DealingError: A number that no deal has.
    """
    if not 0 <= number < DEALS:
        raise DealingError("No deal has the number %(number)s.", number=number)
    hands: tuple[list[Card], ...] = ([], [], [], [])
    for card, seat in zip(_FROM_THE_SPADE_ACE, holders(number), strict=True):
        hands[seat].append(card)
    north, east, south, west = (Hand(frozenset(cards)) for cards in hands)
    return Deal((north, east, south, west))


def holders(number: int) -> list[int]:
    """Who holds each card in the deal of a number, from the ace of spades down to the two of clubs; North is 0.

    Of all deals that agree so far, those where North holds the next card come first, then East's, South's and West's.
    A seat's share of them is its share of the cards still to come.
    """
    seats = []
    places = [13, 13, 13, 13]
    deals = DEALS
    for cards in range(52, 0, -1):
        for seat in range(4):
            share = deals * places[seat] // cards
            if number < share:
                break
            number -= share
        deals = share
        places[seat] -= 1
        seats.append(seat)
    return seats
