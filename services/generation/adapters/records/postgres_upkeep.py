"""Look after the tables that answers are written to, on PostgreSQL."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from datetime import datetime

import asyncpg

from libs.errors import Unavailable
from libs.postgres import explain_refusal, translated_errors
from services.generation.adapters.schema import LONG_S
from services.generation.records.hashes import SealedDay

# The partitions of all writers are made one at a time, and one of them closes rows at a time; the
# numbers only have to be ours.
_PARTITION_LOCK = 7166002
_CLOSING_LOCK = 7166003
_PURGING_LOCK = 7166004
_SEALING_LOCK = 7166005
_TRY_LOCK = "SELECT pg_try_advisory_xact_lock($1)"

# By the database's clock. A row that is completed at this very moment stays as it was completed.
_CLOSE = """
INSERT INTO audit_logs
SELECT (jsonb_populate_record(
    NULL::audit_logs,
    to_jsonb(opened) || jsonb_build_object(
        'answer_text', concat_ws(' ', answer_text, (
            SELECT string_agg(text, ' ' ORDER BY position)
            FROM audit_released AS later WHERE later.log_id = opened.log_id
        )),
        'sentences', opened.sentences || coalesce((
            SELECT jsonb_agg(item ORDER BY position, place)
            FROM audit_released AS later,
                jsonb_array_elements(later.sentences) WITH ORDINALITY AS each(item, place)
            WHERE later.log_id = opened.log_id
        ), '[]'::jsonb),
        'citations', opened.citations || coalesce((
            SELECT jsonb_agg(item ORDER BY position, place)
            FROM audit_released AS later,
                jsonb_array_elements(later.citations) WITH ORDINALITY AS each(item, place)
            WHERE later.log_id = opened.log_id
        ), '[]'::jsonb)
    )
)).*
FROM audit_opened AS opened
WHERE opened_at < clock_timestamp() - make_interval(secs => $1)
    AND NOT EXISTS (
        SELECT FROM audit_logs AS closed
        WHERE closed.log_id = opened.log_id AND closed.timestamp = opened.timestamp
    )
ON CONFLICT (log_id, timestamp) DO NOTHING
"""
# A clock that jumped may have left them where no partition was made.
_MONTHS_OPEN = """
SELECT DISTINCT date_trunc('month', timestamp, 'UTC') AS month FROM audit_opened
WHERE opened_at < clock_timestamp() - make_interval(secs => $1)
"""
_FORGET = """
DELETE FROM audit_opened AS opened USING audit_logs AS closed
WHERE closed.log_id = opened.log_id AND closed.timestamp = opened.timestamp
    AND opened.opened_at < clock_timestamp() - make_interval(secs => $1)
"""
# What has a time to live, by the database's clock.
_PURGES = (
    "DELETE FROM asked_once WHERE held_at < clock_timestamp() - interval '1 day'",
    "DELETE FROM sessions WHERE expires_at <= clock_timestamp()",
)
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


class PostgresUpkeep:
    """Works by the pool of the service."""

    def __init__(self, pool: asyncpg.Pool) -> None:
        self._pool = pool

    async def make_months(self, months: Sequence[datetime]) -> None:
        with _translated():
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _PARTITION_LOCK)
                for month in months:
                    await connection.execute("SELECT audit_make_month($1)", month.date())

    async def list_open_months(self, open_s: float) -> list[datetime]:
        with _translated():
            return [row["month"] for row in await self._pool.fetch(_MONTHS_OPEN, open_s)]

    async def close_rows(self, open_s: float) -> int:
        with _translated():
            async with self._pool.acquire() as connection, connection.transaction():
                if not await connection.fetchval(_TRY_LOCK, _CLOSING_LOCK):
                    return 0
                # Nothing of a draft is forgotten before its closed row is on disk.
                await connection.execute("SET LOCAL synchronous_commit = on")
                closed = await connection.execute(_CLOSE, open_s)
                await connection.execute(_FORGET, open_s)
        return int(closed.split()[-1])

    async def purge(self) -> None:
        with _translated():
            async with self._pool.acquire() as connection, connection.transaction():
                if await connection.fetchval(_TRY_LOCK, _PURGING_LOCK):
                    for statement in _PURGES:
                        await connection.execute(statement)

    async def seal_days(self) -> list[SealedDay]:
        with _translated():
            if not await self._pool.fetchval(_UNSEALED):
                return []
            today = await self._pool.fetchval(_TODAY)
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                await connection.execute("SELECT audit_settle()")
            async with self._pool.acquire() as connection, connection.transaction():
                if not await connection.fetchval(_TRY_LOCK, _SEALING_LOCK):
                    return []
                await connection.execute("SET LOCAL synchronous_commit = on")
                # A day of a million rows takes half a minute.
                days = await connection.fetch(_SEAL, today, timeout=LONG_S)
        return [SealedDay(**day) for day in days]


@contextmanager
def _translated() -> Iterator[None]:
    """Turn whatever the database says into Unavailable: upkeep is tried again soon."""
    try:
        with translated_errors():
            yield
    except asyncpg.PostgresError as error:
        raise Unavailable(f"The database did not do it: {explain_refusal(error)}.") from error
