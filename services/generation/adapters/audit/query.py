"""Ask the whole record in SQL: what is in PostgreSQL and what is in the archive, as one table."""

import re
from contextlib import AsyncExitStack
from dataclasses import dataclass
from datetime import date, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any

import asyncpg

from libs.errors import InvalidInput
from services.generation.adapters.audit.archive import (
    AuditArchive,
    in_duckdb,
    scratch,
    write_csv,
)
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.hashes import COLUMNS
from services.generation.adapters.audit.parquet import rows_of_csv

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

_ARCHIVED = (
    "SELECT {names} FROM read_parquet('{file}') "
    "WHERE timestamp >= '{since}'::TIMESTAMPTZ AND timestamp < '{until}'::TIMESTAMPTZ"
)
_NOTHING = "SELECT {names} WHERE false"
_MOMENT = "TIMESTAMP WITH TIME ZONE"
_MONTH = timedelta(days=31)
_SELECTING = re.compile(r"\s*(select|with)\b", re.IGNORECASE)
# A star that stands for columns, and what else does; the star of count(*) does not.
_ALL_COLUMNS = re.compile(r"(?<!\()\*|\*(?!\))|\bcolumns\b|\bsummarize\b", re.IGNORECASE)


@dataclass(frozen=True)
class QueryResult:
    """Columns by name, and rows of values."""

    columns: tuple[str, ...]
    rows: list[tuple[Any, ...]]


class AuditQuery:
    """Reads by the pool of any user that may read the audit's tables."""

    def __init__(self, pool: asyncpg.Pool, files: ArchiveFiles | None) -> None:
        self._pool = pool
        self._archive = AuditArchive(pool, files)

    async def query(self, sql: str, since: date, until: date) -> QueryResult:
        """Run `sql` of DuckDB on the table audit_logs, of days from `since` on and before `until`.

        Raises InvalidInput for what is no SQL, SettingsError without the packages it needs.
        """
        names = named_columns(sql)
        async with scratch() as folder, AsyncExitStack() as held:
            parts = []
            for table in ("logs", "warm"):
                source = folder / f"{table}.csv"
                await write_csv(self._pool, table, source, since=since, until=until, names=names)
                if source.stat().st_size:
                    parts.append(rows_of_csv(source, names))
            for month in await self._archive.list_months():
                if month["month"] < until and month["month"] + _MONTH > since:
                    path = await held.enter_async_context(
                        self._archive.files.at_hand(month["name"])
                    )
                    parts.append(_archived(path, names, since, until))
            return await in_duckdb(folder, lambda duckdb: _run(duckdb, sql, parts, names))


def named_columns(sql: str) -> tuple[str, ...]:
    """Return the columns that a query may need: those it names, or all."""
    words = set(re.findall(r"\w+", sql.lower()))
    if not _SELECTING.match(sql) or _ALL_COLUMNS.search(sql):
        return tuple(COLUMNS)
    return tuple(name for name in COLUMNS if name in words or name == "timestamp")


def _archived(path: Path, names: tuple[str, ...], since: date, until: date) -> str:
    file = str(path).replace("'", "''")
    return _ARCHIVED.format(names=", ".join(names), file=file, since=since, until=until)


def _run(
    duckdb: "DuckDBPyConnection", sql: str, parts: list[str], names: tuple[str, ...]
) -> QueryResult:
    from duckdb import Error  # noqa: PLC0415 - an extra

    nothing = ", ".join(f"NULL::{COLUMNS[name]} AS {name}" for name in names)
    union = " UNION ALL ".join(parts) or _NOTHING.format(names=nothing)
    duckdb.execute(f"CREATE VIEW audit_logs AS {union}")
    try:
        found = duckdb.sql(sql)
        if found is None:
            return QueryResult((), [])
        # DuckDB hands over a moment by a package of time zones that is not ours: a text needs none.
        kinds = zip(found.columns, map(str, found.types), strict=True)
        shown = [f'"{name}"{"::VARCHAR" if kind == _MOMENT else ""}' for name, kind in kinds]
        return QueryResult(tuple(found.columns), found.project(", ".join(shown)).fetchall())
    except Error as error:
        raise InvalidInput(f"DuckDB does not take that: {error}") from error
