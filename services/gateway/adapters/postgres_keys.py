"""Keep the keys of clients and their token budgets in PostgreSQL."""

import asyncio
import logging
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import timedelta
from pathlib import Path
from typing import Any

import asyncpg

from libs.errors import Conflict, NotFound, Unavailable
from libs.paging import cut, one_more
from libs.postgres import explain_refusal, open_pool, translated_errors
from libs.settings import SettingsError
from services.gateway.keys import (
    ClientKey,
    Grant,
    NewKey,
    StoredKey,
    TakenTokens,
    cursor_of_key,
    key_of_cursor,
)
from services.gateway.model.books import PageQuery

_LOG = logging.getLogger(__name__)
_MIGRATIONS = Path(__file__).parent / "migrations"
_POOL = 4
_CLOSE_S = 2.0
_NO_KEYS = "The keys of clients can't be read now. Try again soon."
_NO_KEY = "There is no key of that id."

_COLUMNS = """
    key_id, client, scopes, books, rate_per_minute, tokens_per_day, create_time, expire_time,
    revoke_time, digest, origins,
    CASE WHEN revoke_time IS NOT NULL THEN 'revoked' WHEN expire_time <= now() THEN 'expired'
    ELSE 'active' END AS state
"""
_FIND = f"SELECT {_COLUMNS} FROM client_keys WHERE key_id = $1"  # noqa: S608 - our own columns
# No key is ever deleted, so that a page can begin behind any.
_LIST = f"""
    SELECT {_COLUMNS} FROM client_keys
    WHERE $1 = '' OR (create_time, key_id) < (
        SELECT create_time, key_id FROM client_keys WHERE key_id = $1)
    ORDER BY create_time DESC, key_id DESC LIMIT $2
"""  # noqa: S608 - our own names
_ADD = f"""
    INSERT INTO client_keys
    (key_id, client, digest, scopes, books, rate_per_minute, tokens_per_day, expire_time, origins)
    VALUES ($1, $2, $3, $4, $5, $6, $7, now() + $8::interval, $9) RETURNING {_COLUMNS}
"""  # noqa: S608 - our own columns
_COPY = f"""
    INSERT INTO client_keys
    (key_id, client, digest, scopes, books, rate_per_minute, tokens_per_day, expire_time, origins)
    SELECT $2, client, $3, scopes, books, rate_per_minute, tokens_per_day,
           now() + (expire_time - create_time), origins
    FROM client_keys WHERE key_id = $1 RETURNING {_COLUMNS}
"""  # noqa: S608 - our own columns
_IS_ACTIVE = "revoke_time IS NULL AND (expire_time IS NULL OR expire_time > now())"
_ORIGINS = """
    SELECT DISTINCT unnest(origins) AS origin FROM client_keys
    WHERE revoke_time IS NULL AND (expire_time IS NULL OR expire_time > now())
"""
_REVOKE = f"""
    UPDATE client_keys SET revoke_time = coalesce(revoke_time, now()) WHERE key_id = $1
    RETURNING {_COLUMNS}
"""  # noqa: S608 - our own columns
_TODAY = "(now() AT TIME ZONE 'utc')::date"
_TAKE = f"""
    INSERT INTO client_tokens AS spent (client, day, tokens)
    SELECT $1, {_TODAY}, $2::bigint WHERE $2::bigint <= $3
    ON CONFLICT (client, day) DO UPDATE SET tokens = spent.tokens + $2
    WHERE spent.tokens + $2 <= $3 RETURNING day
"""
_UNTIL_TOMORROW = f"""
    SELECT extract(epoch FROM ({_TODAY} + 1)::timestamp - (now() AT TIME ZONE 'utc'))::float8
"""  # noqa: S608 - our own columns
# The answer waits for this, and not for its disk: what a crash of the server forgets stays charged.
_RETURN = """
    UPDATE client_tokens SET tokens = greatest(tokens - $3, 0) WHERE client = $1 AND day = $2
    RETURNING set_config('synchronous_commit', 'off', true)
"""


class PostgresKeys:
    """Keys and budgets in one database, which is opened when the first of them is needed."""

    def __init__(self, dsn: str) -> None:
        self._dsn = dsn
        self._pool: asyncpg.Pool | None = None
        self._opening = asyncio.Lock()

    async def open(self) -> None:
        """Connect and bring the schema up to date. Raises SettingsError when that can't be done."""
        try:
            await self._connect()
        except (Unavailable, ValueError, asyncpg.PostgresError) as error:
            cause = error.__cause__
            reason = explain_refusal(cause if isinstance(cause, Exception) else error)
            raise SettingsError(f"QUOTH_POSTGRES_DSN can't be opened: {reason}") from error

    async def close(self) -> None:
        if self._pool is None:
            return
        try:
            async with asyncio.timeout(_CLOSE_S):
                await self._pool.close()
        except TimeoutError:
            self._pool.terminate()

    async def find_key(self, key_id: str, timeout_s: float) -> StoredKey | None:
        row = await self._row(timeout_s, _FIND, key_id)
        return StoredKey(_key(row), row["digest"]) if row else None

    async def list_keys(self, page: PageQuery, timeout_s: float) -> tuple[list[ClientKey], str]:
        after = key_of_cursor(page.cursor)
        async with self._connection(timeout_s) as connection:
            rows = await connection.fetch(_LIST, after, one_more(page.limit))
        shown, last = cut([_key(row) for row in rows], page.limit)
        return shown, cursor_of_key(last.key_id) if last else ""

    async def list_origins(self, timeout_s: float) -> frozenset[str]:
        async with self._connection(timeout_s) as connection:
            return frozenset(row["origin"] for row in await connection.fetch(_ORIGINS))

    async def add_key(self, grant: Grant, new: NewKey, timeout_s: float) -> ClientKey:
        lifetime = None if grant.lifetime_s is None else timedelta(seconds=grant.lifetime_s)
        async with self._connection(timeout_s) as connection, connection.transaction():
            # Two at once for one client: the second sees the key of the first.
            await connection.execute("SELECT pg_advisory_xact_lock(hashtext($1))", grant.client)
            if await connection.fetchval(
                f"SELECT true FROM client_keys WHERE client = $1 AND {_IS_ACTIVE}",  # noqa: S608 - our own names
                grant.client,
            ):
                raise Conflict(
                    f"{grant.client} has a key. Rotate it, or revoke it before you make another."
                )
            values = (list(grant.scopes), list(grant.books), grant.rate_per_minute)
            row = await connection.fetchrow(
                _ADD,
                new.key_id,
                grant.client,
                new.digest,
                *values,
                grant.tokens_per_day,
                lifetime,
                list(grant.origins),
            )
        return _key(row)

    async def rotate_key(
        self, key_id: str, new: NewKey, overlap_s: int, timeout_s: float
    ) -> ClientKey:
        async with self._connection(timeout_s) as connection, connection.transaction():
            active = await connection.fetchval(
                f"SELECT true FROM client_keys WHERE key_id = $1 AND {_IS_ACTIVE} FOR UPDATE",  # noqa: S608 - our own names
                key_id,
            )
            if not active:
                raise NotFound("There is no active key of that id.")
            row = await connection.fetchrow(_COPY, key_id, new.key_id, new.digest)
            await connection.execute(
                "UPDATE client_keys SET expire_time = least(expire_time, now() + $2) "
                "WHERE key_id = $1",
                key_id,
                timedelta(seconds=overlap_s),
            )
        return _key(row)

    async def revoke_key(self, key_id: str, timeout_s: float) -> ClientKey:
        row = await self._row(timeout_s, _REVOKE, key_id)
        if row is None:
            raise NotFound(_NO_KEY)
        return _key(row)

    async def take_tokens(
        self, client: str, tokens: int, most: int, timeout_s: float
    ) -> TakenTokens | float:
        taken = await self._row(timeout_s, _TAKE, client, tokens, most)
        if taken:
            return TakenTokens(client, taken["day"], tokens)
        return float((await self._row(timeout_s, _UNTIL_TOMORROW))[0])

    async def return_tokens(self, taken: TakenTokens, unused: int, timeout_s: float) -> None:
        await self._row(timeout_s, _RETURN, taken.client, taken.day, unused)

    async def _row(self, timeout_s: float, statement: str, *values: Any) -> Any:
        """Run one statement, once more on a connection that turned out to be broken.

        Each of them may run twice: a budget that is charged twice is the safe side.
        """
        try:
            async with self._connection(timeout_s) as connection:
                return await connection.fetchrow(statement, *values)
        except Unavailable as error:
            if isinstance(error.__cause__, TimeoutError):
                raise  # no connection in all that time: the caller has waited long enough
            async with self._connection(timeout_s) as connection:
                return await connection.fetchrow(statement, *values)

    @asynccontextmanager
    async def _connection(self, timeout_s: float) -> AsyncIterator[Any]:
        try:
            async with asyncio.timeout(timeout_s):
                pool = await self._connect()
                with translated_errors():
                    async with pool.acquire() as connection:
                        yield connection
        except (TimeoutError, asyncpg.QueryCanceledError) as error:
            raise Unavailable(_NO_KEYS) from error
        except SettingsError as error:
            _LOG.error("the keys of clients can't be read: %s", error)
            raise Unavailable(_NO_KEYS) from error

    async def _connect(self) -> asyncpg.Pool:
        async with self._opening:
            if self._pool is None:
                with translated_errors():
                    self._pool = await open_pool(self._dsn, "gateway", _MIGRATIONS, _POOL)
            return self._pool


def _key(row: Any) -> ClientKey:
    return ClientKey(**{name: row[name] for name in ClientKey.__struct_fields__})
