"""Between the contract's messages and the model: pure functions."""

from quoth.common.v1 import locator_pb2, passage_pb2
from quoth.ingest.v1 import book_pb2, ingest_service_pb2

from services.ingest.model import (
    Block,
    Book,
    DocumentSummary,
    DocumentView,
    Job,
    JobState,
    Order,
    Section,
)

_STATES = {
    JobState.QUEUED: ingest_service_pb2.JOB_STATE_QUEUED,
    JobState.RUNNING: ingest_service_pb2.JOB_STATE_RUNNING,
    JobState.PUBLISHED: ingest_service_pb2.JOB_STATE_PUBLISHED,
    JobState.FAILED: ingest_service_pb2.JOB_STATE_FAILED,
}


def to_order(header: ingest_service_pb2.SourceHeader) -> Order:
    title = " ".join(header.title.split())
    return Order(header.book, title, header.language, header.profile)


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
    )


def from_book(book: Book) -> book_pb2.Book:
    message = book_pb2.Book(
        slug=book.slug,
        title=book.title,
        edition=book.edition,
        document_count=book.document_count,
        chunk_count=book.chunk_count,
        language=book.language,
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
    )


def from_document(view: DocumentView) -> book_pb2.Document:
    return book_pb2.Document(
        summary=from_summary(view.summary),
        text=view.text,
        blocks=[_from_block(block) for block in view.blocks],
        sections=[_from_section(section) for section in view.sections],
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
