"""Real files go through the command, and what the database then holds is what was published."""

import json
from collections import defaultdict
from dataclasses import replace
from decimal import ROUND_HALF_UP, Decimal
from fractions import Fraction
from io import StringIO
from pathlib import Path
from typing import Any

import pytest
from django.core.management import CommandError, call_command

from apps.pairs.models import Event, Standing
from apps.pairs.services.imports import read_event
from apps.results.models import Comparison, Result
from bridge.formats.published import explain
from bridge.formats.records import BoardRecord, RowRecord
from tests.real.conftest import REAL

CONSISTENT = {
    "usebio-butler-howell": 140,
    "usebio-cross-imp-howell": 108,
    "usebio-mp-pairs-mitchell": 512,
    "usebio-mp-pairs-mitchell-03": 126,
    "usebio-mp-pairs-mitchell-04": 134,
}
PBN = {"pbn-westwood-2019": 384, "pbn-winchester-2026": 41}
UNSCALED_ROWS = {"usebio-mp-pairs-mitchell", "usebio-mp-pairs-mitchell-04"}


def file_of(item: str) -> Path:
    (path,) = (REAL / "anonymised" / item).iterdir()
    return path


def expectation(item: str) -> dict[str, Any]:
    data: dict[str, Any] = json.loads((REAL / "expectations" / f"{item}.json").read_text())
    return data


def import_item(item: str, *options: str) -> tuple[Event, dict[str, Any]]:
    out = StringIO()
    call_command("import_event", str(file_of(item)), "--json", *options, stdout=out)
    return Event.objects.get(), json.loads(out.getvalue().splitlines()[-1])


def results_of(event: Event) -> dict[tuple[str, str, str], tuple[Result, Fraction, Fraction]]:
    """Every result with its points, by board and pairs."""
    rows: dict[tuple[str, str, str], tuple[Result, Fraction, Fraction]] = {}
    comparisons = {each.field_board_id: each for each in Comparison.objects.all()}
    for result in Result.objects.select_related("ns", "ew", "field_board__board").filter(
        field_board__field=event.field_id, kind__in=["played", "ruled"]
    ):
        comparison = comparisons[result.field_board_id]
        place = comparison.results.index(result.pk)
        rows[str(result.field_board.board.number), result.ns.label, result.ew.label] = (
            result,
            Fraction(comparison.ns_points[place], comparison.denominator),
            Fraction(comparison.ew_points[place], comparison.denominator),
        )
    return rows


def rounded(value: Fraction, places: int = 2) -> Decimal:
    exact = Decimal(value.numerator) / Decimal(value.denominator)
    return exact.quantize(Decimal(1).scaleb(-places), ROUND_HALF_UP)


@pytest.mark.django_db
@pytest.mark.parametrize("item", CONSISTENT)
def test_a_published_event_is_reproduced_to_the_last_figure(item: str) -> None:
    event, answer = import_item(item)
    assert answer["rows"] == CONSISTENT[item]
    assert answer["differences"] == []
    said = expectation(item)
    rows = results_of(event)
    compared = 0
    for board, published in said["board_results"].items():
        for each in published:
            result, ns, ew = rows[board, each["ns"], each["ew"]]
            assert str(result.ns_score) == each["score"]
            if item in UNSCALED_ROWS and len(published) < max(map(len, said["board_results"].values())):
                continue  # printed before Neuberg's formula; the totals below are after it
            assert (rounded(ns), rounded(ew)) == (
                Decimal(each["ns_pub"]).quantize(Decimal("0.01")),
                Decimal(each["ew_pub"]).quantize(Decimal("0.01")),
            )
            compared += 1
    assert compared > CONSISTENT[item] / 4
    for each in said["published_standings"]:
        standing = Standing.objects.get(event=event, session=0, contestant__label=each["pair"])
        assert str(standing.rank) == each["place"]
        if each["pct"]:
            assert rounded(standing.score) == Decimal(each["pct"])
        else:
            assert rounded(standing.total) == Decimal(each["total"])


@pytest.mark.django_db
def test_the_datum_of_the_butler_was_rounded_away_from_zero() -> None:
    event, answer = import_item("usebio-butler-howell")
    assert event.field.datum_rule == "fixed1+share0,least3,keep1;half-away"
    assert "away from zero" in answer["files"][0]["rule"]


@pytest.mark.django_db
def test_an_inconsistent_file_is_reported_and_not_matched() -> None:
    event, answer = import_item("usebio-mp-pairs-mitchell-02")
    assert answer["rows"] == 567
    said = answer["differences"]
    points = [each for each in said if each["what"] == "matchpoints"]
    assert [sum(each["board"] == board for each in points) for board in (1, 3, 4)] == [19, 1, 1]
    assert len(points) == 21
    assert sum(each["what"] == "total" for each in said) == 42
    assert {each["what"] for each in said} <= {"matchpoints", "total", "percentage", "rank"}
    assert event.source["differences"] == said


@pytest.mark.django_db
def test_all_totals_of_the_inconsistent_file_come_out_of_the_event_before_its_rulings() -> None:
    _, answer = import_item("usebio-mp-pairs-mitchell-02")
    rule = answer["files"][0]["rule"]
    assert "before its rulings" in rule
    record = read_event(file_of("usebio-mp-pairs-mitchell-02").read_bytes())
    (session,) = record.sessions
    scores = {(2, "9NS"): 110, (3, "1NS"): -650}
    assert "2, 9NS – 8EW: +110; 3, 1NS – 1EW: −650" in rule

    def before(board: BoardRecord, row: RowRecord) -> RowRecord:
        score = scores.get((board.number, row.ns))
        return row if score is None else replace(row, ruling=None, ns_score=score)

    boards = tuple(
        replace(board, rows=tuple(before(board, row) for row in board.rows)) for board in session.boards
    )
    found = explain(replace(record, sessions=(replace(session, boards=boards),)))
    assert not [each for each in found.differences if each.what in ("total", "percentage", "rank")]


def test_two_totals_of_the_inconsistent_file_are_the_sums_of_the_rows_that_it_prints() -> None:
    record = read_event(file_of("usebio-mp-pairs-mitchell-02").read_bytes())
    sums: dict[str, Decimal] = defaultdict(Decimal)
    for _, board in record.boards():
        for row in board.rows:
            sums[row.ns] += row.ns_points or 0
            sums[row.ew] += row.ew_points or 0
    agreeing = [each.pair for each in record.standings if each.total == sums[each.pair]]
    assert len(agreeing) == expectation("usebio-mp-pairs-mitchell-02")["checks"]["totals_ok"] == 2


@pytest.mark.django_db
@pytest.mark.parametrize("item", PBN)
def test_score_tables_of_pbn_are_scored(item: str) -> None:
    event, answer = import_item(item)
    assert answer["rows"] == PBN[item]
    rows = results_of(event)
    tables = {
        board: [row for row in computed if row[-2] is not None]
        for board, computed in expectation(item)["board_results"].items()
    }
    fullest = max(map(len, tables.values()))
    for board, computed in tables.items():
        for ns, ew, *_, score, matchpoints in computed:
            result, points, _ew = rows[board, f"{ns}NS", f"{ew}EW"]
            assert result.ns_score == score
            if len(computed) == fullest:
                assert points == matchpoints


@pytest.mark.django_db
def test_an_event_of_a_type_that_nobody_knows_is_refused_by_its_name() -> None:
    errors = StringIO()
    with pytest.raises(CommandError):
        call_command("import_event", str(file_of("usebio-notsupported")), stdout=StringIO(), stderr=errors)
    assert "NOTSUP" in errors.getvalue()
    assert "Line 8" in errors.getvalue()
    assert not Event.objects.exists()


@pytest.mark.django_db
def test_players_of_one_club_are_one_person_from_event_to_event() -> None:
    for item in ("usebio-mp-pairs-mitchell", "usebio-mp-pairs-mitchell-03"):
        call_command("import_event", str(file_of(item)), stdout=StringIO())
    events = Event.objects.all()
    players = [set(event.field.contestants.values_list("players", flat=True)) for event in events]
    numbers = [
        set(event.field.contestants.values_list("players__numbers__number", flat=True)) for event in events
    ]
    assert len(players) == 2
    assert len(players[0] | players[1]) == len(players[0]) + len(players[1]) - len(players[0] & players[1])
    assert len(numbers[0] & numbers[1]) >= len(players[0] & players[1]) > 0
