"""Connections to the process of the sockets on which nothing is asked: it ends them by itself."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import pytest
import uvicorn
from uvicorn.protocols.http.h11_impl import H11Protocol
from uvicorn.server import ServerState

from devstack import live
from devstack.live import Protocol

SOON = 0.5  # seconds
WHOLE = b"GET /slow HTTP/1.1\r\nHost: here\r\n\r\n"
UNENDING = [
    [],
    [b"GET /slow HTTP/1.1\r\nHost: here\r\n"],
    [b"G", b"E", b"T", b" ", b"/", b" ", b"H", b"T", b"T", b"P"],
    [b"GET / HTTP/1.1\r\nHost: here\r\nContent-Length: 9\r\n\r\n", b"1", b"2", b"3"],
    [b"GET / HTTP/1.1\r\nHost: here\r\n\r\n", b"GET / HTTP/1.1\r\n", b"Host"],
]


async def application(scope: dict[str, Any], _receive: Callable[..., Any], send: Callable[..., Any]) -> None:
    if scope["path"] == "/slow":  # as a long poll, which waits longer than anybody may take to ask
        await asyncio.sleep(3 * SOON)
    await send({"type": "http.response.start", "status": 204, "headers": []})
    await send({"type": "http.response.body", "body": b""})


Connection = tuple[asyncio.StreamReader, asyncio.StreamWriter]


@asynccontextmanager
async def served(protocol: type[H11Protocol]) -> AsyncIterator[Callable[[], Any]]:
    """A way to connect to a server of this protocol."""
    config, state = uvicorn.Config(application, http=protocol, lifespan="off", log_config=None), ServerState()
    config.load()
    loop = asyncio.get_running_loop()
    server = await loop.create_server(lambda: protocol(config, state, {}), "127.0.0.1", 0)
    port = server.sockets[0].getsockname()[1]
    try:
        yield lambda: asyncio.open_connection("127.0.0.1", port)
    finally:
        server.close()


async def trickle(connection: Connection, pieces: list[bytes]) -> bytes:
    """Send pieces, each after a while; what was answered until the other end closed."""
    reader, writer = connection
    answer = asyncio.create_task(reader.read())
    for piece in pieces:
        if answer.done():
            break
        writer.write(piece)
        await asyncio.wait([answer], timeout=0.3 * SOON)
    try:
        return await asyncio.wait_for(answer, 3 * SOON)
    except ConnectionResetError:  # what was still being sent came after the end
        return b""
    finally:
        writer.close()


@pytest.fixture(autouse=True)
def _soon(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(live, "PATIENCE", SOON)


@pytest.mark.parametrize("pieces", UNENDING, ids=["nothing", "a head", "letters", "a body", "a second one"])
def test_a_request_that_never_comes_to_its_end_ends_the_connection(pieces: list[bytes]) -> None:
    async def fifty() -> list[bytes]:
        async with served(Protocol) as connect:
            return await asyncio.gather(*[trickle(await connect(), pieces) for _ in range(50)])

    assert len(asyncio.run(fifty())) == 50  # none of them had to be given up


def test_an_answer_may_take_longer_than_a_question() -> None:
    async def asked() -> bytes:
        async with served(Protocol) as connect:
            reader, writer = await connect()
            writer.write(WHOLE)
            line = await asyncio.wait_for(reader.readline(), 6 * SOON)
            writer.close()
            return bytes(line)

    assert asyncio.run(asked()).startswith(b"HTTP/1.1 204")


def test_left_alone_uvicorn_waits_for_ever() -> None:
    async def waited() -> None:
        async with served(H11Protocol) as connect:
            await trickle(await connect(), [])

    with pytest.raises(TimeoutError):
        asyncio.run(waited())
