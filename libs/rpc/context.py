"""What travels with every call: the request's id and the trace context."""

import secrets
from contextvars import ContextVar

from libs.telemetry.tracing import outgoing_context

REQUEST_ID_KEY = "x-request-id"

_request_id: ContextVar[str] = ContextVar("request_id", default="")


def current_request_id() -> str:
    return _request_id.get()


def begin_request(request_id: str = "") -> str:
    """Set the id of the request being served, a new one if none is given, and return it."""
    if not (0 < len(request_id) <= 64 and request_id.isascii() and request_id.isprintable()):
        request_id = secrets.token_hex(16)
    _request_id.set(request_id)
    return request_id


def call_metadata() -> tuple[tuple[str, str], ...]:
    """Return the metadata of a call made on behalf of the current request."""
    return ((REQUEST_ID_KEY, current_request_id()), *outgoing_context().items())
