"""A round closed and the next one opened, end to end, beside the way a textbook would write it.

`deploy/bench round [--short]`. Everything that the bell does is in the figure: boards cut, scores, standings, pairing
without a rematch, certificate, seats, deals and notices to every player, in two transactions on PostgreSQL.
"""

import sys
from dataclasses import dataclass
from statistics import median
from time import perf_counter
from typing import Any, cast

import numpy as np

from tests.benchmarks.harness import EASY, Figure, figure, noise, report
from tests.benchmarks.rescore import database, within

BOARDS = 8


@dataclass(frozen=True, slots=True)
class Evening:
    """An event in play: its id, and the ids of its pairs."""

    event: int
    field: int
    pairs: list[int]


def make_evening(tables: int, rounds: int) -> Evening:
    """An event of so many tables whose first round is open; every player has an account."""

    from apps.boards.services import seal_deals
    from apps.clock.time import now
    from apps.pairs.models import Entrant, Entry, Event, Swiss
    from apps.pairs.services import rounds as steps
    from apps.results.services import ContestantFacts, add_contestants, create_field
    from apps.users.models import Player, User
    from bridge.comparison import Method, Rules

    field = create_field(rules=Rules(Method.BUTLER))
    field.by_session = True
    field.save()
    event = Event.objects.create(title=f"{tables} tables", field=field, state=Event.State.ANNOUNCED)
    moment = now()
    swiss = Swiss.objects.create(
        event=event,
        seal=seal_deals(name=f"pairs-{event.pk}"),
        zone="UTC",
        local_start="2026-11-30T20:00",
        starts_at=moment,
        rounds=rounds,
        boards=BOARDS,
        minutes=50,
        by_vps=True,
    )
    users = User.objects.bulk_create(
        User(username=f"e{event.pk}p{place}", password="!") for place in range(4 * tables)
    )
    players = Player.objects.bulk_create(
        Player(name=user.username, name_key=user.username, user=user) for user in users
    )
    made = add_contestants(
        field=field,
        contestants=[
            ContestantFacts(str(pair + 1), players[2 * pair : 2 * pair + 2]) for pair in range(2 * tables)
        ],
    )
    entries = Entry.objects.bulk_create(
        Entry(contestant=contestant, swiss=swiss, entered_at=moment) for contestant in made.values()
    )
    Entrant.objects.bulk_create(
        Entrant(swiss=swiss, entry=entry, player=player)
        for place, entry in enumerate(entries)
        for player in players[2 * place : 2 * place + 2]
    )
    steps.start(event_id=event.pk)
    steps.open_round(event_id=event.pk, number=1)
    _analyze()
    return Evening(event.pk, field.pk, [entry.pk for entry in entries])


def play(evening: Evening, number: int) -> None:
    """Every table has a result on every board; rows go in by COPY, and stand uncompared as the bell finds them."""
    from django.db import connection
    from django.db.models import F

    from apps.pairs.models import Seat
    from apps.results.models import FieldBoard

    seats: dict[int, dict[str, int]] = {}
    for table, side, pair in Seat.objects.filter(
        round__swiss=evening.event, round__number=number
    ).values_list("table", "side", "contestant_id"):
        if table is not None:
            seats.setdefault(table or 0, {})[side] = pair
    boards = list(FieldBoard.objects.filter(field_id=evening.field, session=number))
    draw = np.random.Generator(np.random.PCG64(number))
    usual = np.array(
        [-800, -500, -200, -100, -50, 50, 100, 110, 140, 170, 200, 400, 420, 450, 480, 620, 650, 980]
    )
    with connection.cursor() as cursor:
        copy = """COPY results_result (field_board_id, ns_id, ew_id, kind, source, strain, doubling, declarer, lead,
                  "table", round, ns_score, recorded_at) FROM STDIN"""
        with cursor.copy(copy) as rows:
            for board in boards:
                scores = usual[np.clip(draw.integers(0, 18) + draw.integers(-4, 5, len(seats)), 0, 17)]
                for (table, pairs), score in zip(sorted(seats.items()), scores.tolist(), strict=True):
                    rows.write_row(
                        (board.pk, pairs["NS"], pairs["EW"], "played", "entered", "", 0, "", "", str(table), number,
                         score, "2026-11-30T00:00:00Z")
                    )  # fmt: skip
    FieldBoard.objects.filter(field_id=evening.field, session=number).update(
        results_version=F("results_version") + 1
    )
    _analyze()


def ring(evening: Evening, number: int) -> float:
    """Seconds from the bell of a round until the next one is open."""
    from apps.pairs.services import rounds as steps

    began = perf_counter()
    if not steps.close_round(event_id=evening.event, number=number):
        raise SystemExit("the round did not close")
    if not steps.open_round(event_id=evening.event, number=number + 1):
        raise SystemExit("the next round did not open")
    return perf_counter() - began


def _analyze() -> None:
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute("ANALYZE")


class Textbook:
    """The same evening as most programs write it: one object and one query a row, in the ORM.

    It has tables of its own for points, totals and seats, and pairs by the same function, so what differs is the way to
    and from the database.
    """

    def __init__(self, evening: Evening) -> None:
        from django.db import connection, models

        class TextbookPoints(models.Model):  # noqa: DJ008
            result = models.BigIntegerField(primary_key=True)
            ns_imps = models.IntegerField()

            class Meta:
                app_label = "pairs"

        class TextbookPair(models.Model):  # noqa: DJ008
            pair = models.BigIntegerField(primary_key=True)
            number = models.IntegerField()
            total = models.DecimalField(max_digits=9, decimal_places=2, default=0)
            rank = models.IntegerField(default=0)

            class Meta:
                app_label = "pairs"

        class TextbookSeat(models.Model):  # noqa: DJ008
            round = models.IntegerField()
            table = models.IntegerField()
            ns = models.BigIntegerField()
            ew = models.BigIntegerField()

            class Meta:
                app_label = "pairs"

        self.evening = evening
        self.points = cast(Any, TextbookPoints)
        self.pairs = cast(Any, TextbookPair)
        self.seats = cast(Any, TextbookSeat)
        with connection.schema_editor() as editor:
            for model in (self.points, self.pairs, self.seats):
                editor.create_model(model)
        for number, pair in enumerate(evening.pairs, 1):
            self.pairs.objects.create(pair=pair, number=number)

    def drop(self) -> None:
        from django.apps import apps
        from django.db import connection

        with connection.schema_editor() as editor:
            for model in (self.points, self.pairs, self.seats):
                editor.delete_model(model)
                del apps.all_models["pairs"][model.__name__.lower()]

    def ring(self, number: int) -> float:
        """Seconds for scores, standings, pairing, seats, boards and notices of one round."""
        from django.db import transaction

        from apps.boards.models import Board, BoardSet
        from apps.pairs.models import Entrant
        from apps.results.models import FieldBoard
        from apps.users.models import Notice
        from bridge.dealing import deal_board
        from bridge.seats import dealer, vulnerability
        from bridge.swiss import Entrant as Drawn
        from bridge.swiss import PlayedRound, pair_round

        began = perf_counter()
        with transaction.atomic():
            self._score(FieldBoard.objects.filter(field_id=self.evening.field, session=number), number)
            order = sorted(self.pairs.objects.all(), key=lambda pair: (-pair.total, pair.number))
            for rank, pair in enumerate(order, 1):
                pair.rank = rank
                pair.save()
            history = [
                PlayedRound(
                    tuple(
                        (seat.ns, seat.ew) for seat in self.seats.objects.filter(round=each).order_by("table")
                    )
                )
                for each in range(1, number + 1)
            ]
            drawn = pair_round(
                [Drawn(pair.pair, pair.number, pair.total, BOARDS * number) for pair in order], history
            )
            board_set = BoardSet.objects.create(name="textbook")
            for board in range(1, BOARDS + 1):
                Board.objects.create(
                    board_set=board_set,
                    number=board,
                    dealer=dealer(board).letter,
                    vulnerable=vulnerability(board).value,
                    deal=deal_board(b"x" * 32, "textbook", round_number=number, board_number=board).pbn,
                )
            for table in drawn.tables:
                self.seats.objects.create(round=number + 1, table=table.number, ns=table.ns, ew=table.ew)
                for pair in (table.ns, table.ew):
                    for entrant in Entrant.objects.filter(entry_id=pair).select_related("player"):
                        Notice.objects.create(
                            user_id=entrant.player.user_id or 0,
                            key=f"textbook {self.evening.event} {number}",
                            message="Round %(round)s: table %(table)s.",
                            params={"round": number + 1, "table": table.number},
                            url="/",
                        )
        return perf_counter() - began

    def _score(self, boards: Any, number: int) -> None:
        from apps.results.models import Result
        from bridge.datum import datum
        from bridge.imps import imps
        from bridge.vps import victory_points

        margins: dict[tuple[int, int], int] = {}
        for board in boards:
            results = list(Result.objects.filter(field_board=board))
            yardstick = datum([result.ns_score for result in results if result.ns_score is not None])
            assert yardstick is not None
            for result in results:
                won = imps((result.ns_score or 0) - yardstick.score)
                self.points.objects.create(result=result.pk, ns_imps=won)
                margins[result.ns_id, result.ew_id] = margins.get((result.ns_id, result.ew_id), 0) + won
        for (ns, ew), margin in margins.items():
            for pair, points in zip((ns, ew), victory_points(margin, BOARDS), strict=True):
                row = self.pairs.objects.get(pair=pair)
                row.total += points
                row.save()


def agree(textbook: Textbook, evening: Evening, number: int) -> None:
    """Both gave the same victory points, and seated the same pairs against one another."""
    from apps.pairs.models import RoundScore, Seat

    ours: dict[int, object] = {}
    for score in RoundScore.objects.filter(round__swiss=evening.event):
        ours[score.contestant_id] = ours.get(score.contestant_id, 0) + score.points  # type: ignore[operator]
    differ = [pair for pair in textbook.pairs.objects.all() if ours[pair.pair] != pair.total]
    if differ:
        raise SystemExit(f"{len(differ)} totals differ from the textbook's")
    seats: dict[int, set[int]] = {}
    for table, pair in Seat.objects.filter(round__swiss=evening.event, round__number=number + 1).values_list(
        "table", "contestant_id"
    ):
        seats.setdefault(table or 0, set()).add(pair)
    theirs = {seat.table: {seat.ns, seat.ew} for seat in textbook.seats.objects.filter(round=number + 1)}
    if seats != theirs:
        raise SystemExit("the next round is seated otherwise than the textbook's")


def beside_textbook(tables: int, goal: float, rounds: int) -> tuple[Figure, list[float]]:
    """Ours and the textbook's on the same results, round by round."""
    from apps.pairs.models import Seat

    evening = make_evening(tables, rounds + 1)
    textbook = Textbook(evening)
    seats: dict[int, dict[str, int]] = {}
    for table, side, pair in Seat.objects.filter(round__swiss=evening.event).values_list(
        "table", "side", "contestant_id"
    ):
        seats.setdefault(table or 0, {})[side] = pair
    textbook.seats.objects.bulk_create(
        textbook.seats(round=1, table=table, ns=pair["NS"], ew=pair["EW"]) for table, pair in seats.items()
    )
    ours, peer = [], []
    for number in range(1, rounds + 1):
        play(evening, number)
        ours.append(ring(evening, number))
        peer.append(textbook.ring(number))
        agree(textbook, evening, number)
    textbook.drop()
    return figure(f"D1 {tables} tables", ours, peer, goal), ours


def alone(tables: int, rounds: int) -> list[float]:
    """Our seconds, round by round."""
    evening = make_evening(tables, rounds + 1)
    times = []
    for number in range(1, rounds + 1):
        play(evening, number)
        times.append(ring(evening, number))
    return times


def queries(tables: int) -> int:
    """How many statements the two steps send."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    evening = make_evening(tables, 2)
    play(evening, 1)
    with CaptureQueriesContext(connection) as sent:
        ring(evening, 1)
    return len(sent)


def figures(*, short: bool = False) -> list[Figure]:
    """The figures, in a database that is there and migrated. A limit stands as a peer that takes just so long."""
    ease, rounds = (EASY, 3) if short else (1.0, 5)
    made, times = [], {}
    for tables, goal in ((25, 5.0), (100, 8.0), (500, 12.0), (1000, 15.0)):
        if short and tables > 500:
            continue
        line, times[tables] = beside_textbook(tables, goal * ease, rounds)
        made.append(line)
    sent = {tables: queries(tables) for tables in (10, 100)}
    print(f"statements: {sent[10]} with 10 tables, {sent[100]} with 100")
    if sent[10] != sent[100]:
        raise SystemExit("the number of statements grows with the tables")
    if not short:
        long = alone(1000, 20)
        made += [
            within("2,000 pairs x 8 boards, median (limit 0.15 s)", [median(long)], 0.15),
            within("2,000 pairs x 8 boards, worst of 20 (limit 0.4 s)", [max(long)], 0.4),
            within("1,000 pairs x 8 boards, median (limit 0.1 s)", [median(times[500])], 0.1),
            within(
                "growth from 100 to 1,000 tables (limit 8 times)", [median(long) / median(times[100])], 8.0
            ),
        ]
    return made


def main(arguments: list[str]) -> int:
    before = noise()
    with database():
        made = figures(short="--short" in arguments)
    return report("round", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
