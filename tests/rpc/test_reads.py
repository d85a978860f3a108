"""Reads over a real socket: tried again when the connection broke, and only then."""

import asyncio
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1.health_pb2 import HealthCheckRequest

from libs.errors import DeadlineExceeded, Unavailable
from libs.rpc.channel import open_channel
from libs.rpc.retrying_reads import LEAST_S, RetryingReads
from libs.rpc.server import RunningServer, start_server

REQUEST = HealthCheckRequest(service="anything")


class Service:
    """Breaks off the first `broken` calls as a lost connection does; `ours` as our own services do."""

    def __init__(
        self,
        broken: int = 0,
        *,
        ours: bool = False,
        code: grpc.StatusCode = grpc.StatusCode.UNAVAILABLE,
    ) -> None:
        self.broken, self.ours, self.code, self.calls = broken, ours, code, 0
        self.method: Callable[..., Any] = self.call

    async def hang(self, request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        self.calls += 1
        await asyncio.Event().wait()

    async def call(self, request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        self.calls += 1
        if self.calls > self.broken:
            return b"done"
        if self.ours:
            raise Unavailable("The vector store does not answer.")
        return await context.abort(self.code, "connection reset")


@asynccontextmanager
async def serving(service: Service) -> AsyncIterator[Any]:
    running = await start(service)
    async with open_channel(f"127.0.0.1:{running.port}") as channel:
        yield method_of(channel)
    await running.stop(0)


async def start(service: Service) -> RunningServer:
    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(service.method)}
    )
    return await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,))
    )


def method_of(channel: grpc.aio.Channel) -> grpc.aio.UnaryUnaryMultiCallable[Any, Any]:
    return channel.unary_unary(
        "/test.Service/Call", request_serializer=HealthCheckRequest.SerializeToString
    )


async def test_a_broken_connection_is_tried_once_more() -> None:
    service = Service(broken=1)
    async with serving(service) as method:
        assert await RetryingReads("test").call(method, REQUEST, 5.0) == b"done"
    assert service.calls == 2


async def test_a_call_that_a_stopping_server_cancelled_is_tried_once_more() -> None:
    service = Service(broken=1, code=grpc.StatusCode.CANCELLED)
    async with serving(service) as method:
        assert await RetryingReads("test").call(method, REQUEST, 5.0) == b"done"
    assert service.calls == 2


async def test_calls_waiting_at_a_server_that_stops_go_to_another_one() -> None:
    stopping, other = await start(Service()), await start(Service())
    target = f"ipv4:127.0.0.1:{stopping.port},127.0.0.1:{other.port}"
    async with open_channel(target) as channel:
        reads, method = RetryingReads("test"), method_of(channel)
        for _ in range(8):  # until it is connected to both
            await reads.call(method, REQUEST, 5.0)
        calls = [asyncio.create_task(reads.call(method, REQUEST, 5.0)) for _ in range(16)]
        for _ in range(3):  # they are on their way, ...
            await asyncio.sleep(0)
        time.sleep(0.2)  # noqa: ASYNC251 - ... and arrive while nobody looks, as on a slow machine
        await stopping.server.stop(5.0)
        assert await asyncio.gather(*calls) == [b"done"] * 16
    await other.stop(0)


@pytest.mark.parametrize("code", [grpc.StatusCode.UNAVAILABLE, grpc.StatusCode.CANCELLED])
async def test_a_call_is_tried_again_only_once(code: grpc.StatusCode) -> None:
    service = Service(broken=2, code=code)
    async with serving(service) as method:
        with pytest.raises(Unavailable, match="test service"):
            await RetryingReads("test").call(method, REQUEST, 5.0)
    assert service.calls == 2


async def test_an_error_that_the_service_itself_raised_is_not_tried_again() -> None:
    service = Service(broken=1, ours=True)
    async with serving(service) as method:
        with pytest.raises(Unavailable, match="vector store"):
            await RetryingReads("test").call(method, REQUEST, 5.0)
    assert service.calls == 1


async def test_nothing_is_tried_again_when_no_time_is_left() -> None:
    service, times = Service(broken=1), iter([0.0, 5.0 - LEAST_S / 2])
    async with serving(service) as method:
        with pytest.raises(Unavailable):
            await RetryingReads("test", lambda: next(times)).call(method, REQUEST, 5.0)
    assert service.calls == 1


async def test_retries_are_limited_when_every_call_fails() -> None:
    service, reads = Service(broken=1000), RetryingReads("test")
    async with serving(service) as method:
        for _ in range(40):
            with pytest.raises(Unavailable):
                await reads.call(method, REQUEST, 5.0)
    assert service.calls == 40 + 10


async def test_a_deadline_is_not_tried_again() -> None:
    service = Service()
    service.method = service.hang
    async with serving(service) as method:
        with pytest.raises(DeadlineExceeded):
            await RetryingReads("test").call(method, REQUEST, 0.2)
    assert service.calls == 1
