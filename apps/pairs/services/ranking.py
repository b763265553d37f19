"""The standings of an event, from scratch."""

from collections.abc import Collection, Iterable, Mapping
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from django.db import transaction

from apps.clock.services import record
from apps.clock.time import now
from apps.pairs.models import Entrant, Event, Standing, Swiss
from apps.pairs.selectors.decisions import RANKED_AGAIN, reasons_of_ranking
from apps.pairs.services.notices import UNSAID, Words, settle, tell, tell_each
from apps.pairs.services.points import BoardPoints, points_of
from apps.pairs.services.round_scores import rank_by_rounds, write_round_scores
from apps.pairs.signals import event_ranked
from apps.results.models import Contestant, Field, Penalty
from apps.results.services import compare_field, rank_corrections
from apps.users.models import Word
from bridge.comparison import Method, totals
from bridge.masterpoints import shared_awards
from bridge.standings import has_finished, places


@transaction.atomic
def rank_event(*, event_id: int) -> int:
    """Write all ranking lists of the event: over all and, with several sessions, each session; returns the rows.

    Repeating it writes the same rows. The event's row is locked, so two workers follow one another.
    """
    event = Event.objects.select_for_update(of=["self"], no_key=True).select_related("field").get(pk=event_id)
    version = Field.objects.values_list("version", flat=True).get(pk=event.field_id)
    corrections = rank_corrections(field_id=event.field_id) if event.state == Event.State.PUBLISHED else []
    if hasattr(event, "swiss"):
        write_round_scores(swiss=event.swiss)
        return rank_anew(swiss=event.swiss, version=version, corrections=corrections)
    points = points_of(event.field_id)
    lists = [0]
    if event.sessions.count() > 1:
        lists += list(event.sessions.values_list("number", flat=True))
    standings = [standing for session in lists for standing in _ranking_lists(event, points, session)]
    event.standings.all().delete()
    Standing.objects.bulk_create(standings, batch_size=2000)
    Event.objects.filter(pk=event_id).update(ranked_version=version)
    if event.state == Event.State.PUBLISHED:
        _note_reason(event, corrections)
        transaction.on_commit(partial(event_ranked.send, sender=Event, event_id=event_id), robust=True)
    return len(standings)


@transaction.atomic(savepoint=False)
def rank_anew(*, swiss: Swiss, version: int | None = None, corrections: Collection[int] = ()) -> int:
    """As `rank_by_rounds`, and when the event is over, pairs whose place it changes are told the new one, and why.

    What they were told of the old one is settled. A pair that is disqualified was told so, with the reason. `corrections`
    are the changes of results that no ranking before this one has counted.
    """
    if swiss.state not in (Swiss.State.FINISHED, Swiss.State.OFFICIAL):
        return rank_by_rounds(swiss=swiss, version=version)
    standings = Standing.objects.filter(event_id=swiss.pk, session=0).values_list("contestant_id", "rank")
    before = dict(standings)
    rows = rank_by_rounds(swiss=swiss, version=version)
    moved = {pair: rank for pair, rank in standings.all() if rank != before.get(pair)}
    why = _note_reason(swiss.event, corrections)
    if moved:
        _tell_moved(swiss, moved, why)
    return rows


def _note_reason(event: Event, corrections: Collection[int]) -> str:
    """Write into the log of an event that it was ranked again, and why, where somebody gave a reason; returns that."""
    why = reasons_of_ranking(event, corrections)
    if why:
        record(actor=None, action=RANKED_AGAIN, subject_kind="pairs.event", subject_id=event.pk, reason=why)
    return why


def _tell_moved(swiss: Swiss, moved: Mapping[int, int | None], why: str) -> None:
    out = Entrant.objects.filter(entry__contestant__status=Contestant.Status.DISQUALIFIED)
    players = dict(Entrant.objects.filter(entry__in=moved).values_list("player_id", "entry_id"))
    settle(swiss, "ranked", "unranked", "moved", "unplaced", players=players)
    reason: Word = why or [UNSAID]
    key = f"{now():%Y%m%d%H%M%S%f}"
    placed: list[tuple[int, Words]] = [
        (player, {"rank": rank, "reason": reason})
        for player, pair in players.items()
        if (rank := moved[pair])
    ]
    tell_each(swiss, "moved", placed, key=key)
    told = set(out.filter(swiss=swiss).values_list("player_id", flat=True))
    unplaced = [player for player, pair in players.items() if moved[pair] is None and player not in told]
    tell(swiss, "unplaced", unplaced, key=key, reason=reason)


def rescore_event(*, event_id: int) -> int:
    """Everything of the event from scratch: the points of all boards, then the standings; returns the boards."""
    with transaction.atomic():
        event = Event.objects.select_for_update(of=["self"], no_key=True).get(pk=event_id)
        boards = compare_field(field_id=event.field_id, everything=True)
        rank_event(event_id=event_id)
    return boards


def _ranking_lists(event: Event, points: BoardPoints, session: int) -> Iterable[Standing]:
    counted = (points.session == session) if session else np.ones(len(points.session), bool)
    contestants = list(Contestant.objects.filter(field_id=event.field_id).order_by("order"))
    place_of = {contestant.pk: place for place, contestant in enumerate(contestants)}
    owner = np.array([place_of[pk] for pk in points.contestant[counted].tolist()], np.int64)
    denominator = points.denominator[counted]
    won = totals(owner, points.points[counted], denominator, len(contestants))
    tops = totals(owner, points.top[counted], denominator, len(contestants))
    boards = np.bincount(owner, minlength=len(contestants))
    penalties = _penalties(event, session)
    directions = ["NS", "EW"] if event.winners == 2 else [""]
    for direction in directions:
        mine = [
            place
            for place, each in enumerate(contestants)
            if event.winners == 1 or each.direction == direction
        ]
        if session:
            mine = [place for place in mine if boards[place]]
        yield from _ranking_list(
            event,
            session,
            [contestants[place] for place in mine],
            penalties,
            mine,
            won,
            tops,
            boards.tolist(),
        )


def _ranking_list(
    event: Event,
    session: int,
    contestants: list[Contestant],
    penalties: dict[int, Decimal],
    mine: list[int],
    won: list[Fraction],
    tops: list[Fraction],
    boards: list[int],
) -> Iterable[Standing]:
    scheduled = max((boards[place] for place in mine), default=0)
    figures: list[tuple[Fraction, Fraction, Decimal]] = []
    ranked: list[bool] = []
    for contestant, place in zip(contestants, mine, strict=True):
        penalty = penalties.get(contestant.pk, Decimal(0))
        total = won[place] - Fraction(penalty)
        if event.field.method == Method.MP:
            score = 100 * total / tops[place] if tops[place] else Fraction(0)
        else:
            score = total
        figures.append((score, total, penalty))
        finished = boards[place] > 0 and has_finished(boards[place], scheduled, event.finish_percent)
        ranked.append(finished and contestant.status == Contestant.Status.ACTIVE)
    ranks = places([score for score, _, _ in figures], ranked)
    awards = [Decimal(0)] * len(mine)
    if event.awards_masterpoints and not session:
        awards = shared_awards([rank.rank for rank in ranks])
    order = sorted(
        range(len(mine)), key=lambda row: (not ranked[row], -figures[row][0], contestants[row].order)
    )
    for position, row in enumerate(order, 1):
        score, total, penalty = figures[row]
        yield Standing(
            event=event,
            contestant=contestants[row],
            session=session,
            rank=ranks[row].rank,
            tied=ranks[row].tied,
            position=position,
            boards=boards[mine[row]],
            score_numerator=score.numerator,
            score_denominator=score.denominator,
            total_numerator=total.numerator,
            total_denominator=total.denominator,
            penalty=penalty,
            masterpoints=awards[row],
        )


def _penalties(event: Event, session: int) -> dict[int, Decimal]:
    given = Penalty.objects.filter(contestant__field_id=event.field_id)
    if session:
        given = given.filter(session=session)
    sums: dict[int, Decimal] = {}
    for contestant, points in given.values_list("contestant_id", "points"):
        sums[contestant] = sums.get(contestant, Decimal(0)) + points
    return sums
