"""The embedded servers in the way in which nothing else here runs them."""

import os
import shutil
from pathlib import Path

import pytest

from devstack.embedded import Postgres
from tests.devstack.conftest import manage

MODE = "drop" if os.geteuid() == 0 else "plain"  # the other one of root is what everything else here uses
QUESTION = "from django.db import connection as c; k = c.cursor(); k.execute('SHOW server_encoding'); print(k.fetchone()[0])"


def test_a_command_starts_the_servers_for_its_time_and_finds_its_data_again(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    state = tmp_path / "s"
    first = manage(state, "shell", "-v0", "-c", QUESTION, DATUM_ROOT_MODE=MODE)
    assert first.stdout.strip().splitlines()[-1] == "UTF8", first.stderr
    again = manage(state, "migrate", "--check", DATUM_ROOT_MODE=MODE)
    assert again.returncode == 0, again.stderr
    if MODE == "drop":
        monkeypatch.setenv("DATUM_ROOT_MODE", "drop")
        from devstack.embedded import root_mode

        root_mode.cache_clear()
        outside = Postgres(state).state
        root_mode.cache_clear()
        assert outside.is_relative_to("/var/tmp")
        shutil.rmtree(outside)
