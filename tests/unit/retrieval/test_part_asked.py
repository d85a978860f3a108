"""Which part of a book a question says it asks of, and that all of it is searched where that fails."""

from dataclasses import replace
from string import ascii_lowercase

import pytest

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.language.lexicon import load_lexicon
from libs.question.about_book import name_parts
from libs.vectors.schema import Scope
from services.retrieval.model import Heading, Listed, Query
from services.retrieval.outline import Outline
from services.retrieval.part_asked import find_part_asked
from services.retrieval.pipeline import search_passages
from tests.support.retrieval_fakes import make_chunk, make_tools

ENGLISH = load_lexicon("en")
WHOLE = Scope("book", 1)

COURSE = {
    "week-1-lesson-1-welcome.md": "Welcome",
    "week-2-lesson-1-arms.md": "Arms and Grippers",
    "module-1-project.md": "Module 1 Assessment: Gripper Simulation",
    "module-2-project.md": "Module 2 Assessment: Arm Perception",
    "capstone.md": "Capstone Project: A Robot That Tidies",
    "hardware.md": "Hardware Requirements",
    "kit.md": "Economy Arm Student Kit Guide",
}


def outline_of(titles: dict[str, str]) -> Outline:
    headings = [Heading(name, 0, (title,)) for name, title in titles.items()]
    return Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)


@pytest.mark.parametrize(
    ("question", "document"),
    [
        ("How heavy is the robot in the gripper assignment?", "module-1-project.md"),
        ("What must be handed in for the Arm perception project?", "module-2-project.md"),
        ("How long is the video for the capstone?", "capstone.md"),
        ("Which commands does the capstone robot understand?", "capstone.md"),
        ("What does the hardware page say of memory?", "hardware.md"),
        ("What does each part of the student kit cost?", "kit.md"),
        ("How many joints are drawn in the Arms and Grippers lesson?", "week-2-lesson-1-arms.md"),
        ("In the project on gripper simulation, how long is the report?", "module-1-project.md"),
    ],
)
def test_a_document_is_found_by_the_words_and_the_kind_of_its_title(
    question: str, document: str
) -> None:
    found = find_part_asked(question, WHOLE, outline_of(COURSE), ENGLISH)
    assert found == replace(WHOLE, document=document)


@pytest.mark.parametrize(
    "question",
    [
        "How heavy is a robot?",
        "How do arms and grippers work?",
        "How many kits are there?",
        "In the welding project, how long is the report?",
        "In the Module project, how long is the report?",
        "Is the capstone harder than the gripper project?",
        "What does lesson 9 say of drones?",
    ],
    ids=["of nothing", "a thing", "no such words", "not there", "several", "two", "no number"],
)
def test_everything_is_searched_where_no_one_part_is_named(question: str) -> None:
    assert find_part_asked(question, WHOLE, outline_of(COURSE), ENGLISH) is None


def test_a_numbered_chapter_is_a_section_where_the_book_is_one_document() -> None:
    paths = [("Robots",), ("Robots", "1. Arms"), ("Robots", "2. Legs"), ("Robots", "3. Eyes")]
    headings = [Heading("a.pdf", 10 * at, path) for at, path in enumerate(paths)]
    book = Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)
    for question in ("How fast is it in chapter 2?", "In chapter two, how fast is it?"):
        found = find_part_asked(question, WHOLE, book, ENGLISH)
        assert found == Scope("book", 1, ("Robots", "2. Legs"), "a.pdf")
    found = find_part_asked("How fast is it in the last chapter?", WHOLE, book, ENGLISH)
    assert found == Scope("book", 1, ("Robots", "3. Eyes"), "a.pdf")
    found = find_part_asked("In the section on legs, how fast is it?", WHOLE, book, ENGLISH)
    assert found == Scope("book", 1, ("Robots", "2. Legs"), "a.pdf")


def test_a_module_is_searched_with_all_that_the_contents_have_below_it() -> None:
    listed = [(0, "Module 1: Arms"), (1, "Joints"), (1, "Motors"), (0, "Module 2: Legs")]
    headings = [
        Heading(f"{letter}.md", 0, (title,), Listed(depth, (), True))
        for letter, (depth, title) in zip(ascii_lowercase, listed, strict=False)
    ]
    book = Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)
    found = find_part_asked("Which motor is used in module 1?", WHOLE, book, ENGLISH)
    assert found is not None
    assert [place[0] for place in found.places] == ["a.md", "b.md", "c.md"]
    found = find_part_asked("Which motor is used in module 2?", WHOLE, book, ENGLISH)
    assert found == replace(WHOLE, document="d.md")


def test_a_folder_is_searched_whole_where_its_first_page_is_named() -> None:
    lessons = {
        "lessons/1-start/README.md": "Getting Started",
        "lessons/1-start/assignment.md": "Build a Lamp",
        "lessons/2-deeper/README.md": "A Deeper Dive into Lamps",
        "lessons/2-deeper/assignment.md": "Compare Two Lamps",
    }
    asked = "What does the assignment of the deeper dive lesson ask for?"
    found = find_part_asked(asked, WHOLE, outline_of(lessons), ENGLISH)
    assert found is not None
    assert [place[0] for place in found.places] == [*lessons][2:]


@pytest.mark.parametrize(
    ("language", "question", "title"),
    [
        ("de", "Welche Ölmenge nennt das Kapitel Wartung?", "Wartung"),
        ("de", "Was kostet laut der Seite „Preise und Fristen“ der Kurs?", "Preise und Fristen"),
        ("fr", "Quelle longueur demande le projet « Bras articulé » ?", "Bras articulé"),
        ("es", "¿Qué motor pide el proyecto «Brazo robótico»?", "Brazo robótico"),
        ("pt", "Que motor pede o projeto «Braço robótico»?", "Braço robótico"),
        ("en", "How long may the report be in the project on grasping?", "grasping"),
    ],
)
def test_a_title_is_named_in_the_language_of_the_question(
    language: str, question: str, title: str
) -> None:
    [named] = name_parts(question, load_lexicon(language))
    assert named.title == title


ARMS = "The arm of the capstone lifts 3 kg. Its motor is a hydraulic one."
WELDING = "Welding needs 40 volts of voltage at the torch."
BOOK = (
    make_chunk(ARMS, document="capstone.md", path=("Capstone Project: Arms",)),
    make_chunk(WELDING, document="welding.md", path=("Welding",)),
    make_chunk("The arm of the welder lifts 9 kg.", document="weld.md", path=("Welders",)),
)


@pytest.fixture(autouse=True)
def budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


async def test_a_part_that_answers_is_all_that_is_searched() -> None:
    asked = Query("book", 1, "How much does the arm lift in the capstone?")
    found = await search_passages(asked, make_tools(*BOOK))
    assert {one.passage.chunk.document for one in found.passages} == {"capstone.md"}


async def test_a_part_that_does_not_answer_leaves_the_whole_book_to_search() -> None:
    asked = Query("book", 1, "How many volts does the torch of the capstone need?")
    found = await search_passages(asked, make_tools(*BOOK))
    assert "welding.md" in {one.passage.chunk.document for one in found.passages}
