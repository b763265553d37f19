"""Writing a season down, through the services that every result comes through."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import date, timedelta
from decimal import Decimal

from allauth.account.models import EmailAddress
from django.db import transaction
from django.db.models import Q

from apps.boards.models import Board
from apps.boards.services import BoardFacts, create_board_set, keep_double_dummy, solve_boards
from apps.masterpoints.models import Period, Ranking
from apps.masterpoints.selectors import ledger_digest
from apps.masterpoints.services import award_event, publish_ranking
from apps.pages.demo.names import country_of
from apps.pages.demo.season import ME, PLANS, Decision, Season, Table, make_season
from apps.pages.demo.season import Event as PlayedEvent
from apps.pairs import models as pairs
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant, Field, FieldBoard, Penalty, Result
from apps.results.services import (
    ContestantFacts,
    Play,
    add_boards,
    add_contestants,
    change_result,
    contract_of,
    create_field,
    record_results,
)
from apps.users.demo import DEMO_LOGINS
from apps.users.models import Player, User, name_key
from bridge.comparison import Rules

ORGANISATION = "Datum 演示 demonstration"


def is_loaded() -> bool:
    """Whether the demo season is in this database."""
    return pairs.Event.objects.filter(organisation=ORGANISATION, title=PLANS[0].title).exists()


@transaction.atomic
def load_season(*, today: date, logins: bool = True) -> Season:
    """Load the season that ends on this date: all of it or nothing."""
    season = make_season(today)
    players = Player.objects.bulk_create(
        Player(name=name, name_key=name_key(name), country=country_of(name)) for name in season.players
    )
    users = make_logins(players[ME]) if logins else {}
    director = users.get("director")
    keep_double_dummy(tables=season.double_dummy)
    events = [_Entry(event, players, director) for event in season.events]
    for entry in events:
        entry.write()
    solve_boards(boards=list(Board.objects.exclude(deal="").filter(par_score=None)))
    for entry in events:
        if entry.played.plan.published:
            publish_event(event_id=entry.event.pk, by=director)
            award_event(event_id=entry.event.pk)
            entry.record_last_round()
            entry.correct_late(players[ME])
    _publish_rankings(today, users.get("admin"))
    return season


def _publish_rankings(today: date, administrator: User | None) -> None:
    """The rankings of last month and of this year so far."""
    last_month = (today.replace(day=1) - timedelta(days=1)).replace(day=1)
    for period in (
        Period(Ranking.Kind.MONTH, last_month),
        Period(Ranking.Kind.YEAR, today.replace(month=1, day=1)),
    ):
        if digest := ledger_digest(period):
            publish_ranking(period=period, digest=digest, by=administrator)


def make_logins(player: Player) -> Mapping[str, User]:
    """The accounts of `DEMO_LOGINS` by user name; the player's own name stands in the results."""
    users = {}
    for role, username, password in DEMO_LOGINS:
        user = User(username=username, email=f"{username}@datum.example", is_director=role == "director")
        user.is_staff = user.is_superuser = role == "administrator"
        user.set_password(password)
        user.save()
        EmailAddress.objects.create(user=user, email=user.email, verified=True, primary=True)
        users[username] = user
    player.user = users["player"]
    player.save()
    return users


@dataclass(frozen=True)
class _Rows:
    """The rows of an event that its results point to."""

    field: Field
    contestants: Sequence[Contestant]
    boards: Mapping[tuple[int, int], FieldBoard]  # by session and number


class _Entry:
    """One event on its way into the database."""

    event: pairs.Event
    rows: _Rows

    def __init__(self, played: PlayedEvent, players: Sequence[Player], director: User | None) -> None:
        self.played, self.players, self.director = played, players, director

    def write(self) -> None:
        """The event as a draft: its pairs and boards, all results but those still to come in, the rulings."""
        plan = self.played.plan
        field = create_field(rules=Rules(plan.method))
        contestants = add_contestants(
            field=field,
            contestants=[
                ContestantFacts(
                    label=pair.label,
                    players=[self.players[player] for player in pair.players],
                    direction=pair.direction,
                    status=Contestant.Status.WITHDRAWN if pair.withdrawn else Contestant.Status.ACTIVE,
                )
                for pair in self.played.pairs
            ],
        )
        self.event = pairs.Event.objects.create(
            title=plan.title,
            organisation=ORGANISATION,
            venue=plan.venue,
            played_on=self.played.played_on,
            field=field,
            winners=2 if plan.mitchell else 1,
            created_by=self.director,
        )
        boards = {}
        for number, deals in enumerate(self.played.boards, 1):
            board_set = create_board_set(
                name=f"{plan.title}, {number}" if plan.sessions > 1 else plan.title,
                boards=[BoardFacts(number=board, deal=deal) for board, deal in deals.items()],
            )
            pairs.Session.objects.create(
                event=self.event, number=number, played_on=self.played.played_on, board_set=board_set
            )
            for board, row in add_boards(field=field, board_set=board_set, session=number).items():
                boards[number, board] = row
        self.rows = _Rows(field, [contestants[pair.label] for pair in self.played.pairs], boards)
        self._record([table for table in self.played.tables if not self._comes_later(table)])
        for decision in self.played.decisions:
            self._decide(decision)
        for pair, points, reason in self.played.penalties:
            Penalty.objects.create(
                contestant=self.rows.contestants[pair],
                points=Decimal(points),
                reason=reason,
                given_by=self.director,
            )

    def record_last_round(self) -> None:
        """What comes in when the event is published already; the workers compare and rank it."""
        self._record([table for table in self.played.tables if self._comes_later(table)])

    def correct_late(self, player: Player) -> None:
        """In the event that is still open one of the player's results is corrected; he is told of it."""
        if not self.played.plan.still_open:
            return
        own = Q(ns__players=player) | Q(ew__players=player)
        results = Result.objects.filter(own, field_board__field=self.rows.field, kind=Result.Kind.PLAYED)
        result = results.filter(tricks__gt=0).earliest("pk")
        change_result(
            result_id=result.pk,
            by=self.director,
            reason="One trick was counted twice. 一墩计了两次。",
            contract=contract_of(result),
            tricks=(result.tricks or 0) - 1,
        )

    def _comes_later(self, table: Table) -> bool:
        return self.played.plan.still_open and table.round == self.played.plan.rounds

    def _record(self, tables: Sequence[Table]) -> None:
        if tables:
            plays = [self._play(table) for table in tables]
            record_results(field=self.rows.field, plays=plays, source=Result.Source.ENTERED)

    def _play(self, table: Table) -> Play:
        outcome = table.outcome
        ns, ew = self.played.pairs[table.ns].players, self.played.pairs[table.ew].players
        return Play(
            field_board=self.rows.boards[table.session, table.board],
            ns=self.rows.contestants[table.ns],
            ew=self.rows.contestants[table.ew],
            contract=outcome.contract if outcome else None,
            passed_out=outcome is not None and outcome.contract is None,
            tricks=outcome.tricks if outcome else None,
            lead=outcome.lead if outcome else "",
            round=table.round,
            table=str(table.table),
            seats=(self.players[ns[0]], self.players[ew[0]], self.players[ns[1]], self.players[ew[1]]),
        )

    def _decide(self, decision: Decision) -> None:
        """The director's change, with its trace; without a ruling the tricks were one off."""
        outcome = decision.table.outcome
        assert outcome is not None  # noqa: S101 - decisions are on boards that were played
        assert outcome.tricks is not None  # noqa: S101
        tricks = outcome.tricks
        if decision.ruling is None:
            tricks += 1 if tricks < 13 else -1
        board = self.rows.boards[decision.table.session, decision.table.board]
        result = Result.objects.get(field_board=board, ns=self.rows.contestants[decision.table.ns])
        change_result(
            result_id=result.pk,
            by=self.director,
            reason=decision.reason,
            contract=outcome.contract,
            tricks=tricks,
            ruling=decision.ruling,
        )
