"""The stages of ingest, in the order that a book flows through them."""

import asyncio
import hashlib
import json
from collections.abc import AsyncIterator, Callable, Sequence
from dataclasses import asdict, replace
from pathlib import Path

from libs.embedding import Embedder
from libs.errors import Conflict, InvalidInput, NotFound
from libs.profiles import SHIPPED, Chunking, load_profile
from services.ingest.errors import name_failures
from services.ingest.make import Maker, Taken
from services.ingest.model import (
    Edition,
    Job,
    JobKind,
    KeptDocument,
    Plan,
    Report,
    Source,
    SourceFile,
)
from services.ingest.parse import PARSER_VERSION, plan_book, planning_part
from services.ingest.ports import (
    DocumentReader,
    EditionStore,
    Files,
    JobQueue,
    NewEdition,
    Offer,
    Outcome,
    PassageIndex,
    Removal,
    Reporter,
    SharedDocuments,
    Staged,
)
from services.ingest.publish import (
    POINT_FORM,
    retire_points,
    verify_points,
)
from services.ingest.report import (
    reasons_for,
    recipe_parts,
    report_failure,
)
from services.ingest.work import (
    Run,
    Waiting,
    Work,
    all_warnings,
    fit_title,
    in_batches,
    name_empty,
    report_of,
    report_of_kept,
    shortened,
    source_digests,
    title_from,
    unchanged,
    unchanged_report,
)

_PLANNED_TOGETHER = 4 << 20
_WAIT_FOR_OTHERS_S = 0.2


class Pipeline:
    """Turns the files of a job into the next edition of its book."""

    def __init__(
        self,
        *,
        queue: JobQueue,
        documents: SharedDocuments,
        editions: EditionStore,
        index: PassageIndex,
        embedder: Embedder,
        reader: DocumentReader,
        profiles: Path = SHIPPED,
        is_damaged: Callable[[str, int], bool] = lambda _book, _edition: False,
    ) -> None:
        self._queue = queue
        self._documents = documents
        self._is_damaged = is_damaged
        self._editions = editions
        self._index = index
        self._maker = Maker(
            documents=documents, editions=editions, index=index, embedder=embedder, reader=reader
        )
        self._profiles = profiles

    async def run(self, job: Job, files: Files, reporter: Reporter) -> None:
        """Do what the job asks and end it: publish the files, see what they would change, delete.

        Raises InvalidInput for a source that can't become a book. Whatever is raised, readers see
        what they saw before, and running the job again is safe.
        """
        book = job.order.book
        current = await self._editions.current(book)
        run = Run(job, reporter, current, await self._editions.latest(book))
        if job.order.kind in (JobKind.DELETE_BOOK, JobKind.DELETE_DOCUMENT):
            await self._remove(run)
        else:
            await self._ingest(run, files)

    async def help_with(self, job: Job, offer: Offer, files: Files, reporter: Reporter) -> bool:
        """Work on documents of another owner's job until none is free; `job` is the helper's.

        Returns False, and has done nothing, when something else would be made of them here.
        """
        book = job.order.book
        current, latest = await self._editions.current(book), await self._editions.latest(book)
        run = Run(job, reporter, current, latest, offer.intact, helps=True)
        chunking = load_profile(job.order.profile, self._profiles).chunking
        plan, hashes = await self._plan(files)
        target = self._target(run, plan, hashes, chunking)
        if (target.number, target.fingerprint) != (offer.edition, offer.fingerprint):
            return False
        work = await self._sort_out(run, target, chunking, plan, files)
        while await self._maker.work_off(run, work):
            pass
        return True

    async def _ingest(self, run: Run, files: Files) -> None:
        chunking = load_profile(run.job.order.profile, self._profiles).chunking
        is_dry = run.job.order.kind is JobKind.DRY_RUN
        with run.stage("plan"):
            plan, hashes = await self._plan(files)
            target = self._target(run, plan, hashes, chunking)
            if not is_dry:
                await self._index.prepare()
            run.intact = await self._is_intact(run)
        if run.intact and target.fingerprint == run.current.fingerprint:
            await self._end_unchanged(run, plan)
        elif is_dry:
            work = await self._sort_out(run, target, chunking, plan, files)
            await self._look(run, work)
            await self._queue.finish_dry_run(run.job, self._report(run, work))
        else:
            work = await self._share(run, target, chunking, plan, files)
            work.hashes = hashes
            await self._work_off_with_others(run, work)
            await self._publish(run, work)

    async def _share(
        self, run: Run, target: Edition, chunking: Chunking, plan: Plan, files: Files
    ) -> Work:
        """Offer what has to be read to all replicas, or go on where an earlier owner stopped."""
        offer = Offer(target.number, target.fingerprint, run.intact)
        resumed = await self._documents.resume(run.job, offer)
        if not resumed:
            await self._sweep(run)
        work = await self._sort_out(run, target, chunking, plan, files)
        if not resumed:
            await self._documents.offer(run.job, offer, work.offered())
        return work

    async def _work_off_with_others(self, run: Run, work: Work) -> None:
        """Read, embed and write what is free, again and again until all replicas have ended.

        Raises InvalidInput when a document failed that must not, or when there is no text.
        """
        while True:
            await self._maker.work_off(run, work)
            tally = await self._maker.ask_for_others(run)
            await run.note()
            if not tally.left:
                break
            if not tally.free:
                await asyncio.sleep(_WAIT_FOR_OTHERS_S)
        work.take_in(run.by_others)
        run.progress, run.by_others = run.progress_of_all, Outcome()
        done, work.failed = await self._documents.list_ended(run.job)
        self._check_failures(run, work)
        elsewhere = set(done) - work.reports.keys()
        if elsewhere:
            staged = await self._editions.documents(run.book, work.target.number)
            work.reports |= {path: report_of_kept(staged[path]) for path in elsewhere}
        work.reports |= {path: report_failure(path, work.failed[path]) for path in work.failed}

    def _check_failures(self, run: Run, work: Work) -> None:
        if work.failed and not run.job.order.allow_partial:
            raise InvalidInput(name_failures([*work.failed.values()]))
        if not work.chunks:
            raise InvalidInput(name_empty(work.reports.values()))

    async def _plan(self, files: Files) -> tuple[Plan, list[tuple[str, str]]]:
        """Plan the book, with no more of its files in memory than the plan needs."""
        entries = await files.entries()
        parts: list[SourceFile] = []
        for batch in in_batches([(entry.path, entry.size) for entry in entries], _PLANNED_TOGETHER):
            whole = await files.read(batch)
            parts += await asyncio.to_thread(lambda files=whole: [*map(planning_part, files)])  # type: ignore[misc]
        plan = await asyncio.to_thread(plan_book, Source(parts))
        return plan, [(file.path, file.content_hash) for file in parts]

    async def _end_unchanged(self, run: Run, plan: Plan) -> None:
        number, kept = run.current.number, run.current.chunk_count
        await run.reporter.note(unchanged(plan, run.current))
        if run.job.order.kind is JobKind.DRY_RUN:
            report = Report(
                number, chunks_kept=kept, seconds=run.seconds, warnings=run.job.warnings
            )
            await self._queue.finish_dry_run(run.job, report)
        else:
            await self._queue.finish(run.job, number, ())

    async def _is_intact(self, run: Run) -> bool:
        """Say whether the index holds the newest edition, to build the next one on."""
        latest = run.latest
        if latest.collection != self._index.collection:
            return False
        if self._is_damaged(run.book, latest.number):
            return False
        return await self._index.count(run.book, latest.number) == latest.chunk_count

    async def _sweep(self, run: Run) -> None:
        """Undo what an attempt that was not published has left in both stores."""
        run.reporter.check()
        await self._index.sweep(run.book, run.latest.number)
        await self._editions.sweep(run.job, run.latest.number)

    def _target(
        self,
        run: Run,
        plan: Plan,
        hashes: Sequence[tuple[str, str]],
        chunking: Chunking,
        found: str = "",
    ) -> Edition:
        """Return the edition to make; `found` is what its only document turned out to be called."""
        order, book_file = run.job.order, plan.book_file
        given = order.title or book_file.title or run.current.title
        title = given or fit_title(plan.title) or fit_title(found) or title_from(order.book)
        language = order.language or book_file.language or "en"
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

    async def _sort_out(
        self, run: Run, target: Edition, chunking: Chunking, plan: Plan, files: Files
    ) -> Work:
        """Tell documents that stay as they are from those that have to be read."""
        sizes = {entry.path: entry.size for entry in await files.entries()}
        before = await self._editions.documents(run.book, run.latest.number)
        kept: dict[str, KeptDocument] = {}
        waiting = []
        for placed, made_from in zip(plan.documents, source_digests(plan, target), strict=True):
            path = placed.file.path
            known = before.get(path)
            if run.intact and known and known.report and known.made_from == made_from:
                kept[path] = known
            else:
                waiting.append(Waiting(placed, sizes[path], made_from))
        work = Work(target, chunking, plan, files, before, waiting, kept)
        work.bytes_total = sum(item.size for item in waiting)
        work.chunks = sum(document.chunk_count for document in kept.values())
        await run.note(
            stage="split",
            documents_total=len(plan.documents),
            documents_done=len(kept),
            chunks_total=work.chunks,
            chunks_done=work.chunks,
            chunks_reused=work.chunks,
        )
        return work

    async def _look(self, run: Run, work: Work) -> None:
        """Count what the edition would change."""

        async def all_waiting() -> AsyncIterator[Taken]:
            for item in work.waiting:
                yield item, None

        async with self._maker.groups(run, work, all_waiting()) as groups:
            async for group in groups:
                keys = {record.vector_key for item in group for record in item.change.born}
                known = await self._editions.load_vectors(list(keys))
                work.vectors_new += len(keys - known.keys())
                work.count(group)
        self._check_failures(run, work)
        work.chunks_removed += sum(work.before[path].chunk_count for path in work.dropped)

    async def _publish(self, run: Run, work: Work) -> None:
        # Points know nothing of the title: it may be learnt after they are written.
        target = self._target(run, work.plan, work.hashes, work.chunking, work.title)
        work.target = target
        await run.note(stage="publish", left_s=0.0, chunks_total=work.chunks)
        with run.stage("publish"):
            await self._drop(run, work)
            if not run.intact:
                run.reporter.check()
                await self._index.retire_all(run.book, target.number)
            staged = await self._editions.chunk_keys(run.book, target.number)
            await verify_points(run.book, target.number, staged, self._index)
        report = self._report(run, work)
        edition = NewEdition(
            run.book,
            replace(target, chunk_count=work.chunks),
            len(work.plan.documents) - len(work.failed),
            report,
        )
        run.reporter.check()
        # Those of the upload stand in the job since it came.
        known = set(run.job.warnings)
        warnings = [warning for warning in all_warnings(report) if warning not in known]
        await self._editions.publish(run.job, edition, shortened(warnings))

    async def _drop(self, run: Run, work: Work) -> None:
        """Leave documents of the edition before out of the next one."""
        if not work.dropped:
            return
        number, target = run.latest.number, work.target
        died = [*(await self._editions.published(run.book, number, work.dropped)).values()]
        work.chunks_removed += len(died)
        if run.intact:
            await retire_points(died, target.number, self._index, run.reporter)
        run.reporter.check()
        chunk_ids = [chunk.chunk_id for chunk in died]
        staged = Staged(
            *(run.book, target.number, target.collection),
            died=chunk_ids,
            replaced=work.dropped,
        )
        await self._editions.stage(run.job, staged)

    def _report(self, run: Run, work: Work) -> Report:
        target, removed = work.target, work.removed
        documents = [report_of(work, placed.file.path) for placed in work.plan.documents]
        changes = [document.change for document in documents]
        reasons = reasons_for(
            *(target, run.latest, run.current, changes, removed), intact=run.intact
        )
        return Report(
            *(target.number, reasons, documents, removed),
            chunks_new=work.chunks_new,
            chunks_kept=work.chunks - work.chunks_new,
            chunks_removed=work.chunks_removed,
            vectors_new=work.vectors_new,
            vectors_reused=work.chunks_new - work.vectors_new,
            seconds=run.seconds,
            warnings=[*run.job.warnings, *work.plan.warnings],
        )

    async def _remove(self, run: Run) -> None:
        """Publish the newest edition without one document, or without all of them."""
        document, latest = run.job.order.document, run.latest
        before = await self._editions.documents(run.book, latest.number)
        if not before or (document and document not in before):
            raise NotFound("There is no such document." if document else "There is no such book.")
        if document and latest.number != run.current.number:
            raise Conflict("After a roll-back a document can't be deleted. Ingest the book first.")
        await self._index.prepare()
        await self._sweep(run)
        gone = [document] if document else list(before)
        died = [*(await self._editions.published(run.book, latest.number, gone)).values()]
        number, left = latest.number + 1, latest.chunk_count - len(died)
        if document and not left:
            raise Conflict("That is the last document of the book. Delete the book instead.")
        await retire_points(died, number, self._index, run.reporter, collection=latest.collection)
        if latest.collection == self._index.collection:
            keys = await self._editions.chunk_keys(run.book, latest.number)
            keys -= {(chunk.chunk_id, chunk.born) for chunk in died}
            await verify_points(run.book, number, keys, self._index)
        fingerprint = f"{latest.fingerprint} without {document}".encode()
        edition = replace(
            latest,
            number=number,
            chunk_count=left,
            # One that no source has: ingesting what was there before changes the book.
            fingerprint=hashlib.sha256(fingerprint).hexdigest(),
        )
        reason = f"{document} deleted" if document else "the book deleted"
        left_over = [path for path in before if path != document] if document else []
        reports = [unchanged_report(before[path]) for path in left_over]
        report = Report(
            *(number, [reason], [report for report in reports if report], gone),
            chunks_kept=left,
            chunks_removed=len(died),
        )
        run.reporter.check()
        removal = Removal(run.book, edition, document, len(left_over), report)
        await self._editions.remove(run.job, removal)
