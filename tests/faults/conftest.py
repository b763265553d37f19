"""One stack for all tests that break its parts: they leave it whole, and it ends with the last of this folder."""

from collections.abc import Iterator

import pytest

from tests.faults.stack import Stack


@pytest.fixture(scope="package")
def stack(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Stack]:
    with Stack(tmp_path_factory.mktemp("s")) as stack:
        yield stack
