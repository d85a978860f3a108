"""Keep the record's tables in order, beside the answers: partitions made ahead, open rows closed."""

import asyncio
import logging
import math
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress
from datetime import UTC, datetime

from libs.errors import QuothError
from libs.telemetry.metrics import count_upkeep, measure_partitions
from services.generation.records.ports import UpkeepTables

INTERRUPTED = "interrupted"
"""How a question ended whose row nobody completed: the process that answered it is gone."""

_LOG = logging.getLogger(__name__)
_EVERY_S = 15.0
_OPEN_S = 15
"""No question is answered for so long: its deadline is 5 s, and its failure is recorded in half one."""
_AFTER_FAILURE_S = 1.0
_HOURLY_S = 3600.0
_RETAIN_AFTER_S = 60.0
"""Whoever starts the product asks first: the processor is not for what has been old for months."""
_MONTHS_AHEAD = 2


class AuditUpkeep:
    """Works in the background from `begin` to `end`, in every replica, and in one at a time."""

    def __init__(
        self, tables: UpkeepTables, retain: Callable[[], Awaitable[None]] | None = None
    ) -> None:
        self._tables = tables
        self._retain = retain
        self._retaining: asyncio.Future[None] | None = None
        self._months: set[datetime] = set()
        self._hurried = asyncio.Event()
        self._running: asyncio.Task[None] | None = None
        self._hourly_s = -math.inf
        self._retained_s = time.monotonic() - _HOURLY_S + _RETAIN_AFTER_S

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
        if missing:
            await self._tables.make_months(missing)
            self._months.update(missing)

    async def close_rows(self, open_s: float = _OPEN_S) -> int:
        """Close the rows that have been open for `open_s` seconds as interrupted; return how many.

        What was released before a row that stands is forgotten: the row has it.
        """
        for month in await self._tables.list_open_months(open_s):
            await self.make_partitions(month)
        return await self._tables.close_rows(open_s)

    async def seal_days(self) -> None:
        """Seal the days that are over, and say their digests where the logs are kept."""
        for day in await self._tables.seal_days():
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

    def _tell_partitions(self, now: datetime) -> None:
        """Say for how long from now there are partitions, as far as this process has seen to them."""
        month = _months_later(now, 0)
        while month in self._months:
            month = _months_later(month, 1)
        measure_partitions((month - now).total_seconds())

    async def _work(self) -> bool:
        """Return whether all was done; what failed is tried again soon."""
        try:
            await self.make_partitions(datetime.now(UTC))
            if closed := await self.close_rows():
                count_upkeep("closed_rows", closed)
                _LOG.warning("%d answers were interrupted; what was shown of them is kept", closed)
            if time.monotonic() - self._hourly_s >= _HOURLY_S:
                await self._tables.purge()
                await self.seal_days()
                self._hourly_s = time.monotonic()
            if time.monotonic() - self._retained_s >= _HOURLY_S:
                self._begin_to_retain()
                self._retained_s = time.monotonic()
        except (QuothError, TimeoutError) as error:
            count_upkeep("failures")
            _LOG.warning("the audit's tables could not be looked after: %s", error)
            return False
        finally:
            self._tell_partitions(datetime.now(UTC))
        return True


def _months_later(moment: datetime, count: int) -> datetime:
    """Return the first moment of the month that is `count` after that of `moment`."""
    months = moment.year * 12 + moment.month - 1 + count
    return datetime(months // 12, months % 12 + 1, 1, tzinfo=UTC)
