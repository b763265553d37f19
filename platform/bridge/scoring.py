"""Duplicate score (Law 77): what a contract and its tricks are worth."""

from typing import Any

import numpy as np
from numpy.typing import NDArray

from bridge.contracts import Contract, Doubling, Strain, possible_tricks
from bridge.seats import Seat, Side, Vulnerability

Scores = NDArray[np.int16]


def duplicate_score(contract: Contract | None, tricks: int, *, vulnerable: bool) -> int:
    """The score of declarer's side in points; negative when the contract went down (Law 77).

    Args:
        contract: None for a board that was passed out, which scores 0.
        tricks: Tricks won by declarer's side, 0 to 13.
        vulnerable: Whether declarer's side is.

    >>> duplicate_score(Contract(6, Strain.SPADES, Doubling.REDOUBLED), 12, vulnerable=True)
    2070
    """
    if contract is None:
        return 0
    over = possible_tricks(tricks) - contract.tricks_needed
    if over < 0:
        return -_undertricks(-over, contract.doubling, vulnerable)
    trick_points = trick_score(contract)
    return (
        trick_points
        + _game_or_part_score(trick_points, vulnerable)
        + _slam(contract, vulnerable)
        + 50 * contract.doubling
        + _overtricks(over, contract, vulnerable)
    )


def trick_score(contract: Contract) -> int:
    """Points below the line: only they are doubled and redoubled."""
    points = contract.level * _per_trick(contract.strain)
    if contract.strain is Strain.NOTRUMP:
        points += 10
    return points << contract.doubling


def score_parts(contract: Contract, tricks: int, *, vulnerable: bool) -> dict[str, int]:
    """The parts that `duplicate_score` sums, in the Law's order; parts that are 0 are left out."""
    over = possible_tricks(tricks) - contract.tricks_needed
    if over < 0:
        return {"undertricks": -_undertricks(-over, contract.doubling, vulnerable)}
    bonus = _game_or_part_score(trick_score(contract), vulnerable)
    parts = {
        "tricks": trick_score(contract),
        "overtricks": _overtricks(over, contract, vulnerable),
        "part score" if bonus == 50 else "game": bonus,
        "slam": _slam(contract, vulnerable),
        "insult": 50 * contract.doubling,
    }
    return {name: points for name, points in parts.items() if points}


def _per_trick(strain: Strain) -> int:
    return 20 if strain <= Strain.DIAMONDS else 30


def _game_or_part_score(trick_points: int, vulnerable: bool) -> int:
    if trick_points < 100:
        return 50
    return 500 if vulnerable else 300


def _slam(contract: Contract, vulnerable: bool) -> int:
    if contract.level < 6:
        return 0
    small = 750 if vulnerable else 500
    return small if contract.level == 6 else 2 * small


def _overtricks(over: int, contract: Contract, vulnerable: bool) -> int:
    if contract.doubling is Doubling.UNDOUBLED:
        return over * _per_trick(contract.strain)
    return over * contract.doubling * (200 if vulnerable else 100)


def _undertricks(down: int, doubling: Doubling, vulnerable: bool) -> int:
    if doubling is Doubling.UNDOUBLED:
        return down * (100 if vulnerable else 50)
    if vulnerable:
        doubled = 300 * down - 100
    else:
        doubled = 200 * down - 100 if down <= 3 else 300 * down - 400
    return doubled * doubling


def ns_score(contract: Contract | None, tricks: int | None, vulnerability: Vulnerability) -> int:
    """The score seen from North–South. The contract, unless passed out, names its declarer."""
    if contract is None:
        return 0
    if contract.declarer is None or tricks is None:
        raise TypeError("a contract that was played has a declarer and tricks")
    side = contract.declarer.side
    score = duplicate_score(contract, tricks, vulnerable=vulnerability.of(side))
    return score if side is Side.NS else -score


def _table() -> Scores:
    table = np.zeros(
        (8, 5, 3, 14, 2), np.int16
    )  # level, strain, doubling, tricks, vulnerable; level 0 is passed out
    for level in range(1, 8):
        for strain in Strain:
            for doubling in Doubling:
                contract = Contract(level, strain, doubling)
                for tricks in range(14):
                    for vulnerable in (False, True):
                        table[level, strain, doubling, tricks, int(vulnerable)] = duplicate_score(
                            contract, tricks, vulnerable=vulnerable
                        )
    return table


_TABLE = _table()
_FLAT = _TABLE.ravel()


def ns_scores(
    level: NDArray[Any],
    strain: NDArray[Any],
    doubling: NDArray[Any],
    tricks: NDArray[Any],
    declarer: NDArray[Any],
    vulnerability: NDArray[Any],
) -> Scores:
    """`ns_score` of many results at once.

    Args:
        level: 0 (passed out) to 7.
        strain: Values of `Strain`.
        doubling: Values of `Doubling`.
        tricks: 0 to 13.
        declarer: Values of `Seat`.
        vulnerability: Places in `Vulnerability`: 0 none, 1 North–South, 2 East–West, 3 both.

    Returns:
        One score for each result, in the same order.
    """
    ew = declarer & 1
    place = level.astype(np.int32)  # one running index is quicker than five
    place *= 5
    place += strain
    place *= 3
    place += doubling
    place *= 14
    place += tricks
    place *= 2
    place += (vulnerability >> ew) & 1
    score = _FLAT[place]
    return np.where(ew == Seat.EAST, -score, score)
