"""Split a document into chunks: contiguous ranges with their keys, spans and places."""

import hashlib
import json
from bisect import bisect_left, bisect_right
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from functools import partial
from operator import attrgetter, itemgetter

from libs.profiles import Chunking
from libs.table_rows import label_in, label_over
from libs.vectors.sections import section_keys
from services.ingest.model.book import Block, BlockKind, Chunk, ChunkRange, Document, Note
from services.ingest.model.chunk_place import ChunkPlace
from services.ingest.ports.reading import TokenCounter
from services.ingest.splitters.abbreviations import find_abbreviations
from services.ingest.splitters.captions import captions_of
from services.ingest.splitters.chapters import place_chunks
from services.ingest.splitters.heading import split_by_heading
from services.ingest.splitters.languages import NOT_SPOKEN, Spoken
from services.ingest.splitters.limits import find_limits
from services.ingest.splitters.measure import ABSENT, Measure
from services.ingest.splitters.neighbours import Neighbours
from services.ingest.splitters.sequence import (
    split_by_paragraph,
    split_by_sentence,
    split_by_size,
    split_by_window,
)
from services.ingest.splitters.shared_text import blank_numbers, shared_text, without_stress
from services.ingest.splitters.spans import spans_of
from services.ingest.splitters.table_header import count_header_rows, named_once, shortened

Pages = Sequence[tuple[int, int]]
Captions = Mapping[int, Block]
"""By where their tables start."""

_STRATEGIES = {
    "heading": split_by_heading,
    "paragraph": split_by_paragraph,
    "sentence": split_by_sentence,
    "fixed": split_by_size,
    "window": split_by_window,
}
_MAX_HEADER = 600
"""Characters of a header, and of a caption: of wide tables they are whole paragraphs."""
_MAX_FIRST_ROWS = 20_000
_BETWEEN_CELLS = " | "
_MAX_FOOTNOTES = 600
"""Characters of all footnotes that go with a chunk."""
_POSITIONS_PER_DOCUMENT = 1 << 20
"""Apart by documents, so that one that grows does not move the chunks of the next."""


def split_document(
    book: str,
    language: str,
    document: Document,
    chunking: Chunking,
    tokens: TokenCounter,
    *,
    spoken: Spoken = NOT_SPOKEN,
) -> list[Chunk]:
    """Split by the strategy of `chunking`. The chunks hold all characters that are not space.

    `language` is the document's, `spoken` that of blocks in another.
    """
    measure = Measure(document.text, tokens, _shared(document))
    pages = _pages_of(document)
    pieces = [
        (block, spans_of(document.text, block, spoken.get(block.start, language)))
        for block in document.blocks
    ]
    split = _STRATEGIES[chunking.strategy]
    if split is split_by_heading:
        split = partial(split_by_heading, terms=set(_bare_terms(document)))
    ranges = list(split(document.sections, pieces, measure, chunking))
    spans = [span for _, of_block in pieces for span in of_block]
    placed = zip(ranges, place_chunks(book, document, ranges, spans), strict=True)
    chunks = _to_chunks(book, document, list(placed), measure, pages)
    limits = list(find_limits(document.text, pieces, document.sections, language, spoken))
    beside = Neighbours(document.text, pieces, document.lead_ins, limits)
    return [
        replace(
            chunk,
            neighbours=beside.beside(chunk_range),
            lead_ins=beside.lead_ins_of(chunk_range),
            defined=tuple(_defined_at_once(document, chunk_range)),
        )
        for chunk, chunk_range in zip(chunks, ranges, strict=True)
    ]


def _bare_terms(document: Document) -> Iterator[int]:
    """Yield where terms begin that only the next blocks say something of."""
    yield from (one.start for one in document.lead_ins if one.is_term and one.until > one.end)


def _defined_at_once(document: Document, chunk_range: ChunkRange) -> Iterator[str]:
    """Yield the pieces of a range that are terms with what defines them: "gap: how far apart"."""
    for start, end, until, is_term in document.lead_ins:
        if is_term and until == end and chunk_range.start <= start < chunk_range.end:
            yield document.text[start:end]


def _shared(document: Document) -> str:
    """Return the text with `ABSENT` for what other formats may not show; all of them show code.

    Within that plain text has stars around what others show slanted.
    """
    headings = (
        (block.start, block.end) for block in document.blocks if block.kind is BlockKind.HEADING
    )
    shared = shared_text(blank_numbers(document.text, headings, ABSENT), ABSENT)
    parts, done = list[str](), 0
    for block in document.blocks:
        if block.kind is BlockKind.CODE:
            code = document.text[block.start : block.end]
            parts += [shared[done : block.start], without_stress(code, ABSENT)]
            done = block.end
    return "".join((*parts, shared[done:]))


def _to_chunks(
    book: str,
    document: Document,
    placed: Sequence[tuple[ChunkRange, ChunkPlace]],
    measure: Measure,
    pages: Pages,
) -> Iterator[Chunk]:
    seen: Counter[tuple[str, tuple[str, ...]]] = Counter()
    captions, abbreviations = captions_of(document), find_abbreviations(document.text)
    for index, (chunk_range, place) in enumerate(placed):
        following = placed[index + 1][0].start if index + 1 < len(placed) else chunk_range.end
        section = chunk_range.sections[0]
        body = document.text[chunk_range.start : chunk_range.end]
        page, page_breaks = _pages_in(pages, chunk_range)
        same = seen[body, section.path]
        seen[body, section.path] += 1
        yield Chunk(
            chunk_id=_chunk_id(book, document.path, body, section.path, same),
            document=document.path,
            position=document.position * _POSITIONS_PER_DOCUMENT + index,
            start=chunk_range.start,
            end=chunk_range.end,
            body=body,
            section_path=section.path,
            section_keys=_keys(chunk_range),
            anchor=section.anchor,
            url=_link(document.url, section.anchor),
            page=page,
            spans=chunk_range.spans,
            token_count=measure.count(chunk_range.start, chunk_range.end),
            gap=document.text[chunk_range.end : following],
            page_breaks=page_breaks,
            page_labels=_labels_of(document, [page, *(number for _, number in page_breaks)]),
            header=_header(document, chunk_range),
            caption="\n".join(_captions(document, chunk_range, captions)),
            footnotes=tuple(_footnotes(document, chunk_range)),
            other_forms=abbreviations.other_forms(body),
            place=replace(place, last_page=page_breaks[-1][1] if page_breaks else page),
            sections=_sections_in(chunk_range),
        )


def _chunk_id(book: str, path: str, body: str, section_path: Sequence[str], same: int) -> str:
    parts = json.dumps([book, path, body, list(section_path), same])
    return hashlib.sha256(parts.encode()).hexdigest()[:32]


def _header(document: Document, chunk_range: ChunkRange) -> str:
    """Return the header of the table that a chunk begins inside of; "" where it does not.

    Where rows stand under a name of their own, that is a line over it. Inside of a row it is the row's
    first cell and the names of the columns that follow.
    """
    index = bisect_right(document.blocks, chunk_range.start, key=attrgetter("start")) - 1
    block = document.blocks[index]
    if block.kind is not BlockKind.TABLE or chunk_range.start == block.start:
        return ""
    header = _first_rows(document, block)[-1]
    row = max(block.start, document.text.rfind("\n", block.start, chunk_range.start) + 1)
    before = document.text[row : chunk_range.start].split(_BETWEEN_CELLS)
    if len(before) > 1:
        held = document.text[chunk_range.start : chunk_range.end].partition("\n")[0]
        columns = header.split(_BETWEEN_CELLS)[len(before) - 1 :][: held.count(_BETWEEN_CELLS) + 1]
        return _BETWEEN_CELLS.join((before[0], *columns))[:_MAX_HEADER]
    label = _label_over(document, block, row)
    names = shortened(header, _MAX_HEADER)
    return f"{label}\n{names}" if label else names


def _label_over(document: Document, table: Block, row: int) -> str:
    """Return the last name of a group of rows between a table's header and a row of it."""
    header = table.start + sum(len(one) + 1 for one in _first_rows(document, table))
    end = min(row + _MAX_HEADER, table.end)
    rows = document.text[max(header, row - _MAX_FIRST_ROWS) : end].split("\n")
    before = document.text.count("\n", max(header, row - _MAX_FIRST_ROWS), row)
    return label_over(rows[: before + 1])


def _first_rows(document: Document, table: Block) -> list[str]:
    """Return the header of a table behind the rows over it: its title, and names of several columns."""
    rows = document.text[table.start : min(table.end, table.start + _MAX_FIRST_ROWS)].split("\n")
    return rows[: count_header_rows(rows)]


def _captions(document: Document, chunk_range: ChunkRange, captions: Captions) -> Iterator[str]:
    """Yield what the tables are called that a chunk has rows of, but not what it holds of that."""
    blocks = document.blocks
    first = bisect_right(blocks, chunk_range.start, key=attrgetter("start")) - 1
    last = bisect_left(blocks, chunk_range.end, key=attrgetter("start"))
    for block in blocks[first:last]:
        caption = captions.get(block.start)
        if caption and not (chunk_range.start <= caption.start and caption.end <= chunk_range.end):
            yield document.text[caption.start : caption.end][:_MAX_HEADER]
        if block.kind is BlockKind.TABLE and block.start < chunk_range.start:
            over = _first_rows(document, block)[:-1]
            # What the first of several groups is called may stand over the header.
            is_other = bool(_label_over(document, block, chunk_range.start))
            over = [row for row in over if not (is_other and label_in(row))]
            yield from (named_once(row)[:_MAX_HEADER] for row in over)


def _footnotes(document: Document, chunk_range: ChunkRange) -> Iterator[str]:
    """Yield the footnotes that a chunk refers to and does not hold, as far as there is room."""
    notes = document.notes
    first = bisect_right(notes, chunk_range.start, key=attrgetter("block_end"))
    last = bisect_left(notes, chunk_range.end, key=attrgetter("block_start"))
    room = _MAX_FOOTNOTES
    for note in dict.fromkeys(notes[first:last]):
        if room > 0 and not _holds(chunk_range, note):
            text = document.text[note.start : note.end]
            yield text if len(text) <= room else text[: room - 1] + "…"
            room -= len(text)


def _holds(chunk_range: ChunkRange, note: Note) -> bool:
    return chunk_range.start <= note.start and note.end <= chunk_range.end


def _keys(chunk_range: ChunkRange) -> tuple[str, ...]:
    keys = [key for section in chunk_range.sections for key in section_keys(section.path)]
    return tuple(dict.fromkeys(keys))


def _sections_in(chunk_range: ChunkRange) -> tuple[tuple[int, tuple[str, ...], str], ...]:
    """Return where the sections that share a chunk begin; nothing for a chunk of one section."""
    if len(chunk_range.sections) < 2:
        return ()
    ordered = sorted(chunk_range.sections, key=attrgetter("start", "level"))
    return tuple(
        (max(section.start, chunk_range.start), section.path, section.anchor) for section in ordered
    )


def _link(url: str, anchor: str) -> str:
    return f"{url}#{anchor}" if url and anchor else url


def _pages_of(document: Document) -> Pages:
    """Return the offsets where the page changes, with the page that begins there."""
    if not any(block.page for block in document.blocks):
        return []
    starts = [(block.start, block.page) for block in document.blocks]
    changes: list[tuple[int, int]] = []
    for offset, page in sorted([*starts, *document.page_breaks]):
        if not changes or changes[-1][1] != page:
            changes.append((offset, page))
    return changes


def _pages_in(pages: Pages, chunk_range: ChunkRange) -> tuple[int, tuple[tuple[int, int], ...]]:
    """Return the page that a chunk starts on, and the changes of page inside of it."""
    first = bisect_right(pages, chunk_range.start, key=itemgetter(0))
    last = bisect_left(pages, chunk_range.end, key=itemgetter(0))
    return pages[first - 1][1] if first else 0, tuple(pages[first:last])


def _labels_of(document: Document, pages: Sequence[int]) -> tuple[tuple[int, str], ...]:
    """Return what the source calls these pages."""
    labels = document.page_labels
    return tuple((page, labels[page]) for page in dict.fromkeys(pages) if page in labels)
