"""Who meets whom: the pairing of `bridge.swiss` for the pairs as they stand, and its certificate."""

from collections.abc import Sequence

from apps.pairs.models import Entry, Round, Seat, Swiss
from apps.pairs.selectors.pairing import played_rounds
from apps.pairs.services.round_scores import Position
from apps.results.bulk import copy_rows
from bridge.swiss import Entrant, certify, pair_round

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
