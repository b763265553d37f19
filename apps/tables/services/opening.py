"""Tables are opened, many at once, for whatever they belong to."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from django.db import transaction
from django.db.models import OuterRef, Subquery

from apps.clock.services import schedule_all
from apps.clock.time import now
from apps.tables.hands import rules_to_data
from apps.tables.models import LETTERS, Sitting, Table, TableBoard
from apps.tables.selectors import titles_of
from apps.tables.services.boards import TURN, patience_of
from apps.tables.services.locks import hold, touch_all
from bridge.table import TableRules


@dataclass(frozen=True, slots=True)
class Chair:
    """Who is to sit on it, by the id of a player."""

    player: int


@dataclass(frozen=True, slots=True)
class Plan:
    """A table to be opened.

    Attributes:
        subject: The key under which whoever opens it will know it again; one of a purpose is opened once.
        chairs: By seat; seats that are left out are free.
        boards: Ids of the boards, in the order of play.
        place: Round and number of a table of an event; the title is the event then.
    """

    subject: str
    title: str
    chairs: Mapping[str, Chair]
    boards: Sequence[int]
    back: str = ""
    place: tuple[int, int] | tuple[None, None] = (None, None)


@dataclass(frozen=True, slots=True)
class House:
    """What all tables of an opening have in common.

    Attributes:
        casual: Whether anybody may take a free seat, and leave between boards. The boards are for this table alone.
        turn_seconds: For one call or card, before the director is called; None without such a limit.
        reconnect_seconds: For how long on one board a player may be away.
        pause_seconds: Between two boards, unless all four are ready before.
        closes_at: When the bell will ring; who opens the tables rings it.
    """

    rules: TableRules = field(default_factory=TableRules)
    casual: bool = False
    turn_seconds: int | None = None
    reconnect_seconds: int = 120
    pause_seconds: int = 15
    closes_at: datetime | None = None


@transaction.atomic
def open_tables(
    *, purpose: str, occasion: str, plans: Sequence[Plan], house: House | None = None
) -> dict[str, Table]:
    """Open tables, by their subjects, in a number of statements that does not grow with theirs. What is open stays as it is.

    Where all four are known the first board lies on the table at once.

    Args:
        purpose: What for, in one word, such as “practice”.
        occasion: What ends together, such as a round: what `cut_tables` asks for.
    """
    house = house or House()
    there = {table.subject: table for table in _tables(purpose, plans)}
    new = [plan for plan in plans if plan.subject not in there]
    if not new:
        return there
    at = now()
    tables = Table.objects.bulk_create(
        Table(
            purpose=purpose,
            occasion=occasion,
            subject=plan.subject,
            title=plan.title,
            round_number=plan.place[0],
            number=plan.place[1],
            back=plan.back,
            rules=rules_to_data(house.rules),
            casual=house.casual,
            turn_seconds=house.turn_seconds,
            reconnect_seconds=house.reconnect_seconds,
            pause_seconds=house.pause_seconds,
            opened_at=at,
            closes_at=house.closes_at,
        )
        for plan in new
    )
    opened = list(zip(tables, new, strict=True))
    titles = titles_of([chair.player for plan in new for chair in plan.chairs.values()])
    Sitting.objects.bulk_create(
        Sitting(table=table, seat=seat, player_id=chair.player, title=titles.get(chair.player, ""), sat_at=at)
        for table, plan in opened
        for seat, chair in plan.chairs.items()
    )
    TableBoard.objects.bulk_create(
        TableBoard(table=table, position=position, board_id=board)
        for table, plan in opened
        for position, board in enumerate(plan.boards, 1)
    )
    _begin([table for table, plan in opened if len(plan.chairs) == len(LETTERS)], at)
    if not house.casual:
        _call_away([chair.player for plan in new for chair in plan.chairs.values()])
    return there | {table.subject: table for table in _tables(purpose, new)}


def _call_away(players: Sequence[int]) -> None:
    """Let players who sit at casual tables see that another table of theirs is open."""
    elsewhere = Sitting.objects.filter(player__in=players, table__casual=True).values("table")
    touch_all(hold(Table.objects.filter(pk__in=elsewhere).exclude(state=Table.State.OVER)))


@transaction.atomic
def lead_on(*, purpose: str, occasion: str) -> None:
    """Let those who still look at the tables of an occasion that is over see that their next table is open."""
    touch_all(hold(Table.objects.filter(purpose=purpose, occasion=occasion, state=Table.State.OVER)))


def _tables(purpose: str, plans: Sequence[Plan]) -> list[Table]:
    return list(Table.objects.filter(purpose=purpose, subject__in=[plan.subject for plan in plans]))


def _begin(tables: Sequence[Table], at: datetime) -> None:
    """Lay the first board on each of these tables."""
    first = TableBoard.objects.filter(table__in=tables, position=1)
    first.update(state=TableBoard.State.PLAYING, opened_at=at, opened_version=1)
    of_table = TableBoard.objects.filter(table=OuterRef("pk"), position=1).values("pk")
    Table.objects.filter(pk__in=[table.pk for table in tables]).update(
        state=Table.State.PLAYING, version=1, current=Subquery(of_table)
    )
    if tables and (patience := patience_of(tables[0])):
        schedule_all(kind=TURN, due={table.pk: at + patience for table in tables})
