"""Which tables of this site belong to a round, and what of them is still to be taken."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import QuerySet
from django.urls import reverse

from apps.pairs.models import Event, Round, Swiss
from apps.results.models import Result
from apps.tables.models import Table, TableBoard
from apps.tables.selectors import boards_of, boards_to_take
from apps.users.models import User
from bridge.contracts import read_contract

PURPOSE = "pairs"
FINISHED = (
    TableBoard.How.PASSED_OUT,
    TableBoard.How.PLAYED,
    TableBoard.How.CLAIMED,
    TableBoard.How.RULED,
)
"""How a board ends that has a result at once."""


def occasion_of(each: Round) -> str:
    return str(each.pk)


def table_number(subject: str) -> int:
    """The number of a table in its round, by the key under which it was opened: round, table, seating."""
    return int(subject.split("/")[1])


def rounds_of(purpose: str, subject: str) -> Iterator[int]:
    """The round to which a table belongs; none when it is no table of an event."""
    if purpose == PURPOSE:
        yield int(subject.split("/")[0])


def untaken(each: Round) -> "QuerySet[TableBoard]":
    """Boards that are over at the tables of a round, and of which nothing was recorded yet."""
    over = boards_of(PURPOSE, occasion_of(each)).filter(state=TableBoard.State.OVER, taken_at=None)
    return over.order_by("pk")


def rounds_to_take() -> list[int]:
    """Rounds with boards that were played out and are not recorded yet. One query."""
    boards = boards_to_take(PURPOSE).filter(how__in=FINISHED).order_by()
    return sorted(map(int, boards.values_list("table__occasion", flat=True).distinct()))


@dataclass(frozen=True, slots=True)
class OwnBoard:
    """A board at the table of this site at which a player sits."""

    played: TableBoard

    @property
    def result(self) -> Result | None:
        """What was played, as the tags that draw contracts take it."""
        if self.played.how == TableBoard.How.PASSED_OUT:
            return Result(kind=Result.Kind.PLAYED, level=0)
        contract = read_contract(self.played.contract)[0] if self.played.contract else None
        if contract is None:
            return None
        return Result(
            kind=Result.Kind.PLAYED,
            level=contract.level,
            strain=contract.strain.text,
            doubling=contract.doubling,
            declarer=self.played.declarer,
            tricks=self.played.tricks,
        )


@dataclass(frozen=True, slots=True)
class OwnTable:
    """The table of this site at which a player sits in a round, with its boards."""

    table: Table
    boards: list[OwnBoard]

    @property
    def finished(self) -> int:
        return sum(board.played.state == TableBoard.State.OVER for board in self.boards)

    @property
    def has_results(self) -> bool:
        return any(board.played.how in FINISHED for board in self.boards)


def own_table(each: Round, user: User) -> OwnTable | None:
    """Where a user sits in a round that is played here, at the table that was opened last. Two queries."""
    tables = Table.objects.filter(purpose=PURPOSE, occasion=occasion_of(each), sittings__player__user=user)
    table = tables.order_by("-pk").first()
    if table is None:
        return None
    boards = TableBoard.objects.filter(table=table).select_related("board").defer("board__deal")
    return OwnTable(table, [OwnBoard(board) for board in boards.order_by("position")])


def is_published(board: TableBoard) -> bool:
    """Whether everybody may see what was done on a board: its round is over, so that nobody can play it any more."""
    closed = Round.objects.filter(state=Round.State.CLOSED).exclude(swiss__event__state=Event.State.DRAFT)
    return closed.filter(pk__in=rounds_of(board.table.purpose, board.table.subject)).exists()


def replays_of(event: Event, *, session: int, number: int) -> dict[str, str]:
    """Where the play of a board can be seen, by the table of its result, once the round is over. Two queries, or none."""
    swiss = getattr(event, "swiss", None)
    if swiss is None or not swiss.has_tables:
        return {}
    rounds = Round.objects.filter(swiss=event.pk, number=session, state=Round.State.CLOSED)
    occasions = [occasion_of(each) for each in rounds]
    boards = TableBoard.objects.filter(
        table__purpose=PURPOSE, table__occasion__in=occasions, board__number=number, opened_at__isnull=False
    ).exclude(how=TableBoard.How.VOID)
    return {
        str(table_number(subject)): reverse("tables:board", args=[uuid, position])
        for subject, uuid, position in boards.order_by("pk").values_list(
            "table__subject", "table__uuid", "position"
        )
    }


def stands_still(table: Table) -> bool:
    """Whether a table belongs to an event that is suspended: nobody is blamed there for being away."""
    return any(
        Round.objects.filter(pk=round_id, swiss__state=Swiss.State.SUSPENDED).exists()
        for round_id in rounds_of(table.purpose, table.subject)
    )
