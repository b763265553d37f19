"""Whether a round was paired as the rules say, and from what had been earned: without the code that paired or scored."""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from decimal import Decimal
from fractions import Fraction
from functools import cache
from itertools import product

from django.db import connection
from django.db.models import F, Max
from django.utils.translation import gettext_noop as _

from apps.clock.selectors import audit_of
from apps.pairs.models import Entry, Event, Round, RoundScore, Swiss
from apps.pairs.selectors.earned import Earned, Reckoning, history_of
from apps.results.models import FieldBoard, Penalty
from bridge.swiss import Certificate, Entrant, Fault, PlayedRound, verify

PAIRED_AGAIN = "pairs.paired again"
APART = timedelta(minutes=1)  # more than a correction takes from its moment until others see it


def played_rounds(swiss: Swiss, *, before: int) -> list[PlayedRound]:
    """The rounds that were seated before this one, pairs by registration number.

    Where one pair was not there, its opponents did not meet it: they sat out with the score of a bye.
    """
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT round.number, array_agg(coalesce(seat.table, 0)), array_agg(seat.side),
                      array_agg(contestant."order"), array_agg(seat.missing)
               FROM pairs_round round JOIN pairs_seat seat ON seat.round_id = round.id
               JOIN results_contestant contestant ON contestant.id = seat.contestant_id
               WHERE round.swiss_id = %s AND round.number < %s GROUP BY round.number""",
            [swiss.pk, before],
        )
        seated = {number: columns for number, *columns in cursor.fetchall()}
    return [_played_round(zip(*seated.get(number, ()), strict=True)) for number in range(1, before)]


def _played_round(seats: Iterable[tuple[int, str, int, bool]]) -> PlayedRound:
    tables: dict[int, dict[str, int]] = {}
    byes: list[int] = []
    gone: set[int] = set()
    for table, side, order, missing in seats:
        if not table:
            byes.append(order)
        else:
            tables.setdefault(table, {})[side] = order
            if missing:
                gone.add(order)
    pairs = [(sides["NS"], sides["EW"]) for _, sides in sorted(tables.items())]
    if not gone:
        return PlayedRound(tables=tuple(pairs), byes=tuple(byes))
    waited = [order for pair in pairs if gone & set(pair) for order in pair if order not in gone]
    return PlayedRound(
        tables=tuple(pair for pair in pairs if not gone & set(pair)), byes=tuple(sorted(byes + waited))
    )


@dataclass(frozen=True, slots=True)
class Note:
    """What whoever checks a pairing should know, and is no fault: a sentence in English, and what fills its places."""

    message: str
    params: Mapping[str, str | int] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class PairingCheck:
    """What is wrong with the pairing of a round, and what explains differences that are not."""

    faults: list[Fault]
    notes: list[Note]


CORRECTED = _("An earlier round was corrected later: the standings today are not those of the draw.")
BY_RULING = _("Corrected since the draw: board %(board)s, by ruling %(number)s at %(at)s.")
CAME_LATER = _("Board %(board)s has a result that it did not have at the draw, since %(at)s.")
TAKEN_OFF = _("Points were taken off pair %(pair)s since the draw, at %(at)s.")
GIVEN = _("Points were given to pair %(pair)s since the draw, at %(at)s.")
UNSETTLED = _("A result was corrected a moment ago and is being scored. Check once more in a minute.")
NOT_EARNED = _("Pair %(pair)s did not stand as this round says when it was drawn.")
NOT_BROUGHT = _("What stands for pair %(pair)s in round %(round)s is not what its results come to.")


def check_pairing(each: Round) -> PairingCheck:
    """Check the pairing of a round.

    What the round says of itself is put to the rules and compared with the seats. The standings that it was drawn from
    are reckoned anew, from what had happened at the tables by then; what stands for the rounds before it, from what
    stands there now. So a falsified figure is a fault, and a correction made since the draw is none.

    Raises:
        ValueError: The round was not seated yet.
    """
    if each.certificate is None:
        raise ValueError(f"round {each.number} was not seated")
    certificate = Certificate.from_json(each.certificate["certificate"])
    stated = [
        Entrant(pair=pair, registration=pair, total=Fraction(total), completed=completed, playing=playing)
        for pair, total, completed, playing in each.certificate["standings"]
    ]
    earlier = _Earlier(each, stated)
    faults = verify(stated, played_rounds(each.swiss, before=each.number), certificate)
    faults += _seat_faults(each, certificate)
    faults += [Fault(NOT_EARNED, {"pair": pair}) for pair in earlier.not_earned]
    wrong, notes = list(earlier.not_brought()), list(earlier.notes())
    if wrong and earlier.is_unsettled():
        notes.append(Note(UNSETTLED))
    else:
        faults += [Fault(NOT_BROUGHT, {"round": number, "pair": pair}) for number, pair in wrong]
    return PairingCheck(faults, notes)


def _seat_faults(each: Round, certificate: Certificate) -> Iterator[Fault]:
    """Where others sit, or in other directions, than was drawn."""
    drawn = {table.number: {"NS": table.ns, "EW": table.ew} for table in certificate.tables}
    sat: dict[int, dict[str, int]] = {}
    out = set()
    for table, side, pair in each.seats.values_list("table", "side", "contestant__order"):
        if table is None:
            out.add(pair)
        else:
            sat.setdefault(table, {})[side] = pair
    for number in sorted(drawn.keys() | sat.keys()):
        if drawn.get(number) != sat.get(number):
            yield Fault(
                _("At table %(table)s others sit, or in other directions, than was drawn."), {"table": number}
            )
    byes = set() if certificate.bye is None else {certificate.bye}
    for pair in sorted(out ^ byes):
        yield Fault(_("Who sits out is not who was drawn to: pair %(pair)s."), {"pair": pair})


class _Earlier:
    """What the rounds before one brought: as of its draw, and as of now.

    Attributes:
        not_earned: The pairs that did not stand at the draw as the round says, or are left out of it.
    """

    def __init__(self, each: Round, stated: Sequence[Entrant]) -> None:
        self._round, self._swiss = each, each.swiss
        self._version = each.swiss.event.field.version
        opened = each.opened_at or each.opens_at
        last = Round.objects.filter(swiss=each.swiss, number=each.number - 1).first()
        bell = (last and last.closed_at) or opened
        again = audit_of("pairs.event", each.swiss_id).filter(action=PAIRED_AGAIN, after__round=each.number)
        self._drawn_at: datetime = again.aggregate(at=Max("at"))["at"] or opened
        self._stated = {
            entrant.pair: Earned(Fraction(entrant.total), entrant.completed) for entrant in stated
        }
        reckoning = Reckoning(each.swiss, before=each.number)
        history = history_of(each.swiss, before=each.number, bell=bell, since=bell - APART)
        self._later = history.steps
        self._earned = cache(lambda steps: reckoning.earned(history.after(steps)))
        entries = list(
            Entry.objects.filter(swiss=each.swiss).values_list("pk", "contestant__order", "entered_at")
        )
        self._order = {pk: order for pk, order, _ in entries}
        self._late = {order for _, order, at in entries if at > self._drawn_at} - self._stated.keys()
        penalties = Penalty.objects.filter(contestant__entry__swiss=each.swiss).order_by("given_at", "pk")
        self._penalties: list[tuple[datetime, int, Decimal]] = list(
            penalties.values_list("given_at", "contestant", "points")
        )
        self.not_earned, self._steps, self._given = self._at_the_draw()

    def _at_the_draw(self) -> tuple[list[int], int, int]:
        """Who differs, after how many of the last steps and how many penalties.

        What was corrected after the bell of the round before may have been scored before the draw or not. Of all moments
        that the draw can have seen the first is taken that explains everything, or else the one that explains most.
        """
        tried = []
        for steps, given in self._moments():
            tried.append((self._differing(steps, given), steps, given))
            if not tried[-1][0]:
                break
        return min(tried, key=lambda moment: len(moment[0]))

    def _moments(self) -> Iterator[tuple[int, int]]:
        def by(at: datetime) -> tuple[int, int]:
            return (
                sum(step.at <= at for step in self._later),
                sum(given_at <= at for given_at, *_ in self._penalties),
            )

        yield by(self._drawn_at)
        (_, first), (steps, last) = by(self._drawn_at - APART), by(self._drawn_at + APART)
        yield from product(range(steps, -1, -1), range(last, first - 1, -1))

    def _differing(self, steps: int, given: int) -> list[int]:
        """Who did not stand as stated when so many of the last steps and of the penalties had come."""
        stood = dict.fromkeys(self._order.values(), Earned())
        for (_number, pair), earned in self._earned(steps).items():
            stood[self._order[pair]] += earned
        for _at, pair, points in self._penalties[:given]:
            stood[self._order[pair]] += Earned(-Fraction(points))
        return sorted(
            pair
            for pair in (stood.keys() | self._stated.keys()) - self._late
            if stood.get(pair) != self._stated.get(pair)
        )

    def notes(self) -> Iterator[Note]:
        """What was corrected since the draw, where the standings today are others for it."""
        later, taken = self._later[self._steps :], self._penalties[self._given :]
        if not (later or taken) or not self._differing(len(self._later), len(self._penalties)):
            return
        yield Note(CORRECTED)
        for step in later:
            said: dict[str, str | int] = {
                "board": step.board,
                "number": step.number,
                "at": self._clock(step.at),
            }
            yield Note(BY_RULING if step.number else CAME_LATER, said)
        for at, pair, points in taken:
            message = TAKEN_OFF if points > 0 else GIVEN
            yield Note(message, {"pair": self._order[pair], "at": self._clock(at)})

    def _clock(self, at: datetime) -> str:
        return f"{at.astimezone(self._swiss.tz):%Y-%m-%d %H:%M:%S} {self._swiss.zone}"

    def not_brought(self) -> Iterator[tuple[int, int]]:
        """Round and pair wherever something else stands written down than the results come to now."""
        come_to = self._earned(len(self._later))
        scores = RoundScore.objects.filter(round__swiss=self._swiss, round__number__lt=self._round.number)
        written = {
            (number, pair): Earned(Fraction(numerator, denominator), completed)
            for number, pair, numerator, denominator, completed in scores.values_list(
                "round__number", "contestant", "numerator", "denominator", "completed"
            )
        }
        for number, pair in sorted(written.keys() | come_to.keys()):
            if written.get((number, pair)) != come_to.get((number, pair)):
                yield number, self._order[pair]

    def is_unsettled(self) -> bool:
        """Whether a result was corrected and is not scored yet, or was while this check looked."""
        event = Event.objects.select_related("field").get(pk=self._swiss.pk)
        boards = FieldBoard.objects.filter(field=event.field_id, session__lt=self._round.number)
        return (
            boards.filter(compared_version__lt=F("results_version")).exists()
            or event.ranked_version != event.field.version
            or event.field.version != self._version
        )
