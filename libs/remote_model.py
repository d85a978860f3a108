"""What calls to models behind an API have in common: bounds of time and tries, a circuit breaker."""

import asyncio
import time
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeGuard, TypeVar

from libs.circuit import CircuitBreaker
from libs.errors import Unavailable
from libs.failure_log import FailureLog, reason_of
from libs.pause import Pause

T = TypeVar("T")

_MALFORMED = (TypeError, ValueError, AttributeError, LookupError, OverflowError, RecursionError)
"""What a reply raises, read as what its API promises, that is something else."""

_FIRST_WAIT_S = 5.0
_LONGEST_WAIT_S = 60.0
_FIRST_BACKOFF_S = 0.5
_LONGEST_BACKOFF_S = 8.0


_OF_REQUEST = (400, 413, 422)
"""Statuses of a request that is too long, filtered or malformed: the next one may be none of these."""

_LEAST = 300
"""Below this an API has answered, if not with what was asked for."""


def is_passing_status(status: int) -> bool:
    """Whether what an HTTP status says may be otherwise the next moment."""
    return status in (408, 429) or status >= 500


def is_of_request(error: BaseException | None) -> bool:
    """Whether the error of an SDK says something of one request and nothing of who answers others."""
    return getattr(error, "status_code", None) in _OF_REQUEST


def is_refusal(error: BaseException | None) -> TypeGuard[BaseException]:
    """Whether the error of an SDK has a status that stays the same for the same request."""
    status = getattr(error, "status_code", None)
    return isinstance(status, int) and status >= _LEAST and not is_passing_status(status)


class Refused(Unavailable):
    """Asked the same again, the provider would refuse it again; `reason` says in our words why."""

    def __init__(self, message: str, reason: str) -> None:
        super().__init__(message)
        self.reason = reason


class RemoteModel:
    """Calls a model that may hang, drip or be gone; `name` is what log and metrics call it.

    A call with its retries may take `allowed_s` in all, each try `try_s` if that is given. After an
    error that `is_passing` it is tried `retries` times more: the first time at once, then after half a
    second, one, two, up to eight; and never before the time that the provider named. A status that
    stays raises Refused; a reply that can't be read, Unavailable with `unusable`. What fails again and
    again is left alone for a while: then a call raises Unavailable with `no_answer` at once, as it does
    while a provider asks to be left alone for longer than a call may take. Whether it is back is seen
    by one try.
    """

    def __init__(
        self,
        name: str,
        allowed_s: float,
        no_answer: str,
        unusable: str,
        *,
        is_passing: Callable[[BaseException | None], bool] = lambda _: False,
        retries: int = 1,
        try_s: float | None = None,
    ) -> None:
        self._allowed_s = allowed_s
        self._no_answer = no_answer
        self._unusable = unusable
        self._is_passing = is_passing
        self._retries = retries
        self._try_s = try_s
        self._pause = Pause()
        self._log = FailureLog(name)
        self.breaker = CircuitBreaker(
            name,
            partial(Unavailable, no_answer),
            wait_s=_FIRST_WAIT_S,
            longest_wait_s=_LONGEST_WAIT_S,
        )

    async def call(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` returns. Raises what it raises, and Unavailable when it takes too long."""
        retries = 0 if self.breaker.is_open else self._retries
        with self.breaker.watch(_is_failure):
            try:
                async with asyncio.timeout(self._allowed_s):
                    return await self._try(ask, time.monotonic() + self._allowed_s, retries)
            except TimeoutError as error:
                self._log.note(error)
                raise Unavailable(self._no_answer) from error
            except _MALFORMED as error:
                self._log.note(error)
                raise Unavailable(self._unusable) from error

    async def _try(self, ask: Callable[[], Awaitable[T]], end: float, retries: int) -> T:
        """Ask until there is an answer, an error that stays, or no try is left."""
        tried = 0
        while True:
            await self._pause.wait(end - time.monotonic())
            try:
                return await self._try_once(ask)
            except Unavailable as error:
                self._pause.heed(error)
                self._log.note(error.__cause__ or error)
                if is_refusal(error.__cause__):
                    raise Refused(error.message, reason_of(error.__cause__)) from error.__cause__
                last = tried == retries or not self._may_pass(error.__cause__)
                if last or (error.retry_after_s or 0.0) > end - time.monotonic():
                    raise
            await asyncio.sleep(_backoff_s(tried))
            tried += 1

    async def _try_once(self, ask: Callable[[], Awaitable[T]]) -> T:
        # A client's own limit is of silence: who sends a byte now and then never comes to it.
        try:
            async with asyncio.timeout(self._try_s):
                return await ask()
        except TimeoutError as error:
            raise Unavailable(self._no_answer) from error

    def _may_pass(self, error: BaseException | None) -> bool:
        return isinstance(error, TimeoutError) or self._is_passing(error)


def _backoff_s(tried: int) -> float:
    return min(_LONGEST_BACKOFF_S, _FIRST_BACKOFF_S * 2.0 ** (tried - 1)) if tried else 0.0


def _is_failure(error: BaseException) -> bool:
    """Whether an error is of a model that is broken.

    One that says when to come back is not, nor one that does not take a request for what is in it.
    """
    told = isinstance(error, Unavailable) and bool(error.retry_after_s)
    return isinstance(error, Unavailable) and not told and not is_of_request(error.__cause__)
