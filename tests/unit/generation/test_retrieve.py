"""What is asked is searched for as it is put, and as else it may be meant."""

from dataclasses import replace

import pytest

from libs.budget import Budget
from libs.budget.stages import GENERATION
from libs.question.analyse import QuestionAnalysis, analyse_question
from services.generation.model import Correction, Gate, Question, SearchResult, Selection
from services.generation.retrieve import follow_spelling, retrieve_meant, search_beyond
from tests.support.generation_fakes import passage, question, search_result

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


TOLD = "My sister asked me at dinner: why do lithium cells hate the cold?"
ALONE = "Why do lithium cells hate the cold?"


class Sure:
    """Finds something, by how surely the book answers a question."""

    def __init__(self, odds: dict[str, float]) -> None:
        self._odds = odds
        self.searched = list[str]()

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        self.searched.append(analysis.question)
        probability = self._odds.get(analysis.question, 0.0)
        return replace(search_result(), gate=Gate(probability, 0.5, probability >= 0.5))


@pytest.mark.parametrize(
    ("asked", "odds", "meant"),
    [
        (TOLD, {TOLD: 0.3, ALONE: 0.9}, ALONE),
        (TOLD, {TOLD: 0.9, ALONE: 0.3}, TOLD),
        ("Who wrote sdiff?", {"Who has written sdiff?": 0.9}, "Who has written sdiff?"),
        ("Who wrote sdiff?", {"Who wrote sdiff?": 0.6}, "Who wrote sdiff?"),
    ],
    ids=["told around it", "needs what is told", "in the participle", "in the past"],
)
async def test_the_reading_that_the_book_answers_most_surely_is_meant(
    asked: str, odds: dict[str, float], meant: str
) -> None:
    source = Sure(odds)
    understood, found = await retrieve_meant(
        source, question(asked), analyse_question(asked, "en"), Budget(5.0, GENERATION)
    )
    assert understood.question == meant
    assert found.gate.probability == odds[meant]
    assert len(source.searched) == 2


async def test_initials_of_a_title_are_asked_for_in_its_words() -> None:
    source = Sure({"What is the Kiln Oil Pump?": 0.9})
    asked = replace(question("What is the KOP?"), title="The Kiln Oil Pump manual")
    analysis = analyse_question(asked.text, "en", title=asked.title)
    understood, _ = await retrieve_meant(source, asked, analysis, Budget(5.0, GENERATION))
    assert understood.definiendum == "Kiln Oil Pump"
    assert len(source.searched) == 2


async def test_a_plain_question_is_searched_once() -> None:
    source, asked = Sure({}), "How do I reset the clock of the controller?"
    await retrieve_meant(
        source, question(asked), analyse_question(asked, "en"), Budget(5.0, GENERATION)
    )
    assert source.searched == [asked]


async def test_the_page_that_a_question_names_is_no_talk_around_it() -> None:
    asked = "On page 42, what does the book say about relief valves of the pump?"
    without = "What does the book say about relief valves of the pump?"
    source = Sure({without: 0.9})
    understood, _ = await retrieve_meant(
        source, question(asked), analyse_question(asked, "en"), Budget(5.0, GENERATION)
    )
    assert understood.page == "42"
    assert source.searched == [asked]


class Wordy:
    """Finds what has just the words of a question, and not one that it does not know."""

    def __init__(self, unknown: str) -> None:
        self._unknown = unknown

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        return search_result(passed=self._unknown not in analysis.question)


@pytest.mark.parametrize(
    ("asked", "passes"),
    [
        ("Which king gave the charter: John, Henry or Edward?", True),
        ("Did King Henry give the charter of the town?", False),
    ],
)
async def test_a_wrong_alternative_need_not_be_in_the_book(asked: str, *, passes: bool) -> None:
    analysis = analyse_question(asked, "en")
    understood, found = await retrieve_meant(
        Wordy("Henry"), question(asked), analysis, Budget(5.0, GENERATION)
    )
    assert found.gate.passed is passes
    assert understood.question == asked


TOWER = "The tower is 41 m high. Abbot Walter paid for the nave; the guild paid for the tower."


@pytest.mark.parametrize(
    ("asked", "passed"),
    [
        ("Who paid for the tower?", True),
        # The clause is said, so that what is asked behind it is judged alone; another one is not.
        ("Since the tower is 41 m high, who paid for it?", True),
        ("Since the tower is of brick, who paid for it?", False),
        ("Who paid for the font?", False),
    ],
)
async def test_a_sentence_with_all_that_is_asked_passes_however_little_it_is_rated(
    asked: str, passed: bool
) -> None:
    class Unsure:
        async def search(
            self, question: Question, analysis: QuestionAnalysis, allowed_s: float
        ) -> SearchResult:
            found = (passage(TOWER, TOWER),)
            return replace(search_result(), passages=found, gate=Gate(0.2, 0.5, False))

    analysis = analyse_question(asked, "en")
    _, found = await retrieve_meant(Unsure(), question(asked), analysis, Budget(5.0, GENERATION))
    assert found.gate.passed is passed


async def test_beyond_marked_text_the_whole_book_is_searched_for_what_is_near() -> None:
    class Whole:
        searched: Question | None = None

        async def search(
            self, question: Question, analysis: QuestionAnalysis, allowed_s: float
        ) -> SearchResult:
            self.searched = question
            return search_result()

    source, budget = Whole(), Budget(5.0, GENERATION)
    around = replace(search_result(), passages=(passage(TOWER, TOWER),), gate=Gate(0.2, 0.5, False))
    marked = question("Who oils the pump?", selection=Selection("a.mdx", 0, 9))

    async def beyond(asked: Question) -> SearchResult | None:
        of_mark = asked.selection is not None
        analysis = analyse_question(asked.text, "en", of_selection=of_mark)
        return await search_beyond(source, asked, analysis, budget, around)

    found = await beyond(marked)
    assert found is not None
    assert found.gate.near
    assert source.searched == replace(marked, selection=None)
    # A question that points at the mark is of what stands around it; without one all was searched.
    source.searched = None
    nearest = await beyond(replace(marked, text="Who oils it?"))
    assert nearest == replace(around, gate=replace(around.gate, near=True))
    assert source.searched is None
    assert await beyond(replace(marked, selection=None)) is None


def test_a_name_is_corrected_with_the_question_that_it_stands_in() -> None:
    asked = "What does the ForceManged option of HttpProxy do?"
    right = asked.replace("ForceManged", "ForceManaged")
    found = replace(
        search_result(),
        searched_question=right,
        corrections=(Correction("forcemanged", "forcemanaged"),),
    )
    followed = follow_spelling(analyse_question(asked), found)
    assert (followed.question, followed.names) == (right, ("ForceManaged", "HttpProxy"))
    assert follow_spelling(followed, search_result()) is followed
