"""Find the languages of a document's parts, each block by what stands around it."""

from bisect import bisect_right
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from itertools import accumulate
from operator import attrgetter
from types import MappingProxyType

from libs.language.detect import count_letters, detect_other, tell_apart
from services.ingest.model.book import BlockKind, Chunk, Document

_PROSE = frozenset(
    (BlockKind.PARAGRAPH, BlockKind.LIST_ITEM, BlockKind.QUOTE, BlockKind.ADMONITION)
)
_RUN = 200
"""Letters of blocks that are looked at together, at least: fewer tell nothing by themselves."""

_LEAST_RUNS = 2
_LEAST_LETTERS = 300
"""What a document must surely have in another language: less is a quotation."""

Spoken = Mapping[int, str]
"""Languages of blocks, by where they start, that are in another than their document."""

NOT_SPOKEN: Spoken = MappingProxyType({})


def find_block_languages(document: Document, language: str) -> dict[int, str]:
    """Return the languages of blocks, by where they start, that are in another than `language`.

    First, which others the document surely has parts in; between these and its own, shorter blocks are
    told apart as well. A title is in that of what stands below it; what else is not told, such as code,
    in that of its neighbours where they agree.
    """
    others = _established(document, language)
    if not others:
        return {}
    told = [
        tell_apart(document.text[block.start : block.end], (language, *others))
        if block.kind in _PROSE
        else ""
        for block in document.blocks
    ]
    befores, afters = _carried(told), [*_carried(told[::-1])][::-1]
    found = {}
    for block, before, after in zip(document.blocks, befores, afters, strict=True):
        if block.kind is BlockKind.HEADING:
            other = after or before
        else:
            agree = before == after or not (before and after)
            other = (before or after) if agree else language
        if other != language:
            found[block.start] = other
    return found


def _carried(told: Iterable[str]) -> Iterator[str]:
    """Yield what is told last, up to each place with it; "" before anything is."""
    return accumulate(told, lambda before, now: now or before)


def find_chunk_languages(
    chunks: Iterable[Chunk], document: Document, spoken: Spoken
) -> dict[str, str]:
    """Return the languages of chunks, by their ids, most of whose letters are in blocks of another."""
    found = {chunk.chunk_id: _most_of(chunk, document, spoken) for chunk in chunks if spoken}
    return {chunk_id: other for chunk_id, other in found.items() if other}


def _most_of(chunk: Chunk, document: Document, spoken: Spoken) -> str:
    """Return the language of most of a chunk; "" for the document's."""
    blocks = document.blocks
    letters: Counter[str] = Counter()
    for block in blocks[bisect_right(blocks, chunk.start, key=attrgetter("end")) :]:
        if block.start >= chunk.end:
            break
        part = document.text[max(block.start, chunk.start) : min(block.end, chunk.end)]
        letters[spoken.get(block.start, "")] += count_letters(part)
    return max(letters, key=lambda other: letters[other], default="")


def _established(document: Document, language: str) -> list[str]:
    """Return the other languages that parts of the document are surely in, that of most first."""
    runs: Counter[str] = Counter()
    letters: Counter[str] = Counter()
    for run in _runs(document):
        other = detect_other(run, language)
        if other:
            runs[other] += 1
            letters[other] += count_letters(run)
    return [
        other
        for other, count in letters.most_common()
        if runs[other] >= _LEAST_RUNS and count >= _LEAST_LETTERS
    ]


def _runs(document: Document) -> Iterator[str]:
    """Yield the prose in runs of as many blocks as tell something."""
    run: list[str] = []
    length = 0
    for block in document.blocks:
        if block.kind in _PROSE:
            run.append(document.text[block.start : block.end])
            length += count_letters(run[-1])
        if length >= _RUN:
            yield "\n".join(run)
            run, length = [], 0
    yield "\n".join(run)
