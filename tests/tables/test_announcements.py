"""Words that go with a call that is not alerted: the opponents read them, partner does not."""

import json

import pytest

from apps.tables.models import StoredMeaning
from bridge.auction import PASS
from bridge.seats import Seat
from bridge.table import MakeCall
from tests.tables.tables import Browser, do, make_cast, make_table, who_acts

pytestmark = pytest.mark.django_db

WORDS = "12 to 14 points"


def test_opponents_read_an_announcement_at_once_and_partner_reads_nothing() -> None:
    cast = make_cast()
    table = make_table(cast)
    browsers = {player: Browser(player, table) for player in cast.values()}
    caller = who_acts(table)
    answer = browsers[caller].do("call", call="1NT", alert=False, explanation=WORDS)
    assert answer.status_code == 200
    seat = Seat.from_letter(browsers[caller].view()["me"])
    for browser in browsers.values():
        view = browser.view()
        (seen,) = view["board"]["calls"]
        assert seen["alert"] is False
        is_partner = view["me"] == seat.partner.letter
        assert (seen["text"] == WORDS) is not is_partner
        page = browser.client.get(table.get_absolute_url()).content.decode()
        assert (WORDS in page) is not is_partner
        assert (WORDS in json.dumps(view)) is not is_partner


def test_an_announced_meaning_is_offered_the_next_time_as_an_alerted_one_is() -> None:
    table = make_table()
    caller = who_acts(table)
    Browser(caller, table).do("call", call="1NT", explanation=WORDS)
    assert StoredMeaning.objects.get(player=caller).text == WORDS
    second = make_table(
        {each.seat: each.player for each in table.sittings.select_related("player")},
        boards=[table.boards.get(position=1).board_id],
        subject="2",
    )
    while who_acts(second) != caller:
        do(second, who_acts(second), MakeCall(PASS))
    assert Browser(caller, second).view()["meanings"] == {"1NT": WORDS}


def test_blanks_are_no_words_of_an_announcement_nor_kept_as_a_meaning() -> None:
    table = make_table()
    caller = who_acts(table)
    assert Browser(caller, table).do("call", call="1NT", explanation=" \u3000 ").status_code == 200
    shown = Browser(who_acts(table), table).view()["board"]["calls"]
    assert [(each["alert"], each["text"]) for each in shown] == [(False, "")]
    assert not StoredMeaning.objects.exists()
    assert MakeCall(PASS, explanation=" strong ").explanation == "strong"
