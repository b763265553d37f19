"""Events out of files: by the service and by the command."""

import json
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from io import StringIO
from pathlib import Path
from threading import Barrier
from typing import Any

import pytest
from django.core.management import CommandError, call_command
from django.db import connection
from django.test import Client

from apps.boards.models import Board, BoardSet
from apps.pairs.models import Event, Session, Standing
from apps.pairs.services import imports
from apps.pairs.services.imports import digest_of, import_record, read_event
from apps.results.models import Contestant, Field, Result
from apps.users.models import Player, PlayerNumber
from bridge.formats.records import RecordError
from tests.factories import make_user

EVENTS = Path(__file__).parents[1] / "data" / "events"
BUTLER = (EVENTS / "butler.xml").read_bytes()
MITCHELL = (EVENTS / "mitchell.xml").read_bytes()

DEALS = b"""[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6"]
"""


def store(data: bytes, **options: Any) -> imports.Imported:
    record = read_event(data)
    return import_record(record=record, filename="event.xml", digest=digest_of(data), by=None, **options)


def command(*arguments: str) -> tuple[str, dict[str, Any]]:
    out = StringIO()
    call_command("import_event", *arguments, "--json", stdout=out, stderr=StringIO())
    return out.getvalue(), json.loads(out.getvalue().splitlines()[-1])


def nothing_is_stored() -> bool:
    models = (Event, Field, Session, BoardSet, Contestant, Result, Player, PlayerNumber, Standing)
    return not any(model.objects.exists() for model in models)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("name", "rows"), [("butler", 48), ("mitchell", 72), ("cross_imp", 40), ("two_sessions", 48)]
)
def test_a_file_becomes_a_draft_with_its_rows_and_no_difference(name: str, rows: int) -> None:
    _, answer = command(str(EVENTS / f"{name}.xml"))
    event = Event.objects.get()
    assert (answer["rows"], answer["differences"], answer["failed"]) == (rows, [], 0)
    assert event.state == Event.State.DRAFT
    assert Result.objects.count() == rows
    assert {said["place"] for said in event.source["standings"]} == {
        str(rank) for rank in Standing.objects.filter(session=0).values_list("rank", flat=True)
    }
    assert event.ranked_version == event.field.version


@pytest.mark.django_db
def test_missing_results_and_rulings_stay_what_they_are() -> None:
    store(MITCHELL)
    assert Result.objects.filter(kind="not played").count() == 1
    assert Result.objects.get(kind="ruled").ruling == {"ns": {"grade": "A"}, "ew": {"grade": "A"}}


@pytest.mark.django_db
def test_sessions_have_boards_of_their_own() -> None:
    event = store((EVENTS / "two_sessions.xml").read_bytes()).event
    assert [session.board_set.boards.count() for session in event.sessions.all()] == [6, 6]
    assert set(event.standings.values_list("session", flat=True)) == {0, 1, 2}


@pytest.mark.django_db
def test_the_same_file_again_is_already_there_and_changes_nothing() -> None:
    first = store(BUTLER)
    again = store(BUTLER.replace(b"\n", b"\r\n"))
    assert (first.created, again.created) == (True, False)
    assert again.event == first.event
    assert Event.objects.count() == 1
    out, answer = command(str(EVENTS / "butler.xml"))
    assert f"Already there: {first.event.get_absolute_url()}" in out
    assert not answer["files"][0]["created"]


@pytest.mark.django_db(transaction=True)
def test_two_imports_at_the_same_time_make_one_event_and_every_player_once() -> None:
    start = Barrier(2)

    def run(_: int) -> bool:
        start.wait()
        try:
            return store(BUTLER).created
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert sorted(pool.map(run, range(2))) == [False, True]
    assert Event.objects.count() == 1
    assert Player.objects.count() == PlayerNumber.objects.count() == 16


@pytest.mark.django_db(transaction=True)
def test_two_files_at_the_same_time_know_the_same_players() -> None:
    start = Barrier(2)

    def run(data: bytes) -> bool:
        start.wait()
        try:
            return store(data).created
        finally:
            connection.close()

    with ThreadPoolExecutor(2) as pool:
        assert all(pool.map(run, [BUTLER, (EVENTS / "cross_imp.xml").read_bytes()]))
    assert Player.objects.count() == 16


@pytest.mark.django_db(transaction=True)
@pytest.mark.parametrize(
    "stage", ["find_or_create_players", "add_contestants", "record_results", "compare_field", "rank_event"]
)
def test_nothing_is_stored_when_anything_fails(stage: str, monkeypatch: pytest.MonkeyPatch) -> None:
    real: Callable[..., Any] = getattr(imports, stage)

    def breaks(*args: Any, **kwargs: Any) -> None:
        real(*args, **kwargs)
        raise RuntimeError(stage)

    monkeypatch.setattr(imports, stage, breaks)
    with pytest.raises(RuntimeError, match=stage):
        store(BUTLER)
    assert nothing_is_stored()
    monkeypatch.undo()
    assert store(BUTLER).created


@pytest.mark.django_db
def test_a_dry_run_prints_all_and_stores_nothing() -> None:
    out, answer = command(str(EVENTS / "butler.xml"), "--dry-run")
    assert "1 left out at each end" in out
    assert answer["rows"] == 48
    assert nothing_is_stored()


@pytest.mark.django_db
def test_a_changed_figure_is_printed_with_board_pair_and_line() -> None:
    figure = b"<NS_BUTLER_POINTS>"
    start = BUTLER.index(figure) + len(figure)
    end = BUTLER.index(b"<", start)
    wrong = BUTLER[:start] + b"24" + BUTLER[end:]
    (difference,) = store(wrong).event.source["differences"]
    assert difference["board"] == 1
    assert difference["line"] == wrong[: wrong.rindex(b"<TRAVELLER_LINE>", 0, start)].count(b"\n") + 1
    assert difference["published"].startswith("24 / ")


@pytest.mark.django_db
def test_one_bad_file_does_not_stop_the_others(tmp_path: Path) -> None:
    bad = tmp_path / "bad.xml"
    bad.write_text("no event")
    out, errors = StringIO(), StringIO()
    with pytest.raises(CommandError, match="1 file was not imported"):
        call_command(
            "import_event", str(bad), str(EVENTS / "butler.xml"), "--json", stdout=out, stderr=errors
        )
    assert "neither USEBIO nor PBN" in errors.getvalue()
    answer = json.loads(out.getvalue().splitlines()[-1])
    assert (answer["rows"], answer["failed"]) == (48, 1)
    assert Event.objects.count() == 1


@pytest.mark.django_db
def test_publishing_at_once_shows_the_event(client: Client) -> None:
    command(str(EVENTS / "butler.xml"), "--publish", "--no-masterpoints")
    event = Event.objects.get()
    assert event.state == Event.State.PUBLISHED
    assert not event.awards_masterpoints
    assert client.get(event.get_absolute_url()).status_code == 200


@pytest.mark.django_db
def test_players_with_numbers_meet_again_and_keep_the_first_spelling() -> None:
    store(BUTLER)
    store((EVENTS / "cross_imp.xml").read_bytes().replace("Zoë Brightwater".encode(), b"Z. BRIGHTWATER"))
    assert Player.objects.count() == 16
    assert Player.objects.filter(name="Zoë Brightwater").exists()
    assert Player.objects.filter(name="أمينة الراشد").exists()


@pytest.mark.django_db
def test_players_without_numbers_meet_again_only_within_their_organisation() -> None:
    def without_numbers(data: bytes, club: bytes = b"Harbour Lights Bridge Club") -> bytes:
        lines = [line for line in data.splitlines() if b"NATIONAL_ID" not in line]
        return b"\n".join(lines).replace(b"Harbour Lights Bridge Club", club)

    store(without_numbers(BUTLER))
    store(without_numbers((EVENTS / "cross_imp.xml").read_bytes()))
    assert Player.objects.count() == 16
    store(without_numbers((EVENTS / "two_sessions.xml").read_bytes(), b"Another Club"))
    assert Player.objects.count() == 32


@pytest.mark.django_db
def test_cards_come_from_a_second_file() -> None:
    handless = MITCHELL[: MITCHELL.index(b"<HANDSET>")] + b"</USEBIO>"
    record = read_event(handless, deals=DEALS)
    import_record(record=record, filename="m.xml", digest="1", by=make_user(director=True))
    assert Board.objects.get(number=1).deal.startswith("N:.AKJ87.QJ832.T85")
    assert Board.objects.get(number=2).deal == ""


@pytest.mark.django_db
def test_dealer_and_vulnerability_that_do_not_fit_the_number_are_kept_and_reported() -> None:
    boards = b"\n".join(
        b'[Event "Home"]\n[Board "%d"]\n[Dealer "N"]\n[Scoring "MP"]\n'
        b'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 3NT N 9\n3 4 2S E 8\n' % number
        for number in range(1, 17)
    )
    event = store(boards).event
    assert set(Board.objects.values_list("dealer", flat=True)) == {"N"}
    assert len(event.source["warnings"]) == 12
    assert event.field.method == "MP"


BAD = {
    "not XML": (b"<USEBIO", "breaks off"),
    "an internal subset": (b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<USEBIO/>', "DOCTYPE"),
    "broken off": (BUTLER[: len(BUTLER) // 2], "breaks off"),
    "a pair twice": (BUTLER.replace(b"<PAIR_NUMBER>2<", b"<PAIR_NUMBER>1<"), "stands twice"),
    "an unknown type": (BUTLER.replace(b"BUTLER_PAIRS", b"CHESS"), "CHESS"),
    "an impossible contract": (BUTLER.replace(b"<CONTRACT>", b"<CONTRACT>9", 1), "is not a contract"),
    "14 tricks": (
        MITCHELL.replace(b"<TRICKS>", b"<TRICKS>14</TRICKS><X>", 1).replace(b"</TRICKS>\n", b"</X>\n", 1),
        "13 tricks",
    ),
    "letters of another encoding": (BUTLER.replace("Zoë".encode(), b"Zo\xeb"), "UTF-8"),
    "no results": (DEALS.replace(b"[Board", b'[Scoring "MP"]\n[Board'), "no event"),
    "no scoring": (DEALS, "how the event is scored"),
    "neither": (b"hello", "neither"),
    "nothing": (b" ", "empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_in_a_sentence(case: str) -> None:
    data, words = BAD[case]
    with pytest.raises(RecordError, match=words):
        read_event(data)


@pytest.mark.django_db
def test_a_pair_that_plays_a_board_twice_is_refused_with_the_line_and_nothing_stays() -> None:
    twice = BUTLER.replace(b"<EW_PAIR_NUMBER>7<", b"<EW_PAIR_NUMBER>6<")
    with pytest.raises(RecordError, match=r"Line \d+: Pair 6 has a second result on board \d+"):
        store(twice)


def test_an_encoding_can_be_named() -> None:
    latin = BUTLER.replace(b'encoding="UTF-8"', b"").decode().encode("utf-16")
    assert read_event(latin).pairs[1].players[0].name == "林月白"
    western = MITCHELL.replace("Zoë".encode(), b"Zo\xeb")
    western = b"".join(line for line in western.splitlines(True) if line.isascii() or b"Zo\xeb" in line)
    assert read_event(western, encoding="cp1252").pairs[0].players[0].name == "Zoë Brightwater"


def test_a_file_beyond_the_limit_is_refused_before_it_is_read(tmp_path: Path) -> None:
    huge = tmp_path / "huge.xml"
    with huge.open("wb") as file:
        file.truncate(50 * 2**20)
    errors = StringIO()
    with pytest.raises(CommandError):
        call_command("import_event", str(huge), stdout=StringIO(), stderr=errors)
    assert "50 MB" in errors.getvalue()
