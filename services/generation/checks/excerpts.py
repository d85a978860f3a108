"""Pieces of a passage that are shown together."""

from collections.abc import Container, Sequence
from dataclasses import dataclass, replace
from itertools import pairwise
from operator import attrgetter

from services.generation.model import Passage, Span


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

    def _between(self, before: Span, after: Span) -> str | None:
        """Return what parts two spans; None where one of them is beside the passage."""
        start = self.passage.locator.start
        if before.start < start or after.end > self.passage.locator.end:
            return None
        return self.passage.text[before.end - start : after.start - start]


def join_texts(excerpts: Sequence[Excerpt]) -> str:
    return " ".join(one.text for one in excerpts)


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
        joined.append(
            Excerpt(one.passage, tuple(sorted(spans, key=order)), tuple(sorted(own, key=order)))
        )
    return joined
