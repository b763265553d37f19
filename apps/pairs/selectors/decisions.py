"""What the director decided."""

from collections.abc import Sequence
from dataclasses import dataclass

from apps.pairs.models import Event
from apps.pairs.selectors.events import shown_results
from apps.pairs.selectors.standings import Pair
from apps.pairs.selectors.travellers import Row, result_rows
from apps.results.models import Penalty, Result
from apps.results.selectors import Change


@dataclass(frozen=True, slots=True)
class Decision:
    """A result that the director adjusted, and the reason, when it was given here."""

    row: Row
    ns: Pair
    ew: Pair
    reason: str


def rulings_of(event: Event, pairs: dict[int, Pair], changes: Sequence[Change]) -> list[Decision]:
    """The adjusted scores of the event by board, with the reasons found in the `changes`, newest first. Two queries."""
    reasons = {change.after.pk: change.reason for change in reversed(changes) if change.after.ruling}
    results = shown_results(event).filter(kind=Result.Kind.RULED)
    rows = result_rows(results.order_by("field_board__session", "field_board__board__number", "pk"))
    return [Decision(row, pairs[row.ns], pairs[row.ew], reasons.get(row.pk, "")) for row in rows]


def penalties_of(event: Event, pairs: dict[int, Pair]) -> list[tuple[Pair, Penalty]]:
    """The penalties of the event, each with its pair. One query."""
    penalties = Penalty.objects.filter(contestant__field_id=event.field_id)
    return [
        (pairs[each.contestant_id], each) for each in penalties.order_by("session", "contestant__order", "pk")
    ]
