"""The process of the sockets, in a thread of a test: the same application, its two ends in the test's hands."""

import asyncio
import json
import queue
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any

from django.conf import settings
from django.db import connections

from apps.tables.live import Live
from apps.tables.models import Table
from tests.tables.tables import Browser

PATIENCE = 30.0  # seconds; what comes sooner is not waited for


def session_of(browser: Browser) -> str:
    """The session's cookie; empty when the user has signed out."""
    cookie = browser.client.cookies.get(settings.SESSION_COOKIE_NAME)
    return cookie.value if cookie else ""


class Closed(Exception):
    """The socket was closed with this code."""

    def __init__(self, code: int) -> None:
        super().__init__(code)
        self.code = code


class Line:
    """A socket as a browser has it."""

    def __init__(self, stand: "Stand", scope: dict[str, Any]) -> None:
        self.stand = stand
        self.out: queue.Queue[dict[str, Any]] = queue.Queue()
        self.task = asyncio.run_coroutine_threadsafe(self._run(scope), stand.loop)
        self.raw: list[str] = []

    async def _run(self, scope: dict[str, Any]) -> None:
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        await self.inbox.put({"type": "websocket.connect"})

        async def send(message: Any) -> None:
            self.out.put(dict(message))

        await self.stand.live(scope, self.inbox.get, send)

    def say(self, text: str) -> None:
        message = {"type": "websocket.receive", "text": text}
        self.stand.loop.call_soon_threadsafe(self.inbox.put_nowait, message)

    def hang_up(self) -> None:
        message = {"type": "websocket.disconnect", "code": 1006}
        self.stand.loop.call_soon_threadsafe(self.inbox.put_nowait, message)
        self.task.result(PATIENCE)

    def frame(self, patience: float = PATIENCE) -> dict[str, Any]:
        """The next frame.

        Raises:
            Closed: There is none any more.
            queue.Empty: None came in time.
        """
        while True:
            message = self.out.get(timeout=patience)
            if message["type"] == "websocket.close":
                raise Closed(message["code"])
            if message["type"] == "websocket.send":
                self.raw.append(message["text"])
                found: dict[str, Any] = json.loads(message["text"])
                return found

    def view(self, version: int = 0, patience: float = PATIENCE) -> dict[str, Any]:
        """The next view of this version or a later one; signs of life are answered."""
        while True:
            frame = self.frame(patience)
            if frame.get("v", -1) >= version:
                return frame

    def code(self) -> int:
        """With which code the socket closes."""
        while True:
            try:
                self.frame()
            except Closed as closed:
                return closed.code


class Stand:
    """The sockets' application, going."""

    def __init__(self) -> None:
        self.loop = asyncio.new_event_loop()
        self.live = Live()
        self.thread = threading.Thread(target=self.loop.run_forever, daemon=True)

    def start(self) -> None:
        self.thread.start()
        self.inbox: asyncio.Queue[dict[str, Any]] = asyncio.Queue()
        self.said: queue.Queue[Any] = queue.Queue()

        async def send(message: Any) -> None:
            self.said.put(message)

        self.lifespan = asyncio.run_coroutine_threadsafe(
            self.live({"type": "lifespan"}, self.inbox.get, send), self.loop
        )
        self._tell("lifespan.startup")

    def _tell(self, kind: str) -> None:
        self.loop.call_soon_threadsafe(self.inbox.put_nowait, {"type": kind})
        assert self.said.get(timeout=PATIENCE)["type"] == f"{kind}.complete"

    def end(self) -> None:
        """As a restart does it."""
        if not self.lifespan.done():
            self._tell("lifespan.shutdown")
            self.lifespan.result(PATIENCE)

    def stop(self) -> None:
        self.end()
        self.live.threads.shutdown(wait=True)
        self.loop.call_soon_threadsafe(self.loop.stop)
        self.thread.join(PATIENCE)
        self.loop.close()

    def connect(
        self,
        browser: Browser | None,
        table: Table,
        *,
        since: int = 0,
        origin: str | None = None,
        query: str = "",
        address: str = "127.0.0.1",
    ) -> Line:
        cookie = session_of(browser) if browser else ""
        headers = [(b"host", b"testserver"), (b"cookie", f"sessionid={cookie}; other=1".encode())]
        if origin != "":
            headers.append((b"origin", (origin or settings.LIVE_ORIGINS[0]).encode()))
        scope = {
            "type": "websocket",
            "path": f"/tables/{table.uuid}",
            "query_string": f"since={since}{query}".encode(),
            "headers": headers,
            "client": (address, 5000),
        }
        return Line(self, scope)

    def poll(
        self, browser: Browser, table: Table, *, since: int, wait: int
    ) -> tuple[int, dict[str, str], str]:
        """A long poll: its status, headers and body."""
        cookie = session_of(browser)
        scope = {
            "type": "http",
            "method": "GET",
            "path": f"/live/tables/{table.uuid}/view",
            "query_string": f"since={since}&wait={wait}".encode(),
            "headers": [(b"cookie", f"sessionid={cookie}".encode())],
            "client": ("127.0.0.1", 5000),
        }
        said: list[Any] = []

        async def send(message: Any) -> None:
            said.append(message)

        async def receive() -> dict[str, Any]:
            return {"type": "http.request"}

        asyncio.run_coroutine_threadsafe(self.live(scope, receive, send), self.loop).result(40)
        headers = {name.decode(): value.decode() for name, value in said[0]["headers"]}
        return said[0]["status"], headers, said[1]["body"].decode()


@contextmanager
def standing() -> Iterator[Stand]:
    stand = Stand()
    stand.start()
    try:
        yield stand
    finally:
        stand.stop()
        connections.close_all()
