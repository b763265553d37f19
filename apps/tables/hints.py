"""Tells the processes that hold sockets that a table has changed: its number and its version, nothing else.

A hint makes it prompt; that they also look once a second makes it certain. So a hint may be lost, and nobody waits for a
Redis that is gone or stands still: after a failure it is left alone for a while.
"""

import json
import logging
from collections.abc import Mapping

import redis
from django.conf import settings

from apps.clock.rest import Rest

CHANNEL = "tables"
SLOW = 0.3  # seconds that a hint may take
REST = 5.0  # seconds in which nobody is told, after one took longer or failed

log = logging.getLogger(__name__)


class Hints:
    """The way to Redis, and whether it is worth trying."""

    def __init__(self) -> None:
        self.client = redis.Redis.from_url(
            settings.REDIS_URL, socket_timeout=SLOW, socket_connect_timeout=SLOW, retry=None
        )
        self.rest = Rest(REST)

    def announce(self, versions: Mapping[int, int]) -> None:
        """These tables have these versions now."""
        if self.rest.is_on():
            return
        try:
            self.client.publish(CHANNEL, json.dumps(list(versions.items())))
        except (redis.RedisError, OSError) as error:
            log.warning("tables change without hints: %s", type(error).__name__)
            self.rest.begin()
        else:
            self.rest.end()


hints = Hints()
