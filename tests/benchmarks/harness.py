"""What every benchmark does the same way: take turns, compare medians of ratios, show the noise, say who won.

A single time means little on a machine that others use too. Contenders therefore run in turns within one process,
each round in another order, and what counts is the median over the rounds of the ratio of two times.
"""

import json
import sys
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from statistics import median, quantiles
from time import perf_counter

EASY = 0.8
"""What is left of a goal in a short run."""


@dataclass(frozen=True, slots=True)
class Figure:
    """One line of a benchmark.

    Attributes:
        name: What was done.
        ours, peer: Median times in seconds, or bytes.
        ratio: How many times quicker, or smaller, ours is: the median over the rounds.
        goal: The ratio to reach.
        unit: In which `ours` and `peer` are shown: `ms` or `KB`; ` x` for what is a number of times itself.
    """

    name: str
    ours: float
    peer: float
    ratio: float
    goal: float
    unit: str = "ms"

    @property
    def reached(self) -> bool:
        return self.ratio >= self.goal

    def shown(self, value: float) -> float:
        return {"ms": 1000 * value, "KB": value / 1024}.get(self.unit, value)


def timed(work: Callable[[], object], repeats: int = 1) -> float:
    """Seconds that one call takes: the median of so many."""
    times = []
    for _ in range(repeats):
        start = perf_counter()
        work()
        times.append(perf_counter() - start)
    return median(times)


def take_turns(contenders: Mapping[str, Callable[[], float]], rounds: int) -> dict[str, list[float]]:
    """The times of every contender, one a round; each round begins with the next contender.

    Args:
        contenders: By name, what runs once and returns its own time in seconds.
        rounds: How often each runs.
    """
    names = list(contenders)
    times: dict[str, list[float]] = {name: [] for name in names}
    for turn in range(rounds):
        shift = turn % len(names)
        for name in names[shift:] + names[:shift]:
            times[name].append(contenders[name]())
    return times


def figure(name: str, ours: Sequence[float], peer: Sequence[float], goal: float, unit: str = "ms") -> Figure:
    """The figure of two contenders' times, round by round."""
    ratios = [theirs / mine for mine, theirs in zip(ours, peer, strict=True)]
    return Figure(name, median(ours), median(peer), median(ratios), goal, unit)


def growth(name: str, few: Sequence[float], many: Sequence[float], bound: float) -> Figure:
    """How many times as long the larger work takes by its median, beside how many times it may."""
    grown = median(many) / median(few)
    return Figure(f"growth {name}", grown, bound, bound / grown, 1.0, " x")


def noise() -> tuple[float, float, float]:
    """Least, median and ninth-decile time in milliseconds of a fixed loop, run a hundred times."""
    loops = [1000 * timed(lambda: sum(number * number for number in range(100_000))) for _ in range(100)]
    return min(loops), median(loops), quantiles(loops, n=10)[-1]


def report(bench: str, figures: Sequence[Figure], before: tuple[float, float, float]) -> int:
    """Print the table, the noise before and after, and the last line as JSON; the exit status.

    Returns:
        0 when every goal is reached, 1 when not.
    """
    after = noise()
    print(f"{'':44}{'ours':>12}{'peer':>12}{'ratio':>10}{'goal':>8}")
    for each in figures:
        mark = "" if each.reached else "  MISSED"
        print(
            f"{each.name:44}{each.shown(each.ours):9.3f} {each.unit}{each.shown(each.peer):9.2f} {each.unit}"
            f"{each.ratio:9.1f}x{each.goal:7.1f}x{mark}"
        )
    for when, (least, middle, high) in (("before", before), ("after", after)):
        print(f"noise {when}: least {least:.1f} ms, median {middle:.1f} ms, ninth decile {high:.1f} ms")
    drift = max(before[1], after[1]) / min(before[1], after[1])
    if drift > 1.25 or max(before[2] / before[0], after[2] / after[0]) > 2:
        print("The machine was not quiet: repeat before you quote these figures.")
    reached = all(each.reached for each in figures)
    keys = ("name", "ours", "peer", "ratio", "goal", "reached")
    lines = [{key: getattr(each, key) for key in keys} for each in figures]
    print(json.dumps({"bench": bench, "figures": lines, "reached": reached}))
    return 0 if reached else 1


def fail(sentence: str) -> int:
    """Say what is missing and the command that mends it; the exit status."""
    print(sentence, file=sys.stderr)
    return 2
