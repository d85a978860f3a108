"""Around every request: its id and span, the checks of access, safe headers, errors as problems."""

import asyncio
import logging
import socket
import time
from collections.abc import Callable, Iterable
from dataclasses import dataclass

import uvicorn
from starlette.applications import Starlette
from starlette.datastructures import Headers
from starlette.exceptions import HTTPException
from starlette.middleware import Middleware
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route
from starlette.types import ASGIApp, Message, Receive, Scope, Send

from libs.errors import NotFound, QuothError
from libs.rpc.context import REQUEST_ID_KEY, begin_request
from libs.telemetry.metrics import current_metrics
from libs.telemetry.tracing import server_span
from services.gateway.access import check_host
from services.gateway.errors import UNEXPECTED, WrongMethod, problem_response, send_problem

_LOG = logging.getLogger(__name__)
_GRACE_S = 6
_POLICY = (
    b"default-src 'self'; img-src 'self'; base-uri 'none'; form-action 'none'; "
    b"frame-ancestors 'none'"
)
_HEADERS = (
    (b"content-security-policy", _POLICY),
    (b"x-content-type-options", b"nosniff"),
    (b"referrer-policy", b"no-referrer"),
    (b"cross-origin-resource-policy", b"same-origin"),
    (b"cross-origin-opener-policy", b"same-origin"),
)


Admit = Callable[[Scope], None]
"""Raises Overloaded for a request that finds no place."""


def build_app(routes: Iterable[BaseRoute], admit: Admit) -> Starlette:
    return Starlette(
        routes=list(routes),
        middleware=[Middleware(Edge, admit)],
        exception_handlers={HTTPException: _http_problem, QuothError: _quoth_problem},
    )


async def _quoth_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, QuothError)
    return problem_response(error)


async def _http_problem(_: Request, error: Exception) -> Response:
    assert isinstance(error, HTTPException)
    if error.status_code == 405:
        response = problem_response(WrongMethod("This address does not take that method."))
        response.headers.update(error.headers or {})
        return response
    return problem_response(NotFound("There is nothing at this address."))


class Edge:
    """Gives each request an id, a span and safe headers; what nobody expected becomes a problem."""

    def __init__(self, app: ASGIApp, admit: Admit) -> None:
        self._app = app
        self._admit = admit

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] != "http":
            return
        headers = Headers(scope=scope)
        request_id = begin_request(headers.get(REQUEST_ID_KEY, ""))
        response = _Outgoing(send, request_id, scope["path"])
        began_s = time.monotonic()
        with server_span(scope["method"], headers) as span:
            try:
                check_host(headers)
                # Before it is routed and read: what a refusal takes is taken from an answer.
                self._admit(scope)
                await self._app(scope, receive, response.send)
            except QuothError as error:
                await send_problem(error, response.send)
            except ClientDisconnect:
                _LOG.info("request %s: the client went away", request_id)
            except Exception:  # noqa: BLE001 - the one place
                _LOG.exception("request %s failed", request_id)
                if not response.status:
                    await send_problem(QuothError(UNEXPECTED), response.send)
            finally:
                _measure(scope, response.status, time.monotonic() - began_s)
            path = _route_of(scope)
            if path:
                span.update_name(f"{scope['method']} {path}")
                span.set_attribute("http.route", path)
            span.set_attribute("http.request.method", scope["method"])
            span.set_attribute("http.response.status_code", response.status)


def _route_of(scope: Scope) -> str:
    route = scope.get("route")
    return route.path if isinstance(route, Route) else ""


def _measure(scope: Scope, status: int, took_s: float) -> None:
    metrics = current_metrics()
    if metrics is not None:
        metrics.measure_request(scope["method"], _route_of(scope), status, took_s)


class _Outgoing:
    """The response on its way out; `status` is 0 until it has begun."""

    def __init__(self, send: Send, request_id: str, path: str) -> None:
        self._send = send
        self._request_id = request_id
        self._cache = b"no-cache" if path == "/" or path.startswith("/static/") else b"no-store"
        self.status = 0

    async def send(self, message: Message) -> None:
        if message["type"] == "http.response.start":
            self.status = message["status"]
            message["headers"] = [
                *message["headers"],
                *_HEADERS,
                (b"x-request-id", self._request_id.encode()),
                (b"cache-control", self._cache),
            ]
        await self._send(message)


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


def listen(port: int) -> socket.socket:
    """Take `port` on 127.0.0.1; 0 picks a free one. Raises OSError when it is taken."""
    listener = socket.socket(socket.AF_INET, socket.SOCK_STREAM)
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(("127.0.0.1", port))
        listener.listen(1024)
    except OSError:
        listener.close()
        raise
    return listener


async def start_server(app: ASGIApp, listener: socket.socket) -> RunningServer:
    """Serve `app` on `listener`; return when it takes requests."""
    config = uvicorn.Config(
        app,
        http="httptools",
        ws="none",
        lifespan="off",
        access_log=False,
        log_config=None,
        proxy_headers=False,
        server_header=False,
        timeout_graceful_shutdown=_GRACE_S,
    )
    server = uvicorn.Server(config)
    task = asyncio.create_task(server.serve([listener]))
    while not server.started and not task.done():  # noqa: ASYNC110 - uvicorn offers no event
        await asyncio.sleep(0.01)
    return RunningServer(server, task, listener.getsockname()[1])
