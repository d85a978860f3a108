"""Stage: the passages to return and the question in, how well each quotable piece matches it out.

The vectors of the units come with their passages, so that nothing is embedded here.
"""

from collections.abc import Sequence

from libs.embedding import Vectors
from libs.errors import QuothError
from libs.vectors.packed import unpack_rows
from services.retrieval.model import (
    DAMAGED,
    HEADING,
    Chunk,
    MarkedPassage,
    Passage,
    QuestionTerms,
    distinct_terms,
)

# Shares of a unit's score. Measured as the share of 965 questions of four sets whose gold quote is in
# one of the 3 and of the 5 best units of five passages, the mean of the sets: 71.4 % and 80.3 %
# (without the blended score 70.7 % and 78.3 %; words and the passage's own scores alone 68.5 % and
# 75.5 %; with units embedded by their text alone 71.8 % and 76.3 % at twice the price of an ingest).
COSINE = 1.0
COVERAGE = 0.8
PASSAGE_COSINE = 0.3
PASSAGE_COVERAGE = 0.6
PASSAGE_BLENDED = 0.6
PASSAGE = PASSAGE_COSINE + PASSAGE_COVERAGE + PASSAGE_BLENDED

HEADING_SHARE = 0.3
"""What is left of a heading's score: it names the answer, it is not one."""


MARKED_SHARE = 0.6
"""A unit carries the match with at least this share of the best unit's score in the whole search.

Of 472 questions with exact excerpts, the marked units of five passages, joined as `default` does, hold
92.5 % of the excerpts in 4,042 characters (IoU 8.7 %); the passages as a whole 94.2 % in 7,372 (3.7 %).
The share was chosen on this set."""


def mark_units(
    question: Vectors, question_terms: QuestionTerms, passages: Sequence[Passage]
) -> tuple[MarkedPassage, ...]:
    """Score every unit of `passages`, by words alone where the index has no vectors of units.

    Raises QuothError for vectors that don't fit their units.
    """
    scored = [score_units(question, question_terms, passage) for passage in passages]
    enough = MARKED_SHARE * max((score for scores in scored for score in scores), default=0.0)
    return tuple(
        MarkedPassage(passage, scores, tuple(score >= enough > 0 for score in scores))
        for passage, scores in zip(passages, scored, strict=True)
    )


def score_units(
    question: Vectors, question_terms: QuestionTerms, passage: Passage
) -> tuple[float, ...]:
    """Score each unit of the passage in [0, 1]."""
    chunk = passage.chunk
    base = PASSAGE_COSINE * max(0.0, passage.candidate.dense)
    base += PASSAGE_COVERAGE * question_terms.covered_by(chunk.terms)
    base += PASSAGE_BLENDED * passage.blended
    cosine_share = COSINE if chunk.unit_vectors else 0.0
    scores = []
    for unit, cosine in zip(chunk.units, _cosines(question, chunk), strict=True):
        covered = question_terms.covered_by(distinct_terms(chunk.text_of(unit)))
        own = cosine_share * max(0.0, cosine) + COVERAGE * covered
        score = min(1.0, (own + base) / (cosine_share + COVERAGE + PASSAGE))
        scores.append(score * HEADING_SHARE if unit.kind == HEADING else score)
    return tuple(scores)


def _cosines(question: Vectors, chunk: Chunk) -> list[float]:
    if not chunk.unit_vectors:
        return [0.0] * len(chunk.units)
    try:
        vectors = unpack_rows(chunk.unit_vectors, len(chunk.units), len(question))
    except ValueError as error:
        raise QuothError(DAMAGED) from error
    cosines: list[float] = (vectors @ question).tolist()
    return cosines
