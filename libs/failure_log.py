"""Say in the log why a provider fails: readers are told only that it does."""

import logging
import os
import re
import time
from collections.abc import Callable

from libs.errors import QuothError

_LOG = logging.getLogger(__name__)

_AGAIN_S = 60.0
"""The same reason is said again after this: a log is no counter, and metrics count."""

_STATUSES = {
    401: "it refuses the key",
    402: "it wants to be paid",
    403: "it refuses the key, or what the key may not use",
    404: "it has not this address or this model",
    407: "the proxy refuses to pass it on",
    429: "it takes no more requests now",
    529: "it is overloaded",
}
_MOVED = "it sends requests elsewhere, which is not followed: is the URL right?"
_UNREADABLE = "what it answers is not what its API answers: is the URL right?"
_FIRST_MOVED, _FIRST_REFUSED, _FIRST_FAILED = 300, 400, 500
_TOO_LARGE, _OF_CONTENT = 413, (400, 422)
_TOO_LONG = re.compile(
    r"context[_ ](length|window|size)|(prompt|input|request) is too long|too many (input )?tokens"
    r"|maximum number of tokens",
    re.IGNORECASE,
)
_READS = (ValueError, TypeError, AttributeError, LookupError)


class FailureLog:
    """Logs each failure of `name` with its reason, the same one once a minute at most.

    A reason is made of a status and of classes of errors: what a provider writes may hold a key.
    """

    def __init__(self, name: str, clock: Callable[[], float] = time.monotonic) -> None:
        self._name = name
        self._clock = clock
        self._said: dict[str, float] = {}

    def note(self, error: BaseException) -> None:
        """Say why, if it was not said within the last minute."""
        reason, now = reason_of(error), self._clock()
        if now >= self._said.get(reason, now):
            self._said[reason] = now + _AGAIN_S
            _LOG.warning("%s: %s", self._name, reason)


def reason_of(error: BaseException) -> str:
    """Return in a line of our own words why a provider failed."""
    status = getattr(error, "status_code", None)
    if isinstance(status, int):
        return f"{_reason_of_status(error, status)} (status {status})"
    root = _root_of(error)
    name = type(root).__name__
    if isinstance(root, OSError) and root.errno and root.errno > 0:
        return f"no connection ({os.strerror(root.errno)})"
    if "Timeout" in name or name == "CancelledError":
        return f"no answer in time ({name})"
    if name == "LocalProtocolError":
        return "the request can't be sent: its key has characters that HTTP does not take"
    if isinstance(error, (*_READS, QuothError)):
        # Of our own errors a reply came, and was refused for what it says.
        return _UNREADABLE if isinstance(error, QuothError) else f"{_UNREADABLE} ({name})"
    return f"no connection ({name})"


def is_too_long(error: BaseException | None) -> bool:
    """Whether the error of an SDK says that a request has more tokens than its model takes."""
    status = getattr(error, "status_code", None)
    return status == _TOO_LARGE or (
        status in _OF_CONTENT and bool(_TOO_LONG.search(words_of(error)))
    )


def words_of(error: BaseException | None) -> str:
    """Return all that a provider wrote with an error of its SDK, which may leave out the most of it."""
    response = getattr(error, "response", None)
    is_read = getattr(response, "is_stream_consumed", False)
    return f"{error} {response.text}" if response is not None and is_read else str(error)


def _reason_of_status(error: BaseException, status: int) -> str:
    if is_too_long(error):
        return "the request is too long for the model"
    if status >= _FIRST_FAILED:
        return _STATUSES.get(status, "it fails")
    if status >= _FIRST_REFUSED:
        return _STATUSES.get(status, "it does not take the request")
    return _MOVED if status >= _FIRST_MOVED else _UNREADABLE


def _root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return error
