"""Pieces of a passage that are shown together."""

import re
from collections.abc import Container, Iterable, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

from libs.text import sentence_ranges
from services.generation.model import BlockKind, Passage, Span

_LEAST_WORDS = 3
"""Of a part of what is said; fewer may stand anywhere."""

_MOST_CODE = 600
"""Characters of preformatted text that are shown before what is said, and twice as many with it."""

_LINE_BREAK = 2
"""Characters at the most between two items that follow one another."""

_OF_LINES = (BlockKind.LIST_ITEM, BlockKind.TABLE, BlockKind.CODE)

_LINE = re.compile(r"^([ \t]*)\S.*$", re.MULTILINE)


@dataclass(frozen=True)
class Excerpt:
    """Spans of a passage that are shown together, in the book's order; `own` are those quoted."""

    passage: Passage
    spans: tuple[Span, ...]
    own: tuple[Span, ...]

    @property
    def text(self) -> str:
        """The book's characters; a break of lines stays one."""
        parts = [self.passage.text_of(self.spans[0])]
        for before, after in pairwise(self.spans):
            between = self._between(before, after)
            parts += ["\n" if between is None or "\n" in between else " "]
            parts += [self.passage.text_of(after)]
        return "".join(parts)

    @property
    def texts(self) -> list[str]:
        """What its spans say, without what parts it from others."""
        return [self.passage.text_of(span).strip("; \n") for span in self.spans]

    def is_unbroken(self, before: Span, after: Span) -> bool:
        between = self._between(before, after)
        return between is not None and not between.strip()

    def without(self, shown: Container[Span]) -> "Excerpt | None":
        """Return what is left of it where `shown` stands before it already; None where all does."""
        left = tuple(span for span in self.spans if span not in shown)
        own = tuple(span for span in self.own if span in left)
        return replace(self, spans=left, own=own) if own else None

    def goes_back(self, shown: Sequence["Excerpt"]) -> bool:
        """Whether it has an item that its list has before one of `shown`, and that is not shown."""
        document = self.passage.locator.document
        earlier = [one for one in shown if one.passage.locator.document == document]
        passages = (self.passage, *(one.passage for one in earlier))
        spans = {span.start: span for passage in passages for span in passage.spans}
        told = {span.start: span for one in earlier for span in one.spans}
        own = [span for span in self.own if span.start not in told]
        return any(
            self._is_listed_before(span, later, spans.values())
            for span in own
            for later in told.values()
        )

    def _is_listed_before(self, span: Span, later: Span, spans: Iterable[Span]) -> bool:
        """Whether both are items of one list: of `spans` only items fill the text between them."""
        between = sorted(
            (one for one in spans if span.end <= one.start < later.start), key=attrgetter("start")
        )
        run = [span, *between, later]
        is_before = span.end <= later.start and "\n" in (self._between(span, later) or "\n")
        fills = all(after.start - one.end <= _LINE_BREAK for one, after in pairwise(run))
        return is_before and fills and all(one.kind is BlockKind.LIST_ITEM for one in run)

    def _between(self, before: Span, after: Span) -> str | None:
        """Return what parts two spans; None where one of them is beside the passage."""
        start = self.passage.locator.start
        if before.start < start or after.end > self.passage.locator.end:
            return None
        return self.passage.text[before.end - start : after.start - start]


def find_part(passage: Passage, span: Span, said: str) -> Span | None:
    """Return what of a span is in the text; None for nothing.

    Of preformatted text it is the item that the words stand in: nothing else tells what they are about.
    """
    text = passage.text_of(span)
    if text.strip("; \n") in said:
        return span
    pieces = [said, *(said[start:end] for start, end in sentence_ranges(said)), *said.split("; ")]
    places = [
        (at, at + len(piece))
        for piece in (piece.strip("; \n") for piece in pieces)
        if len(piece.split()) >= _LEAST_WORDS or piece == said
        if (at := text.find(piece)) >= 0
    ]
    if not places:
        return None
    first, last = min(start for start, _ in places), max(end for _, end in places)
    if span.kind is BlockKind.CODE:
        first, last = _item_of(text, first, last)
    return replace(span, start=span.start + first, end=span.start + last)


def _item_of(text: str, first: int, last: int) -> tuple[int, int]:
    """Return from the last line that is less deep to the next one that is, as far as that is short."""
    lines = [(found.start(), found.end(), len(found[1])) for found in _LINE.finditer(text)]
    own = [at for at, (start, end, _) in enumerate(lines) if start < last and end > first]
    depth = min(lines[at][2] for at in own)
    above, below = own[0], own[-1]
    while above and last - lines[above - 1][0] <= _MOST_CODE:
        above -= 1
        if lines[above][2] < depth:
            break
    start = lines[above][0]
    while below + 1 < len(lines) and lines[below + 1][1] - start <= 2 * _MOST_CODE:
        if lines[below + 1][2] < depth:
            break
        below += 1
    return start, lines[below][1]


def join_texts(excerpts: Sequence[Excerpt]) -> str:
    """Return what excerpts say one behind the other: items, rows and code in lines of their own."""
    parts = [excerpts[0].text] if excerpts else []
    for before, after in pairwise(excerpts):
        kinds = {before.spans[-1].kind, after.spans[0].kind}
        parts += [" " if kinds.isdisjoint(_OF_LINES) else "\n", after.text]
    return "".join(parts)


def join_excerpts(excerpts: Sequence[Excerpt]) -> list[Excerpt]:
    """Return the excerpts with those joined that share a span."""
    joined: list[Excerpt] = []
    for one in excerpts:
        spans, own = set(one.spans), set(one.own)
        for other in [it for it in joined if it.passage is one.passage]:
            if spans & set(other.spans):
                spans |= set(other.spans)
                own |= set(other.own)
                joined.remove(other)
        order = attrgetter("start", "end")
        # Of code that was cut and is shown whole as well, the whole.
        spans = set({span.start: span for span in sorted(spans, key=order)}.values())
        # Of a part and the whole that holds it, the whole.
        outer = {
            span: next((it for it in spans if _holds(it, span)), span) for span in (*spans, *own)
        }
        spans, own = {outer[span] for span in spans}, {outer[span] for span in own}
        joined.append(
            Excerpt(one.passage, tuple(sorted(spans, key=order)), tuple(sorted(own, key=order)))
        )
    return joined


def _holds(outer: Span, inner: Span) -> bool:
    return outer != inner and outer.start <= inner.start and inner.end <= outer.end
