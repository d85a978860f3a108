"""Open a connection pool whose schema is up to date."""

import asyncio
import os
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import asyncpg

from libs.errors import NoRoom, Unavailable
from libs.settings import SettingsError

_PATIENCE_S = 30.0


async def open_pool(dsn: str, owner: str, migrations: Path, max_size: int = 8) -> asyncpg.Pool:
    """Connect to `dsn`, apply the migrations of `owner` that are missing, and return the pool.

    Waits up to 30 s for a server that is starting. Raises SettingsError when the address names no user
    and this process has none. Migrations are the files `0001_name.sql` … of a
    folder, applied once each, in order, by one process at a time.
    """
    scripts = _read_scripts(migrations)
    pool = await _connect(dsn, max_size)
    try:
        await _migrate(pool, owner, scripts)
    except BaseException:
        await pool.close()
        raise
    return pool


def _read_scripts(folder: Path) -> list[tuple[str, str]]:
    return [(path.stem, path.read_text()) for path in sorted(folder.glob("*.sql"))]


async def _connect(dsn: str, max_size: int) -> asyncpg.Pool:
    deadline = time.monotonic() + _PATIENCE_S
    while True:
        try:
            return await asyncpg.create_pool(
                dsn,
                min_size=1,
                max_size=max_size,
                timeout=5,
                command_timeout=30,
                reset=_keep,
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


async def _keep(_: asyncpg.Connection) -> None:
    """Leave a connection as it comes back, an open transaction apart, which asyncpg ends.

    Its own reset is a round trip more on every use; we hold nothing that outlives a transaction:
    advisory locks and settings are the transaction's, and nobody listens.
    """


async def _migrate(pool: asyncpg.Pool, owner: str, scripts: list[tuple[str, str]]) -> None:
    async with pool.acquire() as connection, connection.transaction():
        # One lock for all owners: services start together, and creating the table would race.
        await connection.execute("SELECT pg_advisory_xact_lock(7166001)")
        await connection.execute(
            "CREATE TABLE IF NOT EXISTS schema_migrations ("
            "owner text, name text, applied_at timestamptz NOT NULL DEFAULT now(), "
            "PRIMARY KEY (owner, name))"
        )
        rows = await connection.fetch("SELECT name FROM schema_migrations WHERE owner = $1", owner)
        applied = {row["name"] for row in rows}
        for name, script in scripts:
            if name not in applied:
                await connection.execute(script)
                await connection.execute(
                    "INSERT INTO schema_migrations (owner, name) VALUES ($1, $2)", owner, name
                )


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
