"""Which Python the commands take, and what they advise where none fits: tried with interpreters that are not there."""

import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
NEEDS = "Datum needs Python 3.11, 3.12 or 3.13 and finds "
COMMAND = 'set -eu\nextras=run\n. "$(dirname -- "$0")/environment"\necho "with $python"\n'


class Machine:
    """A machine with these programs and nothing else."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.bin = folder, folder / "bin"
        self.bin.mkdir()
        (folder / "deploy").mkdir()
        shutil.copy(ROOT / "deploy" / "environment", folder / "deploy")
        (folder / "deploy" / "command").write_text(COMMAND)
        dirname = shutil.which("dirname")
        assert dirname
        (self.bin / "dirname").symlink_to(dirname)

    def program(self, name: str, script: str) -> None:
        (self.bin / name).write_text(f"#!/bin/sh\n{script}\n")
        (self.bin / name).chmod(0o755)

    def has_python(self, name: str, version: tuple[int, int], *, venv: bool = True) -> None:
        """One that says it is of this version, and that tells when it is to make the environment."""
        lacks = "" if venv else "sys.modules['ensurepip'] = None; "
        start = f"import sys; sys.version_info = {(*version, 0)}; {lacks}exec(sys.argv[1])"
        self.program(
            name, f'case $1 in -I) echo {name} makes it;; *) "{sys.executable}" -c "{start}" "$2";; esac'
        )

    def knows_packages(self, *packages: str) -> None:
        """What `apt-cache show` finds."""
        self.program("apt-get", "exit 9")
        self.program("apt-cache", f'case " {" ".join(packages)} " in *" $2 "*) ;; *) exit 100;; esac')

    def says(self) -> str:
        """What a command prints, and that it ended as it should."""
        done = subprocess.run(
            ["/bin/sh", self.folder / "deploy" / "command"],
            env={"PATH": str(self.bin)},
            capture_output=True,
            text=True,
            check=False,
        )
        assert done.returncode == (0 if "makes it" in done.stdout else 1)
        return (done.stderr or done.stdout).strip()


@pytest.fixture
def machine(tmp_path: Path) -> Machine:
    return Machine(tmp_path)


@pytest.mark.parametrize("version", [(3, 11), (3, 12), (3, 13)])
def test_a_python_that_fits_is_taken(machine: Machine, version: tuple[int, int]) -> None:
    machine.has_python("python3", version)
    assert machine.says() == f"python3 makes it\nwith {machine.folder}/.venv/bin/python"


@pytest.mark.parametrize("version", [(3, 10), (3, 14)])
def test_one_that_fits_is_taken_beside_one_that_does_not(machine: Machine, version: tuple[int, int]) -> None:
    machine.has_python("python3", version)
    machine.has_python("python3.12", (3, 12))
    assert machine.says().startswith("python3.12 makes it")


@pytest.mark.parametrize("version", [(3, 10), (3, 14)])
def test_where_only_another_one_is_the_advice_is_one_beside_it(
    machine: Machine, version: tuple[int, int]
) -> None:
    machine.has_python("python3", version)
    only = f"{NEEDS}only {version[0]}.{version[1]}. For instance: "
    assert machine.says() == f"{only}uv python install 3.13"
    machine.knows_packages(
        "python3.14-venv", "python3-venv"
    )  # the distribution's own is the one that is there
    assert machine.says() == f"{only}uv python install 3.13"
    machine.knows_packages("python3.14-venv", "python3.11-venv", "python3.12-venv")
    assert machine.says() == f"{only}apt-get install python3.12-venv"


def test_where_there_is_none_the_advice_is_the_distributions_own(machine: Machine) -> None:
    assert machine.says() == f"{NEEDS}none. For instance: uv python install 3.13"
    machine.knows_packages()
    advice = "apt-get update && apt-get install python3 python3-venv"
    assert machine.says() == f"{NEEDS}none. For instance: {advice}"
    machine.knows_packages("python3.13-venv")
    assert machine.says() == f"{NEEDS}none. For instance: apt-get install python3.13-venv"


def test_a_python_without_venv_is_told_its_own_package(machine: Machine) -> None:
    machine.has_python("python3", (3, 14))
    machine.has_python("python3.12", (3, 12), venv=False)
    said = f"{machine.bin}/python3.12 has no venv. On Debian: apt-get install python3.12-venv"
    assert machine.says() == said
