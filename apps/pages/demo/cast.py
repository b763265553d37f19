"""Who plays a simulated event: what is kept with it, and the members with their accounts."""

import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from random import Random
from typing import Self

from django.db import transaction

from apps.pages.demo.names import country_of, invent, invent_more
from apps.pages.demo.season import SEED
from apps.users.models import Player, User, name_key

KEY = "simulation "  # begins the key of every simulated event


@dataclass(frozen=True, slots=True, kw_only=True)
class Cast:
    """Who plays and how. It is kept with the event, so that whoever takes the simulation up goes on with it."""

    seed: int
    pairs: int
    speed: float = 1
    calm: bool = False
    by_cards: bool = False  # results that fit the cards dealt, instead of cards that the seed takes for them
    visitor: str = ""  # a user name: entered with a simulated partner, and waited for at the table
    run: str = ""  # tells two runs of one seed apart
    troupe: int = 0  # who plays while others of the seed are at an event that goes on

    @property
    def key(self) -> str:
        return KEY + json.dumps(asdict(self))

    @classmethod
    def of(cls, event_key: str | None) -> Self:
        """The cast of an event.

        Raises:
            ValueError: The event is not simulated.
        """
        if not event_key or not event_key.startswith(KEY):
            raise ValueError("The event is not a simulated one.")
        return cls(**json.loads(event_key.removeprefix(KEY)))


def accounts(names: Sequence[str]) -> list[User]:
    """Accounts that nobody can sign in with and that get no mail, by user name; made where there are none."""
    made = [User(username=name, password="!") for name in names]  # noqa: S106 - no password is this
    User.objects.bulk_create(made, ignore_conflicts=True)
    there = User.objects.in_bulk(names, field_name="username")
    return [there[name] for name in names]


@transaction.atomic
def engage(seed: int, number: int, troupe: int = 0) -> list[Player]:
    """So many members with accounts; the same each time for the same seed and troupe."""
    name = f"{seed}.{troupe}" if troupe else f"{seed}"
    users = accounts([f"simulated-{name}-{place}" for place in range(1, number + 1)])
    taken = set(invent(Random(SEED)))  # noqa: S311 - the names of the demo season
    names = invent_more(Random(f"names {name}"), number, taken=taken)  # noqa: S311
    Player.objects.bulk_create(
        [
            Player(name=name, name_key=name_key(name), country=country_of(name), user=user)
            for name, user in zip(names, users, strict=True)
        ],
        ignore_conflicts=True,
    )
    players = Player.objects.select_related("user").filter(user__in=users)
    by_user = {player.user_id: player for player in players}
    return [by_user[user.pk] for user in users]
