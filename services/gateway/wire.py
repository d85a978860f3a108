"""HTTP on one side, plain objects on the other: bodies, problems, event streams."""

import asyncio
import logging
from collections.abc import AsyncGenerator, Awaitable, Callable, Coroutine, Mapping
from contextlib import aclosing, suppress
from typing import Any, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.types import Receive, Scope, Send

from libs.errors import InvalidInput, QuothError, TooLarge
from libs.rpc.context import current_request_id
from services.gateway.errors import Malformed, TooSlow, problem_from

T = TypeVar("T")
SendEvent = Callable[[str, Any], None]

PING_S = 1.0
UNEXPECTED = "Something went wrong inside Quoth."
PROBLEM_TYPE = "application/problem+json"
_DISCARD_S = 5.0
_RETRY_KINDS = ("overloaded", "unavailable")
_LOG = logging.getLogger(__name__)


async def read_body(request: Request, limit_bytes: int, timeout_s: float) -> bytes:
    """Read the whole body. Raises TooLarge and TooSlow."""
    body = bytearray()
    parts = read_parts(request, limit_bytes, timeout_s, timeout_s)
    try:
        async with aclosing(parts):
            async for part in parts:
                body += part
    except TooLarge:
        await discard_body(request)
        raise
    return bytes(body)


async def read_parts(
    request: Request, limit_bytes: int, timeout_s: float, pause_s: float
) -> AsyncGenerator[bytes, None]:
    """Read the body as it comes, with at most `pause_s` between parts."""
    ends_at = asyncio.get_running_loop().time() + timeout_s
    declared = request.headers.get("content-length", "")
    size = 0
    parts = request.stream()
    if declared.isdigit() and int(declared) > limit_bytes:
        raise _too_large(limit_bytes)
    while True:
        left_s = min(pause_s, ends_at - asyncio.get_running_loop().time())
        try:
            async with asyncio.timeout(left_s):
                part = await anext(parts, None)
        except TimeoutError as error:
            raise TooSlow("The body of the request came too slowly. Send it again.") from error
        if part is None:
            return
        size += len(part)
        if size > limit_bytes:
            raise _too_large(limit_bytes)
        yield part


def _too_large(limit_bytes: int) -> TooLarge:
    size = f"{limit_bytes // 2**20} MiB" if limit_bytes >= 2**20 else f"{limit_bytes // 1024} KiB"
    return TooLarge(f"The body of the request is larger than {size}.")


async def discard_body(request: Request) -> None:
    """Discard what is still coming: a client that is cut off in the middle never reads why."""
    # A body that was read to its end raises RuntimeError.
    with suppress(TimeoutError, ClientDisconnect, RuntimeError):
        async with asyncio.timeout(_DISCARD_S):
            async for _ in request.stream():
                pass


def decode_body(body: bytes, body_type: type[T]) -> T:
    """Decode JSON. Raises Malformed, and InvalidInput that names the field."""
    try:
        return msgspec.json.decode(body, type=body_type)
    except msgspec.ValidationError as error:
        raise InvalidInput(_in_words(str(error))) from error
    except (msgspec.DecodeError, UnicodeDecodeError) as error:
        raise Malformed("The body is not valid JSON in UTF-8.") from error


def _in_words(complaint: str) -> str:
    what, _, place = complaint.partition(" - at `$")
    field = place.rstrip("`").lstrip(".")
    text = f"{field}: {what}." if field else f"{what}."
    return text.replace("`", '"')


def convert_query(query: Mapping[str, str], query_type: type[T]) -> T:
    """Convert query parameters. Raises InvalidInput that names the parameter."""
    try:
        return msgspec.convert(dict(query), type=query_type, strict=False)
    except msgspec.ValidationError as error:
        raise InvalidInput(_in_words(str(error))) from error


def json_response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = msgspec.json.encode(content)
    return Response(body, status, headers, media_type="application/json")


def problem_response(error: QuothError) -> Response:
    problem = problem_from(error, current_request_id())
    headers = {"Retry-After": "1"} if error.kind in _RETRY_KINDS else {}
    body = msgspec.json.encode(problem)
    return Response(body, problem.status, headers, media_type=PROBLEM_TYPE)


def wants_events(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("accept", "")


async def while_connected(request: Request, work: Coroutine[Any, Any, T]) -> T:
    """Return the outcome of `work`, which is cancelled the moment the client goes away."""
    task = asyncio.create_task(work)
    watch = asyncio.create_task(_disconnection(request.receive))
    try:
        await asyncio.wait((task, watch), return_when=asyncio.FIRST_COMPLETED)
        if not task.done():
            raise ClientDisconnect
        return task.result()
    finally:
        await _end(task, watch)


def frame(event: str, data: Any) -> bytes:
    """Return one server-sent event; JSON has no line breaks that could end it early."""
    return b"event: " + event.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"


class EventStream:
    """A response of server-sent events, made by `produce` as it calls what it is given.

    A failure before the first event is an ordinary problem response, a later one the event `error`.
    While nothing happens, comments keep the connection alive. When the client goes away `produce` is
    cancelled at once.
    """

    def __init__(self, produce: Callable[[SendEvent], Awaitable[None]]) -> None:
        self._produce = produce

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        producer = asyncio.create_task(self._run(frames))
        watch = asyncio.create_task(_disconnection(receive))
        for task in (producer, watch):
            task.add_done_callback(lambda _: frames.put_nowait(None))
        try:
            first = await _next(frames)
            if first is None and (error := _error(producer)):
                await problem_response(error)(scope, receive, send)
                return
            await send(_start())
            while first is not None:
                await send({"type": "http.response.body", "body": first, "more_body": True})
                first = await _next(frames)
            if not producer.done():
                raise ClientDisconnect
            error = _error(producer)
            last = frame("error", problem_from(error, current_request_id())) if error else b""
            await send({"type": "http.response.body", "body": last})
        finally:
            await _end(producer, watch)

    async def _run(self, frames: "asyncio.Queue[bytes | None]") -> None:
        await self._produce(lambda event, data: frames.put_nowait(frame(event, data)))


def _start() -> dict[str, Any]:
    headers = [(b"content-type", b"text/event-stream"), (b"x-accel-buffering", b"no")]
    return {"type": "http.response.start", "status": 200, "headers": headers}


async def _next(frames: "asyncio.Queue[bytes | None]") -> bytes | None:
    try:
        async with asyncio.timeout(PING_S):
            return await frames.get()
    except TimeoutError:
        return b": ping\n\n"


def _error(producer: "asyncio.Task[None]") -> QuothError | None:
    error = producer.exception() if producer.done() else None
    if error is None or isinstance(error, QuothError):
        return error
    _LOG.error("request %s failed", current_request_id(), exc_info=error)
    return QuothError(UNEXPECTED)


async def _disconnection(receive: Receive) -> None:
    while (await receive())["type"] != "http.disconnect":
        pass


async def _end(*tasks: "asyncio.Task[Any]") -> None:
    for task in tasks:
        task.cancel()
    await asyncio.gather(*tasks, return_exceptions=True)
