"""One job under way: what it starts from, what has to be done, and how far it has come."""

import hashlib
import json
import re
import time
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass, field, replace

from libs.profiles import Chunking
from libs.telemetry.tracing import stage_span
from services.ingest.embed import Embedded
from services.ingest.model import (
    BlockKind,
    Document,
    DocumentRecord,
    DocumentReport,
    Edition,
    Job,
    KeptDocument,
    PlacedFile,
    Plan,
    Progress,
    Report,
)
from services.ingest.ports import Claim, Files, OfferedDocument, Outcome, Reporter
from services.ingest.publish import Change

_MAX_WARNINGS = 50
_MAX_REASONS = 3
_MAX_TITLE = 500
_WRITTEN_BY_PROGRAMS = re.compile(
    r"untitled|microsoft \w+ - |.*\.(?:docx?|dvi|html?|indd|md|odt|pdf|rtf|tex|txt)$", re.IGNORECASE
)


@dataclass
class Run:
    """One job under way: what it starts from, how far it has come, how long its stages took."""

    job: Job
    reporter: Reporter
    current: Edition
    latest: Edition
    intact: bool = False
    helps: bool = False
    """Whether the job is another owner's."""
    seconds: dict[str, float] = field(default_factory=dict)
    progress: Progress = field(default_factory=Progress)
    by_others: Outcome = field(default_factory=Outcome)
    """What other replicas have done for the job; `progress` is without it."""
    asked_at: float = field(default_factory=time.monotonic)
    """When that was asked for."""

    @property
    def book(self) -> str:
        return self.job.order.book

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        """Time a part of a stage. Stages overlap: together they may take longer than the run."""
        started = time.monotonic()
        with stage_span(f"ingest.{name}"):
            yield
        spent = self.seconds.get(name, 0.0) + time.monotonic() - started
        self.seconds[name] = round(spent, 3)

    async def note(self, **fields: float | str) -> None:
        """Change what is known of the progress, and tell the job's row."""
        self.progress = replace(self.progress, **fields)  # type: ignore[arg-type]
        await self.reporter.note(self.progress_of_all)

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


@dataclass(frozen=True)
class Waiting:
    """A document that has to be read, and the digest of what it is to be made from."""

    placed: PlacedFile
    size: int
    made_from: str


@dataclass
class Work:
    """What has to be done for the next edition, and what has come of it here so far."""

    target: Edition
    chunking: Chunking
    plan: Plan
    files: Files
    before: Mapping[str, KeptDocument]
    waiting: Sequence[Waiting]
    kept: Mapping[str, KeptDocument]
    hashes: Sequence[tuple[str, str]] = ()
    title: str = ""
    """What the only document of the source calls itself, once it has been read."""
    reports: dict[str, DocumentReport] = field(default_factory=dict)
    failed: dict[str, str] = field(default_factory=dict)
    chunks: int = 0
    chunks_new: int = 0
    chunks_removed: int = 0
    vectors_new: int = 0
    bytes_read: int = 0
    bytes_total: int = 0
    claimed: int = 0
    """How many documents have been claimed here, again or for the first time."""
    started: float = field(default_factory=time.monotonic)

    @property
    def removed(self) -> list[str]:
        """Paths of documents that the edition before has and the source has not."""
        return sorted(self.before.keys() - {placed.file.path for placed in self.plan.documents})

    @property
    def dropped(self) -> list[str]:
        """Paths of documents that the edition before has and the next one will not have."""
        return sorted({*self.removed, *(self.failed.keys() & self.before.keys())})

    def share_read(self, by_others: Outcome) -> float:
        """Return the part of what has to be read that has been, more than 0, 1 at most."""
        return max(self.bytes_read + by_others.size, 1) / max(self.bytes_total, 1)

    def offered(self) -> list[OfferedDocument]:
        return [
            OfferedDocument(item.placed.file.path, item.placed.position, item.size)
            for item in self.waiting
        ]

    def take_in(self, outcome: Outcome) -> None:
        """Count what others have done."""
        self.chunks += outcome.chunks
        self.chunks_new += outcome.chunks_new
        self.chunks_removed += outcome.chunks_removed
        self.vectors_new += outcome.vectors_new
        self.title = self.title or outcome.title

    def count(self, group: "Sequence[Changed]") -> None:
        """Take note of what a group of documents changes."""
        for item in group:
            self.chunks_new += len(item.change.born)
            self.chunks_removed += len(item.change.died)


@dataclass(frozen=True)
class Changed:
    """A document that has been read, and what it changes."""

    record: DocumentRecord
    change: Change
    claim: Claim | None = None

    @property
    def length(self) -> int:
        return 1 + len(self.record.document.text)

    @property
    def weight(self) -> int:
        """Return the new chunks; a document without any still takes its room."""
        return 1 + len(self.change.born) + self.length // 4096


def in_batches(sizes: Sequence[tuple[str, int]], most: int) -> Iterator[list[str]]:
    """Yield the paths in runs of at most `most` bytes, or of one file."""
    batch: list[str] = []
    weight = 0
    for path, size in sizes:
        if batch and weight + size > most:
            yield batch
            batch, weight = [], 0
        batch.append(path)
        weight += size
    if batch:
        yield batch


def source_digests(plan: Plan, target: Edition) -> Iterator[str]:
    """Yield for each document a digest of all that its text, chunks and points depend on."""
    recipe = {part: value for part, value in target.recipe.items() if part != "title"}
    names: dict[int, str] = {}
    for placed in plan.documents:
        key = id(placed.names)
        if key not in names:
            names[key] = _digest(dict(placed.names))
        yield _digest(
            [
                *(placed.file.path, placed.file.content_hash, placed.position, placed.url),
                *(placed.title, names[key], recipe),
            ]
        )


def _digest(value: object) -> str:
    return hashlib.sha256(json.dumps(value, sort_keys=True).encode()).hexdigest()


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


def report_of_kept(document: KeptDocument) -> DocumentReport:
    assert document.report is not None
    return document.report


def report_of(work: Work, path: str) -> DocumentReport:
    report = work.reports.get(path) or unchanged_report(work.kept[path])
    assert report is not None
    return report


def unchanged_report(document: KeptDocument) -> DocumentReport | None:
    report = document.report
    return replace(report, change="unchanged", chunks_new=0) if report else None


def name_empty(reports: Iterable[DocumentReport]) -> str:
    """Say why there is nothing to publish, as far as the documents' own warnings tell."""
    warnings = [warning for report in reports for warning in report.warnings]
    return " ".join(["The source holds no text.", *warnings[:_MAX_REASONS]])


def all_warnings(report: Report) -> list[str]:
    failed = [f"Left out: {item.failure}" for item in report.documents if item.failure]
    return [
        *failed,
        *report.warnings,
        *(text for item in report.documents for text in item.warnings),
    ]


def shortened(warnings: Sequence[str]) -> list[str]:
    if len(warnings) <= _MAX_WARNINGS:
        return list(warnings)
    return [*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} warnings more."]


def outcomes(
    group: Sequence[Changed], vectors_new: int, tokens: int, title: str
) -> list[tuple[Claim, Outcome]]:
    """Return what came of each claim; what the group has together stands with its first."""
    found = []
    for item in group:
        change = item.change
        counts = (item.record.chunk_count, len(change.born), len(change.died))
        assert item.claim is not None
        found.append(
            (item.claim, Outcome(1, 0, title, *counts, vectors_new=vectors_new, tokens=tokens))
        )
        vectors_new = tokens = 0
    return found


def tokens_of(changed: Changed) -> int:
    return sum(record.chunk.token_count for record in changed.change.born)


def own_title(document: Document, fallback: str) -> str:
    """Return what the document calls itself; "" when it has only the name of its file."""
    is_shown = any(
        block.kind is BlockKind.HEADING and document.text[block.start : block.end] == document.title
        for block in document.blocks
    )
    return document.title if is_shown or document.title != fallback else ""


def fit_title(title: str) -> str:
    """Return a title as one line; "" for one too long, or that says what file it was made from."""
    line = " ".join(title.split())
    is_fit = len(line) <= _MAX_TITLE and line.isprintable()
    return line if is_fit and not _WRITTEN_BY_PROGRAMS.match(line) else ""


def title_from(slug: str) -> str:
    words = " ".join(slug.replace("-", " ").split())
    return words[:1].upper() + words[1:]
