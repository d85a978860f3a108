"""Seal the audit's days as a chain of digests, and hold the rows against it."""

import hashlib
from collections import defaultdict
from collections.abc import AsyncIterator, Iterable
from dataclasses import dataclass, field
from datetime import date

import asyncpg
from asyncpg.pool import PoolConnectionProxy

from libs.postgres import translated_errors

MOST_FAULTS = 100
"""So many faults are told one by one."""
_SEALING_LOCK = 7166005
_BATCH = 2000
_UNSEALED = """
SELECT EXISTS (
    SELECT FROM audit_logs
    WHERE chain_day < (clock_timestamp() AT TIME ZONE 'UTC')::date
        AND chain_day > coalesce((SELECT max(day) FROM audit_days), '-infinity')
)
"""
_TODAY = "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"
_ROWS = """
SELECT log_id, chain_day, row_hash, audit_row_hash(kept) AS hash,
    audit_content_hash(kept) = content_hash AS is_whole
FROM audit_logs AS kept
"""
_DAYS = "SELECT day, row_count, rows_hash, previous, digest FROM audit_days ORDER BY day"


@dataclass(frozen=True)
class SealedDay:
    """A day of the chain: how many rows it has, and the digest that holds those of all days before."""

    day: date
    row_count: int
    rows_hash: bytes
    previous: bytes
    digest: bytes

    def expected_digest(self) -> bytes:
        told = _field("day", self.day.isoformat()) + _field("row_count", str(self.row_count))
        return hashlib.sha256(self.previous + told.encode() + self.rows_hash).digest()


@dataclass
class ChainReport:
    """What became of the chain: `head` is the digest of the last sealed day, "" for none.

    `unsealed` rows are of days that are not over; `faults` say what does not hold, in plain words.
    """

    days: int = 0
    rows: int = 0
    unsealed: int = 0
    head: str = ""
    faults: list[str] = field(default_factory=list)
    fault_count: int = 0

    def add(self, fault: str) -> None:
        self.fault_count += 1
        if len(self.faults) < MOST_FAULTS:
            self.faults.append(fault)


class AuditChain:
    """Seals and verifies by the pool of any user that may read the audit's tables."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def seal(self) -> list[SealedDay]:
        """Seal the days that are over, unless another replica does; return those sealed."""
        with translated_errors():
            if not await self._pool.fetchval(_UNSEALED):
                return []
            today = await self._pool.fetchval(_TODAY)
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                await connection.execute("SELECT audit_settle()")
            async with self._pool.acquire() as connection, connection.transaction():
                if not await connection.fetchval(
                    "SELECT pg_try_advisory_xact_lock($1)", _SEALING_LOCK
                ):
                    return []
                await connection.execute("SET LOCAL synchronous_commit = on")
                # A day of a million rows takes half a minute.
                days = await connection.fetch(
                    "SELECT day, row_count, rows_hash, previous, digest FROM audit_seal($1)",
                    today,
                    timeout=3600,
                )
        return [SealedDay(**day) for day in days]

    async def verify(self, known: bytes = b"") -> ChainReport:
        """Hold every row against its hashes, its day and the chain.

        `known` is a digest that was noted elsewhere, and has to be one of the chain's.
        """
        report = ChainReport()
        hashes: dict[date, list[bytes]] = defaultdict(list)
        with translated_errors():
            async with (
                self._pool.acquire() as connection,
                connection.transaction(isolation="repeatable_read", readonly=True),
            ):
                days = [SealedDay(**day) for day in await connection.fetch(_DAYS)]
                async for row in _rows(connection):
                    _check_row(row, report)
                    hashes[row["chain_day"]].append(row["hash"])
        _check_days(days, hashes, report)
        if known and known not in {day.digest for day in days}:
            report.add(f"no day has the digest {known.hex()}: the chain was made anew")
        return report


async def _rows(connection: PoolConnectionProxy) -> AsyncIterator[asyncpg.Record]:
    async for row in connection.cursor(_ROWS, prefetch=_BATCH, timeout=3600):
        yield row


def _check_row(row: asyncpg.Record, report: ChainReport) -> None:
    report.rows += 1
    what = "" if row["is_whole"] else "what was asked and answered"
    if row["hash"] != row["row_hash"]:
        what = "when, where or how it ended"
    if what:
        report.add(f"the row {row['log_id']} of {row['chain_day']} was changed: {what}")


def _check_days(
    days: Iterable[SealedDay], hashes: dict[date, list[bytes]], report: ChainReport
) -> None:
    previous = b""
    last = date.min
    for day in days:
        found = sorted(hashes.pop(day.day, []))
        if day.previous != previous or day.digest != day.expected_digest():
            report.add(f"the digest of {day.day} does not follow from that of the day before")
        if len(found) != day.row_count:
            report.add(f"{day.day} was sealed with {day.row_count} rows and has {len(found)}")
        elif hashlib.sha256(b"".join(found)).digest() != day.rows_hash:
            report.add(f"{day.day} has other rows than those it was sealed with")
        previous, last = day.digest, day.day
        report.days += 1
        report.head = day.digest.hex()
    for missing, rows in sorted(hashes.items()):
        report.unsealed += len(rows)
        if missing < last:
            report.add(f"{len(rows)} rows of {missing} were added after that day was over")


def _field(name: str, value: str) -> str:
    return f"{name}:{len(value)}:{value};"
