"""The stages of ingest, in the order that a book flows through them.

A job's files are planned (which documents make the book), the next edition is planned from that
(what stays, what has to be read), documents are built (read, split, embedded, written), and the
edition is published. Each stage returns what the next one takes.
"""

import asyncio
import hashlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path

from libs.embedding import Embedder
from libs.errors import Conflict, InvalidInput, NotFound
from libs.profiles import SHIPPED, load_profile
from services.ingest.build import Built, EditionBuilder, Stores
from services.ingest.compare import compare_renditions
from services.ingest.disk_floor import NO_FLOOR, DiskFloor
from services.ingest.edition import (
    EditionPlan,
    PlannedBook,
    in_batches,
    sort_documents,
    target_edition,
)
from services.ingest.embed import ChunkEmbedder
from services.ingest.errors import name_failures
from services.ingest.job_state import Basis, JobTracker, unchanged
from services.ingest.model.book import (
    DocumentReport,
    Edition,
    KeptDocument,
    Published,
    Report,
    Source,
    SourceFile,
)
from services.ingest.model.byline import common_byline
from services.ingest.model.job import Job, JobKind, Order
from services.ingest.parsers.images import is_image
from services.ingest.pictures import PictureFiles
from services.ingest.plan import plan_book, planning_part
from services.ingest.ports.editions import EditionStore, NewEdition, Removal, Staged
from services.ingest.ports.index import PassageIndex
from services.ingest.ports.jobs import JobQueue
from services.ingest.ports.reading import DocumentReader, Files
from services.ingest.ports.sharing import Offer, Reporter, SharedDocuments
from services.ingest.publish import retire_points, verify_points
from services.ingest.report import (
    all_warnings,
    list_languages,
    main_language,
    name_empty,
    offer_model,
    reasons_for,
    report_failure,
    report_of_kept,
    shortened,
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
        floor: DiskFloor = NO_FLOOR,
    ) -> None:
        self._queue = queue
        self._documents = documents
        self._is_damaged = is_damaged
        self._editions = editions
        self._index = index
        self._stores = Stores(documents, editions, index, ChunkEmbedder(embedder), reader, floor)
        self._profiles = profiles
        self._floor = floor

    async def run(self, job: Job, files: Files, reporter: Reporter) -> None:
        """Do what the job asks and end it: publish the files, see what they would change, delete.

        Raises InvalidInput for a source that can't become a book. Whatever is raised, readers see
        what they saw before, and running the job again is safe.
        """
        book, tracker = job.order.book, JobTracker(reporter)
        basis = Basis(job, await self._editions.current(book), await self._editions.latest(book))
        if job.order.kind in (JobKind.DELETE_BOOK, JobKind.DELETE_DOCUMENT):
            await self._remove(basis, tracker)
        else:
            await self._ingest(basis, tracker, files)

    async def help_with(self, job: Job, offer: Offer, files: Files, reporter: Reporter) -> bool:
        """Work on documents of another owner's job until none is free; `job` is the helper's.

        Returns False, and has done nothing, when something else would be made of them here.
        """
        order, tracker = job.order, JobTracker(reporter)
        current = await self._editions.current(order.book)
        latest = await self._editions.latest(order.book)
        basis = Basis(job, current, latest, offer.intact, is_helper=True)
        book = await self._plan_book(order, files)
        target = self._target(basis, book)
        if (target.number, target.fingerprint) != (offer.edition, offer.fingerprint):
            return False
        plan = await self._plan_edition(basis, tracker, book, target)
        builder = EditionBuilder(basis, plan, tracker, self._stores)
        while await builder.build_free():
            pass
        return True

    async def _ingest(self, basis: Basis, tracker: JobTracker, files: Files) -> None:
        order = basis.job.order
        is_dry = order.kind is JobKind.DRY_RUN
        await self._floor.try_store()
        self._floor.require()
        with tracker.stage("plan"):
            book = await self._plan_book(order, files)
            target = self._target(basis, book)
            if is_dry:
                # What would change is told of what readers see, and not of an edition taken back.
                basis = replace(basis, latest=basis.current)
            else:
                await self._index.prepare()
            basis = replace(basis, intact=await self._is_intact(basis))
        if basis.intact and target.fingerprint == basis.current.fingerprint:
            await self._end_unchanged(basis, tracker, book)
        elif is_dry:
            plan = await self._plan_edition(basis, tracker, book, target)
            built = await self._preview(basis, tracker, plan)
            report = self._report(basis, tracker, plan, target, built)
            await self._queue.finish_dry_run(basis.job, report)
        else:
            plan = await self._share(basis, tracker, book, target)
            built = await self._build_with_others(basis, tracker, plan)
            await self._publish(basis, tracker, plan, built)

    async def _plan_book(self, order: Order, files: Files) -> PlannedBook:
        """Plan the book, with no more of its files in memory than the plan needs."""
        chunking = load_profile(order.profile, self._profiles).chunking
        entries = await files.entries()
        parts: list[SourceFile] = []
        texts = [(entry.path, entry.size) for entry in entries if not is_image(entry.path)]
        for batch in in_batches(texts, _PLANNED_TOGETHER):
            whole = await files.read(batch)
            parts += await asyncio.to_thread(_planning_parts, whole)
        plan = await asyncio.to_thread(plan_book, Source(parts))
        if plan.doubtful:
            compared = await compare_renditions(plan.doubtful, files, self._stores.reader)
            plan = await asyncio.to_thread(plan_book, Source(parts), compared)
        pictures = {entry.path: entry.digest for entry in entries if is_image(entry.path)}
        hashes = [*((file.path, file.content_hash) for file in parts), *pictures.items()]
        return PlannedBook(plan, files, hashes, chunking, PictureFiles(pictures))

    def _target(
        self,
        basis: Basis,
        book: PlannedBook,
        found: str = "",
        reports: Sequence[DocumentReport] = (),
    ) -> Edition:
        languages = list_languages(report for report in reports if not report.failure)
        byline = common_byline(report.byline for report in reports)
        target = target_edition(basis, book, self._index.collection, found, languages)
        return replace(target, byline=byline)

    async def _is_intact(self, basis: Basis) -> bool:
        """Say whether the index holds the newest edition, to build the next one on."""
        latest = basis.latest
        if latest.collection != self._index.collection:
            return False
        if self._is_damaged(basis.book, latest.number):
            return False
        return await self._index.count(basis.book, latest.number) == latest.chunk_count

    async def _end_unchanged(self, basis: Basis, tracker: JobTracker, book: PlannedBook) -> None:
        number, kept = basis.current.number, basis.current.chunk_count
        await tracker.reporter.note(unchanged(book.plan, basis.current))
        if basis.job.order.kind is JobKind.DRY_RUN:
            report = Report(
                number, chunks_kept=kept, seconds=tracker.seconds, warnings=basis.job.warnings
            )
            await self._queue.finish_dry_run(basis.job, report)
        else:
            await self._queue.finish(basis.job, number, ())

    async def _share(
        self, basis: Basis, tracker: JobTracker, book: PlannedBook, target: Edition
    ) -> EditionPlan:
        """Offer what has to be read to all replicas, or go on where an earlier owner stopped."""
        offer = Offer(target.number, target.fingerprint, basis.intact)
        resumed = await self._documents.resume(basis.job, offer)
        if not resumed:
            await self._sweep(basis, tracker)
        plan = await self._plan_edition(basis, tracker, book, target)
        if not resumed:
            await self._documents.offer(basis.job, offer, plan.offered())
        return plan

    async def _sweep(self, basis: Basis, tracker: JobTracker) -> None:
        """Undo what an attempt that was not published has left in both stores."""
        tracker.reporter.check()
        await self._index.sweep(basis.book, basis.latest.number)
        await self._editions.sweep(basis.job, basis.latest.number)

    async def _plan_edition(
        self, basis: Basis, tracker: JobTracker, book: PlannedBook, target: Edition
    ) -> EditionPlan:
        sizes = {entry.path: entry.size for entry in await book.files.entries()}
        before = await self._editions.documents(basis.book, basis.latest.number)
        kept, waiting = sort_documents(basis, book, target, before, sizes)
        plan = EditionPlan(target, book, before, waiting, kept)
        await tracker.note(
            stage="split",
            documents_total=len(plan.paths),
            documents_done=len(kept),
            chunks_total=plan.kept_chunks,
            chunks_done=plan.kept_chunks,
            chunks_reused=plan.kept_chunks,
        )
        return plan

    async def _preview(self, basis: Basis, tracker: JobTracker, plan: EditionPlan) -> Built:
        """Count what the edition would change."""
        built = await EditionBuilder(basis, plan, tracker, self._stores).preview()
        _check_failures(basis, built, len(plan.paths))
        dropped = sum(plan.before[path].chunk_count for path in built.dropped(plan))
        return built.with_removed(dropped)

    async def _build_with_others(
        self, basis: Basis, tracker: JobTracker, plan: EditionPlan
    ) -> Built:
        """Read, embed and write what is free, again and again until all replicas have ended.

        Raises InvalidInput when a document failed that must not, or when there is no text.
        """
        builder = EditionBuilder(basis, plan, tracker, self._stores)
        while True:
            await builder.build_free()
            tally = await builder.ask_for_others()
            await tracker.note()
            if not tally.left:
                break
            if not tally.free:
                await asyncio.sleep(_WAIT_FOR_OTHERS_S)
        built = builder.built.with_others(tally.by_others)
        tracker.take_in_others()
        done, failed = await self._documents.list_ended(basis.job)
        built = replace(built, failed=failed)
        _check_failures(basis, built, len(plan.paths))
        reports = dict(built.reports)
        if elsewhere := set(done) - reports.keys():
            staged = await self._editions.documents(basis.book, plan.target.number)
            reports |= {path: report_of_kept(staged[path]) for path in elsewhere}
        reports |= {path: report_failure(path, reason) for path, reason in failed.items()}
        return replace(built, reports=reports)

    async def _publish(
        self, basis: Basis, tracker: JobTracker, plan: EditionPlan, built: Built
    ) -> None:
        # Points know nothing of the title, the main language and the authors, learnt meanwhile.
        reports = _document_reports(plan, built)
        target = self._target(basis, plan.book, built.counts.title, reports)
        await tracker.note(stage="publish", left_s=0.0, chunks_total=built.counts.chunks)
        with tracker.stage("publish"):
            died = await self._drop(basis, tracker, target, built.dropped(plan))
            if not basis.intact:
                tracker.reporter.check()
                await self._index.retire_all(basis.book, target.number)
            staged = await self._editions.chunk_keys(basis.book, target.number)
            await verify_points(basis.book, target.number, staged, self._index)
        report = self._report(basis, tracker, plan, target, built.with_removed(len(died)))
        edition = NewEdition(
            basis.book,
            replace(target, chunk_count=built.counts.chunks),
            len(plan.paths) - len(built.failed),
            report,
        )
        tracker.reporter.check()
        # Those of the upload stand in the job since it came.
        known = set(basis.job.warnings)
        warnings = [warning for warning in all_warnings(report) if warning not in known]
        await self._editions.publish(basis.job, edition, shortened(warnings))

    async def _drop(
        self, basis: Basis, tracker: JobTracker, target: Edition, paths: Sequence[str]
    ) -> list[Published]:
        """Leave documents of the edition before out of the next one; return their chunks."""
        if not paths:
            return []
        died = [*(await self._editions.published(basis.book, basis.latest.number, paths)).values()]
        if basis.intact:
            await retire_points(basis.book, died, target.number, self._index, tracker.reporter)
        tracker.reporter.check()
        staged = Staged(
            basis.book,
            target.number,
            target.collection,
            died=[chunk.chunk_id for chunk in died],
            replaced=paths,
        )
        await self._editions.stage(basis.job, staged)
        return died

    def _report(
        self, basis: Basis, tracker: JobTracker, plan: EditionPlan, target: Edition, built: Built
    ) -> Report:
        counts, removed = built.counts, plan.removed
        documents = _document_reports(plan, built)
        changes = [document.change for document in documents]
        reasons = reasons_for(
            target=target,
            latest=basis.latest,
            current=basis.current,
            changes=changes,
            removed=removed,
            intact=basis.intact,
        )
        return Report(
            edition=target.number,
            reasons=reasons,
            documents=documents,
            removed=removed,
            chunks_new=counts.chunks_new,
            chunks_kept=counts.chunks - counts.chunks_new,
            chunks_removed=counts.chunks_removed,
            vectors_new=counts.vectors_new,
            vectors_reused=counts.chunks_new - counts.vectors_new,
            seconds=tracker.seconds,
            warnings=[
                *(*basis.job.warnings, *plan.book.plan.warnings),
                *offer_model(self._stores.embedder.stamp.name, list_languages(documents)),
            ],
            language=target.language or main_language(documents),
        )

    async def _remove(self, basis: Basis, tracker: JobTracker) -> None:
        """Publish the newest edition without one document, or without all of them."""
        document, latest = basis.job.order.document, basis.latest
        before = await self._editions.documents(basis.book, latest.number)
        _check_removal(basis, before)
        await self._index.prepare()
        await self._sweep(basis, tracker)
        gone = [document] if document else list(before)
        died = [*(await self._editions.published(basis.book, latest.number, gone)).values()]
        if document and len(died) == latest.chunk_count:
            raise Conflict("That is the last document of the book. Delete the book instead.")
        await self._retire(basis, tracker, died)
        removal = _removal(basis, before, gone, died)
        tracker.reporter.check()
        await self._editions.remove(basis.job, removal)

    async def _retire(self, basis: Basis, tracker: JobTracker, died: Sequence[Published]) -> None:
        """Let the newest edition's successor not see these chunks, and verify what it sees."""
        latest, number = basis.latest, basis.latest.number + 1
        await retire_points(
            basis.book, died, number, self._index, tracker.reporter, collection=latest.collection
        )
        if latest.collection == self._index.collection:
            keys = await self._editions.chunk_keys(basis.book, latest.number)
            keys -= {(chunk.chunk_id, chunk.born) for chunk in died}
            await verify_points(basis.book, number, keys, self._index)


def _planning_parts(files: Iterable[SourceFile]) -> list[SourceFile]:
    return [planning_part(file) for file in files]


def _document_reports(plan: EditionPlan, built: Built) -> list[DocumentReport]:
    return [built.reports.get(path) or unchanged_report(plan.kept[path]) for path in plan.paths]


def _check_failures(basis: Basis, built: Built, documents: int) -> None:
    if built.failed and not basis.job.order.allow_partial:
        has_rest = len(built.failed) < documents
        raise InvalidInput(name_failures([*built.failed.values()], has_rest=has_rest))
    if not built.counts.chunks:
        raise InvalidInput(name_empty(built.reports.values()))


def _check_removal(basis: Basis, before: dict[str, KeptDocument]) -> None:
    document = basis.job.order.document
    # What readers see counts: after a roll-back from a deletion, the newest edition holds nothing.
    if not before and not basis.current.chunk_count:
        raise NotFound("There is no such book.")
    if document and basis.latest.number != basis.current.number:
        raise Conflict("After a roll-back a document can't be deleted. Ingest the book first.")
    if document and document not in before:
        raise NotFound("There is no such document.")


def _removal(
    basis: Basis,
    before: dict[str, KeptDocument],
    gone: Sequence[str],
    died: Sequence[Published],
) -> Removal:
    """Return the edition without what is gone, and its report."""
    document, latest = basis.job.order.document, basis.latest
    number, chunks_left = latest.number + 1, latest.chunk_count - len(died)
    fingerprint = f"{latest.fingerprint} without {document}".encode()
    edition = replace(
        latest,
        number=number,
        chunk_count=chunks_left,
        # One that no source has: ingesting what was there before changes the book.
        fingerprint=hashlib.sha256(fingerprint).hexdigest(),
    )
    reason = f"{document} deleted" if document else "the book deleted"
    left = [held for path, held in before.items() if path not in gone]
    reports = [unchanged_report(held) for held in left if held.report]
    if latest.languages:
        edition = replace(edition, languages=tuple(list_languages(reports)))
    report = Report(
        edition=number,
        reasons=[reason],
        documents=reports,
        removed=gone,
        chunks_kept=chunks_left,
        chunks_removed=len(died),
        language=latest.language,
    )
    return Removal(basis.book, edition, document, len(left), report)
