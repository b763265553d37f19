"""A bare Channels consumer, beside ours in `table`: it hands on what its room is sent, and does nothing else."""

import os
from typing import Any

import uvicorn
from channels.generic.websocket import AsyncWebsocketConsumer

from devstack.live import QUIET

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


def serve(port: int, layer: str) -> None:
    """Serve until the process is killed, by the same server as ours and with the same settings."""
    import django
    from django.conf import settings

    settings.configure(CHANNEL_LAYERS=layers(layer), INSTALLED_APPS=["channels"])
    django.setup()
    config = uvicorn.Config(
        Watcher.as_asgi(),
        port=port,
        http="h11",
        ws="websockets-sansio",
        ws_ping_interval=QUIET,
        ws_ping_timeout=QUIET,
        ws_per_message_deflate=False,
        lifespan="off",
        log_config=None,
        log_level="warning",
        access_log=False,
    )
    uvicorn.Server(config).run()
