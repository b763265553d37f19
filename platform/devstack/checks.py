"""Every check that a change must pass, then every test: `deploy/test`. With arguments: pytest alone, with them."""

import os
import subprocess
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from pathlib import Path

from devstack import chromium
from devstack.state import ROOT
from devstack.translations import compile_catalogues

BIN = Path(sys.executable).parent
MANAGE = (
    sys.executable,
    "-W",
    "ignore::RuntimeWarning",
    "manage.py",
)  # no database is up yet, and Django says so
PYTEST = (sys.executable, "-m", "pytest")
WORKERS = min((os.cpu_count() or 1) + 1, 8)  # one more than processors: some always wait for something
ON_ALL_CORES = (f"--numprocesses={WORKERS}", "--dist=loadfile", "--no-loadscope-reorder")


def checks() -> dict[str, list[str]]:
    templates = [
        str(path) for folder in ("templates", "apps") for path in sorted((ROOT / folder).rglob("*.html"))
    ]
    return {
        "types (mypy)": [f"{BIN}/mypy"],
        "style (ruff check)": [f"{BIN}/ruff", "check"],
        "format (ruff format)": [f"{BIN}/ruff", "format", "--check"],
        "templates (djade)": [f"{BIN}/djade", "--check", "--target-version", "5.2", *templates],
        "order of imports (lint-imports)": [f"{BIN}/lint-imports"],
        "settings and models (check)": [*MANAGE, "check"],
        "migrations": [*MANAGE, "makemigrations", "--check", "--dry-run"],
        "translations": [*MANAGE, "messages", "--check"],
    }


@dataclass(frozen=True)
class Outcome:
    passed: bool
    seconds: float
    output: str


def run_check(command: list[str]) -> Outcome:
    began = time.monotonic()
    done = subprocess.run(
        command,
        cwd=ROOT,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
        check=False,
    )
    return Outcome(done.returncode == 0, time.monotonic() - began, done.stdout)


def main() -> int:
    os.environ["DJANGO_SETTINGS_MODULE"] = "config.settings.test"
    os.chdir(ROOT)
    compile_catalogues()
    if arguments := sys.argv[1:]:
        os.execv(sys.executable, [*PYTEST, *arguments])
    failed = []
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        outcomes = {name: pool.submit(run_check, command) for name, command in checks().items()}
        for name, future in outcomes.items():
            outcome = future.result()
            print(f"{'passed' if outcome.passed else 'FAILED'}  {name}, {outcome.seconds:.1f} s", flush=True)
            if not outcome.passed:
                failed.append(name)
                print(outcome.output, flush=True)
    browser = chromium.install()
    without = [] if browser else ["--ignore=tests/browser"]
    if not browser:
        failed.append("browser tests")
        print(f"FAILED  browser tests. {chromium.MISSING}", flush=True)
    if failed:
        print(f"Failed before the tests: {', '.join(failed)}. The tests follow.", flush=True)
    status = subprocess.run(
        [*PYTEST, *ON_ALL_CORES, *without], stdin=subprocess.DEVNULL, check=False
    ).returncode
    return status or bool(failed)


if __name__ == "__main__":
    sys.exit(main())
