"""Live tables on one machine: sockets held, moves seen by all four, everybody back after a fall, and fan-out.

`deploy/bench table [--short]`. The pages' server with its two processes, the one process of the sockets, PostgreSQL and
the load are all here, so the machine's load is printed with each figure. An act is a POST like a page's: checked,
written into the log, committed; it has arrived when the last socket of its table has the view with its version. Beside
the fan-out runs a bare Channels consumer (the peer comes with the development extra), which hands on the same views,
with nothing checked and nothing written.
"""

import asyncio
import json
import os
import random
import resource
import signal
import subprocess
import sys
import time
from collections import deque
from collections.abc import Awaitable, Callable, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from dataclasses import dataclass, field
from pathlib import Path
from statistics import quantiles
from typing import Any
from uuid import uuid4

import aiohttp

from tests.benchmarks.channels_peer import layers, serve
from tests.benchmarks.harness import EASY, Figure, figure, noise, report
from tests.benchmarks.lateness import processes
from tests.benchmarks.rescore import database, within
from tests.road.client import AGAIN, Browser, Site
from tests.road.people import make_people
from tests.road.place import free_port

HELD, PER_SOCKET = 5000, 50 * 1024
TABLES, MOVES, MEDIAN, P99 = 250, 60.0, 0.040, 0.300
RETURNING, BACK = 2000, 15.0
ROOMS, WATCHERS, PROMPT = 100, 8, 0.100
START = 20.0  # acts a second with which the fan-out begins
AT_ONCE = 100  # sockets that are being opened
PER_ADDRESS = 1500  # sockets from one address of this machine
SETTLED = 6.0  # seconds after which everybody has had a sign of life

Process = subprocess.Popen[bytes]


class Line:
    """One socket: the last view, and when it came."""

    __slots__ = ("at", "back_at", "browser", "data", "task", "version", "waiting", "where")

    def __init__(self, browser: Browser, where: str) -> None:
        self.browser, self.where = browser, where
        self.version, self.at, self.back_at = -1, 0.0, 0.0
        self.data = "{}"
        self.waiting: list[tuple[int, asyncio.Future[float]]] = []

    @property
    def view(self) -> dict[str, Any]:
        found: dict[str, Any] = json.loads(self.data)
        return found

    async def hold(self, gate: asyncio.Semaphore) -> None:
        """Open it, and again whenever it breaks, as a page does."""
        failures = 0
        while True:
            try:
                async with gate:
                    socket = await self.browser.socket(self.where, max(self.version, 0))
                async with socket:
                    failures, self.back_at = 0, time.perf_counter()
                    async for message in socket:
                        if message.data.startswith('{"v":'):
                            self._take(message.data)
                        else:
                            await socket.send_str(f'{{"sync":{max(self.version, 0)}}}')
            except (aiohttp.ClientError, TimeoutError, OSError):
                failures += 1
            self.back_at = 0.0
            await asyncio.sleep(AGAIN[min(failures, len(AGAIN) - 1)] * random.uniform(0.5, 1.5))

    def _take(self, data: str) -> None:
        self.at = time.perf_counter()
        self.version, self.data = int(data[5 : data.index(",")]), data
        for version, future in self.waiting:
            if self.version >= version and not future.done():
                future.set_result(self.at)
        self.waiting = [each for each in self.waiting if each[0] > self.version]

    async def has(self, version: int) -> float:
        """When it had this version."""
        if self.version >= version:
            return self.at
        future = asyncio.get_running_loop().create_future()
        self.waiting.append((version, future))
        at: float = await future
        return at


@dataclass(slots=True)
class Four:
    """A table with the sockets of its four players, by seat; `more` are second windows."""

    where: str
    lines: dict[str, Line]
    more: list[Line] = field(default_factory=list)

    async def move(self) -> float:
        """Whoever's turn it is does something legal; when the last socket of the table has seen it."""
        seat = next(iter(self.lines.values())).view["board"]["waits_for"][0]
        line = self.lines[seat]
        board = line.view["board"]
        if board["legal_cards"]:
            act = {"act": "play", "card": board["legal_cards"][-1]}
        else:
            act = {"act": "call", "call": "Pass" if board["calls"] else "1NT"}
        at = await self.seen(await self.do(line, act))
        if line.view["next"]:
            await self.go_on()
        return at

    async def go_on(self) -> None:
        """All four are ready for the next board, and it lies before them."""
        versions = [await self.do(line, {"act": "ready"}) for line in self.lines.values()]
        await self.seen(max(versions))

    async def do(self, line: Line, act: dict[str, Any]) -> int:
        """The version that an act has made."""
        body = json.dumps({"command": str(uuid4()), "expect": line.version, "do": act})
        status, said = await line.browser.do(self.where, body)
        if status != 200:
            raise SystemExit(f"{act}: {status} {said}")
        version: int = said["v"]
        return version

    async def seen(self, version: int) -> float:
        """When the last socket of the table has this version."""
        lines = (*self.lines.values(), *self.more)
        return max(await asyncio.gather(*(line.has(version) for line in lines)))


def open_tables(number: int, name: str) -> list[tuple[str, dict[str, str]]]:
    """So many tables with four people each, who have opened their pages: where, and the session at each seat."""
    from apps.clock.time import Moment
    from apps.tables.models import Sitting
    from apps.tables.services import opening
    from tests.tables.tables import make_boards

    people = make_people(4 * number, name)
    boards = make_boards(8)
    fours = [people[4 * place : 4 * place + 4] for place in range(number)]
    plans = [
        opening.Plan(
            subject=f"{name} {place}",
            title="Table",
            chairs={seat: opening.Chair(person.player) for seat, person in zip("NESW", four, strict=True)},
            boards=boards,
        )
        for place, four in enumerate(fours)
    ]
    tables = opening.open_tables(purpose="bench", occasion=name, plans=plans)
    Sitting.objects.filter(table__occasion=name).update(last_seen=Moment())
    return [
        (
            str(tables[plan.subject].uuid),
            {seat: person.session for seat, person in zip("NESW", four, strict=True)},
        )
        for plan, four in zip(plans, fours, strict=True)
    ]


class Hall:
    """The tables of a run with all their sockets."""

    def __init__(self, site: Site, pools: Sequence[aiohttp.ClientSession]) -> None:
        self.site, self.pools = site, pools
        self.fours: list[Four] = []
        self.lines: list[Line] = []
        self.tasks: dict[Line, asyncio.Task[None]] = {}
        self.gate = asyncio.Semaphore(AT_ONCE)

    def sit_down(self, tables: Sequence[tuple[str, dict[str, str]]]) -> None:
        for where, sessions in tables:
            lines = {seat: self.open(where, session) for seat, session in sessions.items()}
            self.fours.append(Four(where, lines))

    def open(self, where: str, session: str) -> Line:
        pool = self.pools[min(len(self.tasks) // PER_ADDRESS, len(self.pools) - 1)]
        line = Line(Browser(self.site, pool, session), where)
        self.tasks[line] = asyncio.create_task(line.hold(self.gate))
        self.lines.append(line)
        return line

    @property
    def moves(self) -> list[Callable[[], Awaitable[float]]]:
        return [four.move for four in self.fours]

    async def complete(self, seconds: float, since: float = 0.0) -> float:
        """Until every socket is open and has a view; the seconds that it took."""
        began = time.perf_counter()
        while any(line.version < 0 or line.back_at <= since for line in self.lines):
            if time.perf_counter() - began > seconds:
                missing = sum(line.version < 0 or line.back_at <= since for line in self.lines)
                raise SystemExit(f"{missing} of {len(self.lines)} sockets are not open after {seconds:.0f} s")
            await asyncio.sleep(0.1)
        return time.perf_counter() - began

    async def leave(self, keep: int) -> None:
        """All but so many sockets are closed."""
        gone, self.lines = self.lines[keep:], self.lines[:keep]
        for line in gone:
            self.tasks.pop(line).cancel()
        self.fours = [four for four in self.fours if all(line in self.tasks for line in four.lines.values())]
        await asyncio.sleep(1)


@dataclass(frozen=True, slots=True)
class Latencies:
    """How long it took from the planned moment to the last screen."""

    seconds: list[float]
    missed: int

    def at(self, percent: int) -> float:
        return quantiles(self.seconds, n=100, method="inclusive")[percent - 1]

    def __str__(self) -> str:
        shown = ", ".join(f"p{percent} {1000 * self.at(percent):.0f}" for percent in (50, 95, 99))
        return f"{len(self.seconds)} acts: {shown} ms" + (
            f", {self.missed} without a free table" if self.missed else ""
        )


async def at_rate(rate: float, seconds: float, idle: Sequence[Callable[[], Awaitable[float]]]) -> Latencies:
    """Do something at planned moments, each time with whoever has waited longest."""
    waiting, took, missed = deque(idle), [], 0
    begin = time.perf_counter() + 0.1

    async def one(planned: float, do: Callable[[], Awaitable[float]]) -> None:
        took.append(await do() - planned)
        waiting.append(do)

    async with asyncio.TaskGroup() as group:
        for number in range(int(rate * seconds)):
            planned = begin + number / rate
            await asyncio.sleep(max(0.0, planned - time.perf_counter()))
            if waiting:
                group.create_task(one(planned, waiting.popleft()))
            else:
                missed += 1
    return Latencies(took, missed)


async def highest(rate: float, at: Callable[[float], Awaitable[Latencies]]) -> float:
    """Acts a second up to which p99 stays prompt: raised by half each time, and by a quarter in the end.

    What fails has a second try; where the first rate is too much already, half of it is tried, and so on.
    """

    async def is_prompt(rate: float) -> bool:
        for _ in range(2):
            found = await at(rate)
            print(f"  {rate:7.1f} acts a second: {found}", flush=True)
            if not found.missed and found.at(99) <= PROMPT:
                return True
        return False

    good = 0.0
    while not good and rate >= 1:
        good, rate = (rate, rate) if await is_prompt(rate) else (0.0, rate / 2)
    while good and await is_prompt(1.5 * good):
        good *= 1.5
    return 1.25 * good if good and await is_prompt(1.25 * good) else good


@asynccontextmanager
async def pools() -> Any:
    """Connections from several addresses of this machine, for one may not have too many sockets."""
    async with AsyncExitStack() as stack:
        yield [
            await stack.enter_async_context(
                aiohttp.ClientSession(
                    connector=aiohttp.TCPConnector(limit=0, local_addr=(f"127.0.0.{place}", 0)),
                    cookie_jar=aiohttp.DummyCookieJar(),
                )
            )
            for place in range(1, 2 + HELD // PER_ADDRESS)
        ]


def family(process: Process) -> list[int]:
    """A server's process and those that it has started."""
    children = Path(f"/proc/{process.pid}/task/{process.pid}/children").read_text().split()
    return [process.pid, *map(int, children)]


def memory(process: Process) -> int:
    """Bytes that a server takes up; what it shares with others counts in part."""
    rolled = (Path(f"/proc/{pid}/smaps_rollup").read_text().splitlines() for pid in family(process))
    return sum(1024 * int(line.split()[1]) for lines in rolled for line in lines if line.startswith("Pss:"))


def worked(process: Process) -> float:
    """Seconds for which a server has had a processor."""
    fields = (Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split() for pid in family(process))
    return sum(int(each[11]) + int(each[12]) for each in fields) / os.sysconf("SC_CLK_TCK")


def kill(process: Process) -> None:
    """Without a last word of any of its processes."""
    for pid in reversed(family(process)):
        os.kill(pid, signal.SIGKILL)
    process.wait()


async def answers(address: str) -> None:
    """Until a server is there."""
    async with aiohttp.ClientSession() as http:
        for _ in range(600):
            try:
                async with http.get(address):
                    return
            except aiohttp.ClientError:
                await asyncio.sleep(0.1)
    raise SystemExit(f"{address} does not answer")


def load() -> str:
    return f"load {os.getloadavg()[0]:.1f}"


@dataclass(slots=True)
class House:
    """The two servers, and how one is started."""

    start: Callable[..., Process]
    site: Site
    web: Process = field(init=False)
    live: Process = field(init=False)

    async def open(self) -> None:
        self.web = self.start("devstack.web", self.site.pages.rpartition(":")[2])
        await self.open_live()
        await answers(self.site.pages + "/health/")

    async def open_live(self) -> None:
        self.live = self.start("devstack.live", self.site.live.rpartition(":")[2])
        await answers(self.site.live.replace("ws", "http", 1) + "/")


async def figures(house: House, *, short: bool) -> list[Figure]:
    held, tables, returning = (1000, 100, 400) if short else (HELD, TABLES, RETURNING)
    rate, seconds = (MOVES / 2, 8.0) if short else (MOVES, 30.0)
    await house.open()
    async with pools() as connections:
        hall = Hall(house.site, connections)
        hall.sit_down(await asyncio.to_thread(open_tables, 4, "First"))
        await hall.complete(60)
        await at_rate(10, 5, hall.moves)
        before, there = memory(house.live), len(hall.lines)
        hall.sit_down(await asyncio.to_thread(open_tables, tables - 4, "Mover"))
        await hall.complete(300)
        made = await measure_moves(hall, house, rate, seconds)
        made.append(await measure_held(hall, house, held, before, there))
        await hall.leave(returning)
        made.append(await measure_return(hall, house))
        made += await measure_fan_out(hall, house, short=short)
    return made


async def measure_moves(hall: Hall, house: House, rate: float, seconds: float) -> list[Figure]:
    await at_rate(rate / 3, 10, hall.moves)  # both processes of the pages know the boards then
    began = worked(house.web), worked(house.live)
    found = await at_rate(rate, seconds, hall.moves)
    work = (worked(house.web) - began[0], worked(house.live) - began[1])
    pages, sockets = (1000 * each / len(found.seconds) for each in work)
    print(
        f"{rate:.0f} moves a second at {len(hall.fours)} tables: {found}; each takes {pages:.1f} ms of a processor"
        f" for the pages' server, {sockets:.1f} ms for that of the sockets; {load()}",
        flush=True,
    )
    return [
        within(f"{rate:.0f} moves/s to the fourth screen, p50 (40 ms)", [found.at(50)], MEDIAN),
        within(f"{rate:.0f} moves/s to the fourth screen, p99 (300 ms)", [found.at(99)], P99),
    ]


async def measure_held(hall: Hall, house: House, held: int, before: int, first: int) -> Figure:
    there = len(hall.lines)
    hall.sit_down(await asyncio.to_thread(open_tables, (held - there) // 4, "Sitter"))
    took = await hall.complete(600)
    await asyncio.sleep(SETTLED)
    whole = memory(house.live)
    each = (whole - before) / (len(hall.lines) - first)
    print(
        f"{len(hall.lines)} sockets in one process: {each / 1024:.0f} KB each, {whole / 2**20:.0f} MB in all,"
        f" opened {(held - there) / took:.0f} a second; {load()}",
        flush=True,
    )
    found = await at_rate(MOVES / 2, 10, hall.moves)
    print(f"{MOVES / 2:.0f} moves a second among {len(hall.lines)} sockets: {found}; {load()}", flush=True)
    return figure(f"{len(hall.lines)} sockets, memory of each (50 KB)", [each], [PER_SOCKET], 1.0, unit="KB")


async def measure_return(hall: Hall, house: House) -> Figure:
    """The process of the sockets is killed, and started again a second later, as its supervisor does it."""
    killed = time.perf_counter()
    kill(house.live)
    await asyncio.sleep(1)
    await house.open_live()
    await hall.complete(120, since=killed)
    took = max(line.back_at for line in hall.lines) - killed
    each = 1000 * worked(house.live) / len(hall.lines)
    print(
        f"{len(hall.lines)} sockets are back {took:.1f} s after a kill, {each:.1f} ms of a processor each; {load()}",
        flush=True,
    )
    return within(f"{len(hall.lines)} sockets back after a kill (15 s)", [took], BACK)


async def measure_fan_out(hall: Hall, house: House, *, short: bool) -> list[Figure]:
    """F1: how many deliveries a second at p99 within 100 ms, and what one of them costs the process of the sockets."""
    rooms, seconds = (40, 4.0) if short else (ROOMS, 8.0)
    await hall.leave(4 * rooms)
    for four in hall.fours:
        four.more = [hall.open(four.where, _session(line)) for line in four.lines.values()]
    await hall.complete(120)
    view = hall.lines[0].data
    print(
        f"Ours, {rooms} tables with {WATCHERS} sockets, every act checked and written; {load()}", flush=True
    )
    ours = await fan_out(house.live, START, lambda rate: at_rate(rate, seconds, hall.moves))
    await hall.leave(0)
    made = []
    for layer, goal in (("core", 10.0), ("pubsub", 4.0)):
        print(f"Channels, {layer} layer, the same views handed on and nothing else; {load()}", flush=True)
        theirs = await _channels(house.start, layer, rooms, view, seconds)
        print(f"ours: {ours}; theirs: {theirs}; {load()}", flush=True)
        eased = goal * (EASY if short else 1)
        made.append(
            figure(f"F1 a delivery beside Channels, {layer} layer", [ours.seconds], [theirs.seconds], eased)
        )
    return made


@dataclass(frozen=True, slots=True)
class FanOut:
    """How quickly deliveries follow one another at the most, and how long each keeps a processor busy."""

    seconds: float
    processor: float

    def __str__(self) -> str:
        return (
            f"{1 / self.seconds:.0f} deliveries a second, {1000 * self.processor:.2f} ms of a processor each"
        )


async def fan_out(process: Process, rate: float, at: Callable[[float], Awaitable[Latencies]]) -> FanOut:
    """The limit of a process of sockets, and its work per delivery at a rate that is easy for all."""
    began = worked(process)
    found = await at(rate)
    processor = (worked(process) - began) / len(found.seconds) / WATCHERS
    return FanOut(1 / max(1.0, WATCHERS * await highest(rate, at)), processor)


def _session(line: Line) -> str:
    return line.browser.headers["Cookie"].partition("sessionid=")[2].partition(";")[0]


async def _channels(
    start: Callable[..., Process], layer: str, rooms: int, view: str, seconds: float
) -> FanOut:
    """What a bare Channels consumer can do."""
    from channels.layers import channel_layers
    from django.conf import settings

    settings.CHANNEL_LAYERS = layers(layer)
    channel_layers.backends.clear()
    port = free_port()
    process = start("tests.benchmarks.table", "peer", str(port), layer)
    await asyncio.sleep(3)
    sender = channel_layers["default"]
    site = Site(f"http://127.0.0.1:{port}", f"ws://127.0.0.1:{port}")
    async with pools() as connections:
        hall = Hall(site, connections)
        names = [f"tables/{room}" for room in range(rooms)]
        lines = {name: [hall.open(name.partition("/")[2], "") for _ in range(WATCHERS)] for name in names}
        numbers = dict.fromkeys(names, 0)

        async def send(name: str) -> float:
            numbers[name] += 1
            version = numbers[name]
            await sender.group_send(
                name.replace("/", "."), {"type": "frame", "text": f'{{"v":{version},{view.partition(",")[2]}'}
            )
            return max(await asyncio.gather(*(line.has(version) for line in lines[name])))

        while not all(line.back_at for line in hall.lines):
            await asyncio.sleep(0.1)
        doing = [lambda name=name: send(name) for name in names]
        found = await fan_out(process, START, lambda rate: at_rate(rate, seconds, doing))
        for task in hall.tasks.values():
            task.cancel()
    kill(process)
    return found


def site_of_this_run() -> Site:
    """Two free ports, named to the processes."""
    site = Site(f"http://127.0.0.1:{free_port()}", f"ws://127.0.0.1:{free_port()}")
    os.environ |= {"SITE_URL": site.pages, "LIVE_URL": site.live, "PYTHONWARNINGS": "ignore:No directory at"}
    return site


def end_sessions() -> None:
    """Of servers that were killed: the database goes when nobody is in it."""
    from django.db import connection

    with connection.cursor() as cursor:
        cursor.execute(
            "SELECT pg_terminate_backend(pid) FROM pg_stat_activity"
            " WHERE datname = current_database() AND pid <> pg_backend_pid()"
        )


def main(arguments: list[str]) -> int:
    if arguments[:1] == ["peer"]:
        serve(int(arguments[1]), arguments[2])
        return 0
    before = noise()
    _soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    resource.setrlimit(resource.RLIMIT_NOFILE, (hard, hard))
    site = site_of_this_run()
    with database():
        try:
            with processes() as start:
                made = asyncio.run(figures(House(start, site), short="--short" in arguments))
        finally:
            end_sessions()
    return report("table", made, before)


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
