"""The progress of one job, and what it builds on."""

import time
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from libs.telemetry.tracing import stage_span
from services.ingest.embed import Embedded
from services.ingest.model.book import Edition
from services.ingest.model.job import Job, Progress
from services.ingest.plan import Plan
from services.ingest.ports.sharing import Outcome, Reporter


@dataclass(frozen=True)
class Basis:
    """What a job builds on: the edition readers see, and the newest one, which the next follows."""

    job: Job
    current: Edition
    latest: Edition
    intact: bool = False
    """Whether the index holds the newest edition, to build the next one on."""
    is_helper: bool = False
    """Whether this worker only helps the job's owner."""

    @property
    def book(self) -> str:
        return self.job.order.book


@dataclass
class JobTracker:
    """How far a job has come here and at others, and how long its stages took."""

    reporter: Reporter
    seconds: dict[str, float] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    by_others: Outcome = field(default_factory=Outcome)
    """What other replicas have done for the job; `progress` is without it."""

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a part of a stage. Stages overlap: together they may take longer than the run."""
        started = time.monotonic()
        with stage_span(f"ingest.{name}"):
            yield
        spent = self.seconds.get(name, 0.0) + time.monotonic() - started
        self.seconds[name] = round(spent, 3)

    async def note(self, **fields: float | str) -> None:
        """Update the progress, and write it to the job's row."""
        self.progress = replace(self.progress, **fields)  # type: ignore[arg-type]
        await self.reporter.note(self.progress_of_all)

    def take_in_others(self) -> None:
        """Count what others have done as done here: all have ended."""
        self.progress, self.by_others = self.progress_of_all, Outcome()

    @property
    def progress_of_all(self) -> Progress:
        """Return how far the job has come, by whomever."""
        own, others = self.progress, self.by_others
        return replace(
            own,
            documents_done=own.documents_done + others.documents,
            chunks_total=own.chunks_total + others.chunks,
            chunks_done=own.chunks_done + others.chunks,
            chunks_reused=own.chunks_reused + others.chunks - others.vectors_new,
            tokens_total=own.tokens_total + others.tokens,
            tokens_done=own.tokens_done + others.tokens,
        )


def advanced(progress: Progress, before: Embedded, now: Embedded) -> Progress:
    return replace(
        progress,
        chunks_done=progress.chunks_done + now.done - before.done,
        chunks_reused=progress.chunks_reused + now.reused - before.reused,
        tokens_total=progress.tokens_total + now.tokens_total - before.tokens_total,
        tokens_done=progress.tokens_done + now.tokens_done - before.tokens_done,
    )


def guess_left_s(progress: Progress, share_read: float, elapsed_s: float) -> float:
    """Guess the time left by the pace so far; what is not read yet is taken to be alike."""
    if not progress.tokens_done:
        return 0.0
    left = progress.tokens_total / share_read - progress.tokens_done
    return round(left * elapsed_s / progress.tokens_done, 1)


def unchanged(plan: Plan, current: Edition) -> Progress:
    documents, chunks = len(plan.documents), current.chunk_count
    return Progress("publish", documents, documents, chunks, chunks, chunks)
