"""What rounds brought to pairs, and the ranking that they add up to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial

import numpy as np
from django.db import connection, transaction

from apps.pairs.models import Entry, Event, Round, RoundScore, Seat, Standing, Swiss
from apps.pairs.services.points import BoardPoints, points_of
from apps.pairs.signals import event_ranked
from apps.results.models import Contestant
from bridge.comparison import Method, totals
from bridge.masterpoints import award
from bridge.round_scores import absent_score, bye_score, round_vps
from bridge.standings import has_finished


@transaction.atomic(savepoint=False)
def write_round_scores(*, swiss: Swiss, numbers: Sequence[int] | None = None) -> None:
    """Derive what rounds brought from their results and seats: all that began, or those given.

    While a round is open its scores stand only where the event shows them (barometer), and for a pair that sits out,
    which knows its score at once. Repeating it writes the same rows.
    """
    rounds = Round.objects.filter(swiss=swiss).exclude(state=Round.State.PENDING)
    if numbers is not None:
        rounds = rounds.filter(number__in=numbers)
    chosen = list(rounds)
    if not chosen:
        return
    points = points_of(swiss.event.field_id, [each.number for each in chosen])
    entries = list(Entry.objects.filter(swiss=swiss).values_list("pk", flat=True))
    seats: dict[int, list[Seat]] = {each.pk: [] for each in chosen}
    for seat in Seat.objects.filter(round__in=chosen):
        seats[seat.round_id].append(seat)
    scores = [
        score
        for each in chosen
        for score in _scores_of(swiss, each, seats[each.pk], points.of_session(each.number), entries)
    ]
    RoundScore.objects.filter(round__in=chosen).delete()
    _insert_scores(scores)


@dataclass(frozen=True, slots=True)
class _Score:
    round: int
    contestant: int
    kind: str
    points: Fraction
    completed: int


def _scores_of(
    swiss: Swiss, each: Round, seats: Sequence[Seat], points: BoardPoints, entries: Sequence[int]
) -> Iterable[_Score]:
    method, by_vps, boards = Method(swiss.event.field.method), swiss.by_vps, swiss.boards
    shown = each.state == Round.State.CLOSED or swiss.barometer
    tables = len({seat.table for seat in seats if seat.table is not None})
    missing = {seat.contestant_id for seat in seats if seat.missing}
    at_table: dict[int, list[int]] = {}
    for seat in seats:
        if seat.table is not None:
            at_table.setdefault(seat.table, []).append(seat.contestant_id)
    walkovers = {pair for pairs in at_table.values() if missing & set(pairs) for pair in pairs} - missing
    bye = bye_score(method, by_vps=by_vps, boards=boards, tables=tables)
    seated = [seat.contestant_id for seat in seats]
    won, completed = _won(method, points, seated)
    for place, seat in enumerate(seats):
        pair = seat.contestant_id
        if seat.table is None:
            yield _Score(each.pk, pair, RoundScore.Kind.BYE, bye, boards)
        elif not shown:
            continue
        elif pair in missing:
            absent = absent_score(method, by_vps=by_vps, boards=boards)
            yield _Score(each.pk, pair, RoundScore.Kind.ABSENT, absent, 0)
        elif pair in walkovers:
            yield _Score(each.pk, pair, RoundScore.Kind.WALKOVER, bye, boards)
        else:
            gained = round_vps(won[place], boards) if by_vps else won[place]
            yield _Score(each.pk, pair, RoundScore.Kind.PLAYED, gained, completed[place])
    if shown:
        for pair in sorted(set(entries) - set(seated)):
            yield _Score(each.pk, pair, RoundScore.Kind.MISSED, Fraction(0), 0)


def _won(method: Method, points: BoardPoints, pairs: Sequence[int]) -> tuple[list[Fraction], list[int]]:
    """For each pair the sum of its points, as percentages of the top in matchpoints, and its boards completed."""
    order = np.argsort(np.array(pairs, np.int64))
    known = np.array(pairs, np.int64)[order] if len(pairs) else np.zeros(0, np.int64)
    counted = np.isin(points.contestant, known)
    owner = order[np.searchsorted(known, points.contestant[counted])] if len(pairs) else known
    if method is Method.MP:
        won = totals(owner, 100 * points.points[counted], np.maximum(points.top[counted], 1), len(pairs))
    else:
        won = totals(owner, points.points[counted], points.denominator[counted], len(pairs))
    completed = np.bincount(owner[points.completed[counted]], minlength=len(pairs))
    return won, completed.tolist()


def _insert_scores(scores: Sequence[_Score]) -> None:
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO pairs_roundscore (round_id, contestant_id, kind, numerator, denominator, completed)
               SELECT * FROM unnest(%s::bigint[], %s::bigint[], %s::text[], %s::bigint[], %s::bigint[], %s::int[])""",
            [
                [score.round for score in scores],
                [score.contestant for score in scores],
                [str(score.kind) for score in scores],
                [score.points.numerator for score in scores],
                [score.points.denominator for score in scores],
                [score.completed for score in scores],
            ],
        )


@dataclass(frozen=True, slots=True)
class Position:
    """Where a pair stands: its total, penalties taken off, the boards it completed, its registration number.

    `rounds` are those that the total is made of: all that are over, and the one being played where it counts already.
    """

    contestant: int
    order: int
    state: str
    total: Fraction
    penalty: Decimal
    completed: int
    rounds: int


def standing_order(*, swiss: Swiss) -> list[Position]:
    """All entries by total, then boards completed, then registration: the order that seats and ranks follow (4.1)."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT entry.contestant_id, contestant."order", entry.state, contestant.status,
                      array_remove(array_agg(score.numerator), NULL), array_remove(array_agg(score.denominator), NULL),
                      coalesce(sum(score.completed), 0),
                      (SELECT coalesce(sum(penalty.points), 0) FROM results_penalty penalty
                       WHERE penalty.contestant_id = entry.contestant_id)
               FROM pairs_entry entry JOIN results_contestant contestant ON contestant.id = entry.contestant_id
               LEFT JOIN pairs_roundscore score ON score.contestant_id = entry.contestant_id
               WHERE entry.swiss_id = %s GROUP BY entry.contestant_id, contestant.id""",
            [swiss.pk],
        )
        rows = cursor.fetchall()
    owner = np.repeat(np.arange(len(rows)), [len(row[4]) for row in rows])
    sums = totals(
        owner,
        np.array([value for row in rows for value in row[4]], np.int64),
        np.array([value for row in rows for value in row[5]], np.int64),
        len(rows),
    )
    standings = [
        Position(
            contestant,
            order,
            state if status == Contestant.Status.ACTIVE else Entry.State.WITHDRAWN,
            total - Fraction(penalty),
            penalty,
            int(completed),
            len(scores),
        )
        for (contestant, order, state, status, scores, _, completed, penalty), total in zip(
            rows, sums, strict=True
        )
    ]
    return sorted(standings, key=lambda each: (-each.total, -each.completed, each.order))


@transaction.atomic(savepoint=False)
def rank_by_rounds(*, swiss: Swiss, version: int | None = None) -> int:
    """Write the ranking of an event that is played in rounds; returns its rows.

    Args:
        swiss: The event, locked by the caller.
        version: Of the field, when what every round brought was written from its points as they were then. Left out,
            the ranking is no more up to date than it was.

    Nobody shares a rank: earlier registration breaks every tie. While the event lasts everybody who takes part has a
    rank; in the end those who completed the share of boards that the event asks for.
    """
    event = swiss.event
    order = standing_order(swiss=swiss)
    begun = Round.objects.filter(swiss=swiss, state=Round.State.CLOSED).count()
    over = swiss.state in (Swiss.State.FINISHED, Swiss.State.OFFICIAL)
    scheduled = begun * swiss.boards
    ranked = [
        each.state != Entry.State.WITHDRAWN
        and (
            has_finished(each.completed, scheduled, event.finish_percent) and each.completed > 0
            if over
            else True
        )
        for each in order
    ]
    rank = 0
    finishers = sum(ranked)
    share = event.field.method == Method.MP and not swiss.by_vps
    rows = []
    for each, counts in sorted(zip(order, ranked, strict=True), key=lambda pair: not pair[1]):
        rank += counts
        points = award(rank, finishers) if counts and over and event.awards_masterpoints else 0
        score = each.total / max(each.rounds * swiss.boards, 1) if share else each.total
        rows.append((each, rank if counts else None, score, points))
    _upsert_standings(event, rows)
    if version is not None:
        Event.objects.filter(pk=event.pk).update(ranked_version=version)
    if event.state == Event.State.PUBLISHED:
        transaction.on_commit(partial(event_ranked.send, sender=Event, event_id=event.pk), robust=True)
    return len(rows)


def _upsert_standings(event: Event, rows: Sequence[tuple[Position, int | None, Fraction, int]]) -> None:
    Standing.objects.filter(event=event).exclude(
        contestant_id__in=[each.contestant for each, *_ in rows]
    ).delete()
    columns = (
        "rank, position, boards, score_numerator, score_denominator, total_numerator, total_denominator, penalty, "
        "masterpoints"
    )
    with connection.cursor() as cursor:
        cursor.execute(
            f"""INSERT INTO pairs_standing AS standing (event_id, session, tied, contestant_id, {columns})
                SELECT %s, 0, false, row.* FROM unnest(%s::bigint[], %s::int[], %s::int[], %s::int[], %s::bigint[],
                    %s::bigint[], %s::bigint[], %s::bigint[], %s::numeric[], %s::numeric[]) AS row
                ON CONFLICT (event_id, session, contestant_id) DO UPDATE
                SET ({columns}) = ({", ".join("excluded." + column.strip() for column in columns.split(","))})""",  # noqa: S608 - our own columns
            [
                event.pk,
                [each.contestant for each, *_ in rows],
                [rank for _, rank, _, _ in rows],
                list(range(1, len(rows) + 1)),
                [each.completed for each, *_ in rows],
                [score.numerator for _, _, score, _ in rows],
                [score.denominator for _, _, score, _ in rows],
                [each.total.numerator for each, *_ in rows],
                [each.total.denominator for each, *_ in rows],
                [each.penalty for each, *_ in rows],
                [points for *_, points in rows],
            ],
        )
