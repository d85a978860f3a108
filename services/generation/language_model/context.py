"""Choose which of the passages found a language model is given, and in which order.

A model reads what it is given: what repeats another passage, names without telling, or is far from the
question costs tokens and time, and draws its eye from what answers.
"""

from collections.abc import Iterable, Sequence

from libs.question.analyse import QuestionAnalysis
from libs.text import words
from services.generation.model import BlockKind, Passage, Question

_LEAST_SHARE = 0.65
"""Of the best passage's relevance; what is below it is left out."""

_MOST_COMPARED = 8
"""Passages for a question that is searched for in parts: its searches bring up to 15."""

_RUN = 5
"""Words in a row by which texts are compared: fewer are alike by chance."""

_REPEATED = 0.8
"""Share of a passage's runs from which passages before it have said it already."""

_TELLS_NOTHING = (BlockKind.HEADING, BlockKind.CAPTION)


def choose_context(
    passages: Sequence[Passage], question: Question, analysis: QuestionAnalysis
) -> tuple[Passage, ...]:
    """Return the passages that answer, the nearest to the question first; at least one of any.

    Selected text is given whole and in its own order, but for what is repeated; what the book says of
    itself is given as it was found.
    """
    if question.selection is not None:
        return _drop_repeated(passages)
    if analysis.about_book is not None:
        return tuple(passages)
    telling = [passage for passage in passages if _tells_something(passage)] or list(passages)
    if analysis.sub_questions:
        # As found, each search in its turn: the best for one part may be far from the whole question.
        near = telling[:_MOST_COMPARED]
    else:
        least = _LEAST_SHARE * max(map(rate_relevance, telling), default=0.0)
        near = [passage for passage in telling if rate_relevance(passage) >= least]
    return _drop_repeated(sorted(near, key=rate_relevance, reverse=True))


def rate_relevance(passage: Passage) -> float:
    """Return how near the best span of the passage is to the question, in [0, 1]."""
    return max((span.score for span in passage.spans), default=0.0)


def _tells_something(passage: Passage) -> bool:
    return any(span.kind not in _TELLS_NOTHING for span in passage.spans) or not passage.spans


def _drop_repeated(passages: Iterable[Passage]) -> tuple[Passage, ...]:
    kept: list[Passage] = []
    said: set[tuple[str, ...]] = set()
    for passage in passages:
        runs = _list_runs(passage.text)
        if not runs or len(runs & said) < _REPEATED * len(runs):
            kept.append(passage)
            said |= runs
    return tuple(kept)


def _list_runs(text: str) -> set[tuple[str, ...]]:
    spoken = words(text)
    return set(zip(*(spoken[start:] for start in range(_RUN)), strict=False))
