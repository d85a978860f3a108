"""Take every connection of a pool, as work that takes long does."""

from collections.abc import AsyncIterator
from contextlib import AsyncExitStack, asynccontextmanager

import asyncpg


@asynccontextmanager
async def busy(pool: asyncpg.Pool) -> AsyncIterator[None]:
    """Hold all connections that `pool` may have while the block runs."""
    async with AsyncExitStack() as held:
        for _ in range(pool.get_max_size()):
            await held.enter_async_context(pool.acquire())
        yield
