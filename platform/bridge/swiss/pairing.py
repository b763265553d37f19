"""Draws a Swiss round: who sits out, who meets whom, in which direction, at which table.

Pairs close in the standings meet, and nobody meets an opponent twice while that can be avoided. What "close" means
exactly, and what gives way when everybody has met, stands at the top of `matching`. Nothing here is left to chance:
the same standings and history give the same round.
"""

from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Sequence
from itertools import islice

from bridge.swiss.field import Entrant, PairingError, PlayedRound, Round, Table, standings_order
from bridge.swiss.matching import Edge, Pairing, TooMany, best, cheapest, closest

OPTIMUM_UP_TO = 400
"""The largest field in which the best pairing is found whatever has been played."""

NEAREST = 20
"""How many of the next pairs each may meet in a larger field, when the quick search gives up."""

MOST_EDGES = 2_000_000
"""Meetings that are weighed at once in such a field."""


def pair_round(
    entrants: Sequence[Entrant],
    history: Sequence[PlayedRound] = (),
    *,
    barred: Collection[tuple[int, int]] = (),
) -> Round:
    """The next round.

    Args:
        entrants: All pairs, in any order.
        history: The rounds so far, in order. Pairs that are no longer among the entrants may occur.
        barred: Pairs that may not meet. They meet only when no pairing keeps all of them apart.

    Returns:
        Tables in order of their better-ranked pairs, and the bye of an odd field. With fewer than two pairs
        playing there are no tables.

    Raises:
        PairingError: Two entrants have the same number or place of registration.
    """
    order = drawn_order(entrants)
    if len(order) < 2:
        return Round(())
    past = Past(history, barred)
    bye = past.bye_of(order) if len(order) % 2 else None
    seated = [pair for pair in order if pair != bye]
    pairing, optimal = past.pairing(seated)
    tables = []
    for number, (upper, lower) in enumerate(pairing, 1):
        ns, ew = past.directions(seated[upper], seated[lower])
        tables.append(Table(number, ns, ew, past.met[ns][ew]))
    return Round(tuple(tables), bye, optimal)


def drawn_order(entrants: Sequence[Entrant]) -> list[int]:
    """The pairs that play, in standings order.

    Raises:
        PairingError: Two entrants have the same number or place of registration.
    """
    for pair, times in Counter(each.pair for each in entrants).items():
        if times > 1:
            raise PairingError("Pair %(pair)s is entered twice.", pair=pair)
    for number, times in Counter(each.registration for each in entrants).items():
        if times > 1:
            raise PairingError("Two pairs registered as number %(number)s.", number=number)
    return [each.pair for each in standings_order(entrants) if each.playing]


class Past:
    """What the rounds so far say about whom to draw where."""

    def __init__(self, history: Sequence[PlayedRound], barred: Collection[tuple[int, int]]) -> None:
        self.met: defaultdict[int, Counter[int]] = defaultdict(Counter)
        self.balance: Counter[int] = Counter()  # rounds as North–South less rounds as East–West
        self.byes: Counter[int] = Counter()
        for played in history:
            for ns, ew in played.tables:
                self.met[ns][ew] += 1
                self.met[ew][ns] += 1
                self.balance[ns] += 1
                self.balance[ew] -= 1
            self.byes.update(played.byes)
        self.last_ew = {ew for _, ew in history[-1].tables} if history else set()
        self.keep_apart: defaultdict[int, set[int]] = defaultdict(set)
        for one, other in barred:
            self.keep_apart[one].add(other)
            self.keep_apart[other].add(one)

    def directions(self, upper: int, lower: int) -> tuple[int, int]:
        """North–South and East–West of two pairs, the better-ranked one given first."""

        def claim(pair: int) -> tuple[int, bool]:
            return self.balance[pair], pair not in self.last_ew

        return (upper, lower) if claim(upper) <= claim(lower) else (lower, upper)

    def closed(self, order: Sequence[int]) -> list[Collection[int]]:
        """Whom each pair may not meet."""
        if not self.keep_apart:
            return [self.met[pair] for pair in order]
        return [self.met[pair].keys() | self.keep_apart[pair] for pair in order]

    def pairing(self, order: Sequence[int]) -> tuple[Pairing, bool]:
        """The best pairing, and whether it surely is the best."""
        try:
            if found := closest(order, self.closed(order)):
                return found, True
        except TooMany:
            pass
        count = len(order)
        meetings = sum(self.met[pair].total() for pair in order) + 1
        distances = count**3

        def cost(upper: int, lower: int) -> int:
            apart, met = self._repeats(order[upper], order[lower], count)
            return (apart * meetings + met) * distances + (lower - upper) ** 2 - 1

        if count <= OPTIMUM_UP_TO:
            return best([(a, b, cost(a, b)) for a in range(count) for b in range(a + 1, count)]), True
        return self._among_nearest(order, cost), False

    def bye_of(self, order: Sequence[int]) -> int:
        """The lowest of the pairs with the fewest byes that leaves the fewest barred meetings, then rematches."""
        fewest = min(self.byes[pair] for pair in order)
        lowest_first = [place for place in reversed(range(len(order))) if self.byes[order[place]] == fewest]
        lowest = order[lowest_first[0]]
        rest = [pair for pair in order if pair != lowest]
        try:
            if closest(rest, self.closed(rest)) is not None:
                return lowest
        except TooMany:
            pass
        count = len(order)

        def cost(upper: int, lower: int) -> int:
            return self._repeats(order[upper], order[lower], count)[0] * count

        byes = [(place, count, number) for number, place in enumerate(lowest_first)]
        if count <= OPTIMUM_UP_TO:
            tables = [(a, b, cost(a, b)) for a in range(count) for b in range(a + 1, count)]
            found = cheapest(tables + byes)
        else:
            found = self._among_nearest(order, cost, byes)
        return next(order[upper] for upper, lower in found if lower == count)

    def _repeats(self, one: int, other: int, count: int) -> tuple[int, int]:
        """One for a rematch, more than all rematches together for barred pairs; and how often they have met."""
        met = self.met[one][other]
        return (other in self.keep_apart[one]) * count + (met > 0), met

    def _among_nearest(
        self, order: Sequence[int], cost: Callable[[int, int], int], byes: Sequence[Edge] = ()
    ) -> Pairing:
        """A cheapest pairing in which each meets a neighbour or one of the nearest pairs that it may meet.

        The next but one counts as a neighbour: so the others pair off whoever sits out. When that leaves repeats,
        more of the nearest are looked at, as far as memory allows.
        """
        closed, count, near = self.closed(order), len(order), NEAREST
        while True:
            edges = list(byes)
            for a in range(count - 1):
                free = (b for b in range(a + 1, count) if order[b] not in closed[a])
                edges += [(a, b, cost(a, b)) for b in {*range(a + 1, min(a + 3, count)), *islice(free, near)}]
            found = cheapest(edges)
            repeats = any(b < count and order[b] in closed[a] for a, b in found)
            if not repeats or near >= count or near * count > MOST_EDGES:
                return found
            near *= 4
