"""Events out of files: by the service and by the command."""

import json
import unicodedata
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
from apps.boards.selectors import unsolved_boards
from apps.pairs.models import Event, Session, Standing
from apps.pairs.services import imports
from apps.pairs.services.imports import (
    add_hands,
    digest_of,
    import_record,
    preview_of,
    publish_import,
    read_event,
)
from apps.results.models import Contestant, Field, Penalty, Result
from apps.results.selectors import points_of
from apps.users.models import Player, PlayerNumber
from bridge.comparison import Method
from bridge.errors import BridgeError
from bridge.formats.records import RecordError
from tests.factories import make_user

EVENTS = Path(__file__).parents[1] / "data" / "events"
BUTLER = (EVENTS / "butler.xml").read_bytes()
MITCHELL = (EVENTS / "mitchell.xml").read_bytes()

HANDLESS = MITCHELL[: MITCHELL.index(b"<HANDSET>")] + b"</USEBIO>"
DEALS = b"""[Board "1"]
[Dealer "N"]
[Vulnerable "None"]
[Deal "N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6"]
"""


def line_of(data: bytes, first: bytes) -> int:
    """The line on which this comes for the first time."""
    return data[: data.index(first)].count(b"\n") + 1


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
    ("name", "rows"),
    [
        ("butler", 48),
        ("mitchell", 72),
        ("cross_imp", 40),
        ("two_sessions", 48),
        ("sections_across", 64),
    ],
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
def test_sections_that_are_compared_apart_have_boards_and_ranking_lists_of_their_own() -> None:
    _, answer = command(str(EVENTS / "sections_apart.xml"))
    event = Event.objects.get()
    assert (answer["rows"], answer["differences"]) == (64, [])
    assert [(each.number, each.title) for each in event.sessions.all()] == [(1, "A"), (2, "B")]
    published = {said["pair"]: said["place"] for said in event.source["standings"]}
    for session, section in enumerate("AB", 1):
        ranks = event.standings.filter(session=session).values_list("contestant__label", "rank")
        assert {label: str(rank) for label, rank in ranks} == {
            label: place for label, place in published.items() if label.startswith(section)
        }
    assert event.standings.filter(session=0).count() == 16


@pytest.mark.django_db
def test_points_carried_over_stand_in_the_total_with_their_reason_and_in_no_session() -> None:
    plain = {each.contestant.label: each.total for each in store(BUTLER).event.standings.all()}
    total = BUTLER.split(b"<TOTAL_SCORE>")[1].split(b"<")[0]
    carrying = BUTLER.replace(b"<TOTAL_SCORE>" + total, b"<TOTAL_SCORE>%d" % (int(total) + 5), 1)
    carrying = carrying.replace(b"<PAIR_NUMBER>", b"<CARRY_OVER>5</CARRY_OVER><PAIR_NUMBER>", 1)
    event = store(carrying).event
    assert {each.contestant.label: each.total for each in event.standings.all()} == {
        **plain,
        "1": plain["1"] + 5,
    }
    carried = Penalty.objects.get()
    assert (int(carried.points), carried.session, carried.contestant.label) == (-5, 0, "1")
    assert "earlier stage" in carried.reason
    assert "counts in their totals" in preview_of(event).rule


@pytest.mark.django_db
def test_points_carried_over_that_the_file_does_not_count_do_not_count() -> None:
    event = store(BUTLER.replace(b"<PAIR_NUMBER>", b"<CARRY_OVER>5</CARRY_OVER><PAIR_NUMBER>", 1)).event
    assert not Penalty.objects.exists()
    assert event.source["differences"] == []
    assert "do not count here either" in preview_of(event).rule


@pytest.mark.django_db
def test_a_handicap_stands_beside_the_ranking_and_changes_nothing() -> None:
    scratch = list(store(BUTLER).event.standings.values_list("contestant__label", "rank"))
    handicapped = BUTLER.replace(b"<PAIR_NUMBER>", b"<HANDICAP>4.5</HANDICAP><PAIR_NUMBER>", 1)
    event = store(handicapped).event
    assert list(event.standings.values_list("contestant__label", "rank")) == scratch
    preview = preview_of(event)
    assert preview.handicaps
    assert {standing.contestant.label: said["handicap"] for standing, said in preview.lists[0][1]}[
        "1"
    ] == "4.5"
    assert not preview_of(Event.objects.earliest("pk")).handicaps


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
def test_one_name_typed_with_and_without_combining_accents_is_one_player() -> None:
    decomposed = unicodedata.normalize("NFD", BUTLER.decode()).encode()
    assert decomposed != BUTLER
    store(BUTLER)
    store(decomposed)
    assert Player.objects.count() == 16
    assert Player.objects.filter(name="Zo\u00eb Brightwater").exists()


@pytest.mark.django_db
def test_a_name_with_letters_of_four_bytes_stays_as_it_is() -> None:
    golfer = "Zoë \U0001f3cc\ufe0f"
    event = store(BUTLER.replace("Zoë Brightwater".encode(), golfer.encode())).event
    assert Player.objects.filter(name=golfer).exists()
    names = [str(member) for pair in event.field.contestants.all() for member in pair.members.all()]
    assert golfer in names


@pytest.mark.django_db
def test_the_same_players_come_out_of_every_encoding() -> None:
    polish = "Jürgen Müller-Łuczak"
    for declared in ("utf-8", "iso-8859-2", "windows-1250"):
        lines = [line for line in MITCHELL.decode().splitlines() if line.isascii() or "Zoë" in line]
        text = "\n".join(lines).replace('encoding="UTF-8"', f'encoding="{declared}"')
        data = text.replace("Zoë Brightwater", polish).encode(declared)
        assert read_event(data).pairs[0].players[0].name == polish
    with pytest.raises(RecordError, match=r"Line \d+: These letters are not"):
        read_event(text.replace("Zoë Brightwater", "J\u00fc").replace(declared, "utf-8").encode("latin-1"))


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
def test_cards_come_from_a_second_file_and_boards_without_cards_are_named() -> None:
    record = add_hands(read_event(HANDLESS), DEALS)
    imported = import_record(record=record, filename="m.xml", digest="1", by=make_user(director=True))
    assert Board.objects.get(number=1).deal.startswith("N:.AKJ87.QJ832.T85")
    assert Board.objects.get(number=2).deal == ""
    (warning,) = preview_of(imported.event).warnings
    assert "no cards of boards 2, 3, 4, 5" in warning


@pytest.mark.django_db
def test_the_command_says_which_cards_found_no_board(tmp_path: Path) -> None:
    event, deals = tmp_path / "m.xml", tmp_path / "m.pbn"
    event.write_bytes(HANDLESS)
    deals.write_bytes(DEALS + b"\n" + DEALS.replace(b'"1"', b'"99"'))
    out, _ = command(str(event), "--deals", str(deals), "--dry-run")
    assert "! The hand records hold boards that the event did not play: 99." in out
    assert "! The hand records hold no cards of boards 2, 3" in out


def test_cards_of_another_dealer_or_vulnerability_than_the_board_are_reported() -> None:
    turned = DEALS.replace(b'[Dealer "N"]', b'[Dealer "S"]')
    record = add_hands(read_event(HANDLESS), turned)
    assert record.sessions[0].boards[0].dealer.letter == "N"
    assert any("another dealer" in str(warning) for warning in record.warnings)
    assert not any("another dealer" in str(each) for each in add_hands(read_event(HANDLESS), DEALS).warnings)


@pytest.mark.parametrize(
    ("deals", "words"),
    [
        (b'[Board "1"]\n[Dealer "N"]\n', "holds no cards"),
        (b"", "holds no cards"),
        (DEALS.replace(b'"1"', b'"99"'), "are of boards 99; the event played boards 1, 2"),
        (DEALS.replace(b"AKQJ7", b"AKQJ8"), "card"),
    ],
)
def test_hand_records_that_are_of_no_use_are_refused(deals: bytes, words: str) -> None:
    with pytest.raises(RecordError, match=words):
        add_hands(read_event(HANDLESS), deals)


@pytest.mark.django_db
def test_hands_that_are_not_all_known_are_shown_and_not_analysed() -> None:
    whole, half = DEALS.decode(), DEALS.decode().replace("AKQJ7.9.K9754.Q2", "-")
    both = (whole + "\n" + half.replace('"1"', '"2"').replace('"N"', '"E"').replace("None", "NS")).encode()
    record = add_hands(read_event(HANDLESS), both)
    import_record(record=record, filename="m.xml", digest="1", by=None)
    assert "-" in Board.objects.get(number=2).deal.split()
    assert {board.number for board in unsolved_boards(limit=50)} == {1}


def unusual(numbers: range = range(1, 17)) -> bytes:
    """Boards that North deals, whatever their number."""
    return b"\n".join(
        b'[Event "Home"]\n[Board "%d"]\n[Dealer "N"]\n[Scoring "MP"]\n'
        b'[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]\n1 2 3NT N 9\n3 4 2S E 8\n' % number
        for number in numbers
    )


@pytest.mark.django_db
def test_dealer_and_vulnerability_that_do_not_fit_the_number_are_kept_and_reported() -> None:
    event = store(unusual()).event
    assert set(Board.objects.values_list("dealer", flat=True)) == {"N"}
    preview = preview_of(event)
    assert len(preview.warnings) == 12
    assert preview.unusual_boards == "2, 3, 4, 6, 7, 8, 10, 11, 12, 14, 15, 16"
    assert event.field.method == "MP"


@pytest.mark.django_db
def test_such_boards_are_published_only_when_somebody_has_checked_them(tmp_path: Path) -> None:
    home = tmp_path / "home.pbn"
    home.write_bytes(unusual())
    errors = StringIO()
    with pytest.raises(CommandError):
        call_command("import_event", str(home), "--publish", stdout=StringIO(), stderr=errors)
    assert "boards 2, 3, 4, 6" in errors.getvalue()
    assert nothing_is_stored()
    command(str(home), "--publish", "--accept-board-conditions")
    assert Event.objects.get().state == Event.State.PUBLISHED


@pytest.mark.django_db
def test_boards_as_their_numbers_want_them_need_no_check() -> None:
    home = unusual(range(1, 14, 4))
    assert store(home, publish=True).event.state == Event.State.PUBLISHED


@pytest.mark.django_db
def test_a_draft_with_such_boards_stays_a_draft_until_a_director_says_so() -> None:
    event, director = store(unusual()).event, make_user("dora", director=True)
    details: dict[str, Any] = {"title": "Home", "played_on": None, "organisation": ""}
    with pytest.raises(BridgeError, match="somebody has checked"):
        publish_import(event_id=event.pk, by=director, **details)
    event.refresh_from_db()
    assert (event.state, event.title) == (Event.State.DRAFT, "Home")
    assert publish_import(event_id=event.pk, by=director, **details, conditions_checked=True)
    event.refresh_from_db()
    assert event.state == Event.State.PUBLISHED


@pytest.mark.django_db
def test_a_passed_out_row_of_pbn_takes_part_and_an_unrecorded_one_does_not() -> None:
    table = '[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result"]'
    boards = [
        f'[Board "{number}"]\n[Scoring "MP"]\n{table}\n1 5 {one}\n2 6 1NT N 7\n3 7 1NT N 6\n4 8 {other}\n'
        for number, one, other in (
            (1, "Pass - -", "? ? ?"),
            (2, 'Pass "" ""', "2H E ?"),
            (3, "PASS ? ?", "- - -"),
        )
    ]
    event = store("\n".join(boards).encode()).event
    rows = Result.objects.order_by("field_board__board__number", "ns__order")
    assert list(rows.values_list("kind", "ns_score")) == [
        (kind, score)
        for down in (-50, -100, -50)
        for kind, score in (("played", 0), ("played", 90), ("played", down), ("not played", None))
    ]
    points = points_of(list(rows.values_list("pk", flat=True)))
    assert [points[row.pk].ns for row in rows if row.pk in points] == [2, 4, 0] * 3
    assert event.source["differences"] == []


@pytest.mark.django_db
def test_a_scoring_that_the_file_does_not_name_is_asked_for_and_said_to_be_chosen(tmp_path: Path) -> None:
    silent = unusual(range(1, 2)).replace(b'[Scoring "MP"]\n', b"")
    with pytest.raises(RecordError, match="does not say how the event is scored"):
        read_event(silent)
    home = tmp_path / "home.pbn"
    home.write_bytes(silent)
    out, _ = command(str(home), "--scoring", "CROSS_IMP")
    event = Event.objects.get()
    assert event.field.method == "CROSS_IMP"
    assert "! The file does not say how the event was scored; whoever imported it chose." in out


def test_a_scoring_that_the_file_names_is_not_overruled() -> None:
    record = read_event(unusual(range(1, 2)), method=Method.BUTLER)
    assert record.method is Method.MP
    assert record.warnings == ()


@pytest.mark.django_db
def test_a_lead_from_the_wrong_hand_and_a_score_far_from_the_field_are_doubtful_and_count() -> None:
    rows = "".join(
        f"{number} {number + 10} 4S {'W' if number < 6 else 'E'} 10 {'S3' if number == 1 else ''}\n"
        for number in range(1, 6)
    )
    wrong = (
        DEALS.decode()
        + '[Scoring "MP"]\n[ScoreTable "PairId_NS;PairId_EW;Contract;Declarer;Result;Lead"]\n'
        + rows
        + "6 16 4S N 10\n"
    )
    event = store(wrong.encode()).event
    doubtful = preview_of(event).doubts
    assert [(each["pair"], each["score"]) for each in doubtful] == [
        ("1 – 11", -420),
        ("6 – 16", 420),
        ("6 – 16", 420),
    ]
    assert "led" in doubtful[0]["what"]
    assert "far from" in doubtful[1]["what"]
    assert "the other side played" in doubtful[2]["what"]
    assert event.source["differences"] == []
    assert Result.objects.filter(kind="played").count() == 6


@pytest.mark.django_db
def test_the_command_prints_doubtful_results_with_their_place_and_no_others(tmp_path: Path) -> None:
    out, _ = command(str(EVENTS / "butler.xml"), "--dry-run")
    doubtful = [line for line in out.splitlines() if line.startswith("? ")]
    assert (
        "? board 4, pair 7 – 3, line 282: The score is far from every other score on the board." in doubtful
    )
    asked = ("far from every other score", "the other side played in this strain")
    assert all(any(question in line for question in asked) for line in doubtful)
    home = tmp_path / "home.pbn"
    home.write_bytes(unusual())
    out, _ = command(str(home), "--dry-run")
    assert "\n? " not in out


FIRST_PAIR = line_of(BUTLER, b"<PAIR>")
SECOND_PAIR = FIRST_PAIR + BUTLER.split(b"<PAIR>")[1].count(b"\n")

BAD = {
    "not XML": (b"<USEBIO", 1, "breaks off"),
    "an internal subset": (
        b'<?xml version="1.0"?>\n<!DOCTYPE a [<!ENTITY b "c">]>\n<USEBIO/>',
        2,
        "DOCTYPE",
    ),
    "broken off": (BUTLER[: len(BUTLER) // 2], BUTLER[: len(BUTLER) // 2].count(b"\n") + 1, "breaks off"),
    "a pair twice": (
        BUTLER.replace(b"<PAIR_NUMBER>2<", b"<PAIR_NUMBER>1<"),
        SECOND_PAIR,
        "stands twice",
    ),
    "an unknown type": (BUTLER.replace(b"BUTLER_PAIRS", b"CHESS"), 8, "CHESS"),
    "an impossible contract": (
        BUTLER.replace(b"<CONTRACT>", b"<CONTRACT>9", 1),
        line_of(BUTLER, b"<TRAVELLER_LINE>"),
        "is not a contract",
    ),
    "14 tricks": (
        MITCHELL.replace(b"<TRICKS>", b"<TRICKS>14</TRICKS><X>", 1).replace(b"</TRICKS>\n", b"</X>\n", 1),
        line_of(MITCHELL, b"<TRAVELLER_LINE>"),
        "13 tricks",
    ),
    "letters of another encoding": (
        BUTLER.replace("Zoë".encode(), b"Zo\xeb"),
        line_of(BUTLER, "Zoë".encode()),
        "UTF-8",
    ),
    "no results": (DEALS.replace(b"[Board", b'[Scoring "MP"]\n[Board'), None, "no event"),
    "no scoring": (DEALS, None, "how the event is scored"),
    "neither": (b"hello", 1, "neither"),
    "nothing": (b" ", None, "empty"),
}


@pytest.mark.parametrize("case", BAD)
def test_a_bad_file_is_refused_in_a_sentence_with_the_line_where_one_is_at_fault(case: str) -> None:
    data, line, words = BAD[case]
    with pytest.raises(RecordError, match=words) as refused:
        read_event(data)
    assert refused.value.line == line
    assert str(refused.value).startswith("Line ") == (line is not None)


@pytest.mark.django_db
@pytest.mark.parametrize(
    ("right", "wrong", "words"),
    [
        ("Łukasz Żurawski</PLAYER_NAME>\n        <NATIONAL_ID_NUMBER>70001",
         "Zoë Brightwater</PLAYER_NAME>\n        <NATIONAL_ID_NUMBER>70000", "names one player twice"),
        ("<PAIR_NUMBER>1<", "<PAIR_NUMBER>Harbour House<", "is too long"),
    ],
)  # fmt: skip
def test_a_pair_that_cannot_be_is_refused_with_its_line_and_nothing_stays(
    right: str, wrong: str, words: str
) -> None:
    assert right.encode() in BUTLER
    with pytest.raises(RecordError, match=words) as refused:
        store(BUTLER.replace(right.encode(), wrong.encode()))
    assert refused.value.line == FIRST_PAIR
    assert nothing_is_stored()


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
