"""Refuse calls to the vector store at once while it is down or hangs."""

import asyncio
import time
from collections.abc import Awaitable, Callable, Iterator
from contextlib import contextmanager
from functools import partial

from libs.budget.stages import SEARCH
from libs.circuit import CircuitBreaker
from libs.errors import DeadlineExceeded, Unavailable
from libs.vectors.client import NO_ANSWER, StoreFault

PROBE_EVERY_S = 1.0

_LEAST_S = 0.1
"""Seconds of silence that say something: a call with less was late before it began."""

_WHOLE = 0.9
"""Part of its time after which a call that is cancelled was ended by its stage, not by its caller."""

Report = Callable[[bool], Awaitable[None]]
"""Told whether the store answers, each time that it changes."""


class StoreCircuitBreaker:
    """Lets calls through until the store left five in a row without an answer.

    From then on calls are refused, and only `keep_asking` asks the store, until it answers: no reader
    waits to find out, and none is needed, since a service that is not ready may get no calls at all.
    """

    def __init__(
        self, report: Report | None = None, clock: Callable[[], float] = time.monotonic
    ) -> None:
        self._report = report
        self._clock = clock
        self._answered_s = clock()
        self._last_reported = True
        self._telling: set[asyncio.Task[None]] = set()
        self._breaker = CircuitBreaker(
            "vector store",
            partial(Unavailable, NO_ANSWER),
            wait_s=0.0,  # `keep_asking` waits
            longest_wait_s=0.0,
            changed=lambda is_open: self._tell(answers=not is_open),
            clock=clock,
        )

    @contextmanager
    def call(self, timeout_s: float) -> Iterator[None]:
        """Run the block, a call that may take `timeout_s` seconds.

        Raises Unavailable, and does not run it, while the store is known not to answer.
        """
        if self._breaker.is_open:
            raise Unavailable(NO_ANSWER, PROBE_EVERY_S)
        with self._watch(timeout_s):
            yield

    async def keep_asking(
        self,
        ask: Callable[[float], Awaitable[None]],
        sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
    ) -> None:
        """Ask the store each second in which it answered nobody, as long as this task runs.

        `ask` takes its seconds; it raises Unavailable or DeadlineExceeded.
        """
        while True:
            await sleep(PROBE_EVERY_S)
            if self._breaker.is_open or self._clock() - self._answered_s >= PROBE_EVERY_S:
                await self.probe(ask)
            else:
                self._tell(answers=True)

    async def probe(self, ask: Callable[[float], Awaitable[None]]) -> None:
        """Ask the store once, and report whether it answers."""
        try:
            with self._watch(SEARCH.cap_s):
                await ask(SEARCH.cap_s)
        except (Unavailable, DeadlineExceeded):
            # What a reader would get now, whether the circuit is open or not yet.
            self._tell(answers=False)
        else:
            self._tell(answers=True)

    @contextmanager
    def _watch(self, timeout_s: float) -> Iterator[None]:
        began_s = self._clock()

        def is_failure(error: BaseException) -> bool:
            waited_s = self._clock() - began_s
            if isinstance(error, asyncio.CancelledError):
                return waited_s >= max(_LEAST_S, _WHOLE * timeout_s)
            late = isinstance(error, DeadlineExceeded) and waited_s >= _LEAST_S
            # A fault is of one book's server; others may be answered.
            return late or (isinstance(error, Unavailable) and not isinstance(error, StoreFault))

        with self._breaker.watch(is_failure):
            yield
        self._answered_s = self._clock()

    def _tell(self, *, answers: bool) -> None:
        if self._report is not None and answers != self._last_reported:
            self._last_reported = answers
            task = asyncio.ensure_future(self._report(answers))
            self._telling.add(task)
            task.add_done_callback(self._telling.discard)
