"""Score how well each span of the passages matches the question, and highlight the best.

The vectors of the spans come with their passages, so that nothing is embedded here.
"""

from collections.abc import Sequence

from libs.embedding import Vectors
from services.retrieval.model import (
    HEADING,
    HighlightedPassage,
    Passage,
    distinct_terms,
)
from services.retrieval.question_terms import QuestionTerms

# Shares of a span's score. Measured as the share of 965 questions of four sets whose gold quote is in
# one of the 3 and of the 5 best spans of five passages, the mean of the sets: 71.4 % and 80.3 %
# (without the fused score 70.7 % and 78.3 %; words and the passage's own scores alone 68.5 % and
# 75.5 %; with spans embedded by their text alone 71.8 % and 76.3 % at twice the price of an ingest).
COSINE = 1.0
COVERAGE = 0.8
PASSAGE_COSINE = 0.3
PASSAGE_COVERAGE = 0.6
PASSAGE_FUSED = 0.6
PASSAGE = PASSAGE_COSINE + PASSAGE_COVERAGE + PASSAGE_FUSED

LAG = 0.5
"""How much less a span scores for each point that its cosine lags behind the nearest span's.

What is highlighted goes by the score without it, in which words and the passage count more. Which span
leads an answer is told better with it: of five manuals that the ranking was not fitted to gold first
.564 for .500, and as much from .4 to .7 (tests/quality/experiments.md)."""

HEADING_SHARE = 0.3
"""What is left of a heading's score: it names the answer, it is not one."""


HIGHLIGHT_SHARE = 0.6
"""A span carries the match with at least this share of the best span's score in the whole search.

Of 472 questions with exact excerpts, the highlighted spans of five passages, joined as `default` does,
hold 92.5 % of the excerpts in 4,042 characters (IoU 8.7 %); the passages as a whole 94.2 % in 7,372
(3.7 %). The share was chosen on this set, by vectors in context alone; not measured again since."""


def highlight_passages(
    asked: Sequence[tuple[Vectors, QuestionTerms]], passages: Sequence[Passage]
) -> tuple[HighlightedPassage, ...]:
    """Return each passage with the best score that any of the questions gives each of its spans.

    Raises QuothError for vectors that don't fit their spans.
    """
    return join_highlights([highlight_spans(*question, passages) for question in asked])


def highlight_spans(
    question: Vectors, question_terms: QuestionTerms, passages: Sequence[Passage]
) -> tuple[HighlightedPassage, ...]:
    """Score every span of `passages`, by words alone where the index has no vectors of spans."""
    cosines = [passage.chunk.span_cosines(question) for passage in passages]
    scored = [
        _score_spans(of_spans, question_terms, passage)
        for of_spans, passage in zip(cosines, passages, strict=True)
    ]
    enough = HIGHLIGHT_SHARE * max((score for scores in scored for score in scores), default=0.0)
    nearest = _nearest(cosines, passages)
    return tuple(
        HighlightedPassage(
            passage,
            _less_for_lag(scores, of_spans, nearest) if passage.chunk.span_vectors else scores,
            tuple(score >= enough > 0 for score in scores),
        )
        for passage, scores, of_spans in zip(passages, scored, cosines, strict=True)
    )


def _nearest(cosines: Sequence[Sequence[float]], passages: Sequence[Passage]) -> float:
    """Return the greatest cosine of what may be an answer: no heading is one."""
    return max(
        (
            cosine
            for passage, of_spans in zip(passages, cosines, strict=True)
            for span, cosine in zip(passage.chunk.spans, of_spans, strict=True)
            if span.kind != HEADING
        ),
        default=0.0,
    )


def _less_for_lag(
    scores: Sequence[float], cosines: Sequence[float], nearest: float
) -> tuple[float, ...]:
    return tuple(
        max(0.0, score - LAG * max(0.0, nearest - cosine))
        for score, cosine in zip(scores, cosines, strict=True)
    )


def join_highlights(
    found: Sequence[Sequence[HighlightedPassage]],
) -> tuple[HighlightedPassage, ...]:
    return tuple(
        HighlightedPassage(
            same[0].passage,
            tuple(map(max, zip(*(item.span_scores for item in same), strict=True))),
            tuple(map(any, zip(*(item.highlighted for item in same), strict=True))),
        )
        for same in zip(*found, strict=True)
    )


def score_spans(
    question: Vectors, question_terms: QuestionTerms, passage: Passage
) -> tuple[float, ...]:
    """Score each span of the passage in [0, 1]."""
    return _score_spans(passage.chunk.span_cosines(question), question_terms, passage)


def _score_spans(
    cosines: Sequence[float], question_terms: QuestionTerms, passage: Passage
) -> tuple[float, ...]:
    chunk = passage.chunk
    base = PASSAGE_COSINE * max(0.0, passage.candidate.dense)
    base += PASSAGE_COVERAGE * question_terms.covered_by(chunk.terms)
    base += PASSAGE_FUSED * passage.fused
    cosine_share = COSINE if chunk.span_vectors else 0.0
    scores = []
    for span, cosine in zip(chunk.spans, cosines, strict=True):
        covered = question_terms.covered_by(distinct_terms(chunk.text_of(span)))
        own = cosine_share * max(0.0, cosine) + COVERAGE * covered
        score = min(1.0, (own + base) / (cosine_share + COVERAGE + PASSAGE))
        scores.append(score * HEADING_SHARE if span.kind == HEADING else score)
    return tuple(scores)
