"""What is no proper request costs the gateway little: bounded headers, half-sent requests, garbage."""

import asyncio
import json
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager, suppress

import pytest

from services.gateway.connection import BoundedProtocol
from services.gateway.server import listen, start_server
from tests.support.gateway_app import make_app
from tests.support.gateway_fakes import FakeBackend

HEAD = b"GET /healthz HTTP/1.1\r\nHost: localhost\r\n"


@asynccontextmanager
async def connected() -> AsyncIterator[tuple[asyncio.StreamReader, asyncio.StreamWriter]]:
    backend = FakeBackend()
    app = make_app(backend)
    running = await start_server(app, listen(0))
    reader, writer = await asyncio.open_connection("127.0.0.1", running.port)
    try:
        yield reader, writer
    finally:
        writer.close()
        await running.stop()


async def response_of(reader: asyncio.StreamReader) -> tuple[int, str]:
    """Return the status, the headers and the problem of all that the gateway sends."""
    async with asyncio.timeout(30):
        received = await reader.read()
    head, _, body = received.partition(b"\r\n\r\n")
    status, *lines = head.decode().split("\r\n")
    headers = dict(line.lower().split(": ", 1) for line in lines)
    problem = json.loads(body)
    assert problem["request_id"] == headers["x-request-id"]
    assert headers["x-content-type-options"] == "nosniff"
    return int(status.split()[1]), problem["code"]


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "request_bytes",
    [
        HEAD + b"X-Long: " + b"a" * 100_000 + b"\r\n\r\n",
        HEAD + b"X-Long: " + b"a" * 100_000,  # without an end
        HEAD + b"X: y\r\n" * 1000 + b"\r\n",
        b"GET /healthz?" + b"a" * 100_000,
        HEAD + b"A: b\r\n" * 101 + b"\r\n",
    ],
)
async def test_headers_are_bounded(request_bytes: bytes) -> None:
    async with connected() as (reader, writer):
        writer.write(request_bytes)
        assert await response_of(reader) == (413, "too_large")


CHUNKED = (
    b"POST /v1/books/b/answers HTTP/1.1\r\nHost: localhost\r\nContent-Type: application/json\r\n"
    b"Transfer-Encoding: chunked\r\n\r\n2\r\n{}\r\n"
)


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "behind",
    [
        b"0\r\nX-Long: " + b"a" * 100_000,
        b"0\r\n" + b"X: y\r\n" * 20_000,
        b"2;" + b"a" * 100_000,
    ],
    ids=["a line without an end", "many lines", "an extension"],
)
async def test_trailers_and_extensions_of_parts_are_bounded(
    behind: bytes,
) -> None:
    async with connected() as (reader, writer):
        writer.write(CHUNKED)
        await asyncio.sleep(0.2)  # so that it is read before
        writer.write(behind)
        assert await response_of(reader) == (413, "too_large")


async def test_a_body_in_very_small_parts_is_read() -> None:
    async with connected() as (reader, writer):
        body = b'{"question": "' + b"a" * 20_000 + b'"}'
        writer.write(CHUNKED.replace(b"2\r\n{}\r\n", b""))
        for at in range(0, len(body), 1000):
            writer.write(b"".join(b"1\r\n%c\r\n" % letter for letter in body[at : at + 1000]))
            await writer.drain()
        writer.write(b"0\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"404"


async def test_a_header_behind_a_body_passes_for_none_above_it() -> None:
    async with connected() as (reader, writer):
        writer.write(CHUNKED + b"0\r\nX-Request-Id: mine-from-behind\r\n\r\n")
        assert (await reader.readline()).split()[1] == b"422"
        head = await reader.readuntil(b"\r\n\r\n")
        assert b"mine-from-behind" not in head


@pytest.mark.control("V9")
@pytest.mark.parametrize(
    "garbage", [b"\x16\x03\x01\x02\x00", b"GET\r\n\r\n", b"NO / HTTP/9.9\r\n\r\n"]
)
async def test_a_malformed_http_request_is_answered_with_a_request_id(garbage: bytes) -> None:
    async with connected() as (reader, writer):
        writer.write(garbage + b"\r\n\r\n")
        assert await response_of(reader) == (400, "malformed")


@pytest.mark.control("V9")
@pytest.mark.parametrize("half", [b"GET /hea", HEAD, HEAD + b"X-Half: a"])
async def test_a_half_sent_request_times_out(half: bytes, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_timeout_s", 0.3)
    async with connected() as (reader, writer):
        writer.write(half)
        assert await response_of(reader) == (408, "too_slow")


async def test_a_connection_that_says_nothing_is_closed(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_timeout_s", 0.3)
    async with connected() as (reader, _), asyncio.timeout(30):
        assert await reader.read() == b""


async def test_a_connection_is_used_again_after_its_first_request(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setattr(BoundedProtocol, "header_timeout_s", 0.5)
    async with connected() as (reader, writer):
        for _ in range(2):
            writer.write(HEAD + b"\r\n")
            assert (await reader.readline()).split()[1] == b"200"
            while await reader.readline() != b"\r\n":
                pass
            await asyncio.sleep(0.1)
            vars(reader)["_buffer"].clear()
        writer.write(HEAD)
        assert await response_of(reader) == (408, "too_slow")


async def test_a_connection_that_rests_is_left_for_the_client_to_close() -> None:
    async with connected() as (reader, writer), asyncio.timeout(30):
        for _ in range(2):
            writer.write(HEAD + b"\r\n")
            assert (await reader.readline()).split()[1] == b"200"
            while await reader.readline() != b"\r\n":
                pass
            with suppress(TimeoutError):  # longer than the client's own limit, often 5 s
                async with asyncio.timeout(6):
                    while await reader.read(100):
                        pass
