"""What came of an event, in words that do not depend on ids and moments: two runs of one seed say the same."""

from collections import Counter
from hashlib import sha256
from typing import Any

from django.db.models import Sum

from apps.clock.selectors import audit_of
from apps.masterpoints.models import Award
from apps.pairs.models import Entrant, Event, RoundScore, Seat, Slip, Standing
from apps.results.models import Result

ABOUT_TIME = {
    f"pairs.{what}"
    for what in (
        "set up",
        "announced",
        "postponed",
        "present",
        "bell rung",
        "round opened",
        "time changed",
        "suspended",
        "resumed",
        "outage",
        "decided after outage",
    )
}
"""What is in the log because of when things happened, not because of what happened."""


def digest_of(event_id: int) -> dict[str, list[Any]]:
    """Standings, rounds, seats, slips, results, master points and the log of an event, pairs by their numbers."""
    event = Event.objects.get(pk=event_id)
    pair, ns, ew = "contestant__order", "ns__order", "ew__order"
    standings = Standing.objects.filter(event=event, session=0)
    scores = RoundScore.objects.filter(round__swiss=event_id)
    seats = Seat.objects.filter(round__swiss=event_id)
    slips = Slip.objects.filter(round__swiss=event_id)
    results = Result.objects.filter(field_board__field=event.field_id)
    of_board = ("field_board__session", "field_board__board__number", "table", ns, ew)
    played = ("kind", "level", "strain", "doubling", "declarer", "tricks", "ns_score", "ruling")
    log = audit_of("pairs.event", event_id).exclude(action__in=ABOUT_TIME)
    return {
        "standings": _rows(
            standings.values_list(
                pair, "rank", "boards", "total_numerator", "total_denominator", "penalty", "masterpoints"
            )
        ),
        "round scores": _rows(
            scores.values_list("round__number", pair, "kind", "numerator", "denominator", "completed")
        ),
        "seats": _rows(seats.values_list("round__number", pair, "table", "side", "missing")),
        "slips": _rows(
            slips.values_list("round__number", "table", "field_board__board__number", "state", "agreed__text")
        ),
        "results": _rows(results.values_list(*of_board, *played)),
        "ledger": _ledger(event_id),
        "log": sorted(Counter(log.values_list("action", "reason")).items()),
    }


def _rows(rows: Any) -> list[Any]:
    return sorted(rows, key=repr)


def _ledger(event_id: int) -> list[Any]:
    """What each pair's players were awarded, corrections included."""
    order = dict(Entrant.objects.filter(swiss=event_id).values_list("player_id", "entry__contestant__order"))
    sums = Award.objects.filter(event=event_id).values_list("player_id").annotate(Sum("points"))
    return _rows((order.get(player, 0), points) for player, points in sums)


def fingerprint(digest: dict[str, list[Any]]) -> str:
    """A digest in sixteen characters."""
    return sha256(repr(digest).encode()).hexdigest()[:16]
