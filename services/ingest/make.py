"""Documents that wait in; their points and rows, written but not yet seen, out.

The owner of a job and those who help it do the same here: claim what is free, read it, embed what
has no vector, and write it.
"""

import asyncio
import time
from collections.abc import AsyncIterator, Sequence
from contextlib import asynccontextmanager
from dataclasses import replace
from typing import TypeAlias

from libs.embedding import Embedder
from libs.errors import InvalidInput
from services.ingest.embed import ChunkEmbedder, Embedded, embed_chunks
from services.ingest.errors import ParserStopped
from services.ingest.flow import ahead, in_groups
from services.ingest.model import Chunk, ChunkRecord, ChunkVectors, ReadDocument
from services.ingest.ports import (
    Claim,
    DocumentReader,
    EditionStore,
    PassageIndex,
    ReadTask,
    SharedDocuments,
    Staged,
    Tally,
)
from services.ingest.publish import Change, compare, point_digest, record_document, write_points
from services.ingest.report import report_change, report_failure
from services.ingest.work import (
    Changed,
    Run,
    Waiting,
    Work,
    advanced,
    guess_left_s,
    outcomes,
    own_title,
    tokens_of,
)

_EMBEDDED_TOGETHER = 64
_READ_AHEAD = 64
"""What has been read and waits to be embedded, counted alike: so much no other replica can have."""
_MAX_ATTEMPTS = 3
_ASK_FOR_OTHERS_EVERY_S = 1.0

Taken: TypeAlias = tuple[Waiting, Claim | None]
"""A document to read; a claim is had by who is to write what comes of it."""


class Maker:
    """Makes what the next edition has of documents."""

    def __init__(
        self,
        *,
        documents: SharedDocuments,
        editions: EditionStore,
        index: PassageIndex,
        embedder: Embedder,
        reader: DocumentReader,
    ) -> None:
        self._documents = documents
        self._editions = editions
        self._index = index
        self._embedder = ChunkEmbedder(embedder)
        self._reader = reader

    async def work_off(self, run: Run, work: Work) -> bool:
        """Read, embed and write the documents that are free, and say whether any was."""
        before = work.claimed
        async with self.groups(run, work, self._claim_all(run, work)) as groups:
            await self._build(run, work, groups)
        return work.claimed > before

    @asynccontextmanager
    async def groups(
        self, run: Run, work: Work, items: AsyncIterator[Taken]
    ) -> AsyncIterator[AsyncIterator[list[Changed]]]:
        """Read documents ahead of their use, in groups that are embedded together."""
        documents = self._read_all(run, work, items)
        async with ahead(documents, _READ_AHEAD, lambda item: item.weight) as read:
            yield in_groups(read, _EMBEDDED_TOGETHER, lambda item: item.weight)

    async def _claim_all(self, run: Run, work: Work) -> AsyncIterator[Taken]:
        """Claim documents until none is free."""
        by_path = {item.placed.file.path: item for item in work.waiting}
        while claims := await run.reporter.claim():
            work.claimed += len(claims)
            for claim in claims:
                yield by_path[claim.path], claim

    async def ask_for_others(self, run: Run) -> Tally:
        """Learn what other replicas have done."""
        run.asked_at = time.monotonic()
        tally = await self._documents.tally(run.job)
        run.by_others = tally.by_others
        return tally

    async def _read_all(
        self, run: Run, work: Work, items: AsyncIterator[Taken]
    ) -> AsyncIterator[Changed]:
        """Read document by document, in order; from the first that fails on, only to find others."""
        async for item, claim in items:
            with run.stage("split"):
                changed = await self._read(run, work, item, claim)
            work.bytes_read += item.size
            if changed is None:
                continue
            work.chunks += changed.record.chunk_count
            kept = changed.record.chunk_count - len(changed.change.born)
            now = run.progress
            await run.note(
                documents_done=now.documents_done + 1,
                chunks_total=now.chunks_total + changed.record.chunk_count,
                chunks_done=now.chunks_done + kept,
                chunks_reused=now.chunks_reused + kept,
                tokens_total=now.tokens_total + tokens_of(changed),
            )
            if not work.failed or run.job.order.allow_partial:
                yield changed
            elif claim:
                await self._close(run, claim)

    async def _read(
        self, run: Run, work: Work, item: Waiting, claim: Claim | None
    ) -> Changed | None:
        path, language = item.placed.file.path, work.target.language
        [file] = await work.files.read([path])
        try:
            read = await self._reader.read(
                ReadTask(run.book, language, replace(item.placed, file=file), work.chunking)
            )
        except InvalidInput as error:
            is_final = not isinstance(error, ParserStopped)
            if claim and claim.attempts < _MAX_ATTEMPTS and not is_final:
                await run.reporter.give_back(claim)
                return None
            work.failed[path] = error.message
            work.reports[path] = report_failure(path, error.message)
            if claim:
                await self._close(run, claim, error.message)
            return None
        change = await self._compare(run, work, read)
        before = work.before.get(path)
        report = report_change(read.report, read.document.content_hash, before, len(change.born))
        work.reports[path] = report
        if len(work.plan.documents) == 1:
            work.title = own_title(read.document, item.placed.title)
        return Changed(record_document(read, item.made_from, report), change, claim)

    async def _close(self, run: Run, claim: Claim, failure: str = "") -> None:
        await self._documents.close(run.job, claim, failure)
        run.reporter.drop([claim])

    async def _compare(self, run: Run, work: Work, read: ReadDocument) -> Change:
        records = await asyncio.to_thread(self._records, read, work.target.language)
        path = read.document.path
        if path not in work.before:
            return Change(records, [], from_scratch=not run.intact)
        published = await self._editions.published(run.book, run.latest.number, [path])
        if run.intact:
            return compare(records, published, work.target.collection)
        return Change(records, list(published.values()), from_scratch=True)

    def _records(self, read: ReadDocument, language: str) -> list[ChunkRecord]:
        return [
            ChunkRecord(chunk, point_digest(chunk, language), self._embedder.key(chunk))
            for chunk in read.chunks
        ]

    async def _build(self, run: Run, work: Work, groups: AsyncIterator[list[Changed]]) -> None:
        """Embed and write group by group, each while the next one is made."""
        async with ahead(self._embed_all(run, work, groups), 1) as embedded:
            async for group, vectors, now in embedded:
                with run.stage("publish"):
                    await self._write(run, work, group, vectors, now)

    async def _embed_all(
        self, run: Run, work: Work, groups: AsyncIterator[list[Changed]]
    ) -> AsyncIterator[tuple[list[Changed], list[ChunkVectors], Embedded]]:
        async for group in groups:
            with run.stage("embed"):
                chunks = [record.chunk for item in group for record in item.change.born]
                vectors, now = await self._embed(run, work, chunks)
            work.count(group)
            yield group, vectors, now

    async def _embed(
        self, run: Run, work: Work, chunks: Sequence[Chunk]
    ) -> tuple[list[ChunkVectors], Embedded]:
        done_before = Embedded(0, 0, sum(chunk.token_count for chunk in chunks), 0)

        async def note(now: Embedded) -> None:
            nonlocal done_before
            run.progress = replace(advanced(run.progress, done_before, now), stage="embed")
            done_before = now
            of_all, share_read = run.progress_of_all, work.share_read(run.by_others)
            left_s = guess_left_s(of_all, share_read, time.monotonic() - work.started)
            run.progress = replace(run.progress, left_s=left_s)
            await run.reporter.note(replace(of_all, left_s=left_s))

        vectors = await embed_chunks(chunks, self._embedder, self._editions, note)
        work.vectors_new += done_before.done - done_before.reused
        return vectors, done_before

    async def _write(
        self,
        run: Run,
        work: Work,
        group: Sequence[Changed],
        vectors: Sequence[ChunkVectors],
        now: Embedded,
    ) -> None:
        target = work.target
        change = Change(
            [record for item in group for record in item.change.born],
            [chunk for item in group for chunk in item.change.died],
            from_scratch=not run.intact,
        )
        await write_points(
            run.book, target, change, vectors, index=self._index, reporter=run.reporter
        )
        documents = [item.record for item in group]
        paths = [record.document.path for record in documents]
        staged = Staged(
            *(run.book, target.number, target.collection, documents, change.born),
            died=[chunk.chunk_id for chunk in change.died],
            replaced=[path for path in paths if path in work.before],
            claims=outcomes(group, now.done - now.reused, now.tokens_done, work.title),
        )
        run.reporter.check()
        await self._editions.stage(run.job, staged)
        run.reporter.drop([claim for claim, _ in staged.claims])
        if not run.helps and time.monotonic() > run.asked_at + _ASK_FOR_OTHERS_EVERY_S:
            await self.ask_for_others(run)
