"""The system that the robots play: five-card majors, a notrump of 15 to 17, weak twos, simple and natural.

`meanings` says what each call means next. From an opening on the bidders know a range of points and lengths of one
another; as soon as one of them can add up, `_judge` says how high and in what the partnership plays.
"""

from collections.abc import Callable, Iterable, Iterator, Sequence
from functools import lru_cache

from bridge.auction import DOUBLE, PASS, REDOUBLE, Auction, Call
from bridge.auction import bid as bid_of
from bridge.cards import Card, Suit
from bridge.contracts import Strain
from bridge.robot.holding import Holding
from bridge.robot.meanings import MOST_POINTS, Meaning, Picture, Range, Shown, hull_of, suit_of, suits
from bridge.seats import Vulnerability

MAJORS = (Suit.SPADES, Suit.HEARTS)
MINORS = (Suit.DIAMONDS, Suit.CLUBS)
GAME, MINOR_GAME, SLAM, GRAND_SLAM = 25, 28, 33, 37
_ACES = ("no ace or all four", "one ace", "two aces", "three aces")
_NOTRUMP = Strain.NOTRUMP
Test = Callable[[Holding], bool]


def choose_call(
    auction: Auction,
    hand: Iterable[Card],
    vulnerability: Vulnerability = Vulnerability.NONE,
    *,
    temper: int = 0,
) -> Meaning:
    """The call that this hand makes next, with what it means to everybody else.

    Args:
        auction: The calls so far.
        hand: All thirteen cards.
        vulnerability: Of the board.
        temper: By how many points the bidder likes the hand better than it is, or worse.
    """
    seen = picture(auction, vulnerability)
    holding = Holding.of(hand, temper)
    chosen = next((meaning for meaning in options(seen) if meaning.fits(holding)), options(seen)[-1])
    return _told(seen, chosen.call)


def meanings(auction: Auction, vulnerability: Vulnerability = Vulnerability.NONE) -> tuple[Meaning, ...]:
    """What each call of an auction means, whoever made it; what the system does not have is read as it looks."""
    befores = [
        picture(Auction(auction.dealer, auction.calls[:place]), vulnerability)
        for place in range(len(auction.calls))
    ]
    return tuple(_told(before, call) for before, call in zip(befores, auction.calls, strict=True))


def _told(seen: Picture, call: Call) -> Meaning:
    """What a call means to those who hear it, who do not know for which of its reasons it was made."""
    return hull_of(meanings_of(seen, call) or [_as_it_looks(call)])


def meanings_of(seen: Picture, call: Call) -> list[Meaning]:
    """What a call may mean now; nothing when the system does not have it."""
    return [meaning for meaning in options(seen) if meaning.call == call]


@lru_cache(maxsize=4096)
def picture(auction: Auction, vulnerability: Vulnerability = Vulnerability.NONE) -> Picture:
    """What the calls so far have shown."""
    if not auction.calls:
        return Picture(auction, vulnerability)
    before = picture(Auction(auction.dealer, auction.calls[:-1]), vulnerability)
    shown = list(before.shown)
    shown[before.me] = shown[before.me].and_now(_told(before, auction.calls[-1]))
    return Picture(auction, vulnerability, tuple(shown))


def _as_it_looks(call: Call) -> Meaning:
    """A call that the system does not have here, as anybody would take it."""
    if call.strain is None or call.strain is _NOTRUMP:
        return Meaning(call)
    return Meaning(call, (6, MOST_POINTS), suit_of(Suit(call.strain), 4 if call.level == 1 else 5))


@lru_cache(maxsize=4096)
def options(seen: Picture) -> tuple[Meaning, ...]:
    """The calls that mean something now, the preferred one first; the last one is for all other hands."""
    possible = [meaning for meaning in _options(seen) if seen.allows(meaning.call)]
    return tuple(possible) if possible else (Meaning(PASS),)


def _options(seen: Picture) -> Iterator[Meaning]:
    """By what the partnership has done so far."""
    mine, partners = seen.calls_of(seen.me), seen.calls_of(seen.me.partner)
    if not seen.bids:
        return _opening(seen)
    if not mine and not partners:
        return _overcall(seen)
    said = seen.partner.last
    if said and said.is_final:
        return iter((Meaning(PASS),))
    if partners and partners[-1] == bid_of(4, _NOTRUMP) and said and said.is_forcing and seen.is_ours:
        return _aces(seen)
    if (
        mine
        and mine[-1] == bid_of(4, _NOTRUMP)
        and seen.is_ours
        and seen.mine.last
        and seen.mine.last.is_forcing
    ):
        return _after_aces(seen)
    if not mine and len(partners) == 1 and not _has_passed_it(seen):
        return _answer(seen, partners[0])
    if len(mine) == 1 and len(partners) == 1:
        return _second(seen, mine[0], partners[0])
    if len(mine) == 1 and len(partners) == 2 and partners[0].strain is _NOTRUMP and partners[0].level <= 2:
        return _after_convention(seen, partners[0], mine[0], partners[1])
    return _judge(seen)


def _has_passed_it(seen: Picture) -> bool:
    """Whether I have had my chance to answer what partner called."""
    calls = seen.auction.calls
    partners = max(place for place in range(len(calls) - 2, -1, -4) if calls[place] != PASS)
    return partners + 2 < len(calls)


def _answer(seen: Picture, partners: Call) -> Iterator[Meaning]:
    """My first call after partner's first."""
    if partners == DOUBLE:
        return _answer_double(seen)
    if partners.strain is _NOTRUMP and partners.level <= 2 and seen.is_ours:
        return _answer_notrump(seen, partners.level)
    if seen.bids[0][0] is seen.me.partner and partners.level == 1 and partners.strain is not _NOTRUMP:
        return _response(seen, _suit(partners))
    if partners == bid_of(2, Strain.CLUBS) and seen.bids[0][0] is seen.me.partner and seen.is_ours:
        return iter((Meaning(bid_of(2, Strain.DIAMONDS), name="waiting", is_alerted=True, is_forcing=True),))
    if seen.bids[0][0].side is not seen.me.side and partners.strain not in (None, _NOTRUMP):
        return _advance(seen, _suit(partners))
    return _judge(seen)


def _second(seen: Picture, mine: Call, partners: Call) -> Iterator[Meaning]:
    """My second call after partner's first."""
    if not seen.is_ours:
        return _judge(seen)
    if mine == bid_of(2, Strain.CLUBS) and seen.bids[0][0] is seen.me:
        return _strong(seen)
    if mine.strain is _NOTRUMP and mine.level <= 2 and partners.level == mine.level + 1:
        return _complete(seen, mine.level, partners)
    forcing = seen.partner.last is not None and seen.partner.last.is_forcing
    natural = mine.level == 1 and mine.strain is not _NOTRUMP and partners.strain not in (None, _NOTRUMP)
    if forcing and natural and seen.bids[0][0] is seen.me and mine.strain != partners.strain:
        return _rebid(seen, _suit(mine), _suit(partners))
    return _judge(seen)


def _suit(call: Call) -> Suit:
    """In which suit a bid is that is not in notrump."""
    assert call.strain is not None  # noqa: S101 - it is a bid
    return Suit(call.strain)


# Openings


def _opening(seen: Picture) -> Iterator[Meaning]:
    passes = len(seen.auction.calls)
    yield Meaning(
        bid_of(2, Strain.CLUBS),
        (22, 40),
        name="strong",
        is_alerted=True,
        is_forcing=True,
        also=_is_strong,
    )
    yield Meaning(bid_of(2, _NOTRUMP), (20, 21), is_balanced=True)
    yield Meaning(bid_of(1, _NOTRUMP), (15, 17), is_balanced=True)
    for suit in (*MAJORS, *MINORS):
        yield Meaning(
            bid_of(1, Strain(suit)),
            (11 if passes == 2 else 12, 21),
            suit_of(suit, 5 if suit in MAJORS else 3),
            also=_opens(suit, fourth=passes == 3),
        )
    for suit in (*MAJORS, *MINORS):
        if suit in MAJORS:
            yield Meaning(
                bid_of(4, Strain(suit)),
                (9, 15),
                suit_of(suit, 8),
                name="weak",
                also=_is_weak(suit),
            )
        yield Meaning(bid_of(3, Strain(suit)), (8, 14), suit_of(suit, 7), name="weak", also=_is_weak(suit))
    if passes < 3:
        for suit in (*MAJORS, Suit.DIAMONDS):
            yield Meaning(
                bid_of(2, Strain(suit)),
                (8, 12),
                suit_of(suit, 6, 6),
                name="weak",
                is_alerted=True,
                also=_is_weak(suit),
            )
    yield Meaning(PASS, (0, 12))


def _is_strong(hand: Holding) -> bool:
    return hand.high_cards >= 18


def _opens(suit: Suit, *, fourth: bool) -> Test:
    def opens(hand: Holding) -> bool:
        if hand.high_cards < 10 or hand.opening_suit is not suit:
            return False
        return not fourth or hand.high_cards >= 12 or hand.high_cards + hand.lengths[Suit.SPADES] >= 14

    return opens


def _is_weak(suit: Suit) -> Test:
    return lambda hand: hand.high_cards <= 10 and hand.suit_points(suit) >= 2


# Answers to an opening


def _response(seen: Picture, opened: Suit) -> Iterator[Meaning]:
    contested = seen.before_me.is_bid
    theirs = seen.suits_of(seen.me.left.side)
    if opened in MAJORS:
        yield from _raises(seen, opened, ((6, 9), (10, 12), (13, 15)), least=3)
        yield Meaning(bid_of(4, Strain(opened)), (3, 12), suit_of(opened, 5), trumps=opened)
    yield from _new_suits(seen, [suit for suit in Suit if suit is not opened and suit not in theirs])
    if contested and (double := _negative_double(seen, opened, theirs)):
        yield double
    stops = _stops(theirs)
    for call, points in ((3, (13, 16)), (2, (11, 12)), (1, (6, 10))):
        balanced = call > 1 and not contested
        yield Meaning(bid_of(call, _NOTRUMP), points, is_balanced=balanced, also=stops)
    if opened in MINORS:
        yield Meaning(bid_of(3, _NOTRUMP), (13, 40), also=stops)
        least = 5 if opened is Suit.CLUBS else 4
        yield from _raises(seen, opened, ((6, 9), (10, 15)), least)
        yield Meaning(bid_of(5, Strain(opened)), (16, 40), suit_of(opened, 5), trumps=opened)
    else:
        yield Meaning(bid_of(4, Strain(opened)), (13, 40), suit_of(opened, 3), trumps=opened)
    if seen.before_me == DOUBLE:
        yield Meaning(REDOUBLE, (10, 40), is_alerted=True)
    if contested and len(theirs) == 1 and (cue := seen.cheapest(theirs[0])) and cue.level <= 4:
        yield Meaning(cue, (12, 40), is_forcing=True, name="strong", is_alerted=True)
    yield Meaning(PASS, (0, 12 if contested else 5))


def _raises(seen: Picture, suit: Suit, steps: Iterable[Range], least: int) -> Iterator[Meaning]:
    """From the cheapest raise on, a level for each step."""
    for jump, points in enumerate(steps):
        call = seen.cheapest(suit, jump)
        if call and call.level <= (4 if suit in MAJORS else 3):
            yield Meaning(call, points, suit_of(suit, least), trumps=suit)


def _new_suits(seen: Picture, among: list[Suit]) -> Iterator[Meaning]:
    """A suit of my own, at the cheapest level that the points allow."""
    needed = {}
    for suit in among:
        call = seen.cheapest(suit)
        if call and call.level <= 3:
            needed[suit] = (call, (6, 11, 13)[call.level - 1], 4 if call.level == 1 or suit in MINORS else 5)

    def picks(suit: Suit) -> Test:
        def test(hand: Holding) -> bool:
            able = [
                each
                for each, (_, points, least) in needed.items()
                if hand.total >= points and hand.lengths[each] >= least
            ]
            return hand.best(able, 4) is suit

        return test

    for suit, (call, points, least) in needed.items():
        yield Meaning(call, (points, 40), suit_of(suit, least), also=picks(suit), is_forcing=True)


def _negative_double(seen: Picture, opened: Suit, theirs: list[Suit]) -> Meaning | None:
    unbid = [suit for suit in MAJORS if suit is not opened and suit not in theirs]
    if not unbid or (seen.last_bid or PASS).level > 2 or seen.is_ours:
        return None
    lengths = suit_of(unbid[0], 4) if len(unbid) == 1 else suits()
    return Meaning(
        DOUBLE,
        (7 if (seen.last_bid or PASS).level == 1 else 9, 40),
        lengths,
        also=lambda hand: any(hand.lengths[suit] >= 4 for suit in unbid),
        is_forcing=True,
        name="for takeout",
        is_alerted=True,
    )


def _stops(theirs: list[Suit]) -> Test:
    return lambda hand: all(hand.stops(suit) for suit in theirs)


# The opener's second call


def _rebid(seen: Picture, opened: Suit, shown: Suit) -> Iterator[Meaning]:
    """After a new suit, which is forcing."""
    low, high = seen.cheapest(shown), seen.cheapest(shown, 1)
    two_over_one = seen.partner.points[0] >= 10
    if low and high:
        yield Meaning(low, (12, 15), suit_of(shown, 4), trumps=shown)
        yield Meaning(high, (16, 18), suit_of(shown, 4), trumps=shown)
        if shown in MAJORS:
            yield Meaning(bid_of(4, Strain(shown)), (19, 24), suit_of(shown, 4), trumps=shown)
    for suit in (Suit.HEARTS, Suit.SPADES):
        if suit not in (opened, shown) and (call := seen.cheapest(suit)) and call.level == 1:
            yield Meaning(call, (12, 18), suit_of(suit, 4))
    if two_over_one:
        yield Meaning(bid_of(2, _NOTRUMP), (12, 14), is_balanced=True)
        yield Meaning(bid_of(3, _NOTRUMP), (15, 19), is_balanced=True)
    else:
        yield Meaning(bid_of(1, _NOTRUMP), (12, 14), is_balanced=True)
        yield Meaning(bid_of(2, _NOTRUMP), (18, 19), is_balanced=True)
    for call, points in ((seen.cheapest(opened), (12, 15)), (seen.cheapest(opened, 1), (16, 18))):
        if call and call.level <= 3:
            yield Meaning(call, points, suit_of(opened, 6))
    if opened in MAJORS:
        yield Meaning(bid_of(4, Strain(opened)), (19, 24), suit_of(opened, 6))
    for suit in (*MAJORS, *MINORS):
        if suit in (opened, shown):
            continue
        call, jump = seen.cheapest(suit), seen.cheapest(suit, 1)
        reverse = call is not None and call.rank > bid_of(2, Strain(opened)).rank
        if call and call.level <= 3:
            yield Meaning(
                call, (16 if reverse else 12, 21 if reverse else 18), suit_of(suit, 4), is_forcing=reverse
            )
        if jump and not reverse and jump.level <= 3:
            yield Meaning(jump, (19, 24), suit_of(suit, 4), is_forcing=True)
    if low:
        yield Meaning(low, (12, 15), suit_of(shown, 3), trumps=shown)
    if call := seen.cheapest(opened):
        yield Meaning(call, (12, 17), suit_of(opened, 5))
    yield Meaning(bid_of(3, _NOTRUMP), (17, 24))
    if call := seen.cheapest(_NOTRUMP):
        yield Meaning(call, (12, 24))
    if call := seen.cheapest(opened):
        yield Meaning(call, (12, 24))
    yield Meaning(PASS)


def _strong(seen: Picture) -> Iterator[Meaning]:
    """After 2♣ and the waiting 2♦."""
    yield Meaning(bid_of(2, _NOTRUMP), (22, 24), is_balanced=True)
    yield Meaning(bid_of(3, _NOTRUMP), (25, 40), is_balanced=True)
    for suit in (*MAJORS, *MINORS):
        if call := seen.cheapest(suit):
            yield Meaning(call, (22, 40), suit_of(suit, 5), is_forcing=True)
    yield Meaning(bid_of(2, _NOTRUMP), (20, 40))


# After 1NT and 2NT


def _answer_notrump(seen: Picture, level: int) -> Iterator[Meaning]:
    """Stayman and transfers; `level` is the notrump's."""
    base = seen.partner.points[0]
    invite, game = max(0, GAME - 2 - base), GAME - base
    asks = invite if level == 1 else game
    if seen.before_me != PASS:
        yield from _judge(seen)
        return
    up = level + 1
    for call, suit in ((Strain.HEARTS, Suit.SPADES), (Strain.DIAMONDS, Suit.HEARTS)):
        yield Meaning(
            bid_of(up, call),
            (0, 40),
            suit_of(suit, 5),
            also=_is_best(suit, MAJORS),
            name="transfer",
            is_alerted=True,
            is_forcing=True,
        )
    yield Meaning(
        bid_of(up, Strain.CLUBS),
        (asks, 40),
        also=lambda hand: max(hand.lengths[suit] for suit in MAJORS) == 4,
        name="asks for a major of four",
        is_alerted=True,
        is_forcing=True,
    )
    yield Meaning(bid_of(7, _NOTRUMP), (GRAND_SLAM - base, 40))
    yield Meaning(bid_of(6, _NOTRUMP), (SLAM - base, 40))
    yield Meaning(bid_of(3, _NOTRUMP), (game, SLAM - base - 1))
    if level == 1:
        yield Meaning(bid_of(2, _NOTRUMP), (invite, game - 1))
    yield Meaning(PASS, (0, max(0, asks - 1)))


def _is_best(suit: Suit, among: Sequence[Suit]) -> Test:
    return lambda hand: hand.best(among, 5) is suit


def _complete(seen: Picture, level: int, asked: Call) -> Iterator[Meaning]:
    """The notrump bidder does what was asked for."""
    up = level + 1
    if asked.strain is Strain.CLUBS:
        yield Meaning(bid_of(up, Strain.HEARTS), lengths=suits(hearts=4))
        yield Meaning(
            bid_of(up, Strain.SPADES),
            lengths=suits(spades=4, hearts=(0, 3)),
            name="no four hearts",
        )
        yield Meaning(
            bid_of(up, Strain.DIAMONDS),
            lengths=suits(spades=(0, 3), hearts=(0, 3)),
            name="no major of four",
            is_alerted=True,
        )
    elif asked.strain in (Strain.DIAMONDS, Strain.HEARTS):
        yield Meaning(bid_of(up, Strain(asked.strain + 1)), name="as asked", is_alerted=True)
    yield from _judge(seen)


def _after_convention(seen: Picture, opened: Call, asked: Call, answer: Call) -> Iterator[Meaning]:
    """Who asked knows the answer: place the contract, or invite."""
    base, up = seen.partner.points[0], opened.level + 1
    transfer = asked.level == up and asked.strain in (Strain.DIAMONDS, Strain.HEARTS)
    if not seen.is_ours or not transfer or answer.strain is None:
        yield from _judge(seen)
        return
    major = Suit(answer.strain)
    yield Meaning(
        bid_of(4, _NOTRUMP),
        (SLAM - base, 40),
        suit_of(major, 6),
        name="asks for aces",
        is_alerted=True,
        is_forcing=True,
    )
    yield Meaning(bid_of(6, _NOTRUMP), (SLAM - base, 40))
    yield Meaning(bid_of(4, Strain(major)), (max(0, GAME - 1 - base), SLAM - base), suit_of(major, 6))
    yield Meaning(bid_of(3, _NOTRUMP), (GAME - base, SLAM - base), name="pass or correct")
    if opened.level == 1:
        yield Meaning(bid_of(3, Strain(major)), (GAME - 2 - base, GAME - 1 - base), suit_of(major, 6))
        yield Meaning(bid_of(2, _NOTRUMP), (GAME - 2 - base, GAME - 1 - base))
    yield Meaning(PASS, (0, max(0, GAME - 1 - base)))


# Over their opening


def _overcall(seen: Picture) -> Iterator[Meaning]:
    last = seen.last_bid or PASS
    theirs = seen.suits_of(seen.me.left.side)
    less = 3 if seen.is_last_chance and last.level == 1 else 0
    stops = _stops(theirs)
    if last.strain is _NOTRUMP:
        yield Meaning(DOUBLE, (16 if last.level == 1 else 18, 40), name="strong", is_final=True)
    if last.level == 1 and last.strain is not _NOTRUMP:
        yield Meaning(bid_of(1, _NOTRUMP), (15 - less, 18 - less), is_balanced=True, also=stops)
    if last.level == 2 and last.strain is not _NOTRUMP:
        yield Meaning(bid_of(2, _NOTRUMP), (16, 18), is_balanced=True, also=stops)
    strong = (9, 11, 13, 15, 18, 40, 40)
    free = [suit for suit in Suit if suit not in theirs]
    for suit in reversed(free):
        call = seen.cheapest(suit)
        if call and call.level <= 4:
            least = 5 if call.level < 3 else 6
            needed = strong[call.level - 1] - less // 2
            longest = _longest(suit, free, good=3 if call.level == 1 else 4)
            yield Meaning(call, (needed, 17), suit_of(suit, least), also=longest)
        jump = seen.cheapest(suit, 1)
        if jump and jump.level <= 3 and not seen.is_last_chance:
            yield Meaning(
                jump,
                (7, 12),
                suit_of(suit, 6 if jump.level == 2 else 7),
                also=_is_weak(suit),
                name="weak",
            )
    if last.strain is not _NOTRUMP and last.level <= 4:
        yield Meaning(
            DOUBLE,
            (12 + last.level // 2 - less, 40),
            also=_for_takeout(free, theirs),
            is_forcing=True,
            name="for takeout",
        )
        yield Meaning(DOUBLE, (16 if less else 18, 40), is_forcing=True, name="for takeout")
    yield Meaning(PASS, (0, 17))


def _advance(seen: Picture, partners: Suit) -> Iterator[Meaning]:
    """Partner has overcalled: a suit of my own, where there is no support for partner's."""
    theirs = seen.suits_of(seen.me.left.side)
    free = [suit for suit in (*MAJORS, *MINORS) if suit not in theirs and suit is not partners]
    for suit in free:
        if suit in MAJORS and (seen.last_bid or PASS).rank < bid_of(4, Strain(suit)).rank:
            yield Meaning(bid_of(4, Strain(suit)), (13, 40), suit_of(suit, 7))
    for suit in free:
        call = seen.cheapest(suit)
        if call and call.level <= 3:
            least, points = (5, 8) if call.level == 1 else (5, 10) if call.level == 2 else (6, 12)
            yield Meaning(
                call, (points, 40), suit_of(suit, least), also=_own_suit(suit, free, partners, least)
            )
    yield from _judge(seen)


def _own_suit(suit: Suit, among: list[Suit], partners: Suit, least: int) -> Test:
    def test(hand: Holding) -> bool:
        supports = hand.lengths[partners] >= 3 and hand.lengths[suit] < 7
        return not supports and hand.best(among, least) is suit

    return test


def _longest(suit: Suit, among: list[Suit], good: int) -> Test:
    """The suit to overcall in: the longest, with so many points in it, or a long one."""
    return lambda hand: (hand.suit_points(suit) >= good or hand.is_good(suit)) and hand.best(among, 5) is suit


def _for_takeout(free: list[Suit], theirs: list[Suit]) -> Test:
    def test(hand: Holding) -> bool:
        return all(hand.lengths[suit] >= 3 for suit in free) and all(
            hand.lengths[suit] <= 2 for suit in theirs
        )

    return test


def _answer_double(seen: Picture) -> Iterator[Meaning]:
    """Partner doubled for takeout, or their notrump for penalties."""
    theirs = seen.suits_of(seen.me.left.side)
    free = [suit for suit in (*MAJORS, *MINORS) if suit not in theirs]
    doubled = next(call for _, call in reversed(seen.bids))
    must = seen.before_me in (PASS, REDOUBLE) and doubled.level < 4
    if not must and not seen.before_me.is_bid:
        yield Meaning(PASS)
        return
    if len(theirs) == 1 and must:
        yield Meaning(
            PASS, (7, 40), suit_of(theirs[0], 5), also=lambda hand: hand.suit_points(theirs[0]) >= 5
        )
    stops = _stops(theirs)

    def picks(suit: Suit) -> Test:
        def test(hand: Holding) -> bool:
            major = hand.best([each for each in free if each in MAJORS], 4)
            return (major or hand.best(free, 3)) is suit

        return test

    for suit in free:
        if suit in MAJORS:
            yield Meaning(bid_of(4, Strain(suit)), (12, 40), suit_of(suit, 4), also=picks(suit))
    for level, points in ((3, (13, 40)), (2, (11, 12)), (1, (7, 10))):
        yield Meaning(
            bid_of(level, _NOTRUMP),
            points,
            also=lambda hand: stops(hand) and all(hand.lengths[suit] < 4 for suit in MAJORS if suit in free),
        )
    for suit in free:
        low, jump = seen.cheapest(suit), seen.cheapest(suit, 1)
        if jump and jump.level <= 3:
            yield Meaning(jump, (9, 11), suit_of(suit, 4), also=picks(suit))
        if low:
            yield Meaning(low, (0 if must else 7, 40), suit_of(suit, 3), also=picks(suit))
    if not must:
        yield Meaning(PASS, (0, 8))
    elif call := seen.cheapest(_NOTRUMP):
        yield Meaning(call, (0, 40))


# Aces


def _aces(seen: Picture) -> Iterator[Meaning]:
    for aces, strain in enumerate((Strain.CLUBS, Strain.DIAMONDS, Strain.HEARTS, Strain.SPADES)):
        yield Meaning(
            bid_of(5, strain),
            also=_has_aces(aces),
            name=_ACES[aces],
            is_alerted=True,
        )


def _has_aces(aces: int) -> Test:
    return lambda hand: hand.aces % 4 == aces


def _after_aces(seen: Picture) -> Iterator[Meaning]:
    """Who asked places the contract."""
    answer = seen.calls_of(seen.me.partner)[-1]
    partners = int(answer.strain or 0) if answer.level == 5 else 0

    def with_aces(least: int) -> Test:
        def test(hand: Holding) -> bool:
            both = hand.aces + (4 if partners == hand.aces == 0 else partners)
            return both >= least

        return test

    for suit in (*MAJORS, *MINORS):
        if seen.partner.least(suit) < 2:
            continue
        fit = suit_of(suit, 8 - seen.partner.least(suit))
        if answer == bid_of(5, Strain(suit)):
            yield Meaning(PASS, lengths=fit, also=lambda hand: not with_aces(3)(hand))
        enough = (GRAND_SLAM - seen.partner.points[0], 50)
        yield Meaning(bid_of(7, Strain(suit)), enough, fit, trumps=suit, also=with_aces(4), is_final=True)
        yield Meaning(bid_of(6, Strain(suit)), lengths=fit, also=with_aces(3), is_final=True)
        yield Meaning(bid_of(5, Strain(suit)), lengths=fit, is_final=True)
        yield Meaning(bid_of(6, Strain(suit)), lengths=fit, is_final=True)
    yield Meaning(bid_of(6, _NOTRUMP), is_final=True)
    yield Meaning(PASS)


# When both know enough to add up


def _judge(seen: Picture) -> Iterator[Meaning]:
    """How high and in what: from the points and lengths that partner has shown."""
    partner, last = seen.partner, seen.last_bid or PASS
    low, high = partner.points
    if seen.calls_of(seen.me)[:1] == [bid_of(2, Strain.CLUBS)] and seen.is_ours:
        low = max(low, 6)  # with nothing at all the answer to a strong opening would have been a pass
    high = min(high, low + 12)
    theirs = seen.suits_of(seen.me.left.side)
    forced = bool(partner.last and partner.last.is_forcing) and seen.before_me == PASS and not _is_game(seen)
    stops = _stops([suit for suit in theirs if not _shows_balanced(partner)])
    fits = [suit for suit in (*MAJORS, *MINORS) if partner.least(suit) >= 2]
    settled = seen.is_ours and _is_game(seen)
    invited = seen.is_ours and 6 <= low < GAME and last.level < 4 and not forced
    if settled and last.strain is not _NOTRUMP and partner.least(_suit(last)) >= 3:
        fits = [_suit(last)]
    needs = {suit: max(0, 8 - partner.least(suit)) for suit in fits}

    if low >= 6 and last.level < 5:
        yield from _slams(seen, fits, needs)
    if not settled:
        for suit in fits:
            if suit in MAJORS:
                enough = (GAME - low, SLAM - 1)
                yield Meaning(bid_of(4, Strain(suit)), enough, suit_of(suit, needs[suit]), trumps=suit)
        for suit in MAJORS:
            if partner.least(suit) < 2 and low >= 6:
                yield Meaning(bid_of(4, Strain(suit)), (GAME + 1 - low, SLAM - 1), suit_of(suit, 7))
        if low >= 6:
            yield Meaning(bid_of(3, _NOTRUMP), (GAME - low, SLAM - 1), also=stops)
        for suit in fits:
            if suit in MINORS:
                enough = (MINOR_GAME - low, SLAM - 1)
                yield Meaning(
                    bid_of(5, Strain(suit)), enough, suit_of(suit, needs[suit]), trumps=suit, also=_is_shapely
                )
    elif last == bid_of(3, _NOTRUMP):
        for suit in fits:
            if suit in MAJORS and seen.calls_of(seen.me.partner)[-1] == last:
                yield Meaning(bid_of(4, Strain(suit)), lengths=suit_of(suit, max(6, needs[suit])))
    if low >= 6 and high - low >= 2 and not settled:
        yield from _invitations(seen, fits, needs, (max(GAME - high, GAME - 2 - low), GAME - 1 - low), stops)
    if seen.is_ours and not settled:
        yield from _improvements(seen, forced=forced)
    if not seen.is_ours:
        yield from _competition(seen, fits, low, theirs)
    if forced:
        yield from _something(seen, stops)
    if invited and not settled:  # enough for a game, and nothing fits
        for suit in MAJORS:
            yield Meaning(bid_of(4, Strain(suit)), (GAME - low, SLAM), suit_of(suit, 6))
        yield Meaning(bid_of(3, _NOTRUMP), (GAME + 1 - low, MOST_POINTS))
    yield Meaning(PASS, (0, GAME + 4 - low) if invited and not settled else (0, MOST_POINTS))


def _is_game(seen: Picture) -> bool:
    last = seen.last_bid or PASS
    if last.strain is None:
        return False
    return last.level >= (3 if last.strain is _NOTRUMP else 4 if last.strain >= Strain.HEARTS else 5)


def _shows_balanced(shown: Shown) -> bool:
    return min(least for least, _ in shown.lengths) >= 2


def _is_shapely(hand: Holding) -> bool:
    return min(hand.lengths) <= 1


def _slams(seen: Picture, fits: list[Suit], needs: dict[Suit, int]) -> Iterator[Meaning]:
    low = seen.partner.points[0]
    for suit in fits:
        yield Meaning(
            bid_of(4, _NOTRUMP),
            (SLAM - low, 50),
            suit_of(suit, needs[suit]),
            trumps=suit,
            name="asks for aces",
            is_alerted=True,
            is_forcing=True,
        )
    yield Meaning(bid_of(7, _NOTRUMP), (GRAND_SLAM + 1 - low, 50), is_final=True)
    yield Meaning(bid_of(6, _NOTRUMP), (SLAM - low, 50), is_final=True)


def _invitations(
    seen: Picture, fits: list[Suit], needs: dict[Suit, int], points: Range, stops: Test
) -> Iterator[Meaning]:
    """One step below game; partner goes on with more than was shown."""
    if points[0] > points[1] or not seen.is_ours:
        return
    for suit in fits:
        if suit in MAJORS:
            yield Meaning(bid_of(3, Strain(suit)), points, suit_of(suit, needs[suit]), trumps=suit)
    for suit in MAJORS:
        if seen.mine.least(suit) >= 4:
            yield Meaning(bid_of(3, Strain(suit)), points, suit_of(suit, 6), trumps=suit)
    yield Meaning(bid_of(2, _NOTRUMP), points, also=stops)
    for suit in fits:
        if suit in MINORS:
            yield Meaning(bid_of(3, Strain(suit)), points, suit_of(suit, needs[suit]), trumps=suit)


def _improvements(seen: Picture, *, forced: bool) -> Iterator[Meaning]:
    """A better part-score: partner's first suit, my own long one, or notrump."""
    last = seen.last_bid or PASS
    if last.level > 3:
        return
    partners = [_suit(call) for call in seen.calls_of(seen.me.partner) if call.strain not in (None, _NOTRUMP)]
    now = None if last.strain in (None, _NOTRUMP) else _suit(last)
    if now is not None and seen.partner.least(now) + seen.mine.least(now) >= 8 and not forced:
        return
    for suit in dict.fromkeys(partners):
        call = seen.cheapest(suit)
        if suit is now or call is None or call.level > 3 or seen.partner.least(suit) < 3:
            continue
        prefers = _prefers(suit, now, seen.partner)
        yield Meaning(call, (0, 15), suit_of(suit, 2), also=prefers)
    for suit in (*MAJORS, *MINORS):
        call = seen.cheapest(suit)
        if (
            suit is not now
            and call
            and call.level <= 3
            and suit not in partners
            and seen.mine.least(suit) >= 4
        ):
            short = _is_short_of(now, seen.partner)
            yield Meaning(call, (0, 15), suit_of(suit, 6), also=short)
    if last.level == 1 and now is not None:
        yield Meaning(bid_of(1, _NOTRUMP), (6, 11), also=_is_short_of(now, seen.partner))


def _prefers(suit: Suit, now: Suit | None, partner: Shown) -> Test:
    def test(hand: Holding) -> bool:
        if now is None:
            return hand.lengths[suit] + partner.least(suit) >= 8 and not hand.is_balanced
        return hand.lengths[suit] + partner.least(suit) > hand.lengths[now] + partner.least(now)

    return test


def _is_short_of(now: Suit | None, partner: Shown) -> Test:
    return lambda hand: now is None or hand.lengths[now] + partner.least(now) < 8


def _competition(seen: Picture, fits: list[Suit], low: int, theirs: list[Suit]) -> Iterator[Meaning]:
    """With as many trumps as tricks we bid on; with most of the points, or their trumps, we double."""
    last = seen.last_bid or PASS
    for suit in fits:
        call = seen.cheapest(suit)
        if call is None or not 2 <= call.level <= 4 or seen.partner.least(suit) < 3:
            continue
        if not any(bid.strain is Strain(suit) for seat, bid in seen.bids if seat.side is seen.me.side):
            continue
        trumps = max(0, call.level + 6 - seen.partner.least(suit))
        points = (0, 0, 17, 20, 23)[call.level] - low
        if seen.mine.least(suit) + seen.partner.least(suit) < call.level + 6:
            yield Meaning(call, (max(0, points), GAME - 1 - low), suit_of(suit, trumps), trumps=suit)
    if last.level >= 3 and last.strain is not None and low >= 5:
        tops = (0, 0, 0, 25, 23, 21, 19, 17)[last.level] - low
        if last.strain is not _NOTRUMP:
            their = Suit(last.strain)
            yield Meaning(
                DOUBLE, (max(8, tops - 4), 40), suit_of(their, 4), is_final=True, name="for penalties"
            )
        yield Meaning(DOUBLE, (max(8, tops), 40), is_final=True, name="for penalties")


def _something(seen: Picture, stops: Test) -> Iterator[Meaning]:
    """Partner's call is forcing, and nothing fits: the least lie."""
    partners = seen.suits_of(seen.me.side)
    for suit in Suit:
        if seen.partner.least(suit) >= 4 and (call := seen.cheapest(suit)) and call.level <= 4:
            yield Meaning(call, (0, 40), suit_of(suit, 3))
    for suit in (*MAJORS, *MINORS):
        if suit not in partners and (call := seen.cheapest(suit)) and call.level <= 3:
            yield Meaning(call, (0, 40), suit_of(suit, 5))
    if (call := seen.cheapest(_NOTRUMP)) and call.level <= 3:
        yield Meaning(call, (0, 40), also=stops)
        yield Meaning(call, (0, 40))
    for suit in Suit:
        if seen.partner.least(suit) >= 3 and (call := seen.cheapest(suit)) and call.level <= 5:
            yield Meaning(call, (0, 40), suit_of(suit, 2))
            yield Meaning(call, (0, 40))
