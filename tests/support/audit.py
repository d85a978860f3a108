"""A database of its own for the record of answers, and what only its owner could do to it."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from datetime import date
from typing import Any, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from tests.support.engines import PostgresNode

Connection: TypeAlias = "asyncpg.Connection[Any] | PoolConnectionProxy[Any]"
_NAME = "records"


async def make_database(server: PostgresNode) -> None:
    """Make the database anew; it has nothing yet."""
    admin = await asyncpg.connect(server.dsn)
    await admin.execute(f"DROP DATABASE IF EXISTS {_NAME} WITH (FORCE)")
    await admin.execute(f"CREATE DATABASE {_NAME} TEMPLATE template0")
    await admin.close()


def dsn_of(server: PostgresNode) -> str:
    return server.dsn.replace("/quoth?", f"/{_NAME}?")


@asynccontextmanager
async def unguarded(owner: Connection) -> AsyncIterator[None]:
    """Do as one does who may do everything: the triggers are silent."""
    await owner.execute("SET session_replication_role = replica")
    yield
    await owner.execute("RESET session_replication_role")


async def move_to(owner: Connection, day: str, log_id: Any) -> None:
    """Let a row have been written on that day."""
    async with unguarded(owner):
        await owner.execute(
            "UPDATE audit_logs SET chain_day = $1 WHERE log_id = $2",
            date.fromisoformat(day),
            log_id,
        )
        await owner.execute(
            "UPDATE audit_logs AS kept SET row_hash = audit_row_hash(kept) WHERE log_id = $1",
            log_id,
        )
