"""Who may watch a table live, and what each watcher gets: asked again for every version that is pushed.

The side of the sockets that talks to the database. It runs in threads; `live` holds the sockets.
"""

from collections.abc import Collection, Mapping
from dataclasses import dataclass
from datetime import datetime
from uuid import UUID

from django.conf import settings
from django.contrib.auth import HASH_SESSION_KEY, get_user
from django.contrib.postgres.expressions import ArraySubquery
from django.contrib.sessions.backends.db import SessionStore
from django.contrib.sessions.models import Session
from django.core.exceptions import PermissionDenied
from django.http import HttpRequest
from django.utils import timezone
from django.utils.crypto import constant_time_compare
from django.views.decorators.debug import sensitive_variables

from apps.clock.time import now
from apps.tables import selectors
from apps.tables.models import Sitting, Table
from apps.tables.protocol import view_to_json
from apps.tables.selectors import Surroundings
from apps.tables.services import oversight, presence
from apps.users.models import User
from bridge.seats import Seat
from bridge.table import Viewer

SIGNED_OUT, NOT_YOURS = 4401, 4404


@dataclass(frozen=True, slots=True)
class Watcher:
    """A signed-in user who watches a table. `token` is the session's proof of the password that it began with."""

    user_id: int
    session: str
    token: str
    table_id: int
    directing: bool


def admit(*, session: str, uuid: UUID, directing: bool) -> Watcher | int:
    """Whoever has this session, before a table; or the code with which to close."""
    request = HttpRequest()
    request.session = SessionStore(session)
    user = get_user(request)
    if not isinstance(user, User) or not user.is_active:
        return SIGNED_OUT
    place = selectors.place_at(user=user, uuid=uuid)
    if place is None:
        return NOT_YOURS
    watcher = Watcher(user.pk, session, request.session[HASH_SESSION_KEY], place.table.pk, directing)
    viewer = _viewer(place.table, user, place.sitting, directing=directing)
    return NOT_YOURS if viewer is None else watcher


@dataclass(frozen=True, slots=True, repr=False)
class Look:
    """A table at a version, for its watchers.

    Attributes:
        frames: The view of each watcher who may see it.
        refused: The code with which the sockets of the others close.
        sittings: Of the watchers who sit there.
    """

    version: int
    around: Surroundings
    frames: Mapping[Watcher, str]
    refused: Mapping[Watcher, int]
    sittings: Mapping[Watcher, int]


@sensitive_variables()
def look(*, table_id: int, watchers: Collection[Watcher], known: Surroundings | None = None) -> Look:
    """What these watchers of one table may see of it now. Views are made once for all who see the same.

    Args:
        known: The surroundings at an earlier look, which are read again only when they have changed.
    """
    snapshot = selectors.snapshot(table_id=table_id, known=known)
    users = _still_signed_in(watchers)
    by_user = {sitting.player.user_id: sitting for sitting in snapshot.sittings}
    views: dict[Seat | Viewer, str] = {}
    frames: dict[Watcher, str] = {}
    refused: dict[Watcher, int] = {}
    sittings: dict[Watcher, int] = {}
    for watcher in watchers:
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


def _still_signed_in(watchers: Collection[Watcher]) -> dict[Watcher, User]:
    """Those whose session lasts and whose account is what it was, with their accounts. One query."""
    sessions = Session.objects.filter(
        session_key__in={watcher.session for watcher in watchers}, expire_date__gt=timezone.now()
    )
    users = (
        User.objects.filter(is_active=True)
        .annotate(lasting=ArraySubquery(sessions.values("session_key")))
        .in_bulk({watcher.user_id for watcher in watchers})
    )
    return {
        watcher: user
        for watcher in watchers
        if (user := users.get(watcher.user_id))
        and watcher.session in user.lasting
        and _is_proof(watcher.token, user)
    }


def _is_proof(token: str, user: User) -> bool:
    """Whether the password is still the one that the session began with."""
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
