"""Bring a database to the schema that the code knows, and refuse one that it does not know.

A migration is a file `0001_name.sql` … of a service. It is applied once, in order, and never edited:
the database keeps its SHA-256. Code goes on beside migrations of a later version, as it must while
replicas are replaced one by one, unless one of them says in a line of its own what code it needs:

    -- needs 0012_name

Then code that has no migration 0012_name is refused. One that takes something away names itself, or
the migration since which the code does without it.
"""

import hashlib
import logging
import re
from collections.abc import Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any, TypeAlias

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.settings import SettingsError

Connection: TypeAlias = "asyncpg.Connection | PoolConnectionProxy[Any]"

SERVICE_ROLE = "quoth_service"
"""The role that has the rights of the files grants.sql, and no others."""

_LOG = logging.getLogger(__name__)
_GRANTS = "grants "
_NEEDS = re.compile(r"^-- needs (\S+)$", re.MULTILINE)
# One lock for all owners: services start together, and making the ledger would race.
_LOCK = "SELECT pg_advisory_xact_lock(7166001)"
_LEDGER = """
CREATE TABLE IF NOT EXISTS schema_migrations (
    owner      text,
    name       text,
    applied_at timestamptz NOT NULL DEFAULT now(),
    PRIMARY KEY (owner, name)
)
"""
# By the row as JSON, which has no column that an earlier version's ledger lacks.
_APPLIED = """
SELECT name, to_jsonb(kept) ->> 'checksum' AS checksum, to_jsonb(kept) ->> 'needs' AS needs
FROM schema_migrations AS kept WHERE owner = $1
"""
_ALL_APPLIED = "SELECT owner, name FROM schema_migrations ORDER BY owner, name"
_HAS_SUMS = """
SELECT EXISTS (SELECT FROM pg_attribute
               WHERE attrelid = 'schema_migrations'::regclass AND attname = 'checksum')
"""
_ADD_SUMS = "ALTER TABLE schema_migrations ADD COLUMN checksum text, ADD COLUMN needs text"
_NOTE = """
INSERT INTO schema_migrations (owner, name, checksum, needs) VALUES ($1, $2, $3, $4)
ON CONFLICT (owner, name) DO UPDATE SET checksum = EXCLUDED.checksum, needs = EXCLUDED.needs
"""
# A role belongs to all databases of a server, and another one may be making it.
_MAKE_ROLE = f"""
DO $$ BEGIN
    IF NOT EXISTS (SELECT FROM pg_roles WHERE rolname = '{SERVICE_ROLE}') THEN
        CREATE ROLE {SERVICE_ROLE} NOLOGIN;
        GRANT {SERVICE_ROLE} TO CURRENT_USER;
    END IF;
EXCEPTION WHEN duplicate_object OR unique_violation THEN
    NULL;
END $$
"""


@dataclass(frozen=True)
class Schema:
    """The scripts of one service by name, and what its role may do with what they make."""

    owner: str
    scripts: Mapping[str, str]
    grants: str = ""

    @property
    def names(self) -> set[str]:
        grants = {_GRANTS + hashlib.sha256(self.grants.encode()).hexdigest()[:12]}
        return {*self.scripts, *(grants if self.grants else ())}

    def refuse(self, applied: Mapping[str, "_Applied"]) -> None:
        """Raise SettingsError for a database that this code must not work with."""
        for name, found in applied.items():
            script = self.scripts.get(name)
            if script is not None and found.checksum not in (None, checksum(script)):
                raise SettingsError(
                    f"PostgreSQL's tables of {self.owner} were made by another migration {name} than "
                    "this version of Quoth has: run an unchanged version"
                )
            if found.needs is not None and found.needs not in self.scripts:
                raise SettingsError(
                    f"PostgreSQL's tables of {self.owner} are of a later version of Quoth ({name}), "
                    "which this one can't work with: run that version or a later one"
                )


@dataclass(frozen=True)
class _Applied:
    """What a database keeps of a migration; None for what an earlier version did not keep."""

    checksum: str | None
    needs: str | None


def checksum(script: str) -> str:
    return hashlib.sha256(script.encode()).hexdigest()


def needed_code(script: str) -> str | None:
    """Return the migration that code must have to work with what `script` makes; None for any."""
    found = _NEEDS.search(script)
    return found[1] if found else None


def read_schema(owner: str, folder: Path) -> Schema:
    grants = folder.with_name("grants.sql")
    return Schema(owner, read_scripts(folder), grants.read_text() if grants.exists() else "")


def read_scripts(folder: Path) -> dict[str, str]:
    """Return the migrations of a folder by their names, in their order."""
    return {path.stem: path.read_text() for path in sorted(folder.glob("*.sql"))}


async def list_migrations(connection: Connection) -> dict[str, list[str]]:
    """Return the names of the migrations that are in place, in their order, by owner."""
    if not await _has_ledger(connection):
        return {}
    found: dict[str, list[str]] = {}
    for row in await connection.fetch(_ALL_APPLIED):
        if not row["name"].startswith(_GRANTS):
            found.setdefault(row["owner"], []).append(row["name"])
    return found


async def migrate(connection: Connection, owner: str, scripts: Mapping[str, str]) -> None:
    """Apply the scripts that are missing, inside of the caller's transaction.

    Rights are no part of them: the service's next start sees to these. Raises SettingsError for a
    database that another version has changed beyond what these scripts know.
    """
    await _apply(connection, Schema(owner, scripts))


async def bring_up_to_date(pool: asyncpg.Pool, schema: Schema) -> None:
    """Apply what is missing, by one process at a time. Raises SettingsError as `open_pool` does."""
    async with pool.acquire() as connection:
        # Not in one transaction with the rest: who waits for the lock must hold no other.
        async with connection.transaction():
            await _as_who_connected(connection)
            applied = await _list_applied(connection, schema.owner)
        schema.refuse(applied)
        has_sums = all(found.checksum for name, found in applied.items() if name in schema.scripts)
        is_complete = schema.names <= applied.keys()
        if is_complete and has_sums:
            return
        try:
            async with connection.transaction():
                await _as_who_connected(connection)
                await _apply(connection, schema)
                if schema.grants and await _has_role(connection):
                    await connection.execute(schema.grants)
                    for name in schema.names - schema.scripts.keys():
                        await connection.execute(_NOTE, schema.owner, name, None, None)
        except asyncpg.InsufficientPrivilegeError as error:
            if is_complete:
                return  # checksums alone are missing, and whoever may add them does
            raise SettingsError(
                f"PostgreSQL lacks tables of {schema.owner} that this user may not make: "
                "run `quoth migrate` first, as their owner"
            ) from error


async def _apply(connection: Connection, schema: Schema) -> None:
    await connection.execute(_LOCK)
    await connection.execute(_LEDGER)
    if not await connection.fetchval(_HAS_SUMS):
        await connection.execute(_ADD_SUMS)
    applied = await _list_applied(connection, schema.owner)
    schema.refuse(applied)
    for name, script in schema.scripts.items():
        if name not in applied:
            await connection.execute(script)
        if name not in applied or applied[name].checksum is None:
            values = (checksum(script), needed_code(script))
            await connection.execute(_NOTE, schema.owner, name, *values)


async def _as_who_connected(connection: Connection) -> None:
    # Who connected may do more than the role that the connection works in.
    await connection.execute("SET LOCAL ROLE NONE")


async def _has_ledger(connection: Connection) -> bool:
    return await connection.fetchval("SELECT to_regclass('schema_migrations')") is not None


async def _list_applied(connection: Connection, owner: str) -> dict[str, _Applied]:
    if not await _has_ledger(connection):
        return {}
    rows = await connection.fetch(_APPLIED, owner)
    return {row["name"]: _Applied(row["checksum"], row["needs"]) for row in rows}


async def _has_role(connection: Connection) -> bool:
    """Make the role where it is missing; return whether it is there."""
    try:
        async with connection.transaction():
            await connection.execute(_MAKE_ROLE)
    except asyncpg.InsufficientPrivilegeError:
        _LOG.warning(
            "the role %s is not there and this user may not make it: services have all rights of "
            "the user that they connect as",
            SERVICE_ROLE,
        )
        return False
    return True
