"""A question that names "the document" is of the book itself first, and then of a thing in it."""

import pytest

from libs.budget import Budget
from libs.budget.stages import GENERATION
from libs.question.analyse import QuestionAnalysis, analyse_question
from services.generation.model import Question, SearchResult
from services.generation.retrieve import retrieve_meant
from tests.support.generation_fakes import question, search_result

ASKED = "Who wrote the document?"


class Source:
    """Finds something, by whether the book itself is asked about."""

    def __init__(self, *, of_book: bool, of_thing: bool) -> None:
        self._passes = {True: of_book, False: of_thing}
        self.searched = list[bool]()

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        is_of_book = analysis.about_book is not None
        self.searched.append(is_of_book)
        return search_result(passed=self._passes[is_of_book])


@pytest.mark.parametrize(
    ("asked", "of_book", "of_thing", "searched", "meant"),
    [
        (ASKED, True, True, [True], True),
        (ASKED, False, True, [True, False], False),
        (ASKED, False, False, [True, False], True),
        ("Who wrote this book?", False, True, [True], True),
    ],
    ids=["the book says it", "the book says it of a thing", "neither", "the book alone is meant"],
)
async def test_a_thing_in_the_book_is_meant_where_the_book_says_nothing_of_itself(
    asked: str, of_book: bool, of_thing: bool, searched: list[bool], meant: bool
) -> None:
    source = Source(of_book=of_book, of_thing=of_thing)
    analysis = analyse_question(asked, "en")
    understood, found = await retrieve_meant(
        source, question(asked), analysis, Budget(5.0, GENERATION)
    )
    assert source.searched == searched
    assert (understood.about_book is not None) is meant
    assert found.gate.passed is (of_book if meant else of_thing)
