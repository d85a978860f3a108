"""Write rows of the audit as Parquet, read them back, and erase some of them."""

import hashlib
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING, Any
from uuid import UUID

from libs.settings import SettingsError
from services.generation.adapters.audit.files import LACKING
from services.generation.adapters.audit.hashes import COLUMNS, ERASED, is_whole, row_hash

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

NULL = "\\N"
"""What a value is written as that is not there, unquoted; all others are quoted."""
_BATCH = 2000
_MEMORY = "1GB"
_LINE_BYTES = 64 << 20
_AS_PARQUET = "(FORMAT parquet, COMPRESSION zstd, ROW_GROUP_SIZE 10000)"
_SELECTED = ", ".join(
    "epoch_us(timestamp) AS timestamp" if name == "timestamp" else name for name in COLUMNS
)
_CSV = (
    "SELECT {values} FROM read_csv('{source}', auto_detect=false, header=false, delim=',', quote='\"', "
    "escape='\"', nullstr='{null}', allow_quoted_nulls=false, new_line='\\n', parallel=false, "
    "max_line_size={line_bytes}, columns={{{columns}}})"
)
_WRITE = "COPY (SELECT * FROM ({rows}) ORDER BY timestamp, log_id) TO '{target}' {as_parquet}"
_READ = "SELECT {selected} FROM read_parquet('{source}')"
_COUNT = "SELECT count(*) FROM read_parquet('{source}') WHERE {condition}"
_SELECT = (
    "SELECT * REPLACE (timestamp::VARCHAR AS timestamp) FROM (SELECT * FROM read_parquet('{source}') "
    "WHERE {condition} ORDER BY timestamp)"
)
_REWRITE = (
    "COPY (SELECT * REPLACE ({parts}) FROM read_parquet('{source}')) TO '{target}' {as_parquet}"
)


@contextmanager
def open_duckdb(scratch: Path) -> Iterator["DuckDBPyConnection"]:
    """Open DuckDB in memory, with `scratch` for what does not fit. Raises SettingsError."""
    try:
        import duckdb  # noqa: PLC0415 - an extra
    except ImportError as error:
        raise SettingsError(LACKING) from error
    config: dict[str, str | bool | int | float | list[str]] = {
        "memory_limit": _MEMORY,
        "threads": "2",
        "temp_directory": str(scratch),
        "autoinstall_known_extensions": "false",
        "TimeZone": "UTC",
    }
    with duckdb.connect(":memory:", config=config) as connection:
        yield connection


def rows_of_csv(source: Path, names: tuple[str, ...]) -> str:
    """Return the expression that reads what PostgreSQL wrote as CSV, all values as text."""
    columns = ", ".join(f"'{name}': 'VARCHAR'" for name in names)
    values = ", ".join(_value(name) for name in names)
    return _CSV.format(
        values=values, source=_quoted(source), null=NULL, line_bytes=_LINE_BYTES, columns=columns
    )


def _value(name: str) -> str:
    kind = COLUMNS[name]
    return f"unhex({name}) AS {name}" if kind == "BLOB" else f"{name}::{kind} AS {name}"


def write_parquet(connection: "DuckDBPyConnection", source: Path, target: Path) -> None:
    """Write the rows of a CSV file, in the order of time."""
    rows = rows_of_csv(source, tuple(COLUMNS))
    connection.execute(_WRITE.format(rows=rows, target=_quoted(target), as_parquet=_AS_PARQUET))


def read_parquet(connection: "DuckDBPyConnection", source: Path) -> Iterator[dict[str, Any]]:
    """Yield the rows of a file, `timestamp` in microseconds since 1970."""
    found = connection.execute(_READ.format(selected=_SELECTED, source=_quoted(source)))
    names = tuple(COLUMNS)
    while batch := found.fetchmany(_BATCH):
        for values in batch:
            yield dict(zip(names, values, strict=True))


def read_back(connection: "DuckDBPyConnection", source: Path) -> tuple[int, bytes, list[UUID]]:
    """Return how many rows a file has, the hash of their hashes, and the ids of broken ones."""
    hashes, broken = [], []
    for row in read_parquet(connection, source):
        found = row_hash(row)
        hashes.append(found)
        if found != row["row_hash"] or not is_whole(row):
            broken.append(row["log_id"])
    return len(hashes), hashlib.sha256(b"".join(sorted(hashes))).digest(), broken


def count_rows(connection: "DuckDBPyConnection", source: Path, given: Mapping[str, Any]) -> int:
    """Return how many rows that are not erased yet have all that is given, by column."""
    statement = _COUNT.format(source=_quoted(source), condition=_condition(given))
    counted = connection.execute(statement, list(given.values())).fetchone()
    assert counted is not None
    return int(counted[0])


def select_rows(
    connection: "DuckDBPyConnection", source: Path, given: Mapping[str, Any]
) -> list[dict[str, Any]]:
    """Return the rows that are not erased and have all that is given, oldest first."""
    statement = _SELECT.format(source=_quoted(source), condition=_condition(given))
    found = connection.execute(statement, list(given.values()))
    names = [column[0] for column in found.description or ()]
    return [dict(zip(names, row, strict=True)) for row in found.fetchall()]


def write_erased(
    connection: "DuckDBPyConnection",
    source: Path,
    target: Path,
    given: Mapping[str, Any],
    erasure_id: UUID,
) -> None:
    """Write a file anew, the rows that have all that is given as their erasure leaves them."""
    blanks = {**ERASED, "erasure_id": erasure_id}
    chosen = _condition(given)
    values: list[Any] = []
    parts = []
    for name, blank in blanks.items():
        parts.append(f"CASE WHEN {chosen} THEN ?::{COLUMNS[name]} ELSE {name} END AS {name}")
        values += [*given.values(), blank]
    statement = _REWRITE.format(
        parts=", ".join(parts),
        source=_quoted(source),
        target=_quoted(target),
        as_parquet=_AS_PARQUET,
    )
    connection.execute(statement, values)


def _condition(given: Mapping[str, Any]) -> str:
    # Only our own names go into the text; the values travel apart.
    return " AND ".join(["erasure_id IS NULL", *(f"{name} = ?" for name in given)])


def _quoted(path: Path) -> str:
    return str(path).replace("'", "''")
