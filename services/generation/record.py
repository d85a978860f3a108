"""What happened to a question in; out its metrics and its audit row, stored before the end is seen."""

import asyncio
import logging
from collections.abc import Iterable

from libs.budget import Budget, stages
from libs.errors import QuothError
from libs.telemetry.metrics import Metrics, ModelCall, current_metrics
from services.generation.model import AuditRow, Withheld
from services.generation.ports import AuditLog
from services.generation.price import cost_usd

_LOG = logging.getLogger(__name__)


async def record_answer(log: AuditLog, row: AuditRow, budget: Budget) -> None:
    """Store the row of an answer or a refusal, or raise: no row, no answer."""
    async with budget.stage(stages.RECORD) as allowed_s:
        await log.append(row, allowed_s)


def measure_question(row: AuditRow, withheld: Iterable[Withheld]) -> None:
    """Record how a question ended and what it took, when metrics are on."""
    metrics = current_metrics()
    if metrics is None:
        return
    metrics.count_answer(_outcome(row), row.profile)
    for sentence in withheld:
        metrics.count_withheld(sentence.checks[-1].kind.value)
    for timing in row.timings:
        metrics.measure_stage(timing.stage, timing.outcome.value, timing.used_ms / 1000)
    if row.transcript.model:
        _measure_model(row, metrics)


def _outcome(row: AuditRow) -> str:
    if row.answer is None:
        return row.error
    return row.answer.refusal.code.value if row.answer.refusal else "answered"


def _measure_model(row: AuditRow, metrics: Metrics) -> None:
    wrote = row.transcript
    asking = (stages.REPHRASE.name, stages.COMPLETE.name)
    waited_ms = sum(item.used_ms for item in row.timings if item.stage in asking)
    metrics.measure_call(
        ModelCall(
            provider=wrote.provider,
            model=wrote.model,
            duration_s=waited_ms / 1000,
            input_tokens=wrote.usage.input_tokens,
            output_tokens=wrote.usage.output_tokens,
            cost_usd=cost_usd(wrote.model, wrote.usage),
            error=row.error,
        )
    )


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
