"""What every route is made of: an operation as documented, and the function that serves it."""

import asyncio
import re
from collections.abc import Awaitable, Callable, Mapping
from dataclasses import dataclass
from typing import Any, TypeVar

import msgspec
from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import Route
from starlette.types import Receive, Scope, Send

from libs.budget import Budget
from libs.budget.budget import measure_stages, set_current_budget
from libs.budget.stages import GATEWAY, TOTAL_S
from libs.errors import DeadlineExceeded, InvalidInput, QuothError
from services.gateway.access import Guard
from services.gateway.openapi import Operation, Parameter
from services.gateway.routes.bodies import discard_body

T = TypeVar("T")

Handler = Callable[[Request], Awaitable[Any]]

_BUDGET = "quoth.budget"
_LATE = "That was not done in time. Try again in a moment."
TIMEOUT_HEADER = "x-request-timeout-ms"

_LANGUAGE = re.compile(
    r"([A-Za-z]{2,3})(?:-[\w-]*)?(?:\s*;\s*q\s*=\s*([01](?:\.\d{0,3})?))?", re.ASCII
)
_LONGEST_LIST = 1000
_MOST_LANGUAGES = 20

BOOK = Parameter("book", "path", "Slug of the book.", {"type": "string"})
EDITION = Parameter(
    "edition",
    "query",
    "Edition to show. The default is the current one.",
    {"type": "integer", "minimum": 1, "maximum": 2**31 - 1},
)
PAGE = (
    Parameter(
        "limit",
        "query",
        "Most entries of a page. The default is all of them.",
        {"type": "integer", "minimum": 1, "maximum": 1000},
    ),
    Parameter(
        "cursor",
        "query",
        "`next_cursor` of the page before.",
        {"type": "string", "maxLength": 2000},
    ),
)
TIMEOUT = Parameter(
    "X-Request-Timeout-Ms",
    "header",
    f"Milliseconds the client is ready to wait, at most {TOTAL_S * 1000:.0f}.",
    {"type": "integer", "minimum": 1},
)
REQUEST_KEY = Parameter(
    "Idempotency-Key",
    "header",
    "Marks a question so that it is answered once: sent again with the same key within a day, it gets "
    "the answer that was recorded.",
    {"type": "string", "minLength": 1, "maxLength": 200, "pattern": "^[!-~]+$"},
)
LANGUAGES = Parameter(
    "Accept-Language",
    "header",
    "Languages of the reader: in the first of them that there are words of, a question whose own words "
    "tell no language is refused.",
    {"type": "string"},
)
POST_PROBLEMS = (
    "malformed",
    "foreign_origin",
    "too_slow",
    "too_large",
    "wrong_media_type",
    "invalid_input",
)
CALL_PROBLEMS = ("not_found", "overloaded", "unavailable", "no_room", "deadline_exceeded")


@dataclass(frozen=True)
class Endpoint:
    """One operation and its handler."""

    operation: Operation
    handler: Handler

    def route(self, guard: Guard) -> Route:
        """Return the route, which the guard lets nobody through without a look."""

        return Route(self.operation.path, _Served(self, guard), methods=[self.operation.method])


class _Served:
    """An endpoint as the server calls it; errors are made problems around all of them, once."""

    def __init__(self, endpoint: Endpoint, guard: Guard) -> None:
        self._endpoint = endpoint
        self._guard = guard

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        request, operation = Request(scope, receive, send), self._endpoint.operation
        try:
            await self._guard.let_in(request, operation.access)
        except QuothError:
            if operation.body_media:
                await discard_body(request)
            raise
        try:
            response = await self._endpoint.handler(request)
            await response(scope, receive, send)
        finally:
            budget = scope.get(_BUDGET)
            measure_stages(budget.timings if budget else ())


def start_budget(request: Request) -> Budget:
    """Start the request's one deadline, now that it has been read."""
    budget = Budget(_wished_s(request), GATEWAY)
    set_current_budget(budget)
    request.scope[_BUDGET] = budget
    return budget


def _wished_s(request: Request) -> float:
    wish = request.headers.get(TIMEOUT_HEADER)
    if wish is None:
        return TOTAL_S
    if not wish.isascii() or not wish.isdigit() or int(wish[:9]) < 1:
        raise InvalidInput(
            "X-Request-Timeout-Ms must be a whole number of milliseconds, 1 or more."
        )
    return min(int(wish[:9]) / 1000, TOTAL_S)


def read_request_key(request: Request) -> str:
    """Return the request's Idempotency-Key, "" without one. Raises InvalidInput."""
    key = request.headers.get(REQUEST_KEY.name)
    if key is None:
        return ""
    if not re.fullmatch("[!-~]{1,200}", key):
        raise InvalidInput("Idempotency-Key: Send 1 to 200 visible ASCII characters.")
    return key


def read_languages(request: Request) -> tuple[str, ...]:
    """Return the codes of the languages that Accept-Language names, the dearest first.

    What is none is passed over: browsers and people write all sorts of things there.
    """
    weighed = []
    for part in ",".join(request.headers.getlist(LANGUAGES.name))[:_LONGEST_LIST].split(","):
        named = _LANGUAGE.fullmatch(part.strip())
        weight = float(named[2] or 1) if named else 0.0
        if named and weight > 0:
            weighed.append((weight, named[1].lower()))
    weighed.sort(key=lambda one: one[0], reverse=True)
    return tuple(dict.fromkeys(code for _, code in weighed))[:_MOST_LANGUAGES]


async def within(left_s: float, work: Awaitable[T]) -> T:
    """Await `work` by the gateway's own timer, even if a service hangs."""
    try:
        async with asyncio.timeout(left_s):
            return await work
    except TimeoutError as error:
        raise DeadlineExceeded(_LATE) from error


def tagged_response(
    request: Request, body: bytes, tag: str, headers: Mapping[str, str]
) -> Response:
    """Return bytes that are named by a tag, which who knows them already is not sent.

    The tag is a weak one: what is sent may be packed. `headers` name the media type as well.
    """
    etag = f'"{tag}"'
    named = {**headers, "ETag": f"W/{etag}"}
    known = request.headers.get("if-none-match", "")
    if known.strip() == "*" or etag in (one.strip().removeprefix("W/") for one in known.split(",")):
        return Response(status_code=304, headers=named)
    return Response(body, headers=named)


def json_response(
    content: Any, status: int = 200, headers: Mapping[str, str] | None = None
) -> Response:
    body = msgspec.json.encode(content)
    return Response(body, status, headers, media_type="application/json")
