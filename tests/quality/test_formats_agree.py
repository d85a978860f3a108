"""One book in several formats: the same sentences, the same sections, the right pages."""

import random
import re
from functools import cache
from itertools import permutations

import pytest

from libs.language.entries import alternatives
from libs.language.layout import load_layout
from libs.profiles import load_profile
from services.ingest.model.book import BlockKind, Chunk
from services.ingest.split import split_document
from services.ingest.splitters.spans import spans_of
from tests.support.ingest_fakes import LetterTokens
from tests.support.real_books import BOOKS, ReadBook

POLICY, FAQ = BOOKS / "debian_policy", BOOKS / "debian_faq"
FORMATS = {
    "policy html": POLICY / "html",
    "policy rst": POLICY / "rst",
    "policy text": POLICY / "policy.txt",
    "policy epub": POLICY / "policy.epub",
    "policy pdf": POLICY / "policy.pdf",
    "faq html": FAQ / "html",
    "faq text": FAQ / "debian-faq.en.txt",
    "faq pdf": FAQ / "debian-faq.en.pdf",
}
WORDS = LetterTokens()
NUMBERING = re.compile(
    rf"^\s*chapter (?:{alternatives(load_layout().numbers)})\s+"
    r"|^\s*(?:chapter|appendix|section)?\s*(?:[A-Z]|\d+)?(?:\.\d+)*[.:)]?\s+",
    re.IGNORECASE,
)
# What one form shows beside the text and another does not: addresses and numbers of references.
ADDRESS = re.compile(
    r"[(\[]?(?:https?|ftp):\s?/\s?/[^\s)\]]*(?:\s[^\s)\]]*)?[)\]]+|(?:https?|ftp)://\S+"
)
TITLE_OF_REFERENCE = re.compile(r"((?:Section|Chapter)\s[\d.]+\d), “[^”]*”")

pytestmark = pytest.mark.skipif(not BOOKS.exists(), reason="the real books are not here")


def fold(text: str) -> str:
    return "".join(letter for letter in text.casefold() if letter.isalnum())


def bare(text: str) -> str:
    return TITLE_OF_REFERENCE.sub(r"\1", ADDRESS.sub("", text))


@cache
def sentences(read_book: ReadBook, form: str) -> list[str]:
    found = []
    for document in read_book(FORMATS[form]):
        for block in document.blocks:
            if block.kind is BlockKind.HEADING:
                continue
            for span in spans_of(document.text, block, "en"):
                folded = fold(bare(document.text[span.start : span.end]))
                if len(folded) >= 20:
                    found.append(folded)
    return found


def paths(read_book: ReadBook, form: str) -> set[tuple[str, ...]]:
    documents = read_book(FORMATS[form])
    skipped = 1 if len(documents) == 1 else 0  # the book's own title
    return {
        tuple(fold(NUMBERING.sub("", title, count=1)) for title in section.path[skipped:])
        for document in documents
        for section in document.sections
    }


@cache
def folded(read_book: ReadBook, form: str) -> str:
    return "".join(fold(bare(document.text)) for document in read_book(FORMATS[form]))


def agreement(read_book: ReadBook, one: str, other: str) -> float:
    mine, same = sentences(read_book, one), set(sentences(read_book, other))
    # Most are told at once; of the others all the text is looked through.
    found = (sentence in same or sentence in folded(read_book, other) for sentence in mine)
    return sum(found) / len(mine)


DIRECTIONS = [
    (one, other) for one, other in permutations(FORMATS, 2) if one.split()[0] == other.split()[0]
]


@pytest.mark.parametrize(("one", "other"), DIRECTIONS)
def test_the_formats_of_a_book_hold_the_same_sentences(
    read_book: ReadBook, one: str, other: str
) -> None:
    assert agreement(read_book, one, other) >= 0.99


@pytest.mark.parametrize(("one", "other"), DIRECTIONS)
def test_the_formats_of_a_book_have_the_same_sections(
    read_book: ReadBook, one: str, other: str
) -> None:
    mine = paths(read_book, one)
    assert len(mine & paths(read_book, other)) >= 0.99 * len(mine)


@pytest.mark.parametrize("form", ["policy pdf", "faq pdf"])
def test_sentences_are_on_the_pages_that_the_file_shows_them_on(
    read_book: ReadBook, form: str
) -> None:
    pypdfium2 = pytest.importorskip("pypdfium2")
    shown = pypdfium2.PdfDocument(FORMATS[form].read_bytes())
    placed = [
        (page_of(chunk, span.start), document.text[span.start : span.end])
        for document in read_book(FORMATS[form])
        for chunk in split_document("b", "en", document, load_profile("default").chunking, WORDS)
        for span in chunk.spans
        if span.kind is not BlockKind.HEADING and span.end - span.start > 60
    ]
    wrong = []
    for page, sentence in random.Random(50).sample(placed, 50):
        text = fold(shown[page - 1].get_textpage().get_text_range())
        if fold(sentence)[:40] not in text and fold(sentence)[:20] not in text:
            wrong.append((page, sentence))
    assert not wrong


def page_of(chunk: Chunk, offset: int) -> int:
    return [chunk.page, *(page for start, page in chunk.page_breaks if start <= offset)][-1]


def test_every_offset_is_that_of_the_text(read_book: ReadBook) -> None:
    for place in FORMATS.values():
        for document in read_book(place):
            ends = [0, *(block.end for block in document.blocks)]
            assert all(
                end <= block.start < block.end <= len(document.text)
                for end, block in zip(ends, document.blocks, strict=False)
            )
