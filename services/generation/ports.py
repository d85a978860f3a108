"""What generation needs from outside: passages, drafts, verdicts, and a log that keeps its rows."""

from collections.abc import AsyncGenerator, Sequence
from datetime import datetime
from typing import Protocol, runtime_checkable
from uuid import UUID

from libs.question.analyse import QuestionAnalysis
from services.generation.audit import AskedOnce, AuditRow, Feedback
from services.generation.model import (
    Answer,
    DraftSentence,
    FollowUp,
    Prompt,
    Question,
    SearchResult,
    SentenceReleased,
    Statement,
)
from services.generation.review import Coverage, Grade, Position, ReviewFilter, ReviewPage
from services.generation.session import Session
from services.generation.transcript import Judgement, Transcript


class PassageSource(Protocol):
    """Finds passages; the retrieval service."""

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        """Search for the analysed question where it may be answered, within `allowed_s` seconds.

        Raises what the retrieval service raises; Unavailable when it does not answer.
        """
        ...


class Answerer(Protocol):
    """Writes drafts. What it yields is checked by others and never shown as it is."""

    def write(
        self, prompt: Prompt, transcript: Transcript, allowed_s: float
    ) -> AsyncGenerator[DraftSentence, None]:
        """Yield the draft sentence by sentence, for `allowed_s` seconds at most.

        Fills `transcript` as it goes. Ends normally only when the draft is whole; raises
        ModelUnavailable otherwise. Closing the iterator ends all work.
        """
        ...


@runtime_checkable
class QuestionRewriter(Protocol):
    """Makes a question whole that leans on what was said before."""

    async def rewrite(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        """Return the question as it can be understood alone, within `allowed_s` seconds.

        Fills `transcript`. Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        ...


class Verifier(Protocol):
    """Judges whether the proof of a sentence says what the sentence says. It can't write."""

    @property
    def name(self) -> str:
        """What the setting and the figures call it."""
        ...

    @property
    def threshold(self) -> float:
        """The calibrated probability from which a sentence counts as supported, in [0, 1]."""
        ...

    async def verify(
        self, statements: Sequence[Statement], allowed_s: float
    ) -> Sequence[Judgement]:
        """Return how likely each statement is supported, in their order.

        Takes `allowed_s` seconds at most. Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        ...


class AuditLog(Protocol):
    """Keeps one row a question, and before it what was shown of an answer that is not whole yet."""

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Store `row` durably before returning; the same row again changes nothing.

        An answer that was asked for in a session is added to it by the same stroke.

        Raises Unavailable when the row is not known to be stored, DeadlineExceeded after
        `allowed_s` seconds.
        """
        ...

    async def release(
        self, row: AuditRow, sentences: Sequence[SentenceReleased], allowed_s: float
    ) -> None:
        """Store durably that `sentences` are shown, after those that `row` has as released.

        The row is what is known of the question by now: should it never be appended, it stands as
        "interrupted" with all that was released. Raises as `append` does.
        """
        ...


class AnswerStore(Protocol):
    """Finds recorded answers again, each for the client that it was given to alone."""

    async def find_answer(self, answer_id: UUID, client_id: str, allowed_s: float) -> Answer | None:
        """Return the answer or refusal as it was recorded; None for another client's.

        Raises Unavailable, and DeadlineExceeded after `allowed_s` seconds; so do all calls.
        """
        ...

    async def rate_answer(
        self, answer_id: UUID, client_id: str, feedback: Feedback, allowed_s: float
    ) -> Feedback | None:
        """Keep what a reader says, in the place of what was said before; None for no such answer."""
        ...


class RepeatStore(Protocol):
    """Knows requests again that are to be answered once."""

    async def hold(self, asked: AskedOnce, allowed_s: float) -> AskedOnce:
        """Return the request whose answer counts: this one, or one of before with the same key.

        An earlier one that was left without an answer for 15 s, or failed, gives way if it is the same
        request. Raises Unavailable, and DeadlineExceeded after `allowed_s` seconds.
        """
        ...

    async def forget(self, asked: AskedOnce, allowed_s: float) -> None:
        """Forget a request that nothing was recorded of. Raises as `hold` does."""
        ...


class SessionStore(Protocol):
    """Keeps sessions, each for the client that began it, by its own clock.

    What is asked in a session is added to it by AuditLog.append, together with the row. All calls raise
    Unavailable, and DeadlineExceeded after `allowed_s` seconds.
    """

    async def begin_session(self, book: str, client_id: str, allowed_s: float) -> Session: ...

    async def find_session(
        self, session_id: UUID, client_id: str, allowed_s: float
    ) -> Session | None:
        """Return a session that has not ended; None for another client's."""
        ...

    async def resume_session(
        self, session_id: UUID, client_id: str, book: str, allowed_s: float
    ) -> Session | None:
        """Return a session of that book, which goes on for 30 minutes from now; None as above."""
        ...

    async def end_session(self, session_id: UUID, client_id: str, allowed_s: float) -> bool:
        """Forget a session; return whether there was one."""
        ...


class ReviewStore(Protocol):
    """Shows the record to reviewers, and keeps their grades.

    All calls raise Unavailable, and DeadlineExceeded after `allowed_s` seconds.
    """

    async def list_answers(
        self, wanted: ReviewFilter, after: Position | None, most: int, allowed_s: float
    ) -> ReviewPage:
        """Return at most `most` questions, those behind `after`."""
        ...

    async def grade_answer(
        self, answer_id: UUID, books: tuple[str, ...], grade: Grade, allowed_s: float
    ) -> Grade | None:
        """Keep a grade in the place of an earlier one; None for no answer of `books`, () for all."""
        ...

    async def count_coverage(
        self, book: str, start: datetime | None, end: datetime | None, allowed_s: float
    ) -> Coverage:
        """Count by sections what was asked from `start` to before `end`."""
        ...


class KeptAnswers(AnswerStore, RepeatStore, SessionStore, Protocol):
    """What was answered, to which requests, and in which sessions."""


class Records(AuditLog, KeptAnswers, Protocol):
    """All that is kept of questions, in one place."""
