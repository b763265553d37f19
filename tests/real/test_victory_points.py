"""Matches of a Nordic team championship: pairs of victory points on the WBF's scale for fifteen boards."""

import csv
import json
from decimal import Decimal
from typing import Any

import pytest

from bridge.vps import victory_points, winners_scale
from tests.real.conftest import REAL

ITEM = "team-vp-nordic-2023-a"
BOARDS = 15

Match = tuple[str, int, str, str]  # series, round, home, away
VPs = tuple[Decimal, Decimal]


@pytest.fixture
def published() -> dict[Match, VPs]:
    with (REAL / "anonymised" / ITEM / "results.csv").open(newline="") as file:
        return {
            (row["series"], int(row["round"]), row["home"], row["away"]): (
                Decimal(row["vp_home"]),
                Decimal(row["vp_away"]),
            )
            for row in csv.DictReader(file, delimiter=";")
        }


@pytest.fixture
def expected() -> dict[str, Any]:
    data: dict[str, Any] = json.loads(
        (REAL / "expectations" / f"{ITEM}.json").read_text(), parse_float=Decimal
    )
    return data


def margin_of(match: dict[str, Any]) -> int:
    """Home's margin in IMPs: the expectation gives the winner's."""
    home, away = match["vp"]
    margin: int = match["implied_margin"]
    return margin if home >= away else -margin


def test_every_margin_gives_the_pair_of_victory_points_that_was_published(
    published: dict[Match, VPs], expected: dict[str, Any]
) -> None:
    ours = {
        (match["series"], match["round"], match["home"], match["away"]): victory_points(
            margin_of(match), BOARDS
        )
        for match in expected["matches"]
    }

    assert ours == published
    assert len(ours) == expected["checks"]["vp_on_scale"] == 9


def test_every_published_pair_sums_to_twenty(published: dict[Match, VPs], expected: dict[str, Any]) -> None:
    pairs = [pair for pair in published.values() if sum(pair) == 20]

    assert len(pairs) == len(published) == expected["checks"]["vp_pairs_sum_to_20"] == 9


def test_every_published_winner_stands_on_the_scale_at_one_margin_only(
    published: dict[Match, VPs], expected: dict[str, Any]
) -> None:
    scale = winners_scale(BOARDS)
    margins = [
        [margin for margin, points in enumerate(scale) if points == 100 * max(pair)]
        for pair in published.values()
    ]

    assert margins == [[match["implied_margin"]] for match in expected["matches"]]


def test_a_margin_of_thirty_five_shows_the_concavity_correction_in_a_published_result(
    published: dict[Match, VPs],
) -> None:
    assert published["open", 4, "Iceland", "Denmark"] == victory_points(35, BOARDS)
    assert victory_points(35, BOARDS)[0] == Decimal("17.61")  # the formula, only rounded, gives 17.60
