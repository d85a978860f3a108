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
"""Quotations that a thing needs: a sentence or two about a thing are little to compare it by."""


def list_missing_entities(
    question: QuestionAnalysis, passages: Sequence[Passage]
) -> tuple[str, ...]:
    """Return the names of the things that `question` compares and no passage has the words of.

    Each was searched for by its name, so that a passage with a word of it would have been found.
    """
    compared = _compared(question)
    known = [_terms(passage.text, *passage.locator.section_path) for passage in passages]
    everything = frozenset[str]().union(*known)
    named = own_terms([_terms(thing.name) for thing in compared]) if compared else []
    return tuple(
        thing.name for thing, own in zip(compared, named, strict=True) if not own <= everything
    )


def count_things(question: QuestionAnalysis) -> int:
    """Return how many things `question` compares; 1 when it compares none."""
    return max(1, len(_compared(question)))


def share_said(question: QuestionAnalysis, cited: Sequence[Citation]) -> float:
    """Return the share in [0, 1] of the things that `question` compares which the quotes speak of.

    One that a single quote names counts a third. A question that compares nothing has 1.0.
    """
    compared = _compared(question)
    if not compared:
        return 1.0
    named = own_terms([_terms(thing.name) for thing in compared])
    counts = [sum(_speaks_of(own, item) for item in cited) for own in named]
    return fmean(min(1.0, count / _ENOUGH) for count in counts)


def _speaks_of(own: frozenset[str], item: Citation) -> bool:
    """Whether the quote or a title near it names the thing, with what all titles say."""
    path = item.locator.section_path
    near = _terms(item.quote, *(path[1:][-2:] or path))
    return bool(own & near) and own <= near | _terms(*path)


def _compared(question: QuestionAnalysis) -> tuple[SubQuestion, ...]:
    """Return the things compared that are surely named: by capitals, or by asking nothing else."""
    compared = question.sub_questions
    sure = all(thing.plain or _NAME.match(thing.name) for thing in compared)
    return compared if sure else ()


def _terms(*texts: str) -> frozenset[str]:
    return frozenset(content_terms("\n".join(texts)))
