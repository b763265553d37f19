import pytest

from apps.boards import services
from apps.boards.double_dummy import par, solve
from apps.boards.models import Board, DoubleDummy
from apps.boards.selectors import unsolved_boards
from apps.boards.services import BoardFacts, create_board_set, keep_double_dummy, solve_unsolved
from bridge.errors import ImpossibleDeal
from tests.faults.threads import at_once

SPADES, HEARTS, DIAMONDS, CLUBS = (
    "AKQJT98765432...",
    ".AKQJT98765432..",
    "..AKQJT98765432.",
    "...AKQJT98765432",
)
ONE_SUIT_EACH = f"N:{SPADES} {HEARTS} {DIAMONDS} {CLUBS}"
TABLE = "0d0d0" * 2 + "00d0d" * 2
"""North–South take every trick in spades and diamonds, East–West in hearts and clubs, the defenders all in no trump."""


def swapped(spade: int, heart: int) -> str:
    """North and East have changed one card with one another."""
    ranks = "AKQJT98765432"
    north = f"{ranks.replace(ranks[spade], '')}.{ranks[heart]}.."
    east = f"{ranks[spade]}.{ranks.replace(ranks[heart], '')}.."
    return f"N:{north} {east} {DIAMONDS} {CLUBS}"


def test_each_suit_in_one_hand_is_solved_as_anyone_can_see() -> None:
    assert solve([ONE_SUIT_EACH]) == [TABLE]


def test_more_deals_than_the_solver_takes_at_once_are_solved() -> None:
    deals = [swapped(spade, heart) for spade in range(5) for heart in range(9)]
    tables = solve(deals)
    assert len(tables) == len(deals) == 45
    assert all(len(table) == 20 for table in tables)
    assert tables[44] == solve([deals[44]])[0]


def test_par_depends_on_who_is_vulnerable() -> None:
    assert par(TABLE, "N", "None")[0] == 1510
    assert par(TABLE, "N", "NS")[0] == 2210
    assert par(TABLE, "N", "None")[1] == "7♠N=, 7♠S="


@pytest.mark.django_db
def test_a_deal_is_solved_once_and_its_par_follows_each_board(monkeypatch: pytest.MonkeyPatch) -> None:
    create_board_set(name="first", boards=[BoardFacts(1, ONE_SUIT_EACH), BoardFacts(2, ONE_SUIT_EACH)])
    assert solve_unsolved() == 2
    assert list(Board.objects.order_by("number").values_list("par_score", flat=True)) == [1510, 2210]
    assert list(DoubleDummy.objects.values_list("deal", "tricks")) == [(ONE_SUIT_EACH, TABLE)]
    monkeypatch.setattr(services, "solve", lambda deals: pytest.fail(f"solved again: {deals}"))
    create_board_set(name="second", boards=[BoardFacts(1, ONE_SUIT_EACH)])
    assert solve_unsolved() == 1
    assert solve_unsolved() == 0


@pytest.mark.django_db
def test_boards_without_all_their_cards_are_never_solved() -> None:
    hidden = f"N:{SPADES} - {DIAMONDS} -"
    create_board_set(name="half", boards=[BoardFacts(1), BoardFacts(2, hidden)])
    assert unsolved_boards(10) == []
    assert solve_unsolved() == 0


@pytest.mark.django_db
def test_a_table_that_another_worker_kept_first_stays() -> None:
    keep_double_dummy(tables={ONE_SUIT_EACH: TABLE})
    keep_double_dummy(tables={ONE_SUIT_EACH: "0" * 20})
    assert DoubleDummy.objects.get().tricks == TABLE


@pytest.mark.django_db(transaction=True)
def test_two_workers_solve_the_same_boards_at_once() -> None:
    create_board_set(name="both", boards=[BoardFacts(1, ONE_SUIT_EACH), BoardFacts(2, swapped(0, 0))])
    assert not [answer for answer in at_once(*[solve_unsolved] * 2) if isinstance(answer, Exception)]
    assert DoubleDummy.objects.count() == 2
    assert not Board.objects.filter(par_score=None).exists()


@pytest.mark.django_db
@pytest.mark.parametrize(
    "deal",
    [
        f"N:{SPADES} {HEARTS} {DIAMONDS} {DIAMONDS}",
        f"N:{SPADES} {HEARTS} {DIAMONDS} ...AKQJT9876543",
        f"N:{SPADES} {HEARTS} {DIAMONDS}",
        "garbage",
    ],
    ids=["a card twice", "twelve cards", "three hands", "no deal"],
)
def test_cards_that_cannot_be_make_no_set(deal: str) -> None:
    with pytest.raises(ImpossibleDeal):
        create_board_set(name="bad", boards=[BoardFacts(1), BoardFacts(2, deal)])
    assert not Board.objects.exists()


def test_a_doubled_contract_at_par_names_its_doubling_before_its_seat() -> None:
    score, contracts = par("2a252" + "2a252" + "b8b86" + "b8b76", "N", "EW")
    assert score == -300
    assert "XN-2" in contracts
