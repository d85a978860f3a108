"""What a PDF is called: what the file says, unless a program wrote that, or its first page."""

import pytest

from services.ingest.parsers.pdf import parse_pdf
from tests.support.pdf_files import pdf_of, text_at

PROSE = "A paragraph of the book that goes from one edge of the page to the other, as most do."


def page(*titles: tuple[str, int]) -> list[str]:
    tops = [text_at(72, 760 - 40 * at, text, size) for at, (text, size) in enumerate(titles)]
    return [*tops, *(text_at(72, 640 - 12 * at, PROSE) for at in range(9))]


@pytest.mark.parametrize(
    "stated",
    [
        *("", "untitled", "Untitled-2", "Microsoft Word - x.doc", "Document1", "mill_final_v3"),
        *("mill.indd", "PowerPoint Presentation", "Dokument 3", "Sans titre"),
    ],
)
def test_the_first_page_names_a_book_whose_file_does_not(stated: str) -> None:
    pages = [page(("On Mills", 24), ("Wheels", 14)), page(("Stones", 14))]
    parsed = parse_pdf(pdf_of(pages, title=stated), "mill")
    assert parsed.title == "On Mills"
    assert [section.path for section in parsed.sections] == [
        *(("On Mills",), ("On Mills", "Wheels"), ("On Mills", "Stones"))
    ]


@pytest.mark.parametrize("stated", ["On Watermills", "Documents of a Mill", "Mill 2"])
def test_a_title_that_a_file_states_is_its_own(stated: str) -> None:
    assert parse_pdf(pdf_of([page(("On Mills", 24))], title=stated), "mill").title == stated


@pytest.mark.parametrize(
    "pages",
    [
        [page()],
        [page(("Chapter 1", 24), ("Wheels", 14))],
        [page(("1 Wheels", 24))],
        [page(("Introduction", 24))],
        [page(("Wheels", 20)), page(("Stones", 20))],
    ],
    ids=["none", "chapter", "number", "preface", "one of many"],
)
def test_the_title_of_a_chapter_is_not_that_of_the_book(pages: list[list[str]]) -> None:
    assert parse_pdf(pdf_of(pages, title="untitled"), "mill").title == "mill"
