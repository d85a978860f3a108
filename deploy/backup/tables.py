"""The rows of PostgreSQL: all tables at one moment, and back into tables that are empty.

Rows travel by COPY, which every server and its client speak: a dump by PostgreSQL's own program would
need one of at least the server's version beside each installation.
"""

import re
from collections.abc import Mapping
from collections.abc import Sequence as Many
from graphlib import TopologicalSorter
from pathlib import Path

import asyncpg

from deploy.backup.files import Files
from deploy.backup.manifest import BackupError, Manifest, Partition, SavedTable, Sequence
from libs.postgres import Connection, list_migrations, migrate, read_scripts

_OF_THIS_DATABASE = ("schema_migrations", "last_backup")
_COPY_S = 24 * 3600.0
_LOOK_S = 300.0

# Of the schema that unqualified names are found in, as everywhere in Quoth.
_TABLES = """
SELECT c.oid, c.relname AS name, c.relkind = 'p' AS is_divided, parent.relname AS parent,
    pg_get_expr(c.relpartbound, c.oid) AS bounds,
    array(SELECT attname::text FROM pg_attribute
          WHERE attrelid = c.oid AND attnum > 0 AND NOT attisdropped AND attgenerated = ''
          ORDER BY attnum) AS columns,
    array(SELECT confrelid FROM pg_constraint
          WHERE conrelid = c.oid AND contype = 'f' AND confrelid <> c.oid) AS needs
FROM pg_class AS c
LEFT JOIN pg_inherits AS i ON i.inhrelid = c.oid
LEFT JOIN pg_class AS parent ON parent.oid = i.inhparent
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
ORDER BY c.relname
"""
_SEQUENCES = """
SELECT c.relname AS name, s.seqstart AS first, pg_sequence_last_value(c.oid) AS last
FROM pg_class AS c JOIN pg_sequence AS s ON s.seqrelid = c.oid
WHERE c.relnamespace = current_schema()::regnamespace ORDER BY c.relname
"""
_NAME = re.compile(r"[a-z][a-z0-9_]{0,62}")
_BOUNDS = re.compile(r"FOR VALUES FROM \('[-+0-9:. ]+'\) TO \('[-+0-9:. ]+'\)")
_CHANGED = "The backup's manifest holds what no backup of Quoth does: {!r}."


async def save_tables(connection: Connection, files: Files) -> list[SavedTable]:
    """Copy every table, in an order in which a table comes after those that it refers to."""
    rows = [row for row in await _list_tables(connection) if not row["is_divided"]]
    return [await _save(connection, files, row["name"], row["columns"]) for row in _in_order(rows)]


async def _save(connection: Connection, files: Files, name: str, columns: Many[str]) -> SavedTable:
    writer = files.create(f"postgres/{name}.copy.gz")
    done = await connection.copy_from_table(
        name, columns=columns, output=writer.write, format="binary", timeout=_COPY_S
    )
    return SavedTable(name, list(columns), _count(done), await writer.finish())


async def list_partitions(connection: Connection) -> list[Partition]:
    return [
        Partition(row["name"], row["parent"], row["bounds"])
        for row in await _list_tables(connection)
        if row["bounds"]
    ]


async def list_sequences(connection: Connection) -> list[Sequence]:
    return [
        Sequence(
            row["name"],
            row["first"] if row["last"] is None else row["last"],
            row["last"] is not None,
        )
        for row in await connection.fetch(_SEQUENCES)
    ]


async def find_rows(connection: Connection) -> list[str]:
    """Return the names of the tables that hold anything."""
    return [
        row["name"]
        for row in await _list_tables(connection)
        if not row["is_divided"]
        and await connection.fetchval(f'SELECT EXISTS (SELECT FROM "{row["name"]}")')  # noqa: S608 - of the database
    ]


async def make_schema(
    connection: Connection, manifest: Manifest, folders: Mapping[str, Path]
) -> None:
    """Bring an empty database to the schema that the backup was taken with.

    Raises BackupError where that schema is not known here, or another one is already there.
    """
    for owner, names in manifest.migrations.items():
        scripts = read_scripts(folders[owner]) if owner in folders else {}
        if unknown := [name for name in names if name not in scripts]:
            raise BackupError(
                f"The backup was made by Quoth {manifest.quoth}, whose database this version does "
                f"not know ({owner}: {unknown[0]}). Restore it with that version or a later one."
            )
        await migrate(connection, owner, {name: scripts[name] for name in names})
    present = await list_migrations(connection)
    if any(present[owner] != names for owner, names in manifest.migrations.items()):
        raise BackupError(
            "The database has the tables of a later version than the backup's. Restore into a "
            "database without tables: services and `quoth migrate` bring it up to date afterwards."
        )
    for part in manifest.partitions:
        _require(_NAME, part.name, part.parent)
        _require(_BOUNDS, part.bounds)
        await connection.execute(
            f"CREATE TABLE IF NOT EXISTS {part.name} PARTITION OF {part.parent} {part.bounds}"
        )


async def load_tables(connection: Connection, files: Files, manifest: Manifest) -> None:
    """Fill the tables. Raises BackupError when a file is damaged or does not fit."""
    for table in manifest.tables:
        _require(_NAME, table.name)
        # Rows come as they were: what a trigger would make of them anew, a hash say, has been made.
        await connection.execute(f"ALTER TABLE {table.name} DISABLE TRIGGER USER")
        try:
            done = await connection.copy_to_table(
                table.name,
                columns=table.columns,
                source=files.read(table.file),
                format="binary",
                timeout=_COPY_S,
            )
        except asyncpg.DataError as error:
            raise BackupError(f"{table.file.name} does not fit its table.") from error
        if _count(done) != table.rows:
            raise BackupError(f"{table.file.name} has {_count(done)} rows instead of {table.rows}.")
        await connection.execute(f"ALTER TABLE {table.name} ENABLE TRIGGER USER")
    for sequence in manifest.sequences:
        _require(_NAME, sequence.name)
        await connection.execute(
            "SELECT setval($1::text::regclass, $2, $3)",
            sequence.name,
            sequence.value,
            sequence.is_called,
        )


async def _list_tables(connection: Connection) -> "list[asyncpg.Record]":
    rows = await connection.fetch(_TABLES, timeout=_LOOK_S)
    return [row for row in rows if row["name"] not in _OF_THIS_DATABASE]


def _in_order(rows: "list[asyncpg.Record]") -> "list[asyncpg.Record]":
    """Sort tables so that each comes after those that its foreign keys name."""
    sorter = TopologicalSorter({row["oid"]: row["needs"] for row in rows})
    by_id = {row["oid"]: row for row in rows}
    return [by_id[oid] for oid in sorter.static_order() if oid in by_id]


def _require(pattern: re.Pattern[str], *texts: str) -> None:
    """Raise BackupError for a name that would be more than a name in a statement."""
    for text in texts:
        if not pattern.fullmatch(text):
            raise BackupError(_CHANGED.format(text))


def _count(status: str) -> int:
    return int(status.rpartition(" ")[2])
