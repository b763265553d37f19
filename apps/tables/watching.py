"""Who may watch a table live, and what each watcher gets: asked again for every version that is pushed.

The side of the sockets that talks to the database: about many tables at once, in as many statements as about one. It runs
in threads; `live` holds the sockets.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from functools import lru_cache
from uuid import UUID

from django.conf import settings
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.debug import sensitive_variables

from apps.clock.time import now
from apps.tables import selectors
from apps.tables.models import Sitting, Table
from apps.tables.protocol import view_to_json
from apps.tables.selectors import Snapshot, Surroundings
from apps.tables.services import oversight, presence
from apps.users.models import User
from bridge.seats import Seat
from bridge.table import Viewer

SIGNED_OUT, NOT_YOURS = 4401, 4404
PROOFS = 20_000  # that are kept


@dataclass(frozen=True, slots=True)
class Knock:
    """Somebody asks to watch a table: with which session, and whether as a director."""

    session: str
    uuid: UUID
    directing: bool


@dataclass(frozen=True, slots=True)
class Watcher:
    """A signed-in user who watches a table. `token` is the session's proof of the password that it began with."""

    user_id: int
    session: str
    token: str
    table_id: int
    directing: bool


@sensitive_variables()
def admit(knocks: Collection[Knock]) -> list[Watcher | int]:
    """Whose sessions these are, before which tables; or the code with which to close. What they may see says the look.

    Two queries.
    """
    lasting = Session.objects.filter(
        session_key__in={knock.session for knock in knocks}, expire_date__gt=timezone.now()
    )
    sessions = {session.session_key: session.get_decoded() for session in lasting}
    tables = dict(Table.objects.filter(uuid__in={knock.uuid for knock in knocks}).values_list("uuid", "pk"))
    return [_admitted(knock, sessions.get(knock.session, {}), tables.get(knock.uuid)) for knock in knocks]


def _admitted(knock: Knock, session: Mapping[str, str], table_id: int | None) -> Watcher | int:
    user_id, token = session.get(SESSION_KEY, ""), session.get(HASH_SESSION_KEY, "")
    if not user_id or session.get(BACKEND_SESSION_KEY) not in settings.AUTHENTICATION_BACKENDS:
        return SIGNED_OUT
    if table_id is None:
        return NOT_YOURS
    return Watcher(int(user_id), knock.session, token, table_id, knock.directing)


@dataclass(frozen=True, slots=True)
class Watched:
    """A table with those who watch it, and the version of it that each of them has.

    Attributes:
        known: The surroundings at an earlier look, which are read again only when they have changed.
    """

    table_id: int
    watchers: Mapping[Watcher, int]
    known: Surroundings | None = None


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """A table at a version, for its watchers.

    Attributes:
        frames: The view of each watcher who may see it and has an earlier one.
        refused: The code with which the sockets of those who may not see it close.
        sittings: Of the watchers who sit there.
    """

    version: int
    around: Surroundings
    frames: Mapping[Watcher, str]
    refused: Mapping[Watcher, int]
    sittings: Mapping[Watcher, int]


@sensitive_variables()
def look(watched: Collection[Watched]) -> list[Look]:
    """What the watchers of these tables may see of them now. Three queries, and four where the surroundings have changed."""
    watchers = {watcher for each in watched for watcher in each.watchers}
    snapshots = selectors.snapshots({each.table_id: each.known for each in watched})
    users = _still_signed_in(watchers)
    return [_look(snapshots[each.table_id], each.watchers, users) for each in watched]


@sensitive_variables()
def _look(snapshot: Snapshot, watchers: Mapping[Watcher, int], users: Mapping[Watcher, User]) -> Look:
    """Views are made once for all who see the same."""
    by_user = {sitting.player.user_id: sitting for sitting in snapshot.sittings}
    views: dict[Seat | Viewer, str] = {}
    frames: dict[Watcher, str] = {}
    refused: dict[Watcher, int] = {}
    sittings: dict[Watcher, int] = {}
    for watcher, version in watchers.items():
        user = users.get(watcher)
        if user is None:
            refused[watcher] = SIGNED_OUT
            continue
        sitting = by_user.get(user.pk)
        viewer = _viewer(snapshot.table, user, sitting, directing=watcher.directing)
        if viewer is None:
            refused[watcher] = NOT_YOURS
            continue
        if sitting:
            sittings[watcher] = sitting.pk
        if version < snapshot.table.version:
            if viewer not in views:
                views[viewer] = view_to_json(snapshot, viewer)
            frames[watcher] = views[viewer]
    return Look(snapshot.table.version, snapshot.around, frames, refused, sittings)


def _viewer(table: Table, user: User, sitting: Sitting | None, *, directing: bool) -> Seat | Viewer | None:
    """As what a user sees a table now; a director's look is written down."""
    if not directing:
        return selectors.Place(table, user, sitting).viewer
    try:
        oversight.look(table=table, by=user)
    except PermissionDenied:
        return None
    return Viewer.DIRECTOR


@sensitive_variables()
def _still_signed_in(watchers: Collection[Watcher]) -> dict[Watcher, User]:
    """Those whose session lasts and whose account is what it was, with their accounts. One query."""
    users = User.objects.raw(
        """SELECT users_user.*, asked.session
           FROM unnest(%s::bigint[], %s::text[]) AS asked (user_id, session)
           JOIN users_user ON users_user.id = asked.user_id AND users_user.is_active
           JOIN django_session ON session_key = asked.session AND expire_date > %s""",
        [
            [watcher.user_id for watcher in watchers],
            [watcher.session for watcher in watchers],
            timezone.now(),
        ],
    )
    found = {(user.pk, vars(user)["session"]): user for user in users}
    return {
        watcher: user
        for watcher in watchers
        if (user := found.get((watcher.user_id, watcher.session))) and _is_proof(watcher.token, user.password)
    }


@lru_cache(PROOFS)
@sensitive_variables()
def _is_proof(token: str, password: str) -> bool:
    """Whether the password, as it is stored now, is still the one that the session began with."""
    user = User(password=password)
    hashes = (user.get_session_auth_hash(), *user.get_session_auth_fallback_hash())
    return any(constant_time_compare(token, each) for each in hashes)


def versions(*, tables: Collection[int]) -> tuple[dict[int, int], datetime]:
    """The versions of these tables, and the moment."""
    return selectors.versions_of(tables), now()


def attend(*, sittings: Collection[int]) -> None:
    """These players are there; whoever else was silent for too long is gone."""
    if sittings:
        presence.see(sittings=sittings)
    presence.miss_silent()


def begin() -> None:
    """The process that holds the sockets starts: nobody is gone who could not be seen before."""
    presence.forgive_all()


def origins() -> frozenset[str]:
    """Where pages of this site come from."""
    return frozenset(settings.LIVE_ORIGINS)
