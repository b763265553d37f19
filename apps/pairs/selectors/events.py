"""Which events there are, who may see them, and what of them may be seen."""

import unicodedata
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import date
from typing import Any
from zoneinfo import ZoneInfo

from django.conf import settings
from django.contrib.postgres.aggregates import StringAgg
from django.db import connection
from django.db.models import Count, Exists, F, OuterRef, Q, QuerySet, Subquery, Sum
from django.db.models.functions import MD5, Coalesce, Concat, TruncDate

from apps.pairs.models import Event, Round, Standing
from apps.results.models import Contestant, FieldBoard, Member, Result
from apps.results.selectors import Change, changes_of_contestant, changes_of_field
from apps.users import models as users
from apps.users.models import name_key


def unranked_events(field_id: int | None = None) -> list[int]:
    """Events whose boards were compared since they were ranked: all of them, or that of one field."""
    unranked = Event.objects.exclude(ranked_version=F("field__version"))
    if field_id is not None:
        unranked = unranked.filter(field=field_id)
    return list(unranked.values_list("pk", flat=True))


def untold_corrections() -> list[int]:
    """Corrections of the last day in published events of which a player with an account was not told."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT DISTINCT change.id
               FROM results_resultchange change
               JOIN results_result result ON result.id = change.result_id
               JOIN results_fieldboard board ON board.id = result.field_board_id
               JOIN pairs_event event ON event.field_id = board.field_id AND event.published_at <= change.at
               JOIN results_member member
                 ON member.contestant_id IN ((change.before ->> 'ns')::bigint, (change.before ->> 'ew')::bigint,
                                             (change.after ->> 'ns')::bigint, (change.after ->> 'ew')::bigint)
               JOIN users_player player ON player.id = member.player_id AND player.user_id IS NOT NULL
               WHERE change.at > now() - interval '1 day' AND NOT EXISTS (
                 SELECT FROM users_notice notice
                 WHERE notice.user_id = player.user_id AND notice.key = 'result corrected ' || change.id)
               ORDER BY change.id"""
        )
        return [change for (change,) in cursor.fetchall()]


def visible_events(user: object) -> QuerySet[Event]:
    """Published events and those announced; drafts too for those who direct."""
    events = Event.objects.select_related("field", "swiss")
    if isinstance(user, users.User) and user.directs:
        return events
    return events.exclude(state=Event.State.DRAFT)


def being_played(event: Event) -> QuerySet[Round, int]:
    """The number of the round that is being played, where there is one: its cards and results are nobody's business yet."""
    return Round.objects.filter(swiss=event.pk, state=Round.State.OPEN).values_list("number", flat=True)


def shown_results(event: Event) -> QuerySet[Result]:
    """The results of the event, without those of a round that is being played."""
    results = Result.objects.filter(field_board__field_id=event.field_id)
    return results.exclude(field_board__session__in=being_played(event))


def shown_changes(event: Event, contestant: int | None = None) -> list[Change]:
    """The corrections of the event, or of a pair, newest first, without those in a round that is being played.

    Five queries.
    """
    hidden = set(being_played(event))
    changes = changes_of_contestant(contestant) if contestant else changes_of_field(event.field_id)
    return [
        change
        for change in changes
        if not {change.before.field_board.session, change.after.field_board.session} & hidden
    ]


def versions_of(event_id: int) -> tuple[Any, ...] | None:
    """What changes whenever a page of a published event does, whoever looks; None when it is not public. One query."""
    names = (
        Member.objects.filter(contestant__field=OuterRef("field"))
        .order_by()
        .values("contestant__field")
        .annotate(
            names=StringAgg(
                Concat("player__country", "player__name"), "\n", order_by=("contestant__order", "position")
            )
        )
    )
    boards = (
        FieldBoard.objects.filter(field=OuterRef("field"))
        .order_by()
        .values("field")
        .annotate(recorded=Sum("results_version"), solved=Count("board__par_score"))
    )
    event = Event.objects.filter(pk=event_id, state=Event.State.PUBLISHED).annotate(
        names=MD5(Subquery(names.values("names"))),
        recorded=Subquery(boards.values("recorded")),
        solved=Subquery(boards.values("solved")),
    )
    columns = (
        "field__version",
        "ranked_version",
        "published_at",
        "title",
        "organisation",
        "venue",
        "played_on",
        "swiss__version",
    )
    return event.values_list(*columns, "names", "recorded", "solved").first()


EVENTS_A_PAGE = 30


@dataclass(frozen=True, slots=True)
class ListedEvent:
    """An event in the list, with those who won it."""

    event: Event
    day: date
    pairs: int
    boards: int
    winners: tuple[tuple[str, ...], ...]


Keyset = tuple[date, int]


def list_events(
    events: QuerySet[Event],
    *,
    method: str = "",
    text: str = "",
    after: Keyset | None = None,
    size: int = EVENTS_A_PAGE,
) -> tuple[list[ListedEvent], Keyset | None]:
    """A page of events, newest first, and after which one the next page begins. Two queries.

    An event without a day stands under that of its publication on the site's clocks, whoever reads the list. Those that
    are only announced, or being played, are not among them.

    Args:
        events: The events the viewer may see.
        method: Only those scored by this method.
        text: Only those with this in their title, their organisation or the name of a player.
        after: Continue after the event of this day and id.
        size: How many events make a page.
    """
    done = find_events(events.exclude(state=Event.State.ANNOUNCED), method=method, text=text)
    begun = TruncDate(Coalesce("published_at", "created_at"), tzinfo=ZoneInfo(settings.TIME_ZONE))
    found = done.annotate(day=Coalesce("played_on", begun))
    if after:
        found = found.filter(Q(day__lt=after[0]) | Q(day=after[0], pk__lt=after[1]))
    pairs = _count(Contestant.objects.filter(field=OuterRef("field")), "field")
    boards = _count(FieldBoard.objects.filter(field=OuterRef("field")), "field")
    ordered = found.annotate(pairs=pairs, boards=boards).order_by("-day", "-pk")[: size + 1]
    page, more = list(ordered)[:size], len(ordered) > size
    winners = _winners([event.pk for event in page])
    listed = [
        ListedEvent(event, event.day, event.pairs, event.boards, tuple(winners.get(event.pk, {}).values()))
        for event in page
    ]
    return listed, (page[-1].day, page[-1].pk) if more else None


def find_events(events: QuerySet[Event], *, method: str = "", text: str = "") -> QuerySet[Event]:
    """Those scored by this method, with this text in their title, their organisation or the name of a player."""
    if method:
        events = events.filter(field__method=method)
    if text := unicodedata.normalize("NFC", text):
        named = Member.objects.filter(
            contestant__field=OuterRef("field"), player__name_key__contains=name_key(text)
        )
        events = events.filter(Q(title__icontains=text) | Q(organisation__icontains=text) | Exists(named))
    return events


def _count(rows: QuerySet[Any], group: str) -> Coalesce:
    counted = rows.order_by().values(group).annotate(number=Count("pk")).values("number")
    return Coalesce(Subquery(counted), 0)


def _winners(event_ids: Sequence[int]) -> dict[int, dict[int, tuple[str, ...]]]:
    """By event and pair the names of those who stand first."""
    first = (
        Standing.objects.filter(event__in=event_ids, session=0, rank=1)
        .order_by("event_id", "contestant__order", "contestant__members__position")
        .values_list("event_id", "contestant_id", "contestant__members__player__name")
    )
    names: dict[int, dict[int, tuple[str, ...]]] = {}
    for event, contestant, name in first:
        pair = names.setdefault(event, {})
        if name:
            pair[contestant] = (*pair.get(contestant, ()), name)
    return names
