"""Times on pages: on the clocks of the event, with the zone, and the reader's own beside them."""

import re
from datetime import UTC, datetime
from uuid import uuid4

import pytest
from django.template import Context, Template
from django.test import Client
from django.urls import reverse
from django.utils import timezone
from django.utils.html import strip_tags

from apps.tables.services.practice import open_practice_table
from apps.tables.services.talk import call_director
from apps.users.models import User
from apps.users.services import notify
from tests.factories import make_user
from tests.pairs.evening import make_swiss
from tests.tables.tables import make_member, user_of

EVENING = datetime(2026, 7, 1, 18, 30, tzinfo=UTC)


def read(tag: str, zone: str) -> str:
    """What a reader with this zone reads where an event in Athens writes the moment."""
    page = Template("{% load moments %}{% " + tag + " %}")
    with timezone.override(zone or "Asia/Shanghai"):
        shown = page.render(Context({"user": User(time_zone=zone), "at": EVENING, "until": EVENING}))
    return strip_tags(shown)


@pytest.mark.parametrize(
    ("tag", "zone", "shown"),
    [
        ("moment at 'Europe/Athens'", "", "1 July 2026, 21:30 Europe/Athens"),
        ("moment at 'Europe/Athens'", "Europe/Kyiv", "1 July 2026, 21:30 Europe/Athens"),
        (
            "moment at 'Europe/Athens'",
            "Europe/Dublin",
            "1 July 2026, 21:30 Europe/Athens (for you: 1 July 2026, 19:30 Europe/Dublin)",
        ),
        ("hour_of_zone at 'Europe/Athens'", "", "21:30 Europe/Athens"),
        (
            "hour_of_zone at 'Europe/Athens'",
            "Europe/Dublin",
            "21:30 Europe/Athens (for you: 19:30 Europe/Dublin)",
        ),
        (
            "hour_of_zone at 'Europe/Athens' until",
            "Europe/Dublin",
            "21:30–21:30 Europe/Athens (for you: 19:30–19:30 Europe/Dublin)",
        ),
        (
            "hour_of_zone at 'Europe/Athens'",
            "Asia/Shanghai",
            "21:30 Europe/Athens (for you: 2 July 2026, 02:30 Asia/Shanghai)",
        ),
        ("beside at 'Europe/Athens'", "Europe/Dublin", " (for you: 19:30 Europe/Dublin)"),
    ],
)
def test_a_time_names_its_zone_and_the_readers_own_stands_beside_it(tag: str, zone: str, shown: str) -> None:
    assert read(tag, zone) == shown


def test_the_browser_of_who_has_chosen_no_zone_writes_the_own_time() -> None:
    page = Template("{% load moments %}{% hour_of_zone at 'Europe/Athens' %}")
    shown = page.render(Context({"user": User(), "at": EVENING}))
    assert 'data-yours="2026-07-01T18:30:00+00:00" data-zone="Europe/Athens"' in shown


@pytest.mark.django_db
def test_what_the_clock_does_next_is_said_to_a_director_on_both_clocks(client: Client) -> None:
    dina = make_user("dina", director=True)
    User.objects.filter(pk=dina.pk).update(time_zone="Asia/Tokyo")
    client.force_login(dina)
    page = strip_tags(client.get(reverse("pairs:direct", args=[make_swiss().pk])).text)
    assert re.search(r"The clock acts next at\s*\d\d:\d\d Europe/Athens \(for you: .*Asia/Tokyo\)", page)
    assert re.search(r"Starts in\s*(9:\d\d|10:00)", page)


@pytest.mark.django_db
def test_lists_of_hours_say_whose_clocks_they_are_on(client: Client) -> None:
    dina, nora = make_user("dina", director=True), make_member("Nora")
    User.objects.filter(pk=dina.pk).update(time_zone="Asia/Tokyo")
    call_director(table_id=open_practice_table(player=nora).pk, user=user_of(nora), command=uuid4())
    notify(users=[dina.pk], key="1", message="Hello.", url="/")
    client.force_login(dina)
    for page in ("tables:calls", "users:notices"):
        assert "Times are on the clocks of Asia/Tokyo." in client.get(reverse(page)).text
