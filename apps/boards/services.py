"""Changes to boards: sets that are dealt or imported, and what their cards can make."""

import secrets
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from django.db import transaction
from django.db.models.functions import Now
from django.views.decorators.debug import sensitive_variables

from apps.boards.double_dummy import BATCH, par, solve, solve_play
from apps.boards.models import Board, BoardSet, DoubleDummy, Seal, SolvedPlay
from apps.boards.selectors import double_dummy_of, unsolved_boards
from apps.boards.signals import solving_asked
from bridge.cards import Deal
from bridge.dealing import SEED_BYTES, DealingError, deal_board
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
    _add_boards(board_set, boards)
    return board_set


@sensitive_variables()
def _add_boards(board_set: BoardSet, boards: Iterable[BoardFacts]) -> None:
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


@sensitive_variables()
def seal_deals(*, name: str) -> Seal:
    """Draw a seed for the deals of this name and promise them; the first seed stays when this is repeated."""
    new = Seal(name=name)
    new.hide(secrets.token_bytes(SEED_BYTES))
    Seal.objects.bulk_create([new], ignore_conflicts=True)
    return Seal.objects.get(name=name)


@transaction.atomic
@sensitive_variables()
def deal_boards(*, seal_id: int, round_number: int, numbers: Iterable[int], title: str) -> BoardSet:
    """Deal the boards of a round, when it opens and not before; a round that is dealt already keeps its set.

    Raises:
        DealingError: The seed is known, the round was dealt with other boards, or no seed can be read.
    """
    seal = Seal.objects.select_for_update().get(pk=seal_id)
    wanted = sorted(set(numbers))
    if dealt := seal.board_sets.filter(round_number=round_number).first():
        if wanted != list(dealt.boards.order_by("number").values_list("number", flat=True)):
            raise DealingError("Round %(round)s was dealt with other boards.", round=round_number)
        return dealt
    if seal.is_revealed:
        raise DealingError(
            "The seed of %(name)s is public: nothing is dealt from it any more.", name=seal.name
        )
    seed = seal.secret()
    board_set = BoardSet.objects.create(name=title[:200], seal=seal, round_number=round_number)
    _add_boards(
        board_set,
        [
            BoardFacts(
                number, deal_board(seed, seal.name, round_number=round_number, board_number=number).pbn
            )
            for number in wanted
        ],
    )
    return board_set


@transaction.atomic
@sensitive_variables()
def reveal_seal(*, seal_id: int) -> Seal:
    """Publish the seed, when every board has been played; from then on nothing is dealt from it. Twice changes nothing.

    Raises:
        DealingError: The seed cannot be read.
    """
    seal = Seal.objects.select_for_update().get(pk=seal_id)
    if not seal.is_revealed:
        Seal.objects.filter(pk=seal_id).update(seed=seal.secret().hex(), revealed_at=Now())
        seal.refresh_from_db()
    return seal


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


@transaction.atomic
def ask_what_play_was_worth(*, board_id: int, strain: str, declarer: str, cards: Sequence[str]) -> SolvedPlay:
    """The play of a board of which all cards may be seen, to be solved soon unless it is; asked again it is the same."""
    board = Board.objects.get(pk=board_id)
    play, is_new = SolvedPlay.objects.get_or_create(
        deal=board.deal, strain=strain, declarer=declarer, cards="".join(cards)
    )
    if is_new:
        transaction.on_commit(
            lambda: solving_asked.send(sender=SolvedPlay, board_id=board.pk, play_id=play.pk)
        )
    return play


def solve_plays(*, limit: int = BATCH) -> int:
    """Solve what was asked and is not solved yet, the oldest first; returns how many. The solver runs outside any transaction."""
    asked = list(SolvedPlay.objects.filter(tricks__isnull=True).order_by("pk")[:limit])
    for play in asked:
        _solve_play(play)
    return len(asked)


def solve_asked(*, board_id: int, play_id: int) -> None:
    """Solve what somebody waits for: a play, and what the cards of its board can make. What is solved stays."""
    for play in SolvedPlay.objects.filter(pk=play_id, tricks__isnull=True):
        _solve_play(play)
    solve_boards(boards=list(Board.objects.filter(pk=board_id, par_score=None)))


def _solve_play(play: SolvedPlay) -> None:
    cards = [play.cards[at : at + 2] for at in range(0, len(play.cards), 2)]
    tricks = solve_play(play.deal, play.strain, play.declarer, cards)
    SolvedPlay.objects.filter(pk=play.pk).update(tricks=tricks)
