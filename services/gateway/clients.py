"""gRPC clients of ingest, retrieval and generation: plain questions in, plain answers out."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Coroutine, Iterable
from datetime import UTC, datetime
from typing import Any, TypeVar, cast

import grpc
from google.protobuf.timestamp_pb2 import Timestamp
from grpc_health.v1 import health_pb2, health_pb2_grpc
from quoth.common.v1 import locator_pb2, passage_pb2, timing_pb2
from quoth.generation.v1 import answer_pb2, generation_service_pb2, generation_service_pb2_grpc
from quoth.ingest.v1 import book_pb2, ingest_service_pb2, ingest_service_pb2_grpc
from quoth.retrieval.v1 import retrieval_service_pb2, retrieval_service_pb2_grpc

from libs.rpc.context import call_metadata
from libs.rpc.status import error_from_rpc
from services.gateway.model import (
    Answer,
    AnswerMode,
    Block,
    BlockKind,
    Book,
    Citation,
    Confidence,
    ConfidenceLevel,
    Document,
    DocumentSummary,
    Gate,
    IngestJob,
    JobState,
    Message,
    Outcome,
    Passage,
    PassageScores,
    PassagesFound,
    Question,
    Refusal,
    RefusalCode,
    SearchResult,
    Section,
    SelectedText,
    Sentence,
    SentenceReleased,
    Source,
    StageTiming,
    Unit,
    Verdict,
)
from services.gateway.ports import AnswerEvent

T = TypeVar("T")

Upload = grpc.aio.StreamUnaryCall[
    ingest_service_pb2.StartIngestRequest, ingest_service_pb2.StartIngestResponse
]

MAX_PART_BYTES = 1024 * 1024

# A number that is not here comes from a newer service. A harmless word stands in for it, but not
# for a verdict or a refusal: those are never guessed.
_BLOCK_KIND: dict[int, BlockKind] = {
    passage_pb2.BLOCK_KIND_HEADING: "heading",
    passage_pb2.BLOCK_KIND_PARAGRAPH: "paragraph",
    passage_pb2.BLOCK_KIND_LIST_ITEM: "list_item",
    passage_pb2.BLOCK_KIND_TABLE: "table",
    passage_pb2.BLOCK_KIND_CODE: "code",
    passage_pb2.BLOCK_KIND_QUOTE: "quote",
    passage_pb2.BLOCK_KIND_FOOTNOTE: "footnote",
    passage_pb2.BLOCK_KIND_MATH: "math",
    passage_pb2.BLOCK_KIND_ADMONITION: "admonition",
    passage_pb2.BLOCK_KIND_CAPTION: "caption",
}
_OUTCOME: dict[int, Outcome] = {
    timing_pb2.STAGE_OUTCOME_OK: "ok",
    timing_pb2.STAGE_OUTCOME_CAPPED: "capped",
    timing_pb2.STAGE_OUTCOME_NOT_STARTED: "not_started",
    timing_pb2.STAGE_OUTCOME_CANCELLED: "cancelled",
    timing_pb2.STAGE_OUTCOME_FAILED: "failed",
}
_VERDICT: dict[int, Verdict] = {
    answer_pb2.VERDICT_EXACT: "exact",
    answer_pb2.VERDICT_NORMALISED: "normalised",
    answer_pb2.VERDICT_SUPPORTED: "supported",
}
_REFUSAL_CODE: dict[int, RefusalCode] = {
    answer_pb2.REFUSAL_CODE_NOTHING_FOUND: "nothing_found",
    answer_pb2.REFUSAL_CODE_NOT_COVERED: "not_covered",
    answer_pb2.REFUSAL_CODE_NOT_VERIFIED: "not_verified",
}
_LEVEL: dict[int, ConfidenceLevel] = {
    answer_pb2.CONFIDENCE_LEVEL_LOW: "low",
    answer_pb2.CONFIDENCE_LEVEL_MEDIUM: "medium",
    answer_pb2.CONFIDENCE_LEVEL_HIGH: "high",
}
_MODE: dict[int, AnswerMode] = {
    answer_pb2.ANSWER_MODE_BOOK: "book",
    answer_pb2.ANSWER_MODE_SELECTION: "selection",
}
_STATE: dict[int, JobState] = {
    ingest_service_pb2.JOB_STATE_QUEUED: "queued",
    ingest_service_pb2.JOB_STATE_RUNNING: "running",
    ingest_service_pb2.JOB_STATE_PUBLISHED: "published",
    ingest_service_pb2.JOB_STATE_FAILED: "failed",
}
_ROLE = {
    "user": generation_service_pb2.ROLE_USER,
    "assistant": generation_service_pb2.ROLE_ASSISTANT,
}


class IngestClient:
    """The library and the intake, over the ingest service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ingest_service_pb2_grpc.IngestServiceStub(channel)

    async def list_books(self, timeout_s: float) -> list[Book]:
        request = ingest_service_pb2.ListBooksRequest()
        call = self._stub.ListBooks(request, timeout=timeout_s, metadata=call_metadata())
        return [_book(book) for book in (await _reply(call, "ingest")).books]

    async def get_book(self, slug: str, timeout_s: float) -> Book:
        request = ingest_service_pb2.GetBookRequest(slug=slug)
        call = self._stub.GetBook(request, timeout=timeout_s, metadata=call_metadata())
        return _book((await _reply(call, "ingest")).book)

    async def list_documents(
        self, book: str, edition: int, timeout_s: float
    ) -> tuple[int, list[DocumentSummary]]:
        request = ingest_service_pb2.ListDocumentsRequest(book=book, edition=edition)
        call = self._stub.ListDocuments(request, timeout=timeout_s, metadata=call_metadata())
        response = await _reply(call, "ingest")
        return response.edition, [_summary(document) for document in response.documents]

    async def get_document(self, book: str, edition: int, path: str, timeout_s: float) -> Document:
        request = ingest_service_pb2.GetDocumentRequest(book=book, edition=edition, path=path)
        call = self._stub.GetDocument(request, timeout=timeout_s, metadata=call_metadata())
        response = await _reply(call, "ingest")
        return _document(book, response.edition, response.document)

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob:
        call = self._stub.StartIngest(timeout=timeout_s, metadata=call_metadata())
        ending = _FirstEnding(call)
        try:
            await _write_source(call, source, parts)
            return _job((await call).job)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(ending.or_rather(error), "ingest") from error
        finally:
            call.cancel()

    async def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]:
        request = ingest_service_pb2.WatchIngestRequest(job_id=job_id)
        call = self._stub.WatchIngest(request, timeout=timeout_s, metadata=call_metadata())
        try:
            async for response in call:
                yield _job(response.job)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error
        finally:
            call.cancel()


class RetrievalClient:
    """The searcher, over the retrieval service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)

    async def search_passages(
        self, question: Question, max_passages: int, timeout_s: float
    ) -> SearchResult:
        request = retrieval_service_pb2.SearchPassagesRequest(
            book=question.book,
            edition=question.edition,
            question=question.text,
            profile=question.profile,
            max_passages=max_passages,
            section_path=question.section_path,
            selection=_selection(question.selection),
        )
        call = self._stub.SearchPassages(request, timeout=timeout_s, metadata=call_metadata())
        return _search_result(question, await _reply(call, "retrieval"))


class GenerationClient:
    """The answerer, over the generation service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = generation_service_pb2_grpc.GenerationServiceStub(channel)

    async def answer_question(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        request = generation_service_pb2.AnswerQuestionRequest(
            book=question.book,
            edition=question.edition,
            question=question.text,
            selection=_selection(question.selection),
            section_path=question.section_path,
            history=[
                generation_service_pb2.Message(role=_ROLE[message.role], content=message.content)
                for message in history
            ],
            profile=question.profile,
        )
        call = self._stub.AnswerQuestion(request, timeout=timeout_s, metadata=call_metadata())
        try:
            async for response in call:
                event = _event(response)
                if event is not None:
                    yield event
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "generation") from error
        finally:
            call.cancel()


class HealthClient:
    """A probe, over the standard health service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = health_pb2_grpc.HealthStub(channel)

    async def is_serving(self, timeout_s: float) -> bool:
        try:
            response = await self._stub.Check(  # type: ignore[attr-defined]  # left out of its stub
                health_pb2.HealthCheckRequest(), timeout=timeout_s, metadata=call_metadata()
            )
        except grpc.aio.AioRpcError:
            return False
        return bool(response.status == health_pb2.HealthCheckResponse.SERVING)


async def _reply(call: Awaitable[T], callee: str) -> T:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise error_from_rpc(error, callee) from error


async def _write_source(call: Upload, source: Source, parts: AsyncIterator[bytes]) -> None:
    header = ingest_service_pb2.SourceHeader(
        book=source.book,
        title=source.title,
        file_name=source.file_name,
        language=source.language,
        profile=source.profile,
    )
    try:
        await call.write(ingest_service_pb2.StartIngestRequest(header=header))
        async for part in parts:
            for at in range(0, len(part), MAX_PART_BYTES):
                data = part[at : at + MAX_PART_BYTES]
                await call.write(ingest_service_pb2.StartIngestRequest(data=data))
        await call.done_writing()
    except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
        return  # ingest has answered before the end, and its answer says why


class _FirstEnding:
    """How a call ended first.

    A message that can't be sent any more leaves "internal error" as the status of its call, even
    where the callee has already said what was wrong.
    """

    def __init__(self, call: Upload) -> None:
        self._error: grpc.aio.AioRpcError | None = None
        call.add_done_callback(self._note)

    def or_rather(self, error: grpc.aio.AioRpcError) -> grpc.aio.AioRpcError:
        return self._error if self._error and error.code() is grpc.StatusCode.INTERNAL else error

    def _note(self, call: Upload) -> None:
        code = _result_of(call.code())
        if code is not grpc.StatusCode.OK:
            self._error = grpc.aio.AioRpcError(
                code,
                _result_of(call.initial_metadata()),
                _result_of(call.trailing_metadata()),
                details=_result_of(call.details()),
            )


def _result_of(ended: Coroutine[Any, Any, T]) -> T:
    """Run a coroutine that has nothing to wait for."""
    try:
        ended.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("the call has not ended")


def _selection(selection: SelectedText | None) -> locator_pb2.Selection | None:
    if selection is None:
        return None
    marked = None
    if selection.range is not None:
        marked = locator_pb2.Range(start=selection.range[0], end=selection.range[1])
    return locator_pb2.Selection(document=selection.document, range=marked, text=selection.text)


def _time(timestamp: Timestamp) -> datetime:
    return timestamp.ToDatetime(tzinfo=UTC)


def _number(value: float) -> float:
    """Round a 32-bit number to what it holds, so that 0.85 stays 0.85."""
    return float(f"{value:.7g}")


def _block_kind(kind: int) -> BlockKind:
    return _BLOCK_KIND.get(kind, "paragraph")


def _book(book: book_pb2.Book) -> Book:
    return Book(
        slug=book.slug,
        title=book.title,
        edition=book.edition,
        document_count=book.document_count,
        chunk_count=book.chunk_count,
        language=book.language,
        publish_time=_time(book.publish_time) if book.HasField("publish_time") else None,
    )


def _summary(document: book_pb2.DocumentSummary) -> DocumentSummary:
    return DocumentSummary(
        path=document.path,
        title=document.title,
        length=document.length,
        content_hash=document.content_hash,
        chunk_count=document.chunk_count,
    )


def _document(book: str, edition: int, document: book_pb2.Document) -> Document:
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
    )


def _block(block: book_pb2.Block) -> Block:
    return Block(
        kind=_block_kind(block.kind),
        start=block.range.start,
        end=block.range.end,
        level=block.level,
        label=block.label,
        page=block.page or None,
    )


def _job(job: ingest_service_pb2.IngestJob) -> IngestJob:
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
    )


def _passage(passage: passage_pb2.Passage) -> Passage:
    return Passage(
        chunk_id=passage.chunk_id,
        document=passage.locator.document,
        start=passage.locator.range.start,
        end=passage.locator.range.end,
        section_path=list(passage.locator.section_path),
        url=passage.locator.url or None,
        page=passage.locator.page or None,
        anchor=passage.locator.anchor,
        text=passage.text,
        units=[
            Unit(
                start=unit.range.start,
                end=unit.range.end,
                kind=_block_kind(unit.kind),
                score=_number(unit.score),
            )
            for unit in passage.units
        ],
        scores=PassageScores(
            blended=_number(passage.scores.blended),
            dense=_number(passage.scores.dense),
            bm25=_number(passage.scores.bm25),
            dense_rank=passage.scores.dense_rank or None,
            bm25_rank=passage.scores.bm25_rank or None,
        ),
    )


def _timings(timings: Iterable[timing_pb2.StageTiming]) -> list[StageTiming]:
    return [
        StageTiming(
            stage=timing.stage,
            allowed_ms=round(timing.allowed_ms, 3),
            used_ms=round(timing.used_ms, 3),
            outcome=_OUTCOME.get(timing.outcome, "ok"),
        )
        for timing in timings
    ]


def _search_result(
    question: Question, response: retrieval_service_pb2.SearchPassagesResponse
) -> SearchResult:
    return SearchResult(
        book=question.book,
        edition=question.edition,
        question=question.text,
        passages=[_passage(passage) for passage in response.passages],
        gate=Gate(
            probability=_number(response.gate.probability),
            threshold=_number(response.gate.threshold),
            passed=response.gate.passed,
            features={name: _number(value) for name, value in response.gate.features.items()},
        ),
        related_sections=list(response.related_sections),
        selection_widened=response.selection_widened,
        degraded=list(response.degraded),
        timings=_timings(response.timings),
    )


def _event(response: generation_service_pb2.AnswerQuestionResponse) -> AnswerEvent | None:
    match response.WhichOneof("event"):
        case "passages":
            return PassagesFound([_passage(passage) for passage in response.passages.passages])
        case "sentence":
            return SentenceReleased(
                _sentence(response.sentence.sentence),
                [_citation(citation) for citation in response.sentence.citations],
            )
        case "answer":
            return _answer(response.answer)
        case _:
            return None


def _sentence(sentence: answer_pb2.Sentence) -> Sentence:
    return Sentence(text=sentence.text, citations=list(sentence.citations))


def _citation(citation: answer_pb2.Citation) -> Citation:
    return Citation(
        n=citation.number,
        quote=citation.quote,
        document=citation.locator.document,
        start=citation.locator.range.start,
        end=citation.locator.range.end,
        section_path=list(citation.locator.section_path),
        url=citation.locator.url or None,
        page=citation.locator.page or None,
        chunk_id=citation.chunk_id,
        snippet=citation.snippet,
        verdict=_VERDICT[citation.verdict],
    )


def _answer(answer: answer_pb2.Answer) -> Answer:
    refusal = None
    if answer.HasField("refusal"):
        refusal = Refusal(
            code=_REFUSAL_CODE[answer.refusal.code],
            message=answer.refusal.message,
            related_sections=list(answer.refusal.related_sections),
        )
    sentences = [_sentence(sentence) for sentence in answer.sentences]
    return Answer(
        answer_id=answer.answer_id,
        book=answer.book,
        edition=answer.edition,
        mode=_MODE.get(answer.mode, "book"),
        question=answer.question,
        text=refusal.message if refusal else " ".join(sentence.text for sentence in sentences),
        sentences=sentences,
        citations=[_citation(citation) for citation in answer.citations],
        refusal=refusal,
        confidence=Confidence(_number(answer.confidence), _LEVEL.get(answer.confidence_level)),
        profile=answer.profile,
        degraded=list(answer.degraded),
        timings=_timings(answer.timings),
        timestamp=_time(answer.create_time),
    )
