"""The log of an event speaks the reader's language: no setting and no state stands there as the program calls it."""

from dataclasses import fields
from itertools import pairwise
from typing import Any

import pytest
from babel.messages.pofile import read_po
from django.conf import settings
from django.contrib import admin
from django.db import models
from django.utils import translation

from apps.clock.models import AuditEntry
from apps.pairs.models import Entry, Event, Swiss
from apps.pairs.services.setup import Plan
from apps.pairs.templatetags import audit
from apps.results.models import Contestant

OF_WORDS: dict[str, dict[str, Any]] = {
    "title": {"Monday": "Monday", "Tuesday": "Tuesday"},
    "organisation": {"Club": "Club", "House": "House"},
    "zone": {"Europe/Athens": "Europe/Athens", "Asia/Shanghai": "Asia/Shanghai"},
    "local_start": {
        "2026-11-30 20:00:00": "2026-11-30T20:00:00",
        "2026-12-01 21:30:00": "2026-12-01T21:30:00",
    },
    "invited": {"2": [871, 872], "3": [871, 872, 873]},
}


def told(action: str, before: dict[str, Any], after: dict[str, Any], zone: str = "Europe/Athens") -> str:
    text = audit.facts(AuditEntry(action=action, before=before, after=after), zone)
    return text.replace("\u2068", "").replace("\u2069", "")  # what keeps the direction of letters apart


def shown_of(name: str) -> dict[str, Any]:
    """Values of a setting, by how they are to be read."""
    if name in audit.CHOICES:
        return {str(label): value for value, label in audit.CHOICES[name].items()}
    kind = audit.SETTINGS.get(name)
    if isinstance(kind, models.BooleanField):
        return {"yes": True, "no": False}
    if isinstance(kind, models.IntegerField):
        return {"3": 3, "4": 4}
    return OF_WORDS[name]


@pytest.mark.parametrize("name", [each.name for each in fields(Plan)])
def test_every_setting_has_a_name_and_its_values_have_words(name: str) -> None:
    with translation.override("en"):
        for (was, before), (now, after) in pairwise(shown_of(name).items()):
            text = told("pairs.changed", {name: before}, {name: after})
            word = text.removesuffix(f" {was} → {now}")
            assert word
            assert word != text
            assert "_" not in word


def edited(how: admin.ModelAdmin[Any]) -> set[str]:
    """The fields that pages of the administration edit."""
    kinds = [(how.model, how.readonly_fields), *((row.model, row.readonly_fields) for row in how.inlines)]
    return {
        field.name
        for model, looked_at in kinds
        for field in model._meta.fields
        if field.editable and field.name not in {*looked_at, "id", "event", "contestant"}
    }


@pytest.mark.parametrize("model", [Event, Contestant])
def test_every_field_of_an_event_that_a_form_changes_has_a_word(model: type[models.Model]) -> None:
    names = edited(admin.site._registry[model])
    assert names > {"played_on" if model is Event else "label"}
    assert names - audit.SETTINGS.keys() == set()
    with translation.override("zh-hans"):
        for name in names:
            assert told("pairs.changed", {name: "Hall"}, {name: "House"}).isascii() is False
        assert told("pairs.changed", {"winners": "1"}, {"winners": "2"}).removesuffix("2").count("1") == 0


def test_a_change_of_settings_is_read_like_a_sentence_of_the_set_up() -> None:
    before = {"by_vps": True, "cut": "minus", "method": "BUTLER", "play": "entered", "turn_seconds": 30}
    after = {"by_vps": False, "cut": "average", "method": "MP", "play": "tables", "turn_seconds": None}
    with translation.override("en"):
        assert told("pairs.changed", before, after).split(" · ") == [
            "victory points by round yes → no",
            "boards that are not finished 0 IMPs, or 40 % of the matchpoints, to both"
            " → 0 IMPs, or 50 % of the matchpoints, to both",
            "scoring IMPs against the datum → matchpoints",
            "where it is played at real tables; results are entered here → here, at tables of this site",
            "seconds for a call or card 30 → –",
        ]


def test_a_start_that_was_typed_stays_the_hour_that_was_typed() -> None:
    before, after = {"local_start": "2026-07-01T20:00:00"}, {"local_start": "2026-07-01T21:00:00"}
    with translation.override("en"):
        assert told("pairs.changed", before, after, zone="America/Bogota") == (
            "start 2026-07-01 20:00:00 → 2026-07-01 21:00:00"
        )


@pytest.mark.parametrize("state", [*Swiss.State, *Entry.State])
def test_every_state_has_words(state: Swiss.State | Entry.State) -> None:
    with translation.override("en"):
        assert told("pairs.outage", {}, {"state": state.value}) == f"state {state.label}"


def test_the_rule_for_outages_and_the_side_that_reports_have_words() -> None:
    with translation.override("en"):
        assert (
            told("pairs.decided after outage", {}, {"rule": "cut"})
            == "rule cut the round and go on with the next"
        )
        assert told("pairs.missing", {}, {"reported by": "EW"}) == "reported by East–West"


def test_all_of_these_words_are_there_in_chinese() -> None:
    with (settings.BASE_DIR / "platform/locale/zh_Hans/LC_MESSAGES/django.po").open("rb") as file:
        chinese = {message.id: message.string for message in read_po(file)}
    with translation.override("en"):
        words = {
            *map(str, audit.WORDS.values()),
            *(str(setting.verbose_name) for setting in audit.SETTINGS.values()),
            *(str(label) for labels in audit.CHOICES.values() for label in labels.values()),
        }
    assert len(words) > 60
    assert {word for word in words if not chinese.get(word)} == set()
    with translation.override("zh-hans"):
        assert told("pairs.changed", {"stop": False}, {"stop": True}).endswith("否 → 是")
