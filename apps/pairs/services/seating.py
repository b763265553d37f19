"""Who meets whom: the pairing of `bridge.swiss` for the pairs as they stand, and its certificate."""

from collections.abc import Iterable, Iterator, Sequence
from fractions import Fraction

from django.db import connection
from django.utils.translation import gettext_noop as _

from apps.pairs.models import Entry, Round, RoundScore, Seat, Swiss
from apps.pairs.services.round_scores import Position
from apps.results.bulk import copy_rows
from apps.results.models import FieldBoard, Penalty, Result, ResultChange
from bridge.swiss import Certificate, Entrant, Fault, PlayedRound, Reason, certify, pair_round, verify

_SEAT = {
    "round_id": "int8",
    "contestant_id": "int8",
    "table": "int2",
    "side": "text",
    "missing": "bool",
}


def seat_round(swiss: Swiss, seated: Round, standings: Sequence[Position]) -> bool:
    """Seat the pairs in a round; returns whether one sits out.

    How the seats came about, certificate and standings used, is put into the round, and saved with it by the caller.
    Pairs are named there by their registration numbers. The same standings and history always give the same seats.
    """
    entrants = [
        Entrant(
            pair=each.order,
            registration=each.order,
            total=each.total,
            completed=each.completed,
            playing=each.state == Entry.State.PLAYING,
        )
        for each in standings
    ]
    history = played_rounds(swiss, before=seated.number)
    drawn = pair_round(entrants, history)
    contestant = {each.order: each.contestant for each in standings}
    seats: list[tuple[int | None, str, int]] = [
        (table.number, side, pair)
        for table in drawn.tables
        for side, pair in ((Seat.Side.NS.value, table.ns), (Seat.Side.EW.value, table.ew))
    ]
    if drawn.bye is not None:
        seats.append((None, "", drawn.bye))
    rows = [(seated.pk, contestant[pair], table, side, False) for table, side, pair in seats]
    copy_rows(Seat, _SEAT, rows)
    seated.certificate = {
        "certificate": certify(entrants, history, drawn).to_json(),
        "standings": [[each.pair, str(each.total), each.completed, each.playing] for each in entrants],
    }
    return drawn.bye is not None


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


def pairing_faults(each: Round) -> list[Fault]:
    """What is wrong with the pairing of a round, found without the code that made it; empty when nothing is.

    What the round says of itself is put to the rules, and compared with the seats and with what the rounds before it
    brought. Standings that a later correction explains are no fault, see `pairing_notes`.

    Raises:
        ValueError: The round was not seated yet.
    """
    if each.certificate is None:
        raise ValueError(f"round {each.number} was not seated")
    entrants = _stored_standings(each)
    certificate = Certificate.from_json(each.certificate["certificate"])
    faults = verify(entrants, played_rounds(each.swiss, before=each.number), certificate)
    faults += _seat_faults(each, certificate)
    if not _was_corrected(each):
        faults += [
            Fault(_("Pair %(pair)s did not stand as this round says when it was drawn."), {"pair": pair})
            for pair in _not_earned(each, entrants)
        ]
    return faults


def pairing_notes(each: Round) -> list[Reason]:
    """What whoever checks the pairing of a round should know, and is no fault."""
    if _was_corrected(each) and _not_earned(each, _stored_standings(each)):
        return [
            Reason(_("An earlier round was corrected later: the standings today are not those of the draw."))
        ]
    return []


def _stored_standings(each: Round) -> list[Entrant]:
    """The standings that the round says it was drawn from."""
    return [
        Entrant(pair=pair, registration=pair, total=Fraction(total), completed=completed, playing=playing)
        for pair, total, completed, playing in (each.certificate or {"standings": []})["standings"]
    ]


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


def _not_earned(each: Round, entrants: Sequence[Entrant]) -> list[int]:
    """The pairs whose standing is not what the rounds before brought, penalties taken off, or who are left out of it."""
    entries = Entry.objects.filter(swiss=each.swiss_id)
    entered = dict(entries.values_list("contestant__order", "entered_at"))
    earned = {pair: (Fraction(0), 0) for pair in entered}
    scores = RoundScore.objects.filter(round__swiss=each.swiss_id, round__number__lt=each.number)
    for pair, numerator, denominator, boards in scores.values_list(
        "contestant__order", "numerator", "denominator", "completed"
    ):
        total, completed = earned[pair]
        earned[pair] = total + Fraction(numerator, denominator), completed + boards
    penalties = Penalty.objects.filter(contestant__entry__swiss=each.swiss_id)
    for pair, points in penalties.values_list("contestant__order", "points"):
        total, completed = earned[pair]
        earned[pair] = total - Fraction(points), completed
    stated = {entrant.pair: (entrant.total, entrant.completed) for entrant in entrants}
    late = {
        pair for pair, at in entered.items() if pair not in stated and each.opened_at and at > each.opened_at
    }
    return sorted(
        pair
        for pair in earned.keys() | stated.keys()
        if earned.get(pair) != stated.get(pair) and pair not in late
    )


def _was_corrected(each: Round) -> bool:
    """Whether what earlier rounds brought may have changed since: results corrected or added, points taken off.

    Counted from the bell of the round before: what was corrected between the two may not have been reckoned in yet.
    """
    before = Round.objects.filter(swiss=each.swiss_id, number=each.number - 1).first()
    since = before.closed_at if before else each.opened_at
    boards = FieldBoard.objects.filter(field=each.swiss.event.field_id, session__lt=each.number)
    return (
        ResultChange.objects.filter(result__field_board__in=boards, at__gt=since).exists()
        or Result.objects.filter(field_board__in=boards, recorded_at__gt=since).exists()
        or Penalty.objects.filter(contestant__entry__swiss=each.swiss_id, given_at__gt=since).exists()
    )
