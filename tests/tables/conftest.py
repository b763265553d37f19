"""What tests of tables share."""

from collections.abc import Iterator

import pytest

from tests.tables.stand import Stand, standing


@pytest.fixture
def stand(transactional_db: None) -> Iterator[Stand]:
    """The process of the sockets, going."""
    with standing() as stand:
        yield stand
