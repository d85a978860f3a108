"""Suggest what the book does answer to a reader whose question it does not.

A refusal is worth something without suggestions: they are made in passing, in half a second at most,
and whatever fails on the way leaves fewer of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable
from contextlib import suppress
from dataclasses import replace

from libs.budget import Budget, stages
from libs.errors import DeadlineExceeded, QuothError, Unavailable
from libs.language.asked_in import language_read_by
from libs.language.entries import OFF
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.question.expected import AnswerKind
from services.generation.coverage.check import is_covered
from services.generation.extractive.announced import has_list_for
from services.generation.extractive.candidates import list_candidates
from services.generation.extractive.defining import has_definition_for
from services.generation.model import Question, SearchResult
from services.generation.ports import PassageSource
from services.generation.suggestions.generate import generate_questions, is_near
from services.generation.suggestions.kept import KeptSearches

MOST = 3
"""Suggestions that a refusal makes."""

_LEAST_LEFT_S = 1.0
_SUGGESTING_S = 0.5
"""Seconds that must be left, and that suggesting may take."""

_GOING_ON_S = 1.5
"""Seconds where nothing else waits: the reader has the answer already."""

_NEAREST = 2
"""Passages of which one has to tell how something is done."""


class Suggester:
    """Looks for questions that the book answers, and for its sections near what was asked."""

    def __init__(
        self, source: PassageSource, budget: Budget, kept: KeptSearches | None = None
    ) -> None:
        self._source = source
        self._budget = budget
        self._kept = kept or KeptSearches()

    async def suggest_questions(
        self, question: Question, found: SearchResult, searched: str
    ) -> tuple[str, ...]:
        """Return questions near this one that pass the gate, none when there is no time to see.

        A question that nothing in the book is near has those that introduce the book.
        """
        good: list[str] = []

        async def look() -> None:
            if is_near(found.gate):
                generated = _generate(found, searched, question)
                await self._keep_answered(generated, question, good)
            # Where nothing is near the question: what the book is about instead.
            introductions = load_lexicon(question.language).introductions
            for introduction in () if good else introductions:
                if len(good) < MOST:
                    introducing = await self._introduce(_alone(question, introduction))
                    generated = _generate(introducing, searched, question)
                    await self._keep_answered(generated, question, good)

        await self._in_passing(look)
        return tuple(good)

    async def suggest_next(self, answered: Question) -> tuple[str, ...]:
        """Return questions near one that was answered, made from what was found for it."""
        good: list[str] = []

        async def look() -> None:
            found, _ = await self._search(_alone(answered, answered.text))
            generated = _generate(found, answered.text, answered)
            await self._keep_answered(generated, answered, good)

        if answered.text:
            await self._in_passing(look, most_s=_GOING_ON_S)
        return tuple(good)

    async def name_sections(
        self, question: Question, analysis: QuestionAnalysis
    ) -> tuple[str, ...]:
        """Return the book's nearest sections when the part that was asked holds nothing."""
        sections: tuple[str, ...] = ()

        async def look() -> None:
            nonlocal sections
            whole = _alone(question, analysis.question)
            everywhere = replace(whole, section_path=(), document="", chapter="", page="")
            found = await self._source.search(everywhere, analysis, _SUGGESTING_S)
            sections = found.related_sections

        if question.section_path or question.document or question.chapter or question.page:
            await self._in_passing(look)
        return sections

    async def _keep_answered(
        self, generated: Iterable[str], question: Question, good: list[str]
    ) -> None:
        """Add to `good` what the book answers of the questions generated, until there are enough."""
        for text in generated:
            is_wanted = len(good) < MOST and text not in good
            if is_wanted and await self._is_answered(_alone(question, text)):
                good.append(text)

    async def _is_answered(self, alone: Question) -> bool:
        kept = self._kept.answered.find(alone)
        if kept is not None:
            return kept
        found, analysis = await self._search(alone)
        covered = bool(found.passages) and is_covered(found, alone, analysis)
        is_answered = covered and not found.gate.falls_short and says_what_is_asked(analysis, found)
        if not found.degraded:
            self._kept.answered.add(alone, is_answered)
        return is_answered

    async def _introduce(self, alone: Question) -> SearchResult:
        kept = self._kept.introduced.find(alone)
        if kept is not None:
            return kept
        found, _ = await self._search(alone)
        if not found.degraded:
            self._kept.introduced.add(alone, found)
        return found

    async def _search(self, alone: Question) -> tuple[SearchResult, QuestionAnalysis]:
        spoken = language_read_by(alone.text, alone.language, alone.languages)
        alone, analysis = replace(alone, language=spoken), analyse_question(alone.text, spoken)
        return await self._source.search(alone, analysis, _SUGGESTING_S), analysis

    async def _in_passing(
        self, look: Callable[[], Awaitable[None]], most_s: float = _SUGGESTING_S
    ) -> None:
        """Look as part of retrieval for a short while, if there is time; give up on any error."""
        if self._budget.left_s() < _LEAST_LEFT_S:
            return
        with suppress(DeadlineExceeded, Unavailable):
            async with self._budget.stage(stages.RETRIEVE) as allowed_s:
                with suppress(QuothError, TimeoutError):
                    async with asyncio.timeout(min(allowed_s, most_s)):
                        await look()


def says_what_is_asked(analysis: QuestionAnalysis, found: SearchResult) -> bool:
    """Whether a sentence says what a thing is, a list which there are, or a step what to do, if asked.

    A title makes "What is electric lighting?" of a section that tells its history alone, and "How do I
    make a living?" of one on how others did.
    """
    titles = {title for one in found.passages for title in one.locator.section_path}
    if analysis.sub_questions or any(one.endswith(analysis.question) for one in titles):
        return True
    if analysis.expected.kind is AnswerKind.PROCEDURE:
        nearest = list_candidates(found.passages[:_NEAREST], analysis.language)
        return any(one.instructs for one in nearest)
    if analysis.expected.kind is AnswerKind.LIST and has_list_for(analysis, found.passages):
        return True
    if analysis.definiendum:
        asked = replace(analysis, expected=replace(analysis.expected, kind=AnswerKind.DEFINITION))
        return has_definition_for(asked, found.passages) or _tells_of_all(analysis, found)
    return analysis.expected.kind is not AnswerKind.LIST


def _tells_of_all(analysis: QuestionAnalysis, found: SearchResult) -> bool:
    """Whether a sentence begins with things of the name and says what they are: "Valves are parts"."""
    lexicon, name = load_lexicon(analysis.language), analysis.definiendum.lower()
    tells = lexicon.values.definition
    if tells is OFF or lexicon.sub_questions.plural.search(name) is None:
        return False
    texts = (one.text.lower() for one in list_candidates(found.passages, analysis.language))
    return any(
        text.startswith(f"{name} ") and tells.match(text, len(name) + 1) is not None
        for text in texts
    )


def _generate(found: SearchResult, asked: str, question: Question) -> list[str]:
    language, several = question.language, question.languages
    spoken = language_read_by(question.text, language, several) if len(several) > 1 else ""
    return generate_questions(
        found.passages, asked, language, several, spoken=spoken, title=question.title
    )


def _alone(question: Question, text: str) -> Question:
    """Return `text` as a question of its own to the same part of the book."""
    return replace(question, text=text, history=(), selection=None)
