"""A board that is over is looked at again: what its calls meant, what each card was worth, for whom and from when on."""

from typing import Any

import pytest
from django.test import Client
from django.utils import translation
from django.utils.html import escape
from django.utils.translation import gettext

from apps.boards.models import Board, SolvedPlay
from apps.boards.services import BoardFacts, create_board_set, solve_boards, solve_plays
from apps.pages.system import places
from apps.tables.analysis import CardStep, analysis_of, moment_of
from apps.tables.models import Table, TableBoard
from apps.tables.selectors import record_of
from apps.tables.services.opening import House
from apps.tables.signals import publication_asked
from apps.tables.templatetags.meanings import VALUES, WORDS, in_readers_words
from bridge.auction import BIDS, DOUBLE, PASS
from bridge.cards import Card
from bridge.robot.meanings import PARTS, SUITS
from bridge.table import AnswerClaim, Claim, MakeCall, PlayCard, TableRules
from tests.boards.test_boards import swapped
from tests.tables.tables import do, make_cast, make_member, make_table, play_board, user_of, who_acts

pytestmark = pytest.mark.django_db

CASUAL = House(rules=TableRules(undo_cards=True), casual=True, pause_seconds=600)
SLIP = swapped(12, 12)
"""North has twelve spades and the two of hearts, East twelve hearts and the two of spades: who leads what is worth tricks."""
ONE_NOTRUMP = BIDS[4]


def finish(table: Table, *actions: Any, claim: int | None = None) -> TableBoard:
    """The board with these actions, and a claim for so many tricks that everybody accepts."""
    for action in actions:
        do(table, who_acts(table), action)
    players = {each.seat: each.player for each in table.sittings.select_related("player__user")}
    if claim is not None:
        do(table, players["N"], Claim(claim))
        for seat in "EW":
            do(table, players[seat], AnswerClaim(accept=True))
    return table.boards.select_related("board", "table").get(position=1)


def one_notrump(*leads: str, casual: bool = True, claim: int | None = None) -> TableBoard:
    """North plays 1NT, and these are the cards."""
    boards = create_board_set(name="slip", boards=[BoardFacts(1, SLIP)]).boards
    table = make_table(boards=[boards.get().pk], house=CASUAL if casual else None)
    calls = [MakeCall(ONE_NOTRUMP, alert=True, explanation="any hand"), *[MakeCall(PASS)] * 3]
    return finish(table, *calls, *(PlayCard(Card.from_text(lead)) for lead in leads), claim=claim)


def solve(played: TableBoard) -> None:
    solve_plays()
    solve_boards(boards=[Board.objects.get(pk=played.board_id)])


def page(played: TableBoard, *, user: Any = None, **query: Any) -> Any:
    client = Client()
    if user:
        client.force_login(user)
    return client.get(f"{played.get_absolute_url()}analysis/", query)


def test_a_card_that_gives_tricks_away_is_named_with_those_that_would_have_kept_them() -> None:
    played = one_notrump("S2", claim=12)
    analysis_of(record_of(played), me="E")
    solve(played)
    analysis = analysis_of(record_of(TableBoard.objects.get(pk=played.pk)), me="E")
    (slip,) = analysis.slips
    assert (slip.seat, slip.card, slip.lost, slip.own) == ("E", "S2", 11, True)
    assert slip.kept == (("H", "AKQJT9876543"),)
    assert (analysis.allowed, analysis.left, analysis.made) == (1, 12, 12)
    assert not analysis.waits
    assert analysis.against_par is not None


def test_a_card_that_gives_nothing_away_is_no_slip() -> None:
    played = one_notrump("HA", claim=1)
    analysis_of(record_of(played), me=None)
    solve(played)
    assert analysis_of(record_of(played), me=None).slips == ()


def test_before_the_solver_has_answered_the_page_says_so_and_asks_again() -> None:
    played = one_notrump("S2", claim=12)
    waits = page(played).content.decode()
    assert "being worked out" in waits
    assert "load delay" in waits
    solve(played)
    there = page(played).content.decode()
    assert "load delay" not in there
    assert "gave 11 tricks away" in there
    assert SolvedPlay.objects.count() == 1


def test_the_moment_before_a_card_shows_what_each_one_would_bring() -> None:
    played = one_notrump("S2", claim=12)
    page(played)
    solve(played)
    record = record_of(played)
    analysis = analysis_of(record, me="N")
    moment = moment_of(analysis, record, len(analysis.calls))
    assert moment
    assert isinstance(moment.step, CardStep)
    assert [(each.held, each.tricks, each.is_best, each.is_played) for each in moment.choices] == [
        ((("H", "AKQJT9876543"),), 1, True, False),
        ((("S", "2"),), 12, False, True),
    ]
    assert moment.hands["E"] == (("S", "2"), ("H", "AKQJT9876543"))
    assert moment_of(analysis, record, 99) is None


@pytest.mark.parametrize("at", ["0", "3", "4", "99", "x", "-1", "9" * 400])
def test_every_moment_can_be_asked_for(at: str) -> None:
    assert page(one_notrump("S2", claim=12), at=at).status_code == 200


def test_a_board_that_was_passed_out_has_an_auction_and_no_play() -> None:
    boards = create_board_set(name="slip", boards=[BoardFacts(1, SLIP)]).boards
    played = finish(make_table(boards=[boards.get().pk], house=CASUAL), *[MakeCall(PASS)] * 4)
    answer = page(played)
    assert answer.status_code == 200
    assert b"Card by card" not in answer.content
    assert not SolvedPlay.objects.exists()


def test_words_of_a_person_stand_as_they_were_said() -> None:
    assert "any hand" in page(one_notrump("S2", claim=12)).content.decode()


def test_a_doubled_contract_ends_as_it_is_doubled() -> None:
    boards = create_board_set(name="slip", boards=[BoardFacts(1, SLIP)]).boards
    table = make_table(boards=[boards.get().pk], house=CASUAL)
    lead = PlayCard(Card.from_text("HA"))
    played = finish(table, MakeCall(ONE_NOTRUMP), MakeCall(DOUBLE), *[MakeCall(PASS)] * 3, lead, claim=1)
    assert "1NTX" in page(played).content.decode().replace(" ", "")


class TestWhoMayAsk:
    def test_everybody_about_a_practice_board_that_is_over(self) -> None:
        played = one_notrump("S2", claim=12)
        assert page(played).status_code == 200
        assert page(played, user=user_of(make_member("Vera"))).status_code == 200

    def test_the_page_of_the_board_leads_there_as_soon_as_it_may(self) -> None:
        address = "/boards/1/analysis/"
        played = one_notrump("S2", claim=12)
        assert address in Client().get(played.get_absolute_url()).content.decode()
        cast = make_cast("Other ")
        of_an_event = make_table(cast, subject="2")
        play_board(of_an_event)
        client = Client()
        client.force_login(user_of(cast["N"]))
        page_of_board = client.get(of_an_event.boards.get(position=1).get_absolute_url())
        assert page_of_board.status_code == 200
        assert address not in page_of_board.content.decode()

    def test_nobody_about_a_board_that_is_still_played(self) -> None:
        table = make_table(house=CASUAL)
        playing = table.boards.get(position=1)
        assert page(playing, user=user_of(who_acts(table))).status_code == 404
        assert not SolvedPlay.objects.exists()

    def test_nobody_about_a_board_of_an_event_until_it_is_published(
        self, request: pytest.FixtureRequest
    ) -> None:
        cast = make_cast()
        table = make_table(cast)
        play_board(table)
        played = table.boards.get(position=1)
        director = make_member("Dora", director=True)
        for player in (*cast.values(), director):
            assert page(played, user=user_of(player)).status_code == 404
        assert not SolvedPlay.objects.exists()
        published = lambda **_: True  # noqa: E731
        publication_asked.connect(published, dispatch_uid="published")
        request.addfinalizer(lambda: publication_asked.disconnect(dispatch_uid="published"))
        for player in (*cast.values(), director):
            assert page(played, user=user_of(player)).status_code == 200


class TestTheSystem:
    def ask(self, **query: str) -> Any:
        return Client().get("/tables/system/", query)

    def test_the_last_call_of_an_auction_has_its_meaning(self) -> None:
        answer = self.ask(dealer="N", vulnerable="None", calls="Pass Pass 1H")
        assert answer.status_code == 200
        assert "hearts" in answer.json()["meaning"]

    @pytest.mark.parametrize(
        "query",
        [
            {},
            {"dealer": "N", "vulnerable": "None", "calls": ""},
            {"dealer": "Q", "vulnerable": "None", "calls": "1H"},
            {"dealer": "N", "vulnerable": "Some", "calls": "1H"},
            {"dealer": "N", "vulnerable": "None", "calls": "1H 1C"},
            {"dealer": "N", "vulnerable": "None", "calls": "1H 8C"},
            {"dealer": "N", "vulnerable": "None", "calls": "Pass " * 5},
            {"dealer": "N", "vulnerable": "None", "calls": "Pass " * 9000},
            {"dealer": "N" * 9000, "vulnerable": "None", "calls": "\0"},
        ],
    )
    def test_what_is_no_auction_is_refused(self, query: dict[str, str]) -> None:
        assert self.ask(**query).status_code == 400


class TestWords:
    def test_every_part_of_a_meaning_has_its_translation_and_nothing_else_has(self) -> None:
        assert WORDS.keys() == set(PARTS)
        assert VALUES.keys() == set(SUITS.values())

    def test_what_a_robot_says_is_said_in_the_language_of_the_reader(self) -> None:
        meant = "for takeout; 12-21 points; 5+ hearts; forcing"
        assert in_readers_words(meant) == meant
        with translation.override("zh-hans"):
            suit = gettext("hearts")
            assert suit != "hearts"
            assert suit in in_readers_words(meant)

    @pytest.mark.parametrize(
        "words", ["I like hearts", "5+ hearts, I think", "one diamonds", "12 clubs or so; forcing", ""]
    )
    def test_what_a_person_says_stays_as_it_was_written(self, words: str) -> None:
        with translation.override("zh-hans"):
            assert in_readers_words(words) == words

    def test_the_system_is_shown_from_the_rules_that_robots_bid_by(self) -> None:
        page = Client().get("/help/robots/").content.decode()
        for place in places():
            assert place.rules, place.title
            for _call, meaning in place.rules:
                assert not meaning or escape(meaning) in page
