"""Which card a robot plays: rules of thumb of an ordinary player, each for the place in the trick where it belongs."""

from collections.abc import Iterable, Sequence

from bridge.cards import Card, Suit
from bridge.robot.sight import Sight, by_suit
from bridge.seats import Seat


def card_to_play(sight: Sight, legal: Sequence[Card], bid_by: dict[Seat, list[Suit]]) -> Card:
    """The card of the hand whose turn it is.

    Args:
        sight: The play as the player sees it.
        legal: The cards that may be played; at least one.
        bid_by: The suits that each seat showed in the auction.
    """
    if len(legal) == 1:
        return legal[0]
    if not sight.trick:
        if not sight.tricks and sight.hands[sight.dummy] is None:
            return _opening_lead(sight, bid_by)
        return _declarers_lead(sight) if sight.is_declaring else _defenders_lead(sight, bid_by)
    if legal[0].suit is not sight.trick[0].suit or len({card.suit for card in legal}) > 1:
        return _not_following(sight, legal)
    cards = sorted(legal)
    return _declarer_follows(sight, cards) if sight.is_declaring else _defender_follows(sight, cards)


# Following suit; cards low to high


def _declarer_follows(sight: Sight, cards: list[Card]) -> Card:
    low, winning = cards[0], [card for card in cards if sight.beats(card)]
    if not winning:
        return low
    place = len(sight.trick)
    ours = sight.winner is sight.hand.partner
    if place == 3:
        return low if ours else winning[0]
    suit = low.suit
    if place == 2:
        if ours and (sight.is_high(sight.best) or sight.above(sight.best) == sight.above(winning[-1])):
            return low
        return _third_hand(sight, winning)
    others = sight.opposite[suit]  # they play last
    best = sight.trick[0]
    if others and others[0] > best and sight.is_high(others[0]):
        guarded = len(cards) == 2 and cards[1].rank >= 11 and sight.above(cards[1]) and best.rank < 10
        return cards[1] if guarded and len(others) <= 3 else low
    if sight.is_high(winning[-1]):
        return low if _holds_up(sight, suit) else next(card for card in winning if sight.is_high(card))
    if best.rank >= 10 or (not others and len(cards) == 2):
        return winning[-1]
    return low


def _third_hand(sight: Sight, winning: list[Card]) -> Card:
    """The finesse, or not; `winning` cards from low to high."""
    suit = winning[0].suit
    last = Seat((sight.hand + 1) % 4)
    if suit in sight.voids[last] or not sight.out[suit]:
        return winning[0]
    sure = next((card for card in winning if sight.is_high(card)), None)
    chances = [card for card in winning if not sight.is_high(card)]
    if sure is None:
        return min(chances, key=lambda card: (sight.above(card), card))
    if not chances:
        return sure
    most = max(chances, key=lambda card: (-sight.above(card), -card.rank))
    missing = len(sight.out[suit])
    length = 13 - missing
    drops = (length >= 9 and sight.out[suit][0].rank == 12 and missing <= 4) or missing <= sight.above(most)
    if drops or missing == 1 or (sight.above(most) > 1 and sight.needed <= 1):
        return sure
    return most


def _holds_up(sight: Sight, suit: Suit) -> bool:
    """In notrump the only stopper waits until one opponent has no more cards of their suit."""
    if sight.trump is not None or len(sight.tricks) > 1:
        return False
    both = sight.mine[suit] + sight.opposite[suit]
    return (
        sum(sight.is_high(card) for card in both) == 1
        and len(both) <= 6
        and all(c.rank < 13 or c.rank == 14 for c in both)
    )


def _defender_follows(sight: Sight, cards: list[Card]) -> Card:
    low, winning = cards[0], [card for card in cards if sight.beats(card)]
    if not winning:
        return low
    place, suit = len(sight.trick), low.suit
    ours = sight.winner is sight.hand.partner
    if place == 3:
        return low if ours else winning[0]
    dummys = by_suit(sight.held(sight.dummy))[suit]
    if place == 2:
        dummy_is_last = sight.dummy is sight.me.left
        if dummy_is_last:
            over = [card for card in winning if not dummys or card > dummys[0]]
            if ours and (not dummys or dummys[0] < sight.best):
                return low
            if not over:
                forcing = [card for card in winning if card.rank >= 9]
                return forcing[0] if forcing and dummys and dummys[0].rank - forcing[-1].rank <= 2 else low
            return over[0]
        top = winning[-1]
        if ours and sight.above(top) == sight.above(sight.best):
            return low
        return next(card for card in winning if sight.above(card) == sight.above(top))
    return _second_hand(sight, cards, winning, dummys)


def _second_hand(sight: Sight, cards: list[Card], winning: list[Card], dummys: list[Card]) -> Card:
    low, led = cards[0], sight.trick[0]
    top = winning[-1]
    high = next((card for card in winning if sight.is_high(card)), None)
    if high and sight.needed <= 1:
        return high
    leads_from_dummy = sight.leader is sight.dummy
    if led.rank >= 10 and high is None and len(cards) <= 4:
        touching = [card for card in dummys if abs(card.rank - led.rank) == 1]
        if leads_from_dummy and not touching and top.rank >= 11:
            return next(card for card in winning if sight.above(card) == sight.above(top))
    if led.rank >= 11 and high:
        return high
    if leads_from_dummy and high and sight.trump not in (None, led.suit) and not dummys:
        return high  # dummy's singleton: the next round is ruffed
    in_a_row = [card for card in winning if card.rank >= 10]
    if (
        len(in_a_row) >= 2
        and in_a_row[-1].rank - in_a_row[0].rank == len(in_a_row) - 1
        and in_a_row[-1].rank < 14
    ):
        return in_a_row[0]
    return low


# Not following suit


def _not_following(sight: Sight, legal: Sequence[Card]) -> Card:
    trump = sight.trump
    ruffs = sorted(card for card in legal if card.suit == trump and sight.beats(card))
    others = [card for card in legal if card.suit != trump] or list(legal)
    if ruffs:
        ours = sight.winner is sight.hand.partner
        is_safe = len(sight.trick) == 3 or sight.is_high(sight.best)
        if not (ours and (is_safe or (sight.is_declaring and sight.best.rank >= 12))):
            return ruffs[0]
    return _discard(sight, others)


def _discard(sight: Sight, cards: Iterable[Card]) -> Card:
    """The card that is missed least."""
    dummys = by_suit(sight.held(sight.dummy)) if not sight.is_declaring else {}

    def worth(card: Card) -> tuple[int, int]:
        held = sight.mine[card.suit]
        value = 0
        if card.suit == sight.trump:
            value += 60
        if sight.is_high(card):
            value += 50
        top = held[0]
        over = len([other for other in sight.against[card.suit] if other > top])
        if over and len(held) <= over + 1 and over <= 2 and top.rank >= 11:
            value += 30  # a guard that an honour needs
        if dummys and len(held) == len(dummys[card.suit]) and dummys[card.suit] and len(held) >= 3:
            value += 15
        if sight.is_declaring:
            other = sight.opposite[card.suit]
            value += 10 if other and len(held) > len(other) and sight.is_high(other[0]) else 0
            value -= 5 if not other else 0
        else:
            value -= len(held)
        return value, card.rank

    return min(cards, key=lambda card: (*worth(card), card.suit))


# Declarer leads


def _declarers_lead(sight: Sight) -> Card:
    trump = sight.trump
    if trump is not None:
        if ruff := _towards_a_ruff(sight, trump):
            return ruff
        if draw := _draw_trumps(sight, trump):
            return draw
    is_enough = sum(_sure(sight, suit) for suit in Suit) >= sight.needed > 0
    attempts = (_cash, _develop) if is_enough else (_develop, _cash)
    return next((card for attempt in attempts if (card := attempt(sight))), None) or _least_harm(sight)


def _towards_a_ruff(sight: Sight, trump: Suit) -> Card | None:
    """A loser that the shorter trump hand ruffs."""
    there = sight.opposite[trump]
    if not there or len(there) > len(sight.mine[trump]):
        return None
    for suit in Suit:
        losers = [card for card in sight.mine[suit] if not sight.is_high(card)]
        if suit is not trump and losers and not sight.opposite[suit] and len(sight.out[suit]) >= 3:
            return losers[-1]
    return None


def _draw_trumps(sight: Sight, trump: Suit) -> Card | None:
    mine, there, out = sight.mine[trump], sight.opposite[trump], sight.out[trump]
    if not mine or not out or len(mine) + len(there) <= len(out):
        return None
    high = [card for card in mine + there if sight.is_high(card)]
    if len(out) == 1 and not high:
        return None
    if all(trump in sight.voids[seat] for seat in sight.hand.opponents):
        return None
    return _lead_of_suit(sight, trump)


def _lead_of_suit(sight: Sight, suit: Suit) -> Card:
    """Towards high cards opposite with a low one, else from the top."""
    mine, there, out = sight.mine[suit], sight.opposite[suit], sight.out[suit]
    high_here = [card for card in mine if sight.is_high(card)]
    high_there = [card for card in there if sight.is_high(card)]
    low = mine[-1]
    if there and out:
        tenace = [card for card in there if card.rank >= 10 and sight.above(card) == 1]
        drops = len(mine) + len(there) >= 9 and out[0].rank == 12
        if tenace and low.rank < there[0].rank and not drops:
            covers = [card for card in mine if card.rank >= 10 and card.rank < there[0].rank]
            runs = high_there and covers and len(mine) + len(there) >= 6
            return covers[0] if runs and _has_next(covers[0], mine + there) else low
    if high_here and (len(high_here) > 1 or not high_there or len(mine) <= len(there)):
        return high_here[0]
    if high_there:
        return low
    honours = [card for card in mine if card.rank >= 10 and _has_next(card, mine + there)]
    if honours and honours[0] is mine[0]:
        return honours[0]
    return low


def _has_next(card: Card, cards: Iterable[Card]) -> bool:
    return any(card.suit is other.suit and card.rank - other.rank == 1 for other in cards)


def _sure(sight: Sight, suit: Suit) -> int:
    """Tricks that the suit wins at once."""
    mine, there, out = sight.mine[suit], sight.opposite[suit], sight.out[suit]
    tops = sum(sight.is_high(card) for card in mine + there)
    longest = max(len(mine), len(there))
    if tops >= len(out):
        tops = longest
    return min(tops, longest)


def _gain(sight: Sight, suit: Suit) -> float:
    """What working on a suit may bring beyond its sure tricks."""
    mine, there, out = sight.mine[suit], sight.opposite[suit], sight.out[suit]
    if not mine or not out or suit == sight.trump:
        return 0
    longest = max(len(mine), len(there))
    honours = sum(card.rank >= 10 for card in mine + there)
    longer = max(0, len(mine) + len(there) - len(out))
    possible = min(longest, honours + max(0, longer - 1) // 2 + max(0, longest - 3))
    gain = possible - _sure(sight, suit)
    if gain <= 0:
        return 0
    alone = mine[0].rank >= 11 and not there
    return gain + 0.1 * honours + 0.2 * longer - alone + 0.7 * sight.whims[suit]


def _develop(sight: Sight) -> Card | None:
    best = max(Suit, key=lambda suit: (_gain(sight, suit), suit))
    return _lead_of_suit(sight, best) if _gain(sight, best) > 0 else None


def _cash(sight: Sight) -> Card | None:
    """A winner: first where the hand that leads is the shorter one, so that nothing is blocked."""
    choices = []
    ruffed = sight.trump is not None and sight.out[sight.trump]
    for suit in Suit:
        mine, there = sight.mine[suit], sight.opposite[suit]
        if not mine or (suit == sight.trump and len(mine) <= 1 and len(there) <= 1 and sight.out[suit]):
            continue
        high = [card for card in mine if sight.is_high(card)]
        high_there = [card for card in there if sight.is_high(card)]
        danger = len(sight.out[suit]) < 5 if ruffed and suit != sight.trump else False
        if high:
            choices.append(
                (danger, len(mine) > len(there), suit == sight.trump, len(sight.out[suit]), high[0])
            )
        elif high_there:
            late = suit == sight.trump or len(mine) > len(there)
            choices.append((danger, True, late, len(sight.out[suit]), mine[-1]))
    return min(choices)[-1] if choices else None


def _least_harm(sight: Sight) -> Card:
    held = [suit for suit in Suit if sight.mine[suit]]
    side_suits = [suit for suit in held if suit != sight.trump]
    best = max(side_suits or held, key=lambda suit: (len(sight.mine[suit]) + len(sight.opposite[suit]), suit))
    return _lead_of_suit(sight, best)


# A defender leads


def _opening_lead(sight: Sight, bid_by: dict[Seat, list[Suit]]) -> Card:
    partners = bid_by.get(sight.me.partner, [])
    theirs = {suit for seat in sight.me.opponents for suit in bid_by.get(seat, [])}
    trump = sight.trump

    def worth(suit: Suit) -> float:
        cards = sight.mine[suit]
        value = sight.whims[suit]
        if suit in partners:
            value += 6
        elif suit in theirs:
            value -= 4
        run = _run(cards)
        if trump is None:
            value += 1.2 * len(cards) + 0.3 * sum(max(0, card.rank - 10) for card in cards)
            return value + (2 if run >= 3 else 1 if run == 2 and len(cards) >= 4 else 0)
        if suit == trump:
            return value - 2 + (1 if len(cards) == 2 and cards[0].rank < 11 else 0)
        if cards[0].rank == 14:
            return value + (4 if run >= 2 else -1 if len(cards) > 1 else 3)
        if run >= 2 and cards[0].rank >= 11:
            return value + 1 + run
        if len(cards) == 1:
            return value + (4 if 1 <= len(sight.mine[trump]) <= 3 and cards[0].rank < 13 else 1)
        if cards[0].rank == 13:
            return value - 2
        return value + (1 if len(cards) == 2 and cards[0].rank < 11 else 0.2 * len(cards))

    best = max((suit for suit in Suit if sight.mine[suit]), key=lambda suit: (worth(suit), suit))
    return _lead_from(sight, best)


def _run(cards: list[Card]) -> int:
    """How many cards touch from the top down, if the top is an honour."""
    if not cards or cards[0].rank < 10:
        return 0
    run = 1
    while run < len(cards) and cards[run - 1].rank - cards[run].rank == 1:
        run += 1
    return run


def _lead_from(sight: Sight, suit: Suit) -> Card:
    """Top of touching honours, top of two, the ace against a suit contract, else the fourth or the lowest."""
    cards = sight.mine[suit]
    if len(cards) <= 2:
        return cards[0]
    run = _run(cards)
    if run >= 3 or (run == 2 and (sight.trump is not None or cards[2].rank == cards[1].rank - 2)):
        return cards[0]
    if run == 2 and len(cards) == 3:
        return cards[0]
    if cards[0].rank == 14 and sight.trump not in (None, suit):
        return cards[0]
    if cards[1].rank >= 10 and len(cards) >= 3 and _run(cards[1:]) >= 3:
        return cards[1]
    if cards[0].rank < 10 and len(cards) >= 4:
        return cards[1]
    return cards[3] if len(cards) >= 4 else cards[-1]


def _defenders_lead(sight: Sight, bid_by: dict[Seat, list[Suit]]) -> Card:
    dummys = by_suit(sight.held(sight.dummy))
    high = [card for cards in sight.mine.values() for card in cards if sight.is_high(card)]
    sure = [
        card
        for card in high
        if sight.trump in (None, card.suit) or not sight.out[sight.trump] or len(sight.mine[card.suit]) <= 5
    ]
    if sure and len(sure) >= sight.needed > 0:
        return max(sure, key=lambda card: (card.suit != sight.trump, len(sight.mine[card.suit]), card))
    dummy_follows = sight.dummy is sight.me.left
    returned = _partners_suit(sight)

    def worth(suit: Suit) -> float:
        cards, theirs = sight.mine[suit], dummys[suit]
        value = sight.whims[suit]
        if suit == sight.trump:
            return -3.0 + (2 if len(theirs) >= 2 and any(not dummys[side] for side in Suit) else 0)
        if sight.is_high(cards[0]):
            value += 2 + (1 if len(cards) >= 3 and sight.trump is None else 0)
        if suit is returned:
            value += 4
        if suit in bid_by.get(sight.me.partner, []):
            value += 2
        value += 1.5 if _run(cards) >= 2 else 0
        if sight.trump is None:
            value += 0.5 * len(cards)
        elif not theirs and len(dummys[sight.trump]):
            value -= 3
        elif suit in sight.voids[sight.me.partner] and sight.trump not in sight.voids[sight.me.partner]:
            value += 5
        if cards[0].rank >= 12 and _run(cards) < 2 and not sight.is_high(cards[0]):
            value -= 1.5
        strength = sum(max(0, card.rank - 10) for card in theirs)
        if dummy_follows:
            value += 0.6 * strength if strength <= 5 and (not theirs or theirs[0].rank < 14) else -0.3
        else:
            value += 1.0 if strength == 0 else -0.5 * strength
        return value

    best = max((suit for suit in Suit if sight.mine[suit]), key=lambda suit: (worth(suit), suit))
    cards = sight.mine[best]
    if sight.is_high(cards[0]) and (sight.trump is not None or len(cards) <= 4 or _run(cards) >= 2):
        return cards[0]
    if best is returned:
        return cards[0] if len(cards) == 2 or _run(cards) >= 2 else cards[-1]
    return _lead_from(sight, best)


def _partners_suit(sight: Sight) -> Suit | None:
    """What partner led first."""
    led = [cards[0].suit for leader, cards in sight.tricks if leader is sight.me.partner]
    return next((suit for suit in led if suit != sight.trump), None)
