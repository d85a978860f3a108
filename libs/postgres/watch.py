"""Tell, second by second, whether PostgreSQL answers."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress

import asyncpg

_EVERY_S = 1.0
_PATIENCE_S = 2.0
_NO_ANSWER = (OSError, TimeoutError, asyncpg.PostgresError, asyncpg.InterfaceError)
# What asyncpg raises where a server says farewell while it is read.
_BROKEN = (*_NO_ANSWER, asyncpg.InternalClientError)


async def watch_postgres(
    dsn: str,
    report: Callable[[bool], Awaitable[None]],
    sleep: Callable[[float], Awaitable[None]] = asyncio.sleep,
) -> None:
    """Ask the server at `dsn` each second and report whether it answered, until cancelled.

    On a connection of its own: those of a pool may all be at work, which is no failure.
    """
    connection: asyncpg.Connection | None = None
    try:
        while True:
            try:
                async with asyncio.timeout(_PATIENCE_S):
                    if connection is None:
                        connection = await asyncpg.connect(dsn)
                    # In one step: through a pooler the second of two may reach another session.
                    await connection.execute("SELECT 1")
            except _BROKEN:
                if connection is not None:
                    connection.terminate()
                connection = None
                await report(False)
            else:
                await report(True)
            await sleep(_EVERY_S)
    finally:
        if connection is not None:
            with suppress(*_BROKEN):
                connection.terminate()
