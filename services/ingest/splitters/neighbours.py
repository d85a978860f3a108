"""Find the spans beside a chunk that its first or last one may say something else without."""

from bisect import bisect_left, bisect_right
from collections.abc import Iterator, Sequence

from services.ingest.model.book import Block, BlockKind, ChunkRange, Neighbour, Span

_RUNS = (BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.QUOTE)
_INTRODUCES = (":", "：")
_MOST = 300
"""Characters of one."""

Pieces = Sequence[tuple[Block, Sequence[Span]]]


class Neighbours:
    """The spans of a document, in order, each with the block that it is of."""

    def __init__(self, text: str, pieces: Pieces) -> None:
        self._text = text
        self._spans = [span for _, spans in pieces for span in spans]
        self._blocks = [at for at, (_, spans) in enumerate(pieces) for _ in spans]
        self._starts = [span.start for span in self._spans]
        self._runs = list(range(len(self._spans)))
        """Where the list, table or quotation begins that each span is of."""
        for at in range(1, len(self._spans)):
            kind = self._spans[at].kind
            if kind in _RUNS and self._spans[at - 1].kind is kind:
                self._runs[at] = self._runs[at - 1]

    def beside(self, chunk: ChunkRange) -> tuple[Neighbour, ...]:
        """Return what stands right before and behind a chunk, and before a list that it cuts."""
        first = bisect_right(self._starts, chunk.start) - 1
        behind = bisect_left(self._starts, chunk.end)
        return (*self._before(max(0, first)), *self._make(behind, behind - 1))

    def _before(self, first: int) -> Iterator[Neighbour]:
        lead_in = self._runs[first] - 1
        if lead_in < first - 1 and self._leads(lead_in):
            yield from self._make(lead_in, first)
        yield from self._make(first - 1, first)

    def _leads(self, at: int) -> bool:
        """Whether a list may belong to it: it ends in a colon, or is a paragraph of one sentence."""
        if at < 0:
            return False
        alone = self._blocks[at] not in (*self._blocks[at - 1 : at], self._blocks[at + 1])
        return alone or self._text_of(at).rstrip().endswith(_INTRODUCES)

    def _make(self, at: int, beside: int) -> Iterator[Neighbour]:
        if not 0 <= at < len(self._spans) or self._spans[at].kind is BlockKind.HEADING:
            return
        span, text = self._spans[at], self._text_of(at)
        if len(text) <= _MOST:
            same_block = self._blocks[at] == self._blocks[beside]
            yield Neighbour(span.start, span.end, span.kind, text, same_block)

    def _text_of(self, at: int) -> str:
        return self._text[self._spans[at].start : self._spans[at].end]
