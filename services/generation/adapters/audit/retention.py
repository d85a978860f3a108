"""Let the record grow old: months are packed, then archived, and leave once they were read back."""

import hashlib
import logging
from dataclasses import dataclass, field
from datetime import date, timedelta
from pathlib import Path

import asyncpg

from libs.errors import QuothError
from libs.postgres import translated_errors
from libs.telemetry.metrics import count_upkeep
from services.generation.adapters.audit.archive import (
    LONG_S,
    AuditArchive,
    in_duckdb,
    scratch,
    write_csv,
)
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.parquet import read_back, write_parquet

_LOG = logging.getLogger(__name__)
_RETAINING_LOCK = 7166006
_MONTHS = "SELECT month FROM audit_months($1::text::regclass) AS month"
_DROP = """
SELECT audit_drop_month(ROW($1, $2, $3, $4, $5, $6, clock_timestamp())::audit_archives)
"""
_NOT_READ_BACK = (
    "The archive gave back another file than it was given: {name}. Nothing was dropped."
)


@dataclass
class Retained:
    """What was done: months that were packed, and months that went to the archive."""

    cooled: list[str] = field(default_factory=list)
    archived: list[str] = field(default_factory=list)
    waiting: list[str] = field(default_factory=list)
    rows: int = 0
    size: int = 0


class AuditRetention:
    """Works by the pool of the service; `files` is None where nothing is to be archived."""

    def __init__(
        self, pool: asyncpg.Pool, hot_days: int, warm_days: int, files: ArchiveFiles | None
    ) -> None:
        self._pool = pool
        self._hot = timedelta(days=hot_days)
        self._warm = timedelta(days=warm_days)
        self._files = files
        self._archive = AuditArchive(pool, files)

    async def retain(self, today: date) -> Retained | None:
        """Pack and archive the months that are old enough; None while another one does.

        A month that still has rows of a day that is not sealed waits.
        """
        done = Retained()
        with translated_errors():
            async with self._pool.acquire() as holding, holding.transaction():
                if not await holding.fetchval(
                    "SELECT pg_try_advisory_xact_lock($1)", _RETAINING_LOCK
                ):
                    return None
                for month in await self._months("audit_logs", today - self._hot):
                    await self._cool(month, done)
                if self._files is not None:
                    for month in await self._months("audit_warm", today - self._warm):
                        await self._put_away(month, done)
        return done

    async def _months(self, table: str, before: date) -> list[date]:
        """Return the months of a table that were over on that day."""
        months = [row["month"] for row in await self._pool.fetch(_MONTHS, table)]
        return [month for month in months if _next(month) <= before]

    async def _cool(self, month: date, done: Retained) -> None:
        try:
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                rows = await connection.fetchval(
                    "SELECT audit_cool_month($1)", month, timeout=LONG_S
                )
        except (asyncpg.ObjectNotInPrerequisiteStateError, asyncpg.LockNotAvailableError) as error:
            done.waiting.append(f"{month:%Y-%m}")
            _LOG.warning("%s of the record is not packed yet: %s", month, type(error).__name__)
            return
        if rows:
            done.cooled.append(f"{month:%Y-%m}")
        count_upkeep("cooled_rows", rows)

    async def _put_away(self, month: date, done: Retained) -> None:
        """Write a month to the archive, read it back, and only then let it go."""
        async with scratch() as folder:
            source, target = folder / "rows.csv", folder / "rows.parquet"
            await write_csv(self._pool, "warm", source, since=month, until=_next(month))
            await in_duckdb(folder, lambda duckdb: write_parquet(duckdb, source, target))
            source.unlink()
            name = await self._name(month)
            file_hash = _hash_of(target)
            assert self._files is not None
            await self._files.put(name, target)
            count, rows_hash = await self._read_back(name, file_hash, folder)
            try:
                async with self._pool.acquire() as connection, connection.transaction():
                    await connection.execute("SET LOCAL lock_timeout = '2s'")
                    await connection.execute("SET LOCAL synchronous_commit = on")
                    size = target.stat().st_size
                    values = (name, month, count, rows_hash, file_hash, size)
                    await connection.execute(_DROP, *values, timeout=LONG_S)
            except (
                asyncpg.ObjectNotInPrerequisiteStateError,
                asyncpg.LockNotAvailableError,
            ) as error:
                await self._files.delete(name)
                done.waiting.append(f"{month:%Y-%m}")
                _LOG.warning("%s stays in the database: %s", month, type(error).__name__)
                return
        done.archived.append(f"{month:%Y-%m}")
        done.rows += count
        done.size += size
        count_upkeep("archived_rows", count)

    async def _read_back(self, name: str, file_hash: bytes, folder: Path) -> tuple[int, bytes]:
        found = await self._archive.work_on(
            name, lambda duckdb, path: (_hash_of(path), *read_back(duckdb, path)), folder
        )
        stored_hash, count, rows_hash, broken = found
        if stored_hash != file_hash or broken:
            raise QuothError(_NOT_READ_BACK.format(name=name))
        return count, rows_hash

    async def _name(self, month: date) -> str:
        """Return the name of a new file: a clock that jumped may have filled a month twice."""
        there = {row["name"] for row in await self._archive.list_months()}
        names = (f"audit_{month:%Y_%m}-{number}.parquet" for number in range(1, len(there) + 2))
        return next(name for name in names if name not in there)


def _next(month: date) -> date:
    return (month.replace(day=1) + timedelta(days=32)).replace(day=1)


def _hash_of(path: Path) -> bytes:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").digest()
