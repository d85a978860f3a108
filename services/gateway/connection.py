"""One HTTP connection: bounds on what stands above a body, and as few writes and timers as do."""

import asyncio
import contextvars
from typing import Any, cast

from typing_extensions import override
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from libs.errors import QuothError, TooLarge
from libs.rpc.context import begin_request
from services.gateway.errors import Malformed, TooSlow, raw_problem

GONE = "quoth.gone"
"""Where a request's scope has the future that is done once its connection is lost."""

ENDING = "quoth.ending"
"""Where it has the future that is done once the server stops."""

_POLICY = (
    b"default-src 'self'; img-src 'self' blob:; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
SAFE_HEADERS = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)
"""Headers of every response."""

_JOINED_BYTES = 64 * 1024
"""A longer body is not copied to save a write."""
_MAX_HEAD_BYTES = 64 * 1024
_MAX_HEADERS = 100
_BETWEEN_TOO_LARGE = TooLarge(
    f"More than {_MAX_HEAD_BYTES // 1024} KiB stand between or behind the parts of the body."
)
_HEAD_TOO_LARGE = TooLarge(
    f"The address and the headers are larger than {_MAX_HEAD_BYTES // 1024} KiB, "
    f"or more than {_MAX_HEADERS}."
)


class JoinedWrites:
    """A transport that sends a response's head in one stroke with what follows it at once.

    A head alone leaves at the next turn of the loop.
    """

    def __init__(self, transport: asyncio.Transport, loop: asyncio.AbstractEventLoop) -> None:
        self._transport = transport
        self._loop = loop
        self._head = b""

    def write(self, data: bytes) -> None:
        if self._head:
            head, self._head = self._head, b""
            if len(data) <= _JOINED_BYTES:
                self._transport.write(head + data)
            else:
                self._transport.write(head)
                self._transport.write(data)
        elif data.startswith(b"HTTP/"):
            self._head = data
            self._loop.call_soon(self._flush)
        else:
            self._transport.write(data)

    def close(self) -> None:
        self._flush()
        self._transport.close()

    def _flush(self) -> None:
        if self._head:
            head, self._head = self._head, b""
            self._transport.write(head)

    def __getattr__(self, name: str) -> Any:
        return getattr(self._transport, name)


class BoundedProtocol(HttpToolsProtocol):
    """Reads HTTP with a bound on the size of what is no body, and on the time of what stands above it.

    Headers behind a body are left out: nothing waits for them, and they must pass for none above it.
    """

    header_timeout_s = 10.0

    def __init__(self, *args: Any, **named: Any) -> None:
        super().__init__(*args, **named)
        self._head_bytes = 0
        self._in_head = True
        self._beside_bytes = 0
        self._refusal: QuothError | None = None
        self._timer: asyncio.TimerHandle | None = None
        self._gone: asyncio.Future[None] = self.loop.create_future()
        self._ending: asyncio.Future[None] = self.loop.create_future()

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        super().connection_made(cast("asyncio.Transport", JoinedWrites(transport, self.loop)))
        self._expect_head()

    def connection_lost(self, exc: Exception | None) -> None:
        self._stop_timer()
        if not self._gone.done():
            self._gone.set_result(None)
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if self.cycle is not None and self.cycle.response_complete:
            self._in_head = True
        if self._in_head:
            self._head_bytes += len(data)
        self._beside_bytes += len(data)
        super().data_received(data)
        if not self._in_head:
            if self._beside_bytes > _MAX_HEAD_BYTES:
                self._refuse(_BETWEEN_TOO_LARGE)
            return
        if self._head_bytes > _MAX_HEAD_BYTES:
            self._refuse(_HEAD_TOO_LARGE)
        elif not self.transport.is_closing():
            self._expect_head()  # most heads come whole, and are waited for no longer

    def on_message_begin(self) -> None:
        self._in_head = True
        super().on_message_begin()
        cast("dict[str, Any]", self.scope).update({GONE: self._gone, ENDING: self._ending})

    def shutdown(self) -> None:
        if not self._ending.done():
            self._ending.set_result(None)
        super().shutdown()

    def on_header(self, name: bytes, value: bytes) -> None:
        if self._in_head:
            super().on_header(name, value)

    def on_body(self, body: bytes) -> None:
        self._beside_bytes = 0
        super().on_body(body)

    def on_headers_complete(self) -> None:
        self._stop_timer()
        self._in_head = False
        self._head_bytes = self._beside_bytes = 0
        size = len(self.url) + sum(len(name) + len(value) for name, value in self.headers)
        if size > _MAX_HEAD_BYTES or len(self.headers) > _MAX_HEADERS:
            self._refusal = _HEAD_TOO_LARGE
            raise ValueError("too large")  # ends the parser, which has send_400_response called
        super().on_headers_complete()

    @override
    def send_400_response(self, msg: str) -> None:
        self._refuse(self._refusal or Malformed("This is not an HTTP request that can be read."))

    def _refuse(self, error: QuothError) -> None:
        if self.transport.is_closing():
            return
        self._stop_timer()
        cycle = self.cycle
        if cycle is None or cycle.response_complete or not cycle.response_started:
            contextvars.copy_context().run(self._write_problem, error)
        self.transport.close()

    def _write_problem(self, error: QuothError) -> None:
        begin_request("")
        self.transport.write(raw_problem(error, SAFE_HEADERS))

    def _expect_head(self) -> None:
        if self._timer is None:
            self._timer = self.loop.call_later(self.header_timeout_s, self._give_up)

    def _give_up(self) -> None:
        self._timer = None
        if self._head_bytes:
            self._refuse(TooSlow("The request came too slowly. Send it again."))
        else:
            self.transport.close()

    def _stop_timer(self) -> None:
        if self._timer is not None:
            self._timer.cancel()
            self._timer = None
