"""The gateway's outside: what it asks of the other services, and where it keeps keys and limits.

Every call takes `timeout_s`, the seconds it may take, and raises a libs.errors.QuothError. A
generator that is closed cancels its call.
"""

from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from typing import Protocol

from services.gateway.keys import ClientKey, Grant, NewKey, StoredKey, TakenTokens
from services.gateway.model.answers import (
    Answer,
    Feedback,
    FeedbackRequest,
    Message,
    PassagesFound,
    Question,
    SentenceReleased,
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
from services.gateway.model.code import Code, CodePart
from services.gateway.model.exact_words import WordsAsked, WordsFound
from services.gateway.model.formulas import Formula
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

AnswerEvent = PassagesFound | SentenceReleased | Answer


class Library(Protocol):
    """Shows books; edition 0 means the current one.

    The lists come with the cursor of the next page, "" on the last.
    """

    async def list_books(
        self, slugs: Sequence[str], page: PageQuery, timeout_s: float
    ) -> tuple[list[Book], str]:
        """Return the books of these slugs, of all where there are none."""
        ...

    async def get_book(self, slug: str, timeout_s: float) -> Book: ...

    async def list_documents(
        self, book: str, edition: int, page: PageQuery, timeout_s: float
    ) -> tuple[int, list[DocumentSummary], str]: ...

    async def get_document(
        self, book: str, edition: int, path: str, timeout_s: float
    ) -> Document: ...

    async def get_image(
        self, book: str, edition: int, image_id: str, timeout_s: float
    ) -> tuple[Image, bytes]: ...

    async def get_page_image(self, page: PageOfDocument, timeout_s: float) -> bytes: ...

    async def find_on_page(
        self, page: PageOfDocument, start: int, end: int, timeout_s: float
    ) -> list[PageBox]: ...

    async def find_words(self, asked: WordsAsked, timeout_s: float) -> WordsFound:
        """Find exact words; a cursor that is not of these words is InvalidInput."""
        ...

    async def get_index_state(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[IndexState, list[DocumentIndexState], str]:
        """Say where a book and its documents stand, of a book too that nobody can see yet."""
        ...

    async def list_editions(
        self, book: str, page: PageQuery, timeout_s: float
    ) -> tuple[list[Edition], str]: ...

    async def get_report(self, book: str, edition: int, timeout_s: float) -> IngestReport: ...


class Intake(Protocol):
    """Takes books in, and changes what readers see of them; what takes long is a job."""

    async def compare_editions(
        self, book: str, before: int, after: int, timeout_s: float
    ) -> IngestJob:
        """Compare two editions; `before` 0 means the one before `after`."""
        ...

    async def start_ingest(
        self, source: Source, parts: AsyncIterator[bytes], timeout_s: float
    ) -> IngestJob: ...

    def watch_ingest(self, job_id: str, timeout_s: float) -> AsyncGenerator[IngestJob, None]: ...

    async def cancel_ingest(self, job_id: str, timeout_s: float) -> IngestJob: ...

    async def list_ingests(self, book: str, timeout_s: float) -> list[IngestJob]:
        """Return the jobs of a book that have not ended."""
        ...

    async def roll_back(self, book: str, edition: int, timeout_s: float) -> IngestJob:
        """Show an edition; 0 means the newest one before the current."""
        ...

    async def rename_book(self, book: str, title: str, timeout_s: float) -> Book:
        """Give a book another title, in all of its editions."""
        ...

    async def vacuum_book(self, book: str, keep: int, timeout_s: float) -> IngestJob:
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
    """Answers questions."""

    async def answer_whole(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> Answer | None:
        """Return the answer; None where the work broke off."""
        ...

    def answer_question(
        self, question: Question, history: list[Message], timeout_s: float
    ) -> AsyncGenerator[AnswerEvent, None]:
        """Yield what is known as it comes; the last event is the answer."""
        ...


class AnswerRecords(Protocol):
    """Keeps answers, each for the client that it was given to; NotFound is raised for any other."""

    async def get_answer(self, answer_id: str, client: str, timeout_s: float) -> Answer: ...

    async def rate_answer(
        self, answer_id: str, client: str, said: FeedbackRequest, timeout_s: float
    ) -> Feedback:
        """Keep what a reader says, in the place of what was said before."""
        ...


class Sessions(Protocol):
    """Keeps conversations, each for the client that began it; NotFound is raised for any other."""

    async def begin_session(self, book: str, client: str, timeout_s: float) -> Session: ...

    async def get_session(self, session_id: str, client: str, timeout_s: float) -> Session: ...

    async def end_session(self, session_id: str, client: str, timeout_s: float) -> None: ...


class Reviewer(Protocol):
    """Shows the record of answers, and keeps what reviewers make of it; `books` [] means all."""

    async def list_answers(
        self, query: ReviewQuery, books: list[str], timeout_s: float
    ) -> ReviewList: ...

    async def get_reviewed(self, answer_id: str, books: list[str], timeout_s: float) -> Answer:
        """Return an answer whole, whoever asked. Raises NotFound."""
        ...

    async def grade_answer(
        self, answer_id: str, books: list[str], client: str, said: GradeRequest, timeout_s: float
    ) -> Grade: ...

    async def count_coverage(
        self, book: str, query: CoverageQuery, timeout_s: float
    ) -> Coverage: ...


class Suggester(Protocol):
    """Suggests questions."""

    async def suggest_questions(
        self, book: Book, wanted: SuggestionsWanted, timeout_s: float
    ) -> list[str]:
        """Return questions that the book answers, three at most. Raises NotFound for the answer."""
        ...


class AnsweringService(Answerer, Suggester, AnswerRecords, Sessions, Reviewer, Protocol):
    """Answers questions, and keeps its answers and conversations; the generation service."""


class FormulaDrawer(Protocol):
    """Turns formulas into MathML; never raises."""

    async def draw(self, formulas: Sequence[Formula]) -> list[str]:
        """Return the MathML of each; "" for what is not understood, or not in time."""
        ...


class CodeReader(Protocol):
    """Tells the parts of code apart; never raises."""

    async def read(self, pieces: Sequence[Code]) -> list[list[CodePart]]:
        """Return the parts of each; none of what is not understood, or not in time."""
        ...


class Probe(Protocol):
    """Tells whether a service takes calls; never raises."""

    async def is_serving(self, timeout_s: float) -> bool: ...

    async def lacks(self, part: str, timeout_s: float) -> bool:
        """Tell whether the service says that this part of it does not work."""
        ...


class KeyStore(Protocol):
    """Keeps the keys of clients, by the clock of its own."""

    async def find_key(self, key_id: str, timeout_s: float) -> StoredKey | None: ...

    async def list_keys(self, page: PageQuery, timeout_s: float) -> tuple[list[ClientKey], str]:
        """Return keys, those that are not valid any more too, newest first, and the next cursor."""
        ...

    async def list_origins(self, timeout_s: float) -> frozenset[str]:
        """Return the origins of all keys that are active."""
        ...

    async def add_key(self, grant: Grant, new: NewKey, timeout_s: float) -> ClientKey:
        """Raises Conflict where the client has an active key: that one is rotated instead."""
        ...

    async def rotate_key(
        self, key_id: str, new: NewKey, overlap_s: int, timeout_s: float
    ) -> ClientKey:
        """Add a key like an active one, which itself expires after `overlap_s`. Raises NotFound."""
        ...

    async def revoke_key(self, key_id: str, timeout_s: float) -> ClientKey:
        """End a key at once; one that has ended stays as it is. Raises NotFound."""
        ...


class TokenBudgets(Protocol):
    """Counts the tokens of clients by day, UTC by its own clock."""

    async def take_tokens(
        self, client: str, tokens: int, most: int, timeout_s: float
    ) -> TakenTokens | float:
        """Take `tokens` of today's `most`, durably; or return the seconds until the next day."""
        ...

    async def return_tokens(self, taken: TakenTokens, unused: int, timeout_s: float) -> None: ...


class RateLimits(Protocol):
    """Counts requests in a moving minute."""

    @property
    def is_degraded(self) -> bool:
        """Whether they are counted here alone that should be counted for all gateways."""
        ...

    async def take_request(self, name: str, most: int) -> float:
        """Count a request of `name`: 0.0, or the seconds until the next one may be made."""
        ...
