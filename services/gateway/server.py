"""Around every request: its id and span, the checks of access, safe headers, errors as problems."""

import asyncio
import logging
import os
import re
import socket
import time
import zlib
from collections.abc import Callable, Iterable
from dataclasses import dataclass
from types import FrameType

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.middleware.gzip import GZipMiddleware, GZipResponder, IdentityResponder
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.errors import NotFound, QuothError, Unavailable
from libs.rpc.context import REQUEST_ID_KEY, begin_request
from libs.telemetry.metrics import current_metrics
from libs.telemetry.tracing import server_span
from services.gateway.access import (
    Cors,
    RawHeaders,
    check_host,
    is_preflight,
    preflight_headers,
    readable_headers,
)
from services.gateway.connection import SAFE_HEADERS, BoundedProtocol
from services.gateway.errors import (
    FAILED,
    UNEXPECTED,
    WrongMethod,
    problem_response,
    send_problem,
)
from services.gateway.settings import Exposure

_LOG = logging.getLogger(__name__)
_GRACE_S = 6
_STOPPING = "The service is stopping. Send it again in a moment."
_IDLE_S = 75
"""How long a connection may rest between requests: longer than clients (httpx 5 s) and proxies (nginx
60 s) keep one, so that it is they who close it and none sends into a connection that is closing."""
_LEAST_PACKED_BYTES = 1000
_PACKING = 4
"""Level of gzip: 49 kB of a document become 14 kB in 0.6 ms; level 6 takes twice that for 4 % less."""
_SMALL_BYTES, _WINDOW_BITS, _MEMORY = 16 * 1024, 14, 6
"""Up to so many bytes a window of as many sees all of them; zlib's own is made for megabytes."""

_IMAGES = re.compile("/v1/books/[^/]+/images/[^/]+")

_LASTING = "/bundle/"
"""Another content there has another name."""
_NAMING = ("/", "/widget.js")
"""Where those names stand."""
Admit = Callable[[Scope], None]
"""Raises Overloaded for a request that finds no place."""


def build_app(
    routes: Iterable[BaseRoute], admit: Admit, exposure: Exposure, cors: Cors
) -> Starlette:
    return Starlette(
        routes=list(routes),
        middleware=[
            Middleware(RequestMiddleware, admit, exposure, cors),
            # Never of events: they have to leave as they come.
            Middleware(Packing, _LEAST_PACKED_BYTES, _PACKING),
        ],
        exception_handlers={HTTPException: _http_problem, QuothError: _quoth_problem},
    )


async def _quoth_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, QuothError)
    return problem_response(error, request.scope["path"])


async def _http_problem(request: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = problem_response(
            WrongMethod("This address does not take that method."), request.scope["path"]
        )
        response.headers.update(error.headers or {})
        return response
    return problem_response(NotFound("There is nothing at this address."), request.scope["path"])


class Packing(GZipMiddleware):
    """Compresses responses but pictures, which are compressed already."""

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if _IMAGES.fullmatch(scope.get("path", "")):
            await self.app(scope, receive, send)
            return
        responder: IdentityResponder
        if "gzip" in Headers(scope=scope).get("accept-encoding", ""):
            responder = _Packer(
                self.app, self.minimum_size, self.compresslevel, exclude_content_types=()
            )
        else:
            responder = IdentityResponder(self.app, self.minimum_size, exclude_content_types=())
        # Given after it is made: it would write each of them anew with every request.
        responder.exclude_content_types = self.exclude_content_types
        await responder(scope, receive, send)


class _Packer(GZipResponder):
    """Compresses a body that is small and whole with a quarter of zlib's memory."""

    _comes_in_parts = False

    async def apply_compression(self, body: bytes, *, more_body: bool) -> bytes:
        self._comes_in_parts = self._comes_in_parts or more_body
        if self._comes_in_parts or len(body) > _SMALL_BYTES:
            return await super().apply_compression(body, more_body=more_body)
        packer = zlib.compressobj(self.compresslevel, zlib.DEFLATED, 16 + _WINDOW_BITS, _MEMORY)
        return packer.compress(body) + packer.flush()


class RequestMiddleware:
    """Gives each request an id, a span and safe headers; what nobody expected becomes a problem."""

    def __init__(self, app: ASGIApp, admit: Admit, exposure: Exposure, cors: Cors) -> None:
        self._app = app
        self._admit = admit
        self._cors = cors
        self._names = exposure.names
        self._is_behind_proxy = exposure.is_behind_proxy

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        if self._is_behind_proxy:
            scope["scheme"] = "https"
        headers = Headers(scope=scope)
        request_id = begin_request(headers.get(REQUEST_ID_KEY, ""))
        response = _Outgoing(send, request_id, scope["path"])
        began_s = time.monotonic()
        with server_span(scope["method"], headers) as span:
            try:
                if await self._let_in(scope, headers, response):
                    await self._app(scope, receive, response.send)
            except QuothError as error:
                await send_problem(error, response.send, scope["path"])
            except ClientDisconnect:
                _LOG.info("request %s: the client went away", request_id)
            except asyncio.CancelledError:
                # Nobody else cancels a request than the server, when it stops and has waited.
                _LOG.info("request %s: ended, since the gateway stops", request_id)
                await response.end_with(Unavailable(_STOPPING))
            except Exception:  # noqa: BLE001 - the one place
                _LOG.exception("request %s failed", request_id)
                await response.end_with(QuothError(UNEXPECTED))
            finally:
                _measure(scope, response.status, time.monotonic() - began_s)
            path = _route_of(scope)
            if path:
                span.update_name(f"{scope['method']} {path}")
                span.set_attribute("http.route", path)
            span.set_attribute("http.request.method", scope["method"])
            span.set_attribute("http.response.status_code", response.status)

    async def _let_in(self, scope: Scope, headers: Headers, response: "_Outgoing") -> bool:
        """Return whether it is to be routed and read. Raises what keeps a request out."""
        check_host(headers, self._names)
        origin = await self._cors.find_origin(headers)
        response.more = readable_headers(origin)
        if is_preflight(scope["method"], headers):
            await _send_nothing(preflight_headers(origin), response.send)
            return False
        # Before it is routed and read: what a refusal takes is taken from an answer.
        self._admit(scope)
        return True


async def _send_nothing(headers: RawHeaders, send: Send) -> None:
    await send({"type": "http.response.start", "status": 204, "headers": headers})
    await send({"type": "http.response.body"})


def _route_of(scope: Scope) -> str:
    route = scope.get("route")
    return route.path if isinstance(route, Route) else ""


def _measure(scope: Scope, status: int, took_s: float) -> None:
    metrics = current_metrics()
    if metrics is not None:
        failed = scope.get(FAILED, 0)
        metrics.measure_request(scope["method"], _route_of(scope), status, took_s, failed)


class _Outgoing:
    """The response on its way out; `status` is 0 until it has begun, `more` goes to its headers."""

    def __init__(self, send: Send, request_id: str, path: str) -> None:
        self._send = send
        self._request_id = request_id
        self._path = path
        self.status = 0
        self.more: RawHeaders = []

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [
                *message["headers"],
                *SAFE_HEADERS,
                *self.more,
                (b"x-request-id", self._request_id.encode()),
            ]
            if all(name != b"cache-control" for name, _ in message["headers"]):
                message["headers"].append((b"cache-control", self._caching()))
        await self._send(message)

    async def end_with(self, error: QuothError) -> None:
        """Send the problem, unless another response has begun."""
        if not self.status:
            await send_problem(error, self.send, self._path)

    def _caching(self) -> bytes:
        if self._path.startswith(_LASTING) and self.status == 200:
            return b"public, max-age=31536000, immutable"
        if self._path in _NAMING or self._path.startswith("/static/"):
            return b"no-cache"
        return b"no-store"


class _Server(uvicorn.Server):
    """Drains at the first signal; the second one ends it at once."""

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        if self.should_exit:
            os._exit(128 + sig)
        super().handle_exit(sig, frame)


@dataclass(frozen=True)
class RunningServer:
    """A gateway that is listening on `port`."""

    server: uvicorn.Server
    task: "asyncio.Task[None]"
    port: int

    async def stop(self) -> None:
        """Let running requests finish for a few seconds, then end."""
        self.server.should_exit = True
        await self.task


def listen(port: int, address: str = "127.0.0.1") -> socket.socket:
    """Take `port` of `address`; 0 picks a free one. Raises OSError when it is taken."""
    family = socket.AF_INET6 if ":" in address else socket.AF_INET
    listener = socket.socket(family, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind((address, port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


async def start_server(
    app: ASGIApp, listener: socket.socket, exposure: Exposure | None = None
) -> RunningServer:
    """Serve `app` on `listener`, by TLS if `exposure` has its files; return when it takes requests."""
    config = uvicorn.Config(
        app,
        http=BoundedProtocol,
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_keep_alive=_IDLE_S,
        timeout_graceful_shutdown=_GRACE_S,
        ssl_certfile=exposure.tls_cert if exposure else None,
        ssl_keyfile=exposure.tls_key if exposure else None,
    )
    server = _Server(config)
    task = asyncio.create_task(server.serve([listener]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn offers no event
        await asyncio.sleep(0.01)
    return RunningServer(server, task, listener.getsockname()[1])
