"""Respond with events as work makes them, and end the work when the client is gone."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass
from typing import Any, Protocol, TypeVar

import msgspec
from starlette.requests import ClientDisconnect, Request
from starlette.types import Receive, Scope, Send

from libs.errors import QuothError
from libs.rpc.context import current_request_id
from services.gateway.connection import ENDING, GONE
from services.gateway.errors import (
    FAILED,
    STATUS_BY_KIND,
    UNEXPECTED,
    chat_error,
    problem_from,
    problem_response,
)

T = TypeVar("T")

PING_S = 1.0


class SendEvent(Protocol):
    """Sends an event; one with an id can be resumed after."""

    def __call__(self, event: str, data: Any, event_id: str = "") -> None: ...


_LOG = logging.getLogger(__name__)


def wants_events(request: Request) -> bool:
    return "text/event-stream" in request.headers.get("accept", "")


async def while_connected(request: Request, work: Awaitable[T]) -> T:
    """Return the outcome of `work`, which is cancelled the moment the client goes away."""
    working = asyncio.current_task()
    assert working is not None
    # A server that does not say it is watched.
    gone = request.scope.get(GONE) or asyncio.ensure_future(_disconnection(request.receive))

    def leave(_: "asyncio.Future[None]") -> None:
        working.cancel()

    gone.add_done_callback(leave)
    try:
        return await work
    except asyncio.CancelledError as error:
        if not gone.done() or gone.cancelled():
            raise
        working.uncancel()
        raise ClientDisconnect from error
    finally:
        gone.remove_done_callback(leave)
        if GONE not in request.scope:
            gone.cancel()


def frame(event: str, data: Any, event_id: str = "") -> bytes:
    """Return one server-sent event; JSON has no line breaks that could end it early."""
    named = f"id: {event_id}\nevent: {event}" if event_id else f"event: {event}"
    return named.encode() + b"\ndata: " + msgspec.json.encode(data) + b"\n\n"


@dataclass(frozen=True)
class Framing:
    """How events and the failure that ends a stream are written."""

    frame: Callable[[str, Any, str], bytes]
    frame_error: Callable[[QuothError], bytes]


def _unnamed(_event: str, data: Any, _event_id: str = "") -> bytes:
    return b"data: " + (b"[DONE]" if data is None else msgspec.json.encode(data)) + b"\n\n"


def _unnamed_error(error: QuothError) -> bytes:
    return _unnamed("", {"error": chat_error(error)})


NAMED = Framing(frame, lambda error: frame("error", problem_from(error)))
UNNAMED = Framing(_unnamed, _unnamed_error)
"""As OpenAI's API writes them: no names, and `[DONE]` at the end, which None stands for."""


class EventStream:
    """A response of server-sent events, made by `produce` as it calls what it is given.

    A failure before the first event is an ordinary problem response, a later one the event `error`.
    While nothing happens, comments keep the connection alive. When the client goes away `produce` is
    cancelled at once, and when the server stops if `broken_off` is there to be said then; else the
    server waits for the end of the stream.
    """

    def __init__(
        self,
        produce: Callable[[SendEvent], Awaitable[None]],
        framing: Framing = NAMED,
        *,
        broken_off: QuothError | None = None,
    ) -> None:
        self._produce = produce
        self._framing = framing
        self._broken_off = broken_off

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        frames: asyncio.Queue[bytes | None] = asyncio.Queue()
        producer = asyncio.create_task(self._run(frames))
        watch = asyncio.create_task(_disconnection(receive))
        for task in (producer, watch):
            task.add_done_callback(lambda _: frames.put_nowait(None))
        if self._broken_off and ENDING in scope:
            scope[ENDING].add_done_callback(lambda _: producer.cancel())
        try:
            first = await _next(frames)
            if first is None and (error := self._error(producer)):
                await problem_response(error, scope["path"])(scope, receive, send)
                return
            await send(_start())
            while first is not None:
                await send({"type": "http.response.body", "body": first, "more_body": True})
                first = await _next(frames)
            if not producer.done():
                raise ClientDisconnect
            error = self._error(producer)
            if error:
                scope[FAILED] = STATUS_BY_KIND[error.kind]
            last = self._framing.frame_error(error) if error else b""
            await send({"type": "http.response.body", "body": last})
        finally:
            await _end(producer, watch)

    def _error(self, producer: "asyncio.Task[None]") -> QuothError | None:
        return self._broken_off if producer.cancelled() else _error(producer)

    async def _run(self, frames: "asyncio.Queue[bytes | None]") -> None:
        write = self._framing.frame

        def send(event: str, data: Any, event_id: str = "") -> None:
            frames.put_nowait(write(event, data, event_id))

        await self._produce(send)


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
