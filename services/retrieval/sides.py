"""Stage: what was found for a question and for each thing it compares in, both together out."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from services.retrieval.model import MarkedPassage, Passage


def take_turns(found: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the best of each search, then the second best of each, and so on."""
    turns = chain.from_iterable(zip_longest(*found))
    return [passage for passage in turns if passage is not None]


def join_marks(marks: Sequence[Sequence[MarkedPassage]]) -> tuple[MarkedPassage, ...]:
    """Return each passage with the best score that a search gives each of its units."""
    return tuple(
        MarkedPassage(
            same[0].passage,
            tuple(map(max, zip(*(item.unit_scores for item in same), strict=True))),
            tuple(map(any, zip(*(item.marked for item in same), strict=True))),
        )
        for same in zip(*marks, strict=True)
    )
