"""People with accounts who are signed in, many at once: `python -m tests.road.people 20`.

Their sessions are what signing in leaves behind; the road begins behind the door.
"""

import json
import sys
from dataclasses import asdict, dataclass
from datetime import timedelta

import django
from django.conf import settings


@dataclass(frozen=True, slots=True)
class Person:
    """A player with an account, and the session of a browser in which the player is signed in."""

    name: str
    player: int
    session: str


def make_people(number: int, name: str = "Traveller") -> list[Person]:
    """So many new people, in a number of statements that does not grow with theirs."""
    from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
    from django.contrib.auth.hashers import make_password
    from django.contrib.sessions.backends.db import SessionStore
    from django.contrib.sessions.models import Session
    from django.utils import timezone
    from django.utils.crypto import get_random_string

    from apps.users.models import Player, User, name_key

    known = User.objects.filter(username__startswith=f"{name.casefold()}-").count()
    names = [f"{name} {each}" for each in range(known + 1, known + number + 1)]
    nobody_knows = make_password(None)
    users = User.objects.bulk_create(
        User(username=each.casefold().replace(" ", "-"), password=nobody_knows) for each in names
    )
    players = Player.objects.bulk_create(
        Player(name=user_name, name_key=name_key(user_name), user=user)
        for user_name, user in zip(names, users, strict=True)
    )
    store, lasts = SessionStore(), timezone.now() + timedelta(days=1)
    sessions = Session.objects.bulk_create(
        Session(
            session_key=get_random_string(32, "abcdefghijklmnopqrstuvwxyz0123456789"),
            session_data=store.encode(
                {
                    SESSION_KEY: str(user.pk),
                    BACKEND_SESSION_KEY: settings.AUTHENTICATION_BACKENDS[0],
                    HASH_SESSION_KEY: user.get_session_auth_hash(),
                }
            ),
            expire_date=lasts,
        )
        for user in users
    )
    return [
        Person(each.name, each.pk, session.session_key)
        for each, session in zip(players, sessions, strict=True)
    ]


if __name__ == "__main__":
    django.setup()
    print(json.dumps([asdict(person) for person in make_people(int(sys.argv[1]))]))
