"""A PDF in the invented book, with the pages that it was made of."""

from tests.support.drawn_documents import parse_and_show
from tests.support.gateway_fakes import FakeBackend
from tests.support.pdf_files import pdf_of, text_at
from tests.support.pictures import png

WORDS = ("The wheel turns with the tide.", "The gate is shut at night.", "The miller sleeps.")
"""What each of its pages says."""
SHOW = "Show the page as printed"


def give_printed_book(backend: FakeBackend, pages: int = 3) -> str:
    """Let the book have a PDF of three pages, of which so many are kept; return its address."""
    made = [
        [text_at(72, 740 - 60 * at, words.split()[1].title(), 16), text_at(72, 500, words)]
        for at, words in enumerate(WORDS)
    ]
    backend.documents["mill.pdf"] = parse_and_show("mill.pdf", pdf_of(made))
    backend.pages = {number: png(200 + number, 300) for number in range(1, pages + 1)}
    return "/#/tide-mills/mill.pdf"
