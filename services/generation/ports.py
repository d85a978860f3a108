"""What generation needs from outside: passages, a draft, and a log that keeps what it is given."""

from collections.abc import AsyncGenerator
from typing import Protocol, runtime_checkable

from services.generation.model import (
    AuditRow,
    DraftSentence,
    FollowUp,
    Prompt,
    Question,
    SearchResult,
    Transcript,
)


class PassageSource(Protocol):
    """Finds passages; the retrieval service."""

    async def search(self, question: Question, searched: str, allowed_s: float) -> SearchResult:
        """Search for `searched` where `question` may be answered, within `allowed_s` seconds.

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
class Rephraser(Protocol):
    """Makes a question whole that leans on what was said before."""

    async def rephrase(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        """Return the question as it can be understood alone, within `allowed_s` seconds.

        Fills `transcript`. Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        ...


class AuditLog(Protocol):
    """Keeps one row a question."""

    async def append(self, row: AuditRow, allowed_s: float) -> None:
        """Store `row` durably before returning; the same row again changes nothing.

        Raises Unavailable when the row is not known to be stored, DeadlineExceeded after
        `allowed_s` seconds.
        """
        ...
