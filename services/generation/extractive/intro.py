"""Show a span with what it says nothing without: its introduction, or the sentence that it leans on."""

from services.generation.extractive.candidates import CandidateSpan
from services.generation.extractive.places import JOINED_CHARACTERS, Place, place_of
from services.generation.model import BlockKind

_BARE = 6
"""Items with at most this many terms are shown with their introduction."""


def with_intro(item: CandidateSpan) -> list[Place]:
    """Return the span with what it says nothing without: in one piece, or before it when that is long.

    The header of a table is shown with the citation of its row, and a question of somebody with what
    stands between it and the reply.
    """
    first = item.before
    if first is None and item.span.kind is not BlockKind.TABLE and is_bare(item):
        first = item.intro
    if first is None:
        return [place_of(item)]
    whole = place_of(item, first=first)
    if item.is_reply:
        return [place_of(item, first, first), place_of(item)]
    if first < item.index and whole.length <= JOINED_CHARACTERS:
        return [whole]
    return [place_of(item, first, first), place_of(item)]


def is_bare(item: CandidateSpan) -> bool:
    """Whether the span says too little without what introduces it."""
    return item.span.kind is not BlockKind.LIST_ITEM or len(item.terms) <= _BARE
