"""The system of the robots as a player learns it: in each of a few places, what every call means.

Nothing is written down twice: the rows come from the rules that the robots bid by.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from django.utils.functional import Promise
from django.utils.translation import gettext_lazy as _

from bridge.auction import Auction, read_call
from bridge.robot.system import meanings, options, picture
from bridge.seats import Seat

PLACES: tuple[tuple[Promise, str], ...] = (
    (_("Opening"), ""),
    (_("Partner has opened a major"), "1H Pass"),
    (_("Partner has opened a minor"), "1D Pass"),
    (_("Partner has opened one no-trump"), "1NT Pass"),
    (_("Partner has opened with a strong two clubs"), "2C Pass"),
    (_("Partner has opened with a weak two"), "2H Pass"),
    (_("The opener’s second call"), "1H Pass 1S Pass"),
    (_("The opponents have opened in a suit"), "1D"),
    (_("The opponents have opened one no-trump"), "1NT"),
    (_("Partner has doubled for takeout"), "1H X Pass"),
    (_("Partner has overcalled"), "1D 1H Pass"),
    (_("They have overcalled partner’s opening"), "1H 2C"),
    (_("Partner asks for aces"), "1S Pass 3S Pass 4NT Pass"),
)
"""What has happened, in words, and an auction in which it has."""


@dataclass(frozen=True, slots=True)
class Place:
    """A place in the system: the calls before, and what the next one means."""

    title: Promise
    calls: tuple[str, ...]
    rules: tuple[tuple[str, str], ...]


def places() -> Iterator[Place]:
    for title, text in PLACES:
        yield Place(title, tuple(text.split()), tuple(rules_after(text.split())))


def rules_after(calls: list[str]) -> Iterator[tuple[str, str]]:
    """The calls that have a meaning next, bids first and lowest first, each with what it tells."""
    auction = Auction(Seat.NORTH)
    for text in calls:
        call = read_call(text)
        assert call  # noqa: S101 - the places are ours
        auction = auction.after(call)
    for call in sorted(
        {rule.call for rule in options(picture(auction))}, key=lambda call: (not call.is_bid, call.rank)
    ):
        yield call.text, meanings(auction.after(call))[-1].text
