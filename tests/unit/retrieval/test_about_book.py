"""A question about the book itself is answered from where the book speaks of itself."""

import pytest
from msgspec import structs

from libs.budget import Budget
from libs.budget.budget import set_current_budget
from libs.budget.stages import RETRIEVAL
from services.retrieval.model import HEADING, Chunk, Query, SearchResult, Selection
from services.retrieval.pipeline import search_passages
from tests.support.retrieval_fakes import FakeIndex, make_chapter, make_chunk, make_tools

BOOK = (
    make_chapter("index.md", 0, "The Robot Book", "This book explains robots.", "Version 3.0"),
    make_chapter("1.md", 1, "1. Motors", "A motor turns current into torque."),
    make_chapter("2.md", 2, "2. Sensors", "This chapter describes sensors.", "A lidar measures."),
    make_chapter("3.md", 3, "3. Care", "Who wrote this book was asked before.", "Oil it."),
)


@pytest.fixture(autouse=True)
def budget() -> None:
    set_current_budget(Budget(5.0, RETRIEVAL))


async def ask(question: str, *chunks: object, **query: object) -> SearchResult:
    index = FakeIndex(*(chunks or BOOK))  # type: ignore[arg-type]
    return await search_passages(Query("book", 1, question, **query), make_tools(index=index))  # type: ignore[arg-type]


def texts(result: SearchResult) -> list[str]:
    return [item.passage.chunk.text for item in result.passages]


async def test_the_subject_of_a_book_is_read_from_its_front() -> None:
    result = await ask("What is this book about?")
    assert result.gate.passed
    assert texts(result)[0].startswith("The Robot Book")
    assert len(result.passages[0].span_scores) == len(result.passages[0].passage.chunk.spans)


@pytest.mark.parametrize(
    ("opening", "is_told"),
    [
        ("Tern is a tool that rules lines.", True),
        ("You may have heard of rulers in the news.", False),
        ("Tern rules the first line of a page by itself.", False),
        ("Our ternary hours are ten to six.", False),
    ],
)
async def test_titles_tell_what_a_book_is_about_unless_it_opens_with_it(
    opening: str, *, is_told: bool
) -> None:
    front = make_chapter("index.md", 0, "Tern Manual", opening)
    chapters = [make_chapter(f"{one}.md", one, f"{one}. Part", "It rules.") for one in (1, 2, 3)]
    result = await ask("What is this book about?", front, *chapters)
    assert result.gate.passed
    assert any(opening in text for text in texts(result)) == is_told
    assert ("2. Part" in texts(result)) != is_told


async def test_the_title_that_metadata_give_names_what_a_book_opens_with() -> None:
    front = make_chapter("index.md", 0, "Introduction", "Tern is a tool that rules lines.")
    chapters = [make_chapter(f"{one}.md", one, f"{one}. Part", "It rules.") for one in (1, 2, 3)]
    result = await ask("What is this book about?", front, *chapters, title="Tern 2.1 manual")
    assert "Tern is a tool" in texts(result)[0]


async def test_the_licence_of_a_book_is_read_below_its_title_at_the_end() -> None:
    said = "This work is licensed under a Creative Commons Attribution licence."
    end = make_chapter("4.md", 4, "Licence", said, "The licence applies to any manual.")
    result = await ask("Under which licence is this book published?", *BOOK, end)
    assert result.gate.passed
    assert said in texts(result)[0]
    assert not (await ask("Under which licence is this book published?")).gate.passed


async def test_chapters_are_told_by_their_titles_exactly_as_they_stand() -> None:
    result = await ask("Which chapters are there?")
    assert texts(result) == ["1. Motors", "2. Sensors", "3. Care"]
    for item in result.passages:
        chunk = item.passage.chunk
        assert len(chunk.text) == chunk.end - chunk.start
        assert len(item.span_scores) == len(item.highlighted) == len(chunk.spans) == 1
    assert result.gate.passed


async def test_a_title_that_the_text_does_not_show_stands_over_its_first_line() -> None:
    bare = make_chunk("Oil it.", document="3.md", position=3, path=("3. Care",))
    result = await ask("List the chapters.", *BOOK[:3], bare)
    assert texts(result)[-1] == "Oil it."
    assert result.passages[-1].passage.chunk.section_path == ("3. Care",)


async def test_a_chapter_is_told_by_its_opening() -> None:
    result = await ask("What does chapter 2 cover?")
    assert texts(result) == [BOOK[2].text]
    assert result.gate.passed
    told, untold = result.gate, (await ask("What does chapter 1 cover?")).gate
    assert told.probability > untold.probability > told.threshold


async def test_a_chapter_that_there_is_not_is_refused_with_those_that_there_are() -> None:
    result = await ask("What does chapter 9 cover?")
    assert (result.passages, result.gate.passed) == ((), False)
    assert result.related_sections == ("1. Motors", "2. Sensors", "3. Care")


async def test_a_question_about_the_book_that_it_does_not_answer_does_not_pass() -> None:
    result = await ask("Who wrote this book?")
    assert not result.gate.passed
    assert texts(result) == [BOOK[0].text]


async def test_a_name_at_the_front_says_who_wrote_it_and_one_elsewhere_does_not() -> None:
    line = "Copyright © 2021 Ann Example"
    front = make_chapter("index.md", 0, "The Robot Book", line)
    assert (await ask("Who wrote this book?", front, *BOOK[1:])).gate.passed
    inside = make_chapter("3.md", 3, "3. Care", line)
    assert not (await ask("Who wrote this book?", *BOOK[:3], inside)).gate.passed


async def test_a_line_of_names_says_who_wrote_it_right_below_the_title_alone() -> None:
    line = "Ann Example – Version 1.2, 2024-03-01"
    below = make_chapter("index.md", 0, "The Robot Book", line)
    result = await ask("Who is the author?", below, *BOOK[1:])
    assert result.gate.passed
    assert line in texts(result)[0]
    later = make_chapter("index.md", 0, "The Robot Book", "Robots move.", line)
    assert not (await ask("Who is the author?", later, *BOOK[1:])).gate.passed


async def test_only_what_is_asked_of_the_book_is_read_so() -> None:
    result = await ask("What does a lidar measure?")
    assert texts(result)[0] == BOOK[2].text
    selection = Selection("2.md", text="A lidar measures.")
    of_selection = await ask("What is this book about?", selection=selection)
    assert {item.passage.chunk.document for item in of_selection.passages} == {"2.md"}


async def test_a_book_without_an_outline_is_searched_as_for_any_question() -> None:
    class Large(FakeIndex):
        async def outline(self, book: str, edition: int, *, timeout_s: float) -> tuple[()]:
            return ()

    tools = make_tools(index=Large(*BOOK))
    result = await search_passages(Query("book", 1, "What is this book about?"), tools)
    assert len(result.passages) == len(BOOK)


async def test_text_under_a_telling_title_passes_at_the_front_alone() -> None:
    lines = ("Robots are machines.", "Prerequisites", "Required", "Python")

    def page(document: str, position: int, title: str) -> Chunk:
        chunk = make_chapter(document, position, title, *lines, inner="Prerequisites")
        spans = [
            span._replace(kind=HEADING) if chunk.text_of(span) in lines[1:3] else span
            for span in chunk.spans
        ]
        return structs.replace(chunk, spans=tuple(spans))

    front = await ask("Who is this book for?", page("index.md", 0, "The Robot Book"), *BOOK[1:])
    assert front.gate.passed
    inside = await ask("Who is this book for?", *BOOK[:3], page("3.md", 3, "3. Care"))
    assert not inside.gate.passed


async def test_a_chapters_opening_comes_before_the_fronts_word_on_it() -> None:
    told = make_chapter("index.md", 0, "The Robot Book", "Chapter 1 explains how motors turn.")
    result = await ask("What does chapter 1 cover?", told, *BOOK[1:])
    assert texts(result) == [BOOK[1].text, told.text]
    assert result.gate.probability > 0.8


async def test_a_date_that_is_set_as_a_title_passes_at_the_front() -> None:
    def titled(date: str) -> Chunk:
        chunk = make_chunk(f"The Inn\nA guide\n{date}\nIt has rooms.", path=("The Inn",))
        *titles, last = chunk.spans
        spans = (*(one._replace(kind=HEADING) for one in titles), last)
        return structs.replace(chunk, spans=spans)

    asked = "When was this book published?"
    assert (await ask(asked, titled("August 5, 2019"))).gate.passed
    assert not (await ask(asked, titled("The rooms of 2019"))).gate.passed
