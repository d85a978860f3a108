"""Find the spans beside a chunk that its first or last one may say something else without."""

from bisect import bisect_left, bisect_right
from collections import deque
from collections.abc import Iterator, Sequence

from services.ingest.model.book import Block, BlockKind, ChunkRange, LeadIn, Neighbour, Span

_NO_LEAD = (BlockKind.HEADING, BlockKind.TABLE)
_RUNS = (BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.QUOTE)
_INTRODUCES = (":", "：")
_MOST = 300
"""Characters of one."""
_DEEPEST = 8
"""Leads that a span is kept with, the nearest ones."""

Pieces = Sequence[tuple[Block, Sequence[Span]]]


class Neighbours:
    """The spans of a document, in order, each with the block that it is of."""

    def __init__(
        self,
        text: str,
        pieces: Pieces,
        lead_ins: Sequence[LeadIn] = (),
        limits: Sequence[LeadIn] = (),
    ) -> None:
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
        self._lead_ins: dict[int, deque[tuple[int, int, bool]]] = {}
        """Of a span those that lead it: where they stand, up to where they lead, if it's a term."""
        for lead in lead_ins:
            self._note(lead)
        for limit in limits:
            self._lead(bisect_left(self._starts, limit.start), limit)

    def _note(self, lead: LeadIn) -> None:
        if lead.is_term:
            at = bisect_left(self._starts, lead.start)
        else:
            at = bisect_left(self._starts, lead.end) - 1
        if self._spans[at].kind in _NO_LEAD:
            return
        if lead.is_term or self._leads_list(at):
            self._lead(at, lead)

    def _lead(self, at: int, lead: LeadIn) -> None:
        """Note the span at `at` for all behind it, up to where it leads."""
        if self._spans[at].end - self._spans[at].start > _MOST:
            return
        for one in range(at + 1, bisect_left(self._starts, lead.until)):
            lead_ins = self._lead_ins.setdefault(one, deque(maxlen=_DEEPEST))
            lead_ins.append((at, lead.until, lead.is_term))

    def lead_ins_of(self, chunk: ChunkRange) -> tuple[LeadIn, ...]:
        """Return what belongs to all that follows it, in order, for the spans of a chunk."""
        spans = self._spans
        return tuple(
            LeadIn(spans[at].start, spans[at].end, until, is_term)
            for at, until, is_term in self._leading(*self._range(chunk))
        )

    def _range(self, chunk: ChunkRange) -> tuple[int, int]:
        first = bisect_right(self._starts, chunk.start) - 1
        return max(0, first), bisect_left(self._starts, chunk.end)

    def _leading(self, first: int, behind: int) -> list[tuple[int, int, bool]]:
        return sorted({one for at in range(first, behind) for one in self._lead_ins.get(at, ())})

    def beside(self, chunk: ChunkRange) -> tuple[Neighbour, ...]:
        """Return what stands right before and behind a chunk, and what leads a list that it cuts."""
        first, behind = self._range(chunk)
        before = {one.start: one for one in self._before(first)}
        for at, _, _ in self._leading(first, behind):
            if at < first and self._starts[at] not in before:
                before[self._starts[at]] = self._neighbour(at, first)
        ordered = (before[start] for start in sorted(before))
        return (*ordered, *self._make(behind, behind - 1))

    def _before(self, first: int) -> Iterator[Neighbour]:
        lead_in = self._runs[first] - 1
        if lead_in < first - 1 and self._leads_list(lead_in) and self._leads(lead_in, first):
            yield from self._make(lead_in, first)
        yield from self._make(first - 1, first)

    def _leads(self, at: int, first: int) -> bool:
        """Whether what stands before a run belongs to the span: a title to the first table only."""
        is_one = self._blocks[at + 1] == self._blocks[first]
        is_row = self._spans[first].kind is BlockKind.TABLE
        return is_one or not is_row or self._text_of(at).rstrip().endswith(_INTRODUCES)

    def _leads_list(self, at: int) -> bool:
        """Whether a list may belong to it: it ends in a colon, or is a paragraph of one sentence."""
        if at < 0:
            return False
        alone = self._blocks[at] not in (*self._blocks[at - 1 : at], self._blocks[at + 1])
        return alone or self._text_of(at).rstrip().endswith(_INTRODUCES)

    def _make(self, at: int, beside: int) -> Iterator[Neighbour]:
        if not 0 <= at < len(self._spans) or self._spans[at].kind is BlockKind.HEADING:
            return
        if len(self._text_of(at)) <= _MOST:
            yield self._neighbour(at, beside)

    def _neighbour(self, at: int, beside: int) -> Neighbour:
        span, same_block = self._spans[at], self._blocks[at] == self._blocks[beside]
        return Neighbour(span.start, span.end, span.kind, self._text_of(at), same_block)

    def _text_of(self, at: int) -> str:
        return self._text[self._spans[at].start : self._spans[at].end]
