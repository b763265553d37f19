"""An event that runs itself, from the form to the ranking, in Simplified Chinese on a phone: nothing is left in English."""

import random
import re
from collections.abc import Callable, Iterator

import pytest
from django.urls import reverse
from playwright.sync_api import BrowserContext, Page

from apps.masterpoints.services import award_event
from apps.pairs.models import Entry, Seat, Swiss
from apps.pairs.services import desk, direction
from apps.pairs.services.registration import withdraw_pair
from apps.users.models import Player, User
from devstack import translations
from tests.factories import make_user
from tests.pairs.evening import enter_pairs, make_members, make_swiss, pass_time, play_round, reload, start

pytestmark = pytest.mark.django_db(transaction=True)

SEEN = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  const named = [...document.querySelectorAll("[aria-label], [title], [placeholder], [data-say]")];
  const told = named.flatMap((each) => [each.ariaLabel, each.title, each.placeholder, each.dataset.say]);
  return [document.title, document.body.innerText, ...told].filter(Boolean).join("\\n");
}"""
PLACE = re.compile(r"%\(\w+\)s")
ALIKE = {
    "Datum",
    "English",
}  # what stands on every Chinese page, too: the name of the program, and how to leave
Walk = Callable[..., None]


def english() -> Iterator[re.Pattern[str]]:
    """Our sentences that have a translation: words together wherever they stand, one word where it stands alone."""
    for message in translations.stored():
        translated = message.string if isinstance(message.string, tuple) else (message.string,)
        for sentence in message.id if isinstance(message.id, tuple) else (str(message.id),):
            if not all(translated) or sentence in (*translated, *ALIKE):
                continue
            parts = PLACE.split(sentence.replace("%%", "%"))
            pattern = ".{1,60}?".join(map(re.escape, parts))
            words = re.findall("[A-Za-z]{2,}", " ".join(parts))
            if len(words) > 1:
                yield re.compile(rf"(?:^|(?<=\W\W)){pattern}(?=\W|$)(?! [a-z])", re.MULTILINE)
            elif words and len(parts) == 1:
                yield re.compile(rf"^{pattern}$", re.MULTILINE)


@pytest.fixture(scope="module")
def ours() -> list[re.Pattern[str]]:
    return [*english()]


def left_in_english(page: Page, ours: list[re.Pattern[str]]) -> list[str]:
    seen = page.evaluate(SEEN)
    return [found.group() for pattern in ours if (found := pattern.search(seen))]


@pytest.fixture
def walk(
    page: Page, context: BrowserContext, site: str, axe: Callable[[Page], None], ours: list[re.Pattern[str]]
) -> Walk:
    """Look at pages by name, with what their addresses are made of."""
    context.add_cookies([{"name": "django_language", "value": "zh-hans", "url": site}])
    page.set_viewport_size({"width": 360, "height": 780})

    def walk(*names: str, args: tuple[object, ...] = (), query: str = "") -> None:
        for name in names:
            page.goto(reverse(name, args=args) + query)
            assert page.locator("html").get_attribute("lang") == "zh-Hans", name
            assert left_in_english(page, ours) == [], name
            assert page.evaluate("document.documentElement.scrollWidth") <= 360, name
            axe(page)

    return walk


def before(walk: Walk, sign_in: Callable[[User], None]) -> None:
    """The form, the desk with somebody at it, entered pairs, the wall."""
    swiss = make_swiss(presence_minutes=60)
    enter_pairs(swiss, 2)
    here, asked, alone = make_members(3, "Guest")
    for player in (here, alone):
        desk.sit_down(event_id=swiss.pk, player=player)
    assert here.user
    assert asked.user
    desk.invite(event_id=swiss.pk, player=here, partner=asked, by=here.user)
    entered = Player.objects.get(name="Player 1").user
    assert entered
    for user in (asked.user, here.user, entered):
        sign_in(user)
        walk("pairs:event", args=(swiss.pk,))
    walk("pages:home", "pairs:events", "users:notices")
    walk("pairs:deals", "pairs:screen", args=(swiss.pk,))
    sign_in(make_user("dora", director=True))
    walk("pairs:new", "pairs:series")
    walk("pairs:setup", "pairs:direct", args=(swiss.pk,))


def during(walk: Walk, sign_in: Callable[[User], None]) -> None:
    """A seat, a slip, a pair that left, what the director sees."""
    swiss = make_swiss(rounds=3, boards=1)
    enter_pairs(swiss, 15)
    start(swiss)
    play_round(swiss, random.Random(1), skip=[(2, 1)])
    seats = Seat.objects.filter(round__swiss=swiss)
    sits, left = (
        Player.objects.filter(entrants__entry=seats.get(table=table, side="NS").contestant_id).earliest("pk")
        for table in (1, 2)
    )
    assert sits.user
    assert left.user
    direction.call_director(event_id=swiss.pk, player=sits)
    withdraw_pair(event_id=swiss.pk, order=Entry.objects.get(entrants__player=left).contestant.order, by=None)
    for user in (left.user, sits.user):
        sign_in(user)
        walk("pairs:event", args=(swiss.pk,))
    walk("pairs:slip", args=(swiss.pk, 1))
    walk("pairs:rounds", "pairs:screen", args=(swiss.pk,))
    walk("pairs:round", args=(swiss.pk, 1))
    walk("users:notices")
    sign_in(make_user("dora", director=True))
    walk("pairs:direct", "pairs:direct_pairs", args=(swiss.pk,))
    walk("pairs:direct_log", args=(swiss.pk,), query="?all=1")
    walk("pairs:decide", args=(swiss.pk, 1, 2, 1))


def after(walk: Walk, sign_in: Callable[[User], None]) -> None:
    """The ranking, the certificate, the deals, a score card, notices, master points."""
    swiss = make_swiss()
    enter_pairs(swiss, 5)
    start(swiss)
    for seed in (1, 2):
        play_round(swiss, random.Random(seed))
        pass_time(minutes=21)
    assert reload(swiss).state == Swiss.State.FINISHED
    award_event(event_id=swiss.pk)
    player = Player.objects.get(name="Player 1")
    assert player.user
    sign_in(player.user)
    walk("pairs:event", "pairs:rounds", "pairs:deals", "pairs:about", "pairs:screen", args=(swiss.pk,))
    walk("pairs:round", args=(swiss.pk, 2), query="?check=1")
    walk("pairs:scorecard", args=(swiss.pk, 1))
    walk("users:notices", "masterpoints:ranking", "pages:me")


@pytest.mark.parametrize("stage", [before, during, after])
def test_an_event_is_read_in_chinese(
    stage: Callable[[Walk, Callable[[User], None]], None], walk: Walk, sign_in: Callable[[User], None]
) -> None:
    stage(walk, sign_in)


def test_what_is_left_in_english_is_found(page: Page, ours: list[re.Pattern[str]]) -> None:
    page.goto(make_swiss().event.get_absolute_url())
    found = left_in_english(page, ours)
    assert {"Registration desk", "Nobody waits for a partner at the moment."} <= {*found}
