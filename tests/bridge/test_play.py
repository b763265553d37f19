"""Cards: legal or not, whose turn, who wins a trick; against the vectors and against the Laws counted out by hand."""

import json
from random import Random
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from bridge.cards import Card, Suit
from bridge.contracts import Contract, Strain
from bridge.errors import IllegalCard
from bridge.play import Play, Trick, legal_cards, winning_place
from bridge.seats import Seat, Side
from tests.bridge.strategies import CONTRACTS, deal_of
from tests.bridge.test_vectors import VECTORS

VECTOR = json.loads((VECTORS / "play.json").read_text("utf-8"))
TRUMPS = {
    "C": Strain.CLUBS,
    "D": Strain.DIAMONDS,
    "H": Strain.HEARTS,
    "S": Strain.SPADES,
    None: Strain.NOTRUMP,
}


def cards(text: str) -> list[Card]:
    return [Card.from_text(each) for each in text.split()]


@pytest.mark.parametrize("case", VECTOR["tricks"], ids=lambda case: case["id"])
def test_a_trick_goes_to_its_winner(case: dict[str, Any]) -> None:
    seats = [Seat.from_letter(seat) for seat, _ in case["cards"]]
    trick = Trick(seats[0], tuple(Card.from_text(card) for _, card in case["cards"]))
    assert [trick.seat_of(place) for place in range(4)] == seats
    assert trick.winner(TRUMPS[case["trump"]]).letter == case["winner"]


@pytest.mark.parametrize("case", VECTOR["legal_cards"], ids=lambda case: case["id"])
def test_a_hand_follows_suit_when_it_can(case: dict[str, Any]) -> None:
    led = None if case["suit_led"] is None else Suit("CDHS".index(case["suit_led"]))
    hand = [Card.from_text(card) for card in case["hand"]]
    assert {card.text for card in legal_cards(hand, led)} == set(case["legal"])


def test_the_vectors_are_all_there() -> None:
    assert (len(VECTOR["tricks"]), len(VECTOR["legal_cards"])) == (7, 4)


@pytest.mark.parametrize(
    ("trumps", "trick", "winner"),
    [
        (Strain.NOTRUMP, "H5 HK CA H2", "HK"),
        (Strain.HEARTS, "D9 DA H2 D3", "H2"),
        (Strain.HEARTS, "D9 H5 HT DA", "HT"),
        (Strain.HEARTS, "H3 SA H2 HQ", "HQ"),
    ],
)
def test_a_discard_never_wins_and_a_trump_always_beats_the_suit_led(
    trumps: Strain, trick: str, winner: str
) -> None:
    played = cards(trick)
    assert played[winning_place(played, trumps)].text == winner


@given(st.integers(0, 2**32), CONTRACTS)
@settings(deadline=None, derandomize=True)
def test_a_whole_play_keeps_turn_suit_and_count(seed: int, contract: Contract) -> None:
    chance = Random(seed)
    deal = deal_of(chance)
    play = Play.begin(contract, deal)
    assert contract.declarer is not None
    turn, won = contract.declarer.left, {Side.NS: 0, Side.EW: 0}
    gone: list[Card] = []
    trick: list[tuple[Seat, Card]] = []
    while not play.is_over:
        assert play.turn is turn
        assert play.actor is (contract.declarer if turn is contract.declarer.partner else turn)
        hand = deal[turn]
        assert hand is not None
        left = [card for card in hand.cards if card not in gone]
        suited = [card for card in left if trick and card.suit is trick[0][1].suit]
        legal = set(suited or left)
        assert play.legal_cards() == legal
        for each in deal.hands:
            assert each is not None
            for card in each.cards - legal:
                with pytest.raises(IllegalCard):
                    play.after(card)
        card = chance.choice(sorted(legal))
        play = play.after(card)
        gone.append(card)
        trick.append((turn, card))
        turn = turn.left
        if len(trick) == 4:
            trumps = [each for each in trick if each[1].suit == contract.strain.value]
            follow = [each for each in trick if each[1].suit is trick[0][1].suit]
            turn = max(trumps or follow, key=lambda each: each[1].rank)[0]
            won[turn.side] += 1
            trick = []
        assert play.cards() == tuple(gone)
        assert play.lead == gone[0]
        assert {side: play.won_by(side) for side in Side} == won
    assert len(gone) == len(set(gone)) == 52
    assert sum(won.values()) == 13
    assert (play.turn, play.actor, play.legal_cards()) == (None, None, frozenset())
    with pytest.raises(IllegalCard):
        play.after(gone[0])


def test_cards_need_a_declarer_and_four_hands() -> None:
    with pytest.raises(TypeError):
        Play.begin(Contract(1, Strain.CLUBS), deal_of(Random(1)))
