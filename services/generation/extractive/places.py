"""Where in the passages an answer's sentences stand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from services.generation.extractive.candidates import CandidateSpan, item_before
from services.generation.model import BlockKind, Passage, SentenceRole, Span

JOINED_CHARACTERS = 600
"""Up to which a span or a list is one piece with what stands between it and what introduces it: no
longer quotation proves anything."""

ALL_CHARACTERS = 1200
"""Of a list that is shown whole, and of what is shown below a lead."""


@dataclass(frozen=True)
class Place:
    """What to show of source `source` (from 1): a span, or several that follow each other."""

    source: int
    document: str
    span: Span
    role: SentenceRole = SentenceRole.LEAD

    @property
    def length(self) -> int:
        return self.span.end - self.span.start

    def overlaps(self, other: "Place") -> bool:
        return (
            self.document == other.document
            and self.span.start < other.span.end
            and other.span.start < self.span.end
        )

    def covers(self, item: CandidateSpan) -> bool:
        document, start = item.key
        return self.document == document and self.span.start <= start < self.span.end


def place_of(item: CandidateSpan, first: int | None = None, last: int | None = None) -> Place:
    """Return the place of the span, or of all from span `first` to span `last` of its passage."""
    spans = item.passage.spans
    start = spans[item.index if first is None else first].start
    end = spans[item.index if last is None else last].end
    return Place(
        item.source, item.passage.locator.document, replace(item.span, start=start, end=end)
    )


def place_of_block(item: CandidateSpan) -> Place:
    """Return the place of the list, with what introduces it, or paragraph that the span is of."""
    spans, first, last = item.passage.spans, item.index, item.index
    while first and _is_one_block(item.passage, spans[first - 1 : first + 1]):
        first -= 1
    while last + 1 < len(spans) and _is_one_block(item.passage, spans[last : last + 2]):
        last += 1
    if item.intro is not None and item.intro == first - 1:
        first = item.intro
    return place_of(item, first, last)


def joined_with(lead: Sequence[Place], behind: Span) -> list[Place]:
    """Return what leads with the span right behind it: in one piece where that is short enough."""
    whole = replace(lead[-1], span=replace(lead[-1].span, end=behind.end))
    if whole.length > JOINED_CHARACTERS:
        return [*lead, replace(lead[-1], span=behind)]
    return [*lead[:-1], whole]


def follow_each_other(passage: Passage, first: int) -> bool:
    """Whether span `first` of the passage and the one after it are sentences of one line of text."""
    both = passage.spans[first : first + 2]
    is_prose = all(span.kind is BlockKind.PARAGRAPH for span in both)
    return is_prose and len(both) > 1 and "\n" not in _between(passage, *both)


def is_new_line(passage: Passage, at: int) -> bool:
    """Whether span `at` of the passage begins another line than the one before it."""
    return "\n" in _between(passage, *passage.spans[at - 1 : at + 1])


def _is_one_block(passage: Passage, both: Sequence[Span]) -> bool:
    one, other = both
    if one.kind is not other.kind or one.kind not in (BlockKind.LIST_ITEM, BlockKind.PARAGRAPH):
        return False
    return one.kind is BlockKind.LIST_ITEM or "\n\n" not in _between(passage, one, other)


def _between(passage: Passage, one: Span, other: Span) -> str:
    start = passage.locator.start
    return passage.text[one.end - start : other.start - start]


def items_around(item: CandidateSpan) -> list[tuple[int, int]]:
    """Return for each item of its list the first and the last of its spans."""
    return item_ranges(item.passage, item.index)


def item_ranges(passage: Passage, at: int) -> list[tuple[int, int]]:
    """Return for each item of the list that span `at` is of the first and the last of its spans."""
    spans, first, last = passage.spans, at, list_end(passage, at)
    while (before := item_before(spans, first)) is not None:
        first = before
    items = (at for at in range(first, last + 1) if spans[at].kind is BlockKind.LIST_ITEM)
    starts = [at for at in items if at == first or is_new_line(passage, at)]
    ends = [*(at - 1 for at in starts[1:]), last]
    return list(zip(starts, ends, strict=True))


def paragraphs_of(passage: Passage, at: int) -> list[tuple[int, int]]:
    """Return the first and the last sentence of each paragraph that stands with the one of a span."""
    spans, first, last = passage.spans, at, at
    while first and spans[first - 1].kind is BlockKind.PARAGRAPH:
        first -= 1
    while last + 1 < len(spans) and spans[last + 1].kind is BlockKind.PARAGRAPH:
        last += 1
    starts = [one for one in range(first, last + 1) if one == first or is_new_line(passage, one)]
    return list(zip(starts, [*(one - 1 for one in starts[1:]), last], strict=True))


def list_end(passage: Passage, at: int) -> int:
    """Return the last item of the list that span `at` is of, over code or a note between two."""
    behind = range(at + 1, len(passage.spans))
    items = (one for one in behind if passage.spans[one].kind is BlockKind.LIST_ITEM)
    for one in items:
        if item_before(passage.spans, one) != at:
            break
        at = one
    return at


def within_room(passage: Passage, told: Sequence[tuple[int, int]]) -> list[Span]:
    """Return all of several pieces, or their first sentences where that is long; none of more still."""
    whole = [run for first, last in told for run in runs_of(passage, first, last)]
    begun = [passage.spans[first] for first, _ in told]
    fitting = (
        pieces
        for pieces in (whole, begun)
        if sum(one.end - one.start for one in pieces) <= ALL_CHARACTERS
    )
    return next(fitting, [])


def runs_of(passage: Passage, first: int, last: int) -> list[Span]:
    """Return the spans from one to another, joined as far as they can be shown in one piece."""
    runs = list[Span]()
    for span in passage.spans[first : last + 1]:
        if runs and span.end - runs[-1].start <= JOINED_CHARACTERS:
            runs[-1] = replace(runs[-1], end=span.end)
        else:
            runs.append(span)
    return runs
