"""A request for a host that this site is not."""

import pytest
from django.test import Client


@pytest.mark.parametrize("path", ["/", "/events/", "/nowhere/"])
def test_a_wrong_host_is_refused_in_words(client: Client, path: str) -> None:
    answer = client.get(path, headers={"host": "elsewhere.example"})
    assert answer.status_code == 400
    assert "meant for another site. Nothing was saved." in answer.text
    assert "elsewhere.example" not in answer.text
