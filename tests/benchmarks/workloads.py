"""The same made-up results on every machine: drawn from a fixed generator and checked by their digest.

The order of the draws is the specification; another order gives other results, and `checked` says so.
"""

import hashlib
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

Bytes = NDArray[np.uint8]


@dataclass(frozen=True, slots=True)
class Results:
    """Results by board, as columns; the codes are those of `bridge.scoring.ns_scores`."""

    boards: int
    per_board: int
    board: NDArray[np.int32]
    level: Bytes
    strain: Bytes
    declarer: Bytes
    doubling: Bytes
    tricks: Bytes
    vulnerability: Bytes

    def __len__(self) -> int:
        return len(self.board)

    @property
    def digest(self) -> str:
        """The beginning of the SHA-256 of all columns."""
        hashed = hashlib.sha256()
        for column in (self.board, self.level, self.strain, self.declarer, self.doubling, self.tricks):
            hashed.update(column.tobytes())
        hashed.update(self.vulnerability.tobytes())
        return hashed.hexdigest()[:16]


_VULNERABILITY = np.array([0, 1, 2, 3, 1, 2, 3, 0, 2, 3, 0, 1, 3, 0, 1, 2], np.uint8)

DIGESTS = {
    (1, 2000, 500): "bcd5de673a886440",
    (2, 1, 1000): "992b90a495b4bd4f",
    (2, 1, 10_000): "c415c0ef0ecb9dc0",
    (2, 1, 100_000): "d410c47e0c4c7163",
    (3, 1000, 500): "94684cf8ce08b6fd",
}


def results(seed: int, boards: int, per_board: int) -> Results:
    """Plausible results: every board has a natural contract, and tables stray from it in level, strain and tricks."""
    draw = np.random.Generator(np.random.PCG64(seed))
    number = boards * per_board

    natural_strain = draw.choice(5, size=boards, p=[0.12, 0.13, 0.25, 0.25, 0.25])
    natural_level = draw.choice(7, size=boards, p=[0.12, 0.22, 0.26, 0.28, 0.06, 0.04, 0.02]) + 1
    natural_side = draw.integers(0, 2, size=boards)
    luck = draw.choice([-1, 0, 1], size=boards, p=[0.3, 0.4, 0.3])
    natural_tricks = np.clip(natural_level + 6 + luck, 0, 13)

    board = np.repeat(np.arange(boards, dtype=np.int32), per_board)
    level = np.clip(natural_level[board] + draw.choice([-1, 0, 1], size=number, p=[0.15, 0.7, 0.15]), 1, 7)
    same_strain = draw.random(number) < 0.72
    strain = np.where(same_strain, natural_strain[board], draw.integers(0, 5, size=number))
    same_side = draw.random(number) < 0.85
    side = np.where(same_side, natural_side[board], 1 - natural_side[board])
    hand = draw.integers(0, 2, size=number)
    doubling = draw.choice(3, size=number, p=[0.88, 0.11, 0.01])
    stray = draw.choice([-2, -1, 0, 1, 2], size=number, p=[0.05, 0.2, 0.5, 0.2, 0.05])
    tricks = np.clip(natural_tricks[board] + stray, 0, 13)
    passed = draw.random(number) < 0.01
    level, doubling = np.where(passed, 0, level), np.where(passed, 0, doubling)

    def column(values: NDArray[Any]) -> Bytes:
        return np.ascontiguousarray(values, dtype=np.uint8)

    return Results(
        boards,
        per_board,
        board,
        column(level),
        column(strain),
        column(side + 2 * hand),
        column(doubling),
        column(tricks),
        _VULNERABILITY[board % 16],
    )


def checked(seed: int, boards: int, per_board: int) -> Results:
    """`results` whose digest is known.

    Raises:
        AssertionError: The generator of this NumPy draws otherwise, so figures could not be compared.
    """
    made = results(seed, boards, per_board)
    assert made.digest == DIGESTS[seed, boards, per_board], f"other results than agreed: {made.digest}"
    return made


def first_boards(made: Results, boards: int) -> Results:
    """The first boards of a workload."""
    rows = boards * made.per_board
    return Results(
        boards,
        made.per_board,
        made.board[:rows],
        made.level[:rows],
        made.strain[:rows],
        made.declarer[:rows],
        made.doubling[:rows],
        made.tricks[:rows],
        made.vulnerability[:rows],
    )
