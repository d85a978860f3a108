"""Months of the record as Parquet, written, read and asked by DuckDB."""

import asyncio
from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from datetime import date
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import TYPE_CHECKING, Any, TypeVar
from uuid import UUID

from libs.errors import InvalidInput
from libs.settings import SettingsError
from services.generation.adapters.records.archive_files import LACKING
from services.generation.records.columns import COLUMNS, CSV_NULL, ERASED
from services.generation.records.kept import QueryResult

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

T = TypeVar("T")
_BATCH = 2000
_MEMORY = "1GB"
_LINE_BYTES = 64 << 20
# By itself DuckDB takes sixteen times the longest line, which is more than it may have.
_BUFFER_BYTES = 2 * _LINE_BYTES
_AS_PARQUET = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 2048)"
_SELECTED = ", ".join(
    "epoch_us(timestamp) AS timestamp" if name == "timestamp" else name for name in COLUMNS
)
_CSV = (
    "SELECT {values} FROM read_csv([{sources}], auto_detect=false, header=false, delim=',', "
    "quote='\"', escape='\"', nullstr='{null}', allow_quoted_nulls=false, new_line='\\n', "
    "parallel=false, max_line_size={line_bytes}, buffer_size={buffer_bytes}, columns={{{columns}}})"
)
# Not sorted: that takes a month's memory, and its pieces come in the order of time.
_WRITE = "COPY ({rows}) TO '{target}' {as_parquet}"
_READ = "SELECT {selected} FROM read_parquet('{source}')"
_COUNT = "SELECT count(*) FROM read_parquet('{source}') WHERE {condition}"
_SELECT = (
    "SELECT * REPLACE (timestamp::VARCHAR AS timestamp) FROM (SELECT * FROM read_parquet('{source}') "
    "WHERE {condition} ORDER BY timestamp)"
)
_REWRITE = (
    "COPY (SELECT * REPLACE ({parts}) FROM read_parquet('{source}')) TO '{target}' {as_parquet}"
)
_ARCHIVED = (
    "SELECT {names} FROM read_parquet('{file}') "
    "WHERE timestamp >= '{since}'::TIMESTAMPTZ AND timestamp < '{until}'::TIMESTAMPTZ"
)
_NOTHING = "SELECT {names} WHERE false"
_MOMENT = "TIMESTAMP WITH TIME ZONE"


class DuckDBMonths:
    """Works in threads, each on a DuckDB in memory."""

    async def write(self, rows: Sequence[Path], target: Path) -> None:
        statement = _WRITE.format(
            rows=_rows_of_csv(rows, tuple(COLUMNS)), target=_quoted(target), as_parquet=_AS_PARQUET
        )
        await _in_duckdb(lambda duckdb: duckdb.execute(statement))

    async def read(self, source: Path, take: Callable[[Mapping[str, Any]], None]) -> None:
        def work(duckdb: "DuckDBPyConnection") -> None:
            found = duckdb.execute(_READ.format(selected=_SELECTED, source=_quoted(source)))
            names = tuple(COLUMNS)
            while batch := found.fetchmany(_BATCH):
                for values in batch:
                    take(dict(zip(names, values, strict=True)))

        await _in_duckdb(work)

    async def count(self, source: Path, given: Mapping[str, Any]) -> int:
        statement = _COUNT.format(source=_quoted(source), condition=_condition(given))
        ((count,),) = await _in_duckdb(
            lambda duckdb: duckdb.execute(statement, list(given.values())).fetchall()
        )
        return int(count)

    async def select(self, source: Path, given: Mapping[str, Any]) -> list[dict[str, Any]]:
        statement = _SELECT.format(source=_quoted(source), condition=_condition(given))

        def work(duckdb: "DuckDBPyConnection") -> list[dict[str, Any]]:
            found = duckdb.execute(statement, list(given.values()))
            names = [column[0] for column in found.description or ()]
            return [dict(zip(names, row, strict=True)) for row in found.fetchall()]

        return await _in_duckdb(work)

    async def write_erased(
        self, source: Path, target: Path, given: Mapping[str, Any], erasure_id: UUID
    ) -> None:
        chosen, parts = _condition(given), []
        values: list[Any] = []
        for name, blank in {**ERASED, "erasure_id": erasure_id}.items():
            parts.append(f"CASE WHEN {chosen} THEN ?::{_kind(name)} ELSE {name} END AS {name}")
            values += [*given.values(), blank]
        statement = _REWRITE.format(
            parts=", ".join(parts),
            source=_quoted(source),
            target=_quoted(target),
            as_parquet=_AS_PARQUET,
        )
        await _in_duckdb(lambda duckdb: duckdb.execute(statement, values))

    async def query(
        self,
        sql: str,
        names: Sequence[str],
        rows: Sequence[Path],
        months: Sequence[Path],
        days: tuple[date, date],
    ) -> QueryResult:
        nothing = ", ".join(f"NULL::{_kind(name)} AS {name}" for name in names)
        parts = [_rows_of_csv(rows, names)] if rows else []
        parts += [
            _ARCHIVED.format(
                names=", ".join(names), file=_quoted(path), since=days[0], until=days[1]
            )
            for path in months
        ]
        union = " UNION ALL ".join(parts) or _NOTHING.format(names=nothing)
        return await _in_duckdb(lambda duckdb: _ask(duckdb, sql, union))


async def _in_duckdb(work: Callable[["DuckDBPyConnection"], T]) -> T:
    def run() -> T:
        with open_duckdb() as duckdb:
            return work(duckdb)

    return await asyncio.to_thread(run)


@contextmanager
def open_duckdb() -> Iterator["DuckDBPyConnection"]:
    """Open DuckDB in memory, with a folder of its own for what does not fit. Raises SettingsError."""
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SettingsError(LACKING) from error
    with TemporaryDirectory(prefix="quoth-duckdb-") as scratch:
        config: dict[str, str | bool | int | float | list[str]] = {
            "memory_limit": _MEMORY,
            "threads": "2",
            "temp_directory": scratch,
            "autoinstall_known_extensions": "false",
            "TimeZone": "UTC",
        }
        with duckdb.connect(":memory:", config=config) as connection:
            yield connection


def _ask(duckdb: "DuckDBPyConnection", sql: str, union: str) -> QueryResult:
    from duckdb import Error  # noqa: PLC0415 - an extra

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


def _rows_of_csv(sources: Sequence[Path], names: Sequence[str]) -> str:
    """Return the expression that reads what PostgreSQL wrote as CSV, all values as text."""
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    values = ", ".join(_value(name) for name in names)
    return _CSV.format(
        values=values,
        sources=", ".join(f"'{_quoted(source)}'" for source in sources),
        null=CSV_NULL,
        line_bytes=_LINE_BYTES,
        buffer_bytes=_BUFFER_BYTES,
        columns=columns,
    )


def _value(name: str) -> str:
    kind = _kind(name)
    return f"unhex({name}) AS {name}" if kind == "BLOB" else f"{name}::{kind} AS {name}"


def _kind(name: str) -> str:
    """Return the type of a column; JSON stays the text that was hashed."""
    kind = COLUMNS[name]
    return "VARCHAR" if kind == "JSON" else kind


def _condition(given: Mapping[str, Any]) -> str:
    # Only our own names go into the text; the values travel apart.
    return " AND ".join(["erasure_id IS NULL", *(f"{name} = ?" for name in given)])


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
