"""Count requests in a moving minute: in memory, or by the limits library in a Redis for all."""

import logging
import time
from collections import deque
from collections.abc import Awaitable, Callable
from typing import TYPE_CHECKING

from libs.errors import Unavailable

if TYPE_CHECKING:
    from services.gateway.adapters.redis_window import SharedWindow

_LOG = logging.getLogger(__name__)
_PAUSE_S = 1.0
"""Seconds after a failure in which Redis is not asked."""
_WINDOW_S = 60.0


class OwnWindow:
    """Counts in memory, each gateway for itself.

    The library's own storage in memory looks at every client at each request, in another thread.
    """

    def __init__(self, clock: Callable[[], float] = time.monotonic) -> None:
        self._clock = clock
        self._taken: dict[str, deque[float]] = {}
        self._swept_at = clock()

    def take(self, name: str, most: int) -> float:
        """Take one of `most` places, 1 or more, and return 0.0, or the seconds until one is free."""
        now = self._clock()
        self._sweep(now)
        taken = self._taken.setdefault(name, deque())
        while taken and taken[0] <= now - _WINDOW_S:
            taken.popleft()
        if len(taken) < most:
            taken.append(now)
            return 0.0
        return max(taken[len(taken) - most] + _WINDOW_S - now, 0.001)

    def __len__(self) -> int:
        """The names that are remembered."""
        return len(self._taken)

    def _sweep(self, now: float) -> None:
        """Forget once a minute who has asked nothing in it."""
        if now - self._swept_at < _WINDOW_S:
            return
        self._swept_at = now
        self._taken = {
            name: taken for name, taken in self._taken.items() if taken[-1] > now - _WINDOW_S
        }


class MovingWindow:
    """Counts in what gateways share; while that fails, each gateway by itself."""

    def __init__(
        self,
        shared: "SharedWindow | None" = None,
        close: Callable[[], Awaitable[None]] | None = None,
    ) -> None:
        self._own = OwnWindow()
        self._shared = shared
        self._close = close
        self._resumes_at = 0.0
        self._is_degraded = False

    async def close(self) -> None:
        if self._close is not None:
            await self._close()

    @property
    def is_degraded(self) -> bool:
        return self._is_degraded

    async def take_request(self, name: str, most: int) -> float:
        if self._shared is not None and time.monotonic() >= self._resumes_at:
            try:
                wait_s = await self._shared.take(name, most)
            except Unavailable:
                self._note(is_degraded=True)
            else:
                self._note(is_degraded=False)
                return wait_s
        return self._own.take(name, most)

    def _note(self, *, is_degraded: bool) -> None:
        if is_degraded:
            self._resumes_at = time.monotonic() + _PAUSE_S
        if is_degraded != self._is_degraded:
            self._is_degraded = is_degraded
            _LOG.warning("requests are counted %s", "here alone" if is_degraded else "by Redis")


def open_window(redis_url: str) -> MovingWindow:
    """Connects when it counts first. Raises SettingsError for an address that can't be used."""
    if not redis_url:
        return MovingWindow()
    # What it counts by is slow to import, and one gateway needs none of it.
    from services.gateway.adapters.redis_window import RedisWindow  # noqa: PLC0415 - as above

    window = RedisWindow(redis_url)
    return MovingWindow(window, window.close)
