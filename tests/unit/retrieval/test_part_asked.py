"""Which part of a book a question says it asks of, and that all of it is searched where that fails."""

from dataclasses import replace
from string import ascii_lowercase

import pytest

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from libs.language.lexicon import load_lexicon
from libs.question.about_book import name_parts, omit_parts
from libs.vectors.schema import Scope
from services.retrieval.model import Heading, Listed, MissingPart, Query
from services.retrieval.outline import Outline
from services.retrieval.part_asked import find_missing_part, find_parts_asked
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
    found = find_parts_asked(question, WHOLE, outline_of(COURSE), ENGLISH)
    assert found == (replace(WHOLE, document=document),)


@pytest.mark.parametrize(
    "question",
    [
        "How heavy is a robot?",
        "How do arms and grippers work?",
        "How many kits are there?",
        "In the welding project, how long is the report?",
        "In the Module project, how long is the report?",
        "Is the capstone harder than the welding project?",
        "What does lesson 9 say of drones?",
        "How long is the video of each of the five projects?",
    ],
    ids=[
        "of nothing",
        "a thing",
        "no such words",
        "not there",
        "several",
        "one",
        "no number",
        "four",
    ],
)
def test_everything_is_searched_where_no_part_is_named_for_sure(question: str) -> None:
    assert find_parts_asked(question, WHOLE, outline_of(COURSE), ENGLISH) == ()


@pytest.mark.parametrize(
    ("question", "documents"),
    [
        (
            "Is the capstone harder than the gripper project?",
            ["module-1-project.md", "capstone.md"],
        ),
        (
            "How long is the video of each of the three projects?",
            ["module-1-project.md", "module-2-project.md", "capstone.md"],
        ),
        (
            "Is the second project harder than the last project?",
            ["module-2-project.md", "capstone.md"],
        ),
        ("How long is project 2?", ["module-2-project.md"]),
        ("How long is the module 1 project?", ["module-1-project.md"]),
        (
            "What do the hardware page and the student kit say of cameras?",
            ["hardware.md", "kit.md"],
        ),
    ],
    ids=["two", "each", "by place", "by number", "by its module", "a page and a name"],
)
def test_each_of_several_parts_is_found_in_the_order_of_the_book(
    question: str, documents: list[str]
) -> None:
    found = find_parts_asked(question, WHOLE, outline_of(COURSE), ENGLISH)
    assert [one.document for one in found] == documents


def test_a_section_is_searched_and_not_the_document_around_it() -> None:
    paths = [("Robots",), ("Robots", "1. Arms"), ("Robots", "1. Arms", "1.2. Motors")]
    paths += [("Robots", "2. Legs"), ("Robots", "3. Eyes")]
    headings = [Heading("a.pdf", 10 * at, path) for at, path in enumerate(paths)]
    book = Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)
    [found] = find_parts_asked("How fast is it in section 1.2 of chapter 1?", WHOLE, book, ENGLISH)
    assert found.section_path == ("Robots", "1. Arms", "1.2. Motors")
    both = find_parts_asked("How fast is it in chapters 1 and 3?", WHOLE, book, ENGLISH)
    assert [one.section_path[-1] for one in both] == ["1. Arms", "3. Eyes"]


@pytest.mark.parametrize(
    ("question", "last"),
    [
        ("What does week 9 say of drones?", 2),
        ("What is said in week 2 of drones?", None),
        ("Which arms are there in chapter 4?", None),
    ],
    ids=["beyond", "there", "not counted"],
)
def test_a_number_beyond_those_of_the_book_is_missing(question: str, last: int | None) -> None:
    found = find_missing_part(question, outline_of(COURSE), ENGLISH)
    assert (found.last if found else None) == last


@pytest.mark.parametrize(
    ("language", "question", "rest"),
    [
        (
            "en",
            "How long is the film in the arm project and the capstone?",
            "How long is the film in it?",
        ),
        ("en", "Which motor do chapters 2 and 4 use?", "Which motor do it use?"),
        (
            "de",
            "Wie lang ist der Bericht in jedem der drei Projekte?",
            "Wie lang ist der Bericht in es?",
        ),
        ("fr", "Quel moteur utilisent les chapitres 2 et 4 ?", "Quel moteur utilisent les cela?"),
        ("es", "¿Qué motor usa cada uno de los tres proyectos?", "¿Qué motor usa esto?"),
        ("pt", "Que motor usa cada um dos três projetos?", "Que motor usa isso?"),
    ],
)
def test_parts_are_left_out_of_what_each_is_asked(language: str, question: str, rest: str) -> None:
    assert omit_parts(question, load_lexicon(language), ["capstone"]) == rest


def test_a_numbered_chapter_is_a_section_where_the_book_is_one_document() -> None:
    paths = [("Robots",), ("Robots", "1. Arms"), ("Robots", "2. Legs"), ("Robots", "3. Eyes")]
    headings = [Heading("a.pdf", 10 * at, path) for at, path in enumerate(paths)]
    book = Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)
    for question in ("How fast is it in chapter 2?", "In chapter two, how fast is it?"):
        [found] = find_parts_asked(question, WHOLE, book, ENGLISH)
        assert found == Scope("book", 1, ("Robots", "2. Legs"), "a.pdf")
    [found] = find_parts_asked("How fast is it in the last chapter?", WHOLE, book, ENGLISH)
    assert found == Scope("book", 1, ("Robots", "3. Eyes"), "a.pdf")
    [found] = find_parts_asked("In the section on legs, how fast is it?", WHOLE, book, ENGLISH)
    assert found == Scope("book", 1, ("Robots", "2. Legs"), "a.pdf")


def test_a_module_is_searched_with_all_that_the_contents_have_below_it() -> None:
    listed = [(0, "Module 1: Arms"), (1, "Joints"), (1, "Motors"), (0, "Module 2: Legs")]
    headings = [
        Heading(f"{letter}.md", 0, (title,), Listed(depth, (), True))
        for letter, (depth, title) in zip(ascii_lowercase, listed, strict=False)
    ]
    book = Outline(headings, ENGLISH.about_book, ENGLISH.checks.numbers.values)
    [found] = find_parts_asked("Which motor is used in module 1?", WHOLE, book, ENGLISH)
    assert [place[0] for place in found.places] == ["a.md", "b.md", "c.md"]
    [found] = find_parts_asked("Which motor is used in module 2?", WHOLE, book, ENGLISH)
    assert found == replace(WHOLE, document="d.md")


def test_a_folder_is_searched_whole_where_its_first_page_is_named() -> None:
    lessons = {
        "lessons/1-start/README.md": "Getting Started",
        "lessons/1-start/assignment.md": "Build a Lamp",
        "lessons/2-deeper/README.md": "A Deeper Dive into Lamps",
        "lessons/2-deeper/assignment.md": "Compare Two Lamps",
    }
    asked = "What does the assignment of the deeper dive lesson ask for?"
    [found] = find_parts_asked(asked, WHOLE, outline_of(lessons), ENGLISH)
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


async def test_each_of_two_parts_is_searched_for_what_is_asked_of_it() -> None:
    gripper = "The gripper of the arm lifts 1 kg."
    other = make_chunk(gripper, document="grip.md", path=("Gripper Project",))
    tools = make_tools(*BOOK, other)
    asked = Query(
        "book", 1, "How much does the arm lift in the capstone and in the gripper project?"
    )
    found = await search_passages(asked, tools)
    assert [one.passage.chunk.document for one in found.passages] == ["capstone.md", "grip.md"]
    assert [one.title for one in found.asked_parts] == ["Capstone Project: Arms", "Gripper Project"]
    assert [len(one.chunk_ids) for one in found.asked_parts] == [1, 1]
    assert found.asked_of_parts == "How much does the arm lift in it?"


async def test_one_part_that_is_named_is_none_of_several() -> None:
    asked = Query("book", 1, "How much does the arm lift in the capstone?")
    found = await search_passages(asked, make_tools(*BOOK))
    assert (found.asked_parts, found.asked_of_parts) == ((), "")


WEEKS = tuple(
    make_chunk(
        f"Week {number} is about arms.",
        document=f"week-{number}.md",
        path=(f"Week {number}: Arms",),
    )
    for number in (1, 2, 3)
)


@pytest.mark.parametrize(
    "question",
    ["What does week 7 say about drones?", "What is week 7 about?"],
    ids=["in it", "of it"],
)
async def test_a_part_that_is_not_there_is_told(question: str) -> None:
    found = await search_passages(Query("book", 1, question), make_tools(*WEEKS))
    assert found.missing_part == MissingPart("week", 7, 3)


async def test_a_part_that_the_text_speaks_of_is_not_missing() -> None:
    holidays = make_chunk("There are no drones in week 7.", document="dates.md", path=("Dates",))
    question = "What does week 7 say about drones?"
    found = await search_passages(Query("book", 1, question), make_tools(*WEEKS, holidays))
    assert found.missing_part is None
