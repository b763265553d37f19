"""Changes to boards: sets that are dealt or imported, and what their cards can make."""

from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction

from apps.boards.double_dummy import BATCH, par, solve
from apps.boards.models import Board, BoardSet, DoubleDummy
from apps.boards.selectors import double_dummy_of, unsolved_boards
from bridge.cards import Deal
from bridge.seats import dealer, vulnerability


@dataclass(frozen=True, slots=True)
class BoardFacts:
    """A board to be made; dealer and vulnerability follow from the number when they are left out."""

    number: int
    deal: str = ""
    dealer: str = ""
    vulnerable: str = ""


@transaction.atomic
def create_board_set(*, name: str, boards: Iterable[BoardFacts]) -> BoardSet:
    """A set with these boards, in the order of their numbers.

    Raises:
        ImpossibleDeal: Cards that no four players can hold.
    """
    board_set = BoardSet.objects.create(name=name[:200])
    Board.objects.bulk_create(
        Board(
            board_set=board_set,
            number=board.number,
            dealer=board.dealer or dealer(board.number).letter,
            vulnerable=board.vulnerable or vulnerability(board.number).value,
            deal=Deal.from_pbn(board.deal).pbn if board.deal else "",
        )
        for board in sorted(boards, key=lambda board: board.number)
    )
    return board_set


def keep_double_dummy(*, tables: dict[str, str]) -> None:
    """Keep double-dummy tables by deal; one that is there already stays."""
    DoubleDummy.objects.bulk_create(
        [DoubleDummy(deal=deal, tricks=tricks) for deal, tricks in tables.items()], ignore_conflicts=True
    )


def solve_boards(*, boards: Sequence[Board]) -> int:
    """Solve what these boards' cards can make and keep it; returns how many boards got their par.

    A table is solved once for a deal, whatever boards carry it; par depends on dealer and vulnerability as well. The
    solver runs outside any transaction: it takes seconds.
    """
    deals = {board.deal for board in boards if board.deal and Deal.from_pbn(board.deal).is_complete}
    known = double_dummy_of(deals)
    missing = sorted(deals - known.keys())
    for start in range(0, len(missing), BATCH):
        batch = missing[start : start + BATCH]
        tables = dict(zip(batch, solve(batch), strict=True))
        keep_double_dummy(tables=tables)
        known |= tables
    solved = [board for board in boards if board.deal in known]
    for board in solved:
        board.par_score, board.par_contracts = par(known[board.deal], board.dealer, board.vulnerable)
    return Board.objects.bulk_update(solved, ["par_score", "par_contracts"], batch_size=500)


def solve_unsolved(*, limit: int = BATCH) -> int:
    """Solve some of the boards whose par is not known yet; returns how many."""
    return solve_boards(boards=unsolved_boards(limit))
