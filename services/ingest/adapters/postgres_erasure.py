"""Leave nothing of deleted rows in the files of PostgreSQL."""

import asyncpg

from libs.postgres import forget_samples, translated_errors

_TABLES = (
    "documents",
    "images",
    "originals",
    "chunks",
    "editions",
    "jobs",
    "job_files",
    "job_documents",
)
"""Those that hold a book's words and pictures."""
_MOST_BYTES = 256 << 20
"""Of the tables together: they are written anew, and nobody reads one while it is."""
_LOCK = "3s"
_PATIENCE_S = 120.0

_TOO_LARGE = (
    "The database keeps deleted texts in its files until its tables are written anew, which would stop "
    "readers for long: VACUUM FULL and CHECKPOINT, at a quiet hour, end that."
)
_NO_RIGHT = (
    "The database keeps deleted texts in its files for a while, and this user may not end that: "
    "VACUUM FULL and CHECKPOINT by its operator do."
)


class PostgresErasure:
    """Writes tables and log anew: the port Erasure."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def erase(self) -> str:
        with translated_errors():
            async with self._pool.acquire() as connection:
                size = await connection.fetchval(
                    "SELECT sum(pg_total_relation_size(name::regclass)) FROM unnest($1::text[]) name",
                    list(_TABLES),
                )
                try:
                    await connection.execute(f"SET lock_timeout = '{_LOCK}'")
                    await forget_samples(connection, _TABLES, _PATIENCE_S)
                    if size > _MOST_BYTES:
                        return _TOO_LARGE
                    for statement in _statements():
                        await connection.execute(statement, timeout=_PATIENCE_S)
                except (asyncpg.InsufficientPrivilegeError, asyncpg.LockNotAvailableError):
                    return _NO_RIGHT
                finally:
                    await connection.execute("RESET lock_timeout")
        return ""


def _statements() -> list[str]:
    """Return what writes the tables anew, and then leaves the log that told of them behind."""
    tables = [f"VACUUM (FULL) {table}" for table in _TABLES]
    return [*tables, "SELECT pg_switch_wal()", "CHECKPOINT"]
