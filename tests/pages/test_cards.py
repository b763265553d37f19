import re

import pytest
from django.template import Context, Template
from django.utils.translation import override

from apps.boards.models import Board

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
TRICKS = "9a8889a8883354533545"


def diagram(board: Board, **context: object) -> str:
    template = Template("{% load cards %}{% hand_diagram board names %}")
    return template.render(Context({"board": board, "names": None, **context}))


def plain(html: str) -> str:
    return " ".join(re.sub(r"<[^>]+>", " ", html).split())


def board(
    number: int = 15, deal: str = DEAL, dealer: str = "S", vulnerable: str = "NS", **more: object
) -> Board:
    return Board(number=number, deal=deal, dealer=dealer, vulnerable=vulnerable, **more)


def test_a_diagram_shows_four_hands_with_the_ten_written_out() -> None:
    text = plain(diagram(board()))
    assert "♠\ufe0e A J 10 8 5" in text
    assert "♥\ufe0e 8 7 4 2" in text


def test_a_void_is_a_dash() -> None:
    void = "N:AKQJT98765432... .AKQJT98765432.. ..AKQJT98765432. ...AKQJT98765432"
    assert "♥\ufe0e —" in plain(diagram(board(deal=void)))


def test_dealer_and_vulnerability_are_said_in_words_and_coloured() -> None:
    html = diagram(board())
    assert "Dealer South" in plain(html)
    assert "North–South vulnerable" in plain(html)
    assert html.count('class="edge v"') == 2
    assert html.count('class="ring v"') == 1


def test_nobody_vulnerable_is_said_too() -> None:
    html = diagram(board(vulnerable="None"))
    assert "none vulnerable" in plain(html)
    assert "edge v" not in html


def test_points_are_named_for_those_who_do_not_see_the_drawing() -> None:
    assert 'aria-label="High-card points: North 15, East 1, South 10, West 14"' in diagram(board())


def test_players_take_the_place_of_the_seats_names_and_are_escaped() -> None:
    html = diagram(board(), names={"N": "<b>林书远</b>"})
    assert '<span class="name">&lt;b&gt;林书远&lt;/b&gt;</span>' in html
    assert '<span class="name">East</span>' in html


def test_a_hand_that_nobody_recorded_is_unknown() -> None:
    html = diagram(board(deal="N:KQ74.A6.KJ83.Q94 - - -"))
    assert plain(html).count("not recorded") == 3
    assert "East ?" in html


def test_a_board_without_cards_says_so() -> None:
    assert "Nobody recorded the cards of this board." in diagram(board(deal=""))


def makeable(board: Board, tricks: str | None) -> str:
    template = Template("{% load cards %}{% makeable board tricks %}")
    return template.render(Context({"board": board, "tricks": tricks}))


def test_levels_are_shown_by_seat_with_games_tinted_and_par() -> None:
    html = makeable(board(par_score=620, par_contracts="4♠N=, 4♠S="), TRICKS)
    assert html.count('<td class="game">') == 4
    assert "N 3 4 2 2 2 S 3 4 2 2 2 E – – – – – W – – – – –" in plain(html)
    assert "+620" in html


@pytest.mark.parametrize(
    ("language", "letters"), [("en", ["N", "S", "E", "W"]), ("zh-hans", ["北", "南", "东", "西"])]
)
def test_the_drawing_and_the_table_of_a_board_name_the_seats_in_one_way(
    language: str, letters: list[str]
) -> None:
    with override(language):
        drawing, table = diagram(board()), makeable(board(), TRICKS)
    assert re.findall(r"<text[^>]*>(\D)</text>", drawing) == [letters[0], letters[1], letters[3], letters[2]]
    assert re.findall(r"<abbr[^>]*>(\D)</abbr>", table) == letters


def test_a_deal_that_waits_for_the_solver_says_so() -> None:
    assert "being worked out" in makeable(board(), None)


def test_a_board_without_cards_has_nothing_to_make() -> None:
    assert makeable(board(deal=""), None).strip() == ""
