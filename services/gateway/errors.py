"""The one table from failures to HTTP status and problem document (RFC 9457)."""

import math
import re
from collections.abc import Iterable
from http import HTTPStatus
from typing import Annotated

import msgspec
from msgspec import Meta, Struct
from starlette.responses import Response
from starlette.types import Send

from libs.errors import QuothError, Unavailable
from libs.rpc.context import current_request_id

FAILED = "quoth.failed"
"""Where in its scope a request keeps the status of what broke its response off once it had begun."""
UNEXPECTED = "Something went wrong inside Quoth."
_RETRY_KINDS = ("overloaded", "unavailable", "model_busy")
_LONGEST_RETRY_S = 60.0
_MEDIA_TYPE = "application/problem+json"
_CHAT = re.compile("/v1/(?:chat/completions|models(?:/.*)?)")


class Malformed(QuothError):
    """The request is no HTTP, or its body is not JSON."""

    kind = "malformed"


class WrongHost(QuothError):
    """The request was made for another host's name."""

    kind = "wrong_host"


class ForeignOrigin(QuothError):
    """Another site's page made the request."""

    kind = "foreign_origin"


class WrongMediaType(QuothError):
    """The body's content type is not one that is taken."""

    kind = "wrong_media_type"


class WrongMethod(QuothError):
    """The address exists, but not for this method."""

    kind = "wrong_method"


class Unauthenticated(QuothError):
    """The request has no key, or one that is not or no longer valid."""

    kind = "unauthenticated"


class Forbidden(QuothError):
    """The key is not for this."""

    kind = "forbidden"


class RateLimited(QuothError):
    """The client makes more requests than it may; `retry_after_s` is when the next one is taken."""

    kind = "rate_limited"

    def __init__(self, message: str, retry_after_s: float) -> None:
        super().__init__(message)
        self.retry_after_s = retry_after_s


class BudgetSpent(RateLimited):
    """The client's tokens of today are spent."""

    kind = "budget_spent"


class TooSlow(QuothError):
    """The request did not arrive in time."""

    kind = "too_slow"


STATUS_BY_KIND: dict[str, int] = {
    "malformed": 400,
    "unauthenticated": 401,
    "forbidden": 403,
    "foreign_origin": 403,
    "not_found": 404,
    "wrong_method": 405,
    "too_slow": 408,
    "conflict": 409,
    "wrong_index": 409,
    "too_large": 413,
    "wrong_media_type": 415,
    "wrong_host": 421,
    "invalid_input": 422,
    "overloaded": 429,
    "rate_limited": 429,
    "budget_spent": 429,
    "internal": 500,
    "model_unavailable": 502,
    "unavailable": 503,
    "model_busy": 503,
    "deadline_exceeded": 504,
    "no_room": 507,
}

TITLE_BY_KIND: dict[str, str] = {
    "malformed": "Malformed request",
    "unauthenticated": "No valid key",
    "forbidden": "Not allowed with this key",
    "foreign_origin": "Request of another site",
    "not_found": "Not found",
    "wrong_method": "Method not allowed",
    "too_slow": "Slow request",
    "conflict": "Conflict",
    "wrong_index": "Indexed by another model or version",
    "too_large": "Too large",
    "wrong_media_type": "Content type not accepted",
    "wrong_host": "Wrong host",
    "invalid_input": "Invalid input",
    "overloaded": "Too busy",
    "rate_limited": "Too many requests",
    "budget_spent": "Token budget spent",
    "internal": "Internal error",
    "model_unavailable": "Model unavailable",
    "unavailable": "Service unavailable",
    "model_busy": "Model busy",
    "deadline_exceeded": "Query processing timed out",
    "no_room": "No room on the disk",
}


class Problem(Struct, frozen=True):
    """What went wrong, in the form of RFC 9457."""

    type: Annotated[str, Meta(description="A URN that names the kind of problem.")]
    title: Annotated[str, Meta(description="The kind of problem in words.")]
    status: Annotated[int, Meta(description="The HTTP status.")]
    detail: Annotated[str, Meta(description="What was wrong with this request, and what to do.")]
    code: Annotated[str, Meta(description="The kind of problem, for programs.")]
    request_id: Annotated[str, Meta(description="Id of the request, also in X-Request-Id.")]


class ChatError(Struct, frozen=True):
    """What went wrong, where clients of OpenAI's API look for it."""

    message: str
    type: str
    code: str
    param: None = None


class ChatProblem(Problem, frozen=True):
    """What went wrong, in both forms: a client of OpenAI's API shows the message of `error` alone."""

    error: ChatError


def problem_from(error: QuothError, path: str = "") -> Problem:
    """Return the problem as the address that was asked for writes it."""
    problem = _problem(error)
    if not _CHAT.fullmatch(path):
        return problem
    return ChatProblem(**msgspec.structs.asdict(problem), error=chat_error(error))


def chat_error(error: QuothError) -> ChatError:
    return ChatError(error.message, TITLE_BY_KIND[error.kind], error.kind)


def _problem(error: QuothError) -> Problem:
    return Problem(
        type=f"urn:quoth:problem:{error.kind}",
        title=TITLE_BY_KIND[error.kind],
        status=STATUS_BY_KIND[error.kind],
        detail=error.message,
        code=error.kind,
        request_id=current_request_id(),
    )


def problem_response(error: QuothError, path: str = "") -> Response:
    problem = problem_from(error, path)
    body = msgspec.json.encode(problem)
    return Response(body, problem.status, _extra_headers(error), media_type=_MEDIA_TYPE)


def raw_problem(error: QuothError, headers: Iterable[tuple[bytes, bytes]]) -> bytes:
    """Return a whole HTTP response, for a request that was not read as far as an application."""
    problem = problem_from(error)
    body = msgspec.json.encode(problem)
    lines = [
        b"HTTP/1.1 %d %s" % (problem.status, HTTPStatus(problem.status).phrase.encode()),
        b"content-type: " + _MEDIA_TYPE.encode(),
        b"content-length: %d" % len(body),
        b"x-request-id: " + problem.request_id.encode(),
        b"cache-control: no-store",
        b"connection: close",
        *(name + b": " + value for name, value in headers),
    ]
    return b"\r\n".join(lines) + b"\r\n\r\n" + body


async def send_problem(error: QuothError, send: Send, path: str) -> None:
    """Send what `problem_response` makes, at half its price: for requests that come in thousands."""
    problem = problem_from(error, path)
    body = msgspec.json.encode(problem)
    headers = [
        *((name.encode(), value.encode()) for name, value in _extra_headers(error).items()),
        (b"content-length", b"%d" % len(body)),
        (b"content-type", _MEDIA_TYPE.encode()),
    ]
    await send({"type": "http.response.start", "status": problem.status, "headers": headers})
    await send({"type": "http.response.body", "body": body})


def _extra_headers(error: QuothError) -> dict[str, str]:
    """Return what a status asks for: how to authenticate, when to try again.

    Retry-After of a part that failed is 1 to 60 s, as that part says; 1 s when it doesn't.
    """
    if isinstance(error, Unauthenticated):
        return {"WWW-Authenticate": "Bearer"}
    if isinstance(error, RateLimited):
        return {"Retry-After": str(max(1, math.ceil(error.retry_after_s)))}
    after_s = error.retry_after_s if isinstance(error, Unavailable) else None
    if after_s is not None:
        return {"Retry-After": str(math.ceil(min(_LONGEST_RETRY_S, max(1.0, after_s))))}
    return {"Retry-After": "1"} if error.kind in _RETRY_KINDS else {}
