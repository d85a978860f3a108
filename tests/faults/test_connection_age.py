"""A replica that joins later gets traffic: connections are let go after a while."""

import asyncio
import sys
import time
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from types import ModuleType
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest

from libs.rpc import channel as rpc_channel
from libs.rpc import server as rpc_server
from libs.rpc.channel import open_channel
from libs.rpc.retrying_reads import RetryingReads
from libs.rpc.server import start_server
from tests.support.names import names

REQUEST = HealthCheckRequest()
AGE = "grpc.max_connection_age_ms"
GRACE = "grpc.max_connection_age_grace_ms"
PAUSE = "grpc.dns_min_time_between_resolutions_ms"


@asynccontextmanager
async def replica(name: bytes, address: str = "127.0.0.1:0") -> AsyncIterator[Any]:
    async def answer(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return name

    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(answer)}
    )
    running = await start_server(
        address, lambda server: server.add_generic_rpc_handlers((handler,))
    )
    try:
        yield running.port
    finally:
        await running.stop(0)


@asynccontextmanager
async def balancer(ports: list[int]) -> AsyncIterator[Any]:
    """Pass each new connection on to the port that was added last, as one with least traffic."""
    copying: set[asyncio.Task[None]] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
                await writer.drain()
        except ConnectionError:
            pass
        finally:
            writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        far_reader, far_writer = await asyncio.open_connection("127.0.0.1", ports[-1])
        copying.add(asyncio.create_task(copy(reader, far_writer)))
        copying.add(asyncio.create_task(copy(far_reader, writer)))

    listening = await asyncio.start_server(connect, "127.0.0.1", 0)
    try:
        yield listening.sockets[0].getsockname()[1]
    finally:
        listening.close()
        for task in copying:
            task.cancel()
        await asyncio.gather(*copying, return_exceptions=True)


def test_a_client_looks_for_new_replicas_often_enough_to_use_one_within_30_s() -> None:
    options: dict[str, Any] = dict(rpc_server._OPTIONS)
    pause_ms: Any = dict(rpc_channel._OPTIONS)[PAUSE]
    # gRPC lets each connection live up to a tenth longer.
    oldest_ms = 1.1 * options[AGE]
    assert 0 < oldest_ms + pause_ms < 25_000


def shorten(monkeypatch: pytest.MonkeyPatch, module: ModuleType, option: str) -> None:
    shorter = tuple((key, 300 if key == option else value) for key, value in module._OPTIONS)
    assert shorter != module._OPTIONS
    monkeypatch.setattr(module, "_OPTIONS", shorter)


async def test_a_replica_that_joins_gets_calls_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shorten(monkeypatch, rpc_server, AGE)
    async with replica(b"old") as old, replica(b"new") as new:
        ports = [old]
        async with balancer(ports) as port, open_channel(f"127.0.0.1:{port}") as channel:
            method: Any = channel.unary_unary(
                "/test.Service/Call", request_serializer=HealthCheckRequest.SerializeToString
            )
            reads = RetryingReads("test")
            assert await reads.call(method, REQUEST, 5.0) == b"old"
            ports.append(new)
            async with asyncio.timeout(60):
                while await reads.call(method, REQUEST, 5.0) != b"new":
                    pass


@pytest.mark.skipif(sys.platform != "linux", reason="this machine has one loopback address")
async def test_a_replica_whose_address_a_name_has_later_gets_calls_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shorten(monkeypatch, rpc_server, AGE)
    shorten(monkeypatch, rpc_channel, PAUSE)
    async with replica(b"old", "127.0.1.1:0") as port, replica(b"new", f"127.0.1.2:{port}"):
        with names("127.0.1.1") as known:
            async with open_channel(known.target(port)) as channel:
                method: Any = channel.unary_unary(
                    "/test.Service/Call", request_serializer=HealthCheckRequest.SerializeToString
                )
                reads = RetryingReads("test")
                assert await reads.call(method, REQUEST, 5.0) == b"old"
                known.addresses.append("127.0.1.2")
                async with asyncio.timeout(25):
                    while await reads.call(method, REQUEST, 5.0) != b"new":
                        pass


async def test_a_call_ends_by_its_own_deadline_however_old_its_connection_is(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    # An upload may last as long as QUOTH_UPLOAD_TIMEOUT_S: here all times are a tenth.
    times = tuple((key, v // 10 if key in (AGE, GRACE) else v) for key, v in rpc_server._OPTIONS)
    monkeypatch.setattr(rpc_server, "_OPTIONS", times)

    async def parts() -> AsyncIterator[bytes]:
        for _ in range(12):
            await asyncio.sleep(0.2)
            yield b"."

    async def take(requests: Any, _: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return b"".join([part async for part in requests])

    begun = asyncio.Event()

    async def last(_: bytes, __: grpc.aio.ServicerContext[Any, Any]) -> None:
        begun.set()
        await asyncio.Event().wait()

    handler = grpc.method_handlers_generic_handler(
        "test.Service",
        {
            "Upload": grpc.stream_unary_rpc_method_handler(take),
            "Last": grpc.unary_unary_rpc_method_handler(last),
        },
    )
    running = await start_server("127.0.0.1:0", lambda s: s.add_generic_rpc_handlers((handler,)))
    async with open_channel(f"127.0.0.1:{running.port}") as channel:
        upload: Any = channel.stream_unary("/test.Service/Upload")
        assert await upload(parts(), timeout=20.0) == 12 * b"."
    # A call may meet its connection's last moment, which gRPC refuses before the service has it.
    lasted_s = 0.0
    while not begun.is_set():
        async with open_channel(f"127.0.0.1:{running.port}") as channel:
            hang: Any = channel.unary_unary("/test.Service/Last")
            began_s = time.monotonic()
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await hang(b"", timeout=2.4)
            lasted_s = time.monotonic() - began_s
    await running.stop(0)
    # The service knows the deadline too, and closes the old connection once it has no call.
    assert caught.value.code() in {grpc.StatusCode.DEADLINE_EXCEEDED, grpc.StatusCode.UNAVAILABLE}
    assert lasted_s > 1.2 * dict(times)[AGE] / 1000, "gRPC makes the age a tenth longer at most"
