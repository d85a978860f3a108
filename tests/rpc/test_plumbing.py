"""A server of ours over a real socket: errors, deadlines, ids and trace context."""

import asyncio
import contextlib
import gc
import logging
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from typing import Any

import grpc
import pytest
from grpc_health.v1 import health_pb2, health_pb2_grpc
from opentelemetry import trace
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from libs.budget import current_budget
from libs.budget.stages import RETRIEVAL, SEARCH, Stage
from libs.errors import NotFound, QuothError, Unavailable
from libs.rpc.channel import MAX_MESSAGE_BYTES, open_channel
from libs.rpc.context import begin_request, call_metadata, current_request_id
from libs.rpc.readiness import LIVENESS, Readiness
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from libs.settings import SettingsError
from libs.telemetry.logs import calm
from tests.support.ports import free_ports
from tests.support.telemetry import Recorded


@asynccontextmanager
async def serving(
    behaviour: Callable[..., Any], stages: tuple[Stage, ...] = RETRIEVAL
) -> AsyncIterator[Any]:
    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(behaviour)}
    )
    running = await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,)), stages
    )
    channel = open_channel(f"127.0.0.1:{running.port}")
    try:
        yield channel.unary_unary("/test.Service/Call")
    finally:
        await channel.close()
        await running.stop(0)


async def failure(
    call: grpc.aio.UnaryUnaryMultiCallable[Any, Any], timeout: float = 5.0
) -> QuothError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"", timeout=timeout)
    return error_from_rpc(caught.value, "test")


async def test_a_channel_waits_for_no_back_off_of_another() -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return b"here"

    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(behaviour)}
    )
    port = free_ports(1)
    early = open_channel(f"127.0.0.1:{port}")
    await failure(early.unary_unary("/test.Service/Call"))
    server = await start_server(
        f"127.0.0.1:{port}", lambda server: server.add_generic_rpc_handlers((handler,)), RETRIEVAL
    )
    late = open_channel(f"127.0.0.1:{port}")
    try:
        call: grpc.aio.UnaryUnaryMultiCallable[Any, Any] = late.unary_unary("/test.Service/Call")
        assert await call(b"", timeout=5) == b"here"
    finally:
        await early.close()
        await late.close()
        await server.stop(0)


async def test_an_error_of_ours_arrives_as_itself() -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        raise NotFound("no such book")

    async with serving(behaviour) as call:
        error = await failure(call)
    assert isinstance(error, NotFound)
    assert error.message == "no such book"


@pytest.mark.control("V9")
@pytest.mark.invariant("I7")
async def test_a_message_that_cannot_be_read_is_the_callers_mistake_and_names_no_class() -> None:
    async def unary(request: Any, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return b""

    async def streamed(
        requests: AsyncIterator[Any], context: grpc.aio.ServicerContext[Any, Any]
    ) -> bytes:
        return b"".join([b"" async for _ in requests])

    read = health_pb2.HealthCheckRequest.FromString
    methods: dict[str, Any] = {
        "One": grpc.unary_unary_rpc_method_handler(unary, read),
        "Many": grpc.stream_unary_rpc_method_handler(streamed, read),
    }
    handler = grpc.method_handlers_generic_handler("test.Service", methods)
    running = await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,))
    )
    channel = open_channel(f"127.0.0.1:{running.port}")
    one: Any = channel.unary_unary("/test.Service/One")
    many: Any = channel.stream_unary("/test.Service/Many")
    try:
        for call in (one(b"\xff"), many(iter([b"", b"\xff"]))):
            with pytest.raises(grpc.aio.AioRpcError) as caught:
                await call
            assert caught.value.code() is grpc.StatusCode.INVALID_ARGUMENT
            assert caught.value.details() == "The request is not a message of this method."
    finally:
        await channel.close()
        await running.stop(0)


@pytest.mark.invariant("I7")
async def test_a_bug_tells_the_caller_nothing() -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        raise ValueError("secret detail")

    async with serving(behaviour) as call:
        error = await failure(call)
    assert type(error) is QuothError
    assert "secret" not in error.message


async def test_the_budget_is_what_the_caller_has_left() -> None:
    seen = []

    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        seen.append(current_budget().left_s())
        return b""

    async with serving(behaviour) as call:
        await call(b"", timeout=2.0)
        await call(b"")
    assert 1.0 < seen[0] < 2.0
    assert 4.0 < seen[1] <= 5.0


async def test_a_stage_that_hangs_ends_with_its_name() -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with current_budget().stage(SEARCH):
            await asyncio.Event().wait()

    async with serving(behaviour) as call:
        error = await failure(call, timeout=5)
    assert isinstance(error, Unavailable)
    assert error.message.startswith("The vector store does not answer")


async def test_request_id_and_trace_travel_with_the_call(exporter: InMemorySpanExporter) -> None:
    seen = []

    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        seen.append(current_request_id())
        async with current_budget().stage(SEARCH):
            return b""

    async with serving(behaviour) as call:
        begin_request("the-request")
        with trace.get_tracer("test").start_as_current_span("caller"):
            await call(b"", timeout=5, metadata=call_metadata())
    spans = {span.name: span for span in exporter.get_finished_spans()}
    stage, server, caller = (
        spans[name] for name in ("retrieval.search", "test.Service/Call", "caller")
    )
    assert seen == ["the-request"]
    assert server.parent
    assert caller.context
    assert server.parent.span_id == caller.context.span_id
    assert stage.parent
    assert server.context
    assert stage.parent.span_id == server.context.span_id
    assert stage.attributes
    assert stage.attributes["quoth.budget.outcome"] == "ok"
    assert stage.attributes["quoth.budget.allowed_ms"] == pytest.approx(2000)


async def test_the_callers_trace_passes_through_where_nothing_is_traced() -> None:
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    sent = []

    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        async with current_budget().stage(SEARCH):
            sent.append(dict(call_metadata()).get("traceparent"))
        return b""

    async with serving(behaviour) as call:
        await call(b"", timeout=5, metadata=(("traceparent", parent),))
        await call(b"", timeout=5)
    assert sent == [parent, None]


async def test_the_span_of_a_stage_that_failed_says_so(exporter: InMemorySpanExporter) -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with current_budget().stage(SEARCH):
            raise NotFound("no such book")

    async with serving(behaviour) as call:
        await failure(call)
    (stage,) = (span for span in exporter.get_finished_spans() if span.name == "retrieval.search")
    assert not stage.status.is_ok
    assert stage.attributes
    assert stage.attributes["quoth.budget.outcome"] == "failed"


@pytest.mark.fault("L1")
async def test_no_span_has_the_words_of_a_provider(exporter: InMemorySpanExporter) -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> None:
        async with current_budget().stage(SEARCH):
            raise Unavailable("The model is away.") from ValueError("Bad key: sk-secret")

    async with serving(behaviour) as call:
        await failure(call)
    # The caller has its answer before the server's span ends.
    async with asyncio.timeout(30):
        while len(spans := exporter.get_finished_spans()) < 2:  # noqa: ASYNC110 - a span ends unheard
            await asyncio.sleep(0.01)
    assert len(spans) == 2
    assert "secret" not in "".join(span.to_json() for span in spans)


async def test_a_stream_whose_reader_went_away_ends_where_its_span_began(
    exporter: InMemorySpanExporter, caplog: pytest.LogCaptureFixture
) -> None:
    ended = asyncio.Event()

    async def behaviour(
        request: bytes, context: grpc.aio.ServicerContext[Any, Any]
    ) -> AsyncIterator[bytes]:
        try:
            while True:
                yield bytes(100_000)  # until nothing more can be sent
        finally:
            ended.set()

    methods: dict[str, Any] = {"Stream": grpc.unary_stream_rpc_method_handler(behaviour)}
    handler = grpc.method_handlers_generic_handler("test.Service", methods)
    running = await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,))
    )
    channel = open_channel(f"127.0.0.1:{running.port}")
    try:
        stream: Any = channel.unary_stream("/test.Service/Stream")
        call = stream(b"")
        assert await call.read()
        call.cancel()
        await asyncio.wait_for(ended.wait(), 20)
    finally:
        await channel.close()
        await running.stop(0)
        gc.collect()
        await asyncio.sleep(0)
    assert [span.name for span in exporter.get_finished_spans()] == ["test.Service/Stream"]
    assert "Failed to detach context" not in caplog.text


@pytest.mark.parametrize("streams", [False, True])
async def test_an_answer_that_cannot_be_sent_is_a_line_in_the_log_and_no_error(
    caplog: pytest.LogCaptureFixture, *, streams: bool
) -> None:
    larger = bytes(MAX_MESSAGE_BYTES + 1)

    async def one(_: bytes, __: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return larger

    async def many(_: bytes, __: grpc.aio.ServicerContext[Any, Any]) -> AsyncIterator[bytes]:
        yield larger

    made: Any = (
        grpc.unary_stream_rpc_method_handler(many)
        if streams
        else grpc.unary_unary_rpc_method_handler(one)
    )
    handler = grpc.method_handlers_generic_handler("test.Service", {"Call": made})
    grpcs = logging.getLogger("grpc._cython.cygrpc")
    grpcs.addFilter(calm)
    running = await start_server("127.0.0.1:0", lambda s: s.add_generic_rpc_handlers((handler,)))
    try:
        with caplog.at_level(logging.INFO):
            async with open_channel(f"127.0.0.1:{running.port}") as channel:
                call: Any = channel.unary_unary("/test.Service/Call")
                with pytest.raises(grpc.aio.AioRpcError) as caught:
                    await call(b"", timeout=10)
    finally:
        await running.stop(0)
        grpcs.removeFilter(calm)
    assert caught.value.code() is grpc.StatusCode.RESOURCE_EXHAUSTED
    said = [record for record in caplog.records if record.name.startswith(("grpc", "libs"))]
    assert [(record.levelname, record.exc_info) for record in said] == [("INFO", None)]


async def test_every_call_is_timed_by_how_it_ended(recorded: Recorded) -> None:
    hangs, gone = asyncio.Event(), asyncio.Event()

    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> Any:
        if request == b"good":
            return b""
        if request == b"unknown":
            raise NotFound("no such book")
        if request == b"bug":
            raise ValueError("secret detail")
        hangs.set()
        try:
            await asyncio.Event().wait()
        finally:
            gone.set()

    async with serving(behaviour) as call:
        await call(b"good", timeout=5)
        for request in (b"unknown", b"bug"):
            with pytest.raises(grpc.aio.AioRpcError):
                await call(request, timeout=5)
        leaving = call(b"hang", timeout=5)
        await hangs.wait()
        leaving.cancel()
        await gone.wait()
    found = [
        (point["rpc.method"], point["rpc.response.status_code"], point.get("error.type"))
        for point, _ in recorded["rpc.server.call.duration"]
    ]
    name = "test.Service/Call"
    assert sorted(found, key=str) == [
        (name, "CANCELLED", "cancelled"),
        (name, "INTERNAL", "internal"),
        (name, "NOT_FOUND", "not_found"),
        (name, "OK", None),
    ]


@pytest.mark.fault("K1")
class Freezer:
    """Passes bytes on to a port until it is frozen: then it still takes connections, and is silent."""

    def __init__(self, port: int) -> None:
        self._port = port
        self._flows = asyncio.Event()
        self._flows.set()
        self._ends: list[asyncio.StreamWriter] = []

    def freeze(self) -> None:
        self._flows.clear()

    async def close(self) -> None:
        self._flows.set()
        for end in self._ends:
            end.close()
        await asyncio.gather(*(end.wait_closed() for end in self._ends), return_exceptions=True)

    async def serve(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        self._ends.append(writer)
        await self._flows.wait()
        answers, onward = await asyncio.open_connection("127.0.0.1", self._port)
        self._ends.append(onward)
        await asyncio.gather(self._pass_on(reader, onward), self._pass_on(answers, writer))

    async def _pass_on(self, reader: asyncio.StreamReader, writer: asyncio.StreamWriter) -> None:
        with contextlib.suppress(OSError):
            while data := await reader.read(1 << 16):
                await self._flows.wait()
                writer.write(data)
        writer.close()


@pytest.mark.fault("P9")
@pytest.mark.invariant("I8")
async def test_a_replica_that_stands_still_is_asked_no_more_within_five_seconds() -> None:
    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        return b""

    async def ends_well(call: Any) -> bool:
        try:
            await call(b"", timeout=0.3)
        except grpc.aio.AioRpcError:
            return False
        return True

    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(behaviour)}
    )
    running = await start_server(
        "127.0.0.1:0", lambda server: server.add_generic_rpc_handlers((handler,))
    )
    freezer = Freezer(running.port)
    proxy = await asyncio.start_server(freezer.serve, "127.0.0.1", 0)
    port = proxy.sockets[0].getsockname()[1]
    channel = open_channel(f"ipv4:127.0.0.1:{running.port},127.0.0.1:{port}")
    call: Any = channel.unary_unary("/test.Service/Call")
    try:
        async with asyncio.timeout(10):
            while not all([await ends_well(call) for _ in range(4)]):
                pass
        freezer.freeze()
        # Idle meanwhile: it is not for readers to find out by their losses.
        await asyncio.sleep(5)
        assert all([await ends_well(call) for _ in range(10)])
    finally:
        await channel.close()
        proxy.close()
        await freezer.close()
        await running.stop(0)


async def test_a_taken_port_is_an_error_not_a_second_server() -> None:
    first = await start_server("127.0.0.1:0", lambda server: None)
    try:
        with pytest.raises(SettingsError, match="is the port taken"):
            await start_server(f"127.0.0.1:{first.port}", lambda server: None)
    finally:
        await first.stop(0)


@pytest.mark.invariant("I9")
async def test_more_calls_than_allowed_are_refused() -> None:
    release = asyncio.Event()

    async def behaviour(request: bytes, context: grpc.aio.ServicerContext[Any, Any]) -> bytes:
        await release.wait()
        return b""

    handler = grpc.method_handlers_generic_handler(
        "test.Service", {"Call": grpc.unary_unary_rpc_method_handler(behaviour)}
    )
    running = await start_server(
        "127.0.0.1:0",
        lambda server: server.add_generic_rpc_handlers((handler,)),
        max_calls=2,
    )
    async with open_channel(f"127.0.0.1:{running.port}") as channel:
        call: grpc.aio.UnaryUnaryMultiCallable[Any, Any] = channel.unary_unary("/test.Service/Call")
        calls = [asyncio.ensure_future(call(b"", timeout=5)) for _ in range(6)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        errors = [task.exception() for task in done]
        assert {isinstance(e, grpc.aio.AioRpcError) and e.code() for e in errors} == {
            grpc.StatusCode.RESOURCE_EXHAUSTED
        }
        release.set()
        await asyncio.gather(*calls, return_exceptions=True)
    await running.stop(0)


@pytest.mark.invariant("I8")
async def test_a_service_that_is_not_ready_is_alive_all_the_same() -> None:
    readiness = Readiness()
    running = await start_server("127.0.0.1:0", lambda server: None, readiness=readiness)
    try:
        await readiness.set(False)
        async with open_channel(f"127.0.0.1:{running.port}") as channel:
            health: Any = health_pb2_grpc.HealthStub(channel)
            statuses = [
                (await health.Check(health_pb2.HealthCheckRequest(service=name), timeout=5)).status
                for name in ("", LIVENESS)
            ]
    finally:
        await running.stop(0)
    response = health_pb2.HealthCheckResponse
    assert statuses == [response.NOT_SERVING, response.SERVING]
