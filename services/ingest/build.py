"""Read, embed and write documents; readers do not see the result yet.

The owner of a job and those who help it do the same here: claim what is free, read it, embed what
has no vector, and write it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from typing import TypeAlias

from libs.errors import InvalidInput
from services.ingest.disk_floor import NO_FLOOR, DiskFloor
from services.ingest.edition import EditionPlan, Waiting, own_title
from services.ingest.embed import ChunkEmbedder, Embedded, embed_chunks
from services.ingest.errors import ParserStopped
from services.ingest.flow import ahead, in_groups
from services.ingest.job_state import Basis, JobTracker, advanced, guess_left_s
from services.ingest.model.book import (
    Chunk,
    ChunkRecord,
    ChunkVectors,
    DocumentRecord,
    DocumentReport,
    ReadDocument,
)
from services.ingest.parsers.formats import Format, format_of
from services.ingest.pictures import PictureReader
from services.ingest.ports.editions import EditionStore, Staged
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.reading import DocumentReader, ReadTask
from services.ingest.ports.sharing import Claim, Outcome, SharedDocuments, Tally
from services.ingest.publish import Change, compare, point_digest, record_document, write_points
from services.ingest.report import report_change, report_failure
from services.ingest.surroundings import ReaderInPlace

_EMBEDDED_TOGETHER = 64
_READ_AHEAD = 64
"""Chunks read ahead, counted alike; other replicas cannot claim them."""
_IMAGE_BYTES = 1 << 18
"""Of pictures that count as one chunk."""
_MAX_ATTEMPTS = 3
_ASK_FOR_OTHERS_EVERY_S = 1.0

Taken: TypeAlias = tuple[Waiting, Claim | None]
"""A document to read; a claim is had by who is to write what comes of it."""


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
    def tokens(self) -> int:
        return sum(record.chunk.token_count for record in self.change.born)

    @property
    def weight(self) -> int:
        """Return the new chunks; a document without any still takes its room, and so do pictures."""
        pictures = sum(len(image.data) for image in self.record.images) + len(self.record.original)
        return 1 + len(self.change.born) + self.length // 4096 + pictures // _IMAGE_BYTES


@dataclass(frozen=True)
class Built:
    """What has come of the documents of an edition, by whomever."""

    counts: Outcome
    reports: Mapping[str, DocumentReport]
    """Of what was read here; of what others have read, once that is known."""
    failed: Mapping[str, str]
    """Reasons why documents could not be read, by path."""

    def with_others(self, outcome: Outcome) -> "Built":
        """Count what other replicas have done."""
        own = self.counts
        return replace(
            self,
            counts=replace(
                own,
                title=own.title or outcome.title,
                chunks=own.chunks + outcome.chunks,
                chunks_new=own.chunks_new + outcome.chunks_new,
                chunks_removed=own.chunks_removed + outcome.chunks_removed,
                vectors_new=own.vectors_new + outcome.vectors_new,
            ),
        )

    def with_removed(self, chunks: int) -> "Built":
        """Count chunks of documents that the next edition will not have."""
        removed = self.counts.chunks_removed + chunks
        return replace(self, counts=replace(self.counts, chunks_removed=removed))

    def dropped(self, plan: EditionPlan) -> list[str]:
        """Return paths of documents that the edition before has and the next one will not have."""
        return sorted({*plan.removed, *(self.failed.keys() & plan.before.keys())})


@dataclass(frozen=True)
class Stores:
    """Where documents are claimed, read, embedded and written."""

    documents: SharedDocuments
    editions: EditionStore
    index: PassageIndex
    embedder: ChunkEmbedder
    reader: DocumentReader
    floor: DiskFloor = NO_FLOOR


class EditionBuilder:
    """Makes what the next edition has of documents."""

    def __init__(
        self, basis: Basis, plan: EditionPlan, tracker: JobTracker, stores: Stores
    ) -> None:
        self._basis = basis
        self._plan = plan
        self._tracker = tracker
        self._stores = stores
        self._counts = Outcome(chunks=plan.kept_chunks)
        self._reports: dict[str, DocumentReport] = {}
        self._failed: dict[str, str] = {}
        book = plan.book
        self._reader = ReaderInPlace(stores.reader, book.files, book.plan.documents)
        self._pictures = PictureReader(plan.book.pictures, plan.book.files, stores.reader)
        self._started = time.monotonic()
        self._asked_at = self._started

    @property
    def built(self) -> Built:
        """What has come of the documents so far, of those read here."""
        return Built(self._counts, self._reports, self._failed)

    async def build_free(self) -> bool:
        """Read, embed and write the documents that are free, and say whether any was."""
        claimed = 0

        async def claim_all() -> AsyncIterator[Taken]:
            nonlocal claimed
            by_path = {item.placed.file.path: item for item in self._plan.waiting}
            while claims := await self._tracker.reporter.claim():
                claimed += len(claims)
                for claim in claims:
                    yield by_path[claim.path], claim

        async with self._groups(claim_all()) as groups:
            await self._build(groups)
        return claimed > 0

    async def preview(self) -> Built:
        """Read all documents that wait, write nothing, and count what the edition would change."""

        async def all_waiting() -> AsyncIterator[Taken]:
            # No claim: nothing is written, so nobody has to be kept from the same documents.
            for item in self._plan.waiting:
                yield item, None

        async with self._groups(all_waiting()) as groups:
            async for group in groups:
                keys = {record.vector_key for item in group for record in item.change.born}
                known = await self._stores.editions.load_vectors(list(keys))
                self._count(group, vectors_new=len(keys - known.keys()))
        return self.built

    async def ask_for_others(self) -> Tally:
        """Learn what other replicas have done."""
        self._asked_at = time.monotonic()
        tally = await self._stores.documents.tally(self._basis.job)
        self._tracker.by_others = tally.by_others
        return tally

    @asynccontextmanager
    async def _groups(
        self, items: AsyncIterator[Taken]
    ) -> AsyncIterator[AsyncIterator[list[Changed]]]:
        """Read documents ahead of their use, in groups that are embedded together."""
        async with ahead(self._read_all(items), _READ_AHEAD, lambda item: item.weight) as read:
            yield in_groups(read, _EMBEDDED_TOGETHER, lambda item: item.weight)

    async def _read_all(self, items: AsyncIterator[Taken]) -> AsyncIterator[Changed]:
        """Read document by document, in order; from the first that fails on, only to find others."""
        async for item, claim in items:
            with self._tracker.stage("split"):
                changed = await self._read(item, claim)
            self._add(size=item.size)
            if changed is None:
                continue
            self._add(chunks=changed.record.chunk_count)
            await self._note_read(changed)
            if not self._failed or self._basis.job.order.allow_partial:
                yield changed
            elif claim:
                await self._close(claim)

    async def _note_read(self, changed: Changed) -> None:
        kept = changed.record.chunk_count - len(changed.change.born)
        now = self._tracker.progress
        await self._tracker.note(
            documents_done=now.documents_done + 1,
            chunks_total=now.chunks_total + changed.record.chunk_count,
            chunks_done=now.chunks_done + kept,
            chunks_reused=now.chunks_reused + kept,
            tokens_total=now.tokens_total + changed.tokens,
        )

    async def _read(self, item: Waiting, claim: Claim | None) -> Changed | None:
        plan, path = self._plan, item.placed.file.path
        [file] = await plan.book.files.read([path])
        task = ReadTask(
            book=self._basis.book,
            language=plan.target.language,
            placed=replace(item.placed, file=file),
            chunking=plan.book.chunking,
        )
        try:
            read = await self._reader.read(task)
        except InvalidInput as error:
            await self._fail(path, error, claim)
            return None
        read = await self._pictures.put_into(read)
        change = await self._compare(read)
        before = plan.before.get(path)
        report = report_change(read.report, read.document.content_hash, before, len(change.born))
        self._reports[path] = report
        if len(plan.book.plan.documents) == 1:
            title = own_title(read.document, item.placed.title)
            self._counts = replace(self._counts, title=title)
        original = file.data if format_of(path) is Format.PDF else b""
        record = replace(record_document(read, item.made_from, report), original=original)
        return Changed(record, change, claim)

    async def _fail(self, path: str, error: InvalidInput, claim: Claim | None) -> None:
        is_final = not isinstance(error, ParserStopped)
        if claim and claim.attempts < _MAX_ATTEMPTS and not is_final:
            await self._tracker.reporter.give_back(claim)
            return
        self._failed[path] = error.message
        self._reports[path] = report_failure(path, error.message)
        if claim:
            await self._close(claim, error.message)

    async def _close(self, claim: Claim, failure: str = "") -> None:
        await self._stores.documents.close(self._basis.job, claim, failure)
        self._tracker.reporter.drop([claim])

    async def _compare(self, read: ReadDocument) -> Change:
        basis, target = self._basis, self._plan.target
        records = await asyncio.to_thread(self._records, read)
        path = read.document.path
        if path not in self._plan.before:
            return Change(records, [], from_scratch=not basis.intact)
        editions = self._stores.editions
        published = await editions.published(basis.book, basis.latest.number, [path])
        if basis.intact:
            return compare(records, published, target.collection)
        return Change(records, list(published.values()), from_scratch=True)

    def _records(self, read: ReadDocument) -> list[ChunkRecord]:
        key = self._stores.embedder.key
        spoken = [
            (chunk, read.languages.get(chunk.chunk_id, read.report.language))
            for chunk in read.chunks
        ]
        return [
            ChunkRecord(chunk, point_digest(chunk, language), key(chunk), language)
            for chunk, language in spoken
        ]

    async def _build(self, groups: AsyncIterator[list[Changed]]) -> None:
        """Embed and write group by group, each while the next one is made."""
        async with ahead(self._embed_all(groups), 1) as embedded:
            async for group, vectors, now in embedded:
                with self._tracker.stage("publish"):
                    await self._write(group, vectors, now)

    async def _embed_all(
        self, groups: AsyncIterator[list[Changed]]
    ) -> AsyncIterator[tuple[list[Changed], list[ChunkVectors], Embedded]]:
        async for group in groups:
            with self._tracker.stage("embed"):
                chunks = [record.chunk for item in group for record in item.change.born]
                vectors, now = await self._embed(chunks)
            self._count(group, vectors_new=now.done - now.reused)
            yield group, vectors, now

    async def _embed(self, chunks: Sequence[Chunk]) -> tuple[list[ChunkVectors], Embedded]:
        tracker = self._tracker
        done_before = Embedded(0, 0, sum(chunk.token_count for chunk in chunks), 0)

        async def note(now: Embedded) -> None:
            nonlocal done_before
            tracker.progress = replace(advanced(tracker.progress, done_before, now), stage="embed")
            done_before = now
            of_all = tracker.progress_of_all
            left_s = guess_left_s(of_all, self._share_read(), time.monotonic() - self._started)
            tracker.progress = replace(tracker.progress, left_s=left_s)
            await tracker.reporter.note(replace(of_all, left_s=left_s))

        vectors = await embed_chunks(chunks, self._stores.embedder, self._stores.editions, note)
        return vectors, done_before

    def _share_read(self) -> float:
        """Return the part of what has to be read that has been, more than 0, 1 at most."""
        read = self._counts.size + self._tracker.by_others.size
        return max(read, 1) / max(self._plan.waiting_bytes, 1)

    async def _write(
        self, group: Sequence[Changed], vectors: Sequence[ChunkVectors], now: Embedded
    ) -> None:
        """Write a group: its points first, so that no chunk is ever staged without its point."""
        basis, target, reporter = self._basis, self._plan.target, self._tracker.reporter
        change = Change(
            [record for item in group for record in item.change.born],
            [chunk for item in group for chunk in item.change.died],
            from_scratch=not basis.intact,
        )
        index = self._stores.index
        self._stores.floor.require()
        await write_points(basis.book, target, change, vectors, index=index, reporter=reporter)
        documents = [item.record for item in group]
        paths = [record.document.path for record in documents]
        staged = Staged(
            book=basis.book,
            edition=target.number,
            collection=target.collection,
            documents=documents,
            born=change.born,
            died=[chunk.chunk_id for chunk in change.died],
            replaced=[path for path in paths if path in self._plan.before],
            claims=_outcomes(group, now.done - now.reused, now.tokens_done, self._counts.title),
        )
        reporter.check()
        await self._stores.editions.stage(basis.job, staged)
        reporter.drop([claim for claim, _ in staged.claims])
        if not basis.is_helper and time.monotonic() > self._asked_at + _ASK_FOR_OTHERS_EVERY_S:
            await self.ask_for_others()

    def _add(self, *, size: int = 0, chunks: int = 0) -> None:
        counts = self._counts
        self._counts = replace(counts, size=counts.size + size, chunks=counts.chunks + chunks)

    def _count(self, group: Sequence[Changed], *, vectors_new: int) -> None:
        """Take note of what a group of documents changes."""
        counts = self._counts
        self._counts = replace(
            counts,
            chunks_new=counts.chunks_new + sum(len(item.change.born) for item in group),
            chunks_removed=counts.chunks_removed + sum(len(item.change.died) for item in group),
            vectors_new=counts.vectors_new + vectors_new,
        )


def _outcomes(
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
