"""Messages of the ingest service on one side, the gateway's own structs on the other."""

from quoth.common.v1 import locator_pb2
from quoth.ingest.v1 import book_pb2, edition_pb2, ingest_service_pb2

from services.gateway.model.books import (
    Block,
    Book,
    Document,
    DocumentSummary,
    Image,
    Markup,
    MarkupKind,
    Section,
)
from services.gateway.model.exact_words import SectionWithWords, WordsFound
from services.gateway.model.ingests import (
    Difference,
    DocumentChange,
    DocumentIndexState,
    DocumentReport,
    DroppedContent,
    Edition,
    IndexState,
    IngestJob,
    IngestReport,
    JobKind,
    JobState,
    JobWait,
    MissingRange,
    Source,
    Vacuumed,
)
from services.gateway.model.printed_pages import PageOfDocument
from services.gateway.wire.values import block_kind, list_words, to_time

_MARKUP: dict[int, MarkupKind] = list_words(book_pb2.MarkupKind)
_WAITS: dict[int, JobWait] = list_words(ingest_service_pb2.JobWait)
_INDEX_STATE: dict[int, IndexState] = list_words(ingest_service_pb2.IndexState)
_KIND: dict[int, JobKind] = list_words(ingest_service_pb2.JobKind)
_STATE: dict[int, JobState] = list_words(ingest_service_pb2.JobState)


def to_find(page: PageOfDocument, start: int, end: int) -> ingest_service_pb2.FindOnPageRequest:
    return ingest_service_pb2.FindOnPageRequest(
        book=page.book,
        edition=page.edition,
        path=page.path,
        page=page.number,
        range=locator_pb2.Range(start=start, end=end),
    )


def to_header(source: Source) -> ingest_service_pb2.SourceHeader:
    return ingest_service_pb2.SourceHeader(
        book=source.book,
        title=source.title,
        file_name=source.file_name,
        language=source.language,
        profile=source.profile,
        dry_run=source.dry_run,
        allow_partial=source.allow_partial,
        client_id=source.client,
        idempotency_key=source.request_key,
    )


def from_book(book: book_pb2.Book) -> Book:
    return Book(
        slug=book.slug,
        title=book.title,
        edition=book.edition,
        document_count=book.document_count,
        chunk_count=book.chunk_count,
        language=book.language,
        publish_time=to_time(book.publish_time) if book.HasField("publish_time") else None,
        authors=list(book.authors),
        year=book.year,
        languages=list(book.languages),
    )


def from_summary(document: book_pb2.DocumentSummary) -> DocumentSummary:
    return DocumentSummary(
        path=document.path,
        title=document.title,
        length=document.length,
        content_hash=document.content_hash,
        chunk_count=document.chunk_count,
        depth=document.depth,
        part_titles=tuple(document.part_titles),
    )


def from_document(book: str, edition: int, document: book_pb2.Document) -> Document:
    return Document(
        book=book,
        edition=edition,
        path=document.summary.path,
        title=document.summary.title,
        length=document.summary.length,
        content_hash=document.summary.content_hash,
        chunk_count=document.summary.chunk_count,
        text=document.text,
        blocks=[_block(block) for block in document.blocks],
        sections=[
            Section(
                path=list(section.path),
                anchor=section.anchor,
                level=section.level,
                start=section.range.start,
                end=section.range.end,
            )
            for section in document.sections
        ],
        markup=[
            Markup(kind, markup.range.start, markup.range.end, markup.value)
            for markup in document.markup
            if (kind := _MARKUP.get(markup.kind))  # a newer service may know others
        ],
        images=[from_image(image) for image in document.images],
    )


def from_image(image: book_pb2.Image) -> Image:
    return Image(image.image_id, image.media_type, image.width, image.height)


def _block(block: book_pb2.Block) -> Block:
    return Block(
        kind=block_kind(block.kind),
        start=block.range.start,
        end=block.range.end,
        level=block.level,
        label=block.label,
        page=block.page or None,
    )


def from_job(job: ingest_service_pb2.IngestJob) -> IngestJob:
    return IngestJob(
        job_id=job.job_id,
        book=job.book,
        state=_STATE.get(job.state, "queued"),
        stage=job.stage,
        documents_total=job.documents_total,
        documents_done=job.documents_done,
        chunks_total=job.chunks_total,
        chunks_done=job.chunks_done,
        chunks_reused=job.chunks_reused,
        edition=job.edition or None,
        error=job.error or None,
        warnings=list(job.warnings),
        tokens_total=job.tokens_total,
        tokens_done=job.tokens_done,
        left_s=job.left_s or None,
        report=from_report(job.report) if job.HasField("report") else None,
        waits_for=_WAITS.get(job.waits_for),
        kind=_KIND.get(job.kind, "ingest"),
        difference=_difference(job.difference) if job.HasField("difference") else None,
        vacuumed=_vacuumed(job.vacuumed) if job.HasField("vacuumed") else None,
    )


def from_words(book: str, response: ingest_service_pb2.FindWordsResponse) -> WordsFound:
    return WordsFound(
        book=book,
        edition=response.edition,
        total=response.total,
        section_count=response.section_count,
        sections=[
            SectionWithWords(
                document=one.path,
                section_path=list(one.section_path),
                count=one.count,
                start=one.range.start,
                end=one.range.end,
                excerpt=one.excerpt,
                excerpt_start=one.excerpt_range.start,
                excerpt_end=one.excerpt_range.end,
            )
            for one in response.sections
        ],
        next_cursor=response.next_page_token,
    )


def from_states(
    response: ingest_service_pb2.GetIndexStateResponse,
) -> tuple[IndexState, list[DocumentIndexState], str]:
    documents = [
        DocumentIndexState(document.path, _INDEX_STATE.get(document.state, "indexed"))
        for document in response.documents
    ]
    state = _INDEX_STATE.get(response.state, "indexed")
    return state, documents, response.next_page_token


def from_report(report: edition_pb2.IngestReport) -> IngestReport:
    return IngestReport(
        edition=report.edition,
        reasons=list(report.reasons),
        documents=[_document_report(document) for document in report.documents],
        removed=list(report.removed),
        chunks_new=report.chunks_new,
        chunks_kept=report.chunks_kept,
        chunks_removed=report.chunks_removed,
        vectors_new=report.vectors_new,
        vectors_reused=report.vectors_reused,
        seconds=dict(report.seconds),
        warnings=list(report.warnings),
        language=report.language or None,
    )


def _document_report(report: edition_pb2.DocumentReport) -> DocumentReport:
    return DocumentReport(
        path=report.path,
        change=report.change,
        visible_characters=report.visible_characters,
        covered_characters=report.covered_characters,
        missing=[
            MissingRange(gap.range.start, gap.range.end, gap.text, gap.reason)
            for gap in report.missing
        ],
        blocks=dict(report.blocks),
        chunks=report.chunks,
        chunks_new=report.chunks_new,
        tokens=report.tokens,
        warnings=list(report.warnings),
        failure=report.failure or None,
        dropped_content=[
            DroppedContent(item.kind, item.place, item.reason, item.characters, item.dropped)
            for item in report.dropped_content
        ],
        language=report.language or None,
    )


def from_edition(edition: edition_pb2.Edition) -> Edition:
    return Edition(
        number=edition.number,
        title=edition.title,
        document_count=edition.document_count,
        chunk_count=edition.chunk_count,
        publish_time=to_time(edition.publish_time),
        current=edition.current,
        reasons=list(edition.reasons),
    )


def _difference(response: edition_pb2.EditionDifference) -> Difference:
    return Difference(
        from_edition=response.from_edition,
        to_edition=response.to_edition,
        documents=[
            DocumentChange(
                path=document.path,
                change=document.change,
                old_path=document.old_path or None,
                chunks_added=document.chunks_added,
                chunks_removed=document.chunks_removed,
            )
            for document in response.documents
        ],
        chunks_kept=response.chunks_kept,
        chunks_added=response.chunks_added,
        chunks_removed=response.chunks_removed,
    )


def _vacuumed(response: edition_pb2.VacuumResult) -> Vacuumed:
    return Vacuumed(
        editions=list(response.editions),
        chunks=response.chunks,
        documents=response.documents,
        vectors=response.vectors,
        left=response.left,
    )
