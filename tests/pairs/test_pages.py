"""The pages of an event: who sees them, what they say, and how many queries they take."""

import csv
import io
from collections.abc import Sequence
from typing import Any

import pytest
from django.test import Client
from django.urls import reverse

from apps.pairs.models import Event
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant, Result
from apps.results.services import compare_field
from apps.users.models import Player
from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules
from bridge.datum import DatumRule, Rounding, Trim
from tests.factories import Entry, make_event, make_user

pytestmark = pytest.mark.django_db

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
SCORES: Sequence[Entry] = ["4S N =", "4S N +1", "3NT S -1", "2S N +2", "4SX N -1", "4S N ="]
PAGES = ("event", "scorecards", "travellers", "boards", "about")


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
    pages = [reverse(f"pairs:{page}", args=[event.pk]) for page in PAGES]
    return [*pages, *single, f"{pages[0]}?format=csv"]


@pytest.mark.parametrize("method", list(Method))
def test_every_page_of_an_event_opens(client: Client, method: Method) -> None:
    event = published([SCORES, [None, *SCORES[1:]]], method=method, deals={1: DEAL})

    for address in [reverse("pairs:events"), *addresses(event)]:
        assert client.get(address).status_code == 200, address


def test_a_draft_is_not_there_for_anybody_but_directors(client: Client) -> None:
    event = make_event([SCORES])
    compare_field(field_id=event.field_id)
    rank_event(event_id=event.pk)

    assert [client.get(address).status_code for address in addresses(event)] == [404] * 8
    assert event.title not in client.get(reverse("pairs:events")).text

    client.force_login(make_user())
    assert [client.get(address).status_code for address in addresses(event)] == [404] * 8

    client.force_login(make_user("dora", director=True))
    assert [client.get(address).status_code for address in addresses(event)] == [200] * 8
    assert "not published" in client.get(reverse("pairs:events")).text


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

    line, meetings = response.context["line"], response.context["meetings"]
    assert sum(meeting.points for meeting in meetings) == line.total
    assert meetings[-1].lines[-1].running == line.total


def test_unknown_cards_are_said_to_be_unknown(client: Client) -> None:
    event = published([SCORES])

    assert "Nobody recorded the cards" in client.get(reverse("pairs:board", args=[event.pk, 1, 1])).text


def test_the_export_has_the_ranks_of_the_page(client: Client) -> None:
    event = published([["4S N =", "4S N =", "4S N -1", "4S N -2"]], method=Method.MP, winners=1)
    Player.objects.filter(name="Nora 1").update(name="=HYPERLINK(1)")

    response = client.get(event.get_absolute_url(), {"format": "csv"})
    rows = list(csv.reader(io.StringIO(response.content.decode("utf-8-sig"))))

    assert response.content.startswith(b"\xef\xbb\xbf")
    shown = [
        line.place
        for ranking in client.get(event.get_absolute_url()).context["lists"]
        for line in ranking.lines
    ]
    assert [row[0] for row in rows[1:]] == shown
    assert not any(cell.startswith("=") for row in rows for cell in row)


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


def test_events_are_found_by_title_by_method_and_by_player(client: Client) -> None:
    published([SCORES], title="Plum Blossom Pairs", method=Method.MP)
    published([SCORES[:2]], title="Orchid Trophy", method=Method.BUTLER)
    Player.objects.filter(name="Nora 6").update(name="Ždeněk", name_key="ždeněk")

    def found(**query: str) -> list[str]:
        return [each.event.title for each in client.get(reverse("pairs:events"), query).context["listed"]]

    assert found() == ["Orchid Trophy", "Plum Blossom Pairs"]
    assert found(q="orchid") == ["Orchid Trophy"]
    assert found(q="ŽDENĚK") == ["Plum Blossom Pairs"]
    assert found(method="MP") == ["Plum Blossom Pairs"]
    assert found(q="nothing of that kind") == []
    assert len(found(method="NO_SUCH", after="2026-99-99.x")) == 2


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


QUERIES = {
    "event": 6,
    "scorecards": 6,
    "travellers": 8,
    "boards": 7,
    "about": 5,
    "scorecard": 8,
    "board": 8,
    "events": 2,
}
