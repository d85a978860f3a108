"""A peer that is far away or busy takes a moment to greet; calls wait for it instead of failing."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc

from libs.rpc.channel import CONNECT_MS, open_channel
from libs.rpc.server import start_server
from libs.vectors.client import CHANNEL_OPTIONS

_GREETS_AFTER_S = 0.4 * CONNECT_MS / 1000


@asynccontextmanager
async def far_away(port: int) -> AsyncIterator[int]:
    """Yield a port whose connections lead to `port`, which hears of each only after a moment."""
    copying: set[asyncio.Task[None]] = set()

    async def copy(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        try:
            while data := await reader.read(65536):
                writer.write(data)
        finally:
            writer.close()

    async def connect(reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        await asyncio.sleep(_GREETS_AFTER_S)
        there, back = await asyncio.open_connection("127.0.0.1", port)
        copying.update(map(asyncio.create_task, (copy(reader, back), copy(there, writer))))

    async with await asyncio.start_server(connect, "127.0.0.1", 0) as listening:
        yield listening.sockets[0].getsockname()[1]
        for task in copying:
            task.cancel()
        await asyncio.gather(*copying, return_exceptions=True)


def to_store(address: str) -> grpc.aio.Channel:
    return grpc.aio.insecure_channel(address, [*CHANNEL_OPTIONS.items()])


@pytest.mark.fault("D2")
@pytest.mark.parametrize("opened", [open_channel, to_store], ids=["service", "store"])
async def test_a_peer_that_greets_late_is_waited_for(
    opened: Callable[[str], grpc.aio.Channel],
) -> None:
    running = await start_server("127.0.0.1:0", lambda server: None)
    async with far_away(running.port) as port, opened(f"127.0.0.1:{port}") as channel:
        stub: Any = health_pb2_grpc.HealthStub(channel)
        answer = await stub.Check(health_pb2.HealthCheckRequest(), timeout=30)
        assert answer.status == health_pb2.HealthCheckResponse.SERVING
    await running.stop(0)
