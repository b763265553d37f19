"""Bo Haglund's double-dummy solver, through endplay.

endplay's package start imports matplotlib, for plots that nobody draws here; an empty package of the same name stands
in for it, and only the solver's modules are loaded, when they are first needed.
"""

import importlib.util
import re
import sys
import threading
from collections.abc import Sequence
from functools import cache
from types import ModuleType
from typing import Any

BATCH = 32
"""Deals solved in one call; the solver takes 40 at the most."""

_ONE_AT_A_TIME = threading.Lock()  # the solver keeps its work in globals: two threads in it end the process
_ORDER_OF_SEATS = "NSEW"
_ORDER_OF_STRAINS = ("nt", "spades", "hearts", "diamonds", "clubs")
_DOUBLED = re.compile(r"([NESW])(x+)")  # endplay writes the doubling after the seat
_VULNERABLE = {"None": "none", "NS": "ns", "EW": "ew", "Both": "both"}


@cache
def _solver() -> Any:
    if "endplay" not in sys.modules:
        spec = importlib.util.find_spec("endplay")
        if spec is None or spec.submodule_search_locations is None:
            raise ImportError("endplay is not installed")
        package = ModuleType("endplay")
        package.__path__ = list(spec.submodule_search_locations)
        package.__spec__ = spec
        sys.modules["endplay"] = package
    import endplay.dds
    import endplay.types

    return endplay


def solve(deals: Sequence[str]) -> list[str]:
    """How many tricks each seat makes in each strain.

    Args:
        deals: Complete deals in PBN form, any number.

    Returns:
        For each deal twenty hexadecimal digits: seats N S E W, in each the strains NT S H D C.
    """
    types, dds = _solver().types, _solver().dds
    digits = []
    for start in range(0, len(deals), BATCH):
        with _ONE_AT_A_TIME:
            tables = dds.calc_all_tables([types.Deal(deal) for deal in deals[start : start + BATCH]])
        digits += [
            "".join(
                f"{table[getattr(types.Denom, strain), types.Player.find(seat)]:x}"
                for seat in _ORDER_OF_SEATS
                for strain in _ORDER_OF_STRAINS
            )
            for table in tables
        ]
    return digits


def par(tricks: str, dealer: str, vulnerable: str) -> tuple[int, str]:
    """North–South's score at par, and the contracts that reach it, such as `3♦XN-1, 3♦XS-1`.

    Args:
        tricks: The twenty digits of `solve`.
        dealer: A seat's letter.
        vulnerable: None, NS, EW or Both.
    """
    types, dds = _solver().types, _solver().dds
    from endplay._dds import ddTableResults

    table = ddTableResults()
    strains = {strain: getattr(types.Denom, strain) for strain in _ORDER_OF_STRAINS}
    for place, digit in enumerate(tricks):
        seat, strain = _ORDER_OF_SEATS[place // 5], _ORDER_OF_STRAINS[place % 5]
        table.resTable[strains[strain]][types.Player.find(seat)] = int(digit, 16)
    with _ONE_AT_A_TIME:
        found = dds.par(_table(table), getattr(types.Vul, _VULNERABLE[vulnerable]), types.Player.find(dealer))
    contracts = ", ".join(
        _DOUBLED.sub(lambda match: match[2].upper() + match[1], str(each)) for each in found
    )
    return int(found.score), contracts


def _table(data: Any) -> Any:
    from endplay.dds.ddtable import DDTable

    return DDTable(data)
