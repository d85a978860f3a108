"""Run a few calls at once, queue a few more, and refuse the rest immediately.

A call that runs beside too many others takes as long as all of them together and ends too late, so
that all their work is lost. A queued call costs nothing, and a refused one has time left for a retry.
"""

import asyncio
import time
from collections import deque
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager

from libs.errors import Overloaded

PATIENCE_S = 1.0
"""Longest wait in seconds: enough for a burst; a longer queue would never get shorter."""

_MARGIN = 2.0
"""Safety factor on the expected time: calls differ, and a result that is just too late is lost."""

_MOST_WAITING = 8
"""Queued calls for each slot, at most: the bound while no duration is known yet."""

_SHARE = 1 / 16
"""Weight of the newest call in the average."""

_BUSY = "Too many requests at once. Try again in a moment."


class ConcurrencyLimiter:
    """Runs `at_once` calls. Queues a call when all slots are busy, if it is expected to start in time.

    The expected wait follows from how long calls take while every slot is busy, whether they wait for
    a processor or for a remote language model.
    """

    def __init__(self, at_once: int, clock: Callable[[], float] = time.monotonic) -> None:
        self._at_once = at_once
        self._clock = clock
        self._running = 0
        self._waiting: deque[asyncio.Future[None]] = deque()
        self._service_s = 0.0

    def wait_s(self) -> float:
        """Seconds until a call that comes in now may begin; 0.0 while there is a place."""
        if self._running < self._at_once:
            return 0.0
        return (len(self._waiting) + 1) * self._service_s / self._at_once

    def require_room(self, left_s: float) -> None:
        """Raise Overloaded when a call that came in now would be refused at once by `turn`."""
        if self._running >= self._at_once:
            self._require_time(left_s)

    @asynccontextmanager
    async def turn(self, left_s: float) -> AsyncIterator[None]:
        """Run the block, which must end within `left_s` seconds, when its turn comes.

        Raises Overloaded: at once when that would be too late, and when it has become too late.
        """
        if self._running < self._at_once:
            self._running += 1
        else:
            self._require_time(left_s)
            await self._wait(left_s)
        began_s = self._clock()
        try:
            yield
        finally:
            if self._running == self._at_once:
                share = _SHARE if self._service_s else 1.0
                self._service_s += share * (self._clock() - began_s - self._service_s)
            self._leave()

    def _require_time(self, left_s: float) -> None:
        wait_s = self.wait_s()
        late = (wait_s + self._service_s) * _MARGIN > left_s
        if late or wait_s > PATIENCE_S or len(self._waiting) >= _MOST_WAITING * self._at_once:
            raise Overloaded(_BUSY)

    async def _wait(self, left_s: float) -> None:
        """Return when a call that ended has left its place to this one, and it is not too late."""
        ends_s = self._clock() + left_s
        place: asyncio.Future[None] = asyncio.get_running_loop().create_future()
        self._waiting.append(place)
        try:
            async with asyncio.timeout(left_s):
                await self._take(place)
        except TimeoutError as error:
            raise Overloaded(_BUSY) from error
        if ends_s - self._clock() < self._service_s:
            self._leave()
            raise Overloaded(_BUSY)

    async def _take(self, place: "asyncio.Future[None]") -> None:
        try:
            await place
        except asyncio.CancelledError:
            if not place.cancelled():  # the place came in the same moment
                self._leave()
            elif place in self._waiting:
                self._waiting.remove(place)
            raise

    def _leave(self) -> None:
        while self._waiting:
            place = self._waiting.popleft()
            if not place.done():
                place.set_result(None)  # the place goes over: as many run as before
                return
        self._running -= 1
