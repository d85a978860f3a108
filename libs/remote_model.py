"""What calls to models behind an API have in common: a bound of time, and a circuit breaker."""

import asyncio
from collections.abc import Awaitable, Callable
from functools import partial
from typing import TypeVar

from libs.circuit import CircuitBreaker
from libs.errors import Unavailable

T = TypeVar("T")

_MALFORMED = (TypeError, ValueError, AttributeError, LookupError, OverflowError, RecursionError)
"""What a reply raises, read as what its API promises, that is something else."""

_FIRST_WAIT_S = 5.0
_LONGEST_WAIT_S = 60.0


class RemoteModel:
    """Calls a model that may hang, drip or be gone; `name` is what log and metrics call it.

    A call with its retries may take `allowed_s` in all; it is tried once more, at once, after an error
    that `is_passing`. A reply that can't be read raises Unavailable with `unusable`. What fails again
    and again is left alone for a while: then a call raises Unavailable with `no_answer` at once.
    """

    def __init__(
        self,
        name: str,
        allowed_s: float,
        no_answer: str,
        unusable: str,
        is_passing: Callable[[BaseException | None], bool] = lambda _: False,
    ) -> None:
        self._allowed_s = allowed_s
        self._no_answer = no_answer
        self._unusable = unusable
        self._is_passing = is_passing
        self.breaker = CircuitBreaker(
            name,
            partial(Unavailable, no_answer),
            wait_s=_FIRST_WAIT_S,
            longest_wait_s=_LONGEST_WAIT_S,
        )

    async def call(self, ask: Callable[[], Awaitable[T]]) -> T:
        """Return what `ask` returns. Raises what it raises, and Unavailable when it takes too long."""
        with self.breaker.watch(lambda error: isinstance(error, Unavailable)):
            try:
                async with asyncio.timeout(self._allowed_s):
                    try:
                        return await ask()
                    except Unavailable as error:
                        if not self._is_passing(error.__cause__):
                            raise
                    return await ask()
            except TimeoutError as error:
                raise Unavailable(self._no_answer) from error
            except _MALFORMED as error:
                raise Unavailable(self._unusable) from error
