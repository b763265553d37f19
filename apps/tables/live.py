"""The process that holds the sockets: tells everybody at a table what they may see of it, as soon as it changes.

Sockets only receive; commands are POSTs to the pages' server. A hint from Redis says that a table has a new version; a
look at all versions once a second finds what no hint told. Whatever is lost, the next look brings the whole view: there
are no differences to be missed. The same process answers long polls, for those who cannot have a socket.
"""

import asyncio
import contextlib
import json
import logging
import random
import re
import time
from collections import Counter, defaultdict, deque
from collections.abc import Awaitable, Callable, MutableMapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from datetime import datetime, timedelta
from functools import partial
from threading import Barrier, BrokenBarrierError
from typing import Any, TypeVar
from urllib.parse import parse_qs
from uuid import UUID

import redis.asyncio
from django.conf import settings
from django.db import InterfaceError, OperationalError, connection
from django.http.cookie import parse_cookie
from redis.exceptions import RedisError

from apps.tables import watching
from apps.tables.hints import CHANNEL
from apps.tables.protocol import LONGEST
from apps.tables.selectors import Surroundings
from apps.tables.together import Together
from apps.tables.watching import NOT_YOURS, SIGNED_OUT, Knock, Watched, Watcher

THREADS = 4  # that ask the database, a connection each
TOGETHER = 64  # tables that are looked at, or sockets that are admitted, at once
BEAT = 5.0  # seconds between two signs of life
TURNS = 50  # in a beat: everybody's turn comes once, and the load of five thousand never comes at once
ATTEND = 15.0  # seconds between two notes of who is there
SILENT = 20.0  # seconds without a frame, and a socket is no sign of life any more
LOST = 60.0  # seconds without a frame, and it is closed
RECHECK = 60.0  # seconds after which the right to watch is looked at again, whether anything changed or not
PER_USER = 5  # sockets; one more, and the oldest gives way
FRAMES, IN_SECONDS = 100, 20.0  # from one socket
LONGEST_WAIT = 25.0  # seconds of a long poll
BYE = 10.0  # seconds within which everybody comes back after a restart

MALFORMED, TOO_MUCH, GAVE_WAY, GONE, TOO_MANY = 4400, 4408, 4409, 4410, 4429
TOO_LONG, RESTART = 1009, 1012

_PATH = re.compile(r"/tables/([0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12})(/view)?/?")

Scope = MutableMapping[str, Any]
Message = MutableMapping[str, Any]
Receive = Callable[[], Awaitable[Message]]
Send = Callable[[Message], Awaitable[None]]
Question = TypeVar("Question")
Answer = TypeVar("Answer")

log = logging.getLogger(__name__)


class Socket:
    """One watcher's socket or long poll: what is to be sent next, and when it was last heard of."""

    __slots__ = ("beat", "changed", "code", "frames", "heard", "seen", "sitting", "turn", "view", "watcher")

    def __init__(self, watcher: Watcher, seen: int) -> None:
        self.watcher = watcher
        self.seen = seen  # the version that the watcher has
        self.sitting = 0
        self.view: str | None = None
        self.beat: str | None = None
        self.code = 0
        self.changed = asyncio.Event()
        self.heard = time.monotonic()
        self.frames: deque[float] = deque(maxlen=FRAMES)
        self.turn: set[Socket] = set()

    def show(self, version: int, view: str) -> None:
        """Have this view sent; one that waits to be sent is overtaken."""
        if version > self.seen:
            self.seen, self.view = version, view
            self.changed.set()

    def close(self, code: int) -> None:
        self.code = self.code or code
        self.changed.set()

    def hear(self, message: Message) -> int | None:
        """Take a frame from the watcher: the version that it says to have, or None and the socket is closed."""
        self.heard = time.monotonic()
        self.frames.append(self.heard)
        text = message.get("text")
        version = _sync(text)
        if len(text or message.get("bytes") or b"") > LONGEST:
            self.close(TOO_LONG)
        elif len(self.frames) == FRAMES and self.heard - self.frames[0] < IN_SECONDS:
            self.close(TOO_MUCH)
        elif version is None:
            self.close(MALFORMED)
        return None if self.code else version


def _sync(text: str | None) -> int | None:
    """The version in a frame `{"sync": 17}`; None when it is anything else."""
    if not text or len(text) > LONGEST:
        return None
    try:
        data = json.loads(text)
    except (ValueError, RecursionError):
        return None
    if not isinstance(data, dict) or data.keys() != {"sync"}:
        return None
    version = data["sync"]
    return version if isinstance(version, int) and not isinstance(version, bool) and version >= 0 else None


class Room:
    """The sockets of one table, and how far the table is known."""

    __slots__ = ("around", "asked", "due", "looking", "sockets", "wanted")

    def __init__(self) -> None:
        self.sockets: set[Socket] = set()
        self.wanted = 0  # the version that there is, as far as anybody has said
        self.asked = False  # somebody has to be told what there is, new or not
        self.around: Surroundings | None = None
        self.due = 0.0  # when it has to be looked at again, whether anything changes or not
        self.looking = False


class Live:
    """All sockets of this process."""

    def __init__(self) -> None:
        self.rooms: dict[int, Room] = {}
        self.users: defaultdict[int, list[Socket]] = defaultdict(list)  # the oldest first
        self.addresses: Counter[str] = Counter()
        self.turns: tuple[set[Socket], ...] = tuple(set() for _ in range(TURNS))
        self.turn = 0
        self.threads = ThreadPoolExecutor(THREADS, thread_name_prefix="live")
        self.admits = Together(partial(self._ask_all, watching.admit), TOGETHER)
        self.looks = Together(partial(self._ask_all, watching.look), TOGETHER)
        self.tasks: set[asyncio.Task[None]] = set()
        self.origins = watching.origins()
        self.now = (time.monotonic(), datetime.now().astimezone())  # the database's, when it was last asked
        self.closing = False

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "lifespan":
            await self._live(receive, send)
        elif scope["type"] == "websocket":
            await self._hold(scope, receive, send)
        elif scope["type"] == "http":
            await self._poll(scope, send)

    # ---- the process

    async def _live(self, receive: Receive, send: Send) -> None:
        while True:
            message = await receive()
            if message["type"] == "lifespan.startup":
                for work in (self._begin, self._listen, self._look_round, self._beat):
                    self._start(work())
                await send({"type": "lifespan.startup.complete"})
            else:
                await self._end()
                await send({"type": "lifespan.shutdown.complete"})
                return

    def _start(self, work: Any) -> None:
        task = asyncio.create_task(work)
        self.tasks.add(task)
        task.add_done_callback(self.tasks.discard)

    async def _begin(self) -> None:
        """Whoever could not be seen is forgiven before anybody is found to be gone."""
        await self._repeat(0, partial(self._ask, watching.begin), once=True)
        self._start(self._attend())

    def farewell(self) -> None:
        """Say to everybody when to come back, each at another moment, and close: before the server ends."""
        self.closing = True
        for socket in [socket for room in self.rooms.values() for socket in room.sockets]:
            if not socket.code:
                socket.beat = json.dumps({"bye": round(random.uniform(0, BYE), 1)})  # noqa: S311 - spreads the load
                socket.close(RESTART)

    async def _end(self) -> None:
        self.farewell()
        await asyncio.sleep(0.5)
        for task in self.tasks:
            task.cancel()
        together = Barrier(THREADS)  # so that each thread gets one of them
        with contextlib.suppress(TimeoutError, BrokenBarrierError):
            async with asyncio.timeout(2):
                await asyncio.gather(*[self._ask(_hang_up, together=together) for _ in range(THREADS)])
        self.threads.shutdown(wait=False, cancel_futures=True)

    async def _ask(self, work: Callable[..., Answer], **given: Any) -> Answer:
        """Have a thread ask the database."""
        return await self._in_thread(partial(work, **given))

    async def _ask_all(
        self, work: Callable[[Sequence[Question]], Answer], questions: Sequence[Question]
    ) -> Answer:
        return await self._in_thread(partial(work, questions))

    async def _in_thread(self, work: Callable[[], Answer]) -> Answer:
        return await asyncio.get_running_loop().run_in_executor(self.threads, partial(_asked, work))

    async def _repeat(
        self, pause: float, work: Callable[[], Awaitable[object]], *, once: bool = False
    ) -> None:
        """Do it again and again. What goes wrong is said once, until it goes well again."""
        failing = False
        while True:
            try:
                await work()
                failing = False
                if once:
                    return
            except Exception as error:
                if not failing:
                    log.warning("live tables: %s", type(error).__name__)
                failing = True
            await asyncio.sleep(max(pause, 1.0 if failing else 0.0))

    # ---- what changes

    async def _listen(self) -> None:
        """Hints, on one subscription, for as long as there is a Redis that gives them."""
        await self._repeat(0, self._listen_once)

    async def _listen_once(self) -> None:
        client = redis.asyncio.Redis.from_url(
            settings.REDIS_URL, socket_connect_timeout=2, health_check_interval=10
        )
        try:
            async with client.pubsub() as channel:
                await channel.subscribe(CHANNEL)
                while True:
                    message = await channel.get_message(ignore_subscribe_messages=True, timeout=5)
                    if message:
                        for table_id, version in json.loads(message["data"]):
                            self._hint(table_id, version)
        finally:
            with contextlib.suppress(RedisError, OSError):
                await client.aclose()

    def _hint(self, table_id: int, version: int) -> None:
        room = self.rooms.get(table_id)
        if room and version > room.wanted:
            room.wanted = version
            self._look_at(table_id, room)

    async def _look_round(self) -> None:
        await self._repeat(1.0, self._look_round_once)

    async def _look_round_once(self) -> None:
        """The net under the hints: the versions of all tables that have sockets, and who may still watch."""
        if not self.rooms:
            return
        versions, moment = await self._ask(watching.versions, tables=tuple(self.rooms))
        self.now = (time.monotonic(), moment)
        for table_id, version in versions.items():
            self._hint(table_id, version)
        for table_id, room in list(self.rooms.items()):
            if time.monotonic() > room.due:
                self._tell(table_id, room)

    def _tell(self, table_id: int, room: Room) -> None:
        """Somebody at a table has to be told what there is, or that it may not be seen any more."""
        room.asked = True
        self._look_at(table_id, room)

    def _look_at(self, table_id: int, room: Room) -> None:
        """Have a look at a table; whoever is looking at it looks once more."""
        if not room.looking:
            room.looking = True
            self._start(self._look(table_id, room))

    async def _look(self, table_id: int, room: Room) -> None:
        try:
            while room.sockets:
                wanted, room.asked, sockets = room.wanted, False, list(room.sockets)
                watchers: dict[Watcher, int] = {}
                for socket in sockets:
                    watchers[socket.watcher] = min(socket.seen, watchers.get(socket.watcher, socket.seen))
                look = await self.looks(Watched(table_id, watchers, room.around))
                room.around = look.around
                room.due = time.monotonic() + random.uniform(RECHECK / 2, RECHECK)  # noqa: S311 - spreads the load
                for socket in sockets:
                    if code := look.refused.get(socket.watcher):
                        socket.close(code)
                        continue
                    socket.sitting = look.sittings.get(socket.watcher, 0)
                    if view := look.frames.get(socket.watcher):
                        socket.show(look.version, view)
                if not room.asked and room.wanted <= max(wanted, look.version):
                    room.wanted = look.version
                    return
        except Exception as error:  # the next look round tries again
            log.warning("a table could not be looked at: %s", type(error).__name__)
            room.wanted, room.due = -1, 0.0
        finally:
            room.looking = False

    # ---- signs of life

    async def _beat(self) -> None:
        await self._repeat(BEAT / TURNS, self._beat_once)

    async def _beat_once(self) -> None:
        (asked, moment), now = self.now, time.monotonic()
        beat = json.dumps({"now": (moment + timedelta(seconds=now - asked)).isoformat()})
        self.turn = (self.turn + 1) % TURNS
        for socket in self.turns[self.turn]:
            if now - socket.heard > LOST:
                socket.close(GONE)
            socket.beat = beat
            socket.changed.set()

    async def _attend(self) -> None:
        await self._repeat(ATTEND, self._attend_once)

    async def _attend_once(self) -> None:
        since = time.monotonic() - SILENT
        sockets = (socket for room in self.rooms.values() for socket in room.sockets)
        there = sorted({socket.sitting for socket in sockets if socket.sitting and socket.heard > since})
        await self._ask(watching.attend, sittings=there)

    # ---- sockets

    async def _hold(self, scope: Scope, receive: Receive, send: Send) -> None:
        await receive()
        headers = _headers(scope)
        if headers.get("origin") not in self.origins:
            return await send({"type": "websocket.close", "code": 1008})
        await send({"type": "websocket.accept"})
        address = _address(scope, headers)
        found = TOO_MANY if self._is_full(address) else await self._admit(scope, headers)
        if isinstance(found, Socket) and self._is_full(address):
            found = TOO_MANY
        if isinstance(found, int):
            return await send({"type": "websocket.close", "code": found})
        self._make_room(found.watcher.user_id)
        self.addresses[address] += 1
        self._enter(found)
        reader = asyncio.create_task(self._read(found, receive))
        try:
            await _write(found, send)
        finally:
            reader.cancel()
            self._leave(found)
            _less(self.addresses, address)

    def _make_room(self, user_id: int) -> None:
        """Have a user's oldest socket give way to one more: first of all one on a line that is silent, perhaps dead."""
        mine, since = self.users[user_id], time.monotonic() - SILENT
        while len(mine) >= PER_USER:
            oldest = min(mine, key=lambda socket: socket.heard > since)
            mine.remove(oldest)
            oldest.close(GAVE_WAY)

    def _is_full(self, address: str) -> bool:
        return self.addresses.get(address, 0) >= settings.LIVE_PER_ADDRESS

    async def _admit(self, scope: Scope, headers: dict[str, str]) -> Socket | int:
        """A socket for whoever asks, or the code with which to close."""
        path = _PATH.search(scope["path"])
        session = _session(headers)
        if path is None:
            return NOT_YOURS
        if not session:
            return SIGNED_OUT
        query = parse_qs(scope["query_string"].decode("latin-1"))
        since = query.get("since", ["0"])[0]
        directing = query.get("as") == ["director"]
        found = await self.admits(Knock(session, UUID(path[1]), directing))
        known = int(since) if since.isascii() and since.isdigit() and len(since) < 19 else 0
        return found if isinstance(found, int) else Socket(found, known)

    def _enter(self, socket: Socket) -> None:
        room = self.rooms.setdefault(socket.watcher.table_id, Room())
        room.sockets.add(socket)
        self.users[socket.watcher.user_id].append(socket)
        socket.turn = min(self.turns, key=len)
        socket.turn.add(socket)
        if self.closing:
            socket.close(RESTART)
        self._tell(socket.watcher.table_id, room)

    def _leave(self, socket: Socket) -> None:
        room = self.rooms[socket.watcher.table_id]
        room.sockets.discard(socket)
        socket.turn.discard(socket)
        mine = self.users[socket.watcher.user_id]
        if socket in mine:  # it has not given way
            mine.remove(socket)
        if not mine:
            del self.users[socket.watcher.user_id]
        if not room.sockets:
            self.rooms.pop(socket.watcher.table_id, None)

    async def _read(self, socket: Socket, receive: Receive) -> None:
        while not socket.code:
            message = await receive()
            if message["type"] == "websocket.disconnect":
                return socket.close(GONE)
            version = socket.hear(message)
            if version is not None and version < socket.seen and socket.view is None:
                socket.seen = version  # it got lost on the way: once more
                self._tell(socket.watcher.table_id, self.rooms[socket.watcher.table_id])

    # ---- long polls

    async def _poll(self, scope: Scope, send: Send) -> None:
        headers = _headers(scope)
        path = _PATH.fullmatch(scope["path"][-len("/tables//view") - 36 :])
        if scope["method"] != "GET" or path is None or not path[2]:
            return await _answer(send, 404)
        address = _address(scope, headers)
        if self._is_full(address):
            return await _answer(send, 429)
        self.addresses[address] += 1
        try:
            await self._wait(scope, headers, send)
        finally:
            _less(self.addresses, address)

    async def _wait(self, scope: Scope, headers: dict[str, str], send: Send) -> None:
        """Answer with the next view, or that there is none yet."""
        found = await self._admit(scope, headers)
        if isinstance(found, int):
            return await _answer(send, 401 if found == SIGNED_OUT else 404)
        wait = parse_qs(scope["query_string"].decode("latin-1")).get("wait", ["0"])[0]
        seconds = (
            min(float(wait), LONGEST_WAIT) if wait.isascii() and wait.isdigit() and len(wait) < 4 else 0.0
        )
        if len(self.users.get(found.watcher.user_id, ())) >= PER_USER:
            return await _answer(send, 429)
        self._enter(found)
        try:
            async with asyncio.timeout(max(seconds, 1.0)):
                while found.view is None and not found.code:
                    await found.changed.wait()
                    found.changed.clear()
        except TimeoutError:
            pass
        finally:
            self._leave(found)
        if found.view is not None:
            return await _answer(send, 200, found.view)
        await _answer(send, {0: 204, SIGNED_OUT: 401, NOT_YOURS: 404, GAVE_WAY: 429}.get(found.code, 503))


async def _write(socket: Socket, send: Send) -> None:
    """Send what there is, the newest view first, until the socket closes."""
    while True:
        await socket.changed.wait()
        socket.changed.clear()
        if socket.view is not None:
            view, socket.view = socket.view, None
            await send({"type": "websocket.send", "text": view})
        if socket.beat is not None:
            beat, socket.beat = socket.beat, None
            await send({"type": "websocket.send", "text": beat})
        if socket.code:
            with contextlib.suppress(Exception):  # the other end may be gone
                await send({"type": "websocket.close", "code": socket.code})
            return


async def _answer(send: Send, status: int, body: str = "") -> None:
    headers = [
        (b"content-type", b"application/json"),
        (b"cache-control", b"max-age=0, no-cache, no-store, must-revalidate, private"),
        (b"vary", b"Cookie"),
        (b"x-content-type-options", b"nosniff"),
    ]
    await send({"type": "http.response.start", "status": status, "headers": headers})
    await send({"type": "http.response.body", "body": body.encode()})


def _asked(work: Callable[[], Answer]) -> Answer:
    """Ask on this thread's connection; one that broke is opened again, once."""
    try:
        return work()
    except (OperationalError, InterfaceError):
        connection.close()
        return work()


def _hang_up(*, together: Barrier) -> None:
    """Close this thread's connection."""
    together.wait(1)
    connection.close()


def _headers(scope: Scope) -> dict[str, str]:
    return {name.decode("latin-1"): value.decode("latin-1") for name, value in scope["headers"]}


def _session(headers: dict[str, str]) -> str:
    """The session in the cookies; empty when there is none that could be one."""
    session = parse_cookie(headers.get("cookie", "")).get(settings.SESSION_COOKIE_NAME, "")
    return session if session.isascii() and session.isalnum() else ""


def _address(scope: Scope, headers: dict[str, str]) -> str:
    """Where a socket comes from; behind a proxy, as the proxy says and nobody before it."""
    if settings.LIVE_BEHIND_PROXY:
        return headers.get("x-forwarded-for", "").rpartition(",")[2].strip()
    return str((scope.get("client") or ("",))[0])


def _less(counter: "Counter[str]", key: str) -> None:
    """One less; what is at nothing is forgotten."""
    counter[key] -= 1
    if counter[key] <= 0:
        del counter[key]
