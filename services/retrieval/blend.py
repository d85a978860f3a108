"""Stage: candidates with two scores in, passages with one out, best first."""

from collections.abc import Sequence

from services.retrieval.model import Candidate, Passage


def blend_scores(candidates: Sequence[Candidate], alpha: float) -> list[Passage]:
    """Blend as alpha × dense + (1 - alpha) × BM25, each first stretched to [0, 1] over `candidates`.

    Equal scores keep the book's reading order, so that the result is the same every time.
    """
    dense = stretch([candidate.dense for candidate in candidates])
    bm25 = stretch([candidate.bm25 for candidate in candidates])
    passages = [
        Passage(candidate, alpha * near + (1 - alpha) * shared)
        for candidate, near, shared in zip(candidates, dense, bm25, strict=True)
    ]
    return sorted(passages, key=reading_order)


def reading_order(passage: Passage) -> tuple[float, int, str]:
    # A sum in another order differs in its last digits; 9 of them are beyond any real difference.
    return -round(passage.blended, 9), passage.chunk.position, passage.chunk.chunk_id


def stretch(scores: Sequence[float]) -> list[float]:
    """Map the least score to 0 and the greatest to 1; equal ones to 1, or 0 if they are not above 0."""
    if not scores:
        return []
    low, high = min(scores), max(scores)
    if high == low:
        return [1.0 if high > 0 else 0.0] * len(scores)
    return [(score - low) / (high - low) for score in scores]
