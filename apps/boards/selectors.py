"""Questions about boards."""

from collections.abc import Iterable
from typing import Any

from django.db.models import F, Q
from django.db.models.functions import Coalesce
from django.utils.translation import gettext as _
from django.views.decorators.debug import sensitive_variables

from apps.boards.models import Board, DoubleDummy, Seal
from bridge.dealing import DealingError, commitment, deal_board
from bridge.seats import dealer, vulnerability


def double_dummy_of(deals: Iterable[str]) -> dict[str, str]:
    """The double-dummy tables that are known, by deal."""
    return dict(DoubleDummy.objects.filter(deal__in=list(deals)).values_list("deal", "tricks"))


def double_dummy_of_board(board_id: int) -> str | None:
    """The double-dummy table of a board, once it is known. One query."""
    deal = Board.objects.filter(pk=board_id).values("deal")[:1]
    return DoubleDummy.objects.filter(deal=deal).values_list("tricks", flat=True).first()


def unsolved_boards(limit: int) -> list[Board]:
    """Boards whose cards are all known and whose par is not; boards of one set together.

    Those of tables that are open to everybody come last, and only once they have been put on the table.
    """
    boards = Board.objects.alias(
        casual=Coalesce("table_boards__table__casual", False), opened=F("table_boards__opened_at")
    )
    boards = (
        boards.filter(Q(casual=False) | Q(opened__isnull=False), par_score=None)
        .exclude(deal="")
        .exclude(deal__contains=" - ")
        .exclude(deal__endswith=" -")
        .exclude(deal__startswith="N:- ")
    )
    return list(boards.order_by("casual", "board_set_id", "number").distinct()[:limit])


@sensitive_variables()
def deal_faults(seal: Seal) -> list[str]:
    """What is wrong with the boards dealt under this seal, a sentence each; none names a card, so it may be asked early.

    Raises:
        DealingError: The seed is not public yet and cannot be read.
    """
    seed = seal.secret()
    if commitment(seed, seal.name) != seal.commitment:
        return [_("The seed is not the one that was promised.")]
    faults = []
    for round_number, board in _dealt_boards(seal):
        where = {"round": round_number, "board": board.number}
        if (
            board.deal
            != deal_board(seed, seal.name, round_number=round_number, board_number=board.number).pbn
        ):
            faults.append(
                _("Round %(round)s, board %(board)s: these are not the cards that the seed gives.") % where
            )
        expected = dealer(board.number).letter, vulnerability(board.number).value
        if (board.dealer, board.vulnerable) != expected:
            faults.append(_("Round %(round)s, board %(board)s: dealer or vulnerability is wrong.") % where)
    return faults


def deal_record(seal: Seal) -> dict[str, Any]:
    """Everything that a stranger needs to deal the boards once more, ready for JSON.

    Raises:
        DealingError: The seed is not public yet.
    """
    if not seal.is_revealed:
        raise DealingError(
            "The seed of %(name)s is published when all boards have been played.", name=seal.name
        )
    return {
        "name": seal.name,
        "commitment": seal.commitment,
        "seed": seal.seed,
        "boards": [
            {"round": round_number, "board": board.number, "deal": board.deal}
            for round_number, board in _dealt_boards(seal)
        ],
    }


def _dealt_boards(seal: Seal) -> list[tuple[int, Board]]:
    boards = Board.objects.filter(board_set__seal=seal).annotate(round=F("board_set__round_number"))
    return [(board.round, board) for board in boards.order_by("round", "number")]
