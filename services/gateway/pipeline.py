"""Resolve the edition and ask, or search, inside one deadline."""

import asyncio
from collections.abc import AsyncGenerator, Awaitable, Callable
from contextlib import aclosing, suppress
from typing import TypeVar

from msgspec.structs import replace

from libs.budget import Budget, current_budget
from libs.budget.stages import ANSWER, RESOLVE
from libs.errors import DeadlineExceeded, NotFound, QuothError, Unavailable
from services.gateway.model.answers import (
    Answer,
    Message,
    PassagesFound,
    Question,
    SentenceReleased,
)
from services.gateway.model.books import Book
from services.gateway.model.passages import SearchResult, StageTiming
from services.gateway.ports import Answerer, AnswerEvent, Library, Searcher

T = TypeVar("T")

Release = Callable[[PassagesFound | SentenceReleased], None]
Confirm = Callable[[], Awaitable[None]]
"""Returns once the edition that is asked is known to be the current one; raises if it is not."""
Ask = Callable[[Book, Confirm], Awaitable[T]]

_MOST_REMEMBERED = 1000


class _OutdatedError(Exception):
    """Another edition is published than the one that is being asked."""


class CurrentEditionCache:
    """The editions that books are published in, those last seen being good for a head start only.

    What is shown is always of the edition that was current after the request came in, whichever
    gateway it was published through: a look at what is current goes along with every question.
    """

    def __init__(self, library: Library) -> None:
        self._library = library
        self._seen: dict[str, Book] = {}

    async def ask(self, slug: str, work: Ask[T]) -> T:
        """Return what `work` makes of the book as it is published now. Raises NotFound.

        `work` may begin with the edition that was seen last; it shows nothing before it has awaited
        its Confirm, and begins again should another edition be current.
        """
        guess = self._seen.get(slug)
        if guess is None:
            return await work(await self._look(slug), _confirmed)
        looking = asyncio.create_task(self._look(slug))
        try:
            return await _with_guess(guess, looking, work)
        except _OutdatedError:
            return await work(looking.result(), _confirmed)
        finally:
            await _end(looking)

    async def _look(self, slug: str) -> Book:
        try:
            async with current_budget().stage(RESOLVE) as allowed_s:
                book = await self._library.get_book(slug, allowed_s)
        except NotFound:
            self._seen.pop(slug, None)
            raise
        if len(self._seen) >= _MOST_REMEMBERED:
            self._seen.clear()
        self._seen[slug] = book
        return book


async def _end(looking: "asyncio.Task[Book]") -> None:
    if not looking.done():
        looking.cancel()
    elif looking.cancelled() or looking.exception() is None:
        return
    await asyncio.gather(looking, return_exceptions=True)


async def _with_guess(guess: Book, looking: "asyncio.Task[Book]", work: Ask[T]) -> T:
    async def confirm() -> None:
        # Shielded: who stops waiting for the look does not end it for who asks after it.
        book = looking.result() if looking.done() else await asyncio.shield(looking)
        if book.edition != guess.edition:
            raise _OutdatedError

    try:
        return await work(guess, confirm)
    except DeadlineExceeded:
        raise
    except QuothError:
        with suppress(Unavailable, DeadlineExceeded):  # what the answer broke on is what is said
            await confirm()  # an edition that is gone fails in ways that the current one does not
        raise


async def _confirmed() -> None:
    """Confirm an edition that has just been looked up."""


async def answer_question(
    question: Question,
    history: list[Message],
    answerer: Answerer,
    confirm: Confirm,
    release: Release | None = None,
) -> Answer:
    """Return the whole answer; what is known before it goes to `release`, if given, at once.

    Raises Unavailable when the events end without an answer: what was released is void then.
    """
    async with current_budget().stage(ANSWER) as allowed_s:
        if release is None:
            answer = await answerer.answer_whole(question, history, allowed_s)
            if answer is not None:
                await confirm()
        else:
            events = answerer.answer_question(question, history, allowed_s)
            answer = await _released(events, confirm, release)
    if answer is None:
        raise Unavailable("The answer broke off. Ask again.")
    return replace(answer, timings=[*_timings(current_budget()), *answer.timings])


async def _released(
    events: AsyncGenerator[AnswerEvent, None], confirm: Confirm, release: Release
) -> Answer | None:
    """Release what comes before the answer, and return that."""
    answer: Answer | None = None
    async with aclosing(events):
        async for event in events:
            await confirm()
            if isinstance(event, Answer):
                answer = event
            else:
                release(event)
    return answer


async def search_book(
    question: Question, max_passages: int, searcher: Searcher, confirm: Confirm
) -> SearchResult:
    async with current_budget().stage(ANSWER) as allowed_s:
        result = await searcher.search_passages(question, max_passages, allowed_s)
        await confirm()
    return replace(result, timings=[*_timings(current_budget()), *result.timings])


def _timings(budget: Budget) -> list[StageTiming]:
    return [
        StageTiming(
            timing.stage,
            round(timing.allowed_ms, 3),
            round(timing.used_ms, 3),
            timing.outcome.value,
        )
        for timing in budget.timings
    ]
