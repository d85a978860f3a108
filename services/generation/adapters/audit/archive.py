"""The months of the record that are in the archive, whatever keeps its files."""

import asyncio
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from datetime import UTC, date, datetime
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, TypeVar

import asyncpg

from libs.settings import SettingsError
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.hashes import COLUMNS
from services.generation.adapters.audit.parquet import NULL, open_duckdb

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
LONG_S = 3600.0
_SOURCES = {
    "logs": ("kept", "audit_logs AS kept"),
    "warm": ("packed", "audit_warm AS packed CROSS JOIN LATERAL audit_unpacked(packed) AS kept"),
}
"""How the rows of a table are read, and whose columns say when they are of."""
_LIST = "SELECT name, month, row_count, rows_hash FROM audit_archives ORDER BY name"
_ROWS = """
SELECT {columns} FROM {source} WHERE {row}.timestamp >= $1 AND {row}.timestamp < $2
"""


class AuditArchive:
    """Finds the archive's files by the database that tells of them; `files` is None for no archive."""

    def __init__(self, pool: asyncpg.Pool, files: ArchiveFiles | None) -> None:
        self._pool = pool
        self._files = files

    @property
    def files(self) -> ArchiveFiles:
        if self._files is None:
            raise SettingsError(
                "Months of the record are in the archive: say where, --archive or QUOTH_AUDIT_ARCHIVE"
            )
        return self._files

    async def list_months(self) -> list[asyncpg.Record]:
        """Return what is archived, with name, month, row_count and rows_hash.

        Raises SettingsError where something is and nobody has said where.
        """
        found = await self._pool.fetch(_LIST)
        return found if found and self.files else []

    async def work_on(
        self, name: str, work: Callable[["DuckDBPyConnection", Path], T], folder: Path
    ) -> T:
        """Run `work` in a thread, on DuckDB and the path of a file."""
        async with self.files.at_hand(name) as path:
            return await in_duckdb(folder, lambda duckdb: work(duckdb, path))


async def in_duckdb(folder: Path, work: Callable[["DuckDBPyConnection"], T]) -> T:
    """Run `work` in a thread, on a DuckDB of its own."""

    def run() -> T:
        with open_duckdb(folder) as duckdb:
            return work(duckdb)

    return await asyncio.to_thread(run)


@asynccontextmanager
async def scratch() -> AsyncIterator[Path]:
    """Have a folder of our own while the block runs."""
    with TemporaryDirectory(prefix="quoth-audit-") as folder:
        yield Path(folder)


async def write_csv(
    pool: asyncpg.Pool,
    table: str,
    target: Path,
    *,
    since: date,
    until: date,
    names: tuple[str, ...] = tuple(COLUMNS),
) -> None:
    """Write the rows of audit_`table` from `since` on and before `until`, as CSV."""
    binary = {name for name in names if COLUMNS[name] == "BLOB"}
    columns = ", ".join(
        f"encode(kept.{name}, 'hex')" if name in binary else f"kept.{name}" for name in names
    )
    row, source = _SOURCES[table]
    statement = _ROWS.format(columns=columns, row=row, source=source)
    async with pool.acquire() as connection:
        await connection.copy_from_query(
            statement,
            *(_midnight(since), _midnight(until)),
            output=target,
            format="csv",
            null=NULL,
            force_quote=True,
            timeout=LONG_S,
        )


def _midnight(day: date) -> datetime:
    return datetime(day.year, day.month, day.day, tzinfo=UTC)
