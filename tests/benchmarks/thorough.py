"""Runs tests in their heavy amounts and adds up what they did: what `faults` and `secrecy` have in common.

A test tells an amount with pytest's `record_property`; amounts of one name are added up.
"""

import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from collections.abc import Mapping, Sequence
from pathlib import Path
from xml.etree import ElementTree

from devstack.state import ROOT


def amounts(report: Path) -> dict[str, int]:
    """By name, what the tests of a JUnit report have told, and how many of them did not pass, as `failures`."""
    told: Counter[str] = Counter({"tests": 0, "failures": 0})
    for case in ElementTree.parse(report).iter("testcase"):
        told["tests"] += 1
        told["failures"] += case.find("failure") is not None or case.find("error") is not None
        for each in case.iter("property"):
            told[each.attrib["name"]] += int(each.attrib["value"])
    return dict(told)


def share(told: Mapping[str, int], part: str, whole: str) -> str:
    """How much of one amount another is, in words: `3 of 4, 75 %`."""
    some, all_ = told.get(part, 0), told.get(whole, 0)
    return f"{some} of {all_}, {100 * some / max(all_, 1):.0f} %"


def run(
    bench: str,
    tests: Sequence[str],
    least: Mapping[str, int],
    *,
    short: bool,
    shares: Mapping[str, tuple[str, str]] | None = None,
) -> int:
    """Run the tests, all of their amounts unless it is a short run; print the amounts as JSON in the last line.

    Args:
        shares: By name, two amounts of which the first is a part of the second: each is a line before the last.

    Returns:
        0 when every test passed and no amount is under the least that is asked for, 1 when not. A short run asks for
        some of each.
    """
    environment = os.environ | {"DJANGO_SETTINGS_MODULE": "config.settings.test"}
    if not short:
        environment["DATUM_THOROUGH"] = "1"
    with tempfile.TemporaryDirectory(prefix="datum-bench-") as folder:
        report = Path(folder) / "report.xml"
        told_in = [
            "-o",
            "junit_family=xunit1",
            f"--junitxml={report}",
        ]  # the other kind has no place for amounts
        command = [sys.executable, "-m", "pytest", "-c", f"{ROOT / 'pyproject.toml'}", *told_in, "-q", *tests]
        status = subprocess.run(command, cwd=ROOT, env=environment, check=False).returncode
        told = amounts(report) if report.exists() else {}
    reached = status == 0 and all(told.get(name, 0) >= (1 if short else few) for name, few in least.items())
    for name, (part, whole) in (shares or {}).items():
        print(f"{name}: {share(told, part, whole)}")
    print(json.dumps({"bench": bench, "amounts": told, "least": dict(least), "reached": reached}))
    return 0 if reached else 1
