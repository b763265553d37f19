"""Every row of the vectors: right answers computed apart from this code and checked against printed tables."""

import csv
import re
from collections.abc import Iterator
from fractions import Fraction
from itertools import groupby
from pathlib import Path

import pytest

from bridge.awards import Grade, Ruling
from bridge.comparison import Method, Rules, compare_board, settle
from bridge.contracts import Contract, Doubling, Strain
from bridge.datum import DEFAULT_RULE, DatumRule, Trim, datum
from bridge.high_cards import high_card_result
from bridge.imps import imps
from bridge.masterpoints import TITLES, award, title
from bridge.scoring import duplicate_score
from bridge.seats import dealer, vulnerability
from bridge.vps import victory_points

VECTORS = Path(__file__).parents[1] / "data" / "vectors"


def rows(name: str, count: int) -> list[dict[str, str]]:
    with (VECTORS / name).open(encoding="utf-8", newline="") as file:
        read = list(csv.DictReader(file))
    assert len(read) == count
    return read


def cases(name: str, count: int) -> Iterator[tuple[str, list[dict[str, str]]]]:
    for case, group in groupby(rows(name, count), lambda row: row["case"]):
        yield case, list(group)


def test_duplicate_scores() -> None:
    for row in rows("score.csv", 2941):
        contract = None
        if row["level"] != "0":
            contract = Contract(
                int(row["level"]), Strain.from_text(row["strain"]), Doubling(int(row["doubled"]))
            )
        score = duplicate_score(contract, int(row["tricks_won"] or 0), vulnerable=row["declarer_vul"] == "1")
        assert score == int(row["score_declarer_side"]), row


def test_dealer_and_vulnerability() -> None:
    for row in rows("board_cycle.csv", 48):
        number = int(row["board"])
        assert (dealer(number).letter, vulnerability(number).value) == (row["dealer"], row["vulnerable"])


def test_imps() -> None:
    for row in rows("imp.csv", 851):
        assert imps(int(row["point_difference"])) == int(row["imps"])


@pytest.mark.parametrize(("name", "count"), [("vp_8_12_16.csv", 173), ("vp_other_lengths.csv", 674)])
def test_victory_points(name: str, count: int) -> None:
    for row in rows(name, count):
        points = victory_points(int(row["imp_margin"]), int(row["boards"]))
        assert [str(each) for each in points] == [row["vp_winner"], row["vp_loser"]], row


def test_team_matches() -> None:
    margin = 0
    for row in rows("team_match.csv", 39):
        if row["board"] == "TOTAL":
            assert int(row["imps_for_A"]) == margin
            points = victory_points(margin, int(row["boards"]))
            assert "-".join(str(each) for each in points) == row["vp_A_vp_B"].strip()
            margin = 0
        else:
            open_room = int(row["open_room_ns_score_team_A_is_NS"])
            closed_room = int(row["closed_room_ns_score_team_B_is_NS"])
            assert imps(open_room - closed_room) == int(row["imps_for_A"])
            margin += int(row["imps_for_A"])


def test_trim_table() -> None:
    for row in rows("datum_trim_table.csv", 40):
        number, trim = int(row["n_results"]), DEFAULT_RULE.trim(int(row["n_results"]))
        assert (trim, trim, number - 2 * trim) == (
            int(row["drop_top"]),
            int(row["drop_bottom"]),
            int(row["n_averaged"]),
        )


def test_datum_and_imps_against_the_field() -> None:
    for case, group in cases("datum_ximp.csv", 162):
        scores = [int(row["ns_score"]) for row in group]
        rule = DatumRule(Trim(fixed=int(group[0]["k_each_end"])))
        found = datum(scores, rule)
        assert found is not None
        assert (found.score, f"{float(found.mean):.4f}") == (
            int(group[0]["datum_rounded"]),
            group[0]["datum_exact"],
        ), case
        butler = compare_board(scores, Rules(Method.BUTLER, rule))
        assert list(butler.ns) == [int(row["butler_imp_ns"]) for row in group], case
        assert list(butler.ew) == [int(row["butler_imp_ew"]) for row in group], case
        assert sorted(zip(scores, butler.dropped, strict=True)) == sorted(
            (int(row["ns_score"]), row["dropped_from_datum"] == "1") for row in group
        ), case
        total = compare_board(scores, Rules(Method.TOTAL_IMP))
        assert list(total.ns) == [int(row["total_imp_ns"]) for row in group], case
        assert list(total.ew) == [int(row["total_imp_ew"]) for row in group], case
        cross = compare_board(scores, Rules(Method.CROSS_IMP))
        printed = [row["cross_imp_avg_n_minus_1_ns"] for row in group]
        assert [f"{float(points):.4f}" for points in cross.ns] == printed, case


def test_matchpoints_with_neuberg_and_fouled_boards() -> None:
    for case, group in cases("mp.csv", 102):
        real = [row for row in group if not row["adjustment"]]
        artificial = [Ruling(*grades(row["adjustment"])) for row in group if row["adjustment"]]
        for number in sorted({row["group"] for row in real}):
            mine = [row for row in real if row["group"] == number]
            alone = len({row["group"] for row in real}) == 1
            points = compare_board(
                [*(int(row["ns_score"]) for row in mine), *(artificial if alone else [])],
                Rules(Method.MP, expected=int(group[0]["N_expected"])),
            )
            for row, ns, ew in zip(mine, points.ns, points.ew, strict=False):
                assert points.top is not None
                assert f"{float(100 * ns / points.top):.4f}" == row["ns_pct"], row
                assert f"{float(100 * ew / points.top):.4f}" == row["ew_pct"], row
                if case != "MP05":  # a single result: the vector has a top of 0, we show 1 of 2
                    assert abs(ns - Fraction(row["mp_ns_2_1_0"])) < Fraction(1, 1000), row
                    assert abs(ew - Fraction(row["mp_ew_2_1_0"])) < Fraction(1, 1000), row


def grades(text: str) -> tuple[Grade, Grade]:
    """`A+/A-`, `A+ (own session 64.3%) / A`."""
    ns, ew = (each.split()[0] for each in text.split("/"))
    return Grade(ns), Grade(ew)


def test_artificial_scores_of_the_vectors() -> None:
    seen = 0
    for row in (row for row in rows("mp.csv", 102) if row["adjustment"]):
        own = re.search(r"own session ([0-9.]+)%", row["adjustment"])
        top = 2 * (int(row["N_expected"]) - 1)
        for side, grade in zip(("ns", "ew"), grades(row["adjustment"]), strict=True):
            percent = settle(grade, Fraction(own[1]) if own else None)
            assert f"{float(percent):.4f}" == row[f"{side}_pct"], row
            assert percent * top / 100 == Fraction(row[f"mp_{side}_2_1_0"]), row
            seen += 1
    assert seen == 20


def test_artificial_scores_follow_the_pairs_own_percentage() -> None:
    assert settle(Grade.PLUS, Fraction(643, 10)) == Fraction(643, 10)
    assert settle(Grade.PLUS, Fraction(52)) == 60
    assert settle(Grade.MINUS, Fraction(375, 10)) == Fraction(375, 10)
    assert settle(Grade.MINUS, Fraction(55)) == 40
    assert settle(Grade.AVERAGE, Fraction(70)) == 50
    assert settle(Grade.PLUS, None) == 60


def test_high_card_results() -> None:
    for row in rows("hcp_adjusted.csv", 25):
        result = high_card_result(int(row["ns_score"]), int(row["hcp_ns"]))
        assert (result, -result) == (int(row["result_ns_base20"]), int(row["result_ew_base20"])), row


def test_master_points() -> None:
    for row in rows("masterpoints_swiss.csv", 181):
        points = award(int(row["rank"]), int(row["finishing_pairs"]))
        assert points == int(row["master_points_each_player"]), row


def test_titles() -> None:
    for row, ours in zip(rows("titles.csv", 12), TITLES, strict=True):
        assert (ours.level, ours.points) == (int(row["level"]), int(row["min_master_points"]))
        assert title(int(row["sample_points_in"] or 0)).level == ours.level
        if row["sample_points_just_below"]:
            assert title(int(row["sample_points_just_below"])).level == ours.level - 1
