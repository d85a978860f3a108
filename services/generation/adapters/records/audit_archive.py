"""Open the archive of the record: its months by PostgreSQL, its files, and Parquet."""

import asyncpg

from services.generation.adapters.records.archive_files import open_files
from services.generation.adapters.records.duckdb_months import DuckDBMonths
from services.generation.adapters.records.postgres_months import PostgresMonths
from services.generation.records.archive import AuditArchive
from services.generation.records.ports import ArchiveFiles


def open_archive(pool: asyncpg.Pool, address: str) -> AuditArchive:
    """Open the archive at `address`, "" for none. Raises SettingsError as `open_files` does."""
    return archive_in(pool, open_files(address) if address else None)


def archive_in(pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> AuditArchive:
    return AuditArchive(PostgresMonths(pool), files, DuckDBMonths())
