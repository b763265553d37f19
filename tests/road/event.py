"""An event that runs itself, on the servers of a `Place`: `python -m tests.road.event make|hurry|outcome …`.

Set up before the first card, and asked after the last; in between nobody directs. `hurry` only lets the time pass in
which nobody plays: while no table of an event is open, the clock goes at once to what is due next.
"""

import json
import sys
import time
from collections import defaultdict
from dataclasses import asdict
from fractions import Fraction
from typing import Any

import django


def make(pairs: int, rounds: int, boards: int) -> dict[str, Any]:
    """An event that is played at tables, and its pairs, who are present."""
    from apps.pairs.models import Swiss
    from apps.pairs.services.registration import enter_pair
    from apps.users.models import Player
    from tests.pairs.evening import make_swiss
    from tests.road.people import make_people

    swiss = make_swiss(play=Swiss.Play.TABLES, rounds=rounds, boards=boards, minutes=20)
    people = make_people(2 * pairs, "Pair")
    players = Player.objects.select_related("user").in_bulk(person.player for person in people)
    for one, other in zip(people[::2], people[1::2], strict=True):
        both = [players[one.player], players[other.player]]
        enter_pair(event_id=swiss.pk, players=both, by=both[0].user, present=True)
    return {"event": swiss.pk, "people": [asdict(person) for person in people]}


def hurry(event: int) -> None:
    """Until the event has finished."""
    from apps.clock.models import DueWork
    from apps.clock.time import move, now
    from apps.pairs.models import Swiss
    from apps.pairs.selectors.tables import PURPOSE
    from apps.tables.models import Table

    open_tables = Table.objects.filter(purpose=PURPOSE).exclude(state=Table.State.OVER)
    running = Swiss.objects.filter(pk=event, state__in=(Swiss.State.ANNOUNCED, Swiss.State.RUNNING))
    while running.exists():
        planned = DueWork.objects.filter(state=DueWork.State.PLANNED).order_by("due_at")
        due_at = planned.values_list("due_at", flat=True).first()
        wait = due_at - now() if due_at else None
        if wait and wait.total_seconds() > 0 and not open_tables.exists():
            move(wait)
        time.sleep(0.2)


def outcome(event: int) -> dict[str, Any]:
    """The results as they stand, the same as the tables had them, and the ranking; and the ranking by plain sums."""
    from apps.pairs.models import Standing, Swiss
    from apps.results.models import Result
    from apps.tables.models import TableBoard

    swiss = Swiss.objects.select_related("event").get(pk=event)
    results = list(
        Result.objects.filter(field_board__field=swiss.event.field_id)
        .select_related("field_board", "ns", "ew")
        .order_by("pk")
    )
    at_tables = TableBoard.objects.filter(table__purpose="pairs").values_list("board", "ns_score", "how")
    standings = Standing.objects.filter(event=event, session=0).select_related("contestant")
    return {
        "state": swiss.state,
        "kinds": [result.kind for result in results],
        "hows": [how for _, _, how in at_tables],
        "results": sorted([result.field_board.board_id, result.ns_score] for result in results),
        "tables": sorted([board, score] for board, score, _ in at_tables),
        "ranking": {
            each.contestant.order: [each.rank, str(Fraction(each.score_numerator, each.score_denominator))]
            for each in standings
        },
        "sums": {order: str(score) for order, score in matchpoints(results).items()},
    }


def matchpoints(results: list[Any]) -> dict[int, Fraction]:
    """Percentages by the pairs' numbers: two points for each table that did worse, one for each that did the same."""
    boards = defaultdict(list)
    for result in results:
        boards[result.field_board_id].append(result)
    points: dict[int, Fraction] = defaultdict(Fraction)
    most: dict[int, int] = defaultdict(int)
    for board in boards.values():
        top = 2 * (len(board) - 1)
        for mine in board:
            won = (
                sum((mine.ns_score > each.ns_score) + (mine.ns_score >= each.ns_score) for each in board) - 1
            )
            for pair, gets in ((mine.ns.order, won), (mine.ew.order, top - won)):
                points[pair] += gets
                most[pair] += top
    return {pair: 100 * points[pair] / most[pair] for pair in points}


if __name__ == "__main__":
    django.setup()
    what, *numbers = sys.argv[1:]
    said = {"make": make, "hurry": hurry, "outcome": outcome}[what](*map(int, numbers))  # type: ignore[operator]
    print(json.dumps(said))
