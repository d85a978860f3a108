"""Stage: what the search found in, the probability that it answers the question out."""

from collections.abc import Sequence
from statistics import fmean

from libs.calibration import Calibration
from services.retrieval.model import Candidate, MarkedPassage, QuestionTerms, Verdict

TOP = 5
"""Places of each list that the features look at."""


def judge_passages(
    candidates: Sequence[Candidate],
    passages: Sequence[MarkedPassage],
    question_terms: QuestionTerms,
    calibration: Calibration,
    threshold: float,
) -> Verdict:
    """Return the verdict; a search that found nothing never passes."""
    if not passages:
        return Verdict(0.0, threshold, {})
    features = describe_result(candidates, passages, question_terms)
    return Verdict(calibration.probability(features), threshold, features)


def describe_result(
    candidates: Sequence[Candidate],
    passages: Sequence[MarkedPassage],
    question_terms: QuestionTerms,
) -> dict[str, float]:
    """Return the features of a search that found something; all are raw scores or shares."""
    by_dense = sorted((candidate.dense for candidate in candidates), reverse=True)[:TOP]
    chunks = [marked.passage.chunk for marked in passages[:TOP]]
    together = frozenset[str]().union(*(chunk.terms() for chunk in chunks))
    anywhere = frozenset[str]().union(*(candidate.chunk.terms() for candidate in candidates))
    return {
        "dense_best": by_dense[0],
        "dense_lead": by_dense[0] - fmean(by_dense),
        "bm25_per_term": max(candidate.bm25 for candidate in candidates)
        / max(1, len(question_terms.weights)),
        "coverage_best": max(question_terms.covered_by(chunk.terms()) for chunk in chunks),
        "coverage_together": question_terms.covered_by(together),
        "coverage_anywhere": question_terms.covered_by(anywhere),
        "agreement": _agreement(candidates),
        "unit_best": max(max(marked.unit_scores, default=0.0) for marked in passages),
    }


def _agreement(candidates: Sequence[Candidate]) -> float:
    """Return the share of the first places that both lists fill with the same chunks, in [0, 1]."""
    both = sum(
        1 <= candidate.dense_rank <= TOP and 1 <= candidate.bm25_rank <= TOP
        for candidate in candidates
    )
    return both / TOP
