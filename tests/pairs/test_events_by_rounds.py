"""Events that add up rounds: every page and file says what its figures are, and they add up."""

import csv
import io
import json
import random
from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

import pytest
from django.core.management import call_command
from django.db import transaction
from django.test import Client
from django.urls import reverse

from apps.pairs.models import Event
from apps.pairs.services.imports import digest_of, import_record, read_event
from apps.pairs.services.ranking import rank_event
from apps.results.models import Contestant
from bridge.comparison import Method
from tests.pairs.evening import enter_pairs, make_swiss, pass_time, play_round, start

pytestmark = pytest.mark.django_db

PERCENT, VPS, IMPS, CROSS, TOTAL = "Percentages", "Victory points", "IMPs", "Cross-IMPs", "Total IMPs"
KINDS = {
    PERCENT: (Method.MP, False),
    VPS: (Method.BUTLER, True),
    IMPS: (Method.BUTLER, False),
    CROSS: (Method.CROSS_IMP, False),
    TOTAL: (Method.TOTAL_IMP, False),
}
UNITS = {PERCENT: "%", VPS: "VPs", IMPS: "IMPs", CROSS: "IMPs", TOTAL: "IMPs"}


@pytest.fixture(scope="module", autouse=True)
def evenings(django_db_setup: None, django_db_blocker: Any) -> Iterator[None]:
    """An event of each kind, with byes, a board cut by the bell and a penalty of half a point, or given points."""
    with django_db_blocker.unblock(), transaction.atomic():
        rng = random.Random(8)
        for title, (method, by_vps) in KINDS.items():
            swiss = make_swiss(method=method, title=title, by_vps=by_vps)
            enter_pairs(swiss, 7, title)
            start(swiss)
            play_round(swiss, rng, skip=[(2, 1)])
            pass_time(minutes=21, seconds=30)
            play_round(swiss, rng)
            pass_time(minutes=21)
            punished, rewarded = Contestant.objects.filter(field=swiss.event.field).order_by("order")[:2]
            punished.penalties.create(points="2.5", reason="Slow, after two warnings.")
            rewarded.penalties.create(points="-1", reason="Kept waiting.")
            rank_event(event_id=swiss.pk)
        yield
        transaction.set_rollback(True)


@pytest.fixture(params=KINDS)
def event(request: pytest.FixtureRequest) -> Event:
    return Event.objects.select_related("field", "swiss").get(title=request.param)


def address(name: str, event: Event, *more: int) -> str:
    return reverse(f"pairs:{name}", args=[event.pk, *more])


def test_a_row_of_the_cross_table_adds_up_to_the_total(client: Client, event: Event) -> None:
    response = client.get(address("cross_table", event))

    (table,) = response.context["tables"]
    assert len(table.rows) == 7
    for row in table.rows:
        scored = sum((cell.points for cell in row.cells if cell), row.alone or Fraction(0))
        assert scored - Fraction(row.line.penalty) == row.line.total
        assert sum(cell.boards for cell in row.cells if cell) == (2 if row.alone is not None else 4)
    assert sum(row.alone is not None for row in table.rows) == 2
    assert sum(row.line.penalty != 0 for row in table.rows) == 2
    if event.title == VPS:
        assert all(0 <= cell.points <= 20 for row in table.rows for cell in row.cells if cell)
        assert {row.alone for row in table.rows} == {None, 12}
    assert "No opponent" in response.text
    assert "Each figure is what the pair of the row scored" in response.text
    assert ("IMPs of the row" in response.text) == (UNITS[event.title] == "IMPs")
    assert ("victory points of the row" in response.text) == (event.title == VPS)
    assert "matchpoints of the row" not in response.text


def test_the_files_name_what_their_totals_are(client: Client, event: Event) -> None:
    sheet = client.get(address("standings_file", event)).content.decode("utf-8-sig")
    head = next(csv.reader(io.StringIO(sheet)))
    assert ("VPs" in head, "IMPs" in head, "Percent" in head) == (
        event.title == VPS,
        UNITS[event.title] == "IMPs",
        event.title == PERCENT,
    )
    said = json.loads(client.get(address("event_json", event)).content)
    assert (said["by_rounds"], said["by_vps"]) == (True, event.title == VPS)
    table = client.get(address("event_pbn", event)).content.decode().partition("[TotalScoreTable ")[2]
    columns = [column.split("\\")[0] for column in table.split('"')[1].split(";")]
    totals = {name for name in columns if name.startswith("Total")}
    assert totals == {{PERCENT: "TotalPercentage", VPS: "TotalScoreVP"}.get(event.title, "TotalIMP")}
    assert "RoundScores" in columns


def test_what_is_exported_comes_back_without_a_difference(
    client: Client, event: Event, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file = tmp_path / "event.pbn"
    file.write_bytes(client.get(address("event_pbn", event)).content)

    call_command("import_event", file, "--dry-run")

    report = capsys.readouterr().out
    assert "No difference." in report
    assert "The file adds up rounds" in report


def test_a_total_that_its_rounds_do_not_add_up_to_is_a_difference(client: Client) -> None:
    event = Event.objects.get(title=VPS)
    record = read_event(client.get(address("event_pbn", event)).content)
    text = client.get(address("event_pbn", event)).content.decode()
    first = str(record.standings[0].total)
    changed = text.replace(f" {first} ", " " + "9" * len(first) + " ", 1).encode()

    imported = import_record(
        record=read_event(changed), filename="event.pbn", digest=digest_of(changed), by=None
    ).event

    (difference,) = imported.source["differences"]
    assert (difference["what"], difference["published"]) == ("total", "9" * len(first))
    assert imported.field.by_session
    assert not imported.field.contestants.filter(penalties__isnull=False).exists()


def test_about_says_what_a_round_brings(client: Client, event: Event) -> None:
    page = client.get(address("about", event)).text

    assert ("become victory points, 0 to 20" in page) == (event.title == VPS)
    bye = {
        PERCENT: "gets 60 % of",
        VPS: "gets 12 victory points",
        TOTAL: "1 IMP a board for every table but one",
    }
    assert bye.get(event.title, "gets 1 IMP a board;") in page
    penalties = page.partition('id="penalties"')[2].partition("</thead>")[0]
    assert penalties.count(f'<th scope="col" class="n">{UNITS[event.title]}</th>') == 1


def test_penalties_stand_on_the_score_card_where_rounds_are_added_up(client: Client, event: Event) -> None:
    response = client.get(address("scorecard", event, 1))

    boards, _, rounds = response.text.partition("</table>")
    foot = boards.partition("<tfoot>")[2]
    assert "Boards together" in foot
    assert "Slow, after two warnings." not in foot
    assert ">Total<" not in foot
    assert "Slow, after two warnings." in rounds
    line = response.context["line"]
    scores = [score.points for score in response.context["rounds"]]
    assert sum(scores) - Fraction("2.5") == line.total
    assert (event.title != VPS) or "<dd>+" not in rounds.partition("Slow")[0]
