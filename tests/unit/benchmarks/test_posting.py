"""The load generator's HTTP, against a server that does what it is told."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import pytest

from tests.benchmarks.posting import Poster

OK = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\n{}"


class Server:
    """Answers each request with the next of `replies`; None closes the connection instead."""

    def __init__(self, *replies: bytes | None) -> None:
        self.replies = list(replies)
        self.connections = 0
        self.bodies: list[bytes] = []

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self.connections += 1
        try:
            while head := await reader.readuntil(b"\r\n\r\n"):
                length = int(head.lower().partition(b"content-length:")[2].split()[0])
                self.bodies.append(await reader.readexactly(length))
                reply = self.replies.pop(0)
                if reply is None:
                    break
                writer.write(reply)
        except asyncio.IncompleteReadError:
            pass
        finally:
            writer.close()


@asynccontextmanager
async def posting(server: Server) -> AsyncIterator[Any]:
    listener = await asyncio.start_server(server.serve, "127.0.0.1", 0)
    poster = Poster(f"http://127.0.0.1:{listener.sockets[0].getsockname()[1]}")
    async with listener:
        yield poster
        poster.close()


async def test_one_connection_serves_one_request_after_the_other() -> None:
    server = Server(OK, b"HTTP/1.1 429 Busy\r\nContent-Length: 0\r\n\r\n", OK)
    async with posting(server) as poster:
        statuses = [await poster.post("/a", b"%d" % n, timeout_s=5) for n in range(3)]
    assert statuses == [200, 429, 200]
    assert (server.connections, server.bodies) == (1, [b"0", b"1", b"2"])


async def test_a_response_in_pieces_is_one_response() -> None:
    server = Server(
        b"HTTP/1.1 200 OK\r\nTransfer-Encoding: chunked\r\n\r\n1\r\n{\r\n1\r\n}\r\n0\r\n\r\n"
    )
    async with posting(server) as poster:
        assert await poster.post("/a", b"", timeout_s=5) == 200


async def test_requests_at_the_same_time_have_connections_of_their_own() -> None:
    server = Server(*[OK] * 5)
    async with posting(server) as poster:
        statuses = await asyncio.gather(*(poster.post("/a", b"", timeout_s=5) for _ in range(5)))
    assert statuses == [200] * 5
    assert server.connections == 5


@pytest.mark.parametrize("reply", [None, b"nonsense\r\n\r\n"])
async def test_a_broken_reply_is_an_error_and_the_next_request_a_new_connection(
    reply: bytes | None,
) -> None:
    server = Server(reply, OK)
    async with posting(server) as poster:
        with pytest.raises(ConnectionError):
            await poster.post("/a", b"", timeout_s=5)
        assert await poster.post("/a", b"", timeout_s=5) == 200


async def test_a_server_that_says_nothing_is_a_timeout() -> None:
    server = Server(b"", OK)
    async with posting(server) as poster:
        with pytest.raises(TimeoutError):
            await poster.post("/a", b"", timeout_s=0.01)
