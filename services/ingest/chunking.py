"""Cut a text into chunks without a book around it: for programs that want the chunks alone."""

from functools import cache
from pathlib import Path

from libs.errors import InvalidInput
from libs.language.detect import detect_language
from libs.language.lexicon import FALLBACK
from libs.profiles import Chunking
from libs.tokens import TokenCounter
from services.ingest.model.book import Chunk, Source, SourceFile
from services.ingest.parse import parse_document
from services.ingest.plan import plan_book
from services.ingest.split import split_document

CACHE = Path(".quoth/cache")
"""Where the vocabulary is kept that tokens are counted by."""

_MIN_TOKENS = 512
_PATH = "text.md"
_BOOK = "text"


def chunk_book_content(
    text: str, max_tokens: int = 1024, target_tokens: int = 800, overlap_tokens: int = 128
) -> list[Chunk]:
    """Cut Markdown into paragraphs up to `target_tokens`, sentences of those over `max_tokens`.

    A smaller `max_tokens` lowers the target to itself, and the overlap in proportion. A last chunk of
    less than 512 tokens, or of less than the target if that is smaller, is filled from the one before.
    Sizes are cl100k_base tokens, offsets code points of the text without its markup. Raises
    InvalidInput for sizes that are no whole numbers or contradict one another, and for a text with half
    of a surrogate pair, which is no character.
    """
    _check_whole(max_tokens, target_tokens, overlap_tokens)
    if 0 < max_tokens < target_tokens:
        overlap_tokens = overlap_tokens * max_tokens // target_tokens
        target_tokens = max_tokens
    least = min(_MIN_TOKENS, target_tokens)
    sizes = Chunking("paragraph", least, max_tokens, overlap_tokens, target_tokens, (1,))
    return _chunks_of(text, sizes)


def chunk_document(text: str, chunk_size: int = 512, overlap: float = 0.2) -> list[Chunk]:
    """Cut Markdown into whole sentences up to `chunk_size` cl100k_base tokens, half as many at least.

    `overlap` is the share of a chunk, in [0, 1), that repeats the end of the one before. Raises
    InvalidInput for sizes out of range, and as `chunk_book_content` does.
    """
    _check_whole(chunk_size)
    if chunk_size < 1:
        raise InvalidInput(f"The sizes of chunks: chunk_size must be at least 1, not {chunk_size}.")
    if not 0 <= overlap < 1:  # nor NaN, which is in no range
        raise InvalidInput(
            f"The sizes of chunks: overlap must be at least 0 and below 1, not {overlap}."
        )
    repeated = int(chunk_size * overlap)
    sizes = Chunking("sentence", chunk_size // 2, chunk_size, repeated, chunk_size, ())
    return _chunks_of(text, sizes)


def _check_whole(*sizes: int) -> None:
    for size in sizes:
        if not isinstance(size, int):
            raise InvalidInput(f"The sizes of chunks: {size} is no whole number.")


def _chunks_of(text: str, sizes: Chunking) -> list[Chunk]:
    fault = sizes.find_fault()
    if fault:
        raise InvalidInput(f"The sizes of chunks{fault}.")
    [placed] = plan_book(Source([SourceFile(_PATH, _encoded(text))])).documents
    document, _ = parse_document(placed)
    language = detect_language(document.text) or FALLBACK
    return split_document(_BOOK, language, document, sizes, _tokens())


def _encoded(text: str) -> bytes:
    try:
        return text.encode()
    except UnicodeEncodeError as error:
        half = ord(text[error.start])
        raise InvalidInput(
            f"The text has half of a surrogate pair, U+{half:04X}, at {error.start}: no character."
        ) from error


@cache
def _tokens() -> TokenCounter:
    return TokenCounter(CACHE)
