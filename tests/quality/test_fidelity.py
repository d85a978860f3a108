"""What the page does not show of two real books as print does is named in the report, or explained."""

from pathlib import Path

import pytest

from services.ingest.model.book import DroppedContent, PlacedFile
from tests.quality.fidelity import Place, books_of, compare, explain, is_named
from tests.support.browser import needs_browser
from tests.support.real_books import BOOKS, Parsed, ReadParsed

LINK = DroppedContent("link", "page 3, “See the manual”", "it leads nowhere in this file")


@pytest.mark.parametrize(
    ("place", "named"),
    [
        (Place("link", "Seethemanual", "https://e.org"), True),
        (Place("link", "Seethemanualofmills", "https://e.org"), True),
        (Place("link", "Another", "https://e.org"), False),
        (Place("table", "Seethemanual", ""), False),
    ],
)
def test_a_lost_place_is_named_by_its_kind_and_words(place: Place, named: bool) -> None:
    assert is_named(place, [LINK]) == named


def test_a_place_is_explained_in_its_own_book_alone() -> None:
    place = Place("list item", "Ifprermfailsduring", "1")
    assert explain("PDF", place)
    assert not explain("EPUB", place)


@pytest.mark.browser
@pytest.mark.timeout(1200)
@needs_browser
@pytest.mark.skipif(not BOOKS.exists(), reason="no books beside the repository")
async def test_all_that_two_printed_books_lose_is_named_or_explained(
    read_parsed: ReadParsed, tmp_path: Path
) -> None:
    printed = (BOOKS / "debian_policy" / "policy.pdf", BOOKS / "debian_faq" / "debian-faq.en.pdf")
    read = {parsed[0].content_hash: parsed for book in printed for parsed in read_parsed(book)}

    def parse(placed: PlacedFile) -> Parsed:
        return read[placed.file.content_hash]

    said: list[str] = []
    books = [
        book for book in books_of(BOOKS, tmp_path) if book.name in ("PDF", "PDF, dblatex, FAQ")
    ]
    await compare(books, said.append, parse)
    assert len(books) == 2
    lost = [line for line in said if line.startswith("- ")]
    assert lost
    assert not [line for line in lost if line.endswith("not named")]
