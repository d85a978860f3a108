"""What happened to a question in, its audit row out; stored before the reader sees the end."""

import asyncio
import logging

from libs.budget import Budget, stages
from libs.errors import QuothError
from services.generation.model import AuditRow
from services.generation.ports import AuditLog

_LOG = logging.getLogger(__name__)


async def record_answer(log: AuditLog, row: AuditRow, budget: Budget) -> None:
    """Store the row of an answer or a refusal, or raise: no row, no answer."""
    async with budget.stage(stages.RECORD) as allowed_s:
        await log.append(row, allowed_s)


class FailureRecorder:
    """Stores the rows of questions that failed, apart from the request that is over by then."""

    def __init__(self, log: AuditLog) -> None:
        self._log = log
        self._running: set[asyncio.Task[None]] = set()

    def record_failure(self, row: AuditRow) -> None:
        """Begin to store `row`. It is given half a second; a row that is lost is logged."""
        task = asyncio.create_task(self._store(row))
        self._running.add(task)
        task.add_done_callback(self._running.discard)

    async def finish(self) -> None:
        """Wait for the rows that are being stored."""
        await asyncio.gather(*self._running)

    async def _store(self, row: AuditRow) -> None:
        try:
            async with asyncio.timeout(stages.RECORD.cap_s):
                await self._log.append(row, stages.RECORD.cap_s)
        except (QuothError, TimeoutError):
            _LOG.warning("request %s: its failure could not be recorded", row.request_id)
