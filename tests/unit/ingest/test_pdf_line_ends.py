"""PDF: names broken behind a point, code that goes on, and what ends with its page or begins one."""

from collections import Counter
from dataclasses import replace

import pytest

from services.ingest.model.book import BlockKind, Markup, MarkupKind
from services.ingest.parsers.outline import Item
from services.ingest.parsers.pdf import parse_pdf
from services.ingest.parsers.pdf.flow import Measures, Paragraph, text_of
from services.ingest.parsers.pdf.headings import Headings
from services.ingest.parsers.pdf.line import Line, Sign
from services.ingest.parsers.pdf.notes import hang_marks
from services.ingest.parsers.pdf.pages import Bookmark, _to_line
from tests.support.pdf_files import pdf_of, text_at
from tests.unit.ingest.test_pdf import LINES, block_of, pieces

IN_CODE = ((MarkupKind.CODE, ""),)


@pytest.mark.parametrize(
    ("above", "below", "both_code", "text"),
    [
        ("ends in changelog.", "gz, as all do", True, "ends in changelog.gz, as all do"),
        ("the option max_", "size is one", True, "the option max_size is one"),
        (
            "see the changelog.",
            "gz is another word",
            False,
            "see the changelog. gz is another word",
        ),
        ("the commands ls", "cat and dd", True, "the commands ls cat and dd"),
    ],
)
def test_a_name_in_the_font_of_code_is_whole_where_a_line_ends_behind_its_point(
    above: str, below: str, both_code: bool, text: str
) -> None:
    ends = Markup(MarkupKind.CODE, above.rindex(" ") + 1, len(above))
    begins = Markup(MarkupKind.CODE, 0, 2)
    first = Line(above, 1, 72, 400, 100, 10, markup=(ends,))
    second = Line(below, 1, 72, 300, 88, 10, markup=(begins,) if both_code else ())
    assert text_of(Paragraph([first, second]), Counter()).text == text


@pytest.mark.parametrize("drawn", [",→", "\u02d3→"])
def test_the_rest_of_a_line_of_code_behind_a_hooked_arrow_belongs_to_the_line_above(
    drawn: str,
) -> None:
    arrow: list[Sign] = [(sign, 70.0, 75.0, 0.0, 10.0, ()) for sign in drawn]
    code: list[Sign] = [(sign, 80.0, 85.0, 0.0, 10.0, IN_CODE) for sign in "gz"]
    [rest] = _to_line([*arrow, (" ", 75.0, 80.0, 0.0, 10.0, ()), *code], 1)
    assert (rest.text, rest.is_mono, rest.is_rest) == ("gz", True, True)
    above = replace(rest, text="ls a.", left=60.0, y=12.0, is_rest=False)
    assert text_of(Paragraph([above, rest], is_code=True), Counter()).text == "ls a.gz"


def test_a_line_of_text_that_begins_with_an_arrow_keeps_it() -> None:
    signs: list[Sign] = [(sign, 70.0, 75.0, 0.0, 10.0, ()) for sign in ",→ab"]
    [line] = _to_line(signs, 1)
    assert (line.text, line.is_rest) == (",→ab", False)


def test_a_line_that_had_room_for_the_next_word_ends_with_its_page() -> None:
    first = [*block_of(LINES, 400), text_at(72, 360, "- /etc/monthly")]
    second = block_of(["As these names imply, they are run from time to time.", *LINES], 700)
    read = pieces(parse_pdf(pdf_of([first, second]), "F"))
    assert ("LIST_ITEM", 1, "/etc/monthly") in read
    assert any(text.startswith("As these names") for _, _, text in read)


@pytest.mark.parametrize(
    "shown", ["7章 The Archive", "第 7 章 The Archive", "Chapter 7 The Archive"]
)
def test_the_outline_names_titles_with_the_number_of_their_chapter(shown: str) -> None:
    paragraph = Paragraph([Line(shown, 2, 72, 300, 700, 17)])
    found = Headings([Bookmark("The Archive", 1, 2)], [paragraph], Measures(10, 12))
    assert found.levels_of([paragraph], [shown]) == [1]


def test_a_mark_that_begins_the_rest_of_a_line_belongs_to_the_words_before_it() -> None:
    first = Line("provided by it.", 1, 72, 200, 100, 10)
    rest = Line("Here is the next", 1, 206, 300, 100, 10, note="13")
    notes = {"13@1": [Item(BlockKind.FOOTNOTE, "The note.")]}
    [marked, bare] = hang_marks([first, rest], notes, Measures(10, 12))
    assert (marked.marks, bare.note, bare.text) == (("13",), "", "Here is the next")
    [kept, other] = hang_marks([first, replace(rest, note="7")], notes, Measures(10, 12))
    assert (kept.marks, other.note) == ((), "7")


def test_the_number_of_a_chapter_in_two_lines_over_it_belongs_to_its_title() -> None:
    number = [text_at(480, 740, "CHAPTER", 14), text_at(500, 700, "TWO", 20)]
    second = [*number, text_at(300, 650, "THE ARCHIVE", 17), *block_of(LINES, 600)]
    pages = [block_of(LINES, 700), second]
    parsed = parse_pdf(pdf_of(pages, [("The Archive", 2)]), "Book")
    assert [section.path[-1] for section in parsed.sections][-1] == "CHAPTER TWO THE ARCHIVE"
    assert [text for kind, _, text in pieces(parsed) if kind == "PARAGRAPH"] == [
        " ".join(LINES),
        " ".join(LINES),
    ]
