"""Keep the audit's tables in order, beside the answers: partitions made ahead, open rows closed."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime

import asyncpg

from libs.errors import QuothError
from libs.postgres import translated_errors
from libs.telemetry.metrics import count_upkeep
from services.generation.adapters.audit.chain import AuditChain

INTERRUPTED = "interrupted"
"""How a question ended whose row nobody completed: the process that answered it is gone."""

_LOG = logging.getLogger(__name__)
_EVERY_S = 15.0
_OPEN_S = 15
"""No question is answered for so long: its deadline is 5 s, and its failure is recorded in half one."""
_AFTER_FAILURE_S = 1.0
_HOURLY_S = 3600.0
_MONTHS_AHEAD = 2
# The partitions of all writers are made one at a time, and one of them closes rows at a time; the
# numbers only have to be ours.
_PARTITION_LOCK = 7166002
_CLOSING_LOCK = 7166003
_PURGING_LOCK = 7166004
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


class AuditUpkeep:
    """Works in the background from `begin` to `end`, in every replica, and in one at a time."""

    def __init__(
        self, pool: asyncpg.Pool, retain: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._pool = pool
        self._retain = retain
        self._retaining: asyncio.Future[None] | None = None
        self._months: set[datetime] = set()
        self._hurried = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._hourly_s = -math.inf
        self._chain = AuditChain(pool)

    async def begin(self) -> None:
        """Make the partitions that are needed now, and go on in the background."""
        await self._work()
        self._running = asyncio.create_task(self._run())

    def hurry(self) -> None:
        """Work at once: a partition is missing."""
        self._hurried.set()

    async def end(self) -> None:
        tasks = [task for task in (self._running, self._retaining) if task is not None]
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    async def make_partitions(self, moment: datetime) -> None:
        """Make the partition that holds `moment` and those of the following two months."""
        months = [_months_later(moment, ahead) for ahead in range(_MONTHS_AHEAD + 1)]
        missing = [month for month in months if month not in self._months]
        if not missing:
            return
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                # Answers queue behind a lock that is waited for: rather later than long.
                await connection.execute("SET LOCAL lock_timeout = '200ms'")
                await connection.execute("SELECT pg_advisory_xact_lock($1)", _PARTITION_LOCK)
                for month in missing:
                    await connection.execute("SELECT audit_make_month($1)", month.date())
        self._months.update(missing)

    async def close_rows(self, open_s: float = _OPEN_S) -> int:
        """Close the rows that have been open for `open_s` seconds as interrupted; return how many.

        What was released before a row that stands is forgotten: the row has it.
        """
        with translated_errors():
            months = await self._pool.fetch(_MONTHS_OPEN, open_s)
        for record in months:
            await self.make_partitions(record["month"])
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                if not await connection.fetchval(_TRY_LOCK, _CLOSING_LOCK):
                    return 0
                # Nothing of a draft is forgotten before its closed row is on disk.
                await connection.execute("SET LOCAL synchronous_commit = on")
                closed = await connection.execute(_CLOSE, open_s)
                await connection.execute(_FORGET, open_s)
        return int(closed.split()[-1])

    async def purge(self) -> None:
        """Delete what has outlived its time, unless another replica does."""
        with translated_errors():
            async with self._pool.acquire() as connection, connection.transaction():
                if await connection.fetchval(_TRY_LOCK, _PURGING_LOCK):
                    for statement in _PURGES:
                        await connection.execute(statement)

    async def seal_days(self) -> None:
        """Seal the days that are over, and say their digests where the logs are kept."""
        for day in await self._chain.seal():
            count_upkeep("sealed_days")
            _LOG.info(
                "the audit of %s is sealed: %d rows, digest %s",
                day.day,
                day.row_count,
                day.digest.hex(),
            )

    def _begin_to_retain(self) -> None:
        # Rows that are left open can't wait for what may take hours.
        if self._retain is not None and (self._retaining is None or self._retaining.done()):
            self._retaining = asyncio.ensure_future(self._retain())

    async def _run(self) -> None:
        pause_s = _EVERY_S
        while True:
            with suppress(TimeoutError):
                async with asyncio.timeout(pause_s):
                    await self._hurried.wait()
            self._hurried.clear()
            pause_s = _EVERY_S if await self._work() else _AFTER_FAILURE_S

    async def _work(self) -> bool:
        """Return whether all was done; what failed is tried again soon."""
        try:
            await self.make_partitions(datetime.now(UTC))
            if closed := await self.close_rows():
                count_upkeep("closed_rows", closed)
                _LOG.warning("%d answers were interrupted; what was shown of them is kept", closed)
            if time.monotonic() - self._hourly_s >= _HOURLY_S:
                await self.purge()
                await self.seal_days()
                self._begin_to_retain()
                self._hourly_s = time.monotonic()
        except (QuothError, asyncpg.PostgresError, TimeoutError) as error:
            count_upkeep("failures")
            _LOG.warning("the audit's tables could not be looked after: %s", type(error).__name__)
            return False
        return True


def _months_later(moment: datetime, count: int) -> datetime:
    """Return the first moment of the month that is `count` after that of `moment`."""
    months = moment.year * 12 + moment.month - 1 + count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
