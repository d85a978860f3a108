"""Keep what happened to a question: its metrics, and what goes on record before it is shown."""

import asyncio
import logging
import uuid
from collections.abc import AsyncGenerator, Iterable, Mapping, Sequence
from contextlib import aclosing
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime

from libs.budget import Budget, StageTiming, stages
from libs.budget.budget import measure_stages
from libs.errors import QuothError
from libs.rpc.context import current_request_id
from libs.telemetry.metrics import Metrics, ModelCall, current_metrics
from services.generation.language_model.pricing import cost_usd
from services.generation.model import (
    Answer,
    ConfidenceLevel,
    Question,
    SearchResult,
    SentenceReleased,
    Withheld,
)
from services.generation.records.model import AuditRow
from services.generation.records.ports import AuditLog
from services.generation.transcript import ModelUse, Transcript

_LOG = logging.getLogger(__name__)
_TURNS = 8
"""Turns of the event loop that a draft needs to end when nothing of it has to be waited for."""


@dataclass
class Trail:
    """What the audit row of a question will say: noted on the way, as a failure may come any time.

    No stage reads it: what a stage needs is given to it. An answer's id, its time and what its models
    took are those of its row.
    """

    question: Question
    profile: str
    log_id: uuid.UUID = field(default_factory=uuid.uuid4)
    create_time: datetime = field(default_factory=lambda: datetime.now(UTC))
    searched: str = ""
    found: SearchResult | None = None
    rewritten: Transcript = field(default_factory=Transcript)
    written: Transcript = field(default_factory=Transcript)
    judged: Transcript = field(default_factory=Transcript)
    withheld: tuple[Withheld, ...] = ()
    released: tuple[SentenceReleased, ...] = ()
    answer: Answer | None = None
    made_with: Mapping[str, str] = field(default_factory=dict)
    error: str = QuothError.kind

    def to_row(self, timings: Sequence[StageTiming], answer: Answer | None = None) -> AuditRow:
        return AuditRow(
            log_id=self.log_id,
            request_id=current_request_id(),
            timestamp=self.create_time,
            question=self.question,
            profile=self.profile,
            searched_question=self.searched,
            search=self.found,
            transcript=self.written.after(self.rewritten),
            answer=answer,
            timings=tuple(timings),
            error="" if answer else self.error,
            released=self.released,
            made_with=self.made_with,
        )

    def model_use(self) -> ModelUse | None:
        """Return what a language model was given and wrote; None when there was none."""
        return _use_of(self.written.after(self.rewritten))

    def verifier_use(self) -> ModelUse | None:
        """Return what a language model took that judged sentences; None when there was none."""
        return _use_of(self.judged)


def _use_of(transcript: Transcript) -> ModelUse | None:
    if not transcript.model:
        return None
    cost = cost_usd(transcript.model, transcript.usage)
    return ModelUse(transcript.model, transcript.usage, cost)


class Releasing:
    """Sentences of one question on their way to the reader: none is shown before it is on record.

    Those that are there when the draft ends stay in `held`, for the row of the answer has them.
    """

    def __init__(self, log: AuditLog, trail: Trail, budget: Budget) -> None:
        self._log = log
        self._trail = trail
        self._budget = budget
        self.held: list[SentenceReleased] = []

    async def release(
        self, sentences: AsyncGenerator[SentenceReleased, None]
    ) -> AsyncGenerator[SentenceReleased, None]:
        """Yield what passes while the draft is written; what comes together is recorded together.

        Raises what `sentences` raises, and Unavailable or DeadlineExceeded of the audit log.
        """
        arrived = asyncio.Event()
        collecting = asyncio.create_task(self.hold(sentences, arrived))
        try:
            while not await _has_ended(collecting, arrived):
                arrived.clear()
                burst, self.held = self.held, []
                await self._record(burst)
                for sentence in burst:
                    yield sentence
            await collecting
        finally:
            collecting.cancel()
            await asyncio.gather(collecting, return_exceptions=True)

    async def hold(
        self,
        sentences: AsyncGenerator[SentenceReleased, None],
        arrived: asyncio.Event | None = None,
    ) -> None:
        """Collect sentences; `arrived` is set at each, and at their end."""
        try:
            async with aclosing(sentences):
                async for sentence in sentences:
                    self.held.append(sentence)
                    if arrived is not None:
                        arrived.set()
        finally:
            if arrived is not None:
                arrived.set()

    async def _record(self, sentences: Sequence[SentenceReleased]) -> None:
        row = self._trail.to_row(self._budget.timings)
        async with self._budget.stage(stages.RELEASE) as allowed_s:
            await self._log.release(row, sentences, allowed_s)
        self._trail.released += tuple(sentences)


async def _has_ended(collecting: "asyncio.Task[None]", arrived: asyncio.Event) -> bool:
    """Wait for a sentence, or for the end of a draft that ends without waiting for anything."""
    await arrived.wait()
    for _ in range(_TURNS):
        if collecting.done():
            break
        await asyncio.sleep(0)
    return collecting.done()


async def record_answer(log: AuditLog, row: AuditRow, budget: Budget) -> None:
    """Store the row of an answer or a refusal, or raise: no row, no answer."""
    async with budget.stage(stages.RECORD) as allowed_s:
        await log.append(row, allowed_s)


def measure_question(row: AuditRow, withheld: Iterable[Withheld], judged: Transcript) -> None:
    """Record how a question ended and what it took, when metrics are on.

    `judged` is what a language model took that judged sentences.
    """
    metrics = current_metrics()
    if metrics is None:
        return
    level = row.answer.confidence_level if row.answer else ConfidenceLevel.NONE
    metrics.count_answer(_outcome(row), row.profile, level.value)
    for sentence in withheld:
        metrics.count_withheld(sentence.checks[-1].kind.value)
    measure_stages(row.timings)
    if row.transcript.model:
        _measure_model(row, metrics)
    if judged.model:
        # It is asked at the API of the answerer.
        metrics.measure_call(
            _to_call(replace(judged, provider=row.transcript.provider), purpose="judge")
        )


def _outcome(row: AuditRow) -> str:
    if row.answer is None:
        return row.error
    return row.answer.refusal.code.value if row.answer.refusal else "answered"


def _measure_model(row: AuditRow, metrics: Metrics) -> None:
    wrote = row.transcript
    asking = (stages.REWRITE.name, stages.COMPLETE.name)
    waited_ms = sum(item.used_ms for item in row.timings if item.stage in asking)
    metrics.measure_call(_to_call(wrote, duration_s=waited_ms / 1000, error=row.error))


def _to_call(
    wrote: Transcript, *, duration_s: float | None = None, error: str = "", purpose: str = "answer"
) -> ModelCall:
    return ModelCall(
        provider=wrote.provider,
        model=wrote.model,
        duration_s=duration_s,
        input_tokens=wrote.usage.input_tokens,
        output_tokens=wrote.usage.output_tokens,
        cost_usd=cost_usd(wrote.model, wrote.usage),
        error=error,
        purpose=purpose,
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
