"""Who meets whom: the pairing of `bridge.swiss` for the pairs as they stand, and its certificate."""

from collections.abc import Iterable, Sequence
from fractions import Fraction

from django.db import connection

from apps.pairs.models import Entry, Round, Seat, Swiss
from apps.pairs.services.round_scores import Position
from apps.results.bulk import copy_rows
from bridge.swiss import Certificate, Entrant, Fault, PlayedRound, certify, pair_round, verify

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

    Raises:
        ValueError: The round was not seated yet.
    """
    if each.certificate is None:
        raise ValueError(f"round {each.number} was not seated")
    entrants = [
        Entrant(pair=pair, registration=pair, total=Fraction(total), completed=completed, playing=playing)
        for pair, total, completed, playing in each.certificate["standings"]
    ]
    certificate = Certificate.from_json(each.certificate["certificate"])
    return verify(entrants, played_rounds(each.swiss, before=each.number), certificate)
