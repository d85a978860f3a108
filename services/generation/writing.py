"""Have an answer written: by the answerer or, when none of a model's draft passes, by the book."""

from collections.abc import AsyncGenerator, Awaitable, Callable, Sequence
from contextlib import aclosing
from dataclasses import dataclass, replace

from libs.budget import Budget
from services.generation.complete import complete_draft
from services.generation.model import Prompt, SentenceReleased
from services.generation.ports import Answerer
from services.generation.records.record import Trail
from services.generation.transcript import Transcript
from services.generation.verify import Verification, Verified

NOT_VERIFIED = "model_not_verified"
"""Nothing that the model wrote could be shown: the answer is the extractive answerer's."""


@dataclass(frozen=True)
class Draft:
    """What an answerer was given and wrote, what kinds of material did not fit, and its checks."""

    answerer: Answerer
    prompt: Prompt
    cut: tuple[str, ...]
    verification: Verification
    transcript: Transcript
    """Stays empty without a language model."""


class Writing:
    """The drafts of one answer. `fall_back` packs another draft where the first one came to nothing
    and something else may answer in its place; it returns None where nothing may."""

    def __init__(
        self,
        first: Draft,
        fall_back: Callable[[Verification], Awaitable[Draft | None]],
        trail: Trail,
        budget: Budget,
    ) -> None:
        self._drafts = [first]
        self._fall_back = fall_back
        self._trail = trail
        self._budget = budget

    @property
    def last(self) -> Draft:
        """The draft whose sentences are shown, if any is."""
        return self._drafts[-1]

    async def release(self) -> AsyncGenerator[SentenceReleased, None]:
        """Yield what passes its checks. Raises what the answerers raise, and DeadlineExceeded."""
        async with aclosing(self._release(self.last)) as sentences:
            async for sentence in sentences:
                yield sentence
        other = await self._fall_back(self.last.verification)
        if other is None:
            return
        self._drafts.append(other)
        async with aclosing(self._release(other)) as sentences:
            async for sentence in sentences:
                yield sentence

    async def _release(self, draft: Draft) -> AsyncGenerator[SentenceReleased, None]:
        written = complete_draft(draft.answerer, draft.prompt, draft.transcript, self._budget)
        verification = draft.verification
        try:
            async with aclosing(written), aclosing(verification.release(written)) as released:
                async for sentence in released:
                    yield sentence
        finally:
            self._trail.withheld += verification.withheld
            self._trail.judged = verification.judging.after(self._trail.judged)

    def conclude(self) -> Verified:
        """Return what the last draft came to, with what was withheld of all of them."""
        return _conclude([draft.verification for draft in self._drafts])


def _conclude(drafts: Sequence[Verification]) -> Verified:
    last = drafts[-1].verified
    withheld = tuple(item for draft in drafts for item in draft.withheld)
    degraded = [step for draft in drafts for step in draft.verified.degraded]
    if len(drafts) > 1:
        degraded.append(NOT_VERIFIED)
    return replace(last, withheld=withheld, degraded=tuple(degraded))
