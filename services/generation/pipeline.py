"""Answer a question: the stages, in the order that data flows through them."""

import asyncio
import hashlib
from collections.abc import AsyncGenerator, Mapping
from contextlib import aclosing
from dataclasses import dataclass, replace
from functools import lru_cache
from pathlib import Path
from types import MappingProxyType
from uuid import UUID, uuid4

import msgspec

from libs.budget import Budget, current_budget, stages
from libs.embedding import Embedder
from libs.errors import QuothError
from libs.language.lexicon import FALLBACK
from libs.ml import LogisticModel
from libs.profiles import SHIPPED, Profile, load_profile
from libs.question.analyse import QuestionAnalysis
from libs.tokens import TokenCounter
from services.generation.accept import check_question
from services.generation.confidence import (
    CALIBRATED,
    LEAST,
    is_plain,
    name_level,
    rate_answer,
)
from services.generation.coverage.check import DECLINED, UNSAID, check_coverage
from services.generation.coverage.missing import list_missing
from services.generation.ensemble import VerifierEnsemble
from services.generation.language_model.context import choose_context
from services.generation.model import (
    Answer,
    Check,
    ConfidenceLevel,
    Grounding,
    PassagesFound,
    Question,
    Refusal,
    RefusalCode,
    SearchResult,
    SentenceReleased,
)
from services.generation.nearest import quote_nearest
from services.generation.ports import Answerer, PassageSource, QuestionRewriter
from services.generation.prompt import fit_window, pack_prompt
from services.generation.records.ports import AuditLog
from services.generation.records.record import (
    FailureRecorder,
    Releasing,
    Trail,
    measure_question,
    record_answer,
)
from services.generation.refuse import refuse_empty, refuse_small_talk, refuse_unwritten
from services.generation.retrieve import (
    follow_spelling,
    relax_gate,
    retrieve_meant,
    search_beyond,
)
from services.generation.rewrite import (
    Rewritten,
    choose_language,
    read_question,
    rewrite_question,
)
from services.generation.suggestions.kept import KeptSearches
from services.generation.suggestions.suggest import Suggester
from services.generation.transcript import Transcript
from services.generation.verify import Verification, Verified
from services.generation.writing import Draft, Writing

Event = PassagesFound | SentenceReleased | Answer

_NOT_SEARCHED = Rewritten(QuestionAnalysis(""))
_NOTHING = Verified()
_BOOKS_OWN = Grounding.VERBATIM

EXTRACTIVE = "extractive"
NO_MODEL = "model_not_set_up"
"""No key is there for the model that the profile names: the book's own sentences answer."""
NO_SETTINGS: Mapping[str, str] = MappingProxyType({})
_DIGITS = 16


@dataclass(frozen=True)
class _Request:
    """What holds for one question from its beginning to its end."""

    question: Question
    profile: Profile
    answerer: Answerer
    has_model: bool
    budget: Budget
    trail: Trail
    as_it_passes: bool
    degraded: tuple[str, ...] = ()

    @property
    def level(self) -> Grounding:
        """The proof that a sentence needs; without a model, all are the book's own.

        Paraphrases are checked by rules for English, so that of another language none is shown.
        """
        level = Grounding(self.profile.generation.grounding) if self.has_model else _BOOKS_OWN
        checked = level is not Grounding.SUPPORTED or self.question.language in ("", FALLBACK)
        return level if checked else Grounding.VERBATIM


@dataclass(frozen=True)
class _Outcome:
    """What the stages came to; `draft` is the last that was written."""

    rewritten: Rewritten = _NOT_SEARCHED
    found: SearchResult | None = None
    draft: Draft | None = None
    verified: Verified = _NOTHING
    refusal: Refusal | None = None
    confidence: float = 0.0
    confidence_level: ConfidenceLevel = ConfidenceLevel.NONE
    suggested: tuple[str, ...] = ()

    @property
    def analysis(self) -> QuestionAnalysis:
        return self.rewritten.analysis

    @property
    def degraded(self) -> tuple[str, ...]:
        found = self.found.degraded if self.found else ()
        cut = self.draft.cut if self.draft else ()
        return (*self.rewritten.degraded, *found, *cut, *self.verified.degraded)

    @property
    def level(self) -> Grounding:
        return self.draft.verification.level if self.draft else _BOOKS_OWN

    @property
    def response(self) -> str:
        """What a model wrote of the draft that is shown; "" without a model."""
        return self.draft.transcript.response if self.draft else ""

    @property
    def omitted(self) -> tuple[str, ...]:
        """Ids of the chunks that were found and are not in the prompt."""
        if self.found is None or self.draft is None:
            return ()
        given = {passage.chunk_id for passage in self.draft.prompt.passages}
        found = (passage.chunk_id for passage in self.found.passages)
        return tuple(chunk_id for chunk_id in found if chunk_id not in given)


class Pipeline:
    """Answers questions. `answerers` are by name; `answerer` and `model` override the profile's."""

    def __init__(
        self,
        *,
        source: PassageSource,
        answerers: dict[str, Answerer],
        log: AuditLog,
        counter: TokenCounter,
        prompt_tokens: int,
        ensemble: VerifierEnsemble,
        answerer: str = "",
        model: str = "",
        profiles: Path = SHIPPED,
        confidence: LogisticModel | None = None,
        embedder: Embedder | None = None,
        made_with: Mapping[str, str] = NO_SETTINGS,
    ) -> None:
        self._source = source
        self._answerers = answerers
        self._log = log
        self._counter = counter
        self._prompt_tokens = prompt_tokens
        self._ensemble = ensemble
        self._answerer = answerer
        self._model = model
        self._profiles = profiles
        self._confidence = confidence
        self._embedder = embedder
        self._made_with = made_with
        self._suggested = KeptSearches()
        self._failures = FailureRecorder(log)

    async def close(self) -> None:
        await self._failures.finish()

    def made_with(self, profile_name: str) -> Mapping[str, str]:
        """Return the settings that decide what an answer says, of this service and of a profile."""
        profile = load_profile(profile_name, self._profiles)
        answerer = self._made_with.get("answerer") or self._answerer
        return {
            **self._made_with,
            "answerer": answerer or profile.generation.answerer,
            "profile": _digest_of(profile_name, self._profiles),
        }

    async def answer_question(
        self, question: Question, *, as_it_passes: bool = True, answer_id: UUID | None = None
    ) -> AsyncGenerator[Event, None]:
        """Yield the passages, each sentence that passed its checks, and last the recorded answer.

        Without `as_it_passes` no sentence comes before the row of the answer is stored.
        Raises InvalidInput and NotFound for what was asked, Unavailable when a part does not answer,
        DeadlineExceeded when the time is up. What ends without an Answer is not an answer.
        """
        asked = self._ask(question, answer_id or uuid4(), as_it_passes=as_it_passes)
        trail = asked.trail
        try:
            async with aclosing(self._answer(asked)) as events:
                async for event in events:
                    yield event
        except QuothError as error:
            trail.error = error.kind
            raise
        except (asyncio.CancelledError, GeneratorExit):
            trail.error = "cancelled"
            raise
        finally:
            row = trail.to_row(asked.budget.timings, trail.answer)
            measure_question(row, trail.withheld, trail.judged)
            if trail.answer is None:
                self._failures.record_failure(row)

    def _ask(self, question: Question, answer_id: UUID, *, as_it_passes: bool) -> _Request:
        profile = load_profile(question.profile, self._profiles)
        check_question(question, profile.generation, self._counter)
        question = choose_language(question)
        made_with = self.made_with(profile.name)
        named = self._answerer or profile.generation.answerer
        name = named if named in self._answerers else EXTRACTIVE
        return _Request(
            question=question,
            profile=profile,
            answerer=self._answerers[name],
            has_model=name != EXTRACTIVE,
            budget=current_budget(),
            trail=Trail(question, profile.name, answer_id, made_with=made_with),
            as_it_passes=as_it_passes,
            degraded=(NO_MODEL,) if name != named else (),
        )

    async def _answer(self, asked: _Request) -> AsyncGenerator[Event, None]:
        """Rewrite, retrieve, write and verify; the answer or the refusal comes last, recorded."""
        async with asked.budget.stage(stages.REWRITE):
            analysis = read_question(asked.question)
        if analysis.small_talk:
            yield await self._finish(asked, _Outcome(refusal=refuse_small_talk(asked.question)))
            return
        rewritten = await self._rewrite(asked, analysis)
        analysis, found = await self._retrieve(asked, rewritten.analysis)
        analysis = follow_spelling(analysis, found)
        rewritten = replace(rewritten, analysis=analysis)
        asked.trail.searched = analysis.question
        refusal = refuse_unwritten(found, asked.question, analysis, asked.profile.refusals)
        outcome = _Outcome(rewritten, found, refusal=refusal)
        releasing = Releasing(self._log, asked.trail, asked.budget)
        if found.passages:
            # Of a refusal too: the reader sees what was looked at.
            yield PassagesFound(found.passages, asked.trail.log_id)
        if refusal is None:
            writing = await self._start_writing(asked, analysis, found)
            if asked.as_it_passes:
                async with aclosing(releasing.release(writing.release())) as released:
                    async for sentence in released:
                        yield sentence
            else:
                await releasing.hold(writing.release())
            outcome = _Outcome(rewritten, found, writing.last, writing.conclude())
            outcome, refusal = self._judge(asked, outcome, found)
        refusal = await self._quote_beyond(asked, analysis, found, refusal)
        outcome = replace(outcome, refusal=refusal)
        outcome = replace(outcome, suggested=await self._suggest(asked, outcome))
        answer = await self._finish(asked, outcome)
        for sentence in releasing.held:
            if sentence.sentence in answer.sentences:
                yield sentence
        yield answer

    async def _quote_beyond(
        self,
        asked: _Request,
        analysis: QuestionAnalysis,
        found: SearchResult,
        refusal: Refusal | None,
    ) -> Refusal | None:
        """Return a refusal with what the book says nearest beyond the text that the reader marked."""
        if refusal is None or asked.question.selection is None:
            return refusal
        beyond = await search_beyond(self._source, asked.question, analysis, asked.budget, found)
        nearest = quote_nearest(beyond, asked.question) if beyond else ()
        return replace(refusal, nearest=nearest)

    async def _rewrite(self, asked: _Request, analysis: QuestionAnalysis) -> Rewritten:
        rewriter = asked.answerer if isinstance(asked.answerer, QuestionRewriter) else None
        settings, trail = asked.profile.generation, asked.trail
        rewritten = await rewrite_question(
            asked.question,
            analysis,
            settings,
            rewriter=rewriter,
            transcript=trail.rewritten,
            budget=asked.budget,
        )
        trail.searched = rewritten.analysis.question
        return rewritten

    async def _retrieve(
        self, asked: _Request, analysis: QuestionAnalysis
    ) -> tuple[QuestionAnalysis, SearchResult]:
        analysis, found = await retrieve_meant(self._source, asked.question, analysis, asked.budget)
        if not found.passages and not found.related_sections:
            suggester = Suggester(self._source, asked.budget)
            sections = await suggester.name_sections(asked.question, analysis)
            found = replace(found, related_sections=sections)
        if asked.has_model:
            least = asked.profile.retrieval.gate_threshold_model
            found = replace(found, gate=relax_gate(found.gate, least))
        asked.trail.found = found
        return analysis, found

    async def _start_writing(
        self, asked: _Request, analysis: QuestionAnalysis, found: SearchResult
    ) -> Writing:
        """Pack the first draft; where a model's comes to nothing, the book's own may follow it."""

        async def fall_back(failed: Verification) -> Draft | None:
            if EXTRACTIVE not in self._answerers or not _may_fall_back(asked, found, failed):
                return None
            return await self._open_draft(asked, analysis, found, has_model=False)

        first = await self._open_draft(asked, analysis, found, has_model=asked.has_model)
        return Writing(first, fall_back, asked.trail, asked.budget)

    async def _open_draft(
        self, asked: _Request, analysis: QuestionAnalysis, found: SearchResult, *, has_model: bool
    ) -> Draft:
        """Pack what an answerer is given: a language model what is near, another all that was found."""
        settings = asked.profile.generation
        # The extractive answerer has no window: the packaged counter's tokens are as good as any.
        model = (self._model or settings.model) if has_model else ""
        async with asked.budget.stage(stages.PROMPT):
            passages = found.passages
            if has_model:
                passages = choose_context(passages, asked.question, analysis)
            prompt, cut = pack_prompt(
                asked.question,
                analysis,
                passages,
                settings=settings,
                budget_tokens=fit_window(self._prompt_tokens, model, settings.max_tokens),
                counter=self._counter.of_model(model),
            )
            prompt = replace(prompt, parts_asked=found.parts_asked, without_book=found.without_book)
        verification = Verification(
            prompt.passages,
            question=prompt.question,
            selection=prompt.selection,
            level=asked.level if has_model else _BOOKS_OWN,
            settings=settings,
            ensemble=self._ensemble,
            budget=asked.budget,
            language=asked.question.language,
            embedder=self._embedder if has_model else None,
        )
        if has_model:
            return Draft(asked.answerer, prompt, cut, verification, asked.trail.written)
        return Draft(self._answerers[EXTRACTIVE], prompt, cut, verification, Transcript())

    async def _suggest(self, asked: _Request, outcome: _Outcome) -> tuple[str, ...]:
        """Return questions that the book answers better, where it did not answer this one well."""
        found = outcome.found
        if found is None or not (outcome.refusal or found.gate.falls_short):
            return ()
        suggester = Suggester(self._source, asked.budget, self._suggested)
        return await suggester.suggest_questions(asked.question, found, outcome.analysis.question)

    async def _finish(self, asked: _Request, outcome: _Outcome) -> Answer:
        """Record the answer or refusal, and return it."""
        answer = self._assemble(asked, outcome)
        row = asked.trail.to_row(asked.budget.timings, answer)
        await record_answer(self._log, row, asked.budget)
        asked.trail.answer = replace(answer, timings=tuple(asked.budget.timings))
        return asked.trail.answer

    def _assemble(self, asked: _Request, outcome: _Outcome) -> Answer:
        refusal, found, trail = outcome.refusal, outcome.found, asked.trail
        answer = Answer(
            answer_id=trail.log_id,
            question=asked.question,
            searched_question=outcome.analysis.question,
            profile=asked.profile.name,
            create_time=trail.create_time,
            refusal=replace(refusal, suggested_questions=outcome.suggested) if refusal else None,
            degraded=(*asked.degraded, *outcome.degraded),
            timings=tuple(asked.budget.timings),
            checks=_check_coverage(asked, outcome),
            withheld=outcome.verified.withheld,
            model_use=trail.model_use(),
            verifier_use=trail.verifier_use(),
            grounding=outcome.level,
            omitted=outcome.omitted,
            corrections=found.corrections if found else (),
        )
        if refusal is not None or found is None:
            return answer
        other = outcome.draft.prompt.other_value if outcome.draft else None
        missing = list_missing(asked.question, outcome.analysis, found, other)
        return replace(
            answer,
            sentences=outcome.verified.sentences,
            citations=outcome.verified.citations,
            confidence=outcome.confidence,
            confidence_level=outcome.confidence_level,
            suggested_questions=outcome.suggested,
            missing_entities=missing,
        )

    def _judge(
        self, asked: _Request, outcome: _Outcome, found: SearchResult
    ) -> tuple[_Outcome, Refusal | None]:
        """Return how sure an answer is, or why there is none: nothing is left, or likely no answer.

        The latter is judged of the book's own words alone, where none is shown yet.
        """
        draft, confidence = outcome.draft, 0.0
        if draft is not None and outcome.verified.sentences:
            confidence = self._rate(asked, outcome, found)
            is_judged = asked.profile.retrieval.gate == CALIBRATED and not asked.has_model
            may_refuse = is_judged and not asked.trail.released and is_plain(draft.prompt, found)
            if not may_refuse or confidence >= LEAST:
                level = name_level(confidence)
                return replace(outcome, confidence=confidence, confidence_level=level), None
        return outcome, refuse_empty(
            found,
            asked.question,
            asked.profile.refusals,
            outcome.analysis,
            withheld=bool(outcome.verified.withheld) and not outcome.verified.sentences,
            has_model=asked.has_model,
        )

    def _rate(self, asked: _Request, outcome: _Outcome, found: SearchResult) -> float:
        return rate_answer(
            asked.profile.generation.confidence,
            found,
            analysis=outcome.analysis,
            response=outcome.response,
            cited=outcome.verified.citations,
            sentences=outcome.verified.sentences,
            model=self._confidence,
            of_selection=asked.question.selection is not None,
            gate=asked.profile.retrieval.gate,
            follow_up=asked.question.text,
        )


@lru_cache
def _digest_of(profile_name: str, folder: Path) -> str:
    profile = load_profile(profile_name, folder)
    # Chunking decides what an edition is made of, not what is made of it.
    parts = (profile.retrieval, profile.generation, profile.refusals)
    return hashlib.sha256(msgspec.json.encode(parts, order="deterministic")).hexdigest()[:_DIGITS]


def _may_fall_back(asked: _Request, found: SearchResult, failed: Verification) -> bool:
    """Whether the extractive answerer may answer in the place of a model whose draft failed.

    It may where the gate alone says that the passages answer, and not where the profile's rule is that
    the whole answer is rejected, nor where the model denied what is asked. A model that declined has
    not failed.
    """
    wrote_in_vain = asked.has_model and bool(failed.withheld) and not failed.verified.sentences
    if not wrote_in_vain or failed.is_rejected or failed.denies_question:
        return False
    if asked.budget.allowance_s(stages.COMPLETE) < stages.COMPLETE.floor_s:
        return False
    gate = found.gate
    least = asked.profile.retrieval.gate_threshold
    return gate.probability >= least or not asked.question.text


def _check_coverage(asked: _Request, outcome: _Outcome) -> tuple[Check, ...]:
    """Return the check of what was found; of what was withheld the sentences' own checks say why."""
    refusal = outcome.refusal
    if outcome.found is None:
        return ()
    unsaid = ""
    if refusal is not None and outcome.draft is not None:
        unsaid = {RefusalCode.NOT_COVERED: UNSAID, RefusalCode.DECLINED: DECLINED}.get(
            refusal.code, ""
        )
    return check_coverage(outcome.found, asked.question, outcome.analysis, unsaid=unsaid)
