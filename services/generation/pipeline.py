"""The stages of an answer in the order that data flows through them, and the events on the way."""

import asyncio
import uuid
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

from libs.budget import Budget, StageTiming, current_budget, stages
from libs.calibration import Calibration
from libs.errors import DeadlineExceeded, QuothError
from libs.profiles import SHIPPED, Profile, load_profile
from libs.rpc.context import current_request_id
from libs.tokens import TokenCounter
from services.generation.cite import Citations
from services.generation.complete import complete_draft
from services.generation.confidence import mean_similarity, two_part
from services.generation.courtesy import is_courtesy
from services.generation.model import (
    Answer,
    AuditRow,
    Check,
    CheckKind,
    ConfidenceLevel,
    DraftSentence,
    FollowUp,
    ModelUse,
    PassagesFound,
    Prompt,
    Question,
    Refusal,
    RefusalCode,
    SearchResult,
    Sentence,
    SentenceReleased,
    Transcript,
    Withheld,
)
from services.generation.ports import Answerer, AuditLog, PassageSource, Rephraser
from services.generation.price import cost_usd
from services.generation.prompt import fit_window, pack_prompt
from services.generation.record import FailureRecorder, measure_question, record_answer
from services.generation.refuse import is_covered, refuse_empty, refuse_unwritten
from services.generation.rephrase import BY_RULES, rephrase_question
from services.generation.rewrite import check_question, is_follow_up, list_asked, rewrite_question
from services.generation.score import name_level, score_answer
from services.generation.sides import count_things, list_unmentioned, share_said
from services.generation.suggest import INTRODUCTIONS, is_near, raise_questions
from services.generation.suggest import MOST as MOST_SUGGESTED
from services.generation.verify import check_sentence

NO_QUESTION = "You are welcome to ask me anything about this book; I answer with its own words."

_LEAST_LEFT_S = 1.0
_SUGGESTING_S = 0.5
"""Seconds that must be left for suggestions, and that they may take: a refusal is worth without."""

Event = PassagesFound | SentenceReleased | Answer


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
        answerer: str = "",
        model: str = "",
        profiles: Path = SHIPPED,
        confidence: Calibration | None = None,
    ) -> None:
        self._source = source
        self._answerers = answerers
        self._log = log
        self._counter = counter
        self._prompt_tokens = prompt_tokens
        self._answerer = answerer
        self._model = model
        self._profiles = profiles
        self._confidence = confidence
        self._failures = FailureRecorder(log)

    async def close(self) -> None:
        await self._failures.finish()

    async def answer_question(self, question: Question) -> AsyncGenerator[Event, None]:
        """Yield the passages, each sentence that passed its checks, and last the recorded answer.

        Raises InvalidInput and NotFound for what was asked, Unavailable when a part does not answer,
        DeadlineExceeded when the time is up. What ends without an Answer is not an answer.
        """
        profile = load_profile(question.profile, self._profiles)
        check_question(question, profile.generation, self._counter)
        run = _Run(question, profile, current_budget(), self._confidence)
        try:
            async with aclosing(self._run(run)) as events:
                async for event in events:
                    yield event
        except QuothError as error:
            run.error = error.kind
            raise
        except (asyncio.CancelledError, GeneratorExit):
            run.error = "cancelled"
            raise
        finally:
            row = run.to_row(answer=run.answer)
            measure_question(row, run.withheld)
            if run.answer is None:
                self._failures.record_failure(row)

    async def _run(self, run: "_Run") -> AsyncGenerator[Event, None]:
        if run.question.selection is None and is_courtesy(run.question.text):
            yield await self._finish(run, Refusal(RefusalCode.NO_QUESTION, NO_QUESTION))
            return
        async with run.budget.stage(stages.REWRITE):
            run.searched = rewrite_question(run.question)
        await self._rephrase(run)
        async with run.budget.stage(stages.RETRIEVE) as allowed_s:
            run.search = await self._source.search(run.question, run.searched, allowed_s)
        run.budget.add_timings(run.search.timings)
        run.degraded.extend(run.search.degraded)
        if not run.search.passages:
            related = await self._look_elsewhere(run)
            run.search = replace(
                run.search, related_sections=run.search.related_sections or related
            )
        texts = run.profile.refusals
        refusal = refuse_unwritten(run.search, run.question, texts)
        if refusal is None:
            yield PassagesFound(run.search.passages)
            async with aclosing(self._write(run)) as sentences:
                async for sentence in sentences:
                    yield sentence
            if not run.sentences:
                withheld = bool(run.withheld)
                refusal = refuse_empty(run.search, run.question, texts, withheld=withheld)
        if refusal is not None:
            refusal = replace(refusal, suggested_questions=await self._suggest(run))
        elif run.found.gate.falls_short:
            run.suggested = await self._suggest(run)
        yield await self._finish(run, refusal)

    async def _rephrase(self, run: "_Run") -> None:
        """Let the model that will answer make a follow-up whole, which the rules have done as well."""
        rephraser = self._answerers[self._name_answerer(run)]
        if not isinstance(rephraser, Rephraser) or not is_follow_up(run.question):
            return
        named = list_asked(run.question.text)
        asked = FollowUp(run.question, named, run.profile.generation)
        whole = await rephrase_question(asked, rephraser, run.rephrased, run.budget)
        if whole:
            run.searched = whole
        else:
            run.degraded.append(BY_RULES)

    async def _look_elsewhere(self, run: "_Run") -> tuple[str, ...]:
        """Return the book's nearest sections when the part that was asked holds nothing."""
        near: list[str] = []

        async def look() -> None:
            whole = replace(run.question, section_path=())
            near.extend((await self._search_alone(whole, run.searched))[0].related_sections)

        if run.question.section_path:
            await self._in_passing(run, look)
        return tuple(near)

    async def _in_passing(self, run: "_Run", work: Callable[[], Awaitable[None]]) -> None:
        """Do what makes a refusal better, which is worth something without: shortly, if at all."""
        if run.budget.left_s() < _LEAST_LEFT_S:
            return
        with suppress(DeadlineExceeded):
            async with run.budget.stage(stages.RETRIEVE) as allowed_s:
                with suppress(QuothError, TimeoutError):
                    async with asyncio.timeout(min(allowed_s, _SUGGESTING_S)):
                        await work()

    async def _suggest(self, run: "_Run") -> tuple[str, ...]:
        """Return questions near this one that pass the gate, none when there is no time to see.

        A question that nothing in the book is near has those that introduce the book.
        """
        good: list[str] = []
        await self._in_passing(run, partial(self._keep_answered, run, good))
        return tuple(good)

    async def _keep_answered(self, run: "_Run", good: list[str]) -> None:
        """Add questions that pass the gate to `good`: near ones or, if none does, introducing ones."""
        if is_near(run.found.gate):
            await self._try(run, raise_questions(run.found.passages, run.searched), good)
        for introduction in () if good else INTRODUCTIONS:
            if len(good) < MOST_SUGGESTED:
                found, _ = await self._search_alone(run.question, introduction)
                await self._try(run, raise_questions(found.passages, run.searched), good)

    async def _try(self, run: "_Run", questions: list[str], good: list[str]) -> None:
        """Search for one after the other, until there are enough."""
        for text in questions:
            if len(good) < MOST_SUGGESTED and text not in good:
                answering, alone = await self._search_alone(run.question, text)
                covered = answering.passages and is_covered(answering, alone)
                if covered and not answering.gate.falls_short:
                    good.append(text)

    async def _search_alone(self, asked: Question, text: str) -> tuple[SearchResult, Question]:
        """Return what is found for `text` as a question of its own to the book, and that question."""
        alone = replace(asked, text=text, history=(), selection=None)
        return await self._source.search(alone, text, _SUGGESTING_S), alone

    async def _finish(self, run: "_Run", refusal: Refusal | None) -> Answer:
        """Record the answer or refusal, and return it."""
        answer = run.to_answer(refusal)
        await record_answer(self._log, run.to_row(answer=answer), run.budget)
        run.answer = replace(answer, timings=run.timings())
        return run.answer

    async def _write(self, run: "_Run") -> AsyncGenerator[SentenceReleased, None]:
        """Release sentences as they pass; from the first that fails on, only when all is written.

        When more sentences failed than passed, what is left does not answer: all are taken back. With
        the profile's strict policy all sentences wait.
        """
        prompt = await self._pack(run)
        answerer = self._answerers[self._name_answerer(run)]
        run.citations = Citations(prompt.passages)
        waiting: list[SentenceReleased] = []
        draft = complete_draft(answerer, prompt, run.transcript, run.budget)
        async with aclosing(draft) as sentences:
            async for sentence in sentences:
                async with run.budget.stage(stages.VALIDATE):
                    released = check_sentence(sentence, run.citations, run.sentences)
                if isinstance(released, Withheld):
                    run.withheld.append(released)
                    run.rejected |= _is_invented(sentence, run)
                    continue
                run.sentences.append(released.sentence)
                if run.withheld or run.profile.generation.release == "strict":
                    waiting.append(released)
                else:
                    yield released
        if run.rejected or len(run.withheld) > len(run.sentences):
            run.sentences.clear()
            return
        for released in waiting:
            yield released

    def _name_answerer(self, run: "_Run") -> str:
        return self._answerer or run.profile.generation.answerer

    async def _pack(self, run: "_Run") -> Prompt:
        settings = run.profile.generation
        model = self._model or settings.model
        if self._name_answerer(run) == "extractive":
            model = ""
        async with run.budget.stage(stages.PROMPT):
            prompt, degraded = pack_prompt(
                run.question,
                run.searched,
                run.found.passages,
                settings=settings,
                budget_tokens=fit_window(self._prompt_tokens, model, settings.max_tokens),
                counter=self._counter.of_model(model),
            )
        run.degraded.extend(degraded)
        given = {passage.chunk_id for passage in prompt.passages}
        found = (passage.chunk_id for passage in run.found.passages)
        run.left_out = tuple(chunk for chunk in found if chunk not in given)
        return prompt


@dataclass
class _Run:
    """What is known about one question so far."""

    question: Question
    profile: Profile
    budget: Budget
    confidence: Calibration | None = None
    log_id: uuid.UUID = field(default_factory=uuid.uuid4)
    create_time: datetime = field(default_factory=lambda: datetime.now(UTC))
    searched: str = ""
    search: SearchResult | None = None
    transcript: Transcript = field(default_factory=Transcript)
    rephrased: Transcript = field(default_factory=Transcript)
    citations: Citations = field(default_factory=lambda: Citations(()))
    sentences: list[Sentence] = field(default_factory=list)
    withheld: list[Withheld] = field(default_factory=list)
    left_out: tuple[str, ...] = ()
    rejected: bool = False
    degraded: list[str] = field(default_factory=list)
    suggested: tuple[str, ...] = ()
    answer: Answer | None = None
    error: str = QuothError.kind

    @property
    def found(self) -> SearchResult:
        if self.search is None:
            raise RuntimeError("the search has not ended")
        return self.search

    def timings(self) -> tuple[StageTiming, ...]:
        return tuple(self.budget.timings)

    def to_answer(self, refusal: Refusal | None) -> Answer:
        confidence = 0.0
        if refusal is None:
            confidence = self._score()
        return Answer(
            answer_id=self.log_id,
            question=self.question,
            searched_question=self.searched,
            profile=self.profile.name,
            create_time=self.create_time,
            sentences=tuple(self.sentences),
            citations=() if refusal else self.citations.issued,
            refusal=refusal,
            confidence=confidence,
            confidence_level=name_level(confidence) if refusal is None else ConfidenceLevel.NONE,
            degraded=tuple(self.degraded),
            timings=self.timings(),
            checks=self._checks(),
            withheld=tuple(self.withheld),
            model_use=self._model_use(),
            left_out=self.left_out,
            suggested_questions=self.suggested,
            unmentioned=() if refusal else list_unmentioned(self.searched, self.found.passages),
        )

    def _checks(self) -> tuple[Check, ...]:
        """Return the one check of the whole: whether the passages answer what was asked."""
        if self.search is None or not self.question.text:
            return ()
        gate = self.search.gate
        if gate.passed and not is_covered(self.search, self.question):
            return (
                Check(
                    CheckKind.ADDRESS, False, "asks about a name, year or price that no passage has"
                ),
            )
        reason = f"{gate.probability:.2f} of 1, {gate.threshold:.2f} wanted"
        return (Check(CheckKind.ADDRESS, gate.passed, reason),)

    def _model_use(self) -> ModelUse | None:
        wrote = self.transcript.after(self.rephrased)
        if not wrote.model:
            return None
        return ModelUse(wrote.model, wrote.usage, cost_usd(wrote.model, wrote.usage))

    def _score(self) -> float:
        formula = self.profile.generation.confidence
        if formula == "two_part":
            return two_part(self.found, self.transcript.response)
        if formula == "mean_similarity":
            return mean_similarity(self.found)
        cited = self.citations.issued
        things = count_things(self.searched)
        score = score_answer(self.found, cited, self.confidence, things=things)
        return score * share_said(self.searched, cited)

    def to_row(self, answer: Answer | None = None) -> AuditRow:
        return AuditRow(
            log_id=self.log_id,
            request_id=current_request_id(),
            timestamp=self.create_time,
            question=self.question,
            profile=self.profile.name,
            searched_question=self.searched,
            search=self.search,
            transcript=self.transcript.after(self.rephrased),
            answer=answer,
            timings=self.timings(),
            error="" if answer else self.error,
        )


def _is_invented(draft: DraftSentence, run: _Run) -> bool:
    """Whether the profile rejects a whole answer for this sentence.

    It does for one that cites what was not found, and for an uncited one that is near no passage.
    """
    least = run.profile.generation.uncited_support
    if draft.claims:
        return least > 0 and not run.citations.know_sources(draft)
    return least > 0 and run.citations.find_support(draft.text) < least
