"""Files of an event: they say what its pages say, and come back as the event they were."""

import csv
import io
import json
from collections.abc import Sequence
from fractions import Fraction
from typing import Any
from urllib.parse import unquote

import pytest
from django.test import Client
from django.urls import reverse

from apps.boards.services import BoardFacts, create_board_set
from apps.pairs.models import Event, Session, Standing
from apps.pairs.services.imports import digest_of, import_record, read_event
from apps.pairs.services.publishing import publish_event
from apps.results.models import Contestant, Result
from apps.results.services import add_boards, record_results
from apps.users.models import Player
from bridge.awards import Grade, Ruling, Stated
from bridge.comparison import Method
from bridge.formats import lin, pbn
from tests.factories import Entry, make_event, make_play, make_user

pytestmark = pytest.mark.django_db

DEAL = "N:KQ74.A6.KJ83.Q94 32.8742.T65.J765 AJT85.K93.Q2.T83 96.QJT5.A974.AK2"
SCORES: Sequence[Entry] = ["4S N =", "4S N +1", "3NT S -1", "2S N +2", "4SX N -1", "Pass"]
WEIGHTED = Ruling.weighted(((Fraction(3, 5), 420), (Fraction(2, 5), -50)))
FILES = ("standings_file", "travellers_file", "event_json", "event_pbn")


def published(boards: Sequence[Sequence[Entry]], **options: Any) -> Event:
    event = make_event(boards, **options)
    publish_event(event_id=event.pk, by=None)
    event.refresh_from_db()
    return event


def content(client: Client, name: str, *arguments: object, **query: str | int) -> bytes:
    response = client.get(reverse(f"pairs:{name}", args=arguments), query)
    assert response.status_code == 200
    return response.content


def sheet(client: Client, name: str, event: Event, **query: str | int) -> list[dict[str, str]]:
    text = content(client, name, event.pk, **query).decode("utf-8-sig")
    return list(csv.DictReader(io.StringIO(text)))


def add_session(event: Event, boards: Sequence[Sequence[Entry]]) -> None:
    """A second sitting of the same pairs at the same tables."""
    board_set = create_board_set(
        name="2", boards=[BoardFacts(number) for number in range(1, len(boards) + 1)]
    )
    Session.objects.create(event=event, number=2, board_set=board_set)
    field_boards = add_boards(field=event.field, board_set=board_set, session=2)
    pairs = {pair.label: pair for pair in Contestant.objects.filter(field=event.field)}
    plays = [
        make_play(entry, field_boards[number], pairs[f"{table} NS"], pairs[f"{table} EW"])
        for number, row in enumerate(boards, 1)
        for table, entry in enumerate(row, 1)
    ]
    record_results(field=event.field, plays=plays, source=Result.Source.ENTERED)


def standings(event: Event) -> list[tuple[Any, ...]]:
    """Everything that its ranking lists say, with the names of the pairs."""
    rows = Standing.objects.filter(event=event, session=0).select_related("contestant")
    return [
        (
            row.contestant.label,
            row.contestant.direction if event.winners == 2 else "",
            [player.name for player in row.contestant.players.order_by("memberships__position")],
            row.rank,
            row.tied,
            row.boards,
            row.score,
            row.total,
            row.penalty,
            row.masterpoints,
        )
        for row in rows.order_by("position", "contestant__direction")
    ]


@pytest.mark.parametrize("winners", [1, 2])
@pytest.mark.parametrize("method", list(Method))
def test_an_event_that_went_out_as_pbn_comes_back_with_the_same_standings(
    client: Client, method: Method, winners: int
) -> None:
    event = make_event(
        [SCORES, SCORES[::-1], [*SCORES[:3], Ruling(Grade.PLUS, Grade.MINUS), WEIGHTED, None]],
        method=method,
        winners=winners,
        deals={1: DEAL},
        title="林 \U00020bb7 & “Sons” = Open",
    )
    Contestant.objects.get(field=event.field, label="2 NS").penalties.create(points="1.5", reason="Late")
    Player.objects.filter(name="Nora 1").update(name="\U00020bb7野 \U0001f0a1 O’Neill")
    publish_event(event_id=event.pk, by=None)
    event.refresh_from_db()

    data = content(client, "event_pbn", event.pk)
    record = read_event(data)
    again = import_record(
        record=record, filename="e.pbn", digest=digest_of(data), by=None, publish=True
    ).event

    assert again.title == event.title
    assert again.field.method == event.field.method
    assert standings(again) == standings(event)
    assert again.source["differences"] == []
    assert again.sessions.get().board_set.boards.get(number=1).deal == DEAL


def test_two_sessions_come_back_as_two(client: Client) -> None:
    event = make_event([SCORES, SCORES[::-1]], method=Method.MP)
    add_session(event, [SCORES[::-1], SCORES, SCORES])
    publish_event(event_id=event.pk, by=None)

    data = content(client, "event_pbn", event.pk)
    again = import_record(record=read_event(data), filename="e.pbn", digest=digest_of(data), by=None).event

    assert [session.board_set.boards.count() for session in again.sessions.order_by("number")] == [2, 3]
    assert [row[:-1] for row in standings(again)] == [row[:-1] for row in standings(event)]


@pytest.mark.parametrize(
    ("method", "words"),
    [
        (Method.MP, "MP"),
        (Method.BUTLER, "IMP;Butler"),
        (Method.CROSS_IMP, "IMP;Cross"),
        (Method.TOTAL_IMP, "IMP;Total"),
    ],
)
def test_every_file_names_the_scoring_of_its_own_event(client: Client, method: Method, words: str) -> None:
    event = published([SCORES], method=method, deals={1: DEAL})

    for name, arguments in (("event_pbn", [event.pk]), ("board_pbn", [event.pk, 1, 1])):
        assert f'[Scoring "{words}"]' in content(client, name, *arguments).decode()
    assert json.loads(content(client, "event_json", event.pk))["scoring"] == method.value


def test_a_board_goes_out_with_its_cards_and_its_traveller(client: Client) -> None:
    event = published([SCORES, SCORES], method=Method.MP, deals={2: DEAL})

    (board,) = pbn.read_boards(content(client, "board_pbn", event.pk, 1, 2))
    assert (board.number, board.deal and board.deal.pbn, len(board.rows)) == (2, DEAL, 6)
    assert [row.ns_score for row in board.rows] == [650, 620, 170, 0, -100, -200]
    (game,) = lin.read(content(client, "board_lin", event.pk, 1, 2))
    assert (game.board, game.deal and game.deal.pbn) == (2, DEAL)
    assert client.get(reverse("pairs:board_lin", args=[event.pk, 1, 1])).status_code == 404
    assert client.get(reverse("pairs:board_pbn", args=[event.pk, 1, 9])).status_code == 404


def test_ranks_are_the_same_on_the_page_and_in_every_file(client: Client) -> None:
    event = published([["4S N =", "4S N =", "4S N +1", "4S N -1", "4S N -1"]], method=Method.MP, winners=2)
    lists = client.get(event.get_absolute_url()).context["lists"]
    shown = {line.pair.label: line.place for ranking in lists for line in ranking.lines}
    assert [shown[f"{number} NS"] for number in (3, 1, 2, 4, 5)] == ["1", "2=", "2=", "4=", "4="]

    rows = sheet(client, "standings_file", event)
    document = json.loads(content(client, "event_json", event.pk))
    record = pbn.read(content(client, "event_pbn", event.pk))

    assert {row["No."]: row["Rank"] for row in rows} == shown
    assert [row["No."] for row in rows] == [*shown]
    lines = [line for ranking in document["standings"] for line in ranking["lines"]]
    assert {line["pair"]: f"{line['rank']}{'=' if line['tied'] else ''}" for line in lines} == shown
    assert {each.pair: each.place for each in record.standings} == shown


def test_a_pair_without_a_rank_has_none_in_any_file(client: Client) -> None:
    event = make_event([SCORES])
    Contestant.objects.filter(field=event.field, label="1 NS").update(status=Contestant.Status.WITHDRAWN)
    publish_event(event_id=event.pk, by=None)

    rows = {row["No."]: row["Rank"] for row in sheet(client, "standings_file", event)}
    assert rows["1 NS"] == ""
    record = pbn.read(content(client, "event_pbn", event.pk))
    assert [each.place for each in record.standings if each.pair == "1 NS"] == [None]


def test_the_travellers_as_a_sheet_have_a_line_for_every_result(client: Client) -> None:
    event = published([SCORES, [*SCORES[:5], Ruling(Grade.PLUS, Stated(Fraction(45)))]], method=Method.MP)

    rows = sheet(client, "travellers_file", event)

    assert len(rows) == 12
    best = rows[0]
    assert (best["Board"], best["Contract"], best["Declarer"], best["Tricks"]) == ("1", "4S", "N", "11")
    assert (best["Score N–S"], best["Matchpoints N–S"], best["% N–S"]) == ("450", "10.00", "100.00")
    assert (rows[-1]["Ruling N–S"], rows[-1]["Ruling E–W"]) == ("A+", "45 %")


def test_no_cell_that_somebody_else_wrote_is_a_formula(client: Client) -> None:
    event = published([SCORES])
    names = ["=HYPERLINK(1)", "+1", "-1", "@SUM(1)", "\t=1"]
    for number, name in enumerate(names, 1):
        Player.objects.filter(name=f"Nora {number}").update(name=name)

    for name in ("standings_file", "travellers_file"):
        text = content(client, name, event.pk).decode("utf-8-sig")
        cells = [cell for row in csv.reader(io.StringIO(text)) for cell in row]
        written = [cell for cell in cells if any(each in cell for each in names) and " – Sue" in cell]
        assert len(written) == len(names)
        assert not [cell for cell in written if cell.startswith(("=", "+", "-", "@", "\t"))]


def test_names_keep_their_letters_in_every_file(client: Client) -> None:
    event = published([SCORES])
    name = "\U00020bb7野 屋\U000e0100"  # letters of four bytes, and one with a mark that chooses its form
    Player.objects.filter(name="Nora 1").update(name=name)

    for file in FILES:
        data = content(client, file, event.pk)
        assert name in (
            json.loads(data)["pairs"][0]["players"][0]["name"] if data.startswith(b"{") else data.decode()
        )
    assert content(client, "standings_file", event.pk).startswith(b"\xef\xbb\xbf")


def test_a_file_is_called_after_the_event(client: Client) -> None:
    event = published([SCORES], title='Café 桥牌 "Nord/Süd"\r\nX')

    said = client.get(reverse("pairs:event_pbn", args=[event.pk]))["Content-Disposition"]

    assert unquote(said) == "attachment; filename*=utf-8''Café_桥牌_NordSüdX_event.pbn"


def test_the_file_of_a_session_holds_that_session(client: Client) -> None:
    event = make_event([SCORES], method=Method.MP)
    add_session(event, [SCORES[::-1], SCORES[::-1]])
    publish_event(event_id=event.pk, by=None)

    boards = {
        session: {row["Boards"] for row in sheet(client, "standings_file", event, session=session)}
        for session in ("", 1, 2, 3)
    }

    assert boards == {"": {"3"}, 1: {"1"}, 2: {"2"}, 3: {"3"}}


def test_files_of_a_draft_are_for_directors(client: Client) -> None:
    event = make_event([SCORES], deals={1: DEAL})
    addresses = [reverse(f"pairs:{name}", args=[event.pk]) for name in FILES]
    addresses += [reverse(f"pairs:{name}", args=[event.pk, 1, 1]) for name in ("board_pbn", "board_lin")]

    assert {client.get(address).status_code for address in addresses} == {404}
    client.force_login(make_user())
    assert {client.get(address).status_code for address in addresses} == {404}
    client.force_login(make_user("dora", director=True))
    assert {client.get(address).status_code for address in addresses} == {200}


def test_a_file_that_did_not_change_is_not_sent_again(client: Client) -> None:
    event = published([SCORES])
    address = reverse("pairs:event_json", args=[event.pk])

    tag = client.get(address)["ETag"]

    assert client.get(address, headers={"If-None-Match": tag}).status_code == 304


@pytest.mark.parametrize("name", FILES)
def test_a_file_takes_as_many_queries_for_sixty_pairs_as_for_twelve(
    client: Client, name: str, django_assert_num_queries: Any
) -> None:
    small = published([SCORES] * 2, deals={1: DEAL})
    large = published([[*SCORES] * 5] * 6, deals={1: DEAL}, title="Large")
    for event in (small, large):
        with django_assert_num_queries(5 if name == "standings_file" else 9):
            content(client, name, event.pk)
