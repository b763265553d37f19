"""The process of `deploy/run` that holds the sockets: uvicorn with one loop, for what is at a table is told once.

Not granian, as for pages: it keeps 150 KB for each socket, reads frames of any length, and drops sockets unannounced.
"""

import asyncio
import os
import socket
import sys

import uvicorn

LONGEST_FRAME = 4096  # bytes
QUIET = 20.0  # seconds between two pings, and until one without an answer ends its socket
FAREWELL = 1.0  # seconds in which everybody is told when to come back


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
        http="h11",
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
