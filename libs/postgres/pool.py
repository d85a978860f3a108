"""Open a connection pool whose schema is up to date."""

import asyncio
import os
import time
from collections.abc import AsyncIterator, Iterator
from contextlib import asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import Any

import asyncpg

from libs.errors import NoRoom, Unavailable
from libs.postgres.migrations import SERVICE_ROLE, Connection, bring_up_to_date, read_schema
from libs.postgres.pooled import PooledConnection, is_pooled
from libs.settings import SettingsError

_PATIENCE_S = 30.0
_CONNECT_S = 5.0
_MOST_WAIT_S = 1.0
_WAIT_SHARE = 0.75
_RETRY_S = 1.0
_ALL_AT_WORK = "The database has more to do than it can. Try again in a moment."
# A pooler's sessions know nothing of statements that were prepared on another.
_POOLED: dict[str, Any] = {"connection_class": PooledConnection, "statement_cache_size": 0}


async def open_pool(
    dsn: str, owner: str, migrations: Path, max_size: int = 8, *, restricted: bool = False
) -> asyncpg.Pool:
    """Connect to `dsn`, apply the migrations of `owner` that are missing, and return the pool.

    Waits up to 30 s for a server that is starting. Migrations are the files `0001_name.sql` … of a
    folder, applied once each, in order, by one process at a time; a file grants.sql beside the folder
    is applied after them, and whenever it has changed. With `restricted` the pool has the rights of
    SERVICE_ROLE alone, where the server lets us make that role or has it.

    Raises SettingsError when the address names no user and this process has none, when migrations are
    missing that this user may not apply, and when those in place are not this code's.
    """
    schema = read_schema(owner, migrations)
    pool = await connect(dsn, max_size, restricted=restricted)
    try:
        await bring_up_to_date(pool, schema)
        if restricted:
            # The first connection is older than the role may be.
            await pool.expire_connections()
    except BaseException:
        await pool.close()
        raise
    return pool


async def connect(dsn: str, max_size: int, *, restricted: bool = False) -> asyncpg.Pool:
    """Return a pool on `dsn`, whatever its schema; waits and raises as `open_pool` does."""
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=max_size,
                timeout=_CONNECT_S,
                command_timeout=30,
                reset=_keep,
                **await _ways(dsn, restricted=restricted),
            )
        except KeyError as error:
            # What asks the system for a name when the address has none, in a container of any uid.
            raise SettingsError(
                f"Name a user in PostgreSQL's address, user@host: uid {os.geteuid()} has no name here"
            ) from error
        except (OSError, asyncpg.CannotConnectNowError, TimeoutError):
            if time.monotonic() > deadline:
                raise
            await asyncio.sleep(0.2)


async def _ways(dsn: str, *, restricted: bool) -> dict[str, Any]:
    """Return the options of a pool by what answers at `dsn`: a server, or a pooler before it."""
    if await is_pooled(dsn, _CONNECT_S):
        return {**_POOLED, "init": _restrict_pooled if restricted else None}
    return {"init": _restrict if restricted else None}


async def _keep(_: asyncpg.Connection) -> None:
    """Leave a connection as it comes back, an open transaction apart, which asyncpg ends.

    Its own reset is a round trip more on every use; we hold nothing that outlives a transaction:
    advisory locks and settings are the transaction's, and nobody listens.
    """


async def _restrict(connection: asyncpg.Connection) -> None:
    """Give up every right but the service's; who may not has no more than its administrator gave."""
    with suppress(asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError):
        await connection.execute(f"SET ROLE {SERVICE_ROLE}")


async def _restrict_pooled(connection: PooledConnection) -> None:
    """The same, transaction by transaction."""
    with suppress(asyncpg.InsufficientPrivilegeError, asyncpg.InvalidParameterValueError):
        async with connection.transaction():
            await connection.execute(f"SET LOCAL ROLE {SERVICE_ROLE}")
        connection.role = SERVICE_ROLE


@asynccontextmanager
async def lend(
    pool: asyncpg.Pool, allowed_s: float, busy: str = _ALL_AT_WORK
) -> AsyncIterator[Connection]:
    """Lend a connection of `pool` for work that has `allowed_s` seconds.

    Waits three quarters of them at most, and never more than a second, so that there is time to work,
    and to tell. Raises Unavailable with the message `busy` when all connections are at work for so
    long, TimeoutError when one can't be opened.
    """
    try:
        connection = await pool.acquire(timeout=min(_MOST_WAIT_S, _WAIT_SHARE * allowed_s))
    except TimeoutError as error:
        if pool.get_size() < pool.get_max_size():
            raise  # one was being opened: the server is what hangs
        raise Unavailable(busy, retry_after_s=_RETRY_S) from error
    try:
        yield connection
    finally:
        await pool.release(connection)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Turn a database that can't be reached into Unavailable, one without room into NoRoom."""
    try:
        yield
    except asyncpg.DiskFullError as error:
        raise NoRoom(
            "The database has no room left on its disk. Free some, and try again."
        ) from error
    except (
        OSError,
        asyncpg.InterfaceError,
        # A server's farewell that is still being read: asyncpg has no better name for it.
        asyncpg.InternalClientError,
        asyncpg.PostgresConnectionError,
        asyncpg.CannotConnectNowError,
        asyncpg.AdminShutdownError,
        asyncpg.CrashShutdownError,
        asyncpg.TooManyConnectionsError,
    ) as error:
        raise Unavailable("The database does not answer. Try again in a moment.") from error
