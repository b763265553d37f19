"""What holds the house together and no other tool looks at."""

import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.utils import canonicalize_name

from devstack import bench
from tests.benchmarks import thorough

ROOT = Path(__file__).resolve().parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
PIN = re.compile(r"^([A-Za-z0-9._-]+)(?:\[[^\]]*\])?==([^ ;\\]+)", re.MULTILINE)


def pins(name: str) -> dict[str, set[str]]:
    """Package -> versions; one that depends on the Python's version has several."""
    found: dict[str, set[str]] = {}
    for package, version in PIN.findall((ROOT / "deploy" / name).read_text()):
        found.setdefault(canonicalize_name(package), set()).add(version)
    return found


@pytest.mark.parametrize(
    ("lock", "extras"),
    [("requirements.lock", []), ("requirements-dev.lock", PROJECT["optional-dependencies"]["dev"])],
)
def test_a_lock_file_has_what_the_project_asks_for(lock: str, extras: list[str]) -> None:
    locked = pins(lock)
    for text in [*PROJECT["dependencies"], *extras]:
        wanted = Requirement(text)
        versions = locked.get(canonicalize_name(wanted.name), set())
        assert versions, f"{wanted.name} is not in {lock}: run deploy/lock"
        assert any(version in wanted.specifier for version in versions), f"{lock} has {versions}, not {text}"


def test_the_two_lock_files_agree() -> None:
    run, dev = pins("requirements.lock"), pins("requirements-dev.lock")
    assert {name: dev.get(name) for name in run} == run


@pytest.mark.parametrize("lock", ["requirements.lock", "requirements-dev.lock"])
def test_a_lock_file_has_hashes_and_no_addresses(lock: str) -> None:
    text = (ROOT / "deploy" / lock).read_text()
    assert text.count("--hash=sha256:") >= len(pins(lock))
    assert "://" not in text
    assert "--index" not in text


def test_platform_is_no_package() -> None:
    assert not (ROOT / "platform" / "__init__.py").exists()
    import platform

    assert platform.system()  # Python's own


def test_the_top_level_holds_what_the_map_says() -> None:
    shown = {path.name for path in ROOT.iterdir() if not path.name.startswith(".") and path.name != "mutants"}
    known = {"manage.py", "pyproject.toml", "README.md", "platform", "apps", "templates", "tests", "deploy"}
    assert shown <= known


@pytest.mark.parametrize("name", ["run", "test", "manage", "bench", "lock"])
def test_a_command_can_be_executed(name: str) -> None:
    assert (ROOT / "deploy" / name).stat().st_mode & 0o111


def test_every_benchmark_is_named_where_one_looks_for_it() -> None:
    guide = (ROOT / "deploy" / "README.md").read_text()
    assert {"faults", "secrecy"} <= {*bench.names()}
    assert not [name for name in bench.names() if f"`{name}`" not in guide and f"/bench {name}`" not in guide]


def test_a_thorough_run_adds_up_what_its_tests_tell(tmp_path: Path) -> None:
    """And a test that does not pass, or too small an amount, is no success."""
    passing = tmp_path / "test_kills.py"
    passing.write_text(
        "import os, pytest\n@pytest.mark.parametrize('step', [3, 4])\ndef test_kill(step, record_property):\n"
        "    record_property('kill points', step * len(os.environ['DATUM_THOROUGH']))\n"
    )
    assert thorough.run("kills", [f"{passing}"], {"kill points": 7}, short=False) == 0
    assert thorough.run("kills", [f"{passing}"], {"kill points": 8}, short=False) == 1
    failing = tmp_path / "test_broken.py"
    failing.write_text(
        "def test_broken(record_property):\n    record_property('kill points', 9)\n    assert 0\n"
    )
    assert thorough.run("kills", [f"{failing}"], {"kill points": 7}, short=False) == 1


@pytest.mark.parametrize(
    ("words", "instead"),
    [
        (r"\b(eta|countdown)=", "a message with a time is lost or runs twice: schedule due work"),
        (r"\bmake_aware\b", "it takes hours that do not exist: form fields refuse them"),
    ],
)
def test_time_is_planned_in_the_database_and_read_in_forms(words: str, instead: str) -> None:
    sources = [path for top in ("apps", "platform") for path in (ROOT / top).rglob("*.py")]
    assert len(sources) > 100
    found = [path for path in sources if path.stem != "forms" and re.search(words, path.read_text())]
    assert not found, instead
