"""Scores, matchpoints and IMPs: ours beside two published scorers, on the same results, answers compared first.

Run it with `deploy/bench scoring`, or `python -m tests.benchmarks.scoring [--short]`. The peers are endplay (a
dependency) and bridge-scorer (npm; `npm ci --prefix tests/benchmarks/peer`).
"""

import json
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Callable
from fractions import Fraction
from functools import cached_property, partial
from pathlib import Path
from statistics import median
from typing import Any

import numpy as np
from numpy.typing import NDArray

from apps.boards import double_dummy
from bridge.awards import Grade, Ruling
from bridge.comparison import FieldPoints, Method, Rules, compare_boards
from bridge.contracts import Contract, Doubling, Strain
from bridge.datum import DatumRule, Rounding, Trim, datum
from bridge.imps import total_imps
from bridge.matchpoints import matchpoints
from bridge.scoring import duplicate_score, ns_score, ns_scores
from bridge.seats import Seat, Vulnerability
from tests.benchmarks import rescore
from tests.benchmarks.harness import EASY, Figure, fail, figure, growth, noise, report, take_turns, timed
from tests.benchmarks.workloads import Results, checked, first_boards

PEER = Path(__file__).parent / "peer"

REPEATS = 9
"""How often the work is done in one turn, by ours and by the peer; the turn's time is the median."""


class Peer:
    """bridge-scorer on the same results; each turn in a new process, which times itself once the results are read."""

    def __init__(self, work: Results) -> None:
        self._folder = tempfile.TemporaryDirectory()
        self._file = Path(self._folder.name) / "results.json"
        columns = ("level", "strain", "doubling", "declarer", "tricks", "vulnerability")
        data: dict[str, Any] = {name: getattr(work, name).tolist() for name in columns}
        self._file.write_text(json.dumps(data | {"perBoard": work.per_board}))

    def _ask(self, line: str, repeats: int) -> list[dict[str, Any]]:
        asked = subprocess.run(
            ["node", "score.js", str(self._file)],
            cwd=PEER,
            input=f"{line}\n" * repeats,
            capture_output=True,
            text=True,
            check=True,
        )
        return [json.loads(answer) for answer in asked.stdout.splitlines()]

    def seconds(self, work: str, repeats: int) -> float:
        return median(float(each["seconds"]) for each in self._ask(work, repeats))

    def answers(self, work: str) -> NDArray[Any]:
        return np.array(self._ask(f"{work} answers", 1)[0]["answers"])

    def close(self) -> None:
        self._folder.cleanup()


class Workload:
    """Results with what is computed from them, ours and the peer's."""

    def __init__(self, work: Results) -> None:
        self.results = work

    @cached_property
    def peer(self) -> Peer:
        return Peer(self.results)

    def declarers_scores(self) -> NDArray[np.int16]:
        scores = self.ns_scores()
        return np.where(self.results.declarer & 1, -scores, scores)

    def ns_scores(self) -> NDArray[np.int16]:
        work = self.results
        return ns_scores(
            work.level, work.strain, work.doubling, work.tricks, work.declarer, work.vulnerability
        )

    @cached_property
    def scores(self) -> NDArray[np.int16]:
        return self.ns_scores()

    @cached_property
    def by_board(self) -> list[list[int]]:
        """Scores board by board, for the plain functions."""
        rows: list[list[int]] = self.scores.reshape(self.results.boards, -1).tolist()
        return rows

    def compared(self, rules: Rules, rulings: dict[int, Ruling] | None = None) -> FieldPoints:
        work = self.results
        return compare_boards(work.board, self.scores, rules, boards=work.boards, rulings=rulings)


def same(what: str, *answers: Any) -> None:
    """Refuse to time what does not agree.

    Raises:
        AssertionError: Two contenders have different answers.
    """
    first = np.asarray(answers[0])
    for other in answers[1:]:
        assert np.array_equal(first, np.asarray(other)), f"{what}: the answers differ"


def plain_score(work: Results, row: int) -> int:
    """North–South's score of one result by the plain function."""
    zone = list(Vulnerability)[work.vulnerability[row]]
    return ns_score(our_contract(work, row), int(work.tricks[row]), zone)


def our_contract(work: Results, row: int) -> Contract | None:
    if not work.level[row]:
        return None
    strain, doubling, declarer = work.strain[row], work.doubling[row], work.declarer[row]
    return Contract(int(work.level[row]), Strain(strain), Doubling(doubling), Seat(declarer))


_ENDPLAY = double_dummy._solver().types  # without the plots that endplay's own start would load
_DENOMS = tuple(_ENDPLAY.Denom[name] for name in ("clubs", "diamonds", "hearts", "spades", "nt"))
_PENALTIES = tuple(_ENDPLAY.Penalty[name] for name in ("passed", "doubled", "redoubled"))
_PLAYERS = tuple(_ENDPLAY.Player[name] for name in ("north", "east", "south", "west"))
_VULS = tuple(_ENDPLAY.Vul[name] for name in ("none", "ns", "ew", "both"))


def peer_contract(level: int, strain: int, doubling: int, tricks: int, declarer: int) -> Any:
    """endplay's own object for a result."""
    if not level:
        return _ENDPLAY.Contract(level=0)
    return _ENDPLAY.Contract(
        level=level,
        denom=_DENOMS[strain],
        declarer=_PLAYERS[declarer],
        penalty=_PENALTIES[doubling],
        result=tricks - level - 6,
    )


def contracts_beside_endplay(work: Results, rounds: int, ease: float) -> list[Figure]:
    """A1: many scores at once against ready objects; one call of ours against one object of theirs and its score."""
    columns = (work.level, work.strain, work.doubling, work.tricks, work.declarer)
    rows = list(zip(*(column.tolist() for column in columns), strict=True))
    zones = [_VULS[zone] for zone in work.vulnerability.tolist()]
    vulnerable = ((work.vulnerability >> (work.declarer & 1)) & 1).astype(bool).tolist()
    objects = [peer_contract(*row) for row in rows]
    fields = (work.level, work.strain, work.doubling, work.tricks, work.declarer, work.vulnerability)

    theirs = np.array([each.score(zone) for each, zone in zip(objects, zones, strict=True)])
    same(
        "scores",
        ns_scores(*fields),
        np.where(work.declarer & 1, -theirs, theirs),
        [plain_score(work, row) for row in range(len(work))],
    )

    contracts = [our_contract(work, row) for row in range(len(work))]
    calls = list(zip(contracts, work.tricks.tolist(), vulnerable, strict=True))

    def ours_one_by_one() -> None:
        for contract, tricks, is_vulnerable in calls:
            duplicate_score(contract, tricks, vulnerable=is_vulnerable)

    def theirs_one_by_one() -> None:
        for row, zone in zip(rows, zones, strict=True):
            peer_contract(*row).score(zone)

    def theirs_ready() -> None:
        for each, zone in zip(objects, zones, strict=True):
            each.score(zone)

    at_once = take_turns(
        {"ours": lambda: timed(lambda: ns_scores(*fields), REPEATS), "peer": lambda: timed(theirs_ready)},
        rounds,
    )
    singly = take_turns(
        {"ours": lambda: timed(ours_one_by_one), "peer": lambda: timed(theirs_one_by_one)}, rounds
    )
    size = f"{len(work):,}"
    return [
        figure(f"A1 {size} scores, endplay", at_once["ours"], at_once["peer"], 100 * ease),
        figure(f"A1 {size} scores singly, endplay", singly["ours"], singly["peer"], 3 * ease),
    ]


def beside(
    workload: Workload,
    name: str,
    peers: str,
    ours: Callable[[], object],
    goal: float,
    rounds: int,
    repeats: int = REPEATS,
) -> Figure:
    """Our work in turns with the peer's."""
    times = take_turns(
        {
            "ours": lambda: timed(ours, repeats),
            "peer": lambda: workload.peer.seconds(peers, repeats),
        },
        rounds,
    )
    return figure(f"{name}, {peers}", times["ours"], times["peer"], goal)


def size_of(work: Results) -> str:
    return f"{work.boards:,} x {work.per_board:,}"


def scores(workload: Workload, rounds: int, ease: float) -> Figure:
    """A2: contract to score."""
    same("scores", workload.declarers_scores(), workload.peer.answers("contractTricks"))
    name = f"A2 {len(workload.results):,} scores"
    return beside(workload, name, "contractTricks", workload.ns_scores, 2 * ease, rounds)


def matchpoints_of(workload: Workload, goal: float, rounds: int) -> Figure:
    """A3: matchpoints of both sides; ours with Neuberg, artificial scores and percentages, which the peer has not."""
    plain = workload.compared(Rules(Method.MP))
    same(
        "matchpoints",
        plain.ns,
        workload.peer.answers("matchpoints"),
        [points for board in workload.by_board for points in matchpoints(board)],
    )
    board = workload.results.board
    rulings = {
        int(row): Ruling(Grade.PLUS, Grade.MINUS)
        for row in range(7, len(board), 20 * workload.results.per_board)
    }
    rules = Rules(Method.MP, expected=workload.results.per_board + 1)

    def ours() -> tuple[NDArray[Any], NDArray[Any]]:
        points = workload.compared(rules, rulings)
        percent = (100 / points.top)[:, None]
        by_board = (len(percent), -1)
        return points.ns.reshape(by_board) * percent, points.ew.reshape(by_board) * percent

    return beside(workload, f"A3 {size_of(workload.results)}", "matchpoints", ours, goal, rounds)


def against_the_datum(workload: Workload, goal: float, rounds: int) -> Figure:
    """A4: IMPs against the datum, trimmed and rounded as the peer does."""
    per_board = workload.results.per_board
    each = -((10 - per_board) // 15) + 1
    rule = DatumRule(Trim(fixed=each), Rounding.HALF_UP)
    rules = Rules(Method.BUTLER, rule)
    compared = workload.compared(rules)
    found = [made for scores in workload.by_board if (made := datum(scores, rule))]
    same("datum", compared.datum, [made.score for made in found])
    same("datum, left out", compared.dropped, [out for made in found for out in made.dropped])
    same("IMPs", compared.ns, workload.peer.answers("butler"))
    work = partial(workload.compared, rules)
    return beside(workload, f"A4 {size_of(workload.results)}", "butler", work, goal, rounds)


def against_each_other(workload: Workload, goal: float, rounds: int, repeats: int) -> Figure:
    """A5: IMPs against every other result."""
    rules = Rules(Method.CROSS_IMP)
    compared = workload.compared(rules)
    same("total IMPs", compared.ns, [points for board in workload.by_board for points in total_imps(board)])
    means = workload.peer.answers("crossImps") * (workload.results.per_board - 1)
    assert np.abs(means - compared.ns).max() < Fraction(1, 1000), "cross-IMPs: the answers differ"
    work = partial(workload.compared, rules)
    return beside(workload, f"A5 {size_of(workload.results)}", "crossImps", work, goal, rounds, repeats)


ONE_EACH: dict[str, Rules] = {
    "MP": Rules(Method.MP),
    "XIMP": Rules(Method.BUTLER),
    "cross-IMP": Rules(Method.CROSS_IMP),
}


def growths(many: Workload, rounds: int, ease: float) -> list[Figure]:
    """Ten times the boards, and one board with a hundred times the results: neither may cost much more than that."""
    few = Workload(first_boards(many.results, many.results.boards // 10))
    less, more = Workload(checked(2, 1, 1000)), Workload(checked(2, 1, 100_000))

    def grows(name: str, small: Callable[[], object], large: Callable[[], object], bound: float) -> Figure:
        works = {"few": partial(timed, small, REPEATS), "many": partial(timed, large, REPEATS)}
        times = take_turns(works, rounds)
        return growth(name, times["few"], times["many"], bound / ease)

    def sizes(one: Workload, other: Workload) -> str:
        return f"{size_of(one.results)} to {size_of(other.results)}"

    return [
        grows(f"scores, {sizes(few, many)}", few.ns_scores, many.ns_scores, 12.0),
        *(
            grows(
                f"{name}, {sizes(one, other)}", partial(one.compared, by), partial(other.compared, by), bound
            )
            for one, other, bound in ((few, many, 12.0), (less, more, 120.0))
            for name, by in ONE_EACH.items()
        ),
    ]


def main(arguments: list[str]) -> int:
    if not shutil.which("node") or not shutil.which("npm"):
        return fail("node and npm are missing. On Debian: apt-get install nodejs npm")
    if not (PEER / "node_modules" / "bridge-scorer").is_dir():
        return fail("The peer is missing: npm ci --prefix tests/benchmarks/peer")
    short = "--short" in arguments
    ease, rounds = (EASY, 3) if short else (1.0, 9)
    before = noise()

    season = checked(3, 1000, 500)
    large = Workload(checked(2, 1, 10_000))
    wide = Workload(first_boards(season, 200) if short else season)
    few = Workload(first_boards(season, 20))
    try:
        figures = [
            *contracts_beside_endplay(first_boards(season, 40 if short else 200), rounds, ease),
            scores(wide, rounds, ease),
            matchpoints_of(large, 50 * ease, rounds),
            matchpoints_of(wide, 8 * ease, rounds),
            against_the_datum(large, 20 * ease, rounds),
            against_the_datum(wide, 8 * ease, rounds),
            against_each_other(few, 40 * ease, rounds, REPEATS),
            against_each_other(large, 2000 * ease, rounds=3, repeats=1),
            *growths(wide, 3 if short else 5, ease),
        ]
    finally:
        for workload in (large, wide, few):
            workload.peer.close()
    with rescore.database():
        figures += rescore.figures(short=short)
    return report("scoring", figures, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
