"""Connections through a pooler, by which each transaction may get another session of the server."""

from typing import Any

import asyncpg
from asyncpg.transaction import Transaction
from typing_extensions import override


async def is_pooled(dsn: str, timeout_s: float) -> bool:
    """Say whether a pooler stands between: who was named at the start is not who answers."""
    connection = await asyncpg.connect(dsn, timeout=timeout_s, statement_cache_size=0)
    try:
        async with connection.transaction():
            served_by = await connection.fetchval("SELECT pg_backend_pid()", timeout=timeout_s)
        return bool(served_by != connection.get_server_pid())
    finally:
        connection.terminate()


class PooledConnection(asyncpg.Connection):
    """Makes a transaction of every statement that is in none, and takes its role in each.

    A statement is prepared and run in two steps, between which a pooler may give the session to another
    client; what a session is set to would stay with whoever comes next.
    """

    role = ""
    """The role of each transaction; "": that of who connected."""

    @override
    def transaction(
        self, *, isolation: Any = None, readonly: bool = False, deferrable: bool = False
    ) -> Transaction:
        return _InRole(self, isolation, readonly, deferrable)

    @override
    async def execute(self, query: str, *args: Any, **options: Any) -> str:
        # Without values it is one step, and may be what begins or ends a transaction.
        if not args or self.is_in_transaction():
            return await super().execute(query, *args, **options)
        async with self.transaction():
            return await super().execute(query, *args, **options)

    @override
    async def fetch(self, query: str, *args: Any, **options: Any) -> Any:
        if self.is_in_transaction():
            return await super().fetch(query, *args, **options)
        async with self.transaction():
            return await super().fetch(query, *args, **options)

    @override
    async def fetchval(self, query: str, *args: Any, **options: Any) -> Any:
        if self.is_in_transaction():
            return await super().fetchval(query, *args, **options)
        async with self.transaction():
            return await super().fetchval(query, *args, **options)

    @override
    async def fetchrow(self, query: str, *args: Any, **options: Any) -> Any:
        if self.is_in_transaction():
            return await super().fetchrow(query, *args, **options)
        async with self.transaction():
            return await super().fetchrow(query, *args, **options)

    @override
    async def executemany(self, command: str, args: Any, **options: Any) -> None:
        if self.is_in_transaction():
            return await super().executemany(command, args, **options)
        async with self.transaction():
            return await super().executemany(command, args, **options)


class _InRole(Transaction):
    def __init__(
        self, connection: PooledConnection, isolation: Any, readonly: bool, deferrable: bool
    ) -> None:
        super().__init__(connection, isolation, readonly, deferrable)
        self._pooled = connection

    @override
    async def start(self) -> None:
        is_outermost = not self._pooled.is_in_transaction()
        await super().start()
        if is_outermost and self._pooled.role:
            await self._pooled.execute(f"SET LOCAL ROLE {self._pooled.role}")
