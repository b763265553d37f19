"""The pages of an event that runs itself: what each sees and can do, and what nobody sees too early."""

import random
import re
from collections.abc import Callable, Iterator
from decimal import Decimal
from fractions import Fraction
from pathlib import Path
from typing import Any
from uuid import uuid4

import pytest
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse
from pytest_django import DjangoAssertNumQueries

from apps.boards.models import Board
from apps.clock.selectors import audit_of
from apps.pairs.models import (
    DeskSeat,
    Entry,
    Event,
    Invitation,
    Round,
    RoundScore,
    Seat,
    Slip,
    SlipEntry,
    Swiss,
)
from apps.pairs.selectors import pairs_of
from apps.pairs.services import direction
from apps.pairs.services.penalties import penalize_pair
from apps.pairs.services.ranking import rescore_event
from apps.pairs.services.registration import withdraw_pair
from apps.pairs.services.rounds import cancel_locked
from apps.pairs.services.slips import Said, say_result
from apps.pairs.views import live_state
from apps.pairs.views.live_state import excerpt, live_of, rounds_of, terms_of
from apps.results.models import FieldBoard, Result, ResultChange
from apps.users.models import Player
from bridge.comparison import Method
from bridge.dealing import deal_with_number
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db


def client_of(player: Player) -> Client:
    assert player.user
    client = Client()
    client.force_login(player.user)
    return client


def page_of(client: Client, swiss: Swiss) -> str:
    return text_of(client, swiss.event.get_absolute_url())


def text_of(client: Client, address: str) -> str:
    response = client.get(address)
    assert response.status_code == 200, (address, response.status_code)
    return re.sub("</?bdi>", "", response.content.decode())


def do(client: Client, swiss: Swiss, act: str, **given: Any) -> Any:
    return client.post(reverse("pairs:act", args=[swiss.pk, act]), given, follow=True)


def seated(swiss: Swiss, table: int, side: str) -> Player:
    seat = Seat.objects.get(round__swiss=swiss, round__state=Round.State.OPEN, table=table, side=side)
    return Player.objects.filter(entrants__entry=seat.contestant_id).order_by("pk")[0]


def slip_of(swiss: Swiss, board: int = 1) -> str:
    return reverse("pairs:slip", args=[swiss.pk, board])


GAME = {"level": "4", "strain": "S", "doubling": "", "declarer": "N", "ending": "="}


def enter(client: Client, swiss: Swiss, board: int = 1, command: Any = None, **keys: str) -> Any:
    """Press the keys, see the score, save; and once more where the page asks."""
    given = {**GAME, "command": command or uuid4(), **keys}
    shown = client.post(slip_of(swiss, board), given)
    if shown.status_code != 200 or shown.context["form"].said is None:
        return shown
    return client.post(slip_of(swiss, board), {**given, "save": shown.context["form"].shown})


@pytest.fixture
def coming() -> Swiss:
    return make_swiss(presence_minutes=5, title="Harbour Swiss")


@pytest.fixture
def playing() -> Swiss:
    swiss = make_swiss(rounds=2, boards=2)
    enter_pairs(swiss, 5)
    start(swiss)
    return reload(swiss)


# ---- before


def test_what_comes_stands_first_and_says_when_and_how_many(client: Client, coming: Swiss) -> None:
    enter_pairs(coming, 3)
    for address in (reverse("pages:home"), reverse("pairs:events")):
        page = text_of(client, address)
        assert "Harbour Swiss" in page
        assert "3 pairs" in page
        assert "Europe/Athens" in page
    assert "Nobody waits for a partner" in page_of(client, coming)


def test_what_comes_and_what_is_played_is_found_by_title_scoring_and_player(client: Client) -> None:
    coming = make_swiss(title="Harbour Swiss", method=Method.MP)
    enter_pairs(coming, 2, "Guest")
    playing = make_swiss(title="Orchid Swiss", method=Method.BUTLER)
    enter_pairs(playing, 2)
    Swiss.objects.filter(pk=playing.pk).update(state=Swiss.State.RUNNING)

    def found(**query: str) -> set[str]:
        page = client.get(reverse("pairs:events"), query).content.decode()
        return {title for title in ("Harbour Swiss", "Orchid Swiss", "No event fits") if title in page}

    assert found() == {"Harbour Swiss", "Orchid Swiss"}
    assert found(q="harbour") == {"Harbour Swiss"}
    assert found(q="player 1") == {"Orchid Swiss"}
    assert found(method="BUTLER") == {"Orchid Swiss"}
    assert found(q="nothing of that kind") == {"No event fits"}


def test_the_head_of_an_event_that_runs_says_what_is_planned_and_counts_when_it_is_over(
    client: Client,
) -> None:
    swiss = make_swiss(rounds=2, boards=1)
    enter_pairs(swiss, 4)

    def head() -> str:
        page = page_of(client, swiss)
        return page[page.index('class="kicker"') : page.index("</header>", page.index('class="kicker"'))]

    assert "2 rounds of 1 board<" in head()
    start(swiss)
    assert "2 rounds of 1 board<" in head()
    assert "pairs" not in head()
    pass_time(minutes=60)
    assert "4 pairs · 2 boards" in head()


def test_rounds_and_boards_in_the_calendar_are_one_or_several(client: Client) -> None:
    swiss = make_swiss(rounds=1, boards=1)
    calendar = client.get(reverse("pairs:event_ics", args=[swiss.pk])).content.decode()
    assert "DESCRIPTION:1 round of 1 board. Start:" in calendar


@pytest.mark.parametrize("zone", ["", "America/Bogota"])
def test_a_moment_is_written_for_whoever_chose_a_zone_and_left_to_the_browser_of_others(
    client: Client, zone: str
) -> None:
    swiss = make_swiss()
    address = reverse("pairs:deals", args=[swiss.pk])
    if zone:
        reader = make_user("zoe")
        reader.time_zone = zone
        reader.save()
        client.force_login(reader)
    page = text_of(client, address)
    assert ("for you:" in page) == bool(zone)
    assert ('data-zone="Europe/Athens"' in page) == (not zone)
    assert "pages/hours" in page


def test_the_dealer_of_a_board_is_named_in_one_word_everywhere(playing: Swiss) -> None:
    client = client_of(seated(playing, 1, "NS"))
    assert "dealer North" in page_of(client, playing)
    assert "dealer North" in text_of(client, slip_of(playing, 1))


def test_a_draft_is_seen_by_nobody_but_directors(client: Client, coming: Swiss) -> None:
    Event.objects.filter(pk=coming.pk).update(state=Event.State.DRAFT)
    for name in ("event", "live", "screen", "rounds", "deals"):
        assert client.get(reverse(f"pairs:{name}", args=[coming.pk])).status_code == 404
    client.force_login(make_user("dora", director=True))
    assert client.get(coming.event.get_absolute_url()).status_code == 302


def test_two_enter_at_the_desk(coming: Swiss) -> None:
    nora, sue = make_members(2, "Desk")
    north, south = client_of(nora), client_of(sue)
    do(north, coming, "sit")
    assert "Desk 1" in page_of(south, coming)
    table = DeskSeat.objects.get().table
    do(south, coming, "sit", table=table)
    assert "Ask Desk 2 to leave" in page_of(north, coming)
    do(north, coming, "hand-up")
    do(south, coming, "hand-up")
    assert "<progress" in page_of(north, coming)
    pass_time(seconds=4)
    for client in (north, south):
        page = page_of(client, coming)
        assert "You are entered as pair 1" in page
        assert 'id="invite"' not in page


def test_a_chair_that_is_taken_is_refused_with_the_reason(coming: Swiss) -> None:
    for player in make_members(2, "Desk"):
        do(client_of(player), coming, "sit", table=1)
    page = do(client_of(make_members(1, "Late")[0]), coming, "sit", table=1)
    assert "Both chairs at table 1 are taken." in page.content.decode()


def test_who_is_asked_by_name_accepts_and_both_are_entered(coming: Swiss) -> None:
    nora, sue, ed = make_members(3, "Guest")
    do(client_of(nora), coming, "invite", name="guest 2")
    assert "Guest 1 would like to play this event with you." in page_of(client_of(sue), coming)
    assert "You asked Guest 2." in page_of(client_of(nora), coming)
    invitation = Invitation.objects.get().pk
    page = do(client_of(ed), coming, "accept", invitation=invitation).content.decode()
    assert "This invitation is not for you." in page
    do(client_of(sue), coming, "accept", invitation=invitation)
    assert Entry.objects.count() == 1


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("Nobody", "Nobody here is called Nobody."),
        ("Guest 1", "A pair is two different players."),
        ("Papa", "Papa has no account and cannot answer."),
        ("", "Nobody here is called"),
    ],
)
def test_a_name_that_cannot_be_asked_is_refused_with_the_reason(coming: Swiss, name: str, said: str) -> None:
    Player.objects.create(name="Papa")
    (nora,) = make_members(1, "Guest")
    assert said in do(client_of(nora), coming, "invite", name=name).content.decode()


def test_names_are_suggested_while_one_types(coming: Swiss) -> None:
    nora, *_others = make_members(3, "Guest")
    enter_pairs(coming, 1, "Guest of")
    address = reverse("pairs:names", args=[coming.pk])
    found = text_of(client_of(nora), f"{address}?name=gues")
    assert "Guest 2" in found
    assert "Guest 3" in found
    assert "Guest 1" not in found
    assert "Guest of" not in found  # entered already
    assert "Guest" not in text_of(client_of(nora), f"{address}?name=g")


def test_nobody_sees_a_button_that_would_be_refused() -> None:
    (vera,) = make_members(1, "Vera")
    listed = make_swiss(admission=Swiss.Admission.INVITED)
    full = make_swiss(max_pairs=2)
    enter_pairs(full, 2)
    for swiss, reason in ((listed, "is not on the list"), (full, "is full")):
        page = page_of(client_of(vera), swiss)
        assert reason in page
        assert reverse("pairs:act", args=[swiss.pk, "sit"]) not in page
        assert 'id="invite"' not in page


def test_who_is_not_signed_in_is_shown_the_way(client: Client, coming: Swiss) -> None:
    page = page_of(client, coming)
    assert f"{reverse('account_login')}?next={coming.event.get_absolute_url()}" in page
    answer = client.post(reverse("pairs:act", args=[coming.pk, "sit"]))
    assert answer.status_code == 302
    assert not DeskSeat.objects.exists()


def test_presence_is_asked_for_when_it_is_time(coming: Swiss) -> None:
    enter_pairs(coming, 2)
    player = Player.objects.get(name="Player 1")
    client, here = client_of(player), reverse("pairs:act", args=[coming.pk, "here"])
    live, asked = reverse("pairs:live", args=[coming.pk]), asked_by(page_of(client, coming))
    assert here not in page_of(client, coming)
    pass_time(minutes=6)
    assert client.get(live, asked).status_code == 200
    assert here in page_of(client, coming)
    do(client, coming, "here")
    assert "you are here" in page_of(client, coming)
    assert "2 take part · 1 is here" in page_of(client, coming)
    assert "nobody the same pair twice as long as that can be avoided" in page_of(client, coming)


def test_a_pair_withdraws_and_may_enter_again(coming: Swiss) -> None:
    enter_pairs(coming, 2)
    client = client_of(Player.objects.get(name="Player 1"))
    do(client, coming, "withdraw")
    assert reverse("pairs:act", args=[coming.pk, "sit"]) in page_of(client, coming)


def test_a_cancelled_event_says_why(client: Client, coming: Swiss) -> None:
    cancel_locked(coming, why="The roof leaks.")
    page = page_of(client, coming)
    assert "The roof leaks." in page
    assert "hx-trigger" not in page.split('id="live"')[1].split(">")[0]


# ---- during


def test_a_player_sees_his_seat_his_opponents_and_his_boards(playing: Swiss) -> None:
    north = seated(playing, 1, "NS")
    page = page_of(client_of(north), playing)
    assert "You sit North–South at table 1" in page
    assert slip_of(playing, 1) in page
    assert slip_of(playing, 2) in page
    closes_at = playing.all_rounds.get(state=Round.State.OPEN).closes_at
    assert f'data-until="{closes_at.isoformat()}"' in page
    assert "You play now: table 1" in text_of(client_of(north), reverse("pages:home"))


ABSENT = "at the bell your pair counts as absent, and your opponents have a walkover"
CUT = "boards without a result at the bell are cut"


def test_who_withdraws_from_a_table_is_told_what_becomes_of_the_round(playing: Swiss) -> None:
    north, east = seated(playing, 1, "NS"), seated(playing, 1, "EW")
    client = client_of(north)
    assert ABSENT in page_of(client, playing)  # beside the button, before it is pressed

    do(client, playing, "withdraw")

    page = page_of(client, playing)
    assert "Your pair has withdrawn." in page
    assert ABSENT in page
    assert "We are here and play on" in page
    assert "opponents withdrew" in page_of(client_of(east), playing)
    pass_time(minutes=20)
    kinds = RoundScore.objects.filter(contestant__entry__entrants__player__in=[north, east])
    assert {*kinds.values_list("kind", flat=True)} == {RoundScore.Kind.ABSENT, RoundScore.Kind.WALKOVER}


def test_who_withdraws_with_a_result_keeps_it(playing: Swiss) -> None:
    north = seated(playing, 1, "NS")
    client = client_of(north)
    assert north.user
    said = Said.read("4S N =")
    say_result(event_id=playing.pk, board=1, said=said, by=north.user, player=north, command=uuid4())
    assert CUT in page_of(client, playing)

    do(client, playing, "withdraw")

    page = page_of(client, playing)
    assert CUT in page
    assert ABSENT not in page
    pass_time(minutes=20)
    score = RoundScore.objects.get(contestant__entry__entrants__player=north, round__number=1)
    assert score.kind == RoundScore.Kind.PLAYED


def test_who_sits_out_or_waits_for_the_next_round_can_withdraw_too(playing: Swiss) -> None:
    bye = Seat.objects.get(table=None).contestant_id
    sits_out = client_of(Player.objects.filter(entrants__entry=bye).earliest("pk"))
    waits = client_of(seated(playing, 1, "NS"))
    withdraw = reverse("pairs:act", args=[playing.pk, "withdraw"])

    assert withdraw in page_of(sits_out, playing)
    pass_time(minutes=20)

    assert withdraw in page_of(waits, playing)
    do(waits, playing, "withdraw")
    assert withdraw not in page_of(waits, playing)


def test_a_long_list_shows_its_head_and_the_neighbourhood_of_the_own_pair(client: Client) -> None:
    swiss = make_swiss(rounds=2, boards=1)
    enter_pairs(swiss, 30)
    start(swiss)
    pass_time(minutes=21)
    player = Player.objects.filter(entrants__entry__contestant__order=17).earliest("pk")

    def ranks(client: Client, query: str = "") -> list[str]:
        page = client.get(swiss.event.get_absolute_url() + query).content.decode()
        rows = page.partition('id="standings-now"')[2].partition("</table>")[0]
        return re.findall(r'<td class="n">(\d+)</td>', rows)

    assert ranks(client) == [str(rank) for rank in range(1, 11)]
    assert ranks(client_of(player)) == ["1", "2", "3", "15", "16", "17", "18", "19"]
    assert ranks(client_of(player), "?all=1") == [str(rank) for rank in range(1, 31)]
    page = page_of(client, swiss)
    assert "All 30 pairs" in page
    assert "All 15 tables" in page
    asked = asked_by(page) | {"seen": "", "all": "1"}
    live = client.get(reverse("pairs:live", args=[swiss.pk]), asked).content.decode()
    assert "All 30 pairs" not in live
    assert "&amp;all=1" in live  # what fetches itself stays as it was asked for


@pytest.mark.parametrize(
    ("rows", "own", "runs"),
    [
        (10, 9, [[*range(10)]]),
        (11, None, [[*range(10)]]),
        (30, 0, [[*range(10)]]),
        (30, 7, [[*range(10)]]),
        (30, 8, [[0, 1, 2], [6, 7, 8, 9, 10]]),
        (30, 29, [[0, 1, 2], [27, 28, 29]]),
    ],
)
def test_an_excerpt_holds_the_own_row_with_its_neighbours(
    rows: int, own: int | None, runs: list[list[int]]
) -> None:
    shown = excerpt(range(rows), lambda row: row == own)
    assert [[*run] for run in shown.runs] == runs
    assert shown.is_whole is (rows == 10)


def test_names_from_right_to_left_stay_on_their_side_of_the_dash(client: Client, playing: Swiss) -> None:
    north = seated(playing, 1, "NS")
    partner = Player.objects.filter(entrants__entry__entrants__player=north).exclude(pk=north.pk).get()
    for player, name in ((north, "תמר הדסי"), (partner, "סמי דרורי")):
        player.name = name
        player.save()
    order = north.entrants.get().entry.contestant.order
    apart = re.compile(r"<bdi>תמר הדסי</bdi>(</a>)? – (<a [^>]*>)?<bdi>סמי דרורי</bdi>")
    plain = re.compile("(תמר הדסי|סמי דרורי)")
    client.force_login(make_user("dora", director=True))
    pass_time(minutes=20)
    pages = [
        *(
            reverse(f"pairs:{name}", args=[playing.pk])
            for name in ("event", "screen", "rounds", "scorecards")
        ),
        *(reverse(f"pairs:{name}", args=[playing.pk]) for name in ("direct_pairs", "travellers")),
        reverse("pairs:round", args=[playing.pk, 1]),
        reverse("pairs:scorecard", args=[playing.pk, order]),
    ]
    for address in pages:
        page = client.get(address).content.decode()
        assert apart.search(page), address
        for found in plain.finditer(page):
            assert page[found.start() - 1] in ">\u2068", (address, page[found.start() - 40 : found.end() + 9])


def test_who_sits_out_and_who_looks_on_see_no_slip(client: Client, playing: Swiss) -> None:
    bye = Seat.objects.get(table=None).contestant_id
    player = Player.objects.filter(entrants__entry=bye)[0]
    assert "Your pair sits out this round" in page_of(client_of(player), playing)
    for visitor in (client, client_of(player)):
        assert slip_of(playing) not in page_of(visitor, playing)
    assert client.get(slip_of(playing)).status_code == 302
    assert client_of(player).get(slip_of(playing)).status_code == 404


def test_one_side_enters_and_the_other_confirms_what_it_reads(playing: Swiss) -> None:
    north, east = (client_of(seated(playing, 1, side)) for side in ("NS", "EW"))
    shown = north.post(slip_of(playing), {**GAME, "command": uuid4()})
    assert "420 for North–South" in shown.content.decode()
    assert not Slip.objects.exists()
    enter(north, playing)
    assert "waits for your opponents" in page_of(north, playing)
    page = text_of(east, slip_of(playing))
    assert "Your opponents say" in page
    assert "420 for North–South" in page
    answer = east.post(slip_of(playing), {"confirm": Slip.objects.get().version, "command": uuid4()})
    assert answer.status_code == 302
    assert Slip.objects.get().state == Slip.State.CONFIRMED
    assert "confirmed" in page_of(north, playing)


def test_east_west_may_enter_first_and_a_passed_out_board_needs_one_key(playing: Swiss) -> None:
    east = client_of(seated(playing, 1, "EW"))
    enter(east, playing, level="P", strain="", declarer="", ending="")
    assert Slip.objects.get().ew_says == {"text": "Pass", "lead": ""}


def test_a_double_press_has_one_effect(playing: Swiss) -> None:
    north, command = client_of(seated(playing, 1, "NS")), uuid4()
    for _press in range(2):
        given = {**GAME, "command": command, "save": "4S N ="}
        assert north.post(slip_of(playing), given).status_code == 302
    assert SlipEntry.objects.count() == 1


def test_nothing_is_saved_that_was_not_shown(playing: Swiss) -> None:
    north = client_of(seated(playing, 1, "NS"))
    answer = north.post(slip_of(playing), {**GAME, "ending": "+1", "command": uuid4(), "save": "4S N ="})
    assert "450 for North–South" in answer.content.decode()
    assert not Slip.objects.exists()


@pytest.mark.parametrize(
    ("keys", "said"),
    [
        ({"text": "9S N ="}, "A contract has a level from 1 to 7, not 9."),
        ({"text": "4S N"}, "Say who played"),
        ({"level": "7", "ending": "+1"}, "tricks"),
        ({"text": "4S N =", "lead": "1H"}, "is not a card"),
        ({"strain": ""}, "Next: Strain"),
        ({"command": "no"}, "Show the score"),
    ],
)
def test_what_cannot_be_is_refused_in_words(playing: Swiss, keys: dict[str, str], said: str) -> None:
    north = client_of(seated(playing, 1, "NS"))
    answer = north.post(slip_of(playing), {**GAME, "command": uuid4(), "save": "4S N =", **keys})
    assert answer.status_code == 200
    assert said in answer.content.decode()
    assert not Slip.objects.exists()


def test_two_words_stand_side_by_side_until_they_are_one(playing: Swiss) -> None:
    north, east = (client_of(seated(playing, 1, side)) for side in ("NS", "EW"))
    enter(north, playing)
    enter(east, playing, ending="-1")
    for client in (north, east):
        page = text_of(client, slip_of(playing))
        assert "You do not agree yet" in page
        assert "420 for North–South" in page
        assert "50 for East–West" in page
    north.post(slip_of(playing), {"confirm": Slip.objects.get().version, "command": uuid4()})
    assert Slip.objects.get().state == Slip.State.CONFIRMED


def test_nobody_confirms_what_he_has_not_read(playing: Swiss) -> None:
    north, east = (client_of(seated(playing, 1, side)) for side in ("NS", "EW"))
    enter(north, playing)
    seen = Slip.objects.get().version
    enter(north, playing, ending="+1")
    answer = east.post(slip_of(playing), {"confirm": seen, "command": uuid4()})
    assert answer.status_code == 409
    assert "has changed meanwhile" in answer.content.decode()
    assert Slip.objects.get().state == Slip.State.ENTERED


def absent_lead(board: int) -> str:
    """A card that East, who leads against North, does not hold."""
    deal = Board.objects.get(number=board).deal
    spades = deal.removeprefix("N:").split()[0].split(".")[0]
    return "S" + spades[0] if spades else "H" + deal.split()[0].removeprefix("N:").split(".")[1][0]


def test_a_doubtful_result_is_asked_about_once_more_and_the_question_is_kept(playing: Swiss) -> None:
    north = client_of(seated(playing, 1, "NS"))
    given = {**GAME, "text": "4S N =", "lead": absent_lead(1), "command": uuid4()}
    shown = north.post(slip_of(playing), given)
    assert "declarer’s left" not in shown.content.decode()  # showing the score tells nothing about the cards
    assert not audit_of("pairs.event", playing.pk).filter(action="pairs.doubted").exists()
    word = shown.context["form"].shown
    asked = north.post(slip_of(playing), {**given, "save": word})
    assert "The card led was not in the hand at declarer" in asked.content.decode()
    assert not Slip.objects.exists()
    assert audit_of("pairs.event", playing.pk).filter(action="pairs.doubted").count() == 1
    assert north.post(slip_of(playing), {**given, "save": word, "sure": word}).status_code == 302
    said = Slip.objects.get().ns_says
    assert said and said["lead"] == given["lead"]


def test_questions_about_a_board_do_not_tell_its_cards(playing: Swiss) -> None:
    north = client_of(seated(playing, 1, "NS"))
    for _try in range(3):
        assert enter(north, playing, text="4S N =", lead=absent_lead(1)).status_code == 200
    assert enter(north, playing, text="4S N =", lead=absent_lead(1)).status_code == 302


def test_after_the_bell_the_page_says_so(playing: Swiss) -> None:
    north = client_of(seated(playing, 1, "NS"))
    pass_time(minutes=20)
    answer = enter(north, playing)
    assert answer.status_code == 409
    assert "The bell has rung" in answer.content.decode()
    assert "The bell has rung" in text_of(north, slip_of(playing))


def test_opponents_who_are_missing_say_that_they_are_there(playing: Swiss) -> None:
    north, east = (client_of(seated(playing, 1, side)) for side in ("NS", "EW"))
    do(north, playing, "missing")
    assert "opponents reported missing" in page_of(north, playing)
    assert "Your opponents say that your pair is not at table 1." in page_of(east, playing)
    do(east, playing, "here")
    assert not Seat.objects.filter(missing=True).exists()
    do(north, playing, "call")
    assert "director called" in page_of(north, playing)
    do(north, playing, "helped")
    assert "director called" not in page_of(north, playing)


def test_a_pair_withdraws_and_comes_back_in_the_next_round(playing: Swiss) -> None:
    north = client_of(seated(playing, 1, "NS"))
    do(north, playing, "withdraw")
    assert "Your pair has withdrawn." in page_of(north, playing)
    do(north, playing, "here")
    assert "Your pair has withdrawn." not in page_of(north, playing)


def test_a_late_pair_enters_where_the_event_lets_it() -> None:
    (vera,) = make_members(1, "Vera")
    for late, opens in ((1, False), (2, True)):
        swiss = make_swiss(late_until=late, rounds=3)
        enter_pairs(swiss, 2, f"Pair{late}x")
        start(swiss)
        page = page_of(client_of(vera), reload(swiss))
        assert (reverse("pairs:act", args=[swiss.pk, "sit"]) in page) is opens
        assert ("are closed" in page) is not opens


def test_a_suspended_event_shows_the_time_that_was_left(client: Client, playing: Swiss) -> None:
    pass_time(minutes=5)
    swiss = reload(playing)
    direction.suspend(
        event_id=swiss.pk,
        expected=swiss.schedule_version,
        by=make_user("dora", director=True),
        reason="fire drill",
    )
    page = page_of(client, swiss)
    assert "fire drill" in page
    assert re.search(r'class="big">1[45]:\d\d<', page)
    assert "data-until" not in page


# ---- what keeps itself fresh


def asked_by(page: str) -> dict[str, str]:
    """What a page sends along when it asks for news."""
    seen, frame = re.search(r"/live/\?seen=([^\"]*)", page), re.search(r'\{"frame": "(\w+)"\}', page)
    assert seen
    assert frame
    return {"seen": seen[1], "frame": frame[1]}


def test_nothing_new_is_answered_with_two_queries(
    client: Client, playing: Swiss, django_assert_num_queries: DjangoAssertNumQueries
) -> None:
    address = reverse("pairs:live", args=[playing.pk])
    seen = asked_by(page_of(client, playing))
    with django_assert_num_queries(2):
        answer = client.get(address, seen)
    assert answer.status_code == 204
    assert "Datum-Now" in answer.headers
    player = seated(playing, 1, "NS")
    own, enters = client_of(player), client_of(seated(playing, 1, "EW"))
    seen_by_player = asked_by(page_of(own, playing))
    with django_assert_num_queries(4):  # who asks: a session and an account
        assert own.get(address, seen_by_player).status_code == 204
    enter(enters, playing)
    assert client.get(address, seen).status_code == 204  # a slip at a table is news for that table alone
    assert "they say:" in own.get(address, seen_by_player).content.decode()


def test_the_page_is_loaded_anew_when_the_event_begins_and_when_it_ends(client: Client) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 2)
    address = reverse("pairs:live", args=[swiss.pk])
    for minutes in (15, 60):
        asked = asked_by(page_of(client, swiss))
        assert client.get(address, asked).status_code == 204
        pass_time(minutes=minutes)
        assert client.get(address, asked).headers["HX-Refresh"] == "true"


def between(monkeypatch: pytest.MonkeyPatch, name: str, *, happens: Callable[[], object]) -> None:
    """Let something happen once, right after one of the questions of a page has been answered."""
    asked = getattr(live_state, name)

    def ask(*given: Any) -> object:
        answer = asked(*given)
        monkeypatch.setattr(live_state, name, asked)
        happens()
        return answer

    monkeypatch.setattr(live_state, name, ask)


def test_an_event_that_ends_while_its_page_is_being_answered_is_shown_as_over(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 2)
    address = reverse("pairs:live", args=[swiss.pk])
    pass_time(minutes=15)
    asked = asked_by(page_of(client, swiss))
    between(monkeypatch, "version_of", happens=lambda: pass_time(minutes=60))
    assert client.get(address, asked | {"seen": ""}).headers["HX-Refresh"] == "true"


def test_what_changes_while_a_page_is_being_read_is_asked_for_at_once(
    client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 2)
    between(monkeypatch, "now", happens=lambda: pass_time(minutes=15))
    asked = asked_by(page_of(client, swiss))
    assert asked["seen"] == ""
    assert client.get(reverse("pairs:live", args=[swiss.pk]), asked).headers["HX-Refresh"] == "true"


def test_what_is_done_on_a_page_of_before_the_event_began_shows_the_event(coming: Swiss) -> None:
    enter_pairs(coming, 2)
    client = client_of(Player.objects.get(name="Player 1"))
    asked = asked_by(page_of(client, coming))
    pass_time(minutes=30)
    answer = client.post(
        reverse("pairs:act", args=[coming.pk, "here"]), asked, headers={"HX-Request": "true"}
    )
    assert answer.headers["HX-Refresh"] == "true"


@pytest.mark.parametrize("name", ["event", "rounds", "round", "screen"])
def test_a_larger_field_costs_no_more_queries(client: Client, name: str) -> None:
    counted = []
    for pairs in (4, 11):
        swiss = make_swiss(rounds=2, boards=1)
        enter_pairs(swiss, pairs, f"Field{pairs}x")
        start(swiss)
        address = reverse(f"pairs:{name}", args=[swiss.pk, 1] if name == "round" else [swiss.pk])
        with CaptureQueriesContext(connection) as queries:
            text_of(client, address)
        counted.append(len(queries))
    assert counted[0] == counted[1]


# ---- rounds and deals


def test_the_terms_of_every_row_add_up(client: Client) -> None:
    for method in (Method.MP, Method.CROSS_IMP):
        swiss = make_swiss(method=method, rounds=3, late_until=2)
        enter_pairs(swiss, 5, f"{method}x")
        start(swiss)
        rng = random.Random(3)
        play_round(swiss, rng, skip={(1, 1)})
        enter_pairs(reload(swiss), 1, f"Late{method}x")
        withdraw_pair(event_id=swiss.pk, order=2, by=None, reason="")
        pass_time(minutes=22)
        play_round(reload(swiss), rng)
        pass_time(minutes=21)
        swiss = reload(swiss)
        terms = terms_of(swiss, rounds_of(swiss), pairs_of(swiss.event.field_id))
        assert len(terms) == 6
        assert all(each.adds_up for each in terms)
        assert {score.kind for each in terms for score in each.scores if score} >= {"played", "bye", "missed"}
        page = text_of(client, reverse("pairs:rounds", args=[swiss.pk]))
        assert "sat out" in page
        assert "did not take part" in page
        assert not any(each.total == Fraction(0) == each.boards for each in terms if each.pair.order == 1)


def test_every_pair_reads_why_it_met_its_opponents_and_anybody_can_have_it_checked(
    client: Client, playing: Swiss
) -> None:
    address = reverse("pairs:round", args=[playing.pk, 1])
    page = text_of(client, address)
    assert page.count("Seated by registration, next to") == 4
    assert "The bye: the last pair in the standings." in page
    assert "nothing is wrong with it" not in page
    assert "nothing is wrong with it" in text_of(client, f"{address}?check=1")
    first = Round.objects.get(swiss=playing, number=1)
    assert first.certificate
    first.certificate["certificate"]["tables"][0]["ew"] = 4  # somebody tampered with it
    first.save()
    assert "nothing is wrong with it" not in text_of(client, f"{address}?check=1")


def test_the_deals_are_promised_before_and_proven_after(client: Client, playing: Swiss) -> None:
    address, record = (reverse(f"pairs:{name}", args=[playing.pk]) for name in ("deals", "deals_file"))
    seal = playing.seal
    assert seal
    page = text_of(client, address)
    assert seal.commitment in page
    assert "secret until the last board" in page
    assert client.get(record).status_code == 404
    pass_time(minutes=60)
    page = text_of(client, address)
    assert "Every deal was dealt again just now" in page
    assert len(client.get(record).json()["boards"]) == 4
    board = Board.objects.filter(board_set__seal=seal)[0]
    board.deal = deal_with_number(1).pbn
    board.save()
    assert "these are not the cards that the seed gives" in text_of(client, address)


def test_the_program_on_the_page_is_the_one_of_the_manual(client: Client) -> None:
    manual = Path(__file__).parents[2] / "deploy" / "DEALS.md"
    program = client.get(reverse("pairs:verify_file")).content.decode()
    assert f"```python\n{program}```" in manual.read_text()


def test_the_ordinary_pages_serve_the_event_when_it_is_over(client: Client, playing: Swiss) -> None:
    play_round(playing, random.Random(5))
    pass_time(minutes=60)
    page = page_of(client, playing)
    assert "data-live" not in page
    for name in ("rounds", "deals", "boards", "travellers", "scorecards", "about"):
        assert reverse(f"pairs:{name}", args=[playing.pk]) in page
    assert "Session 1" not in page


def test_where_an_event_runs_itself_its_pages_say_round_and_never_session(
    client: Client, playing: Swiss
) -> None:
    play_round(playing, random.Random(5))
    pass_time(minutes=22)
    penalize_pair(
        event_id=playing.pk, order=1, points=Decimal(1), by=make_user(), reason="late", command=uuid4()
    )
    play_round(playing, random.Random(6))
    pass_time(minutes=60)
    first = FieldBoard.objects.filter(field=playing.event.field_id, session=1).earliest("board__number")
    pages = [reverse("pairs:board", args=[playing.pk, 1, first.board.number])]
    names = ("boards", "travellers", "all_travellers", "about")
    pages += [reverse(f"pairs:{name}", args=[playing.pk]) for name in names]
    for address in pages:
        assert "session" not in text_of(client, address).casefold()
    page = text_of(client, pages[2])
    assert 'aria-label="Boards, round 1"' in page and '<span class="quiet">round 1</span>' in page
    terms = text_of(client, reverse("pairs:rounds", args=[playing.pk]))
    assert (
        '<th scope="col" class="n">Penalty</th>' in terms
    )  # on a phone too: every total is the sum of its row


def test_the_bye_of_a_round_that_is_played_moves_nobody_yet(client: Client, playing: Swiss) -> None:
    play_round(playing, random.Random(5))
    pass_time(minutes=20)
    before = live_of(reload(playing), None).lists[0].lines
    pass_time(minutes=2)
    after = live_of(reload(playing), None)
    assert after.out
    assert [(line.pair, line.rank, line.score, line.boards) for line in after.lists[0].lines] == [
        (line.pair, line.rank, line.score, line.boards) for line in before
    ]


# ---- the wall


def test_the_wall_shows_clock_and_seats_and_after_the_bell_the_standings(
    client: Client, playing: Swiss
) -> None:
    address = reverse("pairs:screen", args=[playing.pk])
    page = text_of(client, address)
    assert "Round 1 of 2 closes in" in page
    assert "Player 1 – Player 2" in page
    assert "<nav" not in page
    pass_time(minutes=20)
    assert "Round 2 of 2 opens in" in (page := text_of(client, address))
    assert ">Rank<" in page


# ---- what nobody sees too early

CHANGING = re.compile(
    r'csrfmiddlewaretoken" value="[^"]+"|name="command" value="[^"]+"|data-now="[^"]+"|value="[0-9a-f-]{36}"'
    r'|DTSTAMP:\S+|>\d+:\d\d<|nonce="[^"]+"|"made_at": "[^"]+"'
)


def addresses(swiss: Swiss) -> Iterator[str]:
    """Every page of an event that can be asked for, and those of its players."""
    event = [swiss.pk]
    for name in (
        "event", "live", "screen", "rounds", "deals", "deals_file", "scorecards", "boards", "cross_table", "travellers",
        "all_travellers", "about", "standings_file", "travellers_file", "event_json", "event_pbn", "event_ics", "setup",
        "direct", "direct_status", "direct_pairs", "direct_log", "preview",
    ):  # fmt: skip
        yield reverse(f"pairs:{name}", args=event)
    yield reverse("pairs:names", args=event) + "?name=play"
    for board in range(1, 5):
        yield reverse("pairs:decide", args=[swiss.pk, (board + 1) // 2, 2, board])
    for order in range(1, 7):
        yield reverse("pairs:scorecard", args=[swiss.pk, order])
    for number in (1, 2):
        yield reverse("pairs:round", args=[swiss.pk, number])
        yield reverse("pairs:round", args=[swiss.pk, number]) + "?check=1"
    for board in range(1, 5):
        yield slip_of(swiss, board)
        yield reverse("pairs:travellers", args=event) + f"?board={(board + 1) // 2}-{board}"
        for name in ("board", "board_pbn", "board_lin"):
            yield reverse(f"pairs:{name}", args=[swiss.pk, (board + 1) // 2, board])
    for player in Player.objects.filter(entrants__swiss=swiss):
        yield player.get_absolute_url()
    for result in Result.objects.filter(field_board__field=swiss.event.field_id):
        yield reverse("results:correct", args=[result.pk])
    for name in ("pages:home", "pages:players", "pairs:events", "masterpoints:ranking", "users:notices"):
        yield reverse(name)


def all_that(client: Client, swiss: Swiss) -> dict[str, tuple[int, str]]:
    seen = {}
    for address in addresses(swiss):
        answer = client.get(address)
        body = answer.content
        headers = "".join(
            f"{key}: {value}\n" for key, value in answer.items() if key in ("ETag", "Content-Length")
        )
        seen[address] = (
            answer.status_code,
            CHANGING.sub("", headers * (not answer.get("ETag")) + body.decode()),
        )
    return seen


def second_round(swiss: Swiss) -> dict[str, Client]:
    """One round is over, the second is being played, and those who look on: everybody who might be curious."""
    play_round(swiss, random.Random(7))
    pass_time(minutes=22)
    director = Player.objects.get(name="Player 1").user
    assert director
    director.is_director = True
    director.save()
    bye = Seat.objects.get(round__swiss=swiss, round__number=2, table=None).contestant_id
    own = seated(swiss, 1, "NS")
    return {
        "a visitor": Client(),
        "a player": client_of(own),
        "a player who sits out": client_of(Player.objects.filter(entrants__entry=bye).order_by("pk")[0]),
        "a director who plays": client_of(Player.objects.get(name="Player 1")),
    }


def play_table_two(swiss: Swiss) -> None:
    """A board of the open round is entered at another table, and corrected by consent."""
    for text in ("6D W +1", "7NTXX N -13"):
        for side in ("NS", "EW"):
            player = seated(swiss, 2, side)
            assert player.user
            said = Said.read(text)
            say_result(event_id=swiss.pk, board=3, said=said, by=player.user, player=player, command=uuid4())


def leaks(swiss: Swiss) -> set[tuple[str, str]]:
    """Who reads where what depends on the cards of the open round, or on results of another table.

    Both are changed, and every page is asked for before and after: not one byte may change with them.
    """
    curious = second_round(reload(swiss))
    play_table_two(swiss)
    rescore_event(event_id=swiss.pk)
    at_table_two = set(
        Seat.objects.filter(round__number=2, table=2).values_list(
            "contestant__entry__entrants__player", flat=True
        )
    )
    curious = {who: client for who, client in curious.items() if player_of(client) not in at_table_two}
    assert len(curious) >= 3
    before = {who: all_that(client, swiss) for who, client in curious.items()}
    for board in Board.objects.filter(board_set__round_number=2):
        board.deal = deal_with_number(board.number + 7**20).pbn
        board.save()
    Result.objects.filter(field_board__session=2).update(
        level=1, strain="C", doubling=0, tricks=13, ns_score=190
    )
    (change,) = ResultChange.objects.all()
    ResultChange.objects.filter(pk=change.pk).update(after={**change.after, "level": 1, "ns_score": 190})
    said = {"text": "1C N +6", "lead": ""}
    Slip.objects.filter(round__number=2).update(agreed=said, ns_says=said, ew_says=said)
    return {
        (who, address)
        for who, client in curious.items()
        for address, seen in all_that(client, swiss).items()
        if seen != before[who][address]
    }


@pytest.mark.parametrize("barometer", [False, True])
def test_nothing_that_anybody_reads_depends_on_what_is_hidden(barometer: bool) -> None:
    swiss = make_swiss(rounds=2, boards=2, barometer=barometer)
    enter_pairs(swiss, 5)
    start(swiss)
    assert leaks(swiss) == set()


def test_the_probe_finds_leaks_where_nothing_is_hidden(
    playing: Swiss, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The control."""
    for place in ("events", "boards"):
        monkeypatch.setattr(
            f"apps.pairs.selectors.{place}.being_played", lambda _event: Round.objects.none().values("number")
        )
    leaking = {address for who, address in leaks(playing) if who == "a visitor"}
    for name in ("boards", "all_travellers", "about", "event_json", "event_pbn", "travellers_file"):
        assert reverse(f"pairs:{name}", args=[playing.pk]) in leaking, name
    assert any("/pairs/" in address for address in leaking)


def player_of(client: Client) -> int | None:
    user = client.session.get("_auth_user_id")
    return Player.objects.get(user=user).pk if user else None


def test_a_round_that_is_over_is_seen_by_all_while_the_next_is_played(client: Client, playing: Swiss) -> None:
    """The control: what is hidden of the open round is there for the one before."""
    second_round(playing)
    for board, status in ((1, 200), (2, 200), (3, 404), (4, 404)):
        address = reverse("pairs:board", args=[playing.pk, (board + 1) // 2, board])
        assert client.get(address).status_code == status
    deal = Board.objects.get(number=1).deal
    pbn = text_of(client, reverse("pairs:event_pbn", args=[playing.pk]))
    assert deal in pbn
    assert Board.objects.get(number=3).deal not in pbn
    pass_time(minutes=21)
    for board in (3, 4):
        assert client.get(reverse("pairs:board", args=[playing.pk, 2, board])).status_code == 200


def test_scores_are_shown_in_the_round_where_the_event_says_so(client: Client) -> None:
    pages = {}
    for barometer in (False, True):
        swiss = make_swiss(barometer=barometer)
        enter_pairs(swiss, 4, f"Baro{barometer}x")
        start(swiss)
        play_round(swiss, random.Random(1))
        rescore_event(event_id=swiss.pk)
        pages[barometer] = page_of(client, reload(swiss))
        rounds = text_of(client, reverse("pairs:rounds", args=[swiss.pk]))
        assert ("counts as far as it has been scored" in rounds) is barometer
        assert ("nothing of it is shown before" in rounds) is not barometer
    assert "Standings in round 1" in pages[True]
    assert 'id="standings-now"' not in pages[False]
