"""What the passages and the quotes say of each thing that a question compares."""

import re
from collections.abc import Sequence
from statistics import fmean

from libs.question.analyse import QuestionAnalysis
from libs.question.decompose import SubQuestion, own_terms
from libs.text import content_terms
from services.generation.model import Citation, Passage

_NAME = re.compile(r"[A-Z]|\w*\d")
_ENOUGH = 3
"""Quotations that a side needs: a sentence or two about a thing are little to compare it by."""


def list_missing_entities(
    question: QuestionAnalysis, passages: Sequence[Passage]
) -> tuple[str, ...]:
    """Return the names of the things that `question` compares and no passage has the words of.

    Each was searched for by its name, so that a passage with a word of it would have been found.
    """
    sides = _compared(question)
    known = [_terms(passage.text, *passage.locator.section_path) for passage in passages]
    everything = frozenset[str]().union(*known)
    named = own_terms([_terms(side.name) for side in sides]) if sides else []
    return tuple(side.name for side, own in zip(sides, named, strict=True) if not own <= everything)


def count_things(question: QuestionAnalysis) -> int:
    """Return how many things `question` compares; 1 when it compares none."""
    return max(1, len(_compared(question)))


def share_said(question: QuestionAnalysis, cited: Sequence[Citation]) -> float:
    """Return the share in [0, 1] of the things that `question` compares which the quotes speak of.

    One that a single quote names counts a third. A question that compares nothing has 1.0.
    """
    sides = _compared(question)
    if not sides:
        return 1.0
    named = own_terms([_terms(side.name) for side in sides])
    counts = [sum(_speaks_of(own, item) for item in cited) for own in named]
    return fmean(min(1.0, count / _ENOUGH) for count in counts)


def _speaks_of(own: frozenset[str], item: Citation) -> bool:
    """Whether the quote or a title near it names the thing, with what all titles say."""
    path = item.locator.section_path
    near = _terms(item.quote, *(path[1:][-2:] or path))
    return bool(own & near) and own <= near | _terms(*path)


def _compared(question: QuestionAnalysis) -> tuple[SubQuestion, ...]:
    """Return the sides of a question that surely names things: by capitals, or asking nothing else."""
    sides = question.sub_questions
    sure = all(side.plain or _NAME.match(side.name) for side in sides)
    return sides if sure else ()


def _terms(*texts: str) -> frozenset[str]:
    return frozenset(content_terms("\n".join(texts)))
