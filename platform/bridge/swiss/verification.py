"""Checks the certificate of a round from the standings and the history alone.

Nothing of the code that drew the round is used, and the rules are put a second time, in other words. Whether another
pairing is better is found out in other ways too: small fields by looking at every pairing; fields of up to 400 pairs
by a general solver, which proves its own optimum; larger ones by the same solver among the nearest opponents. The
drawing asks that solver too, in fields where most have met most, but there it need not prove what it finds.
"""

from collections import Counter
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field

import rustworkx

from bridge.swiss.certificate import EXHAUSTIVE_UP_TO, PAIR_PARAMS, SOLVER_UP_TO, Certificate, Proof
from bridge.swiss.field import Entrant, PlayedRound

NEAREST = 20
TOLERANCE = 5
"""Percent that the cost of a large field's round may lie above the best among the nearest opponents."""

Worth = tuple[int, int, int, int]
"""Barred meetings, rematches, earlier meetings, cost."""


@dataclass(frozen=True, slots=True)
class Fault:
    """What is wrong with a certificate: a sentence in English with named places, and what fills them."""

    message: str
    params: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message % self.params


NOT_BEST = Fault("Another pairing is better by the rules.")


def verify(
    entrants: Sequence[Entrant],
    history: Sequence[PlayedRound],
    certificate: Certificate,
    *,
    barred: Collection[tuple[int, int]] = (),
) -> list[Fault]:
    """What is wrong with a certificate; nothing when the round is what the rules ask for.

    Args:
        entrants: The pairs as they stood when the round was drawn.
        history: The rounds before it, in order.
        certificate: Of the round.
        barred: Pairs that were not to meet.
    """
    check = _Check(entrants, history, certificate, barred)
    faults = list(check.frame())
    if faults or len(check.order) < 2:
        return faults
    return [*check.tables(), *check.bye(), *check.optimum(), *check.reasons()]


class _Check:
    """The rules put to one certificate."""

    def __init__(
        self,
        entrants: Sequence[Entrant],
        history: Sequence[PlayedRound],
        certificate: Certificate,
        barred: Collection[tuple[int, int]],
    ) -> None:
        self.certificate, self.history = certificate, history
        present = [each for each in entrants if each.playing]
        present.sort(key=lambda each: each.registration)
        present.sort(key=lambda each: each.completed, reverse=True)
        present.sort(key=lambda each: each.total, reverse=True)
        self.order = [each.pair for each in present]
        self.seated = [pair for pair in self.order if pair != certificate.bye]
        self.met = Counter(frozenset(table) for played in history for table in played.tables)
        self.barred = {frozenset(both) for both in barred}
        self.sat_out = Counter(pair for played in history for pair in played.byes)

    def frame(self) -> Iterator[Fault]:
        """Whether it is this round of this field at all, everybody in it once."""
        stated = self.certificate
        if stated.round != len(self.history) + 1:
            yield Fault(
                "The certificate is of round %(stated)s, not %(right)s.",
                {"stated": stated.round, "right": len(self.history) + 1},
            )
        if list(stated.order) != self.order:
            yield Fault("The standings it was drawn from are others.")
        if len(self.order) < 2:
            if stated.tables or stated.bye is not None:
                yield Fault("No round can be played by fewer than two pairs.")
            return
        drawn = Counter(pair for table in stated.tables for pair in (table.ns, table.ew))
        if stated.bye is not None:
            drawn[stated.bye] += 1
        playing = set(self.order)
        for pair in self.order:
            if not drawn[pair]:
                yield Fault("Pair %(pair)s plays and was not drawn.", {"pair": pair})
        for pair, times in drawn.items():
            if times and pair not in playing:
                yield Fault("Pair %(pair)s does not play and was drawn.", {"pair": pair})
            elif times > 1:
                yield Fault("Pair %(pair)s was drawn more than once.", {"pair": pair})
        if stated.bye is not None and len(self.order) % 2 == 0:
            yield Fault("Nobody sits out of an even field.")

    def tables(self) -> Iterator[Fault]:
        """Numbers, directions, earlier meetings."""
        place = {pair: position for position, pair in enumerate(self.seated)}
        by_rank = sorted(self.certificate.tables, key=lambda table: min(place[table.ns], place[table.ew]))
        if [table.number for table in by_rank] != list(range(1, len(by_rank) + 1)):
            yield Fault("Tables are not numbered in the order of their better-ranked pairs.")
        last_ew = {ew for _, ew in self.history[-1].tables} if self.history else set()
        seats = Counter(ns for played in self.history for ns, _ in played.tables)
        seats.subtract(ew for played in self.history for _, ew in played.tables)
        for table in self.certificate.tables:
            high, low = sorted((table.ns, table.ew), key=place.__getitem__)
            ns = high
            if seats[low] < seats[high]:
                ns = low
            elif seats[low] == seats[high]:
                ns = low if low in last_ew and high not in last_ew else high
            if table.ns != ns:
                yield Fault(
                    "At table %(table)s the directions are the wrong way round.", {"table": table.number}
                )
            if table.meetings != self.met[frozenset((table.ns, table.ew))]:
                yield Fault(
                    "At table %(table)s the number of earlier meetings is wrong.", {"table": table.number}
                )

    def bye(self) -> Iterator[Fault]:
        """Whether the right pair sits out."""
        bye = self.certificate.bye
        if bye is None:
            return
        fewest = min(self.sat_out[pair] for pair in self.order)
        if self.sat_out[bye] > fewest:
            yield Fault("Pair %(pair)s sits out again while others have not as often.", {"pair": bye})
            return
        lowest_first = [pair for pair in reversed(self.order) if self.sat_out[pair] == fewest]
        if bye == lowest_first[0] and self.worth(self.pairing)[:2] == (0, 0):
            return
        right = self.right_bye(lowest_first)
        if bye != right:
            yield Fault("Pair %(pair)s should have sat out.", {"pair": right})

    def right_bye(self, lowest_first: Sequence[int]) -> int:
        """The first of these without whom the fewest barred pairs meet, then the fewest pairs again."""
        count = len(self.order)
        if count <= EXHAUSTIVE_UP_TO + 1:

            def apart(bye: int) -> tuple[int, int]:
                rest = [pair for pair in self.order if pair != bye]
                return min(self.worth(each, rest)[:2] for each in _pairings(range(len(rest))))

            return min(lowest_first, key=apart)
        among = self.all if count <= SOLVER_UP_TO else self.near
        number = count * count
        weights = {
            table: (barred * count + rematches) * number
            for table, (barred, rematches, _, _) in among(self.order).items()
        }
        for turn, pair in enumerate(lowest_first):
            weights[self.order.index(pair), count] = turn
        _, found = _least(weights)
        return next(self.order[place] for place, other in found if other == count)

    def optimum(self) -> Iterator[Fault]:
        """Whether the worth is as stated and no other pairing is better."""
        pairing = self.pairing
        worth = self.worth(pairing)
        stated = self.certificate
        if worth != (stated.barred_meetings, stated.rematches, stated.earlier_meetings, stated.cost):
            yield Fault("The worth of the round is not what the certificate says.")
        if stated.proof != Proof.of(len(self.seated)):
            yield Fault("The certificate names another proof than there is for a field of this size.")
        beside = {
            Proof.EXHAUSTIVE: self.beside_all,
            Proof.SOLVER: self.beside_the_solver,
            Proof.NEAREST: self.beside_the_nearest,
        }
        yield from beside[Proof.of(len(self.seated))](pairing)

    @property
    def pairing(self) -> list[tuple[int, int]]:
        """The tables as places in the standings of those seated."""
        place = {pair: position for position, pair in enumerate(self.seated)}
        both = ((place[table.ns], place[table.ew]) for table in self.certificate.tables)
        return sorted((min(table), max(table)) for table in both)

    def worth(self, pairing: Sequence[tuple[int, int]], seated: Sequence[int] | None = None) -> Worth:
        """What is to be as small as possible, recomputed."""
        sums = [self.worth_of(upper, lower, seated or self.seated) for upper, lower in pairing]
        barred, rematches, meetings, cost = (sum(column) for column in zip(*sums, strict=True))
        return barred, rematches, meetings, cost

    def worth_of(self, upper: int, lower: int, seated: Sequence[int]) -> Worth:
        both = frozenset((seated[upper], seated[lower]))
        met = self.met[both]
        return int(both in self.barred), min(met, 1), met, (lower - upper) ** 2 - 1

    def all(self, seated: Sequence[int]) -> dict[tuple[int, int], Worth]:
        """Every table that two of them can form."""
        return {
            (upper, lower): self.worth_of(upper, lower, seated)
            for upper in range(len(seated))
            for lower in range(upper + 1, len(seated))
        }

    def near(self, seated: Sequence[int]) -> dict[tuple[int, int], Worth]:
        """The neighbours' tables, and each pair's with the nearest it may meet.

        The next but one counts as a neighbour: so the others pair off whoever sits out.
        """
        found = {}
        for upper in range(len(seated) - 1):
            free = 0
            for lower in range(upper + 1, len(seated)):
                worth = self.worth_of(upper, lower, seated)
                may = worth[:2] == (0, 0)
                if may or lower <= upper + 2:
                    found[upper, lower] = worth
                free += may
                if free == NEAREST:
                    break
        return found

    def number(self, worth: Worth) -> int:
        """A worth as one number; over a round the sums of these compare as the sums of the parts do, in order."""
        barred, rematches, meetings, cost = worth
        count, rounds = len(self.seated), len(self.history)
        return ((barred * count + rematches) * count * (rounds + 1) + meetings) * count**3 + cost

    def beside_all(self, pairing: list[tuple[int, int]]) -> Iterator[Fault]:
        """Every pairing of a small field."""
        if pairing != min(_pairings(range(len(self.seated))), key=lambda each: (self.worth(each), each)):
            yield NOT_BEST

    def beside_the_solver(self, pairing: list[tuple[int, int]]) -> Iterator[Fault]:
        """The solver's optimum; then, table by table, whether a nearer partner would do as well."""
        weights = {table: self.number(worth) for table, worth in self.all(self.seated).items()}
        left = sum(weights[table] for table in pairing)
        if left > _least(weights)[0]:
            yield NOT_BEST
            return
        rest = set(range(len(self.seated)))
        for upper, lower in pairing:
            rest.remove(upper)
            if nearer := [place for place in rest if place < lower]:
                others = {table: weight for table, weight in weights.items() if rest.issuperset(table)}
                if left == _least(others | {(upper, place): weights[upper, place] for place in nearer})[0]:
                    yield NOT_BEST
                    return
            rest.remove(lower)
            left -= weights[upper, lower]

    def beside_the_nearest(self, pairing: list[tuple[int, int]]) -> Iterator[Fault]:
        """The solver's optimum among each pair's nearest, and the part above it that is allowed."""
        weights = {table: self.number(worth) for table, worth in self.near(self.seated).items()}
        *repeats, cost = self.worth(pairing)
        *fewest, least = self.worth(_least(weights)[1])
        if repeats > fewest or (repeats == fewest and 100 * cost > (100 + TOLERANCE) * least):
            yield NOT_BEST

    def reasons(self) -> Iterator[Fault]:
        """Whether everybody has a reason that speaks of the true opponent and of pairs that were drawn."""
        opponent = {table.ns: table.ew for table in self.certificate.tables}
        opponent |= {table.ew: table.ns for table in self.certificate.tables}
        drawn = set(self.order)
        for pair in self.order:
            reason = self.certificate.reasons.get(pair)
            if reason is None:
                yield Fault("Pair %(pair)s has no reason.", {"pair": pair})
            elif reason.params.get("opponent", opponent.get(pair)) != opponent.get(pair) or any(
                value not in drawn for name, value in reason.params.items() if name in PAIR_PARAMS
            ):
                yield Fault("The reason of pair %(pair)s speaks of another opponent.", {"pair": pair})


def _least(weights: Mapping[tuple[int, int], int]) -> tuple[int, list[tuple[int, int]]]:
    """The least sum of weights of a perfect matching, which the solver proves, and such a matching."""
    graph: rustworkx.PyGraph[None, int] = rustworkx.PyGraph(multigraph=False)
    graph.add_nodes_from([None] * (1 + max(lower for _, lower in weights)))
    above = max(weights.values())
    graph.add_edges_from([(upper, lower, above - weight) for (upper, lower), weight in weights.items()])
    found = rustworkx.max_weight_matching(graph, max_cardinality=True, weight_fn=int, verify_optimum=True)
    tables = [(min(table), max(table)) for table in found]
    return sum(weights[table] for table in tables), tables


def _pairings(places: Sequence[int]) -> Iterator[list[tuple[int, int]]]:
    """Every way to pair an even number of places off."""
    if not places:
        yield []
        return
    upper, *others = places
    for lower in others:
        for rest in _pairings([place for place in others if place != lower]):
            yield [(upper, lower), *rest]
