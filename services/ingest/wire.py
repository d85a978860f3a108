"""Between the contract's messages and the model: pure functions."""

import hashlib
from collections.abc import Sequence

from quoth.common.v1 import locator_pb2, passage_pb2
from quoth.ingest.v1 import book_pb2, edition_pb2, ingest_service_pb2

from libs.errors import InvalidInput
from libs.paging import UNKNOWN_CURSOR, read_cursor, write_cursor
from libs.storable import is_storable
from services.ingest.model.book import Block, DocumentReport, Markup, Report, Section
from services.ingest.model.image import Image
from services.ingest.model.job import Job, JobKind, JobState, JobWait, Order, SentOnce
from services.ingest.model.views import (
    Book,
    BookStates,
    Difference,
    DocumentChange,
    DocumentSummary,
    DocumentView,
    EditionView,
    IndexState,
    PageBox,
    SectionWithWords,
    Vacuumed,
    WordsFound,
)

_MOST_KEY = 200
_STATES = {
    JobState.QUEUED: ingest_service_pb2.JOB_STATE_QUEUED,
    JobState.RUNNING: ingest_service_pb2.JOB_STATE_RUNNING,
    JobState.PUBLISHED: ingest_service_pb2.JOB_STATE_PUBLISHED,
    JobState.FAILED: ingest_service_pb2.JOB_STATE_FAILED,
    JobState.CANCELLED: ingest_service_pb2.JOB_STATE_CANCELLED,
    JobState.CHECKED: ingest_service_pb2.JOB_STATE_CHECKED,
    JobState.DONE: ingest_service_pb2.JOB_STATE_DONE,
}
_KINDS = {
    JobKind.INGEST: ingest_service_pb2.JOB_KIND_INGEST,
    JobKind.DRY_RUN: ingest_service_pb2.JOB_KIND_DRY_RUN,
    JobKind.DELETE_BOOK: ingest_service_pb2.JOB_KIND_DELETE_BOOK,
    JobKind.DELETE_DOCUMENT: ingest_service_pb2.JOB_KIND_DELETE_DOCUMENT,
    JobKind.ROLL_BACK: ingest_service_pb2.JOB_KIND_ROLL_BACK,
    JobKind.COMPARE: ingest_service_pb2.JOB_KIND_COMPARE,
    JobKind.VACUUM: ingest_service_pb2.JOB_KIND_VACUUM,
}
_INDEX_STATES = {
    IndexState.UNINDEXED: ingest_service_pb2.INDEX_STATE_UNINDEXED,
    IndexState.INDEXING: ingest_service_pb2.INDEX_STATE_INDEXING,
    IndexState.INDEXED: ingest_service_pb2.INDEX_STATE_INDEXED,
    IndexState.STALE: ingest_service_pb2.INDEX_STATE_STALE,
    IndexState.REINDEXING: ingest_service_pb2.INDEX_STATE_REINDEXING,
}
_WAITS = {
    None: ingest_service_pb2.JOB_WAIT_UNSPECIFIED,
    JobWait.BOOK: ingest_service_pb2.JOB_WAIT_BOOK,
    JobWait.WORKER: ingest_service_pb2.JOB_WAIT_WORKER,
    JobWait.RETRY: ingest_service_pb2.JOB_WAIT_RETRY,
}


def to_order(header: ingest_service_pb2.SourceHeader) -> Order:
    title = " ".join(header.title.split())
    kind = JobKind.DRY_RUN if header.dry_run else JobKind.INGEST
    return Order(
        book=header.book,
        title=title,
        language=header.language,
        profile=header.profile,
        kind=kind,
        allow_partial=header.allow_partial,
    )


class Mark:
    """What a client marks a source with, while its bytes arrive."""

    def __init__(self, header: ingest_service_pb2.SourceHeader) -> None:
        self._client_id, self._key = header.client_id, header.idempotency_key
        # What names the sender is no part of what was sent.
        sent = ingest_service_pb2.SourceHeader()
        sent.CopyFrom(header)
        sent.client_id = sent.idempotency_key = ""
        self._sum = hashlib.sha256(sent.SerializeToString(deterministic=True))

    def add(self, data: bytes) -> None:
        self._sum.update(data)

    def seal(self) -> SentOnce:
        return SentOnce(self._client_id, self._key, self._sum.digest())


def to_mark(header: ingest_service_pb2.SourceHeader) -> Mark | None:
    """Return the mark of a source that has one. Raises InvalidInput."""
    if not header.idempotency_key:
        return None
    if len(header.idempotency_key) > _MOST_KEY or not (
        is_storable(header.idempotency_key) and is_storable(header.client_id)
    ):
        raise InvalidInput(f"An idempotency key is text of at most {_MOST_KEY} characters.")
    return Mark(header)


def from_job(job: Job) -> ingest_service_pb2.IngestJob:
    progress = job.progress
    return ingest_service_pb2.IngestJob(
        job_id=job.job_id,
        book=job.order.book,
        state=_STATES[job.state],
        stage=progress.stage,
        documents_total=progress.documents_total,
        documents_done=progress.documents_done,
        chunks_total=progress.chunks_total,
        chunks_done=progress.chunks_done,
        chunks_reused=progress.chunks_reused,
        edition=job.edition,
        error=job.error,
        warnings=job.warnings,
        tokens_total=progress.tokens_total,
        tokens_done=progress.tokens_done,
        left_s=progress.left_s,
        report=from_report(job.report) if job.report else None,
        waits_for=_WAITS[job.waits_for],
        kind=_KINDS[job.order.kind],
        difference=_from_difference(job.difference) if job.difference else None,
        vacuumed=_from_vacuumed(job.vacuumed) if job.vacuumed else None,
    )


def from_report(report: Report) -> edition_pb2.IngestReport:
    return edition_pb2.IngestReport(
        edition=report.edition,
        reasons=report.reasons,
        documents=map(_from_document_report, report.documents),
        removed=report.removed,
        chunks_new=report.chunks_new,
        chunks_kept=report.chunks_kept,
        chunks_removed=report.chunks_removed,
        vectors_reused=report.vectors_reused,
        vectors_new=report.vectors_new,
        seconds=report.seconds,
        warnings=report.warnings,
        language=report.language,
    )


def _from_document_report(report: DocumentReport) -> edition_pb2.DocumentReport:
    return edition_pb2.DocumentReport(
        path=report.path,
        visible_characters=report.visible_characters,
        covered_characters=report.covered_characters,
        missing=[
            edition_pb2.MissingRange(
                range=locator_pb2.Range(start=gap.start, end=gap.end),
                text=gap.text,
                reason=gap.reason,
            )
            for gap in report.missing
        ],
        blocks=report.blocks,
        warnings=report.warnings,
        chunks=report.chunks,
        tokens=report.tokens,
        chunks_new=report.chunks_new,
        change=report.change,
        failure=report.failure,
        dropped_content=[
            edition_pb2.DroppedContent(
                kind=item.kind,
                place=item.place,
                reason=item.reason,
                characters=item.characters,
                dropped=item.dropped,
            )
            for item in report.dropped_content
        ],
        language=report.language,
    )


def from_edition(view: EditionView) -> edition_pb2.Edition:
    message = edition_pb2.Edition(
        number=view.number,
        title=view.title,
        document_count=view.document_count,
        chunk_count=view.chunk_count,
        current=view.current,
        reasons=view.reasons,
    )
    message.publish_time.FromDatetime(view.published_at)
    return message


def _from_difference(difference: Difference) -> edition_pb2.EditionDifference:
    return edition_pb2.EditionDifference(
        from_edition=difference.before,
        to_edition=difference.after,
        documents=map(_from_change, difference.documents),
        chunks_kept=difference.chunks_kept,
        chunks_added=difference.chunks_added,
        chunks_removed=difference.chunks_removed,
    )


def _from_change(change: DocumentChange) -> edition_pb2.DocumentChange:
    return edition_pb2.DocumentChange(
        path=change.path,
        change=change.change,
        old_path=change.old_path,
        chunks_added=change.chunks_added,
        chunks_removed=change.chunks_removed,
    )


def _from_vacuumed(vacuumed: Vacuumed) -> edition_pb2.VacuumResult:
    return edition_pb2.VacuumResult(
        editions=vacuumed.editions,
        chunks=vacuumed.chunks,
        documents=vacuumed.documents,
        vectors=vacuumed.vectors,
        left=vacuumed.left,
    )


def from_book(book: Book) -> book_pb2.Book:
    message = book_pb2.Book(
        slug=book.slug,
        title=book.title,
        edition=book.edition,
        document_count=book.document_count,
        chunk_count=book.chunk_count,
        language=book.language,
        languages=book.languages or [book.language],
        authors=book.authors,
        year=book.year,
    )
    message.publish_time.FromDatetime(book.published_at)
    return message


def from_summary(summary: DocumentSummary) -> book_pb2.DocumentSummary:
    return book_pb2.DocumentSummary(
        path=summary.path,
        title=summary.title,
        length=summary.length,
        content_hash=summary.content_hash,
        chunk_count=summary.chunk_count,
        depth=summary.depth,
        part_titles=summary.part_titles,
    )


def cursor_of_book(slug: str) -> str:
    return write_cursor("books", slug)


def book_of_cursor(token: str) -> str:
    """Return the slug that a page ended with; "" before the first. Raises InvalidInput."""
    if not token:
        return ""
    (slug,) = read_cursor(token, "books", str)
    return str(slug)


def cursor_of_edition(book: str, number: int) -> str:
    return write_cursor("editions", book, number)


def edition_of_cursor(token: str, book: str) -> int | None:
    """Return the number that a page ended with; None before the first. Raises InvalidInput."""
    if not token:
        return None
    of, number = read_cursor(token, "editions", str, int)
    if of != book:
        raise InvalidInput(UNKNOWN_CURSOR)
    return int(number)


def path_of_cursor(token: str, book: str) -> str:
    """Return the path that a page of a book's states ended with; "" before the first."""
    of, path = read_cursor(token, "states", str, str) if token else (book, "")
    if of != book:
        raise InvalidInput(UNKNOWN_CURSOR)
    return str(path)


def from_states(
    states: BookStates, page: Sequence[tuple[str, IndexState]], next_token: str
) -> ingest_service_pb2.GetIndexStateResponse:
    return ingest_service_pb2.GetIndexStateResponse(
        state=_INDEX_STATES[states.state],
        documents=[
            ingest_service_pb2.DocumentIndexState(path=path, state=_INDEX_STATES[state])
            for path, state in page
        ],
        next_page_token=next_token,
    )


def cursor_of_state(book: str, path: str) -> str:
    return write_cursor("states", book, path)


def cursor_of_document(book: str, edition: int, path: str) -> str:
    return write_cursor("documents", book, edition, path)


def document_of_cursor(token: str, book: str, wanted: int) -> tuple[int, str]:
    """Return the edition of a list and the path that a page of it ended with; "" before the first.

    Whoever goes on stays in the edition that the list began with, whatever readers see by now.
    Raises InvalidInput where another one is `wanted`.
    """
    if not token:
        return wanted, ""
    of, edition, path = read_cursor(token, "documents", str, int, str)
    if of != book or not edition or wanted not in (0, edition):
        raise InvalidInput(UNKNOWN_CURSOR)
    return int(edition), str(path)


def rank_of_cursor(token: str, book: str, wanted: int, words: str) -> tuple[int, int]:
    """Return the edition that is searched for words, and how many sections were shown of it before.

    Raises InvalidInput for a token that was not given for these words.
    """
    if not token:
        return wanted, 0
    of, edition, digest, rank = read_cursor(token, "words", str, int, str, int)
    if (of, digest) != (book, _digest(words)) or not edition or wanted not in (0, edition):
        raise InvalidInput(UNKNOWN_CURSOR)
    return int(edition), int(rank)


def from_words(
    found: WordsFound, page: Sequence[SectionWithWords], next_token: str
) -> ingest_service_pb2.FindWordsResponse:
    return ingest_service_pb2.FindWordsResponse(
        edition=found.edition,
        total=found.total,
        section_count=len(found.sections),
        sections=[
            ingest_service_pb2.SectionWithWords(
                path=one.path,
                section_path=one.section_path,
                count=one.count,
                range=locator_pb2.Range(start=one.start, end=one.end),
                excerpt=one.excerpt,
                excerpt_range=locator_pb2.Range(start=one.excerpt_start, end=one.excerpt_end),
            )
            for one in page
        ],
        next_page_token=next_token,
    )


def cursor_of_words(book: str, edition: int, words: str, rank: int) -> str:
    return write_cursor("words", book, edition, _digest(words), rank)


def _digest(words: str) -> str:
    # The words themselves would make the cursor as long as they are.
    return hashlib.sha256(words.encode("utf-8", "replace")).hexdigest()[:16]


def from_document(view: DocumentView) -> book_pb2.Document:
    return book_pb2.Document(
        summary=from_summary(view.summary),
        text=view.text,
        blocks=[_from_block(block) for block in view.blocks],
        sections=[_from_section(section) for section in view.sections],
        markup=[_from_markup(markup) for markup in view.markup],
        images=map(from_image, view.images),
    )


def from_box(box: PageBox) -> ingest_service_pb2.PageBox:
    return ingest_service_pb2.PageBox(
        left=box.left, top=box.top, width=box.width, height=box.height
    )


def from_image(image: Image) -> book_pb2.Image:
    return book_pb2.Image(
        image_id=image.image_id,
        media_type=image.media_type,
        width=image.width,
        height=image.height,
    )


def _from_block(block: Block) -> book_pb2.Block:
    return book_pb2.Block(
        kind=passage_pb2.BlockKind.Name(block.kind),
        range=locator_pb2.Range(start=block.start, end=block.end),
        level=block.level,
        label=block.label,
        page=block.page,
    )


def _from_section(section: Section) -> book_pb2.Section:
    return book_pb2.Section(
        path=section.path,
        anchor=section.anchor,
        level=section.level,
        range=locator_pb2.Range(start=section.start, end=section.end),
    )


def _from_markup(markup: Markup) -> book_pb2.Markup:
    return book_pb2.Markup(
        kind=book_pb2.MarkupKind.Name(markup.kind),
        range=locator_pb2.Range(start=markup.start, end=markup.end),
        value=markup.value,
    )
