"""Say in the log why a provider fails: readers are told only that it does."""

import logging
import os
import time
from collections.abc import Callable

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
}
_MOVED = "it sends requests elsewhere, which is not followed: is the URL right?"
_FIRST_MOVED, _FIRST_REFUSED, _FIRST_FAILED = 300, 400, 500
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
        return f"{_STATUSES.get(status) or _of_class(status)} (status {status})"
    root = _root_of(error)
    name = type(root).__name__
    if isinstance(root, OSError) and root.errno and root.errno > 0:
        return f"no connection ({os.strerror(root.errno)})"
    if "Timeout" in name:
        return f"no answer in time ({name})"
    if name == "LocalProtocolError":
        return "the request can't be sent: its key has characters that HTTP does not take"
    if isinstance(error, _READS):
        return f"what it answers is not what its API answers ({name}): is the URL right?"
    return f"no connection ({name})"


def _of_class(status: int) -> str:
    if status >= _FIRST_FAILED:
        return "it fails"
    return _MOVED if _FIRST_MOVED <= status < _FIRST_REFUSED else "it does not take the request"


def _root_of(error: BaseException) -> BaseException:
    while error.__cause__ is not None or error.__context__ is not None:
        error = error.__cause__ or error.__context__ or error
    return error
