"""What holds for every form and every strategy: offsets, coverage, sizes, order and keys."""

from collections.abc import Sequence
from functools import cache
from itertools import pairwise

import pytest
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st
from hypothesis.strategies import DataObject

from libs.profiles import Chunking, Strategy, load_profile
from services.ingest.model.book import BlockKind, Chunk, Document, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document
from tests.support.generated_books import FORMATS, pieces
from tests.support.real_books import BOOKS, ReadBook
from tests.support.whole_documents import TOKENS, check_chunks, check_document

REAL = {
    "Docusaurus": BOOKS / "physical_ai",
    "mdBook": BOOKS / "rust_book",
    "HTML": BOOKS / "debian_policy" / "html",
    "reStructuredText": BOOKS / "debian_policy" / "rst",
    "text": BOOKS / "debian_policy" / "policy.txt",
    "EPUB": BOOKS / "debian_policy" / "policy.epub",
    "PDF": BOOKS / "debian_policy" / "policy.pdf",
    "HTML of the FAQ": BOOKS / "debian_faq" / "html",
    "text of the FAQ": BOOKS / "debian_faq" / "debian-faq.en.txt",
    "PDF of the FAQ": BOOKS / "debian_faq" / "debian-faq.en.pdf",
}
STRATEGIES = ["heading", "paragraph", "sentence", "fixed", "window"]
PROFILES = ["default", "integrated", "textbook", "academic", "course"]
WINDOW = Chunking("window", 1500, 3000, 1500, 3000, ())
"""Large chunks with a sliding window, which no profile uses."""


def read(name: str, data: bytes) -> Document:
    [placed] = plan_book(Source([SourceFile(name, data)])).documents
    return parse_document(placed)[0]


@cache
def read_faq_again() -> Document:
    return read("debian-faq.en.pdf", REAL["PDF of the FAQ"].read_bytes())


def letters(text: str) -> str:
    return "".join(letter for letter in text if letter.isalnum())


def check_least(document: Document, chunks: Sequence[Chunk], chunking: Chunking) -> None:
    """Only a chunk that had no room in the one before, or begins a part, may be too small.

    One of headings alone may too: they leave the chunk before for a text that is too large for both.
    """
    parts = {
        section.start for section in document.sections if section.level in chunking.split_levels
    }
    for before, chunk in pairwise(chunks):
        is_heading = chunk.spans[-1].kind is BlockKind.HEADING
        begins = is_heading or any(before.end <= start <= chunk.start for start in parts)
        if chunk.token_count < chunking.min_tokens and not begins:
            both = TOKENS.count(document.text[before.start : chunk.end])
            # Tokens are counted by parts, whose sum is one more where one begins inside a part.
            assert both >= chunking.fill_tokens


def keys(document: Document, chunking: Chunking) -> list[str]:
    return [chunk.chunk_id for chunk in split_document("b", "en", document, chunking, TOKENS)]


@pytest.mark.fault("G5")
@pytest.mark.parametrize("strategy", STRATEGIES)
@pytest.mark.parametrize("ending", FORMATS)
@settings(max_examples=5, suppress_health_check=list(HealthCheck))
@given(
    data=st.data(),
    sizes=st.lists(st.integers(1, 90), min_size=3, max_size=3).map(sorted),
    overlap=st.integers(0, 30),
    levels=st.sampled_from([(), (1,), (2, 3), (1, 2, 3, 4, 5, 6)]),
)
def test_any_book_in_any_format_is_held_whole_by_any_strategy(
    ending: str,
    data: DataObject,
    strategy: Strategy,
    sizes: list[int],
    overlap: int,
    levels: tuple[int, ...],
) -> None:
    write, words = FORMATS[ending]
    book = data.draw(pieces(words))
    written = write(book)
    document = read(f"b{ending}", written)
    check_document(document)
    shown = letters(document.text)
    for piece in book:
        for line in piece.lines:
            assert letters(line) in shown
    least, target, most = sizes
    chunking = Chunking(
        strategy, min(least, target), most, min(overlap, target - 1), target, levels
    )
    chunks = split_document("b", "en", document, chunking, TOKENS)
    check_chunks(document, chunks, chunking)
    if strategy != "heading":
        check_least(document, chunks, chunking)
    assert keys(read(f"b{ending}", written), chunking) == keys(document, chunking)


@pytest.mark.skipif(not BOOKS.exists(), reason="the real books are not here")
@pytest.mark.parametrize("name", REAL)
def test_the_real_books_are_held_whole_by_the_strategies_of_profiles(
    name: str, read_book: ReadBook
) -> None:
    documents = read_book(REAL[name])
    chunkings = [*(load_profile(profile).chunking for profile in PROFILES), WINDOW]
    # Every third one of each book, in turn, so that each splits three or four of them.
    chunkings = chunkings[list(REAL).index(name) % 3 :: 3]
    for document in documents:
        check_document(document)
        for chunking in chunkings:
            chunks = split_document("b", "en", document, chunking, TOKENS)
            check_chunks(document, chunks, chunking)


@pytest.mark.skipif(not BOOKS.exists(), reason="the real books are not here")
@pytest.mark.parametrize("strategy", STRATEGIES)
def test_the_same_bytes_give_the_same_keys(strategy: Strategy, read_book: ReadBook) -> None:
    sizes = Chunking(strategy, 60, 220, 20, 200, (2, 3))
    [document] = read_book(REAL["PDF of the FAQ"])
    assert keys(read_faq_again(), sizes) == keys(document, sizes)
