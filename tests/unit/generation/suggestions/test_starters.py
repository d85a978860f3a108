"""Questions to begin with: from all over the book, each answered by it, and made once an edition."""

import asyncio
from collections.abc import Mapping, Sequence

import pytest

from libs.budget import Budget, stages
from libs.errors import Unavailable
from libs.language.asked_in import load_lexicons
from libs.question.analyse import QuestionAnalysis
from services.generation.model import Passage, Question, SearchResult
from services.generation.suggestions.starters import KEPT_S, Starters
from tests.support.generation_fakes import passage, search_result

BOOK = Question("pumps", 1, "", language="en")
CHAPTERS = ["Pumps", "Valves", "Filters", "Motors", "Tanks", "Hoses"]


def chapter(title: str, tells: str = "are parts that a machine needs") -> Passage:
    text = f"{title} {tells}."
    return passage(text, document=text, section_path=(title,))


class Shelf:
    """Finds a chapter by its title; what asks for `unanswered` does not pass the gate."""

    def __init__(
        self, titles: Sequence[str] = CHAPTERS, also: Mapping[str, Sequence[Passage]] | None = None
    ) -> None:
        self.titles = titles
        self.also = also or {}
        self.unanswered: set[str] = set()
        self.asked: list[str] = []
        self.failing: set[str] = set()
        self.hanging: set[str] = set()

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        self.asked.append(question.text)
        if question.text in self.failing:
            raise Unavailable("The retrieval service does not answer.")
        if question.text in self.hanging:
            await asyncio.sleep(3600)
        if analysis.about_book:
            return search_result(tuple(map(chapter, self.titles)))
        passed = question.text not in self.unanswered
        if question.text in self.also:
            return search_result(tuple(self.also[question.text]))
        asked = question.text.lower()
        named = [one for one in self.titles if one.lower() in asked or asked in one.lower()]
        return search_result(tuple(map(chapter, named)), passed=passed)


class OnePassage:
    """Finds the same passage, whatever is asked."""

    def __init__(self, told: Passage) -> None:
        self._told = told

    async def search(
        self, question: Question, analysis: QuestionAnalysis, allowed_s: float
    ) -> SearchResult:
        return search_result((self._told,))


@pytest.fixture(scope="module", autouse=True)
def _compiled() -> None:
    """A service has compiled the patterns before it serves: a stage has no time for that."""
    load_lexicons()


def budget(total_s: float = 5.0) -> Budget:
    return Budget(total_s, stages.GENERATION)


async def test_three_questions_come_from_all_over_the_book() -> None:
    found = await Starters(Shelf()).suggest(BOOK, budget())
    assert found == ("What are pumps?", "What are filters?", "What are tanks?")


async def test_a_question_that_the_book_does_not_answer_is_not_suggested() -> None:
    shelf = Shelf()
    shelf.unanswered = {"What are filters?", "What are pumps?"}
    found = await Starters(shelf).suggest(BOOK, budget())
    assert found == ("What are valves?", "What are motors?", "What are tanks?")


async def test_questions_of_another_form_come_before_more_of_the_same() -> None:
    text = "Valves are hard to close. To close a valve, turn the wheel."
    shelf = Shelf(also={"Valves": [passage(text, document=text, section_path=("Valves",))]})
    shelf.titles = ["Pumps", "Valves", "Tanks"]
    shelf.also = {
        "Valves": [
            chapter("Valves"),
            passage(text, document=text, section_path=("Closing a valve",)),
        ],
        "How do I close a valve?": [passage(text, document=text, section_path=("Closing",))],
    }
    found = await Starters(shelf).suggest(BOOK, budget())
    assert found == ("What are pumps?", "How do I close a valve?", "What are tanks?")


async def test_a_chapter_that_asks_is_asked() -> None:
    shelf = Shelf(["1. What is a pump?", "Valves", "Tanks"])
    found = await Starters(shelf).suggest(BOOK, budget())
    assert found[0] == "What is a pump?"


async def test_a_thing_is_asked_for_once() -> None:
    shelf = Shelf(["What pumps are there?", "Pumps", "Valves", "Tanks"])
    found = await Starters(shelf).suggest(BOOK, budget())
    assert found == ("What pumps are there?", "What are valves?", "What are tanks?")


async def test_a_book_of_few_chapters_gives_more_of_each() -> None:
    text = "A pump is a machine that moves water. A valve is a part that stops water."
    whole = passage(text, document=text, section_path=("Pumps",))
    answers = {"What is a pump?": [whole], "What is a valve?": [whole]}
    shelf = Shelf(["Pumps"], also={"Pumps": [chapter("Pumps"), whole], **answers})
    found = await Starters(shelf).suggest(BOOK, budget())
    assert len(found) == 2
    assert len(set(found)) == 2


async def test_they_are_made_once_for_an_edition_for_a_while() -> None:
    shelf, now = Shelf(), [0.0]
    starters = Starters(shelf, lambda: now[0])
    first = await starters.suggest(BOOK, budget())
    searched = len(shelf.asked)
    assert await starters.suggest(BOOK, budget()) == first
    assert len(shelf.asked) == searched
    now[0] += KEPT_S
    assert await starters.suggest(BOOK, budget()) == first
    assert len(shelf.asked) == 2 * searched
    await starters.suggest(Question("pumps", 2, "", language="en"), budget())
    assert len(shelf.asked) == 3 * searched


async def test_a_failure_leaves_fewer_suggestions_and_is_not_cached() -> None:
    shelf = Shelf()
    shelf.failing = {"Filters"}
    starters = Starters(shelf)
    assert await starters.suggest(BOOK, budget()) == ("What are pumps?",)
    shelf.failing = set()
    assert len(await starters.suggest(BOOK, budget())) == 3


async def test_a_search_that_hangs_leaves_what_was_found_before() -> None:
    shelf = Shelf()
    shelf.hanging = {"Filters"}
    assert await Starters(shelf).suggest(BOOK, budget(0.4)) == ("What are pumps?",)


@pytest.mark.fault("D1")
async def test_without_retrieval_there_is_an_error_and_not_an_empty_list() -> None:
    shelf = Shelf()
    shelf.failing = {"What chapters are there?"}
    with pytest.raises(Unavailable):
        await Starters(shelf).suggest(BOOK, budget())


async def test_a_book_whose_chapters_are_not_told_raises_titles_that_ask() -> None:
    asks = passage("Una bomba.", document="Una bomba.", section_path=("¿Qué es una bomba?",))
    introduction = "Introducción a este libro"
    shelf = Shelf([], also={introduction: [asks], "¿Qué es una bomba?": [asks]})
    found = await Starters(shelf).suggest(Question("bombas", 1, "", language="es"), budget())
    assert found == ("¿Qué es una bomba?",)


async def test_chapters_of_a_book_in_another_language_raise_questions_in_it() -> None:
    pump = "La bomba es una máquina del pozo."
    told = passage(pump, document=pump, section_path=("La bomba",))
    hives = chapter("Las colmenas", "son unas cajas en las que viven las abejas")
    wells = chapter("Los pozos", "son unos agujeros que dan agua")
    also = {
        **dict.fromkeys(("Las colmenas", "¿Qué son las colmenas?"), (hives,)),
        **dict.fromkeys(("Los pozos", "¿Qué son los pozos?"), (wells,)),
        **dict.fromkeys(("La bomba", "¿Qué es la bomba?"), (told,)),
    }
    shelf = Shelf(["Las colmenas", "Los pozos", "La bomba"], also=also)
    book = Question("valle", 1, "", language="es")
    assert await Starters(shelf).suggest(book, budget()) == (
        "¿Qué son las colmenas?",
        "¿Qué son los pozos?",
        "¿Qué es la bomba?",
    )


@pytest.mark.parametrize(
    ("title", "text", "asked"),
    [
        ("Electric Lighting", "In 1879 electric lighting came to the town.", ()),
        (
            "Electric Lighting",
            "Electric lighting is a light by lamps.",
            ("What is electric lighting?",),
        ),
        ("Making a Living in Gold", "Some made a living in gold. Others went home.", ()),
        ("Closing a Valve", "To close a valve, turn the wheel.", ("How do I close a valve?",)),
        ("Types of valves", "Valves are old. Valves are made of steel.", ()),
        (
            "Kinds of pumps",
            "The kinds of pumps are the gear pump, the vane pump and the screw pump.",
            ("What are the kinds of pumps?",),
        ),
        ("By hand", "A pump is a simple example of such a machine.", ()),
        ("By hand", "Calcium is an element of bones. Bones keep calcium.", ("What is calcium?",)),
        ("Valves", "Valves are parts of a pump.", ("What are valves?",)),
        ("Valves", "The use of valves began in 1820.", ()),
        ("By hand", "Widget is a type. A widget is small.", ("What is Widget?",)),
    ],
)
async def test_only_what_is_said_of_a_title_is_asked(
    title: str, text: str, asked: tuple[str, ...]
) -> None:
    told = passage(text, document=text, section_path=(title,))
    found = await Starters(OnePassage(told)).suggest(BOOK, budget())
    assert found == asked
