"""Questions about boards."""

from collections.abc import Iterable

from apps.boards.models import Board, DoubleDummy


def double_dummy_of(deals: Iterable[str]) -> dict[str, str]:
    """The double-dummy tables that are known, by deal."""
    return dict(DoubleDummy.objects.filter(deal__in=list(deals)).values_list("deal", "tricks"))


def unsolved_boards(limit: int) -> list[Board]:
    """Boards whose cards are all known and whose par is not; boards of one set together."""
    boards = (
        Board.objects.filter(par_score=None)
        .exclude(deal="")
        .exclude(deal__contains=" - ")
        .exclude(deal__endswith=" -")
    )
    return list(boards.exclude(deal__startswith="N:- ").order_by("board_set_id", "number")[:limit])
