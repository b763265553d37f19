"""The pages of an event: who sees them, what they say, and how many queries they take."""

import re
from collections.abc import Sequence
from datetime import date, datetime
from fractions import Fraction
from typing import Any
from zoneinfo import ZoneInfo

import pytest
from django.conf import settings
from django.db import connection
from django.test import Client
from django.test.utils import CaptureQueriesContext
from django.urls import reverse

from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant, FieldBoard, Result
from apps.results.services import Play, change_result, compare_field, contract_of, record_results
from apps.results.templatetags.notation import fixed
from apps.users.countries import flag_of
from apps.users.models import Player
from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules
from bridge.datum import DatumRule, Rounding, Trim
from tests.factories import Entry, make_event, make_user
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, start

pytestmark = pytest.mark.django_db

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
SCORES: Sequence[Entry] = ["4S N =", "4S N +1", "3NT S -1", "2S N +2", "4SX N -1", "4S N ="]
PAGES = ("event", "scorecards", "cross_table", "travellers", "all_travellers", "boards", "about")


def published(boards: Sequence[Sequence[Entry]], **options: Any) -> Event:
    event = make_event(boards, **options)
    publish_event(event_id=event.pk, by=None)
    event.refresh_from_db()
    return event


def addresses(event: Event) -> list[str]:
    single = [
        reverse("pairs:scorecard", args=[event.pk, 1]),
        reverse("pairs:board", args=[event.pk, 1, 1]),
    ]
    return [*(reverse(f"pairs:{page}", args=[event.pk]) for page in PAGES), *single]


@pytest.mark.parametrize("method", list(Method))
def test_every_page_of_an_event_opens(client: Client, method: Method) -> None:
    event = published([SCORES, [None, *SCORES[1:]]], method=method, deals={1: DEAL})

    for address in [reverse("pairs:events"), *addresses(event)]:
        assert client.get(address).status_code == 200, address


def test_a_draft_is_not_there_for_anybody_but_directors(client: Client) -> None:
    event = make_event([SCORES])
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)

    assert [client.get(address).status_code for address in addresses(event)] == [404] * 9
    assert event.title not in client.get(reverse("pairs:events")).text

    client.force_login(make_user())
    assert [client.get(address).status_code for address in addresses(event)] == [404] * 9

    client.force_login(make_user("dora", director=True))
    assert [client.get(address).status_code for address in addresses(event)] == [200] * 9
    assert "not published" in client.get(reverse("pairs:events")).text


def test_the_cards_of_a_round_that_is_being_played_are_on_no_page_and_in_no_file(client: Client) -> None:
    swiss = make_swiss()
    enter_pairs(swiss, 4)
    start(swiss)
    client.force_login(make_user("dora", director=True))
    files = [reverse(f"pairs:{name}", args=[swiss.pk]) for name in ("event_pbn", "event_json")]
    pages = [reverse(f"pairs:{page}", args=[swiss.pk]) for page in PAGES] + files
    board = FieldBoard.objects.select_related("board").filter(field=swiss.event.field).earliest("pk").board
    hand = board.deal[2:].partition(" ")[0]

    assert not [address for address in pages if hand in client.get(address).text]
    assert client.get(reverse("pairs:board", args=[swiss.pk, 1, board.number])).status_code == 404

    pass_time(minutes=21)
    assert [address for address in files if hand in client.get(address).text] == files
    assert client.get(reverse("pairs:board", args=[swiss.pk, 1, board.number])).status_code == 200


def test_a_board_or_pair_that_is_not_in_the_event_is_not_found(client: Client) -> None:
    event = published([SCORES])

    assert client.get(reverse("pairs:board", args=[event.pk, 1, 99])).status_code == 404
    assert client.get(reverse("pairs:scorecard", args=[event.pk, 99])).status_code == 404


def test_equal_totals_share_a_rank_and_say_so(client: Client) -> None:
    event = published([["4S N =", "4S N =", "4S N -1", "4S N -2"]], method=Method.MP)

    page = client.get(event.get_absolute_url()).text

    assert page.count('<td class="n">1=</td>') == 2
    assert '<td class="n">3</td>' in page


def test_a_pair_that_withdrew_stands_below_with_the_reason(client: Client) -> None:
    event = make_event([SCORES])
    Contestant.objects.filter(field=event.field, label="1 NS").update(status=Contestant.Status.WITHDRAWN)
    publish_event(event_id=event.pk, by=None)

    page = client.get(event.get_absolute_url()).text

    assert page.count("withdrawn") == 1
    assert '<td class="n">–</td>' in page


def test_the_viewers_own_row_is_marked(client: Client) -> None:
    event = published([SCORES], deals={1: DEAL})
    user = make_user()
    Player.objects.filter(name="Nora 1").update(user=user)
    client.force_login(user)

    for address in (event.get_absolute_url(), reverse("pairs:board", args=[event.pk, 1, 1])):
        page = client.get(address).text
        assert page.count('<tr class="own') == 1
        assert "My score card" in page


def test_the_datum_stands_between_the_scores_above_and_below_it(client: Client) -> None:
    event = published([SCORES])

    page = client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text
    body = page[page.index("<tbody") :]

    assert body.index("+450") < body.index('<tr class="datum">') < body.index("+170")
    assert "<s>+450</s>" in body
    assert "is the mean of 4 results; 2, the highest and the lowest, are left out" in page


@pytest.fixture
def weighted() -> Event:
    """A board with nine scores of +420 and a ruling: 60 % of +450, one IMP, and 40 % of −50, minus ten."""
    ruling = Ruling.weighted(((Fraction(3, 5), 450), (Fraction(2, 5), -50)))
    return published([[*["4S N ="] * 9, ruling], [*["4S N ="] * 10]])


def test_imps_of_a_weighted_score_are_shown_with_the_decimals_they_need(
    client: Client, weighted: Event
) -> None:
    board = client.get(reverse("pairs:board", args=[weighted.pk, 1, 1])).text
    card = client.get(reverse("pairs:scorecard", args=[weighted.pk, 10])).text

    points = Fraction(3, 5) * 1 + Fraction(2, 5) * -10
    assert points == Fraction(-17, 5)
    for page in (board, card):
        assert re.findall(r'<td class="n sh[^"]*">([^<]+)</td>', page).count("−3.4") == 1
        assert ">−3</td>" not in page
    assert re.findall(r'<td class="n sh[^"]*">([^<]+)</td>', board).count("0") == 9


def test_a_datum_is_said_to_be_the_mean_of_the_scores_that_made_it(client: Client, weighted: Event) -> None:
    pages = [client.get(reverse("pairs:board", args=[weighted.pk, 1, number])).text for number in (1, 2)]

    without = "A row without one score that counts for both sides takes no part in it."
    assert "The datum +420 is the mean of 7 results; 2, the highest and the lowest, are left out" in pages[0]
    assert "The datum +620 is the mean of 8 results; 2, the highest and the lowest, are left out" in pages[1]
    assert [without in page for page in pages] == [True, False]


def test_a_score_assigned_in_place_of_the_tables_takes_part_in_the_datum(client: Client) -> None:
    event = make_event([["4S N =", "4S N +1", "4S N ="]])
    ruled = Result.objects.filter(field_board__field=event.field).latest("pk")
    change_result(result_id=ruled.pk, by=None, reason="Revoke.", ruling=Ruling.assigned(450))
    publish_event(event_id=event.pk, by=None)

    page = client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text

    assert "is the mean of 3 results." in page


def test_what_the_director_gave_is_seen_from_the_side_of_the_pair(client: Client) -> None:
    event = make_event([["4S N =", "4S N +1", "4S N ="]])
    ruled = Result.objects.filter(field_board__field=event.field).earliest("pk")
    ruling = Ruling.weighted(((Fraction(3, 5), 170), (Fraction(2, 5), 620)))
    change_result(
        result_id=ruled.pk,
        by=None,
        reason="Hesitation.",
        ruling=ruling,
        contract=contract_of(ruled),
        tricks=ruled.tricks,
    )
    publish_event(event_id=event.pk, by=None)

    ns, ew = (client.get(reverse("pairs:scorecard", args=[event.pk, order])).text for order in (1, 4))

    assert "director: 60 % +170 · 40 % +620" in ns.split("Corrections")[0]
    assert "director: 60 % −170 · 40 % −620" in ew.split("Corrections")[0]
    for page in (ns, ew):
        corrections = page.split("Corrections")[1]
        assert "Scores are seen from North–South here." in corrections
        assert "director: 60 % +170 · 40 % +620" in corrections


def test_an_artificial_score_is_shown_and_explained(client: Client) -> None:
    ruling = Ruling(Grade.PLUS, Grade.MINUS)
    event = published([[*SCORES[:5], ruling]], method=Method.MP)

    board = client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text
    card = client.get(reverse("pairs:scorecard", args=[event.pk, 6])).text

    assert "A+ / A−" in board
    assert "A+ is average plus" in board
    assert "director: A+" in card


def test_a_board_with_fewer_results_says_how_it_is_made_comparable(client: Client) -> None:
    event = published([SCORES, [*SCORES[:4], None, None]], method=Method.MP)

    assert "Neuberg" not in client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text
    page = client.get(reverse("pairs:board", args=[event.pk, 1, 2])).text
    assert "This board has 4 of 6 results" in page


def test_a_score_card_adds_up_to_the_total(client: Client) -> None:
    event = published([SCORES, SCORES, SCORES], method=Method.BUTLER)

    response = client.get(reverse("pairs:scorecard", args=[event.pk, 1]))

    line, card = response.context["line"], response.context["card"]
    assert sum(meeting.points for meeting in card.meetings) == card.points == line.total
    assert card.lines[-1].running == line.total


def test_penalties_stand_below_the_sum_with_their_reason_and_lead_to_the_total(client: Client) -> None:
    event = make_event([SCORES, SCORES], method=Method.MP)
    pair = Contestant.objects.get(field=event.field, label="1 NS")
    pair.penalties.create(points="2.5", reason="Late for round 2")
    pair.penalties.create(points="-1", reason="A board was spoilt for them")
    publish_event(event_id=event.pk, by=None)

    response = client.get(reverse("pairs:scorecard", args=[event.pk, 1]))

    card, line = response.context["card"], response.context["line"]
    assert line.total == card.points - Fraction("1.5")
    foot = response.text[response.text.index("<tfoot>") :]
    assert "Late for round 2" in foot
    assert foot.index("−2.5") < foot.index("+1") < foot.index(f">{fixed(line.score)}<")


def seated(pairs: int, rounds: Sequence[Sequence[tuple[int, int]]], *, boards: int = 2) -> Event:
    """A published event of one ranking: in each round these tables play boards that nobody else plays."""
    event = make_event([[None] * pairs] * (boards * len(rounds)), winners=1)
    Result.objects.all().delete()
    field_boards = {each.board.number: each for each in event.field.field_boards.select_related("board")}
    numbered = dict(enumerate(Contestant.objects.filter(field=event.field).order_by("order")[:pairs], 1))
    Contestant.objects.filter(field=event.field, order__gt=pairs).delete()
    plays = [
        Play(field_boards[boards * at + board], numbered[ns], numbered[ew], score=100 * board, round=at + 1)
        for at, tables in enumerate(rounds)
        for ns, ew in tables
        for board in range(1, boards + 1)
    ]
    record_results(field=event.field, plays=plays, source=Result.Source.ENTERED)
    publish_event(event_id=event.pk, by=None)
    return event


def test_a_score_card_shows_the_round_that_a_pair_sat_out_and_the_boards_it_missed(client: Client) -> None:
    event = seated(3, [[(1, 2)], [(2, 3)], [(3, 1)]])

    response = client.get(reverse("pairs:scorecard", args=[event.pk, 1]))

    rounds = response.context["card"].sessions[0].rounds
    assert [getattr(each, "boards", None) for each in rounds] == [None, [3, 4], None]
    assert [each.round for each in rounds] == [1, 2, 3]
    assert "Sit-out" in response.text
    assert "boards 3, 4" in response.text
    assert response.context["card"].boards == 4


def test_a_pair_that_withdrew_did_not_sit_out_what_came_after(client: Client) -> None:
    event = seated(3, [[(1, 2)], [(2, 3)], [(2, 3)]])
    Contestant.objects.filter(field=event.field, order=1).update(status=Contestant.Status.WITHDRAWN)

    page = client.get(reverse("pairs:scorecard", args=[event.pk, 1])).text

    assert "Sit-out" not in page
    assert page.count("no longer playing") == 2


def test_without_rounds_nobody_is_said_to_have_sat_out(client: Client) -> None:
    event = published([SCORES, [None, *SCORES[1:]]])

    assert "Sit-out" not in client.get(reverse("pairs:scorecard", args=[event.pk, 1])).text


def test_a_row_of_the_cross_table_adds_up_to_the_pairs_total(client: Client) -> None:
    event = seated(4, [[(1, 2), (3, 4)], [(1, 3), (2, 4)], [(4, 1), (3, 2)]])

    (table,) = client.get(reverse("pairs:cross_table", args=[event.pk])).context["tables"]

    assert [pair.pk for pair in table.columns] == [row.line.pair.pk for row in table.rows]
    for row in table.rows:
        met = [cell for cell in row.cells if cell]
        assert (len(met), sum(cell.boards for cell in met)) == (3, 6)
        assert sum(cell.points for cell in met) == row.line.total
    one, other = table.rows[0], table.rows[1]
    assert one.cells[1].points == -other.cells[0].points
    assert one.cells[0] is None


def test_two_rankings_make_two_cross_tables(client: Client) -> None:
    event = published([SCORES, SCORES], method=Method.MP)

    tables = client.get(reverse("pairs:cross_table", args=[event.pk])).context["tables"]

    assert [table.direction for table in tables] == ["NS", "EW"]
    assert {pair.direction for pair in tables[0].columns} == {"EW"}
    assert [sum(cell is not None for cell in row.cells) for row in tables[0].rows] == [1] * 6


def test_a_field_too_large_for_a_cross_table_has_no_link_to_one(client: Client) -> None:
    event = published([SCORES])
    address = reverse("pairs:cross_table", args=[event.pk])
    assert address in client.get(event.get_absolute_url()).text

    Contestant.objects.bulk_create(
        Contestant(field=event.field, label=str(number), order=number) for number in range(20, 220)
    )

    assert address not in client.get(event.get_absolute_url()).text
    assert client.get(address).status_code == 404


def test_all_travellers_stand_on_one_page_with_their_cards(client: Client) -> None:
    event = published([SCORES, SCORES[::-1]], deals={1: DEAL})

    page = client.get(reverse("pairs:all_travellers", args=[event.pk])).text

    assert page.count('<article class="sheet">') == 2
    assert page.count('<tr class="datum">') == 2
    assert "K Q 7 4" in page


def test_the_page_about_an_event_tells_what_the_director_decided(client: Client) -> None:
    director = make_user("dora", director=True)
    event = make_event([SCORES], method=Method.MP)
    ruled, corrected = Result.objects.filter(field_board__field=event.field).order_by("pk")[:2]
    reason = "They had heard of the board elsewhere."
    change_result(result_id=ruled.pk, by=director, reason=reason, ruling=Ruling(Grade.PLUS, Grade.MINUS))
    change_result(result_id=corrected.pk, by=director, reason="Entered wrongly.", score=110)
    corrected.ns.penalties.create(points=3, reason="Slow, after two warnings.")
    publish_event(event_id=event.pk, by=director)
    address = reverse("pairs:about", args=[event.pk])

    page = client.get(address).text

    decided, corrections = page.index('id="rulings"'), page.index('id="changes"')
    assert decided < page.index("A+ / A−") < page.index(reason) < corrections
    assert "Slow, after two warnings." in page
    assert corrections < page.index("+450", corrections) < page.index("+110") < page.index("Entered wrongly.")
    assert "dora" not in page
    client.force_login(director)
    assert '<td class="opt">dora</td>' in client.get(address).text


def test_figures_of_the_file_have_our_minus_sign(client: Client) -> None:
    event = published([SCORES])
    difference = {"what": "total", "published": "-5.00", "ours": "-4.00", "pair": "3"}
    event.source = {"file": "evening.xml", "differences": [difference]}
    event.save()

    page = client.get(reverse("pairs:about", args=[event.pk])).text

    assert '<td class="n">−5.00</td>' in page
    assert '<td class="n key">−4.00</td>' in page


def test_unknown_cards_are_said_to_be_unknown(client: Client) -> None:
    event = published([SCORES])

    assert "Nobody recorded the cards" in client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text


@pytest.mark.parametrize(
    ("rule", "left_out", "rounded"),
    [
        (
            DatumRule(),
            "From 5 results on, 10 % of them are left out at each end, at least 1.",
            "the even ten",
        ),
        (
            DatumRule(Trim(fixed=1, least=3), Rounding.HALF_AWAY),
            "the highest and the lowest",
            "away from zero",
        ),
        (DatumRule(Trim(), Rounding.TOWARD_ZERO), "No result is left out.", "cut to a multiple of 10"),
    ],
)
def test_the_rule_of_the_datum_is_told_in_words(
    client: Client, rule: DatumRule, left_out: str, rounded: str
) -> None:
    event = published([SCORES], rules=Rules(Method.BUTLER, rule))

    page = client.get(reverse("pairs:about", args=[event.pk])).text

    assert left_out in page
    assert rounded in page


def test_stale_boards_are_announced(client: Client) -> None:
    event = published([SCORES, SCORES])
    event.field.field_boards.filter(board__number=1).update(results_version=99)

    assert "Scored so far: 1 of 2 boards" in client.get(event.get_absolute_url()).text


def test_a_page_that_did_not_change_is_not_sent_again(client: Client) -> None:
    event = published([SCORES])
    client.get(event.get_absolute_url())  # the first visit brings the cookie that forms need
    first = client.get(event.get_absolute_url())

    again = client.get(event.get_absolute_url(), headers={"If-None-Match": first["ETag"]})
    assert again.status_code == 304

    Event.objects.filter(pk=event.pk).update(ranked_version=99)
    assert client.get(event.get_absolute_url(), headers={"If-None-Match": first["ETag"]}).status_code == 200


def test_a_page_is_sent_again_when_a_player_gets_another_country_or_name_or_the_event_one(
    client: Client,
) -> None:
    event = published([SCORES])
    client.get(event.get_absolute_url())
    tags = [client.get(event.get_absolute_url())["ETag"]]

    player = Player.objects.get(name="Nora 1")
    player.name = "Norah 1"
    player.save()
    tags.append(client.get(event.get_absolute_url())["ETag"])
    player.country = "PL"
    player.save()
    tags.append(client.get(event.get_absolute_url())["ETag"])
    Event.objects.filter(pk=event.pk).update(title="Monday Night Pairs")
    page = client.get(event.get_absolute_url(), headers={"If-None-Match": tags[-1]})

    assert len({*tags, page["ETag"]}) == 4
    assert page.status_code == 200
    assert (
        f'data-flag="{flag_of("PL")}"><i>PL</i></span>&nbsp;<a href="{player.get_absolute_url()}">'
        in page.text
    )


def test_one_rank_stands_on_every_page(client: Client) -> None:
    event = published([["4S N =", "4S N =", "4S N -1", "4S N -2"]], method=Method.MP)
    places = {"Nora 1": "1=", "Nora 2": "1=", "Nora 3": "3", "Nora 4": "4"}

    lines = client.get(event.get_absolute_url()).context["lists"][0].lines
    listed = client.get(reverse("pairs:events")).context["listed"][0]
    assert [line.place for line in lines] == [*places.values()]
    assert listed.winners[:2] == (("Nora 1", "Sue 1"), ("Nora 2", "Sue 2"))
    for order, (name, place) in enumerate(places.items(), 1):
        player = client.get(Player.objects.get(name=name).get_absolute_url()).text
        card = client.get(reverse("pairs:scorecard", args=[event.pk, order])).text
        cross = client.get(reverse("pairs:cross_table", args=[event.pk])).text
        assert f'<td class="n">{place}</td>' in player
        assert f"<dd>{place} <small>of 4</small></dd>" in card
        assert f'<td class="n">{place}</td>' in cross[cross.index(f"{name}</bdi>") :].split("</tr>")[0]


def test_events_are_found_by_title_by_method_and_by_player(client: Client) -> None:
    published([SCORES], title="Zoë’s Plum Blossom Pairs", method=Method.MP)
    published([SCORES[:2]], title="Orchid Trophy", method=Method.BUTLER)
    Player.objects.filter(name="Nora 6").update(name="Ždeněk", name_key="ždeněk")

    def found(**query: str) -> list[str]:
        return [each.event.title for each in client.get(reverse("pairs:events"), query).context["listed"]]

    plum = "Zoë’s Plum Blossom Pairs"
    assert found() == ["Orchid Trophy", plum]
    assert found(q="orchid") == ["Orchid Trophy"]
    assert found(q="ŽDENĚK") == [plum]
    assert found(q="ZOE\u0308’S plum") == [plum]
    assert found(method="MP") == [plum]
    assert found(q="nothing of that kind") == []
    assert len(found(method="NO_SUCH", after="2026-99-99.x")) == 2


@pytest.mark.parametrize("zone", ["", "America/Bogota", "Pacific/Kiritimati"])
def test_an_event_without_a_day_is_listed_under_one_day_for_everybody(client: Client, zone: str) -> None:
    event = published([SCORES])
    late = datetime(2027, 1, 31, 23, 30, tzinfo=ZoneInfo(settings.TIME_ZONE))
    Event.objects.filter(pk=event.pk).update(played_on=None, published_at=late)
    reader = make_user()
    reader.time_zone = zone
    reader.save()
    client.force_login(reader)
    (listed,) = client.get(reverse("pairs:events")).context["listed"]
    assert listed.day == date(2027, 1, 31)


def test_the_list_of_events_goes_on_where_the_page_ended(client: Client) -> None:
    first = published([SCORES[:2]])
    for number in range(32):
        field = type(first.field).objects.create(method=Method.MP)
        Event.objects.create(
            title=f"Event {number}", field=field, state="published", published_at=first.published_at
        )

    page = client.get(reverse("pairs:events"))
    following = client.get(f"{reverse('pairs:events')}?{page.context['more']}")

    seen = [each.event.pk for each in (*page.context["listed"], *following.context["listed"])]
    assert len(seen) == len(set(seen)) == 33
    assert following.context["more"] == ""


@pytest.mark.parametrize("page", [*PAGES, "scorecard", "board", "events"])
def test_a_page_takes_as_many_queries_for_sixty_pairs_as_for_twelve(
    client: Client, page: str, django_assert_num_queries: Any
) -> None:
    def address(event: Event) -> str:
        return {
            "scorecard": reverse("pairs:scorecard", args=[event.pk, 1]),
            "board": reverse("pairs:board", args=[event.pk, 1, 1]),
            "events": reverse("pairs:events"),
        }.get(page) or reverse(f"pairs:{page}", args=[event.pk])

    small = published([SCORES] * 2, deals={1: DEAL})
    with django_assert_num_queries(QUERIES[page]):
        assert client.get(address(small)).status_code == 200
    large = published([[*SCORES] * 5] * 6, deals={1: DEAL}, title="Large")
    with django_assert_num_queries(QUERIES[page]):
        assert client.get(address(large)).status_code == 200
    assert Result.objects.filter(field_board__field=large.field).count() == 180


def test_ten_corrections_take_as_many_queries_as_one(client: Client) -> None:
    def queries(results: int) -> int:
        event = make_event([SCORES, SCORES])
        for result in Result.objects.filter(field_board__field=event.field).order_by("pk")[:results]:
            change_result(result_id=result.pk, by=None, reason="", ruling=Ruling(Grade.PLUS, Grade.MINUS))
        publish_event(event_id=event.pk, by=None)
        with CaptureQueriesContext(connection) as captured:
            page = client.get(reverse("pairs:about", args=[event.pk])).text
        assert page.count("director:") == results
        return len(captured)

    assert queries(1) == queries(10)


QUERIES = {
    "event": 7,
    "scorecards": 6,
    "cross_table": 7,
    "travellers": 8,
    "all_travellers": 9,
    "boards": 7,
    "about": 10,
    "scorecard": 12,
    "board": 9,
    "events": 4,
}
