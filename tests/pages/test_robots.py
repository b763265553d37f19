"""What programs ask a site for without having read a page."""

from urllib.robotparser import RobotFileParser

import pytest
from django.test import Client
from django.urls import reverse


def test_robots_stay_out_of_what_is_for_people(client: Client) -> None:
    text = client.get("/robots.txt").content.decode()
    rules = RobotFileParser()
    rules.parse(text.splitlines())
    for name in ("account_login", "tables:lobby"):
        assert not rules.can_fetch("robot", reverse(name))
    assert rules.can_fetch("robot", "/events/7/")
    start, end = reverse("pairs:direct", args=[7]).split("7", 1)
    assert f"Disallow: {start}*{end}".rstrip("/") in text.splitlines()


@pytest.mark.django_db
def test_the_icon_is_the_mark(client: Client) -> None:
    address = client.get("/favicon.ico").headers["location"]
    assert "mark" in address
    assert address.endswith(".svg")
    assert f'<link rel="icon" type="image/svg+xml" href="{address}">' in client.get("/help/").content.decode()
