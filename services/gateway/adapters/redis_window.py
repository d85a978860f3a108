"""Count requests in a moving minute by the limits library, in a storage that gateways share.

Imported where a Redis is named: the library takes a tenth of what a gateway takes to start.
"""

import asyncio
import time

from limits import RateLimitItemPerMinute
from limits.aio.storage import RedisStorage, Storage
from limits.aio.strategies import MovingWindowRateLimiter
from limits.errors import StorageError

from libs.errors import Unavailable
from libs.settings import SettingsError

_REDIS_S = 1.0
"""Seconds that Redis has for one count."""
_AT_ONCE = 8
"""Counts at once, each by a connection: opening hundreds in one moment takes longer than that."""
_LONGEST_S = 60.0


class SharedWindow:
    """Counts in `storage`."""

    def __init__(self, storage: Storage) -> None:
        self._limiter = MovingWindowRateLimiter(storage)
        self._turns = asyncio.Semaphore(_AT_ONCE)

    async def take(self, name: str, most: int) -> float:
        """As OwnWindow.take. Raises Unavailable where the storage does not answer in time."""
        item = RateLimitItemPerMinute(most)
        try:
            async with self._turns, asyncio.timeout(_REDIS_S):
                if await self._limiter.hit(item, name):
                    return 0.0
                window = await self._limiter.get_window_stats(item, name)
        except (StorageError, TimeoutError) as error:
            raise Unavailable(
                "Requests can't be counted together. Try again in a moment."
            ) from error
        # The start of the window, as the library tells it, is when the next place becomes free: by the
        # clock of whoever took it, which may stand elsewhere.
        return min(max(window.reset_time - time.time(), 0.001), _LONGEST_S)


class RedisWindow(SharedWindow):
    """Counts in the Redis at `url`, and connects when it counts first.

    Raises SettingsError for an address that can't be used.
    """

    def __init__(self, url: str) -> None:
        try:
            # An extra: one gateway needs no Redis.
            from redis.asyncio import ConnectionPool  # noqa: PLC0415
        except ImportError as error:
            raise SettingsError("QUOTH_REDIS_URL: pip install 'quoth[redis]'") from error
        try:
            self._pool = ConnectionPool.from_url(url)
            storage = RedisStorage(
                "async+redis://",
                implementation="redispy",
                wrap_exceptions=True,
                key_prefix="quoth",
                connection_pool=self._pool,  # type: ignore[arg-type]  # as its documentation has it
            )
        except ValueError as error:
            raise SettingsError("QUOTH_REDIS_URL must be like redis://host:6379") from error
        super().__init__(storage)

    async def close(self) -> None:
        await self._pool.disconnect()
