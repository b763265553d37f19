"""What the director decided."""

from collections.abc import Collection, Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime

from django.db.models import Max, QuerySet
from django.utils.text import Truncator

from apps.clock.selectors import audit_of
from apps.pairs.models import Event
from apps.pairs.selectors.events import shown_results
from apps.pairs.selectors.standings import Pair
from apps.pairs.selectors.tables import result_of
from apps.pairs.selectors.travellers import Row, result_rows
from apps.results.models import Penalty, Result, ResultChange
from apps.results.selectors import Change
from apps.tables.models import TableBoard
from apps.tables.selectors import Verdict

DECIDED, CHANGED, PENALIZED, DISQUALIFIED, REINSTATED, RANKED_AGAIN = (
    "pairs.decided",
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


Place = tuple[int, int, str]  # session, board, table


def reasons_of_boards(event: Event) -> dict[Place, str]:
    """The boards that the director decided, with his reason; of what was corrected since, the reason for that.

    Two queries, or none where the event does not run itself.
    """
    if getattr(event, "swiss", None) is None:
        return {}
    decided = audit_of("pairs.event", event.pk).filter(action=DECIDED, after__has_key="round").order_by("pk")
    reasons = {
        (round_, board, str(table)): reason
        for round_, board, table, reason in decided.values_list(
            "after__round", "after__board", "after__table", "reason"
        )
    }
    if not reasons:
        return {}
    changes = _by_people(ResultChange.objects.filter(result__field_board__field=event.field_id))
    places = ("result__field_board__session", "result__field_board__board__number", "result__table", "reason")
    corrected = {
        (session, board, table): reason
        for session, board, table, reason in changes.order_by("pk").values_list(*places)
    }
    return {place: corrected.get(place, reason) for place, reason in reasons.items()}


def _by_people(changes: QuerySet[ResultChange]) -> QuerySet[ResultChange]:
    return changes.exclude(reason__in=[ResultChange.AGREED, ResultChange.UNCONTRADICTED])


def verdict_on(board: TableBoard) -> Verdict | None:
    """What counts by the director's word in place of what a table of this site came to; None when that stands."""
    result = result_of(board)
    if result is None:
        return None
    change = _by_people(result.changes.all()).order_by("-pk").first()
    if change:
        return Verdict(result, change.reason)
    event = Event.objects.select_related("swiss").get(field=result.field_board.field_id)
    place = result.field_board.session, result.field_board.board.number, result.table
    reason = reasons_of_boards(event).get(place)
    return None if reason is None else Verdict(result, reason)


def penalties_of(event: Event, pairs: dict[int, Pair]) -> list[tuple[Pair, Penalty]]:
    """The penalties of the event, each with its pair. One query."""
    penalties = Penalty.objects.filter(contestant__field_id=event.field_id)
    return [
        (pairs[each.contestant_id], each) for each in penalties.order_by("session", "contestant__order", "pk")
    ]


def reasons_of_ranking(event: Event, corrections: Collection[int]) -> str:
    """Why the event is ranked again: the reasons of what was decided since it was last, and of corrections, newest first.

    Args:
        event: The event, locked by the caller; whoever decides locks it, too.
        corrections: The changes of results that this ranking counts first. Those before the event was published do not
            matter.

    Three queries.
    """
    corrected = ResultChange.objects.filter(pk__in=corrections, at__gt=event.published_at)
    corrected = _by_people(corrected)
    entries = audit_of("pairs.event", event.pk)
    last = entries.filter(action__in=["pairs.published", "pairs.finished", RANKED_AGAIN]).aggregate(
        pk=Max("pk")
    )
    decided = entries.filter(
        action__in=[CHANGED, PENALIZED, DISQUALIFIED, REINSTATED], pk__gt=last["pk"] or 0
    )
    said = [*corrected.values_list("at", "reason"), *decided.values_list("at", "reason")]
    return _in_one(reason for _at, reason in sorted(said, reverse=True) if reason)


def reason_of_ranking(event: Event, since: datetime) -> str:
    """Why the event was ranked again after that moment; empty when it was not, or nobody said why. One query."""
    again = audit_of("pairs.event", event.pk).filter(action=RANKED_AGAIN, at__gt=since).order_by("-pk")
    return _in_one(again.values_list("reason", flat=True))


def _in_one(reasons: Iterable[str]) -> str:
    """Each reason once, in their order, as much of them as is read."""
    return Truncator("; ".join(dict.fromkeys(reasons))).chars(LONGEST_REASON)
