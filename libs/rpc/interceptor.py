"""Around every call that comes in: its id, span, deadline, and the one place errors are translated."""

import asyncio
import logging
import time
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import aclosing, asynccontextmanager, nullcontext
from typing import Any

import grpc
from google.protobuf.message import DecodeError

from libs.budget.budget import Budget, set_current_budget
from libs.budget.stages import HOP_S, TOTAL_S, Stage
from libs.errors import InvalidInput, QuothError
from libs.rpc.admission import Admission
from libs.rpc.context import REQUEST_ID_KEY, begin_request, current_request_id
from libs.rpc.status import CODE_BY_KIND, trailing_metadata
from libs.telemetry.metrics import current_metrics
from libs.telemetry.tracing import server_span

_LOG = logging.getLogger(__name__)

_CANCELLED = "cancelled"
"""How a call failed whose caller went away; no kind of our errors."""

Continuation = Callable[[grpc.HandlerCallDetails], Awaitable[grpc.RpcMethodHandler | None]]


class CallInterceptor(grpc.aio.ServerInterceptor):
    """Gives each call a request id, a span and a budget over `stages`, and maps its errors.

    With `admission`, calls that can't be done in time are refused before anything is done for them.
    """

    def __init__(self, stages: Sequence[Stage], admission: Admission | None = None) -> None:
        self._stages = stages
        self._admission = admission

    async def intercept_service(
        self, continuation: Continuation, handler_call_details: grpc.HandlerCallDetails
    ) -> grpc.RpcMethodHandler | None:
        handler = await continuation(handler_call_details)
        if handler is None or handler_call_details.method.startswith("/grpc."):
            return handler
        method = handler_call_details.method
        if handler.response_streaming:
            return grpc.unary_stream_rpc_method_handler(
                self._around_stream(method, handler.unary_stream),
                _tolerate_malformed(handler.request_deserializer),
                handler.response_serializer,
            )
        wrap = (
            grpc.stream_unary_rpc_method_handler
            if handler.request_streaming
            else grpc.unary_unary_rpc_method_handler
        )
        return wrap(
            self._around_unary(method, handler.stream_unary or handler.unary_unary),
            _tolerate_malformed(handler.request_deserializer),
            handler.response_serializer,
        )

    def _around_unary(self, method: str, behaviour: Any) -> Any:
        async def serve(request: Any, context: grpc.aio.ServicerContext) -> Any:
            async with self._call(method, context):
                return await behaviour(_checked(request), context)

        return serve

    def _around_stream(self, method: str, behaviour: Any) -> Any:
        # Written rather than yielded: gRPC leaves a generator whose caller went away to the garbage
        # collector, which ends it in another context than its span's.
        async def serve(request: Any, context: grpc.aio.ServicerContext) -> None:
            async with (
                self._call(method, context),
                aclosing(behaviour(_checked(request), context)) as responses,
            ):
                async for response in responses:
                    await _write(context, response)

        return serve

    @asynccontextmanager
    async def _call(self, method: str, context: grpc.aio.ServicerContext) -> AsyncIterator[None]:
        metadata = {str(key): str(value) for key, value in context.invocation_metadata() or ()}
        begin_request(metadata.get(REQUEST_ID_KEY, ""))
        left_s = context.time_remaining()
        # A caller without a deadline reports none, or one of centuries.
        known = left_s is not None and left_s < TOTAL_S
        budget = Budget(left_s - HOP_S if known else TOTAL_S, self._stages)
        set_current_budget(budget)
        admission = self._admission
        began_s, failure = time.monotonic(), ""
        with server_span(method.lstrip("/"), metadata):
            try:
                with admission.admit(budget.left_s()) if admission else nullcontext():
                    yield
            except QuothError as error:
                failure = error.kind
                await _abort(context, error)
            except (asyncio.CancelledError, GeneratorExit, grpc.aio.AbortError):
                failure = _CANCELLED
                raise
            except Exception:  # noqa: BLE001 - the one place
                failure = QuothError.kind
                _LOG.exception("request %s: %s failed", current_request_id(), method)
                await _abort(context, QuothError("Something went wrong inside Quoth."))
            finally:
                _measure(method, failure, time.monotonic() - began_s)


async def _write(context: grpc.aio.ServicerContext, response: Any) -> None:
    """Send a part of a stream. Raises CancelledError where nobody can be sent anything any more."""
    try:
        await context.write(response)
    except grpc.aio.InternalError as error:
        # Its caller went away, or it is larger than a message may be, which a caller hears from gRPC.
        _LOG.info("request %s: its answer could not be sent", current_request_id())
        raise asyncio.CancelledError from error


class _Malformed:
    """Stands for an undecodable message until its call can refuse it."""


_MALFORMED = _Malformed()


def _tolerate_malformed(
    deserialize: Callable[[bytes], Any] | None,
) -> Callable[[bytes], Any] | None:
    """Turn an undecodable message into `_Malformed`, since gRPC's own error names our class."""
    if deserialize is None:
        return None

    def read(data: bytes) -> Any:
        try:
            return deserialize(data)
        except DecodeError:
            return _MALFORMED

    return read


def _checked(request: Any) -> Any:
    """Return the request, or its stream, as it came. Raises InvalidInput for a malformed one."""
    if isinstance(request, AsyncIterator):
        return _checked_stream(request)
    if request is _MALFORMED:
        raise InvalidInput("The request is not a message of this method.")
    return request


async def _checked_stream(requests: AsyncIterator[Any]) -> AsyncIterator[Any]:
    async for request in requests:
        yield _checked(request)


def _measure(method: str, failure: str, took_s: float) -> None:
    metrics = current_metrics()
    if metrics is None:
        return
    code = CODE_BY_KIND.get(failure, grpc.StatusCode.CANCELLED if failure else grpc.StatusCode.OK)
    metrics.measure_rpc(method.lstrip("/"), code.name, failure, took_s)


async def _abort(context: grpc.aio.ServicerContext, error: QuothError) -> None:
    _LOG.info("request %s: %s", current_request_id(), error.kind)
    await context.abort(CODE_BY_KIND[error.kind], error.message, trailing_metadata(error))
