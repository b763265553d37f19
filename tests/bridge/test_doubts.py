"""What makes one ask whether a result was written down right."""

import pytest

from bridge.cards import Card, Deal
from bridge.contracts import Contract, read_contract
from bridge.doubts import Doubt, doubts, odd_ones_out

DEAL = Deal.from_pbn("N:.AKJ87.QJ832.T85 AKQJ7.9.K9754.Q2 86.QT654.A6.9743 T95432.32.T.AKJ6")
HALF_KNOWN = Deal.from_pbn("N:.AKJ87.QJ832.T85 - 86.QT654.A6.9743 -")


def contract(text: str) -> Contract:
    read, _ = read_contract(text)
    assert read is not None
    return read


def about_the_lead(played: str, lead: str, deal: Deal | None = DEAL) -> tuple[Doubt, ...]:
    return doubts(
        contract=contract(played), lead=Card.from_text(lead), deal=deal, ns_score=None, field_scores=()
    )


def about_the_score(score: int, *others: int) -> bool:
    return doubts(contract=None, lead=None, deal=None, ns_score=score, field_scores=others) == (
        Doubt.SCORE_FAR_FROM_FIELD,
    )


def test_a_lead_from_declarers_own_hand_is_doubtful() -> None:
    assert about_the_lead("4S W", "S3") == (Doubt.LEAD_NOT_IN_LEADERS_HAND,)


@pytest.mark.parametrize(("played", "lead"), [("4S W", "HK"), ("4S N", "SA"), ("4S E", "S8"), ("4S S", "S3")])
def test_a_lead_from_the_hand_at_declarers_left_is_not(played: str, lead: str) -> None:
    assert about_the_lead(played, lead) == ()


def test_nothing_is_asked_about_a_lead_when_cards_or_declarer_are_not_known() -> None:
    assert about_the_lead("4S W", "S3", None) == ()
    assert about_the_lead("4S", "S3") == ()


def test_a_leader_whose_hand_is_not_known_may_hold_what_no_known_hand_holds() -> None:
    assert about_the_lead("4S N", "SA", HALF_KNOWN) == ()
    assert about_the_lead("4S N", "HA", HALF_KNOWN) == (Doubt.LEAD_NOT_IN_LEADERS_HAND,)


def test_a_score_for_the_wrong_side_is_doubtful() -> None:
    assert about_the_score(620, -620, -620, -620, -650)
    assert about_the_score(420, -420, -450, 50, -420, -50) is False  # 370 away from a score that was made
    assert about_the_score(420, -420, -450, -100, -420)


def test_a_score_more_than_1000_from_every_other_is_doubtful() -> None:
    assert about_the_score(-1100, 420, 450, 420)
    assert not about_the_score(-580, 420, 450, 420)
    assert about_the_score(-590, 420, 450, 420)


def test_one_other_wild_score_takes_the_doubt_away() -> None:
    assert not about_the_score(-1100, 420, 450, -1400)


def test_a_field_of_fewer_than_three_others_says_nothing() -> None:
    assert not about_the_score(620, -620, -620)
    assert about_the_score(620, -620, -620, -620)


def test_lead_and_score_may_both_be_doubtful() -> None:
    found = doubts(
        contract=contract("4S W"),
        lead=Card.from_text("S3"),
        deal=DEAL,
        ns_score=-620,
        field_scores=[620, 650, 620],
    )
    assert found == (Doubt.LEAD_NOT_IN_LEADERS_HAND, Doubt.SCORE_FAR_FROM_FIELD)
    assert all(doubt.message.endswith(".") for doubt in found)


# ---- declared by the wrong side


def odd(*played: str) -> list[str]:
    """Those of the results that are in doubt."""
    answers = odd_ones_out([read_contract(each) for each in played])
    return [each for each, answer in zip(played, answers, strict=True) if answer]


def test_the_one_result_by_the_other_side_is_the_odd_one_out_and_not_the_whole_board() -> None:
    assert odd(*["4S E +1"] * 5, "4S E =", "4S W =", "4S N +1") == ["4S N +1"]


def test_two_results_that_contradict_each_other_are_both_in_doubt_until_a_third_decides() -> None:
    assert odd("6H N =", "6H W =") == ["6H N =", "6H W ="]
    assert odd("6H N =", "6H W =", "4H S +2") == ["6H W ="]


def test_eighteen_tricks_in_a_suit_and_twenty_in_notrump_are_nothing_strange() -> None:
    assert odd("3S N =", "3S E =") == []
    assert odd("3S N =", "3S E +1") == ["3S N =", "3S E +1"]
    assert odd("4NT N =", "4NT E =") == []
    assert odd("4NT N =", "5NT E =") == ["4NT N =", "5NT E ="]


def test_only_results_that_contradict_another_are_in_doubt() -> None:
    assert odd("4S E +1", "4S W =", "4S N +1", "1S S =") == ["4S E +1", "4S W =", "4S N +1"]
    assert odd("4S E +1", "4S W =", "2S N =") == ["2S N ="]
    assert odd("4S E +1", "4S W =", "1S N =") == []
    assert odd("4S E +1", "4S W =", "2S N -2") == []


def test_other_strains_boards_passed_out_and_results_half_known_contradict_nobody() -> None:
    assert odd("6H N =", "6S W =", "6NT E =", "Pass", "6H", "6H W") == []


def test_the_odd_one_out_is_a_doubt_of_its_own() -> None:
    found = doubts(
        contract=contract("4S N"), lead=None, deal=None, ns_score=None, field_scores=(), odd_one_out=True
    )
    assert found == (Doubt.PLAYED_BY_THE_OTHER_SIDE,)
