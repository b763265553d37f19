"""One place for all that goes over the road: its tests leave it whole, and it ends with the last of them."""

from collections.abc import Iterator

import pytest

from tests.road.place import Place


@pytest.fixture(scope="package")
def place(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Place]:
    with Place(tmp_path_factory.mktemp("r")) as place:
        yield place
