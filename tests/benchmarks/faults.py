"""Every promise under harm, in its heavy amounts: a kill at each statement of each step, clocks, databases, whole events,
commands that are sent again and again, actions that are not allowed.

`deploy/bench faults [--short]`: an hour and more; the short run takes the amounts of the suite.
"""

import sys

from tests.benchmarks.thorough import run

TESTS = [
    "tests/faults",
    "tests/tables/test_faults.py",
    "tests/tables/test_sent_again.py",
    "tests/bridge/test_table_rules.py",
]
LEAST = {
    "kill points": 1000,
    "kill points inside named transitions": 400,
    "kill points of the control": 200,
    "broken in the control": 70,  # a third
    "kill points of the control inside transitions": 350,
    "broken in the control inside transitions": 175,  # half
    "clocks killed": 200,
    "databases crashed": 40,
    "kinds of harm to a whole event": 12,
    "commands sent many times": 10_000,
    "illegal actions": 1_000_000,
}
SHARES = {
    "broken in the control, of the points inside transitions": (
        "broken in the control inside transitions",
        "kill points of the control inside transitions",
    ),
    "broken in the control, of all points": ("broken in the control", "kill points of the control"),
}

if __name__ == "__main__":
    sys.exit(run("faults", TESTS, LEAST, short="--short" in sys.argv, shares=SHARES))
