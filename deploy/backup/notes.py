"""Note in the database when it was backed up, for who watches over it."""

from collections.abc import Iterator
from contextlib import contextmanager
from datetime import datetime

import asyncpg

from libs.postgres import Connection

_TRIED = """
INSERT INTO last_backup (tried_at) VALUES (clock_timestamp())
ON CONFLICT (alone) DO UPDATE SET tried_at = CASE
    WHEN last_backup.taken_at IS NULL THEN last_backup.tried_at ELSE excluded.tried_at END
"""
_TAKEN = "UPDATE last_backup SET taken_at = $1"


async def note_attempt(connection: Connection) -> None:
    """Note that a backup begins. While none was ever made, the first attempt stays the one noted."""
    with _where_allowed():
        await connection.execute(_TRIED)


async def note_backup(connection: Connection, taken_at: datetime) -> None:
    """Note that a backup is whole, of what the database held at `taken_at`."""
    with _where_allowed():
        await connection.execute(_TAKEN, taken_at)


@contextmanager
def _where_allowed() -> Iterator[None]:
    """Do without where one may only read, or in a database that a former version made."""
    try:
        yield
    except (
        asyncpg.InsufficientPrivilegeError,
        asyncpg.ReadOnlySQLTransactionError,
        asyncpg.UndefinedTableError,
    ):
        return
