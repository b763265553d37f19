"""What leaves the house: written in the transaction that causes it, delivered by a clock afterwards."""

import json
import logging
from collections.abc import Mapping
from datetime import timedelta
from functools import partial
from typing import Any

from django.core.serializers.json import DjangoJSONEncoder
from django.db import connection
from django.db.backends.utils import CursorWrapper
from django.db.models import QuerySet
from psycopg.types.json import Jsonb

from apps.clock.models import Outgoing
from apps.clock.selectors import to_deliver
from apps.clock.services.bounded import bounded, is_lost
from apps.clock.time import Moment, now
from apps.clock.transitions import Delivery, NotSent, deliveries

AGAIN = timedelta(seconds=60)  # until a delivery that failed is tried again
DELIVERING = 0x44656C6976657279  # the advisory lock of the clock that delivers

log = logging.getLogger(__name__)
_as_json = partial(json.dumps, cls=DjangoJSONEncoder)


def send(*, key: str, kind: str, body: Mapping[str, Any]) -> bool:
    """Put a message into the outbox, in the transaction of what causes it; False when its key is there already."""
    return send_all(kind=kind, bodies={key: body}) == 1


def send_all(*, kind: str, bodies: Mapping[str, Mapping[str, Any]]) -> int:
    """Put messages of one kind into the outbox, by their keys and in one statement; returns how many are new."""
    if kind not in deliveries:
        raise LookupError(f"nobody registered a delivery {kind}")
    with connection.cursor() as cursor:
        cursor.execute(
            """INSERT INTO clock_outgoing (key, kind, body, created_at, last_error)
               SELECT key, %s, body, %s, '' FROM unnest(%s::text[], %s::jsonb[]) AS message (key, body) ORDER BY key
               ON CONFLICT (key) DO NOTHING""",
            [kind, now(), list(bodies), [Jsonb(body, dumps=_as_json) for body in bodies.values()]],
        )
        new: int = cursor.rowcount
        return new


def deliver_once() -> bool | None:
    """Deliver the next message: whether it left, None when none waits.

    One clock delivers at a time, so that a mail server that hangs never holds up all of them.
    """
    with connection.cursor() as cursor:
        if not _may_deliver(cursor):
            return None
        try:
            message = to_deliver().first()
            return None if message is None else _deliver(message)
        finally:
            cursor.execute("SELECT pg_advisory_unlock(%s)", [DELIVERING])


def _may_deliver(cursor: CursorWrapper) -> bool:
    cursor.execute("SELECT pg_try_advisory_lock(%s)", [DELIVERING])
    return bool(cursor.fetchone()[0])


def _deliver(message: Outgoing) -> bool:
    delivery, session = deliveries[message.kind], connection.connection
    attempt = _at_most_once if delivery.at_most_once else _at_least_once
    try:
        return attempt(message, delivery)
    except Exception as error:
        if is_lost(session):
            raise
        log.exception("%s %s was not delivered", message.kind, message.key)
        with bounded():
            left = Outgoing.objects.filter(pk=message.pk, sent_at=None)
            left.update(next_try_at=Moment() + AGAIN, last_error=first_line(error))
            if isinstance(error, NotSent):
                left.update(claimed_at=None)
        return False


def _at_most_once(message: Outgoing, delivery: Delivery) -> bool:
    """Claim it, then deliver it. Whoever falls in between leaves it claimed, to be seen and not to be sent again."""
    with bounded():
        if not _waiting(message).update(claimed_at=Moment()):
            return False
    delivery.send(message.body)
    with bounded():
        Outgoing.objects.filter(pk=message.pk).update(sent_at=Moment())
    return True


def _at_least_once(message: Outgoing, delivery: Delivery) -> bool:
    with bounded():
        if not _waiting(message).select_for_update(skip_locked=True).exists():
            return False
        delivery.send(message.body)
        Outgoing.objects.filter(pk=message.pk).update(sent_at=Moment())
    return True


def _waiting(message: Outgoing) -> QuerySet[Outgoing]:
    return Outgoing.objects.filter(pk=message.pk, sent_at=None, claimed_at=None)


def first_line(error: Exception) -> str:
    """What an error says, without the details, in which a database quotes the row."""
    return f"{type(error).__name__}: {error}".partition("\n")[0][:500]
