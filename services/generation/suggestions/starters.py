"""Suggest questions to begin with and to go on with, each of which the book answers."""

import time
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from libs.budget import Budget, stages
from libs.errors import QuothError
from libs.language.asked_in import language_read_by
from libs.language.lexicon import FALLBACK, load_lexicon
from libs.question.analyse import QuestionAnalysis, analyse_question
from libs.text import content_terms
from services.generation.model import Citation, Question, SearchResult
from services.generation.ports import PassageSource
from services.generation.suggestions.generate import Made, generate_questions
from services.generation.suggestions.judge import is_answered
from services.generation.suggestions.suggest import Suggester

MOST = 3
"""Questions that are suggested."""

KEPT_S = 600.0
"""Seconds for which they are kept: an edition always has the same, and each reader asks for them."""

_MOST_KEPT = 200
_MOST_OPENINGS = 12
"""Chapters that are looked into until there are enough."""


@dataclass(frozen=True)
class _Starter:
    place: int
    made: Made

    @property
    def text(self) -> str:
        return self.made.text

    @property
    def question_word(self) -> str:
        """Its first word: "What", "How"."""
        return self.text.partition(" ")[0].lower()

    @property
    def things(self) -> frozenset[str]:
        """What it asks of: "What are masts?" and "Which masts are there?" ask of one."""
        return frozenset(content_terms(self.text))


class Starters:
    """Makes the questions to begin with, once an edition."""

    def __init__(self, source: PassageSource, clock: Callable[[], float] = time.monotonic) -> None:
        self._source = source
        self._clock = clock
        self._kept: dict[Question, tuple[tuple[str, ...], float]] = {}

    async def suggest(self, book: Question, budget: Budget) -> tuple[str, ...]:
        """Return at most three questions in the order of the book; fewer where the time is short.

        Of `book` count the book, edition, profile and language. Raises what the source raises.
        """
        kept, until_s = self._kept.get(book, ((), 0.0))
        if self._clock() < until_s:
            return kept
        found: list[_Starter] = []
        async with budget.stage(stages.RETRIEVE) as allowed_s:
            titles = await self._titles(book, allowed_s)
        with suppress(QuothError):
            async with budget.stage(stages.RETRIEVE) as allowed_s:
                await self._look(book, titles, allowed_s, found)
            self._keep(book, found)
        return _in_order(found)

    async def suggest_next(
        self, answered: Question, cited: Sequence[Citation], budget: Budget
    ) -> tuple[str, ...]:
        """Return at most three questions about what stands around the first place that answered."""
        for citation in cited[:1]:
            suggester = Suggester(self._source, budget)
            return await suggester.suggest_next(answered, citation.locator)
        return ()

    async def _titles(self, book: Question, allowed_s: float) -> Sequence[str]:
        """Return the titles of chapters from all over the book."""
        lexicon = load_lexicon(book.language)
        # Chapters are told by their place: English can ask for those of any language.
        asking = lexicon if lexicon.chapters_question else load_lexicon(FALLBACK)
        spoken = book.language if asking is lexicon else FALLBACK
        listing = analyse_question(asking.chapters_question, spoken)
        found = await self._search(book, listing, allowed_s)
        return [passage.locator.section_path[-1] for passage in found.passages]

    async def _look(
        self, book: Question, titles: Sequence[str], allowed_s: float, found: list[_Starter]
    ) -> None:
        """Add to `found` one question of each title, and more where there are too few of them.

        After the titles comes what introduces any book.
        """
        openings = [*titles, *load_lexicon(book.language).introductions]
        places = [*_spread(len(titles))[:_MOST_OPENINGS], *range(len(titles), len(openings))]
        generated: dict[int, list[Made]] = {}
        for place in (*places, *places):
            if place not in generated:
                generated[place] = await self._generate(book, openings[place], allowed_s)
            asked = {starter.question_word for starter in found}
            starters = [_Starter(place, made) for made in generated[place]]
            for starter in sorted(starters, key=lambda one: one.question_word in asked):
                generated[place].remove(starter.made)
                is_new = starter.things not in [one.things for one in found]
                if is_new and await self._is_answered(book, starter.made, allowed_s):
                    found.append(starter)
                    break
            if len(found) == MOST:
                return

    async def _generate(self, book: Question, opening: str, allowed_s: float) -> list[Made]:
        near = await self._search(book, _analyse(opening, book), allowed_s)
        own = [one for one in near.passages if one.locator.section_path[-1:] == (opening,)]
        spoken = (book.language, book.languages)
        generated = generate_questions(own, "", *spoken, title=book.title)[:1]
        others = generate_questions(near.passages, opening, *spoken, title=book.title)
        return [*generated, *others]

    async def _is_answered(self, book: Question, made: Made, allowed_s: float) -> bool:
        analysis = _analyse(made.text, book)
        found = await self._search(book, analysis, allowed_s)
        return is_answered(replace(book, text=made.text), analysis, found, made.passage)

    async def _search(
        self, book: Question, asked: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        return await self._source.search(replace(book, text=asked.question), asked, allowed_s)

    def _keep(self, book: Question, found: Sequence[_Starter]) -> None:
        if len(self._kept) >= _MOST_KEPT:
            self._kept.clear()
        self._kept[book] = _in_order(found), self._clock() + KEPT_S


def _analyse(text: str, book: Question) -> QuestionAnalysis:
    """Analyse a question by the one of the book's languages that it is in."""
    return analyse_question(text, language_read_by(text, book.language, book.languages))


def _in_order(found: Sequence[_Starter]) -> tuple[str, ...]:
    return tuple(starter.text for starter in sorted(found, key=lambda starter: starter.place))


def _spread(count: int) -> list[int]:
    """Return the places up to `count`, those first that lie a third of all apart."""
    step = -(-count // MOST) or 1
    return sorted(range(count), key=lambda place: (place % step, place))
