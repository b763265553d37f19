"""A player at a table without a screen: views from the socket, or by asking where there is none; acts by POST.

What a page does, and as patiently: a command is sent again with the same id until an answer says what became of it, a
socket that breaks is opened again, and in between the pages' server is asked.
"""

import asyncio
import json
import random
import re
import time
from collections import Counter
from collections.abc import Callable, Mapping
from dataclasses import dataclass, field
from typing import Any
from uuid import uuid4

import aiohttp

from bridge.robot import Tricks, choose, remember

TOKEN = "a" * 32  # of the form that the site asks for; the cookie and the header have to say the same
AGAIN = (0.2, 0.5, 1.0, 2.0)  # seconds before a command is sent again, a socket opened again
ASKED_EVERY = 2.0  # seconds, without a socket
LOOKED_EVERY = 1.0  # seconds, where one sits
_TABLE = re.compile(r'"/tables/([0-9a-f-]{36})/"')
PATIENCE = aiohttp.ClientTimeout(total=30)
TURNED_AWAY = (4401, 4404)

View = Mapping[str, Any]
Act = dict[str, Any]


class Refused(Exception):
    """The site says no to something that a page of its own would not have asked."""


@dataclass(frozen=True, slots=True)
class Site:
    """Where the pages are, and where the sockets."""

    pages: str
    live: str


@dataclass(slots=True)
class Travels:
    """What a client met on the way."""

    answers: Counter[str] = field(default_factory=Counter)
    illegal: list[tuple[Act, str]] = field(default_factory=list)
    sockets: int = 0
    asked: int = 0


class Browser:
    """A signed-in browser. All of them share one pool of connections."""

    def __init__(self, site: Site, http: aiohttp.ClientSession, session: str) -> None:
        self.site, self.http = site, http
        cookie = f"sessionid={session}; csrftoken={TOKEN}"
        self.headers = {"Cookie": cookie, "X-CSRFToken": TOKEN, "Origin": site.pages}

    async def get(self, path: str) -> tuple[int, str]:
        async with self.http.get(self.site.pages + path, headers=self.headers, timeout=PATIENCE) as answer:
            return answer.status, await answer.text()

    async def press(self, path: str, **fields: str) -> str:
        """Press a button: the address to which it leads."""
        target = self.site.pages + path
        async with self.http.post(
            target, data=fields, headers=self.headers, timeout=PATIENCE, allow_redirects=False
        ) as answer:
            if answer.status != 302:
                raise Refused(f"{path}: {answer.status}")
            return answer.headers["Location"]

    async def do(self, table: str, body: str) -> tuple[int, dict[str, Any]]:
        headers = self.headers | {"Content-Type": "application/json"}
        async with self.http.post(
            f"{self.site.pages}/tables/{table}/do", data=body, headers=headers, timeout=PATIENCE
        ) as answer:
            return answer.status, await answer.json() if answer.content_type == "application/json" else {}

    async def view(self, table: str, since: int) -> View | None:
        status, body = await self.get(f"/tables/{table}/view?since={since}")
        if status in (401, 404):
            raise Refused(f"{table}: {status}")
        found: View | None = json.loads(body) if status == 200 else None
        return found

    def socket(self, table: str, since: int, **more: Any) -> Any:
        address = f"{self.site.live}/tables/{table}?since={since}"
        return self.http.ws_connect(address, headers=self.headers, max_msg_size=0, **more)


Decide = Callable[[View], Act | None]


class Robot:
    """Decides as the robots do, remembers what it has seen, and is ready for the next board at once."""

    def __init__(self, seed: int = 0, boards: int | None = None) -> None:
        self.seed, self.boards = seed, boards
        self.tricks: Tricks = ()

    def __call__(self, view: View) -> Act | None:
        board = view["board"]
        if board:
            self.tricks = remember(self.tricks, board)
        over = sum(each["state"] == "over" for each in view["boards"])
        if self.boards is not None and over >= self.boards:
            return {"act": "leave"} if view["ask"]["leave"] and not view["ask"]["leaving"] else None
        if view["ask"]["ready"]:
            return {"act": "ready"}
        action = choose(board, seed=self.seed, tricks=self.tricks) if board else None
        return action and {"act": action.pop("do"), **action}


class Guest:
    """One player at one table, from sitting down until the table is over or the player has left."""

    def __init__(
        self,
        browser: Browser,
        table: str,
        decide: Decide,
        *,
        think: float = 0.0,
        seen: Callable[[View], None] | None = None,
    ) -> None:
        self.browser, self.table, self.decide = browser, table, decide
        self.think, self.seen = think, seen
        self.view: View | None = None
        self.version = -1
        self.changed = asyncio.Event()
        self.travels = Travels()
        self.socket: aiohttp.ClientWebSocketResponse | None = None
        self.has_left = False

    async def play(self) -> None:
        listening = asyncio.create_task(self._listen())
        acting = asyncio.create_task(self._act())
        try:
            await asyncio.wait((listening, acting), return_when=asyncio.FIRST_COMPLETED)
        finally:
            for task in (listening, acting):
                task.cancel()
            ended = await asyncio.gather(listening, acting, return_exceptions=True)
        for error in ended:
            if isinstance(error, Exception) and not self.has_left:
                raise error

    # Views

    def _show(self, view: View) -> None:
        if view["v"] > self.version:
            self.version, self.view = view["v"], view
            if self.seen:
                self.seen(view)
            self.changed.set()

    async def _listen(self) -> None:
        """Views from sockets, one after the other; while there is none the pages' server is asked."""
        failures = 0
        while True:
            asking = asyncio.create_task(self._ask())
            bye = None
            try:
                async with self.browser.socket(self.table, max(self.version, 0)) as socket:
                    self.socket, failures = socket, 0
                    self.travels.sockets += 1
                    asking.cancel()
                    async for message in socket:
                        bye = await self._hear(socket, json.loads(message.data))
                    if socket.close_code in TURNED_AWAY:
                        raise Refused(f"{self.table}: closed with {socket.close_code}")
            except (aiohttp.ClientError, TimeoutError, OSError):
                failures += 1
            finally:
                self.socket = None
                if not asking.done():
                    asking.cancel()
            asking = asyncio.create_task(self._ask())
            pause = AGAIN[min(failures, len(AGAIN) - 1)]
            await asyncio.sleep(bye if bye is not None else pause * random.uniform(0.5, 1.5))
            asking.cancel()

    async def _hear(self, socket: aiohttp.ClientWebSocketResponse, frame: dict[str, Any]) -> float | None:
        """Take a frame; when it says that the server goes, for how long to stay away."""
        if "v" in frame:
            self._show(frame)
        elif "now" in frame:
            await socket.send_str(json.dumps({"sync": max(self.version, 0)}))
        bye: float | None = frame.get("bye")
        return bye

    async def _ask(self) -> None:
        while True:
            try:
                view = await self.browser.view(self.table, max(self.version, 0))
            except (aiohttp.ClientError, TimeoutError, OSError):
                view = None
            self.travels.asked += 1
            if view:
                self._show(view)
            await asyncio.sleep(ASKED_EVERY)

    # Acts

    async def _act(self) -> None:
        while True:
            await self.changed.wait()
            self.changed.clear()
            view = self.view
            assert view
            act = self.decide(view)
            if act is None:
                if view["table"]["state"] == "over" or self.has_left:
                    return
                continue
            if self.think:
                await asyncio.sleep(self.think * random.uniform(0.5, 1.5))
            told = await self.send(act, view["v"])
            if act["act"] == "leave" and told >= 0:
                self.has_left = True
                return
            while self.version < told:  # the view to what was done
                await self.changed.wait()
                self.changed.clear()
            if self.version > view["v"]:
                self.changed.set()

    async def send(self, act: Act, expect: int) -> int:
        """Send a command until it is known what became of it: the version that is known then, or -1."""
        body = json.dumps({"command": str(uuid4()), "expect": expect, "do": act})
        sent = 0
        while True:
            try:
                status, said = await self.browser.do(self.table, body)
            except (aiohttp.ClientError, TimeoutError, OSError) as error:
                status, said = 0, {"why": type(error).__name__}
            sent += 1
            self.travels.answers[f"{status} {said.get('why', 'dup' if said.get('dup') else '')}".strip()] += 1
            if status == 200 or status in (409, 422):
                if status == 422:
                    self.travels.illegal.append((act, said["say"]))
                return int(said["v"]) if status == 200 else -1
            if status in (400, 401, 403, 404):
                raise Refused(f"{act}: {status} {said}")
            await asyncio.sleep(AGAIN[min(sent, len(AGAIN)) - 1] * random.uniform(0.5, 1.5))


class Traveller:
    """Looks where the player is seated and plays there, one table after the other."""

    def __init__(self, browser: Browser, robot: Callable[[], Decide], **guest: Any) -> None:
        self.browser, self.robot, self.guest = browser, robot, guest
        self.guests: list[Guest] = []

    async def travel(self, goes_on: Callable[[], bool]) -> None:
        while goes_on():
            known = {guest.table for guest in self.guests}
            for table in [table for table in await self.seats() if table not in known]:
                self.guests.append(Guest(self.browser, table, self.robot(), **self.guest))
                await self.guests[-1].play()
            await asyncio.sleep(LOOKED_EVERY)

    async def seats(self) -> list[str]:
        """The tables where the player sits, as the lobby shows them."""
        try:
            _, lobby = await self.browser.get("/tables/")
        except (aiohttp.ClientError, TimeoutError, OSError):
            return []
        mine = lobby.partition('id="free"')[0].partition('id="mine"')[2]
        return list(dict.fromkeys(_TABLE.findall(mine)))


def connections(limit: int = 0) -> aiohttp.ClientSession:
    """The pool that browsers share; cookies are theirs."""
    connector = aiohttp.TCPConnector(limit=limit)
    return aiohttp.ClientSession(connector=connector, cookie_jar=aiohttp.DummyCookieJar())


async def until(true: Callable[[], bool], seconds: float) -> bool:
    """Whether it becomes true in time."""
    end = time.monotonic() + seconds
    while not true():
        if time.monotonic() > end:
            return False
        await asyncio.sleep(0.05)
    return True
