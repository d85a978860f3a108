"""A row for every table of a schema, whichever version it is of."""

from datetime import UTC, datetime, timedelta

import asyncpg

LONG_AGO = (datetime.now(UTC) - timedelta(days=150)).replace(microsecond=0)
"""When the older of the two rows of the record was written."""

# By the names of types: what a column has that must have something.
_VALUES = {
    "uuid": "'0192f3a4-0000-7000-8000-000000000000'",
    "text": "'x'",
    "varchar": "'x'",
    "bpchar": "repeat('0', 32)",
    "int4": "1",
    "int8": "1",
    "float4": "0.5",
    "bool": "true",
    "jsonb": "'[]'",
    "bytea": r"decode(repeat('00', 32), 'hex')",
    "date": "current_date",
    "timestamptz": "clock_timestamp()",
    "_text": "'{}'",
}
# Where a check or a reader asks for more.
_CHOSEN = {
    "source_mode": "'full-book'",
    "end_offset": "2",
    "rating": "'up'",
    "grade": "'right'",
    "edition": "1",
    "chunk_count": "1",
}
_COLUMNS = """
SELECT c.relname AS table, a.attname AS name, t.typname AS type
FROM pg_class AS c JOIN pg_attribute AS a ON a.attrelid = c.oid JOIN pg_type AS t ON t.oid = a.atttypid
WHERE c.relnamespace = current_schema()::regnamespace AND c.relkind IN ('r', 'p')
    AND NOT c.relispartition AND c.relname <> 'schema_migrations' AND a.attnum > 0
    AND (a.attnotnull AND NOT a.atthasdef OR a.attname IN ('edition', 'chunk_count'))
ORDER BY c.oid, a.attnum
"""
# What the record's own functions fill.
_MADE_BY_FUNCTIONS = {"audit_days", "audit_warm", "audit_archives", "audit_erasures"}
_HASHES = {
    "chain_day": "(timestamp AT TIME ZONE 'UTC')::date",
    "content_hash": "audit_content_hash(kept)",
    "row_hash": "audit_row_hash(kept)",
}


async def fill_tables(connection: asyncpg.Connection) -> dict[str, int]:
    """Put rows into every table, and return how many each has from which nothing moves them."""
    tables: dict[str, dict[str, str]] = {}
    for row in await connection.fetch(_COLUMNS):
        value = _CHOSEN.get(row["name"], _VALUES[row["type"]])
        tables.setdefault(row["table"], {})[row["name"]] = value
    filled = {}
    # Rows as they may have come long ago: no trigger makes them of today.
    await connection.execute("SET session_replication_role = replica")
    for table, values in tables.items():
        if table == "audit_logs":
            await _fill_record(connection, values)
        elif table not in _MADE_BY_FUNCTIONS | {"audit_opened", "audit_released"}:
            await _insert(connection, table, values)
            filled[table] = 1
    await connection.execute("RESET session_replication_role")
    await _age_record(connection)
    return filled


async def _insert(connection: asyncpg.Connection, table: str, values: dict[str, str]) -> None:
    names, places = ", ".join(values), ", ".join(values.values())
    await connection.execute(f"INSERT INTO {table} ({names}) VALUES ({places})")


async def _fill_record(connection: asyncpg.Connection, values: dict[str, str]) -> None:
    """Add a row of long ago and one of now, each with its hashes where the version has them."""
    for moment in (LONG_AGO, datetime.now(UTC)):
        first = moment.replace(day=1, hour=0, minute=0, second=0, microsecond=0)
        after = (first + timedelta(days=31)).replace(day=1)
        await connection.execute(
            f"CREATE TABLE audit_logs_{first:%Y_%m} PARTITION OF audit_logs "
            f"FOR VALUES FROM ('{first}') TO ('{after}')"
        )
        own = {"log_id": "gen_random_uuid()", "timestamp": f"'{moment}'"}
        await _insert(connection, "audit_logs", {**values, **own})
    if "row_hash" in values:
        for column, made in _HASHES.items():
            await connection.execute(f"UPDATE audit_logs AS kept SET {column} = {made}")


async def _age_record(connection: asyncpg.Connection) -> None:
    """Seal what is over, and pack it where the version can."""
    for function, call in (
        ("audit_seal", "SELECT audit_seal(current_date)"),
        ("audit_cool_month", f"SELECT audit_cool_month('{LONG_AGO:%Y-%m-01}')"),
    ):
        if await connection.fetchval("SELECT true FROM pg_proc WHERE proname = $1", function):
            await connection.execute(call)
