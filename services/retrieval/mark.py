"""Stage: the passages to return and the question in, how well each quotable piece matches it out."""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from libs.embedding import Embedder, Vectors
from services.retrieval.model import (
    HEADING,
    Chunk,
    MarkedPassage,
    Passage,
    QuestionTerms,
    Unit,
    distinct_terms,
)

# Shares of a unit's score. Measured as the share of 574 questions of four sets whose gold quote is in
# one of the three best units, the mean of the sets: 73.3 % (0.5 and 0.3 for the coverages 71.7 %;
# without the passage's part 69.1 %; without cosines 71.9 %).
COSINE = 1.0
PASSAGE_COSINE = 0.3
COVERAGE = 0.8
PASSAGE_COVERAGE = 0.6
TOTAL = COSINE + PASSAGE_COSINE + COVERAGE + PASSAGE_COVERAGE

HEADING_SHARE = 0.3
"""What is left of a heading's score: it names the answer, it is not one."""

COMPARED_UNITS = 8
"""Units whose meaning is compared, 2-4 ms each on one core; the others by their words only. Gold units
among the three best, of 123 questions: none compared 55.3 %, 4 56.1 %, 6 57.7 %, 8 and 12 59.3 %."""

PATIENCE_S = 0.1
"""Seconds that comparing is worth. Under load the model is needed for the questions themselves."""

SCORING_S = 0.02
"""Seconds kept for the scores themselves; with less left, no unit's meaning is compared."""


@dataclass(frozen=True)
class Marks:
    """The passages with their units marked; `complete` unless time was too short for meanings."""

    passages: tuple[MarkedPassage, ...]
    complete: bool


async def mark_units(
    question: Vectors,
    question_terms: QuestionTerms,
    passages: Sequence[Passage],
    embedder: Embedder | None,
    *,
    timeout_s: float,
) -> Marks:
    """Score every unit of `passages`; within `timeout_s`, or by words alone.

    Without an embedder, words are all that is looked at.
    """
    likely = choose_units(passages, question_terms) if embedder else []
    cosines: dict[str, float] | None = {}
    if likely and embedder:
        cosines = await _compare(question, likely, embedder, timeout_s)
    marked = tuple(
        MarkedPassage(passage, score_units(passage, question_terms, cosines or {}))
        for passage in passages
    )
    return Marks(marked, complete=cosines is not None)


async def _compare(
    question: Vectors, texts: Sequence[str], embedder: Embedder, timeout_s: float
) -> dict[str, float] | None:
    if timeout_s <= SCORING_S:
        return None
    try:
        async with asyncio.timeout(min(PATIENCE_S, timeout_s - SCORING_S)):
            vectors = await embedder.embed(texts)
    except TimeoutError:
        return None
    return dict(zip(texts, (vectors @ question).tolist(), strict=True))


def choose_units(passages: Sequence[Passage], question_terms: QuestionTerms) -> list[str]:
    """Return the texts of the units worth comparing by meaning, most promising first."""
    scored = []
    for passage in passages:
        scores = score_units(passage, question_terms, {})
        scored += [
            (score, passage.chunk.text_of(unit))
            for unit, score in zip(passage.chunk.units, scores, strict=True)
            if unit.kind != HEADING
        ]
    scored.sort(key=lambda pair: -pair[0])
    return list(dict.fromkeys(text for _, text in scored))[:COMPARED_UNITS]


def score_units(
    passage: Passage, question_terms: QuestionTerms, cosines: Mapping[str, float]
) -> tuple[float, ...]:
    """Score each unit of the passage in [0, 1]; `cosines` are by text, where they are known."""
    chunk = passage.chunk
    base = PASSAGE_COSINE * max(0.0, passage.candidate.dense)
    base += PASSAGE_COVERAGE * question_terms.covered_by(chunk.terms)
    return tuple(_score_unit(chunk, unit, base, question_terms, cosines) for unit in chunk.units)


def _score_unit(
    chunk: Chunk,
    unit: Unit,
    base: float,
    question_terms: QuestionTerms,
    cosines: Mapping[str, float],
) -> float:
    text = chunk.text_of(unit)
    own = COSINE * max(0.0, cosines.get(text, 0.0)) + COVERAGE * question_terms.covered_by(
        distinct_terms(text)
    )
    score = min(1.0, (own + base) / TOTAL)
    return score * HEADING_SHARE if unit.kind == HEADING else score
