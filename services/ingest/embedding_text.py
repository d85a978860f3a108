"""Make the texts of a chunk that searches go by: the words of its titles above its own."""

from itertools import chain

from libs.embedding import Range
from libs.text import content_terms
from services.ingest.model.book import BlockKind, Chunk
from services.ingest.splitters.shared_text import blank_numbers, shared_text, without_number


def sparse_text(chunk: Chunk) -> str:
    """Return what terms are made of: titles, a table's caption and header, its own text, footnotes.

    With them the other forms of its abbreviations. The title of a book that is one document is not
    among them: every chunk would have it.
    """
    return "\n".join((_with_titles(chunk, _own_path(chunk), chunk.body), *chunk.other_forms))


def known_terms(chunk: Chunk) -> frozenset[str]:
    """Return the terms that a question may share with the chunk: of text, titles and other forms."""
    texts = (chunk.body, "\n".join(chunk.section_path), "\n".join(chunk.other_forms))
    return frozenset(chain.from_iterable(map(content_terms, texts)))


def dense_text(chunk: Chunk) -> str:
    """Return what is embedded: the same without what depends on the format of the book.

    That is numbers of titles, the title of the book, quotation marks and the addresses of links.
    """
    return shared_text(_with_titles(chunk, _titles(chunk), _without_numbers(chunk)))


def span_ranges(chunk: Chunk) -> tuple[Range, ...]:
    """Return where the spans stand in what is embedded."""
    shift = len(_head(chunk, _titles(chunk))) - chunk.start
    return tuple((span.start + shift, span.end + shift) for span in chunk.spans)


def _with_titles(chunk: Chunk, titles: tuple[str, ...], body: str) -> str:
    return "\n".join((_head(chunk, titles) + body, *chunk.footnotes))


def _head(chunk: Chunk, titles: tuple[str, ...]) -> str:
    over = "".join(f"{line}\n" for line in (chunk.caption, chunk.header) if line)
    return " > ".join(titles) + "\n" + over


def _titles(chunk: Chunk) -> tuple[str, ...]:
    return tuple(without_number(title) for title in _own_path(chunk))


def _own_path(chunk: Chunk) -> tuple[str, ...]:
    path, chapter = chunk.section_path, chunk.place.chapter_title
    return path[path.index(chapter) :] if chapter in path else path


def _without_numbers(chunk: Chunk) -> str:
    """Return the body with spaces for the numbers of its headings."""
    headings = (
        (span.start - chunk.start, span.end - chunk.start)
        for span in chunk.spans
        if span.kind is BlockKind.HEADING
    )
    return blank_numbers(chunk.body, headings)
