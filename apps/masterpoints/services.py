"""Entries in the ledger of master points."""

from decimal import Decimal

from django.db import connection, transaction
from django.db.models import Count, Sum

from apps.masterpoints.models import Award
from apps.pairs.models import Event, Standing
from apps.results.models import Member


@transaction.atomic
def award_event(*, event_id: int) -> int:
    """Bring the ledger to what the standings of the event say; returns the entries written.

    The first entry of a player is the award; whatever later changes the standings leads to a correction, an entry of
    its own. Nothing is edited, and repeating it writes nothing.
    """
    event = Event.objects.select_for_update(of=["self"]).get(pk=event_id)
    deserved: dict[int, tuple[Decimal, int | None]] = {}
    if event.state == Event.State.PUBLISHED:
        ranked = Standing.objects.filter(event=event, session=0, masterpoints__gt=0)
        for player, points, rank in (
            Member.objects.filter(contestant__standings__in=ranked)
            .values_list("player_id", "contestant__standings__masterpoints", "contestant__standings__rank")
            .filter(contestant__standings__session=0)
        ):
            deserved[player] = (points, rank)
    ledger = (
        Award.objects.filter(event=event).values("player_id").annotate(sum=Sum("points"), entries=Count("pk"))
    )
    had = {row["player_id"]: (row["sum"], row["entries"]) for row in ledger}
    entries = []
    for player in sorted(deserved.keys() | had.keys()):
        points, rank = deserved.get(player, (Decimal(0), None))
        sum_so_far, number = had.get(player, (Decimal(0), 0))
        if points != sum_so_far:
            entries.append(
                Award(event=event, player_id=player, entry=number + 1, rank=rank, points=points - sum_so_far)
            )
    Award.objects.bulk_create(entries)
    _add_to_totals(entries)
    return len(entries)


def _add_to_totals(entries: list[Award]) -> None:
    """Keep the players' totals in step with the ledger, in the order of the players so that no two events deadlock."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO masterpoints_total AS total (player_id, points)
               SELECT player, points FROM unnest(%s::bigint[], %s::numeric[]) AS entry(player, points) ORDER BY player
               ON CONFLICT (player_id) DO UPDATE SET points = total.points + excluded.points""",
            [[entry.player_id for entry in entries], [entry.points for entry in entries]],
        )
