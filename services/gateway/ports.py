"""The gateway's outside: what it asks of the other services.

Every call takes `timeout_s`, the seconds it may take, and raises a libs.errors.QuothError. A
generator that is closed cancels its call.
"""

from collections.abc import AsyncGenerator, AsyncIterator
from typing import Protocol

from services.gateway.model import (
    Answer,
    Book,
    Difference,
    Document,
    DocumentSummary,
    Edition,
    IngestJob,
    IngestReport,
    Message,
    PassagesFound,
    Question,
    SearchResult,
    SentenceReleased,
    Source,
    Vacuumed,
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

    async def list_editions(self, book: str, timeout_s: float) -> list[Edition]: ...

    async def get_report(self, book: str, edition: int, timeout_s: float) -> IngestReport: ...

    async def compare_editions(
        self, book: str, before: int, after: int, timeout_s: float
    ) -> Difference:
        """Compare two editions; `before` 0 means the one before `after`."""
        ...


class Intake(Protocol):
    """Takes books in, and changes what readers see of them."""

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob: ...

    def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]: ...

    async def cancel_ingest(self, job_id: str, timeout_s: float) -> IngestJob: ...

    async def roll_back(self, book: str, edition: int, timeout_s: float) -> Edition:
        """Show an edition; 0 means the newest one before the current."""
        ...

    async def vacuum_book(self, book: str, keep: int, timeout_s: float) -> Vacuumed:
        """Keep the newest `keep` editions; 0 means the service's number."""
        ...

    async def delete_book(self, book: str, timeout_s: float) -> IngestJob: ...

    async def delete_document(self, book: str, path: str, timeout_s: float) -> IngestJob: ...


class Searcher(Protocol):
    """Finds passages."""

    async def search_passages(
        self, question: Question, max_passages: int, timeout_s: float
    ) -> SearchResult: ...


class Answerer(Protocol):
    """Answers questions; the last event is the answer."""

    def answer_question(
        self,
        question: Question,
        history: list[Message],
        timeout_s: float,
        *,
        answer_only: bool,
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield what is known as it comes; with `answer_only` nothing before the answer."""
        ...


class Probe(Protocol):
    """Tells whether a service takes calls; never raises."""

    async def is_serving(self, timeout_s: float) -> bool: ...
