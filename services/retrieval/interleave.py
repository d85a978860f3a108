"""Take in turns what was found for a question and for each of its sub-questions."""

from collections.abc import Sequence
from itertools import chain, zip_longest

from services.retrieval.model import Passage


def interleave_passages(orders: Sequence[Sequence[Passage]]) -> list[Passage]:
    """Return the best of each search, then the second best of each, and so on."""
    turns = chain.from_iterable(zip_longest(*orders))
    return [passage for passage in turns if passage is not None]
