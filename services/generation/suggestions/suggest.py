"""Suggest what the book does answer to a reader whose question it does not.

A refusal is worth something without suggestions: they are made in passing, in half a second at most,
and whatever fails on the way leaves fewer of them.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterable, Sequence
from contextlib import suppress
from dataclasses import replace
from typing import Any

from libs.budget import Budget, stages
from libs.errors import DeadlineExceeded, QuothError, Unavailable
from libs.language.asked_in import language_read_by
from libs.language.lexicon import load_lexicon
from libs.question.analyse import QuestionAnalysis, analyse_question
from services.generation.model import Locator, Passage, Question, SearchResult
from services.generation.ports import PassageSource
from services.generation.suggestions.generate import Made, generate_questions, is_near
from services.generation.suggestions.judge import is_answered
from services.generation.suggestions.kept import KeptSearches

MOST = 3
"""Suggestions that a refusal makes."""

_LEAST_LEFT_S = 1.0
_SUGGESTING_S = 0.5
"""Seconds that must be left, and that suggesting may take."""

_GOING_ON_S = 1.5
"""Seconds where nothing else waits: the reader has the answer already."""


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

    async def suggest_next(self, answered: Question, read: Locator) -> tuple[str, ...]:
        """Return questions about what stands at `read`, which answered, and around it.

        What follows the place in the section over its own comes first, then the rest of that and of the
        document, then what was found elsewhere for the question.
        """
        good: list[str] = []

        async def look() -> None:
            alone = _alone(answered, answered.text)
            found, _ = await self._search(alone)
            told = " ".join(read.section_path[-2:]) or answered.text
            for part in _parts_around(read):
                more, _ = await self._search(replace(alone, text=told, **part))
                within = _nearest_first([*_within(found, part), *more.passages], read)
                generated = _generate(replace(found, passages=within), answered.text, answered)
                await self._keep_answered(generated, answered, good)
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
        self, generated: Iterable[Made], question: Question, good: list[str]
    ) -> None:
        """Add to `good` what the book answers of the questions generated, until there are enough."""
        for made in generated:
            is_wanted = len(good) < MOST and made.text not in good
            if is_wanted and await self._is_answered(_alone(question, made.text), made.passage):
                good.append(made.text)

    async def _is_answered(self, alone: Question, origin: Passage) -> bool:
        at = origin.locator
        key = replace(alone, text="\n".join((alone.text, at.document, *at.section_path)))
        kept = self._kept.answered.find(key)
        if kept is not None:
            return kept
        found, analysis = await self._search(alone)
        answered = is_answered(alone, analysis, found, origin)
        if not found.degraded:
            self._kept.answered.add(key, answered)
        return answered

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


def _parts_around(read: Locator) -> list[dict[str, Any]]:
    """Return what the place is in, the narrower first: the section over its own, its document."""
    above = read.section_path[:-1]
    return [*([{"section_path": above}] if len(above) > 1 else []), {"document": read.document}]


def _within(found: SearchResult, part: dict[str, Any]) -> list[Passage]:
    """Return the passages that stand in such a part of the book."""
    above = part.get("section_path", ())
    return [
        one
        for one in found.passages
        if one.locator.document == part.get("document", one.locator.document)
        and one.locator.section_path[: len(above)] == above
    ]


def _nearest_first(passages: Sequence[Passage], read: Locator) -> tuple[Passage, ...]:
    """Return the passages from the place that was read on, then the others, the nearer ones first."""
    own = {one.chunk_id: one for one in passages}.values()

    def far(one: Passage) -> tuple[bool, bool, int]:
        place = one.locator
        is_ahead = place.end <= read.start
        return place.document != read.document, is_ahead, abs(place.start - read.start)

    return tuple(sorted(own, key=far))


def _generate(found: SearchResult, asked: str, question: Question) -> list[Made]:
    language, several = question.language, question.languages
    spoken = language_read_by(question.text, language, several) if len(several) > 1 else ""
    return generate_questions(
        found.passages, asked, language, several, spoken=spoken, title=question.title
    )


def _alone(question: Question, text: str) -> Question:
    """Return `text` as a question of its own to the same part of the book."""
    return replace(question, text=text, history=(), selection=None)
