"""What may answer: limits of a query, and what a selection restricts it to."""

import pytest

from libs.errors import InvalidInput
from libs.vectors.schema import Scope
from services.retrieval.model import Marked, Query, Selection
from services.retrieval.scope import check_query, find_scope, locate_text, restrict_to_selection
from tests.support.retrieval_fakes import FakeIndex, make_chunk

ASKED = Scope("book", 1)


def query(**changed):
    return Query(**{"book": "book", "edition": 1, "question": "What?", **changed})


@pytest.mark.parametrize(
    "changed",
    [
        {"book": ""},
        {"edition": 0},
        {"question": ""},
        {"question": " \n"},
        {"question": "x" * 4001},
        {"max_passages": -1},
        {"max_passages": 51},
        {"selection": Selection("", (0, 5))},
        {"selection": Selection("a.md")},
        {"selection": Selection("a.md", text="  ")},
        {"selection": Selection("a.md", (5, 5))},
        {"selection": Selection("a.md", (-1, 5))},
        {"selection": Selection("a.md", (0, 5001))},
        {"selection": Selection("a.md", text="x" * 5001)},
    ],
)
def test_a_query_outside_its_limits_is_refused(changed):
    with pytest.raises(InvalidInput):
        check_query(query(**changed))


@pytest.mark.parametrize(
    "changed",
    [
        {"question": "x"},
        {"question": "x" * 4000},
        {"max_passages": 50},
        {"selection": Selection("a.md", (0, 5000))},
        {"selection": Selection("a.md", text="x" * 5000)},
    ],
)
def test_a_query_at_its_limits_is_accepted(changed):
    check_query(query(**changed))


async def test_without_a_selection_the_section_is_the_scope_and_nothing_is_read():
    index = FakeIndex()
    scoped = await find_scope(query(section_path=("A", "B")), index, timeout_s=1)
    assert scoped.scope == Scope("book", 1, ("A", "B"))
    assert not scoped.widened
    assert index.scopes == []


async def test_a_selection_in_an_unknown_document_is_refused():
    index = FakeIndex(make_chunk("Text.", document="a.md"))
    with pytest.raises(InvalidInput, match="not part of this edition"):
        await find_scope(query(selection=Selection("z.md", (0, 5))), index, timeout_s=1)


def at(start, end):
    return Marked("a.md", (start, end), "")


def long_chunks():
    return [
        make_chunk("a" * 500, start=0, path=("Doc", "One")),
        make_chunk("b" * 500, start=502, path=("Doc", "One")),
        make_chunk("c" * 500, start=1004, path=("Doc", "Two")),
    ]


def test_a_selection_across_two_chunks_is_the_scope_itself():
    scoped = restrict_to_selection(ASKED, at(490, 510), long_chunks())
    assert scoped.scope == Scope("book", 1, (), "a.md", (490, 510))
    assert not scoped.widened


def test_a_selection_within_one_chunk_of_some_length_is_not_widened():
    scoped = restrict_to_selection(ASKED, at(10, 20), long_chunks())
    assert scoped.scope == Scope("book", 1, (), "a.md", (10, 20))
    assert not scoped.widened


def test_a_section_that_is_too_short_is_widened_to_the_one_above():
    chunks = [*long_chunks()[:2], make_chunk("c" * 50, start=1004, path=("Doc", "Two"))]
    scoped = restrict_to_selection(ASKED, at(1010, 1020), chunks)
    assert scoped.scope == Scope("book", 1, ("Doc",), "a.md")
    assert scoped.widened


def test_widening_stays_inside_the_section_that_was_asked_for():
    asked = Scope("book", 1, ("Doc", "Two"))
    chunks = [*long_chunks()[:2], make_chunk("c" * 50, start=1004, path=("Doc", "Two"))]
    scoped = restrict_to_selection(asked, at(1010, 1020), chunks)
    assert scoped.scope == Scope("book", 1, ("Doc", "Two"), "a.md")


def test_a_chunk_that_reaches_into_the_section_asked_for_belongs_to_it():
    asked = Scope("book", 1, ("Doc", "Two"))
    chunk = make_chunk("a" * 50, path=("Doc", "One"), also=("Doc", "Two"))
    scoped = restrict_to_selection(asked, at(0, 20), [chunk])
    assert scoped.scope.section_path == ("Doc", "Two")


def test_two_chunks_of_few_characters_are_too_little():
    chunks = [
        make_chunk("short", start=0, path=("Doc", "One")),
        make_chunk("brief", start=7, path=("Doc", "One")),
        make_chunk("c" * 500, start=14, path=("Doc", "Two")),
    ]
    scoped = restrict_to_selection(ASKED, at(0, 12), chunks)
    assert scoped.scope.section_path == ("Doc",)
    assert scoped.widened


def test_a_selection_that_touches_no_chunk_is_refused():
    with pytest.raises(InvalidInput):
        restrict_to_selection(ASKED, at(5000, 5010), long_chunks())


TEXT = "The robot’s knee bends.\n\nStep one: bolt the frame.\nIt weighs 5 kg – no more."


@pytest.mark.parametrize(
    ("marked", "found"),
    [
        ("knee bends", "knee bends"),
        ("  knee bends.\n", "knee bends."),
        ("The robot's knee", "The robot’s knee"),
        ("bends. Step one:", "bends.\n\nStep one:"),
        ("weighs 5 kg - no", "weighs 5 kg – no"),
        ("1. **Step one**: _bolt_ the", "Step one: bolt the"),
        ("[the frame](https://example.org/42) It", "the frame.\nIt"),
        ("| weighs | 5 kg |", "weighs 5 kg"),
    ],
)
def test_marked_text_is_found_whatever_its_white_space_typography_and_markup(marked, found):
    start, end = locate_text(marked, [make_chunk(TEXT)])
    assert TEXT[start:end] == found


def test_marked_text_is_found_across_chunks_that_do_not_start_at_zero():
    chunks = [make_chunk("First words", start=30), make_chunk("last words", start=43)]
    assert locate_text("words last", chunks) == (36, 47)


@pytest.mark.parametrize("marked", ["nowhere to be found", "***", "…"])
def test_marked_text_that_is_not_there_is_refused(marked):
    with pytest.raises(InvalidInput, match="not found"):
        locate_text(marked, [make_chunk(TEXT)])
