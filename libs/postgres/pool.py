"""Open a connection pool whose schema is up to date."""

import asyncio
import hashlib
import logging
import os
import time
from collections.abc import Iterator, Mapping
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.errors import NoRoom, Unavailable
from libs.postgres.pooled import PooledConnection, is_pooled
from libs.settings import SettingsError

Connection: TypeAlias = "asyncpg.Connection | PoolConnectionProxy[Any]"

SERVICE_ROLE = "quoth_service"
"""The role that has the rights of the files grants.sql, and no others."""

_LOG = logging.getLogger(__name__)
_PATIENCE_S = 30.0
_CONNECT_S = 5.0
# A pooler's sessions know nothing of statements that were prepared on another.
_POOLED: dict[str, Any] = {"connection_class": PooledConnection, "statement_cache_size": 0}
_GRANTS = "grants "
_APPLIED = "SELECT name FROM schema_migrations WHERE owner = $1"
_ALL_APPLIED = "SELECT owner, name FROM schema_migrations ORDER BY owner, name"
# A role belongs to all databases of a server, and another one may be making it.
_MAKE_ROLE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{SERVICE_ROLE}') THEN
        CREATE ROLE {SERVICE_ROLE} NOLOGIN;
        GRANT {SERVICE_ROLE} TO CURRENT_USER;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$
"""


@dataclass(frozen=True)
class _Schema:
    """The scripts of one service by name, and what its role may do with what they make."""

    owner: str
    scripts: dict[str, str]
    grants: str

    @property
    def grants_name(self) -> str:
        return _GRANTS + hashlib.sha256(self.grants.encode()).hexdigest()[:12]


async def open_pool(
    dsn: str, owner: str, migrations: Path, max_size: int = 8, *, restricted: bool = False
) -> asyncpg.Pool:
    """Connect to `dsn`, apply the migrations of `owner` that are missing, and return the pool.

    Waits up to 30 s for a server that is starting. Migrations are the files `0001_name.sql` … of a
    folder, applied once each, in order, by one process at a time; a file grants.sql beside the folder
    is applied after them, and whenever it has changed. With `restricted` the pool has the rights of
    SERVICE_ROLE alone, where the server lets us make that role or has it.

    Raises SettingsError when the address names no user and this process has none, and when migrations
    are missing that this user may not apply.
    """
    schema = _read_schema(owner, migrations)
    pool = await connect(dsn, max_size, restricted=restricted)
    try:
        await _migrate(pool, schema)
        if restricted:
            # The first connection is older than the role may be.
            await pool.expire_connections()
    except BaseException:
        await pool.close()
        raise
    return pool


def _read_schema(owner: str, folder: Path) -> _Schema:
    grants = folder.with_name("grants.sql")
    return _Schema(owner, read_scripts(folder), grants.read_text() if grants.exists() else "")


def read_scripts(folder: Path) -> dict[str, str]:
    """Return the migrations of a folder by their names, in their order."""
    return {path.stem: path.read_text() for path in sorted(folder.glob("*.sql"))}


async def list_migrations(connection: Connection) -> dict[str, list[str]]:
    """Return the names of the migrations that are in place, in their order, by owner."""
    if await connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
        return {}
    found: dict[str, list[str]] = {}
    for row in await connection.fetch(_ALL_APPLIED):
        if not row["name"].startswith(_GRANTS):
            found.setdefault(row["owner"], []).append(row["name"])
    return found


async def migrate(connection: Connection, owner: str, scripts: Mapping[str, str]) -> None:
    """Apply the scripts that are missing, inside of the caller's transaction.

    Rights are no part of them: the service's next start sees to these.
    """
    # One lock for all owners: services start together, and creating the table would race.
    await connection.execute("SELECT pg_advisory_xact_lock(7166001)")
    await connection.execute(
        "CREATE TABLE IF NOT EXISTS schema_migrations ("
        "owner text, name text, applied_at timestamptz NOT NULL DEFAULT now(), "
        "PRIMARY KEY (owner, name))"
    )
    applied = {row["name"] for row in await connection.fetch(_APPLIED, owner)}
    for name, script in scripts.items():
        if name not in applied:
            await connection.execute(script)
            await _note(connection, owner, name)


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


async def _migrate(pool: asyncpg.Pool, schema: _Schema) -> None:
    async with pool.acquire() as connection, connection.transaction():
        # Who connected may do more than the role that the connection works in.
        await connection.execute("SET LOCAL ROLE NONE")
        if await _is_up_to_date(connection, schema):
            return
        try:
            await migrate(connection, schema.owner, schema.scripts)
            if schema.grants and await _has_role(connection):
                await connection.execute(schema.grants)
                await _note(connection, schema.owner, schema.grants_name)
        except asyncpg.InsufficientPrivilegeError as error:
            raise SettingsError(
                f"PostgreSQL lacks tables of {schema.owner} that this user may not make: "
                "run `quoth migrate` first, as their owner"
            ) from error


async def _is_up_to_date(connection: PoolConnectionProxy, schema: _Schema) -> bool:
    if await connection.fetchval("SELECT to_regclass('schema_migrations')") is None:
        return False
    applied = {row["name"] for row in await connection.fetch(_APPLIED, schema.owner)}
    wanted = {*schema.scripts, schema.grants_name} if schema.grants else {*schema.scripts}
    return wanted <= applied


async def _has_role(connection: PoolConnectionProxy) -> bool:
    """Make the role where it is missing; return whether it is there."""
    try:
        async with connection.transaction():
            await connection.execute(_MAKE_ROLE)
    except asyncpg.InsufficientPrivilegeError:
        _LOG.warning(
            "the role %s is not there and this user may not make it: services have all rights of "
            "the user that they connect as",
            SERVICE_ROLE,
        )
        return False
    return True


async def _note(connection: Connection, owner: str, name: str) -> None:
    await connection.execute(
        "INSERT INTO schema_migrations (owner, name) VALUES ($1, $2) ON CONFLICT DO NOTHING",
        owner,
        name,
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
