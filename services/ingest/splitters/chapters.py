"""Find the module, chapter and section of each chunk, and its index within the chapter."""

import json
import uuid
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Sequence

from services.ingest.model.book import ChunkRange, Document, Section, Span
from services.ingest.model.chunk_place import ChunkPlace

_NAMESPACE = uuid.UUID("3d0d6c0e-8c0f-5f5a-9a41-0d1b7a3c5e42")


def place_chunks(
    book: str, document: Document, ranges: Sequence[ChunkRange], spans: Sequence[Span]
) -> Iterator[ChunkPlace]:
    """Yield the place of each chunk, in their order; `spans` are all of the document, in theirs."""
    starts = [span.start for span in spans]
    indexes: Counter[tuple[str, ...]] = Counter()
    for chunk_range in ranges:
        section = chunk_range.sections[0]
        chapter = _chapter_of(document, section)
        index = indexes[chapter]
        indexes[chapter] += 1
        first = max(0, bisect_right(starts, chunk_range.start) - 1)
        yield ChunkPlace(
            module_id=_id_of(book, document.module),
            chapter_id=_id_of(book, document.path, *chapter),
            section_id=_id_of(book, document.path, *section.path, section.anchor),
            chapter_title=chapter[-1],
            heading=section.path[-1] if len(section.path) > len(chapter) else "",
            index=index,
            first_sentence=first,
            last_sentence=max(first, bisect_left(starts, chunk_range.end) - 1),
            depth=document.depth,
            part_titles=document.part_titles,
            is_listed=document.is_listed,
        )


def _chapter_of(document: Document, section: Section) -> tuple[str, ...]:
    """Return the titles down to the chapter: the document, or a topmost section of the only one."""
    return section.path[: 2 if document.whole_book else 1]


def _id_of(*parts: str) -> str:
    return str(uuid.uuid5(_NAMESPACE, json.dumps(parts)))
