"""What is asked next is about what was just read: of its section, its document, or found beside it."""

from dataclasses import replace

import pytest

from libs.budget import Budget, stages
from libs.language.asked_in import load_lexicons
from libs.question.analyse import QuestionAnalysis
from services.generation.model import Passage, Question, SearchResult
from services.generation.suggestions.starters import Starters
from services.generation.suggestions.suggest import Suggester
from tests.support.generation_fakes import passage, search_result

ASKED = Question("pumps", 1, "What are valves?", language="en")


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    load_lexicons()


def section(*path: str, start: int) -> Passage:
    text = f"{path[-1]} are parts that a machine needs."
    told = passage(text, document=text, section_path=path)
    return replace(
        told,
        chunk_id=path[-1],
        locator=replace(told.locator, start=start, end=start + len(text)),
        spans=tuple(
            replace(one, start=one.start + start, end=one.end + start) for one in told.spans
        ),
    )


BOOK = {
    one.chunk_id: one
    for one in (
        section("Water", "Parts", "Pumps", start=0),
        section("Water", "Parts", "Valves", start=100),
        section("Water", "Parts", "Filters", start=200),
        section("Water", "Parts", "Tanks", start=300),
        section("Fire", "Motors", start=400),
    )
}


ELSEWHERE = replace(
    BOOK["Filters"],
    chunk_id="elsewhere",
    locator=replace(BOOK["Filters"].locator, section_path=("Fire", "Motors")),
)
"""Says the same of filters."""


class Shelf:
    """Finds what a question names; with no name of its own, all of the part that it is asked of."""

    def __init__(self, misled: str = "") -> None:
        self.misled = misled

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        path = question.section_path
        within = [one for one in BOOK.values() if one.locator.section_path[: len(path)] == path]
        named = [one for one in within if one.chunk_id.lower() in question.text.lower()]
        if self.misled and self.misled.lower() in question.text.lower():
            named = [ELSEWHERE]
        return search_result(tuple(within if path or question.document else named))


async def go_on(shelf: Shelf, read: Passage) -> tuple[str, ...]:
    budget = Budget(5.0, stages.GENERATION)
    return await Suggester(shelf, budget).suggest_next(ASKED, read.locator)


async def test_the_rest_of_the_section_comes_first_without_the_question_asked() -> None:
    assert await go_on(Shelf(), BOOK["Valves"]) == (
        "What are filters?",
        "What are tanks?",
        "What are pumps?",
    )


async def test_a_question_answered_from_another_place_is_not_suggested() -> None:
    found = await go_on(Shelf(misled="filters"), BOOK["Valves"])
    assert "What are filters?" not in found
    assert "What are tanks?" in found


async def test_an_answer_that_quotes_nothing_is_followed_by_nothing() -> None:
    budget = Budget(5.0, stages.GENERATION)
    assert await Starters(Shelf()).suggest_next(ASKED, (), budget) == ()
