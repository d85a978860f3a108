"""A server of ours over a real socket: errors, deadlines, ids and trace context."""

import asyncio
from contextlib import asynccontextmanager

import grpc
import pytest
from opentelemetry import trace

from libs.budget import current_budget
from libs.budget.stages import RETRIEVAL, SEARCH
from libs.errors import DeadlineExceeded, NotFound, QuothError
from libs.rpc.channel import open_channel
from libs.rpc.context import begin_request, call_metadata, current_request_id
from libs.rpc.server import start_server
from libs.rpc.status import error_from_rpc
from libs.settings import SettingsError


@asynccontextmanager
async def serving(behaviour, stages=RETRIEVAL):
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


async def failure(call, timeout=5.0) -> QuothError:
    with pytest.raises(grpc.aio.AioRpcError) as caught:
        await call(b"", timeout=timeout)
    return error_from_rpc(caught.value, "test")


async def test_an_error_of_ours_arrives_as_itself():
    async def behaviour(request, context):
        raise NotFound("no such book")

    async with serving(behaviour) as call:
        error = await failure(call)
    assert isinstance(error, NotFound)
    assert error.message == "no such book"


async def test_a_bug_tells_the_caller_nothing():
    async def behaviour(request, context):
        raise ValueError("secret detail")

    async with serving(behaviour) as call:
        error = await failure(call)
    assert type(error) is QuothError
    assert "secret" not in error.message


async def test_the_budget_is_what_the_caller_has_left():
    seen = []

    async def behaviour(request, context):
        seen.append(current_budget().left_s())
        return b""

    async with serving(behaviour) as call:
        await call(b"", timeout=2.0)
        await call(b"")
    assert 1.0 < seen[0] < 2.0
    assert 4.0 < seen[1] <= 5.0


async def test_a_stage_that_hangs_ends_with_its_name():
    async def behaviour(request, context):
        async with current_budget().stage(SEARCH):
            await asyncio.Event().wait()

    async with serving(behaviour) as call:
        error = await failure(call, timeout=0.5)
    assert isinstance(error, DeadlineExceeded)
    assert error.stage == "retrieval.search"


async def test_request_id_and_trace_travel_with_the_call(exporter):
    seen = []

    async def behaviour(request, context):
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
    assert server.parent.span_id == caller.context.span_id
    assert stage.parent.span_id == server.context.span_id
    assert stage.attributes["quoth.budget.outcome"] == "ok"
    assert stage.attributes["quoth.budget.allowed_ms"] == pytest.approx(2000)


async def test_the_callers_trace_passes_through_where_nothing_is_traced():
    parent = "00-0af7651916cd43dd8448eb211c80319c-b7ad6b7169203331-01"
    sent = []

    async def behaviour(request, context):
        async with current_budget().stage(SEARCH):
            sent.append(dict(call_metadata()).get("traceparent"))
        return b""

    async with serving(behaviour) as call:
        await call(b"", timeout=5, metadata=(("traceparent", parent),))
        await call(b"", timeout=5)
    assert sent == [parent, None]


async def test_the_span_of_a_stage_that_failed_says_so(exporter):
    async def behaviour(request, context):
        async with current_budget().stage(SEARCH):
            raise NotFound("no such book")

    async with serving(behaviour) as call:
        await failure(call)
    (stage,) = (span for span in exporter.get_finished_spans() if span.name == "retrieval.search")
    assert not stage.status.is_ok
    assert stage.attributes["quoth.budget.outcome"] == "failed"


async def test_every_call_is_timed_by_how_it_ended(recorded):
    hangs, gone = asyncio.Event(), asyncio.Event()

    async def behaviour(request, context):
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


async def test_a_taken_port_is_an_error_not_a_second_server():
    first = await start_server("127.0.0.1:0", lambda server: None)
    try:
        with pytest.raises(SettingsError, match="is the port taken"):
            await start_server(f"127.0.0.1:{first.port}", lambda server: None)
    finally:
        await first.stop(0)


async def test_more_calls_than_allowed_are_refused():
    release = asyncio.Event()

    async def behaviour(request, context):
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
        call = channel.unary_unary("/test.Service/Call")
        calls = [asyncio.ensure_future(call(b"", timeout=5)) for _ in range(6)]
        done, _ = await asyncio.wait(calls, return_when=asyncio.FIRST_COMPLETED)
        assert {task.exception().code() for task in done} == {grpc.StatusCode.RESOURCE_EXHAUSTED}
        release.set()
        await asyncio.gather(*calls, return_exceptions=True)
    await running.stop(0)
