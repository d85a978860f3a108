"""The stages of ingest, in the order that a book flows through them."""

import asyncio
import hashlib
import json
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import asdict, dataclass, field, replace
from pathlib import Path

from libs.embedding import Embedder, Vectors
from libs.errors import Conflict, InvalidInput, NotFound
from libs.profiles import SHIPPED, Chunking, load_profile
from libs.telemetry.tracing import stage_span
from services.ingest.embed import Embedded, embed_chunks, vector_key
from services.ingest.model import (
    ChunkRecord,
    DocumentRecord,
    DocumentReport,
    Edition,
    Job,
    JobKind,
    NewEdition,
    PlacedFile,
    Plan,
    Progress,
    Removal,
    Report,
    Source,
    SourceFile,
)
from services.ingest.parse import PARSER_VERSION, parse_document, plan_book
from services.ingest.ports import EditionStore, JobQueue, PassageIndex, Reporter, TokenCounter
from services.ingest.publish import (
    POINT_FORM,
    Change,
    compare,
    point_digest,
    record_document,
    retire_points,
    verify_points,
    write_points,
)
from services.ingest.report import (
    compare_documents,
    reasons_for,
    recipe_parts,
    report_document,
)
from services.ingest.split import split_document

_MAX_WARNINGS = 50


@dataclass
class _Book:
    """A source after parsing and splitting."""

    documents: list[DocumentRecord]
    chunks: list[ChunkRecord]
    reports: list[DocumentReport]
    warnings: list[str]


@dataclass
class _Run:
    """One job under way: what it starts from, and how long its stages took."""

    job: Job
    reporter: Reporter
    current: Edition
    latest: Edition
    intact: bool = False
    seconds: dict[str, float] = field(default_factory=dict)

    @property
    def book(self) -> str:
        return self.job.order.book

    @contextmanager
    def stage(self, name: str) -> Iterator[None]:
        started = time.monotonic()
        with stage_span(f"ingest.{name}"):
            yield
        self.seconds[name] = round(time.monotonic() - started, 3)


class Pipeline:
    """Turns the files of a job into the next edition of its book."""

    def __init__(
        self,
        *,
        queue: JobQueue,
        editions: EditionStore,
        index: PassageIndex,
        embedder: Embedder,
        tokens: TokenCounter,
        profiles: Path = SHIPPED,
    ) -> None:
        self._queue = queue
        self._editions = editions
        self._index = index
        self._embedder = embedder
        self._tokens = tokens
        self._profiles = profiles

    async def run(self, job: Job, files: Sequence[SourceFile], reporter: Reporter) -> None:
        """Do what the job asks and end it: publish the files, see what they would change, delete.

        Raises InvalidInput for a source that can't become a book. Whatever is raised, readers see
        what they saw before, and running the job again is safe.
        """
        book = job.order.book
        current = await self._editions.current(book)
        run = _Run(job, reporter, current, await self._editions.latest(book))
        if job.order.kind in (JobKind.DELETE_BOOK, JobKind.DELETE_DOCUMENT):
            await self._remove(run)
        else:
            await self._ingest(run, files)

    async def _ingest(self, run: _Run, files: Sequence[SourceFile]) -> None:
        chunking = load_profile(run.job.order.profile, self._profiles).chunking
        is_dry = run.job.order.kind is JobKind.DRY_RUN
        with run.stage("plan"):
            plan = await asyncio.to_thread(plan_book, Source(files))
            target = self._target(run, plan, files, chunking)
            if not is_dry:
                await self._index.prepare()
            run.intact = await self._is_intact(run)
        if run.intact and target.fingerprint == run.current.fingerprint:
            await self._end_unchanged(run, plan)
            return
        if not is_dry:
            run.reporter.check()
            await self._index.sweep(run.book, run.latest.number)
        with run.stage("split"):
            parsed = await self._split(run, target.language, plan, chunking)
        change = await self._change(run, target, parsed.chunks)
        report = await self._report(run, target, parsed, change)
        if is_dry:
            await self._queue.finish_dry_run(run.job, report)
        else:
            await self._publish(run, target, parsed, change, report)

    async def _end_unchanged(self, run: _Run, plan: Plan) -> None:
        number, kept = run.current.number, run.current.chunk_count
        await run.reporter.note(_unchanged(plan, run.current))
        if run.job.order.kind is JobKind.DRY_RUN:
            report = Report(number, chunks_kept=kept, seconds=run.seconds)
            await self._queue.finish_dry_run(run.job, report)
        else:
            await self._queue.finish(run.job, number, ())

    async def _is_intact(self, run: _Run) -> bool:
        """Say whether the index holds the newest edition, to build the next one on."""
        latest = run.latest
        if latest.collection != self._index.collection:
            return False
        return await self._index.count(run.book, latest.number) == latest.chunk_count

    def _target(
        self, run: _Run, plan: Plan, files: Sequence[SourceFile], chunking: Chunking
    ) -> Edition:
        order, book_file = run.job.order, plan.book_file
        title = order.title or book_file.title or run.current.title or _title_from(order.book)
        language = order.language or book_file.language or "en"
        hashes = [(file.path, hashlib.sha256(file.data).hexdigest()) for file in files]
        recipe = recipe_parts(
            title=title,
            language=language,
            parser=PARSER_VERSION,
            points=POINT_FORM,
            chunking={**asdict(chunking), "split_levels": list(chunking.split_levels)},
            collection=self._index.collection,
        )
        fingerprint = hashlib.sha256(json.dumps([recipe, hashes]).encode()).hexdigest()
        return Edition(
            number=run.latest.number + 1,
            title=title,
            language=language,
            fingerprint=fingerprint,
            collection=self._index.collection,
            recipe=recipe,
        )

    async def _split(self, run: _Run, language: str, plan: Plan, chunking: Chunking) -> _Book:
        result = _Book([], [], [], list(plan.warnings))
        progress = Progress(stage="split", documents_total=len(plan.documents))
        for number, placed in enumerate(plan.documents, start=1):
            document, chunks, report = await asyncio.to_thread(
                self._read, run.book, language, placed, chunking
            )
            result.documents.append(document)
            result.chunks += chunks
            result.reports.append(report)
            await run.reporter.note(
                replace(progress, documents_done=number, chunks_total=len(result.chunks))
            )
        if not result.chunks:
            raise InvalidInput("The source holds no text.")
        return result

    def _read(
        self, book: str, language: str, placed: PlacedFile, chunking: Chunking
    ) -> tuple[DocumentRecord, list[ChunkRecord], DocumentReport]:
        document, warnings = parse_document(placed)
        chunks = split_document(book, language, document, chunking, self._tokens)
        stamp = self._embedder.stamp
        records = [
            ChunkRecord(chunk, point_digest(chunk, language), vector_key(chunk, stamp))
            for chunk in chunks
        ]
        report = report_document(document, records, warnings)
        return record_document(document, len(chunks)), records, report

    async def _change(self, run: _Run, target: Edition, records: Sequence[ChunkRecord]) -> Change:
        published = await self._editions.published(run.book, target.collection)
        if run.intact:
            return compare(records, published)
        return Change(records, list(published.values()), from_scratch=True)

    async def _report(self, run: _Run, target: Edition, parsed: _Book, change: Change) -> Report:
        hashes = {record.document.path: record.document.content_hash for record in parsed.documents}
        before = await self._editions.documents(run.book)
        documents, removed = compare_documents(parsed.reports, hashes, before, change.born)
        known = await self._editions.load_vectors(
            list({record.vector_key for record in change.born})
        )
        changes = [document.change for document in documents]
        reasons = reasons_for(target, run.latest, run.current, changes, removed)
        if not run.intact and target.collection == run.latest.collection:
            reasons.append("the index had lost passages")
        new = sum(record.vector_key not in known for record in change.born)
        return Report(
            *(target.number, reasons, documents, removed),
            chunks_new=len(change.born),
            chunks_kept=len(parsed.chunks) - len(change.born),
            chunks_removed=len(change.died),
            vectors_new=new,
            vectors_reused=len(change.born) - new,
            seconds=run.seconds,
            warnings=parsed.warnings,
        )

    async def _embed(self, run: _Run, change: Change, start: Progress) -> list[Vectors]:
        started = time.monotonic()

        async def note(embedded: Embedded) -> None:
            await run.reporter.note(_advanced(start, embedded, time.monotonic() - started))

        chunks = [record.chunk for record in change.born]
        return await embed_chunks(chunks, self._embedder, self._editions, note)

    async def _publish(
        self, run: _Run, target: Edition, parsed: _Book, change: Change, report: Report
    ) -> None:
        records = parsed.chunks
        start = _counted(parsed, len(records) - len(change.born))
        with run.stage("embed"):
            vectors = await self._embed(run, change, start)
        reused = len(records) - report.vectors_new
        done = replace(start, chunks_done=len(records), chunks_reused=reused)
        await run.reporter.note(replace(done, stage="publish"))
        with run.stage("publish"):
            await write_points(
                run.book, target, change, vectors, index=self._index, reporter=run.reporter
            )
            await verify_points(run.book, target.number, len(records), self._index)
        edition = NewEdition(
            *(run.book, target, parsed.documents, records, change.born, change.died),
            report=replace(report, seconds=run.seconds),
        )
        warnings = [*parsed.warnings, *(text for item in parsed.reports for text in item.warnings)]
        run.reporter.check()
        await self._editions.publish(run.job, edition, _shortened(warnings))

    async def _remove(self, run: _Run) -> None:
        """Publish the newest edition without one document, or without all of them."""
        document, latest = run.job.order.document, run.latest
        before = await self._editions.documents(run.book)
        if not before or (document and document not in before):
            raise NotFound("There is no such document." if document else "There is no such book.")
        if document and latest.number != run.current.number:
            raise Conflict("After a roll-back a document can't be deleted. Ingest the book first.")
        run.reporter.check()
        await self._index.prepare()
        await self._index.sweep(run.book, latest.number)
        chunks = await self._editions.published(run.book, latest.collection)
        died = [chunk for chunk in chunks.values() if document in ("", chunk.document)]
        number, left = latest.number + 1, latest.chunk_count - len(died)
        if document and not left:
            raise Conflict("That is the last document of the book. Delete the book instead.")
        await retire_points(died, number, self._index, run.reporter, collection=latest.collection)
        if latest.collection == self._index.collection:
            await verify_points(run.book, number, left, self._index)
        fingerprint = f"{latest.fingerprint} without {document}".encode()
        edition = replace(
            latest,
            number=number,
            chunk_count=left,
            # One that no source has: ingesting what was there before changes the book.
            fingerprint=hashlib.sha256(fingerprint).hexdigest(),
        )
        reason = f"{document} deleted" if document else "the book deleted"
        count = len(before) - 1 if document else 0
        run.reporter.check()
        removal = Removal(run.book, edition, document, count, [reason])
        await self._editions.remove(run.job, removal)


def _advanced(start: Progress, embedded: Embedded, elapsed_s: float) -> Progress:
    left = embedded.tokens_total - embedded.tokens_done
    pace_s = elapsed_s / embedded.tokens_done if embedded.tokens_done else 0.0
    return replace(
        start,
        chunks_done=start.chunks_done + embedded.done,
        chunks_reused=start.chunks_reused + embedded.reused,
        tokens_total=embedded.tokens_total,
        tokens_done=embedded.tokens_done,
        left_s=round(left * pace_s, 1),
    )


def _unchanged(plan: Plan, current: Edition) -> Progress:
    documents, chunks = len(plan.documents), current.chunk_count
    return Progress("publish", documents, documents, chunks, chunks, chunks)


def _counted(parsed: _Book, kept: int) -> Progress:
    return Progress(
        stage="embed",
        documents_total=len(parsed.documents),
        documents_done=len(parsed.documents),
        chunks_total=len(parsed.chunks),
        chunks_done=kept,
        chunks_reused=kept,
    )


def _title_from(slug: str) -> str:
    words = " ".join(slug.replace("-", " ").split())
    return words[:1].upper() + words[1:]


def _shortened(warnings: Sequence[str]) -> list[str]:
    if len(warnings) <= _MAX_WARNINGS:
        return list(warnings)
    return [*warnings[:_MAX_WARNINGS], f"… and {len(warnings) - _MAX_WARNINGS} warnings more."]
