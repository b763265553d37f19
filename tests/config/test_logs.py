"""A page that somebody may not see is a line in the log; a page that fails is all that can be said of it."""

import logging

import pytest
from django.core.exceptions import PermissionDenied
from django.test import Client
from django.urls import reverse

from apps.pages import views
from tests.factories import make_user


@pytest.mark.django_db
def test_a_refusal_is_one_line(client: Client, caplog: pytest.LogCaptureFixture) -> None:
    client.force_login(make_user("vera"))
    assert client.get(reverse("masterpoints:periods")).status_code == 403
    [line] = [record for record in caplog.records if record.name == "django.request"]
    assert logging.Formatter().format(line).splitlines() == [
        f"Forbidden (Permission denied): {reverse('masterpoints:periods')}"
    ]


@pytest.mark.django_db
def test_a_failure_is_told_whole(
    client: Client, caplog: pytest.LogCaptureFixture, monkeypatch: pytest.MonkeyPatch
) -> None:
    client.raise_request_exception = False
    monkeypatch.setattr(views, "render", lambda *_given: 1 / 0)
    assert client.get(reverse("pages:help")).status_code == 500
    [line] = [record for record in caplog.records if record.name == "django.request"]
    assert "ZeroDivisionError" in logging.Formatter().format(line)
    assert PermissionDenied.__name__ not in logging.Formatter().format(line)
