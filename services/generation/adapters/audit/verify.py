"""Hold the record of answers against its hashes and the chain of its days."""

import hashlib
from collections import Counter, defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, field
from datetime import date
from functools import partial
from pathlib import Path
from typing import TYPE_CHECKING, Any, TypeAlias
from uuid import UUID

import asyncpg

from libs.errors import NotFound
from libs.postgres import translated_errors
from services.generation.adapters.audit.archive import AuditArchive, scratch
from services.generation.adapters.audit.chain import SealedDay
from services.generation.adapters.audit.files import ArchiveFiles
from services.generation.adapters.audit.hashes import is_whole, row_hash
from services.generation.adapters.audit.parquet import read_parquet

if TYPE_CHECKING:
    from duckdb import DuckDBPyConnection

MOST_FAULTS = 100
"""So many faults are told one by one."""
_BATCH = 2000
_LONG_S = 3600
# What a summary says of a row has to be what the row says.
_ROWS = """
SELECT log_id, chain_day, row_hash, erasure_id, audit_row_hash(kept) AS hash,
    audit_is_whole(kept) AS is_whole
FROM audit_logs AS kept
UNION ALL
SELECT unpacked.log_id, unpacked.chain_day, unpacked.row_hash, unpacked.erasure_id,
    audit_row_hash(unpacked),
    audit_is_whole(unpacked) AND packed.kept @> (to_jsonb(packed) - 'kept')
FROM audit_warm AS packed CROSS JOIN LATERAL audit_unpacked(packed) AS unpacked
"""
_DAYS = """
SELECT day, row_count, rows_hash, erasures_hash, previous, digest FROM audit_days ORDER BY day
"""
_ERASURES = """
SELECT erasure_id, chain_day, row_count, audit_erasure_hash(made) AS hash
FROM audit_erasures AS made
"""
_Connection: TypeAlias = "asyncpg.pool.PoolConnectionProxy[Any]"


@dataclass
class ChainReport:
    """What became of the chain: `head` is the digest of the last sealed day, "" for none.

    `waiting` rows are of days that are not sealed yet, `erased` ones have their skeleton alone;
    `faults` say what does not hold, in plain words, the first of `fault_count`.
    """

    days: int = 0
    rows: int = 0
    waiting: int = 0
    erased: int = 0
    head: str = ""
    faults: list[str] = field(default_factory=list)
    fault_count: int = 0

    def add(self, fault: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)


@dataclass(frozen=True)
class FoundRow:
    """A row as it is found: the hash that it has, the one it should have, and whether it is whole."""

    log_id: UUID
    chain_day: date
    row_hash: bytes
    erasure_id: UUID | None
    hash: bytes
    is_whole: bool


class AuditVerifier:
    """Verifies by the pool of any user that may read the audit's tables."""

    def __init__(self, pool: asyncpg.Pool, files: ArchiveFiles | None = None) -> None:
        self._pool = pool
        self._archive = AuditArchive(pool, files)

    async def verify(self, known: bytes = b"") -> ChainReport:
        """Hold every row against its hashes, its day, its erasure and the chain.

        `known` is a digest that was noted elsewhere, and has to be one of the chain's. Raises
        SettingsError where months are archived and the archive is not given or can't be read.
        """
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                days = [SealedDay(**day) for day in await connection.fetch(_DAYS)]
                checking = _Checking(await connection.fetch(_ERASURES))
                async for row in _rows_in_database(connection):
                    checking.take(row)
            await self._take_archived(checking)
        checking.check_erasures()
        checking.check_days(days)
        if known and known not in {day.digest for day in days}:
            checking.report.add(f"no day has the digest {known.hex()}: the chain was made anew")
        return checking.report

    async def _take_archived(self, checking: "_Checking") -> None:
        for month in await self._archive.list_months():
            async with scratch() as folder:
                try:
                    await self._archive.work_on(
                        month["name"], partial(_take_file, checking, month), folder
                    )
                except NotFound:
                    checking.report.add(f"the archive has no file {month['name']}")


def _take_file(
    checking: "_Checking", month: asyncpg.Record, duckdb: "DuckDBPyConnection", path: Path
) -> None:
    hashes = []
    for row in read_parquet(duckdb, path):
        found = row_hash(row)
        hashes.append(found)
        checking.take(
            FoundRow(
                row["log_id"],
                row["chain_day"],
                row["row_hash"],
                row["erasure_id"],
                found,
                is_whole(row),
            )
        )
    if _digest_of(hashes) != month["rows_hash"]:
        checking.report.add(f"{month['name']} has other rows than those that were archived")


async def _rows_in_database(connection: _Connection) -> AsyncIterator[FoundRow]:
    async for row in connection.cursor(_ROWS, prefetch=_BATCH, timeout=_LONG_S):
        yield FoundRow(**row)


class _Checking:
    """Gathers what is found of the rows, and compares it with the days and the erasures."""

    def __init__(self, erasures: list[asyncpg.Record]) -> None:
        self.report = ChainReport()
        self._erasures = erasures
        self._hashes: dict[date, list[bytes]] = defaultdict(list)
        self._erased: Counter[UUID] = Counter()

    def take(self, row: FoundRow) -> None:
        self.report.rows += 1
        self._hashes[row.chain_day].append(row.hash)
        if row.erasure_id is not None:
            self.report.erased += 1
            self._erased[row.erasure_id] += 1
        what = "" if row.is_whole else "what was asked and answered"
        if row.hash != row.row_hash:
            what = "when, where or how it ended"
        if what:
            self.report.add(f"the row {row.log_id} of {row.chain_day} was changed: {what}")

    def check_erasures(self) -> None:
        for erasure in self._erasures:
            found = self._erased.pop(erasure["erasure_id"], 0)
            if found != erasure["row_count"]:
                self.report.add(
                    f"the erasure {erasure['erasure_id']} was of {erasure['row_count']} rows and "
                    f"{found} say so"
                )
        for unknown, count in self._erased.items():
            self.report.add(f"{count} rows name an erasure that is not told: {unknown}")

    def check_days(self, days: list[SealedDay]) -> None:
        report, previous, last = self.report, b"", date.min
        erasures: dict[date, list[bytes]] = defaultdict(list)
        for erasure in self._erasures:
            erasures[erasure["chain_day"]].append(erasure["hash"])
        for day in days:
            if day.previous != previous or day.digest != day.expected_digest():
                report.add(f"the digest of {day.day} does not follow from that of the day before")
            if _digest_of(erasures.pop(day.day, [])) != day.erasures_hash:
                report.add(f"{day.day} has other erasures than those it was sealed with")
            self._check_rows(day)
            previous, last = day.digest, day.day
            report.days += 1
            report.head = day.digest.hex()
        for missing, rows in sorted(self._hashes.items()):
            report.waiting += len(rows)
            if missing < last:
                report.add(f"{len(rows)} rows of {missing} were added after that day was over")
        for missing in sorted(erasures):
            if missing < last:
                report.add(f"erasures of {missing} were added after that day was over")

    def _check_rows(self, day: SealedDay) -> None:
        found = self._hashes.pop(day.day, [])
        if len(found) != day.row_count:
            self.report.add(f"{day.day} was sealed with {day.row_count} rows and has {len(found)}")
        elif hashlib.sha256(b"".join(sorted(found))).digest() != day.rows_hash:
            self.report.add(f"{day.day} has other rows than those it was sealed with")


def _digest_of(hashes: list[bytes]) -> bytes:
    return hashlib.sha256(b"".join(sorted(hashes))).digest() if hashes else b""
