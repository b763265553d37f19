"""Pairs of deals that differ in hidden cards alone, in their heavy amounts: nobody who may not see them tells them apart.

`deploy/bench secrecy [--short]`; the short run takes the amounts of the suite.
"""

import sys

from tests.benchmarks.thorough import run

TESTS = ["tests/bridge/test_secrecy.py", "tests/tables/test_secrecy.py", "tests/tables/test_exits.py"]
LEAST = {
    "pairs of deals": 100_000,
    "pairs of deals by every way out": 3000,
    "pairs of deals by their views": 20_000,
    "pairs of deals by every address": 1000,
    "pairs of results by every address": 100,
    "seeded leaks found": 30,
}

if __name__ == "__main__":
    sys.exit(run("secrecy", TESTS, LEAST, short="--short" in sys.argv))
