"""The certificate of a round: what was drawn, what it is worth, and one reason for every pair.

It is plain data. Sentences are English with named places; whoever shows them translates them and puts names for the
numbers of pairs. `verification` checks it.
"""

from collections import Counter, defaultdict
from collections.abc import Collection, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Any

from bridge.swiss.field import Entrant, PairingError, PlayedRound, Round, Table, standings_order

EXHAUSTIVE_UP_TO = 10
SOLVER_UP_TO = 400

PAIR_PARAMS = frozenset({"pair", "opponent", "nearer", "other", "lower"})
"""The places of a sentence that hold the number of a pair; all others hold plain numbers."""


class Proof(StrEnum):
    """What a round is compared with when it is verified."""

    EXHAUSTIVE = "exhaustive"
    SOLVER = "solver"
    NEAREST = "nearest"

    @classmethod
    def of(cls, seated: int) -> "Proof":
        """The strongest there is for so many pairs at tables."""
        if seated <= EXHAUSTIVE_UP_TO:
            return cls.EXHAUSTIVE
        return cls.SOLVER if seated <= SOLVER_UP_TO else cls.NEAREST


@dataclass(frozen=True, slots=True)
class Reason:
    """A sentence in English with named places, and what fills them."""

    message: str
    params: Mapping[str, int] = field(default_factory=dict)

    def __str__(self) -> str:
        return self.message % self.params


PROOFS = {
    Proof.EXHAUSTIVE: Reason("A check compares this round with every possible pairing of the field."),
    Proof.SOLVER: Reason("A check compares this round with the best pairing that a general solver finds."),
    Proof.NEAREST: Reason(
        "A check compares this round with the best pairing in which everybody meets one of the %(near)s nearest pairs"
        " not met yet; in a field of this size it may be up to %(percent)s%% above that.",
        {"near": 20, "percent": 5},
    ),
}
"""What each proof means, for the page."""


@dataclass(frozen=True, slots=True)
class Certificate:
    """A round with its worth and its reasons.

    Attributes:
        round: Its number, from 1.
        order: The pairs drawn, in standings order.
        tables: In the order of their better-ranked pairs.
        bye: The pair that sits out.
        barred_meetings, rematches, earlier_meetings, cost: What was made as small as possible, one after the other:
            tables where barred pairs meet, tables where a pair meets an earlier opponent, how often these have met
            before, and the sum of d * d - 1 over the tables, d being the distance of the two in the standings of
            those seated.
        proof: What a check compares this with.
        reasons: Why each pair meets whom it meets, or sits out.
        notes: What the whole field should know.
    """

    round: int
    order: tuple[int, ...]
    tables: tuple[Table, ...]
    bye: int | None
    barred_meetings: int
    rematches: int
    earlier_meetings: int
    cost: int
    proof: Proof
    reasons: Mapping[int, Reason]
    notes: tuple[Reason, ...] = ()

    def to_json(self) -> dict[str, Any]:
        return {
            "round": self.round,
            "order": list(self.order),
            "tables": [
                {"number": table.number, "ns": table.ns, "ew": table.ew, "meetings": table.meetings}
                for table in self.tables
            ],
            "bye": self.bye,
            "barred_meetings": self.barred_meetings,
            "rematches": self.rematches,
            "earlier_meetings": self.earlier_meetings,
            "cost": self.cost,
            "proof": self.proof.value,
            "reasons": _reasons_to_json(self.reasons),
            "notes": [_reason_to_json(reason) for reason in self.notes],
        }

    @classmethod
    def from_json(cls, data: Mapping[str, Any]) -> "Certificate":
        """The certificate that `to_json` wrote.

        Raises:
            PairingError: The data is no certificate.
        """
        try:
            return cls(
                round=data["round"],
                order=tuple(data["order"]),
                tables=tuple(Table(**table) for table in data["tables"]),
                bye=data["bye"],
                barred_meetings=data["barred_meetings"],
                rematches=data["rematches"],
                earlier_meetings=data["earlier_meetings"],
                cost=data["cost"],
                proof=Proof(data["proof"]),
                reasons=_reasons_from_json(data["reasons"]),
                notes=tuple(Reason(**reason) for reason in data["notes"]),
            )
        except (AttributeError, KeyError, TypeError, ValueError):
            raise PairingError("This is not the certificate of a round.") from None


def _reasons_to_json(reasons: Mapping[int, Reason]) -> list[dict[str, Any]]:
    """Each sentence once, and for all pairs that it is said of what fills its places: a round has few and many pairs."""
    said: dict[tuple[str, tuple[str, ...]], list[list[int]]] = {}
    for pair, reason in reasons.items():
        said.setdefault((reason.message, tuple(reason.params)), []).append([pair, *reason.params.values()])
    return [
        {"message": message, "places": list(places), "pairs": pairs}
        for (message, places), pairs in said.items()
    ]


def _reasons_from_json(data: Any) -> dict[int, Reason]:
    if isinstance(data, Mapping):  # rounds were once written down with a whole sentence for each pair
        return {int(pair): Reason(**reason) for pair, reason in data.items()}
    return {
        pair: Reason(each["message"], dict(zip(each["places"], words, strict=True)))
        for each in data
        for pair, *words in each["pairs"]
    }


def _reason_to_json(reason: Reason) -> dict[str, Any]:
    return {"message": reason.message, "params": dict(reason.params)}


def certify(
    entrants: Sequence[Entrant],
    history: Sequence[PlayedRound],
    drawn: Round,
    *,
    barred: Collection[tuple[int, int]] = (),
) -> Certificate:
    """The certificate of a round that was drawn.

    Args:
        entrants: The pairs as they stood.
        history: The rounds before it, in order.
        drawn: The round.
        barred: Pairs that were not to meet.
    """
    order = [each.pair for each in standings_order(entrants) if each.playing]
    seated = [pair for pair in order if pair != drawn.bye]
    place = {pair: position for position, pair in enumerate(seated)}
    reasons = _Reasons(seated, history, drawn, barred)
    apart = {frozenset(both) for both in barred}
    barred_meetings = sum(frozenset((table.ns, table.ew)) in apart for table in drawn.tables)
    rematches = sum(table.meetings > 0 for table in drawn.tables)
    notes = []
    if barred_meetings:
        notes.append(
            Reason(
                "Not all pairs that should not meet could be kept apart. Tables where they meet: %(count)s.",
                {"count": barred_meetings},
            )
        )
    if rematches:
        notes.append(
            Reason("Rematches could not be avoided. Tables with a rematch: %(count)s.", {"count": rematches})
        )
    given = {pair: reasons.of(pair) for pair in seated} if drawn.tables else {}
    if drawn.bye is not None:
        given[drawn.bye] = reasons.of_bye(order, drawn.bye)
    return Certificate(
        round=len(history) + 1,
        order=tuple(order),
        tables=drawn.tables,
        bye=drawn.bye,
        barred_meetings=barred_meetings,
        rematches=rematches,
        earlier_meetings=sum(table.meetings for table in drawn.tables),
        cost=sum((place[table.ns] - place[table.ew]) ** 2 - 1 for table in drawn.tables),
        proof=Proof.of(len(seated)),
        reasons=given,
        notes=tuple(notes),
    )


class _Reasons:
    """What can be said of one pair, from who stands where and who has met."""

    def __init__(
        self,
        seated: Sequence[int],
        history: Sequence[PlayedRound],
        drawn: Round,
        barred: Collection[tuple[int, int]],
    ) -> None:
        self.seated = seated
        self.place = {pair: position for position, pair in enumerate(seated)}
        self.first = not history
        self.opponent = {table.ns: table.ew for table in drawn.tables}
        self.opponent |= {table.ew: table.ns for table in drawn.tables}
        self.met = _both_ways(both for played in history for both in played.tables)
        self.barred = _both_ways(barred)
        self.byes = Counter(pair for played in history for pair in played.byes)

    def distance(self, one: int, other: int) -> int:
        return abs(self.place[one] - self.place[other])

    def nearest(self, pair: int, within: int) -> int | None:
        """The nearest pair in the standings that this one may meet, nearer than so many places; the higher of two."""
        position = self.place[pair]
        for distance in range(1, within):
            for other in (position - distance, position + distance):
                if 0 <= other < len(self.seated):
                    found = self.seated[other]
                    if found not in self.met[pair] and found not in self.barred[pair]:
                        return found
        return None

    def of(self, pair: int) -> Reason:
        """Why a pair meets its opponent."""
        opponent = self.opponent[pair]
        if opponent in self.barred[pair]:
            return Reason(
                "%(opponent)s should have been kept apart, but no pairing of this field keeps more pairs apart.",
                {"opponent": opponent},
            )
        if opponent in self.met[pair]:
            return Reason(
                "A rematch with %(opponent)s: no pairing of this field has fewer rematches.",
                {"opponent": opponent},
            )
        distance = self.distance(pair, opponent)
        nearer = self.nearest(pair, distance)
        if nearer is not None:
            return self._left_out(pair, nearer)
        if distance > 1:
            return Reason(
                "%(opponent)s is the nearest pair in the standings that was not met yet.",
                {"opponent": opponent},
            )
        if self.first:
            return Reason("Seated by registration, next to %(opponent)s.", {"opponent": opponent})
        return Reason(
            "%(opponent)s stands next in the standings and was not met yet.", {"opponent": opponent}
        )

    def _left_out(self, pair: int, nearer: int) -> Reason:
        """Why a pair does not meet one that stands nearer than its opponent."""
        other = self.opponent[nearer]
        params = {"opponent": self.opponent[pair], "nearer": nearer, "other": other}
        if self.distance(nearer, other) < self.distance(nearer, pair):
            return Reason(
                "%(opponent)s, not %(nearer)s: that pair stands nearer, but %(other)s stands nearer still to it.",
                params,
            )
        if self.nearest(other, len(self.seated)) == nearer:
            return Reason(
                "%(opponent)s, not %(nearer)s: that pair stands nearer, but it is the nearest that %(other)s has not met.",
                params,
            )
        return Reason(
            "%(opponent)s, not %(nearer)s: that pair stands nearer, but meets %(other)s, which keeps the round as a"
            " whole closer together.",
            params,
        )

    def of_bye(self, order: Sequence[int], bye: int) -> Reason:
        """Why a pair sits out."""
        lower = order[order.index(bye) + 1 :]
        if not lower:
            return Reason("The bye: the last pair in the standings.")
        passed = [pair for pair in lower if self.byes[pair] <= self.byes[bye]]
        if not passed:
            return Reason("The bye: the lowest pair of those with the fewest byes.")
        return Reason(
            "The bye. %(lower)s stands lower, but with that pair out more of the others would meet whom they have met"
            " or should not meet.",
            {"lower": passed[-1]},
        )


def _both_ways(
    meetings: Iterator[tuple[int, int]] | Collection[tuple[int, int]],
) -> defaultdict[int, set[int]]:
    found: defaultdict[int, set[int]] = defaultdict(set)
    for one, other in meetings:
        found[one].add(other)
        found[other].add(one)
    return found
