"""A round closed and the next one opened, end to end, beside the way a textbook would write it.

`deploy/bench round [--short]`. Everything that the bell does is in the figure: boards cut, scores, standings, pairing
without a rematch, certificate, seats, deals and notices to every player, in two transactions on PostgreSQL. That the
notices of the round before are marked as read is work of its own, which nobody waits for, and in neither figure.
"""

import gc
import sys
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from datetime import datetime, timedelta
from fractions import Fraction
from functools import partial
from statistics import median
from time import perf_counter
from typing import Any, cast

import numpy as np

from tests.benchmarks.harness import EASY, Figure, figure, growth, noise, report
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
    gc.freeze()  # as the clock does when all is loaded
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
    """The same evening as most programs write it: one object and one query a row, in the ORM, in one transaction.

    It has tables of its own for what is its own, with the same foreign keys, and pairs, deals and certifies by the same
    functions, so what differs is the way to and from the database. It leaves out what costs it nothing here, for no pair
    is missing, sits out or withdraws: walkovers, byes and penalties. Nor does it see to it that it can be repeated.
    """

    def __init__(self, evening: Evening) -> None:
        from django.db import connection, models

        from apps.pairs.models import Event
        from apps.results.models import Contestant, Result
        from apps.results.services import create_field
        from bridge.comparison import Method, Rules

        class TextbookPoints(models.Model):  # noqa: DJ008
            result = models.OneToOneField(Result, models.CASCADE, related_name="+", primary_key=True)
            ns_imps = models.IntegerField()

            class Meta:
                app_label = "pairs"

        class TextbookPair(models.Model):  # noqa: DJ008
            pair = models.OneToOneField(Contestant, models.CASCADE, related_name="+", primary_key=True)
            number = models.IntegerField()
            total = models.DecimalField(max_digits=9, decimal_places=2, default=0)
            rank = models.IntegerField(default=0)

            class Meta:
                app_label = "pairs"

        class TextbookRound(models.Model):  # noqa: DJ008
            number = models.IntegerField(primary_key=True)
            closes_at = models.DateTimeField()
            closed_at = models.DateTimeField(null=True)
            certificate = models.JSONField(null=True)

            class Meta:
                app_label = "pairs"

        class TextbookSeat(models.Model):  # noqa: DJ008
            round = models.ForeignKey(TextbookRound, models.CASCADE, related_name="seats")
            pair = models.ForeignKey(Contestant, models.CASCADE, related_name="+")
            table = models.IntegerField()
            side = models.CharField(max_length=2)

            class Meta:
                app_label = "pairs"

        class TextbookScore(models.Model):  # noqa: DJ008
            round = models.ForeignKey(TextbookRound, models.CASCADE, related_name="scores")
            pair = models.ForeignKey(Contestant, models.CASCADE, related_name="+")
            points = models.DecimalField(max_digits=9, decimal_places=2)

            class Meta:
                app_label = "pairs"

        self.evening = evening
        self.event = Event.objects.create(title="textbook", field=create_field(rules=Rules(Method.BUTLER)))
        self.models = (TextbookPoints, TextbookPair, TextbookRound, TextbookSeat, TextbookScore)
        self.points, self.pairs, self.rounds, self.seats, self.scores = map(partial(cast, Any), self.models)
        with connection.schema_editor() as editor:
            for model in self.models:
                editor.create_model(model)
        for number, pair in enumerate(evening.pairs, 1):
            self.pairs.objects.create(pair_id=pair, number=number)

    def sit(self, seats: Iterable[tuple[int, str, int]]) -> None:
        """Seat the first round as ours: table, side and pair of each seat."""
        from apps.clock.time import now

        self.rounds.objects.create(number=1, closes_at=now())
        self.seats.objects.bulk_create(
            self.seats(round_id=1, table=table, side=side, pair_id=pair) for table, side, pair in seats
        )

    def drop(self) -> None:
        from django.apps import apps
        from django.db import connection

        with connection.schema_editor() as editor:
            for model in reversed(self.models):
                editor.delete_model(model)
                del apps.all_models["pairs"][model.__name__.lower()]
        apps.clear_cache()

    def ring(self, number: int) -> float:
        """Seconds to close a round and open the next one."""
        from django.db import transaction

        from apps.pairs.models import Event

        began = perf_counter()
        with transaction.atomic():
            Event.objects.select_for_update().get(pk=self.event.pk)
            self._close(number)
            self._open(number + 1)
        return perf_counter() - began

    def _close(self, number: int) -> None:
        from apps.clock.models import DueWork
        from apps.clock.time import now
        from apps.results.models import FieldBoard

        closing = self.rounds.objects.get(number=number)
        boards = list(FieldBoard.objects.filter(field_id=self.evening.field, session=number))
        self._cut(boards, number)
        self._score(boards, number)
        for rank, pair in enumerate(self._order(), 1):
            pair.rank = rank
            pair.save()
        closing.closed_at = now()
        closing.save()
        self._plan(DueWork, "open", number + 1, closing.closed_at)

    def _cut(self, boards: Sequence[Any], number: int) -> None:
        from apps.results.models import Result
        from bridge.comparison import Method
        from bridge.round_scores import Cut, cut_ruling

        tables = self._tables(number)
        for board in boards:
            played = set(Result.objects.filter(field_board=board).values_list("ns_id", "ew_id"))
            for table, (ns, ew) in tables.items():
                if (ns, ew) not in played:
                    Result.objects.create(
                        field_board=board,
                        ns_id=ns,
                        ew_id=ew,
                        kind=Result.Kind.CUT,
                        source=Result.Source.ENTERED,
                        table=str(table),
                        ruling=cut_ruling(Method.BUTLER, Cut.MINUS).to_json(),
                    )

    def _score(self, boards: Sequence[Any], number: int) -> None:
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
                self.points.objects.create(result=result, ns_imps=won)
                margins[result.ns_id, result.ew_id] = margins.get((result.ns_id, result.ew_id), 0) + won
        for (ns, ew), margin in margins.items():
            for pair, points in zip((ns, ew), victory_points(margin, BOARDS), strict=True):
                self.scores.objects.create(round_id=number, pair_id=pair, points=points)
                row = self.pairs.objects.get(pair=pair)
                row.total += points
                row.save()

    def _open(self, number: int) -> None:
        from apps.boards.models import BoardSet
        from apps.clock.models import DueWork
        from apps.clock.time import now
        from apps.pairs.models import Session
        from bridge.swiss import Entrant, PlayedRound, certify, pair_round

        board_set = BoardSet.objects.create(name="textbook")
        Session.objects.create(event=self.event, number=number, board_set=board_set)
        self._deal(board_set, number)
        entrants = [
            Entrant(pair.pair_id, pair.number, Fraction(pair.total), BOARDS * (number - 1))
            for pair in self._order()
        ]
        history = [PlayedRound(tuple(self._tables(each).values())) for each in range(1, number)]
        drawn = pair_round(entrants, history)
        certificate = {
            "certificate": certify(entrants, history, drawn).to_json(),
            "standings": [[each.pair, str(each.total), each.completed, each.playing] for each in entrants],
        }
        closes_at = now() + timedelta(minutes=50)
        self.rounds.objects.create(number=number, closes_at=closes_at, certificate=certificate)
        for table in drawn.tables:
            for side, pair in (("NS", table.ns), ("EW", table.ew)):
                self.seats.objects.create(round_id=number, table=table.number, side=side, pair_id=pair)
                self._tell(pair, number, table.number)
        self._plan(DueWork, "close", number, closes_at)

    def _deal(self, board_set: Any, number: int) -> None:
        from apps.boards.models import Board
        from apps.results.models import FieldBoard
        from bridge.dealing import deal_board
        from bridge.seats import dealer, vulnerability

        for board in range(1, BOARDS + 1):
            dealt = Board.objects.create(
                board_set=board_set,
                number=board,
                dealer=dealer(board).letter,
                vulnerable=vulnerability(board).value,
                deal=deal_board(b"x" * 32, "textbook", round_number=number, board_number=board).pbn,
            )
            FieldBoard.objects.create(field=self.event.field, board=dealt, session=number)

    def _tell(self, pair: int, number: int, table: int) -> None:
        from apps.pairs.models import Entrant
        from apps.users.models import Notice

        for entrant in Entrant.objects.filter(entry_id=pair).select_related("player"):
            Notice.objects.create(
                user_id=entrant.player.user_id or 0,
                key=f"textbook {self.evening.event} {number}",
                message="%(event)s, round %(round)s: you sit at table %(table)s.",
                params={"event": self.event.title, "round": number, "table": table},
                url=self.event.get_absolute_url(),
            )

    def _order(self) -> list[Any]:
        return sorted(self.pairs.objects.all(), key=lambda pair: (-pair.total, pair.number))

    def _tables(self, number: int) -> dict[int, tuple[int, int]]:
        """North–South and East–West by table."""
        seats: dict[int, dict[str, int]] = {}
        for seat in self.seats.objects.filter(round_id=number).order_by("table"):
            seats.setdefault(seat.table, {})[seat.side] = seat.pair_id
        return {table: (pairs["NS"], pairs["EW"]) for table, pairs in seats.items()}

    def _plan(self, work: Any, what: str, number: int, due_at: datetime) -> None:
        work.objects.update_or_create(
            kind=f"textbook {what}", subject=self.event.pk, number=number, defaults={"due_at": due_at}
        )


def agree(textbook: Textbook, evening: Evening, number: int) -> None:
    """Both gave the same victory points, and seated the same pairs against one another."""
    from apps.pairs.models import RoundScore, Seat

    ours: dict[int, object] = {}
    for score in RoundScore.objects.filter(round__swiss=evening.event):
        ours[score.contestant_id] = ours.get(score.contestant_id, 0) + score.points  # type: ignore[operator]
    differ = [pair for pair in textbook.pairs.objects.all() if ours[pair.pair_id] != pair.total]
    if differ:
        raise SystemExit(f"{len(differ)} totals differ from the textbook's")
    seats = Seat.objects.filter(round__swiss=evening.event, round__number=number + 1)
    theirs = textbook.seats.objects.filter(round=number + 1)
    if set(seats.values_list("table", "contestant_id")) != set(theirs.values_list("table", "pair_id")):
        raise SystemExit("the next round is seated otherwise than the textbook's")


def beside_textbook(tables: int, goal: float, rounds: int) -> tuple[Figure, list[float], int]:
    """Ours and the textbook's on the same results, round by round: both, our seconds, our statements in one more."""
    from apps.pairs.models import Seat

    evening = make_evening(tables, rounds + 2)
    textbook = Textbook(evening)
    textbook.sit(
        (seat.table or 0, seat.side, seat.contestant_id)
        for seat in Seat.objects.filter(round__swiss=evening.event)
    )
    ours, peer = [], []
    for number in range(1, rounds + 1):
        play(evening, number)
        ours.append(ring(evening, number))
        peer.append(textbook.ring(number))
        agree(textbook, evening, number)
    textbook.drop()
    play(evening, rounds + 1)
    return figure(f"D1 {tables} tables", ours, peer, goal), ours, statements(evening, rounds + 1)


def alone(tables: int, rounds: int) -> list[float]:
    """Our seconds, round by round."""
    evening = make_evening(tables, rounds + 1)
    times = []
    for number in range(1, rounds + 1):
        play(evening, number)
        times.append(ring(evening, number))
    return times


def statements(evening: Evening, number: int) -> int:
    """How many statements a bell sends."""
    from django.db import connection
    from django.test.utils import CaptureQueriesContext

    with CaptureQueriesContext(connection) as sent:
        ring(evening, number)
    return len(sent)


def figures(*, short: bool = False) -> list[Figure]:
    """The figures, in a database that is there and migrated. A limit stands as a peer that takes just so long."""
    ease, rounds = (EASY, 3) if short else (1.0, 5)
    made, times, sent = [], {}, {}
    for tables, goal in ((10, 2.0), (25, 5.0), (100, 8.0), (500, 12.0), (1000, 15.0)):
        if short and tables > 500:
            continue
        line, times[tables], sent[tables] = beside_textbook(tables, goal * ease, rounds)
        made.append(line)
    print("statements:", ", ".join(f"{number} with {tables:,} tables" for tables, number in sent.items()))
    if len(set(sent.values())) > 1:
        raise SystemExit("the number of statements grows with the tables")
    made.append(growth("from 10 to 100 tables", times[10], times[100], 8.0 / ease))
    if not short:
        long = alone(1000, 20)
        made += [
            within("2,000 pairs x 8 boards, median (limit 0.15 s)", [median(long)], 0.15),
            within("2,000 pairs x 8 boards, worst of 20 (limit 0.4 s)", [max(long)], 0.4),
            within("1,000 pairs x 8 boards, median (limit 0.1 s)", [median(times[500])], 0.1),
            growth("from 100 to 1,000 tables", times[100], long, 8.0),
        ]
    return made


def main(arguments: list[str]) -> int:
    before = noise()
    with database():
        made = figures(short="--short" in arguments)
    return report("round", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
