"""A replica that joins later gets traffic: connections are let go after a while."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest

from libs.rpc import server as rpc_server
from libs.rpc.channel import open_channel
from libs.rpc.retrying_reads import RetryingReads
from libs.rpc.server import start_server

REQUEST = HealthCheckRequest()
AGE = "grpc.max_connection_age_ms"


@asynccontextmanager
async def replica(name: bytes) -> AsyncIterator[Any]:
    async def answer(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return name

    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(answer)}
    )
    running = await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,))
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


def test_connections_have_an_age_limit_and_time_to_finish() -> None:
    options = dict(rpc_server._OPTIONS)
    assert 0 < options[AGE] <= 600_000
    assert options["grpc.max_connection_age_grace_ms"] > 5_000


async def test_a_replica_that_joins_gets_calls_and_none_is_lost(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    shorter = tuple((key, 300 if key == AGE else value) for key, value in rpc_server._OPTIONS)
    monkeypatch.setattr(rpc_server, "_OPTIONS", shorter)
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
