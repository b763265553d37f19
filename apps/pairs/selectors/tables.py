"""Which tables of this site belong to a round, and what of them is still to be taken."""

from collections.abc import Iterator
from dataclasses import dataclass

from django.db.models import Exists, OuterRef, QuerySet
from django.urls import reverse

from apps.clock.models import DueWork
from apps.pairs.models import Event, Round, Swiss
from apps.results.models import FieldBoard, Result
from apps.tables.models import DirectorCall, Table, TableBoard, TableEvent
from apps.tables.selectors import boards_of, boards_to_take
from apps.users.models import Player, User
from bridge.contracts import read_contract

PURPOSE = "pairs"
FINISHED = (
    TableBoard.How.PASSED_OUT,
    TableBoard.How.PLAYED,
    TableBoard.How.CLAIMED,
    TableBoard.How.RULED,
)
"""How a board ends that has a result at once."""
UNANSWERED = "pairs.unanswered"
"""What ends the further time that a result waits for the director's answer."""
SETTLED = (Swiss.State.OFFICIAL, Swiss.State.CANCELLED)
"""When nothing of an event is corrected any more."""


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


def events_of(table: Table) -> list[int]:
    """The event to which a table belongs; none when it is no table of an event."""
    rounds = Round.objects.filter(pk__in=rounds_of(table.purpose, table.subject))
    return list(rounds.values_list("swiss_id", flat=True))


def is_still_open(board: TableBoard) -> bool:
    """Whether what a board came to at a table can still be corrected: its event is not final, and was not cancelled."""
    return Swiss.objects.filter(pk__in=events_of(board.table)).exclude(state__in=SETTLED).exists()


def open_questions(swiss: Swiss) -> "QuerySet[DirectorCall]":
    """What was asked about the boards of closed tables of an event and has no answer yet."""
    occasions = [occasion_of(each) for each in swiss.all_rounds.all()]
    asked = DirectorCall.objects.filter(table__purpose=PURPOSE, table__occasion__in=occasions)
    return asked.filter(settled_at=None, afterwards=True)


def answered_events() -> list[int]:
    """Events that waited for an answer to be final, and have it."""
    waiting = DueWork.objects.filter(kind=UNANSWERED, state=DueWork.State.PLANNED).values("subject")
    events = Swiss.objects.filter(pk__in=waiting).order_by("pk")
    return [swiss.pk for swiss in events if not open_questions(swiss).exists()]


def boards_at_tables(board: FieldBoard) -> "QuerySet[TableBoard]":
    """A board of an event at all tables of this site where it was laid."""
    rounds = Round.objects.filter(swiss__event__field=board.field_id, number=board.session)
    occasions = [occasion_of(each) for each in rounds]
    return TableBoard.objects.filter(
        table__purpose=PURPOSE, table__occasion__in=occasions, board=board.board_id
    )


def boards_to_ask_about(event: Event, user: User) -> list[TableBoard]:
    """The boards that a user has played at tables of this site, while that can be corrected. Three queries, or none."""
    swiss = getattr(event, "swiss", None)
    if swiss is None or not swiss.has_tables or swiss.state in SETTLED:
        return []
    rounds = Round.objects.filter(swiss=event.pk, state=Round.State.CLOSED)
    played = TableBoard.objects.filter(
        table__purpose=PURPOSE,
        table__occasion__in=[occasion_of(each) for each in rounds],
        players__overlap=list(Player.objects.filter(user=user).values_list("pk", flat=True)),
        opened_at__isnull=False,
    )
    found = played.exclude(how=TableBoard.How.VOID).select_related("table", "board").defer("board__deal")
    return list(found.order_by("board__number"))


def result_of(board: TableBoard) -> Result | None:
    """What counts for a board at a table; None when it has no result. One query."""
    results = Result.objects.filter(
        field_board__field__event__swiss__all_rounds__in=[
            *rounds_of(board.table.purpose, board.table.subject)
        ],
        field_board__board=board.board_id,
        ns__members__player__in=board.players,
    )
    return (
        results.select_related("field_board__board").defer("field_board__board__deal").order_by("pk").first()
    )


def correction_page(board: TableBoard) -> str:
    """Where the result of a board at a table is corrected; empty when it has none. One query."""
    result = result_of(board)
    return reverse("results:correct", args=[result.pk]) if result else ""


@dataclass(frozen=True, slots=True)
class Replay:
    """Where a board can be seen as it was played. `has_cards`: some were; otherwise there was an auction alone."""

    url: str
    has_cards: bool


def replays_of(event: Event, *, session: int, number: int) -> dict[str, Replay]:
    """What can be seen of a board, by the table of its result, once the round is over: nothing where nobody called.

    Two queries, or none.
    """
    swiss = getattr(event, "swiss", None)
    if swiss is None or not swiss.has_tables:
        return {}
    rounds = Round.objects.filter(swiss=event.pk, number=session, state=Round.State.CLOSED)
    occasions = [occasion_of(each) for each in rounds]
    done = TableEvent.objects.filter(table_board=OuterRef("pk"))
    boards = (
        TableBoard.objects.filter(
            Exists(done.filter(action__do="call")),
            table__purpose=PURPOSE,
            table__occasion__in=occasions,
            board__number=number,
        )
        .exclude(how=TableBoard.How.VOID)
        .annotate(has_cards=Exists(done.filter(action__do="play")))
    )
    return {
        str(table_number(subject)): Replay(reverse("tables:board", args=[uuid, position]), has_cards)
        for subject, uuid, position, has_cards in boards.order_by("pk").values_list(
            "table__subject", "table__uuid", "position", "has_cards"
        )
    }


def stands_still(table: Table) -> bool:
    """Whether a table belongs to an event that is suspended: nobody is blamed there for being away."""
    return any(
        Round.objects.filter(pk=round_id, swiss__state=Swiss.State.SUSPENDED).exists()
        for round_id in rounds_of(table.purpose, table.subject)
    )
