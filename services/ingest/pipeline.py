"""The stages of ingest, in the order that a book flows through them."""

import asyncio
import hashlib
import json
from collections.abc import Sequence
from dataclasses import asdict, dataclass, replace
from pathlib import Path

from libs.embedding import Embedder, Vectors
from libs.errors import InvalidInput
from libs.profiles import SHIPPED, Chunking, load_profile
from libs.telemetry.tracing import stage_span
from services.ingest.embed import embed_chunks, vector_key
from services.ingest.model import (
    ChunkRecord,
    DocumentRecord,
    Edition,
    Job,
    NewEdition,
    PlacedFile,
    Plan,
    Progress,
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
    verify_points,
    write_points,
)
from services.ingest.split import split_document

_MAX_WARNINGS = 50


@dataclass
class _Book:
    """A source after parsing and splitting."""

    documents: list[DocumentRecord]
    chunks: list[ChunkRecord]
    warnings: list[str]


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
        """Publish the files as an edition and end the job; end it at once when nothing changed.

        Raises InvalidInput for a source that can't become a book. Whatever is raised, readers see
        what they saw before, and running the job again is safe.
        """
        book = job.order.book
        chunking = load_profile(job.order.profile, self._profiles).chunking
        current = await self._editions.current(book)
        plan = await asyncio.to_thread(plan_book, Source(files))
        target = self._target(job, plan, current, files, chunking)
        await self._index.prepare()
        intact = await self._is_intact(book, current)
        if intact and target.fingerprint == current.fingerprint:
            await reporter.note(_unchanged(plan, current))
            await self._queue.finish(job, current.number, ())
            return
        reporter.check()
        await self._index.sweep(book, current.number)
        with stage_span("ingest.split"):
            parsed = await self._split(book, target.language, plan, chunking, reporter)
        await self._publish(job, target, parsed, reporter, from_scratch=not intact)

    async def _is_intact(self, book: str, current: Edition) -> bool:
        """Say whether the index holds what readers should see, to build the next edition on."""
        if current.collection != self._index.collection:
            return False
        return await self._index.count(book, current.number) == current.chunk_count

    def _target(
        self,
        job: Job,
        plan: Plan,
        current: Edition,
        files: Sequence[SourceFile],
        chunking: Chunking,
    ) -> Edition:
        order, book_file = job.order, plan.book_file
        title = order.title or book_file.title or current.title or _title_from(order.book)
        language = order.language or book_file.language or "en"
        hashes = [(file.path, hashlib.sha256(file.data).hexdigest()) for file in files]
        made_by = [PARSER_VERSION, POINT_FORM, asdict(chunking), self._index.collection]
        recipe = [title, language, *made_by]
        fingerprint = hashlib.sha256(json.dumps([recipe, hashes]).encode()).hexdigest()
        return Edition(
            number=current.number + 1,
            title=title,
            language=language,
            fingerprint=fingerprint,
            collection=self._index.collection,
        )

    async def _split(
        self, book: str, language: str, plan: Plan, chunking: Chunking, reporter: Reporter
    ) -> _Book:
        result = _Book([], [], list(plan.warnings))
        progress = Progress(stage="split", documents_total=len(plan.documents))
        for number, placed in enumerate(plan.documents, start=1):
            document, chunks, warnings = await asyncio.to_thread(
                self._read, book, language, placed, chunking
            )
            result.documents.append(document)
            result.chunks += chunks
            result.warnings += warnings
            await reporter.note(
                replace(progress, documents_done=number, chunks_total=len(result.chunks))
            )
        if not result.chunks:
            raise InvalidInput("The source holds no text.")
        return result

    def _read(
        self, book: str, language: str, placed: PlacedFile, chunking: Chunking
    ) -> tuple[DocumentRecord, list[ChunkRecord], list[str]]:
        document, warnings = parse_document(placed)
        chunks = split_document(book, language, document, chunking, self._tokens)
        stamp = self._embedder.stamp
        records = [
            ChunkRecord(chunk, point_digest(chunk, language), vector_key(chunk, stamp))
            for chunk in chunks
        ]
        return record_document(document, len(chunks)), records, warnings

    async def _embed(
        self, change: Change, start: Progress, reporter: Reporter
    ) -> tuple[list[Vectors], Progress]:
        progress = start

        async def note(done: int, reused: int) -> None:
            nonlocal progress
            progress = replace(
                start,
                chunks_done=start.chunks_done + done,
                chunks_reused=start.chunks_reused + reused,
            )
            await reporter.note(progress)

        chunks = [record.chunk for record in change.born]
        vectors = await embed_chunks(chunks, self._embedder, self._editions, note)
        return vectors, progress

    async def _publish(
        self, job: Job, target: Edition, parsed: _Book, reporter: Reporter, *, from_scratch: bool
    ) -> None:
        book = job.order.book
        records = parsed.chunks
        published = await self._editions.published(book, target.collection)
        change = (
            Change(records, list(published.values()), from_scratch=True)
            if from_scratch
            else compare(records, published)
        )
        progress = _counted(parsed, len(records) - len(change.born))
        with stage_span("ingest.embed"):
            vectors, progress = await self._embed(change, progress, reporter)
        await reporter.note(replace(progress, stage="publish"))
        with stage_span("ingest.publish"):
            await write_points(book, target, change, vectors, index=self._index, reporter=reporter)
            await verify_points(book, target.number, len(records), self._index)
            edition = NewEdition(book, target, parsed.documents, records, change.born, change.died)
            reporter.check()
            await self._editions.publish(job, edition, _shortened(parsed.warnings))


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
