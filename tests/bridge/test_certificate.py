"""The certificate of a round: every pair has its reason, and nothing that is wrong passes the check."""

import json
from collections import Counter
from collections.abc import Callable, Sequence
from dataclasses import replace
from random import Random

import pytest

from bridge.swiss import (
    Certificate,
    Entrant,
    PairingError,
    PlayedRound,
    Proof,
    Reason,
    Round,
    Table,
    certify,
    pair_round,
    verify,
)
from tests.bridge.test_swiss import Both, entrants, made_up, played

Case = tuple[list[Entrant], list[PlayedRound], list[Both]]


def certified(case: Case) -> Certificate:
    pairs, history, barred = case
    return certify(pairs, history, pair_round(pairs, history, barred=barred), barred=barred)


def faults(case: Case, certificate: Certificate) -> list[str]:
    pairs, history, barred = case
    return [str(fault) for fault in verify(pairs, history, certificate, barred=barred)]


def in_the_middle(size: int, rounds: int = 4, seed: int = 1) -> Case:
    """An event that was drawn by the rules so far."""
    draw, totals = Random(seed), dict.fromkeys(range(1, size + 1), 0)
    history: list[PlayedRound] = []
    for _ in range(rounds):
        pairs = [Entrant(pair, pair, total) for pair, total in totals.items()]
        history.append(played(pair_round(pairs, history)))
        for ns, ew in history[-1].tables:
            imps = draw.randint(-30, 30)
            totals[ns] += imps
            totals[ew] -= imps
    return [Entrant(pair, pair, total) for pair, total in totals.items()], history, []


@pytest.mark.parametrize("seed", range(3))
def test_every_round_has_a_certificate_that_holds_and_survives_json(seed: int) -> None:
    draw = Random(seed)
    for number in range(120):
        case = made_up(draw, 2 + number % 23)
        certificate = certified(case)
        assert faults(case, certificate) == []
        assert Certificate.from_json(json.loads(json.dumps(certificate.to_json()))) == certificate
        drawn = {pair for table in certificate.tables for pair in (table.ns, table.ew)} | {certificate.bye}
        assert set(certificate.reasons) == drawn - {None}


def test_each_sentence_is_written_down_once_and_one_for_each_pair_is_still_read() -> None:
    certificate = certified(in_the_middle(60))
    data = certificate.to_json()
    sentences = [each["message"] for each in data["reasons"]]
    assert sorted(sentences) == sorted({reason.message for reason in certificate.reasons.values()})
    assert sum(len(each["pairs"]) for each in data["reasons"]) == 60
    by_pair = {
        str(pair): {"message": reason.message, "params": dict(reason.params)}
        for pair, reason in certificate.reasons.items()
    }
    assert Certificate.from_json(data | {"reasons": by_pair}) == certificate


@pytest.mark.parametrize(
    ("size", "proof"),
    [(10, Proof.EXHAUSTIVE), (11, Proof.EXHAUSTIVE), (61, Proof.SOLVER), (402, Proof.NEAREST)],
)
def test_what_a_round_is_compared_with_depends_on_its_size(size: int, proof: Proof) -> None:
    case = in_the_middle(size)
    certificate = certified(case)
    assert certificate.proof == proof
    assert faults(case, certificate) == []


def test_the_worth_is_what_the_tables_sum_to() -> None:
    history = [PlayedRound(((1, 2), (3, 4))), PlayedRound(((1, 3), (2, 4))), PlayedRound(((1, 4), (2, 3)))]
    made = certified((entrants([4, 3, 2, 1]), history, [(1, 2)]))
    assert (made.barred_meetings, made.rematches, made.earlier_meetings, made.cost) == (0, 2, 2, 6)
    assert [str(note) for note in made.notes] == ["Rematches could not be avoided. Tables with a rematch: 2."]


def test_one_pair_alone_has_an_empty_certificate() -> None:
    case: Case = ([Entrant(1, 1)], [], [])
    certificate = certified(case)
    assert (certificate.order, certificate.tables, certificate.reasons) == ((1,), (), {})
    assert faults(case, certificate) == []
    with_a_bye = replace(certificate, bye=1)
    assert faults(case, with_a_bye) == ["No round can be played by fewer than two pairs."]


# Reasons


def reasons(case: Case) -> dict[int, str]:
    return {pair: str(reason) for pair, reason in certified(case).reasons.items()}


def test_neighbours_meet_because_they_stand_next_to_each_other() -> None:
    assert reasons((entrants([0, 0, 0]), [], [])) == {
        1: "Seated by registration, next to 2.",
        2: "Seated by registration, next to 1.",
        3: "The bye: the last pair in the standings.",
    }
    later = reasons((entrants([4, 3, 2, 1]), [PlayedRound(((1, 3), (2, 4)))], []))
    assert later[1] == "2 stands next in the standings and was not met yet."


def test_a_reason_names_the_nearer_pair_and_whom_it_meets() -> None:
    field = entrants([6, 5, 4, 3, 2, 1])
    history = [PlayedRound(((1, 2),)), PlayedRound(((1, 3), (2, 5))), PlayedRound(((4, 6),))]
    said = reasons((field, history, []))
    assert said[1] == "4 is the nearest pair in the standings that was not met yet."
    assert said[4] == "1, not 3: that pair stands nearer, but it is the nearest that 2 has not met."
    history = [PlayedRound(((1, 2), (5, 6))), *(PlayedRound(((1, pair),)) for pair in (3, 4, 5))]
    assert reasons((field, history, []))[6] == (
        "1, not 4: that pair stands nearer, but 5 stands nearer still to it."
    )
    assert reasons((entrants([4, 3, 2, 1]), [PlayedRound(((1, 2),))], []))[3] == (
        "1, not 2: that pair stands nearer, but meets 4, which keeps the round as a whole closer together."
    )


def test_the_bye_says_who_was_passed_over() -> None:
    history = [PlayedRound(((3, 4),)), PlayedRound(((2, 4),)), PlayedRound(((1, 4),))]
    assert reasons((entrants([9, 8, 7, 6, 5]), history, []))[4] == (
        "The bye. 5 stands lower, but with that pair out more of the others would meet whom they have met or should"
        " not meet."
    )
    again = [PlayedRound(((1, 2),), (3,))]
    assert reasons((entrants([3, 2, 1]), again, []))[2] == (
        "The bye: the lowest pair of those with the fewest byes."
    )


def test_a_rematch_and_a_barred_meeting_say_so() -> None:
    twice = reasons((entrants([2, 1]), [PlayedRound(((1, 2),))], []))
    assert twice[1] == "A rematch with 2: no pairing of this field has fewer rematches."
    kept = reasons((entrants([2, 1]), [], [(2, 1)]))
    assert kept[2] == "1 should have been kept apart, but no pairing of this field keeps more pairs apart."


# What must not pass

SMALL, ODD, MIDDLE, LARGE = (in_the_middle(size) for size in (8, 9, 30, 402))


def retabled(certificate: Certificate, tables: Sequence[Table]) -> Certificate:
    return replace(certificate, tables=tuple(tables))


def recertified(case: Case, tables: Sequence[Table], bye: int | None) -> Certificate:
    """A certificate made by somebody who states other tables, and everything else as it follows from them."""
    pairs, history, barred = case
    met = Counter(frozenset(both) for each in history for both in each.tables)
    place = {pair: position for position, pair in enumerate(certified(case).order)}
    ordered = sorted(tables, key=lambda table: min(place[table.ns], place[table.ew]))
    stated = [
        replace(table, number=number, meetings=met[frozenset((table.ns, table.ew))])
        for number, table in enumerate(ordered, 1)
    ]
    return certify(pairs, history, Round(tuple(stated), bye), barred=barred)


def swapped(case: Case, first: int = 0, second: int = 1) -> Certificate:
    """Two pairs have changed places."""
    certificate = certified(case)
    tables = list(certificate.tables)
    one, other = tables[first], tables[second]
    tables[first], tables[second] = replace(one, ew=other.ew), replace(other, ew=one.ew)
    return recertified(case, tables, certificate.bye)


@pytest.mark.parametrize("case", [SMALL, ODD, MIDDLE, LARGE], ids=["small", "odd", "middle", "large"])
def test_two_pairs_that_changed_places_are_found_out(case: Case) -> None:
    for first in range(0, len(certified(case).tables) - 1, len(certified(case).tables) // 4):
        forged = swapped(case, first, -1)
        assert "Another pairing is better by the rules." in faults(case, forged)


@pytest.mark.parametrize("size", [6, 16])
def test_an_equally_good_pairing_that_does_not_come_first_is_found_out(size: int) -> None:
    """Pairs 3 and 4 have met; that 1 to 4 change partners is worth as much as that 3 to 6 do, and comes later."""
    case: Case = (entrants(range(size, 0, -1)), [PlayedRound(((3, 4),))], [])
    right = certified(case)
    other = [Table(1, 1, 3), Table(2, 4, 2), Table(3, 5, 6), *right.tables[3:]]
    forged = recertified(case, other, None)
    assert (forged.cost, right.cost) == (6, 6)
    assert "Another pairing is better by the rules." in faults(case, forged)


@pytest.mark.parametrize("size", [4, 16, 404])
def test_rematches_that_could_be_avoided_are_found_out(size: int) -> None:
    neighbours = [(pair + 1, pair) for pair in range(1, size, 2)]
    case: Case = (entrants(range(size, 0, -1)), [PlayedRound(tuple(neighbours))], [])
    forged = recertified(case, [Table(0, ew, ns) for ns, ew in neighbours], None)
    assert (forged.rematches, forged.cost) == (size // 2, 0)
    assert "Another pairing is better by the rules." in faults(case, forged)


def test_a_large_round_that_is_a_little_worse_is_found_out() -> None:
    forged, right = swapped(LARGE), certified(LARGE)
    assert 1.05 * right.cost < forged.cost < 2 * right.cost
    assert "Another pairing is better by the rules." in faults(LARGE, forged)


@pytest.mark.parametrize(
    "case", [ODD, in_the_middle(31), in_the_middle(403)], ids=["small", "middle", "large"]
)
def test_a_bye_for_the_wrong_pair_is_found_out(case: Case) -> None:
    right = certified(case)
    second = case[1][0].byes[0]
    pairs, history, _ = case
    for bye, said in (
        (second, f"Pair {second} sits out again while others have not as often."),
        (right.order[0], f"Pair {right.bye} should have sat out."),
    ):
        without = [each for each in pairs if each.pair != bye]
        forged = recertified(case, pair_round(without, history).tables, bye)
        assert said in faults(case, forged)


Forgery = Callable[[Certificate], Certificate]
FORGERIES: dict[str, Forgery] = {
    "The certificate is of round 6, not 5.": lambda made: replace(made, round=6),
    "The standings it was drawn from are others.": lambda made: replace(made, order=made.order[::-1]),
    "Nobody sits out of an even field.": lambda made: replace(made, bye=made.order[0]),
    "Pair 99 does not play and was drawn.": lambda made: retabled(
        made, [replace(made.tables[0], ns=99), *made.tables[1:]]
    ),
    f"Pair {certified(SMALL).tables[0].ns} plays and was not drawn.": lambda made: retabled(
        made, made.tables[1:]
    ),
    f"Pair {certified(SMALL).tables[0].ns} was drawn more than once.": lambda made: retabled(
        made, [*made.tables, replace(made.tables[0], number=5)]
    ),
    "Tables are not numbered in the order of their better-ranked pairs.": lambda made: retabled(
        made, [replace(made.tables[0], number=2), replace(made.tables[1], number=1), *made.tables[2:]]
    ),
    "At table 2 the directions are the wrong way round.": lambda made: retabled(
        made, [replace(each, ns=each.ew, ew=each.ns) if each.number == 2 else each for each in made.tables]
    ),
    "At table 1 the number of earlier meetings is wrong.": lambda made: retabled(
        made, [replace(made.tables[0], meetings=made.tables[0].meetings + 1), *made.tables[1:]]
    ),
    "The worth of the round is not what the certificate says.": lambda made: replace(
        made, cost=made.cost + 1
    ),
    "The certificate names another proof than there is for a field of this size.": lambda made: replace(
        made, proof=Proof.NEAREST
    ),
    f"Pair {certified(SMALL).order[3]} has no reason.": lambda made: replace(
        made, reasons={pair: each for pair, each in made.reasons.items() if pair != made.order[3]}
    ),
    f"The reason of pair {certified(SMALL).order[0]} speaks of another opponent.": lambda made: replace(
        made,
        reasons={**made.reasons, made.order[0]: Reason("Seated next to %(opponent)s.", {"opponent": 99})},
    ),
}


@pytest.mark.parametrize("said", FORGERIES)
def test_a_forged_certificate_is_found_out(said: str) -> None:
    assert faults(SMALL, certified(SMALL)) == []
    assert said in faults(SMALL, FORGERIES[said](certified(SMALL)))


def test_a_certificate_of_other_standings_or_another_history_does_not_hold() -> None:
    pairs, history, barred = MIDDLE
    certificate = certified(MIDDLE)
    other = [replace(each, total=each.total + 100) if each.pair == 30 else each for each in pairs]
    assert faults((other, history, barred), certificate)
    swapped_seats = PlayedRound(tuple((ew, ns) for ns, ew in history[0].tables))
    assert faults((pairs, [swapped_seats, *history[1:]], barred), certificate)
    assert faults((pairs, history, [(each.ns, each.ew) for each in certificate.tables[:1]]), certificate)


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"round": 1},
        certified(SMALL).to_json() | {"tables": [1]},
        certified(SMALL).to_json() | {"reasons": [{}]},
        {"order": None},
    ],
)
def test_what_is_no_certificate_is_refused(data: dict[str, object]) -> None:
    with pytest.raises(PairingError, match="This is not the certificate of a round"):
        Certificate.from_json(data)
