"""Passages and a model's text in, the two confidence formulas that need no calibration out."""

import math
import re

from services.generation.model import SearchResult

_RETRIEVAL_SHARE = 0.6
_LEAST_RETRIEVAL = 0.6
_UNSTATED = 0.80
"""What a model is taken to think of its answer when it does not say."""

_STATED = re.compile(r"\**confidence\**\s*:\**\s*(-?\d+(?:\.\d+)?)\**\.?", re.IGNORECASE)
_PROPERTY = re.compile(r'"confidence"\s*:\s*(-?\d+(?:\.\d+)?)\s*\}[\s`]*\Z')
"""Of structured output: the last property of the whole, which no text of the book can be."""

_NEAREST = 5


def mean_similarity(search: SearchResult) -> float:
    """Return the mean cosine of the first five passages, brought to [0, 1]."""
    nearest = [passage.scores.dense for passage in search.passages[:_NEAREST]]
    return _bounded(math.fsum(nearest) / len(nearest)) if nearest else 0.0


def two_part(search: SearchResult, response: str) -> float:
    """Return 0.6 times retrieval's best score, taken as 0.60 to 1.0, and 0.4 times the model's."""
    best = max((passage.scores.blended for passage in search.passages), default=0.0)
    retrieval = max(_LEAST_RETRIEVAL, _bounded(best))
    return _RETRIEVAL_SHARE * retrieval + (1 - _RETRIEVAL_SHARE) * read_estimate(response)


def read_estimate(response: str) -> float:
    """Return the estimate in [0, 1] on the last line of a model's text, 0.80 when there is none.

    Only a last line that is nothing else counts: a line of the book may look like one. In JSON, it is
    the last property.
    """
    last = response.strip().rpartition("\n")[2].strip()
    stated = _STATED.fullmatch(last) or _PROPERTY.search(response)
    return _bounded(float(stated[1])) if stated else _UNSTATED


def _bounded(value: float) -> float:
    return min(1.0, max(0.0, value)) if math.isfinite(value) else 0.0
