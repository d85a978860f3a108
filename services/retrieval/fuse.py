"""Fuse the two scores of each candidate into one, and order by it."""

from collections.abc import Callable, Mapping, Sequence

from libs.profiles import Retrieval
from services.retrieval.model import Candidate, Passage

BM25_HALF = 10.0
"""The BM25 score that is 0.5 on the fixed scale: two or three rare terms that are shared."""

RRF_K = 60
"""The constant of reciprocal rank fusion, as published."""

Fusion = Callable[[Sequence[Candidate], Retrieval], list[float]]


def fuse_scores(candidates: Sequence[Candidate], settings: Retrieval) -> list[Passage]:
    """Fuse as `settings` say; every score is in [0, 1].

    Equal scores keep the book's reading order, so that the result is the same every time.
    """
    scores = _FUSIONS[settings.fusion](candidates, settings)
    passages = [
        Passage(candidate, score) for candidate, score in zip(candidates, scores, strict=True)
    ]
    return sorted(passages, key=Passage.order)


def _by_cosine(candidates: Sequence[Candidate], settings: Retrieval) -> list[float]:
    return _dense_parts(candidates, settings)


def _weighted(candidates: Sequence[Candidate], settings: Retrieval) -> list[float]:
    alpha = settings.alpha
    pairs = zip(_dense_parts(candidates, settings), _bm25_parts(candidates, settings), strict=True)
    return [alpha * near + (1 - alpha) * shared for near, shared in pairs]


def _by_ranks(candidates: Sequence[Candidate], settings: Retrieval) -> list[float]:  # noqa: ARG001
    """Add 1 / (60 + rank) of both lists, ranked over all candidates; 1.0 is first in both."""
    dense = _ranks([candidate.dense for candidate in candidates])
    bm25 = _ranks([candidate.bm25 for candidate in candidates])
    most = 2 / (RRF_K + 1)
    return [
        # A chunk that shares no term is in no list of BM25.
        (1 / (RRF_K + near) + (1 / (RRF_K + shared) if candidate.bm25 > 0 else 0.0)) / most
        for candidate, near, shared in zip(candidates, dense, bm25, strict=True)
    ]


_FUSIONS: Mapping[str, Fusion] = {"dense": _by_cosine, "weighted": _weighted, "rrf": _by_ranks}


def _ranks(scores: Sequence[float]) -> list[int]:
    """Return each score's rank, counted from 1; equal scores share the best of theirs."""
    first: dict[float, int] = {}
    for rank, score in enumerate(sorted(scores, reverse=True), 1):
        first.setdefault(score, rank)
    return [first[score] for score in scores]


def _dense_parts(candidates: Sequence[Candidate], settings: Retrieval) -> list[float]:
    scores = [candidate.dense for candidate in candidates]
    if settings.normalisation == "fixed":
        return [min(1.0, max(0.0, score)) for score in scores]
    return min_max_normalise(scores)


def _bm25_parts(candidates: Sequence[Candidate], settings: Retrieval) -> list[float]:
    scores = [candidate.bm25 for candidate in candidates]
    if settings.normalisation == "fixed":
        return [score / (score + BM25_HALF) for score in scores]
    return min_max_normalise(scores)


def min_max_normalise(scores: Sequence[float]) -> list[float]:
    """Map the least score to 0 and the greatest to 1; equal ones to 1, or 0 if they are not above 0."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high == low:
        return [1.0 if high > 0 else 0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
