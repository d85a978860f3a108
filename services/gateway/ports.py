"""The gateway's outside: what it asks of the other services.

Every call takes `timeout_s`, the seconds it may take, and raises a libs.errors.QuothError. A
generator that is closed cancels its call.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol

from services.gateway.model import (
    Answer,
    Book,
    Document,
    DocumentSummary,
    IngestJob,
    Message,
    PassagesFound,
    Question,
    SearchResult,
    SentenceReleased,
    Source,
)

AnswerEvent = PassagesFound | SentenceReleased | Answer


class Library(Protocol):
    """Shows books; edition 0 means the current one."""

    async def list_books(self, timeout_s: float) -> list[Book]: ...

    async def get_book(self, slug: str, timeout_s: float) -> Book: ...

    async def list_documents(
        self, book: str, edition: int, timeout_s: float
    ) -> tuple[int, list[DocumentSummary]]: ...

    async def get_document(
        self, book: str, edition: int, path: str, timeout_s: float
    ) -> Document: ...


class Intake(Protocol):
    """Takes books in."""

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob: ...

    def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]: ...


class Searcher(Protocol):
    """Finds passages."""

    async def search_passages(
        self, question: Question, max_passages: int, timeout_s: float
    ) -> SearchResult: ...


class Answerer(Protocol):
    """Answers questions; the last event is the answer."""

    def answer_question(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]: ...


class Probe(Protocol):
    """Tells whether a service takes calls; never raises."""

    async def is_serving(self, timeout_s: float) -> bool: ...
