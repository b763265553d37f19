"""Events of USEBIO: sections, scoring, cards and conditions; and what their figures say about how they were made."""

import re
from collections.abc import Iterable
from pathlib import Path

import pytest

from bridge.comparison import Method
from bridge.formats import usebio
from bridge.formats.published import Explanation, apart, explain
from bridge.formats.records import EventRecord, RecordError
from bridge.seats import Seat, Side, Vulnerability

EVENTS = Path(__file__).parents[1] / "data" / "events"
VOID = "N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6"


def text(name: str) -> str:
    return (EVENTS / f"{name}.xml").read_text()


def read(source: str) -> EventRecord:
    return usebio.read(source.encode())


def words(found: Explanation) -> str:
    return " ".join(map(str, found.sentences))


def line_of(source: str, words: str) -> int:
    return source[: source.index(words)].count("\n") + 1


def with_first(source: str, tag: str, figure: str) -> str:
    """The file with another figure in the first element of that name."""
    return re.sub(f"(<{tag}>)[^<]*", rf"\g<1>{figure}", source, count=1)


def small(*, before: str = "", board: str = "", rows: Iterable[str] = (), after: str = "") -> str:
    """Two pairs and one board."""
    pairs = "".join(
        f"<PAIR><PAIR_NUMBER>{n}</PAIR_NUMBER><PLAYER><PLAYER_NAME>{name}</PLAYER_NAME></PLAYER></PAIR>"
        for n, name in ((1, "Nora"), (2, "Ed"))
    )
    played = "".join(
        f"<TRAVELLER_LINE><NS_PAIR_NUMBER>1</NS_PAIR_NUMBER><EW_PAIR_NUMBER>2</EW_PAIR_NUMBER>{row}</TRAVELLER_LINE>"
        for row in rows
    )
    return (
        f'<USEBIO><EVENT EVENT_TYPE="PAIRS">{before}<PARTICIPANTS>{pairs}</PARTICIPANTS>'
        f"<BOARD><BOARD_NUMBER>2</BOARD_NUMBER>{board}{played}</BOARD>{after}</EVENT></USEBIO>"
    )


# ---- sections


def test_pairs_of_several_sections_are_told_apart_by_section_number_and_side() -> None:
    record = read(text("sections_apart"))
    assert [pair.label for pair in record.pairs][:5] == ["A1NS", "A2NS", "A3NS", "A4NS", "A1EW"]
    assert {(pair.section, pair.direction) for pair in record.pairs} == {
        (section, side) for section in "AB" for side in Side
    }
    rows = [row for _, board in record.boards() for row in board.rows]
    assert len(rows) == record.rows == 64
    assert all(
        row.ns.startswith(row.section or "?") and row.ew.startswith(row.section or "?") for row in rows
    )


def test_sections_that_the_file_compared_apart_are_compared_apart() -> None:
    found = explain(read(text("sections_apart")))
    assert found.differences == ()
    assert "Each section is compared by itself." in words(found)
    assert "ranks each section by itself" in words(found)
    assert [(session.number, session.title) for session in found.record.sessions] == [(1, "A"), (2, "B")]
    assert [len(session.boards) for session in found.record.sessions] == [8, 8]


def test_sections_that_the_file_compared_as_one_field_are_one_field() -> None:
    found = explain(read(text("sections_across")))
    assert found.differences == ()
    assert "Boards are compared across the sections." in words(found)
    assert "ranks each section" not in words(found)
    assert len(found.record.sessions) == 1


def test_a_wrong_figure_in_a_section_stays_the_only_difference() -> None:
    found = explain(read(with_first(text("sections_apart"), "NS_MATCH_POINTS", "99")))
    (difference,) = found.differences
    assert (difference.what, difference.pair, difference.board) == ("matchpoints", "A1NS – A1EW", 1)


def test_an_event_of_one_section_says_nothing_of_sections() -> None:
    assert "section" not in words(explain(read(text("mitchell"))))


def test_sections_apart_keep_the_standings_of_their_sessions() -> None:
    source = text("sections_apart").replace("</SESSION>", "</SESSION><SESSION></SESSION>")
    record = apart(read(source))
    assert {(each.session, each.pair[0]) for each in record.standings} == {(1, "A"), (2, "B")}


def test_numbers_of_numbered_sections_do_not_run_together() -> None:
    source = text("sections_apart").replace('SECTION_ID="A"', 'SECTION_ID="1"')
    source = source.replace('SECTION_ID="B"', 'SECTION_ID="11"')
    labels = [pair.label for pair in read(source).pairs]
    assert labels[0] == "1-1NS"
    assert len(labels) == len(set(labels)) == 16


def test_a_pair_may_name_its_section_itself() -> None:
    source = text("sections_apart")
    participants = re.findall("<PAIR>.*?</PAIR>", source, re.S)
    named = [
        pair.replace("<PAIR>", f"<PAIR><SECTION_ID>{section}</SECTION_ID>")
        for section, pair in zip("A" * 8 + "B" * 8, participants, strict=True)
    ]
    source = re.sub("<PARTICIPANTS>.*?</PARTICIPANTS>", "", source, flags=re.S)
    source = source.replace("<SESSION ", f"<PARTICIPANTS>{''.join(named)}</PARTICIPANTS><SESSION ")
    record = read(source)
    assert [pair.label for pair in record.pairs] == [
        pair.label for pair in read(text("sections_apart")).pairs
    ]
    assert explain(record).differences == ()


# ---- what is added to totals


def test_points_carried_over_that_the_totals_count_are_counted() -> None:
    source = text("butler")
    total = int(re.findall("<TOTAL_SCORE>(.*?)<", source)[0])
    source = with_first(source, "TOTAL_SCORE", str(total + 5))
    carrying = source.replace("<PAIR_NUMBER>", "<CARRY_OVER>5</CARRY_OVER><PAIR_NUMBER>", 1)
    assert "total" in {each.what for each in explain(read(source)).differences}
    found = explain(read(carrying))
    assert found.carried
    assert "total" not in {each.what for each in found.differences}
    assert "counts in their totals" in words(found)


def test_points_carried_over_that_the_totals_leave_out_are_left_out_and_it_is_said() -> None:
    source = text("butler").replace("<PAIR_NUMBER>", "<CARRY_OVER>5</CARRY_OVER><PAIR_NUMBER>", 1)
    found = explain(read(source))
    assert not found.carried
    assert found.differences == ()
    assert "its totals do not count" in words(found)


def test_a_handicap_changes_nothing_and_is_said() -> None:
    source = text("butler").replace("<PAIR_NUMBER>", "<HANDICAP>4.5</HANDICAP><PAIR_NUMBER>", 1)
    found = explain(read(source))
    assert found.differences == ()
    assert "handicaps" in words(found)
    assert "handicaps" not in words(explain(read(text("butler"))))


def test_what_the_director_took_in_both_sessions_adds_up() -> None:
    source = text("two_sessions")
    source = re.sub("<PAIR_NUMBER>1<", "<ADJUSTMENT>-2</ADJUSTMENT><PAIR_NUMBER>1<", source)
    sessions = source.count("<ADJUSTMENT>")
    (adjustment,) = {pair.adjustment for pair in read(source).pairs if pair.label == "1"}
    in_sessions = source.index("<SESSION") < source.index("<ADJUSTMENT>")
    assert adjustment == (-2 * sessions if in_sessions else -2)


def test_a_ranking_of_one_session_is_compared_with_the_file_too() -> None:
    source = small(
        before="<BOARD_SCORING_METHOD>MATCH_POINTS</BOARD_SCORING_METHOD>", rows=["<SCORE>110</SCORE>"]
    )
    board = re.findall("<BOARD>.*</BOARD>", source)[0]
    participants = re.findall("<PARTICIPANTS>.*</PARTICIPANTS>", source)[0]
    wrong = participants.replace("<PLAYER>", "<TOTAL_SCORE>7</TOTAL_SCORE><PLAYER>", 1)
    source = source.replace(
        board, f"<SESSION>{participants}{board}</SESSION><SESSION>{wrong}{board}</SESSION>"
    )
    (difference,) = explain(read(source)).differences
    assert (difference.what, difference.session, difference.pair) == ("total", 2, "1")


# ---- totals that were printed before the director ruled


def with_an_artificial_score(source: str, row: str, award: str) -> str:
    ruled = re.sub("<CONTRACT>.*?</SCORE>", f"<SCORE>{award}</SCORE>", row, flags=re.S)
    ruled = re.sub("<(NS|EW)_MATCH_POINTS>[^<]*", r"<\1_MATCH_POINTS>3", ruled)
    return source.replace(row, ruled)


def test_totals_made_before_a_ruling_are_explained_and_stay_differences() -> None:
    source = text("sections_across")
    row = re.findall("<TRAVELLER_LINE>.*?</TRAVELLER_LINE>", source, re.S)[5]
    found = explain(read(with_an_artificial_score(source, row, "A5050")))
    (said,) = [each for each in found.sentences if "before its rulings" in str(each)]
    assert "2, A2NS – A2EW: −" in str(said)  # the lowest score on board 2
    assert "total" in {each.what for each in found.differences}


def test_totals_that_follow_from_no_score_are_not_explained_away() -> None:
    source = text("sections_across")
    row = re.findall("<TRAVELLER_LINE>.*?</TRAVELLER_LINE>", source, re.S)[5]
    ruled = with_first(with_an_artificial_score(source, row, "A5050"), "TOTAL_SCORE", "11.5")
    assert "before its rulings" not in words(explain(read(ruled)))


# ---- scoring


@pytest.mark.parametrize(
    ("said", "method"),
    [
        ("MATCH_POINTS", Method.MP),
        ("BUTLER_IMPS", Method.BUTLER),
        ("CROSS_IMPS", Method.CROSS_IMP),
        ("AGGREGATE", None),
    ],
)
def test_a_pairs_event_is_scored_as_its_own_element_says(said: str, method: Method | None) -> None:
    source = small(before=f"<BOARD_SCORING_METHOD>{said}</BOARD_SCORING_METHOD>", rows=["<SCORE>110</SCORE>"])
    assert read(source).method is method


@pytest.mark.parametrize(
    ("points", "method"),
    [("NS_MATCH_POINTS", Method.MP), ("NS_CROSS_IMPS", Method.CROSS_IMP), ("NS_IMPS", None), ("X", None)],
)
def test_a_pairs_event_that_does_not_say_is_scored_as_its_rows_show_or_unknown(
    points: str, method: Method | None
) -> None:
    source = small(rows=[f"<SCORE>110</SCORE><{points}>1</{points}>"])
    assert read(source).method is method


# ---- cards, dealer and vulnerability


def hands(north: str = "") -> str:
    suits = ("SPADES", "HEARTS", "DIAMONDS", "CLUBS")
    dealt = VOID.removeprefix("N:").split()
    return "".join(
        f"<HAND><DIRECTION>{seat}</DIRECTION>"
        + "".join(f"<{suit}>{cards}</{suit}>" for suit, cards in zip(suits, hand.split("."), strict=True))
        + "</HAND>"
        for seat, hand in zip("NESW", [north or dealt[0], *dealt[1:]], strict=True)
    )


def handset(board: str = "") -> str:
    return f"<HANDSET><BOARD><BOARD_NUMBER>2</BOARD_NUMBER>{board}{hands()}</BOARD></HANDSET>"


def test_cards_stand_in_the_board_or_in_a_handset() -> None:
    for source in (small(board=hands(), rows=["<SCORE>110</SCORE>"]), small(after=handset())):
        ((_, board),) = read(source).boards()
        assert board.deal is not None
        assert board.deal.pbn == VOID


def test_cards_outside_all_sessions_are_left_out_of_an_event_of_several() -> None:
    source = small(rows=["<SCORE>110</SCORE>"])
    board = re.findall("<BOARD>.*</BOARD>", source)[0]
    source = source.replace(board, f"<SESSION>{board}</SESSION><SESSION>{board}</SESSION>{handset()}")
    record = read(source)
    assert [board.deal for _, board in record.boards()] == [None, None]
    assert any("which session" in str(warning) for warning in record.warnings)


def test_a_board_follows_its_number_when_the_file_is_silent() -> None:
    ((_, board),) = read(small(rows=["<SCORE>110</SCORE>"])).boards()
    assert (board.dealer, board.vulnerability, board.fits_number) == (Seat.EAST, Vulnerability.NS, True)


@pytest.mark.parametrize(
    ("said", "vulnerability"),
    [
        ("Love", Vulnerability.NONE),
        ("North-South", Vulnerability.NS),
        ("E/W", Vulnerability.EW),
        ("Game All", Vulnerability.BOTH),
        ("all", Vulnerability.BOTH),
    ],
)
def test_vulnerability_is_read_in_the_words_of_the_format(said: str, vulnerability: Vulnerability) -> None:
    source = small(board=f"<VULNERABILITY>{said}</VULNERABILITY>", rows=["<SCORE>110</SCORE>"])
    record = read(source)
    ((_, board),) = record.boards()
    assert board.vulnerability is vulnerability
    assert len(record.warnings) == (vulnerability is not Vulnerability.NS)


def test_a_dealer_that_does_not_fit_the_number_is_kept_and_reported_once() -> None:
    source = small(board="<DEALER>West</DEALER>", rows=["<SCORE>110</SCORE>"], after=handset())
    record = read(source)
    ((_, board),) = record.boards()
    assert (board.dealer, board.fits_number) == (Seat.WEST, False)
    (warning,) = record.warnings
    assert "dealer W" in str(warning)


@pytest.mark.parametrize(("tag", "said"), [("DEALER", "Nobody"), ("DEALER", "Q"), ("VULNERABILITY", "half")])
def test_a_dealer_or_vulnerability_that_cannot_be_is_refused_with_its_line(tag: str, said: str) -> None:
    source = small(rows=["<SCORE>110</SCORE>"]).replace("<BOARD>", "\n<BOARD>")
    source = source.replace("</BOARD_NUMBER>", f"</BOARD_NUMBER><{tag}>{said}</{tag}>")
    with pytest.raises(RecordError, match=f"Line 2: “{said}”"):
        read(source)
