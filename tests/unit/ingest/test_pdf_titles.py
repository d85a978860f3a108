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


def test_a_title_page_names_the_book_though_chapters_are_set_as_large() -> None:
    front = [text_at(72, 700, "On Mills", 20), text_at(72, 500, "A guide by Ada Holm")]
    pages = [front, page(("Wheels", 20)), page(("Stones", 20))]
    assert parse_pdf(pdf_of(pages, title="untitled"), "mill").title == "On Mills"


def test_the_number_of_a_chapter_set_as_large_as_titles_is_part_of_its_title() -> None:
    pages = [page(("On Mills", 28)), page(("Chapter 1", 18), ("Wheels", 22))]
    pages += [page(("Chapter 2", 18), ("Stones", 22)), page(("Chapter of Stones", 18), ("All", 14))]
    parsed = parse_pdf(pdf_of(pages, title="untitled"), "mill")
    assert [section.path[1:] for section in parsed.sections][1:] == [
        ("Chapter 1 Wheels",),
        ("Chapter 2 Stones",),
        ("Chapter 2 Stones", "Chapter of Stones"),
        ("Chapter 2 Stones", "Chapter of Stones", "All"),
    ]


@pytest.mark.parametrize(("below", "author"), [("ada@mill.example", "Ada Wong"), ("Rye", "")])
def test_a_name_over_an_address_of_mail_below_the_title_is_the_author(
    below: str, author: str
) -> None:
    front = page(("On Mills", 24), ("Ada Wong", 14), (below, 10))
    parsed = parse_pdf(pdf_of([front]), "mill")
    assert parsed.byline.authors == ((author,) if author else ())
