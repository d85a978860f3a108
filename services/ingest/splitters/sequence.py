"""Chunks that run through a text in order: by paragraphs, sentences or words, up to a size."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Literal

from libs.profiles import Chunking
from services.ingest.model.book import Block, BlockKind, ChunkRange, Section, Span
from services.ingest.splitters.measure import Measure
from services.ingest.splitters.spans import line_ranges, word_ranges

Pieces = Sequence[tuple[Block, Sequence[Span]]]
Grain = Literal["block", "span", "word"]
_GUESSES = 4
_MAX_TOKENS_PER_CHARACTER = 4


@dataclass(frozen=True)
class _Leaf:
    """A piece that is never cut. `span` and `block` are the starts of what it belongs to."""

    start: int
    end: int
    kind: BlockKind
    span: int
    block: int


def split_by_paragraph(
    sections: Sequence[Section], pieces: Pieces, measure: Measure, chunking: Chunking
) -> Iterator[ChunkRange]:
    """Yield chunks of whole paragraphs that begin with the last sentences of the one before."""
    return _split(sections, pieces, measure, chunking, end_at="block", repeat="span")


def split_by_sentence(
    sections: Sequence[Section], pieces: Pieces, measure: Measure, chunking: Chunking
) -> Iterator[ChunkRange]:
    """Yield chunks of whole sentences that begin with the last ones of the one before."""
    return _split(sections, pieces, measure, chunking, end_at="span", repeat="span")


def split_by_window(
    sections: Sequence[Section], pieces: Pieces, measure: Measure, chunking: Chunking
) -> Iterator[ChunkRange]:
    """Yield windows over the paragraphs that begin with the last paragraphs of the one before."""
    return _split(sections, pieces, measure, chunking, end_at="block", repeat="block")


def split_by_size(
    sections: Sequence[Section], pieces: Pieces, measure: Measure, chunking: Chunking
) -> Iterator[ChunkRange]:
    """Yield chunks of one size, cut between words, wherever in a sentence that is."""
    return _split(sections, pieces, measure, chunking, end_at="word", repeat="word")


def _split(
    sections: Sequence[Section],
    pieces: Pieces,
    measure: Measure,
    chunking: Chunking,
    *,
    end_at: Grain,
    repeat: Grain,
) -> Iterator[ChunkRange]:
    for part in _parts(sections, pieces, chunking.split_levels):
        by_word = end_at == "word"
        largest = max(1, chunking.fill_tokens // 16) if by_word else chunking.max_tokens
        leaves = list(_leaves(part, measure, largest, by_word=by_word))
        run = _Run(leaves, measure, chunking, end_at, repeat)
        for begin, fresh, end in run.chunks():
            yield _to_chunk_range(leaves[begin:end], fresh - begin, sections)


def _parts(
    sections: Sequence[Section], pieces: Pieces, levels: Sequence[int]
) -> Iterator[list[tuple[Block, Sequence[Span]]]]:
    """Cut before the headings that divide the text; what has only headings joins what follows."""
    dividing = {section.start for section in sections if section.level in levels}
    part: list[tuple[Block, Sequence[Span]]] = []
    for piece in pieces:
        has_text = any(block.kind is not BlockKind.HEADING for block, _ in part)
        if piece[0].start in dividing and has_text:
            yield part
            part = []
        part.append(piece)
    yield part


def _leaves(pieces: Pieces, measure: Measure, largest: int, *, by_word: bool) -> Iterator[_Leaf]:
    for block, spans in pieces:
        for span in spans:
            for start, end in _cut(span, measure, largest, by_word=by_word):
                yield _Leaf(start, end, span.kind, span.start, block.start)


def _cut(span: Span, measure: Measure, largest: int, *, by_word: bool) -> Iterator[tuple[int, int]]:
    """Cut a span into words, or, only when it is too large, by lines and between words."""
    if by_word:
        ranges = word_ranges(measure.text, span.start, span.end)
    elif measure.fits(span.start, span.end, largest):
        yield span.start, span.end
        return
    else:
        ranges = line_ranges(measure.text, span.start, span.end)
    for start, end in ranges:
        is_short = (end - start) * _MAX_TOKENS_PER_CHARACTER <= largest
        if is_short or measure.fits(start, end, largest):
            yield start, end
        else:
            yield from measure.cut(start, end, largest)


class _Run:
    """Finds where the chunks of one part begin and end, as indexes of its leaves."""

    def __init__(
        self,
        leaves: Sequence[_Leaf],
        measure: Measure,
        chunking: Chunking,
        end_at: Grain,
        repeat: Grain,
    ) -> None:
        self._leaves = leaves
        self._ends = [leaf.end for leaf in leaves]
        self._measure = measure
        self._chunking = chunking
        self._end_at = end_at
        self._repeat = repeat
        self._characters_per_token = 4.0

    def chunks(self) -> list[tuple[int, int, int]]:
        """Return (first leaf, first leaf that is not repeated, end) of each chunk."""
        found: list[tuple[int, int, int]] = []
        fresh, count = 0, len(self._leaves)
        while fresh < count:
            begin = self._overlap_start(found[-1][1], fresh) if found else 0
            end = self._end(begin, fresh)
            if end == fresh:
                begin = fresh
                end = max(self._end(begin, fresh), fresh + 1)
            if found and self._has_room(found[-1][0], begin, end):
                begin, fresh, _ = found.pop()
            found.append((begin, fresh, end))
            fresh = end
        if len(found) > 1:
            self._fill_last(found)
        return found

    def _has_room(self, before: int, begin: int, end: int) -> bool:
        """Say whether what is too small alone fits into the chunk before, which begins at `before`.

        A chunk ends before a block that would be cut; what the next one holds of it may be little.
        """
        small = self._size(begin, end) < self._chunking.min_tokens
        return small and self._size(before, end) <= self._chunking.fill_tokens

    def _end(self, begin: int, fresh: int) -> int:
        """Return where the chunk that begins at `begin` should end; `fresh` when it can't."""
        chunking, count = self._chunking, len(self._leaves)
        filled = self._farthest(begin, fresh, chunking.fill_tokens)
        if filled == count:
            return count
        most = self._farthest(begin, fresh, chunking.max_tokens)
        for end in range(filled, fresh, -1):
            if self._may_end(end):
                if end > fresh and self._size(begin, end) >= chunking.min_tokens:
                    return end
                break
        for end in range(max(filled, fresh) + 1, most + 1):
            if self._may_end(end):
                return end
        return self._without_heading(fresh, filled if filled > fresh else most)

    def _may_end(self, end: int) -> bool:
        """Say whether a chunk may end before the leaf `end` without tearing what belongs together."""
        if end == len(self._leaves) or self._end_at == "word":
            return True
        before, after = self._leaves[end - 1], self._leaves[end]
        if before.kind in (BlockKind.HEADING, BlockKind.CAPTION):
            return False
        if after.kind is BlockKind.FOOTNOTE and before.block != after.block:
            return False
        if self._end_at == "span":
            return True
        leads = before.kind is BlockKind.PARAGRAPH and after.kind is BlockKind.LIST_ITEM
        quoted = before.kind is after.kind is BlockKind.QUOTE
        return before.block != after.block and not leads and not quoted

    def _without_heading(self, fresh: int, end: int) -> int:
        shorter = end
        while shorter - 1 > fresh and self._leaves[shorter - 1].kind is BlockKind.HEADING:
            shorter -= 1
        only_headings = self._leaves[shorter - 1].kind is BlockKind.HEADING
        return end if shorter <= fresh or only_headings else shorter

    def _overlap_start(self, first: int, fresh: int) -> int:
        """Return the first leaf, after `first`, of what the next chunk repeats."""
        begin = fresh
        for index in range(fresh - 1, first, -1):
            if self._size(index, fresh) > self._chunking.overlap_tokens:
                break
            same = self._leaves[index].block == self._leaves[index - 1].block
            if self._repeat != "block" or not same:
                begin = index
        return begin

    def _fill_last(self, found: list[tuple[int, int, int]]) -> None:
        """Give a last chunk that is too small more of what is before it."""
        chunking = self._chunking
        (first, before, _), (begin, fresh, end) = found[-2:]
        if self._size(begin, end) >= chunking.min_tokens:
            return
        while begin - 1 > before and self._size(begin, end) < chunking.min_tokens:
            kept = chunking.overlap_tokens or self._size(first, begin - 1) >= chunking.min_tokens
            if not kept or self._size(begin - 1, end) > chunking.max_tokens:
                break
            begin -= 1
        if not chunking.overlap_tokens:
            found[-2] = (first, before, begin)
            fresh = begin
        found[-1] = (begin, fresh, end)

    def _farthest(self, begin: int, fresh: int, limit: int) -> int:
        """Return the farthest end of what begins at `begin` and has at most `limit` tokens."""
        low, high = fresh, len(self._leaves) + 1
        start = self._leaves[begin].start
        reach, guesses = float(limit), 0
        while high - low > 1:
            wanted = start + int(reach * self._characters_per_token)
            end = bisect_right(self._ends, wanted) if guesses < _GUESSES else (low + high) // 2
            end = min(max(end, low + 1), high - 1)
            size = self._size(begin, end)
            self._characters_per_token = max(1, self._ends[end - 1] - start) / max(1, size)
            low, high = (end, high) if size <= limit else (low, end)
            guesses += 1
        return low

    def _size(self, begin: int, end: int) -> int:
        if end <= begin:
            return 0
        return self._measure.count(self._leaves[begin].start, self._leaves[end - 1].end)


def _to_chunk_range(leaves: Sequence[_Leaf], fresh: int, sections: Sequence[Section]) -> ChunkRange:
    start, end = leaves[0].start, leaves[-1].end
    first = bisect_right(sections, start, key=lambda section: section.start) - 1
    last = bisect_left(sections, end, key=lambda section: section.start)
    touched = [s for s in sections[max(first, 0) : last] if s.own_end > start]
    text = next((x for x in leaves[fresh:] if x.kind is not BlockKind.HEADING), leaves[fresh])
    leading = next((s for s in touched if s.start <= text.start < s.own_end), touched[0])
    spans = []
    for _, run in groupby(leaves, key=lambda leaf: leaf.span):
        same = list(run)
        spans.append(Span(same[0].start, same[-1].end, same[0].kind))
    return ChunkRange(start, end, (leading, *(s for s in touched if s is not leading)), spans)
