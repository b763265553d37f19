"""The process of `deploy/run` that holds the sockets: uvicorn with one loop, for what is at a table is told once.

Not granian, as for pages: it keeps 150 KB for each socket, reads frames of any length, and drops sockets unannounced.
"""

import asyncio
import os
import socket
import sys

import h11
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol

LONGEST_FRAME = 4096  # bytes
QUIET = 20.0  # seconds between two pings, and until one without an answer ends its socket
FAREWELL = 1.0  # seconds in which everybody is told when to come back
PATIENCE = 10.0  # seconds until a request is complete, from the moment on that one may come


class Protocol(H11Protocol):
    """Ends connections on which nothing is asked, or no request comes to its end: uvicorn waits for ever for a first one."""

    waiting: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(transport)
        self._watch()

    def data_received(self, data: bytes) -> None:
        super().data_received(data)
        self._watch()

    def on_response_complete(self) -> None:
        super().on_response_complete()
        self._watch()

    def connection_lost(self, exc: Exception | None) -> None:
        super().connection_lost(exc)
        self._stop_waiting()

    def _watch(self) -> None:
        """Wait for what is still to come of a request, and no longer for every byte of it."""
        is_ours = self.transport.get_protocol() is self  # not that of a socket by now
        if not is_ours or self.conn.their_state not in (h11.IDLE, h11.SEND_BODY):
            self._stop_waiting()
        elif self.waiting is None:
            self.waiting = self.loop.call_later(PATIENCE, self.transport.close)

    def _stop_waiting(self) -> None:
        if self.waiting:
            self.waiting.cancel()
            self.waiting = None


class Server(uvicorn.Server):
    """Tells everybody that it ends before it closes their sockets."""

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        from config.asgi import application

        application.farewell()
        await asyncio.sleep(FAREWELL)
        await super().shutdown(sockets)


def main(port: int) -> None:
    os.environ.setdefault("DJANGO_SETTINGS_MODULE", "config.settings.dev")
    config = uvicorn.Config(
        "config.asgi:application",
        port=port,
        http=Protocol,
        ws="websockets-sansio",
        ws_max_size=LONGEST_FRAME,
        ws_ping_interval=QUIET,
        ws_ping_timeout=QUIET,
        ws_per_message_deflate=False,  # the length of what is compressed tells of what is in it
        lifespan="on",
        log_config=None,
        log_level="warning",
        access_log=False,
        server_header=False,
        proxy_headers=False,
        timeout_graceful_shutdown=5,
    )
    Server(config).run()


if __name__ == "__main__":
    main(int(sys.argv[1]))
