"""A whole Swiss event at tables, over HTTP and sockets, unattended, from the first seat to the ranking."""

import asyncio
from collections import Counter
from fractions import Fraction
from functools import partial

from tests.road.client import Browser, Robot, Traveller, connections
from tests.road.people import Person
from tests.road.place import Place

PAIRS, ROUNDS, BOARDS = 20, 3, 2


async def play(place: Place, event: int, people: list[Person]) -> list[Traveller]:
    """Everybody goes where there is a seat, as long as the event lasts."""
    hurry = place.start("-m", "tests.road.event", "hurry", str(event))
    async with connections() as http:
        travellers = [
            Traveller(Browser(place.site, http, person.session), partial(Robot, seed), think=0.01)
            for seed, person in enumerate(people)
        ]
        async with asyncio.timeout(900):
            await asyncio.gather(*(each.travel(lambda: hurry.poll() is None) for each in travellers))
    assert hurry.returncode == 0
    return travellers


def test_twenty_pairs_play_three_rounds_and_the_ranking_is_right(place: Place) -> None:
    made = place.say("tests.road.event", "make", PAIRS, ROUNDS, BOARDS)
    people = [Person(**each) for each in made["people"]]
    travellers = asyncio.run(play(place, made["event"], people))
    guests = [guest for each in travellers for guest in each.guests]
    print(dict(sum((guest.travels.answers for guest in guests), Counter[str]())))
    assert {len(each.guests) for each in travellers} == {ROUNDS}
    assert not [guest.travels.illegal for guest in guests if guest.travels.illegal]
    outcome = place.say("tests.road.event", "outcome", made["event"])
    assert outcome["state"] == "finished"
    assert outcome["kinds"] == ["played"] * (PAIRS // 2 * ROUNDS * BOARDS)
    assert outcome["results"] == outcome["tables"]
    scores = {pair: score for pair, (_, score) in outcome["ranking"].items()}
    assert scores == outcome["sums"]
    ranked = sorted((rank, Fraction(score)) for rank, score in outcome["ranking"].values())
    assert [rank for rank, _ in ranked] == [*range(1, PAIRS + 1)]
    assert [score for _, score in ranked] == sorted((score for _, score in ranked), reverse=True)
    assert "promises hold" in place.manage("check_invariants")
