"""A part of a book is found by a part of its name, and a name that is none is told what comes near."""

import pytest

from libs.errors import InvalidInput
from libs.language.lexicon import load_lexicon
from services.retrieval.model import Heading
from services.retrieval.named_part import find_chapter, find_section
from services.retrieval.outline import Outline

RULES = load_lexicon("en").about_book
PATHS = (
    ("Robots",),
    ("Robots", "1. Arms"),
    ("Robots", "1. Arms", "Safety"),
    ("Robots", "1. Arms", "Joints and Links"),
    ("Robots", "2. Memcheck: a checker"),
    ("Robots", "2. Memcheck: a checker", "Options"),
    ("Robots", "3. Cachegrind: a profiler"),
    ("Robots", "3. Cachegrind: a profiler", "Options"),
)
HEADINGS = [Heading("a.md", 10 * place, path) for place, path in enumerate(PATHS)]
BOOK = Outline(HEADINGS, RULES)


@pytest.mark.parametrize(
    ("path", "found"),
    [
        (("safety",), PATHS[2]),
        (("Arms", "Safety"), PATHS[2]),
        (("Robots", "Safety"), PATHS[2]),
        (("joints",), PATHS[3]),
        (("Memcheck",), PATHS[4]),
        (("Memcheck", "Options"), PATHS[5]),
        (("a checker",), PATHS[4]),
        (("arms",), PATHS[1]),
    ],
)
def test_a_section_is_found_by_its_own_title_or_a_part_of_it(
    path: tuple[str, ...], found: tuple[str, ...]
) -> None:
    assert find_section(path, HEADINGS, RULES) == found


def test_a_title_of_several_sections_is_told_with_what_stands_above_each() -> None:
    with pytest.raises(
        InvalidInput, match=r"Memcheck: a checker > Options; .*profiler > Options\."
    ):
        find_section(("Options",), HEADINGS, RULES)


@pytest.mark.parametrize("name", ["Safty", "Cachegrid"])
def test_a_title_that_is_misspelled_is_told_the_nearest(name: str) -> None:
    with pytest.raises(
        InvalidInput, match=r"is no section .* Near it: Robots > (1. Arms > S|3. C)"
    ):
        find_section((name,), HEADINGS, RULES)


def test_a_title_that_is_near_none_is_told_what_there_is() -> None:
    with pytest.raises(InvalidInput, match=r"no section .* There are: Robots > 1\. Arms; "):
        find_section(("Massif",), HEADINGS, RULES)
    assert find_section(("Massif",), [], RULES) == ("Massif",)


def test_a_chapter_is_found_by_words_of_its_title() -> None:
    assert find_chapter("memcheck", BOOK).path == PATHS[4]


def test_a_chapter_that_is_none_is_told_which_there_are() -> None:
    told = r'^"Massif" is no chapter of this edition of the book\. Chapters: 1\. Arms; 2\. Memcheck: a '
    with pytest.raises(InvalidInput, match=told):
        find_chapter("Massif", BOOK)
    with pytest.raises(InvalidInput, match=r"Near it: .*1\. Arms > Safety\. Chapters: 1\. Arms; "):
        find_chapter("Safty", BOOK)


def test_a_refusal_tells_some_of_very_many_parts_and_how_many_more() -> None:
    many = [Heading(f"{n:02}.md", 0, (f"{n}. {'x' * 200}",)) for n in range(1, 21)]
    with pytest.raises(InvalidInput, match=r"…; and 14 more\.$"):
        find_chapter("Massif", Outline(many, RULES))
