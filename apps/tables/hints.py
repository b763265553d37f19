"""Tells the processes that hold sockets that a table has changed: its number and its version, nothing else.

A hint makes it prompt; that they also look once a second makes it certain. So a hint may be lost, and nobody waits for a
Redis that is gone or stands still: after a failure it is left alone for a while.
"""

import json
import logging
import time
from collections.abc import Mapping

import redis
from django.conf import settings

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
        self.resting_until = 0.0

    def announce(self, versions: Mapping[int, int]) -> None:
        """These tables have these versions now."""
        began = time.monotonic()
        if began < self.resting_until:
            return
        self.resting_until = (
            began + REST if self.resting_until else 0.0
        )  # one tries, the others need not as well
        try:
            self.client.publish(CHANNEL, json.dumps(list(versions.items())))
        except (redis.RedisError, OSError) as error:
            log.warning("tables change without hints: %s", type(error).__name__)
            self.resting_until = time.monotonic() + REST
        else:
            self.resting_until = 0.0


hints = Hints()
