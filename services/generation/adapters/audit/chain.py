"""Seal the audit's days as a chain of digests: each day holds that of the day before."""

import hashlib
from dataclasses import dataclass
from datetime import date

import asyncpg

from libs.postgres import translated_errors

_SEALING_LOCK = 7166005
_UNSEALED = """
WITH waiting AS (SELECT chain_day FROM audit_logs UNION ALL SELECT chain_day FROM audit_erasures)
SELECT EXISTS (
    SELECT FROM waiting
    WHERE chain_day < (clock_timestamp() AT TIME ZONE 'UTC')::date
        AND chain_day > coalesce((SELECT max(day) FROM audit_days), '-infinity')
)
"""
_TODAY = "SELECT (clock_timestamp() AT TIME ZONE 'UTC')::date"
_SEAL = """
SELECT day, row_count, rows_hash, erasures_hash, previous, digest
FROM audit_seal($1)
"""


@dataclass(frozen=True)
class SealedDay:
    """A day of the chain: how many rows it has, and the digest that holds those of all days before."""

    day: date
    row_count: int
    rows_hash: bytes
    erasures_hash: bytes
    previous: bytes
    digest: bytes

    def expected_digest(self) -> bytes:
        told = chained_field("day", self.day.isoformat()) + chained_field(
            "row_count", str(self.row_count)
        )
        held = self.rows_hash + self.erasures_hash
        return hashlib.sha256(self.previous + told.encode() + held).digest()


class AuditChain:
    """Seals by the pool of the service, in one replica at a time."""

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
                    _SEAL,
                    today,
                    timeout=3600,
                )
        return [SealedDay(**day) for day in days]


def chained_field(name: str, value: str) -> str:
    """Return a value as what is hashed has it, with its name and its length."""
    return f"{name}:{len(value)}:{value};"
