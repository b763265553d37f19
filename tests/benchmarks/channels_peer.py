"""A bare Channels consumer, beside ours in `table`: it hands on what its room is sent, and does nothing else.

It is served as ours is.
"""

import os
import signal
from typing import Any

from channels.generic.websocket import AsyncWebsocketConsumer
from granian import Granian
from granian.constants import Interfaces
from granian.log import LogLevels

from devstack.embedded import before_exec

BACKENDS = {
    "core": "channels_redis.core.RedisChannelLayer",
    "pubsub": "channels_redis.pubsub.RedisPubSubChannelLayer",
}


def layers(layer: str) -> dict[str, Any]:
    """Django's setting for a channel layer. Its pool of connections is larger than redis-py's hundred."""
    host: dict[str, Any] = {"address": os.environ["REDIS_URL"]}
    if layer == "core":
        host["max_connections"] = 5000
    return {"default": {"BACKEND": BACKENDS[layer], "CONFIG": {"hosts": [host]}}}


class Watcher(AsyncWebsocketConsumer):
    """A watcher of the room that its path names."""

    async def connect(self) -> None:
        self.room = self.scope["path"].strip("/").replace("/", ".")
        await self.channel_layer.group_add(self.room, self.channel_name)
        await self.accept()

    async def disconnect(self, code: int) -> None:
        await self.channel_layer.group_discard(self.room, self.channel_name)

    async def frame(self, event: dict[str, Any]) -> None:
        await self.send(text_data=event["text"])


def load(_target: str) -> Any:
    """Runs in the serving process."""
    before_exec(signal.SIGTERM)()
    import django
    from django.conf import settings

    settings.configure(CHANNEL_LAYERS=layers(os.environ["LAYER"]), INSTALLED_APPS=["channels"])
    django.setup()
    return Watcher.as_asgi()


def serve(port: int, layer: str) -> None:
    """Serve until the process is killed."""
    os.environ["LAYER"] = layer
    Granian(
        "peer",
        port=port,
        interface=Interfaces.ASGINL,
        workers=1,
        websockets=True,
        log_level=LogLevels.warning,
    ).serve(target_loader=load)
