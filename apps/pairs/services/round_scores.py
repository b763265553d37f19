"""What rounds brought to pairs, and the ranking that they add up to."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from decimal import Decimal
from fractions import Fraction
from functools import partial
from math import lcm
from typing import NamedTuple

import numpy as np
from django.db import connection, transaction

from apps.pairs.models import Entry, Event, Round, RoundScore, Swiss
from apps.pairs.services.points import BoardPoints, points_of
from apps.pairs.signals import event_ranked
from apps.results.bulk import copy_rows
from apps.results.models import Contestant
from bridge.comparison import Method, totals
from bridge.masterpoints import award
from bridge.round_scores import absent_score, bye_score, round_vps
from bridge.standings import has_finished


@transaction.atomic(savepoint=False)
def write_round_scores(*, swiss: Swiss, rounds: Sequence[Round] | None = None) -> set[str]:
    """Derive what rounds brought from their results and seats: all that began, or those given.

    While a round is open its scores stand only where the event shows them (barometer): to all or to nobody, also for a
    pair that sits out. Repeating it writes the same rows.

    Returns:
        The kinds of scores that there are.
    """
    if rounds is None:
        rounds = list(Round.objects.filter(swiss=swiss).exclude(state=Round.State.PENDING))
    if not rounds:
        return set()
    points = points_of(swiss.event.field_id, [each.number for each in rounds])
    seating = _seating(rounds)
    scores = [
        score
        for each in rounds
        for score in _scores_of(swiss, each, seating[each.pk], points.of_session(each.number))
    ]
    with connection.cursor() as cursor:
        cursor.execute(
            "DELETE FROM pairs_roundscore WHERE round_id = ANY(%s)", [[each.pk for each in rounds]]
        )
    copy_rows(RoundScore, _COLUMNS, scores)
    return {score.kind for score in scores}


class _Place(NamedTuple):
    """Where an entry was in a round: at a table, there or missing; sitting out; or not in it."""

    contestant: int
    seated: bool
    table: int | None
    missing: bool


def _seating(rounds: Sequence[Round]) -> dict[int, list[_Place]]:
    """Every entry of the event in each of its rounds. One query."""
    with connection.cursor() as cursor:
        cursor.execute(
            """SELECT round.id, entry.contestant_id, seat.id IS NOT NULL, seat."table", coalesce(seat.missing, false)
               FROM pairs_round round JOIN pairs_entry entry ON entry.swiss_id = round.swiss_id
               LEFT JOIN pairs_seat seat ON seat.round_id = round.id AND seat.contestant_id = entry.contestant_id
               WHERE round.id = ANY(%s)""",
            [[each.pk for each in rounds]],
        )
        seating: dict[int, list[_Place]] = {each.pk: [] for each in rounds}
        for round_id, *place in cursor.fetchall():
            seating[round_id].append(_Place(*place))
    return seating


class _Score(NamedTuple):
    """A row of `RoundScore`."""

    round: int
    contestant: int
    kind: str
    numerator: int
    denominator: int
    completed: int


_COLUMNS = {
    "round_id": "int8",
    "contestant_id": "int8",
    "kind": "text",
    "numerator": "int8",
    "denominator": "int8",
    "completed": "int2",
}


def _scores_of(swiss: Swiss, each: Round, places: Sequence[_Place], points: BoardPoints) -> Iterable[_Score]:
    method, by_vps, boards = Method(swiss.event.field.method), swiss.by_vps, swiss.boards
    if each.state == Round.State.OPEN and not swiss.barometer:
        return
    tables = {place.table for place in places if place.table is not None}
    without = {place.table for place in places if place.missing}  # tables where somebody was not there
    bye = bye_score(method, by_vps=by_vps, boards=boards, tables=len(tables))
    absent = absent_score(method, by_vps=by_vps, boards=boards)
    won, completed = _won(method, points, [place.contestant for place in places])
    if by_vps:
        margins = [margin.as_integer_ratio() for margin in won]  # looked up much quicker than fractions
        vps = {margin: round_vps(Fraction(*margin), boards) for margin in set(margins)}
        won = [vps[margin] for margin in margins]
    round_id = each.pk

    def score(pair: int, kind: str, gained: Fraction, completed: int) -> _Score:
        return _Score(round_id, pair, kind, *gained.as_integer_ratio(), completed)

    for place, gained, played in zip(places, won, completed, strict=True):
        if place.seated and place.table is None:
            yield score(place.contestant, RoundScore.Kind.BYE, bye, boards)
        elif not place.seated:
            yield score(place.contestant, RoundScore.Kind.MISSED, Fraction(0), 0)
        elif place.missing:
            yield score(place.contestant, RoundScore.Kind.ABSENT, absent, 0)
        elif place.table in without:
            yield score(place.contestant, RoundScore.Kind.WALKOVER, bye, boards)
        else:
            yield score(place.contestant, RoundScore.Kind.PLAYED, gained, played)


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


@dataclass(frozen=True, slots=True)
class Position:
    """Where a pair stands: its total, penalties taken off, the boards it completed, its registration number.

    `scored` are the boards that the total is made of, completed or not: all of rounds that are over, and of the one
    being played, where it counts already, those that have a result.
    """

    contestant: int
    order: int
    state: str
    total: Fraction
    penalty: Decimal
    completed: int
    scored: int


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
    to_play = _boards_to_play(swiss) if swiss.barometer else {}
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
            total - Fraction(penalty) if penalty else total,
            penalty,
            int(completed),
            len(scores) * swiss.boards - to_play.get(contestant, 0),
        )
        for (contestant, order, state, status, scores, _, completed, penalty), total in zip(
            rows, sums, strict=True
        )
    ]
    if to_play and is_percentage(swiss):  # who has played more boards does not stand higher for it
        return sorted(
            standings, key=lambda each: (-each.total / max(each.scored, 1), -each.completed, each.order)
        )
    common = lcm(*(each.total.denominator for each in standings))  # whole numbers sort faster than fractions

    def place(each: Position) -> tuple[int, int, int]:
        return -each.total.numerator * (common // each.total.denominator), -each.completed, each.order

    return sorted(standings, key=place)


def is_percentage(swiss: Swiss) -> bool:
    """Whether the event is ranked by a percentage of the matchpoints, and not by a sum."""
    return swiss.event.field.method == Method.MP and not swiss.by_vps


def _boards_to_play(swiss: Swiss) -> dict[int, int]:
    """By pair the boards of the open round that it has not played yet."""
    playing = RoundScore.objects.filter(
        round__swiss=swiss, round__state=Round.State.OPEN, kind=RoundScore.Kind.PLAYED
    )
    return {
        pair: swiss.boards - completed for pair, completed in playing.values_list("contestant", "completed")
    }


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
    over = swiss.state in (Swiss.State.FINISHED, Swiss.State.OFFICIAL)
    ranked = [each.state != Entry.State.WITHDRAWN for each in order]
    if over:
        scheduled = swiss.boards * Round.objects.filter(swiss=swiss, state=Round.State.CLOSED).count()
        ranked = [
            counts and each.completed > 0 and has_finished(each.completed, scheduled, event.finish_percent)
            for each, counts in zip(order, ranked, strict=True)
        ]
    rank, finishers, by_percentage = 0, sum(ranked), is_percentage(swiss)
    rows = []
    for each, counts in sorted(zip(order, ranked, strict=True), key=lambda pair: not pair[1]):
        rank += counts
        points = 0
        if counts and over and event.awards_masterpoints:
            points = award(rank, finishers, min_finishers=swiss.min_finishers)
        score = each.total / max(each.scored, 1) if by_percentage else each.total
        rows.append((each, rank if counts else None, score, points))
    _upsert_standings(event, rows)
    if version is not None:
        Event.objects.filter(pk=event.pk).update(ranked_version=version)
    if event.state == Event.State.PUBLISHED:
        transaction.on_commit(partial(event_ranked.send, sender=Event, event_id=event.pk), robust=True)
    return len(rows)


def _upsert_standings(event: Event, rows: Sequence[tuple[Position, int | None, Fraction, int]]) -> None:
    """Write the rows in place of those that were there; no pair ever leaves an event that has a ranking."""
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
                _array(each.contestant for each, *_ in rows),
                _array(rank for _, rank, _, _ in rows),
                _array(range(1, len(rows) + 1)),
                _array(each.completed for each, *_ in rows),
                _array(score.numerator for _, _, score, _ in rows),
                _array(score.denominator for _, _, score, _ in rows),
                _array(each.total.numerator for each, *_ in rows),
                _array(each.total.denominator for each, *_ in rows),
                _array(each.penalty for each, *_ in rows),
                _array(points for *_, points in rows),
            ],
        )


def _array(numbers: Iterable[int | Decimal | None]) -> str:
    """Numbers as PostgreSQL writes an array of them, which is quicker than to have each adapted."""
    return f"{{{','.join('NULL' if number is None else str(number) for number in numbers)}}}"
