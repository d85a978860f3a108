"""A request in, an answer or passages out: resolve the edition, then ask, inside one deadline."""

from collections.abc import Callable
from contextlib import aclosing

from msgspec.structs import replace

from libs.budget import Budget, current_budget
from libs.budget.stages import ANSWER, RESOLVE
from libs.errors import Unavailable
from services.gateway.model import (
    Answer,
    Book,
    Message,
    PassagesFound,
    Question,
    SearchResult,
    SentenceReleased,
    StageTiming,
)
from services.gateway.ports import Answerer, Library, Searcher

Release = Callable[[PassagesFound | SentenceReleased], None]


async def resolve_book(slug: str, library: Library) -> Book:
    """Return the book as it is published now. Raises NotFound."""
    async with current_budget().stage(RESOLVE) as allowed_s:
        return await library.get_book(slug, allowed_s)


async def answer_question(
    question: Question,
    history: list[Message],
    answerer: Answerer,
    release: Release | None = None,
) -> Answer:
    """Return the whole answer; what is known before it goes to `release`, if given, at once.

    Raises Unavailable when the events end without an answer: what was released is void then.
    """
    answer: Answer | None = None
    async with (
        current_budget().stage(ANSWER) as allowed_s,
        aclosing(
            answerer.answer_question(question, history, allowed_s, answer_only=release is None)
        ) as events,
    ):
        async for event in events:
            if isinstance(event, Answer):
                answer = event
            elif release is not None:
                release(event)
    if answer is None:
        raise Unavailable("The answer broke off. Ask again.")
    return replace(answer, timings=[*_timings(current_budget()), *answer.timings])


async def search_book(question: Question, max_passages: int, searcher: Searcher) -> SearchResult:
    async with current_budget().stage(ANSWER) as allowed_s:
        result = await searcher.search_passages(question, max_passages, allowed_s)
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
