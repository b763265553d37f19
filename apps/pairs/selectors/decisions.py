"""What the director decided."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from django.utils.text import Truncator

from apps.clock.selectors import audit_of
from apps.pairs.models import Event
from apps.pairs.selectors.events import shown_results
from apps.pairs.selectors.standings import Pair
from apps.pairs.selectors.travellers import Row, result_rows
from apps.results.models import Penalty, Result, ResultChange
from apps.results.selectors import Change

CHANGED, PENALIZED, DISQUALIFIED, REINSTATED, RANKED_AGAIN = (
    "pairs.changed",
    "pairs.penalized",
    "pairs.disqualified",
    "pairs.reinstated",
    "pairs.ranked again",
)
LONGEST_REASON = 200


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


def reasons_since(event: Event, moment: datetime) -> str:
    """Why the event stands otherwise than at that moment: the reasons of what was corrected or decided, the newest first.

    Two queries.
    """
    corrected = ResultChange.objects.filter(result__field_board__field=event.field_id, at__gt=moment)
    corrected = corrected.exclude(reason__in=[ResultChange.AGREED, ResultChange.UNCONTRADICTED])
    decided = audit_of("pairs.event", event.pk).filter(
        action__in=[CHANGED, PENALIZED, DISQUALIFIED, REINSTATED], at__gt=moment
    )
    said = [*corrected.values_list("at", "reason"), *decided.values_list("at", "reason")]
    reasons = dict.fromkeys(reason for _at, reason in sorted(said, reverse=True) if reason)
    return Truncator("; ".join(reasons)).chars(LONGEST_REASON)


def reason_of_ranking(event: Event, since: datetime) -> str:
    """Why the event was ranked again after that moment; empty when it was not, or nobody said why. One query."""
    again = audit_of("pairs.event", event.pk).filter(action=RANKED_AGAIN, at__gt=since).order_by("pk").last()
    return again.reason if again else ""
