"""The months of the record on PostgreSQL, and what it tells of those in the archive."""

from collections.abc import AsyncIterator, Iterator, Sequence
from contextlib import asynccontextmanager, contextmanager
from datetime import UTC, date, datetime
from itertools import pairwise
from pathlib import Path

import asyncpg

from libs.errors import Conflict
from libs.postgres import translated_errors
from services.generation.adapters.schema import LONG_S
from services.generation.records.columns import COLUMNS, CSV_NULL
from services.generation.records.kept import ArchivedMonth

_RETAINING_LOCK = 7166006
_TABLES = {"hot": "audit_logs", "warm": "audit_warm"}
_SOURCES = {
    "hot": ("kept", "audit_logs AS kept"),
    "warm": ("packed", "audit_warm AS packed CROSS JOIN LATERAL audit_unpacked(packed) AS kept"),
}
"""How the rows of a tier are read, and whose columns say when they are of."""
_MONTHS = "SELECT month FROM audit_months($1::text::regclass) AS month"
_ARCHIVED = """
SELECT name, month, row_count, rows_hash, file_hash, size FROM audit_archives ORDER BY name
"""
_DROP = """
SELECT audit_drop_month(ROW($1, $2, $3, $4, $5, $6, clock_timestamp())::audit_archives)
"""
_PIECE_ROWS = 5000
"""Who reads the rows has a hundred megabytes of them at hand, not all of a month."""
_CUTS = """
SELECT DISTINCT timestamp FROM (
    SELECT timestamp, row_number() OVER (ORDER BY timestamp) AS place FROM {table}
    WHERE timestamp >= $1 AND timestamp < $2
) AS numbered
WHERE (place - 1) % $3 = 0 ORDER BY timestamp
"""
_ROWS = """
SELECT {columns} FROM {source} WHERE {row}.timestamp >= $1 AND {row}.timestamp < $2
"""


class PostgresMonths:
    """Works by the pool of the service; to read is enough for what only reads."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    @asynccontextmanager
    async def hold_retention(self) -> AsyncIterator[bool]:
        with translated_errors():
            async with self._pool.acquire() as holding, holding.transaction():
                yield bool(
                    await holding.fetchval("SELECT pg_try_advisory_xact_lock($1)", _RETAINING_LOCK)
                )

    async def list_months(self, tier: str) -> list[date]:
        with translated_errors():
            return [row["month"] for row in await self._pool.fetch(_MONTHS, _TABLES[tier])]

    async def pack_month(self, month: date) -> int:
        with _in_the_way():
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                packed = await connection.fetchval(
                    "SELECT audit_cool_month($1)", month, timeout=LONG_S
                )
        return int(packed)

    async def list_archived(self) -> list[ArchivedMonth]:
        with translated_errors():
            return [ArchivedMonth(**row) for row in await self._pool.fetch(_ARCHIVED)]

    async def drop_month(self, archived: ArchivedMonth) -> None:
        with _in_the_way():
            async with self._pool.acquire() as connection, connection.transaction():
                await connection.execute("SET LOCAL lock_timeout = '2s'")
                await connection.execute("SET LOCAL synchronous_commit = on")
                await connection.execute(_DROP, *vars(archived).values(), timeout=LONG_S)

    async def write_rows(
        self, tier: str, folder: Path, names: Sequence[str], since: date, until: date
    ) -> list[Path]:
        columns = ", ".join(
            f"encode(kept.{name}, 'hex')" if COLUMNS[name] == "BLOB" else f"kept.{name}"
            for name in names
        )
        row, source = _SOURCES[tier]
        statement = _ROWS.format(columns=columns, row=row, source=source)
        cut = _CUTS.format(table=_TABLES[tier])
        begins, ends, written = _midnight(since), _midnight(until), []
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                found = await connection.fetch(cut, begins, ends, _PIECE_ROWS, timeout=LONG_S)
                cuts = [*(row["timestamp"] for row in found), ends]
                for number, (first, last) in enumerate(pairwise(cuts)):
                    written.append(folder / f"{tier}-{number:05}.csv")
                    await connection.copy_from_query(
                        statement,
                        first,
                        last,
                        output=written[-1],
                        format="csv",
                        null=CSV_NULL,
                        force_quote=True,
                        timeout=LONG_S,
                    )
        return written


@contextmanager
def _in_the_way() -> Iterator[None]:
    """Turn days that are not sealed, and readers that are not done, into Conflict."""
    try:
        with translated_errors():
            yield
    except (asyncpg.ObjectNotInPrerequisiteStateError, asyncpg.LockNotAvailableError) as error:
        raise Conflict(type(error).__name__) from error


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
