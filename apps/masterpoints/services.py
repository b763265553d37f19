"""Entries in the ledger of master points, the titles they bring, and the publication of rankings."""

from collections import defaultdict
from collections.abc import Sequence
from decimal import Decimal

from django.db import connection, transaction
from django.db.models import Count, Max, Sum
from django.urls import reverse
from django.utils.translation import gettext_noop as _

from apps.clock.services import record
from apps.clock.time import now
from apps.masterpoints.models import Award, Period, Ranking
from apps.masterpoints.selectors import DIGEST, latest_ranking, ledger, ledger_digest
from apps.masterpoints.titles import NAMES, WON
from apps.pairs.models import Event, Standing
from apps.pairs.selectors.decisions import reason_of_ranking
from apps.pairs.services.notices import UNSAID
from apps.results.models import Member
from apps.users.models import Player, User, Word
from apps.users.services import notify, notify_each
from bridge.errors import BridgeError
from bridge.masterpoints import title

AWARDED = _("Master points for %(event)s: %(points)s.")
CORRECTED = _("Your master points for %(event)s were corrected: %(points)s. Reason: %(reason)s")
RETITLED = _("By a correction of %(event)s your title is now: %(title)s. Reason: %(reason)s")
TAKEN_BACK = _("The event is not published any more.")

_PUBLISHING = 0x52616E6B  # the advisory lock of `publish_ranking`


@transaction.atomic
def award_event(*, event_id: int) -> int:
    """Bring the ledger to what the standings of the event say; returns the entries written.

    The first entry of a player is the award; whatever later changes the standings leads to a correction, an entry of
    its own. Titles that are reached, and what the players are told, go with the entries. Nothing is edited, and
    repeating it writes nothing.
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
    moment, why = now(), _reason(event)
    entries = []
    for player in sorted(deserved.keys() | had.keys()):
        points, rank = deserved.get(player, (Decimal(0), None))
        sum_so_far, number = had.get(player, (Decimal(0), 0))
        if points != sum_so_far:
            entries.append(
                Award(
                    event=event,
                    player_id=player,
                    entry=number + 1,
                    rank=rank,
                    points=points - sum_so_far,
                    reason=why if number else "",
                    awarded_at=moment,
                )
            )
    if entries:
        Award.objects.bulk_create(entries)
        totals = _add_to_totals(entries)
        _tell_awards(event, entries)
        winners = _give_titles(entries, totals)
        _tell_titles(event, [entry for entry in entries if entry.player_id not in winners], totals)
    return len(entries)


def _reason(event: Event) -> str:
    """Why the standings are others than when the ledger last followed them."""
    last = Award.objects.filter(event=event).aggregate(at=Max("awarded_at"))["at"]
    return reason_of_ranking(event, last) if last and event.state == Event.State.PUBLISHED else ""


def _told_reason(event: Event, entry: Award) -> Word:
    if entry.reason:
        return entry.reason
    return [UNSAID if event.state == Event.State.PUBLISHED else TAKEN_BACK]


def _add_to_totals(entries: Sequence[Award]) -> dict[int, Decimal]:
    """Keep the players' totals in step with the ledger, in the order of the players so that no two events deadlock."""
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO masterpoints_total AS total (player_id, points)
               SELECT player, points FROM unnest(%s::bigint[], %s::numeric[]) AS entry(player, points) ORDER BY player
               ON CONFLICT (player_id) DO UPDATE SET points = total.points + excluded.points
               RETURNING player_id, points""",
            [[entry.player_id for entry in entries], [entry.points for entry in entries]],
        )
        return dict(cursor.fetchall())


def _tell_awards(event: Event, entries: Sequence[Award]) -> None:
    users = _users(entries)
    words: dict[int, dict[int, dict[str, Word]]] = defaultdict(dict)  # by number of the entry
    for entry in entries:
        if user := users.get(entry.player_id):
            points = f"{entry.points.normalize():f}" if entry.entry == 1 else f"{entry.points.normalize():+f}"
            said: dict[str, Word] = {"event": event.title, "points": points.replace("-", "−")}
            if entry.entry > 1:
                said["reason"] = _told_reason(event, entry)
            words[entry.entry][user] = said
    for number, told in sorted(words.items()):
        notify_each(
            words=told,
            key=f"master points {event.pk}/{number}",
            message=AWARDED if number == 1 else CORRECTED,
            url=event.get_absolute_url(),
        )


def _tell_titles(event: Event, entries: Sequence[Award], totals: dict[int, Decimal]) -> None:
    """Tell those whose title a correction took, or gave back, which one they hold now."""
    users, words = _users(entries), {}
    for entry in entries:
        total = totals[entry.player_id]
        held, before = title(total), title(total - entry.points)
        if entry.entry > 1 and held != before and (user := users.get(entry.player_id)):
            said: dict[str, Word] = {"event": event.title, "title": [NAMES[held.level]]}
            words[user] = said | {"reason": _told_reason(event, entry)}
    if words:
        notify_each(words=words, key=f"title held {entries[0].pk}", message=RETITLED, url=reverse("pages:me"))


def _give_titles(entries: Sequence[Award], totals: dict[int, Decimal]) -> set[int]:
    """Write down the titles that these entries reach for the first time; each winner is told of the highest.

    Returns the players who won one.
    """
    reached = [
        (entry.player_id, level, entry.pk, entry.awarded_at)
        for entry in entries
        for level in range(1, title(totals[entry.player_id]).level + 1)
    ]
    if not reached:
        return set()
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO masterpoints_titlewon (player_id, level, award_id, won_at)
               SELECT * FROM unnest(%s::bigint[], %s::int[], %s::bigint[], %s::timestamptz[])
               ON CONFLICT (player_id, level) DO NOTHING RETURNING player_id, level""",
            [list(column) for column in zip(*reached, strict=True)],
        )
        new = cursor.fetchall()
    highest: dict[int, int] = {}
    for player, level in new:
        highest[player] = max(level, highest.get(player, 0))
    users = _users(entries)
    for level in sorted(set(highest.values())):
        winners = [users[player] for player, best in highest.items() if best == level and player in users]
        notify(users=winners, key=f"title {level}", message=WON[level], url=reverse("pages:me"))
    return set(highest)


def _users(entries: Sequence[Award]) -> dict[int, int]:
    """Player -> account, of those who have one."""
    players = [entry.player_id for entry in entries]
    return dict(Player.objects.filter(pk__in=players, user__isnull=False).values_list("pk", "user_id"))


class Stale(BridgeError):
    """What was looked at has changed since; worded for the administrator."""


@transaction.atomic
def publish_ranking(*, period: Period, digest: str, by: User | None) -> Ranking:
    """Publish what the ledger says about a month or a year, as the next version; earlier versions stay as they are.

    Repeating it publishes nothing more: while the ledger says the same, the version that stands is returned.

    Args:
        period: The month or year.
        digest: Of the ranking that was looked at.
        by: Who publishes it.

    Raises:
        Stale: The ledger says something else by now.
        BridgeError: Nobody has master points from the period.
    """
    with connection.cursor() as cursor:
        cursor.execute("SELECT pg_advisory_xact_lock(%s)", [_PUBLISHING])
    latest, says = latest_ranking(period), ledger_digest(period)
    if latest and latest.digest == says:
        return latest
    if not says and not latest:
        raise BridgeError("Nobody has master points from %(period)s yet.", period=period)
    ranking = Ranking.objects.create(
        kind=period.kind,
        starts_on=period.starts_on,
        version=latest.version + 1 if latest else 1,
        digest=says,
        published_at=now(),
        by=by,
    )
    if digest != says or _write_rows(ranking) != says:
        raise Stale("The master points of %(period)s have changed. Look at them again.", period=period)
    record(
        actor=by,
        action="masterpoints.published",
        subject_kind="masterpoints.ranking",
        subject_id=ranking.pk,
        before={"version": latest.version, "digest": latest.digest} if latest else None,
        after={"period": period.text, "version": ranking.version, "digest": says},
    )
    return ranking


def _write_rows(ranking: Ranking) -> str:
    """The rows of a ranking, and what they say, from one look at the ledger."""
    counted, params = ledger(ranking.period)
    with connection.cursor() as cursor:
        cursor.execute(
            f"""WITH ledger AS ({counted}), written AS (
                  INSERT INTO masterpoints_rankingrow (ranking_id, player_id, rank, tied, points)
                  SELECT %(ranking)s, player_id, rank, tied, points FROM ledger
                )
                SELECT {DIGEST} FROM ledger""",  # noqa: S608
            params | {"ranking": ranking.pk},
        )
        return str(cursor.fetchone()[0])
