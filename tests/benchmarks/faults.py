"""Every promise under harm, in its heavy amounts: a kill at each statement of each step, clocks, databases, whole events.

`deploy/bench faults [--short]`: an hour and more; the short run takes the amounts of the suite.
"""

import sys

from tests.benchmarks.thorough import run

LEAST = {
    "kill points": 400,
    "kill points of the control": 200,
    "broken in the control": 70,  # a third
    "clocks killed": 200,
    "databases crashed": 40,
    "kinds of harm to a whole event": 12,
}

if __name__ == "__main__":
    sys.exit(run("faults", ["tests/faults"], LEAST, short="--short" in sys.argv))
