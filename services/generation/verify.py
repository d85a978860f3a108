"""Release the sentences of a draft that pass their checks, each as soon as it may be seen.

A draft is read while its first sentences are still being judged: a sentence waits for its own verdict
and for those before it, never for what comes after.
"""

import asyncio
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from dataclasses import dataclass, replace

from libs.budget import Budget, stages
from libs.embedding import Embedder
from libs.profiles import Generation
from libs.text import words
from services.generation.checks.cite import Citations
from services.generation.checks.consistency import is_consistent
from services.generation.checks.excerpts import Excerpt, join_texts
from services.generation.checks.normal_forms import is_negation
from services.generation.checks.similarity import Similarity
from services.generation.ensemble import EnsembleVerdict, VerifierEnsemble
from services.generation.model import (
    Check,
    CheckKind,
    Citation,
    DraftSentence,
    Grounding,
    Passage,
    Selection,
    Sentence,
    SentenceReleased,
    SentenceRole,
    Span,
    Withheld,
)
from services.generation.proof import Examined, PassageSimilarity, examine_sentence, list_stand_ins
from services.generation.transcript import Transcript

_KEPT_S = 0.1
"""Seconds of the stage's allowance that verifiers leave to the checks of the sentences after."""


@dataclass(frozen=True)
class Verified:
    """What is left of a draft: the sentences that are shown, and those that are not."""

    sentences: tuple[Sentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    withheld: tuple[Withheld, ...] = ()
    degraded: tuple[str, ...] = ()


@dataclass(frozen=True)
class _Pending:
    """A sentence on its way; without a `verdict` to wait for, its checks have decided."""

    examined: Examined
    verdict: "asyncio.Task[EnsembleVerdict] | None" = None


class Verification:
    """The checks of one draft, made from `passages`. `verified` is known when the draft has ended.

    `judging` is what a language model took that judged its sentences, as far as it was heard.

    With a `selection` the passages are what the reader selected: all of them are about the question.
    """

    def __init__(
        self,
        passages: tuple[Passage, ...],
        *,
        question: str,
        selection: Selection | None = None,
        level: Grounding,
        settings: Generation,
        ensemble: VerifierEnsemble,
        budget: Budget,
        language: str = "",
        embedder: Embedder | None = None,
    ) -> None:
        self.level = level
        self._question = question
        self._about = "" if selection is not None else question
        self._language = language
        self._settings = settings
        self._ensemble = ensemble
        self._budget = budget
        self._citations = Citations(passages, selection)
        self._similarity = Similarity(embedder, tuple(passage.text for passage in passages))
        self._passed: list[SentenceReleased] = []
        self._withheld: list[Withheld] = []
        self._shown: set[Span] = set()
        self._shown_of: Passage | None = None
        self._excerpts: list[Excerpt] = []
        self._rejected = False
        self._degraded: set[str] = set()
        self.judging = Transcript()

    @property
    def withheld(self) -> tuple[Withheld, ...]:
        return tuple(self._withheld)

    @property
    def verified(self) -> Verified:
        """Return nothing but what was withheld when the whole draft fails."""
        degraded = tuple(sorted(self._degraded))
        if self._fails:
            return Verified(withheld=self.withheld, degraded=degraded)
        sentences = tuple(released.sentence for released in self._passed)
        return Verified(sentences, self._citations.issued, self.withheld, degraded)

    @property
    def is_rejected(self) -> bool:
        """Whether the profile rejects the whole draft for one sentence."""
        return self._rejected

    @property
    def denies_question(self) -> bool:
        """Whether the draft begins by denying something, and the question does not.

        What the question takes for granted is then wrong, or the answer is no: quoting what is nearest,
        as if it were the answer, would mislead.
        """
        first = self._withheld[0].text if self._withheld else ""
        return _denies(first) and not _denies(self._question)

    async def release(
        self, draft: AsyncIterator[DraftSentence]
    ) -> AsyncGenerator[SentenceReleased, None]:
        """Yield sentences as they pass; from the first that is lost on, only when all is written.

        When more sentences are lost than pass, what is left does not answer: all are taken back. With
        the profile's strict policy all sentences wait.
        """
        arriving: asyncio.Queue[_Pending | None] = asyncio.Queue()
        if self._rejects_inventions:
            self._similarity.begin()
        reader = asyncio.create_task(self._read(draft, arriving))
        shown = 0
        try:
            while (pending := await arriving.get()) is not None:
                self._decide(pending.examined, await self._wait(pending, over=reader.done()))
                if not self._lost and self._settings.release != "strict":
                    for released in self._passed[shown:]:
                        shown += 1
                        yield released
            await reader
        finally:
            reader.cancel()
            while not arriving.empty():
                pending = arriving.get_nowait()
                if pending is not None and pending.verdict is not None:
                    pending.verdict.cancel()
            await asyncio.gather(reader, return_exceptions=True)
            await self._similarity.close()
        if not self._fails:
            for released in self._passed[shown:]:
                yield released

    async def _read(
        self, draft: AsyncIterator[DraftSentence], arriving: "asyncio.Queue[_Pending | None]"
    ) -> None:
        """Examine sentences as they are written, and have those judged that need it."""
        try:
            async for sentence in draft:
                async with self._budget.stage(stages.VALIDATE):
                    examined = examine_sentence(
                        sentence,
                        self._citations,
                        self.level,
                        question=self._question,
                        language=self._language,
                        similarity=await self._rate_similarity(sentence),
                    )
                arriving.put_nowait(_Pending(examined, self._begin_verdict(examined)))
        finally:
            arriving.put_nowait(None)

    async def _rate_similarity(self, sentence: DraftSentence) -> PassageSimilarity:
        """Compare a sentence that cites nothing with all passages, where the profile asks for it."""
        least = self._settings.uncited_similarity
        if sentence.claims or not self._rejects_inventions:
            return PassageSimilarity(1.0, least)
        allowed_s = max(0.0, self._budget.allowance_s(stages.VALIDATE) - _KEPT_S)
        return PassageSimilarity(await self._similarity.rate(sentence.text, allowed_s), least)

    def _begin_verdict(self, examined: Examined) -> "asyncio.Task[EnsembleVerdict] | None":
        if examined.statement is None:
            return None
        allowed_s = max(0.0, self._budget.allowance_s(stages.VALIDATE) - _KEPT_S)
        return asyncio.create_task(self._ensemble.judge(examined.statement, allowed_s))

    async def _wait(self, pending: _Pending, *, over: bool) -> EnsembleVerdict | None:
        """Wait for the verdict; once the draft has ended, that is what takes the stage's time."""
        if pending.verdict is None:
            return None
        if not over:
            return await pending.verdict
        async with self._budget.stage(stages.VALIDATE):
            return await pending.verdict

    def _decide(self, examined: Examined, verdict: EnsembleVerdict | None) -> None:
        """Take the sentence, the book's own in its place, or neither."""
        if verdict is not None:
            self._degraded |= verdict.degraded
            self.judging = replace(
                self.judging,
                model=verdict.model or self.judging.model,
                usage=self.judging.usage + verdict.usage,
            )
            checks = (*examined.checks, verdict.to_check())
            examined = replace(examined, checks=checks, probability=verdict.probability)
        if examined.passed:
            checks = (*examined.checks, self._check_consistency(examined))
            examined = replace(examined, checks=checks)
        if examined.passed:
            self._take(examined)
            return
        replaced = self._replace(examined)
        self._withheld.append(Withheld(examined.draft.text, examined.checks, replaced))
        self._rejected |= not replaced and self._is_invented(examined)

    def _take(self, examined: Examined) -> None:
        left = self._leave_out_shown(examined.excerpts)
        if examined.excerpts and not left:
            return
        text, proofs = examined.draft.text, list(examined.proofs)
        if left != list(examined.excerpts):
            text = join_texts(left)
            proofs = [proof for one in left for proof in self._citations.cite_excerpt(one)]
        numbers, new = self._citations.issue(proofs)
        sentence = Sentence(
            text,
            tuple(numbers),
            examined.checks,
            examined.kind,
            examined.probability,
            role=examined.draft.role,
        )
        self._passed.append(SentenceReleased(sentence, new))
        self._remember(left)

    def _leave_out_shown(self, excerpts: Sequence[Excerpt]) -> list[Excerpt]:
        """Return the excerpts without what is shown of their passages right before them."""
        shown = self._shown if all(one.passage is self._shown_of for one in excerpts) else ()
        left = (one.without(shown) for one in excerpts)
        return [one for one in left if one is not None]

    def _remember(self, excerpts: Sequence[Excerpt]) -> None:
        self._excerpts += excerpts
        for one in excerpts:
            if one.passage is not self._shown_of:
                self._shown_of, self._shown = one.passage, set()
            self._shown.update(one.spans)

    def _replace(self, examined: Examined) -> bool:
        """Put the book's own sentences in the place of one withheld for its wording, each once."""
        found = list_stand_ins(examined, self._citations, self._about, self._language)
        standing_in = [one for one in found if not one.goes_back(self._excerpts)]
        said = {released.sentence.text for released in self._passed}
        for excerpt in standing_in:
            for left in self._leave_out_shown([excerpt]):
                if left.text in said:
                    continue
                numbers, new = self._citations.issue(self._citations.cite_excerpt(left))
                checks = (Check(CheckKind.CLAUSES, True, "the book's own, around the quote"),)
                sentence = Sentence(
                    left.text,
                    tuple(numbers),
                    checks,
                    stands_in=True,
                    role=examined.draft.role,
                )
                self._passed.append(SentenceReleased(sentence, new))
                self._remember([left])
        return bool(standing_in)

    @property
    def _lost(self) -> int:
        return sum(not withheld.replaced for withheld in self._withheld)

    @property
    def _fails(self) -> bool:
        return self._rejected or self._lost > len(self._passed)

    @property
    def _rejects_inventions(self) -> bool:
        return self._settings.uncited_similarity > 0

    def _is_invented(self, examined: Examined) -> bool:
        """Whether the profile rejects a whole answer for this sentence.

        It does for one that cites what was not found, and for an uncited one that is near no passage.
        """
        if not self._rejects_inventions:
            return False
        if examined.draft.claims:
            return not self._citations.know_sources(examined.draft)
        return not examined.similarity.suffices

    def _check_consistency(self, examined: Examined) -> Check:
        # Canonical text has no numbers of steps, and what is shown already cannot be moved. What only
        # supports an answer is read as single places of the book.
        leads = examined.draft.role is SentenceRole.LEAD
        if leads and any(one.goes_back(self._excerpts) for one in examined.excerpts):
            reason = "an item that its list has before one that is shown already"
            return Check(CheckKind.CONSISTENCY, False, reason)
        # What the book says in so many words, it may say against itself.
        if examined.checks[-1].kind is CheckKind.CLAUSES:
            return Check(CheckKind.CONSISTENCY, True, "the book's own sentence")
        earlier = [released.sentence.text for released in self._passed]
        agrees = is_consistent(examined.draft.text, earlier, self._language)
        reason = "as the sentences before" if agrees else "says otherwise than a sentence before"
        return Check(CheckKind.CONSISTENCY, agrees, reason)


def _denies(text: str) -> bool:
    return any(map(is_negation, words(text)))
