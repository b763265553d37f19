"""Reasons that the site gives are read in the reader's language; those of people as they were typed."""

import pytest
from django.template.loader import render_to_string

from apps.clock.models import AuditEntry
from apps.clock.time import now
from apps.pairs.templatetags import audit
from apps.results.models import ResultChange
from apps.results.templatetags import notation

TYPED = "Board"  # a word that stands on pages, too


@pytest.fixture(autouse=True)
def another_language(monkeypatch: pytest.MonkeyPatch) -> None:
    for module in (audit, notation):
        monkeypatch.setattr(module, "gettext", str.upper)


@pytest.mark.parametrize("reason", [ResultChange.AGREED, ResultChange.UNCONTRADICTED])
def test_a_change_that_nobody_had_to_give_a_reason_for(reason: str) -> None:
    assert notation.because(reason) == reason.upper()
    assert notation.because(TYPED) == TYPED


@pytest.mark.django_db
def test_what_the_clock_did_by_the_rules() -> None:
    by_clock = AuditEntry(at=now(), action="pairs.withdrawn", reason="absent twice in a row")
    by_director = AuditEntry(at=now(), action="pairs.withdrawn", reason=TYPED, actor_id=1, actor_name="Dora")
    page = render_to_string("pairs/_audit.html", {"log": [by_clock, by_director], "swiss": {"zone": "UTC"}})
    assert "ABSENT TWICE IN A ROW" in page
    assert f">{TYPED}<" in page
