"""gRPC clients of ingest, retrieval and generation."""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Coroutine, Sequence
from typing import Any, TypeVar, cast

import grpc
from grpc_health.v1 import health_pb2, health_pb2_grpc
from quoth.generation.v1 import (
    generation_service_pb2,
    generation_service_pb2_grpc,
    review_service_pb2,
    review_service_pb2_grpc,
)
from quoth.ingest.v1 import ingest_service_pb2, ingest_service_pb2_grpc
from quoth.retrieval.v1 import retrieval_service_pb2_grpc

from libs.errors import Unavailable
from libs.rpc.context import call_metadata
from libs.rpc.retrying_reads import RetryingReads
from libs.rpc.status import error_from_rpc
from services.gateway.model.answers import (
    Answer,
    Feedback,
    FeedbackRequest,
    Message,
    Question,
    Session,
    SuggestionsWanted,
)
from services.gateway.model.books import (
    Book,
    Document,
    DocumentSummary,
    Image,
    PageQuery,
)
from services.gateway.model.exact_words import WordsAsked, WordsFound
from services.gateway.model.ingests import (
    DocumentIndexState,
    Edition,
    IndexState,
    IngestJob,
    IngestReport,
    Source,
)
from services.gateway.model.passages import SearchResult
from services.gateway.model.printed_pages import PageBox, PageOfDocument
from services.gateway.model.review import (
    Coverage,
    CoverageQuery,
    Grade,
    GradeRequest,
    ReviewList,
    ReviewQuery,
)
from services.gateway.ports import AnswerEvent
from services.gateway.wire import answers, books, review

T = TypeVar("T")

Upload = grpc.aio.StreamUnaryCall[
    ingest_service_pb2.StartIngestRequest, ingest_service_pb2.StartIngestResponse
]

MAX_PART_BYTES = 1024 * 1024
_SERVICE = generation_service_pb2.DESCRIPTOR.services_by_name["GenerationService"]
_ANSWER_QUESTION = f"/{_SERVICE.full_name}/AnswerQuestion"


class IngestClient:
    """The library and the intake, over the ingest service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = ingest_service_pb2_grpc.IngestServiceStub(channel)
        self._reads = RetryingReads("ingest")

    async def list_books(
        self, slugs: Sequence[str], page: PageQuery, timeout_s: float
    ) -> tuple[list[Book], str]:
        request = ingest_service_pb2.ListBooksRequest(
            slugs=slugs, page_size=page.limit or 0, page_token=page.cursor
        )
        response = await self._reads.call(self._stub.ListBooks, request, timeout_s)
        return [books.from_book(book) for book in response.books], response.next_page_token

    async def get_book(self, slug: str, timeout_s: float) -> Book:
        request = ingest_service_pb2.GetBookRequest(slug=slug)
        return books.from_book(
            (await self._reads.call(self._stub.GetBook, request, timeout_s)).book
        )

    async def list_documents(
        self, book: str, edition: int, page: PageQuery, timeout_s: float
    ) -> tuple[int, list[DocumentSummary], str]:
        request = ingest_service_pb2.ListDocumentsRequest(
            book=book, edition=edition, page_size=page.limit or 0, page_token=page.cursor
        )
        response = await self._reads.call(self._stub.ListDocuments, request, timeout_s)
        documents = [books.from_summary(document) for document in response.documents]
        return response.edition, documents, response.next_page_token

    async def get_document(self, book: str, edition: int, path: str, timeout_s: float) -> Document:
        request = ingest_service_pb2.GetDocumentRequest(book=book, edition=edition, path=path)
        response = await self._reads.call(self._stub.GetDocument, request, timeout_s)
        return books.from_document(book, response.edition, response.document)

    async def get_image(
        self, book: str, edition: int, image_id: str, timeout_s: float
    ) -> tuple[Image, bytes]:
        request = ingest_service_pb2.GetImageRequest(book=book, edition=edition, image_id=image_id)
        response = await self._reads.call(self._stub.GetImage, request, timeout_s)
        return books.from_image(response.image), response.data

    async def get_page_image(self, page: PageOfDocument, timeout_s: float) -> bytes:
        request = ingest_service_pb2.GetPageImageRequest(
            book=page.book, edition=page.edition, path=page.path, page=page.number
        )
        return bytes((await self._reads.call(self._stub.GetPageImage, request, timeout_s)).png)

    async def find_on_page(
        self, page: PageOfDocument, start: int, end: int, timeout_s: float
    ) -> list[PageBox]:
        request = books.to_find(page, start, end)
        response = await self._reads.call(self._stub.FindOnPage, request, timeout_s)
        return [PageBox(box.left, box.top, box.width, box.height) for box in response.boxes]

    async def find_words(self, asked: WordsAsked, timeout_s: float) -> WordsFound:
        request = ingest_service_pb2.FindWordsRequest(
            book=asked.book,
            edition=asked.edition,
            words=asked.words,
            page_size=asked.limit,
            page_token=asked.cursor,
        )
        response = await self._reads.call(self._stub.FindWords, request, timeout_s)
        return books.from_words(asked.book, response)

    async def get_index_state(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[IndexState, list[DocumentIndexState], str]:
        request = ingest_service_pb2.GetIndexStateRequest(
            book=book, page_size=page.limit or 0, page_token=page.cursor
        )
        response = await self._reads.call(self._stub.GetIndexState, request, timeout_s)
        return books.from_states(response)

    async def list_editions(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[list[Edition], str]:
        request = ingest_service_pb2.ListEditionsRequest(
            book=book, page_size=page.limit or 0, page_token=page.cursor
        )
        response = await self._reads.call(self._stub.ListEditions, request, timeout_s)
        editions = [books.from_edition(item) for item in response.editions]
        return editions, response.next_page_token

    async def get_report(self, book: str, edition: int, timeout_s: float) -> IngestReport:
        request = ingest_service_pb2.GetReportRequest(book=book, edition=edition)
        return books.from_report(
            (await self._reads.call(self._stub.GetReport, request, timeout_s)).report
        )

    async def compare_editions(
        self, book: str, before: int, after: int, timeout_s: float
    ) -> IngestJob:
        request = ingest_service_pb2.DiffEditionsRequest(
            book=book, from_edition=before, to_edition=after
        )
        call = self._stub.DiffEditions(request, timeout=timeout_s, metadata=call_metadata())
        return _queued(await _reply(call, "ingest"))

    async def cancel_ingest(self, job_id: str, timeout_s: float) -> IngestJob:
        request = ingest_service_pb2.CancelIngestRequest(job_id=job_id)
        call = self._stub.CancelIngest(request, timeout=timeout_s, metadata=call_metadata())
        return books.from_job((await _reply(call, "ingest")).job)

    async def list_ingests(self, book: str, timeout_s: float) -> list[IngestJob]:
        request = ingest_service_pb2.ListIngestsRequest(book=book)
        response = await self._reads.call(self._stub.ListIngests, request, timeout_s)
        return [books.from_job(job) for job in response.jobs]

    async def roll_back(self, book: str, edition: int, timeout_s: float) -> IngestJob:
        request = ingest_service_pb2.RollBackRequest(book=book, edition=edition)
        call = self._stub.RollBack(request, timeout=timeout_s, metadata=call_metadata())
        return _queued(await _reply(call, "ingest"))

    async def rename_book(self, book: str, title: str, timeout_s: float) -> Book:
        request = ingest_service_pb2.RenameBookRequest(book=book, title=title)
        call = self._stub.RenameBook(request, timeout=timeout_s, metadata=call_metadata())
        return books.from_book((await _reply(call, "ingest")).book)

    async def vacuum_book(self, book: str, keep: int, timeout_s: float) -> IngestJob:
        request = ingest_service_pb2.VacuumBookRequest(book=book, keep=keep)
        call = self._stub.VacuumBook(request, timeout=timeout_s, metadata=call_metadata())
        return _queued(await _reply(call, "ingest"))

    async def delete_book(self, book: str, timeout_s: float) -> IngestJob:
        request = ingest_service_pb2.DeleteBookRequest(book=book)
        call = self._stub.DeleteBook(request, timeout=timeout_s, metadata=call_metadata())
        return books.from_job((await _reply(call, "ingest")).job)

    async def delete_document(self, book: str, path: str, timeout_s: float) -> IngestJob:
        request = ingest_service_pb2.DeleteDocumentRequest(book=book, path=path)
        call = self._stub.DeleteDocument(request, timeout=timeout_s, metadata=call_metadata())
        return books.from_job((await _reply(call, "ingest")).job)

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob:
        call = self._stub.StartIngest(timeout=timeout_s, metadata=call_metadata())
        first = _FirstStatus(call)
        try:
            await _write_source(call, source, parts)
            return books.from_job((await call).job)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(first.or_rather(error), "ingest") from error
        finally:
            call.cancel()

    async def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]:
        request = ingest_service_pb2.WatchIngestRequest(job_id=job_id)
        call = self._stub.WatchIngest(request, timeout=timeout_s, metadata=call_metadata())
        try:
            async for response in call:
                yield books.from_job(response.job)
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "ingest") from error
        finally:
            call.cancel()


class RetrievalClient:
    """The searcher, over the retrieval service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = retrieval_service_pb2_grpc.RetrievalServiceStub(channel)
        self._reads = RetryingReads("retrieval")

    async def search_passages(
        self, question: Question, max_passages: int, timeout_s: float
    ) -> SearchResult:
        request = answers.to_search(question, max_passages)
        response = await self._reads.call(self._stub.SearchPassages, request, timeout_s)
        return answers.from_search_result(question, response)


class GenerationClient:
    """The answerer and its records, over the generation service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = generation_service_pb2_grpc.GenerationServiceStub(channel)
        # On the wire a stream of one message is a single response, which takes one wait, not five.
        self._answer_only = channel.unary_unary(
            _ANSWER_QUESTION,
            request_serializer=generation_service_pb2.AnswerQuestionRequest.SerializeToString,
            response_deserializer=generation_service_pb2.AnswerQuestionResponse.FromString,
        )
        self._review = review_service_pb2_grpc.ReviewServiceStub(channel)
        self._reads = RetryingReads("generation")

    async def answer_whole(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> Answer | None:
        request = answers.to_question(question, history, answer_only=True)
        call = self._answer_only(request, timeout=timeout_s, metadata=call_metadata())
        whole = await _reply(call, "generation")
        event = answers.from_event(whole) if whole else None  # none of a stream without one
        return event if isinstance(event, Answer) else None

    async def answer_question(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        request = answers.to_question(question, history, answer_only=False)
        call = self._stub.AnswerQuestion(request, timeout=timeout_s, metadata=call_metadata())
        try:
            async for response in call:
                event = answers.from_event(response)
                if event is not None:
                    yield event
        except grpc.aio.AioRpcError as error:
            raise error_from_rpc(error, "generation") from error
        finally:
            call.cancel()

    async def suggest_questions(
        self, book: Book, wanted: SuggestionsWanted, timeout_s: float
    ) -> list[str]:
        request = generation_service_pb2.SuggestQuestionsRequest(
            book=book.slug,
            edition=book.edition,
            profile=wanted.profile,
            book_language=book.language,
            book_languages=book.languages,
            book_title=book.title,
            answer_id=wanted.answer_id,
            client_id=wanted.client,
        )
        response = await self._reads.call(self._stub.SuggestQuestions, request, timeout_s)
        return list(response.questions)

    async def get_answer(self, answer_id: str, client: str, timeout_s: float) -> Answer:
        request = generation_service_pb2.GetAnswerRequest(answer_id=answer_id, client_id=client)
        response = await self._reads.call(self._stub.GetAnswer, request, timeout_s)
        return answers.from_answer(response.answer)

    async def rate_answer(
        self, answer_id: str, client: str, said: FeedbackRequest, timeout_s: float
    ) -> Feedback:
        request = answers.to_feedback(answer_id, client, said)
        call = self._stub.RateAnswer(request, timeout=timeout_s, metadata=call_metadata())
        return answers.from_feedback((await _reply(call, "generation")).feedback)

    async def begin_session(self, book: str, client: str, timeout_s: float) -> Session:
        request = generation_service_pb2.CreateSessionRequest(book=book, client_id=client)
        call = self._stub.CreateSession(request, timeout=timeout_s, metadata=call_metadata())
        return answers.from_session((await _reply(call, "generation")).session)

    async def get_session(self, session_id: str, client: str, timeout_s: float) -> Session:
        request = generation_service_pb2.GetSessionRequest(session_id=session_id, client_id=client)
        response = await self._reads.call(self._stub.GetSession, request, timeout_s)
        return answers.from_session(response.session)

    async def end_session(self, session_id: str, client: str, timeout_s: float) -> None:
        request = generation_service_pb2.DeleteSessionRequest(
            session_id=session_id, client_id=client
        )
        call = self._stub.DeleteSession(request, timeout=timeout_s, metadata=call_metadata())
        await _reply(call, "generation")

    async def list_answers(
        self, query: ReviewQuery, books: list[str], timeout_s: float
    ) -> ReviewList:
        request = review.to_list(query, books)
        return review.from_list(
            await self._reads.call(self._review.ListAnswers, request, timeout_s)
        )

    async def get_reviewed(self, answer_id: str, books: list[str], timeout_s: float) -> Answer:
        request = review_service_pb2.GetReviewedAnswerRequest(answer_id=answer_id, books=books)
        response = await self._reads.call(self._review.GetReviewedAnswer, request, timeout_s)
        return answers.from_answer(response.answer)

    async def grade_answer(
        self, answer_id: str, books: list[str], client: str, said: GradeRequest, timeout_s: float
    ) -> Grade:
        request = review.to_grade(answer_id, books, client, said)
        call = self._review.GradeAnswer(request, timeout=timeout_s, metadata=call_metadata())
        return review.from_grade((await _reply(call, "generation")).grade)

    async def count_coverage(self, book: str, query: CoverageQuery, timeout_s: float) -> Coverage:
        request = review.to_coverage(book, query)
        response = await self._reads.call(self._review.GetCoverage, request, timeout_s)
        return review.from_coverage(book, response)


class HealthClient:
    """A probe, over the standard health service."""

    def __init__(self, channel: grpc.aio.Channel) -> None:
        self._stub = health_pb2_grpc.HealthStub(channel)

    async def is_serving(self, timeout_s: float) -> bool:
        return await self._status("", timeout_s) == health_pb2.HealthCheckResponse.SERVING

    async def lacks(self, part: str, timeout_s: float) -> bool:
        return await self._status(part, timeout_s) == health_pb2.HealthCheckResponse.NOT_SERVING

    async def _status(self, part: str, timeout_s: float) -> int:
        """Return what the service says of itself or a part; UNKNOWN where it says nothing."""
        request = health_pb2.HealthCheckRequest(service=part)
        try:
            response = await self._stub.Check(  # type: ignore[attr-defined]  # left out of its stub
                request, timeout=timeout_s, metadata=call_metadata()
            )
        except grpc.aio.AioRpcError:
            return int(health_pb2.HealthCheckResponse.UNKNOWN)
        return int(response.status)


def _queued(
    response: ingest_service_pb2.DiffEditionsResponse
    | ingest_service_pb2.RollBackResponse
    | ingest_service_pb2.VacuumBookResponse,
) -> IngestJob:
    if not response.HasField("job"):
        # An ingest service of before has done it within the call, and an upgrade is under way.
        raise Unavailable("The service is being replaced by a newer one. Ask again in a moment.")
    return books.from_job(response.job)


async def _reply(call: Awaitable[T], callee: str) -> T:
    try:
        return await call
    except grpc.aio.AioRpcError as error:
        raise error_from_rpc(error, callee) from error


async def _write_source(call: Upload, source: Source, parts: AsyncIterator[bytes]) -> None:
    header = books.to_header(source)
    try:
        await call.write(ingest_service_pb2.StartIngestRequest(header=header))
        async for part in parts:
            for at in range(0, len(part), MAX_PART_BYTES):
                data = part[at : at + MAX_PART_BYTES]
                await call.write(ingest_service_pb2.StartIngestRequest(data=data))
        await call.done_writing()
    except (asyncio.InvalidStateError, grpc.aio.AioRpcError):
        return  # ingest has answered before the end, and its answer says why


class _FirstStatus:
    """Keeps the first status of a call.

    A failed send would overwrite it with "internal error", even where the callee has already said
    what was wrong.
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
    """Return the result of a coroutine that never suspends."""
    try:
        ended.send(None)
    except StopIteration as end:
        return cast("T", end.value)
    raise AssertionError("the call has not ended")
