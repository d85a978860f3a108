"""What generation needs from outside: passages, drafts and verdicts; `records` has its own ports."""

from collections.abc import AsyncGenerator, Sequence
from dataclasses import dataclass
from typing import Protocol, runtime_checkable

from libs.errors import ModelUnavailable
from libs.profiles import Generation
from libs.question.analyse import QuestionAnalysis
from services.generation.model import (
    DraftSentence,
    Prompt,
    Question,
    SearchResult,
    Statement,
)
from services.generation.transcript import Judgement, Transcript, Usage


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


@dataclass(frozen=True)
class FollowUp:
    """A question that leans on its history; what it names must stay when it is made whole."""

    question: Question
    named: frozenset[str]
    settings: Generation


@runtime_checkable
class QuestionRewriter(Protocol):
    """Makes a question whole that leans on what was said before."""

    async def rewrite(self, asked: FollowUp, transcript: Transcript, allowed_s: float) -> str:
        """Return the question as it can be understood alone, within `allowed_s` seconds.

        Fills `transcript`. Raises DeadlineExceeded, Unavailable or ModelUnavailable.
        """
        ...


class UnusableVerdictError(ModelUnavailable):
    """A verifier's model replied, and what it said is no verdict; `model` took `usage` for it."""

    def __init__(self, message: str, model: str, usage: Usage) -> None:
        super().__init__(message)
        self.model = model
        self.usage = usage


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

        Takes `allowed_s` seconds at most. Raises DeadlineExceeded, Unavailable or ModelUnavailable, as
        UnusableVerdictError where a model has taken tokens for nothing.
        """
        ...
