"""What each card of a play was worth with all cards seen."""

import random
from typing import Any

import pytest

from apps.boards import services
from apps.boards.double_dummy import solve, solve_play
from apps.boards.models import Board, SolvedPlay
from apps.boards.services import (
    BoardFacts,
    ask_what_play_was_worth,
    create_board_set,
    solve_asked,
    solve_plays,
)
from apps.boards.tasks import sweep
from bridge.contracts import Contract, Strain
from bridge.dealing import DEALS, deal_with_number
from bridge.errors import IllegalCard
from bridge.play import Play
from bridge.seats import Seat
from tests.boards.test_boards import ONE_SUIT_EACH, swapped
from tests.faults.threads import at_once


def some_play(seed: int) -> tuple[str, Strain, Seat, list[Play]]:
    """A deal that is played with cards that are merely legal, and every position on the way."""
    chance = random.Random(seed)
    deal = deal_with_number(chance.randrange(DEALS))
    strain, declarer = chance.choice(list(Strain)), chance.choice(list(Seat))
    positions = [Play.begin(Contract(1, strain, declarer=declarer), deal)]
    while not positions[-1].is_over:
        positions.append(positions[-1].after(chance.choice(sorted(positions[-1].legal_cards()))))
    return deal.pbn, strain, declarer, positions


@pytest.mark.parametrize("seed", [1, 2])
def test_a_solved_play_starts_at_the_double_dummy_table_and_ends_at_the_tricks_taken(seed: int) -> None:
    deal, strain, declarer, positions = some_play(seed)
    cards = [card.text for card in positions[-1].cards()]
    tricks = solve_play(deal, strain.text, declarer.letter, cards)
    assert len(tricks) == 52
    table = solve([deal])[0]
    place = 5 * "NSEW".index(declarer.letter) + ["NT", "S", "H", "D", "C"].index(strain.text)
    assert min(tricks[0].values()) == int(table[place], 16)
    assert tricks[-1] == {cards[-1]: positions[-1].won}
    for place, card in enumerate(cards):
        position, after = positions[place], positions[place + 1]
        assert tricks[place].keys() == {legal.text for legal in position.legal_cards()}
        if after.turn is not None:
            best = max if after.turn.side is declarer.side else min
            assert tricks[place][card] == best(tricks[place + 1].values())


def test_a_card_that_gives_a_trick_away_is_known_from_one_that_does_not() -> None:
    (lead,) = solve_play(swapped(12, 12), "NT", "N", [])  # East holds one spade and twelve hearts
    assert lead["S2"] == 12
    assert lead["HA"] == lead["H3"] == 1


def test_the_next_card_is_solved_too_where_a_play_breaks_off() -> None:
    assert len(solve_play(ONE_SUIT_EACH, "NT", "N", [])) == 1
    assert len(solve_play(ONE_SUIT_EACH, "NT", "N", ["HA", "DA"])) == 3


def test_a_play_that_the_laws_do_not_allow_is_refused() -> None:
    with pytest.raises(IllegalCard):
        solve_play(ONE_SUIT_EACH, "NT", "N", ["SA"])


@pytest.mark.django_db
class TestAsked:
    @pytest.fixture
    def board(self) -> Board:
        return create_board_set(name="one", boards=[BoardFacts(1, ONE_SUIT_EACH)]).boards.get()

    def test_who_asks_twice_has_one_row_and_the_solver_is_told_once(
        self, board: Board, django_capture_on_commit_callbacks: Any
    ) -> None:
        with django_capture_on_commit_callbacks() as told:
            first = ask_what_play_was_worth(board_id=board.pk, strain="NT", declarer="N", cards=["HA"])
            again = ask_what_play_was_worth(board_id=board.pk, strain="NT", declarer="N", cards=["HA"])
        assert first == again
        assert first.tricks is None
        assert len(told) == 1

    def test_what_was_asked_is_solved_with_its_board(self, board: Board) -> None:
        play = ask_what_play_was_worth(board_id=board.pk, strain="NT", declarer="N", cards=["HA"])
        solve_asked(board_id=board.pk, play_id=play.pk)
        play.refresh_from_db()
        board.refresh_from_db()
        assert play.tricks and play.tricks[0]["HA"] == 0
        assert board.par_score == 1510

    def test_the_sweep_finds_what_no_message_came_for(
        self, board: Board, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        ask_what_play_was_worth(board_id=board.pk, strain="S", declarer="N", cards=[])
        sweep()
        play = SolvedPlay.objects.get()
        assert play.tricks and set(play.tricks[0].values()) == {13}
        monkeypatch.setattr(services, "solve_play", lambda *_: pytest.fail("solved again"))
        assert solve_plays() == 0


@pytest.mark.django_db(transaction=True)
def test_two_who_ask_at_once_have_one_row() -> None:
    board = create_board_set(name="one", boards=[BoardFacts(1, ONE_SUIT_EACH)]).boards.get()
    asked = [lambda: ask_what_play_was_worth(board_id=board.pk, strain="NT", declarer="N", cards=["HA"])] * 2
    answers = at_once(*asked)
    assert answers[0] == answers[1]
    assert SolvedPlay.objects.count() == 1
