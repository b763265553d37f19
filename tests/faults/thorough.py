"""How much of a long test is done: a part of it in the suite, all of it when somebody asks for it.

`deploy/bench faults` and `deploy/bench secrecy` do all, with `DATUM_THOROUGH=1` in the environment.
"""

import os
from collections.abc import Callable

Tell = Callable[[str, object], None]
"""Tells how much was done: pytest's `record_property`, which `tests/benchmarks/thorough.py` reads."""

THOROUGH = bool(os.environ.get("DATUM_THOROUGH"))


def often(whole: int, *, usual: int) -> int:
    """So many times, or as many as usual."""
    return whole if THOROUGH else usual
