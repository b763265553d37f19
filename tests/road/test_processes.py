"""The real processes, and what a player at a table notices when one of them falls: nothing that is not true."""

import asyncio
import json
import signal
import time
from typing import Any
from uuid import uuid4

import aiohttp
import pytest

from tests.road.client import Browser, connections
from tests.road.place import Place

SEATS = "NEW"


class Four:
    """Four at a practice table, each with a socket."""

    def __init__(self, place: Place, http: aiohttp.ClientSession) -> None:
        self.place = place
        self.browsers = [Browser(place.site, http, person.session) for person in place.people(4)]
        self.sockets: list[aiohttp.ClientWebSocketResponse] = []

    async def sit(self) -> None:
        host, *guests = self.browsers
        self.table = (await host.press("/tables/open/")).split("/")[2]
        for guest, seat in zip(guests, SEATS, strict=True):
            await guest.press(f"/tables/{self.table}/sit/", seat=seat)
        await self.connect()

    async def connect(self) -> None:
        """Everybody again, for as long as it takes."""
        self.sockets = [await self.one(browser) for browser in self.browsers]

    async def one(self, browser: Browser) -> aiohttp.ClientWebSocketResponse:
        while True:
            try:
                found: aiohttp.ClientWebSocketResponse = await browser.socket(self.table, 0)
                return found
            except (aiohttp.ClientError, OSError):
                await asyncio.sleep(0.1)

    async def views(self, version: int, patience: float = 30) -> list[dict[str, Any]]:
        """What everybody sees by socket, of this version or a later one."""
        return [await asyncio.wait_for(self.shown(socket, version), patience) for socket in self.sockets]

    async def shown(self, socket: aiohttp.ClientWebSocketResponse, version: int) -> dict[str, Any]:
        while True:
            frame: dict[str, Any] = json.loads((await socket.receive(30)).data)
            if frame.get("v", -1) >= version:
                return frame

    async def now(self) -> list[dict[str, Any]]:
        """What everybody sees by asking."""
        answers = [await browser.get(f"/tables/{self.table}/view") for browser in self.browsers]
        assert [status for status, _body in answers] == [200] * 4
        return [json.loads(body) for _status, body in answers]

    async def move(self, command: str | None = None) -> tuple[int, dict[str, Any], str]:
        """Whoever's turn it is makes the first call or plays the first card that is legal."""
        views = await self.now()
        (acting,) = [view for view in views if view["board"]["may"][:1] in (["call"], ["play"])]
        body = self.body(acting, command)
        mover = self.browsers[views.index(acting)]
        status, said = await mover.do(self.table, body)
        return status, said, body

    def body(self, view: dict[str, Any], command: str | None = None) -> str:
        board = view["board"]
        if board["legal_cards"]:
            act = {"act": "play", "card": board["legal_cards"][0]}
        else:
            act = {"act": "call", "call": "Pass" if board["calls"] else "1NT"}
        return json.dumps({"command": command or str(uuid4()), "expect": view["v"], "do": act})


def seated(place: Place, story: Any) -> None:
    """Have a story told with four at a table."""

    async def tell() -> None:
        async with connections() as http:
            four = Four(place, http)
            await four.sit()
            await story(four)
            for socket in four.sockets:
                await socket.close()

    asyncio.run(tell())


def test_the_server_itself_refuses_frames_that_are_too_long_and_pages_of_others(place: Place) -> None:
    async def story(four: Four) -> None:
        await four.views(1)
        (socket, *_) = four.sockets
        await socket.send_str("x" * 5000)
        async for _message in socket:
            pass
        assert socket.close_code == 1009
        stranger = four.browsers[0]
        stranger.headers["Origin"] = "https://elsewhere.example"
        with pytest.raises(aiohttp.WSServerHandshakeError) as refused:
            await stranger.socket(four.table, 0)
        assert refused.value.status == 403

    seated(place, story)


def test_a_restart_of_the_sockets_says_when_to_come_back_and_loses_nothing(place: Place) -> None:
    async def story(four: Four) -> None:
        (view, *_) = await four.views(1)
        place.end(place.live, signal.SIGTERM)
        byes, codes = [], []
        for socket in four.sockets:
            async for message in socket:
                frame = json.loads(message.data)
                byes += [frame["bye"]] if "bye" in frame else []
            codes.append(socket.close_code)
        status, said, _body = await four.move()
        assert status == 200
        place.live = place.start_live()
        await four.connect()
        views = await four.views(said["v"])
        assert codes == [1012] * 4
        assert len(set(byes)) > 1
        assert all(0 <= bye <= 10 for bye in byes)
        assert all(each["v"] >= said["v"] > view["v"] for each in views)

    seated(place, story)


def test_a_killed_process_of_the_sockets_is_replaced_and_everybody_sees_what_happened(place: Place) -> None:
    async def story(four: Four) -> None:
        await four.views(1)
        place.end(place.live)
        status, said, _body = await four.move()
        assert status == 200
        place.live = place.start_live()
        await four.connect()
        views = await four.views(said["v"])
        assert len({len(each["board"]["calls"]) for each in views}) == 1

    seated(place, story)


def test_pages_killed_in_the_middle_of_commands_neither_lose_nor_double_one(place: Place) -> None:
    """Each command is sent until it is known what became of it, while the pages' server is killed again and again."""

    async def story(four: Four) -> None:
        accepted: list[int] = []

        async def murder() -> None:
            for _ in range(3):
                await asyncio.sleep(0.7)
                place.end(place.web)
                place.web = place.start_web()

        killing = asyncio.create_task(murder())
        while not killing.done() or len(accepted) < 12:
            command = str(uuid4())
            answer = await until_told(four, command)
            if answer is None:
                break
            accepted.append(answer["v"])
        await killing
        place.wait()
        (view, *_) = await four.now()
        versions = place.ask(
            f"SELECT count(*), max(event.version) FROM tables_tableevent event JOIN tables_table ON tables_table.id ="
            f" table_id WHERE uuid = '{four.table}' AND seat <> ''"
        )
        assert versions == [(len(accepted), accepted[-1])]
        assert len(set(accepted)) == len(accepted)
        assert view["v"] >= accepted[-1]

    async def until_told(four: Four, command: str) -> dict[str, Any] | None:
        """The same command, until an answer says what became of it."""
        body = mover = None
        while True:
            try:
                if body is None or mover is None:
                    views = await four.now()
                    acting = [view for view in views if view["board"]["may"][:1] in (["call"], ["play"])]
                    if not acting:
                        return None
                    body, mover = four.body(acting[0], command), four.browsers[views.index(acting[0])]
                status, said = await mover.do(four.table, body)
            except (aiohttp.ClientError, OSError, TimeoutError, AssertionError):
                await asyncio.sleep(0.1)
                continue
            assert status == 200, said
            return said

    seated(place, story)


@pytest.mark.parametrize("fault", ["emptied", "frozen", "killed"])
def test_whatever_happens_to_redis_moves_are_made_and_seen(place: Place, fault: str) -> None:
    async def story(four: Four) -> None:
        await four.views(1)
        began = time.monotonic()
        await four.now()
        at_rest = time.monotonic() - began
        if fault == "emptied":
            flush(place)
        elif fault == "frozen":
            place.valkey.send(signal.SIGSTOP)
        else:
            place.valkey.stop(signal.SIGKILL)
        try:
            seconds = []
            for _ in range(5):
                began = time.monotonic()
                status, said, _body = await four.move()
                assert status == 200
                await four.views(said["v"])
                seconds.append(time.monotonic() - began)
            assert min(seconds) < 2 + 5 * at_rest  # and the others too, on a machine at rest
        finally:
            if fault == "frozen":
                place.valkey.send(signal.SIGCONT)
            elif fault == "killed":
                place.valkey.start()

    seated(place, story)


def flush(place: Place) -> None:
    import redis

    redis.Redis.from_url(place.environment["REDIS_URL"]).flushall()


def test_a_database_that_is_restarted_is_waited_for_and_the_table_goes_on(place: Place) -> None:
    async def story(four: Four) -> None:
        await four.views(1)
        status, said, body = await four.move()
        assert status == 200
        place.postgres.stop(signal.SIGQUIT)  # as a crash
        place.postgres.start()
        while True:  # the connections of before have to be noticed
            status, again, _ = await same(four, body)
            if status < 500:
                break
            await asyncio.sleep(0.2)
        assert (status, again.get("why")) in ((409, "stale"), (200, None))
        assert again["v"] == said["v"] or (status == 409 and again["v"] > said["v"])  # the site was away
        status, said, _body = await four.move()
        assert status == 200
        views = await four.views(said["v"], patience=60)
        assert all(each["v"] >= said["v"] for each in views)

    async def same(four: Four, body: str) -> tuple[int, dict[str, Any], str]:
        """The command of before, by whoever it was."""
        told: tuple[int, dict[str, Any], str] = (599, {}, body)
        for browser in four.browsers:
            try:
                status, said = await browser.do(four.table, body)
            except (aiohttp.ClientError, OSError, TimeoutError):
                continue
            told = (status, said, body)
            if said.get("dup"):
                break
        return told

    seated(place, story)


def test_a_deploy_in_the_middle_of_a_trick_is_a_pause_and_nothing_else(place: Place) -> None:
    """All processes end and start again, the database is migrated in between, and players press on meanwhile."""

    async def story(four: Four) -> None:
        await four.views(1)
        while len((await four.now())[0]["board"]["calls"]) < 4 or not await two_cards(four):
            status, _said, _body = await four.move()
            assert status == 200
        before = await four.now()
        acting = next(view for view in before if view["board"]["legal_cards"])
        body, mover = four.body(acting, None), four.browsers[before.index(acting)]

        restarting = asyncio.create_task(asyncio.to_thread(restart, place))
        told: list[int] = []
        while not (restarting.done() and told):
            told += await pressed(mover, four.table, body)
            await asyncio.sleep(0.2)
        await restarting
        await four.connect()
        views = await four.views(told[0], patience=60)

        assert len(set(told)) == 1
        assert all(each["v"] >= told[0] for each in views)  # the log may say besides that the site was away
        for then, seen in zip(before, views, strict=True):
            played = then["board"]["trick"]["cards"] + [json.loads(body)["do"]["card"]]
            assert seen["board"]["trick"]["cards"] == played
            assert seen["board"]["calls"] == then["board"]["calls"]
            assert seen["me"] == then["me"]
        ((events, commands),) = place.ask(
            "SELECT count(*), count(DISTINCT command) FROM tables_tableevent event JOIN tables_table ON"
            f" tables_table.id = table_id WHERE uuid = '{four.table}' AND seat <> ''"
        )
        assert events == commands == len(before[0]["board"]["calls"]) + 3

    async def two_cards(four: Four) -> bool:
        trick = (await four.now())[0]["board"]["trick"]
        return trick is not None and len(trick["cards"]) == 2

    async def pressed(mover: Browser, table: str, body: str) -> list[int]:
        """The version that the command has made; nothing when no answer came."""
        try:
            status, said = await mover.do(table, body)
        except (aiohttp.ClientError, OSError, TimeoutError):
            return []
        assert status == 200 or status >= 500, said
        return [said["v"]] if status == 200 else []

    def restart(place: Place) -> None:
        for process in (place.web, place.live, place.work, *place.clocks):
            place.end(process, signal.SIGTERM)
        place.manage("migrate", "-v0")
        place.web, place.live, place.work = place.start_web(), place.start_live(), place.worker()
        place.clocks = [place.clock(), place.clock()]
        place.wait()

    seated(place, story)
