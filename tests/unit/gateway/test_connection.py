"""One connection of HTTP: how its responses leave, and what becomes of work whose client is gone."""

import asyncio

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.types import Message

from services.gateway.connection import GONE, JoinedWrites
from services.gateway.routes.streams import while_connected

LONG = b"x" * 100_000


class Wire(asyncio.Transport):
    """A transport that notes what is written in one stroke."""

    def __init__(self) -> None:
        super().__init__()
        self.written: list[bytes] = []

    def write(self, data: bytes | bytearray | memoryview) -> None:
        self.written.append(bytes(data))

    def close(self) -> None:
        self.written.append(b"closed")


@pytest.fixture
def wire() -> Wire:
    return Wire()


async def test_a_head_and_its_body_leave_in_one_stroke(wire: Wire) -> None:
    joined = JoinedWrites(wire, asyncio.get_running_loop())
    for _ in range(2):
        joined.write(b"HTTP/1.1 200 OK\r\n\r\n")
        joined.write(b"body")
        joined.write(b"more")
    await asyncio.sleep(0)
    assert wire.written == [b"HTTP/1.1 200 OK\r\n\r\nbody", b"more"] * 2


async def test_a_head_without_a_body_leaves_at_the_next_turn(wire: Wire) -> None:
    joined = JoinedWrites(wire, asyncio.get_running_loop())
    joined.write(b"HTTP/1.1 204 No Content\r\n\r\n")
    assert not wire.written
    await asyncio.sleep(0)
    assert wire.written == [b"HTTP/1.1 204 No Content\r\n\r\n"]


async def test_nothing_is_held_back_where_the_connection_is_closed(wire: Wire) -> None:
    joined = JoinedWrites(wire, asyncio.get_running_loop())
    joined.write(b"HTTP/1.1 413 Content Too Large\r\n\r\n")
    joined.close()
    await asyncio.sleep(0)
    assert wire.written == [b"HTTP/1.1 413 Content Too Large\r\n\r\n", b"closed"]


async def test_a_long_body_is_not_copied(wire: Wire) -> None:
    joined = JoinedWrites(wire, asyncio.get_running_loop())
    joined.write(b"HTTP/1.1 200 OK\r\n\r\n")
    joined.write(LONG)
    assert wire.written == [b"HTTP/1.1 200 OK\r\n\r\n", LONG]


@pytest.mark.parametrize("says", [True, False], ids=["the server says it", "it is watched"])
async def test_work_ends_the_moment_its_client_goes_away(says: bool) -> None:
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def receive() -> Message:
        await asyncio.shield(gone)
        return {"type": "http.disconnect"}

    scope = {"type": "http", **({GONE: gone} if says else {})}
    work = asyncio.get_running_loop().create_future()
    asking = asyncio.create_task(while_connected(Request(scope, receive), work))
    await asyncio.sleep(0)
    gone.set_result(None)
    with pytest.raises(ClientDisconnect):
        await asking
    assert work.cancelled()


async def test_a_connection_that_ends_after_the_work_disturbs_nobody() -> None:
    gone: asyncio.Future[None] = asyncio.get_running_loop().create_future()

    async def receive() -> Message:
        raise AssertionError("nobody needs to look")

    request = Request({"type": "http", GONE: gone}, receive)
    assert await while_connected(request, asyncio.sleep(0, "done")) == "done"
    gone.set_result(None)
    await asyncio.sleep(0)
    own = asyncio.current_task()
    assert own is not None
    assert not own.cancelling()
