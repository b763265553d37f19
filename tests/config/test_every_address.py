"""Whatever somebody sends to any address of the site, it answers with a page, a refusal or a redirect: never with 5xx."""

import random
import re
from collections.abc import Iterable, Iterator
from datetime import timedelta
from urllib.parse import quote_from_bytes
from uuid import uuid4

import pytest
from django import forms
from django.db import transaction
from django.test import Client
from django.urls import URLResolver, get_resolver

from apps.clock.time import now
from apps.pairs.forms.direction import COURSE, PAIRS
from apps.pairs.forms.players import find_player
from apps.pairs.models import Swiss
from apps.pairs.services import desk
from apps.pairs.services.publishing import publish_event
from apps.pairs.services.setup import Plan, create_swiss
from apps.pairs.views import live
from apps.results.models import Result
from apps.users.models import Player, User
from bridge.comparison import Method
from tests.factories import make_event, make_user
from tests.pairs.evening import enter_pairs, make_members, make_swiss, reload, start

pytestmark = pytest.mark.django_db

NUL = (b"\0", b"a\0b", b"\0 ")  # what PostgreSQL keeps in no text
RUBBISH: tuple[bytes, ...] = (
    b"",
    b"0",
    b"-1",
    b"1e400",
    b"NaN",
    b"1" + 30 * b"0",
    b"-1" + 30 * b"0",
    5000 * b"9",
    "²".encode(),
    "٣".encode(),
    "\u202eהלא".encode(),
    "🂡🏳️‍🌈".encode(),
    b"0001-01-01",
    b"9999-12-31T23:59:59Z",
    b"25:61",
    b"[]",
    b'{"a":',
    b"%(event)s {{ 7 }}",
    b"<script>alert(1)</script>'\"",
    3000 * b"[",
)
LOST = (
    b"\xed\xa0\x80",
    b"\xff\xfe",
    "\ufffd".encode(),
)  # half of a surrogate pair, no UTF-8, a letter lost before
TRIES = 2  # with each address, by each person
NAMES: dict[str, Iterable[str]] = {"act": live.ACTS, "direct_command": COURSE, "direct_pair": PAIRS}
SAID = (
    "table",
    "invitation",
    "name",
    "confirm",
    "save",
    "sure",
    "seen",
    "all",
    "next",
    "before",
    "after",
    "board",
)
KINDS = (
    *["application/x-www-form-urlencoded"] * 16,
    "multipart/form-data; boundary=x",
    "multipart/form-data",
    "application/json",
    "text/plain",
)


def known_fields() -> list[str]:
    """What any form of ours has a field for, and what views read themselves."""
    assert get_resolver().url_patterns  # now every form is imported, whichever tests ran before
    waiting, found = list(forms.BaseForm.__subclasses__()), {*SAID}
    while waiting:
        form = waiting.pop()
        waiting += form.__subclasses__()
        if form.__module__.startswith(("apps.", "allauth.")):
            found |= {*getattr(form, "base_fields", {})}
    return sorted(found)


def routes(resolver: URLResolver, before: str = "") -> Iterator[tuple[str, str]]:
    """Every address of the urlconf but the administration's, with its name."""
    for pattern in resolver.url_patterns:
        route = before + str(pattern.pattern)
        if isinstance(pattern, URLResolver):
            if pattern.namespace != "admin":
                yield from routes(pattern, route)
        else:
            yield f"/{route}", pattern.name or ""


def addresses(rng: random.Random, ids: list[int], tries: int) -> Iterator[str]:
    """Each address with numbers that mean something, often enough, and with others."""
    for route, name in routes(get_resolver()):
        for said in NAMES.get(name, ["withdraw"]):
            for _time in range(tries):
                numbers = [*ids, 1, 1, 2, rng.choice((0, 2**31, 2**63, 10**30))]
                filled = re.sub(r"<int:event_id>", lambda _: str(rng.choice(ids)), route)
                filled = re.sub(r"<int:\w+>", lambda _: str(rng.choice(numbers)), filled)  # noqa: B023
                filled = filled.replace("<slug:name>", rng.choice((said, said, said, "nothing")))
                text = rng.choice(("2026-11", "9999-99", "%00", "%ED%A0%80", "x" * 300))
                filled = re.sub(r"<(?:str:|path:)?\w+>|\(\?P<\w+>[^)]+\)\$?", text, filled)
                yield filled.replace("^", "").replace("$", "").replace("\\", "")


def body(rng: random.Random, good: dict[str, str], fields: list[str], ids: list[int]) -> bytes:
    """A form that would do, with one to many of its values spoiled, left out or given twice."""
    given = [(name, value.encode()) for name, value in good.items()]
    rubbish = rng.choices((NUL, (*RUBBISH, *NUL, str(rng.choice(ids)).encode()), LOST), (3, 6, 1))[0]
    names = rng.choice((fields, [*good]))
    for name in rng.sample(names, rng.choice((1, 5, len(names), len(names)))):
        given = [each for each in given if each[0] != name]
        given += [(name, rng.choice(rubbish)) for _time in range(rng.choice((0, 1, 1, 1, 2)))]
    return b"&".join(f"{name}={quote_from_bytes(value)}".encode() for name, value in given)


@pytest.fixture
def swiss() -> Swiss:
    """A round is being played."""
    swiss = make_swiss(rounds=3)
    enter_pairs(swiss, 5)
    start(swiss)
    return reload(swiss)


@pytest.fixture
def ids(swiss: Swiss) -> list[int]:
    """Events of every kind: played, to come with somebody at the desk, not announced, imported, published."""
    coming = make_swiss(title="Coming")
    one, other, asked = make_members(3, "Desk")
    for player in (one, other):
        desk.sit_down(event_id=coming.pk, player=player)
    assert one.user
    desk.invite(event_id=coming.pk, player=one, partner=asked, by=one.user)
    day = (now() + timedelta(days=9)).replace(tzinfo=None, minute=0, second=0, microsecond=0)
    draft = create_swiss(plan=Plan(title="Draft", zone="UTC", local_start=day), by=make_user("dina"), key="x")
    imported = make_event([["4S N =", "4S N +1"]], title="Imported")
    published = make_event([["4S N =", "4S N +1"]], method=Method.MP, title="Published")
    publish_event(event_id=published.pk, by=None)
    result = Result.objects.earliest("pk").pk
    return [swiss.pk, swiss.pk, coming.pk, draft.pk, imported.pk, published.pk, result]


@pytest.fixture
def people(swiss: Swiss) -> dict[str, User]:
    player = Player.objects.filter(entrants__swiss=swiss).earliest("pk").user
    sits_down = Player.objects.get(name="Desk 1").user
    assert player
    assert sits_down
    administrator = make_user("root", director=True)
    administrator.is_staff = administrator.is_superuser = True
    administrator.save()
    return {
        "player": player,
        "desk": sits_down,
        "director": make_user("dora", director=True),
        "administrator": administrator,
    }


def sweep(
    user: User, swiss: Swiss, ids: list[int], *, seed: int, only: str = "", tries: int = TRIES
) -> tuple[list[str], set[int]]:
    """Send rubbish to every address as this person, each time to the site as it is now.

    Returns:
        What failed, and which statuses were met.
    """
    rng, fields, failed, met = random.Random(seed), known_fields(), [], set()
    client = Client(raise_request_exception=False)
    client.force_login(user)
    signed_in = client.cookies.output(header="", sep=";")
    good = {
        "expected": str(swiss.schedule_version), "reason": "late", "minutes": "5", "rounds": "3", "order": "1",
        "start_date": "2027-01-01", "start_time": "20:00", "word": "other", "result": "4S N =", "version": "0",
        "command": str(uuid4()), "text": "4S N =", "save": "4S N =", "sure": "4S N =", "table": "1", "name": "Desk 3",
        "first": "Desk 2", "second": "Desk 3", "kind": "score", "score": "420", "key": str(uuid4()), "title": "New",
        "language": "en", "player_name": "Vera", "suits": "four", "theme": "auto", "mail": "all",
    }  # fmt: skip
    for address in addresses(rng, ids, tries):
        if only not in address:
            continue
        sent = body(rng, good, fields, ids)
        client.cookies.load(signed_in)
        with transaction.atomic():
            mark = transaction.savepoint()
            if rng.random() < 0.25:
                answer = client.get(f"{address}?{sent[:4000].decode('ascii')}")
            else:
                kind = rng.choice(KINDS)
                headers = {"HX-Request": "true"} if rng.random() < 0.3 else {}
                answer = client.generic("POST", address, sent, content_type=kind, headers=headers)
            transaction.savepoint_rollback(mark)
        met.add(answer.status_code)
        if answer.status_code >= 500:
            failed.append(f"{answer.status_code} {address} {sent[:300]!r}")
    return failed, met


@pytest.mark.parametrize(("who", "seed"), [("player", 1), ("desk", 2), ("director", 3), ("administrator", 4)])
def test_no_address_fails_whatever_is_sent_to_it(
    who: str, seed: int, swiss: Swiss, ids: list[int], people: dict[str, User]
) -> None:
    failed, met = sweep(people[who], swiss, ids, seed=seed)

    assert not failed, "\n".join(failed)
    assert {200, 302, 400, 404, 405} <= met  # it came far enough to be served, refused and not found


def test_the_sweep_finds_a_form_that_hands_on_what_the_database_cannot_keep(
    swiss: Swiss, ids: list[int], people: dict[str, User], monkeypatch: pytest.MonkeyPatch
) -> None:
    def careless(text: str) -> Player:
        return Player.objects.filter(name=text).first() or find_player(text)

    monkeypatch.setattr(live, "find_player", careless)

    failed, _met = sweep(people["desk"], swiss, ids, seed=10, only="/do/invite/", tries=200)

    assert failed


def test_the_sweep_knows_the_fields_of_every_app_and_reaches_every_app() -> None:
    """It is only as good as the names that it sends, and the addresses that it finds."""
    assert {"start_time", "player_name", "declarer", "ns_weighted", "first", "password1"} <= {*known_fields()}
    assert {"event", "correct", "publish", "preferences", "account_login", "home"} <= {
        name for _route, name in routes(get_resolver())
    }
